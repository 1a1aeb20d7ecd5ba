/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CHART_CHART_H
#define CHART_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sbuf;
struct stack;

/*
 * Numbers to a grid of cells. Pure: the same grid is printed on stdout and drawn by
 * curses. A cell says what it means; which glyph and colour that is, the tier decides.
 */

enum ink {			/* meaning of a cell; INTERFACE.md section 2 */
	INK_NONE, INK_TEXT, INK_USABLE, INK_REDUNDANCY, INK_CACHE, INK_OVERHEAD, INK_UNUSED,
	INK_FAILED, INK_REBUILD, INK_UNKNOWN,
	INK_ZERO,		/* dots from zero to the lowest */
	INK_RANGE,		/* lowest to highest */
	INK_MEDIAN,
	INK_COLUMN,		/* a column of the live chart; level says how high in eighths */
	INK_AXIS,
};

struct cell {
	enum ink ink;
	unsigned level;		/* INK_COLUMN: 1..8 */
	uint32_t ch;		/* INK_TEXT, INK_AXIS: the character; 0 otherwise */
};

struct grid {
	unsigned rows, cols;
	struct cell *cells;	/* rows * cols */
};

/* Glyph tiers, INTERFACE.md section 2. */
enum tier { TIER_FULL, TIER_CONSOLE, TIER_LINES, TIER_ASCII };

void grid_init(struct grid *g, unsigned rows, unsigned cols);
void grid_done(struct grid *g);
void grid_text(struct grid *g, unsigned row, unsigned col, const char *utf8);

/* The glyph of a cell as UTF-8 (or ASCII). */
const char *cell_glyph(const struct cell *c, enum tier tier);

/* Print rows to text; colour: ANSI escapes as in INTERFACE.md. */
void grid_print(const struct grid *g, enum tier tier, bool colour, struct sbuf *out);

/* A bar of results: zero, lowest..highest, median; `top` is the value at the right edge. */
void chart_bar(struct grid *g, unsigned row, unsigned col, unsigned width, double top,
	       double min, double median, double max);
/* A scale above bars: "0    100    200" and returns nothing; top as in chart_bar. */
void chart_scale(struct grid *g, unsigned row, unsigned col, unsigned width, double top);
/* A round number at or above the largest value. */
double chart_top(double largest);

/* The live chart: values over time, newest last, NAN = unknown. With axis on the left. */
void chart_time(struct grid *g, unsigned row, unsigned col, unsigned height, unsigned width,
		const double *values, size_t n, double top);

/* One disk of a stack from first to last byte, `bytes_full` = the largest disk. */
void chart_disk(struct grid *g, unsigned row, unsigned col, unsigned width,
		const struct stack *s, size_t disk_index, uint64_t bytes_full);
/* The ruler that names the slices below the disks. */
void chart_ruler(struct grid *g, unsigned row, unsigned col, unsigned width,
		 const struct stack *s, uint64_t bytes_full);

/* A bar of progress: fraction 0..1. */
void chart_progress(struct grid *g, unsigned row, unsigned col, unsigned width, double fraction);

#endif
