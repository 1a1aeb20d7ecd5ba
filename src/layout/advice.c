/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice - a table of rules. Each looks at a stack and adds a sentence with the numbers
 * that triggered it, or nothing. Advice never blocks; what cannot be is an error.
 */
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "disk/disk.h"
#include "layout/plan.h"

struct rule {
	const char *name, *severity, *source;
	/* The sentence, NULL when the rule has nothing to say. */
	const char *(*text)(const struct stack *s, struct arena *a);
};

static const struct node *first_of(const struct stack *s, const char *layer)
{
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (!n->left_out && !strcmp(n->layer->name, layer))
			return n;
	}
	return NULL;
}

static const char *ppl_chunk(const struct stack *s, struct arena *a)
{
	char chunk[SIZE_TEXT];
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->left_out || strcmp(n->layer->name, "md") || strcmp(node_word(n, "consistency"), "ppl") ||
		    strcmp(n->level, "raid5") || n->chunk >= MIB)
			continue;
		return arena_printf(a, "PPL with a chunk of %s: writes were under 20 MB/s where a chunk of 1M "
				    "reached about 300; chunk=1M", size_option_text(chunk, n->chunk));
	}
	return NULL;
}

static const char *ppl_level(const struct stack *s, struct arena *a)
{
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (!n->left_out && !strcmp(n->layer->name, "md") && n->note &&
		    !strcmp(node_word(n, "consistency"), "ppl"))
			return arena_strdup(a, n->note);
	}
	return NULL;
}

static const char *btrfs_parity(const struct stack *s, struct arena *a)
{
	const struct node *n = first_of(s, "btrfs");
	const char *data = n ? node_word(n, "data") : NULL;

	if (!data || (strcmp(data, "raid5") && strcmp(data, "raid6")))
		return NULL;
	return arena_printf(a, "btrfs %s is not recommended by its own developers for data that matters: "
			    "it has the write hole; slices | md | btrfs holds the same", data);
}

static const char *ext4_size(const struct stack *s, struct arena *a)
{
	const struct node *n = first_of(s, "ext4");
	char size[SIZE_TEXT];

	if (!n || n->bytes <= 16 * TIB)
		return NULL;
	return arena_printf(a, "ext4 of %s: one file still ends at 16 TiB, and formatting with all inode "
			    "tables took about a day on 26 TB", size_text(size, n->bytes, SIZE_IEC));
}

static const char *usb_member(const struct stack *s, struct arena *a)
{
	size_t i;

	for (i = 0; i < s->n_disks; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->disk->kind == DISK_USB && s->n_disks > 1)
			return arena_printf(a, "%s hangs on USB: a cable that is pulled, or a bridge that resets, "
					    "fails it", n->name);
	}
	return NULL;
}

/* Is everything lost when the cache disk goes, and only then? */
static bool hangs_on_cache(const struct stack *s, struct arena *a)
{
	enum health *health = arena_array(a, s->nodes.n, sizeof(*health));
	bool *dead = arena_array(a, s->n_disks, sizeof(*dead)), cache_kills = false;
	size_t i;

	for (i = 0; i < s->n_disks; i++) {
		bool lost, is_cache = ((const struct node *)s->nodes.at[i])->role == ROLE_CACHE;

		dead[i] = true;
		lost = stack_lose(s, dead, health) == HEALTH_LOST;
		dead[i] = false;
		if (lost && !is_cache)
			return false;
		cache_kills |= lost;
	}
	return cache_kills;
}

static const char *writeback_cache(const struct stack *s, struct arena *a)
{
	if (!s->cache.n || s->survives || !hangs_on_cache(s, a))
		return NULL;
	return arena_printf(a, "%s alone holds what is not written back yet: when it dies the volume is lost, "
			    "though any data disk may die; writethrough keeps only copies there",
			    ((const struct node *)s->cache.at[0])->name);
}

static const char *no_redundancy(const struct stack *s, struct arena *a)
{
	size_t i, data = 0;

	for (i = 0; i < s->n_disks; i++)
		data += ((const struct node *)s->nodes.at[i])->role == ROLE_DATA;
	if (s->survives || data < 2 || hangs_on_cache(s, a))
		return NULL;
	return arena_printf(a, "%zu disks and none may fail: whichever dies first takes %s", data,
			    first_of(s, "mergerfs") ? "its files with it" : "everything with it");
}

static const char *unused_space(const struct stack *s, struct arena *a)
{
	const struct node *largest = NULL;
	char size[SIZE_TEXT], tail[SIZE_TEXT];
	uint64_t unused = 0;
	unsigned percent;
	size_t i;

	for (i = 0; i < s->n_disks; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->role != ROLE_DATA)
			continue;
		unused += n->split.unused;
		if (!largest || n->split.unused > largest->split.unused)
			largest = n;
	}
	if (!largest || unused < s->raw_bytes / 20)
		return NULL;
	size_text(size, unused, SIZE_SI);
	size_text(tail, largest->split.unused, SIZE_SI);
	percent = (unsigned)(100 * (unsigned __int128)unused / s->raw_bytes);
	if (first_of(s, "md") && !first_of(s, "slice"))
		return arena_printf(a, "%s of the disks stay unused (%u %%): every disk counts as the smallest; "
				    "slices would use what the larger ones have in common", size, percent);
	return arena_printf(a, "%s of the disks stay unused (%u %%): the last %s of %s have too few partners; "
			    "more disks as large would unlock them", size, percent, tail, largest->name);
}

