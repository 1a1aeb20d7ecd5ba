/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * executor - the process that writes to disks.
 *
 * It lives in a session of its own, so it outlives the screen that asked for it. It takes
 * one order, makes the plan again, and runs it step by step: guard, tool, and a look at
 * whether what was planned is really there. When a step fails, everything is taken back.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/units.h"
#include "bench/bench.h"
#include "bench/gates.h"
#include "bench/usable.h"
#include "build/build.h"
#include "build/run.h"

enum { APPEAR_MS = 10000, POLL_MS = 20, TRIES = 5, RETRY_MS = 2000 };

/* Wait until a device is there with exactly the planned bytes, or say how it is instead. */
static int wait_for(const struct effect *made, struct err *e)
{
	uint64_t bytes = 0;
	unsigned waited;
	bool there = false;

	for (waited = 0; waited <= APPEAR_MS; waited += POLL_MS) {
		there = device_bytes(made->dev, &bytes);
		if (there && (!made->bytes || bytes == made->bytes))
			return 0;
		if (!there && folder_is_mounted("", made->dev))
			return 0;
		pause_ms(POLL_MS);
	}
	if (!there)
		return err_set(e, ERR_FAIL, "%s did not appear within %d s", made->dev,
			       APPEAR_MS / 1000);
	return err_set(e, ERR_FAIL, "%s: planned %" PRIu64 " bytes, is %" PRIu64, made->dev,
		       made->bytes, bytes);
}

/* The step's command. Some may meet a device that somebody else has open for a moment. */
static int run_tool(struct run *r, const struct step *s, struct err *e)
{
	unsigned tries;
	size_t i;

	for (tries = 1;; tries++) {
		struct err ignored = { 0 };

		if (!run_argv(r, &s->argv, s->secret ? r->secret : s->input, e))
			return 0;
		if (!s->retry || tries == TRIES || run_stops(r))
			return -1;
		r->undoing = true;
		for (i = 0; i < s->undo.n; i++)
			run_argv(r, s->undo.at[i], NULL, &ignored);
		r->undoing = false;
		pause_ms(RETRY_MS);
		*e = (struct err){ 0 };
	}
}

/* One step from guard to effect. */
static int run_step(struct run *r, const struct step *s, struct err *e)
{
	uint64_t start = run_clock_ns();
	size_t i;
	int rc;

	r->n = s->n;
	rc = guard_step(r, s, e);
	if (rc == 0 && run_step_event(r, s, "run", NULL, 0)) {
		*e = r->journal;
		rc = -1;
	}
	if (rc == 0)
		rc = run_tool(r, s, e);
	for (i = 0; i < s->makes.n && rc == 0; i++)
		rc = wait_for(s->makes.at[i], e);
	if (rc == 0 && r->journal_broken) {
		*e = r->journal;
		rc = -1;
	}
	if (rc) {
		err_in(e, "step %u of %zu (%.120s)", s->n, r->made.plan->steps.n, s->why);
		run_step_event(r, s, "failed", e->text, run_clock_ns() - start);
	} else {
		run_step_event(r, s, "done", NULL, run_clock_ns() - start);
	}
	r->n = 0;
	return rc;
}

/* Take back what was begun after a failure; says both what failed and what is left. */
static int undo_failed(struct run *r, unsigned last, const struct err *why)
{
	struct sbuf said = { 0 }, text = { 0 };
	struct err e = { 0 };
	int rc;

	rc = run_undo(r, last, false, &said, &e);
	sbuf_add(&text, why->text);
	sbuf_addf(&text, "; taken back: %s", sbuf_str(&said));
	if (rc)
		sbuf_addf(&text, "; %s; naslab recover tries again", e.text);
	store_build_set(r->st, r->build, rc ? BUILD_DESTROYING : BUILD_FAILED, &e);
	store_build_executor(r->st, r->build, 0, NULL, &e);
	run_let_go(r);
	rc = run_end(r, why, text.text);
	sbuf_done(&said);
	sbuf_done(&text);
	return rc;
}

/* Everything that must hold before the first byte is written. */
static int check_order(struct run *r, struct err *e)
{
	const char *digest;
	bool unread = false;
	size_t i;

	if (!r->order.digest)
		return err_set(e, ERR_USAGE, "the order lacks the digest of the plan that was shown");
	if (geteuid() != 0)
		return err_set(e, ERR_FAIL, "building needs root");
	if (remake(r->arena, &r->order, "", false, &r->made, e))
		return -1;
	for (i = 0; i < r->order.n_disks; i++) {
		const struct ordered_disk *o = &r->order.disks[i];
		struct identity now;

		if (strcmp(r->made.picks[i].disk->path, o->id.path))
			return err_set(e, ERR_REFUSED, "%s is not the disk it was when this was planned",
				       o->id.path);
		disk_identity(r->made.picks[i].disk, r->arena, &now);
		unread |= !content_was_read(&o->id);
		if (identity_compare(&o->id, &now, content_was_read(&o->id), e)) {
			e->kind = ERR_REFUSED;
			return -1;
		}
	}
	if (guard_check(r->made.plan, r->made.inv, r->order.wipe, e))
		return -1;
	if (plan_needs_secret(r->made.plan) && !r->secret)
		return err_set(e, ERR_USAGE, "this layout encrypts, and the order brings no passphrase");
	digest = plan_digest(r->made.plan, r->arena);
	if (strcmp(digest, r->order.digest) && unread)
		return err_set(e, ERR_REFUSED, "the disks hold something that could not be seen without "
			       "root when this was planned; plan and build as root");
	if (strcmp(digest, r->order.digest))
		return err_set(e, ERR_REFUSED, "the plan is not the one that was shown any more; "
			       "plan again");
	return build_tools_check(r->made.plan, e);
}

