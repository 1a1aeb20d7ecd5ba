/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-draw - a bar for each class: dots from zero, lowest to highest run, the median; the
 * numbers beside it; below them the run that goes on, over time.
 */
#include "ui/bench.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double *class_values(const struct bench *b, const struct work_class *c)
{
	return b->durable ? c->durable : c->runs;
}

/* Of the bars that count the same. */
static double largest(const struct bench *b, const struct work *w, const struct bench_unit *unit)
{
	double most = 0;
	size_t i, k;

	for (i = 0; i < w->n_classes; i++) {
		if (w->classes[i].unit != unit)
			continue;
		for (k = 0; k < w->classes[i].n; k++) {
			double v = class_values(b, &w->classes[i])[k];

			most = v > most ? v : most;
		}
	}
	return most;
}

/* What is marked on the clock that is shown: what came from memory at first is on the disks
 * at the end. That there is no counter, d:f says. */
static unsigned class_flags(const struct bench *b, const struct work_class *c)
{
	unsigned flags = c->flags | (c->n && c->n < 6 ? FLAG_FEW : 0);

	if ((b->durable && work_op_writes(c)) || flags & FLAG_NODISK)
		flags &= ~(unsigned)FLAG_CACHED;
	return flags & ~(unsigned)FLAG_NODISK;
}

struct columns {
	unsigned bar, bar_width, value, range, disk, flags;
};

enum { OP_WORD = 12 };	/* "rand-create" and a blank, instead of "w " */

/* Where there is more than writing and reading, the operation is a word. */
static bool wide_ops(const struct work *w)
{
	size_t i;

	for (i = 0; i < w->n_classes; i++) {
		if (strlen(work_op_brief(&w->classes[i])) > 1)
			return true;
	}
	return false;
}

static struct columns columns_for(const struct work *w, unsigned cols)
{
	unsigned word = wide_ops(w) ? OP_WORD - 2 : 0;
	struct columns c;

	if (cols < 80)
		return (struct columns){ .bar = 9 + word, .bar_width = cols - 17 - word,
					 .value = cols - 7 };
	c.bar = 15 + word;
	c.bar_width = cols - 80 + 37 - word;
	c.value = c.bar + c.bar_width + 1;
	c.range = c.value + 8;
	c.disk = c.range + 10;
	c.flags = c.disk + 5;
	return c;
}

static const char *value_text(char buf[SIZE_TEXT], const struct bench_unit *u, double value)
{
	return bench_rate_text(buf, u, value * u->one);
}

/* Bytes on disks for each byte of the files: 1.04, 12.5, 139. */
static const char *ratio_text(char buf[SIZE_TEXT], double ratio)
{
	snprintf(buf, SIZE_TEXT, ratio < 10 ? "%.2f" : ratio < 100 ? "%.1f" : "%.0f", ratio);
	return buf;
}

/* A bar that does not count what the scale does says what it counts. */
static void draw_bar(struct ui *ui, const struct bench *b, const struct columns *k, unsigned row,
		     unsigned cols, const struct bench_unit *scale, size_t i)
{
	const struct work *w = &ui->s->work;
	const struct work_class *c = &w->classes[i];
	bool on = i == b->bars.at, small = cols < 80;
	unsigned flags;
	char num[2 * SIZE_TEXT];
	struct sbuf letters = { 0 };
	struct stats s;
	struct grid g;

	draw_text(row, 0, on ? PAINT_CHOSEN : PAINT_TEXT, on ? "▶" : " ");
	draw_cell(row, 1, small ? 5 : 11, on ? PAINT_CHOSEN : c->running ? PAINT_BOLD : PAINT_TEXT,
		  CUT_END, c->name);
	draw_text(row, small ? 7 : 13, PAINT_TEXT, work_op_brief(c));
	if (on)
		ui_cursor(ui, row, 1);
	if (!c->n) {
		if (c->running && w->rep)
			draw_textf(row, k->bar, PAINT_TEXT, "run %u of %u", w->rep,
				   w->rep > w->reps ? w->rep : w->reps);
		else
			draw_text(row, k->bar, PAINT_TEXT, w->runs ? "" : "not measured");
		return;
	}
	stats_of(class_values(b, c), c->n, &s);
	grid_init(&g, 1, k->bar_width);
	chart_bar(&g, 0, 0, k->bar_width, chart_top(largest(b, w, c->unit)), s.min, s.median, s.max);
	if (flags_doubt(class_flags(b, c)))
		chart_doubt(&g, 0, 0, k->bar_width);
	draw_grid(row, k->bar, &g);
	grid_done(&g);
	draw_right(row, k->value, 6, PAINT_BOLD, value_text(num, c->unit, s.median));
	if (small)
		return;
	bench_range_text(num, c->unit, s.min * c->unit->one, s.max * c->unit->one);
	draw_right(row, k->range - 1, 10, PAINT_TEXT, num);
	flags = k->flags;
	if (c->unit != scale) {
		draw_text(row, k->disk, PAINT_TEXT, c->unit->text);
		flags = k->disk + (unsigned)strlen(c->unit->text) + 1;
	} else if (c->disk_known && c->file_bytes) {
		draw_right(row, k->disk, 4, PAINT_TEXT,
			   ratio_text(num, (double)c->disk_bytes / (double)c->file_bytes));
	} else {
		draw_text(row, k->disk + 3, PAINT_TEXT, c->unit->counts ? "-" : "?");
	}
	flags_letters(class_flags(b, c), "", &letters);
	draw_cell(row, flags, cols - flags, PAINT_TEXT, CUT_END, sbuf_str(&letters));
	sbuf_done(&letters);
}

