/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run - a campaign from cell to cell.
 *
 * All writing is done by executors, one after another, that stop when this process is
 * gone. What was decided is in the database before it begins, so whatever ends us, the
 * next start knows the cell; and it takes back what stands before it goes on.
 */
#include "campaign/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/err.h"
#include "base/json.h"
#include "build/build.h"
#include "disk/disk.h"
#include "layout/plan.h"
#include "layout/recipe.h"

enum { CLEAR_TRIES = 60 };

static void pause_ms(unsigned ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

bool campaign_stops(struct campaign_work *w)
{
	if (!w->stopped && w->run->stopped)
		w->stopped = w->run->stopped(w->run->arg);
	return w->stopped;
}

/* A screen may have asked for a pause in the database: then it stops here. */
static void look_for_pause(struct campaign_work *w, enum campaign_pause least)
{
	enum campaign_pause asked;
	struct err e = { 0 };

	if (w->stopped || store_campaign_pauses(w->run->store, w->run->row->id, &asked, &e) ||
	    asked == PAUSE_NO || asked > least)
		return;
	w->paused = asked;
	w->stopped = true;
}

void campaign_emit(struct campaign_work *w, json_t *event)
{
	w->run->emit(w->run->arg, event);
	json_decref(event);
}

/* How many cells have an end. */
static size_t ended(const struct list *cells)
{
	size_t i, n = 0;

	for (i = 0; i < cells->n; i++) {
		enum cell_state state = ((const struct campaign_cell *)cells->at[i])->state;

		n += state != CELL_WAITING && state != CELL_RUNNING;
	}
	return n;
}

/* For screens elsewhere. A database that cannot take it will be heard of soon enough. */
static void say(struct campaign_work *w)
{
	struct campaign_forecast f;
	json_t *j = json_object();
	struct err e = { 0 };

	campaign_forecast(w->run->campaign, w->run->cells, &f);
	json_put_str(j, "phase", w->phase);
	json_put_str(j, "text", w->doing);
	json_put_u64(j, "done", ended(w->run->cells));
	json_put_u64(j, "cells", w->run->cells->n);
	json_put_u64(j, "left_ns", f.ns);
	json_object_set_new(j, "measured", json_boolean(f.measured));
	json_put_u64(j, "write_bytes", f.write_bytes);
	if (w->last_run)
		json_object_set(j, "run", w->last_run);
	store_campaign_say(w->run->store, w->run->row->id, j, &e);
	json_decref(j);
}

static void forget_run(struct campaign_work *w)
{
	json_decref(w->last_run);
	w->last_run = NULL;
}

/* Of each operation the repetitions before this one are there: what is left is less by them. */
static void count_run(struct campaign_work *w, const json_t *event)
{
	const char *workload = json_str(event, "workload");
	unsigned rep = (unsigned)json_u64(event, "rep", 0);
	size_t i;

	for (i = 0; workload && rep && i < w->run->cells->n; i++) {
		struct campaign_cell *c = w->run->cells->at[i];

		if (c->state != CELL_RUNNING || strcmp(c->workload, workload) != 0)
			continue;
		c->kept = rep - 1;
		c->kept_ops = BENCH_OPS;
	}
}

/* A timed run is over: what a screen shows of it. */
static void keep_run(struct campaign_work *w, const json_t *event)
{
	static const char *const keys[] = { "workload", "op", "rep", "of", "bps", "unit", "rate",
					    "done", "runs" };
	size_t i;

	forget_run(w);
	count_run(w, event);
	w->last_run = json_object();
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (json_object_get(event, keys[i]))
			json_object_set(w->last_run, keys[i], json_object_get(event, keys[i]));
	}
	say(w);
}

static void note(struct campaign_work *w, const char *name, const char *text)
{
	free(w->phase);
	free(w->doing);
	w->phase = strdup(name);
	w->doing = strdup(text);
	forget_run(w);
	say(w);
}

static void phase(struct campaign_work *w, const char *name, const char *text)
{
	json_t *j = json_object();

	note(w, name, text);
	json_put_str(j, "event", "phase");
	json_put_str(j, "phase", name);
	json_put_str(j, "text", text);
	campaign_emit(w, j);
}

