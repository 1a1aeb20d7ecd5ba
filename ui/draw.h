/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_DRAW_H
#define UI_DRAW_H

#include "ui/term.h"

/* Text and pictures onto cells. Everything is clipped to the window; text is UTF-8. */

enum cut { CUT_END, CUT_START };	/* the side that may go; ~ stands there */

struct area {
	unsigned row, col, rows, cols;
};

/* Cells that text takes. */
unsigned draw_width(const char *text);

/* Put text; returns the column behind it. */
unsigned draw_text(unsigned row, unsigned col, enum paint paint, const char *text);
unsigned draw_textf(unsigned row, unsigned col, enum paint paint, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Put text into exactly `width` cells, blanks behind it, cut where it is too long. */
void draw_cell(unsigned row, unsigned col, unsigned width, enum paint paint, enum cut cut,
	       const char *text);
void draw_right(unsigned row, unsigned col, unsigned width, enum paint paint, const char *text);

/* Text whose words may not fit one row: wrapped into the area; returns the rows used. */
unsigned draw_wrapped(struct area a, enum paint paint, const char *text);

/* A rule over the row: "-- left ------ right --". NULL: nothing there. */
void draw_rule(unsigned row, unsigned col, unsigned width, const char *left, const char *right);
void draw_line_down(unsigned row, unsigned col, unsigned rows);
void draw_box(struct area a, const char *title);

/* Cells of a chart. */
void draw_grid(unsigned row, unsigned col, const struct grid *g);

/* Blank an area. */
void draw_clear(struct area a);

/* Raw text from outside as it may be shown; lives until the next but 7 calls. */
const char *safe_text(const char *raw);

#endif
