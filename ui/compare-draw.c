/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare-draw - the list of layouts with a bar of what is usable, and beside it the disks
 * of the chosen one to scale, its sums, its warnings, and how it differs from another.
 */
#include "ui/compare.h"

#include <string.h>

#include "ui/layout.h"

enum { LEFT = 51, LEFT_WIDE = 70 };

/* A bar of usable bytes: at least one cell. */
static void draw_bar(unsigned row, unsigned col, unsigned width, uint64_t bytes, uint64_t most)
{
	unsigned cells = (unsigned)((double)bytes / (double)most * width + 0.5), i;
	struct grid g;

	grid_init(&g, 1, width);
	if (!cells)
		cells = 1;
	for (i = 0; i < cells && i < width; i++)
		grid_ink(&g, 0, i, INK_USABLE);
	draw_grid(row, col, &g);
	grid_done(&g);
}

static void letters_of(const struct candidate *k, char out[4])
{
	snprintf(out, 4, "%s%s%s", k->cached ? "c" : "", k->warnings ? "!" : "",
		 k->files_only ? "f" : "");
}

static void draw_line(struct ui *ui, const struct compare *c, unsigned row, unsigned left, size_t i)
{
	const struct candidate *k = c->shown[i];
	bool on = i == c->roll.at, small = left < LEFT;
	enum paint p = on ? PAINT_CHOSEN : PAINT_TEXT;
	unsigned bar = left >= LEFT_WIDE ? 21 : small ? 0 : 10, name = left - bar - 20;
	char letters[4];

	draw_cell(row, 0, left, p, CUT_END, "");
	draw_text(row, 0, p, on ? "▶" : !strcmp(c->base, k->name) ? "=" : " ");
	draw_cell(row, 1, name, p, CUT_END, k->name);
	if (on)
		ui_cursor(ui, row, 1);
	if (!k->fits) {
		draw_cell(row, name + 2, left - name - 2, p, CUT_END, "does not fit");
		return;
	}
	if (bar)
		draw_bar(row, name + 2, bar, k->usable, c->most);
	ui_draw_size(ui, row, name + bar + 3, 10, p, k->usable);
	draw_textf(row, name + bar + 14, p, "%u", k->survives);
	letters_of(k, letters);
	draw_text(row, name + bar + 16, p, letters);
}

static void draw_list(struct ui *ui, struct compare *c, struct area a)
{
	unsigned i, rows = a.rows - (c->filtering || c->filter.len ? 1 : 0);

	roll_fit(&c->roll, c->n_shown, rows);
	c->page = rows;
	for (i = 0; i < rows && c->roll.top + i < c->n_shown; i++)
		draw_line(ui, c, a.row + i, a.cols, c->roll.top + i);
	if (!c->n_shown)
		draw_text(a.row, 1, PAINT_TEXT, "no layout has these letters");
	if (rows < a.rows) {
		draw_text(a.row + rows, 1, PAINT_TEXT, "filter");
		field_draw(ui, &c->filter, a.row + rows, 8, a.cols - 10, c->filtering);
	}
}

/* How the chosen one differs from the base, a line each. */
static void against_words(struct ui *ui, const struct candidate *k, const struct candidate *base,
			  struct sbuf *out)
{
	char size[SIZE_TEXT];

	sbuf_addf(out, "against %s:\n", base->name);
	if (k->usable == base->usable)
		sbuf_add(out, "  same space\n");
	else
		sbuf_addf(out, "%c %s\n", k->usable > base->usable ? '+' : '-', ui_size(ui, size,
			  k->usable > base->usable ? k->usable - base->usable :
			  base->usable - k->usable));
	if (k->survives == base->survives)
		sbuf_add(out, "  same failures\n");
	else
		sbuf_addf(out, "%c %u may fail, not %u\n", k->survives > base->survives ? '+' : '-',
			  k->survives, base->survives);
	if (k->cached != base->cached)
		sbuf_addf(out, "  %s the cache disk\n", k->cached ? "uses" : "leaves");
	if (k->warnings != base->warnings)
		sbuf_addf(out, "%c %u warning%s, not %u\n", k->warnings < base->warnings ? '+' : '-',
			  k->warnings, k->warnings == 1 ? "" : "s", base->warnings);
}

/* Rows used. */
static unsigned put(struct area a, unsigned used, enum paint paint, const char *text)
{
	if (used >= a.rows || !*text)
		return used;
	return used + draw_wrapped((struct area){ a.row + used, a.col, a.rows - used, a.cols }, paint,
				   text);
}

