/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_REMOUNT_H
#define BENCH_REMOUNT_H

#include <jansson.h>

#include "base/argv.h"
#include "bench/bench.h"
#include "bench/counters.h"

struct session;

/*
 * Cold by taking the file system away and bringing it back: unmounted and mounted, or its
 * pool exported and imported. Only what naslab itself mounted, with the words of its build's
 * plan; anything else is refused before a byte is written.
 */
struct remount {
	struct argv down, up;
};

/* Can every reading of the order be made cold the way it says? The sentence says why not. */
int remount_check(const struct bench_order *o, int target, struct err *e);
/* Do it; nothing below the target may be open but the work directory. */
int remount_target(struct session *s, enum cache_state how, struct err *e);

/* Pure: what a build's plan says of the mount m; 1: it is none of this plan's. */
int remount_of_plan(struct arena *a, const json_t *plan, const struct mount_of *m,
		    enum cache_state how, struct remount *out);

#endif
