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

/* --- between losses-text.c and losses-next.c */

struct replacement {
	const struct node *disk;	/* the dead one */
	uint64_t bytes;			/* the least that its successor must have */
};

struct losses_next {
	struct list steps;		/* const char *: one sentence each, in the order to do them */
	struct list replace;		/* struct replacement * */
	struct list rebuild;		/* const struct node *: arrays that are written anew */
};

/* What to do when these disks are gone and every node is so. */
void losses_next(const struct stack *s, const bool *dead, const enum health *health,
		 struct losses_next *out);

/* "5 of 6 members left, no further may go"; NULL when there is nothing to say. */
const char *losses_detail(const struct stack *s, const struct node *n, const enum health *health);

#endif
