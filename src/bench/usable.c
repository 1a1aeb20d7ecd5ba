/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usable - how long a build took: until it could be used, and until its first sync was done.
 * Read out of the journal, so it is known for every build, also of long ago.
 */
#include "bench/usable.h"

#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/units.h"
#include "bench/session.h"
#include "store/store.h"

/* Does the n-th step of a plan, from 1, make a file system? */
static bool formats(const json_t *plan, uint64_t n)
{
	const json_t *step = json_array_get(json_object_get(plan, "steps"), (size_t)n - 1);
	const char *tool = json_string_value(json_array_get(json_object_get(step, "argv"), 0));
	const char *slash = tool ? strrchr(tool, '/') : NULL;

	tool = slash ? slash + 1 : tool;
	return tool && (!strncmp(tool, "mkfs", 4) || !strcmp(tool, "mkreiserfs"));
}

static bool is(const json_t *event, const char *key, const char *word)
{
	const char *value = json_str(event, key);

	return value && !strcmp(value, word);
}

void usable_of_events(const json_t *events, const json_t *plan, struct build_times *out)
{
	uint64_t begin = 0, at;
	const json_t *event;
	size_t i;

	*out = (struct build_times){ 0 };
	json_array_foreach(events, i, event) {
		at = json_u64(event, "at_ns", 0);
		if (is(event, "event", "begin") && is(event, "verb", "build")) {
			begin = at;
		} else if (!begin || at < begin) {
			;	/* the clock was set back meanwhile: nothing can be said of this one */
		} else if (is(event, "event", "step") && is(event, "state", "done") &&
			   !out->usable_ns) {
			*(formats(plan, json_u64(event, "n", 0)) ? &out->format_ns : &out->other_ns) +=
				json_u64(event, "ms", 0) * 1000000;
		} else if (is(event, "event", "end") && !out->usable_ns) {
			if (!json_is_true(json_object_get(event, "ok")))
				break;
			out->usable_ns = at - begin;
		} else if (is(event, "event", "idle") && !out->idle_ns) {
			out->idle_ns = at - begin;
			out->idle_at_most = json_is_true(json_object_get(event, "at_most"));
		}
	}
}

int usable_of_build(struct store *st, const struct build *b, struct build_times *out,
		   struct err *e)
{
	json_t *events = NULL, *plan;

	*out = (struct build_times){ 0 };
	if (store_events(st, b->id, 0, &events, e) < 0)
		return -1;
	plan = json_loads(b->plan ? b->plan : "", 0, NULL);
	usable_of_events(events, plan, out);
	json_decref(plan);
	json_decref(events);
	return 0;
}

int usable_idle(struct store *st, const struct build *b, bool at_most, struct err *e)
{
	struct build_times t;
	json_t *event;
	int rc;

	if (usable_of_build(st, b, &t, e) < 0)
		return -1;
	if (t.idle_ns || !t.usable_ns)
		return 0;
	event = json_object();
	json_put_str(event, "event", "idle");
	json_object_set_new(event, "at_most", json_boolean(at_most));
	rc = store_event_add(st, b->id, event, NULL, e);
	json_decref(event);
	return rc;
}

void usable_words(const struct build_times *t, struct sbuf *out)
{
	char text[SIZE_TEXT];

	if (!t->usable_ns)
		return;
	sbuf_addf(out, "usable after %s", latency_text(text, t->usable_ns));
	if (t->format_ns)
		sbuf_addf(out, ", %s of it making file systems", latency_text(text, t->format_ns));
	if (t->idle_ns)
		sbuf_addf(out, "; idle after %s%s", t->idle_at_most ? "at most " : "",
			  t->idle_ns < 120000000000 ? latency_text(text, t->idle_ns) :
			  duration_text(text, t->idle_ns));
}

/* --- as results ------------------------------------------------------------------------- */

static void put_seconds(json_t *j, const char *which, double s)
{
	struct sbuf key = { 0 };

	sbuf_addf(&key, "%s%srate", which, *which ? "_" : "");
	json_object_set_new(j, sbuf_str(&key), json_real(s));
	sbuf_clear(&key);
	sbuf_addf(&key, "durable_%s%srate", which, *which ? "_" : "");
	json_object_set_new(j, sbuf_str(&key), json_real(s));
	sbuf_done(&key);
}

