/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_RESULTS_H
#define UI_RESULTS_H

#include "ui/ui.h"

/* What was measured: the layouts side by side for one class, or two of them over all. */
struct results {
	struct arena *arena;
	json_t *all;			/* results with their runs */
	struct report_filter filter;
	struct report_picture *pictures;
	size_t n_pictures, at;
	struct arena *pairs_arena;
	struct report_pair *pairs;	/* of base and chosen, over the classes */
	size_t n_pairs;
	char base[512], chosen[512];	/* labels; base "": nothing is compared */
	bool two;			/* two layouts over the classes */
	bool runs;			/* the runs in order, not the words */
	struct roll bars, rows;
	unsigned page;
};

const struct report_picture *results_picture(const struct results *r);
const struct report_bar *results_bar(const struct results *r);	/* the chosen one */
const struct report_bar *results_base(const struct results *r);	/* in this picture */
/* The chosen one against the base; 0 when there is nothing to compare. */
size_t results_pair(const struct results *r, const struct report_bar *b, struct arena *a,
		    struct report_pair *out);
/* Go to the screen and show this one: class, operation, label. */
void results_show(struct ui *ui, const char *class, const char *op, const char *label);
void results_draw(struct ui *ui, void *state, struct area body);

#endif
