/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run - one timed copy: the state of the cache first, then the engine, with the disks'
 * counters read before and after and ten times a second in between.
 */
#include "bench/session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/err.h"
#include "base/units.h"

enum { TICK_MS = 100 };

static uint64_t moved(const struct session *s, enum bench_op op)
{
	struct disk_bytes now;

	counters_read(&s->counters, &now);
	return bench_op_writes(op) ? now.written : now.read;
}

/* Put "/mnt/x: 500M, write, run 3: " and how far it got in front of what went wrong. */
static int tell(const struct session *s, const struct class *c, const char *what,
		const struct engine_result *r, int error, struct err *e)
{
	char got[SIZE_TEXT], all[SIZE_TEXT];

	if (session_stops(s))
		return err_set(e, ERR_FAIL, "stopped");
	if (error == ENOSPC || error == EDQUOT)
		return err_set(e, ERR_FAIL, "%s: %s after %s of %s (%s, %s, run %u)",
			       s->order->target,
			       error == ENOSPC ? "the file system is full" : "the quota is used up",
			       size_text(got, r->bytes, SIZE_SI),
			       size_text(all, c->corpus->bytes, SIZE_SI), c->w->name, what, s->rep);
	return err_in(e, "%s: %s, %s, run %u", s->order->target, c->w->name, what, s->rep);
}

