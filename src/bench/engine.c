/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine - the timed copy, seen from the executor: a child is started, its counters are
 * looked at, and at its end its result is taken. What the child does is in child.c.
 */
#include "bench/engine.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/units.h"
#include "bench/child.h"
#include "build/job.h"

uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

size_t engine_buffer_bytes(void)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	return memory < 2 * GIB ? 256 * KIB : MIB;
}

void *engine_buffer(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	memset(p, 0, size);
	return p;
}

int engine_start(const struct engine_job *job, struct engine *x, struct err *e)
{
	struct copy c = { .job = job, .op = op_of(job->op) };
	struct engine_shared *s;

	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return err_sys(e, "no memory for the counters");
	c.shared = s;
	x->shared = s;
	x->limited = job->enter > 0;
	if (job_child(child_main, &c, &x->pid, &x->fd, e) == 0)
		return 0;
	munmap(s, sizeof(*s));
	return -1;
}

uint64_t engine_bytes(const struct engine *x)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < WORKLOAD_STREAMS; i++)
		sum += atomic_load_explicit(&x->shared->count[i].bytes, memory_order_relaxed);
	return sum;
}

uint64_t engine_ops(const struct engine *x)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < WORKLOAD_STREAMS; i++)
		sum += atomic_load_explicit(&x->shared->count[i].ops, memory_order_relaxed);
	return sum;
}

enum engine_phase engine_phase(const struct engine *x)
{
	return (enum engine_phase)atomic_load(&x->shared->phase);
}

bool engine_ended(const struct engine *x, int timeout_ms)
{
	struct pollfd p = { .fd = x->fd, .events = POLLIN };

	return poll(&p, 1, timeout_ms) > 0;
}

void engine_stop(struct engine *x)
{
	atomic_store(&x->shared->stop, 1);
}

int engine_end(struct engine *x, struct engine_result *out, int *error, struct err *e)
{
	struct engine_shared *s = x->shared;
	int status = 0, rc = 0;

	job_reap(x->pid, true, &status);
	close(x->fd);
	*error = 0;
	*out = s->result;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && s->phase == PHASE_DONE) {
		;
	} else if (s->text[0]) {
		*error = s->error;
		out->bytes = engine_bytes(x);
		rc = s->error == 0 || s->error == EILSEQ ?
		     err_set(e, ERR_FAIL, "%s", s->text) :
		     err_set(e, ERR_FAIL, "%s: %s", s->text, strerror(s->error));
	} else if (WIFSIGNALED(status)) {
		rc = err_set(e, ERR_FAIL, "the copy's process was killed by signal %d%s",
			     WTERMSIG(status), x->limited && WTERMSIG(status) == SIGKILL ?
			     "; the memory it may use is too little" : "");
	} else {
		rc = err_set(e, ERR_FAIL, "the copy's process ended by itself");
	}
	munmap(s, sizeof(*s));
	return rc;
}
