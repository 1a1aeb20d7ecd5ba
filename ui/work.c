/* SPDX-License-Identifier: GPL-2.0-or-later */
/* work - the events of an executor, kept as what the screens draw. */
#include "ui/work.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t ui_fixed_ns;

int64_t ui_now_ns(void)
{
	struct timespec t;

	if (ui_fixed_ns)
		return ui_fixed_ns;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static char *copy(const char *text)
{
	char *c = strdup(text ? text : "");

	if (!c)
		die("no memory");
	return c;
}

static void *grow(void *p, size_t n, size_t size)
{
	p = realloc(p, n * size);
	if (!p)
		die("no memory");
	return p;
}

void work_done(struct work *w)
{
	size_t i;

	if (w->runs)
		executor_done(&w->x);
	for (i = 0; i < w->n_steps; i++)
		free(w->steps[i].why);
	for (i = 0; i < WORK_LINES; i++)
		free(w->lines[i]);
	for (i = 0; i < w->n_syncs; i++)
		free(w->syncs[i].device);
	for (i = 0; i < w->n_classes; i++) {
		free(w->classes[i].name);
		free(w->classes[i].op);
	}
	free(w->steps);
	free(w->classes);
	free(w->name);
	*w = (struct work){ .x.fd = -1 };
}

/* A line of the log with its time of day: the journal's, else now. */
static void add_line(struct work *w, const json_t *ev, const char *text)
{
	char **slot = &w->lines[w->n_lines++ % WORK_LINES];
	struct sbuf b = { 0 };
	time_t now = (time_t)(json_u64(ev, "at_ns", 0) / 1000000000);
	struct tm tm;
	char clock[16];

	if (!now)
		now = time(NULL);
	localtime_r(&now, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	sbuf_addf(&b, "%s ", clock);
	sbuf_add_safe(&b, text);
	free(*slot);
	*slot = b.text;
	w->last_line_ns = ui_now_ns();
}

static struct work_step *step_at(struct work *w, unsigned n)
{
	if (!n || n > 100000)
		return NULL;
	if (n > w->n_steps) {
		w->steps = grow(w->steps, n, sizeof(*w->steps));
		while (w->n_steps < n) {
			w->steps[w->n_steps] = (struct work_step){ .n = (unsigned)w->n_steps + 1,
								   .state = ' ' };
			w->n_steps++;
		}
	}
	return &w->steps[n - 1];
}

/* A build that failed or was stopped takes back what it made: steps of their own, numbered
 * from 1 again, which stand behind those of the plan. */
static bool takes_back(const struct work *w, unsigned n, const char *state)
{
	size_t i;

	for (i = 0; i < w->n_steps; i++) {
		if (w->steps[i].state == 'E')
			return true;
	}
	return !strcmp(state, "undone") || (n <= w->n_steps && w->steps[n - 1].state == '+');
}

/* A step that is taken back: behind those of the plan, in the order it happens. */
static struct work_step *undo_at(struct work *w, unsigned n)
{
	size_t i;

	for (i = w->n_planned; i < w->n_steps; i++) {
		if (w->steps[i].n == n)
			return &w->steps[i];
	}
	return step_at(w, (unsigned)w->n_steps + 1);
}

static void step_event(struct work *w, const json_t *ev)
{
	const char *state = json_str(ev, "state"), *why = json_str(ev, "why");
	unsigned n = (unsigned)json_u64(ev, "n", 0);
	struct work_step *s;
	size_t i;

	if (!state || !n)
		return;
	if (w->kind == WORK_BUILD && !w->n_planned && takes_back(w, n, state))
		w->n_planned = (unsigned)w->n_steps;
	s = w->n_planned ? undo_at(w, n) : step_at(w, n);
	if (!s)
		return;
	s->n = n;
	w->of = w->kind == WORK_BUILD ? 0 : json_u64(ev, "of", 0);
	if (why) {
		free(s->why);
		s->why = copy(why);
	}
	if (!strcmp(state, "run") || !strcmp(state, "running")) {
		s->state = '>';
		s->began_ns = ui_now_ns();
	} else {
		s->state = !strcmp(state, "done") ? '+' : !strcmp(state, "failed") ? 'E' : 'u';
		s->ms = json_u64(ev, "ms", 0);
	}
	w->last_line_ns = ui_now_ns();
	for (i = 0, w->n_done = 0; i < w->n_steps; i++)
		w->n_done += w->steps[i].state == '+' || w->steps[i].state == 'u';
}

void work_steps(struct work *w, const struct plan *p)
{
	size_t i;

	for (i = 0; i < p->steps.n; i++) {
		const struct step *from = p->steps.at[i];
		struct work_step *s = step_at(w, from->n);

		if (s && !s->why)
			s->why = copy(from->why);
	}
}

static void sync_event(struct work *w, const json_t *ev)
{
	const char *device = json_str(ev, "device");
	size_t i;

	for (i = 0; i < w->n_syncs; i++) {
		if (device && !strcmp(w->syncs[i].device, device))
			break;
	}
	if (!device || i == sizeof(w->syncs) / sizeof(w->syncs[0]))
		return;
	if (i == w->n_syncs) {
		w->syncs[w->n_syncs++].device = copy(device);
	}
	w->syncs[i].percent = json_number_value(json_object_get(ev, "percent"));
	w->syncs[i].bps = json_u64(ev, "bps", 0);
	w->syncs[i].left_ns = json_u64(ev, "left_ns", 0);
}

/* --- bench ----------------------------------------------------------------------------- */

static struct work_class *class_at(struct work *w, const json_t *ev)
{
	const char *name = json_str(ev, "class"), *op = json_str(ev, "op");
	size_t i;

	if (!name)
		name = json_str(ev, "workload");
	if (!name)
		return NULL;
	if (!op)
		op = "write";
	for (i = 0; i < w->n_classes; i++) {
		if (!strcmp(w->classes[i].name, name) && !strcmp(w->classes[i].op, op))
			break;
	}
	if (i == w->n_classes) {
		w->classes = grow(w->classes, w->n_classes + 1, sizeof(*w->classes));
		w->classes[w->n_classes++] = (struct work_class){ .name = copy(name),
								  .op = copy(op) };
	}
	w->classes[i].unit = bench_unit(ev);
	return &w->classes[i];
}

const char *work_op_brief(const struct work_class *c)
{
	return !strcmp(c->op, "write") ? "w" : !strcmp(c->op, "read") ? "r" : c->op;
}

bool work_op_writes(const struct work_class *c)
{
	int op;

	for (op = 0; op < BENCH_OPS; op++) {
		if (!strcmp(bench_op_word((enum bench_op)op), c->op))
			return bench_op_writes((enum bench_op)op);
	}
	return false;
}

static void class_runs(struct work *w, struct work_class *c)
{
	size_t i;

	for (i = 0; i < w->n_classes; i++)
		w->classes[i].running = false;
	c->running = true;
	w->at = (size_t)(c - w->classes);
}

void work_expect(struct work *w, const char *name, const char *op)
{
	json_t *ev = json_pack("{s:s,s:s}", "class", name, "op", op);

	class_at(w, ev);
	json_decref(ev);
}

/* In the unit's own text: MB/s, files/s. */
static double rate(const struct work_class *c, uint64_t n, uint64_t ns)
{
	return ns ? (double)n / c->unit->one / ((double)ns / 1e9) : NAN;
}

/* Another run: its samples start afresh. */
static void run_begins(struct work *w, struct work_class *c, unsigned rep)
{
	class_runs(w, c);
	w->news = true;
	w->n_samples = 0;
	w->per_sample = 1;
	w->gathered = 0;
	w->bytes = w->disk_bytes = w->sample_ns = 0;
	w->ops = w->ops_total = 0;
	w->syncing = false;
	w->waiting[0] = '\0';
	w->rep = rep;
	w->run_began_ns = ui_now_ns();
}

/* Keep the whole run: when the room is used up, two samples become one. */
static void keep_sample(struct work *w, double value)
{
	size_t i;

	w->sum = w->gathered ? w->sum + value : value;
	if (++w->gathered < w->per_sample)
		return;
	if (w->n_samples == WORK_SAMPLES) {
		for (i = 0; i < WORK_SAMPLES / 2; i++)
			w->samples[i] = (w->samples[2 * i] + w->samples[2 * i + 1]) / 2;
		w->n_samples = WORK_SAMPLES / 2;
		w->per_sample *= 2;
	}
	w->samples[w->n_samples++] = w->sum / w->gathered;
	w->gathered = 0;
}

/* A sample: bytes, or what is counted, so far and ns since the run began; the rate is that of
 * the last piece. */
static void sample_event(struct work *w, const json_t *ev)
{
	uint64_t bytes = json_u64(ev, "bytes", 0), ns = json_u64(ev, "t_ns", 0);
	uint64_t ops = json_u64(ev, "ops", 0), now, before;
	uint64_t disk = json_u64(ev, "disk_bytes", UINT64_MAX);
	unsigned rep = (unsigned)json_u64(ev, "rep", 0);
	struct work_class *c = class_at(w, ev);
	const char *phase = json_str(ev, "phase");

	if (!c)
		return;
	if (!c->running || rep != w->rep)
		run_begins(w, c, rep);
	w->waiting[0] = '\0';
	w->syncing = phase && !strcmp(phase, "sync");
	now = c->unit->counts ? ops : bytes;
	before = c->unit->counts ? w->ops : w->bytes;
	if (ns > w->sample_ns && now >= before)
		keep_sample(w, rate(c, now - before, ns - w->sample_ns));
	w->sample_ns = ns;
	w->bytes = bytes;
	w->ops = ops;
	w->ops_total = json_u64(ev, "total_ops", 0);
	w->bytes_total = json_u64(ev, "total_bytes", w->bytes_total);
	w->news |= json_u64(ev, "of", w->reps) != w->reps || json_u64(ev, "runs", w->n_runs) != w->n_runs;
	w->reps = (unsigned)json_u64(ev, "of", w->reps);
	w->dirty_bytes = json_u64(ev, "dirty_bytes", 0);
	w->disk_known = disk != UINT64_MAX;
	w->disk_bytes = w->disk_known ? disk : 0;
	w->n_runs = json_u64(ev, "runs", w->n_runs);
}

static void run_event(struct work *w, const json_t *ev)
{
	struct work_class *c = class_at(w, ev);
	uint64_t bytes = json_u64(ev, "bytes", 0), disk = json_u64(ev, "disk_bytes", UINT64_MAX), n;

	if (!c || c->n == WORK_RUNS)
		return;
	n = c->unit->counts ? json_u64(ev, "ops", 0) : bytes;
	c->runs[c->n] = rate(c, n, json_u64(ev, "felt_ns", 0));
	c->durable[c->n] = rate(c, n, json_u64(ev, "durable_ns", 0));
	c->n++;
	c->file_bytes = bytes;
	c->disk_known = disk != UINT64_MAX;
	c->disk_bytes = c->disk_known ? disk : 0;
	c->flags |= flags_read(json_object_get(ev, "flags"));
	c->disk_known &= !(c->flags & FLAG_NODISK);
	c->running = false;
	w->n_done = (size_t)json_u64(ev, "done", w->n_done + 1);
	w->n_runs = json_u64(ev, "runs", w->n_runs);
	w->bytes_done += bytes;
	w->bytes = w->ops = w->sample_ns = 0;
	w->rep = 0;
}

/* --- all events ------------------------------------------------------------------------ */

static void begin_event(struct work *w, const json_t *ev)
{
	unsigned n = (unsigned)json_u64(ev, "steps", 0);
	const json_t *row;
	size_t i;

	w->build_id = (int64_t)json_u64(ev, "build", (uint64_t)w->build_id);
	if (n && w->kind == WORK_BUILD)
		step_at(w, n);
	w->reps = (unsigned)json_u64(ev, "reps", w->reps);
	w->n_runs = json_u64(ev, "runs", w->n_runs);
	json_array_foreach(json_object_get(ev, "classes"), i, row) {
		const char *name = json_str(row, "workload");
		uint64_t bytes = json_u64(row, "bytes", 0) * w->reps;
		const json_t *ops = json_object_get(row, "ops"), *op;
		size_t k;

		json_array_foreach(ops, k, op) {
			if (!name || !json_is_string(op))
				continue;
			work_expect(w, name, json_string_value(op));
			w->bytes_all += bytes;
		}
	}
}

/* No estimate before 5 % or half a minute: then by the bytes that are left, or by the runs
 * when they have none. */
uint64_t work_left_ns(const struct work *w)
{
	double done = (double)(w->bytes_done + w->bytes), all = (double)w->bytes_all;
	double gone = (double)(ui_now_ns() - w->began_ns);

	if (!w->bytes_all) {
		done = (double)w->n_done;
		all = (double)w->n_runs;
	}
	if (!w->runs || done <= 0 || all <= done || (done < all / 20 && gone < 30e9))
		return 0;
	return (uint64_t)(gone * (all - done) / done);
}

static void end_event(struct work *w, const json_t *ev)
{
	const char *text = json_str(ev, "text");

	w->ended = true;
	w->ok = json_is_true(json_object_get(ev, "ok"));
	w->ended_ns = ui_now_ns();
	snprintf(w->text, sizeof(w->text), "%s", text ? text : w->ok ? "done" : "failed");
	add_line(w, ev, w->text);
}

/* A campaign came to another layout: its bars are others. */
static void phase_event(struct work *w, const json_t *ev)
{
	const char *text = json_str(ev, "text"), *phase = json_str(ev, "phase");
	struct sbuf line = { 0 };
	size_t i;

	for (i = 0; i < w->n_classes; i++)
		free(w->classes[i].name);
	w->n_classes = w->at = w->n_steps = 0;
	w->bytes_total = w->bytes = 0;
	w->waiting[0] = '\0';
	sbuf_addf(&line, "%s: ", phase ? phase : "");
	sbuf_add_safe(&line, text ? text : "");
	add_line(w, ev, line.text);
	sbuf_done(&line);
}

static void cell_event(struct work *w, const json_t *ev)
{
	w->cells = (unsigned)json_u64(ev, "cells", w->cells);
	w->cells_done = (unsigned)json_u64(ev, "done", w->cells_done);
}

void work_event(struct work *w, const json_t *ev)
{
	const char *what = json_str(ev, "event"), *text = json_str(ev, "text");

	w->seq = (int64_t)json_u64(ev, "seq", (uint64_t)w->seq);
	if (!what)
		return;
	w->news |= strcmp(what, "sample") || w->waiting[0];
	if (!strcmp(what, "begin"))
		begin_event(w, ev);
	else if (!strcmp(what, "step"))
		step_event(w, ev);
	else if (!strcmp(what, "output"))
		add_line(w, ev, text ? text : "");
	else if (!strcmp(what, "sync"))
		sync_event(w, ev);
	else if (!strcmp(what, "wait"))
		snprintf(w->waiting, sizeof(w->waiting), "%s", text ? text : "waiting");
	else if (!strcmp(what, "sample"))
		sample_event(w, ev);
	else if (!strcmp(what, "run"))
		run_event(w, ev);
	else if (!strcmp(what, "phase"))
		phase_event(w, ev);
	else if (!strcmp(what, "cell"))
		cell_event(w, ev);
	else if (!strcmp(what, "end"))
		end_event(w, ev);
}

static void began(struct work *w, enum work_kind kind, const char *name, struct executor x)
{
	work_done(w);
	w->x = x;
	w->kind = kind;
	w->name = copy(name);
	w->runs = w->started_here = true;
	w->began_ns = w->last_line_ns = ui_now_ns();
}

int work_start(struct work *w, enum work_kind kind, const char *name, const json_t *order,
	       bool as_root, struct err *e)
{
	struct executor x = { .fd = -1 };

	if (w->runs)
		return err_set(e, ERR_REFUSED, "%s still runs; one thing at a time", w->name);
	if (executor_start(order, as_root, &x, e) < 0)
		return -1;
	began(w, kind, name, x);
	return 0;
}

int work_start_words(struct work *w, enum work_kind kind, const char *name,
		     const char *const *words, bool as_root, struct err *e)
{
	struct executor x = { .fd = -1 };

	if (w->runs)
		return err_set(e, ERR_REFUSED, "%s still runs; one thing at a time", w->name);
	if (executor_start_words(words, as_root, &x, e) < 0)
		return -1;
	began(w, kind, name, x);
	return 0;
}
bool work_next(struct work *w)
{
	struct err e = { 0 };
	json_t *ev;
	bool any = false;
	int rc, most = 1000;

	while (w->runs && w->started_here && most-- && (rc = executor_next(&w->x, &ev, &e)) != 0) {
		any = true;
		if (rc > 0) {
			work_event(w, ev);
			json_decref(ev);
			continue;
		}
		w->runs = false;
		w->news = true;
		executor_done(&w->x);
		w->x.fd = -1;
		if (!w->ended) {
			w->ended = true;
			w->ended_ns = ui_now_ns();
			snprintf(w->text, sizeof(w->text), "%s", e.text[0] ? e.text :
				 "the executor ended without a word; naslab recover looks after it");
		}
	}
	return any;
}

/* Feed the journal's events; -1 when it cannot be read. */
static int read_journal(struct work *w, const char *db, bool *any)
{
	struct store *st = NULL;
	struct err e = { 0 };
	json_t *events = NULL, *ev;
	size_t i;
	int rc;

	rc = store_open_read(db, &st, &e);
	if (rc == 0)
		rc = store_events(st, w->build_id, w->seq, &events, &e);
	json_array_foreach(events, i, ev) {
		work_event(w, ev);
		*any = true;
	}
	json_decref(events);
	store_close(st);
	return rc;
}

/* The words of the steps that will come, from the plan as it was recorded. */
static void recorded_steps(struct work *w, const char *plan)
{
	json_t *json = plan ? json_loads(plan, 0, NULL) : NULL, *row;
	size_t i;

	json_array_foreach(json_object_get(json, "steps"), i, row) {
		struct work_step *s = step_at(w, (unsigned)json_u64(row, "n", 0));

		if (s && !s->why)
			s->why = copy(json_str(row, "why"));
	}
	json_decref(json);
}

int work_attach(struct work *w, const char *db, const char *name, struct err *e)
{
	struct arena *a = arena_new();
	struct store *st = NULL;
	struct build b = { 0 };
	json_t *status = NULL;
	bool any = false, alive;
	int rc = store_open_read(db, &st, e);

	if (rc == 0)
		rc = store_build_find(st, name, a, &b, e);
	if (rc == 0)
		rc = build_status(st, name, "", &status, e);
	store_close(st);
	alive = rc == 0 && json_is_true(json_object_get(status, "working"));
	if (alive) {
		work_done(w);
		w->kind = b.state == BUILD_DESTROYING || b.state == BUILD_WAITING ? WORK_DESTROY : WORK_BUILD;
		w->name = copy(name);
		w->build_id = b.id;
		w->x.pid = b.executor_pid;
		w->runs = true;
		w->began_ns = w->last_line_ns = w->polled_ns = ui_now_ns();
		if (w->kind == WORK_BUILD)
			recorded_steps(w, b.plan);
		read_journal(w, db, &any);
		if (w->ended)	/* of an earlier order on the same build */
			w->ended = false;
	}
	json_decref(status);
	arena_free(a);
	return rc < 0 ? -1 : alive ? 0 : 1;
}

bool work_poll(struct work *w, const char *db)
{
	bool any = false;

	if (!w->runs || w->started_here || ui_now_ns() - w->polled_ns < 900000000)
		return false;
	w->polled_ns = ui_now_ns();
	w->news = true;
	read_journal(w, db, &any);
	if (w->ended) {
		w->runs = false;
	} else if (kill((pid_t)w->x.pid, 0) < 0 && errno == ESRCH) {
		w->runs = false;
		w->ended = true;
		w->ended_ns = ui_now_ns();
		snprintf(w->text, sizeof(w->text), "the executor ended without a word; w on the "
			 "first screen takes back what it had begun");
	}
	return any || !w->runs;
}

int work_stop(struct work *w, struct err *e)
{
	if (!w->runs)
		return err_set(e, ERR_FAIL, "nothing runs");
	w->stop_asked = true;
	if (w->started_here) {
		executor_stop(&w->x);
		return 0;
	}
	if (kill((pid_t)w->x.pid, SIGTERM) < 0)
		return err_sys(e, "cannot stop process %lld", (long long)w->x.pid);
	return 0;
}

void work_result_lines(const struct work *w, struct sbuf *out)
{
	char median[SIZE_TEXT], min[SIZE_TEXT], max[SIZE_TEXT];
	struct stats s;
	size_t i;

	for (i = 0; i < w->n_classes; i++) {
		const struct work_class *c = &w->classes[i];

		if (!c->n)
			continue;
		stats_of(c->runs, c->n, &s);
		sbuf_add_safe(out, w->name);
		sbuf_add(out, " ");
		sbuf_add_safe(out, c->name);
		sbuf_addf(out, " %s: median %s %s, %s to %s, %zu run%s", c->op,
			  bench_scaled_text(median, c->unit, s.median), c->unit->text,
			  bench_scaled_text(min, c->unit, s.min),
			  bench_scaled_text(max, c->unit, s.max), c->n, c->n == 1 ? "" : "s");
		if (work_op_writes(c)) {
			stats_of(c->durable, c->n, &s);
			sbuf_addf(out, ", durable %s", bench_scaled_text(median, c->unit, s.median));
		}
		if (c->disk_known && c->file_bytes)
			sbuf_addf(out, ", disk:file %.2f", (double)c->disk_bytes / (double)c->file_bytes);
		sbuf_add(out, w->runs ? ", goes on\n" : "\n");
	}
}

size_t work_all(const struct work *w)
{
	return w->of > w->n_steps ? w->of : w->n_steps;
}

void work_brief(const struct work *w, struct sbuf *out)
{
	size_t i;

	if (w->kind == WORK_NONE || !w->runs)
		return;
	if (w->kind == WORK_BENCH)
		sbuf_addf(out, "bench %s %zu/%llu", w->name, w->n_done,
			  (unsigned long long)w->n_runs);
	else if (w->kind == WORK_CAMPAIGN)
		sbuf_addf(out, "campaign %s %u/%u", w->name, w->cells_done, w->cells);
	else if (w->n_planned)
		sbuf_addf(out, "%s: taking back", w->name);
	else
		sbuf_addf(out, "%s: step %zu of %zu", w->name,
			  w->n_done < work_all(w) ? w->n_done + 1 : w->n_done, work_all(w));
	for (i = 0; i < w->n_syncs; i++) {
		if (w->syncs[i].percent < 100) {
			sbuf_addf(out, ", sync %.0f %%", w->syncs[i].percent);
			break;
		}
	}
}
