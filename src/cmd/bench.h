/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CMD_BENCH_H
#define CMD_BENCH_H

#include "naslab.h"

/* bench-show.c: what a measurement reports, on standard output. */
struct bench_show {
	bool json, tty;
	unsigned columns, op_width;	/* op_width: of the operations' names */
	json_t *results;		/* the result events */
	uint64_t began_ns, work, worked;	/* bytes of all runs; of those done */
	uint64_t last_n, last_ns;	/* for the rate shown now */
	double now;
	int status;			/* of the end event */
	char *text;			/* its sentence when it failed */
};

void bench_show_event(struct bench_show *s, json_t *j);
/* The bars, at the end. */
void bench_show_results(const struct bench_show *s);
uint64_t bench_now_ns(void);	/* monotonic */

#endif
