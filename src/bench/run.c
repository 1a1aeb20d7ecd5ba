/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run - one timed copy: the state of the cache first, then the engine, with the disks'
 * counters read before and after and ten times a second in between.
 */
#include "bench/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/units.h"
#include "bench/durable.h"
#include "bench/remount.h"

static const uint64_t TICK_NS = 100000000;

/* Of what went through the disks, that which the operation moves. */
static uint64_t of_op(enum bench_op op, const struct disk_bytes *d)
{
	return (op_of(op)->writes ? d->written : 0) + (op_of(op)->reads ? d->read : 0);
}

/*
 * No room may also mean that what the file system lies on has none (a thin volume, a sparse
 * file), that a mergerfs keeps its branches' last gigabytes, or that the inodes are used up.
 */
static void say_full(int dir, struct sbuf *out)
{
	char left[SIZE_TEXT];
	struct statvfs v;
	uint64_t bytes;

	if (fstatvfs(dir, &v) < 0)
		v = (struct statvfs){ 0 };
	bytes = (uint64_t)v.f_bavail * v.f_frsize;
	if (v.f_files && !v.f_favail && bytes)
		sbuf_add(out, "the file system has no room for more files");
	else if (bytes > 64 * MIB)
		sbuf_addf(out, "there is no room left, though the file system shows %s free,",
			  size_text(left, bytes, SIZE_SI));
	else
		sbuf_add(out, "the file system is full");
}

void run_failed(const struct session *s, const struct class *c, const char *what, struct err *e)
{
	size_t len = strlen(s->order->target);

	if (session_stops(s) || (!strncmp(e->text, s->order->target, len) && e->text[len] == ':'))
		return;
	err_in(e, "%s: %s, %s, run %u", s->order->target, c->w->name, what, s->rep);
}

/* And how far it got, when there is no room. */
static int tell(const struct session *s, const struct class *c, const char *what,
		const struct engine_result *r, int error, struct err *e)
{
	char got[SIZE_TEXT], all[SIZE_TEXT];
	struct sbuf why = { 0 };

	if (session_stops(s))
		return err_set(e, ERR_FAIL, "stopped");
	if (error == ENOSPC || error == EDQUOT) {
		if (error == EDQUOT)
			sbuf_add(&why, "the quota is used up");
		else
			say_full(s->dir.dir, &why);
		err_set(e, ERR_FAIL, "%s: %s after %s of %s (%s, %s, run %u)", s->order->target,
			sbuf_str(&why), size_text(got, r->bytes, SIZE_SI),
			size_text(all, c->corpus->bytes, SIZE_SI), c->w->name, what, s->rep);
		sbuf_done(&why);
		return -1;
	}
	run_failed(s, c, what, e);
	return -1;
}

static void read_proof(const struct session *s, struct proof *out)
{
	struct arena *a = arena_new();

	proof_read("", a, &s->counters.disks, out);
	arena_free(a);
}

static unsigned fill_percent(int dir)
{
	struct statvfs v;

	if (fstatvfs(dir, &v) < 0 || !v.f_blocks)
		return 0;
	return (unsigned)((double)(v.f_blocks - v.f_bfree) * 100 / (double)v.f_blocks + 0.5);
}

void watch_start(struct session *s, struct measured *m, struct watch *w)
{
	if (m) {
		m->samples = json_array();
		others_look("", &s->counters.disks, s->dev, &m->others);
		read_proof(s, &m->before);
	}
	counters_read(&s->counters, &w->before);
	w->start_ns = clock_ns();
	w->next_ns = w->start_ns + TICK_NS;
}

int watch_wait_ms(const struct watch *w)
{
	uint64_t now = clock_ns();

	return now < w->next_ns ? (int)((w->next_ns - now + 999999) / 1000000) : 0;
}

void watch_look(struct session *s, const struct class *c, struct measured *m, struct watch *w,
		uint64_t bytes, uint64_t ops, bool syncing)
{
	uint64_t now = clock_ns(), t_ns = now - w->start_ns, disk, dirty;
	struct disk_bytes d;

	if (now < w->next_ns)
		return;
	w->next_ns += TICK_NS;
	if (w->next_ns < now)		/* we were held up: no burst afterwards */
		w->next_ns = now + TICK_NS;
	if (!m)
		return;
	counters_read(&s->counters, &d);
	disk = of_op(m->op, &d) - of_op(m->op, &w->before);
	dirty = counters_dirty(&s->counters);
	json_array_append_new(m->samples, json_pack("[IIII]", (json_int_t)(t_ns / 1000000),
						    (json_int_t)bytes, (json_int_t)disk,
						    (json_int_t)dirty));
	report_sample(s, c, m->op, t_ns, bytes, ops, disk, dirty, syncing);
}

