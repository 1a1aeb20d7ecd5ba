/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order - what shall be measured, as JSON for the executor; and what it will take. */
#include "bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/err.h"
#include "base/json.h"
#include "base/units.h"
#include "bench/corpus.h"
#include "bench/ram.h"
#include "bench/ops.h"
#include "bench/remount.h"
#include "bench/session.h"

enum { MOST_REPS = 1000, INODE_BYTES = 512 };

static const char *const cache_words[] = {
	[CACHE_AS_IS] = "as-is", [CACHE_COLD] = "cold", [CACHE_COLD_REMOUNT] = "cold:remount",
	[CACHE_COLD_EXPORT] = "cold:export", [CACHE_WARM] = "warm", [CACHE_OWN] = "own",
};

const char *cache_word(enum cache_state cache)
{
	return cache_words[cache];
}

bool cache_takes_away(enum cache_state cache)
{
	return cache == CACHE_COLD_REMOUNT || cache == CACHE_COLD_EXPORT;
}

int cache_parse(const char *word, enum cache_state *out, struct err *e)
{
	size_t i;

	for (i = 0; i < sizeof(cache_words) / sizeof(cache_words[0]); i++) {
		if (!strcmp(cache_words[i], word)) {
			*out = (enum cache_state)i;
			return 0;
		}
	}
	if (!strcmp(word, "cold:drop"))
		return *out = CACHE_COLD, 0;
	return err_set(e, ERR_USAGE, "the cache is cold, cold:remount, cold:export, warm or as-is, not "
		       "\"%s\"", word);
}

unsigned class_reps(const struct bench_order *o, const struct workload *w)
{
	return o->own_reps && w->reps ? w->reps : o->reps;
}

enum cache_state class_cache(const struct session *s, const struct class *c, enum bench_op op)
{
	if (op_of(op)->makes || op_of(op)->as_left)
		return CACHE_AS_IS;
	return s->order->cache == CACHE_OWN ? c->w->cache : s->order->cache;
}

static const char *const engine_words[] = {
	[ENGINE_OWN] = "own", [ENGINE_NASLAB] = "naslab", [ENGINE_RSYNC] = "rsync",
};

int engine_parse(const char *word, enum copy_engine *out, struct err *e)
{
	for (*out = ENGINE_NASLAB; *out <= ENGINE_RSYNC; ++*out) {
		if (!strcmp(word, engine_words[*out]))
			return 0;
	}
	return err_set(e, ERR_USAGE, "the engine is naslab or rsync, not \"%s\"", word);
}

json_t *bench_order_json(const struct bench_order *o)
{
	json_t *j = json_object(), *names = json_array();
	size_t i;

	json_put_str(j, "verb", "bench");
	json_put_str(j, "target", o->target);
	if (o->build)
		json_put_str(j, "build", o->build);
	if (o->label)
		json_put_str(j, "label", o->label);
	for (i = 0; i < o->workloads.n; i++)
		json_add_str(names, ((const struct workload *)o->workloads.at[i])->name);
	json_object_set_new(j, "workloads", names);
	json_object_set_new(j, "write", json_boolean(o->write));
	json_object_set_new(j, "read", json_boolean(o->read));
	json_put_u64(j, "reps", o->reps);
	if (o->within > 0) {
		json_object_set_new(j, "within", json_real(o->within));
		json_put_u64(j, "most", o->most);
	}
	json_object_set_new(j, "scale", json_real(o->scale));
	if (o->ram)
		json_put_u64(j, "ram_bytes", o->ram);
	json_put_str(j, "cache", cache_word(o->cache));
	if (o->own_reps)
		json_object_set_new(j, "own_reps", json_true());
	if (o->no_wait)
		json_object_set_new(j, "no_wait", json_true());
	if (o->suite)
		json_put_str(j, "suite", o->suite);
	if (o->engine)
		json_put_str(j, "engine", engine_words[o->engine]);
	if (o->source)
		json_put_str(j, "source", o->source);
	if (o->times)
		json_object_set_new(j, "times", json_true());
	if (o->tags)
		json_object_set(j, "tags", o->tags);
	if (o->cap_ns)
		json_put_u64(j, "cap_ns", o->cap_ns);
	if (o->db)
		json_put_str(j, "db", o->db);
	return j;
}

