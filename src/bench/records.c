/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * records - one file record by record: over itself, in random order, with a stride, or
 * backwards; read, written, both mixed, or read and written back. Every record is touched
 * once, and how long each took is kept, so percentiles are exact. What is written differs in
 * every 4 KiB from all that was written before.
 */
#include "bench/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "bench/corpus.h"

enum { PAGE = 4096, MOST_ROOM = 16 << 20 };

/* The records of this stream: all, or its part of those that all streams share. */
static void part_of(const struct copy *c, size_t n, size_t *from, size_t *to)
{
	unsigned parts = c->common ? c->streams : 1, which = c->common ? c->stream : 0;

	*from = (size_t)((double)n * which / parts);
	*to = which + 1 == parts ? n : (size_t)((double)n * (which + 1) / parts);
}

static size_t room_for(const struct copy *c)
{
	const struct corpus *corpus = c->job->corpus;
	size_t step = c->common ? 1 : c->streams, room = 0, i, from, to;

	for (i = c->common ? 0 : c->stream; i < corpus->n; i += step) {
		part_of(c, (size_t)div_up(corpus->sizes[i], c->bs), &from, &to);
		room += to - from;
	}
	if (c->quota && room > c->quota / c->bs + 1)
		room = c->quota / c->bs + 1;
	return room < MOST_ROOM ? room : MOST_ROOM;	/* it grows when there are more */
}

int records_prepare(struct copy *c)
{
	const struct corpus *corpus = c->job->corpus;
	size_t i;

	times_room(&c->times, room_for(c));
	c->buffer = engine_buffer(c->bs);
	if (!c->buffer)
		return child_failed(c, "no memory for the records");
	for (i = 0; c->op->writes && i < corpus->n_sets; i++) {
		const struct corpus_set *set = &corpus->sets[i];

		c->source[i] = engine_buffer(c->bs + CORPUS_SLACK);
		if (!c->source[i])
			return child_failed(c, "no memory for the records");
		corpus_content(corpus, set, set->seed ^ 0x5eed ^ (uint64_t)c->stream << 32, c->bs,
			       c->source[i]);
	}
	return 0;
}

static void shuffle(uint32_t *order, size_t n, uint64_t *state)
{
	size_t i;

	for (i = n; i > 1; i--) {
		size_t k = (size_t)(corpus_mix(state) % i);
		uint32_t last = order[i - 1];

		order[i - 1] = order[k];
		order[k] = last;
	}
}

/* Random pieces of neighbours: after each record the next one follows with this chance. */
static int shuffle_pieces(uint32_t *order, size_t n, unsigned percent, uint64_t *state)
{
	uint32_t *firsts = calloc(n ? n : 1, sizeof(*firsts));
	unsigned char *begins = calloc(n + 1, 1);
	size_t pieces = 0, at = 0, i;

	if (!firsts || !begins) {
		free(firsts);
		free(begins);
		return -1;
	}
	for (i = 0; i < n; i++) {
		begins[i] = i == 0 || corpus_mix(state) % 100 >= percent;
		if (begins[i])
			firsts[pieces++] = (uint32_t)i;
	}
	begins[n] = 1;
	shuffle(firsts, pieces, state);
	for (i = 0; i < pieces; i++) {
		uint32_t k = firsts[i];

		do {
			order[at++] = k++;
		} while (!begins[k]);
	}
	free(firsts);
	free(begins);
	return 0;
}

/* The records' numbers in the order they are touched; NULL without memory. */
static uint32_t *order_of(const struct copy *c, size_t n, size_t file)
{
	uint32_t *order = calloc(n ? n : 1, sizeof(*order));
	uint64_t state = corpus_set(c->job->corpus, file)->seed + file;
	size_t stride = c->op->order == ORDER_STRIDE ? (size_t)c->job->number : 1, at = 0, from, i;

	if (!order)
		return NULL;
	for (from = 0; from < stride; from++) {
		for (i = from; i < n; i += stride)
			order[at++] = (uint32_t)(c->op->order == ORDER_BACK ? n - 1 - i : i);
	}
	if (c->op->order != ORDER_RANDOM)
		return order;
	if (!c->job->sequential) {
		shuffle(order, n, &state);
	} else if (shuffle_pieces(order, n, c->job->sequential, &state) < 0) {
		free(order);
		return NULL;
	}
	return order;
}

