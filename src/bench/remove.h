/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_REMOVE_H
#define BENCH_REMOVE_H

#include <stdint.h>
#include <sys/types.h>

/* A million files take minutes: whoever wants to know is told twice a second how many are gone. */
struct removal {
	dev_t dev;			/* no other file system is entered */
	void (*tell)(void *arg, uint64_t removed);	/* may be NULL */
	void *arg;
	uint64_t removed, next_ns;
};

/* Remove a directory with all that is in it; -1 with errno when something could not be. */
int remove_dir(struct removal *r, int dir, const char *name);
/* Remove everything in a directory but the file `kept`. */
int remove_all_but(struct removal *r, int dir, const char *kept);

#endif
