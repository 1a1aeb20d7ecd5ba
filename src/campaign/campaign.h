/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CAMPAIGN_CAMPAIGN_H
#define CAMPAIGN_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "bench/bench.h"
#include "layout/stack.h"
#include "store/store.h"

struct err;
struct inventory;
struct plan;
struct recipe;
struct sbuf;

/*
 * A campaign: layouts x axes x workloads, measured without anybody at the keyboard. A
 * file says what, one statement a line:
 *
 *   name nas-camp			of the campaign, and of the builds it makes
 *   disks /dev/sdb /dev/sdc		or on the command line
 *   cache-disks /dev/nvme0n1
 *   layout raid5-xfs			a recipe, or a one-line form
 *   layout md level=raid1 | ext4
 *   axis md.chunk 64K 512K -		an option of one layer; - leaves it as it is written
 *   axis chunk 64K 512K		of every layer that has it
 *   axis fs xfs ext4			the file system
 *   axis ram 192M 1G -			memory for engine and page cache
 *   workload small-text 500M
 *   reps 7
 *   rounds 1				how often every layout is built and measured
 *   scale 0.1
 *   op write read
 *   ram 4G				the same for all, and for - of the axis
 *   wait no				measure at once; what still syncs is flagged
 *   within 5%			repeat until the median is known so well,
 *   most 30				but not more often
 *   engine rsync
 *   cache cold
 *   seed 7				of the order
 *   title RAID 5 by chunk		for lists
 *   table md.chunk md.consistency	also show it so: rows, columns, ratios
 *
 * An axis that a layout has no place for leaves it as it is. A value that some layouts
 * refuse makes those cells impossible; one that all refuse is a mistake in the file.
 */
struct axis {
	const char *layer;	/* "md"; NULL: any that has the option, or none */
	const char *option;	/* NULL: the file system */
	bool ram;		/* not of a layer: "ram" */
	struct list values;	/* const char * */
	unsigned line;
};

const char *axis_name(struct arena *a, const struct axis *x);	/* "md.chunk", "chunk", "fs" */

struct campaign_layout {
	const char *text;	/* as written */
	unsigned line;
};

/* A layout with the axes' values put in, and the memory it is measured in. */
struct variant {
	const char *name;	/* of the layout, without what the axes put in */
	const char *label;	/* "raid5-xfs chunk=64K" */
	const char *layout;	/* one-line form */
	const char *options;	/* JSON object: {"md.chunk":"64K"} */
	uint64_t ram;		/* 0: all there is */
	const char *why;	/* it cannot be: the sentence; else NULL */
	uint64_t usable, sync_bytes;	/* after campaign_check(); sync_bytes: written before it settles */
};

struct campaign {
	struct arena *arena;
	const char *from;	/* the file, for sentences */
	const char *source;	/* its text */
	const char *name, *title;	/* title: NULL when it has none */
	struct list disks, cache_disks;	/* const char *, as written */
	struct list layouts;	/* struct campaign_layout * */
	struct list axes;	/* struct axis * */
	struct list workloads;	/* const struct workload * */
	unsigned reps, rounds;
	double within;		/* above 0: as of struct bench_order, and `most` */
	unsigned most;
	double scale;
	uint64_t ram;		/* 0: all there is */
	bool no_wait;
	enum copy_engine engine;
	bool write, read;
	enum cache_state cache;
	uint64_t seed;
	const struct axis *table_rows, *table_columns;	/* NULL: no table is asked for */
	struct disk_guess assumed;	/* for forecasts; campaign_check() */
	struct list variants;	/* struct variant *, in the order of the file */
};

/* The i-th statement of such a file, for the manual; false when there are not as many. */
bool campaign_statement(size_t i, const char **word, const char **value, const char **help);

/* Read a campaign and make its variants. The sentence has file and line. */
int campaign_parse(const char *text, const char *from, struct campaign **out, struct err *e);
int campaign_open(const char *path, struct campaign **out, struct err *e);
void campaign_free(struct campaign *c);		/* takes NULL */

/* The folder of the shipped ones: $NASLAB_CAMPAIGNS, beside the program, or the installed
 * one; and a file by its path, else a shipped one by its name. */
const char *campaign_folder(void);
const char *campaign_file(struct arena *a, const char *word);
/* The names of the shipped ones, sorted: const char *. */
void campaign_names(struct arena *a, struct list *out);

/* The variants, from layouts and axes; campaign_parse() calls it. */
int campaign_expand(struct campaign *c, struct err *e);

/* All that makes it this campaign, in one form: two files that give the same go on with
 * the same cells. */
char *campaign_text(const struct campaign *c, struct arena *a);

/* Which variants cannot be on these disks, and here when `tools`: fills why and usable. */
void campaign_check(struct campaign *c, const struct pick *picks, size_t n, bool tools);

