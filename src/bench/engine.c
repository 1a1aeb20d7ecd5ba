/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine - the timed copy. Plain read() and write() with large buffers is at the limit of
 * what a machine can do with one file; what matters is that the source never limits (a
 * second thread makes the data), that both clocks are read (last close, and syncfs), and
 * that nothing but one relaxed add a buffer happens in between.
 */
#include "bench/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/units.h"
#include "bench/child.h"
#include "bench/corpus.h"
#include "bench/durable.h"
#include "build/job.h"

struct engine_shared {
	_Atomic uint64_t bytes, ops;
	_Atomic int stop, phase;
	/* written by the child before it ends */
	struct engine_result result;
	int error;
	char text[300];
};

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

int child_failed(struct copy *c, const char *fmt, ...)
{
	va_list ap;

	c->shared->error = errno;
	va_start(ap, fmt);
	vsnprintf(c->shared->text, sizeof(c->shared->text), fmt, ap);
	va_end(ap);
	return -1;
}

int child_counted(struct copy *c, size_t len)
{
	atomic_fetch_add_explicit(&c->shared->bytes, len, memory_order_relaxed);
	if (!atomic_load_explicit(&c->shared->stop, memory_order_relaxed))
		return 0;
	errno = 0;
	return child_failed(c, "stopped");
}

void child_took_room(struct copy *c, size_t n)
{
	uint64_t *more = reallocarray(c->latencies, n ? n : 1, sizeof(*more));

	if (!more)
		die("no memory");
	memset(more + c->n_latencies, 1, (n - c->n_latencies) * sizeof(*more));
	c->latencies = more;
	c->latency_room = n;
}

void child_took(struct copy *c, uint64_t ns)
{
	if (c->n_latencies == c->latency_room)
		child_took_room(c, c->latency_room ? c->latency_room * 2 : 4096);
	c->latencies[c->n_latencies++] = ns;
	atomic_fetch_add_explicit(&c->shared->ops, 1, memory_order_relaxed);
}

static int ring_prepare(struct copy *c)
{
	c->ring = ring_start(c->job->corpus, engine_buffer_bytes());
	return c->ring ? 0 : child_failed(c, "no memory for the buffers");
}

int write_prepare(struct copy *c)
{
	return ring_prepare(c);
}

int read_prepare(struct copy *c)
{
	c->buffer = engine_buffer(engine_buffer_bytes());
	return c->buffer ? 0 : child_failed(c, "no memory for a buffer");
}

int verify_prepare(struct copy *c)
{
	return read_prepare(c) < 0 ? -1 : ring_prepare(c);
}

int write_file(struct copy *c, const char *name, size_t file)
{
	uint64_t size = c->job->corpus->sizes[file];
	int fd = openat(c->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
			(c->job->each_write ? O_SYNC : 0), 0644);

	if (fd < 0)
		return child_failed(c, "cannot make %s", name);
	while (size) {
		size_t most = size < c->bs ? (size_t)size : c->bs, len;
		const unsigned char *data = ring_take(c->ring, most, &len);

		size -= len;
		while (len) {
			ssize_t put = write(fd, data, len);

			if (put < 0 && errno == EINTR)
				continue;
			if (put < 0)
				return child_failed(c, "cannot write %s", name);
			data += put;
			len -= (size_t)put;
			if (child_counted(c, (size_t)put) < 0)
				return -1;
		}
	}
	if (close(fd) < 0)
		return child_failed(c, "cannot close %s", name);
	return 0;
}

/* Is what was read what was written? */
static int same(struct copy *c, const char *name, uint64_t at, size_t len)
{
	const unsigned char *got = c->buffer;

	while (len) {
		size_t part;
		const unsigned char *want = ring_take(c->ring, len, &part);

		if (memcmp(got, want, part)) {
			errno = EILSEQ;
			return child_failed(c, "%s holds other data than was written, after byte %llu",
				      name, (unsigned long long)at);
		}
		got += part;
		at += part;
		len -= part;
	}
	return 0;
}

