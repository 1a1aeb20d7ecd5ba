/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYOUT_PTABLE_H
#define LAYOUT_PTABLE_H

#include "layout/stack.h"

/*
 * The partition table of one disk in a stack: GPT, cut at whole MiB, 1 MiB kept at the start
 * and at the end for its two copies. Every layer that makes partitions does it through this,
 * so a disk has one table whoever puts partitions on it.
 */

enum { PTABLE_PARTS = 128 };		/* entries of a GPT as everybody makes it */

struct ptable {
	struct node *disk;
	struct node *parts[PTABLE_PARTS];
	unsigned n_parts;
	uint64_t end;			/* bytes: no partition may reach further; 0: too small */
};

/*
 * What reserve= of a statement leaves free at the end of a disk of so many bytes. A percentage
 * is of the disk and rounded up to a whole MiB: at least as much stays free.
 */
uint64_t ptable_reserve(const struct stmt *st, uint64_t bytes);

/* An option of every layer that makes partitions. */
#define OPTION_RESERVE { .name = "reserve", .type = OPTION_SIZE, .max = 100 * GIB, \
	.percent = 50, .def = "0", \
	.help = "kept free at the end for a smaller new disk; 1% is whole MiB" }

/* The table of a disk that has none yet; reserve bytes are left free at its end. */
struct ptable *ptable_new(struct stack *s, struct node *disk, uint64_t reserve);

/* The table of this disk, made if it has none. */
struct ptable *ptable_of(struct stack *s, struct node *disk);

/* Add a partition of a new node. */
struct node *ptable_add(struct stack *s, struct ptable *t, const struct layer *l,
			const struct stmt *st, uint64_t start, uint64_t end);

/* Make an existing node the table's next partition. */
void ptable_take(struct stack *s, struct ptable *t, struct node *n, uint64_t start, uint64_t end);

/* For struct layer of everything that is a partition. */
void ptable_account(const struct node *n, const struct split *mine, struct split *kids);
int ptable_plan(const struct node *n, struct plan *p, struct err *e);
extern const char *const ptable_tools[], *const ptable_packages[];

#endif
