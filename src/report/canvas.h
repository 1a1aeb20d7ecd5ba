/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_CANVAS_H
#define REPORT_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

/*
 * What a page is drawn with: SVG and cairo do the same five things. Units are points, y
 * grows downwards. Text is UTF-8 that was made safe.
 */

enum pen { PEN_AXIS, PEN_GRID, PEN_ZERO /* dotted: from zero to the lowest run */ };
enum fill {
	FILL_RANGE,		/* lowest to highest run */
	FILL_SIMULATED,		/* the same, measured in the sandbox */
	FILL_FLAGGED,		/* dashed edge: the number is in doubt */
	FILL_PUBLISHED,		/* hatched: others' numbers */
	FILL_MEDIAN,
};
enum anchor { ANCHOR_LEFT, ANCHOR_MIDDLE, ANCHOR_RIGHT };

struct canvas {
	void (*line)(struct canvas *c, double x, double y, double to_x, double to_y, enum pen pen,
		     const char *role);
	void (*rect)(struct canvas *c, double x, double y, double w, double h, enum fill fill,
		     const char *role, int64_t id);
	void (*text)(struct canvas *c, double x, double y, double size, enum anchor anchor,
		     bool strong, bool pale, const char *role, const char *text);
	void (*next_page)(struct canvas *c);
};

enum { PAGE_WIDTH = 595, PAGE_HEIGHT = 842 };	/* A4 */

/* Draw all pictures; `endless`: one page as long as it takes. */
void pages_draw(struct canvas *c, const struct report_picture *p, size_t n, const char *date,
		bool endless);
double pages_length(const struct report_picture *p, size_t n);	/* of the endless page */

#endif