/* Who moved more than a hundredth of what this run did, and more than a little. */
static void look_at_others(const struct session *s, struct measured *m)
{
	struct arena *a = arena_new();
	struct others now = { 0 };
	struct list moved = { 0 };
	size_t i;

	others_look("", &s->counters.disks, s->dev, &now);
	others_that_moved(a, &m->others, &now, MIB + m->copy.bytes / 100, &moved);
	if (moved.n)
		m->disturbed_by = json_array();
	for (i = 0; i < moved.n && i < 8; i++)
		json_add_str(m->disturbed_by, moved.at[i]);
	others_done(&now);
	others_done(&m->others);
	arena_free(a);
}

void watch_end(struct session *s, struct measured *m, int dir, const struct watch *w)
{
	struct disk_bytes d;

	counters_read(&s->counters, &d);
	m->moved = (struct disk_bytes){ .read = d.read - w->before.read,
					.written = d.written - w->before.written };
	m->disk_bytes = of_op(m->op, &m->moved);
	m->fill_percent = fill_percent(dir);
	read_proof(s, &m->after);
	look_at_others(s, m);
}

/* Where the set begins: the outer tracks of a disk are up to twice as fast as the inner. */
static void find_place(const struct class *c, int dir, struct measured *m)
{
	char path[CORPUS_PATH];
	int fd;

	corpus_path(c->corpus, 0, path);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	m->placed = proof_position(fd, &m->position);
	close(fd);
}

/* What only a timed run does as the workload says. */
static void timed_job(const struct session *s, const struct class *c, struct engine_job *job)
{
	const struct workload *w = c->w;

	job->number = w->number[job->op];
	job->streams = w->threads;
	job->shared_file = w->shared_file;
	job->direct = w->direct;
	job->sequential = w->sequential;
	job->sync = w->sync;
	job->rate_bps = w->rate_bps;
	job->cap_ns = w->cap_ns;
	if (op_of(job->op)->makes && op_of(job->op)->by != OP_IN_LOOP)
		return;
	job->stop_ns = w->stop_ns;
	if (w->stop_bytes)
		job->stop_bytes = (uint64_t)((double)w->stop_bytes * s->order->scale) + 1;
}

/* Run the engine to its end; with m: sampled and counted. */
static int drive(struct session *s, const struct class *c, const char *what, int dir,
		 enum bench_op op, struct measured *m, struct err *e)
{
	struct engine_job job = {
		.op = op, .corpus = c->corpus, .dir = dir, .bs = c->w->bs, .salt = clock_ns(),
		.branches = &s->counters.branches, .checksum = c->checksum,
		.enter = s->ram.procs,
		.sets = c->adds && !(m && op_of(op)->adds) ? 1 : 0,
	};
	struct engine_result r = { 0 };
	struct watch w;
	struct engine x;
	int error;

	if (m)
		timed_job(s, c, &job);
	watch_start(s, m, &w);
	if (engine_start(&job, &x, e) < 0)
		return -1;
	while (!engine_ended(&x, watch_wait_ms(&w))) {
		if (session_stops(s))
			engine_stop(&x);
		watch_look(s, c, m, &w, engine_bytes(&x), engine_ops(&x),
			   engine_phase(&x) == PHASE_SYNC);
	}
	if (engine_end(&x, &r, &error, e) < 0)
		return tell(s, c, what, &r, error, e);
	if (m) {
		m->copy = r;
		watch_end(s, m, dir, &w);
		find_place(c, dir, m);
	}
	return session_stops(s) ? err_set(e, ERR_FAIL, "stopped") : 0;
}

