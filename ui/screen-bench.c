/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen-bench - measuring: first what, where and how often; then a bar for each class that
 * moves while it runs. Leaving the screen stops nothing; stopping keeps the finished runs.
 */
#include "ui/bench.h"

#include <stdlib.h>
#include <string.h>

enum { MARK = ACT_SCREEN, START, DURABLE, STOP, EXPORT, ZOOM, FORM, CAMPAIGNS };

/* Fill an order from the form. */
static int make_order(struct ui *ui, const struct bench *b, struct arena *a, struct bench_order *o,
		      struct err *e)
{
	size_t i;

	*o = (struct bench_order){ .write = b->write, .read = b->read, .reps = b->reps,
				   .within = b->within, .most = BENCH_MOST, .scale = b->scale, .cache = b->cache,
				   .ram = b->ram, .db = ui->s->db };
	if (!b->target[0])
		return err_set(e, ERR_USAGE, "nothing is built yet: build first, or Enter on the first "
			       "line types a folder");
	if (bench_find_target(a, b->target, o, e) < 0)
		return -1;
	for (i = 0; i < b->workloads.n; i++) {
		if (b->chosen[i])
			list_add(a, &o->workloads, b->workloads.at[i]);
	}
	if (b->suite) {
		o->suite = b->suite->name;
		o->cap_ns = b->suite->cap_ns;
		o->times = b->suite->times;
	}
	if (!o->workloads.n && !o->times)
		return err_set(e, ERR_USAGE, "no class is chosen: Space chooses one");
	return 0;
}

void bench_look(struct ui *ui, struct bench *b)
{
	struct arena *a = arena_new();
	struct bench_order o;

	b->err = (struct err){ 0 };
	b->forecast = (struct bench_forecast){ 0 };
	if (make_order(ui, b, a, &o, &b->err) == 0)
		bench_forecast(&o, &b->forecast, &b->err);
	arena_free(a);
}

/* What is chosen when nothing else was: what fits most machines. */
static bool is_usual(const struct workload *w)
{
	return workload_is_copy(w) && w->bytes <= 2000000000;
}

/* Those of one chart stand together: what is copied first, what is of no group last. */
static int group_rank(const struct workload *w)
{
	return workload_is_copy(w) ? 0 : w->group ? 1 : 2;
}

static bool goes_after(const struct workload *a, const struct workload *b)
{
	int x = group_rank(a), y = group_rank(b);

	return x != y ? x > y : x == 1 && strcmp(a->group, b->group) > 0;
}

/* By insertion: within a group they stay from small to large. */
static void sort_by_group(struct list *all)
{
	size_t i, k;

	for (i = 1; i < all->n; i++) {
		void *w = all->at[i];

		for (k = i; k > 0 && goes_after(all->at[k - 1], w); k--)
			all->at[k] = all->at[k - 1];
		all->at[k] = w;
	}
}

static int bench_enter(struct ui *ui, void *state)
{
	struct bench *b = state;
	struct err e = { 0 };
	size_t i;

	if (!b->arena) {
		b->arena = arena_new();
		b->write = b->read = true;
		b->reps = 7;
		b->scale = ui->s->place == PLACE_LAB ? 0.02 : 1;
		b->cache = CACHE_COLD;
		b->form = true;
		if (workload_list_all(b->arena, &b->workloads, &e) < 0 ||
		    suite_list(b->arena, &b->suites, &e) < 0)
			ui_fail(ui, &e);
		sort_by_group(&b->workloads);
		if (b->workloads.n > BENCH_CLASSES)
			b->workloads.n = BENCH_CLASSES;
		for (i = 0; i < b->workloads.n; i++)
			b->chosen[i] = is_usual(b->workloads.at[i]);
	}
	bench_target_default(ui, b);
	if (ui->s->work.kind == WORK_BENCH && ui->s->work.runs)
		b->form = false;
	bench_look(ui, b);
	return 0;
}

static void bench_draw(struct ui *ui, void *state, struct area body)
{
	struct bench *b = state;

	if (b->form || ui->s->work.kind != WORK_BENCH)
		bench_draw_form(ui, b, body);
	else
		bench_draw_bars(ui, b, body);
}

