/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench - a measurement from begin to end. Rounds, not blocks: every class is measured
 * once before any is measured again, in an order shuffled anew for each round, so that
 * whatever drifts meanwhile drifts over all of them alike. A class whose median is known well
 * enough is left out of further rounds when so many were not asked for outright. A class that is written and read
 * reads what the timed write made; one that is only read is written once before.
 */
#include "bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "bench/found.h"
#include "bench/outside.h"
#include "bench/session.h"
#include "store/store.h"

/* A signal has no other way in. */
static volatile sig_atomic_t signalled;

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP };
enum { N_SIGNALS = sizeof(stop_signals) / sizeof(stop_signals[0]) };

static void stop(int signal)
{
	(void)signal;
	signalled = 1;
}

bool session_stops(const struct session *s)
{
	const struct bench_order *o = s->order;

	if (o->stopped && o->stopped(o->stopped_arg))
		signalled = 1;		/* once said, it stays said */
	return signalled;
}

static void catch_signals(struct sigaction *before)
{
	struct sigaction sa = { .sa_handler = stop };
	size_t i;

	signalled = 0;
	for (i = 0; i < N_SIGNALS; i++) {
		sigaction(stop_signals[i], NULL, &before[i]);
		/* nohup, and a campaign that nobody watches: a terminal may go */
		if (stop_signals[i] != SIGHUP || before[i].sa_handler != SIG_IGN)
			sigaction(stop_signals[i], &sa, NULL);
	}
}

static void restore_signals(const struct sigaction *before)
{
	size_t i;

	for (i = 0; i < N_SIGNALS; i++)
		sigaction(stop_signals[i], &before[i], NULL);
}

static double *room_for(unsigned n)
{
	double *p = calloc(n, sizeof(*p));

	if (!p)
		die("no memory");
	return p;
}

/* The person's own files that are written, as far as memory goes: before any clock starts. */
static void hold_sources(const struct workload *w, uint64_t *most)
{
	unsigned i;

	for (i = 0; i < w->n_sets; i++) {
		struct found *f = w->sets[i].found;

		if (!f || f->bytes > *most)
			continue;
		*most -= f->bytes;
		found_hold(f);
	}
}

static void make_classes(struct session *s)
{
	const struct bench_order *o = s->order;
	uint64_t most = outside_memory() / 4;
	size_t i;

	s->classes = calloc(o->workloads.n ? o->workloads.n : 1, sizeof(*s->classes));
	if (!s->classes)
		die("no memory");
	for (i = 0; i < o->workloads.n; i++) {
		struct class *c = &s->classes[s->n_classes];
		int op;

		c->w = o->workloads.at[i];
		c->ops = workload_ops(c->w, o->write, o->read);
		if (!c->ops)
			continue;
		s->n_classes++;
		c->stream = -1;
		c->reps = class_reps(o, c->w);
		c->most = o->within > 0 && o->most > c->reps ? o->most : c->reps;
		hold_sources(c->w, &most);
		c->corpus = corpus_new(c->w, o->scale);
		for (op = 0; op < BENCH_OPS; op++) {
			c->makes |= (c->ops & 1u << op) && op_of((enum bench_op)op)->makes;
			c->adds |= (c->ops & 1u << op) && op_of((enum bench_op)op)->adds;
			c->series[op].felt = room_for(c->most);
			c->series[op].durable = room_for(c->most);
		}
	}
}

static void free_classes(struct session *s)
{
	size_t i;
	int op;

	for (i = 0; i < s->n_classes; i++) {
		corpus_free(s->classes[i].corpus);
		if (s->classes[i].stream >= 0)
			close(s->classes[i].stream);
		for (op = 0; op < BENCH_OPS; op++) {
			free(s->classes[i].series[op].felt);
			free(s->classes[i].series[op].durable);
		}
	}
	free(s->classes);
}

static int one_run(struct session *s, struct class *c, enum bench_op op, const char *set,
		   struct err *e)
{
	const struct op *o = op_of(op);
	struct measured m = { .op = op };
	int rc = 0;

	if (!o->makes && !c->there)
		rc = run_prepare(s, c, set, e);
	if (o->makes || !c->there)
		c->changed = false;
	if (rc == 0)
		rc = run_op(s, c, set, &m, e);
	c->there = !o->removes && !(o->makes && m.copy.capped);
	c->changed |= o->writes && o->by == OP_BY_RECORDS;
	if (m.copy.checksum)
		c->checksum = m.copy.checksum;
	if (rc == 0)
		rc = report_run(s, c, op, &m, e);
	json_decref(m.samples);
	json_decref(m.disturbed_by);
	others_done(&m.others);
	return rc;
}