int bench_order_read(struct arena *a, const json_t *json, struct bench_order *out, struct err *e)
{
	const char *cache = json_str(json, "cache");
	struct bench_order o = {
		.target = arena_strdup(a, json_str(json, "target")),
		.build = arena_strdup(a, json_str(json, "build")),
		.label = arena_strdup(a, json_str(json, "label")),
		.write = json_is_true(json_object_get(json, "write")),
		.read = json_is_true(json_object_get(json, "read")),
		.scale = json_number_value(json_object_get(json, "scale")),
		.cache = CACHE_COLD,
		.ram = json_u64(json, "ram_bytes", 0),
		.within = json_number_value(json_object_get(json, "within")),
		.own_reps = json_is_true(json_object_get(json, "own_reps")),
		.no_wait = json_is_true(json_object_get(json, "no_wait")),
		.suite = arena_strdup(a, json_str(json, "suite")),
		.source = arena_strdup(a, json_str(json, "source")),
		.times = json_is_true(json_object_get(json, "times")),
		.tags = json_object_get(json, "tags"),
		.cap_ns = json_u64(json, "cap_ns", 0),
		.db = arena_strdup(a, json_str(json, "db")),
	};
	uint64_t reps = json_u64(json, "reps", 7), most = json_u64(json, "most", MOST_REPS);
	const json_t *names = json_object_get(json, "workloads"), *name;
	struct workload *w;
	size_t i;

	if (!o.target)
		return err_set(e, ERR_USAGE, "the order to measure names no target");
	if (!o.label)
		o.label = o.target;
	if (!o.write && !o.read)
		return err_set(e, ERR_USAGE, "the order to measure neither writes nor reads");
	if (!(o.scale > 0) || o.scale > 1000)
		return err_set(e, ERR_USAGE, "the scale must be above 0 and at most 1000");
	if (reps < 1 || reps > MOST_REPS)
		return err_set(e, ERR_USAGE, "the repetitions must be from 1 to %d", MOST_REPS);
	if (o.ram && o.ram < (uint64_t)RAM_LEAST_MIB * MIB)
		return err_set(e, ERR_USAGE, "measuring needs %d MiB of memory at least", RAM_LEAST_MIB);
	if (o.within < 0 || o.within > 1 || (o.within > 0 && (most < reps || most > MOST_REPS)))
		return err_set(e, ERR_USAGE, "repeating until it is sure wants a share up to 1 and at "
			       "most %d runs, not fewer than the least", MOST_REPS);
	o.reps = (unsigned)reps;
	o.most = o.within > 0 ? (unsigned)most : o.reps;
	if (json_str(json, "engine") && engine_parse(json_str(json, "engine"), &o.engine, e) < 0)
		return -1;
	if (cache && cache_parse(cache, &o.cache, e) < 0)
		return -1;
	json_array_foreach(names, i, name) {
		w = arena_alloc(a, sizeof(*w));
		if (!json_is_string(name) ||
		    workload_find(a, json_string_value(name), w, e) < 0)
			return json_is_string(name) ? -1 :
			       err_set(e, ERR_USAGE, "a workload's name must be a string");
		list_add(a, &o.workloads, w);
	}
	if (!o.workloads.n && !o.times)
		return err_set(e, ERR_USAGE, "the order to measure names no workload");
	*out = o;
	return 0;
}

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
	bool made = makes(ops), there = false;
	unsigned op, rep;

	for (rep = 0; ops && rep < reps; rep++) {
		for (op = 0; op < BENCH_OPS; op++) {
			const struct op *o = op_of((enum bench_op)op);
			uint64_t wr, rd;

			if (!(ops & 1u << op))
				continue;
			if (!o->makes && !there)
				*written += times(o->adds ? w->sets[0].bytes : w->bytes, scale);
			workload_run_moves(w, (enum bench_op)op, scale, &wr, &rd);
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
	struct statvfs v;
	struct statfs s;
	size_t i;
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
	close(fd);
	for (i = 0; rc == 0 && i < o->workloads.n; i++)
		rc = workload_look(o->workloads.at[i], e);
	if (rc < 0)
		return -1;
	for (i = 0; i < o->workloads.n; i++) {
		struct workload *w = o->workloads.at[i];
		struct corpus *c = corpus_new(w, o->scale);
		uint64_t space = space_of(c, v.f_frsize), files = c->n + corpus_all_dirs(c), before;
		unsigned ops = workload_ops(w, o->write, o->read), op, reps = class_reps(o, w);

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
	out->free_bytes = (uint64_t)v.f_bavail * v.f_frsize;
	if (o->times && !o->build)
		return err_set(e, ERR_USAGE, "%s is no build: only of one that naslab made is it known "
			       "how long it took", o->target);
	if (!out->runs && !(o->times && !o->workloads.n))
		return err_set(e, ERR_USAGE, "none of these workloads does what --op asks for");
	return fits(o, out, most_files + kept_files, &v, e);
}
