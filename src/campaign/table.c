/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table - a campaign as tables of two axes: RAID 5 by chunk, without and with a partial
 * parity log, is one look then. Medians, and how each column stands to the first.
 */
#include "campaign/campaign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cells.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/units.h"

enum { CELL = 14, RATIO = 10, MOST_OPS = 16, MOST_ROUNDS = 100 };

/* What the axes put in, as it stands behind the name: " chunk=64K consistency=ppl". */
static void add_options(struct sbuf *out, const json_t *options)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)options, key, value) {
		const char *dot = strchr(key, '.');

		sbuf_addf(out, " %s=%s", dot ? dot + 1 : key, json_string_value(value));
	}
}

/* The same in short: " 64K ppl". */
static void add_values(struct sbuf *out, const json_t *options)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)options, key, value)
		sbuf_addf(out, " %s", json_string_value(value));
}

const char *campaign_label(struct arena *a, const char *label, const char *options, size_t width)
{
	json_t *json = json_loads(options ? options : "", 0, NULL);
	struct sbuf tail = { 0 }, values = { 0 };
	size_t len = strlen(label), base, cells = text_cells(label), more;
	const char *text = label;

	add_options(&tail, json);
	if (tail.len > len || strcmp(label + len - tail.len, sbuf_str(&tail))) {
		sbuf_clear(&tail);	/* a one-line form says its file system itself */
		json_object_del(json, "fs");
		add_options(&tail, json);
	}
	base = len;
	if (tail.len <= len && !strcmp(label + len - tail.len, sbuf_str(&tail))) {
		base -= tail.len;
		add_values(&values, json);
	}
	more = text_cells(sbuf_str(&values));
	if (cells > width && cells - text_cells(label + base) + more <= width)
		text = arena_printf(a, "%.*s%s", (int)base, label, sbuf_str(&values));
	else if (cells > width && more + 2 <= width)
		text = arena_printf(a, "%.*s~%s", (int)text_fit(label, width - more - 1), label,
				    sbuf_str(&values));
	else if (cells > width)
		text = arena_printf(a, "%.*s~", (int)text_fit(label, width - 1), label);
	json_decref(json);
	sbuf_done(&tail);
	sbuf_done(&values);
	return text;
}

/* One table: its cells are those whose layout, other axes, workload and operation are these. */
struct table {
	const struct campaign *c;
	const struct list *cells;
	const struct axis *rows, *columns;
	const char *row_name, *column_name;
	struct arena *a;
	const char *rest, *workload, *op;
	bool durable;
};

/* The value of an axis in a cell; "-" where it was left as it is. */
static const char *value_of(const json_t *options, const char *axis)
{
	const char *value = json_str(options, axis);

	return value ? value : "-";
}

/* What a variant is besides the two axes. */
static const char *rest_of(const struct table *t, const struct variant *v)
{
	json_t *options = json_loads(v->options, 0, NULL);
	struct sbuf text = { 0 };
	const char *copy;

	json_object_del(options, t->row_name);
	json_object_del(options, t->column_name);
	sbuf_add(&text, v->name);
	add_options(&text, options);
	copy = arena_strdup(t->a, sbuf_str(&text));
	sbuf_done(&text);
	json_decref(options);
	return copy;
}

