/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen-campaign - a campaign from outside: its grid of cells filling, what goes on now,
 * and what a cell found. All of it comes from the database, so that it does not matter
 * which naslab runs it; leaving the screen stops nothing.
 */
#include "ui/campaign.h"

#include <string.h>

#include "ui/results.h"

enum {
	OP = ACT_SCREEN, FILE_START, OTHER, GO_ON, RETRY, LEAVE_OUT, TABLE, EXPORT, PAUSE, STOP, DELETE
};
enum { LOOK_NS = 900000000 };

size_t campaign_ended(const struct list *cells)
{
	size_t i, n = 0;

	for (i = 0; i < cells->n; i++) {
		enum cell_state state = ((const struct campaign_cell *)cells->at[i])->state;

		n += state != CELL_WAITING && state != CELL_RUNNING;
	}
	return n;
}

size_t campaign_ops(const struct campaign_view *v, const char *ops[16])
{
	size_t i, k, m, n = 0;

	for (i = 0; i < v->cells.n; i++) {
		const struct campaign_cell *cell = v->cells.at[i];
		json_t *results = cell->results ? json_loads(cell->results, 0, NULL) : NULL, *r;

		json_array_foreach(results, k, r) {
			const char *op = json_str(r, "op");

			for (m = 0; op && m < n && strcmp(ops[m], op); m++)
				;
			if (op && m == n && n < 16)
				ops[n++] = arena_strdup(v->arena, op);
		}
		json_decref(results);
	}
	return n;
}

const struct campaign_cell *campaign_at(const struct campaign_view *v, size_t row, size_t workload)
{
	const struct campaign_cell *first;

	if (row >= v->rows.n || workload >= v->workloads.n)
		return NULL;
	first = v->rows.at[row];
	return campaign_cell_at(&v->cells, first->layout, first->ram_bytes, v->workloads.at[workload]);
}

const struct campaign_cell *campaign_chosen(const struct campaign_view *v)
{
	return campaign_at(v, v->at_row, v->at_workload);
}

/* --- reading --------------------------------------------------------------------------- */

/* The one of that name, else one that runs, else the newest. */
static const struct stored_campaign *find_row(const struct campaign_view *v)
{
	const struct stored_campaign *best = NULL;
	size_t i;

	for (i = 0; i < v->all.n; i++) {	/* of one name the newest counts */
		const struct stored_campaign *c = v->all.at[i];

		if (!strcmp(c->name, v->name))
			best = c;
	}
	for (i = 0; !best && i < v->all.n; i++) {
		if (campaign_alive(v->all.at[i]))
			best = v->all.at[i];
	}
	return best || !v->all.n ? best : v->all.at[v->all.n - 1];
}

/* The rows in the order of the file. */
static void add_rows(struct campaign_view *v, const json_t *text)
{
	const json_t *rams = json_object_get(text, "rams"), *layout;
	size_t i, k;

	json_array_foreach(json_object_get(text, "layouts"), i, layout) {
		uint64_t ram = rams ? (uint64_t)json_integer_value(json_array_get(rams, i)) :
			json_u64(text, "ram_bytes", 0);

		for (k = 0; json_is_string(layout) && k < v->cells.n; k++) {
			const struct campaign_cell *c = v->cells.at[k];

			if (c->ram_bytes != ram || strcmp(c->layout, json_string_value(layout)))
				continue;
			list_add(v->arena, &v->rows, v->cells.at[k]);
			break;
		}
	}
}

/* And the columns. */
static void add_words(struct campaign_view *v, struct list *out, const json_t *words)
{
	const json_t *word;
	size_t i;

	json_array_foreach(words, i, word) {
		if (json_is_string(word))
			list_add(v->arena, out, arena_strdup(v->arena, json_string_value(word)));
	}
}

/* The file as it was: for its axes. */
static void parse_source(struct campaign_view *v)
{
	struct err e = { 0 };

	if (v->row->id == v->file_of)
		return;
	campaign_free(v->file);
	v->file = NULL;
	v->file_of = v->row->id;
	if (v->row->source)
		campaign_parse(v->row->source, v->row->name, &v->file, &e);
}

