/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child - the process that is timed. Its streams are threads that share nothing but marks
 * and counters: one relaxed add a buffer is all that happens beside the copy. Memory and
 * threads come first, then the clock; both clocks are read (last close, and syncfs).
 */
#include "bench/child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/units.h"
#include "bench/corpus.h"
#include "bench/durable.h"
#include "bench/found.h"

int child_failed(struct copy *c, const char *fmt, ...)
{
	int error = errno;
	va_list ap;

	if (error == EINVAL && c->job->direct) {	/* at the opening, or only at a call */
		fmt = "this file system does not take O_DIRECT; the workload asks for it with direct=1";
		error = 0;
	}
	if (atomic_exchange(&c->shared->failed, 1) == 0) {
		c->shared->error = error;
		va_start(ap, fmt);
		vsnprintf(c->shared->text, sizeof(c->shared->text), fmt, ap);
		va_end(ap);
	}
	atomic_store(&c->shared->stop, 1);	/* for the other streams */
	return -1;
}

int child_no_data(struct copy *c, size_t file)
{
	const struct found_file *f = corpus_found(c->job->corpus, file);

	return errno == EILSEQ ? child_failed(c, "%s, whose content is copied, has changed", f->path) :
				 child_failed(c, "cannot read %s, whose content is copied", f->path);
}

/* A stream that is ahead of its rate waits, in pieces, so that a stop reaches it. */
static void hold_back(struct copy *c, uint64_t bytes)
{
	const uint64_t piece = 50000000;
	uint64_t due = c->start_ns + (uint64_t)((double)bytes * 1e9 / (double)c->job->rate_bps);
	uint64_t now = clock_ns();

	while (now < due && !atomic_load_explicit(&c->shared->stop, memory_order_relaxed) &&
	       !(c->until_ns && now >= c->until_ns) && !(c->cap_ns && now >= c->cap_ns)) {
		uint64_t wait = due - now < piece ? due - now : piece;
		struct timespec t = { .tv_nsec = (long)wait };

		nanosleep(&t, NULL);
		now = clock_ns();
	}
}

static bool past_limits(struct copy *c)
{
	uint64_t bytes = atomic_load_explicit(&c->count->bytes, memory_order_relaxed), now;

	if (c->quota && bytes >= c->quota)
		return c->over = true;
	if (c->job->rate_bps)
		hold_back(c, bytes);
	if (!c->until_ns && !c->cap_ns)
		return false;
	now = clock_ns();
	if (c->cap_ns && now >= c->cap_ns)
		c->capped = c->over = true;
	if (c->until_ns && now >= c->until_ns)
		c->over = true;
	return c->over;
}

bool child_over(struct copy *c)
{
	if (!atomic_load_explicit(&c->shared->stop, memory_order_relaxed))
		return c->limited && past_limits(c);
	errno = 0;
	child_failed(c, "stopped");
	return true;
}

void child_moved(struct copy *c, size_t len)
{
	atomic_fetch_add_explicit(&c->count->bytes, len, memory_order_relaxed);
}

int child_counted(struct copy *c, size_t len)
{
	child_moved(c, len);
	return child_over(c) ? -1 : 0;
}

void child_did(struct copy *c, uint64_t ops)
{
	atomic_fetch_add_explicit(&c->count->ops, ops, memory_order_relaxed);
}

void child_took(struct copy *c, uint64_t ns)
{
	times_add(&c->times, ns);
	child_did(c, 1);
}

void child_forget(struct copy *c)
{
	atomic_store(&c->count->bytes, 0);
	atomic_store(&c->count->ops, 0);
}

int child_open(struct copy *c, const char *name, int flags)
{
	int fd = openat(c->dir, name, flags | O_CLOEXEC | (c->job->direct ? O_DIRECT : 0) |
			(c->job->sync == SYNC_WRITE && flags & (O_WRONLY | O_RDWR) ? O_SYNC : 0),
			0644);

	return fd < 0 ? child_failed(c, "cannot %s %s", flags & O_CREAT ? "make" : "open", name) : fd;
}

int child_close(struct copy *c, int fd, const char *name)
{
	if (c->job->sync == SYNC_FILE && c->op->writes && fsync(fd) < 0) {
		child_failed(c, "cannot make %s durable", name);
		close(fd);
		return -1;
	}
	return close(fd) < 0 ? child_failed(c, "cannot close %s", name) : 0;
}

void child_direct(const struct copy *c, int fd, bool on)
{
	int flags;

	if (!c->job->direct)
		return;
	flags = fcntl(fd, F_GETFL);
	fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT);
}

