/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results-draw - a bar for each layout with its median and how it stands to the base, what
 * is known of the chosen one, and two layouts over the classes they share.
 */
#include "ui/results.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static void draw_scale(unsigned row, unsigned col, unsigned width, double top)
{
	struct grid g;

	grid_init(&g, 1, width);
	chart_scale(&g, 0, 0, width, top);
	draw_grid(row, col, &g);
	grid_done(&g);
}

/* "1.53x real", "base", "! other scale" */
static void against(const struct results *r, const struct report_bar *b, struct sbuf *out)
{
	struct arena *a = arena_new();
	struct report_pair p;

	if (b == results_base(r))
		sbuf_add(out, "base");
	else if (!results_pair(r, b, a, &p))
		;
	else if (p.why)
		sbuf_addf(out, "! %s", p.why);
	else
		sbuf_addf(out, "%.*fx %s", p.c.ratio < 10 ? 2 : 0, p.c.ratio,
			  verdict_word(p.c.verdict));
	arena_free(a);
}

/* The head of a label; where several have the same, that in which they differ. */
static const char *shown_label(const struct report_picture *p, const struct report_bar *b,
			       unsigned width, struct arena *a)
{
	const char **labels = arena_array(a, p->n + 1, sizeof(*labels));
	size_t i;

	for (i = 0; i < p->n; i++)
		labels[i] = p->bars[i].label;
	return label_cut(a, b->label, labels, p->n, width);
}

static void draw_bar(struct ui *ui, const struct results *r, unsigned row, unsigned cols, size_t i)
{
	const struct report_picture *p = results_picture(r);
	const struct report_bar *b = &p->bars[i];
	bool on = i == r->bars.at, small = cols < 80;
	unsigned label = small ? 12 : 21, bar = label + 2, value = small ? cols - 7 : cols - 25;
	struct arena *a = arena_new();
	struct sbuf text = { 0 };
	char num[SIZE_TEXT];
	struct grid g;

	draw_text(row, 0, on ? PAINT_CHOSEN : PAINT_TEXT, on ? "▶" : b == results_base(r) ? "=" : " ");
	draw_cell(row, 1, label, on ? PAINT_CHOSEN : PAINT_TEXT, CUT_END, shown_label(p, b, label, a));
	arena_free(a);
	if (on)
		ui_cursor(ui, row, 1);
	grid_init(&g, 1, value - bar - 1);
	chart_bar(&g, 0, 0, value - bar - 1, p->top, b->min, b->median, b->max);
	if (b->flagged)
		chart_doubt(&g, 0, 0, value - bar - 1);
	draw_grid(row, bar, &g);
	grid_done(&g);
	draw_right(row, value, 6, PAINT_BOLD, bench_rate_text(num, p->unit, b->median));
	if (small)
		return;
	against(r, b, &text);
	draw_cell(row, value + 7, 13, PAINT_TEXT, CUT_END, sbuf_str(&text));
	sbuf_clear(&text);
	sbuf_add(&text, b->published ? "p" : "");
	flags_letters(b->flags, "", &text);	/* five cells */
	draw_cell(row, value + 20, cols - value - 20, PAINT_TEXT, CUT_END, sbuf_str(&text));
	sbuf_done(&text);
}

/* How long one of it took, where that was measured. */
static void latency_words(const json_t *result, struct sbuf *out)
{
	char p50[SIZE_TEXT], p99[SIZE_TEXT], max[SIZE_TEXT];

	if (!json_u64(result, "p50_ns", 0))
		return;
	sbuf_addf(out, "   p50 %s  p99 %s  max %s", latency_text(p50, json_u64(result, "p50_ns", 0)),
		  latency_text(p99, json_u64(result, "p99_ns", 0)),
		  latency_text(max, json_u64(result, "max_ns", 0)));
}

/* What the chosen result is and how sure it is. */
static void chosen_words(const struct results *r, struct sbuf *out)
{
	const struct report_bar *b = results_bar(r);
	struct arena *a = arena_new();
	struct report_pair pair;
	char lo[SIZE_TEXT], mid[SIZE_TEXT], hi[SIZE_TEXT];
	const struct bench_unit *unit = bench_unit(b->result);
	double *values;
	size_t n, i;

	sbuf_addf(out, "median %s   lowest %s   highest %s %s", bench_rate_text(mid, unit, b->median),
		  bench_rate_text(lo, unit, b->min), bench_rate_text(hi, unit, b->max), unit->text);
	latency_words(b->result, out);
	sbuf_addc(out, '\n');
	if (results_pair(r, b, a, &pair)) {
		struct sbuf words = { 0 };

		report_pair_words(&pair, &words);
		sbuf_addf(out, "A is the base, B this: %s\n", sbuf_str(&words));
		sbuf_done(&words);
	}
	if (r->runs) {
		n = report_values(a, b->result, r->filter.durable, &values);
		sbuf_add(out, n ? "runs" : "the single runs are not known");
		for (i = 0; i < n; i++)
			sbuf_addf(out, "  %s", bench_rate_text(mid, unit, values[i]));
		sbuf_add(out, n ? "   in the order they ran\n" : "\n");
	}
	report_result_words(a, b->result, r->filter.durable, out);
	if (b->flags) {
		flags_legend(b->flags, UINT_MAX, out);
		sbuf_addc(out, '\n');
	}
	sbuf_add_safe(out, b->facts);
	arena_free(a);
}

