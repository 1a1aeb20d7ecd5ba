/* SPDX-License-Identifier: GPL-2.0-or-later */
/* forecast - what a measurement will write, read and hold, before anything is written. */
#include "bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/err.h"
#include "base/units.h"
#include "bench/corpus.h"
#include "bench/ops.h"
#include "bench/remount.h"
#include "bench/session.h"

enum { INODE_BYTES = 512 };

/* Space a set of files takes: whole blocks, inodes, directories. */
static uint64_t space_of(const struct corpus *c, uint64_t block)
{
	uint64_t sum = corpus_all_dirs(c) * block + c->n * (uint64_t)INODE_BYTES;
	size_t i;

	for (i = 0; i < c->n; i++)
		sum += round_up(c->sizes[i], block);
	return sum;
}

/*
 * A file system must not be filled to its last block: it is slow there, and somebody else
 * may need room meanwhile. What btrfs calls free may not be there for data, so it keeps more.
 */
static uint64_t with_reserve(uint64_t need, bool doubt)
{
	return need + need / (doubt ? 10 : 50) + (doubt ? 32 : 8) * MIB;
}

static int fits(const struct bench_order *o, const struct bench_forecast *f, uint64_t files,
		const struct statvfs *v, struct err *e)
{
	char need[SIZE_TEXT], got[SIZE_TEXT];

	if (v->f_flag & ST_RDONLY)
		return err_set(e, ERR_FAIL, "%s is mounted read-only", o->target);
	if (f->need_bytes > f->free_bytes)
		return err_set(e, ERR_REFUSED, "%s: measuring needs %s of room with a reserve, "
			       "%s is free; a smaller --scale needs less", o->target,
			       size_text(need, f->need_bytes, SIZE_SI),
			       size_text(got, f->free_bytes, SIZE_SI));
	if (v->f_files && files + 16 > v->f_favail)
		return err_set(e, ERR_REFUSED, "%s: measuring needs %llu files, the file system "
			       "has room for %llu", o->target, (unsigned long long)files,
			       (unsigned long long)v->f_favail);
	return 0;
}

/* Does one of the operations make the files? */
static bool makes(unsigned ops)
{
	unsigned op;

	for (op = 0; op < BENCH_OPS; op++) {
		if ((ops & 1u << op) && op_of((enum bench_op)op)->makes)
			return true;
	}
	return false;
}

static uint64_t times(uint64_t bytes, double factor)
{
	double product = (double)bytes * factor;

	return bytes && product < 1 ? 1 : (uint64_t)(product + 0.5);
}

void workload_run_moves(const struct workload *w, enum bench_op op, double scale,
			uint64_t *written, uint64_t *read)
{
	const struct op *o = op_of(op);
	uint64_t all = times(w->bytes, scale), first = times(w->sets[0].bytes, scale);
	double n = (double)w->number[op] / 100, part = 1;
	bool known = o->by == OP_BY_FILES || o->by == OP_BY_RECORDS;

	*written = o->writes && known ? all : 0;
	*read = o->reads && known ? all : 0;
	if (o->by == OP_IN_LOOP)	/* its files; nobody knows how far it will come */
		*written = all;
	if (o->adds) {
		*read = first;
		*written = all - first;
	}
	if (o->number_of == NUMBER_READS || o->number_of == NUMBER_READERS) {
		*read = (uint64_t)((double)all * n);
		*written = all - *read;
	}
	if (o->number_of == NUMBER_REWRITES)
		*written = (uint64_t)((double)all * n);
	if (w->stop_bytes && !o->makes && *read + *written) {
		part = (double)times(w->stop_bytes, scale) / (double)(*read + *written);
		*read = times(*read, part);
		*written = times(*written, part);
	}
}

void workload_moves(const struct workload *w, unsigned ops, double scale, unsigned reps,
		    uint64_t *written, uint64_t *read)
{
	unsigned n, i, rep;
	enum bench_op order[BENCH_OPS];
	bool made = makes(ops), there = false;

	n = workload_order(w, ops, order);
	for (rep = 0; rep < reps; rep++) {
		for (i = 0; i < n; i++) {
			const struct op *o = op_of(order[i]);
			uint64_t wr, rd;

			if (!o->makes && !there)
				*written += times(o->adds ? w->sets[0].bytes : w->bytes, scale);
			workload_run_moves(w, order[i], scale, &wr, &rd);
			*written += wr;
			*read += rd;
			there = !o->removes;
		}
		there &= !made;		/* made anew in every round */
	}
}

