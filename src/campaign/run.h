/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CAMPAIGN_RUN_H
#define CAMPAIGN_RUN_H

#include "campaign/campaign.h"

/* What the files of this room share while a campaign runs. */

struct campaign_work {
	const struct campaign_run *run;
	struct arena *arena;
	bool stopped;
	enum campaign_pause paused;	/* and why: it was asked for */
	char of[64];		/* of the executor at work, the repetition: workload and number */
	uint64_t rep;		/* 0: none was begun */
	char *phase, *doing;	/* what was said last, for the row's "say" */
	json_t *last_run;
};

bool campaign_stops(struct campaign_work *w);
void campaign_emit(struct campaign_work *w, json_t *event);		/* takes the reference */

/* Let an executor carry out an order (whose reference is taken) and pass its events on;
 * result events are collected in results when it is not NULL. */
int campaign_order(struct campaign_work *w, json_t *order, bool stoppable, json_t *results, struct err *e);

/* What a result of that cell is marked with. */
json_t *campaign_tags(const struct campaign_work *w, const struct campaign_cell *c);

/* Commit a state, or an end with results, and say it. */
int campaign_set(struct campaign_work *w, struct campaign_cell **cells, size_t n, enum cell_state state,
	     const char *reason, struct err *e);
int campaign_done(struct campaign_work *w, struct campaign_cell *c, const json_t *results, struct err *e);

/*
 * Measure the cells of one build that stands, interleaved; when that fails, each by itself,
 * so that one workload's failure is not another's. -1 with `why`: what failed and was not
 * recorded; with `e`: the database cannot be written.
 */
int measure_cells(struct campaign_work *w, struct campaign_cell **cells, size_t n, struct err *why,
		  struct err *e);

#endif
