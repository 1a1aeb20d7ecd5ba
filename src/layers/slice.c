/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice and part - partitions.
 *
 * slice cuts unequal disks at the same places, so that equal parts lie side by side: one
 * group for every distinct size. part makes one partition of each disk. Both keep 1 MiB at
 * the start and end of a disk for the two copies of the GPT and cut at whole MiB.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "disk/disk.h"
#include "layers/layers.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

/* A GPT has 128 entries; more slices than that is a mistake anyway. */
enum { MOST_PARTITIONS = 128 };

/* The partitions of one disk; every partition of it points here. */
struct table {
	struct node *disk;
	struct node *parts[MOST_PARTITIONS];
	unsigned n_parts;
	uint64_t end;			/* the last byte a partition may reach */
};

/* Where partitions of a disk have to end: whole MiB, and one left for the backup GPT. */
static uint64_t disk_end(const struct node *d, uint64_t reserve)
{
	if (d->bytes < 3 * MIB + reserve)
		return 0;
	return round_down(d->bytes - MIB - reserve, MIB);
}

static struct node *add_part(struct stack *s, const struct layer *l, const struct stmt *st,
			     struct table *t, uint64_t start, uint64_t end)
{
	struct node *n = stack_node(s, l, st, &t->disk, 1);

	n->start = start;
	n->bytes = end - start;
	n->part_number = t->n_parts + 1;
	n->name = disk_part_name(s->arena, t->disk->name, n->part_number);
	n->dev = arena_printf(s->arena, "/dev/%s", n->name);
	n->priv = t;
	t->parts[t->n_parts++] = n;
	node_fact_u64(s, n, "start", start);
	return n;
}

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

static struct table *new_table(struct stack *s, struct node *disk, uint64_t reserve)
{
	struct table *t = arena_alloc(s->arena, sizeof(*t));

	t->disk = disk;
	t->end = disk_end(disk, reserve);
	return t;
}

static int by_end(const void *x, const void *y)
{
	const struct table *a = *(struct table *const *)x, *b = *(struct table *const *)y;

	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->disk->id < b->disk->id ? -1 : 1;
}

static int by_disk(const void *x, const void *y)
{
	const struct table *a = *(struct table *const *)x, *b = *(struct table *const *)y;

	return a->disk->id < b->disk->id ? -1 : 1;
}

/* One group: a partition from start to end on every disk that reaches so far. */
static int add_slice(struct stack *s, const struct stmt *st, struct table **by_size, size_t n,
		     unsigned group, uint64_t start, uint64_t end, struct err *e)
{
	struct table **in = arena_array(s->arena, n, sizeof(*in));
	size_t n_in = 0, i;

	for (i = 0; i < n; i++) {
		if (by_size[i]->end >= end)
			in[n_in++] = by_size[i];
	}
	qsort(in, n_in, sizeof(*in), by_disk);		/* as they were named */
	for (i = 0; i < n_in; i++) {
		if (in[i]->n_parts == MOST_PARTITIONS)
			return err_set(e, ERR_USAGE, "%s would get more than %d partitions; a larger smallest= "
				       "or every= makes fewer", in[i]->disk->name, MOST_PARTITIONS);
		add_part(s, &layer_slice, st, in[i], start, end)->group = group;
	}
	return 0;
}

