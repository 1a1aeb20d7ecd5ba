/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report - what a measurement says: events for whoever looks. */
#include "bench/result.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/units.h"
#include "store/store.h"

json_t *event_new(const char *event, const struct class *c)
{
	json_t *j = json_object();

	json_put_str(j, "event", event);
	if (c) {
		json_put_str(j, "workload", c->w->name);
		json_put_str(j, "class", c->w->name);
	}
	return j;
}

static void emit(struct session *s, json_t *event)
{
	s->emit(s->arg, event);
	json_decref(event);
}

void report_begin(struct session *s, const struct bench_forecast *f)
{
	const struct bench_order *o = s->order;
	static const char *const resources[] = { "cpu", "io", "memory" };
	json_t *j = event_new("begin", NULL), *classes = json_array(), *disks = json_array();
	json_t *writers = json_array(), *pressure = json_object();
	struct others others = { 0 };
	struct list names = { 0 };
	size_t i;

	json_put_str(j, "verb", "bench");
	json_put_str(j, "target", o->target);
	json_put_str(j, "label", o->label ? o->label : o->target);
	if (o->build)
		json_put_str(j, "build", o->build);
	for (i = 0; i < s->n_classes; i++) {
		json_t *c = json_object(), *ops = json_array();
		int op;

		json_put_str(c, "workload", s->classes[i].w->name);
		json_put_u64(c, "bytes", s->classes[i].corpus->bytes);
		json_put_u64(c, "files", s->classes[i].corpus->n);
		for (op = 0; op < BENCH_OPS; op++) {
			if (s->classes[i].ops & 1u << op)
				json_add_str(ops, bench_op_word((enum bench_op)op));
		}
		json_object_set_new(c, "ops", ops);
		json_array_append_new(classes, c);
	}
	json_object_set_new(j, "classes", classes);
	for (i = 0; i < s->counters.disks.n; i++)
		json_add_str(disks, s->counters.disks.at[i]);
	json_object_set_new(j, "disks", disks);
	others_look("", &s->counters.disks, s->dev, &others);
	others_that_write(s->counters.arena, &others, 8, &names);
	others_done(&others);
	for (i = 0; i < names.n; i++)
		json_add_str(writers, names.at[i]);
	json_object_set_new(j, "writers", writers);
	for (i = 0; i < sizeof(resources) / sizeof(resources[0]); i++)
		json_object_set_new(pressure, resources[i],
				    json_real(proof_pressure("", s->counters.arena, resources[i])));
	json_object_set_new(j, "pressure", pressure);
	json_put_u64(j, "reps", o->reps);
	if (o->within > 0) {
		json_object_set_new(j, "within", json_real(o->within));
		json_put_u64(j, "most", o->most);
	}
	json_object_set_new(j, "scale", json_real(o->scale));
	json_put_str(j, "cache", cache_word(o->cache));
	if (o->ram)
		json_put_u64(j, "ram_limit_bytes", o->ram);
	json_put_u64(j, "runs", s->runs);
	json_put_u64(j, "need_bytes", f->need_bytes);
	json_put_u64(j, "free_bytes", f->free_bytes);
	json_put_u64(j, "write_bytes", f->write_bytes);
	json_put_u64(j, "read_bytes", f->read_bytes);
	emit(s, j);
}

void report_times(struct session *s, const char *text, json_t *results)
{
	json_t *j = event_new("times", NULL);

	json_put_str(j, "text", text);
	json_object_set_new(j, "results", results);
	emit(s, j);
}

void report_capped(struct session *s)
{
	json_t *j = event_new("capped", NULL);
	struct sbuf text = { 0 };
	char cap[SIZE_TEXT];

	sbuf_addf(&text, "the time of %s is up after %u of %u runs", duration_text(cap, s->order->cap_ns),
		  s->done, s->runs);
	json_put_str(j, "text", sbuf_str(&text));
	emit(s, j);
	sbuf_done(&text);
}

void report_wait(struct session *s, const struct class *c, const char *text)
{
	json_t *j = event_new("wait", c);

	json_put_str(j, "text", text);
	emit(s, j);
}

void report_gate(struct session *s, const struct class *c, const struct gate *g)
{
	static const char *const kinds[] = {
		[GATE_SYNC] = "sync", [GATE_CACHE] = "cache", [GATE_DIRTY] = "dirty",
	};
	json_t *j = event_new("wait", c);
	struct sbuf text = { 0 };

	gate_text(g, &text);
	json_put_str(j, "text", sbuf_str(&text));
	json_put_str(j, "for", kinds[g->kind]);
	if (g->total)
		json_put_u64(j, "percent", gate_percent(g));
	if (g->left_ns)
		json_put_u64(j, "left_ns", g->left_ns);
	emit(s, j);
	sbuf_done(&text);
}

/* How many of what is counted there are in all; 0: nobody knows. */
static uint64_t total_of(const struct class *c, enum bench_op op)
{
	return op_of(op)->counts && (op_of(op)->by == OP_BY_NAMES || op_of(op)->by == OP_BY_FILES) ?
	       c->corpus->n : 0;
}