int read_file(struct copy *c, const char *name, size_t file)
{
	uint64_t size = c->job->corpus->sizes[file];
	int fd = openat(c->dir, name, O_RDONLY | O_CLOEXEC);
	uint64_t done = 0;
	ssize_t got;

	if (fd < 0)
		return child_failed(c, "cannot open %s", name);
	while ((got = read(fd, c->buffer, c->bs)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return child_failed(c, "cannot read %s", name);
		if (done + (uint64_t)got > size)
			break;
		if (c->ring && same(c, name, done, (size_t)got) < 0)
			return -1;
		done += (uint64_t)got;
		if (child_counted(c, (size_t)got) < 0)
			return -1;
	}
	if (done != size || got) {
		errno = EILSEQ;
		return child_failed(c, "%s is not as long as it was written", name);
	}
	close(fd);
	return 0;
}

/* Go to the directory of the file; make it when writing. */
static int enter_dir(struct copy *c, size_t dir)
{
	char name[CORPUS_NAME];

	corpus_dir_name(dir, name);
	if (c->dir != c->job->dir)
		close(c->dir);
	if (c->op->makes && mkdirat(c->job->dir, name, 0755) < 0)
		return child_failed(c, "cannot make the directory %s", name);
	c->dir = openat(c->job->dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->dir < 0)
		return child_failed(c, "cannot open the directory %s", name);
	return 0;
}

static int copy_all(struct copy *c)
{
	const struct corpus *corpus = c->job->corpus;
	char name[CORPUS_NAME];
	size_t i;

	if (c->op->all)
		return c->op->all(c);
	for (i = 0; i < corpus->n; i++) {
		if (corpus->width && i % corpus->width == 0 &&
		    enter_dir(c, i / corpus->width) < 0)
			return -1;
		corpus_file_name(corpus, i, name);
		if (c->op->file(c, name, i) < 0)
			return -1;
		c->shared->result.files++;
	}
	return 0;
}

/*
 * It must not write on into the target when its parent was killed. What other signals
 * mean the parent decides; the child obeys its stop mark. Too large a file is an error.
 */
static void settle_in(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGXFSZ };
	size_t i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* After the clock: the percentiles. */
static void latencies_result(struct copy *c, struct engine_result *r)
{
	size_t n = c->n_latencies;

	r->ops = n;
	if (!n)
		return;
	qsort(c->latencies, n, sizeof(*c->latencies), by_value);
	/* the nearest rank: the smallest that at least so many are not above */
	r->p50_ns = c->latencies[(n * 50 + 99) / 100 - 1];
	r->p99_ns = c->latencies[(n * 99 + 99) / 100 - 1];
	r->max_ns = c->latencies[n - 1];
}

static uint64_t cpu_of(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000u;
}

/* The child: everything that needs memory or a thread first, then the clock. */
static int copy_main(void *arg, int fd)
{
	struct copy *c = arg;
	struct engine_result *r = &c->shared->result;
	size_t buffer = engine_buffer_bytes();
	uint64_t start, cpu;

	(void)fd;
	settle_in();
	c->bs = c->job->bs && c->job->bs < buffer ? c->job->bs : buffer;
	c->dir = c->job->dir;
	if (c->op->prepare && c->op->prepare(c) < 0)
		return 1;
	atomic_store(&c->shared->phase, PHASE_COPY);
	cpu = cpu_of(RUSAGE_THREAD);
	start = clock_ns();
	if (copy_all(c) < 0)
		return 1;
	r->felt_ns = r->durable_ns = clock_ns() - start;
	r->copy_cpu_ns = cpu_of(RUSAGE_THREAD) - cpu;
	if (c->op->writes) {
		atomic_store(&c->shared->phase, PHASE_SYNC);
		if (durable_sync(c->job->dir, c->job->branches, c->job->corpus) < 0)
			return child_failed(c, "cannot make it durable"), 1;
		r->durable_ns = clock_ns() - start;
	}
	latencies_result(c, r);
	r->bytes = atomic_load(&c->shared->bytes);
	r->cpu_ns = cpu_of(RUSAGE_SELF);
	if (c->ring && ring_made_ns(c->ring)) {
		r->source_wait_ns = ring_waited_ns(c->ring);
		r->source_bps = (uint64_t)((double)r->bytes * 1e9 / (double)ring_made_ns(c->ring));
	}
	atomic_store(&c->shared->phase, PHASE_DONE);
	return 0;
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
	if (job_child(copy_main, &c, &x->pid, &x->fd, e) == 0)
		return 0;
	munmap(s, sizeof(*s));
	return -1;
}

uint64_t engine_bytes(const struct engine *x)
{
	return atomic_load_explicit(&x->shared->bytes, memory_order_relaxed);
}

uint64_t engine_ops(const struct engine *x)
{
	return atomic_load_explicit(&x->shared->ops, memory_order_relaxed);
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
		out->bytes = atomic_load(&s->bytes);
		rc = s->error == 0 || s->error == EILSEQ ?
		     err_set(e, ERR_FAIL, "%s", s->text) :
		     err_set(e, ERR_FAIL, "%s: %s", s->text, strerror(s->error));
	} else if (WIFSIGNALED(status)) {
		rc = err_set(e, ERR_FAIL, "the copy's process was killed by signal %d",
			     WTERMSIG(status));
	} else {
		rc = err_set(e, ERR_FAIL, "the copy's process ended by itself");
	}
	munmap(s, sizeof(*s));
	return rc;
}
