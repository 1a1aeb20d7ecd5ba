/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CMD_CAMPAIGN_H
#define CMD_CAMPAIGN_H

#include <stdbool.h>

#include "naslab.h"

/* A campaign on a terminal (cmd/campaign-show.c). */
struct campaign_show {
	const struct campaign *c;
	const struct list *cells;
	bool json, tty;
	unsigned columns;
	uint64_t left_ns;	/* 0: not known yet */
};

void campaign_show_init(struct campaign_show *s, const struct campaign *c,
			const struct list *cells, bool json);
void campaign_show_end(struct campaign_show *s);
void campaign_event(void *show, const json_t *event);	/* for campaign_run() */
void campaign_put(const json_t *event);			/* one line of JSON */

/* What is about to happen, before a byte is written. */
void campaign_summary(const struct campaign *c, const struct list *cells, bool begun);
/* Layouts down, workloads across, and below it the reasons of what is not done. */
void campaign_grid(const struct campaign *c, const struct list *cells);

#endif
