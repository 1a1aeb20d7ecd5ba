/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disks-picture - the disks of a stack to one scale, largest first, with what their bytes
 * are spent on; those that failed are crossed out.
 */
#include "ui/layout.h"

#include <string.h>

void survives_text(const struct stack *s, struct sbuf *out)
{
	if (s->survives)
		sbuf_addf(out, "survives any %u disk%s", s->survives, s->survives == 1 ? "" : "s");
	else
		sbuf_add(out, "survives no failed disk");
}

static uint64_t largest_disk(const struct stack *s)
{
	uint64_t most = 1;
	size_t i;

	for (i = 0; i < s->n_disks; i++) {
		const struct node *n = s->nodes.at[i];

		most = n->bytes > most ? n->bytes : most;
	}
	return most;
}

/* Largest first, cache disks last. */
void disk_order(const struct stack *s, size_t *order)
{
	size_t i, k;

	for (i = 0; i < s->n_disks; i++) {
		const struct node *n = s->nodes.at[i];

		for (k = i; k; k--) {
			const struct node *before = s->nodes.at[order[k - 1]];

			if (n->role > before->role ||
			    (n->role == before->role && n->bytes <= before->bytes))
				break;
			order[k] = order[k - 1];
		}
		order[k] = i;
	}
}

/* What the bytes of all data disks are spent on, beside the picture. */
void draw_sums(struct ui *ui, const struct stack *s, struct area a)
{
	static const char *const names[] = { "usable", "redundancy", "overhead", "unused" };
	static const enum ink inks[] = { INK_USABLE, INK_REDUNDANCY, INK_OVERHEAD, INK_UNUSED };
	uint64_t sums[4] = { 0 }, all = 0;
	char size[SIZE_TEXT];
	unsigned i;
	size_t k;

	for (k = 0; k < s->n_disks; k++) {
		const struct node *n = s->nodes.at[k];

		if (n->role != ROLE_DATA)
			continue;
		sums[0] += n->split.usable;
		sums[1] += n->split.redundancy;
		sums[2] += n->split.overhead;
		sums[3] += n->split.unused;
		all += n->bytes;
	}
	for (i = 0; i < 4 && i < a.rows; i++) {
		struct grid g;

		grid_init(&g, 1, 1);
		grid_ink(&g, 0, 0, inks[i]);
		draw_grid(a.row + i, a.col, &g);
		grid_done(&g);
		draw_text(a.row + i, a.col + 2, PAINT_TEXT, names[i]);
		draw_right(a.row + i, a.col + 12, a.cols - 12, PAINT_TEXT,
			   sums[i] ? ui_size(ui, size, sums[i]) : "0");
	}
	if (a.rows > 4 && all)
		draw_textf(a.row + 4, a.col + 2, PAINT_TEXT, "of %s, %.1f %%",
			   ui_size(ui, size, all), 100.0 * (double)sums[0] / (double)all);
}

static void cross_out(struct grid *g, unsigned row)
{
	unsigned i;

	for (i = 0; i < g->cols; i++) {
		if (g->cells[row * g->cols + i].ink != INK_NONE)
			grid_ink(g, row, i, INK_FAILED);
	}
}

/* "sda   10.0T" */
static void draw_name(const struct node *n, unsigned row, unsigned col, enum paint paint)
{
	char size[SIZE_TEXT], *blank;

	draw_cell(row, col, 5, paint, CUT_START, n->name);
	size_text(size, n->bytes, SIZE_SI);
	blank = strchr(size, ' ');
	if (blank && blank[1])	/* 10.0 TB as 10.0T: the numbers stand elsewhere */
		memmove(blank, blank + 1, 2), blank[1] = '\0';
	draw_right(row, col + 6, 5, PAINT_TEXT, size);
}

void draw_stack(const struct stack *s, struct area a, const bool *dead, size_t chosen)
{
	unsigned left = 12, width = a.cols - left, i, shown, top = 0;
	size_t order[PICKS];
	uint64_t full;
	struct grid g;

	if (!s->n_disks || s->n_disks > PICKS || a.rows < 2 || a.cols < left + 2)
		return;
	disk_order(s, order);
	full = largest_disk(s);
	shown = a.rows - 1 < s->n_disks ? a.rows - 1 : (unsigned)s->n_disks;
	if (chosen < s->n_disks && chosen >= shown)
		top = (unsigned)chosen - shown + 1;
	grid_init(&g, shown + 1, width);
	for (i = 0; i < shown; i++) {
		chart_disk(&g, i, 0, width, s, order[top + i], full);
		if (dead && dead[order[top + i]])
			cross_out(&g, i);
	}
	chart_ruler(&g, shown, 0, width, s, full);
	draw_grid(a.row, a.col + left, &g);
	grid_done(&g);
	for (i = 0; i < shown; i++)
		draw_name(s->nodes.at[order[top + i]], a.row + i, a.col,
			  top + i == chosen ? PAINT_CHOSEN : PAINT_TEXT);
	if (shown < s->n_disks)
		draw_textf(a.row + shown, a.col, PAINT_TEXT, "+%zu", s->n_disks - shown);
}

void draw_disks(struct ui *ui, struct area a)
{
	unsigned sums = a.cols >= 70 ? 26 : 0;

	draw_stack(ui->s->stack, (struct area){ a.row, 1, a.rows, a.cols - sums - 2 }, NULL, SIZE_MAX);
	if (a.rows >= 2 && a.rows - 1 < ui->s->stack->n_disks)
		draw_text(a.row + a.rows - 1, 3 + (ui->s->stack->n_disks - a.rows > 8), PAINT_TEXT, ", z");
	if (sums && a.rows > 1)
		draw_sums(ui, ui->s->stack, (struct area){ a.row, a.cols - sums + 1, a.rows, sums - 2 });
}
