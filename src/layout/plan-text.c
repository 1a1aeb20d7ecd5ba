/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan-text - the plan for people: stack as a tree, capacity, advice, steps. */
#include <inttypes.h>
#include <string.h>

#include "base/cells.h"
#include "base/sbuf.h"
#include "base/units.h"
#include "disk/disk.h"
#include "layout/plan.h"
#include "layout/recipe.h"

struct marks {
	const char *branch, *last, *down, *times;
};

static const struct marks utf8_marks = { "├─", "└─", "│ ", "×" };
static const struct marks ascii_marks = { "|-", "`-", "| ", "x" };

static void pad(struct sbuf *out, size_t from, size_t width)
{
	size_t have = text_cells(sbuf_str(out) + from);

	while (have++ < width)
		sbuf_addc(out, ' ');
}

/* A number right-aligned in a column of `width`, so that a table can be added up. */
static void bytes_column(struct sbuf *out, uint64_t bytes, unsigned width)
{
	char text[SIZE_TEXT];

	sbuf_addf(out, "%*s", (int)width, size_text(text, bytes, SIZE_BYTES));
}

static void node_line(const struct node *n, const struct marks *m, struct sbuf *out)
{
	size_t from = out->len;

	sbuf_addf(out, "%s", n->layer->name);
	if (n->dir)
		sbuf_addf(out, " %s", n->dir);
	else
		sbuf_addf(out, " %s", n->name);
	if (n->level)
		sbuf_addf(out, " %s", n->level);
	if (node_members(n) > 1)
		sbuf_addf(out, " %s%u", m->times, node_members(n));
	if (n->missing)
		sbuf_addf(out, ", %u later", n->missing);
	pad(out, from, 30);
}

static void tree(const struct node *n, const struct marks *m, const char *lead, const char *mark,
		 struct sbuf *out)
{
	struct sbuf below = { 0 };
	size_t line = out->len;
	unsigned i;

	sbuf_addf(out, " %s%s", lead, mark);
	if (!n->layer) {
		sbuf_addf(out, "%s", n->name);
		pad(out, line, 42);
		bytes_column(out, n->bytes, 22);
		sbuf_addc(out, '\n');
		return;
	}
	node_line(n, m, out);
	pad(out, line, 42);
	bytes_column(out, n->bytes, 22);
	sbuf_addc(out, '\n');
	sbuf_addf(&below, "%s%s", lead, !*mark ? "" : !strcmp(mark, m->last) ? "  " : m->down);
	for (i = 0; i < n->n_kids; i++) {
		if (n->part_number)
			break;			/* a partition's name says which disk it is on */
		tree(n->kids[i], m, sbuf_str(&below), i + 1 < n->n_kids ? m->branch : m->last, out);
	}
	sbuf_done(&below);
}

static void file_systems(const struct stack *s, struct sbuf *out)
{
	size_t i;

	for (i = 0; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->gives != THING_DIR || n->left_out || !n->fs.known)
			continue;
		sbuf_addf(out, " %s %s: total ", n->layer->name, n->dir);
		bytes_column(out, n->fs.total, 0);
		sbuf_add(out, ", available ");
		bytes_column(out, n->fs.avail, 0);
		sbuf_add(out, n->fs.estimate ? " (an estimate)\n" : "\n");
	}
}

/* What every layer takes and gives, summed over its devices. */
static void by_layer(const struct stack *s, struct sbuf *out)
{
	size_t i;

	sbuf_add(out, "\ncapacity by layer                  takes               gives  redundancy\n");
	for (i = 0; i < s->recipe->n_stmts; i++) {
		const struct layer *l = layer_find(s->recipe->stmts[i].layer);
		size_t from = out->len;
		char size[SIZE_TEXT];
		struct layer_sum sum;

		stack_layer_sum(s, &s->recipe->stmts[i], &sum);
		sbuf_addf(out, " %s, %u %s%s", s->recipe->stmts[i].layer, sum.devices,
			  l && l->gives == THING_DIR ? "file system" : "device",
			  sum.devices == 1 ? "" : "s");
		pad(out, from, 26);
		bytes_column(out, sum.takes, 20);
		bytes_column(out, sum.gives, 20);
		sbuf_addf(out, "%12s\n", size_text(size, sum.redundancy, SIZE_SI));
	}
}

