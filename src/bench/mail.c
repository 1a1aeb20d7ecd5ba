/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mail - a mail server, as filebench's varmail has it: streams that delete a file; make one,
 * append to it and make it durable; read one whole, append to it and make it durable; and
 * read one whole; again and again until the time is over. Each file is in one stream's hands
 * at a time. Operations are counted as filebench counts them: delete, create, open, read,
 * append, fsync and close are one each, so a whole round is 13.
 */
#include "bench/child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/units.h"
#include "bench/corpus.h"
#include "bench/durable.h"

enum { THERE_PERCENT = 80, READ_BYTES = MIB };

enum step { STEP_DELETE, STEP_CREATE, STEP_APPEND, STEP_READ, STEPS };

static const struct {
	const char *word;
	unsigned ops;		/* as filebench counts */
} steps[STEPS] = {
	[STEP_DELETE] = { "delete", 1 },
	[STEP_CREATE] = { "create", 4 },	/* create, append, fsync, close */
	[STEP_APPEND] = { "append", 5 },	/* open, read, append, fsync, close */
	[STEP_READ] = { "read", 3 },		/* open, read, close */
};

struct worker {			/* of a stream */
	uint64_t state;			/* of its random numbers */
	unsigned char *data;		/* what is appended */
	struct times times[STEPS];
};

/* Numbers of files that nobody holds: those that exist, and those that do not. */
struct pool {
	pthread_mutex_t lock;
	pthread_cond_t given;
	struct shelf {
		uint32_t *at;
		size_t n;
	} there, gone;
	struct worker workers[WORKLOAD_STREAMS];
};

/* One of a shelf by chance; -1: it is time to go. It is never empty for long: who holds a file
 * gives it back, and who deletes one makes one next. */
static int take(struct copy *c, struct pool *p, struct shelf *from, struct worker *w,
		uint32_t *file)
{
	struct timespec until;
	bool got;
	size_t i;

	pthread_mutex_lock(&p->lock);
	while (!from->n && !child_over(c)) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;		/* a stop is nobody's gift: look now and then */
		pthread_cond_timedwait(&p->given, &p->lock, &until);
	}
	got = from->n;
	if (got) {
		i = (size_t)(corpus_mix(&w->state) % from->n);
		*file = from->at[i];
		from->at[i] = from->at[--from->n];
	}
	pthread_mutex_unlock(&p->lock);
	return got ? 0 : -1;
}

static void give(struct pool *p, struct shelf *to, uint32_t file)
{
	pthread_mutex_lock(&p->lock);
	to->at[to->n++] = file;
	pthread_cond_broadcast(&p->given);
	pthread_mutex_unlock(&p->lock);
}

/* From 1 to twice the mean less one byte, all as likely, so that the mean is the mean. */
static size_t append_bytes(const struct copy *c, struct worker *w)
{
	return 1 + (size_t)(corpus_mix(&w->state) % (2 * c->bs - 1));
}