/* The build's row: from here on everything is journalled. */
static int begin(struct run *r, struct err *e)
{
	struct build b = {
		.name = r->order.name, .layout = r->order.layout, .state = BUILD_RUNNING,
		.executor_pid = getpid(), .executor_boot = boot_id(r->arena),
	};
	json_t *plan = plan_json(r->made.plan), *event = json_object();
	char *order = json_line(r->asked), *text = json_line(plan);
	int rc;

	b.order = order;
	b.plan = text;
	rc = store_build_add(r->st, &b, e);
	r->build = b.id;
	json_put_str(event, "event", "begin");
	json_put_str(event, "verb", "build");
	json_put_str(event, "name", b.name);
	json_put_u64(event, "steps", r->made.plan->steps.n);
	json_put_u64(event, "build", (uint64_t)b.id);
	if (rc == 0 && run_emit(r, json_incref(event))) {
		*e = r->journal;
		rc = -1;
	}
	json_decref(event);
	json_decref(plan);
	free(order);
	free(text);
	return rc;
}

/* Nothing more to come: idle from here on. What still syncs is seen by who waits for it. */
static void note_idle(struct run *r)
{
	const struct build b = { .id = r->build, .plan = NULL };
	struct list disks = { 0 };
	struct err ignored = { 0 };
	struct gate g;
	size_t i;

	for (i = 0; i < r->order.n_disks; i++)
		list_add(r->arena, &disks, (void *)(uintptr_t)r->made.picks[i].disk->name);
	if (!usable_busy(r->arena, &disks, &g))
		usable_idle(r->st, &b, false, &ignored);
}

int run_build(struct run *r)
{
	struct err e = { 0 };
	struct sbuf text = { 0 };
	char size[SIZE_TEXT];
	unsigned i;
	int rc;

	if (check_order(r, &e) || locks_take(r, &e) || begin(r, &e)) {
		run_let_go(r);
		return run_end(r, &e, NULL);
	}
	for (i = 0; i < r->made.plan->steps.n; i++) {
		rc = run_step(r, r->made.plan->steps.at[i], &e);
		if (rc == 0 && run_stops(r) && i + 1 < r->made.plan->steps.n)
			rc = err_set(&e, ERR_FAIL, "stopped after step %u of %zu, as was asked", i + 1,
				     r->made.plan->steps.n);
		if (rc)
			return undo_failed(r, i + 1, &e);
	}
	if (store_build_set(r->st, r->build, BUILD_BUILT, &e))
		return undo_failed(r, i, &e);
	store_build_executor(r->st, r->build, 0, NULL, &e);
	run_let_go(r);
	sbuf_addf(&text, "%s is built: %s", r->order.name,
		  size_text(size, r->made.stack->usable_bytes, SIZE_SI));
	run_say_folders(r, &text);
	rc = run_end(r, NULL, text.text);
	note_idle(r);
	sbuf_done(&text);
	return rc;
}

static void emit_bench(void *arg, const json_t *event)
{
	const char *kind = json_str(event, "event");

	(void)arg;
	run_show(event, kind && !strcmp(kind, "sample"));
}

static bool bench_stops(void *arg)
{
	return run_stops(arg) > 0;
}

int run_bench(struct run *r)
{
	struct bench_order order;
	struct err e = { 0 };

	if (bench_order_read(r->arena, r->asked, &order, &e))
		return run_end(r, &e, NULL);
	order.stopped = bench_stops;
	order.stopped_arg = r;
	if (bench_run(&order, emit_bench, r, &e))
		return run_end(r, &e, NULL);
	return run_end(r, NULL, "measured");
}

static const struct {
	const char *name;
	bool needs_store;
	int (*run)(struct run *r);
} verbs[] = {
	{ "build", true, run_build },
	{ "destroy", true, run_destroy },
	{ "recover", true, run_recover },
	{ "mount", true, run_mount },
	{ "bench", false, run_bench },
};

static int dispatch(struct run *r)
{
	struct err e = { 0 };
	size_t i;

	if (order_read(r->arena, r->asked, &r->order, &e))
		return run_end(r, &e, NULL);
	r->secret = arena_strdup(r->arena, json_str(r->asked, "secret"));
	json_object_del(r->asked, "secret");
	if (r->secret && !*r->secret)
		r->secret = NULL;
	r->touched = arena_array(r->arena, r->order.n_disks + 1, sizeof(*r->touched));
	for (i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		if (strcmp(verbs[i].name, r->order.verb))
			continue;
		if (verbs[i].needs_store && store_open(r->order.db, &r->st, &e))
			return run_end(r, &e, NULL);
		return verbs[i].run(r);
	}
	err_set(&e, ERR_USAGE, "the executor knows no verb \"%.40s\"", r->order.verb);
	return run_end(r, &e, NULL);
}

int executor_main(void)
{
	struct run r = { .arena = arena_new() };
	struct err e = { 0 };
	json_error_t why;
	int rc;

	r.asked = json_loadfd(0, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &why);
	setsid();
	run_signals();
	if (r.asked) {
		rc = dispatch(&r);
	} else {
		err_set(&e, ERR_USAGE, "this is no order: %.200s", why.text);
		rc = run_end(&r, &e, NULL);
	}
	locks_release(&r);
	remade_free(&r.made);
	store_close(r.st);
	json_decref(r.stored);
	json_decref(r.asked);
	arena_free(r.arena);
	return rc;
}
