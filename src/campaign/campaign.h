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
 *   workload small-text 500M
 *   reps 7
 *   rounds 1				how often every layout is built and measured
 *   scale 0.1
 *   op write read
 *   cache cold
 *   seed 7				of the order
 *
 * An axis that a layout has no place for leaves it as it is. A value that some layouts
 * refuse makes those cells impossible; one that all refuse is a mistake in the file.
 */
struct axis {
	const char *layer;	/* "md"; NULL: any that has the option, or the file system */
	const char *option;	/* NULL: the file system */
	struct list values;	/* const char * */
	unsigned line;
};

struct campaign_layout {
	const char *text;	/* as written */
	unsigned line;
};

/* A layout with the axes' values put in. */
struct variant {
	const char *label;	/* "raid5-xfs chunk=64K" */
	const char *layout;	/* one-line form */
	const char *options;	/* JSON object: {"md.chunk":"64K"} */
	const char *why;	/* it cannot be: the sentence; else NULL */
	uint64_t usable;	/* after campaign_check() */
};

struct campaign {
	struct arena *arena;
	const char *from;	/* the file, for sentences */
	const char *name;
	struct list disks, cache_disks;	/* const char *, as written */
	struct list layouts;	/* struct campaign_layout * */
	struct list axes;	/* struct axis * */
	struct list workloads;	/* const struct workload * */
	unsigned reps, rounds;
	double scale;
	bool write, read;
	enum cache_state cache;
	uint64_t seed;
	struct list variants;	/* struct variant *, in the order of the file */
};

/* Read a campaign and make its variants. The sentence has file and line. */
int campaign_parse(const char *text, const char *from, struct campaign **out, struct err *e);
int campaign_open(const char *path, struct campaign **out, struct err *e);
void campaign_free(struct campaign *c);		/* takes NULL */

/* The variants, from layouts and axes; campaign_parse() calls it. */
int campaign_expand(struct campaign *c, struct err *e);

/* All that makes it this campaign, in one form: two files that give the same go on with
 * the same cells. */
char *campaign_text(const struct campaign *c, struct arena *a);

/* Which variants cannot be on these disks, and here when `tools`: fills why and usable. */
void campaign_check(struct campaign *c, const struct pick *picks, size_t n, bool tools);

/*
 * The cells in the order they are measured, struct campaign_cell *: in every round the
 * layouts are shuffled by the seed, and what is measured on one layout stands together.
 * Impossible ones come with their reason.
 */
void campaign_cells(const struct campaign *c, struct arena *a, struct list *out);

/* What is written and read by the cells that are still to be done. */
struct campaign_forecast {
	unsigned cells, builds;		/* still to be done */
	uint64_t write_bytes, read_bytes;
};
void campaign_forecast(const struct campaign *c, const struct list *cells,
		       struct campaign_forecast *out);

/* Cell by cell as JSON, for --json. */
json_t *campaign_json(const struct campaign *c, const struct list *cells);

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