static unsigned draw_facts(struct ui *ui, const struct compare *c, struct area a)
{
	const struct candidate *base = compare_base(c);
	const struct stack *s = c->stack;
	struct sbuf text = { 0 };
	unsigned used = 0;
	size_t i;

	draw_sums(ui, s, (struct area){ a.row, a.col, a.rows < 4 ? a.rows : 4, a.cols });
	used = 4;
	survives_text(s, &text);
	used = put(a, used, PAINT_TEXT, text.text);
	if (base && base != c->of) {
		sbuf_clear(&text);
		against_words(ui, c->of, base, &text);
		used = put(a, used + (a.rows > 12), PAINT_TEXT, text.text);
	}
	for (i = 0; i < c->of->advice.n; i++) {
		const struct advice *ad = c->of->advice.at[i];

		if (strcmp(ad->severity, "warn"))
			continue;
		sbuf_clear(&text);
		sbuf_addf(&text, "! %s", ad->text);
		used = put(a, used, PAINT_TEXT, text.text);
	}
	sbuf_done(&text);
	return used;
}

static void draw_chosen(struct ui *ui, const struct compare *c, struct area a)
{
	const struct candidate *k = compare_at(c);
	unsigned rows, used;

	if (!k)
		return;
	draw_cell(a.row, a.col, a.cols, PAINT_BOLD, CUT_END, k->name);
	a.row++;
	a.rows--;
	if (!k->fits) {
		used = put(a, 0, PAINT_TEXT, k->title);
		used = put(a, used + 1, PAINT_WARN, k->why ? k->why : "");
		put(a, used + 1, PAINT_TEXT, c->remedy ?
		    arena_printf(c->arena, "It would fit with %s.", c->remedy) :
		    "Four more disks and a cache disk would not change that.");
		return;
	}
	if (!c->stack)
		return;
	rows = (unsigned)c->stack->n_disks + 1;
	if (rows > a.rows / 2)
		rows = a.rows / 2;
	draw_stack(c->stack, (struct area){ a.row, a.col, rows, a.cols }, NULL, SIZE_MAX);
	a.row += rows;
	a.rows -= rows;
	used = draw_facts(ui, c, a);
	put(a, used, PAINT_TEXT, k->title);
}

/* In a small window one or two lines stand for the other pane. */
static void draw_brief(const struct compare *c, struct area a)
{
	const struct candidate *k = compare_at(c);
	struct sbuf text = { 0 };

	if (!k)
		return;
	sbuf_add(&text, k->fits ? k->title : k->why);
	if (!k->fits && c->remedy)
		sbuf_addf(&text, ". It would fit with %s.", c->remedy);
	draw_wrapped(a, k->fits ? PAINT_TEXT : PAINT_WARN, sbuf_str(&text));
	sbuf_done(&text);
}

void compare_draw(struct ui *ui, void *state, struct area body)
{
	static const char *const words[] = { "usable", "may fail", "unused", "group", "name" };
	struct compare *c = state;
	struct sbuf left = { 0 }, brief = { 0 };
	unsigned cols = body.cols >= 120 ? LEFT_WIDE : LEFT;

	sbuf_addf(&left, "Compare: %zu of %zu layouts, sorted by %s", c->n_shown, c->all.n,
		  words[c->sort]);
	sbuf_addf(&brief, "%zu fit, by %s", c->n_fit, words[c->sort]);
	ui_head(ui, sbuf_str(&left), "", sbuf_str(&brief));
	sbuf_done(&left);
	sbuf_done(&brief);
	if (body.cols < 80) {
		draw_list(ui, c, (struct area){ body.row, 0, body.rows - 2, body.cols });
		draw_brief(c, (struct area){ body.row + body.rows - 2, 1, 2, body.cols - 2 });
		return;
	}
	draw_text(body.row, 1, PAINT_TEXT, "layout");
	draw_right(body.row, cols - 25, 18, PAINT_TEXT, "usable");
	draw_text(body.row, cols - 6, PAINT_TEXT, "fail");
	draw_list(ui, c, (struct area){ body.row + 1, 0, body.rows - 1, cols });
	draw_line_down(body.row, cols, body.rows);
	draw_chosen(ui, c, (struct area){ body.row, cols + 2, body.rows, body.cols - cols - 3 });
}
