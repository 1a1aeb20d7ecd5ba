/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx - a spreadsheet with everything in it: a native chart for each picture beside the
 * numbers it is drawn from, the results with how they came about, and every repetition.
 */
#include "report/files.h"

#include "base/err.h"
#include "base/sbuf.h"

#ifdef HAVE_XLSXWRITER
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xlsxwriter.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "report/words.h"

enum { SHORT = 8 /* the column of short names */, NAME_CHARS = 38, MOST_BREAKS = 1000 };
enum { MOST_TEXT = 32000, MOST_FILE = 1 << 30, CHART_PIXELS = 288, ROW_PIXELS = 20 };

struct sheet {
	lxw_workbook *book;
	lxw_format *head, *title, *rate, *pale;
};

/* Text of a record: nothing that XML or a cell cannot hold. */
static void put_text(lxw_worksheet *w, lxw_row_t row, lxw_col_t col, const char *text,
		     lxw_format *format)
{
	struct sbuf safe = { 0 };

	sbuf_add_safe(&safe, text);
	if (safe.len > MOST_TEXT) {
		size_t at = MOST_TEXT;

		while (at && ((unsigned char)safe.text[at] & 0xc0) == 0x80)
			at--;
		safe.text[at] = '\0';
	}
	if (safe.len)
		worksheet_write_string(w, row, col, safe.text, format);
	sbuf_done(&safe);
}

static void put_value(lxw_worksheet *w, lxw_row_t row, lxw_col_t col, const json_t *v,
		      double divisor, lxw_format *format)
{
	struct sbuf words = { 0 };
	const json_t *item;
	size_t i;

	if (json_is_number(v)) {
		worksheet_write_number(w, row, col, json_number_value(v) / divisor, format);
	} else if (json_is_string(v)) {
		put_text(w, row, col, json_string_value(v), NULL);
	} else if (json_is_boolean(v)) {
		put_text(w, row, col, json_is_true(v) ? "yes" : "no", NULL);
	} else if (json_is_object(v)) {
		const char *key;
		json_t *value;

		json_object_foreach((json_t *)(uintptr_t)v, key, value)
			sbuf_addf(&words, "%s%s=%s", words.len ? " " : "", key,
				  json_string_value(value) ? json_string_value(value) : "");
		put_text(w, row, col, sbuf_str(&words), NULL);
	} else if (json_is_array(v)) {
		json_array_foreach(v, i, item) {
			if (json_is_string(item))
				sbuf_addf(&words, "%s%s", i ? " " : "", json_string_value(item));
			if (json_is_integer(item))
				sbuf_addf(&words, "%s%" JSON_INTEGER_FORMAT, i ? " " : "",
					  json_integer_value(item));
		}
		put_text(w, row, col, sbuf_str(&words), NULL);
	}
	sbuf_done(&words);
}

