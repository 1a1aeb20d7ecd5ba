/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CMD_OPEN_H
#define CMD_OPEN_H

#include "naslab.h"

/* What verbs that plan have in common: the options --disks, --root and --cache. */

/*
 * The disks that words speak of: a list (--disks), a recorded machine (--root), this
 * machine when a word names one of its disks, else only the virtual ones.
 */
int open_disks(char *const *words, struct inventory **inv, struct arena *a, struct pick **picks,
	       size_t *n, struct err *e);

#define OPEN_DISKS_OPTIONS \
	{ .name = "cache", .value = "DISK", .help = "a disk for caching", .many = true }, \
	{ .name = "disks", .value = "FILE", .help = "take the disks of this list" }, \
	{ .name = "root", .value = "DIR", .help = "take the disks of a recorded machine" }

#endif
