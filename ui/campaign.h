/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_CAMPAIGN_H
#define UI_CAMPAIGN_H

#include "ui/ui.h"

/*
 * A campaign as the database has it, whoever runs it; and the last look before one is
 * started. Rows are layouts, each in its memory, columns are workloads, a cell is one of them on
 * the other.
 */
struct campaign_view {
	struct arena *arena;		/* of what was read */
	struct list all;		/* struct stored_campaign * */
	const struct stored_campaign *row;	/* the one that is shown; NULL: there is none */
	char name[64];			/* of it; stays when all is read again */
	struct campaign *file;		/* from its source; NULL: it cannot be had */
	int64_t file_of;		/* id of the row `file` is of */
	struct list cells;		/* struct campaign_cell * */
	struct list rows;		/* const struct campaign_cell *: the first of each */
	struct list workloads;		/* const char * */
	json_t *say;			/* how far it is */
	bool alive;
	int64_t looked_ns;
	size_t at_row, at_workload, top, left;
	unsigned page;
	char op[32];			/* whose medians the cells show */
	bool table;			/* two axes as a table instead */
	struct roll lines;		/* of the table */
	struct report_filter filter;	/* of an export: what this campaign measured */

	/* Before one is started. */
	bool asking;
	struct arena *asking_arena;
	struct campaign *next;
	char path[1024];		/* its file, absolute */
	struct list disks, wipe;	/* struct disk * as they are now; char * */
	struct list roles;		/* char *: "data", "cache" */
	struct list next_cells;
	struct field field;
};

/* Read the database again; -1: it was said why not. */
int campaign_read(struct ui *ui, struct campaign_view *v);
/* The cell of a row and a column, and the one under the cursor; NULL: there is none. */
const struct campaign_cell *campaign_at(const struct campaign_view *v, size_t row, size_t workload);
const struct campaign_cell *campaign_chosen(const struct campaign_view *v);
/* The operations that were measured, in the order they came; how many. */
size_t campaign_ops(const struct campaign_view *v, const char *ops[16]);
size_t campaign_ended(const struct list *cells);

void campaign_draw(struct ui *ui, void *state, struct area body);

/* Ask for a file, then for the name; and go on with the one that is shown. */
void campaign_ask_file(struct ui *ui, struct campaign_view *v);
void campaign_draw_asking(struct ui *ui, struct campaign_view *v, struct area body);
enum react campaign_act_asking(struct ui *ui, struct campaign_view *v, int act);
void campaign_go_on(struct ui *ui, struct campaign_view *v);
void campaign_forget_asking(struct campaign_view *v);

/* Ask, then end it at once, at a good place, or for ever. */
void campaign_stop(struct ui *ui, struct campaign_view *v);
void campaign_pause(struct ui *ui, struct campaign_view *v);
void campaign_unpause(struct ui *ui, struct campaign_view *v);
void campaign_delete(struct ui *ui, struct campaign_view *v);
/* Why it cannot be deleted; NULL: it can. */
const char *campaign_keeps(const struct campaign_view *v);

#endif
