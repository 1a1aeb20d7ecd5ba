/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice - a table of rules. Each looks at a stack and adds a sentence with the numbers
 * that triggered it, or nothing. Advice never blocks; what cannot be is an error. The rules
 * are in advice-*.c by theme: one rule is one function and one row.
 */
#include "layout/advice.h"

#include <string.h>

#include "layout/plan.h"

static const struct rule {
	const char *name, *severity;
	const char *(*text)(const struct stack *s, struct arena *a);
	const char *reason, *source;
} rules[] = {
	/* what may lose data first */
	{ "same-device", "warn", advice_same_device,
	  "what one device holds twice dies at once", "CASES C53" },
	{ "writeback-cache", "warn", advice_writeback,
	  "in writeback the newest data is on the cache and nowhere else",
	  "kernel bcache documentation, CASES C72" },
	{ "writeback-pool", "warn", advice_writeback_pool,
	  "lvconvert flushes a pool before it takes it off, from an SSD that is gone too",
	  "measured on lvm2 2.03.16" },
	{ "journal-single", "warn", advice_journal,
	  "an array with a journal does not write without it", "md(4), CASES C62" },
	{ "no-redundancy", "warn", advice_no_redundancy, "every disk holds a part of the whole",
	  "arithmetic" },
	{ "btrfs-parity", "warn", advice_btrfs_parity,
	  "data and parity are not written at once, and a power cut can leave them apart",
	  "btrfs(5), btrfs-progs" },
	{ "btrfs-metadata", "warn", advice_btrfs_metadata,
	  "without its metadata no data of a file system is found", "btrfs(5), mkfs.btrfs(8)" },
	{ "btrfs-nocow", "warn", advice_btrfs_nocow,
	  "a checksum is what tells a good copy from a bad one", "btrfs(5), nodatacow and nodatasum" },
	{ "write-hole", "warn", advice_write_hole,
	  "parity that an unclean stop left behind is wrong until everything was read again",
	  "md(4), kernel md documentation" },
	{ "ppl-chunk", "warn", advice_ppl_chunk, "every small write is logged beside its parity",
	  "OMV evaluation, MATRIX L18" },
	{ "ppl-level", "info", advice_ppl_level, "PPL is written for raid5 only",
	  "mdadm 4.2, mdadm.c" },
	{ "mergerfs-minfreespace", "warn", advice_mergerfs_min_free,
	  "a branch with less free takes no new file", "mergerfs documentation, CASES C81" },
	{ "mergerfs-path", "warn", advice_mergerfs_path,
	  "such a policy looks only at branches that have the folder", "CASES C81" },
	{ "thin-overcommit", "warn", advice_thin_overcommit,
	  "a thin volume gets its space when it is written to", "lvmthin(7)" },
	/* disks */
	{ "network-disk", "warn", advice_network, "a network that stops is a disk that fails",
	  "CASES C93" },
	{ "usb-member", "warn", advice_usb_member,
	  "a cable that is pulled, or a bridge that resets, looks like a dead disk",
	  "common reports" },
	{ "usb-sector", "warn", advice_usb_sector, "the bridge makes the sector size up",
	  "CASES C26" },
	{ "smr", "warn", advice_smr, "shingled tracks are rewritten in large zones",
	  "makers' lists of 2020, CASES C47" },
	{ "cache-rotational", "warn", advice_cache_rotational,
	  "RAID controllers and hypervisors say so of SSDs", "CASES C49" },
	{ "twin-serial", "info", advice_twin_serial, "a bridge gives its own serial to every disk",
	  "CASES C50" },
	{ "no-serial", "info", advice_no_serial, "a serial is how a disk is found in its bay",
	  "CASES C51" },
	/* sizes and sectors */
	{ "mixed-sectors", "warn", advice_mixed_sectors, "md and LVM take the largest sector of "
	  "their members",
	  "md, vgcreate and mkfs.xfs, CASES C23, C24" },
	{ "near-equal", "info", advice_near_equal, "members count as the smallest",
	  "CASES C01, C02" },
	{ "slack", "info", advice_slack, "a member is never replaced by a smaller one",
	  "CASES C01, C02; CAPACITY 3.1" },
	{ "tiny-slices", "info", advice_tiny_slices, "every array has metadata and a sync of its "
	  "own",
	  "CASES C01; CAPACITY 1.1" },
	{ "unused", "info", advice_unused, "every stripe needs a partner", "arithmetic" },
	{ "tail-not-striped", "info", advice_tail, "stripes end where the smaller disks end",
	  "CASES C08, C13" },
	{ "three-way", "info", advice_three_way, "md's raid6 starts at 4 members", "CASES C05" },
	{ "many-copies", "info", advice_many_copies, "a further mirror adds safety and no space",
	  "CASES C16" },
	{ "btrfs-raid1", "info", advice_btrfs_raid10, "raid10 takes devices in even groups, raid1 "
	  "in pairs",
	  "CASES C11" },
	{ "btrfs-kernel", "info", advice_btrfs_kernel, "kernel 5.15 lowered the number of devices "
	  "of a chunk",
	  "volumes.c, kernel 5.15; CASES C08" },
	{ "btrfs-df", "info", advice_btrfs_df,
	  "the kernel's estimate takes unequal devices in one order, the allocator takes the "
	  "emptiest",
	  "super.c btrfs_calc_avail_data_space, kernel 6.1; CASES C10" },
	{ "ext4-16t", "warn", advice_ext4_size, "a block number of a file has 32 bits",
	  "ext4 documentation, kernel 6.1; MATRIX W15, CASES C67" },
	{ "xfs-log-stripe", "info", advice_xfs_log, "the log's stripe ends at 256K", "CASES C63" },
	{ "xfs-stripe", "info", advice_xfs_stripe, "xfs reads the stripe from the queue below it",
	  "mkfs.xfs(8), CAPACITY 1.1" },
	{ "mergerfs-file", "info", advice_mergerfs_file, "each file lies whole on one branch",
	  "mergerfs documentation" },
	/* what it costs to run */
	{ "writecache-ram", "warn", advice_writecache_ram,
	  "the kernel has an entry for every block",
	  "dm-writecache.c, CAPACITY 1.2" },
	{ "cache-chunk", "info", advice_cache_chunk, "dm-cache keeps at most 1,000,000 chunks",
	  "lvm2 2.03.16, CASES C69" },
	{ "passthrough", "info", advice_passthrough, "passthrough keeps a cache from being filled",
	  "lvmcache(7)" },
	{ "integrity-journal", "info", advice_integrity,
	  "data and its checksum are written twice, so that a power cut leaves both or neither",
	  "MATRIX L21, integritysetup(8)" },
	{ "integrity-bitmap", "warn", advice_bitmap,
	  "a bitmap knows which regions were written, not what was to be in them",
	  "integritysetup(8), --integrity-bitmap-mode" },
	{ "luks-sector", "info", advice_luks_sector, "every sector is encrypted by itself",
	  "cryptsetup(8), --sector-size" },
	{ "luks-key", "info", advice_luks_key, "without its header no key opens it",
	  "cryptsetup(8)" },
	{ "first-sync", "info", advice_first_sync, "members are made equal before they can stand "
	  "in",
	  "150 MB/s a hard disk, 400 MB/s an SSD" },
	{ "ext4-reserved", "info", advice_ext4_reserved,
	  "the share for root is meant for the disk that holds the system", "mke2fs(8), -m" },
	{ "cache-unused", "info", advice_cache_unused, "a disk that is named should do something",
	  "the layout" },
};