int child_make_dir(struct copy *c, size_t dir)
{
	char name[CORPUS_DIR], *slash = name;

	corpus_dir_name(c->job->corpus, dir, name);
	if (mkdirat(c->job->dir, name, 0755) == 0 || errno == EEXIST)
		return 0;
	while (errno == ENOENT && (slash = strchr(slash, '/'))) {	/* those above it first */
		*slash = '\0';
		if (mkdirat(c->job->dir, name, 0755) < 0 && errno != EEXIST)
			break;
		*slash++ = '/';
		errno = ENOENT;
	}
	if (errno == ENOENT && !slash && (mkdirat(c->job->dir, name, 0755) == 0 || errno == EEXIST))
		return 0;
	return child_failed(c, "cannot make the directory %s", name);
}

int child_enter(struct copy *c, size_t file, bool make)
{
	size_t dir = file / c->job->corpus->width;
	char name[CORPUS_DIR];

	corpus_dir_name(c->job->corpus, dir, name);
	if (c->dir != c->job->dir)
		close(c->dir);
	c->dir = c->job->dir;
	if (make && child_make_dir(c, dir) < 0)
		return -1;
	c->dir = openat(c->job->dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->dir < 0) {
		c->dir = c->job->dir;
		return child_failed(c, "cannot open the directory %s", name);
	}
	return 0;
}

/* The files of this stream: every one when all share them, else every streams-th. */
static int walk(struct copy *c)
{
	const struct corpus *corpus = c->job->corpus;
	size_t step = c->common ? 1 : c->streams, sets = c->job->sets;
	size_t last = sets ? corpus->sets[sets - 1].first + corpus->sets[sets - 1].n : corpus->n;
	size_t in = SIZE_MAX, i;
	char name[CORPUS_NAME];

	for (i = c->common ? 0 : c->stream; i < last; i += step) {
		if (corpus->width && i / corpus->width != in) {
			in = i / corpus->width;
			if (child_enter(c, i, c->op->makes || c->op->adds) < 0)
				return -1;
		}
		corpus_file_name(corpus, i, name);
		if (c->op->file(c, name, i) < 0)
			return -1;
		c->files++;
	}
	return 0;
}