/* Drop the set from the cache file by file; works without being root. */
static void forget_files(const struct session *s, int dir, const struct corpus *c)
{
	char name[CORPUS_NAME], under[CORPUS_DIR];
	int sub = dir;
	size_t i;

	for (i = 0; i < c->n && !session_stops(s); i++) {
		int fd;

		if (c->width && i % c->width == 0) {
			if (sub != dir)
				close(sub);
			corpus_dir_name(c, i / c->width, under);
			sub = openat(dir, under, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		}
		corpus_file_name(c, i, name);
		fd = openat(sub, name, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		close(fd);
	}
	if (sub != dir && sub >= 0)
		close(sub);
}

static int make_cold(const struct session *s, const struct class *c, int dir, struct err *e)
{
	int drop;

	if (durable_sync(dir, &s->counters.branches, c->corpus) < 0)
		return err_sys(e, "cannot make the files in %s durable", s->order->target);
	forget_files(s, dir, c->corpus);
	drop = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
	if (drop >= 0) {	/* root only; without it the files' own pages are gone still */
		if (write(drop, "3", 1) < 0)
			errno = 0;
		close(drop);
	}
	return 0;
}

/* Nothing waits to be written when the clock starts, and the target is there. */
static int settle(struct session *s, const struct class *c, const struct op *op,
		  unsigned *flags, struct err *e)
{
	if (session_stops(s))
		return err_set(e, ERR_FAIL, "stopped");
	if (workdir_check(&s->dir, e) < 0)
		return -1;
	if (durable_sync(s->dir.dir, &s->counters.branches, NULL) < 0)
		return err_sys(e, "cannot make the files in %s durable", s->order->target);
	return wait_quiet(s, c, op, flags, e);
}

/* Open a set that was made before. */
static int open_set(const struct session *s, const char *set, struct err *e)
{
	int dir = openat(s->dir.dir, set, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		err_sys(e, "cannot open %s/%s/%s", s->order->target, s->dir.name, set);
	return dir;
}

int run_open(struct session *s, const struct class *c, const char *set, struct measured *m,
	     struct err *e)
{
	const struct op *op = op_of(m->op);
	int dir, rc = 0;

	/* what one of that name left goes first, untimed */
	if (op->makes && workdir_remove(&s->dir, set, e) < 0)
		return -1;
	if (settle(s, c, op, &m->flags, e) < 0)
		return -1;
	if (op->makes)
		return workdir_make(&s->dir, set, &dir, e) < 0 ? -1 : dir;
	if (cache_takes_away(class_cache(s, c, m->op)) &&
	    remount_target(s, class_cache(s, c, m->op), e) < 0)
		return -1;
	dir = open_set(s, set, e);
	if (dir < 0)
		return -1;
	if (class_cache(s, c, m->op) == CACHE_COLD)
		rc = make_cold(s, c, dir, e);
	else if (class_cache(s, c, m->op) == CACHE_WARM && !op->run)
		rc = drive(s, c, "first read", dir, op->by == OP_BY_NAMES ? BENCH_STAT : BENCH_READ,
			   NULL, e);
	if (rc == 0)
		return dir;
	close(dir);
	return -1;
}

/* The first reading of a class is followed by a comparison, untimed. */
static int verify(struct session *s, const struct class *c, int dir, struct measured *m,
		  struct err *e)
{
	int rc;

	report_wait(s, c, "comparing what was read with what was written");
	rc = drive(s, c, "comparing", dir, BENCH_VERIFY, NULL, e);
	m->verified = rc == 0;
	return rc;
}

int run_op(struct session *s, const struct class *c, const char *set, struct measured *m,
	   struct err *e)
{
	const struct op *op = op_of(m->op);
	int dir, rc;

	if (op->run)
		return op->run(s, c, set, m, e);
	if (class_by_rsync(s->order, c->w))
		return rsync_run(s, c, set, m, e);
	dir = run_open(s, c, set, m, e);
	if (dir < 0)
		return -1;
	if (op->dirty)
		m->flags |= wait_dirty(s);
	rc = drive(s, c, op->word, dir, m->op, m, e);
	if (rc == 0)
		m->flags |= flags_of(s, c, m->op, m) | (m->copy.capped ? FLAG_PARTIAL : 0);
	if (rc == 0 && m->op == BENCH_READ && s->rep == c->kept + 1 && !m->copy.capped && !c->changed)
		rc = verify(s, c, dir, m, e);
	m->verified |= rc == 0 && m->copy.checksum;	/* the child compared it */
	close(dir);
	return rc;
}

int run_engine(struct session *s, const struct class *c, const char *what, int dir,
	       enum bench_op op, struct err *e)
{
	return drive(s, c, what, dir, op, NULL, e);
}

/* The operation of a class that makes its set itself; NULL: it is the files alone. */
static const struct op *maker_of(const struct class *c)
{
	int op;

	for (op = 0; op < BENCH_OPS; op++) {
		if ((c->ops & 1u << op) && op_of((enum bench_op)op)->make)
			return op_of((enum bench_op)op);
	}
	return NULL;
}

int run_prepare(struct session *s, const struct class *c, const char *set, struct err *e)
{
	const struct op *maker = maker_of(c);
	unsigned flags = 0;
	int dir, rc;

	if (settle(s, c, NULL, &flags, e) < 0 || workdir_remove(&s->dir, set, e) < 0 ||
	    workdir_make(&s->dir, set, &dir, e) < 0)
		return -1;
	report_wait(s, c, "writing the files that have to be there");
	rc = maker ? maker->make(s, c, set, dir, e) :
	     drive(s, c, "preparing", dir, BENCH_WRITE, NULL, e);
	close(dir);
	return rc;
}

int run_remove(struct session *s, const char *set, struct err *e)
{
	return workdir_remove(&s->dir, set, e);
}