/* --- the form -------------------------------------------------------------------------- */

static int reps_take(struct ui *ui, void *arg, const char *text, struct err *e)
{
	struct bench *b = arg;
	uint64_t n;

	b->within = !strcmp(text, "auto") ? 0.05 : 0;
	n = 7;
	if (!(b->within > 0) && count_parse("repetitions", text, 1, WORK_RUNS, &n, e) < 0)
		return -1;
	b->reps = (unsigned)n;
	bench_look(ui, b);
	return 0;
}

static int scale_take(struct ui *ui, void *arg, const char *text, struct err *e)
{
	struct bench *b = arg;
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v > 0) || v > 1000 ||
	    strspn(text, "0123456789.") != strlen(text))
		return err_set(e, ERR_USAGE, "the scale is a number above 0, up to 1000: 1 is the full "
			       "size, 0.02 a fiftieth");
	b->scale = v;
	bench_look(ui, b);
	return 0;
}

static int ram_take(struct ui *ui, void *arg, const char *text, struct err *e)
{
	struct bench *b = arg;
	uint64_t bytes = 0;

	if (*text && strcmp(text, "all") && size_parse(text, &bytes, e) < 0)
		return -1;
	if (bytes && bytes < 32 * MIB)
		return err_set(e, ERR_USAGE, "%s is too little; the engine needs 32M", text);
	b->ram = bytes;
	bench_look(ui, b);
	return 0;
}

static void ask(struct ui *ui, struct bench *b, const char *title, const char *about,
		const char *text, int (*take)(struct ui *, void *, const char *, struct err *))
{
	ui_prompt(ui, &(struct prompt){ .title = title, .about = about, .text = text, .take = take,
		  .arg = b });
}

/* Only what naslab mounted as a build can be taken away and brought back. */
static enum cache_state next_cache(const struct bench *b)
{
	static const enum cache_state turn[] = {
		CACHE_COLD, CACHE_COLD_REMOUNT, CACHE_COLD_EXPORT, CACHE_WARM, CACHE_AS_IS, CACHE_OWN,
	};
	const size_t n = sizeof(turn) / sizeof(turn[0]);
	size_t i = 0;

	while (turn[i] != b->cache)
		i++;
	do {
		i = (i + 1) % n;
	} while (cache_takes_away(turn[i]) && strchr(b->target, '/'));
	return turn[i];
}

/* Enter or Space on a line: the next of a few, or a question. */
static void take_line(struct ui *ui, struct bench *b)
{
	char text[64];
	size_t i = b->lines.at;

	switch (i) {
	case LINE_TARGET:
		bench_target_choose(ui, b);
		break;
	case LINE_SUITE:
		bench_suite_choose(ui, b);
		break;
	case LINE_OP:	/* both, write, read */
		if (b->write && b->read) {
			b->read = false;
		} else if (b->write) {
			b->write = false;
			b->read = true;
		} else {
			b->write = true;
		}
		break;
	case LINE_REPS:
		snprintf(text, sizeof(text), "%u", b->reps);
		ask(ui, b, "Repetitions", "7 hold the true median with 98 %; auto: from 7 on until its "
		    "interval is 5 % wide, 30 at most", b->within > 0 ? "auto" : text, reps_take);
		break;
	case LINE_SCALE:
		snprintf(text, sizeof(text), "%g", b->scale);
		ask(ui, b, "Scale", "1: the full size of each class; 0.02: a fiftieth", text, scale_take);
		break;
	case LINE_CACHE:
		b->cache = next_cache(b);
		break;
	case LINE_RAM:
		ask(ui, b, "Memory", "a size like 512M holds engine and page cache to it, as a small NAS "
		    "would; all: what there is", b->ram ? size_option_text(text, b->ram) : "all",
		    ram_take);
		break;
	default:
		if (i - LINE_CLASSES >= b->workloads.n)
			break;
		b->chosen[i - LINE_CLASSES] = !b->chosen[i - LINE_CLASSES];
		b->suite = NULL;
		break;
	}
	bench_look(ui, b);
}

