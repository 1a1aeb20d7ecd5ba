/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report - what a measurement says: events for whoever looks, records for the store. */
#include "bench/session.h"

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

static void put_bps(json_t *j, const char *key, double bps)
{
	json_put_u64(j, key, (uint64_t)(bps + 0.5));
}

/* Bytes a second are whole numbers; of what is counted there may be less than one. */
static void put_rate(json_t *j, const char *which, enum bench_op op, double rate)
{
	char key[40];

	if (op_of(op)->counts) {
		snprintf(key, sizeof(key), "%srate", which);
		json_object_set_new(j, key, json_real(rate));
	} else {
		snprintf(key, sizeof(key), "%sbps", which);
		put_bps(j, key, rate);
	}
}

static void put_unit(json_t *j, enum bench_op op)
{
	if (op_of(op)->counts)
		json_put_str(j, "unit", op_of(op)->counts);
}

static uint64_t counted(enum bench_op op, const struct engine_result *r)
{
	return op_of(op)->counts ? r->ops : r->bytes;
}

static double rate(uint64_t n, uint64_t ns)
{
	return (double)n * 1e9 / (double)(ns ? ns : 1);
}

static void put_latency(json_t *j, uint64_t p50, uint64_t p99, uint64_t max)
{
	json_put_u64(j, "p50_ns", p50);
	json_put_u64(j, "p99_ns", p99);
	json_put_u64(j, "max_ns", max);
}

/* The steps of a loop; their sums over n runs become one run's, their longest stays. */
static void put_steps(json_t *j, const struct engine_step *steps, unsigned n_steps, unsigned n)
{
	json_t *all = json_array();
	unsigned i;

	for (i = 0; i < n_steps; i++) {
		json_t *step = json_object();

		json_put_str(step, "step", steps[i].word);
		json_put_u64(step, "ops", steps[i].n / n);
		put_latency(step, steps[i].p50_ns / n, steps[i].p99_ns / n, steps[i].max_ns);
		json_array_append_new(all, step);
	}
	if (n_steps)
		json_object_set(j, "steps", all);
	json_decref(all);
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
	put_unit(j, op);
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

static const char *cache_of(const struct session *s, const struct class *c, enum bench_op op)
{
	return cache_word(class_cache(s, c, op));
}

/* How it was done, as far as that is not the usual way. */
static void put_way(json_t *j, const struct workload *w)
{
	static const char *const syncs[] = {
		[SYNC_END] = "end", [SYNC_NONE] = "none", [SYNC_FILE] = "per-file",
		[SYNC_WRITE] = "per-write",
	};

	if (w->group)
		json_put_str(j, "group", w->group);
	if (w->metric)
		json_put_str(j, "metric", w->metric);
	json_put_str(j, "sync", syncs[w->sync]);
	if (w->direct)
		json_object_set_new(j, "direct", json_true());
	if (w->shared_file)
		json_object_set_new(j, "shared_file", json_true());
	if (w->rate_bps)
		json_put_u64(j, "stream_rate_bps", w->rate_bps);
}

json_t *record_new(const struct session *s, const struct class *c, enum bench_op op)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	json_t *j = event_new("result", c);

	json_put_str(j, "op", bench_op_word(op));
	put_unit(j, op);
	if (op_of(op)->writes)
		json_object_set_new(j, "writes", json_true());
	json_put_str(j, "target", s->order->target);
	json_put_str(j, "label", s->order->label ? s->order->label : s->order->target);
	if (s->order->build)
		json_put_str(j, "build", s->order->build);
	json_put_str(j, "engine", class_by_rsync(s->order, c->w) ? "rsync" : "naslab");
	if (s->order->suite)
		json_put_str(j, "suite", s->order->suite);
	if (class_cell(s, c))
		json_put_u64(j, "cell_id", (uint64_t)class_cell(s, c));
	json_put_u64(j, "bytes", c->corpus->bytes);
	json_put_u64(j, "files", c->corpus->n);
	json_object_set_new(j, "scale", json_real(s->order->scale));
	json_put_u64(j, "bs", c->w->bs);
	put_way(j, c->w);
	json_put_str(j, "cache", cache_of(s, c, op));
	json_put_u64(j, "seed", c->w->sets[0].seed);
	if (c->w->sets[0].folder)
		json_put_str(j, "data_dir", c->w->sets[0].folder);
	json_object_update(j, s->provenance);
	/* what it was measured with is what it is compared by */
	json_put_u64(j, "memory_bytes", s->order->ram && s->order->ram < memory ? s->order->ram :
		     memory);
	if (s->order->ram)
		json_put_u64(j, "ram_limit_bytes", s->order->ram);
	if (proof_dirty_limit("", s->counters.arena))
		json_put_u64(j, "dirty_limit_bytes", proof_dirty_limit("", s->counters.arena));
	if (s->limit_bps)
		json_put_u64(j, "limit_bps", s->limit_bps);
	if (s->counters.options)
		json_put_str(j, "mount_options", s->counters.options);
	json_put_str(j, "version", VERSION);
	return j;
}

