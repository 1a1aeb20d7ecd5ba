/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring - four buffers that a second thread fills with the files' content, one file after
 * the other without a gap, so that handing over happens once a buffer and not once a file.
 * The thread ends with its process.
 */
#include "bench/engine.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#include "base/units.h"
#include "bench/corpus.h"

enum { SLOTS = 4 };

struct ring {
	size_t failed_file;		/* error is set: what it is made of could not be read */
	_Atomic int error;
	const struct corpus *corpus;
	struct ring_part part;
	size_t buffer;			/* bytes of one slot */
	struct slot {
		unsigned char *data;
		size_t len;
	} slots[SLOTS];
	sem_t empty, full;
	/* the taker's place */
	unsigned slot;
	size_t at;
	bool holds;
	uint64_t waited_ns;
	_Atomic uint64_t made_ns;
};

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) < 0 && errno == EINTR)
		;
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec cpu;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	return (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
}

/* What is read instead of made takes the time of its disks too. */
static int make_block(struct ring *r, size_t file, uint64_t block, size_t len,
		      unsigned char *out, uint64_t *read_ns)
{
	bool reads = corpus_found(r->corpus, file);
	uint64_t since = reads ? clock_ns() : 0, cpu = reads ? thread_cpu_ns() : 0;

	if (corpus_block(r->corpus, file, block, len, out) < 0)
		return -1;
	if (reads)
		*read_ns += clock_ns() - since - (thread_cpu_ns() - cpu);
	return 0;
}

static void *fill(void *arg)
{
	struct ring *r = arg;
	const struct corpus *c = r->corpus;
	struct slot *s = &r->slots[0];
	unsigned at = 0;
	uint64_t read_ns = 0, all = 0;
	size_t file;

	wait_for(&r->empty);
	s->len = 0;
	for (file = r->part.first; file < c->n; file += r->part.step) {
		bool made = file >= r->part.from && !corpus_held(c, file);
		uint64_t left = made ? c->sizes[file] : 0, block;

		if (r->part.align)
			s->len = (size_t)round_up(s->len, r->part.align);
		for (block = 0; left; block++) {
			size_t len = left < CORPUS_BLOCK ? (size_t)left : (size_t)CORPUS_BLOCK;

			if (s->len + len > r->buffer) {
				sem_post(&r->full);
				s = &r->slots[++at % SLOTS];
				wait_for(&r->empty);
				s->len = 0;
			}
			if (make_block(r, file, block, len, s->data + s->len, &read_ns) < 0) {
				r->failed_file = file;
				r->error = errno;
				sem_post(&r->full);
				return NULL;
			}
			s->len += len;
			left -= len;
			all += len;
		}
	}
	r->made_ns = all ? thread_cpu_ns() + read_ns : 0;	/* what is held was not made */
	sem_post(&r->full);
	return NULL;
}

struct ring *ring_start(const struct corpus *c, size_t buffer, const struct ring_part *part)
{
	struct ring *r = calloc(1, sizeof(*r));
	pthread_t thread;
	int error;
	size_t i;

	if (!r)
		return NULL;
	r->corpus = c;
	r->part = *part;
	r->buffer = buffer;
	for (i = 0; i < SLOTS; i++) {
		r->slots[i].data = engine_buffer(buffer + CORPUS_SLACK);
		if (!r->slots[i].data)
			goto failed;
	}
	sem_init(&r->empty, 0, SLOTS);
	sem_init(&r->full, 0, 0);
	error = pthread_create(&thread, NULL, fill, r);
	if (error) {
		errno = error;
		goto failed;
	}
	pthread_detach(thread);
	return r;
failed:
	free(r);	/* the buffers go with the process, which ends now */
	return NULL;
}

const unsigned char *ring_take(struct ring *r, size_t most, size_t *len)
{
	struct slot *s = &r->slots[r->slot % SLOTS];
	const unsigned char *data;

	if (r->holds && r->at == s->len && r->error)
		goto failed;
	if (r->holds && r->at == s->len) {
		sem_post(&r->empty);
		s = &r->slots[++r->slot % SLOTS];
		r->holds = false;
	}
	if (!r->holds) {
		if (sem_trywait(&r->full) < 0) {	/* the clock is read only when it is late */
			uint64_t since = clock_ns();

			wait_for(&r->full);
			r->waited_ns += clock_ns() - since;
		}
		r->holds = true;
		r->at = 0;
	}
	if (r->at == s->len && r->error)
		goto failed;
	*len = s->len - r->at < most ? s->len - r->at : most;
	data = s->data + r->at;
	r->at += *len;
	return data;
failed:
	errno = r->error;
	return NULL;
}

void ring_next_file(struct ring *r)
{
	const struct slot *s = &r->slots[r->slot % SLOTS];

	if (!r->part.align || !r->holds)
		return;
	r->at = (size_t)round_up(r->at, r->part.align);
	if (r->at > s->len)
		r->at = s->len;
}

size_t ring_failed_file(const struct ring *r)
{
	return r->failed_file;
}

uint64_t ring_waited_ns(const struct ring *r)
{
	return r->waited_ns;
}

uint64_t ring_made_ns(const struct ring *r)
{
	return r->made_ns;
}
