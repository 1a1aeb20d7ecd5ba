/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_FOUND_H
#define BENCH_FOUND_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct err;

/*
 * The files of a folder that data are taken from (data=dir:PATH): regular ones, as deep as they
 * lie, in the order of their names. Links are not followed; what cannot be read is left out.
 */
struct found_file {
	const char *path;
	uint64_t size;
	int64_t changed_ns;		/* its content was, last */
	const unsigned char *held;	/* its content from a page on, when it is kept in memory */
};

struct found {
	struct found_file *files;
	size_t n;
	uint64_t bytes;
	size_t unread;			/* left out: they may not be read */
};

/* NULL: there is nothing in it, or it is no folder. */
struct found *found_look(struct arena *a, const char *folder, struct err *e);
/* Read all of it into memory, before a clock starts; what fails stays to be read later. */
void found_hold(struct found *f);
/* A piece of one; -1 with errno: it is not what it was (EILSEQ), or cannot be read. */
int found_read(const struct found_file *f, uint64_t at, size_t len, unsigned char *out);

#endif