/* One event of an executor: begin and end are ours to say, the rest is passed on. */
static bool pass(struct campaign_work *w, json_t *event, json_t *results, struct err *e)
{
	const char *kind = json_str(event, "event"), *text = json_str(event, "text");

	if (!kind || !strcmp(kind, "begin"))
		return false;
	if (strcmp(kind, "end")) {
		if (results && !strcmp(kind, "result"))
			json_array_append(results, event);
		if (!strcmp(kind, "run"))
			keep_run(w, event);
		w->run->emit(w->run->arg, event);
		return false;
	}
	if (!json_is_true(json_object_get(event, "ok"))) {
		err_set(e, (enum err_kind)json_u64(event, "exit", 1), "%s", text ? text : "it failed");
		if (!e->kind)
			e->kind = ERR_FAIL;
	}
	return true;
}

/* Does no repetition stand half done: is none begun, or is this the first event of the next? */
static bool between(struct campaign_work *w, const json_t *event)
{
	const char *of = json_str(event, "workload");
	uint64_t rep = json_u64(event, "rep", 0);

	if (!of || !rep)
		return !w->rep;
	if (rep == w->rep && !strcmp(of, w->of))
		return false;
	w->rep = rep;
	snprintf(w->of, sizeof(w->of), "%s", of);
	return true;
}

int campaign_order(struct campaign_work *w, json_t *order, bool stoppable, json_t *results, struct err *e)
{
	struct err lost = { 0 };
	struct executor x;
	bool asked = false, ended = false;
	int rc;

	w->rep = 0;
	order_attach(order);
	rc = executor_start(order, true, &x, e);
	json_decref(order);
	if (rc)
		return -1;
	for (;;) {
		json_t *event = NULL;

		if (stoppable && !asked && campaign_stops(w)) {
			executor_stop(&x);
			asked = true;
		}
		executor_wait(&x, 200);
		rc = executor_next(&x, &event, &lost);
		if (rc < 0)
			break;
		if (rc > 0 && stoppable && between(w, event))
			look_for_pause(w, PAUSE_REPETITION);
		if (rc > 0)
			ended |= pass(w, event, results, e);
		json_decref(event);
	}
	executor_done(&x);
	if (!ended && !e->kind)
		*e = lost;
	return e->kind ? -1 : 0;
}

/* The build that stands under the campaign's name. 0 there is one, 1 none, -1 error. */
static int standing(struct campaign_work *w, struct arena *a, struct build *b, struct err *e)
{
	int rc = store_build_find(w->run->store, w->run->campaign->name, a, b, e);

	/* a failed build left nothing on the disks */
	return rc == 0 && b->state == BUILD_FAILED ? 1 : rc;
}

/*
 * Take down what stands: a finished build is destroyed, one cut short recovered. An
 * executor that lost us needs a moment to end, so it is tried again for a while.
 */
static int clear(struct campaign_work *w, const char *word, struct err *e)
{
	const char *name = w->run->campaign->name, *db = store_path(w->run->store);
	unsigned tries;
	int rc;

	for (tries = 0; tries < CLEAR_TRIES; tries++) {
		struct arena *a = arena_new();
		struct build b = { 0 };
		bool whole;

		*e = (struct err){ 0 };
		rc = standing(w, a, &b, e);
		whole = b.state == BUILD_BUILT;
		arena_free(a);
		if (rc)
			return rc < 0 ? -1 : 0;
		if (!tries)
			phase(w, word, whole ? "taking the build down" : "taking back what was cut short");
		rc = campaign_order(w, order_simple(whole ? "destroy" : "recover", name, db), false, NULL, e);
		if (rc)
			pause_ms(1000);
	}
	if (!e->kind)
		err_set(e, ERR_FAIL, "%s still stands", name);
	return err_in(e, "the build %s cannot be taken down, so the campaign cannot go on", name);
}

static void tell_cell(struct campaign_work *w, const struct campaign_cell *c)
{
	const struct list *cells = w->run->cells;
	struct campaign_forecast f;
	json_t *j = json_object();

	campaign_forecast(w->run->campaign, cells, &f);
	json_put_str(j, "event", "cell");
	json_put_u64(j, "n", c->n);
	json_put_u64(j, "cells", cells->n);
	json_put_u64(j, "round", c->round);
	json_put_str(j, "layout", c->layout);
	json_put_str(j, "label", c->label);
	json_put_str(j, "workload", c->workload);
	json_put_str(j, "state", cell_state_word(c->state));
	if (c->reason)
		json_put_str(j, "reason", c->reason);
	json_put_u64(j, "done", ended(cells));
	if (f.measured)
		json_put_u64(j, "left_ns", f.ns);
	campaign_emit(w, j);
	say(w);
}

