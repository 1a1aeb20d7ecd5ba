/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_DISKS_H
#define UI_DISKS_H

#include "ui/ui.h"

/* What is on a disk or who uses it, in one sentence. */
const char *disk_what(const struct disk *d);
/* Everything about a disk, a line each; the first lines are those that matter most. */
void disk_details(const struct ui *ui, const struct disk *d, struct sbuf *out);
/* The marked disks to one scale: the second panel of a tall window. */
void disks_scale(struct ui *ui, struct area a);

#endif