static void draw_all_bars(struct ui *ui, struct bench *b, struct area a)
{
	const struct work *w = &ui->s->work;
	struct columns k = columns_for(w, a.cols);
	const struct bench_unit *unit = w->n_classes ? w->classes[0].unit : bench_unit(NULL);
	unsigned i, rows = a.rows > 1 ? a.rows - 1 : 1;
	struct grid g;

	draw_text(a.row, 1, PAINT_TEXT, a.cols < 80 ? "class" : "class      op");
	grid_init(&g, 1, k.bar_width);
	if (largest(b, w, unit) > 0)
		chart_scale(&g, 0, 0, k.bar_width, chart_top(largest(b, w, unit)));
	draw_grid(a.row, k.bar, &g);
	grid_done(&g);
	draw_right(a.row, k.value - 1, 7, PAINT_TEXT, unit->text);
	if (a.cols >= 80) {
		draw_right(a.row, k.range - 1, 10, PAINT_TEXT, "min-max");
		draw_text(a.row, k.disk + 1, PAINT_TEXT, "d:f");
	}
	roll_fit(&b->bars, w->n_classes, rows);
	b->page = rows;
	for (i = 0; i < rows && b->bars.top + i < w->n_classes; i++)
		draw_bar(ui, b, &k, a.row + 1 + i, a.cols, unit, b->bars.top + i);
}

/* --- the run that goes on --------------------------------------------------------------- */

/* Samples as they fit the width: neighbours become their mean. Returns how many. */
static size_t fit_samples(const struct work *w, double *out, unsigned room, double *seconds)
{
	size_t each = (w->n_samples + room - 1) / (room ? room : 1), n = 0, i, k;

	if (!each)
		each = 1;
	for (i = 0; i < w->n_samples; i += each, n++) {
		double sum = 0;

		for (k = i; k < i + each && k < w->n_samples; k++)
			sum += w->samples[k];
		out[n] = sum / (double)(k - i);
	}
	*seconds = 0.1 * w->per_sample * (double)each;
	return n;
}

static void draw_chart(struct ui *ui, struct area a)
{
	const struct work *w = &ui->s->work;
	double values[WORK_SAMPLES], most = 0, seconds;
	unsigned room = a.cols > CHART_AXIS + 1 ? a.cols - CHART_AXIS - 1 : 1;
	size_t n, i;
	struct grid g;

	if (room > WORK_SAMPLES)
		room = WORK_SAMPLES;
	n = fit_samples(w, values, room, &seconds);
	if (!n)
		return;
	for (i = 0; i < n; i++)
		most = values[i] > most ? values[i] : most;
	grid_init(&g, a.rows, a.cols);
	chart_time(&g, 0, 0, a.rows, a.cols, values, n, chart_top(most));
	draw_grid(a.row, 0, &g);
	grid_done(&g);
	if (a.cols >= 80)
		draw_textf(a.row, a.cols - 14, PAINT_TEXT, "%4.1f s a cell", seconds);
}