/* Lines of text, each wrapped. */
static void draw_lines(struct area a, const char *text)
{
	unsigned used = 0;

	while (*text && used < a.rows) {
		char line[512];
		size_t len = strcspn(text, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)(len < 511 ? len : 511), text);
		used += draw_wrapped((struct area){ a.row + used, a.col, a.rows - used, a.cols },
				     PAINT_TEXT, line);
		text += len + (text[len] == '\n');
	}
}

static bool any_published(const struct report_picture *p)
{
	size_t i;

	for (i = 0; i < p->n && !p->bars[i].published; i++)
		;
	return i < p->n;
}

static bool any_doubt(const struct report_picture *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (p->bars[i].flagged)
			return true;
	}
	return false;
}

static void draw_layouts(struct ui *ui, struct results *r, struct area body)
{
	const struct report_picture *p = results_picture(r);
	bool small = body.cols < 80;
	unsigned detail = body.rows >= 16 ? 7 : 2, rows = body.rows - detail - 1, i, row;
	unsigned bar = small ? 14 : 23, value = small ? body.cols - 7 : body.cols - 25;
	struct sbuf text = { 0 };

	draw_text(body.row, 1, PAINT_TEXT, r->filter.by_layout ? "class" : "layout");
	draw_scale(body.row, bar, value - bar - 1, p->top / p->unit->one);
	draw_right(body.row, value - 1, 7, PAINT_TEXT, p->unit->text);
	if (!small)
		draw_text(body.row, value + 7, PAINT_TEXT, *r->base ? "against =" : "");
	roll_fit(&r->bars, p->n, rows);
	r->page = rows;
	for (i = 0; i < rows && r->bars.top + i < p->n; i++)
		draw_bar(ui, r, body.row + 1 + i, body.cols, r->bars.top + i);
	row = body.row + 1 + (p->n < rows ? (unsigned)p->n : rows);
	if (row + detail < body.row + body.rows && !small)
		draw_textf(row++, bar, PAINT_TEXT, term_tier() >= TIER_LINES ?
			   "= lowest to highest run, %s# median%s" :
			   "▒ lowest to highest run, %s█ median%s", !any_doubt(p) ? "" :
			   term_tier() >= TIER_LINES ? "- flagged, " : "░ flagged, ",
			   any_published(p) ? "   p published by others" : "");
	if (!results_bar(r))
		return;
	if (detail > 2)
		draw_rule(row++, 0, body.cols, safe_text(results_bar(r)->label), "");
	chosen_words(r, &text);
	draw_lines((struct area){ row, 1, body.row + body.rows - row, body.cols - 2 }, sbuf_str(&text));
	sbuf_done(&text);
}

/* Two rows a class, as the report draws them; the chosen pair in words below. */
static void draw_two(struct ui *ui, struct results *r, struct area body)
{
	unsigned detail = body.rows >= 16 ? 4 : 2, rows = body.rows - detail - 1, pairs = rows / 2;
	struct sbuf text = { 0 };
	struct grid g, part;
	size_t at;

	if (!r->n_pairs)
		return;
	roll_fit(&r->rows, r->n_pairs, pairs);
	r->page = pairs;
	report_pairs_grid(r->pairs, r->n_pairs, body.cols, &g);
	part = (struct grid){ .rows = 1, .cols = g.cols, .cells = g.cells };
	draw_grid(body.row, 0, &part);
	part.cells = g.cells + (size_t)(1 + 2 * r->rows.top) * g.cols;
	part.rows = 2 * (unsigned)(r->n_pairs - r->rows.top < pairs ? r->n_pairs - r->rows.top : pairs);
	draw_grid(body.row + 1, 0, &part);
	grid_done(&g);
	at = r->rows.at;
	draw_text(body.row + 1 + 2 * (unsigned)(at - r->rows.top), 0, PAINT_CHOSEN, "▶");
	ui_cursor(ui, body.row + 1 + 2 * (unsigned)(at - r->rows.top), 0);
	sbuf_addf(&text, "%s %s: ", json_str(r->pairs[at].a, "class"), json_str(r->pairs[at].a, "op"));
	{
		struct sbuf words = { 0 };

		report_pair_words(&r->pairs[at], &words);
		sbuf_add(&text, sbuf_str(&words));
		sbuf_done(&words);
	}
	draw_wrapped((struct area){ body.row + 1 + part.rows + (detail > 2), 1, detail - (detail > 2),
		     body.cols - 2 }, PAINT_TEXT, safe_text(text.text));
	sbuf_done(&text);
}

void results_draw(struct ui *ui, void *state, struct area body)
{
	struct results *r = state;
	const struct report_picture *p = results_picture(r);
	struct sbuf left = { 0 }, right = { 0 };

	if (!p) {
		ui_head(ui, "Results: nothing was measured yet", "", "nothing measured");
		draw_wrapped((struct area){ body.row + 1, 1, 4, body.cols - 2 }, PAINT_TEXT,
			     "Build a layout and measure it on the screen Bench, or measure a folder; "
			     "naslab results import reads the numbers of others.");
		return;
	}
	if (r->two) {
		sbuf_addf(&left, "Results: A %s, B %s", safe_text(r->base), safe_text(r->chosen));
		sbuf_add(&right, r->filter.durable ? "durable" : "felt");
	} else {
		sbuf_addf(&left, "Results: %s", safe_text(p->title));
		sbuf_addf(&right, "%zu %s", p->n, !r->filter.by_layout ?
			  (p->n == 1 ? "layout" : "layouts") : p->n == 1 ? "bar" : "bars");
	}
	ui_head(ui, left.text, right.text, safe_text(p->title));
	sbuf_done(&left);
	sbuf_done(&right);
	if (r->two)
		draw_two(ui, r, body);
	else
		draw_layouts(ui, r, body);
}
