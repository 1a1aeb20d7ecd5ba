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

int run_load(struct run *r, struct build *b, struct err *e)
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
	r->waiting = b->state == BUILD_WAITING;
	if (r->waiting && absent_read(r->st, b->id, &r->order, e))
		return -1;
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
	    store_build_set(r->st, b->id, r->waiting ? BUILD_WAITING : BUILD_DESTROYING, e))
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

/* Of a destroyed build that waits for disks: is any of them back? */
static int check_back(struct run *r, struct err *e)
{
	struct sbuf missed = { 0 };
	size_t i;

	for (i = 0; i < r->order.n_disks; i++) {
		if (!r->made.absent[i])
			return 0;
	}
	absent_say(r, &missed);
	err_set(e, ERR_FAIL, "%s still waits for %.300s; naslab destroy %s --forget ends it without",
		r->order.name, sbuf_str(&missed), r->order.name);
	sbuf_done(&missed);
	return -1;
}

/* Done with what was there: how that leaves the record of the build, and in what words. */
static int finish(struct run *r, const struct build *b, const char *verb, const struct sbuf *said,
		  struct err *e)
{
	bool forget = json_is_true(json_object_get(r->asked, "forget"));
	struct sbuf text = { 0 }, missed = { 0 };
	struct err store = { 0 };
	unsigned n = absent_say(r, &missed);
	enum build_state state = n && !forget ? BUILD_WAITING : BUILD_DESTROYED;
	int rc;

	if (state == BUILD_WAITING && absent_write(r)) {
		*e = r->journal;
		state = BUILD_DESTROYING;
	}
	if (store_build_set(r->st, b->id, state, &store) && !e->kind)
		*e = store;
	sbuf_addf(&text, "%s is %s%s", r->order.name, verb, n ? " on the disks that are here" : "");
	sbuf_addf(&text, ": %s", sbuf_str(said));
	if (n)
		sbuf_addf(&text, "; not there, so not cleared: %s", sbuf_str(&missed));
	if (e->kind)
		sbuf_addf(&text, "; %s", e->text);
	else if (state == BUILD_WAITING)
		err_set(e, ERR_FAIL, "a disk is not there");
	if (state == BUILD_WAITING)
		sbuf_addf(&text, ". Once %s back, naslab destroy %s clears %s; with --forget it ends without",
			  n == 1 ? "it is" : "they are", r->order.name, n == 1 ? "it" : "them");
	store_build_executor(r->st, b->id, 0, NULL, &store);
	run_let_go(r);
	rc = run_end(r, e->kind ? e : NULL, sbuf_str(&text));
	sbuf_done(&missed);
	sbuf_done(&text);
	return rc;
}

/* It could not be taken down: it stays "destroying", to be tried again. */
static int not_finished(struct run *r, const struct build *b, const char *how,
			const struct sbuf *said, const struct err *e)
{
	struct sbuf text = { 0 };
	struct err store = { 0 };
	int rc;

	sbuf_addf(&text, "%s is only partly %s: %s", r->order.name, how, e->text);
	if (said->len)
		sbuf_addf(&text, "; %s", said->text);
	store_build_set(r->st, b->id, r->waiting ? BUILD_WAITING : BUILD_DESTROYING, &store);
	store_build_executor(r->st, b->id, 0, NULL, &store);
	run_let_go(r);
	rc = run_end(r, e, text.text);
	sbuf_done(&text);
	return rc;
}

/* Take it back up to the step `last`, and say how that went. */
static int take_down(struct run *r, const struct build *b, unsigned last, bool careful,
		     const char *verb)
{
	bool forget = json_is_true(json_object_get(r->asked, "forget"));
	struct sbuf said = { 0 };
	struct err e = { 0 };
	size_t i;
	int rc;

	for (i = 0; i < r->order.n_disks; i++)
		r->touched[i] &= !r->order.disks[i].cleared;
	if ((r->waiting && !forget && check_back(r, &e)) || guard_ours(r, &e) || take(r, b, &e)) {
		run_let_go(r);
		return run_end(r, &e, NULL);
	}
	if (!r->waiting)
		run_revive(r, last);
	if (run_undo(r, last, careful && !r->waiting, &said, &e))
		rc = not_finished(r, b, verb, &said, &e);
	else
		rc = finish(r, b, verb, &said, &e);
	sbuf_done(&said);
	return rc;
}

int run_destroy(struct run *r)
{
	struct build b;
	struct err e = { 0 };
	unsigned last;

	if (run_load(r, &b, &e))
		return run_end(r, &e, NULL);
	if (b.state == BUILD_RUNNING) {
		err_set(&e, ERR_FAIL, "%s was cut short while it was built; naslab recover takes it back",
			r->order.name);
		return run_end(r, &e, NULL);
	}
	last = (unsigned)r->made.plan->steps.n;
	run_touch(r, last);
	return take_down(r, &b, last, true, "destroyed");
}

int run_recover(struct run *r)
{
	struct build b;
	struct err e = { 0 };
	unsigned last = 0;

	if (run_load(r, &b, &e))
		return run_end(r, &e, NULL);
	if (b.state == BUILD_WAITING)
		last = (unsigned)r->made.plan->steps.n;
	else if (b.state != BUILD_RUNNING && b.state != BUILD_DESTROYING)
		err_set(&e, ERR_FAIL, "%s is %s: there is nothing to recover", r->order.name,
			build_state_word(b.state));
	else
		begun_now(r, &b, &last, &e);
	if (e.kind) {
		run_let_go(r);
		return run_end(r, &e, NULL);
	}
	run_touch(r, last);
	return take_down(r, &b, last, false, "taken back");
}

/* What to know of a build that nobody works on and that is not finished. */
static void unfinished_text(struct store *st, struct arena *a, const struct build *b,
			    struct sbuf *out)
{
	json_t *json = json_loads(b->order, 0, NULL);
	struct order o;
	struct err e = { 0 };
	unsigned n = 0;
	size_t i;

	if (b->state != BUILD_WAITING) {
		sbuf_addf(out, "%s was cut short while it was being %s; naslab recover takes it back",
			  b->name, b->state == BUILD_RUNNING ? "built" : "destroyed");
	} else {
		sbuf_addf(out, "%s is destroyed but for", b->name);
		if (json && !order_read(a, json, &o, &e) && !absent_read(st, b->id, &o, &e)) {
			for (i = 0; i < o.n_disks; i++) {
				if (o.disks[i].cleared)
					continue;
				sbuf_add(out, n++ ? ", " : " ");
				sbuf_add_safe(out, o.disks[i].id.name ? o.disks[i].id.name :
					      o.disks[i].id.path);
			}
		}
		sbuf_addf(out, ", not there then: put it back, then naslab destroy %s", b->name);
	}
	json_decref(json);
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

		if ((b->state != BUILD_RUNNING && b->state != BUILD_DESTROYING &&
		     b->state != BUILD_WAITING) || executor_alive(b, a))
			continue;
		unfinished_text(st, a, b, &text);
		json_array_append_new(*array, json_pack("{s:s,s:s,s:s}", "name", b->name, "state",
							build_state_word(b->state), "text", text.text));
		sbuf_done(&text);
	}
	arena_free(a);
	return rc;
}
