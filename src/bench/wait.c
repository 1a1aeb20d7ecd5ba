/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait - until nothing else goes on at the disks, saying how far it is and how long it
 * takes. A sync ends; a cache or another writer may never: after a while without progress
 * the run is made all the same, and marked.
 */
#include "bench/session.h"
#include "bench/usable.h"

#include <poll.h>
#include <string.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "bench/ops.h"
#include "build/job.h"

enum {
	LOOK_MS = 500,
	CACHE_PATIENCE_S = 20,	/* without any progress, for what need not end */
	DIRTY_PATIENCE_S = 5,
};

static void add_line(void *arg, const char *text)
{
	sbuf_addf(arg, "%s\n", text);
}

/* What a tool says; nothing when there is no such tool: then that part is not known. */
static void ask(const char *tool, const char *word, const char *name, struct sbuf *out)
{
	char *argv[] = { (char *)(uintptr_t)tool, (char *)(uintptr_t)word, (char *)(uintptr_t)name,
			 NULL };
	const struct job job = { .argv = argv, .timeout_ms = 10000, .line = add_line, .arg = out };
	struct job_end end;
	struct err e = { 0 };

	if (job_run(&job, &end, &e) < 0)
		out->len = 0;
}

static bool look_disks(struct arena *a, const struct list *disks, enum gate_kind last,
		       struct gate *g)
{
	struct sbuf status = { 0 };
	bool busy;

	if (gate_wants_dm("", a, disks))
		ask("dmsetup", "status", NULL, &status);
	busy = gate_look("", a, disks, status.len ? sbuf_str(&status) : NULL, last, g);
	sbuf_done(&status);
	return busy;
}

/* The disks, and what the target's file system tells only itself. */
static bool look(const struct session *s, struct arena *a, enum gate_kind last, struct gate *g)
{
	struct sbuf status = { 0 };
	bool busy = false;

	if (s->counters.pool) {
		ask("zpool", "status", s->counters.pool, &status);
		busy = status.len && gate_zpool(a, sbuf_str(&status), g);
		sbuf_done(&status);
	}
	if (busy || gate_btrfs_scrub(a, s->dir.target, g))
		return true;
	busy = look_disks(a, &s->counters.disks, last, g);
	if (busy && g->kind == GATE_SYNC && !g->total && strstr(g->what, "btrfs"))
		gate_btrfs_balance(s->dir.target, g);
	return busy;
}

bool wait_writes_back(const struct list *disks)
{
	struct arena *a = arena_new();
	struct sbuf status = { 0 };
	bool yes;

	if (gate_wants_dm("", a, disks))
		ask("dmsetup", "status", NULL, &status);
	yes = gate_writes_back("", a, disks, status.len ? sbuf_str(&status) : NULL);
	sbuf_done(&status);
	arena_free(a);
	return yes;
}

bool usable_busy(struct arena *a, const struct list *disks, struct gate *g)
{
	return look_disks(a, disks, GATE_SYNC, g);
}

static unsigned flag_of(const struct gate *g)
{
	return g->kind == GATE_SYNC ? FLAG_SYNC :
	       g->kind == GATE_CACHE ? FLAG_CACHEFULL : FLAG_DISTURBED;
}

unsigned wait_flags(const struct session *s)
{
	struct arena *a = arena_new();
	struct gate g;
	unsigned flags = look(s, a, GATE_SYNC, &g) ? flag_of(&g) : 0;

	arena_free(a);
	return flags;
}

/* What was seen of the thing that is waited for. */
struct progress {
	struct sbuf what;
	uint64_t first, first_ns;	/* done, and when: the time left follows from these */
	uint64_t best, best_ns;		/* the last progress */
};

static bool out_of_patience(const struct progress *p, enum gate_kind kind)
{
	uint64_t s = kind == GATE_CACHE ? CACHE_PATIENCE_S : DIRTY_PATIENCE_S;

	return kind != GATE_SYNC && clock_ns() - p->best_ns > s * 1000000000u;
}

/* The text of a cache has its size in it, so only the kind tells whether it is another one. */
static bool is_new(const struct progress *p, const struct gate *g, enum gate_kind kind)
{
	return !p->first_ns || g->kind != kind ||
	       (g->kind == GATE_SYNC && strcmp(sbuf_str(&p->what), g->what));
}

static void follow(struct progress *p, struct gate *g, enum gate_kind *kind)
{
	uint64_t now = clock_ns();

	if (is_new(p, g, *kind)) {
		p->what.len = 0;
		sbuf_add(&p->what, g->what);
		*kind = g->kind;
		p->first = p->best = g->done;
		p->first_ns = p->best_ns = now;
	}
	/* a sync counts up, what a cache or the memory holds counts down */
	if (g->kind == GATE_SYNC ? g->done > p->best : g->done < p->best) {
		p->best = g->done;
		p->best_ns = now;
	}
	if (g->total > g->done && g->done > p->first && now - p->first_ns > 2000000000)
		g->left_ns = (uint64_t)((double)(now - p->first_ns) *
					(double)(g->total - g->done) / (double)(g->done - p->first));
}

/* Kinds above `last` are not waited for; *waited: there was something. */
static int wait_for(struct session *s, const struct class *c, enum gate_kind last, unsigned *flags,
		    bool *waited, struct err *e)
{
	enum gate_kind kind = GATE_SYNC;
	struct progress p = { .first_ns = 0 };
	struct gate g;
	int rc = 0;

	for (;;) {
		struct arena *a = arena_new();
		bool busy = look(s, a, last, &g);
		bool stuck = false;

		*waited |= busy;
		if (busy) {
			follow(&p, &g, &kind);
			stuck = s->order->no_wait || out_of_patience(&p, g.kind);
			if (!stuck)
				report_gate(s, c, &g);
		}
		arena_free(a);
		if (!busy)
			break;
		if (stuck) {
			*flags |= flag_of(&g);
			break;
		}
		if (session_stops(s)) {
			rc = err_set(e, ERR_FAIL, "stopped");
			break;
		}
		poll(NULL, 0, LOOK_MS);
	}
	sbuf_done(&p.what);
	return rc;
}

int wait_quiet(struct session *s, const struct class *c, const struct op *op, unsigned *flags,
	       struct err *e)
{
	enum gate_kind last = op && op->dirty ? GATE_SYNC : op && !op->writes ? GATE_DIRTY : GATE_CACHE;
	bool waited = false;

	return wait_for(s, c, last, flags, &waited, e);
}

unsigned wait_dirty(const struct session *s)
{
	struct arena *a = arena_new();
	struct gate g;
	unsigned flags = look(s, a, GATE_CACHE, &g) && g.kind == GATE_CACHE ? FLAG_CACHEFULL : 0;

	arena_free(a);
	return flags;
}

int wait_idle(struct session *s, unsigned *flags, bool *waited, struct err *e)
{
	return wait_for(s, NULL, GATE_SYNC, flags, waited, e);
}