static const struct column {
	const char *title, *key;
	double divisor;		/* 1e6: a rate, in MB/s */
	double width;
} result_columns[] = {
	{ "result", "id", 1, 7 }, { "label", "label", 1, 40 }, { "class", "class", 1, 12 },
	{ "op", "op", 1, 7 }, { "scale", "scale", 1, 7 }, { "runs", NULL, 1, 6 },
	{ "felt median MB/s", "median_bps", 1e6, 17 }, { "felt min MB/s", "min_bps", 1e6, 14 },
	{ "felt max MB/s", "max_bps", 1e6, 14 },
	{ "durable median MB/s", "durable_median_bps", 1e6, 20 },
	{ "durable min MB/s", "durable_min_bps", 1e6, 17 },
	{ "durable max MB/s", "durable_max_bps", 1e6, 17 },
	{ "counts", "unit", 1, 8 },
	{ "felt median /s", "median_rate", 1, 14 }, { "felt min /s", "min_rate", 1, 11 },
	{ "felt max /s", "max_rate", 1, 11 },
	{ "durable median /s", "durable_median_rate", 1, 16 },
	{ "durable min /s", "durable_min_rate", 1, 14 },
	{ "durable max /s", "durable_max_rate", 1, 14 },
	{ "p50 ns", "p50_ns", 1, 12 }, { "p99 ns", "p99_ns", 1, 12 }, { "max ns", "max_ns", 1, 12 },
	{ "bytes", "bytes", 1, 14 }, { "disk bytes", "disk_bytes", 1, 14 }, { "files", "files", 1, 8 },
	{ "flags", "flags", 1, 16 }, { "cache", "cache", 1, 8 }, { "kernel", "kernel", 1, 16 },
	{ "memory bytes", "memory_bytes", 1, 14 }, { "host", "host", 1, 12 },
	{ "published", "published", 1, 24 }, { "simulated", "simulated", 1, 10 },
	{ "build", "build", 1, 12 }, { "layout", "layout", 1, 40 },
	{ "mount options", "mount_options", 1, 24 }, { "tools", "tools", 1, 40 },
	{ "seed", "seed", 1, 8 }, { "block bytes", "bs", 1, 11 }, { "naslab", "version", 1, 8 },
	{ "campaign", "campaign", 1, 12 }, { "cell", "cell", 1, 6 }, { "round", "round", 1, 6 },
	{ "variant", "variant", 1, 40 }, { "options", "options", 1, 36 },
	{ "not measured: why", "reason", 1, 40 },
	{ "repeat", "repeat", 1, 8 }, { "interval sure", "interval_sure", 1, 12 },
	{ "interval low MB/s", "interval_low_bps", 1e6, 16 },
	{ "interval high MB/s", "interval_high_bps", 1e6, 16 },
	{ "drift", "drift", 1, 8 }, { "drift p", "drift_p", 1, 8 },
	{ "outliers", "outliers", 1, 9 }, { "RAM limit bytes", "ram_limit_bytes", 1, 14 },
	{ "dirty limit bytes", "dirty_limit_bytes", 1, 15 },
	{ "links MB/s", "limit_bps", 1e6, 10 }, { "source MB/s", "source_bps", 1e6, 11 },
	{ "temperature mC", "temperature_mc", 1, 14 }, { "full %", "fill_percent", 1, 7 },
}, run_columns[] = {
	{ "rep", "rep", 1, 6 }, { "felt MB/s", "bps", 1e6, 12 },
	{ "durable MB/s", "durable_bps", 1e6, 14 }, { "felt /s", "rate", 1, 12 },
	{ "durable /s", "durable_rate", 1, 12 }, { "count", "ops", 1, 10 },
	{ "p50 ns", "p50_ns", 1, 12 }, { "p99 ns", "p99_ns", 1, 12 }, { "max ns", "max_ns", 1, 12 },
	{ "bytes", "bytes", 1, 14 },
	{ "files", "files", 1, 8 }, { "felt ns", "felt_ns", 1, 16 },
	{ "durable ns", "durable_ns", 1, 16 }, { "disk bytes", "disk_bytes", 1, 14 },
	{ "cpu ns", "cpu_ns", 1, 14 }, { "flags", "flags", 1, 16 },
	{ "cpu stall us", "cpu_stall_us", 1, 12 }, { "io stall us", "io_stall_us", 1, 12 },
	{ "memory stall us", "memory_stall_us", 1, 14 },
	{ "disturbed by", "disturbed_by", 1, 24 },
};
enum {
	RESULT_COLUMNS = sizeof(result_columns) / sizeof(result_columns[0]),
	RUN_COLUMNS = sizeof(run_columns) / sizeof(run_columns[0]),
	NAMES = 4,	/* result, label, class, op stand before each run */
};

static void heads(struct sheet *s, lxw_worksheet *w, const struct column *c, size_t n,
		  lxw_col_t first)
{
	size_t i;

	for (i = 0; i < n; i++) {
		worksheet_set_column(w, first + (lxw_col_t)i, first + (lxw_col_t)i, c[i].width, NULL);
		worksheet_write_string(w, 0, first + (lxw_col_t)i, c[i].title, s->head);
	}
}

