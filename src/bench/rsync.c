/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rsync - the other copy engine, so that numbers published with it can be met on their own
 * ground: the same files, the same clocks and cache rules, but `rsync -a -W --inplace` moves
 * them. They lie in memory, or below the order's source, and come back there.
 */
#include "bench/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "build/job.h"

const char rsync_memory[] = "/dev/shm";

bool class_by_rsync(const struct bench_order *o, const struct workload *w)
{
	return o->engine == ENGINE_RSYNC || (o->engine == ENGINE_OWN && w->rsync);
}

int rsync_check(const struct bench_order *o, const struct workload *w, unsigned ops, struct err *e)
{
	const unsigned can = 1u << BENCH_WRITE | 1u << BENCH_READ;
	unsigned op;

	for (op = 0; op < BENCH_OPS; op++) {
		if (ops & 1u << op & ~can)
			return err_set(e, ERR_USAGE, "%s: rsync only copies, it cannot %s", w->name,
				       bench_op_word((enum bench_op)op));
	}
	if (w->threads > 1 || w->rate_bps || w->direct || w->sync != SYNC_END)
		return err_set(e, ERR_USAGE, "%s: rsync copies in one stream, as fast as it goes, and is "
			       "durable at the end", w->name);
	if (!job_has("rsync"))
		return err_set(e, ERR_FAIL, "there is no rsync here; the package is rsync");
	if (!o->source && access(rsync_memory, W_OK) != 0)
		return err_set(e, ERR_FAIL, "there is no %s for what rsync copies; --source DIR names "
			       "another place", rsync_memory);
	return 0;
}

/* Its files lie twice at the source while what was read comes back. */
static int fits(const struct session *s, const struct class *c, struct err *e)
{
	char need[SIZE_TEXT], got[SIZE_TEXT];
	uint64_t most = c->corpus->bytes * 2, room;
	struct statvfs v;

	if (fstatvfs(s->source.dir, &v) < 0)
		return err_sys(e, "cannot ask %s for its free space", s->source.path);
	room = (uint64_t)v.f_bavail * v.f_frsize;
	if (!s->order->source && outside_memory() / 2 < room)
		room = outside_memory() / 2;
	if (most <= room)
		return 0;
	return err_set(e, ERR_REFUSED, "%s: rsync needs the files outside of the target, %s at most, "
		       "and %s is free in %s; --source DIR names another place", c->w->name,
		       size_text(need, most, SIZE_SI), size_text(got, room, SIZE_SI), s->source.path);
}

/* What the process has read so far, as good as it is known: no more than there is. */
static uint64_t read_so_far(int64_t pid, uint64_t all)
{
	char path[64];
	struct sbuf text = { 0 };
	uint64_t bytes = 0;

	snprintf(path, sizeof(path), "/proc/%lld/io", (long long)pid);
	if (file_read(path, 4096, &text) == 0 && !strncmp(sbuf_str(&text), "rchar: ", 7))
		bytes = strtoull(text.text + 7, NULL, 10);
	sbuf_done(&text);
	return bytes < all ? bytes : all;
}

/* From folder to folder; their paths are those of our descriptors. */
static int copy(struct session *s, const struct class *c, int from, int to, struct measured *m,
		struct watch *watch, struct err *e)
{
	char here[64], there[64], buf[512];
	char *argv[] = { (char[]){ "rsync" }, (char[]){ "-a" }, (char[]){ "-W" },
			 (char[]){ "--inplace" }, here, there, NULL };
	struct sbuf said = { 0 }, words = { 0 };
	int64_t pid;
	int control, out, status = 0, rc = 0;
	bool over = false;
	ssize_t got;