/* A layout on these disks as a cell is measured on it: with one file system at its end. */
struct campaign_plan {	/* its owner frees it with campaign_plan_free() */
	struct recipe *recipe;
	struct stack *stack;
	struct plan *plan;
};
int campaign_plan(const struct campaign *c, const char *layout, const struct pick *picks, size_t n,
		  struct campaign_plan *out, struct err *e);
void campaign_plan_free(struct campaign_plan *p);	/* takes an empty one */

/* May the disks be written, now? Asked of every layout that can be; -1 also when none can. */
int campaign_guard(const struct campaign *c, const struct pick *picks, size_t n,
		   const struct inventory *now, char *const *wipe, struct err *e);
/* Of the words of --wipe those that name disks of this stack, NULL-terminated: a layout may do
 * without some of the campaign's disks, and a build refuses words that name none of its own. */
char **campaign_wipe(struct arena *a, const struct stack *s, const struct inventory *now,
		     char *const *wipe);

/*
 * The cells in the order they are measured, struct campaign_cell *: in every round the
 * layouts are shuffled by the seed, and what is measured on one layout stands together; an
 * even round is the one before it turned round, so that a steady drift cancels out.
 * Impossible ones come with their reason.
 */
void campaign_cells(const struct campaign *c, struct arena *a, struct list *out);

/* What is written and read by the cells that are still to be done, and how long it takes: with
 * an assumed disk, corrected by what the finished ones took once there are some. */
struct campaign_forecast {
	unsigned cells, builds;		/* still to be done */
	uint64_t write_bytes, read_bytes;
	uint64_t ns;
	bool measured;			/* ns comes from finished cells */
};
void campaign_forecast(const struct campaign *c, const struct list *cells,
		       struct campaign_forecast *out);
/* The disk it assumes, from those that are there; campaign_check() calls it. */
void campaign_assume(struct campaign *c, const struct pick *picks, size_t n);

/* Cell by cell as JSON, for --json. */
json_t *campaign_json(const struct campaign *c, const struct list *cells);

/* A label in so many cells: the layout's name is cut, what the axes put in stays. */
const char *campaign_label(struct arena *a, const char *label, const char *options, size_t width);

/* Of a layout in so much memory and a workload the cell that says most: of the last round that
 * has begun. */
const struct campaign_cell *campaign_cell_at(const struct list *cells, const char *layout,
					     uint64_t ram, const char *workload);

/*
 * The cells as tables of two axes, one for every workload and operation: medians, felt and for
 * writing durable, and behind each column but the first its ratio to the first. Text for 80 columns.
 */
void campaign_table(const struct campaign *c, const struct list *cells, const struct axis *rows,
		    const struct axis *columns, struct sbuf *out);
/* The axis of that name; NULL: none. */
const struct axis *campaign_axis(const struct campaign *c, const char *name);

/* Is somebody at work on it, and which boot is this? */
const char *campaign_boot(struct arena *a);
bool campaign_alive(const struct stored_campaign *row);

/* The disks it runs on as JSON for the store, and found again from that: by path when
 * that is still the disk, else by serial. */
char *campaign_disks_json(const struct pick *picks, size_t n, struct arena *a);
int campaign_disks_find(const char *json, const struct inventory *inv, struct arena *a,
			struct pick **out, size_t *n, struct err *e);

/*
 * The work. Cells that wait are done in their order: build, wait until it has settled (the
 * gates of bench do), measure, destroy. A cell that fails keeps its reason, and the next
 * one follows. What a crash left of an earlier start is taken back first.
 *
 *   {"event":"campaign","name":N,"cells":N,"waiting":N,...}
 *   {"event":"cell","n":N,"cells":N,"layout":L,"workload":W,"state":S,"reason":R,
 *    "done":N,"left_ns":N}			done: cells with an end; left_ns: once known
 *   {"event":"phase","phase":"recover|build|measure|destroy","text":"..."}
 *   and those of the executor: step, output, sync, wait, sample, run, result
 *   {"event":"end","ok":true|false,"text":"...","exit":N}	the last one
 *
 * What a screen elsewhere wants to know is kept in the row's "say": {"phase","text","done",
 * "cells","left_ns","measured","write_bytes","run":{"workload","op","rep","of","bps"}}. What
 * a screen changes in the table is heeded before the next layout: a failed cell that waits
 * again, a waiting one that is left out, a pause; one after a repetition as soon as none stands
 * half done.
 */
struct campaign_run {
	const struct campaign *campaign;
	struct store *store;
	const struct stored_campaign *row;
	struct list *cells;		/* struct campaign_cell * of the row */
	struct arena *arena;		/* for what the cells point to afterwards */
	char *const *wipe;		/* NULL-terminated, or NULL */
	void (*emit)(void *arg, const json_t *event);
	bool (*stopped)(void *arg);	/* true: take down what stands and come back */
	void *arg;
};

/* 0: every cell has an end. -1: stopped, or it cannot go on; the next call goes on there. */
int campaign_run(const struct campaign_run *r, struct err *e);

#endif
