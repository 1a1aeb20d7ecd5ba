/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * campaign-draw - the grid of cells, scrolled to the chosen one; what is known of it; and
 * the run that goes on now.
 */
#include "ui/campaign.h"

#include <string.h>

enum { COLUMN = 8, WIDE_COLUMN = 13, LEAST_LABEL = 22, SMALL_LABEL = 14, FOOT = 2 };

/* The result of an operation among those of a cell; NULL: none. Owned by `results`. */
static const json_t *result_of(const json_t *results, const char *op)
{
	const json_t *r;
	size_t i;

	json_array_foreach(results, i, r) {
		if (json_str(r, "op") && !strcmp(json_str(r, "op"), op))
			return r;
	}
	return NULL;
}

/* 'D' flagged, 'n' too few runs, 0 none; flagged says more. */
static char mark_of(const json_t *result)
{
	const json_t *flag;
	char mark = 0;
	size_t i;

	json_array_foreach(json_object_get(result, "flags"), i, flag) {
		const char *word = json_string_value(flag);

		if (word && strcmp(word, "few"))
			return 'D';
		mark = 'n';
	}
	return mark;
}

/* One of its rates in what it counts. */
static const char *rate_text(char buf[SIZE_TEXT], const json_t *r, const char *which)
{
	return bench_rate_text(buf, bench_unit(r), bench_rate(r, which, false));
}

static void done_text(const struct campaign_view *v, const struct campaign_cell *cell,
		      struct sbuf *out)
{
	json_t *results = cell->results ? json_loads(cell->results, 0, NULL) : NULL;
	const json_t *r = result_of(results, v->op);
	char number[SIZE_TEXT], mark = mark_of(r);

	if (!r)
		sbuf_addc(out, '+');
	else if (mark)
		sbuf_addf(out, "%c%s", mark, rate_text(number, r, "median"));
	else
		sbuf_add(out, rate_text(number, r, "median"));
	json_decref(results);
}

/* The run that goes on, as the row says it: is it of this workload? */
static const json_t *run_of(const struct campaign_view *v, const char *workload)
{
	const json_t *run = json_object_get(v->say, "run");
	const char *of = json_str(run, "workload");

	return of && (!workload || !strcmp(of, workload)) ? run : NULL;
}

static enum paint cell_text(const struct campaign_view *v, const struct campaign_cell *cell,
			    struct sbuf *out)
{
	const json_t *run;

	switch (cell ? cell->state : CELL_WAITING) {
	case CELL_DONE:
		done_text(v, cell, out);
		return PAINT_TEXT;
	case CELL_RUNNING:
		run = v->alive ? run_of(v, cell->workload) : NULL;
		if (run)
			sbuf_addf(out, "▶%u/%u", (unsigned)json_u64(run, "rep", 0),
				  (unsigned)json_u64(run, "of", 0));
		else
			sbuf_add(out, v->alive ? "▶▶" : "▶");
		return PAINT_BOLD;
	case CELL_FAILED:
		sbuf_addc(out, '!');
		return PAINT_ERROR;
	case CELL_IMPOSSIBLE:
		sbuf_addc(out, '-');
		return PAINT_TEXT;
	default:
		sbuf_add(out, cell ? "·" : "");
		if (cell && cell->kept && v->file)	/* of one that was paused or cut short */
			sbuf_addf(out, "%u/%u", cell->kept, v->file->reps);
		return PAINT_TEXT;
	}
}

struct shape {
	unsigned label, shown;	/* width of the labels; how many workloads are in sight */
	unsigned column;
};

/* As wide as the names when all of them have room, else narrow. */
static unsigned column_of(const struct campaign_view *v, unsigned room)
{
	unsigned most = COLUMN;
	size_t i;

	for (i = 0; i < v->workloads.n; i++) {
		unsigned width = draw_width(v->workloads.at[i]) + 2;

		most = width > most ? width : most;
	}
	most = most > WIDE_COLUMN ? WIDE_COLUMN : most;
	return most * v->workloads.n <= room ? most : COLUMN;
}

