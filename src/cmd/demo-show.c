/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demo-show - the pictures of the demo, on plain output of 80 columns. */
#include "cmd/demo.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { WIDE = 79, PICTURE = 40, BAR_AT = 15, BAR = 34, NUMBERS_AT = 50 };

void demo_print(const struct demo *d, struct grid *g)
{
	struct sbuf b = { 0 };

	grid_print(g, d->tier, d->colour, &b);
	fputs(sbuf_str(&b), stdout);
	fflush(stdout);
	sbuf_done(&b);
	grid_done(g);
}

void demo_heading(const struct demo *d, const char *fmt, ...)
{
	struct sbuf b = { 0 };
	struct grid g;
	unsigned i;
	va_list ap;

	sbuf_add(&b, "── ");
	va_start(ap, fmt);
	sbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	sbuf_addc(&b, ' ');
	for (i = 0; i < WIDE; i++)
		sbuf_add(&b, "─");
	grid_init(&g, 2, WIDE);
	grid_text(&g, 1, 0, b.text);
	sbuf_done(&b);
	demo_print(d, &g);
}

void demo_show_disks(const struct demo *d)
{
	char size[SIZE_TEXT];
	size_t i;

	for (i = 0; i < d->stack->n_disks; i++) {
		const struct disk *disk = ((const struct node *)d->stack->nodes.at[i])->disk;
		struct sbuf model = { 0 }, cell = { 0 };

		sbuf_add_safe(&model, disk->model ? disk->model : "no model");
		sbuf_add_padded(&cell, sbuf_str(&model), 24);
		printf(" %-5s %-4s %8s  %s %s\n", disk->name, disk_kind_word(disk->kind),
		       size_text(size, disk->bytes, SIZE_SI), sbuf_str(&cell),
		       disk_state_word(disk->state));
		sbuf_done(&model);
		sbuf_done(&cell);
	}
}

/* Right of the picture: what the fills mean, with the sums over all data disks. */
static void legend(struct grid *g, const struct stack *s)
{
	static const struct {
		enum ink ink;
		const char *word;
	} rows[] = {
		{ INK_USABLE, "usable" }, { INK_REDUNDANCY, "redundancy" },
		{ INK_OVERHEAD, "overhead" }, { INK_UNUSED, "unused" },
	};
	struct split sum = { 0 };
	uint64_t bytes[4];
	size_t i;

	for (i = 0; i < s->n_disks; i++) {
		const struct split *p = &((const struct node *)s->nodes.at[i])->split;

		sum.usable += p->usable;
		sum.redundancy += p->redundancy;
		sum.overhead += p->overhead;
		sum.unused += p->unused;
	}
	bytes[0] = sum.usable;
	bytes[1] = sum.redundancy;
	bytes[2] = sum.overhead;
	bytes[3] = sum.unused;
	for (i = 0; i < 4; i++) {
		char size[SIZE_TEXT], text[80];

		grid_ink(g, (unsigned)i, PICTURE + 10, rows[i].ink);
		snprintf(text, sizeof(text), "%-10s %9s", rows[i].word,
			 size_text(size, bytes[i], SIZE_SI));
		grid_text(g, (unsigned)i, PICTURE + 12, text);
	}
}

void demo_show_layout(const struct demo *d)
{
	const struct stack *s = d->stack;
	char usable[SIZE_TEXT], raw[SIZE_TEXT];
	uint64_t full = 0;
	unsigned rows = s->n_disks < 4 ? 5 : (unsigned)s->n_disks + 1;
	struct grid g;
	size_t i;

	for (i = 0; i < s->n_disks; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->bytes > full)
			full = n->bytes;
	}
	printf(" It holds %s of %s and survives the loss of any %u disk%s.\n\n",
	       size_text(usable, s->usable_bytes, SIZE_SI), size_text(raw, s->raw_bytes, SIZE_SI),
	       s->survives, s->survives == 1 ? "" : "s");
	grid_init(&g, rows, WIDE);
	for (i = 0; i < s->n_disks; i++) {
		grid_text(&g, (unsigned)i, 1, ((const struct node *)s->nodes.at[i])->name);
		chart_disk(&g, (unsigned)i, 7, PICTURE, s, i, full);
	}
	chart_ruler(&g, rows - 1, 7, PICTURE, s, full);
	legend(&g, s);
	demo_print(d, &g);
}

void demo_show_results(const struct demo *d, const struct demo_result *r, size_t n)
{
	struct grid g;
	double top = 0;
	size_t i;

	for (i = 0; i < n; i++)
		top = fmax(top, r[i].max);
	top = chart_top(top);
	grid_init(&g, (unsigned)n + 2, WIDE);
	grid_text(&g, 0, 1, "class      op");
	chart_scale(&g, 0, BAR_AT, BAR, top);
	grid_text(&g, 0, NUMBERS_AT, "  MB/s     min-max   n   d:f");
	for (i = 0; i < n; i++) {
		unsigned row = (unsigned)i + 1;
		char mid[SIZE_TEXT], low[SIZE_TEXT], high[SIZE_TEXT], share[SIZE_TEXT];
		char range[2 * SIZE_TEXT], text[4 * SIZE_TEXT];

		snprintf(text, sizeof(text), "%-11.11s %.1s", r[i].class, r[i].op);
		grid_text(&g, row, 1, text);
		chart_bar(&g, row, BAR_AT, BAR, top, r[i].min, r[i].median, r[i].max);
		snprintf(range, sizeof(range), "%s-%s", plain_number_text(low, r[i].min),
			 plain_number_text(high, r[i].max));
		snprintf(text, sizeof(text), "%6s %11s %3u %5s", plain_number_text(mid, r[i].median),
			 range, r[i].runs,
			 isnan(r[i].disk_per_file) ? "?" : number_text(share, r[i].disk_per_file));
		grid_text(&g, row, NUMBERS_AT, text);
	}
	grid_ink(&g, (unsigned)n + 1, BAR_AT, INK_RANGE);
	grid_text(&g, (unsigned)n + 1, BAR_AT + 2, "lowest to highest run");
	grid_ink(&g, (unsigned)n + 1, BAR_AT + 25, INK_MEDIAN);
	grid_text(&g, (unsigned)n + 1, BAR_AT + 27, "median   d:f  bytes on disks : file");
	demo_print(d, &g);
}
