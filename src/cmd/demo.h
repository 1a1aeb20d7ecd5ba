/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CMD_DEMO_H
#define CMD_DEMO_H

#include "naslab.h"

/*
 * What the parts of the demo share. demo.c is the outside (starts the sandbox) and the
 * story; demo-show.c draws; both run inside, where everything is real.
 */
struct demo {
	struct arena *arena;
	enum tier tier;
	bool colour;
	const char *db;		/* NULL: the default one */
	struct inventory *disks;
	struct recipe *recipe;
	struct stack *stack;
	struct plan *plan;
};

/* A result of the measuring, as its event said it. */
struct demo_result {
	const char *class, *op;
	double min, median, max;	/* MB/s */
	double disk_per_file;		/* NAN: not known */
	unsigned runs;
};

void demo_heading(const struct demo *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void demo_show_disks(const struct demo *d);
void demo_show_layout(const struct demo *d);
void demo_show_results(const struct demo *d, const struct demo_result *r, size_t n);
void demo_print(const struct demo *d, struct grid *g);	/* and free it */

#endif