/* Is another run of one of its operations worth it? All are made, for they need each other. */
static bool goes_on(const struct session *s, struct class *c)
{
	const struct repeat_rule rule = { .width = s->order->within, .least = c->reps,
					  .most = c->most };
	bool more = false;
	int op;

	for (op = 0; op < BENCH_OPS; op++) {
		struct series *r = &c->series[op];

		if (!(c->ops & 1u << op))
			continue;
		r->repeat = stats_repeat(&rule, series_judged(r, (enum bench_op)op), r->n);
		more = more || r->repeat == REPEAT_MORE;
	}
	return more;
}

/* The runs that are still to be made, as far as it is known: at least one more of each. */
static unsigned runs_left(const struct session *s, struct class *c)
{
	unsigned rep = s->rep > c->kept ? s->rep : c->kept + 1;
	unsigned left = rep > c->reps ? 1 : c->reps - rep + 1, n = 0;
	int op;

	if (!goes_on(s, c))
		return 0;
	for (op = 0; op < BENCH_OPS; op++)
		n += c->ops >> op & 1;
	return n * left;
}

static void set_name(const struct session *s, const struct class *c, char buf[CORPUS_NAME])
{
	snprintf(buf, CORPUS_NAME, "set%zu", (size_t)(c - s->classes));
}

static int one_class(struct session *s, struct class *c, struct err *e)
{
	enum bench_op order[BENCH_OPS];
	unsigned n = workload_order(c->w, c->ops, order), i;
	char set[CORPUS_NAME];

	set_name(s, c, set);
	for (i = 0; i < n; i++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): rounds() filled its list */
		if (one_run(s, c, order[i], set, e) < 0)
			return -1;
	}
	if (!c->makes && c->there)
		return 0;		/* kept for the next round */
	c->there = false;
	return run_remove(s, set, e);
}

static void shuffle(size_t *order, size_t n, uint64_t *state)
{
	size_t i;

	for (i = n; i > 1; i--) {
		size_t k = corpus_mix(state) % i, last = order[i - 1];

		order[i - 1] = order[k];
		order[k] = last;
	}
}

/* Is the time up that the order gives? What has begun comes to its end, and one class must. */
static bool time_is_up(struct session *s)
{
	if (s->order->cap_ns && s->done && clock_ns() - s->began_ns > s->order->cap_ns)
		s->capped = true;
	return s->capped;
}

/* Once in each round; or everything in the first, for a class that wants it in a row. */
static int one_turn(struct session *s, struct class *c, struct err *e)
{
	unsigned round = s->rep;
	int rc = 0;

	if (!c->w->in_a_row)
		return s->rep > c->kept && goes_on(s, c) ? one_class(s, c, e) : 0;
	while (rc == 0 && round == 1 && goes_on(s, c) && !time_is_up(s)) {
		if (s->rep > c->kept)
			rc = one_class(s, c, e);
		s->rep++;
	}
	s->rep = round;
	return rc;
}

static int rounds(struct session *s, struct err *e)
{
	size_t *order = calloc(s->n_classes + 1, sizeof(*order));
	char set[CORPUS_NAME];
	uint64_t state = 7;
	unsigned most = 0;
	size_t i;
	int rc = 0;

	if (!order)
		die("no memory");
	for (i = 0; i < s->n_classes; i++) {
		struct class *c = &s->classes[i];

		order[i] = i;
		set_name(s, c, set);
		if (c->most > most)
			most = c->most;
		if (rc == 0 && !c->makes && goes_on(s, c)) {
			rc = run_prepare(s, c, set, e);
			c->there = true;
		}
	}
	for (s->rep = 1; rc == 0 && s->rep <= most && !s->capped; s->rep++) {
		unsigned left = 0;

		for (i = 0; i < s->n_classes; i++)
			left += runs_left(s, &s->classes[i]);
		if (!left)
			break;
		s->runs = s->done + left;
		shuffle(order, s->n_classes, &state);
		for (i = 0; rc == 0 && i < s->n_classes && !time_is_up(s); i++)
			rc = one_turn(s, &s->classes[order[i]], e);
	}
	for (i = 0; i < s->n_classes; i++)
		goes_on(s, &s->classes[i]);	/* for the record */
	free(order);
	return rc;
}