static void run_words(struct ui *ui, struct sbuf *left, struct sbuf *right)
{
	const struct work *w = &ui->s->work;
	const struct work_class *c = w->at < w->n_classes ? &w->classes[w->at] : NULL;
	char a[SIZE_TEXT], b[SIZE_TEXT], gone[SIZE_TEXT];
	unsigned rep;

	if (!c)
		return;
	rep = w->rep ? w->rep : (unsigned)c->n + 1;
	sbuf_addf(left, "%s %s, run %u of %u", c->name, c->op, rep, rep > w->reps ? rep : w->reps);
	if (w->waiting[0] || !w->rep || !(w->bytes_total || w->ops)) {
		sbuf_add(right, w->waiting[0] ? w->waiting : "beginning");
		return;
	}
	if (w->syncing)
		sbuf_add(right, "written, syncing ─ ");
	else
		sbuf_addf(right, "%s %s now ─ ", value_text(a, c->unit, w->n_samples ?
			  w->samples[w->n_samples - 1] : 0), c->unit->text);
	if (!c->unit->counts)
		sbuf_addf(right, "%s of %s ─ ", ui_size(ui, gone, w->bytes),
			  ui_size(ui, b, w->bytes_total));
	else if (w->ops_total)
		sbuf_addf(right, "%" PRIu64 " of %" PRIu64 " ─ ", w->ops, w->ops_total);
	else
		sbuf_addf(right, "%" PRIu64 " ─ ", w->ops);
	sbuf_add(right, duration_text(gone, w->sample_ns));
}

/* Where the bytes are: file, memory, disks. */
static void bytes_words(struct ui *ui, struct sbuf *out)
{
	const struct work *w = &ui->s->work;
	char a[SIZE_TEXT], b[SIZE_TEXT], c[SIZE_TEXT];

	if (w->waiting[0] || !w->bytes)
		return;
	sbuf_addf(out, "file %s : disks ", ui_size(ui, a, w->bytes));
	if (w->disk_known && w->bytes)
		sbuf_addf(out, "%s = %.2f", ui_size(ui, b, w->disk_bytes),
			  (double)w->disk_bytes / (double)w->bytes);
	else
		sbuf_add(out, "?");
	if (w->dirty_bytes)
		sbuf_addf(out, "    in memory, unwritten %s", ui_size(ui, c, w->dirty_bytes));
}

/* The chart's height: as much as the bars leave, so that its axis has round numbers. */
static unsigned chart_rows(unsigned rows, unsigned taken)
{
	unsigned room = rows > taken ? rows - taken : 0;

	return room >= 17 ? 17 : room >= 9 ? 9 : 5;
}

static void runs_words(const struct bench *b, const struct work_class *c, struct sbuf *out)
{
	char num[SIZE_TEXT];
	size_t i;

	sbuf_addf(out, "runs of %s %s, in order:", c->name, c->op);
	for (i = 0; i < c->n; i++)
		sbuf_addf(out, "  %s", value_text(num, c->unit, class_values(b, c)[i]));
	if (!c->n)
		sbuf_add(out, "  none yet");
	sbuf_addf(out, "  %s %s", c->unit->text, b->durable ? "durable" : "felt");
	if (c->n) {
		sbuf_add(out, "; ");
		stats_confidence_words(c->n, out);
	}
}

static void bars_head(struct ui *ui, const struct bench *b)
{
	const struct work *w = &ui->s->work;
	struct sbuf left = { 0 }, right = { 0 }, brief = { 0 };
	uint64_t ns = work_left_ns(w);
	char time[SIZE_TEXT];

	sbuf_addf(&left, "Bench: %s, %s", w->name, b->durable ? "durable" : "felt");
	sbuf_addf(&right, "%zu of %llu runs", w->n_done, (unsigned long long)w->n_runs);
	if (ns)
		sbuf_addf(&right, ", %s left", duration_text(time, ns));
	else if (w->ended)
		sbuf_addf(&right, ", %s", w->ok ? "done" : "stopped");
	sbuf_addf(&brief, "%zu/%llu%s%s", w->n_done, (unsigned long long)w->n_runs, ns ? " " : "",
		  ns ? duration_text(time, ns) : "");
	ui_head(ui, sbuf_str(&left), sbuf_str(&right), sbuf_str(&brief));
	sbuf_done(&left);
	sbuf_done(&right);
	sbuf_done(&brief);
}

