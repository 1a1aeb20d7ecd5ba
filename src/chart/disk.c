/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk - a disk of a stack drawn to scale, and the ruler that names the slices.
 *
 * A place on a disk is a column: both ends of a slice are rounded from bytes, so slices
 * that begin at the same byte begin in the same column on every disk.
 */
#include "chart/chart.h"

#include <stdio.h>
#include <string.h>

#include "chart/axis.h"
#include "disk/disk.h"
#include "layout/stack.h"

enum { KINDS = 4 };

/* Order in a slice. When cells are short, the first ones win. */
static const enum ink order[KINDS] = { INK_USABLE, INK_REDUNDANCY, INK_OVERHEAD, INK_UNUSED };

struct shares {
	uint64_t bytes[KINDS];
};

struct span {
	unsigned from, to;	/* cells, `to` excluded */
};

static struct shares shares_of(const struct split *s)
{
	return (struct shares){ { s->usable, s->redundancy, s->overhead, s->unused } };
}

static unsigned cell_at(uint64_t bytes, uint64_t full, unsigned width)
{
	return (unsigned)((double)bytes / (double)full * width + 0.5);
}

/* The cells from one byte to another: at least one when there is anything. */
static struct span span_of(uint64_t from, uint64_t to, uint64_t full, unsigned width)
{
	struct span s = { cell_at(from, full, width), cell_at(to, full, width) };

	if (s.to == s.from && to > from)
		s.to++;
	if (s.to > width)
		s.to = width;
	if (s.from >= s.to && s.to)
		s.from = s.to - 1;
	return s;
}

/*
 * Deal cells to shares by largest remainder. What is not zero gets at least one cell
 * while there are enough, except overhead, which has a rule of its own (mark_overhead).
 */
static void deal(const struct shares *have, unsigned cells, unsigned out[KINDS])
{
	double total = 0, rest[KINDS];
	unsigned i, most, used = 0;

	for (i = 0; i < KINDS; i++)
		total += (double)have->bytes[i];
	for (i = 0; i < KINDS; i++) {
		double exact = total > 0 ? (double)have->bytes[i] / total * cells : 0;

		out[i] = (unsigned)exact;
		rest[i] = exact - out[i];
		if (!out[i] && have->bytes[i] && order[i] != INK_OVERHEAD) {
			out[i] = 1;
			rest[i] = 0;
		}
		used += out[i];
	}
	for (; used < cells; used++) {
		for (i = 1, most = 0; i < KINDS; i++) {
			if (rest[i] > rest[most])
				most = i;
		}
		out[most]++;
		rest[most] = 0;
	}
	while (used > cells) {	/* the ones given for free are taken from the largest */
		for (i = KINDS - 1, most = 0; i > 0; i--) {
			if (out[i] > out[most])
				most = i;
		}
		if (out[most] == 1) {	/* fewer cells than kinds: the last kind goes */
			for (most = KINDS - 1; !out[most]; )
				most--;
		}
		out[most]--;
		used--;
	}
}

/* Draw shares into a span; returns how many cells showed overhead. */
static unsigned fill(struct grid *g, unsigned row, unsigned col, struct span at,
		     const struct shares *have, bool cache)
{
	unsigned n[KINDS], i, k, to = col + at.from;

	deal(have, at.to - at.from, n);
	for (i = 0; i < KINDS; i++) {
		enum ink ink = cache && i < 2 ? INK_CACHE : order[i];

		for (k = 0; k < n[i]; k++)
			grid_ink(g, row, to++, ink);
	}
	return n[2];
}

/* Is it a partition of this disk? */
static bool is_part(const struct node *n, const struct node *disk)
{
	return n->part_number && n->n_kids == 1 && n->kids[0] == disk;
}