/* How sure the median is, whether the runs drift, which lie far off, and why it ended. */
static void put_statistics(const struct session *s, const struct series *r, enum bench_op op,
			   bool partial, json_t *j)
{
	static const char *const ends[] = {
		[REPEAT_MORE] = "stopped", [REPEAT_SURE] = "sure", [REPEAT_CAP] = "cap",
	};
	const double *values = series_judged(r, op);
	bool *marked = arena_array(s->counters.arena, r->n + 1, sizeof(*marked));
	json_t *outliers = json_array();
	double low, high, sure, p, rho;
	size_t i;

	json_object_set_new(j, "confidence", json_real(stats_confidence(r->n)));
	sure = stats_median_interval(values, r->n, 0.95, &low, &high);
	if (sure > 0) {
		json_object_set_new(j, "interval_sure", json_real(sure));
		put_rate(j, "interval_low_", op, low);
		put_rate(j, "interval_high_", op, high);
	}
	rho = stats_drift(values, r->n, &p);
	json_object_set_new(j, "drift", json_real(rho));
	json_object_set_new(j, "drift_p", json_real(p));
	stats_outliers(values, r->n, marked);
	for (i = 0; i < r->n; i++) {
		if (marked[i])
			json_array_append_new(outliers, json_integer((json_int_t)i + 1));
	}
	json_object_set_new(j, "outliers", outliers);
	json_put_str(j, "repeat", partial ? "stopped" : s->order->within > 0 ? ends[r->repeat] :
		     "fixed");
	if (s->order->within > 0)
		json_object_set_new(j, "within", json_real(s->order->within));
}

/* Runs of more than one session: are the earlier ones of another kind? */
static void put_earlier(const struct series *r, enum bench_op op, json_t *j)
{
	const double *values = series_judged(r, op);

	json_object_set_new(j, "earlier_p", json_real(stats_rank_p(values, r->earlier,
								   values + r->earlier,
								   r->n - r->earlier)));
}

/* Of one processor; several threads can take more. */
static void put_cpu(json_t *j, uint64_t cpu_ns, uint64_t ns)
{
	if (ns)
		json_put_u64(j, "cpu_percent", (uint64_t)((double)cpu_ns * 100 / (double)ns + 0.5));
}

/* Of several streams: the slowest and the fastest of all runs, and what each did on average. */
static void put_streams(json_t *j, const struct series *r)
{
	json_t *each = json_array();
	double sum = 0;
	unsigned i;

	for (i = 0; i < r->streams && r->n; i++) {
		json_array_append_new(each, json_integer((json_int_t)(r->stream_bps[i] / r->n + 0.5)));
		sum += r->stream_bps[i] / r->n;
	}
	if (r->streams > 1 && r->n) {
		json_put_u64(j, "streams", r->streams);
		put_bps(j, "stream_min_bps", r->stream_min);
		put_bps(j, "stream_mean_bps", sum / r->streams);
		put_bps(j, "stream_max_bps", r->stream_max);
		json_put_u64(j, "least_bytes", r->least_bytes);
		json_object_set(j, "stream_bps", each);
	}
	json_decref(each);
}