/* Once, or again and again until its time or bytes are used up. */
static int copy_all(struct copy *c)
{
	bool again = !c->op->makes && (c->until_ns || c->quota);
	uint64_t before;
	int rc;

	if (c->op->all)
		return c->op->all(c);
	do {
		before = atomic_load_explicit(&c->count->bytes, memory_order_relaxed);
		rc = walk(c);
	} while (rc == 0 && again && !child_over(c) &&
		 atomic_load_explicit(&c->count->bytes, memory_order_relaxed) != before);
	return rc;
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

static uint64_t cpu_of(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000u;
}

/* What the slowest stream had moved when the first one was through. */
static void note_first_end(struct copy *c)
{
	uint64_t least = UINT64_MAX, bytes;
	unsigned i;

	if (atomic_exchange(&c->shared->one_ended, 1) != 0)
		return;
	for (i = 0; i < c->streams; i++) {
		bytes = atomic_load_explicit(&c->shared->count[i].bytes, memory_order_relaxed);
		if (bytes < least)
			least = bytes;
	}
	c->shared->result.least_bytes = least;
}

static void run_stream(struct copy *c)
{
	uint64_t cpu = cpu_of(RUSAGE_THREAD);

	copy_all(c);
	c->felt_ns = clock_ns() - c->start_ns;
	c->cpu_ns = cpu_of(RUSAGE_THREAD) - cpu;
	note_first_end(c);
}

/* The percentiles over all streams. */
static void times_result(struct copy *all, unsigned n_streams, struct engine_result *r)
{
	unsigned i;

	for (i = 1; i < n_streams; i++)
		times_join(&all[0].times, &all[i].times);
	times_ranks(&all[0].times, &r->p50_ns, &r->p99_ns, &r->max_ns);
}

static void source_result(const struct copy *all, struct engine_result *r)
{
	uint64_t made = 0;
	unsigned i;

	for (i = 0; i < r->streams; i++) {
		uint64_t ns = all[i].ring ? ring_made_ns(all[i].ring) : 0;
		uint64_t waited = all[i].ring ? ring_waited_ns(all[i].ring) : 0;

		made += ns;
		r->source_wait_ns = waited > r->source_wait_ns ? waited : r->source_wait_ns;
	}
	if (made)
		r->source_bps = (uint64_t)((double)r->bytes * 1e9 / (double)made);
	else
		r->source_wait_ns = 0;
}

static void streams_result(struct copy *all, struct engine_result *r)
{
	unsigned i;

	for (i = 0; i < r->streams; i++) {
		const struct copy *c = &all[i];

		r->stream[i] = (struct stream_result){ .bytes = c->count->bytes, .ns = c->felt_ns };
		r->bytes += r->stream[i].bytes;
		r->ops += c->count->ops;
		r->files += c->files;
		r->capped |= c->capped;
		if (c->felt_ns > r->felt_ns)
			r->felt_ns = c->felt_ns;
		if (c->cpu_ns > r->copy_cpu_ns)
			r->copy_cpu_ns = c->cpu_ns;
	}
	if (all[0].common)		/* every stream was at every file */
		r->files = all[0].files;
}

/* How many streams there is work for. */
static unsigned streams_of(const struct copy *c)
{
	unsigned n = c->job->streams ? c->job->streams : 1;

	if (n > WORKLOAD_STREAMS)
		n = WORKLOAD_STREAMS;
	if (c->op->all || (op_shares(c->op) && c->job->shared_file))
		return n;
	return n < c->job->corpus->n ? n : (unsigned)c->job->corpus->n;
}

static int prepare(struct copy *c, const struct copy *like, unsigned stream, unsigned streams)
{
	const struct engine_job *job = like->job;
	size_t buffer = engine_buffer_bytes();

	*c = *like;
	c->stream = stream;
	c->streams = streams;
	c->common = job->shared_file && op_shares(c->op);
	c->count = &c->shared->count[stream];
	c->dir = job->dir;
	c->bs = job->bs ? job->bs : buffer;
	c->quota = job->stop_bytes ? div_up(job->stop_bytes, streams) : 0;
	c->limited = job->stop_bytes || job->stop_ns || job->cap_ns || job->rate_bps;
	return c->op->prepare ? c->op->prepare(c) : 0;
}

struct team {
	struct copy *all;
	pthread_barrier_t start;
};

struct member {
	struct team *team;
	unsigned stream;
};

static void *stream_main(void *arg)
{
	struct member *m = arg;

	pthread_barrier_wait(&m->team->start);
	run_stream(&m->team->all[m->stream]);
	return NULL;
}

static void set_clocks(struct copy *c, uint64_t start)
{
	c->start_ns = start;
	c->until_ns = c->job->stop_ns ? start + c->job->stop_ns : 0;
	c->cap_ns = c->job->cap_ns ? start + c->job->cap_ns : 0;
}

/* All streams at once; the first is this thread. Returns when the clock began, 0: failed. */
static uint64_t run_all(struct copy *all, unsigned n)
{
	struct member members[WORKLOAD_STREAMS];
	pthread_t threads[WORKLOAD_STREAMS];
	struct team team = { .all = all };
	uint64_t start;
	unsigned i;
	int error;

	pthread_barrier_init(&team.start, NULL, n);
	for (i = 1; i < n; i++) {
		members[i] = (struct member){ .team = &team, .stream = i };
		error = pthread_create(&threads[i], NULL, stream_main, &members[i]);
		if (error) {
			errno = error;
			child_failed(&all[0], "cannot start %u streams", n);
			return 0;	/* the others wait at the barrier and go with the process */
		}
	}
	atomic_store(&all[0].shared->phase, PHASE_COPY);
	start = clock_ns();
	for (i = 0; i < n; i++)
		set_clocks(&all[i], start);
	pthread_barrier_wait(&team.start);
	run_stream(&all[0]);
	for (i = 1; i < n; i++)
		pthread_join(threads[i], NULL);
	return start;
}

int child_main(void *arg, int fd)
{
	struct copy *like = arg, *all;
	struct engine_shared *s = like->shared;
	struct engine_result *r = &s->result;
	uint64_t start;
	unsigned i;

	(void)fd;
	settle_in();
	/* before anything is allocated, so that it counts */
	if (like->job->enter > 0 && write(like->job->enter, "0", 1) != 1)
		return child_failed(like, "cannot enter the control group"), 1;
	r->streams = streams_of(like);
	all = calloc(r->streams, sizeof(*all));
	if (!all)
		return child_failed(like, "no memory for the streams"), 1;
	for (i = 0; i < r->streams; i++) {
		if (prepare(&all[i], like, i, r->streams) < 0)
			return 1;
	}
	start = run_all(all, r->streams);
	if (!start || atomic_load(&s->failed))
		return 1;
	streams_result(all, r);
	r->durable_ns = r->felt_ns;
	if (like->op->writes && like->job->sync != SYNC_NONE) {
		atomic_store(&s->phase, PHASE_SYNC);
		if (durable_sync(like->job->dir, like->job->branches, like->job->corpus) < 0)
			return child_failed(like, "cannot make it durable"), 1;
		r->durable_ns = clock_ns() - start;
	}
	times_result(all, r->streams, r);
	if (like->op->finish && like->op->finish(all, r->streams, r) < 0)
		return 1;
	r->cpu_ns = cpu_of(RUSAGE_SELF);
	source_result(all, r);
	atomic_store(&s->phase, PHASE_DONE);
	return 0;
}
