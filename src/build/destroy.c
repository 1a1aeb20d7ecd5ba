/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * destroy - taking down a whole build, and recovering from one that was cut short.
 *
 * Both make the plan again from the layout and the identities in the database; commands
 * are never read from it. recover asks the journal how far the build had come.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "build/build.h"
#include "build/run.h"

/* Find the build, read its order, and make its plan again. */
static int load(struct run *r, struct build *b, struct err *e)
{
	const char *name = r->order.name, *verb = r->order.verb;
	int rc;

	if (!name)
		return err_set(e, ERR_USAGE, "the order names no build");
	rc = store_build_find(r->st, name, r->arena, b, e);
	if (rc < 0)
		return -1;
	if (rc)
		return err_set(e, ERR_FAIL, "there is no build named %s", name);
	if (b->state == BUILD_FAILED)
		return err_set(e, ERR_FAIL, "%s failed and was taken back: nothing is left of it", name);
	if (executor_alive(b, r->arena))
		return err_set(e, ERR_REFUSED, "%s is being worked on by another naslab (pid %" PRId64 ")",
			       name, b->executor_pid);
	r->stored = json_loads(b->order, 0, NULL);
	if (!r->stored || order_read(r->arena, r->stored, &r->order, e))
		return err_set(e, ERR_FAIL, "what is recorded of %s cannot be read", name);
	r->order.verb = verb;
	r->touched = arena_array(r->arena, r->order.n_disks + 1, sizeof(*r->touched));
	return remake(r->arena, &r->order, "", true, &r->made, e);
}

/* Lock, and write down that it is us who work on it now. */
static int take(struct run *r, const struct build *b, struct err *e)
{
	json_t *event;

	if (locks_take(r, e))
		return -1;
	r->build = b->id;
	if (store_build_executor(r->st, b->id, getpid(), boot_id(r->arena), e) ||
	    store_build_set(r->st, b->id, BUILD_DESTROYING, e))
		return -1;
	event = json_object();
	json_put_str(event, "event", "begin");
	json_put_str(event, "verb", r->order.verb);
	json_put_str(event, "name", r->order.name);
	json_put_u64(event, "steps", r->made.plan->steps.n);
	json_put_u64(event, "build", (uint64_t)b->id);
	if (run_emit(r, event)) {
		*e = r->journal;
		return -1;
	}
	return 0;
}

/* How many steps at the beginning only clear what was on the disks before. */
static unsigned clearing_steps(const json_t *steps)
{
	const json_t *step;
	unsigned n = 0;
	size_t i;

	json_array_foreach(steps, i, step) {
		const char *layer = json_str(step, "layer");

		if (!layer || strcmp(layer, "wipe"))
			break;
		n++;
	}
	return n;
}

/* The last step the journal says was begun, as it was numbered then. */
static int last_begun(struct run *r, int64_t build, unsigned *last, struct err *e)
{
	json_t *events, *event;
	size_t i;

	*last = 0;
	if (store_events(r->st, build, 0, &events, e))
		return -1;
	json_array_foreach(events, i, event) {
		const char *kind = json_str(event, "event"), *state = json_str(event, "state");
		unsigned n = (unsigned)json_u64(event, "n", 0);

		if (kind && state && !strcmp(kind, "step") && !strcmp(state, "run") && n > *last)
			*last = n;
	}
	json_decref(events);
	return 0;
}

/*
 * What was begun, in the numbers of the plan made now: this one may have more or fewer
 * clearing steps in front, because the disks hold other things than they did then.
 */
static int begun_now(struct run *r, const struct build *b, unsigned *last, struct err *e)
{
	json_t *plan = json_loads(b->plan, 0, NULL), *step, *name;
	const json_t *steps = json_object_get(plan, "steps");
	unsigned then = clearing_steps(steps), now = 0, begun;
	size_t i, k, m;

	if (last_begun(r, b->id, &begun, e)) {
		json_decref(plan);
		return -1;
	}
	while (now < r->made.plan->steps.n &&
	       !strcmp(((const struct step *)r->made.plan->steps.at[now])->layer, "wipe"))
		now++;
	for (i = 0; i < begun && i < json_array_size(steps); i++) {
		step = json_array_get(steps, i);
		json_array_foreach(json_object_get(step, "destroys"), k, name) {
			for (m = 0; m < r->order.n_disks; m++) {
				if (json_string_value(name) &&
				    !strcmp(r->order.disks[m].id.name, json_string_value(name)))
					r->touched[m] = true;
			}
		}
	}
	*last = begun > then ? begun - then + now : 0;
	json_decref(plan);
	return 0;
}

