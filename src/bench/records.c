/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * records - one file record by record: over itself, in random order, with a stride, or
 * backwards. Every record is touched once, and how long each took is kept, so percentiles
 * are exact. What is written differs in every 4 KiB from all that was written before.
 */
#include "bench/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "bench/corpus.h"

int records_prepare(struct copy *c)
{
	const struct corpus *corpus = c->job->corpus;
	size_t room = 0, i;

	c->bs = c->job->bs ? c->job->bs : engine_buffer_bytes();
	for (i = 0; i < corpus->n; i++)
		room += (size_t)div_up(corpus->sizes[i], c->bs);
	child_took_room(c, room);
	c->buffer = engine_buffer(c->bs + CORPUS_SLACK);
	if (!c->buffer)
		return child_failed(c, "no memory for the records");
	corpus_random(corpus->seed ^ 0x5eed, c->bs, c->buffer);
	return 0;
}

/* The records' numbers in the order they are touched; NULL without memory. */
static uint32_t *order_of(const struct copy *c, size_t n, size_t file)
{
	uint32_t *order = calloc(n ? n : 1, sizeof(*order));
	uint64_t state = c->job->corpus->seed + file;
	size_t stride = c->job->number ? (size_t)c->job->number : 1, at = 0, from, i;

	if (!order)
		return NULL;
	if (c->op->order == ORDER_STRIDE) {
		for (from = 0; from < stride; from++) {
			for (i = from; i < n; i += stride)
				order[at++] = (uint32_t)i;
		}
		return order;
	}
	for (i = 0; i < n; i++)
		order[i] = (uint32_t)(c->op->order == ORDER_BACK ? n - 1 - i : i);
	if (c->op->order == ORDER_RANDOM) {
		for (i = n; i > 1; i--) {
			size_t k = (size_t)(corpus_mix(&state) % i);
			uint32_t last = order[i - 1];

			order[i - 1] = order[k];
			order[k] = last;
		}
	}
	return order;
}

/* No block of the record is like another one that was written. */
static void stamp(struct copy *c, size_t len)
{
	uint64_t number = c->n_latencies * 0x9e3779b97f4a7c15ull + (uint64_t)c->job->salt;
	size_t at;

	for (at = 0; at + sizeof(number) <= len; at += 4096) {
		number++;
		memcpy(c->buffer + at, &number, sizeof(number));
	}
}

static int one_record(struct copy *c, int fd, const char *name, uint64_t at, size_t len)
{
	bool writes = c->op->writes;
	uint64_t since;
	size_t done = 0;

	if (writes)
		stamp(c, len);
	since = clock_ns();
	while (done < len) {
		ssize_t got = writes ?
			pwrite(fd, c->buffer + done, len - done, (off_t)(at + done)) :
			pread(fd, c->buffer + done, len - done, (off_t)(at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return child_failed(c, "cannot %s %s", writes ? "write" : "read", name);
		if (!got) {
			errno = EILSEQ;
			return child_failed(c, "%s is not as long as it was written", name);
		}
		done += (size_t)got;
	}
	child_took(c, clock_ns() - since);
	return child_counted(c, len);
}

int records_file(struct copy *c, const char *name, size_t file)
{
	uint64_t size = c->job->corpus->sizes[file];
	size_t n = (size_t)div_up(size, c->bs), i;
	int mode = c->op->writes ? O_WRONLY : O_RDONLY;
	int fd = openat(c->dir, name, mode | O_CLOEXEC | (c->job->each_write ? O_SYNC : 0));
	uint32_t *order;
	int rc = 0;

	if (fd < 0)
		return child_failed(c, "cannot open %s", name);
	order = order_of(c, n, file);
	if (!order) {
		close(fd);
		errno = ENOMEM;
		return child_failed(c, "cannot put the records of %s in order", name);
	}
	for (i = 0; rc == 0 && i < n; i++) {
		uint64_t at = order[i] * (uint64_t)c->bs;

		rc = one_record(c, fd, name, at, size - at < c->bs ? (size_t)(size - at) : c->bs);
	}
	free(order);
	if (close(fd) < 0 && rc == 0)
		rc = child_failed(c, "cannot close %s", name);
	return rc;
}