static int put_all(struct copy *c, int fd, const char *name, const unsigned char *data, size_t len)
{
	while (len) {
		ssize_t put = write(fd, data, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return child_failed(c, "cannot write %s", name);
		data += put;
		len -= (size_t)put;
		child_moved(c, (size_t)put);
	}
	return 0;
}

static int append(struct copy *c, struct worker *w, int fd, const char *name, size_t len)
{
	if (put_all(c, fd, name, w->data, len) < 0)
		return -1;
	return fsync(fd) < 0 ? child_failed(c, "cannot make %s durable", name) : 0;
}

static int read_whole(struct copy *c, int fd, const char *name)
{
	ssize_t got;

	while ((got = read(fd, c->buffer, READ_BYTES)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return child_failed(c, "cannot read %s", name);
		child_moved(c, (size_t)got);
	}
	return 0;
}

/* Open, do what the step does, close. The data is made before the clock runs. */
static int with_file(struct copy *c, struct worker *w, enum step step, const char *name,
		     uint64_t *ns)
{
	static const int flags[STEPS] = {
		[STEP_CREATE] = O_WRONLY | O_CREAT | O_EXCL, [STEP_APPEND] = O_RDWR,
		[STEP_READ] = O_RDONLY,
	};
	size_t len = step == STEP_READ ? 0 : append_bytes(c, w);
	uint64_t since;
	int fd, rc = 0;

	corpus_content(c->job->corpus, &c->job->corpus->sets[0], corpus_mix(&w->state), len, w->data);
	since = clock_ns();
	fd = openat(c->job->dir, name, flags[step] | O_CLOEXEC, 0644);
	if (fd < 0)
		return child_failed(c, "cannot open %s", name);
	if (step != STEP_CREATE)
		rc = read_whole(c, fd, name);	/* which leaves it at the end */
	if (rc == 0 && step != STEP_READ)
		rc = append(c, w, fd, name, len);
	if (close(fd) < 0 && rc == 0)
		rc = child_failed(c, "cannot close %s", name);
	*ns = clock_ns() - since;
	return rc;
}

static int one_step(struct copy *c, struct pool *p, struct worker *w, enum step step)
{
	struct shelf *from = step == STEP_CREATE ? &p->gone : &p->there;
	struct shelf *to = step == STEP_DELETE ? &p->gone : &p->there;
	char name[CORPUS_NAME];
	uint32_t file = 0;
	uint64_t ns;
	int rc = 0;

	if (take(c, p, from, w, &file) < 0)
		return -1;
	ns = clock_ns();
	corpus_file_name(c->job->corpus, file, name);
	if (step != STEP_DELETE)
		rc = with_file(c, w, step, name, &ns);
	else if (unlinkat(c->job->dir, name, 0) < 0)
		rc = child_failed(c, "cannot remove %s", name);
	else
		ns = clock_ns() - ns;
	give(p, rc < 0 ? from : to, file);
	if (rc < 0)
		return -1;
	times_add(&w->times[step], ns);
	child_did(c, steps[step].ops);
	return child_over(c) ? -1 : 0;
}

int mail_all(struct copy *c)
{
	struct pool *p = c->shared->own;
	unsigned step = 0;

	while (one_step(c, p, &p->workers[c->stream], (enum step)step) == 0)
		step = (step + 1) % STEPS;
	return 0;
}

static int make_file(struct copy *c, size_t file, unsigned char *data)
{
	const struct corpus *corpus = c->job->corpus;
	uint64_t left = corpus->sizes[file], block;
	char name[CORPUS_NAME];
	int fd, rc = 0;

	corpus_file_name(corpus, file, name);
	fd = openat(c->job->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return child_failed(c, "cannot make %s", name);
	for (block = 0; rc == 0 && left; block++) {
		size_t len = left < CORPUS_BLOCK ? (size_t)left : (size_t)CORPUS_BLOCK;

		if (corpus_block(corpus, file, block, len, data) < 0)
			rc = child_no_data(c, file);
		else
			rc = put_all(c, fd, name, data, len);
		left -= len;
	}
	if (close(fd) < 0 && rc == 0)
		rc = child_failed(c, "cannot close %s", name);
	return rc;
}

static uint32_t *shelf_room(size_t n)
{
	uint32_t *at = calloc(n, sizeof(*at));

	if (!at)
		die("no memory");
	return at;
}

/* Four files of five are there before the clock runs, and are durable. */
static int make_files(struct copy *c, struct pool *p, unsigned char *data)
{
	size_t files = c->job->corpus->n, file;

	for (file = 0; file < files; file++) {
		if ((file + 1) * 100 > files * THERE_PERCENT && file) {
			p->gone.at[p->gone.n++] = (uint32_t)file;
			continue;
		}
		if (make_file(c, file, data) < 0 || child_over(c))
			return -1;
		p->there.at[p->there.n++] = (uint32_t)file;
	}
	if (durable_sync(c->job->dir, c->job->branches, c->job->corpus) < 0)
		return child_failed(c, "cannot make the files durable");
	child_forget(c);
	return 0;
}

static struct pool *make_pool(size_t files)
{
	struct pool *p = calloc(1, sizeof(*p));

	if (!p)
		die("no memory");
	p->there.at = shelf_room(files);
	p->gone.at = shelf_room(files);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->given, NULL);
	return p;
}

int mail_prepare(struct copy *c)
{
	struct pool *p = c->shared->own;
	struct worker *w;

	if (!p)
		p = c->shared->own = make_pool(c->job->corpus->n);
	c->bs = c->bs < READ_BYTES / 2 ? c->bs : READ_BYTES / 2;
	w = &p->workers[c->stream];
	w->state = c->job->corpus->sets[0].seed * 1000 + c->stream;
	w->data = engine_buffer(READ_BYTES + CORPUS_SLACK);
	c->buffer = engine_buffer(READ_BYTES);
	if (!w->data || !c->buffer)
		return child_failed(c, "no memory for the buffers");
	return c->stream ? 0 : make_files(c, p, w->data);
}

int mail_finish(struct copy *all, unsigned n, struct engine_result *r)
{
	struct pool *p = all[0].shared->own;
	struct times every = { 0 };
	unsigned i, step;

	for (step = 0; step < STEPS; step++) {
		struct engine_step *s = &r->steps[step];
		struct times t = { 0 };

		for (i = 0; i < n; i++)
			times_join(&t, &p->workers[i].times[step]);
		snprintf(s->word, sizeof(s->word), "%s", steps[step].word);
		s->n = t.n;
		times_ranks(&t, &s->p50_ns, &s->p99_ns, &s->max_ns);
		times_join(&every, &t);
		free(t.ns);
	}
	times_ranks(&every, &r->p50_ns, &r->p99_ns, &r->max_ns);
	free(every.ns);
	r->n_steps = STEPS;
	r->files = all[0].job->corpus->n;
	return 0;
}