int run_destroy(struct run *r)
{
	struct sbuf said = { 0 }, text = { 0 };
	struct build b;
	struct err e = { 0 }, store = { 0 };
	unsigned last;
	int rc;

	if (load(r, &b, &e))
		return run_end(r, &e, NULL);
	if (b.state == BUILD_RUNNING) {
		err_set(&e, ERR_FAIL, "%s was cut short while it was built; naslab recover takes it back",
			r->order.name);
		return run_end(r, &e, NULL);
	}
	last = (unsigned)r->made.plan->steps.n;
	run_touch(r, last);
	if (guard_ours(r, &e) || take(r, &b, &e)) {
		run_let_go(r);
		return run_end(r, &e, NULL);
	}
	run_revive(r, last);
	rc = run_undo(r, last, true, &said, &e);
	if (rc == 0) {
		sbuf_addf(&text, "%s is destroyed: %s", r->order.name, sbuf_str(&said));
	} else {
		sbuf_addf(&text, "%s is only partly destroyed: %s", r->order.name, e.text);
		if (said.len)
			sbuf_addf(&text, "; %s", said.text);
	}
	store_build_set(r->st, b.id, rc ? BUILD_DESTROYING : BUILD_DESTROYED, &store);
	store_build_executor(r->st, b.id, 0, NULL, &store);
	run_let_go(r);
	rc = run_end(r, rc ? &e : NULL, text.text);
	sbuf_done(&said);
	sbuf_done(&text);
	return rc;
}

int run_recover(struct run *r)
{
	struct sbuf said = { 0 }, text = { 0 };
	struct build b;
	struct err e = { 0 }, store = { 0 };
	unsigned last = 0;
	int rc;

	if (load(r, &b, &e))
		return run_end(r, &e, NULL);
	if (b.state != BUILD_RUNNING && b.state != BUILD_DESTROYING) {
		err_set(&e, ERR_FAIL, "%s is %s: there is nothing to recover", r->order.name,
			build_state_word(b.state));
		return run_end(r, &e, NULL);
	}
	if (begun_now(r, &b, &last, &e)) {
		run_let_go(r);
		return run_end(r, &e, NULL);
	}
	run_touch(r, last);
	if (guard_ours(r, &e) || take(r, &b, &e)) {
		run_let_go(r);
		return run_end(r, &e, NULL);
	}
	run_revive(r, last);
	rc = run_undo(r, last, false, &said, &e);
	sbuf_addf(&text, "%s is taken back: %s", r->order.name, sbuf_str(&said));
	if (rc)
		sbuf_addf(&text, "; %s", e.text);
	store_build_set(r->st, b.id, rc ? BUILD_DESTROYING : BUILD_DESTROYED, &store);
	store_build_executor(r->st, b.id, 0, NULL, &store);
	run_let_go(r);
	rc = run_end(r, rc ? &e : NULL, text.text);
	sbuf_done(&said);
	sbuf_done(&text);
	return rc;
}

int build_unfinished(struct store *st, json_t **array, struct err *e)
{
	struct arena *a = arena_new();
	struct list all = { 0 };
	size_t i;
	int rc = store_builds(st, a, &all, e);

	*array = rc ? NULL : json_array();
	for (i = 0; rc == 0 && i < all.n; i++) {
		const struct build *b = all.at[i];
		struct sbuf text = { 0 };

		if ((b->state != BUILD_RUNNING && b->state != BUILD_DESTROYING) ||
		    executor_alive(b, a))
			continue;
		sbuf_addf(&text, "%s was cut short while it was being %s; naslab recover takes it back",
			  b->name, b->state == BUILD_RUNNING ? "built" : "destroyed");
		json_array_append_new(*array, json_pack("{s:s,s:s,s:s}", "name", b->name, "state",
							build_state_word(b->state), "text", text.text));
		sbuf_done(&text);
	}
	arena_free(a);
	return rc;
}