	snprintf(here, sizeof(here), "/proc/%d/fd/%d/", (int)getpid(), from);
	snprintf(there, sizeof(there), "/proc/%d/fd/%d/", (int)getpid(), to);
	if (job_start(argv, true, "", &pid, &control, &out, e) < 0)
		return -1;
	close(control);
	while (!job_reap(pid, false, &status)) {
		struct pollfd p = { .fd = out, .events = POLLIN };
		int wait = watch_wait_ms(watch);

		/* the end of its output is its end, so this does not add to the time */
		poll(&p, 1, wait);
		while ((got = read(out, buf, sizeof(buf))) > 0) {
			if (said.len < 4096)
				sbuf_addn(&said, buf, (size_t)got);
		}
		watch_look(s, c, m, watch, read_so_far(pid, c->corpus->bytes), 0, false);
		if (session_stops(s) || (!over && outside_over(c, m, watch))) {
			m->copy.bytes = read_so_far(pid, c->corpus->bytes);
			kill(-(pid_t)pid, SIGTERM);
			over = true;
		}
	}
	while ((got = read(out, buf, sizeof(buf))) > 0)
		sbuf_addn(&said, buf, (size_t)got);
	close(out);
	outside_last_line(&said, &words);
	if (session_stops(s))
		rc = err_set(e, ERR_FAIL, "stopped");
	else if (!over && (!WIFEXITED(status) || WEXITSTATUS(status)))
		rc = err_set(e, ERR_FAIL, "rsync failed%s%.300s", words.len ? ": " : "",
			     sbuf_str(&words));
	sbuf_done(&said);
	sbuf_done(&words);
	return rc;
}

/* A folder below the source: the files as they are copied, made once. */
static int source_set(struct session *s, const struct class *c, const char *set, struct err *e)
{
	int dir = openat(s->source.dir, set, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir >= 0)
		return dir;
	if (fits(s, c, e) < 0 || workdir_make(&s->source, set, &dir, e) < 0)
		return -1;
	report_wait(s, c, "making the files that rsync copies");
	if (run_engine(s, c, "making the files", dir, BENCH_WRITE, e) == 0)
		return dir;
	close(dir);
	return -1;
}

static int timed(struct session *s, const struct class *c, int from, int to, int target,
		 struct measured *m, struct err *e)
{
	uint64_t cpu = outside_cpu_ns(), start;
	struct watch watch;
	int rc;

	watch_start(s, m, &watch);
	start = clock_ns();
	rc = copy(s, c, from, to, m, &watch, e);
	if (rc < 0)
		return -1;
	if (m->copy.capped) {
		m->flags |= FLAG_PARTIAL;
	} else {
		m->copy.bytes = c->corpus->bytes;
		m->copy.files = c->corpus->n;
	}
	m->copy.felt_ns = m->copy.durable_ns = clock_ns() - start;
	if (op_of(m->op)->writes) {
		rc = outside_durable(s, c, target, m, &watch, m->copy.bytes, e);
		m->copy.durable_ns = clock_ns() - start;
	}
	watch_end(s, m, target, &watch);
	m->copy.cpu_ns = outside_cpu_ns() - cpu;
	m->flags |= flags_of(s, c, m->op, m);
	return rc;
}

static int verify(struct session *s, const struct class *c, int dir, struct measured *m,
		  struct err *e)
{
	int rc;

	report_wait(s, c, "comparing what rsync copied with what was written");
	rc = run_engine(s, c, "comparing", dir, BENCH_VERIFY, e);
	m->verified = rc == 0;
	return rc;
}

int rsync_run(struct session *s, const struct class *c, const char *set, struct measured *m,
	      struct err *e)
{
	struct err later = { 0 };
	char back[CORPUS_NAME + 8];
	int from = -1, to = -1, target, rc = -1;
	bool in = m->op == BENCH_WRITE;

	snprintf(back, sizeof(back), "%s-back", set);
	if (in) {
		from = source_set(s, c, set, e);
		if (from < 0)
			return -1;
	} else if (fits(s, c, e) < 0 || workdir_make(&s->source, back, &to, e) < 0) {
		return -1;
	}
	target = run_open(s, c, set, m, e);
	if (target >= 0)
		rc = timed(s, c, in ? from : target, in ? target : to, target, m, e);
	if (rc == 0 && s->rep == c->kept + 1 && !in && !m->copy.capped)
		rc = verify(s, c, to, m, e);
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	if (target >= 0)
		close(target);
	if (!in && workdir_remove(&s->source, back, &later) < 0 && rc == 0) {
		*e = later;
		rc = -1;
	}
	if (rc < 0)
		run_failed(s, c, m->op == BENCH_WRITE ? "write by rsync" : "read by rsync", e);
	return rc;
}
