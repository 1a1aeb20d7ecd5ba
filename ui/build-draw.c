/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build-draw - a build on the screen: its steps or its layers, what syncs, and the log. */
#include "ui/build.h"

#include <string.h>

static void draw_step(struct ui *ui, const struct build_view *v, unsigned row, unsigned cols,
		      size_t i, bool on)
{
	static const struct { char state; const char *word; } words[] = {
		{ ' ', "" }, { '>', "runs" }, { '+', "done" }, { 'E', "FAILED" }, { 'u', "undone" },
	};
	const struct work_step *s = &ui->s->work.steps[i];
	enum paint p = s->state == 'E' ? PAINT_ERROR : s->state == '>' ? PAINT_BOLD : PAINT_TEXT;
	char time[SIZE_TEXT];
	size_t k;

	(void)v;
	draw_text(row, 1, PAINT_TEXT, on ? "▶" : " ");
	draw_textf(row, 2, p, "%3u", s->n);
	draw_cell(row, 6, cols - 26, p, CUT_END, s->why ? s->why : "");
	for (k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
		if (words[k].state == s->state)
			draw_text(row, cols - 19, p, words[k].word);
	}
	if (s->state == ' ' && (ui->s->work.ended || ui->s->work.n_planned))
		draw_text(row, cols - 19, p, "not reached");
	if (s->state == '>')
		draw_right(row, cols - 11, 10, PAINT_TEXT,
			   duration_text(time, (uint64_t)(ui_now_ns() - s->began_ns)));
	else if (s->state != ' ')
		draw_textf(row, cols - 11, PAINT_TEXT, "%8.1f s", (double)s->ms / 1000);
}

static void draw_steps(struct ui *ui, struct build_view *v, struct area a)
{
	const struct work *w = &ui->s->work;
	unsigned i;

	/* what was taken back last */
	if ((w->n_planned || w->kind != WORK_BUILD) && w->n_steps && !v->chosen) {
		v->list.at = w->n_steps - 1;
	} else if (w->runs && !v->chosen) {	/* follow the step at work */
		for (i = 0; i < w->n_steps && w->steps[i].state != '>'; i++)
			;
		if (i < w->n_steps)
			v->list.at = i;
	}
	roll_fit(&v->list, w->n_steps, a.rows);
	v->page = a.rows;
	for (i = 0; i < a.rows && v->list.top + i < w->n_steps; i++) {
		bool on = v->list.top + i == v->list.at;

		draw_step(ui, v, a.row + i, a.cols, v->list.top + i, on);
		if (on)
			ui_cursor(ui, a.row + i, 6);
	}
}

/* One layer as planned and as it is. */
static void draw_layer(struct ui *ui, const json_t *o, unsigned row, unsigned cols, bool on)
{
	const char *state = json_str(o, "state"), *level = json_str(o, "level");
	const char *detail = json_str(o, "detail");
	uint64_t plan = json_u64(o, "bytes", 0), is = json_u64(o, "actual_bytes", 0);
	bool bad = state && strcmp(state, "ok") && strcmp(state, "syncing") && strcmp(state, "checking") &&
		strcmp(state, "left out");
	char size[SIZE_TEXT];

	draw_text(row, 1, PAINT_TEXT, on ? "▶" : " ");
	draw_cell(row, 3, 9, PAINT_TEXT, CUT_END, json_str(o, "layer") ? json_str(o, "layer") : "");
	draw_cell(row, 13, cols >= 80 ? 18 : 10, PAINT_TEXT, CUT_START,
		  json_str(o, "name") ? json_str(o, "name") : "");
	if (cols < 80) {
		ui_draw_size(ui, row, 23, 9, PAINT_TEXT, is ? is : plan);
		draw_cell(row, 33, cols - 33, bad ? PAINT_ERROR : PAINT_TEXT, CUT_END,
			  state ? state : "?");
		return;
	}
	draw_cell(row, 32, 7, PAINT_TEXT, CUT_END, level ? level : "");
	draw_right(row, 39, 20, PAINT_TEXT, size_text(size, plan, SIZE_BYTES));
	draw_cell(row, 60, 2, is == plan ? PAINT_TEXT : PAINT_WARN, CUT_END,
		  !is ? "?" : is == plan ? "=" : "!");
	draw_cell(row, 62, 9, bad ? PAINT_ERROR : PAINT_TEXT, CUT_END, state ? state : "?");
	/* what has no room here stands in the line below, for the chosen row */
	if (detail && draw_width(safe_text(detail)) <= cols - 73)
		draw_text(row, 72, PAINT_TEXT, safe_text(detail));
}

