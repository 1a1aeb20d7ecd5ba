/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * draw - the pages of a report: for each class a picture with an axis from zero, and for
 * each layout its name, its bar, and what one has to know to believe it.
 */
#include "report/canvas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/sbuf.h"
#include "base/units.h"
#include "report/words.h"

enum {
	LEFT = 36, RIGHT = PAGE_WIDTH - 36, BAR_END = 462, NUMBER = 474,
	TOP = 36, HEAD = 30, FOOT = 62, TITLE = 47, ROW = 36, GAP = 22, BAR = 10, SINGLE = 10,
	LABEL_CHARS = 110, FACT_CHARS = 150,
};

static double height_of(const struct report_picture *p)
{
	return TITLE + ROW * (double)p->n + GAP;
}

double pages_length(const struct report_picture *p, size_t n)
{
	double sum = TOP + HEAD + FOOT;
	size_t i;

	for (i = 0; i < n; i++)
		sum += height_of(&p[i]);
	return sum;
}

static void header(struct canvas *c, const char *date)
{
	char text[80];

	c->text(c, LEFT, TOP, 13, ANCHOR_LEFT, true, false, "heading", "naslab results");
	snprintf(text, sizeof(text), "naslab " VERSION ", %s", date);
	c->text(c, RIGHT, TOP, 8, ANCHOR_RIGHT, false, true, "date", text);
	c->line(c, LEFT, TOP + 7, RIGHT, TOP + 7, PEN_AXIS, "rule");
}

/* What the shapes mean, at the foot of every page. */
static void footer(struct canvas *c, double y)
{
	static const struct {
		enum fill fill;
		double x;
		const char *words;
	} shapes[] = {
		{ FILL_RANGE, 0, "lowest to highest run" },
		{ FILL_FLAGGED, 120, "flagged, its words say why" },
		{ FILL_SIMULATED, 260, "simulated in the sandbox" },
		{ FILL_PUBLISHED, 392, "published by others" },
	};
	size_t i;

	c->line(c, LEFT, y, RIGHT, y, PEN_GRID, "rule");
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		double x = LEFT + shapes[i].x;

		c->rect(c, x, y + 7, 16, 7, shapes[i].fill, "legend", 0);
		c->text(c, x + 21, y + 13.5, 7, ANCHOR_LEFT, false, false, "legend", shapes[i].words);
	}
	c->rect(c, LEFT + 7, y + 20, 2.4, 11, FILL_MEDIAN, "legend", 0);
	c->text(c, LEFT + 21, y + 28.5, 7, ANCHOR_LEFT, false, false, "legend",
		"median of n runs; lowest to highest holds the true one with 1 - 2 (1/2)^n: "
		"98.4 % for 7, below 95 % under 6");
	c->text(c, LEFT + 21, y + 40, 7, ANCHOR_LEFT, false, false, "legend",
		"MB/s = 1 000 000 bytes a second; felt: until the last close, durable: until it is "
		"on the disks");
}

static double at(const struct report_picture *p, double rate)
{
	return LEFT + fmax(0, fmin(1, rate / p->top)) * (BAR_END - LEFT);
}

/* "0", "0.5", "250": without the digits that a round number does not need; all of an axis in
 * thousands when its end is far away. */
static void tick_text(char text[SIZE_TEXT], double value, double top)
{
	static const char prefixes[] = "kMGT";
	char prefix[2] = "";
	size_t i;

	for (i = 0; top >= 10000 - 0.5 && prefixes[i]; i++) {
		top /= 1000;
		value /= 1000;
		prefix[0] = prefixes[i];
	}
	snprintf(text, SIZE_TEXT, "%.6g%s", value, value > 0 ? prefix : "");
}

/* Ticks at round numbers, two to six; lines of the grid only where there are bars. */
static void axis(struct canvas *c, const struct report_picture *p, double y)
{
	double top = p->top / p->unit->one, power = pow(10, floor(log10(top / 4))), step, value;
	static const double rounds[] = { 1, 2, 5, 10 };
	size_t i;

	for (i = 0; i < 3 && top / (power * rounds[i]) > 6; i++)
		;
	step = power * rounds[i];
	for (i = 0; (value = (double)i * step) <= top * (1 + 1e-9); i++) {
		double x = at(p, value * p->unit->one);
		char text[SIZE_TEXT];
		size_t k;

		c->line(c, x, y + 3, x, y + 6, PEN_AXIS, "tick");
		for (k = 0; k < p->n; k++) {
			double row = y + TITLE - 28 + ROW * (double)k;

			c->line(c, x, row + 2, x, row + 6 + BAR, i ? PEN_GRID : PEN_AXIS, "grid");
		}
		tick_text(text, value, top);
		c->text(c, x, y, 7, ANCHOR_MIDDLE, false, true, "tick", text);
	}
	c->text(c, RIGHT, y, 7, ANCHOR_RIGHT, false, true, "unit", p->unit->text);
}