static json_t *result_of(const struct bench_order *o, const struct build *b, const char *class,
			 uint64_t ns, const json_t *facts)
{
	json_t *j = json_object(), *flags = json_array();
	double s = (double)ns / 1e9;

	json_put_str(j, "event", "result");
	json_put_str(j, "workload", class);
	json_put_str(j, "class", class);
	json_put_str(j, "op", "build");
	json_put_str(j, "unit", "seconds");
	json_put_str(j, "target", o->target);
	json_put_str(j, "label", o->label ? o->label : o->target);
	json_put_str(j, "build", b->name);
	json_put_u64(j, "build_id", (uint64_t)b->id);
	json_object_set_new(j, "scale", json_real(1));
	json_put_u64(j, "runs", 1);
	put_seconds(j, "median", s);
	put_seconds(j, "min", s);
	put_seconds(j, "max", s);
	json_put_u64(j, "memory_bytes", (uint64_t)sysconf(_SC_PHYS_PAGES) *
					(uint64_t)sysconf(_SC_PAGESIZE));
	json_put_str(j, "version", VERSION);
	json_add_str(flags, "few");
	json_object_set_new(j, "flags", flags);
	json_object_update(j, (json_t *)(uintptr_t)facts);
	if (o->tags)
		json_object_update(j, (json_t *)(uintptr_t)o->tags);
	return j;
}

static int keep(struct store *st, json_t *result, uint64_t ns, struct err *e)
{
	json_t *run = json_object();
	int64_t id, run_id;
	int rc;

	json_put_str(run, "event", "run");
	json_put_u64(run, "rep", 1);
	json_put_u64(run, "of", 1);
	json_put_str(run, "unit", "seconds");
	json_put_u64(run, "felt_ns", ns);
	json_put_u64(run, "durable_ns", ns);
	put_seconds(run, "", (double)ns / 1e9);
	json_object_set_new(run, "flags", json_array());
	rc = store_result_add(st, result, &id, e);
	if (rc == 0)
		rc = store_run_add(st, id, run, &run_id, e);
	if (rc == 0)
		json_put_u64(result, "id", (uint64_t)id);
	json_decref(run);
	return rc;
}

/* Was that kept of this build before? *is gets the result, borrowed. */
static bool is_kept(const json_t *all, const struct build *b, const char *class, json_t **found)
{
	json_t *result;
	size_t i;

	json_array_foreach(all, i, result) {
		*found = result;
		if (is(result, "class", class) && is(result, "op", "build") &&
		    json_u64(result, "build_id", 0) == (uint64_t)b->id)
			return true;
	}
	return false;
}

int usable_keep(struct store *st, const struct bench_order *o, json_t **out, struct err *e)
{
	const struct session facts_of = { .order = o, .store = st };
	struct arena *a = arena_new();
	json_t *all = NULL, *facts = NULL, *result;
	struct build_times t = { 0 };
	struct build b;
	size_t i;
	int rc = store_build_find(st, o->build, a, &b, e);

	*out = json_array();
	if (rc == 0)
		rc = usable_of_build(st, &b, &t, e);
	if (rc == 0)
		rc = store_results(st, &all, e);
	for (i = 0; rc == 0 && i < 3; i++) {
		static const char *const classes[] = { "format", "usable", "idle" };
		const uint64_t ns[] = { t.format_ns, t.usable_ns, t.idle_ns };

		if (!t.usable_ns || !ns[i])
			continue;
		if (is_kept(all, &b, classes[i], &result)) {
			json_array_append(*out, result);
			continue;
		}
		if (!facts)
			facts = provenance(&facts_of);
		result = result_of(o, &b, classes[i], ns[i], facts);
		if (i == 2 && t.idle_at_most)
			json_object_set_new(result, "at_most", json_true());
		rc = keep(st, result, ns[i], e);
		json_array_append_new(*out, result);
	}
	json_decref(facts);
	json_decref(all);
	arena_free(a);
	return rc < 0 ? -1 : 0;
}

/* A measurement of a build waits for it first, so it is the one to know when it was idle. */
int usable_session(struct session *s, struct err *e)
{
	const struct bench_order *o = s->order;
	struct sbuf words = { 0 };
	struct build_times t = { 0 };
	json_t *results = NULL;
	unsigned flags = 0;
	bool waited = false;
	struct arena *a;
	struct build b;
	int rc = 0;

	if (!o->build || !s->store)
		return 0;
	if (!o->no_wait)
		rc = wait_idle(s, &flags, &waited, e);
	a = arena_new();
	if (rc == 0)
		rc = store_build_find(s->store, o->build, a, &b, e);
	if (rc == 0 && !o->no_wait && !flags)
		rc = usable_idle(s->store, &b, !waited, e);
	if (rc == 0)
		rc = usable_of_build(s->store, &b, &t, e);
	if (rc == 0)
		rc = usable_keep(s->store, o, &results, e);
	if (rc == 0 && o->times) {
		usable_words(&t, &words);
		if (usable_simulated())
			sbuf_add(&words, " (simulated)");
		report_times(s, sbuf_str(&words), json_incref(results));
	}
	json_decref(results);
	sbuf_done(&words);
	arena_free(a);
	return rc < 0 ? -1 : 0;
}
