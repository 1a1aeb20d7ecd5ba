/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_USABLE_H
#define BENCH_USABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

struct arena;
struct bench_order;
struct build;
struct err;
struct gate;
struct list;
struct store;

/*
 * How long a build took until it could be used, and until nothing of it went on any more:
 * out of its journal, whose every event has its time. That it was idle is an event too,
 * written by whoever looks first: the executor behind its last step, a measurement that
 * waited for the sync, or `status`.
 */
struct build_times {
	uint64_t format_ns;	/* steps that made file systems */
	uint64_t other_ns;	/* all other steps: partitions, arrays, volumes, mounts */
	uint64_t usable_ns;	/* from its begin until it was built; 0: it is not */
	uint64_t idle_ns;	/* until the first sync, and what else it left, was done; 0: not seen */
	bool idle_at_most;	/* it was idle already when somebody looked for the first time */
};

/* From the events of a build's journal and the plan it was built by (JSON texts). */
void usable_of_events(const json_t *events, const json_t *plan, struct build_times *out);
int usable_of_build(struct store *st, const struct build *b, struct build_times *out,
		   struct err *e);

/* Does it sync, or make itself ready, at these disks ("sda")? The cache is not asked. */
bool usable_busy(struct arena *a, const struct list *disks, struct gate *g);
/* Note in the journal that it is idle, once. */
int usable_idle(struct store *st, const struct build *b, bool at_most, struct err *e);

/*
 * Keep what is known of the order's build as results, in seconds and once a build; with
 * `tags` put in. *out gets those results with their ids.
 */
int usable_keep(struct store *st, const struct bench_order *o, json_t **out, struct err *e);

bool usable_simulated(void);	/* is this machine a sandbox? Its times are not those of disks */

/* "usable after 12.3 s, 2.10 s of it making file systems; idle after 4:12" */
struct sbuf;
void usable_words(const struct build_times *t, struct sbuf *out);

#endif
