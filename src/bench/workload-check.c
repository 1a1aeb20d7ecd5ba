/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload-check - what was read must make sense as a whole; and what follows from a
 * workload: its operations, and the bytes they move.
 */
#include "bench/workload.h"

#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "bench/ops.h"

enum { MOST_FILES = 10000000 };
static const uint64_t most_bytes = 1ull << 50;

unsigned workload_ops(const struct workload *w, bool write, bool read)
{
	unsigned ops = w->ops, op;

	for (op = 0; op < BENCH_OPS; op++) {
		if (!(op_of((enum bench_op)op)->writes ? write : read))
			ops &= ~(1u << op);
	}
	return ops;
}

unsigned workload_order(const struct workload *w, unsigned ops, enum bench_op out[BENCH_OPS])
{
	const unsigned dirty = 1u << BENCH_READ_DIRTY;
	unsigned i, n = 0;

	for (i = 0; i < w->n_order; i++) {
		if (w->order[i] == BENCH_READ && ops & ~w->ops & dirty)
			out[n++] = BENCH_READ_DIRTY;
		if (ops & 1u << w->order[i])
			out[n++] = w->order[i];
	}
	return n;
}

bool workload_is_copy(const struct workload *w)
{
	return w->ops == (1u << BENCH_WRITE | 1u << BENCH_READ) && w->threads == 1 && !w->group;
}

static int settle_drawn(struct reading *r)
{
	struct fileset *s = r->set;

	if (s->sizes == SIZES_GAMMA) {
		if (!s->mean_file || !s->count || s->bytes || s->median_file)
			return workload_bad(r, "a gamma fileset wants mean= and count=");
		if (!s->max_file)
			s->max_file = s->mean_file * 50;
		s->median_file = s->mean_file;
	} else if (!s->median_file || !s->mean_file || !s->max_file) {
		return workload_bad(r, "a lognormal fileset wants median=, mean= and max=");
	}
	if (s->mean_file < s->median_file || s->max_file <= s->mean_file ||
	    s->mean_file / 20 > s->median_file)
		return workload_bad(r, "a fileset wants median <= mean < max, and mean at most 20 "
				    "times median");
	if (!s->bytes == !s->count)
		return workload_bad(r, "a lognormal fileset wants either bytes= or count=");
	if (!s->bytes)
		s->bytes = s->count * s->mean_file;
	return 0;
}

static int settle_list(struct reading *r)
{
	struct fileset *s = r->set;
	unsigned i;

	if (s->count || s->bytes || s->median_file || s->mean_file || s->max_file)
		return workload_bad(r, "a list of sizes says how many files there are");
	for (i = 0; i < s->n_list; i++) {
		s->count += s->list[i].count;
		if (s->list[i].size > (most_bytes - s->bytes) / s->list[i].count)
			return workload_bad(r, "the fileset is larger than 1 PiB");
		s->bytes += s->list[i].size * s->list[i].count;
		if (s->list[i].size > s->max_file)
			s->max_file = s->list[i].size;
	}
	s->mean_file = s->median_file = s->count ? s->bytes / s->count : 0;
	return 0;
}

int workload_settle_set(struct reading *r)
{
	struct fileset *s = r->set;

	if (s->data == DATA_FOUND) {
		if (r->sized || s->count || s->bytes || s->median_file || s->mean_file || s->max_file ||
		    s->dedup)
			return workload_bad(r, "with data=dir:PATH sizes and number are those of the "
					    "folder's files");
		s->sizes = SIZES_FOUND;
	} else if (s->sizes == SIZES_LIST) {
		if (settle_list(r) < 0)
			return -1;
	} else if (s->sizes != SIZES_FIXED) {
		if (settle_drawn(r) < 0)
			return -1;
	} else {
		if (!r->sized || s->median_file || s->mean_file || s->max_file || s->bytes)
			return workload_bad(r, "a fileset wants size= and count=, or size=lognormal "
					    "or gamma");
		if (!s->count)
			s->count = 1;
		s->median_file = s->mean_file = s->max_file = r->size;
		s->bytes = s->count * r->size;
	}
	if (s->bytes > most_bytes)
		return workload_bad(r, "the fileset is larger than 1 PiB");
	if (s->count > MOST_FILES || (s->mean_file && s->bytes / s->mean_file > MOST_FILES))
		return workload_bad(r, "the fileset has more than 10 million files");
	return 0;
}

static bool has(const struct workload *w, enum op_by by)
{
	int op;

	for (op = 0; op < BENCH_OPS; op++) {
		if ((w->ops & 1u << op) && op_of((enum bench_op)op)->by == by)
			return true;
	}
	return false;
}

/* Two that make the files, or one that wants what is not there. */
static int settle_ops(struct reading *r)
{
	const struct op *maker = NULL, *changed = NULL;
	int op;

	for (op = 0; op < BENCH_OPS; op++) {
		const struct op *o = op_of((enum bench_op)op);

		if (!(r->w.ops & 1u << op))
			continue;
		if (o->writes && !o->makes && !o->removes && o->by == OP_BY_RECORDS)
			changed = o;
		if (op == BENCH_HASH && changed)
			return workload_bad(r, "hash compares the files with what was made, and %s "
					    "changes them", changed->word);
		if (o->adds && (r->w.n_sets < 2 || r->w.ops != 1u << op))
			return workload_bad(r, "%s is the only operation, and wants two filesets: what "
					    "is there, and what is made", o->word);
		if (o->by == OP_IN_LOOP && !r->w.stop_ns)
			return workload_bad(r, "%s goes on until stop time= ends it", o->word);
		if (o->by == OP_BY_NAMES && o->makes && r->w.bytes)
			return workload_bad(r, "%s makes empty files: it wants size=0", o->word);
		if (!o->makes)
			continue;
		/* names go again, so that they can be made another time */
		if (maker && !(maker->by == OP_BY_NAMES && o->by == OP_BY_NAMES))
			return workload_bad(r, "%s and %s both make the files", maker->word, o->word);
		maker = o;
	}
	return 0;
}

void workload_sum(struct workload *w)
{
	uint64_t files = 0;
	unsigned i;

	w->bytes = 0;
	for (i = 0; i < w->n_sets; i++) {
		const struct fileset *s = &w->sets[i];

		w->bytes += s->bytes;
		files += s->count || !s->mean_file ? s->count : s->bytes / s->mean_file + 1;
	}
	w->mean_file = files ? w->bytes / files : 0;
}

int workload_settle(struct reading *r)
{
	struct workload *w = &r->w;
	bool known = true;
	unsigned i;

	if (!w->n_sets)
		return workload_bad(r, "there is no fileset");
	if (!r->op)
		return workload_bad(r, "there is no op");
	for (i = 0; i < w->n_sets; i++) {
		w->packs |= w->sets[i].data != DATA_RANDOM;
		known &= w->sets[i].data != DATA_FOUND;
	}
	workload_sum(w);
	if (w->bytes > most_bytes)
		return workload_bad(r, "the filesets are larger than 1 PiB");
	w->single = w->n_sets == 1 && w->sets[0].count == 1;
	if (known && !w->mean_file && has(w, OP_BY_RECORDS))
		return workload_bad(r, "empty files have no records");
	if (w->direct && w->bs % 4096)
		return workload_bad(r, "direct=1 wants a bs of whole 4K");
	if (settle_ops(r) < 0)
		return -1;
	if (!w->title)
		w->title = w->name;
	return 0;
}
