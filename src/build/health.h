/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUILD_HEALTH_H
#define BUILD_HEALTH_H

#include <stdbool.h>

#include "layout/stack.h"

/* Ask the tool of a pool or of a volume of LVM's RAID how it is; other layers told it. */
void health_ask(const struct node *n, const char *pool, struct arena *a, struct live *l);

/* What `zpool status POOL` and `dmsetup status VOLUME` print. False: not of that kind. */
bool health_of_pool(struct arena *a, const char *status, struct live *l);
bool health_of_raid(struct arena *a, const char *status, struct live *l);

#endif
