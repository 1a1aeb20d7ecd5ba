/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_WORKDIR_H
#define BENCH_WORKDIR_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

/*
 * The one directory below the target that is written to: .naslab-bench-XXXXXX, with a
 * manifest that says whose it is. All work goes through file descriptors below it, so a
 * file system mounted or unmounted meanwhile cannot send it elsewhere.
 */
struct workdir {
	const char *path;	/* of the target, as given */
	int target, dir;
	dev_t dev;
	char name[32];
	void (*tell)(void *arg, uint64_t removed);	/* how far a long removal is; may be NULL */
	void *arg;
};

/* What dead processes left in a target: it goes before anything is measured there. */
struct left {
	uint64_t bytes, files;
};

/* Open the target, remove what a killed run left in it, make the directory; keeps tell. */
int workdir_open(struct workdir *w, const char *target, struct err *e);
/* Remove it and everything in it. Takes one that is not open. */
int workdir_close(struct workdir *w, struct err *e);
/* Close it for a while, and open it again where the target is mounted again; on -1 it is lost. */
void workdir_leave(struct workdir *w);
int workdir_return(struct workdir *w, struct err *e);
/* Is the target still the file system it was, and written to? The sentence says that it is not. */
int workdir_check(const struct workdir *w, struct err *e);

/* A set of files: a directory in it. The caller closes what it got. */
int workdir_make(const struct workdir *w, const char *name, int *dir, struct err *e);
int workdir_remove(const struct workdir *w, const char *name, struct err *e);

/* Remove the directories that dead processes left in the target; how many. */
unsigned workdir_clean(int target, void (*tell)(void *arg, uint64_t removed), void *arg);
void workdir_left(int target, struct left *sum);

#endif