static void put_columns(struct sheet *s, lxw_worksheet *w, lxw_row_t row, lxw_col_t first,
			const struct column *c, size_t n, const json_t *from)
{
	size_t i;

	for (i = 0; i < n; i++) {
		lxw_col_t col = first + (lxw_col_t)i;

		if (!c[i].key)
			worksheet_write_number(w, row, col, (double)result_runs(from), NULL);
		else
			put_value(w, row, col, json_object_get(from, c[i].key), c[i].divisor,
				  c[i].divisor > 1 ? s->rate : NULL);
	}
}

static void write_results(struct sheet *s, const json_t *results)
{
	lxw_worksheet *w = workbook_add_worksheet(s->book, "results");
	const json_t *r;
	size_t i;

	heads(s, w, result_columns, RESULT_COLUMNS, 0);
	json_array_foreach(results, i, r)
		put_columns(s, w, (lxw_row_t)i + 1, 0, result_columns, RESULT_COLUMNS, r);
	worksheet_freeze_panes(w, 1, 2);
	worksheet_autofilter(w, 0, 0, (lxw_row_t)json_array_size(results), RESULT_COLUMNS - 1);
}

static void write_runs(struct sheet *s, const json_t *results)
{
	lxw_worksheet *w = workbook_add_worksheet(s->book, "runs");
	const json_t *r, *run;
	lxw_row_t row = 1;
	size_t i, k;

	heads(s, w, result_columns, NAMES, 0);
	heads(s, w, run_columns, RUN_COLUMNS, NAMES);
	json_array_foreach(results, i, r) {
		json_array_foreach(json_object_get(r, "runs"), k, run) {
			put_columns(s, w, row, 0, result_columns, NAMES, r);
			put_columns(s, w, row++, NAMES, run_columns, RUN_COLUMNS, run);
		}
	}
	worksheet_freeze_panes(w, 1, NAMES);
}

/* Another look for others' numbers and for those in doubt. */
static void set_points(lxw_chart_series *series, const struct report_picture *p)
{
	static lxw_chart_pattern hatched = { .type = LXW_CHART_PATTERN_WIDE_UPWARD_DIAGONAL,
					     .fg_color = 0x555555, .bg_color = 0xffffff };
	static lxw_chart_fill doubt = { .color = 0xffe2a8 }, simulated = { .color = 0xb9c98a };
	static lxw_chart_line edge = { .color = 0x8a6d2f, .width = 0.75 };
	lxw_chart_point *points = calloc(p->n, sizeof(*points)), **at = calloc(p->n + 1, sizeof(*at));
	size_t i;

	if (!points || !at)
		die("no memory");
	for (i = 0; i < p->n; i++) {
		at[i] = &points[i];
		/* where the two shades meet is the median: the edge has to stay */
		if (p->bars[i].published || p->bars[i].flagged || p->bars[i].simulated)
			points[i].line = &edge;
		if (p->bars[i].published)
			points[i].pattern = &hatched;
		else if (p->bars[i].flagged)
			points[i].fill = &doubt;
		else if (p->bars[i].simulated)
			points[i].fill = &simulated;
	}
	chart_series_set_points(series, at);
	free(points);
	free(at);
}

/* The median in figures, left of each bar: one run alone has no range to be seen. */
static void set_labels(lxw_chart_series *series, const struct report_picture *p)
{
	lxw_chart_data_label *labels = calloc(p->n, sizeof(*labels));
	lxw_chart_data_label **at = calloc(p->n + 1, sizeof(*at));
	char (*text)[SIZE_TEXT] = calloc(p->n, sizeof(*text));
	size_t i;

	if (!labels || !at || !text)
		die("no memory");
	for (i = 0; i < p->n; i++) {
		at[i] = &labels[i];
		labels[i].hide = isnan(p->bars[i].median);
		labels[i].value = text[i];
		bench_rate_text(text[i], p->unit, p->bars[i].median);
	}
	chart_series_set_labels(series);
	chart_series_set_labels_position(series, LXW_CHART_LABEL_POSITION_INSIDE_END);
	chart_series_set_labels_custom(series, at);
	free(labels);
	free(at);
	free(text);
}

