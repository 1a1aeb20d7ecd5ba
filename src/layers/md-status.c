/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * md-status - an array as the kernel sees it, from /sys/class/block/mdN/md.
 *
 * States: ok; syncing (first sync or check); delayed (waits for an array that shares its
 * disks); rebuilding; degraded; failed. A sync that waits is not a failure.
 */
#include "layers/md.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "layout/stack.h"

/* "done / total" in sectors, with the kernel's speed in KiB/s. */
static void read_sync(const char *root, const char *name, struct arena *a, struct live *out)
{
	const char *done = file_line(a, root, "/sys/class/block/%s/md/sync_completed", name);
	uint64_t speed = file_u64(0, root, "/sys/class/block/%s/md/sync_speed", name);
	unsigned long long at, of;

	out->sync_running = true;
	if (!done || sscanf(done, "%llu / %llu", &at, &of) != 2 || !of)
		return;
	out->sync_percent = 100.0 * (double)at / (double)of;
	out->sync_bps = speed * 1024;
	if (out->sync_bps)
		out->sync_left_ns = (uint64_t)((double)(of - at) * 512 / (double)out->sync_bps * 1e9);
}

int md_status(const struct node *n, const char *root, struct arena *a, struct live *out,
	      struct err *e)
{
	const char *name = node_kernel_name(n, root, a);
	const char *action, *array, *done;
	uint64_t degraded;

	(void)e;
	if (!name || strncmp(name, "md", 2))
		return 0;
	array = file_line(a, root, "/sys/class/block/%s/md/array_state", name);
	if (!array)
		return 0;
	out->present = true;
	out->bytes = 512 * file_u64(0, root, "/sys/class/block/%s/size", name);
	degraded = file_u64(0, root, "/sys/class/block/%s/md/degraded", name);
	action = file_line(a, root, "/sys/class/block/%s/md/sync_action", name);
	done = file_line(a, root, "/sys/class/block/%s/md/sync_completed", name);
	out->state = degraded > n->missing ? "degraded" : "ok";
	if (!strcmp(array, "inactive") || !strcmp(array, "clear"))
		out->state = "failed";
	if (!action || !strcmp(action, "idle") || !strcmp(action, "frozen"))
		return 0;
	if (done && !strcmp(done, "delayed")) {
		out->state = degraded ? "degraded" : "delayed";
		out->detail = arena_printf(a, "%s waits for an array on the same disks", action);
		out->sync_running = true;
		return 0;
	}
	out->detail = action;
	out->state = !strcmp(action, "recover") ? "rebuilding" : "syncing";
	read_sync(root, name, a, out);
	return 0;
}
