/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice and part - partitions.
 *
 * slice cuts unequal disks at the same places, so that equal parts lie side by side: one
 * group for every distinct size. part makes one partition of each disk.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "layers/layers.h"
#include "layout/ptable.h"
#include "layout/recipe.h"
#include "layout/stack.h"

enum { MOST_COUNTED = 1000 };

static const char not_counted[] = "more disks than count= says";

static uint64_t stmt_size(const struct layer *l, const struct stmt *st, const char *key)
{
	const char *text = stmt_value(st, key);
	struct err e = { 0 };
	uint64_t bytes = 0;

	if (!text)
		text = layer_option(l, key)->def;
	if (text && size_parse(text, &bytes, &e))
		die("%s", e.text);
	return bytes;
}

/* count=: how many of these disks are used, the first ones; 0 in *out: all of them. */
static int stmt_count(const struct stmt *st, size_t n, uint64_t *out, struct err *e)
{
	const char *text = stmt_value(st, "count");

	*out = text ? strtoull(text, NULL, 10) : 0;	/* checked when it was read */
	return *out <= n ? 0 : err_set(e, ERR_USAGE, "count=%" PRIu64 ", and there %s %zu disk%s", *out,
				       n == 1 ? "is" : "are", n, n == 1 ? "" : "s");
}

static int by_end(const void *x, const void *y)
{
	const struct ptable *a = *(struct ptable *const *)x, *b = *(struct ptable *const *)y;

	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->disk->id < b->disk->id ? -1 : 1;
}

static int by_disk(const void *x, const void *y)
{
	const struct ptable *a = *(struct ptable *const *)x, *b = *(struct ptable *const *)y;

	return a->disk->id < b->disk->id ? -1 : 1;
}

/* One group: a partition from start to end on every disk that reaches so far. */
static int add_slice(struct stack *s, const struct stmt *st, struct ptable **by_size, size_t n,
		     unsigned group, uint64_t start, uint64_t end, struct err *e)
{
	struct ptable **in = arena_array(s->arena, n, sizeof(*in));
	size_t n_in = 0, i;

	for (i = 0; i < n; i++) {
		if (by_size[i]->end >= end)
			in[n_in++] = by_size[i];
	}
	qsort(in, n_in, sizeof(*in), by_disk);		/* as they were named */
	for (i = 0; i < n_in; i++) {
		if (in[i]->n_parts == PTABLE_PARTS)
			return err_set(e, ERR_USAGE, "%s would get more than %d partitions; a larger smallest= "
				       "or every= makes fewer", in[i]->disk->name, PTABLE_PARTS);
		ptable_add(s, in[i], &layer_slice, st, start, end)->group = group;
	}
	return 0;
}

static int slice_divide(struct stack *s, const struct stmt *st, struct node **disks, size_t n,
			struct err *e)
{
	uint64_t smallest = stmt_size(&layer_slice, st, "smallest");
	uint64_t every = stmt_size(&layer_slice, st, "every");
	struct ptable **tables = arena_array(s->arena, n, sizeof(*tables));
	uint64_t last = MIB, count;
	unsigned group = 0;
	size_t i;

	if (stmt_count(st, n, &count, e))
		return -1;
	for (i = count ? count : n; i < n; i++) {
		disks[i]->left_out = true;
		disks[i]->note = not_counted;
	}
	n = count ? count : n;
	for (i = 0; i < n; i++) {
		if (disks[i]->layer)
			return err_set(e, ERR_USAGE, "cuts disks, so it is the first layer; %s is none",
				       disks[i]->name);
		tables[i] = ptable_new(s, disks[i], ptable_reserve(st, disks[i]->bytes));
		if (tables[i]->end < MIB + smallest)
			return err_set(e, ERR_USAGE, "%s (%" PRIu64 " bytes) is too small for one slice of %"
				       PRIu64 " bytes", disks[i]->name, disks[i]->bytes, smallest);
	}
	qsort(tables, n, sizeof(*tables), by_end);
	for (i = 0; i < n; i++) {
		uint64_t end = tables[i]->end;

		/* sizes that differ by less than a slice is worth are one size */
		if (end < last + smallest)
			continue;
		while (every && end - last >= every + smallest) {
			if (add_slice(s, st, tables + i, n - i, group++, last, last + every, e))
				return -1;
			last += every;
		}
		if (add_slice(s, st, tables + i, n - i, group++, last, end, e))
			return -1;
		last = end;
	}
	return 0;
}

/* The node is there already, so it becomes the one partition of its disk. */
static int part_size(struct stack *s, struct node *n, struct err *e)
{
	size_t before = 0, all = 0, i;
	struct ptable *t;
	uint64_t count;

	if (n->kids[0]->layer)
		return err_set(e, ERR_USAGE, "partitions disks, so it is the first layer; %s is none",
			       n->kids[0]->name);
	for (i = 0; i < s->n_disks; i++) {
		const struct node *disk = s->nodes.at[i];

		all += disk->role == ROLE_DATA;
		before += disk->role == ROLE_DATA && disk->id < n->kids[0]->id;
	}
	if (stmt_count(n->stmt, all, &count, e))
		return -1;
	if (count && before >= count) {
		n->note = not_counted;
		return 1;
	}
	t = ptable_new(s, n->kids[0], ptable_reserve(n->stmt, n->kids[0]->bytes));
	if (t->end < 16 * MIB)
		return err_set(e, ERR_USAGE, "%s is too small for a partition", n->kids[0]->name);
	ptable_take(s, t, n, MIB, t->end);
	return 0;
}

#define COUNT_OPTION { .name = "count", .type = OPTION_COUNT, .min = 1, .max = MOST_COUNTED, \
	.help = "only the first so many disks; the others stay as they are" }

static const struct option slice_options[] = {
	OPTION_RESERVE,
	COUNT_OPTION,
	{ .name = "smallest", .type = OPTION_SIZE, .min = 16 * MIB, .max = 1 * TIB, .def = "64M",
	  .help = "disks that differ by less count as equal; the difference is left unused" },
	{ .name = "every", .type = OPTION_SIZE, .min = 64 * MIB, .max = 1024 * TIB,
	  .help = "also cut after every so many bytes: more arrays, easier to grow" },
	{ .name = NULL }
};

static const struct option part_options[] = {
	OPTION_RESERVE,
	COUNT_OPTION,
	{ .name = NULL }
};

const struct layer layer_slice = {
	.name = "slice", .title = "Slices of unequal disks",
	.about = "Cuts every disk where a smaller disk ends, so that equal parts lie side by side: "
		 "one group for every distinct size. What a layer above joins never mixes sizes.",
	.kind = LAYER_DIVIDE, .takes = THING_BLOCK, .gives = THING_BLOCK,
	.signature = "gpt", .tools = ptable_tools, .packages = ptable_packages, .options = slice_options,
	.divide = slice_divide, .account = ptable_account, .plan = ptable_plan,
};

const struct layer layer_part = {
	.name = "part", .title = "One partition",
	.about = "One partition over the whole disk. Other systems then see that the disk is in use.",
	.kind = LAYER_MAP, .takes = THING_BLOCK, .gives = THING_BLOCK,
	.signature = "gpt", .tools = ptable_tools, .packages = ptable_packages, .options = part_options,
	.size = part_size, .account = ptable_account, .plan = ptable_plan,
};
