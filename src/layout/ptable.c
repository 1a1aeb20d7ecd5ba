/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptable - the partition table of one disk in a stack. */
#include "layout/ptable.h"

#include "base/err.h"
#include "base/sbuf.h"
#include "base/units.h"
#include "disk/disk.h"
#include "layout/plan.h"
#include "layout/recipe.h"

/* Where partitions of a disk have to end: whole MiB, and one left for the backup GPT. */
static uint64_t ptable_end(const struct node *d, uint64_t reserve)
{
	if (d->bytes < 3 * MIB + reserve)
		return 0;
	return round_down(d->bytes - MIB - reserve, MIB);
}

uint64_t ptable_reserve(const struct stmt *st, uint64_t bytes)
{
	const char *text = stmt_value(st, "reserve");
	struct err e = { 0 };
	uint64_t number = 0;

	if (text && percent_parse(text, &number))
		return round_up((uint64_t)(((unsigned __int128)bytes * number + 99999) / 100000), MIB);
	if (text && size_parse(text, &number, &e))
		die("%s", e.text);
	return number;
}

struct ptable *ptable_new(struct stack *s, struct node *disk, uint64_t reserve)
{
	struct ptable *t = arena_alloc(s->arena, sizeof(*t));

	t->disk = disk;
	t->end = ptable_end(disk, reserve);
	disk->priv = t;
	return t;
}

struct ptable *ptable_of(struct stack *s, struct node *disk)
{
	return disk->priv ? disk->priv : ptable_new(s, disk, 0);
}

void ptable_take(struct stack *s, struct ptable *t, struct node *n, uint64_t start, uint64_t end)
{
	n->start = start;
	n->bytes = end - start;
	n->part_number = t->n_parts + 1;
	n->name = disk_part_name(s->arena, t->disk->name, n->part_number);
	n->dev = arena_printf(s->arena, "/dev/%s", n->name);
	n->priv = t;
	t->parts[t->n_parts++] = n;
	node_fact_u64(s, n, "start", start);
}

struct node *ptable_add(struct stack *s, struct ptable *t, const struct layer *l,
			const struct stmt *st, uint64_t start, uint64_t end)
{
	struct node *n = stack_node(s, l, st, &t->disk, 1);

	ptable_take(s, t, n, start, end);
	return n;
}

/* A partition gives the disk what it carries; the last one also says what lies around. */
void ptable_account(const struct node *n, const struct split *mine, struct split *kids)
{
	const struct ptable *t = n->priv;
	uint64_t taken = 0, rest, around;
	unsigned i;

	kids[0] = *mine;
	if (n != t->parts[t->n_parts - 1])
		return;
	for (i = 0; i < t->n_parts; i++)
		taken += t->parts[i]->bytes;
	rest = t->disk->bytes - taken;
	/* GPT and rounding in front and behind, without what reserve= asked to leave */
	around = MIB + t->disk->bytes - ptable_end(t->disk, 0);
	kids[0].overhead += rest < around ? rest : around;
	kids[0].unused += rest < around ? 0 : rest - around;
}

/* One step for each disk, made by the first of its partitions that is built. */
int ptable_plan(const struct node *n, struct plan *p, struct err *e)
{
	const struct ptable *t = n->priv;
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

const char *const ptable_tools[] = { "sfdisk", "wipefs", "blockdev", NULL };
const char *const ptable_packages[] = { "fdisk", "util-linux", "util-linux", NULL };
