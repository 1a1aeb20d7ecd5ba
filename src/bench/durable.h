/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_DURABLE_H
#define BENCH_DURABLE_H

struct corpus;
struct list;

/*
 * Bring what was written below a directory to the disks. branches: const char *, folders of
 * the file systems that the directory's one lies on (mergerfs); NULL or empty: none. set: the
 * files that matter, directly below dir; NULL: none in particular. -1 with errno set.
 */
int durable_sync(int dir, const struct list *branches, const struct corpus *set);

#endif
