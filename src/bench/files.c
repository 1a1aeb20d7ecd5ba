/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files - whole files: written from what a second thread makes, so that the source never
 * limits; read; compared with what was written. Plain read() and write() with large buffers
 * is at the limit of what a machine can do with one file.
 */
#include "bench/child.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "bench/corpus.h"

enum {
	SMALL_SLOT = 256 * 1024, PAGE = 4096,
	VERIFY_BYTES = 4 * CORPUS_BLOCK,	/* what is read is compared while a cache holds it */
};

/* Where the content of this stream's files begins; with many streams the buffers are small. */
static int ring_prepare(struct copy *c, size_t from)
{
	size_t slot = engine_buffer_bytes();
	struct ring_part part = { .from = from, .first = c->stream, .step = c->streams,
				  .align = c->job->direct ? PAGE : 0 };

	if (c->streams > 1 && slot > SMALL_SLOT)
		slot = SMALL_SLOT;
	if (slot < c->bs)
		slot = round_up(c->bs, CORPUS_BLOCK);
	c->ring = ring_start(c->job->corpus, slot, &part);
	return c->ring ? 0 : child_failed(c, "no memory for the buffers");
}

int write_prepare(struct copy *c)
{
	if (c->job->sync == SYNC_WRITE)		/* each write waits for the disks: see how long */
		times_room(&c->times, 4096);
	return ring_prepare(c, 0);
}

int read_prepare(struct copy *c)
{
	c->buffer = engine_buffer(c->bs);
	if (!c->buffer)
		return child_failed(c, "no memory for a buffer");
	/* files of the second fileset are written meanwhile */
	return c->op->adds ? ring_prepare(c, c->job->corpus->sets[0].n) : 0;
}

int verify_prepare(struct copy *c)
{
	c->buffer = engine_buffer(VERIFY_BYTES + CORPUS_BLOCK + CORPUS_SLACK);
	return c->buffer ? 0 : child_failed(c, "no memory for a buffer");
}

static int no_data(struct copy *c)
{
	return child_no_data(c, ring_failed_file(c->ring));
}

static int write_piece(struct copy *c, int fd, const char *name, const unsigned char *data,
		       size_t len)
{
	bool timed = c->job->sync == SYNC_WRITE;

	if (len % PAGE)
		child_direct(c, fd, false);
	while (len) {
		uint64_t since = timed ? clock_ns() : 0;
		ssize_t put = write(fd, data, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return child_failed(c, "cannot write %s", name);
		if (timed)
			child_took(c, clock_ns() - since);
		data += put;
		len -= (size_t)put;
		if (child_counted(c, (size_t)put) < 0)
			return -1;
	}
	return 0;
}

int write_file(struct copy *c, const char *name, size_t file)
{
	uint64_t size = c->job->corpus->sizes[file];
	const unsigned char *held = corpus_held(c->job->corpus, file);
	int fd = child_open(c, name, O_WRONLY | O_CREAT | O_EXCL);

	if (fd < 0)
		return -1;
	while (size) {
		size_t most = size < c->bs ? (size_t)size : c->bs, len = most;
		const unsigned char *data = held ? held : ring_take(c->ring, most, &len);

		size -= data ? len : 0;
		held += held ? len : 0;
		if (!data ? no_data(c) < 0 : write_piece(c, fd, name, data, len) < 0) {
			close(fd);
			return -1;
		}
	}
	if (!held)
		ring_next_file(c->ring);
	return child_close(c, fd, name);
}

static int too_short(struct copy *c, const char *name)
{
	errno = EILSEQ;
	return child_failed(c, "%s is not as long as it was written", name);
}

/* With O_DIRECT nothing is asked for behind the end: where it is unaligned that fails. */
static int read_all(struct copy *c, int fd, const char *name, uint64_t size)
{
	uint64_t done = 0;
	ssize_t got = 0;

	while (!(c->job->direct && done == size) && (got = read(fd, c->buffer, c->bs)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return child_failed(c, "cannot read %s", name);
		if (done + (uint64_t)got > size)
			return too_short(c, name);
		done += (uint64_t)got;
		if (child_counted(c, (size_t)got) < 0)
			return -1;
	}
	return done == size ? 0 : too_short(c, name);
}

int read_file(struct copy *c, const char *name, size_t file)
{
	int fd = child_open(c, name, O_RDONLY), rc;

	if (fd < 0)
		return -1;
	rc = read_all(c, fd, name, c->job->corpus->sizes[file]);
	close(fd);
	return rc;
}

int play_record_file(struct copy *c, const char *name, size_t file)
{
	return file < c->job->corpus->sets[0].n ? read_file(c, name, file) :
						 write_file(c, name, file);
}

/* As much as there is, and no more than that: -1, or the bytes. O_DIRECT wants whole pages,
 * so an end within one is the end. */
static ssize_t read_full(struct copy *c, int fd, const char *name, size_t most)
{
	size_t len = 0;
	ssize_t got;

	while (len < most && (got = read(fd, c->buffer + len, most - len)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return child_failed(c, "cannot read %s", name);
		len += (size_t)got;
		if (c->job->direct && len % PAGE)
			break;
	}
	return (ssize_t)len;
}

/* Is what is read what was written? */
static int compare_all(struct copy *c, int fd, const char *name, size_t file)
{
	const struct corpus *corpus = c->job->corpus;
	uint64_t size = corpus->sizes[file], done = 0;
	int same;

	while (done < size) {
		bool last = size - done <= VERIFY_BYTES;
		size_t most = last ? (size_t)(size - done) : (size_t)VERIFY_BYTES, at, part;
		/* a byte behind the end is asked for: there must be none */
		ssize_t got = read_full(c, fd, name, last ? round_up(most + 1, PAGE) : most);

		if (got < 0)
			return -1;
		if ((size_t)got != most)
			return too_short(c, name);
		for (at = 0; at < most; at += part) {
			part = most - at < CORPUS_BLOCK ? most - at : (size_t)CORPUS_BLOCK;
			same = corpus_same(corpus, file, (done + at) / CORPUS_BLOCK, part,
					   c->buffer + at, c->buffer + VERIFY_BYTES);
			if (same < 0)
				return child_no_data(c, file);
			if (same)
				continue;
			errno = EILSEQ;
			return child_failed(c, "%s holds other data than was written, after byte %llu",
					    name, (unsigned long long)done + at);
		}
		done += most;
		if (child_counted(c, most) < 0)
			return -1;
	}
	return 0;
}

int verify_file(struct copy *c, const char *name, size_t file)
{
	int fd = child_open(c, name, O_RDONLY), rc;

	if (fd < 0)
		return -1;
	rc = compare_all(c, fd, name, file);
	close(fd);
	return rc;
}