static void disk_row(const char *name, uint64_t bytes, const struct split *s, bool cache,
		     struct sbuf *out)
{
	char a[SIZE_TEXT], b[SIZE_TEXT], c[SIZE_TEXT], d[SIZE_TEXT], size[SIZE_TEXT];

	sbuf_addf(out, " %-16s %10s %10s %10s %10s %10s\n", name, size_text(size, bytes, SIZE_SI),
		  size_text(a, s->usable, SIZE_SI),
		  cache ? "" : size_text(b, s->redundancy, SIZE_SI),
		  size_text(c, s->overhead, SIZE_SI), size_text(d, s->unused, SIZE_SI));
}

/* The data disks and their sum; a cache disk holds copies, so it is in no sum. */
static void by_disk(const struct stack *s, struct sbuf *out)
{
	struct split all = { 0 };
	size_t i;

	sbuf_add(out, "\ncapacity by disk       size     usable redundancy   overhead     unused\n");
	for (i = 0; i < s->n_disks; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->role == ROLE_CACHE)
			continue;
		disk_row(n->name, n->disk->bytes, &n->split, false, out);
		all.usable += n->split.usable;
		all.redundancy += n->split.redundancy;
		all.overhead += n->split.overhead;
		all.unused += n->split.unused;
	}
	disk_row("all", s->raw_bytes, &all, false, out);
	if (s->cache.n)
		sbuf_add(out, "\ncache disk             size      cache              overhead     unused\n");
	for (i = 0; i < s->cache.n; i++) {
		const struct node *n = s->cache.at[i];

		disk_row(n->name, n->disk->bytes, &n->split, true, out);
	}
}

static void left_out(const struct stack *s, struct sbuf *out)
{
	size_t i;

	for (i = 0; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->left_out && n->bytes && n->note)
			sbuf_addf(out, " left out: %s, %s\n", n->name, n->note);
	}
}

static void advice(const struct stack *s, struct sbuf *out)
{
	struct list found = { 0 };
	size_t i;

	stack_advice(s, s->arena, &found);
	if (!found.n)
		return;
	sbuf_add(out, "\nadvice\n");
	for (i = 0; i < found.n; i++) {
		const struct advice *a = found.at[i];
		struct sbuf text = { 0 };

		sbuf_addf(&text, "%s  [%s]", a->text, a->rule);
		sbuf_addf(out, " %s ", strcmp(a->severity, "warn") ? "-" : "!");
		sbuf_add_wrapped(out, sbuf_str(&text), 3, 79);
		sbuf_addc(out, '\n');
		sbuf_done(&text);
	}
}

static void steps(const struct plan *p, struct sbuf *out)
{
	size_t i;

	sbuf_addf(out, "\n%zu steps\n", p->steps.n);
	for (i = 0; i < p->steps.n; i++) {
		const struct step *s = p->steps.at[i];

		sbuf_addf(out, " %3u %s\n     ", s->n, s->why);
		argv_print(&s->argv, out);
		sbuf_add(out, s->input ? "   (script on its input)\n" : "\n");
	}
}

void plan_text(const struct plan *p, bool utf8, struct sbuf *out)
{
	const struct marks *m = utf8 ? &utf8_marks : &ascii_marks;
	const struct stack *s = p->stack;
	char si[SIZE_TEXT], iec[SIZE_TEXT];
	size_t i, data = 0;

	for (i = 0; i < s->n_disks; i++)
		data += ((const struct node *)s->nodes.at[i])->role == ROLE_DATA;
	sbuf_addf(out, "%s: ", s->name);
	recipe_line(s->recipe, out);
	sbuf_addf(out, "\n%zu disk%s, %s raw. ", data, data == 1 ? "" : "s",
		  size_text(si, s->raw_bytes, SIZE_SI));
	sbuf_addf(out, "Usable %s (%s). ", size_text(si, s->usable_bytes, SIZE_SI),
		  size_text(iec, s->usable_bytes, SIZE_IEC));
	if (s->survives)
		sbuf_addf(out, "Any %u disk%s may fail.\n", s->survives, s->survives == 1 ? "" : "s");
	else
		sbuf_add(out, "No disk may fail.\n");
	sbuf_add(out, "\nstack, top first                                          bytes\n");
	for (i = 0; i < s->tops.n; i++)
		tree(s->tops.at[i], m, "", "", out);
	left_out(s, out);
	file_systems(s, out);
	by_layer(s, out);
	by_disk(s, out);
	advice(s, out);
	steps(p, out);
}
