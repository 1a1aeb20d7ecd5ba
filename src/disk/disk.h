/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISK_DISK_H
#define DISK_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct arena;
struct err;

/*
 * The disks of a machine, of a recorded machine (any root prefix), or of nobody yet.
 *
 * Everything is read below one root prefix: <root>/sys, <root>/run/udev/data,
 * <root>/proc/self/mountinfo, <root>/proc/swaps. Signatures come from libblkid on
 * <root>/dev/NAME on the live machine, and from a recorded text file where the root is
 * a recording. Nothing here writes, forks or prints.
 */

enum disk_kind { DISK_HDD, DISK_SSD, DISK_NVME, DISK_USB, DISK_MMC, DISK_OTHER };

/* May it be used? Words as shown: free, data, busy, hidden. */
enum disk_state {
	DISK_FREE,		/* nothing recognised on it, nobody uses it */
	DISK_DATA,		/* holds something; used only when named for wiping */
	DISK_BUSY,		/* in use: never used */
	DISK_HIDDEN,		/* no disk to build on (optical, zram, empty slot); why says so */
};

/* One thing recognised on a disk or on a partition of it. */
struct sig {
	const char *type;	/* libblkid's name: "ext4", "linux_raid_member", "gpt" ... */
	const char *usage;	/* "filesystem", "raid", "crypto", "other", "table" */
	const char *label, *uuid;	/* NULL when none */
	uint64_t offset;	/* bytes, on the thing named by on */
	const char *on;		/* "sda" or "sda1" */
};

/* One user of a disk or of a partition of it. */
struct use {
	const char *kind;	/* mount swap md dm lvm bcache btrfs loop holder open root */
	const char *on;		/* "sda1" */
	const char *what;	/* "/srv/media", "md127", "vg0, holds /home": ready to be shown */
};

struct part {
	const char *name;	/* the kernel's name: "sda1", "nvme0n1p3" */
	unsigned number;
	uint64_t start, bytes;
};

struct disk {
	const char *name;	/* kernel name "sda"; a virtual disk's is "hdd1" */
	const char *path;	/* "/dev/sda" */
	const char *by_id;	/* stable path below /dev/disk/by-id (a twin: by-path), or NULL */
	const char *model, *serial, *wwn;	/* raw text from outside; NULL when unknown */
	const char *transport;	/* sata sas usb nvme mmc virtio iscsi ...; NULL when unknown */
	const char *where;	/* "ata-5", "usb 2-1": for finding the bay; NULL when unknown */
	enum disk_kind kind;
	uint64_t bytes;
	uint32_t lsec, psec;	/* logical and physical sector, bytes */
	bool rotational, removable, read_only, is_virtual;
	const char *zoned;	/* "host-managed" ...; NULL when not zoned */
	uint64_t rate_bps;	/* emulated rate of a virtual disk, 0 = none */
	uint64_t seek_ns;	/* emulated seek time of a virtual disk, 0 = none */

	struct part *parts;
	size_t n_parts;
	struct sig *sigs;
	size_t n_sigs;
	struct use *uses;
	size_t n_uses;

	enum disk_state state;
	bool is_system;		/* root, boot or swap lies on it: never, not even with --wipe */
	bool twin;		/* another disk has the same serial and WWN: identified by path */
	bool unread;		/* its content could not be read: never taken for blank */
	const char *why;	/* one sentence: why it is busy or hidden, or what is on it */
};

struct inventory {
	struct arena *arena;
	struct disk *disks;	/* in the order they are shown: by name, natural order */
	size_t n_disks;
	uint64_t ram_bytes;	/* of the machine, 0 when unknown */
	const char *root;	/* of the machine: "" is this one, or none */
};

/* Read the machine below root ("" is this one). The inventory is freed by inventory_free(). */
int inventory_read(const char *root, struct inventory **out, struct err *e);
void inventory_free(struct inventory *inv);	/* takes NULL */

/* An inventory without disks, to add virtual ones to. */
struct inventory *inventory_new(void);

/*
 * Add what one word of the command line describes: "hdd:10T", "6xhdd:4T",
 * "ssd:500G,sector=4096,model=WD,serial=X,rate=180M,seek=8ms". Kinds: hdd ssd nvme usb;
 * options: sector=512|4096|512/4096, model, serial, wwn, name, rate, seek, rotational=yes|no;
 * in a value %2C is a comma. 10T is the maker's 10 TB
 * turned into the real sector count (IDEMA LBA1-03 up to 8 TB; above, what linuxhw's
 * collection shows; tests/data/capacity/disks.tsv); 10TiB and a plain number are taken exactly.
 * Returns the number of disks added, or -1.
 */
int inventory_add_virtual(struct inventory *inv, const char *spec, struct err *e);

/* Does this word describe a virtual disk (and not a path or a name)? */
bool disk_spec_is_virtual(const char *word);

/* A list of disks as text, one spec a line, '#' comments: --save and --disks. */
int inventory_load(const char *path, struct inventory **out, struct err *e);
int inventory_save(const struct inventory *inv, const char *path, struct err *e);

/* By kernel name, path, by-id path or unique serial; NULL when there is none. */
const struct disk *inventory_find(const struct inventory *inv, const char *word);

/* Words on the screen and in JSON. */
const char *disk_kind_word(enum disk_kind kind);
const char *disk_state_word(enum disk_state state);

/* Is the SSD class true of it (SSD, NVMe, or USB that says it does not rotate)? */
bool disk_is_flash(const struct disk *d);

/* Does it lie behind a network (iSCSI, nbd, rbd)? Then "all" never means it. */
bool disk_is_network(const struct disk *d);

/* The kernel's name of partition n: "sda1", "nvme0n1p1", "hdd1p1". */
const char *disk_part_name(struct arena *a, const char *disk_name, unsigned n);

json_t *disk_json(const struct disk *d);
json_t *inventory_json(const struct inventory *inv);

/*
 * Identity: what the plan was made for, and what is read again right before a step
 * writes. Text form (JSON) is what the executor accepts.
 */
struct identity {
	const char *path, *name;
	const char *serial, *wwn, *model;	/* NULL when the disk has none */
	uint64_t bytes;
	const char *content;	/* digest of everything recognised on it: "" when blank */
};

void disk_identity(const struct disk *d, struct arena *a, struct identity *out);
json_t *identity_json(const struct identity *id);
int identity_from_json(struct arena *a, const json_t *json, struct identity *out, struct err *e);

/* Read this one disk again below root (identity, signatures, users). */
int disk_read_one(struct arena *a, const char *root, const char *path, struct disk *out,
		  struct err *e);

/*
 * Everything recognised on one device node, every superblock and partition table and the
 * backup GPT included; nothing found is *n == 0. This is how blankness is proven.
 */
int sig_read(struct arena *a, const char *dev, struct sig **sigs, size_t *n, struct err *e);

/* 0 when `now` is the disk of `then`; `with_content`: and holds the same. Says what differs. */
int identity_compare(const struct identity *then, const struct identity *now, bool with_content,
		     struct err *e);

#endif