static void start(struct ui *ui, struct bench *b)
{
	struct arena *a = arena_new();
	struct bench_forecast f;
	struct bench_order o;
	struct err e = { 0 };
	json_t *order;
	const char *db;

	db = session_db(ui->s, &e);
	if (!db || make_order(ui, b, a, &o, &e) < 0 || bench_forecast(&o, &f, &e) < 0) {
		ui_fail(ui, &e);
		arena_free(a);
		return;
	}
	o.db = db;
	order = bench_order_json(&o);
	if (ui_work(ui, WORK_BENCH, o.build ? o.build : o.target, order, &e) < 0) {
		ui_fail(ui, &e);
	} else {
		b->form = false;
		b->bars = (struct roll){ 0 };
	}
	json_decref(order);
	arena_free(a);
}

/* --- while it runs --------------------------------------------------------------------- */

static void stop_take(struct ui *ui, void *arg, size_t at)
{
	struct err e = { 0 };

	(void)arg;
	if (at)
		return;
	if (work_stop(&ui->s->work, &e) < 0)
		ui_fail(ui, &e);
	else
		ui_say(ui, ' ', "it stops and takes its files away; the finished runs are kept");
}

static void stop(struct ui *ui)
{
	struct arena *a = arena_new();
	struct choice *c = arena_array(a, 2, sizeof(*c));

	c[0] = (struct choice){ .label = "stop measuring",
		.help = "the run at work is lost, every finished run is kept" };
	c[1] = (struct choice){ .label = "let it go on", .help = "back to the screen" };
	ui_choose(ui, &(struct choices){ .title = "Stop measuring?", .items = c, .n = 2, .at = 1,
		  .arena = a, .take = stop_take });
}

static int export_take(struct ui *ui, void *arg, const char *path, struct err *e)
{
	struct store *st;
	int rc;

	(void)arg;
	if (store_open_read(ui->s->db, &st, e) < 0)
		return -1;
	rc = store_export_csv(st, 0, path, e);
	store_close(st);
	if (!rc)
		ui_say(ui, ' ', "every run that was kept is in %s", path);
	return rc;
}

static enum react bars_act(struct ui *ui, struct bench *b, int act)
{
	switch (act) {
	case ACT_ENTER:
		b->runs = !b->runs;
		return REACT_DONE;
	case DURABLE:
		b->durable = !b->durable;
		ui_say(ui, ' ', b->durable ? "durable: until everything is on the disks" :
		       "felt: until the last close, as a person waits");
		return REACT_DONE;
	case STOP:
		stop(ui);
		return REACT_DONE;
	case ZOOM:
		b->zoom = !b->zoom;
		return REACT_DONE;
	case ACT_BACK:
		if (!b->zoom)
			return REACT_UNKNOWN;
		b->zoom = false;
		return REACT_DONE;
	default:
		return roll_act(&b->bars, act, b->page);
	}
}

static bool in_form(const struct ui *ui, const struct bench *b)
{
	return b->form || ui->s->work.kind != WORK_BENCH;
}

static enum react bench_act(struct ui *ui, void *state, int act)
{
	struct bench *b = state;

	switch (act) {
	case EXPORT:
		ask(ui, b, "Export every kept run as CSV", "A file; one line a run.", "naslab.csv",
		    export_take);
		return REACT_DONE;
	case START:
		start(ui, b);
		return REACT_DONE;
	case CAMPAIGNS:
		ui_goto(ui, &screen_campaign);
		return REACT_DONE;
	case FORM:
		b->form = !b->form;
		return REACT_DONE;
	default:
		break;
	}
	if (!in_form(ui, b))
		return bars_act(ui, b, act);
	if (act == MARK || act == ACT_ENTER) {
		take_line(ui, b);
		return REACT_DONE;
	}
	return roll_act(&b->lines, act, b->page);
}

