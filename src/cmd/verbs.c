/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verbs - the table; the order is that of `naslab --help` and the manual. */
#include "cmd/cmd.h"

extern const struct verb verb_disks;

const struct verb *const verbs[] = {
	&verb_disks,
	NULL
};
