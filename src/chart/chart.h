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
	INK_DOUBT,		/* the same of a flagged bar */
	INK_MEDIAN,
	INK_COLUMN,		/* a column of the live chart; level says how high in eighths */
	INK_AXIS,
};

struct cell {
	enum ink ink;
	unsigned level;		/* INK_COLUMN: 1..8 */
	uint32_t ch;		/* INK_TEXT, INK_AXIS: the character; 0 otherwise */
	char utf8[5];		/* the same as UTF-8 */
};

struct grid {
	unsigned rows, cols;
	struct cell *cells;	/* rows * cols */
};

/* Glyph tiers, INTERFACE.md section 2. */
enum tier { TIER_FULL, TIER_CONSOLE, TIER_LINES, TIER_ASCII };

/* The tier for plain output: codeset as nl_langinfo() names it, TERM; both may be NULL. */
enum tier tier_for(const char *codeset, const char *term);

void grid_init(struct grid *g, unsigned rows, unsigned cols);
void grid_done(struct grid *g);
/* Text, cut at the right edge; what is not one cell wide becomes '~'. */
void grid_text(struct grid *g, unsigned row, unsigned col, const char *utf8);
/* One cell of a meaning, for legends: grid_ink(g, 0, 3, INK_RANGE). */
void grid_ink(struct grid *g, unsigned row, unsigned col, enum ink ink);

/* The glyph of a cell as UTF-8 (or ASCII). TIER_LINES answers ASCII: lines are the
 * terminal's own (ACS) there, and ch says which one is meant. */
const char *cell_glyph(const struct cell *c, enum tier tier);

/* Print rows to text, trailing blanks cut; colour: ANSI escapes of the 8 colours. */
void grid_print(const struct grid *g, enum tier tier, bool colour, struct sbuf *out);

/*
 * A bar of results: dots from zero, lowest..highest, median; `top` is the value at the
 * right edge. Nothing is drawn for a median that is not known (NAN).
 */
void chart_bar(struct grid *g, unsigned row, unsigned col, unsigned width, double top,
	       double min, double median, double max);
/* The range of the bar in these cells is one in doubt: a flag says why. */
void chart_doubt(struct grid *g, unsigned row, unsigned col, unsigned width);
/* A scale above bars: "0    100    200"; a number begins in the cell of its value. */
void chart_scale(struct grid *g, unsigned row, unsigned col, unsigned width, double top);
/* A round number at or above the largest value; 1 when there is none. */
double chart_top(double largest);

/*
 * The live chart: values over time, one a column, newest last, NAN = unknown ('?'). The
 * newest that fit are shown. Numbers and axis take the first CHART_AXIS columns and the
 * last row, which has a mark every ten values.
 */
enum { CHART_AXIS = 6 };
void chart_time(struct grid *g, unsigned row, unsigned col, unsigned height, unsigned width,
		const double *values, size_t n, double top);

/*
 * One disk of a stack from first to last byte, `bytes_full` = the largest disk. Slices of
 * equal place on any disk lie under the same columns; in each, usable comes before
 * redundancy (a share, not a place). What a disk has of a kind gets at least one cell;
 * an overhead too small for one in its slice is shown once, in the disk's last cell.
 */
void chart_disk(struct grid *g, unsigned row, unsigned col, unsigned width,
		const struct stack *s, size_t disk_index, uint64_t bytes_full);
/* The ruler that names the slices below the disks. */
void chart_ruler(struct grid *g, unsigned row, unsigned col, unsigned width,
		 const struct stack *s, uint64_t bytes_full);

/* A bar of progress: fraction 0..1. */
void chart_progress(struct grid *g, unsigned row, unsigned col, unsigned width, double fraction);

#endif