/* The shapes, and in as many lines as are free the marks that are in use. */
static unsigned draw_legend(const struct work *w, const struct bench *b, struct area a)
{
	bool ascii = term_tier() == TIER_ASCII || term_tier() == TIER_LINES;
	struct sbuf text = { 0 };
	unsigned flags = 0, used;
	char *rest, *line;
	size_t i;

	for (i = 0; i < w->n_classes; i++)
		flags |= class_flags(b, &w->classes[i]);
	draw_textf(a.row, a.col, PAINT_TEXT, "%s   d:f disk : file bytes", flags_doubt(flags) ?
		   (ascii ? "= lowest to highest, - flagged, # median" :
		    "▒ lowest to highest, ░ flagged, █ median") :
		   ascii ? "= lowest to highest run, # median" : "▒ lowest to highest run, █ median");
	flags_legend(flags, a.cols, &text);
	rest = text.text;
	for (used = 1; used < a.rows && rest && *rest && (line = strsep(&rest, "\n")); used++)
		draw_text(a.row + used, a.col, PAINT_TEXT, line);
	sbuf_done(&text);
	return used;
}

/* Its line with words, its chart, and where its bytes are. */
static void draw_run(struct ui *ui, const struct bench_run *run)
{
	struct sbuf left = { 0 }, right = { 0 };
	const struct area *a = &run->chart;

	if (run->rule) {
		run_words(ui, &left, &right);
		draw_rule(a->row - 1, 0, a->cols, sbuf_str(&left), a->cols >= 80 ? sbuf_str(&right) : "");
	}
	draw_chart(ui, *a);
	sbuf_clear(&left);
	bytes_words(ui, &left);
	draw_cell(a->row + a->rows, 1, a->cols - 2, PAINT_TEXT, CUT_END, sbuf_str(&left));
	sbuf_done(&left);
	sbuf_done(&right);
}

bool bench_draw_run(struct ui *ui, struct bench *b)
{
	if (!b->run.chart.rows || !ui->s->work.runs)
		return false;
	bars_head(ui, b);
	draw_clear(b->run.chart);
	draw_run(ui, &b->run);
	return true;
}

void bench_draw_bars(struct ui *ui, struct bench *b, struct area body)
{
	const struct work *w = &ui->s->work;
	struct sbuf text = { 0 };
	bool live = w->runs, tall = body.rows >= 16, wide = body.cols >= 80;
	unsigned foot = tall ? 2 : 1, bars, row = body.row;
	unsigned chart = !live ? 0 : b->zoom ? body.rows - 3 : tall ?
		chart_rows(body.rows, (unsigned)w->n_classes + 3 + foot + 1) : 3;

	bars_head(ui, b);
	bars = body.rows - foot - (chart ? chart + (tall ? 1 : 0) : 0);
	if (b->zoom && live)
		bars = 0;
	if (bars > w->n_classes + 1)
		bars = (unsigned)w->n_classes + 1;
	if (bars)
		draw_all_bars(ui, b, (struct area){ row, 0, bars, body.cols });
	row += bars;
	if (bars && tall && body.row + body.rows - row > chart + foot + 1 && wide)
		row += draw_legend(w, b, (struct area){ row, 15,
				   body.row + body.rows - row - chart - foot - 1, body.cols - 16 });
	b->run = (struct bench_run){ 0 };
	if (live) {
		row += tall;
		b->run = (struct bench_run){ tall, { row, 0, chart, body.cols } };
		draw_run(ui, &b->run);
		row += chart + 1;
	}
	if (w->n_classes && (b->runs || !live) && row < body.row + body.rows) {
		runs_words(b, &w->classes[b->bars.at], &text);
		draw_wrapped((struct area){ row, 1, body.row + body.rows - row, body.cols - 2 },
			     PAINT_TEXT, sbuf_str(&text));
	}
	sbuf_done(&text);
}

/* --- the form -------------------------------------------------------------------------- */

/* Name, chart, what all its repetitions write, title. */
static void class_line(const struct ui *ui, const struct bench *b, size_t i, struct sbuf *out)
{
	const struct workload *w = b->workloads.at[i];
	uint64_t written = 0, read = 0;
	char size[SIZE_TEXT];

	workload_moves(w, workload_ops(w, b->write, b->read), b->scale, b->reps, &written, &read);
	sbuf_addf(out, "[%c] %-12s %-9.9s writes %9s  %s", b->chosen[i] ? 'x' : ' ', w->name,
		  workload_is_copy(w) ? "copied" : w->group ? w->group : "other",
		  ui_size(ui, size, written), w->title);
}

