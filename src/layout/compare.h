/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYOUT_COMPARE_H
#define LAYOUT_COMPARE_H

#include <jansson.h>

#include "layout/stack.h"

struct recipe;

/*
 * Every recipe on the same disks, side by side. Pure as the stack is, but for reading the
 * recipes' folders.
 */
struct candidate {
	const char *name, *title, *line;
	const char *group;		/* what it is listed with */
	unsigned group_at;		/* the groups in the order of `naslab layouts` */
	bool fits;
	const char *why;		/* of a misfit: what is in the way */
	const char *remedy;		/* and what it would fit with, after compare_remedies() */
	bool cached;			/* it uses the cache disk */
	bool files_only;		/* file systems shown as one: a lost one loses its files only */
	uint64_t usable, redundancy, overhead, unused;	/* bytes, over the data disks */
	unsigned survives;
	struct list advice;		/* struct advice * */
	unsigned warnings;
};

/* Ways to order them; what fits comes first in each, within its group in COMPARE_GROUP. */
enum compare_sort { COMPARE_USABLE, COMPARE_SURVIVES, COMPARE_UNUSED, COMPARE_GROUP, COMPARE_NAME, COMPARE_KINDS };

void candidates_sort(struct candidate **at, size_t n, enum compare_sort by);

/* Are these letters in its name, title, group or recipe, whatever their case? */
bool candidate_has(const struct candidate *c, const char *letters);

/* Best first: what fits before what does not, then usable, then survives, then name. */
int compare_all(const struct pick *picks, size_t n, struct arena *a, struct list *out,
		struct err *e);

/*
 * What a recipe would fit with that does not: "3 more disks as large as sda", an SSD as cache,
 * or both; NULL when no such addition helps, and the reason itself says what is in the way.
 */
const char *compare_remedy(const struct recipe *r, const struct pick *picks, size_t n,
			   struct arena *a);

/* The same for every misfit of the list. */
void compare_remedies(const struct pick *picks, size_t n, struct arena *a, struct list *all);

json_t *compare_json(const struct pick *picks, size_t n, const struct list *candidates);

#endif