static void draw_layers(struct ui *ui, struct build_view *v, struct area a)
{
	const json_t *layers_now = json_object_get(v->status, "layers");
	size_t n = json_array_size(layers_now);
	unsigned i;

	if (v->status_err.text[0]) {
		draw_wrapped((struct area){ a.row, 1, a.rows, a.cols - 2 }, PAINT_TEXT,
			     v->status_err.text);
		return;
	}
	if (a.cols >= 80)
		draw_text(a.row, 3, PAINT_TEXT, "layer     name               level        "
			  "planned bytes   is now");
	roll_fit(&v->list, n, a.rows - 1);
	v->page = a.rows - 1;
	for (i = 0; i + 1 < a.rows && v->list.top + i < n; i++) {
		bool on = v->list.top + i == v->list.at;

		draw_layer(ui, json_array_get(layers_now, v->list.top + i), a.row + 1 + i, a.cols, on);
		if (on)
			ui_cursor(ui, a.row + 1 + i, 3);
	}
}

/* One line for each array that syncs: the kernel's percent and rate; no rate, no estimate. */
static void draw_sync(unsigned row, unsigned cols, const char *name, double percent, uint64_t bps,
		      uint64_t left_ns)
{
	unsigned width = cols >= 80 ? 28 : 8;
	char rate[SIZE_TEXT], left[SIZE_TEXT];
	struct grid g;

	if (strrchr(name, '/'))
		name = strrchr(name, '/') + 1;
	draw_cell(row, 1, cols >= 80 ? 14 : 9, PAINT_TEXT, CUT_START, name);
	grid_init(&g, 1, width);
	chart_progress(&g, 0, 0, width, percent / 100);
	draw_grid(row, cols >= 80 ? 16 : 11, &g);
	grid_done(&g);
	draw_textf(row, (cols >= 80 ? 17 : 12) + width, PAINT_TEXT, "%5.1f %%", percent);
	if (!bps)
		draw_text(row, (cols >= 80 ? 27 : 20) + width, PAINT_TEXT, "waiting");
	else if (cols >= 80)
		draw_textf(row, 27 + width, PAINT_TEXT, "%s MB/s  %s left",
			   plain_number_text(rate, (double)bps / 1e6),
			   left_ns ? duration_text(left, left_ns) : "?");
	else
		draw_textf(row, 20 + width, PAINT_TEXT, "%s left",
			   left_ns ? duration_text(left, left_ns) : "?");
}

unsigned build_syncs(const struct ui *ui, const struct build_view *v)
{
	const json_t *layer;
	unsigned n = 0;
	size_t i;

	if (build_is_work_of(ui, v) && ui->s->work.runs)
		return (unsigned)ui->s->work.n_syncs;
	json_array_foreach(json_object_get(v->status, "layers"), i, layer)
		n += json_object_get(layer, "sync_percent") != NULL;
	return n;
}

static void draw_syncs(struct ui *ui, const struct build_view *v, struct area a)
{
	const struct work *w = &ui->s->work;
	const json_t *layer;
	unsigned used = 0;
	size_t i;

	if (build_is_work_of(ui, v) && w->runs) {
		for (i = 0; i < w->n_syncs && used < a.rows; i++)
			draw_sync(a.row + used++, a.cols, w->syncs[i].device, w->syncs[i].percent,
				  w->syncs[i].bps, w->syncs[i].left_ns);
		return;
	}
	json_array_foreach(json_object_get(v->status, "layers"), i, layer) {
		if (json_object_get(layer, "sync_percent") && used < a.rows)
			draw_sync(a.row + used++, a.cols, json_str(layer, "name"),
				  json_number_value(json_object_get(layer, "sync_percent")),
				  json_u64(layer, "sync_bps", 0), json_u64(layer, "sync_left_ns", 0));
	}
}

