/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_BUILD_H
#define UI_BUILD_H

/* What the files of the Build screen share. */
#include "ui/ui.h"

struct build_view {
	char name[64];		/* the build that is looked at; "": none */
	json_t *status;
	struct err status_err;
	int64_t looked_ns;
	bool layers, log, chosen;	/* which list; chosen: by the person, else by what goes on */
	struct roll list, lines;
	unsigned page;
};

/* Is the work that goes on, or ended last, of this build? */
bool build_is_work_of(const struct ui *ui, const struct build_view *v);
void build_read(struct ui *ui, struct build_view *v);		/* its layers as they are now */
void build_draw(struct ui *ui, void *state, struct area body);	/* build-draw.c */
unsigned build_syncs(const struct ui *ui, const struct build_view *v);	/* rows of its first syncs */

#endif