/* Everything between the work directory's making and its removal. */
static int measure(struct session *s, const struct bench_forecast *f, struct err *e)
{
	struct err more = { 0 };
	bool writes_back;
	struct stat st;
	size_t i;
	int rc;

	if (fstat(s->dir.target, &st) == 0)
		s->dev = st.st_dev;
	s->runs = f->runs;
	s->began_ns = clock_ns();
	counters_open(&s->counters, s->dir.target);
	s->provenance = provenance(s);
	s->limit_bps = proof_limit_bps("", s->counters.arena, &s->counters.disks);
	writes_back = !s->order->no_wait && wait_writes_back(&s->counters.disks);
	for (i = 0; i < s->n_classes; i++)
		s->classes[i].ops = class_ops(s->order, s->classes[i].w, writes_back);
	rc = s->order->cells ? resume_session(s, e) : 0;
	report_begin(s, f);
	if (rc == 0)
		rc = usable_session(s, e);
	if (rc == 0)
		rc = rounds(s, e);
	if (rc == 0 && s->capped)
		report_capped(s);
	if (report_results(s, rc < 0, &more) < 0 && rc == 0) {
		*e = more;
		rc = -1;
	}
	counters_close(&s->counters);
	json_decref(s->provenance);
	return rc;
}

/* A million files are removed for minutes. */
static void tell_removal(void *arg, uint64_t removed)
{
	char text[80];

	snprintf(text, sizeof(text), "%llu of the measurement's files are removed",
		 (unsigned long long)removed);
	report_wait(arg, NULL, text);
}

/* What went wrong because the target is no longer what it was is said as that. */
static void say_why(const struct session *s, struct err *e)
{
	struct err why = { 0 };

	if (signalled || s->dir.target < 0 || workdir_check(&s->dir, &why) == 0 ||
	    !strncmp(e->text, why.text, strlen(why.text)))
		return;
	err_in(e, "%s", why.text);
}

/* One sentence of two failures, the first one first. */
static void add_failure(struct err *e, const struct err *more)
{
	size_t len = strlen(e->text);

	if (e->kind == ERR_NONE)
		*e = *more;
	else
		snprintf(e->text + len, sizeof(e->text) - len, "; %s", more->text);
}

/* What a killed run left in memory is not found by its target. */
static void clean_memory(void)
{
	int dir = open(rsync_memory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return;
	workdir_clean(dir, NULL, NULL);
	close(dir);
}

/* Does one of the workloads need a place outside of the target that was not named? */
static bool wants_memory(const struct bench_order *o)
{
	size_t i;

	for (i = 0; i < o->workloads.n; i++) {
		if (class_by_rsync(o, o->workloads.at[i]))
			return true;
	}
	return false;
}

int bench_run(const struct bench_order *o, void (*emit)(void *, const json_t *), void *arg,
	      struct err *e)
{
	struct session s = {
		.order = o, .emit = emit, .arg = arg, .ram.procs = -1,
		.dir = { .target = -1, .tell = tell_removal, .arg = &s },
		.source = { .target = -1, .tell = tell_removal, .arg = &s },
	};
	struct sigaction before[N_SIGNALS];
	struct bench_forecast f;
	struct err cleaning = { 0 };
	int rc;

	catch_signals(before);
	clean_memory();
	rc = workdir_open(&s.dir, o->target, e);
	if (rc == 0 && (o->source || wants_memory(o)))
		rc = workdir_open(&s.source, o->source ? o->source : rsync_memory, e);
	if (rc == 0)
		rc = bench_forecast(o, &f, e);
	if (rc == 0 && (!o->db || *o->db))
		rc = store_open(o->db, &s.store, e);
	ram_sweep();
	if (rc == 0)
		rc = ram_open(&s.ram, o->ram, e);
	if (rc == 0) {
		make_classes(&s);
		rc = measure(&s, &f, e);
		if (rc < 0)
			say_why(&s, e);
	}
	workdir_close(&s.source, &cleaning);
	workdir_close(&s.dir, &cleaning);
	if (cleaning.kind != ERR_NONE) {
		add_failure(e, &cleaning);
		rc = -1;
	}
	ram_close(&s.ram);
	free_classes(&s);
	store_close(s.store);
	restore_signals(before);
	return rc;
}