/* The kernel's estimator gives up on unequal devices; its allocator does not. */
static const char *btrfs_df(const struct stack *s, struct arena *a)
{
	const struct node *n = first_of(s, "btrfs");
	char avail[SIZE_TEXT], data[SIZE_TEXT];

	if (!n || !n->fs.known || n->data_bytes < n->fs.avail + n->fs.avail / 20)
		return NULL;
	return arena_printf(a, "df will first say %s available, and %s can be written: the kernel's estimate "
			    "takes unequal devices in one order, the allocator takes the emptiest each time",
			    size_text(avail, n->fs.avail, SIZE_IEC), size_text(data, n->data_bytes, SIZE_IEC));
}

static const char *near_equal(const struct stack *s, struct arena *a)
{
	char diff[SIZE_TEXT];
	size_t i, k;

	for (i = 0; i < s->n_disks; i++) {
		const struct node *x = s->nodes.at[i];

		for (k = 0; k < i && k < 64; k++) {
			const struct node *y = s->nodes.at[k];
			uint64_t more = x->bytes > y->bytes ? x->bytes - y->bytes : y->bytes - x->bytes;

			if (!more || more > x->bytes / 100 || x->disk->is_virtual != y->disk->is_virtual)
				continue;
			return arena_printf(a, "%s and %s differ by %s: the larger one is cut to the smaller",
					    x->name, y->name, size_text(diff, more, SIZE_SI));
		}
	}
	return NULL;
}

static const char *mixed_sectors(const struct stack *s, struct arena *a)
{
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];
		unsigned k;

		for (k = 1; !n->left_out && k < n->n_kids; k++) {
			if (n->kids[k]->lsec == n->kids[0]->lsec)
				continue;
			return arena_printf(a, "%s joins %u- and %u-byte sectors: the result has the larger, and a "
					    "file system made for 512 would not mount after a 4096-byte disk joins",
					    n->name, n->kids[0]->lsec, n->kids[k]->lsec);
		}
	}
	return NULL;
}

/* A rule of thumb: a hard disk syncs at 150 MB/s on average over its platters, an SSD at 400. */
static const char *first_sync(const struct stack *s, struct arena *a)
{
	uint64_t longest = 0;
	char time[SIZE_TEXT];
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->left_out || strcmp(n->layer->name, "md") || !strcmp(n->level, "raid0"))
			continue;
		/* arrays on the same disks sync one after the other */
		longest += node_min_bytes(n) / (n->rotational ? 150 : 400) * 1000;
	}
	if (longest < 3600ull * 1000000000)
		return NULL;
	return arena_printf(a, "the first sync takes about %s in the background; the space is usable at "
			    "once, measure when it is done", duration_text(time, longest));
}

/* CASES C16: every further mirror adds safety and no space. */
static const char *many_copies(const struct stack *s, struct arena *a)
{
	char mirror[SIZE_TEXT], striped[SIZE_TEXT];
	const struct node *n = first_of(s, "md");

	if (!n || strcmp(n->level, "raid1") || n->n_kids < 4)
		return NULL;
	return arena_printf(a, "%u copies of everything in %s: raid10 on these disks holds %s", n->n_kids,
			    size_text(mirror, n->bytes, SIZE_SI),
			    size_text(striped, n->bytes * n->n_kids / 2, SIZE_SI));
}

/* CASES C26: the bridge invents the sector size, so the disk cannot be read without it. */
static const char *usb_sector(const struct stack *s, struct arena *a)
{
	size_t i;

	for (i = 0; i < s->n_disks; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->disk->kind == DISK_USB && n->disk->lsec == 4096)
			return arena_printf(a, "%s has 4096-byte sectors behind USB: many bridges make them up, and "
					    "the partitions cannot be read on another connection", n->name);
	}
	return NULL;
}

static const struct rule rules[] = {
	{ "ppl-chunk", "warn", "OMV evaluation, MATRIX L18", ppl_chunk },
	{ "ppl-level", "info", "mdadm 4.2, mdadm.c", ppl_level },
	{ "writeback-cache", "warn", "kernel bcache documentation, CASES C72", writeback_cache },
	{ "no-redundancy", "warn", "arithmetic", no_redundancy },
	{ "btrfs-parity", "warn", "btrfs(5), btrfs-progs", btrfs_parity },
	{ "btrfs-df", "info", "super.c btrfs_calc_avail_data_space, kernel 6.1", btrfs_df },
	{ "ext4-16t", "warn", "ext4 documentation, kernel 6.1; MATRIX W15", ext4_size },
	{ "usb-member", "warn", "common reports", usb_member },
	{ "usb-sector", "warn", "CASES C26", usb_sector },
	{ "many-copies", "info", "CASES C16", many_copies },
	{ "unused", "info", "arithmetic", unused_space },
	{ "near-equal", "info", "CASES C01, C02", near_equal },
	{ "mixed-sectors", "warn", "md and mkfs.xfs, CASES C23, C24", mixed_sectors },
	{ "first-sync", "info", "150 MB/s a hard disk, 400 MB/s an SSD", first_sync },
};

void stack_advice(const struct stack *s, struct arena *a, struct list *out)
{
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const char *text = rules[i].text(s, a);
		struct advice *found;

		if (!text)
			continue;
		found = arena_alloc(a, sizeof(*found));
		*found = (struct advice){ .rule = rules[i].name, .severity = rules[i].severity,
					  .text = text, .source = rules[i].source };
		list_add(a, out, found);
	}
}