static int slice_divide(struct stack *s, const struct stmt *st, struct node **disks, size_t n,
			struct err *e)
{
	uint64_t reserve = stmt_size(&layer_slice, st, "reserve");
	uint64_t smallest = stmt_size(&layer_slice, st, "smallest");
	uint64_t every = stmt_size(&layer_slice, st, "every");
	struct table **tables = arena_array(s->arena, n, sizeof(*tables));
	uint64_t last = MIB;
	unsigned group = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (disks[i]->layer)
			return err_set(e, ERR_USAGE, "cuts disks, so it is the first layer; %s is none",
				       disks[i]->name);
		tables[i] = new_table(s, disks[i], reserve);
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

static int part_size(struct stack *s, struct node *n, struct err *e)
{
	uint64_t reserve = node_size(n, "reserve");
	struct table *t;

	if (n->kids[0]->layer)
		return err_set(e, ERR_USAGE, "partitions disks, so it is the first layer; %s is none",
			       n->kids[0]->name);
	t = new_table(s, n->kids[0], reserve);
	if (t->end < 16 * MIB)
		return err_set(e, ERR_USAGE, "%s is too small for a partition", n->kids[0]->name);
	n->start = MIB;
	n->bytes = t->end - MIB;
	n->part_number = 1;
	n->name = disk_part_name(s->arena, t->disk->name, 1);
	n->dev = arena_printf(s->arena, "/dev/%s", n->name);
	n->priv = t;
	t->parts[t->n_parts++] = n;
	node_fact_u64(s, n, "start", n->start);
	return 0;
}

/* A partition gives the disk what it carries; the last one also says what lies around. */
static void part_account(const struct node *n, const struct split *mine, struct split *kids)
{
	const struct table *t = n->priv;
	uint64_t taken = 0, rest, around;
	unsigned i;

	kids[0] = *mine;
	if (n != t->parts[t->n_parts - 1])
		return;
	for (i = 0; i < t->n_parts; i++)
		taken += t->parts[i]->bytes;
	rest = t->disk->bytes - taken;
	/* GPT and rounding in front and behind, without what reserve= asked to leave */
	around = MIB + t->disk->bytes - disk_end(t->disk, 0);
	kids[0].overhead += rest < around ? rest : around;
	kids[0].unused += rest < around ? 0 : rest - around;
}

/* One step for each disk, made by the first of its partitions that is built. */
static int part_plan(const struct node *n, struct plan *p, struct err *e)
{
	const struct table *t = n->priv;
	struct sbuf input = { 0 }, sizes = { 0 };
	char size[SIZE_TEXT];
	struct argv *undo;
	struct step *st;
	unsigned i, built = 0;

	(void)e;
	for (i = 0; i < t->n_parts && t->parts[i]->left_out; i++)
		;
	if (t->parts[i] != n)
		return 0;
	sbuf_add(&input, "label: gpt\n");
	for (i = 0; i < t->n_parts; i++) {
		const struct node *part = t->parts[i];

		if (part->left_out)
			continue;
		sbuf_addf(&input, "%s : start=%lluMiB, size=%lluMiB, type=linux, name=%s-s%u\n",
			  part->dev, part->start / MIB, part->bytes / MIB, p->stack->name,
			  part->group + 1);
		sbuf_addf(&sizes, "%s%s", built++ ? " + " : "", size_text(size, part->bytes, SIZE_SI));
	}
	st = plan_step(p, n->layer->name, "partition %s: %s", t->disk->name, sbuf_str(&sizes));
	step_args(p, st, "sfdisk", "--quiet", "--wipe", "always", "--wipe-partitions", "always",
		  t->disk->dev, NULL);
	step_input(p, st, sbuf_str(&input));
	step_writes(p, st, t->disk);
	undo = step_undo_argv(p, st);
	argv_addl(p->arena, undo, "wipefs", "--all", "--force", "--quiet", NULL);
	for (i = t->n_parts; i-- > 0;) {
		if (t->parts[i]->left_out)
			continue;
		step_makes(p, st, t->parts[i]->dev, t->parts[i]->bytes);
		argv_add(p->arena, undo, t->parts[i]->dev);
	}
	step_undo(p, st, "wipefs", "--all", "--force", "--quiet", t->disk->dev, NULL);
	step_undo(p, st, "blockdev", "--rereadpt", t->disk->dev, NULL);
	sbuf_done(&input);
	sbuf_done(&sizes);
	return 0;
}

static const struct option slice_options[] = {
	{ .name = "reserve", .type = OPTION_SIZE, .min = 0, .max = 100 * GIB, .def = "0",
	  .help = "leave so much free at the end of every disk, so that a slightly smaller "
		  "replacement still fits" },
	{ .name = "smallest", .type = OPTION_SIZE, .min = 16 * MIB, .max = 1 * TIB, .def = "64M",
	  .help = "disks that differ by less count as equal; the difference is left unused" },
	{ .name = "every", .type = OPTION_SIZE, .min = 64 * MIB, .max = 1024 * TIB,
	  .help = "also cut after every so many bytes: more arrays, easier to grow" },
	{ .name = NULL }
};

static const struct option part_options[] = {
	{ .name = "reserve", .type = OPTION_SIZE, .min = 0, .max = 100 * GIB, .def = "0",
	  .help = "leave so much free at the end of the disk, so that a slightly smaller "
		  "replacement still fits" },
	{ .name = NULL }
};

static const char *const part_tools[] = { "sfdisk", "wipefs", "blockdev", NULL };
static const char *const part_packages[] = { "fdisk", "util-linux", "util-linux", NULL };

const struct layer layer_slice = {
	.name = "slice", .title = "Slices of unequal disks",
	.about = "Cuts every disk where a smaller disk ends, so that equal parts lie side by side: "
		 "one group for every distinct size. What a layer above joins never mixes sizes.",
	.kind = LAYER_DIVIDE, .takes = THING_BLOCK, .gives = THING_BLOCK,
	.tools = part_tools, .packages = part_packages, .options = slice_options,
	.divide = slice_divide, .account = part_account, .plan = part_plan,
};

const struct layer layer_part = {
	.name = "part", .title = "One partition",
	.about = "One partition over the whole disk. Other systems then see that the disk is in use.",
	.kind = LAYER_MAP, .takes = THING_BLOCK, .gives = THING_BLOCK,
	.tools = part_tools, .packages = part_packages, .options = part_options,
	.size = part_size, .account = part_account, .plan = part_plan,
};