/* No block of the record is like another one that was written; zeros stay zeros. */
static void stamp(struct copy *c, unsigned char *data, size_t len)
{
	uint64_t number = (c->times.n + ((uint64_t)c->stream << 40)) * 0x9e3779b97f4a7c15ull +
			  c->job->salt;
	size_t at;

	for (at = 0; at + sizeof(number) <= len; at += PAGE) {
		number++;
		memcpy(data + at, &number, sizeof(number));
	}
}

static int move_record(struct copy *c, int fd, const char *name, unsigned char *data, uint64_t at,
		       size_t len, bool writes)
{
	size_t done = 0;

	while (done < len) {
		ssize_t got = writes ? pwrite(fd, data + done, len - done, (off_t)(at + done)) :
				       pread(fd, data + done, len - done, (off_t)(at + done));

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
	return 0;
}

/* What is done with one record: the same for the same record in every run. */
static void choose(const struct copy *c, size_t file, size_t record, bool *reads, bool *writes)
{
	uint64_t key = file * 0x100000001b3ull + record;
	bool chosen = corpus_mix(&key) % 100 < c->job->number;

	*reads = c->op->reads;
	*writes = c->op->writes;
	switch (c->op->number_of) {
	case NUMBER_READS:		/* percent of the records */
		*reads = chosen;
		*writes = !chosen;
		break;
	case NUMBER_READERS:		/* percent of the streams */
		*reads = c->stream * 100 < c->streams * c->job->number;
		*writes = !*reads;
		break;
	case NUMBER_REWRITES:		/* percent of what was read */
		*writes = chosen;
		break;
	case NUMBER_OTHER:
		break;
	}
}

static int one_record(struct copy *c, int fd, const char *name, size_t file, size_t record)
{
	const struct corpus_set *set = corpus_set(c->job->corpus, file);
	uint64_t at = record * (uint64_t)c->bs, left = c->job->corpus->sizes[file] - at, since;
	size_t len = left < c->bs ? (size_t)left : c->bs;
	unsigned char *source = c->source[set - c->job->corpus->sets];
	bool reads, writes;

	choose(c, file, record, &reads, &writes);
	if (len % PAGE)
		child_direct(c, fd, false);
	if (writes && !reads && set->data != DATA_ZERO)
		stamp(c, source, len);
	since = clock_ns();
	if (reads && move_record(c, fd, name, c->buffer, at, len, false) < 0)
		return -1;
	if (reads && writes) {		/* what was read is changed and goes back */
		source = c->buffer;
		stamp(c, source, len);
	}
	if (writes && move_record(c, fd, name, source, at, len, true) < 0)
		return -1;
	child_took(c, clock_ns() - since);
	if (len % PAGE)
		child_direct(c, fd, true);
	return child_counted(c, reads && writes ? 2 * len : len);
}

int records_file(struct copy *c, const char *name, size_t file)
{
	size_t n = (size_t)div_up(c->job->corpus->sizes[file], c->bs), i, to;
	int mode = !c->op->writes ? O_RDONLY : c->op->reads ? O_RDWR : O_WRONLY;
	int fd = child_open(c, name, mode), rc = 0;
	uint32_t *order;

	if (fd < 0)
		return -1;
	order = order_of(c, n, file);
	if (!order) {
		close(fd);
		errno = ENOMEM;
		return child_failed(c, "cannot put the records of %s in order", name);
	}
	for (part_of(c, n, &i, &to); rc == 0 && i < to; i++)
		rc = one_record(c, fd, name, file, order[i]);
	free(order);
	if (rc == 0)
		return child_close(c, fd, name);
	close(fd);
	return -1;
}

/* As much again behind what is there, record by record. */
int append_file(struct copy *c, const char *name, size_t file)
{
	const struct corpus_set *set = corpus_set(c->job->corpus, file);
	unsigned char *source = c->source[set - c->job->corpus->sets];
	uint64_t left = c->job->corpus->sizes[file], at = left, since;
	int fd = child_open(c, name, O_WRONLY | O_APPEND), rc = 0;

	if (fd < 0)
		return -1;
	while (rc == 0 && left) {
		size_t len = left < c->bs ? (size_t)left : c->bs;

		if (set->data != DATA_ZERO)
			stamp(c, source, len);
		if (at % PAGE || len % PAGE)
			child_direct(c, fd, false);
		since = clock_ns();
		rc = move_record(c, fd, name, source, at, len, true);
		if (rc == 0) {
			child_took(c, clock_ns() - since);
			rc = child_counted(c, len);
		}
		at += len;
		left -= len;
	}
	if (rc == 0)
		return child_close(c, fd, name);
	close(fd);
	return -1;
}
