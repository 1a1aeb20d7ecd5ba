/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_BENCH_H
#define UI_BENCH_H

#include "ui/ui.h"

enum { BENCH_CLASSES = 64, BENCH_MOST = 30 };

/* The form before, the bars during and after. */
struct bench {
	bool form;		/* the form is shown */
	struct arena *arena;
	struct list workloads;	/* const struct workload * */
	bool chosen[BENCH_CLASSES];
	struct list suites;	/* const struct suite * */
	const struct suite *suite;	/* what is chosen is this one; NULL: an own choice */
	char target[256];	/* a build's name or a folder */
	char what[256];		/* the layout of that build */
	struct arena *targets_arena;
	struct list targets;	/* char *: names of what is built, newest first */
	bool write, read;
	unsigned reps;
	double within;		/* above 0: so often at least, until it is sure */
	double scale;
	enum cache_state cache;
	uint64_t ram;		/* 0: all there is */
	struct roll lines, bars;
	unsigned page;
	bool durable, zoom, runs;
	struct bench_run {	/* where the run that goes on was drawn */
		bool rule;		/* a line with words is above the chart */
		struct area chart;	/* its bytes are said below */
	} run;
	struct err err;		/* why it cannot start; text "" when it can */
	struct bench_forecast forecast;
};

void bench_draw_bars(struct ui *ui, struct bench *b, struct area body);
/* Only the run that goes on, where it was drawn; false: there is none. */
bool bench_draw_run(struct ui *ui, struct bench *b);
/* The line "where": the newest build when none is open, and the list to choose from. */
void bench_target_default(struct ui *ui, struct bench *b);
void bench_target_choose(struct ui *ui, struct bench *b);
/* A suite from the list: its classes and its rule. */
void bench_suite_choose(struct ui *ui, struct bench *b);
/* Does it fit, and how much is written: after every change. */
void bench_look(struct ui *ui, struct bench *b);
void bench_draw_form(struct ui *ui, struct bench *b, struct area body);

/* The lines of the form above the classes, and below them. */
enum { LINE_TARGET, LINE_SUITE, LINE_OP, LINE_REPS, LINE_SCALE, LINE_CACHE, LINE_RAM,
       LINE_CLASSES };

#endif