static const char *bench_cannot(const struct ui *ui, void *state, int act)
{
	const struct bench *b = state;
	const struct work *w = &ui->s->work;
	bool form = in_form(ui, b);

	switch (act) {
	case MARK:
		return form ? NULL : "that belongs to the form: f shows it";
	case START:
		return w->runs ? "other work still runs; one thing at a time" :
			form ? NULL : "f shows the form, r there starts";
	case FORM:
		return w->kind == WORK_BENCH ? NULL : "nothing has been measured yet";
	case DURABLE:
		return form ? "nothing has been measured yet" : NULL;
	case ZOOM:
		return !form && w->runs ? NULL : "no run goes on";
	case STOP:
		return w->kind == WORK_BENCH && w->runs && !form ? NULL : "nothing is being measured";
	case EXPORT:
		return store_exists(ui->s->db) ? NULL : "nothing has been measured yet";
	default:
		return NULL;
	}
}

static void bench_status(struct ui *ui, void *state, struct sbuf *out)
{
	struct bench *b = state;
	const struct work *w = &ui->s->work;

	if (in_form(ui, b)) {
		sbuf_addf(out, "%s; Space chooses a class or changes the line",
			  b->err.text[0] ? "it cannot start yet" : "r starts");
		return;
	}
	if (w->ended)
		sbuf_addf(out, "%s%s", w->ok ? "" : "E ", w->text);
	else if (w->waiting[0])
		sbuf_add(out, w->waiting);
	else if (w->reps < 6)
		sbuf_add(out, "fewer than 6 runs a bar: n. 6 make it 97 % sure, 7 make it 98 %");
	else
		sbuf_add(out, "leaving does not stop it; every finished run is kept");
}

static void bench_tick(struct ui *ui, void *state)
{
	struct bench *b = state;

	if (ui_top(ui) != &screen_bench)
		return;
	if (in_form(ui, b) && b->err.text[0] && !ui->s->work.runs)
		bench_look(ui, b);	/* what was missing may be there by now */
	ui->moved = true;
}

static bool bench_live(struct ui *ui, void *state)
{
	struct bench *b = state;

	return !in_form(ui, b) && bench_draw_run(ui, b);
}

static unsigned bench_every(const struct ui *ui, void *state)
{
	const struct bench *b = state;

	return ui_top(ui) == &screen_bench && in_form(ui, b) && b->err.text[0] ? 2000 : 0;
}

static char bench_mark(const struct ui *ui)
{
	const struct work *w = &ui->s->work;

	return w->kind != WORK_BENCH ? '-' : w->runs ? '*' : w->ok ? '+' : '!';
}

static void bench_done(void *state)
{
	struct bench *b = state;

	arena_free(b->targets_arena);
	arena_free(b->arena);
}

static const struct key bench_keys[] = {
	{ MARK, "Space", NULL, "change", 1, "choose the class, or change the line" },
	{ ACT_ENTER, "Enter", NULL, "take", 3, "the line; while measuring: the runs of the bar" },
	{ START, "r", NULL, "run", 1, "start measuring" },
	{ DURABLE, "v", NULL, "felt/durable", 2, "until the last close, or until it is on the disks" },
	{ ZOOM, "z", NULL, "chart", 4, "the chart of the run on the whole screen" },
	{ FORM, "f", NULL, "form/bars", 2, "what to measure, or the bars" },
	{ CAMPAIGNS, "c", NULL, NULL, 9, "campaigns: layouts x options x workloads, unattended" },
	{ EXPORT, "e", NULL, "export", 5, "export every kept run as CSV" },
	{ STOP, "X", NULL, "stop", 1, "stop measuring; the finished runs are kept" },
	{ 0 }
};

const struct screen screen_bench = {
	.name = "bench", .title = "Bench", .step = true,
	.about = "Measures with the files a NAS holds. A bar: dots from zero, then from the lowest "
		 "to the highest run, the median marked. felt is what a person waits for, durable "
		 "is when it is on the disks. Flags: P page cache, S sync, n fewer than 6 runs.",
	.state_size = sizeof(struct bench), .keys = bench_keys, .mark = bench_mark,
	.enter = bench_enter, .draw = bench_draw, .live = bench_live, .act = bench_act, .cannot = bench_cannot,
	.status = bench_status, .tick = bench_tick, .every_ms = bench_every, .done = bench_done,
};
