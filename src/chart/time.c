/* SPDX-License-Identifier: GPL-2.0-or-later */
/* time - the live chart: one column a sample, an axis, marks for unknown samples. */
#include "chart/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "chart/axis.h"

enum { TICK_EVERY = 10, LABEL = CHART_AXIS - 2 };

static void axis_number(struct grid *g, unsigned row, unsigned col, double value)
{
	char number[SIZE_TEXT], text[SIZE_TEXT + LABEL];
	size_t len;

	if (value < 9999.5)
		plain_number_text(number, value);
	else
		number_text(number, value);
	len = strlen(number);
	if (len > LABEL && value < 1) {
		snprintf(number, sizeof(number), "%.2g", value);
	} else if (len > LABEL) {	/* "2.31k", "12.3k": as many digits as there is room */
		size_t keep = number[LABEL - 2] == '.' ? LABEL - 2 : LABEL - 1;

		number[keep] = number[len - 1];
		number[keep + 1] = '\0';
	}
	snprintf(text, sizeof(text), "%*.*s", LABEL, LABEL, number);
	grid_text(g, row, col, text);
}

static void column(struct grid *g, unsigned row, unsigned col, unsigned rows, double part)
{
	unsigned eighths, r;

	if (isnan(part)) {
		grid_ink(g, row + rows - 1, col, INK_UNKNOWN);
		return;
	}
	if (!(part > 0))
		return;
	eighths = part >= 1 ? rows * 8 : (unsigned)lround(part * rows * 8);
	if (!eighths)
		eighths = 1;	/* something is not nothing */
	for (r = rows; r-- > 0 && eighths; ) {
		unsigned level = eighths > 8 ? 8 : eighths;

		if (row + r < g->rows && col < g->cols)
			g->cells[(size_t)(row + r) * g->cols + col] =
				(struct cell){ .ink = INK_COLUMN, .level = level };
		eighths -= level;
	}
}

void chart_time(struct grid *g, unsigned row, unsigned col, unsigned height, unsigned width,
		const double *values, size_t n, double top)
{
	unsigned rows, cols, r, i;
	size_t first;

	if (height < 2 || width <= CHART_AXIS || !(top > 0))
		return;
	rows = height - 1;
	cols = width - CHART_AXIS;
	first = n > cols ? n - cols : 0;
	for (r = 0; r < rows; r++) {
		if (r % 2 == 0)
			axis_number(g, row + r, col, top * (rows - r) / rows);
		grid_axis(g, row + r, col + CHART_AXIS - 1, "│");
	}
	axis_number(g, row + rows, col, 0);
	grid_axis(g, row + rows, col + CHART_AXIS - 1, "└");
	for (i = 0; i < cols; i++) {
		grid_axis(g, row + rows, col + CHART_AXIS + i,
			  i && (first + i) % TICK_EVERY == 0 ? "┬" : "─");
		if (first + i < n)
			column(g, row, col + CHART_AXIS + i, rows, values[first + i] / top);
	}
}
