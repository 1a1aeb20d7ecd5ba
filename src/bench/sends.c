/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sends - btrfs send and receive of a set of read-only snapshots.
 *
 * A set is made backwards: all files are written once, and for every older snapshot a tenth
 * of them goes away. So the streams of all snapshots together hold every byte of the files
 * once, whatever their number, and the newest can be compared with what was written.
 */
#include "bench/outside.h"
#include "bench/way.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "bench/subvol.h"
#include "build/job.h"

enum { CLEAN_PATIENCE_S = 60 };

static const char origin[] = "origin", arrived[] = "arrived";

static unsigned snapshots_of(const struct class *c)
{
	unsigned n = 0, op;

	for (op = BENCH_SEND; op <= BENCH_SEND_RECEIVE; op++) {
		if ((c->ops & 1u << op) && c->w->number[op] + 1 > n)
			n = (unsigned)c->w->number[op] + 1;
	}
	return n;
}

static void snapshot_name(unsigned i, char buf[CORPUS_NAME])
{
	snprintf(buf, CORPUS_NAME, "s%u", i);
}

/* Where the snapshots lie that an operation sends. */
static const struct workdir *home_of(const struct session *s, enum bench_op op)
{
	return op != BENCH_SEND && s->source.target >= 0 ? &s->source : &s->dir;
}

/* --- making the set --------------------------------------------------------------------- */

