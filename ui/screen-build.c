/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen-build - a build while it is made, and afterwards: its steps, its layers as planned
 * and as they are, the first sync by the kernel's own numbers, and the log. Leaving it stops
 * nothing; a build that another naslab makes is seen through its journal.
 */
#include "ui/build.h"

#include <stdlib.h>
#include <string.h>

enum { LOG = ACT_SCREEN, DESTROY, STOP, AGAIN };
enum { LOOK_MS = 2000 };

bool build_is_work_of(const struct ui *ui, const struct build_view *v)
{
	const struct work *w = &ui->s->work;

	return w->kind != WORK_NONE && w->kind < WORK_BENCH && w->name && !strcmp(w->name, v->name);
}

void build_read(struct ui *ui, struct build_view *v)
{
	struct store *st = NULL;
	struct err e = { 0 };

	v->looked_ns = ui_now_ns();
	json_decref(v->status);
	v->status = NULL;
	v->status_err = (struct err){ 0 };
	if (!v->name[0] || !store_exists(ui->s->db))
		return;
	if (store_open_read(ui->s->db, &st, &e) < 0 ||
	    build_status(st, v->name, ui->s->root, &v->status, &e) < 0)
		v->status_err = e;
	store_close(st);
	ui->changed = true;
}

static int build_enter(struct ui *ui, void *state)
{
	struct build_view *v = state;
	const struct work *w = &ui->s->work;

	if (w->kind != WORK_NONE && w->kind < WORK_BENCH && w->name)
		snprintf(v->name, sizeof(v->name), "%s", w->name);
	else if (ui->s->open_name)
		snprintf(v->name, sizeof(v->name), "%s", ui->s->open_name);
	v->chosen = false;
	build_read(ui, v);
	return 0;
}

void build_look(struct ui *ui, const char *name)
{
	struct err e = { 0 };

	session_open(ui->s, name);
	session_take_open(ui->s);
	if (!ui->s->work.runs && work_attach(&ui->s->work, ui->s->db, name, &e) < 0)
		ui_fail(ui, &e);
	ui_goto(ui, &screen_build);
}
/* --- actions --------------------------------------------------------------------------- */

static void stop_take(struct ui *ui, void *arg, size_t at)
{
	struct err e = { 0 };

	(void)arg;
	if (at)
		return;
	if (work_stop(&ui->s->work, &e) < 0)
		ui_fail(ui, &e);
	else
		ui_say(ui, ' ', "it stops after this step and takes back what it made; X again stops "
		       "the step too");
}

static void stop(struct ui *ui)
{
	struct arena *a = arena_new();
	struct choice *c = arena_array(a, 2, sizeof(*c));

	c[0] = (struct choice){ .label = "stop it and take it back",
		.help = "the step at work ends, then what was made is undone, last first" };
	c[1] = (struct choice){ .label = "let it go on", .help = "back to the screen" };
	ui_choose(ui, &(struct choices){ .title = "Stop this work?", .items = c, .n = 2, .at = 1,
		  .arena = a, .take = stop_take });
}

static void destroy(struct ui *ui, const struct build_view *v)
{
	snprintf(ui->destroy_name, sizeof(ui->destroy_name), "%s", v->name);
	if (!ui_push(ui, &screen_confirm))
		ui->destroy_name[0] = '\0';
}

static enum react build_act(struct ui *ui, void *state, int act)
{
	struct build_view *v = state;

	switch (act) {
	case LOG:
		v->log = !v->log;
		return REACT_DONE;
	case ACT_TAB:
		v->layers = !v->layers;
		v->chosen = true;
		v->list = (struct roll){ 0 };
		return REACT_DONE;
	case DESTROY:
		destroy(ui, v);
		return REACT_DONE;
	case STOP:
		stop(ui);
		return REACT_DONE;
	case AGAIN:
		build_read(ui, v);
		return REACT_DONE;
	case ACT_BACK:
		if (!v->log)
			return REACT_UNKNOWN;
		v->log = false;
		return REACT_DONE;
	default:
		if (v->log)
			return roll_act(&v->lines, act, v->page);
		if (roll_act(&v->list, act, v->page) == REACT_UNKNOWN)
			return REACT_UNKNOWN;
		v->chosen = true;
		return REACT_DONE;
	}
}

static const char *build_cannot(const struct ui *ui, void *state, int act)
{
	const struct build_view *v = state;
	const struct work *w = &ui->s->work;

	switch (act) {
	case LOG:
		return build_is_work_of(ui, v) ? NULL : "there is a log only of what was built since naslab "
						  "was started";
	case ACT_TAB:
		return build_is_work_of(ui, v) && v->status ? NULL : "there is one list only";
	case STOP:
		return w->runs && w->kind < WORK_BENCH ? NULL : "nothing runs here";
	case AGAIN:
		return v->name[0] ? NULL : "nothing is built or opened yet";
	case DESTROY:
		if (w->runs)
			return "other work still runs; one thing at a time";
		if (v->status && !strcmp(json_str(v->status, "build") ? json_str(v->status, "build") : "",
					 build_state_word(BUILD_FAILED)))
			return "nothing of it is left on the disks";
		return v->status ? NULL : "nothing is built or opened yet";
	default:
		return NULL;
	}
}