/* How long a run takes at least: what it moves at its rate, or until it is stopped. */
static uint64_t least_ns(const struct workload *w, enum bench_op op, double scale)
{
	uint64_t wr, rd, ns = 0;

	if (w->stop_ns && (!op_of(op)->makes || op_of(op)->by == OP_IN_LOOP))
		return w->stop_ns;
	workload_run_moves(w, op, scale, &wr, &rd);
	if (w->rate_bps)
		ns = (uint64_t)((double)(wr + rd) * 1e9 / ((double)w->rate_bps * w->threads));
	return w->cap_ns && ns > w->cap_ns ? w->cap_ns : ns;
}

static double files_of(const struct workload *w, double scale)
{
	double n = 0;
	unsigned i;

	for (i = 0; i < w->n_sets; i++) {
		const struct fileset *s = &w->sets[i];

		n += s->count ? (double)s->count : s->mean_file ? (double)s->bytes / (double)s->mean_file : 1;
	}
	return n * scale < 1 ? 1 : n * scale;
}

static double guess_ns(const struct workload *w, enum bench_op op, double scale, double files,
		       const struct disk_guess *d)
{
	const struct op *o = op_of(op);
	uint64_t wr, rd, least = least_ns(w, op, scale);
	double ns;

	if (w->stop_ns && least == w->stop_ns)
		return (double)least;
	workload_run_moves(w, op, scale, &wr, &rd);
	ns = (double)(wr + rd) * 1e9 / (double)d->bps;
	if (o->order == ORDER_RANDOM)
		ns += (double)(wr + rd) / (double)(w->bs ? w->bs : MIB) * (double)d->seek_ns *
		      (100 - w->sequential) / 100;
	else
		ns += files * (double)d->file_ns;
	ns = ns < (double)least ? (double)least : ns;
	return w->cap_ns && ns > (double)w->cap_ns ? (double)w->cap_ns : ns;
}

uint64_t workload_guess_ns(const struct workload *w, unsigned ops, double scale, unsigned reps,
			   const struct disk_guess *d)
{
	enum bench_op order[BENCH_OPS];
	unsigned n = workload_order(w, ops, order), i;
	double files = files_of(w, scale), untimed, ns = 0;
	uint64_t wr = 0, rd = 0, timed = 0, one, other;

	if (!n || !reps)
		return 0;
	workload_moves(w, ops, scale, reps, &wr, &rd);
	for (i = 0; i < n; i++) {
		workload_run_moves(w, order[i], scale, &one, &other);
		timed += one + other;
		ns += guess_ns(w, order[i], scale, files, d);
	}
	untimed = (double)(wr + rd) - (double)(timed * reps);	/* made before, and removed behind */
	return (uint64_t)(ns * reps + untimed * 1e9 / (double)d->bps +
			  files * (double)d->file_ns * (makes(ops) ? reps : 2));
}

static const char *fs_word(long magic)
{
	static const struct {
		long magic;
		const char *word;
	} names[] = {
		{ BTRFS_SUPER_MAGIC, "btrfs" }, { EXT4_SUPER_MAGIC, "ext4" },
		{ XFS_SUPER_MAGIC, "xfs" }, { 0x2fc12fc1, "zfs" }, { TMPFS_MAGIC, "tmpfs" },
		{ F2FS_SUPER_MAGIC, "f2fs" }, { NFS_SUPER_MAGIC, "nfs" }, { FUSE_SUPER_MAGIC, "fuse" },
		{ OVERLAYFS_SUPER_MAGIC, "overlay" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].magic == (magic & 0xffffffffl))
			return names[i].word;
	}
	return "another one";
}

/* What the workload itself asks of the target and of the order. */
static int needs(const struct bench_order *o, const struct workload *w, long magic,
		 uint64_t written, struct err *e)
{
	char has[SIZE_TEXT], most[SIZE_TEXT];

	if (w->needs_fs && strcmp(w->needs_fs, fs_word(magic)))
		return err_set(e, ERR_REFUSED, "%s: the workload %s needs %s, this is %s", o->target,
			       w->name, w->needs_fs, fs_word(magic));
	if (w->max_written && written > w->max_written)
		return err_set(e, ERR_REFUSED, "the workload %s would write %s in all, and says it must "
			       "not be more than %s; fewer --reps or a smaller --scale write less",
			       w->name, size_text(has, written, SIZE_SI),
			       size_text(most, w->max_written, SIZE_SI));
	return 0;
}

