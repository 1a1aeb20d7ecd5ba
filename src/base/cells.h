/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BASE_CELLS_H
#define BASE_CELLS_H

#include <stddef.h>
#include <stdint.h>

struct sbuf;

/* How much of a row text takes on a terminal: 0, 1 or 2 cells a character. */

/* The next character of UTF-8 text; moves *text on. Broken bytes give '?'. */
uint32_t utf8_next(const char **text);

/* One character as UTF-8, with its NUL; returns its bytes. */
size_t utf8_put(char out[5], uint32_t ch);

/* Cells of one character, the same under every locale; -1: not printable. */
int char_cells(uint32_t ch);

/* Cells of text; what is not printable counts as one. */
size_t text_cells(const char *text);

/* How many bytes of text, from its start, have room in so many cells. */
size_t text_fit(const char *text, size_t cells);

/* The longest end of text that has room in so many cells. */
const char *text_tail(const char *text, size_t cells);

/* Add text and blanks behind it up to `cells`; what is longer stays whole. */
void sbuf_add_padded(struct sbuf *b, const char *text, size_t cells);

/* The blanks in front: for numbers, and what stands above them. */
void sbuf_add_right(struct sbuf *b, const char *text, size_t cells);

#endif
