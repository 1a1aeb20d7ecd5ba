/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mount - a build brought up again after a restart: arrays, volumes, caches, encryption
 * and mounts, each only when it does not stand already. Nothing is made and nothing is
 * forced: an array that lost more than it bears stays down.
 */
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "build/build.h"
#include "build/run.h"

enum { APPEAR_MS = 10000, POLL_MS = 50 };

/* One array that does not stand, from those of its members that say they are of one. */
static void start_array(struct run *r, const struct node *n, bool force)
{
	struct argv v = { 0 };
	unsigned i, members = 0;

	argv_addl(r->arena, &v, "mdadm", "--assemble", n->dev, "--run", force ? "--force" : NULL, NULL);
	for (i = 0; i < n->n_kids; i++) {
		struct sig *sigs;
		size_t n_sigs = 0;
		struct err e = { 0 };

		if (sig_read(r->arena, n->kids[i]->dev, &sigs, &n_sigs, &e) || !n_sigs ||
		    strcmp(sigs[0].type, "linux_raid_member"))
			continue;
		argv_add(r->arena, &v, n->kids[i]->dev);
		members++;
	}
	if (members)
		run_words(r, &v);
}

void run_start_node(struct run *r, const struct node *n, bool force)
{
	struct argv v = { 0 };

	if (!strcmp(n->layer->name, "md"))
		start_array(r, n, force);
	if (strcmp(n->layer->name, "lvm"))
		return;
	argv_addl(r->arena, &v, "vgchange", "--yes", "--activate", "y", NULL);
	argv_add(r->arena, &v, arena_strndup(r->arena, n->dev + 5, strcspn(n->dev + 5, "/")));
	run_words(r, &v);
}

/* Does the step belong to bringing it up? Either its command does that, or what it made is
 * an array or a volume that is started by another one. */
static bool brings_up(const struct run *r, const struct step *s)
{
	size_t i;

	for (i = 0; i < s->makes.n && !s->again; i++) {
		const struct node *n = node_of(r, ((const struct effect *)s->makes.at[i])->dev);

		if (n && n->layer && (!strcmp(n->layer->name, "md") || !strcmp(n->layer->name, "lvm")))
			return true;
	}
	return s->again;
}

static int wait_until_stands(struct run *r, const struct step *s, struct err *e)
{
	unsigned waited;

	for (waited = 0; waited <= APPEAR_MS; waited += POLL_MS) {
		if (!s->makes.n || step_stands(r, s))
			return 0;
		pause_ms(POLL_MS);
	}
	return err_set(e, ERR_FAIL, "%s did not appear", ((const struct effect *)s->makes.at[0])->dev);
}

/* A mount point that is there needs no making. */
static bool is_folder(const struct step *s)
{
	return !strcmp(s->argv.at[0], "mkdir") && !access(s->argv.at[s->argv.n - 1], F_OK);
}

static bool is_up(struct run *r, const struct step *s)
{
	return s->makes.n ? step_stands(r, s) : is_folder(s);
}

static int bring_up(struct run *r, const struct step *s, struct err *e)
{
	struct step shown = *s;		/* counted anew: only what is done is shown */
	struct argv *now;
	size_t i;

	r->n = s->n;
	if (is_up(r, s))
		return 0;
	shown.n = ++r->undone;
	run_step_event(r, &shown, "run", NULL, 0);
	if (s->again) {
		now = argv_here(r, s, &s->argv);
		if (now && run_argv(r, now, s->secret ? r->secret : s->input, e))
			return err_in(e, "%.120s", s->why);
	} else {
		for (i = 0; i < s->makes.n; i++) {
			const struct node *n = node_of(r, ((const struct effect *)s->makes.at[i])->dev);

			if (n && n->layer)
				run_start_node(r, n, false);
		}
	}
	if (wait_until_stands(r, s, e))
		return err_in(e, "%.120s", s->why);
	run_step_event(r, &shown, "done", NULL, 0);
	return 0;
}

void run_say_folders(const struct run *r, struct sbuf *out)
{
	const struct stack *s = r->made.stack;
	size_t i;
	unsigned n = 0;

	for (i = 0; i < s->tops.n; i++) {
		const struct node *top = s->tops.at[i];

		if (top->dir && !top->left_out)
			sbuf_addf(out, "%s %s", n++ ? "," : " at", top->dir);
	}
}

static int prepare(struct run *r, struct build *b, struct err *e)
{
	if (run_load(r, b, e))
		return -1;
	if (b->state != BUILD_BUILT)
		return err_set(e, ERR_FAIL, "%s is %s: there is nothing to mount", r->order.name,
			       build_state_word(b->state));
	if (plan_needs_secret(r->made.plan) && !r->secret)
		return err_set(e, ERR_USAGE, "%s is encrypted, and the order brings no passphrase",
			       r->order.name);
	return locks_take(r, e);
}

int run_mount(struct run *r)
{
	struct err e = { 0 };
	struct sbuf text = { 0 };
	struct build b;
	size_t i;
	int rc;

	rc = prepare(r, &b, &e);
	for (i = 0; rc == 0 && i < r->made.plan->steps.n; i++)
		r->n_undo += brings_up(r, r->made.plan->steps.at[i]) && !is_up(r, r->made.plan->steps.at[i]);
	for (i = 0; rc == 0 && i < r->made.plan->steps.n; i++) {
		const struct step *s = r->made.plan->steps.at[i];

		if (brings_up(r, s))
			rc = bring_up(r, s, &e);
	}
	run_let_go(r);
	sbuf_addf(&text, "%s is up", r->order.name);
	run_say_folders(r, &text);
	rc = run_end(r, rc ? &e : NULL, rc ? NULL : sbuf_str(&text));
	sbuf_done(&text);
	return rc;
}
