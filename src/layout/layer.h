/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYOUT_LAYER_H
#define LAYOUT_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct arena;
struct disk;
struct err;
struct node;
struct plan;
struct stack;
struct stmt;

/*
 * A layer driver: one file in src/layers/, one const struct layer, one row of
 * layers.c. It never forks or writes; status only reads below the root it is given.
 */

enum layer_kind { LAYER_DIVIDE, LAYER_MAP, LAYER_JOIN };

/* What flows: a block device, or a directory (a file system's mount point). */
enum thing { THING_BLOCK, THING_DIR };

enum option_type {
	OPTION_SIZE,		/* bytes, size_parse() */
	OPTION_COUNT,
	OPTION_WORD,		/* one of `words` */
	OPTION_YESNO,
	OPTION_FOLDER,		/* the name of one folder in the file system */
	OPTION_MOUNT,		/* a list of mount options from the layer's checked alphabet */
};

struct option {
	const char *name;
	enum option_type type;
	unsigned percent;	/* OPTION_SIZE: also up to so many percent of the disk; 0: no */
	const char *words;	/* OPTION_WORD: "raid0 raid1 raid5" */
	uint64_t min, max;	/* OPTION_SIZE, OPTION_COUNT */
	const char *def;	/* as it would be written; NULL: decided by the layer */
	const char *help;	/* one sentence, no full stop */
};

/* How bytes of a device are spent. Sums to the device's size. */
struct split {
	uint64_t usable, redundancy, overhead, unused;
};

enum health { HEALTH_OK, HEALTH_DEGRADED, HEALTH_LOST };

/* What one layer's live state is; filled by .status from sysfs and libdevmapper. */
struct live {
	bool present;
	uint64_t bytes;			/* actual size of the device; 0 when unknown */
	uint64_t total, avail;		/* statvfs, of a mounted directory; 0 when unknown */
	const char *state;		/* one word: ok, syncing, rebuilding, checking, degraded, failed, missing */
	const char *detail;		/* "[UU_U] recovery"; NULL when nothing to add */
	bool sync_running;
	double sync_percent;
	uint64_t sync_bps;		/* the kernel's number; 0: none, so no estimate */
	uint64_t sync_left_ns;		/* 0 when unknown */
};

struct layer {
	const char *name;		/* the keyword */
	const char *title;		/* "Software RAID (mdadm)" */
	const char *about;		/* two sentences for `e explain` and the manual */
	enum layer_kind kind;
	enum thing takes, gives;
	const char *const *tools;	/* programs needed to build it; NULL-terminated */
	const char *const *packages;	/* Debian package of each tool, same order */
	const char *kernel_fs;		/* file system the kernel must know, NULL when none */
	const char *signature;		/* what libblkid then sees on the devices below it; NULL: nothing */
	const struct option *options;	/* ends with .name == NULL */
	bool by_hand;			/* after a restart a person has to open it again */

	/* Options that exclude each other, ranges that depend on each other. May be NULL. */
	int (*check)(const struct stmt *st, struct err *e);

	/*
	 * DIVIDE: make the devices and say which group each is in: node->group = 0, 1, ...
	 * Created nodes go to the stack with stack_node(). Replaces `size` for such layers.
	 */
	int (*divide)(struct stack *s, const struct stmt *st, struct node **in, size_t n,
		      struct err *e);

	/*
	 * MAP, JOIN: from kids to bytes, sectors, I/O limits, level, tolerance, facts.
	 * 0 done; 1 this group is left out (node->note says why); -1 it cannot be.
	 */
	int (*size)(struct stack *s, struct node *n, struct err *e);

	/*
	 * How the bytes of the node lie on its kids: given `mine` (sums to node->bytes),
	 * fill kids[i], each summing to n->kids[i]->bytes; of a disk that several
	 * partitions share, kids[0] is what this partition adds. NULL: every kid's share
	 * is in proportion to its size, the difference is overhead.
	 */
	void (*account)(const struct node *n, const struct split *mine, struct split *kids);

	/* What is left of it when kids[i] are so. NULL: as good as the worst kid. */
	enum health (*health)(const struct node *n, const enum health *kids);

	/* Append the steps that build it; their undo tears it down. */
	int (*plan)(const struct node *n, struct plan *p, struct err *e);

	/* Read its state below root. NULL: stack_status() asks the block device alone. */
	int (*status)(const struct node *n, const char *root, struct arena *a, struct live *out,
		      struct err *e);
};

/* The table, in the order a person meets them; NULL-terminated. */
extern const struct layer *const layers[];

const struct layer *layer_find(const char *name);
const struct option *layer_option(const struct layer *l, const char *name);

#endif