static const struct variant *variant_at(const struct table *t, const char *row, const char *column)
{
	size_t i;

	for (i = 0; i < t->c->variants.n; i++) {
		const struct variant *v = t->c->variants.at[i];
		json_t *options = json_loads(v->options, 0, NULL);
		bool is = !strcmp(value_of(options, t->row_name), row) &&
			  !strcmp(value_of(options, t->column_name), column) &&
			  !strcmp(rest_of(t, v), t->rest);

		json_decref(options);
		if (is)
			return v;
	}
	return NULL;
}

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* The median over the rounds, NAN when nothing is done; *sign: what is there instead. */
static double median_of(const struct table *t, const struct variant *v, const char **sign)
{
	double values[MOST_ROUNDS];
	size_t i, k, n = 0;

	*sign = "-";
	for (i = 0; v && i < t->cells->n; i++) {
		const struct campaign_cell *cell = t->cells->at[i];
		json_t *results, *r;

		if (cell->ram_bytes != v->ram || strcmp(cell->layout, v->layout) ||
		    strcmp(cell->workload, t->workload))
			continue;
		if (cell->state != CELL_IMPOSSIBLE)
			*sign = cell->state == CELL_FAILED ? "!" : ".";
		results = cell->results ? json_loads(cell->results, 0, NULL) : NULL;
		json_array_foreach(results, k, r) {
			const char *op = json_str(r, "op");

			if (op && !strcmp(op, t->op) && bench_rate(r, "median", t->durable) > 0 &&
			    n < MOST_ROUNDS)
				values[n++] = bench_rate(r, "median", t->durable);
		}
		json_decref(results);
	}
	if (!n)
		return NAN;
	qsort(values, n, sizeof(*values), by_size);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* "0.12x"; nothing where one of the two is not known. */
static void add_ratio(struct sbuf *out, double value, double base)
{
	char text[SIZE_TEXT] = "", number[SIZE_TEXT];

	if (!isnan(value) && base > 0)
		snprintf(text, sizeof(text), "%.20sx", number_text(number, value / base));
	sbuf_addf(out, "%*s", RATIO, text);
}

static void add_row(const struct table *t, const char *row, size_t width, struct sbuf *out)
{
	double base = NAN;
	size_t i;

	sbuf_add_padded(out, row, width);
	for (i = 0; i < t->columns->values.n; i++) {
		const char *sign, *column = t->columns->values.at[i];
		double value = median_of(t, variant_at(t, row, column), &sign);
		char number[SIZE_TEXT];

		sbuf_addf(out, "%*s", CELL, isnan(value) ? sign :
			  bench_rate_text(number, bench_op_unit(t->op), value));
		if (i)
			add_ratio(out, value, base);
		else
			base = value;
	}
	sbuf_addc(out, '\n');
}

static void add_table(const struct table *t, struct sbuf *out)
{
	size_t i, width = text_cells(t->row_name);

	for (i = 0; i < t->rows->values.n; i++) {
		size_t cells = text_cells(t->rows->values.at[i]);

		width = cells > width ? cells : width;
	}
	width += 2;
	sbuf_addf(out, "\n%s, %s, %s, median %s", t->workload, t->op, t->durable ? "durable" : "felt",
		  bench_op_unit(t->op)->text);
	if (t->c->reps < 6)
		sbuf_addf(out, " of %u runs: n", t->c->reps);
	sbuf_addf(out, "\n%s; across: %s, and its ratio to the first\n", t->rest, t->column_name);
	sbuf_add_padded(out, t->row_name, width);
	for (i = 0; i < t->columns->values.n; i++) {
		sbuf_add_right(out, t->columns->values.at[i], CELL);
		if (i)
			sbuf_add_right(out, "ratio", RATIO);
	}
	sbuf_addc(out, '\n');
	for (i = 0; i < t->rows->values.n; i++)
		add_row(t, t->rows->values.at[i], width, out);
}

/* The operations that were measured, in the order they stand in the results. */
static size_t ops_of(const struct table *t, const char *ops[MOST_OPS])
{
	size_t i, k, m, n = 0;

	for (i = 0; i < t->cells->n; i++) {
		const struct campaign_cell *cell = t->cells->at[i];
		json_t *results = NULL, *r;

		if (!strcmp(cell->workload, t->workload) && cell->results)
			results = json_loads(cell->results, 0, NULL);
		json_array_foreach(results, k, r) {
			const char *op = json_str(r, "op");

			for (m = 0; op && m < n && strcmp(ops[m], op); m++)
				;
			if (op && m == n && n < MOST_OPS)
				ops[n++] = arena_strdup(t->a, op);
		}
		json_decref(results);
	}
	return n;
}

/* Is this the first variant with its rest? */
static bool leads(const struct table *t, size_t at)
{
	const char *rest = rest_of(t, t->c->variants.at[at]);
	size_t i;

	for (i = 0; i < at; i++) {
		if (!strcmp(rest_of(t, t->c->variants.at[i]), rest))
			return false;
	}
	return true;
}

/* One operation of one workload: a table for every layout. */
static void add_layouts(struct table *t, struct sbuf *out)
{
	size_t v;

	for (v = 0; v < t->c->variants.n; v++) {
		t->rest = rest_of(t, t->c->variants.at[v]);
		if (leads(t, v))
			add_table(t, out);
	}
}

void campaign_table(const struct campaign *c, const struct list *cells, const struct axis *rows,
		    const struct axis *columns, struct sbuf *out)
{
	struct table t = { .c = c, .cells = cells, .rows = rows, .columns = columns,
			   .a = arena_new() };
	const char *ops[MOST_OPS];
	size_t w, k, n;

	t.row_name = axis_name(t.a, rows);
	t.column_name = axis_name(t.a, columns);
	for (w = 0; w < c->workloads.n; w++) {
		t.workload = ((const struct workload *)c->workloads.at[w])->name;
		n = ops_of(&t, ops);
		for (k = 0; k < n; k++) {
			t.op = ops[k];
			t.durable = false;
			add_layouts(&t, out);
			t.durable = strstr(t.op, "write") != NULL;	/* for reading it is the same */
			if (t.durable)
				add_layouts(&t, out);
		}
	}
	arena_free(t.a);
}