static void form_line(struct ui *ui, const struct bench *b, size_t line, struct sbuf *out)
{
	char size[SIZE_TEXT];

	switch (line) {
	case LINE_TARGET:
		sbuf_addf(out, "where        %s  ", b->target[0] ? b->target :
			  "nothing built: Enter types a folder");
		sbuf_add_safe(out, b->what);
		break;
	case LINE_SUITE:
		if (b->suite)
			sbuf_addf(out, "suite        %s   %s", b->suite->name, b->suite->title);
		else
			sbuf_add(out, "suite        none: the classes chosen below");
		break;
	case LINE_OP:
		sbuf_addf(out, "direction    %s", b->write && b->read ? "write and read" :
			  b->write ? "write" : "read");
		break;
	case LINE_REPS:
		sbuf_addf(out, "repetitions  %u%s", b->reps, b->within > 0 ?
			  " and more, until the median's interval is 5 % wide" : b->reps < 6 ?
			  "   fewer than 6: a bar is marked n" : "");
		break;
	case LINE_SCALE:
		sbuf_addf(out, "scale        %g   of the full size of each class", b->scale);
		break;
	case LINE_CACHE:
		sbuf_addf(out, "cache        %s, before reading", b->cache == CACHE_OWN ?
			  "as each class says" : cache_word(b->cache));
		break;
	case LINE_RAM:
		sbuf_addf(out, "memory       %s", b->ram ? size_text(size, b->ram, SIZE_IEC) : "all");
		if (b->ram)
			sbuf_add(out, " for engine and page cache");
		break;
	default:
		class_line(ui, b, line - LINE_CLASSES, out);
		break;
	}
}

void bench_draw_form(struct ui *ui, struct bench *b, struct area body)
{
	size_t n = LINE_CLASSES + b->workloads.n;
	unsigned rows = body.rows > 6 ? body.rows - 4 : body.rows - 1, i;
	char a[SIZE_TEXT], c[SIZE_TEXT], d[SIZE_TEXT];
	struct sbuf text = { 0 };

	ui_head(ui, "Bench: what to measure", "", "what to measure");
	roll_fit(&b->lines, n, rows);
	b->page = rows;
	for (i = 0; i < rows && b->lines.top + i < n; i++) {
		size_t line = b->lines.top + i;
		bool on = line == b->lines.at;
		enum paint p = on ? PAINT_CHOSEN : PAINT_TEXT;

		sbuf_clear(&text);
		form_line(ui, b, line, &text);
		draw_cell(body.row + i, 0, body.cols, p, CUT_END, "");
		draw_text(body.row + i, 1, p, on ? "▶" : " ");
		draw_cell(body.row + i, 3, body.cols - 4, p, CUT_END, sbuf_str(&text));
		if (on)
			ui_cursor(ui, body.row + i, 3);
	}
	sbuf_clear(&text);
	if (b->forecast.runs)
		sbuf_addf(&text, "%s%u runs; writes %s in all, holds %s at most, %s are free.",
			  b->forecast.most_runs > b->forecast.runs ? "at most " : "",
			  b->forecast.most_runs, ui_size(ui, a, b->forecast.most_write_bytes),
			  ui_size(ui, c, b->forecast.need_bytes), ui_size(ui, d, b->forecast.free_bytes));
	if (b->forecast.runs && b->forecast.least_ns)
		sbuf_addf(&text, " It takes %s at least.", duration_text(a, b->forecast.least_ns));
	if (b->err.text[0])
		sbuf_addf(&text, "%sE %s", text.len ? "\n" : "", b->err.text);
	if (n + 1 < body.rows)
		draw_wrapped((struct area){ body.row + (unsigned)n + 1, 1, body.rows - (unsigned)n - 1,
			     body.cols - 2 }, PAINT_TEXT, sbuf_str(&text));
	else
		draw_wrapped((struct area){ body.row + rows, 1, body.rows - rows, body.cols - 2 },
			     PAINT_TEXT, sbuf_str(&text));
	sbuf_done(&text);
}
