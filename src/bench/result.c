/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result - the numbers of a series and where they come from, as the store keeps them. */
#include "bench/result.h"

#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "store/store.h"

static void put_bps(json_t *j, const char *key, double bps)
{
	json_put_u64(j, key, (uint64_t)(bps + 0.5));
}

/* Bytes a second are whole numbers; of what is counted there may be less than one. */
void say_rate(json_t *j, const char *which, enum bench_op op, double rate)
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

void say_unit(json_t *j, enum bench_op op)
{
	if (op_of(op)->counts)
		json_put_str(j, "unit", op_of(op)->counts);
}

void say_latency(json_t *j, uint64_t p50, uint64_t p99, uint64_t max)
{
	json_put_u64(j, "p50_ns", p50);
	json_put_u64(j, "p99_ns", p99);
	json_put_u64(j, "max_ns", max);
}

void say_steps(json_t *j, const struct engine_step *steps, unsigned n_steps, unsigned n)
{
	json_t *all = json_array();
	unsigned i;

	for (i = 0; i < n_steps; i++) {
		json_t *step = json_object();

		json_put_str(step, "step", steps[i].word);
		json_put_u64(step, "ops", steps[i].n / n);
		say_latency(step, steps[i].p50_ns / n, steps[i].p99_ns / n, steps[i].max_ns);
		json_array_append_new(all, step);
	}
	if (n_steps)
		json_object_set(j, "steps", all);
	json_decref(all);
}

const char *say_cache(const struct session *s, const struct class *c, enum bench_op op)
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

json_t *result_new(const struct session *s, const struct class *c, enum bench_op op)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	json_t *j = event_new("result", c);

	json_put_str(j, "op", bench_op_word(op));
	say_unit(j, op);
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
	json_put_str(j, "cache", say_cache(s, c, op));
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
		say_rate(j, "interval_low_", op, low);
		say_rate(j, "interval_high_", op, high);
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
void say_cpu(json_t *j, uint64_t cpu_ns, uint64_t ns)
{
	if (ns)
		json_put_u64(j, "cpu_percent", (uint64_t)((double)cpu_ns * 100 / (double)ns + 0.5));
}

/* Of several streams: the slowest and the fastest of all runs, and what each did on average. */
void say_streams(json_t *j, const struct series *r)
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

/* What one run did, on average. */
static void put_means(json_t *j, const struct series *r, enum bench_op op)
{
	unsigned n = r->n ? r->n : 1;

	json_put_u64(j, "disk_bytes", r->disk_bytes / n);
	json_put_u64(j, "cpu_ns", r->cpu_ns / n);
	json_put_u64(j, "run_bytes", r->copy_bytes / n);
	say_cpu(j, r->cpu_ns, r->durable_ns);
	say_streams(j, r);
	if (!r->ops)
		return;
	json_put_u64(j, "ops", r->ops / n);
	say_latency(j, r->p50_ns / n, r->p99_ns / n, r->max_ns);
	say_steps(j, r->steps, r->n_steps, n);
	if (op_of(op)->counts && r->copy_bytes)
		json_put_u64(j, "mean_bps", (uint64_t)series_rate(r->copy_bytes, r->durable_ns));
}

/* The numbers of a series as far as it is. */
json_t *result_json(const struct session *s, const struct class *c, enum bench_op op, bool partial)
{
	const struct series *r = &c->series[op];
	json_t *j = result_new(s, c, op);
	struct stats felt, durable;
	unsigned flags = r->flags | stats_flags(series_judged(r, op), r->n);

	stats_of(r->felt, r->n, &felt);
	stats_of(r->durable, r->n, &durable);
	partial = partial || r->n < c->reps;
	if (partial)
		flags |= FLAG_PARTIAL;
	json_put_u64(j, "runs", r->n);
	say_rate(j, "median_", op, felt.median);
	say_rate(j, "min_", op, felt.min);
	say_rate(j, "max_", op, felt.max);
	say_rate(j, "durable_median_", op, durable.median);
	say_rate(j, "durable_min_", op, durable.min);
	say_rate(j, "durable_max_", op, durable.max);
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

int result_keep(struct session *s, struct class *c, enum bench_op op, struct err *e)
{
	struct series *r = &c->series[op];
	json_t *record = result_json(s, c, op, true);
	int rc = r->id ? store_result_update(s->store, r->id, record, e) :
			 store_result_add(s->store, record, &r->id, e);

	json_decref(record);
	return rc;
}

int result_aside(struct session *s, struct class *c, enum bench_op op, struct err *e)
{
	json_t *record = result_json(s, c, op, true);
	int rc;

	json_object_del(record, "cell_id");
	rc = store_result_add(s->store, record, &c->series[op].id, e);
	json_decref(record);
	return rc;
}
