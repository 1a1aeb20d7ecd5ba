/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISK_ROOM_H
#define DISK_ROOM_H

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "disk/disk.h"

/*
 * What the files of src/disk/ share. A machine is the graph of all block devices below
 * one root (disks, partitions, md, dm, bcache, loop), each with what it directly holds
 * and by whom it is held; from it every disk is described.
 */

enum { DISK_LEAST_BYTES = 16 << 20 };	/* smaller things are no disks to build on */

/* What somebody does with exactly this device: a mount point, swap, a loop device ... */
struct held {
	const char *kind;	/* as struct use: mount root swap btrfs loop bcache */
	const char *what;
	const char *place;	/* the mount point, "swap" or NULL: for "vg0, holds /home" */
};

struct node {
	const char *name;	/* the kernel's: "sda", "sda1", "dm-0" */
	const char *dir;	/* "/sys/block/sda/sda1", below the root */
	const char *link;	/* where /sys/block/NAME leads to; of a partition: its disk's */
	unsigned major, minor;
	struct node *parent;	/* the disk of a partition, else NULL */
	const char *dm_name, *dm_uuid;	/* of a device mapper device, else NULL */
	struct list kids;	/* struct node: its partitions */
	struct list holders;	/* struct node */
	struct list held;	/* struct held */
	bool seen;		/* while walking upward */
};

struct machine {
	struct arena *a;
	const char *root;	/* "" for the live machine */
	bool live;
	struct list nodes;	/* struct node, whole devices before their partitions */
	struct list mounts;	/* struct mounted */
	struct list recorded;	/* struct sig, of a recording */
	bool has_recorded;
};

struct mounted {
	const char *place, *type, *source;
	struct node *node;	/* NULL when it is on no block device */
};

/* machine.c: the devices and the links between them; held things are added by use.c. */
int machine_read(struct arena *a, const char *root, struct machine *m, struct err *e);
struct node *node_find(const struct machine *m, const char *name);
struct node *node_by_number(const struct machine *m, unsigned major, unsigned minor);
struct node *node_by_path(const struct machine *m, const char *path);
bool root_has(const struct machine *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Call `each` for every name in a directory below the root, in natural order. */
void root_each(const struct machine *m, const char *dir,
	       void (*each)(void *ctx, const char *name), void *ctx);

/* use.c: who uses what. */
void machine_read_uses(struct machine *m);
void disk_read_uses(struct machine *m, struct node *n, struct disk *d);
void disk_ask_groups(struct machine *m, struct disk *d);
void disk_ask_exclusive(struct machine *m, struct node *n, struct disk *d);

/* facts.c: what sysfs and the udev database say of one disk; udev.c reads the latter. */
void disk_read_facts(const struct machine *m, const struct node *n, struct disk *d);
const char *disk_hidden_why(const struct machine *m, const struct node *n,
			    const struct disk *d);
const char *disk_by_path(const struct machine *m, const struct node *n);
bool disk_is_emmc_area(const char *name);

struct udev_db {
	struct list keys, values;	/* E: lines */
	struct list links;		/* S: lines, without /dev/ */
};
void udev_db_read(const struct machine *m, const struct node *n, struct udev_db *db);
const char *udev_db_get(const struct udev_db *db, const char *key);

/* guest.c: the facts a sandbox passes to the machine inside it. */
void guest_read_facts(const struct machine *m, struct disk *d);

/* sig.c */
void machine_read_recorded(struct machine *m);
void disk_read_sigs(const struct machine *m, const struct node *n, struct disk *d);

/* lvm.c: the group a physical volume says it belongs to, NULL when none. */
const char *lvm_group_name(struct arena *a, int fd);

/* state.c: state, why, is_system; needs everything else. */
void disk_decide(struct arena *a, struct disk *d, const char *hidden_why);

/* words.c */
int name_compare(const char *a, const char *b);		/* sda, sdb, sdz, sdaa; nvme2n1, nvme10n1 */
char *percent_decode(struct arena *a, const char *s, size_t n);
void percent_encode(struct sbuf *b, const char *s);
const char *text_trim(struct arena *a, const char *s);	/* NULL when nothing is left */
bool kind_from_word(const char *word, enum disk_kind *kind);
int sectors_from_word(const char *word, uint32_t *lsec, uint32_t *psec, struct err *e);
void disk_add(struct inventory *inv, const struct disk *d);

/* virtual.c: the maker's nominal bytes as the bytes the kernel will see. */
uint64_t maker_bytes(uint64_t nominal, bool flash);

#endif
