/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order - what shall be measured, as JSON for the executor. */
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/units.h"
#include "bench/ram.h"
#include "bench/ops.h"
#include "bench/session.h"

enum { MOST_REPS = 1000 };

static const char *const cache_words[] = {
	[CACHE_AS_IS] = "as-is", [CACHE_COLD] = "cold", [CACHE_COLD_REMOUNT] = "cold:remount",
	[CACHE_COLD_EXPORT] = "cold:export", [CACHE_WARM] = "warm", [CACHE_OWN] = "own",
};

const char *cache_word(enum cache_state cache)
{
	return cache_words[cache];
}

bool cache_takes_away(enum cache_state cache)
{
	return cache == CACHE_COLD_REMOUNT || cache == CACHE_COLD_EXPORT;
}

int cache_parse(const char *word, enum cache_state *out, struct err *e)
{
	size_t i;

	for (i = 0; i < sizeof(cache_words) / sizeof(cache_words[0]); i++) {
		if (!strcmp(cache_words[i], word)) {
			*out = (enum cache_state)i;
			return 0;
		}
	}
	if (!strcmp(word, "cold:drop"))
		return *out = CACHE_COLD, 0;
	return err_set(e, ERR_USAGE, "the cache is cold, cold:remount, cold:export, warm or as-is, not "
		       "\"%s\"", word);
}

unsigned class_reps(const struct bench_order *o, const struct workload *w)
{
	return o->own_reps && w->reps ? w->reps : o->reps;
}

unsigned class_ops(const struct bench_order *o, const struct workload *w, bool writes_back)
{
	const unsigned both = 1u << BENCH_WRITE | 1u << BENCH_READ;
	unsigned ops = workload_ops(w, o->write, o->read);

	if (writes_back && !o->no_wait && (ops & both) == both && !class_by_rsync(o, w))
		ops |= 1u << BENCH_READ_DIRTY;
	return ops;
}

enum cache_state class_cache(const struct session *s, const struct class *c, enum bench_op op)
{
	if (op_of(op)->makes || op_of(op)->as_left)
		return CACHE_AS_IS;
	return s->order->cache == CACHE_OWN ? c->w->cache : s->order->cache;
}

static const char *const engine_words[] = {
	[ENGINE_OWN] = "own", [ENGINE_NASLAB] = "naslab", [ENGINE_RSYNC] = "rsync",
};

int engine_parse(const char *word, enum copy_engine *out, struct err *e)
{
	for (*out = ENGINE_NASLAB; *out <= ENGINE_RSYNC; ++*out) {
		if (!strcmp(word, engine_words[*out]))
			return 0;
	}
	return err_set(e, ERR_USAGE, "the engine is naslab or rsync, not \"%s\"", word);
}

int bench_ram_parse(const char *what, const char *text, uint64_t *out, struct err *e)
{
	if (size_parse(text, out, e) < 0)
		return err_in(e, "%s", what);
	if (*out < (uint64_t)RAM_LEAST_MIB * MIB)
		return err_set(e, ERR_USAGE, "%s %s is too little; the engine needs %dM", what, text,
			       RAM_LEAST_MIB);
	return 0;
}

int bench_within_parse(const char *what, const char *text, double *out, struct err *e)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || strspn(text, "0123456789.") != (size_t)(end - text) ||
	    (*end && strcmp(end, "%")) || !(value >= 0.1) || value > 100)
		return err_set(e, ERR_USAGE, "%s is a percentage from 0.1 to 100, not \"%s\"", what, text);
	*out = value / 100;
	return 0;
}

