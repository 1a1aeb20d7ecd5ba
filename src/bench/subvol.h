/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_SUBVOL_H
#define BENCH_SUBVOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct err;

/* Subvolumes of btrfs below an open directory. -1 with errno set, or with the sentence. */

bool subvol_possible(int dir);			/* is it on btrfs? */
/* By its status: may this entry of a directory on `dev` be a subvolume's top? */
bool subvol_maybe(const struct stat *st, dev_t dev);
int subvol_make(int dir, const char *name);
/* A read-only snapshot of the subvolume `from` as dir/name. */
int subvol_freeze(int from, int dir, const char *name);
int subvol_remove(int dir, const char *name);
int subvol_id(int fd, uint64_t *id);
/* Everything durable; and unlike syncfs() it wakes who cleans up behind removed ones. */
int subvol_sync(int fd);
/* How many removed ones the file system has not cleaned up yet; 0 when it does not tell. */
unsigned subvol_leftovers(int fd);

/*
 * Write the send stream of n snapshots, s0 and then what each differs from the one before,
 * to fd. Blocks; 0 or errno, *at is the snapshot it went wrong at.
 */
int subvol_send(const int *snapshots, unsigned n, int fd, unsigned *at);

#endif
