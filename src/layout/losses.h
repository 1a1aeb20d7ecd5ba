/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYOUT_LOSSES_H
#define LAYOUT_LOSSES_H

#include <jansson.h>

#include "layout/stack.h"

struct sbuf;

/*
 * What is left when these disks die, cache included: layer by layer, then what is lost and
 * what to do next. words: disk names, "sda,sdb". Fills out with text, and *json when it is
 * not NULL (the caller decrefs).
 */
int losses_of_words(const struct stack *s, const char *words, struct sbuf *out, json_t **json,
		    struct err *e);

/* The same for a set: dead[i] of the first n_disks nodes. */
void losses_text(const struct stack *s, const bool *dead, struct sbuf *out);

const char *health_word(enum health h);

/* --- between losses-text.c, losses-next.c and losses-commands.c */

struct replacement {
	const struct node *disk;	/* the dead one */
	uint64_t bytes;			/* the least that its successor must have */
};

struct next_step {
	const char *text;		/* one sentence */
	struct list commands;		/* const char *: shell lines that do it, in order */
};

struct losses_next {
	struct list steps;		/* struct next_step *, in the order to do them */
	struct list replace;		/* struct replacement * */
	struct list rebuild;		/* const struct node *: arrays that are written anew */
};

/* A set of dead disks and what has become of the stack. */
struct loss {
	const struct stack *s;
	const bool *dead;
	const enum health *health;	/* of every node */
	enum health *data;		/* the same if no cache disk were dead */
	bool *useful;			/* something that is not lost rests on it */
};

/* Add a step, and a shell line to it. */
struct next_step *next_say(const struct loss *l, struct losses_next *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void next_command(const struct stack *s, struct next_step *st, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The array or pool above a device of a dead disk that goes on without it and holds something,
 * NULL when there is none; *member is what of the disk it has joined (the device itself, or
 * what lies one to one on it).
 */
const struct node *loss_goes_on(const struct loss *l, const struct node *dev,
				const struct node **member);

/* What makes the successor of a dead disk what it was, up to the array that it joins. */
void commands_prepare(const struct loss *l, const struct node *disk, struct next_step *st);

/* Start one device of bcache, without its cache when that is gone, under its name. */
void commands_backing(const struct loss *l, const struct node *n, bool alone, struct next_step *st);

/* All caches of a disk on its successor; prepared: it is partitioned already. */
void commands_cache(const struct loss *l, const struct node *ssd, bool prepared,
		    struct next_step *st);

/* Unmount what lies on a node, or mount it again, as the plan does it. */
void commands_mounts(const struct loss *l, const struct node *n, bool mount, struct next_step *st);

/* Mount what rests on a layer and is not mounted. */
void commands_mount_again(const struct loss *l, const struct stmt *stmt, struct next_step *st);

/* What an array or pool wants so that its lost members come back, written anew. */
void commands_rebuild(const struct loss *l, const struct node *n, struct next_step *st);

/* Looks at the file systems above a node and writes nothing. */
void commands_check(const struct loss *l, const struct node *n, struct next_step *st);

/* Does it rest on the cache disk alone: a cache, a journal? */
bool node_on_cache(const struct node *n);

/* "sda" for /dev/sda, the kernel's name for anything else; for a path below /sys. */
const char *kernel_name_of(const struct stack *s, const char *dev);

/* The part of it that is about caches and journals: first without them, at the end new ones. */
void next_caches(const struct loss *l, struct losses_next *out);
void next_new_caches(const struct loss *l, struct losses_next *out);

/* What to do when these disks are gone and every node is so. */
void losses_next(const struct stack *s, const bool *dead, const enum health *health,
		 struct losses_next *out);

/* "5 of 6 members left, no further may go"; NULL when there is nothing to say. */
const char *losses_detail(const struct stack *s, const struct node *n, const enum health *health);

#endif