json_t *bench_order_json(const struct bench_order *o)
{
	json_t *j = json_object(), *names = json_array();
	size_t i;

	json_put_str(j, "verb", "bench");
	json_put_str(j, "target", o->target);
	if (o->build)
		json_put_str(j, "build", o->build);
	if (o->label)
		json_put_str(j, "label", o->label);
	for (i = 0; i < o->workloads.n; i++) {
		const struct workload *w = o->workloads.at[i];

		json_add_str(names, w->path ? w->path : w->name);	/* root has another home */
	}
	json_object_set_new(j, "workloads", names);
	json_object_set_new(j, "write", json_boolean(o->write));
	json_object_set_new(j, "read", json_boolean(o->read));
	json_put_u64(j, "reps", o->reps);
	if (o->within > 0) {
		json_object_set_new(j, "within", json_real(o->within));
		json_put_u64(j, "most", o->most);
	}
	json_object_set_new(j, "scale", json_real(o->scale));
	if (o->ram)
		json_put_u64(j, "ram_bytes", o->ram);
	json_put_str(j, "cache", cache_word(o->cache));
	if (o->own_reps)
		json_object_set_new(j, "own_reps", json_true());
	if (o->no_wait)
		json_object_set_new(j, "no_wait", json_true());
	if (o->suite)
		json_put_str(j, "suite", o->suite);
	if (o->engine)
		json_put_str(j, "engine", engine_words[o->engine]);
	if (o->source)
		json_put_str(j, "source", o->source);
	if (o->times)
		json_object_set_new(j, "times", json_true());
	if (o->tags)
		json_object_set(j, "tags", o->tags);
	if (o->cells)
		json_object_set(j, "cells", o->cells);
	if (o->cap_ns)
		json_put_u64(j, "cap_ns", o->cap_ns);
	if (o->db)
		json_put_str(j, "db", o->db);
	return j;
}

int bench_order_read(struct arena *a, const json_t *json, struct bench_order *out, struct err *e)
{
	const char *cache = json_str(json, "cache");
	struct bench_order o = {
		.target = arena_strdup(a, json_str(json, "target")),
		.build = arena_strdup(a, json_str(json, "build")),
		.label = arena_strdup(a, json_str(json, "label")),
		.write = json_is_true(json_object_get(json, "write")),
		.read = json_is_true(json_object_get(json, "read")),
		.scale = json_number_value(json_object_get(json, "scale")),
		.cache = CACHE_COLD,
		.ram = json_u64(json, "ram_bytes", 0),
		.within = json_number_value(json_object_get(json, "within")),
		.own_reps = json_is_true(json_object_get(json, "own_reps")),
		.no_wait = json_is_true(json_object_get(json, "no_wait")),
		.suite = arena_strdup(a, json_str(json, "suite")),
		.source = arena_strdup(a, json_str(json, "source")),
		.times = json_is_true(json_object_get(json, "times")),
		.tags = json_object_get(json, "tags"),
		.cells = json_object_get(json, "cells"),
		.cap_ns = json_u64(json, "cap_ns", 0),
		.db = arena_strdup(a, json_str(json, "db")),
	};
	uint64_t reps = json_u64(json, "reps", 7), most = json_u64(json, "most", MOST_REPS);
	const json_t *names = json_object_get(json, "workloads"), *name;
	struct workload *w;
	size_t i;

	if (!o.target)
		return err_set(e, ERR_USAGE, "the order to measure names no target");
	if (!o.label)
		o.label = o.target;
	if (!o.write && !o.read)
		return err_set(e, ERR_USAGE, "the order to measure neither writes nor reads");
	if (!(o.scale > 0) || o.scale > 1000)
		return err_set(e, ERR_USAGE, "the scale must be above 0 and at most 1000");
	if (reps < 1 || reps > MOST_REPS)
		return err_set(e, ERR_USAGE, "the repetitions must be from 1 to %d", MOST_REPS);
	if (o.ram && o.ram < (uint64_t)RAM_LEAST_MIB * MIB)
		return err_set(e, ERR_USAGE, "measuring needs %d MiB of memory at least", RAM_LEAST_MIB);
	if (o.within < 0 || o.within > 1 || (o.within > 0 && (most < reps || most > MOST_REPS)))
		return err_set(e, ERR_USAGE, "repeating until it is sure wants a share up to 1 and at "
			       "most %d runs, not fewer than the least", MOST_REPS);
	o.reps = (unsigned)reps;
	o.most = o.within > 0 ? (unsigned)most : o.reps;
	if (json_str(json, "engine") && engine_parse(json_str(json, "engine"), &o.engine, e) < 0)
		return -1;
	if (cache && cache_parse(cache, &o.cache, e) < 0)
		return -1;
	json_array_foreach(names, i, name) {
		w = arena_alloc(a, sizeof(*w));
		if (!json_is_string(name) ||
		    workload_find(a, json_string_value(name), w, e) < 0)
			return json_is_string(name) ? -1 :
			       err_set(e, ERR_USAGE, "a workload's name must be a string");
		list_add(a, &o.workloads, w);
	}
	if (!o.workloads.n && !o.times)
		return err_set(e, ERR_USAGE, "the order to measure names no workload");
	*out = o;
	return 0;
}