static void take_row(struct campaign_view *v)
{
	json_t *text = json_loads(v->row->text, 0, NULL);

	snprintf(v->name, sizeof(v->name), "%s", v->row->name);
	add_rows(v, text);
	add_words(v, &v->workloads, json_object_get(text, "workloads"));
	json_decref(text);
	v->say = v->row->say ? json_loads(v->row->say, 0, NULL) : NULL;
	v->alive = campaign_alive(v->row);
	parse_source(v);
	if (v->at_row >= v->rows.n)
		v->at_row = v->rows.n ? v->rows.n - 1 : 0;
	if (v->at_workload >= v->workloads.n)
		v->at_workload = v->workloads.n ? v->workloads.n - 1 : 0;
}

int campaign_read(struct ui *ui, struct campaign_view *v)
{
	const char *ops[16];
	struct store *st = NULL;
	struct err e = { 0 };
	int rc = 0;

	arena_free(v->arena);
	json_decref(v->say);
	v->arena = arena_new();
	v->say = NULL;
	v->row = NULL;
	v->alive = false;
	v->all = v->cells = v->rows = v->workloads = (struct list){ 0 };
	v->looked_ns = ui_now_ns();
	if (!store_exists(ui->s->db))
		return 0;
	rc = store_open_read(ui->s->db, &st, &e) || store_campaigns(st, v->arena, &v->all, &e) ? -1 : 0;
	if (rc == 0)
		v->row = find_row(v);
	if (v->row)
		rc = store_cells(st, v->row->id, v->arena, &v->cells, &e);
	if (v->row && rc == 0 && !campaign_alive(v->row))
		rc = store_cells_kept(st, v->row->id, &v->cells, &e);
	store_close(st);
	if (rc) {
		v->row = NULL;
		ui_fail(ui, &e);
		return -1;
	}
	if (v->row)
		take_row(v);
	if (!v->op[0] && campaign_ops(v, ops))
		snprintf(v->op, sizeof(v->op), "%s", ops[0]);
	ui->changed = true;
	return 0;
}

static int enter(struct ui *ui, void *state)
{
	campaign_read(ui, state);
	return 0;
}

/* --- actions --------------------------------------------------------------------------- */

static void other_op(struct ui *ui, struct campaign_view *v)
{
	const char *ops[16];
	size_t i, n = campaign_ops(v, ops);

	for (i = 0; i < n && strcmp(ops[i], v->op); i++)
		;
	if (n)
		snprintf(v->op, sizeof(v->op), "%s", ops[i + 1 < n ? i + 1 : 0]);
	ui_say(ui, ' ', n ? "the cells show %s" : "nothing is measured yet", v->op);
}

/* Write a state into the table; whoever runs the campaign heeds it before its next layout. */
static void set_cell(struct ui *ui, struct campaign_view *v, enum cell_state state,
		     const char *reason, const char *said)
{
	struct campaign_cell copy = *campaign_chosen(v), *at = &copy;
	struct store *st = NULL;
	struct err e = { 0 };

	if (store_open(ui->s->db, &st, &e) || store_cells_set(st, &at, 1, state, reason, &e))
		ui_fail(ui, &e);
	else
		ui_say(ui, ' ', "%s", said);
	store_close(st);
	campaign_read(ui, v);
}

static void other_take(struct ui *ui, void *arg, size_t at)
{
	struct campaign_view *v = arg;

	if (at >= v->all.n) {
		campaign_ask_file(ui, v);
		return;
	}
	snprintf(v->name, sizeof(v->name), "%s",
		 ((const struct stored_campaign *)v->all.at[v->all.n - 1 - at])->name);
	v->at_row = v->at_workload = v->top = v->left = 0;
	v->op[0] = '\0';
	campaign_read(ui, v);
}

static void choose(struct ui *ui, struct campaign_view *v)
{
	struct arena *a = arena_new();
	struct choice *c = arena_array(a, v->all.n + 1, sizeof(*c));
	size_t i;

	for (i = 0; i < v->all.n; i++) {	/* newest first */
		const struct stored_campaign *one = v->all.at[v->all.n - 1 - i];

		c[i].label = arena_strdup(a, one->name);
		c[i].note = campaign_alive(one) ? "runs" : "";
		c[i].help = "shows its cells";
	}
	c[i].label = "start one from a file";
	c[i].help = "asks for the file of a campaign, or the name of a shipped one";
	ui_choose(ui, &(struct choices){ .title = "Campaigns", .items = c, .n = v->all.n + 1,
		  .arena = a, .take = other_take, .arg = v });
}

