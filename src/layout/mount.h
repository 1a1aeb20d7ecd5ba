/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYOUT_MOUNT_H
#define LAYOUT_MOUNT_H

#include <stdint.h>

#include "layout/layer.h"
#include "layout/plan.h"

/*
 * What the file system layers have in common: mount options from a checked table, the
 * steps that mount and unmount, and the live state of a mount point.
 */

enum mount_value {
	MOUNT_FLAG,		/* noatime */
	MOUNT_NUMBER,		/* commit=30 */
	MOUNT_SIZE,		/* allocsize=1M, a power of two */
	MOUNT_WORD,		/* data=writeback */
	MOUNT_LEVEL,		/* compress=zstd, compress=zstd:4 */
};

struct mount_word {
	const char *name;
	enum mount_value kind;
	const char *words;	/* MOUNT_WORD, MOUNT_LEVEL: "zlib lzo zstd" */
	uint64_t min, max;	/* MOUNT_NUMBER, MOUNT_SIZE, and the level of MOUNT_LEVEL */
};

/*
 * Check the mount= of a statement: words that every file system knows, and those of
 * `own` (ends with .name == NULL), each once, with a value of the right kind.
 */
int mount_check(const struct stmt *st, const struct mount_word *own, struct err *e);

/* A stripe that the device does not tell: of a RAID controller, a virtual disk, a cache. */
#define OPTION_SU { .name = "su", .type = OPTION_SIZE, .min = 4 * KIB, .max = 64 * MIB, \
	.help = "with sw: the stripe unit to lie along, the chunk of the array below, where a cache " \
		"or a controller hides it" }
#define OPTION_SW { .name = "sw", .type = OPTION_COUNT, .min = 1, .max = 255, \
	.help = "with su: how many members of that array hold data" }
int stripe_check(const struct stmt *st, struct err *e);

/* Make the mount point of n and mount dev there; undo unmounts and takes it away. */
void plan_mount(struct plan *p, const struct node *n, const char *fstype, const char *dev,
		const char *options);

/* An option of every layer that mounts. */
#define OPTION_BOOT { .name = "boot", .type = OPTION_YESNO, .def = "yes", \
	.help = "mount it again at every start of the machine, by a systemd unit of its own" }

#define UNIT_DIR "/etc/systemd/system"
#define UNIT_BY_UUID "/dev/disk/by-uuid/UUID"	/* the UUID is known once the file system is */

/* The step that makes a mount of `what` (a device, or branches) permanent: none with boot=no,
 * nor on what somebody has to open by hand. */
void plan_mount_unit(struct plan *p, const struct node *n, const char *what, const char *fstype,
		     const char *options);
const char *unit_path(struct arena *a, const char *dir);	/* the file of a mount point */
const char *unit_mark(struct arena *a, const char *build);	/* its first line */
/* Does it lie on something that is opened by hand after a restart? */
bool node_opens_by_hand(const struct node *n);

/* The step for the mount point alone, for what mounts by itself. */
void plan_mount_point(struct plan *p, const struct node *n);

/*
 * Is n mounted, as that type, below root? Sizes of the devices it lies on; on the live
 * machine what statvfs says. A status() of its own may add to it.
 */
int mount_status(const struct node *n, const char *fstype, const char *root, struct arena *a,
		 struct live *out);

#endif
