/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resume - a campaign's measurement that was cut short goes on. A repetition of a class is
 * all its operations one after the other; those that are whole in the store count, and only
 * the missing ones are made, in the same interleaved rounds. Every run says in which session
 * it was made, and a result that has runs of several says so. Half a repetition is kept as a
 * result of its own, marked as partial. Runs under another kernel, with other tools or
 * another memory do not belong to the same median: nothing is counted then.
 */
#include "bench/result.h"

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "store/store.h"

/* What a run's record says, as add_proof() and the rates want it. */
static void run_read(const json_t *run, enum bench_op op, struct measured *m)
{
	const json_t *rates = json_object_get(run, "stream_bps"), *steps = json_object_get(run, "steps");
	struct engine_result *r = &m->copy;
	const json_t *x;
	size_t i;

	*m = (struct measured){ .op = op, .disk_bytes = json_u64(run, "disk_bytes", 0),
				.flags = flags_read(json_object_get(run, "flags")),
				.fill_percent = (unsigned)json_u64(run, "fill_percent", 0),
				.position = json_u64(run, "position", 0),
				.placed = json_object_get(run, "position") };
	x = json_object_get(run, "temperature_mc");
	m->after.hottest_mc = x ? (int)json_integer_value(x) : PROOF_NO_HEAT;
	r->bytes = json_u64(run, "bytes", 0);
	r->felt_ns = json_u64(run, "felt_ns", 0);
	r->durable_ns = json_u64(run, "durable_ns", 0);
	r->cpu_ns = json_u64(run, "cpu_ns", 0);
	r->ops = json_u64(run, "ops", 0);
	r->p50_ns = json_u64(run, "p50_ns", 0);
	r->p99_ns = json_u64(run, "p99_ns", 0);
	r->max_ns = json_u64(run, "max_ns", 0);
	r->source_bps = json_u64(run, "source_bps", 0);
	r->least_bytes = json_u64(run, "least_bytes", 0);
	json_array_foreach(rates, i, x) {
		if (i < WORKLOAD_STREAMS)
			r->stream[r->streams++] = (struct stream_result){
				.bytes = (uint64_t)json_integer_value(x), .ns = 1000000000 };
	}
	json_array_foreach(steps, i, x) {
		const char *word = json_str(x, "step");
		struct engine_step *step = &r->steps[r->n_steps];

		if (!word || r->n_steps == ENGINE_STEPS)
			continue;
		strncpy(step->word, word, sizeof(step->word) - 1);
		step->n = json_u64(x, "ops", 0);
		step->p50_ns = json_u64(x, "p50_ns", 0);
		step->p99_ns = json_u64(x, "p99_ns", 0);
		step->max_ns = json_u64(x, "max_ns", 0);
		r->n_steps++;
	}
}

/* Was it made in the same circumstances? Memory differs by a little from boot to boot. */
static bool alike(const json_t *old, const json_t *now)
{
	static const char *const keys[] = { "kernel", "tools", "version", "engine", "cache", "scale",
					    "bytes", "seed", "ram_limit_bytes" };
	double was = (double)json_u64(old, "memory_bytes", 0), is = (double)json_u64(now, "memory_bytes", 0);
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const json_t *a = json_object_get(old, keys[i]), *b = json_object_get(now, keys[i]);

		if (a != b && !json_equal(a, b))
			return false;
	}
	return was > 0.99 * is && was < 1.01 * is;
}

/* The record of one operation among those of a cell; NULL: there is none that counts. */
static json_t *result_of(const struct session *s, const struct class *c, enum bench_op op,
			 const json_t *all)
{
	json_t *now = result_new(s, c, op), *result, *found = NULL;
	size_t i;

	json_array_foreach(all, i, result) {
		const char *word = json_str(result, "op");

		if (!found && word && !strcmp(word, bench_op_word(op)) && alike(result, now))
			found = result;
	}
	json_decref(now);
	return found;
}

/* Half a repetition becomes a record of its own, with its runs from `from` on. */
static int put_aside(struct session *s, struct class *c, enum bench_op op, const json_t *runs,
		     size_t from, struct err *e)
{
	struct series *r = &c->series[op], whole = *r;
	const json_t *first = json_array_get(runs, from), *run;
	struct measured m;
	size_t i;
	int rc;

	if (!first)
		return 0;
	*r = (struct series){ .felt = whole.felt, .durable = whole.durable };
	json_array_foreach(runs, i, run) {
		if (i < from || r->n == c->most)
			continue;
		run_read(run, op, &m);
		series_add(r, &m);
	}
	rc = result_aside(s, c, op, e);
	if (rc == 0)
		rc = store_runs_move(s->store, whole.id, (int64_t)json_u64(first, "id", 0), r->id, e);
	*r = whole;
	return rc;
}

/* Count the first `kept` runs of a record. */
static int take(struct session *s, struct class *c, enum bench_op op, const json_t *record, size_t kept,
		struct err *e)
{
	struct series *r = &c->series[op];
	const json_t *runs = json_object_get(record, "runs"), *run;
	struct measured m;
	size_t i;

	r->id = (int64_t)json_u64(record, "id", 0);
	if (put_aside(s, c, op, runs, kept, e))
		return -1;
	json_array_foreach(runs, i, run) {
		unsigned session = (unsigned)json_u64(run, "session", 1);

		if (i == kept)
			break;
		run_read(run, op, &m);
		series_add(r, &m);
		if (session >= s->session)
			s->session = session + 1;
	}
	r->earlier = r->n;
	s->done += r->n;
	return result_keep(s, c, op, e);
}

static int resume_class(struct session *s, struct class *c, int64_t cell, struct err *e)
{
	json_t *records[BENCH_OPS] = { NULL }, *all, *result;
	size_t kept = c->most, n, i;
	int op, rc;

	if (store_results_of_cell(s->store, cell, &all, e))
		return -1;
	for (op = 0; op < BENCH_OPS; op++) {
		if (!(c->ops & 1u << op))
			continue;
		records[op] = result_of(s, c, (enum bench_op)op, all);
		n = records[op] ? json_array_size(json_object_get(records[op], "runs")) : 0;
		kept = n < kept ? n : kept;
	}
	rc = kept ? 0 : store_results_leave(s->store, cell, e);
	for (op = 0; rc == 0 && kept && op < BENCH_OPS; op++) {
		if (records[op])
			rc = take(s, c, (enum bench_op)op, records[op], kept, e);
	}
	json_array_foreach(all, i, result) {	/* of an operation that is not asked for any more */
		for (op = 0; op < BENCH_OPS && records[op] != result; op++)
			;
		if (rc == 0 && kept && op == BENCH_OPS)
			rc = store_result_leave(s->store, (int64_t)json_u64(result, "id", 0), e);
	}
	c->kept = (unsigned)kept;
	json_decref(all);
	return rc;
}

int64_t class_cell(const struct session *s, const struct class *c)
{
	return (int64_t)json_u64(s->order->cells, c->w->name, 0);
}

int resume_session(struct session *s, struct err *e)
{
	size_t i;
	int rc = 0;

	s->session = 1;
	for (i = 0; rc == 0 && s->store && i < s->n_classes; i++) {
		struct class *c = &s->classes[i];

		if (class_cell(s, c))
			rc = resume_class(s, c, class_cell(s, c), e);
	}
	return rc;
}