/* Those of one severity, in the order of the table. */
static void advice_of(const struct stack *s, const char *severity, struct arena *a, struct list *out)
{
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const char *text = strcmp(rules[i].severity, severity) ? NULL : rules[i].text(s, a);
		struct advice *found;

		if (!text)
			continue;
		found = arena_alloc(a, sizeof(*found));
		*found = (struct advice){ .rule = rules[i].name, .severity = rules[i].severity,
					  .text = text, .reason = rules[i].reason,
					  .source = rules[i].source };
		list_add(a, out, found);
	}
}

/* Warnings first: a small window shows only the first lines. */
void stack_advice(const struct stack *s, struct arena *a, struct list *out)
{
	advice_of(s, "warn", a, out);
	advice_of(s, "info", a, out);
}

bool advice_is(const struct node *n, const char *layer)
{
	return n->layer && !n->left_out && !strcmp(n->layer->name, layer);
}

const struct node *advice_first(const struct stack *s, const char *layer)
{
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		if (advice_is(s->nodes.at[i], layer))
			return s->nodes.at[i];
	}
	return NULL;
}

bool advice_redundant(const struct node *n)
{
	return (advice_is(n, "md") || advice_is(n, "lvm")) && n->level &&
	       !strncmp(n->level, "raid", 4) && strcmp(n->level, "raid0");
}

const struct node *advice_hangs_on_cache(const struct stack *s, struct arena *a)
{
	const struct node *kills = NULL;
	enum health *health;
	bool *dead;
	size_t i;

	if (!s->cache.n || s->survives)
		return NULL;
	health = arena_array(a, s->nodes.n, sizeof(*health));
	dead = arena_array(a, s->n_disks, sizeof(*dead));
	for (i = 0; i < s->n_disks; i++) {
		bool lost, is_cache = ((const struct node *)s->nodes.at[i])->role == ROLE_CACHE;

		dead[i] = true;
		lost = stack_lose(s, dead, health) == HEALTH_LOST;
		dead[i] = false;
		if (lost && !is_cache)
			return NULL;
		if (lost && !kills)
			kills = s->nodes.at[i];
	}
	return kills;
}

void advice_sizes(const struct node *n, uint64_t *sum, uint64_t *largest, uint64_t *second)
{
	unsigned i;

	*sum = *largest = *second = 0;
	for (i = 0; i < n->n_kids; i++) {
		uint64_t bytes = n->kids[i]->bytes;

		*sum += bytes;
		if (bytes > *largest) {
			*second = *largest;
			*largest = bytes;
		} else if (bytes > *second) {
			*second = bytes;
		}
	}
}