static double chart_height(const struct report_picture *p)
{
	return (double)(6 + p->n) / 12;
}

/*
 * Bars stacked: nothing from zero to the lowest, then to the median, then to the highest;
 * where the two shades meet is the median.
 */
static void add_chart(struct sheet *s, lxw_worksheet *w, const struct report_picture *p,
		      lxw_row_t first, lxw_row_t at)
{
	lxw_chart *chart = workbook_add_chart(s->book, LXW_CHART_BAR_STACKED);
	lxw_row_t last = first + (lxw_row_t)p->n - 1;
	static const lxw_color_t shades[] = { 0, 0x2f8bb3, 0x9fd0e6 };
	lxw_chart_options place = { .x_scale = 1.6, .y_scale = chart_height(p) };
	lxw_chart_font small = { .size = 8 }, heading = { .size = 11, .bold = LXW_TRUE };
	char title[200];
	lxw_col_t i;

	for (i = 0; i < 3; i++) {
		lxw_chart_series *series = chart_add_series(chart, NULL, NULL);
		lxw_chart_fill fill = { .color = shades[i], .none = i == 0 };
		lxw_chart_line edge = { .none = i == 0, .color = 0x1d3b4a, .width = 0.75 };

		chart_series_set_categories(series, "pictures", first, SHORT, last, SHORT);
		chart_series_set_values(series, "pictures", first, (lxw_col_t)(4 + i), last,
					(lxw_col_t)(4 + i));
		chart_series_set_name_range(series, "pictures", first - 1, (lxw_col_t)(4 + i));
		chart_series_set_fill(series, &fill);
		chart_series_set_line(series, &edge);
		if (i)
			set_points(series, p);
		else
			set_labels(series, p);
	}
	snprintf(title, sizeof(title), "%s, scale %g (%s)", p->title, p->scale, p->unit->text);
	chart_title_set_name(chart, title);
	chart_title_set_name_font(chart, &heading);
	chart_axis_set_reverse(chart->y_axis);
	chart_axis_set_interval_unit(chart->y_axis, 1);
	chart_axis_set_num_font(chart->y_axis, &small);
	chart_set_series_gap(chart, 70);
	chart_axis_set_min(chart->x_axis, 0);
	chart_axis_set_max(chart->x_axis, p->top / p->unit->one);
	chart_axis_set_num_format(chart->x_axis, "General");
	chart_legend_set_position(chart, LXW_CHART_LEGEND_BOTTOM);
	worksheet_insert_chart_opt(w, at, 0, chart, &place);
}

static void put_rate(struct sheet *s, lxw_worksheet *w, lxw_row_t row, lxw_col_t col,
		     const struct bench_unit *u, double rate)
{
	if (!isnan(rate))
		worksheet_write_number(w, row, col, rate / u->one, s->rate);
}