void report_sample(struct session *s, const struct class *c, enum bench_op op, uint64_t t_ns,
		   uint64_t bytes, uint64_t ops, uint64_t disk_bytes, uint64_t dirty_bytes,
		   bool syncing)
{
	json_t *j = event_new("sample", c);
	uint64_t written, read;

	json_put_str(j, "op", bench_op_word(op));
	say_unit(j, op);
	json_put_u64(j, "rep", s->rep);
	json_put_u64(j, "of", s->rep > c->reps ? s->rep : c->reps);
	json_put_u64(j, "t_ns", t_ns);
	json_put_u64(j, "bytes", bytes);
	if (ops || op_of(op)->counts)
		json_put_u64(j, "ops", ops);
	if (total_of(c, op))
		json_put_u64(j, "total_ops", total_of(c, op));
	workload_run_moves(c->w, op, s->order->scale, &written, &read);
	json_put_u64(j, "total_bytes", written + read);
	json_put_u64(j, "disk_bytes", disk_bytes);
	json_put_u64(j, "dirty_bytes", dirty_bytes);
	json_put_str(j, "phase", syncing ? "sync" : "copy");
	json_put_u64(j, "done", s->done);
	json_put_u64(j, "runs", s->runs);
	emit(s, j);
}

/* The circumstances of one run, beside its numbers. */
static void put_proof(json_t *j, const struct measured *m)
{
	json_put_u64(j, "disk_read_bytes", m->moved.read);
	json_put_u64(j, "disk_written_bytes", m->moved.written);
	if (m->copy.ops) {
		json_put_u64(j, "ops", m->copy.ops);
		say_latency(j, m->copy.p50_ns, m->copy.p99_ns, m->copy.max_ns);
		say_steps(j, m->copy.steps, m->copy.n_steps, 1);
	}
	json_put_u64(j, "cpu_ns", m->copy.cpu_ns);
	json_put_u64(j, "copy_cpu_ns", m->copy.copy_cpu_ns);
	say_cpu(j, m->copy.cpu_ns, m->copy.durable_ns);
	if (m->copy.source_bps) {
		json_put_u64(j, "source_bps", m->copy.source_bps);
		json_put_u64(j, "source_wait_ns", m->copy.source_wait_ns);
	}
	json_put_u64(j, "cpu_stall_us", m->after.cpu_stall_us - m->before.cpu_stall_us);
	json_put_u64(j, "io_stall_us", m->after.io_stall_us - m->before.io_stall_us);
	json_put_u64(j, "memory_stall_us", m->after.memory_stall_us - m->before.memory_stall_us);
	if (m->disturbed_by)
		json_object_set(j, "disturbed_by", m->disturbed_by);
	if (m->placed)
		json_put_u64(j, "position", m->position);
	if (m->before.hottest_mc != PROOF_NO_HEAT)
		json_object_set_new(j, "temperature_begin_mc", json_integer(m->before.hottest_mc));
	if (m->after.hottest_mc != PROOF_NO_HEAT)
		json_object_set_new(j, "temperature_mc", json_integer(m->after.hottest_mc));
	json_put_u64(j, "fill_percent", m->fill_percent);
}

/* The same of one run. */
static void put_run_streams(json_t *j, const struct engine_result *copy)
{
	struct series *one = calloc(1, sizeof(*one));

	if (!one)
		die("no memory");
	one->n = 1;
	series_add_streams(one, copy);
	say_streams(j, one);
	free(one);
}

int report_run(struct session *s, struct class *c, enum bench_op op, struct measured *m,
	       struct err *e)
{
	struct series *r = &c->series[op];
	json_t *j = event_new("run", c);
	int64_t id;
	int rc = 0;

	series_add(r, m);
	s->done++;
	json_put_str(j, "op", bench_op_word(op));
	json_put_u64(j, "rep", s->rep);
	json_put_u64(j, "of", s->rep > c->reps ? s->rep : c->reps);
	if (s->session)
		json_put_u64(j, "session", s->session);
	json_put_u64(j, "bytes", m->copy.bytes);
	json_put_u64(j, "files", m->copy.files);
	if (op_of(op)->writes)
		json_object_set_new(j, "writes", json_true());
	json_put_u64(j, "felt_ns", m->copy.felt_ns);
	json_put_u64(j, "durable_ns", m->copy.durable_ns);
	json_put_u64(j, "disk_bytes", m->disk_bytes);
	say_unit(j, op);
	say_rate(j, "", op, r->felt[r->n - 1]);
	say_rate(j, "durable_", op, r->durable[r->n - 1]);
	put_proof(j, m);
	put_run_streams(j, &m->copy);
	json_put_str(j, "cache", say_cache(s, c, op));
	if (m->verified)
		json_object_set_new(j, "verified", json_true());
	json_object_set_new(j, "flags", flag_words(m->flags));
	json_put_u64(j, "done", s->done);
	json_put_u64(j, "runs", s->runs);
	if (s->store) {
		rc = result_keep(s, c, op, e);
		if (rc == 0)
			rc = store_run_add(s->store, r->id, j, &id, e);
		if (rc == 0)
			rc = store_samples_add(s->store, id, m->samples, e);
	}
	emit(s, j);
	return rc;
}

int report_results(struct session *s, bool partial, struct err *e)
{
	size_t i;
	int op, rc = 0;

	for (i = 0; i < s->n_classes; i++) {
		for (op = 0; op < BENCH_OPS; op++) {
			const struct class *c = &s->classes[i];
			json_t *j;

			if (!c->series[op].n)
				continue;
			j = result_json(s, c, (enum bench_op)op, partial);
			if (s->store && rc == 0)
				rc = store_result_update(s->store, c->series[op].id, j, e);
			if (c->series[op].id)
				json_put_u64(j, "id", (uint64_t)c->series[op].id);
			emit(s, j);
		}
	}
	return rc;
}