static void open_results(struct ui *ui, struct campaign_view *v)
{
	const struct campaign_cell *cell = campaign_chosen(v);

	if (cell->state != CELL_DONE)
		ui_say(ui, ' ', "it has no results yet");
	else
		results_show(ui, cell->workload, v->op, cell->label);
}

static enum react move(struct campaign_view *v, int act)
{
	struct roll rows = { .n = v->rows.n, .at = v->at_row };

	if (v->table)
		return roll_act(&v->lines, act, v->page);
	if (act == ACT_LEFT) {
		v->at_workload -= v->at_workload > 0;
		return REACT_DONE;
	}
	if (act == ACT_RIGHT) {
		v->at_workload += v->at_workload + 1 < v->workloads.n;
		return REACT_DONE;
	}
	if (roll_act(&rows, act, v->page) == REACT_UNKNOWN)
		return REACT_UNKNOWN;
	v->at_row = rows.at;
	return REACT_DONE;
}

static enum react act(struct ui *ui, void *state, int what)
{
	struct campaign_view *v = state;

	if (v->asking)
		return campaign_act_asking(ui, v, what);
	switch (what) {
	case OP:
		other_op(ui, v);
		return REACT_DONE;
	case FILE_START:
		campaign_ask_file(ui, v);
		return REACT_DONE;
	case OTHER:
		choose(ui, v);
		return REACT_DONE;
	case GO_ON:
		if (v->alive)
			campaign_unpause(ui, v);
		else
			campaign_go_on(ui, v);
		return REACT_DONE;
	case RETRY:
		set_cell(ui, v, CELL_WAITING, NULL, v->alive ? "it waits again, for after this layout" :
			 "it waits again; s goes on");
		return REACT_DONE;
	case LEAVE_OUT:
		set_cell(ui, v, CELL_IMPOSSIBLE, "left out by hand", "it is left out; r takes it in again");
		return REACT_DONE;
	case TABLE:
		v->table = !v->table;
		v->lines = (struct roll){ 0 };
		return REACT_DONE;
	case EXPORT:
		v->filter = (struct report_filter){ .campaign = v->name };
		ui_export(ui, "Export what this campaign measured", v->name, &v->filter);
		return REACT_DONE;
	case PAUSE:
		campaign_pause(ui, v);
		return REACT_DONE;
	case STOP:
		campaign_stop(ui, v);
		return REACT_DONE;
	case DELETE:
		campaign_delete(ui, v);
		return REACT_DONE;
	case ACT_ENTER:
		open_results(ui, v);
		return REACT_DONE;
	case ACT_BACK:
		if (!v->table)
			return REACT_UNKNOWN;
		v->table = false;
		return REACT_DONE;
	default:
		return move(v, what);
	}
}

static bool can_retry(const struct campaign_cell *cell)
{
	return cell && (cell->state == CELL_FAILED ||
			(cell->state == CELL_IMPOSSIBLE && cell->reason &&
			 !strcmp(cell->reason, "left out by hand")));
}

static const char *cannot(const struct ui *ui, void *state, int what)
{
	const struct campaign_view *v = state;
	const struct campaign_cell *cell = v->row && !v->asking ? campaign_chosen(v) : NULL;

	if (v->asking)
		return what < ACT_SCREEN && what != ACT_LEFT ? NULL : "type the name, or Esc goes back";
	switch (what) {
	case OP:
	case ACT_ENTER:
	case ACT_LEFT:
		return cell ? NULL : "there is no campaign yet: f starts one from a file";
	case FILE_START:
		return ui->s->work.runs ? "other work still runs; one thing at a time" : NULL;
	case GO_ON:
		return !v->row ? "there is no campaign yet: f starts one from a file" :
			v->alive ? (v->row->pause ? NULL : "it runs") : ui->s->work.runs ?
			"other work still runs; one thing at a time" :
			campaign_ended(&v->cells) == v->cells.n ? "every cell has an end" : NULL;
	case RETRY:
		return can_retry(cell) ? NULL : "only a failed cell, or one that was left out";
	case LEAVE_OUT:
		return cell && cell->state == CELL_WAITING ? NULL : "only a cell that waits";
	case TABLE:
		return v->row && v->file && v->file->axes.n >= 2 ? NULL : "it has no two axes";
	case EXPORT:
		return campaign_ended(&v->cells) ? NULL : "nothing has been measured yet";
	case PAUSE:
	case STOP:
		return v->alive ? NULL : "it does not run";
	case DELETE:
		return campaign_keeps(v);
	default:
		return NULL;
	}
}