void chart_disk(struct grid *g, unsigned row, unsigned col, unsigned width,
		const struct stack *s, size_t disk_index, uint64_t bytes_full)
{
	const struct node *disk;
	struct shares rest, part;
	uint64_t end = 0;
	unsigned overhead = 0, i;
	size_t k;

	if (!width || !bytes_full || disk_index >= s->n_disks)
		return;
	disk = s->nodes.at[disk_index];
	rest = shares_of(&disk->split);
	for (k = s->n_disks; k < s->nodes.n; k++) {
		const struct node *n = s->nodes.at[k];

		if (!is_part(n, disk))
			continue;
		part = shares_of(&n->split);
		for (i = 0; i < KINDS; i++)
			rest.bytes[i] -= part.bytes[i] < rest.bytes[i] ? part.bytes[i]
								       : rest.bytes[i];
		overhead += fill(g, row, col,
				 span_of(n->start, n->start + n->bytes, bytes_full, width),
				 &part, disk->role == ROLE_CACHE);
		if (n->start + n->bytes > end)
			end = n->start + n->bytes;
	}
	if (!end || cell_at(end, bytes_full, width) < cell_at(disk->bytes, bytes_full, width) ||
	    rest.bytes[3])
		overhead += fill(g, row, col, span_of(end, disk->bytes, bytes_full, width), &rest,
				 disk->role == ROLE_CACHE);
	if (disk->split.overhead && !overhead) {
		struct span all = span_of(0, disk->bytes, bytes_full, width);

		if (all.to - all.from > 2)
			grid_ink(g, row, col + all.to - 1, INK_OVERHEAD);
	}
}

/* The node above a partition: the array or file system its group became. */
static const struct node *above(const struct stack *s, const struct node *part)
{
	size_t k;
	unsigned i;

	for (k = s->n_disks; k < s->nodes.n; k++) {
		const struct node *n = s->nodes.at[k];

		for (i = 0; i < n->n_kids; i++) {
			if (n->kids[i] == part)
				return n;
		}
	}
	return NULL;
}

/* "s1 raid5×6", or "s1 5×6", or "s1": what fits in `room` cells. */
static void slice_name(char *buf, size_t size, const struct node *part, const struct node *up,
		       unsigned room)
{
	char own[16];
	const char *name = up && up->name ? up->name : own, *level, *digits;
	unsigned members = up ? node_members(up) : 0;

	snprintf(own, sizeof(own), "s%u", part->part_number);
	if (up && strrchr(name, '-') && strlen(name) + 1 > room)
		name = strrchr(name, '-') + 1;
	snprintf(buf, size, "%.*s", (int)room, name);
	if (members < 2)
		return;
	if (up->left_out) {
		if (strlen(name) + 9 <= room)
			snprintf(buf, size, "%s left out", name);
		return;
	}
	level = up->level ? up->level : up->layer->name;
	digits = strncmp(level, "raid", 4) ? level : level + 4;
	/* the sign is two bytes and one cell */
	if ((unsigned)snprintf(NULL, 0, "%s %s×%u", name, level, members) <= room + 1)
		snprintf(buf, size, "%s %s×%u", name, level, members);
	else if ((unsigned)snprintf(NULL, 0, "%s %s×%u", name, digits, members) <= room + 1)
		snprintf(buf, size, "%s %s×%u", name, digits, members);
}

void chart_ruler(struct grid *g, unsigned row, unsigned col, unsigned width,
		 const struct stack *s, uint64_t bytes_full)
{
	unsigned done = 0;	/* cells that are named */
	size_t k;

	if (!width || !bytes_full)
		return;
	for (k = s->n_disks; k < s->nodes.n; k++) {
		const struct node *n = s->nodes.at[k];
		struct span at;
		char text[80];
		unsigned i;

		/* a partition that no slice made has no like on the other disks */
		if (!n->part_number || n->layer->kind != LAYER_DIVIDE ||
		    n->kids[0]->role == ROLE_CACHE)
			continue;
		at = span_of(n->start, n->start + n->bytes, bytes_full, width);
		if (at.to <= done || at.from < done)
			continue;	/* the same slice on another disk */
		slice_name(text, sizeof(text), n, above(s, n), at.to - at.from - 1);
		for (i = at.from; i + 1 < at.to; i++)
			grid_axis(g, row, col + i, "─");
		grid_axis(g, row, col + at.to - 1, "┤");
		grid_text(g, row, col + at.from, text);
		done = at.to;
	}
}