static void draw_log(struct ui *ui, struct build_view *v, struct area a)
{
	const struct work *w = &ui->s->work;
	size_t n = w->n_lines < WORK_LINES ? w->n_lines : WORK_LINES;
	unsigned i;

	if (!v->log)
		v->lines.at = n ? n - 1 : 0;
	roll_fit(&v->lines, n, a.rows);
	for (i = 0; i < a.rows && v->lines.top + i < n; i++)
		draw_cell(a.row + i, 1, a.cols - 2, v->log && v->lines.top + i == v->lines.at ?
			  PAINT_CHOSEN : PAINT_TEXT, CUT_END,
			  w->lines[(w->n_lines - n + v->lines.top + i) % WORK_LINES]);
	if (!n)
		draw_text(a.row, 1, PAINT_TEXT, "nothing said yet");
}

static const char *doing(const struct work *w)
{
	switch (w->kind) {
	case WORK_DESTROY:	return w->runs ? "being destroyed" : w->ok ? "destroyed" : "failed";
	case WORK_RECOVER:	return w->runs ? "being taken back" : w->ok ? "taken back" : "failed";
	default:		return w->runs && w->n_planned ? "being taken back" : w->runs ?
				"being built" : w->ok ? "built" : w->stop_asked ? "stopped, taken back" :
				"failed";
	}
}

static void build_head(struct ui *ui, const struct build_view *v)
{
	const struct work *w = &ui->s->work;
	struct sbuf left = { 0 }, right = { 0 };
	char time[SIZE_TEXT];

	if (!v->name[0]) {
		ui_head(ui, "Build: nothing built or opened yet", "", "nothing built");
		return;
	}
	sbuf_addf(&left, "Build %s: %s", v->name, build_is_work_of(ui, v) ? doing(w) :
		  json_str(v->status, "build") ? json_str(v->status, "build") : "not found");
	if (build_is_work_of(ui, v) && w->n_planned)
		sbuf_addf(&right, "%zu step%s taken back", w->n_steps - w->n_planned,
			  w->n_steps - w->n_planned == 1 ? "" : "s");
	else if (build_is_work_of(ui, v))
		sbuf_addf(&right, "%zu of %zu steps, %s", w->n_done, work_all(w), duration_text(time,
			  (uint64_t)((w->ended ? w->ended_ns : ui_now_ns()) - w->began_ns)));
	else if (v->status && json_is_true(json_object_get(v->status, "agrees")))
		sbuf_add(&right, "every size as planned");
	ui_head(ui, sbuf_str(&left), sbuf_str(&right), sbuf_str(&left) + 6);
	sbuf_done(&left);
	sbuf_done(&right);
}

void build_draw(struct ui *ui, void *state, struct area body)
{
	struct build_view *v = state;
	bool work = build_is_work_of(ui, v), tall = body.rows >= 16;
	unsigned syncs = build_syncs(ui, v), row, log = work && tall ? body.rows / 4 : 0, list;

	/* what was seen before it ended is not how it is */
	if (work && ui->s->work.ended && v->looked_ns < ui->s->work.ended_ns)
		build_read(ui, v);
	build_head(ui, v);
	if (!v->name[0]) {
		draw_wrapped((struct area){ body.row + 1, 1, 4, body.cols - 2 }, PAINT_TEXT,
			     "Nothing is built or opened yet. The plan's Enter builds; the first "
			     "screen's o opens a build that exists.");
		return;
	}
	if (v->log) {
		v->page = body.rows;
		draw_log(ui, v, body);
		return;
	}
	if (!v->chosen)
		v->layers = !work || (ui->s->work.ended && ui->s->work.ok &&
				      ui->s->work.kind == WORK_BUILD);
	if (syncs > 6)
		syncs = 6;
	list = body.rows - (log ? log + 1 : 0) - (syncs ? syncs + 1 : 0);
	if (v->layers)
		draw_layers(ui, v, (struct area){ body.row, 0, list, body.cols });
	else
		draw_steps(ui, v, (struct area){ body.row, 0, list, body.cols });
	row = body.row + list;
	if (syncs) {
		draw_rule(row, 0, body.cols, "first sync", body.cols >= 80 ?
			  "usable meanwhile; measure when it is done" : "");
		draw_syncs(ui, v, (struct area){ row + 1, 0, syncs, body.cols });
		row += syncs + 1;
	}
	if (log) {
		draw_rule(row, 0, body.cols, "log", "o shows all of it");
		draw_log(ui, v, (struct area){ row + 1, 0, log, body.cols });
	}
}