static struct shape shape_of(const struct campaign_view *v, unsigned cols)
{
	unsigned least = cols < 80 ? SMALL_LABEL : LEAST_LABEL, longest = 0;
	unsigned column = column_of(v, cols - least - 4);
	struct shape s = { .shown = (cols - least - 4) / column, .column = column };
	size_t i;

	if (s.shown > v->workloads.n)
		s.shown = (unsigned)v->workloads.n;
	s.label = cols - 4 - s.shown * column;
	for (i = 0; i < v->rows.n; i++) {
		const struct campaign_cell *c = v->rows.at[i];
		unsigned len = draw_width(safe_text(c->label));

		longest = len > longest ? len : longest;
	}
	if (s.label > longest + 1)
		s.label = longest + 1 > 8 ? longest + 1 : 8;
	return s;
}

/* The chosen cell stays in sight. */
static void scroll(struct campaign_view *v, const struct shape *s, unsigned rows)
{
	struct roll roll = { .at = v->at_row, .top = v->top };

	roll_fit(&roll, v->rows.n, rows);
	v->top = roll.top;
	roll = (struct roll){ .at = v->at_workload, .top = v->left };
	roll_fit(&roll, v->workloads.n, s->shown);
	v->left = roll.top;
	v->page = rows;
}

static void draw_line(struct ui *ui, const struct campaign_view *v, const struct shape *s,
		      unsigned row, size_t which)
{
	const struct campaign_cell *any = v->rows.at[which];
	bool here = which == v->at_row;
	struct arena *a = arena_new();
	struct sbuf text = { 0 };
	unsigned i;

	draw_text(row, 0, PAINT_TEXT, here ? "▶" : " ");
	draw_cell(row, 1, s->label, here ? PAINT_BOLD : PAINT_TEXT, CUT_END,
		  safe_text(campaign_label(a, any->label, any->options, s->label - 1)));
	for (i = 0; i < s->shown; i++) {
		size_t at = v->left + i;
		const struct campaign_cell *c = campaign_at(v, which, at);
		bool on = here && at == v->at_workload;
		unsigned col = 2 + s->label + i * s->column;
		enum paint paint;

		sbuf_clear(&text);
		paint = cell_text(v, c, &text);
		draw_right(row, col, s->column - 1, on ? PAINT_CHOSEN : paint, sbuf_str(&text));
		if (on)
			ui_cursor(ui, row, col + s->column - 2);
	}
	sbuf_done(&text);
	arena_free(a);
}

/* The head of a name stays, unless another one has it too. */
static enum cut cut_of(const struct campaign_view *v, const char *name)
{
	size_t i;

	for (i = 0; i < v->workloads.n; i++) {
		if (strcmp(name, v->workloads.at[i]) && !strncmp(name, v->workloads.at[i], COLUMN - 2))
			return CUT_START;
	}
	return CUT_END;
}

static void draw_table_head(const struct campaign_view *v, const struct shape *s, unsigned row)
{
	unsigned i;

	draw_text(row, 1, PAINT_TEXT, "layout");
	for (i = 0; i < s->shown; i++) {
		const char *name = v->workloads.at[v->left + i];
		unsigned col = 2 + s->label + i * s->column, width = draw_width(name);

		if (width > s->column - 1)
			width = s->column - 1;
		draw_cell(row, col + s->column - 1 - width, width, PAINT_TEXT, cut_of(v, name), name);
	}
	if (v->left)
		draw_text(row, 1 + s->label, PAINT_BOLD, "←");
	if (v->left + s->shown < v->workloads.n)
		draw_text(row, 2 + s->label + s->shown * s->column, PAINT_BOLD, "→");
}

/* --- what is known of the chosen cell -------------------------------------------------- */

