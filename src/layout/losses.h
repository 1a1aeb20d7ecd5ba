/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYOUT_LOSSES_H
#define LAYOUT_LOSSES_H

#include <jansson.h>

#include "layout/stack.h"

struct sbuf;

/*
 * What is left when these disks die, cache included: layer by layer, then what is lost and
 * what to do next. words: disk names, "sda,sdb". Fills out with text, and *json when it is
 * not NULL (the caller decrefs).
 */
int losses_of_words(const struct stack *s, const char *words, struct sbuf *out, json_t **json,
		    struct err *e);

/* The same for a set: dead[i] of the first n_disks nodes. */
void losses_text(const struct stack *s, const bool *dead, struct sbuf *out);

const char *health_word(enum health h);

#endif
