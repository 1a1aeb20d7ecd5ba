/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash - every file opened, read whole and hashed with XXH3, by several streams: what a
 * scan of checksums does. The hashes of all files are one number in the end, and it has to
 * be that of what was written, which is made once more in memory before the first clock.
 */
#include "bench/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define XXH_STATIC_LINKING_ONLY		/* the state on the stack */
#include <xxhash.h>

#include "base/err.h"
#include "bench/corpus.h"

enum { SHARE = 16 };	/* files a thread takes at once; neighbours lie in one directory */

struct scan {			/* what the streams share */
	_Atomic size_t next;
	_Atomic uint64_t sum;
	uint64_t want;
};

/* The order in which files are done must not matter, their places must. */
static uint64_t placed(uint64_t hash, size_t file)
{
	uint64_t both[2] = { hash, file };

	return XXH3_64bits(both, sizeof(both));
}

static int hash_file(struct copy *c, size_t file, uint64_t *hash)
{
	char name[CORPUS_PATH];
	const struct corpus *corpus = c->job->corpus;
	uint64_t done = 0;
	XXH3_state_t state;
	ssize_t got;
	int fd;

	corpus_path(corpus, file, name);
	fd = openat(c->job->dir, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return child_failed(c, "cannot open %s", name);
	XXH3_64bits_reset(&state);
	while ((got = read(fd, c->buffer, c->bs)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			close(fd);
			return child_failed(c, "cannot read %s", name);
		}
		XXH3_64bits_update(&state, c->buffer, (size_t)got);
		done += (uint64_t)got;
		if (child_counted(c, (size_t)got) < 0) {
			close(fd);
			return -1;
		}
	}
	close(fd);
	*hash = XXH3_64bits_digest(&state);
	if (done == corpus->sizes[file])
		return 0;
	errno = EILSEQ;
	return child_failed(c, "%s is not as long as it was written", name);
}

/* What the file was written from. */
static int hash_made(const struct corpus *corpus, size_t file, unsigned char *buffer,
		     uint64_t *hash)
{
	uint64_t left = corpus->sizes[file], block;
	XXH3_state_t state;

	XXH3_64bits_reset(&state);
	for (block = 0; left; block++) {
		size_t len = left < CORPUS_BLOCK ? (size_t)left : (size_t)CORPUS_BLOCK;

		if (corpus_block(corpus, file, block, len, buffer) < 0)
			return -1;
		XXH3_64bits_update(&state, buffer, len);
		left -= len;
	}
	*hash = XXH3_64bits_digest(&state);
	return 0;
}

/* The sum that is wanted: known from an earlier run, or made again from what was written. */
static int make_sum(struct copy *c, struct scan *s)
{
	unsigned char *buffer = engine_buffer(CORPUS_BLOCK + CORPUS_SLACK);
	uint64_t hash = 0;
	size_t i;

	if (!buffer)
		return child_failed(c, "no memory for a buffer");
	for (i = 0; i < c->job->corpus->n; i++) {
		if (hash_made(c->job->corpus, i, buffer, &hash) < 0)
			return child_no_data(c, i);
		s->want += placed(hash, i);
		if (child_over(c))
			return -1;
	}
	munmap(buffer, CORPUS_BLOCK + CORPUS_SLACK);
	return 0;
}

int hash_prepare(struct copy *c)
{
	struct scan *s;

	c->buffer = engine_buffer(c->bs);
	if (!c->buffer)
		return child_failed(c, "no memory for a buffer");
	times_room(&c->times, c->job->corpus->n / c->streams + SHARE);
	if (c->stream)
		return 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		die("no memory");
	s->want = c->job->checksum;
	c->shared->own = s;
	return s->want ? 0 : make_sum(c, s);
}

int hash_all(struct copy *c)
{
	struct scan *s = c->shared->own;
	size_t n = c->job->corpus->n, first, i;
	uint64_t sum = 0, hash = 0, since;

	while ((first = atomic_fetch_add(&s->next, SHARE)) < n) {
		for (i = first; i < first + SHARE && i < n; i++) {
			since = clock_ns();
			if (hash_file(c, i, &hash) < 0)
				return -1;
			child_took(c, clock_ns() - since);
			c->files++;
			sum += placed(hash, i);
		}
	}
	atomic_fetch_add(&s->sum, sum);
	return 0;
}

/* One that was cut short has no sum of all files. */
int hash_finish(struct copy *all, unsigned n, struct engine_result *r)
{
	struct scan *s = all[0].shared->own;

	(void)n;
	if (r->files < all[0].job->corpus->n)
		return 0;
	r->checksum = s->want;
	if (s->sum == s->want)
		return 0;
	errno = EILSEQ;
	return child_failed(&all[0], "the checksum of all files is not that of what was written");
}