static void add_streams(struct series *r, const struct engine_result *copy)
{
	unsigned i;

	if (!r->streams || copy->least_bytes < r->least_bytes)
		r->least_bytes = copy->least_bytes;
	for (i = 0; i < copy->streams && i < WORKLOAD_STREAMS; i++) {
		double bps = rate(copy->stream[i].bytes, copy->stream[i].ns);

		r->stream_bps[i] += bps;
		if ((!r->streams && i == 0) || bps < r->stream_min)
			r->stream_min = bps;
		if (bps > r->stream_max)
			r->stream_max = bps;
	}
	r->streams = copy->streams;
}

/* What one run did, on average. */
static void put_means(json_t *j, const struct series *r, enum bench_op op)
{
	unsigned n = r->n ? r->n : 1;

	json_put_u64(j, "disk_bytes", r->disk_bytes / n);
	json_put_u64(j, "cpu_ns", r->cpu_ns / n);
	json_put_u64(j, "run_bytes", r->copy_bytes / n);
	put_cpu(j, r->cpu_ns, r->durable_ns);
	put_streams(j, r);
	if (!r->ops)
		return;
	json_put_u64(j, "ops", r->ops / n);
	put_latency(j, r->p50_ns / n, r->p99_ns / n, r->max_ns);
	put_steps(j, r->steps, r->n_steps, n);
	if (op_of(op)->counts && r->copy_bytes)
		json_put_u64(j, "mean_bps", (uint64_t)rate(r->copy_bytes, r->durable_ns));
}

/* The numbers of a series as far as it is. */
static json_t *result_json(const struct session *s, const struct class *c, enum bench_op op,
			   bool partial)
{
	const struct series *r = &c->series[op];
	json_t *j = record_new(s, c, op);
	struct stats felt, durable;
	unsigned flags = r->flags | stats_flags(series_judged(r, op), r->n);

	stats_of(r->felt, r->n, &felt);
	stats_of(r->durable, r->n, &durable);
	partial = partial || r->n < c->reps;
	if (partial)
		flags |= FLAG_PARTIAL;
	json_put_u64(j, "runs", r->n);
	put_rate(j, "median_", op, felt.median);
	put_rate(j, "min_", op, felt.min);
	put_rate(j, "max_", op, felt.max);
	put_rate(j, "durable_median_", op, durable.median);
	put_rate(j, "durable_min_", op, durable.min);
	put_rate(j, "durable_max_", op, durable.max);
	if (felt.median > 0 && durable.median > 0) {
		double n = (double)(op_of(op)->counts ? r->ops : r->copy_bytes) / r->n;

		json_put_u64(j, "felt_ns", (uint64_t)(n * 1e9 / felt.median + 0.5));
		json_put_u64(j, "durable_ns", (uint64_t)(n * 1e9 / durable.median + 0.5));
	}
	put_means(j, r, op);
	if (r->source_bps)
		json_put_u64(j, "source_bps", r->source_bps);
	if (r->hottest_mc > 0)
		json_put_u64(j, "temperature_mc", (uint64_t)r->hottest_mc);
	json_put_u64(j, "fill_percent", r->fill_percent);
	if (r->placed)
		json_put_u64(j, "position", r->position);
	put_statistics(s, r, op, partial, j);
	if (r->earlier)
		json_put_u64(j, "earlier_runs", r->earlier);
	if (r->earlier && r->earlier < r->n) {
		put_earlier(r, op, j);
		flags |= FLAG_RESUMED;
	}
	json_object_set_new(j, "flags", flag_words(flags));
	return j;
}