/* The most any of them wants to stay free. */
static uint64_t stays_free(const struct bench_order *o, const struct statvfs *v)
{
	uint64_t most = 0, all = (uint64_t)v->f_blocks * v->f_frsize;
	size_t i;

	for (i = 0; i < o->workloads.n; i++) {
		const struct workload *w = o->workloads.at[i];
		uint64_t one = all / 100 * w->min_free_percent;

		one = w->min_free > one ? w->min_free : one;
		most = one > most ? one : most;
	}
	return most;
}

/* Is as much again there for a while? */
static bool grows(unsigned ops)
{
	unsigned op;

	for (op = 0; op < BENCH_OPS; op++) {
		if ((ops & 1u << op) && op_of((enum bench_op)op)->grows)
			return true;
	}
	return false;
}

int bench_forecast(const struct bench_order *o, struct bench_forecast *out, struct err *e)
{
	uint64_t most = 0, kept = 0, most_files = 0, kept_files = 0;
	unsigned extra = o->within > 0 && o->most > o->reps ? o->most - o->reps : 0;
	struct counters counters;
	bool writes_back;
	struct statvfs v;
	struct statfs s;
	size_t i;
	struct left left = { 0 };
	int rc, fd = open(o->target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*out = (struct bench_forecast){ 0 };
	if (fd < 0 && errno == ENOTDIR)
		return err_set(e, ERR_FAIL, "%s is not a directory", o->target);
	if (fd < 0)
		return err_sys(e, "cannot open %s", o->target);
	if (fstatvfs(fd, &v) < 0 || fstatfs(fd, &s) < 0) {
		err_sys(e, "cannot ask %s for its free space", o->target);
		close(fd);
		return -1;
	}
	rc = remount_check(o, fd, e);
	counters_open(&counters, fd);
	writes_back = !o->no_wait && wait_writes_back(&counters.disks);
	counters_close(&counters);
	workdir_left(fd, &left);
	close(fd);
	for (i = 0; rc == 0 && i < o->workloads.n; i++)
		rc = workload_look(o->workloads.at[i], e);
	if (rc < 0)
		return -1;
	for (i = 0; i < o->workloads.n; i++) {
		struct workload *w = o->workloads.at[i];
		struct corpus *c = corpus_new(w, o->scale);
		uint64_t space = space_of(c, v.f_frsize), files = c->n + corpus_all_dirs(c), before;
		unsigned ops = class_ops(o, w, writes_back), op, reps = class_reps(o, w);

		corpus_free(c);
		if (ops && grows(ops))
			space *= 2;

		if (makes(ops)) {
			most = space > most ? space : most;
			most_files = files > most_files ? files : most_files;
		} else if (ops) {	/* made once and kept for all rounds */
			kept += space;
			kept_files += files;
		}
		before = out->write_bytes;
		workload_moves(w, ops, o->scale, reps, &out->write_bytes, &out->read_bytes);
		workload_moves(w, ops, o->scale, reps + extra, &out->most_write_bytes,
			       &out->most_read_bytes);
		if (ops && class_by_rsync(o, w) && rsync_check(o, w, ops, e) < 0)
			return -1;
		if (ops && needs(o, w, (long)s.f_type, out->write_bytes - before, e) < 0)
			return -1;
		for (op = 0; op < BENCH_OPS; op++) {
			if (!(ops & 1u << op))
				continue;
			out->runs += reps;
			out->most_runs += reps + extra;
			out->least_ns += least_ns(w, (enum bench_op)op, o->scale) * reps;
		}
	}
	out->need_bytes = with_reserve(most + kept, s.f_type == BTRFS_SUPER_MAGIC) +
			  stays_free(o, &v);
	/* what a killed run left goes before anything is written */
	out->free_bytes = (uint64_t)v.f_bavail * v.f_frsize + left.bytes;
	v.f_favail += left.files;
	if (o->times && !o->build)
		return err_set(e, ERR_USAGE, "%s is no build: only of one that naslab made is it known "
			       "how long it took", o->target);
	if (!out->runs && !(o->times && !o->workloads.n))
		return err_set(e, ERR_USAGE, "none of these workloads does what --op asks for");
	return fits(o, out, most_files + kept_files, &v, e);
}
