/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_EDIT_H
#define UI_EDIT_H

#include "naslab.h"

/*
 * Changes of a layout as text: one-line form in, one-line form out. `text` NULL is a
 * layout without layers. -1: the text is no layout, or nothing is left of it.
 */

/*
 * Set an option of layer i; value NULL or "" takes it out. When it excludes another one that
 * is written (level= and redundancy= of md), the other is taken out: returns 1 and e->text
 * says so.
 */
int edit_set(const char *text, size_t i, const char *key, const char *value, struct sbuf *out,
	     struct err *e);
/* Put a layer in front of layer i (i == number of layers: at the end); a count it cannot do
 * without is 1. */
int edit_insert(const char *text, size_t i, const char *layer, struct sbuf *out, struct err *e);
int edit_remove(const char *text, size_t i, struct sbuf *out, struct err *e);
/* Change places of layers i and i + 1. */
int edit_swap(const char *text, size_t i, struct sbuf *out, struct err *e);

#endif
