/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYOUT_COMPARE_H
#define LAYOUT_COMPARE_H

#include <jansson.h>

#include "layout/stack.h"

/*
 * Every recipe on the same disks, side by side. Pure as the stack is, but for reading the
 * recipes' folders.
 */
struct candidate {
	const char *name, *title, *line;
	bool fits;
	const char *why;		/* of a misfit: what is in the way */
	bool cached;			/* it uses the cache disk */
	bool files_only;		/* file systems shown as one: a lost one loses its files only */
	uint64_t usable, redundancy, overhead, unused;	/* bytes, over the data disks */
	unsigned survives;
	struct list advice;		/* struct advice * */
	unsigned warnings;
};

/* Best first: what fits before what does not, then usable, then survives, then name. */
int compare_all(const struct pick *picks, size_t n, struct arena *a, struct list *out,
		struct err *e);

json_t *compare_json(const struct pick *picks, size_t n, const struct list *candidates);

#endif