int campaign_set(struct campaign_work *w, struct campaign_cell **cells, size_t n, enum cell_state state,
	     const char *reason, struct err *e)
{
	const char *kept = arena_strdup(w->arena, reason);
	size_t i;

	if (store_cells_set(w->run->store, cells, n, state, kept, e))
		return -1;
	for (i = 0; i < n; i++)
		tell_cell(w, cells[i]);
	return 0;
}

/* The place of a cell's layout in the file, from 1: pictures show them in that order. */
static uint64_t row_of(const struct campaign *all, const struct campaign_cell *c)
{
	size_t i;

	for (i = 0; i < all->variants.n; i++) {
		const struct variant *v = all->variants.at[i];

		if (v->ram == c->ram_bytes && !strcmp(v->layout, c->layout))
			return i + 1;
	}
	return 0;
}

json_t *campaign_tags(const struct campaign_work *w, const struct campaign_cell *c)
{
	const struct campaign *all = w->run->campaign;
	json_t *tags = json_object(), *options = json_loads(c->options, 0, NULL);

	json_put_str(tags, "campaign", all->name);
	json_put_u64(tags, "campaign_id", (uint64_t)w->run->row->id);
	json_put_u64(tags, "cell", c->n);
	json_put_u64(tags, "row", row_of(all, c));
	json_put_u64(tags, "round", c->round);
	json_put_str(tags, "layout", c->layout);
	json_put_str(tags, "variant", c->label);
	json_object_set_new(tags, "options", options ? options : json_object());
	json_put_u64(tags, "seed", all->seed);
	return tags;
}

int campaign_done(struct campaign_work *w, struct campaign_cell *c, const json_t *results, struct err *e)
{
	json_t *tags = campaign_tags(w, c);
	char *line;
	int rc;

	rc = store_cell_done(w->run->store, c, results, tags, e);
	json_decref(tags);
	if (rc)
		return -1;
	line = json_line(results);
	c->results = arena_strdup(w->arena, line);
	free(line);
	tell_cell(w, c);
	return 0;
}

/* The passphrase of a layout that encrypts: nobody needs it after the campaign. */
static int add_secret(json_t *order, struct err *e)
{
	unsigned char random[16];
	char text[2 * sizeof(random) + 1];
	size_t i;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return err_sys(e, "cannot make a passphrase");
	for (i = 0; i < sizeof(random); i++)
		snprintf(text + 2 * i, 3, "%02x", random[i]);
	order_secret(order, text);
	return 0;
}

/* Plan one layout on the disks as they are now, and build it. */
static int build(struct campaign_work *w, const struct campaign_cell *c, struct err *e)
{
	const struct campaign_run *run = w->run;
	struct arena *a = arena_new();
	struct inventory *inv = NULL;
	struct campaign_plan p = { .plan = NULL };
	struct pick *picks;
	json_t *order = NULL;
	char **wipe = NULL;
	size_t n;
	int rc;

	phase(w, "build", c->label);
	rc = inventory_read("", &inv, e) ||
	     campaign_disks_find(run->row->disks, inv, a, &picks, &n, e) ||
	     campaign_plan(run->campaign, c->layout, picks, n, &p, e) ? -1 : 0;
	if (rc == 0) {
		wipe = campaign_wipe(a, p.stack, inv, run->wipe);
		rc = guard_check(p.plan, inv, wipe, e) || build_tools_check(p.plan, e) ? -1 : 0;
	}
	if (rc == 0) {
		order = order_build(p.plan, store_path(run->store), wipe);
		if (plan_needs_secret(p.plan))
			rc = add_secret(order, e);
	}
	campaign_plan_free(&p);
	inventory_free(inv);
	arena_free(a);
	if (rc == 0)
		return campaign_order(w, order, true, NULL, e);
	json_decref(order);
	return -1;
}

/* The cells from `at` that wait on the same build: their number. */
static size_t group_of(const struct list *cells, size_t at, struct arena *a,
		       struct campaign_cell ***out)
{
	const struct campaign_cell *first = cells->at[at];
	size_t i, n = 0;

	*out = arena_array(a, cells->n - at, sizeof(**out));
	for (i = at; i < cells->n; i++) {
		struct campaign_cell *c = cells->at[i];

		if (c->round != first->round || strcmp(c->layout, first->layout) != 0)
			break;
		if (c->state == CELL_WAITING)
			(*out)[n++] = c;
	}
	return n;
}