static void status(struct ui *ui, void *state, struct sbuf *out)
{
	const struct campaign_view *v = state;

	if (v->asking)
		sbuf_addf(out, "nothing is written before the name is typed: %s", v->next->name);
	else if (!v->row)
		sbuf_add(out, "f starts one from a file");
	else if (v->alive && v->row->pause)
		sbuf_addf(out, "it pauses after the %s at work; s lets it go on",
			  v->row->pause == PAUSE_LAYOUT ? "layout" : "repetition");
	else if (v->alive)
		sbuf_add(out, "it goes on without this screen; X stops it, every finished cell is kept");
	else if (campaign_ended(&v->cells) < v->cells.n)
		sbuf_add(out, ui->s->work.runs ? "it does not run" : "it does not run; s goes on at the next cell");
	else
		sbuf_add(out, "every cell has an end");
}

static void tick(struct ui *ui, void *state)
{
	struct campaign_view *v = state;

	if (ui_top(ui) == &screen_campaign && !v->asking && ui_now_ns() - v->looked_ns >= LOOK_NS)
		campaign_read(ui, v);
}

static unsigned every(const struct ui *ui, void *state)
{
	const struct campaign_view *v = state;

	return ui_top(ui) == &screen_campaign && !v->asking && v->alive ? 1000 : 0;
}

static struct field *field(struct ui *ui, void *state)
{
	struct campaign_view *v = state;

	(void)ui;
	return v->asking ? &v->field : NULL;
}

static void done(void *state)
{
	struct campaign_view *v = state;

	campaign_forget_asking(v);
	campaign_free(v->file);
	json_decref(v->say);
	arena_free(v->arena);
}

static const struct key keys[] = {
	{ ACT_LEFT, "Left h", "←→↑↓", "cell", 3, "another cell; the arrows, h j k l" },
	{ ACT_ENTER, "Enter", NULL, "take", 2, "the results of the cell; before a start: begin" },
	{ OP, "o", NULL, "write/read", 3, "the medians of another operation" },
	{ TABLE, "t", NULL, "table", 3, "two axes as rows and columns, with ratios" },
	{ RETRY, "r", NULL, "retry", 2, "let a failed cell wait again" },
	{ LEAVE_OUT, "n", NULL, "leave out", 5, "leave a waiting cell out" },
	{ GO_ON, "s", NULL, "go on", 1, "go on where it stopped" },
	{ FILE_START, "f", NULL, "from a file", 4, "start a campaign from a file" },
	{ OTHER, "c", NULL, "others", 5, "another campaign of the database" },
	{ PAUSE, "p Space", NULL, "pause", 1, "end after the repetition or the layout at work" },
	{ STOP, "X", NULL, "stop", 1, "stop it now; every finished cell is kept" },
	{ EXPORT, "e", NULL, "export", 4, "export what it measured: csv, json, svg, pdf or xlsx" },
	{ DELETE, "D", NULL, "delete", 5, "forget the campaign; what it measured stays" },
	{ 0 }
};

const struct screen screen_campaign = {
	.name = "campaign", .title = "Campaign",
	.about = "Layouts down, workloads across: every cell is built, measured and destroyed by "
		 "itself, without anybody at the keyboard. It does not matter which naslab runs it. "
		 "A number is the median; n: fewer than 6 runs, D: flagged.",
	.state_size = sizeof(struct campaign_view), .keys = keys, .enter = enter, .draw = campaign_draw,
	.act = act, .cannot = cannot, .status = status, .tick = tick, .every_ms = every,
	.field = field, .done = done,
};