static void build_status_line(struct ui *ui, void *state, struct sbuf *out)
{
	struct build_view *v = state;
	const struct work *w = &ui->s->work;
	char time[SIZE_TEXT];
	int64_t quiet = ui_now_ns() - w->last_line_ns;
	const json_t *chosen = json_array_get(json_object_get(v->status, "layers"), v->list.at);

	if (build_is_work_of(ui, v) && w->runs && quiet > 30 * (int64_t)1000000000)
		sbuf_addf(out, "no output for %s; ", duration_text(time, (uint64_t)quiet));
	if (build_is_work_of(ui, v) && w->runs)
		sbuf_add(out, w->started_here ? "leaving does not stop it" :
			 "another naslab began this; it is seen through its journal");
	else if (build_is_work_of(ui, v) && w->ended)
		sbuf_addf(out, "%s%s", w->ok ? "" : "E ", w->text);
	else if (build_is_down(v->status))
		sbuf_addf(out, "! not all of it is up: naslab mount %s, in a shell, brings it up", v->name);
	else if (json_str(chosen, "detail"))
		sbuf_addf(out, "%s: %s", json_str(chosen, "name"), safe_text(json_str(chosen, "detail")));
	else if (v->status)
		sbuf_addf(out, "Next: %u Bench", ui_step_number(&screen_bench));
}

static void build_tick(struct ui *ui, void *state)
{
	struct build_view *v = state;
	const struct work *w = &ui->s->work;
	bool work = build_is_work_of(ui, v);

	if (!v->name[0] || ui_top(ui) != &screen_build)
		return;
	if (work && w->runs)
		ui->changed = true;	/* a clock runs */
	else if (ui_now_ns() - v->looked_ns > LOOK_MS * (int64_t)1000000)
		build_read(ui, v);
}

static unsigned build_every(const struct ui *ui, void *state)
{
	const struct build_view *v = state;

	if (ui_top(ui) != &screen_build || !v->name[0])
		return 0;
	return build_is_work_of(ui, v) && ui->s->work.runs ? 1000 : build_syncs(ui, v) ? LOOK_MS : 0;
}

static char build_mark(const struct ui *ui)
{
	const struct work *w = &ui->s->work;

	if (w->kind == WORK_BUILD)
		return w->runs ? '*' : w->ok ? '+' : '!';
	if (w->kind == WORK_DESTROY || w->kind == WORK_RECOVER)
		return w->runs ? '*' : w->ok ? '-' : '!';
	return ui->s->open_name ? '+' : '-';
}

static void build_done(void *state)
{
	json_decref(((struct build_view *)state)->status);
}

int build_disks(struct ui *ui, const char *name, struct arena *a, struct list *disks,
		uint64_t *bytes)
{
	struct store *st = NULL;
	struct err e = { 0 };
	struct build b;
	json_t *plan = NULL, *row;
	size_t i;
	int rc;

	rc = store_open_read(ui->s->db, &st, &e);
	if (rc == 0)
		rc = store_build_find(st, name, a, &b, &e);
	if (rc == 1)
		err_set(&e, ERR_FAIL, "there is no build named %.40s", name);
	store_close(st);
	if (rc) {
		ui_fail(ui, &e);
		return -1;
	}
	plan = json_loads(b.plan, 0, NULL);
	*bytes = json_u64(plan, "usable_bytes", 0);
	json_array_foreach(json_object_get(plan, "disks"), i, row) {
		const char *dev = json_str(row, "device");
		const struct disk *now = ui->s->inv && dev ? inventory_find(ui->s->inv, dev) : NULL;
		struct disk *d = arena_alloc(a, sizeof(*d));

		d->name = arena_strdup(a, json_str(row, "name"));
		d->bytes = json_u64(row, "bytes", 0);
		d->state = DISK_DATA;
		d->model = now ? arena_strdup(a, now->model) : NULL;
		d->serial = now ? arena_strdup(a, now->serial) : NULL;
		d->why = arena_printf(a, "part of %s", name);
		list_add(a, disks, d);
	}
	json_decref(plan);
	return 0;
}

static const struct key build_keys[] = {
	{ ACT_UP, "Up k", "↑↓", "look", 3, "another line; Up and Down, j and k" },
	{ ACT_TAB, "Tab", NULL, "steps/layers", 2, "the steps, or the layers as they are now" },
	{ LOG, "o", NULL, "log", 2, "the whole log, and back" },
	{ AGAIN, "r F5", NULL, "again", 4, "look at the layers again" },
	{ DESTROY, "D", NULL, "destroy", 2, "destroy the build: names its disks first and asks" },
	{ ACT_STEP_ON, "]", NULL, "next", 2, "on to the bench" },
	{ STOP, "X", NULL, "stop", 1, "stop the work and take back what it made" },
	{ 0 }
};

const struct screen screen_build = {
	.name = "build", .title = "Build", .step = true,
	.about = "The steps while they run, then every layer as planned and as it is: = says the "
		 "size is the planned one to the byte. The array can be used while it syncs; "
		 "measure when that is done.",
	.state_size = sizeof(struct build_view), .keys = build_keys, .mark = build_mark,
	.enter = build_enter, .draw = build_draw, .act = build_act, .cannot = build_cannot,
	.status = build_status_line, .tick = build_tick, .every_ms = build_every, .done = build_done,
};