/* Those of a group that have no end yet get one. */
static int end_rest(struct campaign_work *w, struct campaign_cell **cells, size_t n, enum cell_state state,
		    const char *reason, struct err *e)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (cells[i]->state == CELL_RUNNING && campaign_set(w, &cells[i], 1, state, reason, e))
			return -1;
	}
	return 0;
}

/* A database without room is no failure of a cell: it goes on when there is some again. */
static int has_room(const struct campaign_work *w, struct err *e)
{
	struct err full = { 0 };

	if (!store_room(w->run->store, &full))
		return 0;
	return err_set(e, ERR_FAIL, "%s; every finished cell is kept: make room, and the same command "
		       "goes on", full.text);
}

/* One layout with all its cells. -1: the campaign cannot go on. */
static int run_group(struct campaign_work *w, struct campaign_cell **cells, size_t n, struct err *e)
{
	struct err why = { 0 };
	int rc;

	if (has_room(w, e) || campaign_set(w, cells, n, CELL_RUNNING, NULL, e))
		return -1;
	rc = build(w, cells[0], &why);
	if (rc == 0) {	/* a measurement waits by itself until the build has settled */
		phase(w, "measure", cells[0]->label);
		rc = measure_cells(w, cells, n, &why, e);
	}
	if (e->kind || (rc && has_room(w, e)))
		return -1;
	/* stopping looks like a failure of whatever ran: it is none */
	if (rc && !campaign_stops(w) && end_rest(w, cells, n, CELL_FAILED, why.text, e))
		return -1;
	if (clear(w, "destroy", e))
		return -1;
	if (campaign_stops(w))
		return end_rest(w, cells, n, CELL_WAITING, NULL, e);
	return 0;
}

/* After a crash: take down what stands, and let its cells wait again. */
static int recover(struct campaign_work *w, struct err *e)
{
	const struct list *cells = w->run->cells;
	int64_t since = 0;
	size_t i;

	for (i = 0; i < cells->n; i++) {
		const struct campaign_cell *c = cells->at[i];

		if (c->state == CELL_RUNNING && (!since || c->began_ns < since))
			since = c->began_ns;
	}
	if (!since)
		return 0;
	if (clear(w, "recover", e) ||
	    store_results_cut(w->run->store, w->run->campaign->name, since, e))
		return -1;
	return end_rest(w, (struct campaign_cell **)cells->at, cells->n, CELL_WAITING, NULL, e);
}

/* A screen may have let a failed cell wait again, or left a waiting one out. */
static int look_again(struct campaign_work *w, struct err *e)
{
	struct arena *a = arena_new();
	const struct list *cells = w->run->cells;
	struct list now = { 0 };
	size_t i;
	int rc = store_cells(w->run->store, w->run->row->id, a, &now, e);

	for (i = 0; rc == 0 && i < now.n && i < cells->n; i++) {
		const struct campaign_cell *there = now.at[i];
		struct campaign_cell *here = cells->at[i];

		if (there->id != here->id || there->state == here->state)
			continue;
		here->state = there->state;
		here->reason = arena_strdup(w->arena, there->reason);
	}
	arena_free(a);
	return rc;
}

/* The next cell that waits; the number of cells when none does. */
static size_t next_waiting(const struct list *cells)
{
	size_t i;

	for (i = 0; i < cells->n; i++) {
		if (((const struct campaign_cell *)cells->at[i])->state == CELL_WAITING)
			break;
	}
	return i;
}

int campaign_run(const struct campaign_run *r, struct err *e)
{
	struct campaign_work w = { .run = r, .arena = r->arena };
	struct campaign_cell **group;
	size_t i, n;
	int rc = recover(&w, e);

	while (rc == 0 && !campaign_stops(&w)) {
		look_for_pause(&w, PAUSE_LAYOUT);
		if (w.stopped)
			break;
		rc = look_again(&w, e);
		i = next_waiting(r->cells);
		if (rc || i == r->cells->n)
			break;
		n = group_of(r->cells, i, w.arena, &group);
		rc = run_group(&w, group, n, e);
	}
	if (rc == 0 && next_waiting(r->cells) < r->cells->n)
		rc = err_set(e, ERR_FAIL, "%s",
			     w.paused == PAUSE_LAYOUT ? "paused after the layout at work; it goes on when started again" :
			     w.paused ? "paused after the repetition at work; it goes on when started again" :
			     "stopped; every finished cell is kept, and the same command goes on");
	if (rc == 0)
		note(&w, "end", "every cell has an end");
	else
		note(&w, w.paused ? "paused" : "stopped", e->text);
	forget_run(&w);
	free(w.phase);
	free(w.doing);
	return rc;
}