static void result_words(const struct campaign_cell *cell, struct sbuf *out)
{
	json_t *results = cell->results ? json_loads(cell->results, 0, NULL) : NULL, *r;
	char median[SIZE_TEXT], min[SIZE_TEXT], max[SIZE_TEXT];
	size_t i, k;

	json_array_foreach(results, i, r) {
		const json_t *flags = json_object_get(r, "flags"), *flag;

		sbuf_addf(out, "%-10s median %s %s, %s to %s, %u runs", json_str(r, "op") ?
			  json_str(r, "op") : "", rate_text(median, r, "median"),
			  bench_unit(r)->text, rate_text(min, r, "min"), rate_text(max, r, "max"),
			  (unsigned)json_u64(r, "runs", 0));
		json_array_foreach(flags, k, flag)
			sbuf_addf(out, "%s%s", k ? " " : ", ", json_string_value(flag) ?
				  json_string_value(flag) : "");
		sbuf_addc(out, '\n');
	}
	json_decref(results);
}

static void cell_words(const struct campaign_view *v, const struct campaign_cell *cell,
		       struct sbuf *out)
{
	switch (cell->state) {
	case CELL_DONE:
		result_words(cell, out);
		break;
	case CELL_FAILED:
		sbuf_add_safe(out, cell->reason ? cell->reason : "it failed");
		sbuf_add(out, "\nthe next cell went on by itself; r lets this one wait again");
		break;
	case CELL_IMPOSSIBLE:
		sbuf_add_safe(out, cell->reason ? cell->reason : "not possible");
		break;
	case CELL_RUNNING:
		sbuf_add(out, v->alive ? "its layout is at work now" :
			 "it was at work when the campaign ended; s takes that back and measures it again");
		break;
	default:
		sbuf_addf(out, "waits: number %u of %zu", cell->n, v->cells.n);
		if (cell->round > 1)
			sbuf_addf(out, ", round %u", cell->round);
		break;
	}
}

/* --- what goes on ---------------------------------------------------------------------- */

static const struct work_step *step_now(const struct work *w)
{
	size_t i;

	for (i = w->n_steps; i--; ) {
		if (w->steps[i].state == '>')
			return &w->steps[i];
	}
	return NULL;
}

/* One line with a bar of the run, when it is ours; else what its row says. */
static void draw_now(struct ui *ui, const struct campaign_view *v, unsigned row, unsigned cols)
{
	const struct work *w = &ui->s->work;
	const struct work_class *c = w->at < w->n_classes ? &w->classes[w->at] : NULL;
	const json_t *run = run_of(v, NULL);
	const char *text = json_str(v->say, "text");
	char got[SIZE_TEXT], all[SIZE_TEXT], now[SIZE_TEXT];
	bool ours = w->kind == WORK_CAMPAIGN && w->runs;
	struct sbuf words = { 0 };
	struct grid g;

	if (ours && c && w->bytes_total && !w->waiting[0] && w->bytes) {
		unsigned width = cols > 100 ? 40 : cols >= 80 ? 20 : 10;

		grid_init(&g, 1, width);
		chart_progress(&g, 0, 0, width, (double)w->bytes / (double)w->bytes_total);
		draw_grid(row, 1, &g);
		grid_done(&g);
		sbuf_addf(&words, "%s %s %u/%u: %s of %s, %s %s", c->name,
			  c->op, w->rep, w->reps, ui_size(ui, got, w->bytes),
			  ui_size(ui, all, w->bytes_total),
			  bench_scaled_text(now, c->unit,
					    w->n_samples ? w->samples[w->n_samples - 1] : 0),
			  c->unit->text);
		draw_cell(row, width + 2, cols - width - 3, PAINT_TEXT, CUT_END, sbuf_str(&words));
	} else {
		if (ours && w->waiting[0])
			sbuf_add(&words, w->waiting);
		else if (ours && !run && step_now(w))
			sbuf_addf(&words, "step %u: %s", step_now(w)->n, step_now(w)->why ? step_now(w)->why : "");
		else if (run)
			sbuf_addf(&words, "%s %s: run %u of %u gave %s %s", json_str(run, "workload"),
				  json_str(run, "op") ? json_str(run, "op") : "",
				  (unsigned)json_u64(run, "rep", 0), (unsigned)json_u64(run, "of", 0),
				  rate_text(now, run, ""), bench_unit(run)->text);
		else
			sbuf_add_safe(&words, text ? text : "");
		draw_cell(row, 1, cols - 2, PAINT_TEXT, CUT_END, safe_text(sbuf_str(&words)));
	}
	sbuf_done(&words);
}

