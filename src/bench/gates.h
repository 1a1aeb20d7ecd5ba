/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_GATES_H
#define BENCH_GATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/sbuf.h"

/*
 * What still goes on below and would be measured with it: an array that syncs, a file
 * system that is being made ready, a cache that writes back, pages that wait to be written.
 * Read from sysfs and procfs below a root prefix ("" for this machine), never written.
 */
enum gate_kind {
	GATE_SYNC,	/* the layout is not finished */
	GATE_CACHE,	/* a write-back cache holds what is not on the disks yet */
	GATE_DIRTY,	/* pages in memory wait to be written */
};

struct gate {
	enum gate_kind kind;
	const char *what;		/* "the sync of md127" */
	uint64_t done, total;		/* in its own unit; total 0: it does not tell */
	uint64_t left_ns;		/* 0: it does not tell */
};

/*
 * The first thing that goes on at one of these disks (const char *: "sda"). dm_status is
 * what `dmsetup status` prints, NULL when nothing of it is here. Kinds above `last` are
 * not looked for.
 */
bool gate_look(const char *root, struct arena *a, const struct list *disks,
	       const char *dm_status, enum gate_kind last, struct gate *out);

/*
 * Is there a cache over one of these disks that takes writes and passes them on later: bcache
 * or dm-cache in writeback, or writecache? dm_status as above.
 */
bool gate_writes_back(const char *root, struct arena *a, const struct list *disks,
		      const char *dm_status);

/* Is there a device-mapper device over one of these disks, so that its status is wanted? */
bool gate_wants_dm(const char *root, struct arena *a, const struct list *disks);

/* One line of `dmsetup status` behind its "NAME: "; true when something goes on there. */
bool gate_dm_line(struct arena *a, const char *name, const char *line, struct gate *out);

/* A scrub of the btrfs an open directory lies on, with how far it is; root only. */
bool gate_btrfs_scrub(struct arena *a, int dir, struct gate *out);
/* How far the balance is that goes on there; left as it is when that is not told. */
void gate_btrfs_balance(int dir, struct gate *g);
/* What `zpool status POOL` prints: a resilver or a scrub that goes on. */
bool gate_zpool(struct arena *a, const char *status, struct gate *out);

/* "waiting for the sync of md127: 38 %, 0:17 left" */
void gate_text(const struct gate *g, struct sbuf *out);
unsigned gate_percent(const struct gate *g);

#endif