static void add_steps(struct series *r, const struct engine_result *x)
{
	unsigned i;

	for (i = 0; i < x->n_steps; i++) {
		struct engine_step *to = &r->steps[i];
		const struct engine_step *from = &x->steps[i];

		memcpy(to->word, from->word, sizeof(to->word));
		to->n += from->n;
		to->p50_ns += from->p50_ns;
		to->p99_ns += from->p99_ns;
		if (from->max_ns > to->max_ns)
			to->max_ns = from->max_ns;
	}
	r->n_steps = x->n_steps;
}

static void add_proof(struct series *r, const struct measured *m)
{
	r->disk_bytes += m->disk_bytes;
	r->cpu_ns += m->copy.cpu_ns;
	r->copy_bytes += m->copy.bytes;
	r->durable_ns += m->copy.durable_ns;
	add_streams(r, &m->copy);
	r->ops += m->copy.ops;
	r->p50_ns += m->copy.p50_ns;
	r->p99_ns += m->copy.p99_ns;
	if (m->copy.max_ns > r->max_ns)
		r->max_ns = m->copy.max_ns;
	add_steps(r, &m->copy);
	r->flags |= m->flags;
	if (m->copy.source_bps && (!r->source_bps || m->copy.source_bps < r->source_bps))
		r->source_bps = m->copy.source_bps;
	if (m->after.hottest_mc > r->hottest_mc)
		r->hottest_mc = m->after.hottest_mc;
	if (m->fill_percent > r->fill_percent)
		r->fill_percent = m->fill_percent;
	if (m->placed)
		r->position = m->position;
	r->placed = r->placed || m->placed;
}

void series_add(struct series *r, const struct measured *m)
{
	r->felt[r->n] = rate(counted(m->op, &m->copy), m->copy.felt_ns);
	r->durable[r->n] = rate(counted(m->op, &m->copy), m->copy.durable_ns);
	add_proof(r, m);
	r->n++;
}

/* The circumstances of one run, beside its numbers. */
static void put_proof(json_t *j, const struct measured *m)
{
	json_put_u64(j, "disk_read_bytes", m->moved.read);
	json_put_u64(j, "disk_written_bytes", m->moved.written);
	if (m->copy.ops) {
		json_put_u64(j, "ops", m->copy.ops);
		put_latency(j, m->copy.p50_ns, m->copy.p99_ns, m->copy.max_ns);
		put_steps(j, m->copy.steps, m->copy.n_steps, 1);
	}
	json_put_u64(j, "cpu_ns", m->copy.cpu_ns);
	json_put_u64(j, "copy_cpu_ns", m->copy.copy_cpu_ns);
	put_cpu(j, m->copy.cpu_ns, m->copy.durable_ns);
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
	add_streams(one, copy);
	put_streams(j, one);
	free(one);
}

int report_keep(struct session *s, struct class *c, enum bench_op op, struct err *e)
{
	struct series *r = &c->series[op];
	json_t *record = result_json(s, c, op, true);
	int rc = r->id ? store_result_update(s->store, r->id, record, e) :
			 store_result_add(s->store, record, &r->id, e);

	json_decref(record);
	return rc;
}

int report_aside(struct session *s, struct class *c, enum bench_op op, struct err *e)
{
	json_t *record = result_json(s, c, op, true);
	int rc;

	json_object_del(record, "cell_id");
	rc = store_result_add(s->store, record, &c->series[op].id, e);
	json_decref(record);
	return rc;
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
	put_unit(j, op);
	put_rate(j, "", op, r->felt[r->n - 1]);
	put_rate(j, "durable_", op, r->durable[r->n - 1]);
	put_proof(j, m);
	put_run_streams(j, &m->copy);
	json_put_str(j, "cache", cache_of(s, c, op));
	if (m->verified)
		json_object_set_new(j, "verified", json_true());
	json_object_set_new(j, "flags", flag_words(m->flags));
	json_put_u64(j, "done", s->done);
	json_put_u64(j, "runs", s->runs);
	if (s->store) {
		rc = report_keep(s, c, op, e);
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