static void draw_left(struct ui *ui, const struct campaign_view *v, unsigned row, unsigned cols)
{
	const char *phase = json_str(v->say, "phase"), *text = json_str(v->say, "text");
	char size[SIZE_TEXT], time[SIZE_TEXT];
	struct sbuf words = { 0 };

	if (json_u64(v->say, "write_bytes", 0))
		sbuf_addf(&words, "still to write %s, about %s%s; ",
			  ui_size(ui, size, json_u64(v->say, "write_bytes", 0)),
			  duration_text(time, json_u64(v->say, "left_ns", 0)),
			  json_is_true(json_object_get(v->say, "measured")) ? "" : " (a guess)");
	if (v->alive && phase) {
		sbuf_addf(&words, "%s: ", phase);
		sbuf_add_safe(&words, text ? text : "");
	} else {
		sbuf_addf(&words, "%zu of %zu cells have an end", campaign_ended(&v->cells), v->cells.n);
	}
	draw_cell(row, 1, cols - 2, PAINT_TEXT, CUT_END, sbuf_str(&words));
	sbuf_done(&words);
}

/* --- the whole ------------------------------------------------------------------------- */

static void head(struct ui *ui, const struct campaign_view *v, unsigned cols)
{
	struct sbuf left = { 0 }, right = { 0 };
	const char *phase = json_str(v->say, "phase");
	size_t ended = campaign_ended(&v->cells);
	char time[SIZE_TEXT];

	if (!v->row) {
		ui_head(ui, "Campaigns: none yet", "", "none yet");
		return;
	}
	sbuf_addf(&left, cols < 100 ? "Campaign: %s, %zu x %zu%s%s" :
		  "Campaign: %s, %zu layouts x %zu workloads%s%s", v->name, v->rows.n,
		  v->workloads.n, v->op[0] ? ", " : "", v->op);
	sbuf_addf(&right, "%zu %%", v->cells.n ? 100 * ended / v->cells.n : 100);
	if (v->alive && json_u64(v->say, "left_ns", 0))
		sbuf_addf(&right, " ─ %s left", duration_text(time, json_u64(v->say, "left_ns", 0)));
	else if (!v->alive)
		sbuf_addf(&right, " ─ %s", ended == v->cells.n ? "done" :
			  !strcmp(phase ? phase : "", "paused") ? phase : "stopped");
	ui_head(ui, sbuf_str(&left), sbuf_str(&right), v->name);
	sbuf_done(&left);
	sbuf_done(&right);
}

static void draw_none(struct area body)
{
	draw_wrapped((struct area){ body.row + 1, 3, body.rows - 2, body.cols - 6 }, PAINT_TEXT,
		     "A campaign builds every layout, measures every workload on it, destroys it, and "
		     "goes on with the next; unattended, for days if need be. A crash or a power cut "
		     "costs the repetition at work, no more.\n\n"
		     "f starts one from a file, on the disks that are marked in Disks when the file "
		     "names none. Shipped are omv-layouts, omv-mount, ppl-chunk and ppl-shr: the "
		     "published evaluations. naslab(8) says how one is written.");
}

