/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bars - the bar of results with its scale, and the bar of progress. */
#include "chart/chart.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

enum { MOST_LABELS = 5 };	/* steps of a scale from zero to the top */

/* The cell a value lies in; what is beyond the top lies in the last one. */
static unsigned cell_of(double value, double top, unsigned width)
{
	double at = top > 0 ? floor(value / top * width) : 0;

	if (!(at > 0))
		return 0;
	return at >= width ? width - 1 : (unsigned)at;
}

void chart_bar(struct grid *g, unsigned row, unsigned col, unsigned width, double top,
	       double min, double median, double max)
{
	unsigned first, mid, last, i;

	if (!width || isnan(median))
		return;
	mid = cell_of(median, top, width);
	first = isnan(min) ? mid : cell_of(min, top, width);
	last = isnan(max) ? mid : cell_of(max, top, width);
	for (i = 0; i < first && i < mid; i++)
		grid_ink(g, row, col + i, INK_ZERO);
	for (; i <= last; i++)
		grid_ink(g, row, col + i, INK_RANGE);
	grid_ink(g, row, col + mid, INK_MEDIAN);
}

void chart_doubt(struct grid *g, unsigned row, unsigned col, unsigned width)
{
	unsigned i;

	for (i = col; row < g->rows && i < col + width && i < g->cols; i++) {
		struct cell *c = &g->cells[(size_t)row * g->cols + i];

		if (c->ink == INK_RANGE)
			c->ink = INK_DOUBT;
	}
}

/* 1, 2 or 5 times a power of ten, at or above x. */
static double round_step(double x)
{
	double power = pow(10, floor(log10(x)));
	double m = x / power;

	/* a hair of slack: 300 / 5 must not become 60.000000000000007 */
	return power * (m <= 1 + 1e-9 ? 1 : m <= 2 + 1e-9 ? 2 : m <= 5 + 1e-9 ? 5 : 10);
}

double chart_top(double largest)
{
	double step;

	if (!(largest > 0) || isinf(largest))
		return 1;
	step = round_step(largest / MOST_LABELS);
	return step * ceil(largest / step - 1e-9);
}

/* It may count MB/s, whose prefix is there already. */
static void scale_text(char text[SIZE_TEXT], double value)
{
	if (value < 99999.5)
		plain_number_text(text, value);
	else
		number_text(text, value);
}

void chart_scale(struct grid *g, unsigned row, unsigned col, unsigned width, double top)
{
	char text[SIZE_TEXT];
	double step, value;
	unsigned i;

	if (!(top > 0) || isinf(top) || !width)
		return;
	scale_text(text, top);
	step = round_step(fmax(top / MOST_LABELS, top * ((double)strlen(text) + 2) / width));
	for (i = 0; (value = i * step) < top * (1 + 1e-9); i++) {
		unsigned at = (unsigned)floor(value / top * width + 1e-9);

		scale_text(text, value);
		if (at + strlen(text) <= width)
			grid_text(g, row, col + at, text);
	}
}

void chart_progress(struct grid *g, unsigned row, unsigned col, unsigned width, double fraction)
{
	unsigned i, full;

	if (isnan(fraction)) {
		for (i = 0; i < width; i++)
			grid_ink(g, row, col + i, INK_UNKNOWN);
		return;
	}
	full = fraction >= 1 ? width : fraction > 0 ? (unsigned)(fraction * width) : 0;
	for (i = 0; i < width; i++)
		grid_ink(g, row, col + i, i < full ? INK_USABLE : INK_UNUSED);
}