static void write_pictures(struct sheet *s, struct arena *a, const struct report_picture *p,
			   size_t n, const char *date)
{
	static const char *const titles[] = { "layout", "lowest", "median", "highest",
					      "zero to lowest", "lowest to median",
					      "median to highest", "to know", "in the chart" };
	lxw_row_t breaks[MOST_BREAKS + 1];
	lxw_worksheet *w = workbook_add_worksheet(s->book, "pictures");
	lxw_row_t row = 0;
	size_t i, k, n_breaks = 0;

	worksheet_set_column(w, 0, 0, 52, NULL);
	worksheet_set_column(w, 1, 3, 10, NULL);
	worksheet_set_column(w, 4, 6, 19, NULL);
	worksheet_set_column(w, 7, 7, 50, NULL);
	worksheet_set_column(w, SHORT, SHORT, NAME_CHARS, NULL);
	worksheet_set_landscape(w);
	worksheet_set_paper(w, 9);		/* A4 */
	worksheet_fit_to_pages(w, 1, 0);
	worksheet_write_string(w, row, 0, "naslab " VERSION " results, MB/s = 1 000 000 bytes a second",
			       s->title);
	worksheet_write_string(w, row, 6, date, s->pale);
	for (i = 0, row = 2; i < n; i++) {
		const char **labels = arena_array(a, p[i].n + 1, sizeof(*labels));
		lxw_row_t first;

		if (i && n_breaks < MOST_BREAKS)
			breaks[n_breaks++] = row;
		for (k = 0; k < p[i].n; k++)
			labels[k] = p[i].bars[k].label;
		put_text(w, row, 0, p[i].title, s->title);
		put_text(w, row, 1, p[i].about, s->pale);
		put_text(w, row++, 7, p[i].unit->text, s->pale);
		for (k = 0; k < sizeof(titles) / sizeof(titles[0]); k++)
			worksheet_write_string(w, row, (lxw_col_t)k, titles[k], s->head);
		first = ++row;
		for (k = 0; k < p[i].n; k++, row++) {
			const struct report_bar *b = &p[i].bars[k];
			double low = isnan(b->min) ? b->median : b->min;
			double high = isnan(b->max) ? b->median : b->max;
			double mid = isnan(b->median) ? high : b->median;

			put_text(w, row, 0, b->label, NULL);
			put_rate(s, w, row, 1, p[i].unit, b->min);
			put_rate(s, w, row, 2, p[i].unit, b->median);
			put_rate(s, w, row, 3, p[i].unit, b->max);
			put_rate(s, w, row, 4, p[i].unit, low);
			put_rate(s, w, row, 5, p[i].unit, mid - low);
			put_rate(s, w, row, 6, p[i].unit, high - mid);
			put_text(w, row, 7, b->facts, s->pale);
			put_text(w, row, SHORT, label_cut(a, b->label, labels, p[i].n, NAME_CHARS),
				 s->pale);
		}
		add_chart(s, w, &p[i], first, row + 1);
		row += 3 + (lxw_row_t)ceil(CHART_PIXELS * chart_height(&p[i]) / ROW_PIXELS);
	}
	worksheet_print_area(w, 0, 0, row, 7);
	breaks[n_breaks] = 0;
	worksheet_set_h_pagebreaks(w, breaks);	/* a picture a page, when it is printed */
}

static void make_formats(struct sheet *s)
{
	s->head = workbook_add_format(s->book);
	format_set_bold(s->head);
	format_set_bottom(s->head, LXW_BORDER_THIN);
	s->title = workbook_add_format(s->book);
	format_set_bold(s->title);
	s->rate = workbook_add_format(s->book);
	format_set_num_format(s->rate, "[<0.1]0.00000;[<10]0.000;0.00");
	s->pale = workbook_add_format(s->book);
	format_set_font_color(s->pale, 0x666666);
}

int xlsx_write(struct arena *a, const json_t *results, const struct report_filter *f,
	       const char *date, struct sbuf *out, struct err *e)
{
	char *folder = arena_strdup(a, getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	char *path = arena_printf(a, "%s/naslab-XXXXXX", folder);
	lxw_workbook_options options = { .tmpdir = folder };
	struct report_picture *p;
	struct sheet s = { 0 };
	lxw_error error;
	int fd = mkstemp(path), rc = 0;
	size_t n;

	if (fd < 0)
		return err_sys(e, "cannot make a file in %s", folder);
	close(fd);
	report_pictures(a, results, f, &p, &n);
	s.book = workbook_new_opt(path, &options);
	if (!s.book)
		die("no memory");
	make_formats(&s);
	write_pictures(&s, a, p, n, date);
	write_results(&s, results);
	write_runs(&s, results);
	error = workbook_close(s.book);
	if (error)
		rc = err_set(e, ERR_FAIL, "cannot write the XLSX: %s", lxw_strerror(error));
	else if (file_read(path, MOST_FILE, out) < 0)
		rc = err_sys(e, "cannot read %s", path);
	unlink(path);
	return rc;
}

#endif