/* One step back: the newest tenth of the files goes. */
static int step_back(const struct session *s, const struct corpus *c, int dir, size_t from,
		     size_t to)
{
	char name[CORPUS_NAME], under[CORPUS_DIR];
	int sub = dir, rc = 0;
	size_t i;

	for (i = from; rc == 0 && i < to && !session_stops(s); i++) {
		if (c->width && (i == from || i % c->width == 0)) {
			if (sub != dir)
				close(sub);
			corpus_dir_name(c, i / c->width, under);
			sub = openat(dir, under, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			if (sub < 0)
				return -1;
		}
		corpus_file_name(c, i, name);
		rc = unlinkat(sub, name, 0);
	}
	if (sub != dir)
		close(sub);
	return rc;
}

/* The snapshots of the files in `from`, the newest first. */
static int freeze_all(struct session *s, const struct class *c, int from, int dir, unsigned n,
		      struct err *e)
{
	size_t share = c->corpus->n / 10 ? c->corpus->n / 10 : 1;
	char name[CORPUS_NAME];
	unsigned i;

	for (i = n; i-- > 0; ) {
		size_t to = c->corpus->n - share * (n - 1 - i);

		snapshot_name(i, name);
		if (syncfs(from) < 0 || subvol_freeze(from, dir, name) < 0)
			return err_sys(e, "cannot make a snapshot in %s", s->order->target);
		if (i && step_back(s, c->corpus, from, to - share, to) < 0)
			return err_sys(e, "cannot go back to an older snapshot in %s", s->order->target);
		if (session_stops(s))
			return err_set(e, ERR_FAIL, "stopped");
	}
	return 0;
}

static int make_set(struct session *s, const struct class *c, int dir, struct err *e)
{
	int from, rc;

	if (subvol_make(dir, origin) < 0)
		return err_sys(e, "cannot make a subvolume in %s", s->order->target);
	from = openat(dir, origin, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (from < 0)
		return err_sys(e, "cannot open a subvolume in %s", s->order->target);
	rc = run_engine(s, c, "preparing", from, BENCH_WRITE, e);
	if (rc == 0)
		rc = freeze_all(s, c, from, dir, snapshots_of(c), e);
	close(from);
	return rc;
}

static int open_snapshots(const struct workdir *home, const char *set, struct way *w, unsigned n,
			  struct err *e)
{
	char name[CORPUS_NAME], path[3 * CORPUS_NAME];

	for (w->n = 0; w->n < n; w->n++) {
		snapshot_name(w->n, name);
		snprintf(path, sizeof(path), "%s/%s", set, name);
		w->snapshots[w->n] = openat(home->dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
					    O_CLOEXEC);
		if (w->snapshots[w->n] < 0)
			return err_sys(e, "cannot open the snapshots in %s", home->path);
	}
	return 0;
}

/* --- the stream that is received -------------------------------------------------------- */

/* A file without a name, or memory: nothing of it is left when we are killed. */
static int stream_file(const struct session *s, uint64_t bytes, struct err *e)
{
	char need[SIZE_TEXT], got[SIZE_TEXT];
	int fd;

	if (bytes < outside_memory() / 2) {
		fd = memfd_create("naslab-stream", MFD_CLOEXEC);
		return fd < 0 ? err_sys(e, "no memory for the stream") : fd;
	}
	if (s->source.target < 0)
		return err_set(e, ERR_REFUSED, "the stream of %s that is received does not fit in half "
			       "of the %s of memory that are free; --source DIR keeps it in a file, "
			       "a smaller --scale makes it shorter",
			       size_text(need, bytes, SIZE_SI),
			       size_text(got, outside_memory(), SIZE_SI));
	fd = openat(s->source.dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd < 0 ? err_sys(e, "cannot make a file in %s", s->source.path) : fd;
}

static int make_stream(struct session *s, const struct class *c, const char *set, int fd,
		       struct err *e)
{
	struct way w = WAY_NONE;
	struct watch watch;
	int rc;

	watch_start(s, NULL, &watch);
	rc = open_snapshots(home_of(s, BENCH_RECEIVE), set, &w,
			    (unsigned)c->w->number[BENCH_RECEIVE] + 1, e);
	w.to = rc == 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
	if (rc == 0)
		rc = way_sender(&w, e);
	if (rc == 0)
		rc = way_go(s, c, &w, NULL, &watch, e);
	way_done(&w);
	return rc;
}

/* --- rows of the table ------------------------------------------------------------------ */

static int possible(const struct session *s, const struct class *c, int dir, const char *path,
		    struct err *e)
{
	if (!subvol_possible(dir))
		return err_set(e, ERR_REFUSED, "%s is not on btrfs, which %s needs", path, c->w->name);
	if (geteuid() != 0)
		return err_set(e, ERR_REFUSED, "%s: sending and receiving snapshots needs root",
			       s->order->target);
	if (c->corpus->n <= snapshots_of(c))
		return err_set(e, ERR_REFUSED, "%s at scale %g has %zu files, too few for %u snapshots",
			       c->w->name, s->order->scale, c->corpus->n, snapshots_of(c));
	if (!job_has("btrfs"))
		return err_set(e, ERR_FAIL, "there is no program btrfs here; the package is btrfs-progs");
	return 0;
}

int send_make(struct session *s, const struct class *c, const char *set, int dir, struct err *e)
{
	bool there = s->source.target >= 0 && c->ops & ~(1u << BENCH_SEND);
	struct class *mine = &s->classes[c - s->classes];
	int away, rc;

	if (possible(s, c, dir, s->order->target, e) < 0)
		return -1;
	if (there && possible(s, c, s->source.dir, s->source.path, e) < 0)
		return -1;
	if (c->ops & 1u << BENCH_RECEIVE) {
		mine->stream = stream_file(s, c->corpus->bytes, e);
		if (mine->stream < 0)
			return -1;
	}
	rc = there && !(c->ops & 1u << BENCH_SEND) ? 0 : make_set(s, c, dir, e);
	if (rc == 0 && there) {
		rc = workdir_make(&s->source, set, &away, e);
		if (rc == 0) {
			rc = make_set(s, c, away, e);
			close(away);
		}
	}
	if (rc == 0 && mine->stream >= 0)
		rc = make_stream(s, c, set, mine->stream, e);
	return rc;
}

/* Open both ends; `into` is where what is received goes, -1: it is thrown away. */
static int open_way(struct session *s, const struct class *c, const char *set, enum bench_op op,
		    int into, struct way *w, struct err *e)
{
	unsigned n = (unsigned)c->w->number[op] + 1;

	if (op == BENCH_RECEIVE) {
		w->from = fcntl(c->stream, F_DUPFD_CLOEXEC, 3);
		if (w->from < 0 || lseek(w->from, 0, SEEK_SET) < 0)
			return err_sys(e, "cannot read the stream");
	} else if (open_snapshots(home_of(s, op), set, w, n, e) < 0) {
		return -1;
	}
	if (into < 0)
		w->to = open("/dev/null", O_WRONLY | O_CLOEXEC);
	else if (way_receiver(w, into, e) < 0)
		return -1;
	if (w->to < 0)
		return err_sys(e, "cannot open /dev/null");
	return op == BENCH_RECEIVE ? 0 : way_sender(w, e);
}

/* One pass with the clocks around it; without m it only warms the cache. */
static int pass(struct session *s, const struct class *c, const char *set, int dir, int into,
		struct measured *m, enum bench_op op, struct err *e)
{
	struct way w = WAY_NONE;
	uint64_t cpu = outside_cpu_ns(), start;
	struct watch watch;
	int rc;

	watch_start(s, m, &watch);
	start = clock_ns();
	rc = open_way(s, c, set, op, into, &w, e);
	if (rc == 0)
		rc = way_go(s, c, &w, m, &watch, e);
	if (rc == 0 && m) {
		m->copy.bytes = w.bytes;
		m->flags |= m->copy.capped ? FLAG_PARTIAL : 0;
		m->copy.files = c->corpus->n;
		m->copy.felt_ns = m->copy.durable_ns = clock_ns() - start;
		if (op_of(op)->writes) {
			rc = outside_durable(s, c, dir, m, &watch, w.bytes, e);
			m->copy.durable_ns = clock_ns() - start;
		}
		watch_end(s, m, dir, &watch);
		m->copy.cpu_ns = outside_cpu_ns() - cpu;
	}
	way_done(&w);
	return rc;
}

/* What was received goes again, and the file system has cleaned up behind it. */
static int forget_received(struct session *s, const struct class *c, int dir, const char *set,
			   struct err *e)
{
	uint64_t until = clock_ns() + CLEAN_PATIENCE_S * 1000000000ull;
	char path[3 * CORPUS_NAME];

	snprintf(path, sizeof(path), "%s/%s", set, arrived);
	if (workdir_remove(&s->dir, path, e) < 0)
		return -1;
	if (subvol_sync(dir) < 0)
		return err_sys(e, "cannot make %s durable", s->order->target);
	if (subvol_leftovers(dir))
		report_wait(s, c, "waiting until btrfs has cleaned up");
	while (subvol_leftovers(dir) && clock_ns() < until && !session_stops(s))
		poll(NULL, 0, 100);
	return 0;
}

/* The newest snapshot that arrived holds all files. */
static int verify_received(struct session *s, const struct class *c, int into, enum bench_op op,
			   struct measured *m, struct err *e)
{
	char name[CORPUS_NAME];
	int dir, rc;

	snapshot_name(snapshots_of(c) - 1, name);
	if (c->w->number[op] + 1 != snapshots_of(c))
		return 0;
	dir = openat(into, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return err_sys(e, "%s: the newest snapshot did not arrive", s->order->target);
	report_wait(s, c, "comparing what was received with what was written");
	rc = run_engine(s, c, "comparing", dir, BENCH_VERIFY, e);
	m->verified = rc == 0;
	close(dir);
	return rc;
}

static int receive_in(struct session *s, const struct class *c, const char *set, int dir,
		      struct measured *m, struct err *e)
{
	struct err later = { 0 };
	int into, rc = -1;

	if (mkdirat(dir, arrived, 0700) < 0)
		return err_sys(e, "cannot make a directory in %s", s->order->target);
	into = openat(dir, arrived, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (into < 0)
		err_sys(e, "cannot open a directory in %s", s->order->target);
	else
		rc = pass(s, c, set, dir, into, m, m->op, e);
	if (rc == 0)
		m->flags |= flags_of(s, c, m->op, m);
	if (rc == 0 && s->rep == c->kept + 1 && !m->copy.capped)
		rc = verify_received(s, c, into, m->op, m, e);
	if (into >= 0)
		close(into);
	if (forget_received(s, c, dir, set, &later) < 0 && rc == 0) {
		*e = later;
		rc = -1;
	}
	return rc;
}

int send_run(struct session *s, const struct class *c, const char *set, struct measured *m,
	     struct err *e)
{
	int dir = run_open(s, c, set, m, e), rc = 0;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;

	if (dir < 0)
		return -1;
	sigaction(SIGPIPE, &ignore, &before);
	if (m->op != BENCH_RECEIVE && class_cache(s, c, m->op) == CACHE_WARM)
		rc = pass(s, c, set, dir, -1, NULL, m->op, e);
	if (rc == 0 && m->op == BENCH_SEND) {
		rc = pass(s, c, set, dir, -1, m, BENCH_SEND, e);
		if (rc == 0)
			m->flags |= flags_of(s, c, BENCH_SEND, m);
	} else if (rc == 0) {
		rc = receive_in(s, c, set, dir, m, e);
	}
	sigaction(SIGPIPE, &before, NULL);
	close(dir);
	if (rc < 0)
		run_failed(s, c, bench_op_word(m->op), e);
	return rc;
}
