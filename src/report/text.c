/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text - pictures and comparisons in cells of a terminal, and what is said below them. */
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/cells.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/units.h"
#include "chart/chart.h"
#include "report/words.h"

enum { LEAST = 60, MOST = 160, WIDE = 80, LABEL = 22, NUMBERS = 27, PAIR_LABEL = 14, PAIR_NUMBERS = 34 };

static unsigned fit(unsigned columns)
{
	return columns < LEAST ? LEAST : columns > MOST ? MOST : columns;
}

/* "1.53", "0.07" */
static const char *times_text(char buf[SIZE_TEXT], double ratio)
{
	if (isnan(ratio))
		return strcpy(buf, "-");
	snprintf(buf, SIZE_TEXT, ratio < 10 ? "%.2f" : "%.0f", ratio);
	return buf;
}

static size_t same_head(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

enum { MOST_WORDS = 24 };

struct words {
	const char *at[MOST_WORDS];
	size_t len[MOST_WORDS], n;
};

static struct words split(const char *text)
{
	struct words w = { .n = 0 };

	while (w.n < MOST_WORDS && *(text += strspn(text, " "))) {
		w.at[w.n] = text;
		w.len[w.n] = strcspn(text, " ");
		text += w.len[w.n++];
	}
	return w;
}

static bool same_word(const struct words *x, const struct words *y, size_t i)
{
	return x->len[i] == y->len[i] && !memcmp(x->at[i], y->at[i], x->len[i]);
}

/*
 * What axes made of one layout differs in few words: only those, so that chunk=64K is told from
 * chunk=1M where neither has room; without keys, as little as that. NULL: it stands alone.
 */
static const char *own_words(struct arena *a, const char *label, const char *const *labels, size_t n,
			     bool keys)
{
	struct words mine = split(label), other;
	bool differs[MOST_WORDS] = { false };
	struct sbuf out = { 0 };
	const char *text, *value;
	size_t i, k;

	for (i = 0; i < n; i++) {
		other = split(labels[i]);
		for (k = 0; other.n == mine.n && same_word(&mine, &other, 0) && k < mine.n; k++)
			differs[k] |= !same_word(&mine, &other, k);
	}
	for (k = 0; k < mine.n; k++) {
		value = memchr(mine.at[k], '=', mine.len[k]);
		value = value && !keys ? value + 1 : mine.at[k];
		if (differs[k])
			sbuf_addf(&out, "%c%.*s", out.len ? ' ' : '~',
				  (int)(mine.len[k] - (size_t)(value - mine.at[k])), value);
	}
	text = out.len ? arena_strdup(a, out.text) : NULL;
	sbuf_done(&out);
	return text;
}

/* Is there another label that would be called so too? */
static bool is_taken(struct arena *a, const char *own, const char *label, const char *const *labels,
		     size_t n, bool keys)
{
	const char *other;
	size_t i;

	for (i = 0; i < n; i++) {
		other = strcmp(label, labels[i]) ? own_words(a, labels[i], labels, n, keys) : NULL;
		if (other && !strcmp(own, other))
			return true;
	}
	return false;
}

const char *label_cut(struct arena *a, const char *label, const char *const *labels, size_t n,
		      size_t width)
{
	struct sbuf safe = { 0 };
	const char *text, *own, *rest;
	int keys;
	size_t i, from = 0, kept;

	sbuf_add_safe(&safe, label);
	text = arena_strdup(a, sbuf_str(&safe));
	sbuf_done(&safe);
	if (text_cells(text) <= width)
		return text;
	for (keys = 1; keys >= 0; keys--) {
		own = own_words(a, text, labels, n, keys);
		if (own && text_cells(own) <= width && !is_taken(a, own, label, labels, n, keys))
			return own;
	}
	kept = text_fit(text, width - 1);
	for (i = 0; i < n; i++) {
		size_t head = same_head(label, labels[i]);

		/* the same up to where it would be cut, but not the same */
		if (head >= kept && (label[head] || labels[i][head]) && head > from)
			from = head;
	}
	if (!from)
		return arena_printf(a, "%.*s~", (int)kept, text);
	if (from > strlen(text))
		from = strlen(text);
	while (from && text[from - 1] != ' ')	/* the word in which it differs, whole */
		from--;
	rest = text + from;
	if (text_cells(rest) < width)
		return arena_printf(a, "~%s", text_tail(text, width - 1));
	return arena_printf(a, "~%.*s~", (int)text_fit(rest, width - 2), rest);
}

/* Where the median is not known, the range alone. */
static void draw_bar(struct grid *g, unsigned row, unsigned col, unsigned width, double top,
		     const struct stats *s, bool doubt)
{
	unsigned i, from, to;

	if (!isnan(s->median) || isnan(s->min) || isnan(s->max)) {
		chart_bar(g, row, col, width, top, s->min, s->median, s->max);
	} else {
		from = (unsigned)fmin(width - 1, s->min / top * width);
		to = (unsigned)fmin(width - 1, s->max / top * width);
		for (i = 0; i <= to; i++)
			grid_ink(g, row, col + i, i < from ? INK_ZERO : INK_RANGE);
	}
	if (doubt)
		chart_doubt(g, row, col, width);
}

/* "172-181"; nothing when there is no range */
static const char *range_text(char buf[2 * SIZE_TEXT], const struct bench_unit *u, double min,
			      double max)
{
	return max > min ? bench_range_text(buf, u, min, max) : strcpy(buf, "");
}

/* The shapes, then the letters that are in use; *text in lines of its own. */
static void legend(struct grid *g, unsigned row, bool doubt, const char *more, char *text)
{
	char *line;

	grid_ink(g, row, 1, INK_RANGE);
	grid_text(g, row, 3, "lowest to highest run");
	grid_ink(g, row, 26, INK_MEDIAN);
	grid_text(g, row, 28, "median");
	if (doubt) {
		grid_ink(g, row, 36, INK_DOUBT);
		grid_text(g, row, 38, "flagged");
	}
	grid_text(g, row, doubt ? 47 : 36, more);
	while ((line = text && *text ? strsep(&text, "\n") : NULL))
		grid_text(g, ++row, 1, line);
}

/* The lines that explain flags; *lines says how many. */
static char *explain(struct arena *a, unsigned flags, unsigned columns, unsigned *lines)
{
	struct sbuf out = { 0 };
	char *text, *at;

	flags_legend(flags, fit(columns) - 3, &out);
	text = arena_strdup(a, sbuf_str(&out));
	sbuf_done(&out);
	*lines = *text != '\0';
	for (at = text; (at = strchr(at, '\n')); at++)
		(*lines)++;
	return text;
}

static void draw_line(struct arena *a, const struct report_picture *p, size_t i,
		      const char *const *labels, unsigned label, unsigned width, struct grid *g)
{
	const struct report_bar *b = &p->bars[i];
	const struct stats s = { b->median, b->min, b->max, b->n };
	char median[SIZE_TEXT], range[2 * SIZE_TEXT], n[SIZE_TEXT] = "-";
	unsigned row = (unsigned)i + 2;
	struct sbuf text = { 0 };

	grid_text(g, row, 1, label_cut(a, b->label, labels, p->n, label - 2));
	draw_bar(g, row, label, width, p->top, &s, b->flagged);
	if (b->n)
		snprintf(n, sizeof(n), "%zu", b->n);
	sbuf_addf(&text, "%5s %11s %3s", bench_rate_text(median, p->unit, b->median),
		  range_text(range, p->unit, b->min, b->max), n);
	sbuf_addf(&text, "%s%s%s%s%s", *b->letters ? " " : "", b->letters, b->published ? " p" : "",
		  b->simulated ? " s" : "", b->ram_limit ? " m" : "");
	grid_text(g, row, label + width + 1, text.text);
	sbuf_done(&text);
}

void report_picture_grid(const struct report_picture *p, unsigned columns, struct grid *g)
{
	struct arena *a = arena_new();
	const char **labels = arena_array(a, p->n + 1, sizeof(*labels));
	unsigned label = LABEL + (fit(columns) > WIDE ? (fit(columns) - WIDE) / 2 : 0);
	unsigned width = fit(columns) - label - NUMBERS - 1;
	struct sbuf head = { 0 }, marks = { 0 }, unit = { 0 };
	bool published = false, simulated = false;
	unsigned flags = 0, more;
	uint64_t limited = 0;
	char *text, size[SIZE_TEXT];
	size_t i;

	for (i = 0; i < p->n; i++)
		flags |= p->bars[i].flags;
	text = explain(a, flags, columns, &more);
	grid_init(g, (unsigned)p->n + 3 + more, fit(columns) - 1);
	sbuf_add_safe(&head, p->title);
	sbuf_add(&head, ": ");
	sbuf_add_safe(&head, p->about);
	grid_text(g, 0, 1, head.text);
	grid_text(g, 1, 1, *p->op ? "layout" : "class");
	chart_scale(g, 1, label, width, p->top / p->unit->one);
	sbuf_addf(&unit, "%5s %*s   n", p->unit->text, strlen(p->unit->text) > 5 ?
		  (int)(16 - strlen(p->unit->text)) : 11, "min-max");
	grid_text(g, 1, label + width + 1, unit.text);
	for (i = 0; i < p->n; i++) {
		labels[i] = p->bars[i].label;
		published = published || p->bars[i].published;
		simulated = simulated || p->bars[i].simulated;
		if (p->bars[i].ram_limit)
			limited = limited && limited != p->bars[i].ram_limit ? UINT64_MAX :
				  p->bars[i].ram_limit;
	}
	for (i = 0; i < p->n; i++)
		draw_line(a, p, i, labels, label, width, g);
	if (limited)
		sbuf_addf(&marks, limited == UINT64_MAX ? "m memory limited  " :
			  "m in %s of memory  ", size_text(size, limited, SIZE_IEC));
	if (published)
		sbuf_add(&marks, "p published  ");
	if (simulated)
		sbuf_add(&marks, "s simulated  ");
	if (p->older)
		sbuf_addf(&marks, "%zu older not shown", p->older);
	legend(g, (unsigned)p->n + 2, flags_doubt(flags), sbuf_str(&marks), text);
	sbuf_done(&head);
	sbuf_done(&marks);
	sbuf_done(&unit);
	arena_free(a);
}

static void pair_line(struct grid *g, unsigned row, char side, double top, unsigned width,
		      const struct bench_unit *u, const struct stats *s, unsigned flags,
		      const char *behind)
{
	char median[SIZE_TEXT], range[2 * SIZE_TEXT], text[8 * SIZE_TEXT];
	struct sbuf letters = { 0 };

	snprintf(text, sizeof(text), "%c", side);
	grid_text(g, row, PAIR_LABEL - 2, text);
	draw_bar(g, row, PAIR_LABEL, width, top, s, flags_doubt(flags));
	flags_letters(flags, "", &letters);
	snprintf(text, sizeof(text), "%5s %11s %s%s%s", bench_rate_text(median, u, s->median),
		 range_text(range, u, s->min, s->max), behind, *behind && letters.len ? " " : "",
		 sbuf_str(&letters));
	grid_text(g, row, PAIR_LABEL + width + 1, text);
	sbuf_done(&letters);
}

/* The right edge of the pairs that are counted in this unit. */
static double pairs_top(const struct report_pair *pairs, size_t n, const struct bench_unit *u)
{
	double top = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (bench_unit(pairs[i].a) == u)
			top = fmax(top, fmax(pairs[i].sa.max, pairs[i].sb.max));
	}
	return chart_top(top / u->one) * u->one;
}

