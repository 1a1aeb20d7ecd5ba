/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * health - what sysfs does not tell of a layer and its own tool does: a pool of ZFS, a volume
 * of LVM's RAID. Asked of this machine only, never of a recorded one.
 */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "bench/gates.h"
#include "build/health.h"
#include "build/job.h"

enum { PATIENCE_MS = 3000 };	/* a pool that hangs must not hang the list of layers */

static void add_line(void *arg, const char *text)
{
	sbuf_addf(arg, "%s\n", text);
}

/* What a tool prints; nothing when it fails or is not there. */
static bool ask(const char *const *argv, struct sbuf *out)
{
	const struct job job = { .argv = (char *const *)(uintptr_t)argv, .timeout_ms = PATIENCE_MS,
				 .line = add_line, .arg = out };
	struct job_end end;
	struct err e = { 0 };

	if (job_run(&job, &end, &e) < 0)
		out->len = 0;
	return out->len > 0;
}

/* A scrub or resilver, in the words and numbers of the gate that a benchmark waits at. */
static void put_gate(struct arena *a, const struct gate *g, const char *what, const char *state,
		     struct live *l)
{
	if (!strcmp(l->state, "ok"))
		l->state = state;
	l->detail = arena_strdup(a, what);
	l->sync_running = true;
	l->sync_percent = g->total ? 100.0 * (double)g->done / (double)g->total : 0;
	l->sync_left_ns = g->left_ns;
}

bool health_of_pool(struct arena *a, const char *status, struct live *l)
{
	const char *state = strstr(status, "state: ");
	struct gate g;

	if (!state)
		return false;
	state += strlen("state: ");
	if (!strncmp(state, "DEGRADED", strlen("DEGRADED")))
		l->state = "degraded";
	else if (strncmp(state, "ONLINE", strlen("ONLINE")))
		l->state = "failed";
	if (gate_zpool(a, status, &g))
		put_gate(a, &g, strstr(g.what, "resilver") ? "resilver" : "scrub", strstr(g.what, "resilver") ?
			 "rebuilding" : "checking", l);
	return true;
}

/* START LEN raid TYPE N HEALTH DONE/ALL ACTION ...; A well, a not made equal yet, D dead */
bool health_of_raid(struct arena *a, const char *status, struct live *l)
{
	char word[64], action[16];
	unsigned long long done, all;
	const char *raid = strstr(status, " raid ");
	struct gate g = { 0 };

	if (!raid || sscanf(raid, " raid %*s %*u %63s %llu/%llu %15s", word, &done, &all, action) != 4)
		return false;
	if (strchr(word, 'D'))
		l->state = "degraded";
	if (done >= all || !strcmp(action, "idle") || !strcmp(action, "frozen"))
		return true;
	g.done = done;
	g.total = all;
	put_gate(a, &g, action, !strcmp(action, "recover") ? "rebuilding" : "syncing", l);
	return true;
}

void health_ask(const struct node *n, const char *pool, struct arena *a, struct live *l)
{
	const char *argv[] = { "zpool", "status", pool, NULL };
	struct sbuf out = { 0 };

	if (!n->layer || !l->present)
		return;
	if (!strcmp(n->layer->name, "zfs")) {
		if (ask(argv, &out))
			health_of_pool(a, sbuf_str(&out), l);
	} else if (!strcmp(n->layer->name, "lvm") && n->level && !strncmp(n->level, "raid", 4)) {
		argv[0] = "dmsetup";
		argv[2] = n->dm_name;
		if (!ask(argv, &out) || !health_of_raid(a, sbuf_str(&out), l)) {
			/* with a cache in front the volume has another name */
			argv[2] = arena_printf(a, "%s_corig", n->dm_name);
			out.len = 0;
			if (ask(argv, &out))
				health_of_raid(a, sbuf_str(&out), l);
		}
	}
	sbuf_done(&out);
}
