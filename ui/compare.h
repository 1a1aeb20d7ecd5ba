/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_COMPARE_H
#define UI_COMPARE_H

#include "ui/ui.h"

/* Every layout on the disks, and the one that the cursor is on. */
struct compare {
	struct arena *arena;
	struct list all;		/* struct candidate *, of the engine */
	struct candidate **shown;
	size_t n_shown, n_fit;
	uint64_t most;			/* usable bytes of the largest */
	uint64_t disks;			/* a digest of the disks they were computed for */
	struct roll roll;
	unsigned page;
	enum compare_sort sort;
	bool misfits, filtering;
	struct field filter;
	char base[64];			/* what the others are held against; "" */

	const struct candidate *of;	/* whose stack this is */
	struct recipe *recipe;
	struct stack *stack;		/* NULL for a misfit */
	const char *remedy;		/* of a misfit: what it would fit with */
};

const struct candidate *compare_at(const struct compare *c);
const struct candidate *compare_base(const struct compare *c);
void compare_draw(struct ui *ui, void *state, struct area body);

#endif
