/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grid - cells, what glyph each tier has for them, and printing them as text.
 *
 * Meaning is carried by the fill, then by a letter, then by colour; so every ink has a
 * row in inks[] with all three, and nothing else in the program names a glyph of a chart.
 */
#include "chart/chart.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cells.h"
#include "base/err.h"
#include "base/sbuf.h"
#include "chart/axis.h"

static const struct {
	const char *utf8, *ascii;
	const char *ansi;	/* SGR parameters; NULL: as the text */
} inks[] = {
	[INK_NONE]	 = { " ", " ", NULL },
	[INK_TEXT]	 = { " ", " ", NULL },
	[INK_USABLE]	 = { "█", "#", "36" },
	[INK_REDUNDANCY] = { "▒", "+", "33" },
	[INK_CACHE]	 = { "c", "c", "35" },
	[INK_OVERHEAD]	 = { "o", "o", NULL },
	[INK_UNUSED]	 = { "·", ".", NULL },
	[INK_FAILED]	 = { "X", "X", "31;7" },
	[INK_REBUILD]	 = { "x", "x", "31" },
	[INK_UNKNOWN]	 = { "?", "?", NULL },
	[INK_ZERO]	 = { "·", ".", NULL },
	[INK_RANGE]	 = { "▒", "=", "36" },
	[INK_DOUBT]	 = { "░", "-", "33" },
	[INK_MEDIAN]	 = { "█", "#", "1" },
	[INK_COLUMN]	 = { "█", "#", "36" },
	[INK_AXIS]	 = { " ", " ", NULL },
};

/* Heights of one cell in eighths. The console has no such blocks: half and full. */
static const char *const eighths[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const halves[] = { " ", "▒", "▒", "▒", "▒", "█", "█", "█", "█" };
static const char *const thirds[] = { " ", ".", ".", ":", ":", ":", "#", "#", "#" };

/* What stands for a character where there is only ASCII. */
static const struct {
	uint32_t ch;
	const char *ascii;
} plain[] = {
	{ 0x2500, "-" }, { 0x2502, "|" }, { 0x250c, "+" }, { 0x2510, "+" }, { 0x2514, "+" },
	{ 0x2518, "+" }, { 0x251c, "+" }, { 0x2524, "+" }, { 0x252c, "+" }, { 0x2534, "+" },
	{ 0x253c, "+" }, { 0x25b6, ">" }, { 0x25bc, "v" }, { 0x2190, "<" }, { 0x2191, "^" },
	{ 0x2192, ">" }, { 0x2193, "v" }, { 0x00d7, "x" }, { 0x00b7, "." }, { 0x25a0, "*" },
	{ 0x2588, "#" }, { 0x2592, "=" }, { 0x2591, "-" },
};

enum tier tier_for(const char *codeset, const char *term)
{
	if (!codeset || strcasecmp(codeset, "UTF-8"))
		return TIER_ASCII;
	return term && !strcmp(term, "linux") ? TIER_CONSOLE : TIER_FULL;
}

void grid_init(struct grid *g, unsigned rows, unsigned cols)
{
	*g = (struct grid){ .rows = rows, .cols = cols };
	g->cells = calloc((size_t)rows * cols + 1, sizeof(*g->cells));
	if (!g->cells)
		die("no memory");
}

void grid_done(struct grid *g)
{
	free(g->cells);
	*g = (struct grid){ 0 };
}

void grid_ink(struct grid *g, unsigned row, unsigned col, enum ink ink)
{
	if (row < g->rows && col < g->cols)
		g->cells[(size_t)row * g->cols + col] = (struct cell){ .ink = ink };
}

/* Take one character off *s; '?' for what moves a cursor, '~' for what does not take one cell. */
static uint32_t take_char(const char **s)
{
	uint32_t ch = utf8_next(s);

	if (ch < 0x20 || (ch >= 0x7f && ch < 0xa0))
		return '?';
	return char_cells(ch) == 1 ? ch : '~';
}

static void put_char(struct cell *c, enum ink ink, uint32_t ch)
{
	*c = (struct cell){ .ink = ink, .ch = ch };
	utf8_put(c->utf8, ch);
}

static void add_text(struct grid *g, unsigned row, unsigned col, const char *utf8, enum ink ink)
{
	if (row >= g->rows)
		return;
	while (*utf8 && col < g->cols)
		put_char(&g->cells[(size_t)row * g->cols + col++], ink, take_char(&utf8));
}

void grid_text(struct grid *g, unsigned row, unsigned col, const char *utf8)
{
	add_text(g, row, col, utf8, INK_TEXT);
}

void grid_axis(struct grid *g, unsigned row, unsigned col, const char *utf8)
{
	add_text(g, row, col, utf8, INK_AXIS);
}

const char *cell_glyph(const struct cell *c, enum tier tier)
{
	bool ascii = tier == TIER_ASCII || tier == TIER_LINES;
	unsigned level = c->level > 8 ? 8 : c->level;
	size_t i;

	if (c->ink == INK_COLUMN)
		return ascii ? thirds[level] : tier == TIER_CONSOLE ? halves[level] : eighths[level];
	if (!c->ch)
		return ascii ? inks[c->ink].ascii : inks[c->ink].utf8;
	if (!ascii || c->ch < 0x80)
		return c->utf8;
	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (plain[i].ch == c->ch)
			return plain[i].ascii;
	}
	return "?";
}

static unsigned row_length(const struct grid *g, unsigned row)
{
	const struct cell *c = g->cells + (size_t)row * g->cols;
	unsigned n = g->cols;

	while (n && *cell_glyph(&c[n - 1], TIER_ASCII) == ' ')
		n--;
	return n;
}

void grid_print(const struct grid *g, enum tier tier, bool colour, struct sbuf *out)
{
	unsigned row, col;

	for (row = 0; row < g->rows; row++) {
		unsigned end = row_length(g, row);
		const char *now = NULL;

		for (col = 0; col < end; col++) {
			const struct cell *c = &g->cells[(size_t)row * g->cols + col];
			const char *want = colour ? inks[c->ink].ansi : NULL;

			if (want != now) {
				if (now)
					sbuf_add(out, "\033[0m");
				if (want)
					sbuf_addf(out, "\033[%sm", want);
				now = want;
			}
			sbuf_add(out, cell_glyph(c, tier));
		}
		if (now)
			sbuf_add(out, "\033[0m");
		sbuf_addc(out, '\n');
	}
}