/* The scale is that of the first pair; one that counts something else says what. */
void report_pairs_grid(const struct report_pair *pairs, size_t n, unsigned columns,
		       struct grid *g)
{
	unsigned width = fit(columns) - PAIR_LABEL - PAIR_NUMBERS - 2, row = 1, all = 0, more;
	const struct bench_unit *first = bench_unit(n ? pairs[0].a : NULL);
	struct arena *arena = arena_new();
	char head[8 * SIZE_TEXT], *text;
	size_t i;

	for (i = 0; i < n; i++)
		all |= flags_read(json_object_get(pairs[i].a, "flags")) |
		       flags_read(json_object_get(pairs[i].b, "flags"));
	text = explain(arena, all, columns, &more);
	grid_init(g, 2 * (unsigned)n + 2 + more, fit(columns) - 1);
	grid_text(g, 0, 1, "class");
	chart_scale(g, 0, PAIR_LABEL, width, pairs_top(pairs, n, first) / first->one);
	snprintf(head, sizeof(head), "%5s %*s B to A", first->text, strlen(first->text) > 5 ?
		 (int)(16 - strlen(first->text)) : 11, "min-max");
	grid_text(g, 0, PAIR_LABEL + width + 1, head);
	for (i = 0; i < n; i++) {
		const struct report_pair *p = &pairs[i];
		const struct bench_unit *u = bench_unit(p->a);
		double top = pairs_top(pairs, n, u);
		const char *op = result_str(p->a, "op");
		struct sbuf name = { 0 };
		char verdict[80], ratio[SIZE_TEXT];

		sbuf_add_safe(&name, result_str(p->a, "class"));
		grid_text(g, row, 1, sbuf_str(&name));
		grid_text(g, row, PAIR_LABEL - 4, "  ");	/* side and operation stay free */
		sbuf_clear(&name);
		sbuf_add_safe(&name, op);
		grid_text(g, row + 1, strlen(op) < PAIR_LABEL - 4 ? 2 : 1, sbuf_str(&name));
		if (p->why)
			snprintf(verdict, sizeof(verdict), "! %s", p->why);
		else
			snprintf(verdict, sizeof(verdict), "%sx %s", times_text(ratio, p->c.ratio),
				 verdict_word(p->c.verdict));
		pair_line(g, row++, 'A', top, width, u, &p->sa,
			  flags_read(json_object_get(p->a, "flags")), u == first ? "" : u->text);
		pair_line(g, row++, 'B', top, width, u, &p->sb,
			  flags_read(json_object_get(p->b, "flags")), verdict);
		sbuf_done(&name);
	}
	legend(g, row, flags_doubt(all), "", text);
	arena_free(arena);
}