/* The next tick of the sampler: count, show, and keep. */
static void tick(struct session *s, const struct class *c, enum bench_op op,
		 const struct engine *x, uint64_t t_ns, uint64_t moved_before, json_t *samples)
{
	uint64_t bytes = engine_bytes(x), disk = moved(s, op) - moved_before;
	uint64_t dirty = counters_dirty(&s->counters);

	json_array_append_new(samples, json_pack("[IIII]", (json_int_t)(t_ns / 1000000),
						 (json_int_t)bytes, (json_int_t)disk,
						 (json_int_t)dirty));
	report_sample(s, c, op, t_ns, bytes, disk, dirty, engine_phase(x) == PHASE_SYNC);
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

/* Run the engine to its end; with m: sampled and counted. */
static int drive(struct session *s, const struct class *c, const char *what, int dir,
		 enum engine_op engine_op, struct measured *m, struct err *e)
{
	struct engine_job job = {
		.op = engine_op, .corpus = c->corpus, .dir = dir, .bs = c->w->bs,
		.stride = c->w->stride, .each_write = m && c->w->each_write, .salt = clock_ns(),
	};
	enum bench_op op = m ? m->op : BENCH_READ;
	uint64_t start = clock_ns(), next = start + TICK_MS * 1000000ull, before = moved(s, op);
	struct engine_result r = { 0 };
	struct disk_bytes at_start, at_end;
	struct engine x;
	int error;

	counters_read(&s->counters, &at_start);
	if (m)
		read_proof(s, &m->before);
	if (engine_start(&job, &x, e) < 0)
		return -1;
	for (;;) {
		uint64_t now = clock_ns();
		int wait = now < next ? (int)((next - now + 999999) / 1000000) : 0;

		if (engine_ended(&x, wait))
			break;
		if (session_stops(s))
			engine_stop(&x);
		now = clock_ns();
		if (now < next)
			continue;
		if (m)
			tick(s, c, op, &x, now - start, before, m->samples);
		next += TICK_MS * 1000000ull;
		if (next < now)		/* we were held up: no burst afterwards */
			next = now + TICK_MS * 1000000ull;
	}
	if (engine_end(&x, &r, &error, e) < 0)
		return tell(s, c, what, &r, error, e);
	if (m) {
		m->copy = r;
		counters_read(&s->counters, &at_end);
		m->moved = (struct disk_bytes){ .read = at_end.read - at_start.read,
						.written = at_end.written - at_start.written };
		m->disk_bytes = bench_op_writes(op) ? m->moved.written : m->moved.read;
		m->fill_percent = fill_percent(dir);
		read_proof(s, &m->after);
	}
	return session_stops(s) ? err_set(e, ERR_FAIL, "stopped") : 0;
}

/* Drop the set from the cache file by file; works without being root. */
static void forget_files(const struct session *s, int dir, const struct corpus *c)
{
	char name[CORPUS_NAME];
	int sub = dir;
	size_t i;

	for (i = 0; i < c->n && !session_stops(s); i++) {
		int fd;

		if (c->width && i % c->width == 0) {
			if (sub != dir)
				close(sub);
			corpus_dir_name(i / c->width, name);
			sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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

	if (syncfs(dir) < 0)
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
static int settle(struct session *s, const struct class *c, bool reads, unsigned *flags,
		  struct err *e)
{
	if (session_stops(s))
		return err_set(e, ERR_FAIL, "stopped");
	if (workdir_check(&s->dir, e) < 0)
		return -1;
	if (syncfs(s->dir.dir) < 0)
		return err_sys(e, "cannot make the files in %s durable", s->order->target);
	return wait_quiet(s, c, reads, flags, e);
}

int run_write(struct session *s, const struct class *c, const char *set, struct measured *m,
	      struct err *e)
{
	int dir, rc;

	if (settle(s, c, false, &m->flags, e) < 0 || workdir_make(&s->dir, set, &dir, e) < 0)
		return -1;
	m->samples = json_array();
	rc = drive(s, c, "write", dir, ENGINE_WRITE, m, e);
	m->flags |= flags_of(s, c, BENCH_WRITE, m);
	close(dir);
	return rc;
}

/* Open a set that was made before. */
static int open_set(const struct session *s, const char *set, struct err *e)
{
	int dir = openat(s->dir.dir, set, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		err_sys(e, "cannot open %s/%s/%s", s->order->target, s->dir.name, set);
	return dir;
}

/* A set that is there already, with the machine quiet and the cache as it was asked for:
 * its folder, or -1. */
static int open_prepared(struct session *s, const struct class *c, const char *set, bool reads,
			 struct measured *m, struct err *e)
{
	int dir, rc = 0;

	if (settle(s, c, reads, &m->flags, e) < 0)
		return -1;
	dir = open_set(s, set, e);
	if (dir < 0)
		return -1;
	if (s->order->cache == CACHE_COLD)
		rc = make_cold(s, c, dir, e);
	else if (s->order->cache == CACHE_WARM)
		rc = drive(s, c, "first read", dir, ENGINE_READ, NULL, e);
	if (rc == 0)
		return dir;
	close(dir);
	return -1;
}

int run_read(struct session *s, const struct class *c, const char *set, struct measured *m,
	     struct err *e)
{
	int dir = open_prepared(s, c, set, true, m, e), rc;

	if (dir < 0)
		return -1;
	m->samples = json_array();
	rc = drive(s, c, "read", dir, ENGINE_READ, m, e);
	if (rc == 0)
		m->flags |= flags_of(s, c, BENCH_READ, m);
	if (rc == 0 && s->rep == 1) {
		report_wait(s, c, "comparing what was read with what was written");
		rc = drive(s, c, "comparing", dir, ENGINE_VERIFY, NULL, e);
		m->verified = rc == 0;
	}
	close(dir);
	return rc;
}

int run_records(struct session *s, const struct class *c, const char *set, struct measured *m,
		struct err *e)
{
	static const enum engine_op engine_ops[] = {
		[BENCH_REWRITE] = ENGINE_REWRITE, [BENCH_RAND_READ] = ENGINE_RAND_READ,
		[BENCH_READ_STRIDE] = ENGINE_STRIDE, [BENCH_READ_BACK] = ENGINE_BACK,
		[BENCH_RAND_WRITE] = ENGINE_RAND_WRITE,
	};
	int dir = open_prepared(s, c, set, !bench_op_writes(m->op), m, e), rc;

	if (dir < 0)
		return -1;
	m->samples = json_array();
	rc = drive(s, c, bench_op_word(m->op), dir, engine_ops[m->op], m, e);
	if (rc == 0)
		m->flags |= flags_of(s, c, m->op, m);
	close(dir);
	return rc;
}

int run_prepare(struct session *s, const struct class *c, const char *set, struct err *e)
{
	unsigned flags = 0;
	int dir, rc;

	if (settle(s, c, false, &flags, e) < 0 || workdir_make(&s->dir, set, &dir, e) < 0)
		return -1;
	report_wait(s, c, "writing the files that will be read");
	rc = drive(s, c, "preparing", dir, ENGINE_WRITE, NULL, e);
	close(dir);
	return rc;
}

int run_remove(struct session *s, const char *set, struct err *e)
{
	return workdir_remove(&s->dir, set, e);
}