static enum fill fill_of(const struct report_bar *b)
{
	if (b->published)
		return FILL_PUBLISHED;
	if (b->flagged)
		return FILL_FLAGGED;
	return b->simulated ? FILL_SIMULATED : FILL_RANGE;
}

static void bar(struct canvas *c, const struct report_picture *p, const struct report_bar *b,
		double y)
{
	double low = isnan(b->min) ? b->median : b->min, high = isnan(b->max) ? b->median : b->max;
	double x = at(p, low), w = at(p, high) - x;
	char text[SIZE_TEXT], range[2 * SIZE_TEXT];

	c->line(c, LEFT, y + BAR / 2.0, x, y + BAR / 2.0, PEN_ZERO, "zero");
	if (high > low)
		c->rect(c, x, y, w, BAR, fill_of(b), "range", b->id);
	else if (fill_of(b) != FILL_RANGE)	/* one value has no range, but it says what it is */
		c->rect(c, x - SINGLE / 2.0, y, SINGLE, BAR, fill_of(b), "single", b->id);
	if (!isnan(b->median)) {
		c->rect(c, at(p, b->median) - 1.2, y - 2, 2.4, BAR + 4, FILL_MEDIAN, "median", b->id);
		c->text(c, NUMBER, y + 8.5, 9, ANCHOR_LEFT, true, false, "number",
			bench_rate_text(text, p->unit, b->median));
	}
	if (high > low)
		c->text(c, RIGHT, y + 8.5, 7, ANCHOR_RIGHT, false, false, "number",
			bench_range_text(range, p->unit, low, high));
}

static void picture(struct canvas *c, struct arena *a, const struct report_picture *p, double y)
{
	const char **labels = arena_array(a, p->n + 1, sizeof(*labels));
	struct sbuf title = { 0 }, about = { 0 };
	size_t i;

	sbuf_add_safe(&title, p->title);
	sbuf_add_safe(&about, p->about);
	c->text(c, LEFT, y + 11, 11, ANCHOR_LEFT, true, false, "title", sbuf_str(&title));
	c->text(c, RIGHT, y + 11, 8, ANCHOR_RIGHT, false, true, "about", sbuf_str(&about));
	axis(c, p, y + 28);
	for (i = 0; i < p->n; i++)
		labels[i] = p->bars[i].label;
	for (i = 0; i < p->n; i++) {
		const struct report_bar *b = &p->bars[i];
		double row = y + TITLE + ROW * (double)i;

		c->text(c, LEFT + 3, row, 8.5, ANCHOR_LEFT, false, false, "label",
			label_cut(a, b->label, labels, p->n, LABEL_CHARS));
		bar(c, p, b, row + 4);
		c->text(c, LEFT + 3, row + 23.5, 6.5, ANCHOR_LEFT, false, true, "facts",
			label_cut(a, b->facts, NULL, 0, FACT_CHARS));
	}
	sbuf_done(&title);
	sbuf_done(&about);
}

/* A picture taller than a page is continued on the next one. */
static struct report_picture part_of(struct arena *a, const struct report_picture *p, size_t from,
				     double space)
{
	struct report_picture part = *p;
	size_t most = (size_t)fmax(1, floor((space - TITLE - GAP) / ROW));

	if (from)
		part.title = arena_printf(a, "%s (continued)", p->title);
	part.bars += from;
	part.n -= from;
	if (part.n > most)
		part.n = most;
	return part;
}

void pages_draw(struct canvas *c, const struct report_picture *p, size_t n, const char *date,
		bool endless)
{
	double end = endless ? pages_length(p, n) : PAGE_HEIGHT, y = TOP + HEAD;
	struct arena *a = arena_new();
	size_t i, from;

	header(c, date);
	footer(c, end - FOOT);
	for (i = 0; i < n; i++) {
		for (from = 0; from < p[i].n;) {
			struct report_picture part = part_of(a, &p[i], from, end - FOOT - TOP - HEAD);

			if (!endless && y + height_of(&part) > end - FOOT + GAP) {
				c->next_page(c);
				header(c, date);
				footer(c, end - FOOT);
				y = TOP + HEAD;
			}
			if (endless)
				part = p[i];
			picture(c, a, &part, y);
			y += height_of(&part);
			from += part.n;
		}
	}
	arena_free(a);
}
