/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verbs - the table; the order is that of `naslab --help` and the manual. */
#include "cmd/cmd.h"

extern const struct verb verb_disks;
extern const struct verb verb_layouts;
extern const struct verb verb_plan;
extern const struct verb verb_results;
extern const struct verb verb_doc;

const struct verb *const verbs[] = {
	&verb_disks,
	&verb_layouts,
	&verb_plan,
	&verb_results,
	&verb_doc,
	NULL
};