static void draw_text_table(struct ui *ui, struct campaign_view *v, struct area body)
{
	const struct axis *rows = v->file->table_rows ? v->file->table_rows : v->file->axes.at[0];
	const struct axis *columns = v->file->table_columns ? v->file->table_columns :
		v->file->axes.at[1];
	struct sbuf text = { 0 };
	const char *line;
	size_t i, n = 0;

	campaign_table(v->file, &v->cells, rows, columns, &text);
	for (line = sbuf_str(&text); *line; line += strcspn(line, "\n") + 1)
		n++;
	if (!n)
		draw_text(body.row, 1, PAINT_TEXT, "nothing is measured yet");
	roll_fit(&v->lines, n, body.rows);
	v->page = body.rows;
	for (i = 0, line = sbuf_str(&text); *line; line += strcspn(line, "\n") + 1, i++) {
		char buf[256];

		if (i < v->lines.top || i >= v->lines.top + body.rows)
			continue;
		snprintf(buf, sizeof(buf), "%.*s", (int)strcspn(line, "\n"), line);
		draw_cell(body.row + (unsigned)(i - v->lines.top), 1, body.cols - 2,
			  PAINT_TEXT, CUT_END, safe_text(buf));
	}
	ui_cursor(ui, body.row + (unsigned)(v->lines.at - v->lines.top), 1);
	sbuf_done(&text);
}

static void draw_chosen(const struct campaign_view *v, struct area a)
{
	static const char *const words[] = {
		[CELL_WAITING] = "waiting", [CELL_RUNNING] = "running", [CELL_DONE] = "done",
		[CELL_FAILED] = "failed", [CELL_IMPOSSIBLE] = "not possible",
	};
	const struct campaign_cell *cell = campaign_chosen(v);
	struct sbuf title = { 0 }, text = { 0 };

	if (!cell || a.rows < 2)
		return;
	sbuf_addf(&title, "%s, %s", safe_text(cell->label), cell->workload);
	draw_rule(a.row, 0, a.cols, sbuf_str(&title), words[cell->state]);
	cell_words(v, cell, &text);
	draw_wrapped((struct area){ a.row + 1, 1, a.rows - 1, a.cols - 2 },
		     cell->state == CELL_FAILED ? PAINT_ERROR : PAINT_TEXT, sbuf_str(&text));
	sbuf_done(&title);
	sbuf_done(&text);
}

void campaign_draw(struct ui *ui, void *state, struct area body)
{
	struct campaign_view *v = state;
	bool tall = body.rows >= 16;
	unsigned detail = tall ? 5 : 2, foot = tall ? FOOT : 1, rows, row, i;
	struct shape s;

	if (v->asking) {
		campaign_draw_asking(ui, v, body);
		return;
	}
	head(ui, v, body.cols);
	if (!v->row || !v->workloads.n) {
		draw_none(body);
		return;
	}
	if (v->table && v->file) {
		draw_text_table(ui, v, body);
		return;
	}
	s = shape_of(v, body.cols);
	rows = body.rows - 1 - detail - foot - (tall ? 2 : 0);
	if (rows > v->rows.n)
		rows = (unsigned)v->rows.n;
	scroll(v, &s, rows);
	draw_table_head(v, &s, body.row);
	for (i = 0; i < rows; i++)
		draw_line(ui, v, &s, body.row + 1 + i, v->top + i);
	row = body.row + 1 + rows;
	if (tall && body.cols >= 80)
		draw_textf(row, 1, PAINT_TEXT, "MB/s  n few runs  D flagged  ▶ running  · waiting  ! failed"
			   "  - not possible");
	if (v->rows.n > rows)
		draw_textf(body.row, 8, PAINT_TEXT, "%zu-%zu of %zu", v->top + 1, v->top + rows,
			   v->rows.n);
	row += tall;
	draw_chosen(v, (struct area){ row, 0, body.row + body.rows - foot - tall - row, body.cols });
	if (tall)
		draw_rule(body.row + body.rows - FOOT - 1, 0, body.cols, v->alive ? "now" : "", "");
	draw_now(ui, v, body.row + body.rows - foot, body.cols);
	if (tall)
		draw_left(ui, v, body.row + body.rows - 1, body.cols);
}