void report_pair_words(const struct report_pair *p, struct sbuf *out)
{
	char low[SIZE_TEXT], high[SIZE_TEXT], ratio[SIZE_TEXT];

	if (p->why) {
		sbuf_addf(out, "%s: no ratio", p->why);
		return;
	}
	if (!isnan(p->c.ratio))
		sbuf_addf(out, "B is %s times A", number_text(ratio, p->c.ratio));
	if (p->c.high > p->c.low * (1 + 1e-9))
		sbuf_addf(out, " (%s to %s)", number_text(low, p->c.low),
			  number_text(high, p->c.high));
	if (out->len)
		sbuf_add(out, ", ");
	stats_compare_words(&p->c, p->sa.n, p->sb.n, out);
}

void report_result_words(struct arena *a, const json_t *result, bool durable, struct sbuf *out)
{
	double *values, p, rho, low, high, sure;
	size_t n = report_values(a, result, durable, &values), i;
	bool *marked = arena_array(a, n + 1, sizeof(*marked));
	const struct bench_unit *unit = bench_unit(result);
	char text[SIZE_TEXT], more[SIZE_TEXT];

	stats_confidence_words(n, out);
	sure = stats_median_interval(values, n, 0.95, &low, &high);
	if (n > 7 && sure > 0)
		sbuf_addf(out, "; %s to %s %s with %.1f %%", bench_rate_text(text, unit, low),
			  bench_rate_text(more, unit, high), unit->text, fmin(99.9, 100 * sure));
	sbuf_addc(out, '\n');
	if (json_u64(result, "earlier_runs", 0)) {
		p = json_number_value(json_object_get(result, "earlier_p"));
		sbuf_addf(out, "R: %u of them were made before it was stopped and gone on with; %s (rank sum, "
			  "p = %.2g)\n", (unsigned)json_u64(result, "earlier_runs", 0), p < 0.05 ?
			  "the later ones differ" : "the later ones are not shown to differ", p);
	}
	if (!strcmp(result_str(result, "repeat"), "cap"))
		sbuf_addf(out, "it was not within %g %% after the most runs that were allowed\n",
			  100 * json_number_value(json_object_get(result, "within")));
	rho = stats_drift(values, n, &p);
	if (stats_drifts(values, n))
		sbuf_addf(out, "drift: the runs got %s one after the other (rank correlation %.2f, "
			  "p = %.2g)\n", rho > 0 ? "faster" : "slower", rho, p);
	if (stats_outliers(values, n, marked)) {
		sbuf_add(out, "far off, kept:");
		for (i = 0; i < n; i++) {
			if (marked[i])
				sbuf_addf(out, " run %zu (%s %s)", i + 1,
					  bench_rate_text(text, unit, values[i]), unit->text);
		}
		sbuf_addc(out, '\n');
	}
}
