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
#include "bench/ops.h"

enum { MOST_REPS = 1000, INODE_BYTES = 512 };

static const char *const cache_words[] = {
	[CACHE_AS_IS] = "as-is", [CACHE_COLD] = "cold", [CACHE_WARM] = "warm",
};

const char *cache_word(enum cache_state cache)
{
	return cache_words[cache];
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
	return err_set(e, ERR_USAGE, "the cache is cold, warm or as-is, not \"%s\"", word);
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
	json_put_str(j, "cache", cache_word(o->cache));
	if (o->no_wait)
		json_object_set_new(j, "no_wait", json_true());
	if (o->suite)
		json_put_str(j, "suite", o->suite);
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
		.within = json_number_value(json_object_get(json, "within")),
		.no_wait = json_is_true(json_object_get(json, "no_wait")),
		.suite = arena_strdup(a, json_str(json, "suite")),
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
	if (o.within < 0 || o.within > 1 || (o.within > 0 && (most < reps || most > MOST_REPS)))
		return err_set(e, ERR_USAGE, "repeating until it is sure wants a share up to 1 and at "
			       "most %d runs, not fewer than the least", MOST_REPS);
	o.reps = (unsigned)reps;
	o.most = o.within > 0 ? (unsigned)most : o.reps;
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
	if (!o.workloads.n)
		return err_set(e, ERR_USAGE, "the order to measure names no workload");
	*out = o;
	return 0;
}

/* Space a set of files takes: whole blocks, inodes, directories. */
static uint64_t space_of(const struct corpus *c, uint64_t block)
{
	uint64_t sum = c->n_dirs * block + c->n * (uint64_t)INODE_BYTES;
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

void workload_moves(const struct workload *w, unsigned ops, uint64_t bytes, unsigned reps,
		    uint64_t *written, uint64_t *read)
{
	unsigned op;

	(void)w;
	if (ops && !makes(ops))
		*written += bytes;
	for (op = 0; op < BENCH_OPS; op++) {
		const struct op *o = op_of((enum bench_op)op);

		if (!(ops & 1u << op) || o->counts != COUNTS_BYTES)
			continue;
		*written += o->writes ? bytes * reps : 0;
		*read += o->reads ? bytes * reps : 0;
	}
}

int bench_forecast(const struct bench_order *o, struct bench_forecast *out, struct err *e)
{
	uint64_t most = 0, kept = 0, most_files = 0, kept_files = 0;
	unsigned extra = o->within > 0 && o->most > o->reps ? o->most - o->reps : 0;
	struct statvfs v;
	struct statfs s;
	size_t i;
	int fd = open(o->target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

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
	close(fd);
	for (i = 0; i < o->workloads.n; i++) {
		const struct workload *w = o->workloads.at[i];
		struct corpus *c = corpus_new(w, o->scale);
		uint64_t space = space_of(c, v.f_frsize), files = c->n + c->n_dirs;
		unsigned ops = workload_ops(w, o->write, o->read), op;

		if (makes(ops)) {
			most = space > most ? space : most;
			most_files = files > most_files ? files : most_files;
		} else if (ops) {	/* made once and kept for all rounds */
			kept += space;
			kept_files += files;
		}
		workload_moves(w, ops, c->bytes, o->reps, &out->write_bytes, &out->read_bytes);
		workload_moves(w, ops, c->bytes, o->reps + extra, &out->most_write_bytes,
			       &out->most_read_bytes);
		for (op = 0; op < BENCH_OPS; op++) {
			out->runs += ops & 1u << op ? o->reps : 0;
			out->most_runs += ops & 1u << op ? o->reps + extra : 0;
		}
		corpus_free(c);
	}
	out->need_bytes = with_reserve(most + kept, s.f_type == BTRFS_SUPER_MAGIC);
	out->free_bytes = (uint64_t)v.f_bavail * v.f_frsize;
	if (!out->runs)
		return err_set(e, ERR_USAGE, "none of these workloads does what --op asks for");
	return fits(o, out, most_files + kept_files, &v, e);
}
