/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advice-fs - rules about file systems: btrfs, ext4, xfs, and branches joined by mergerfs. */
#include "layout/advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "layout/recipe.h"

/* --- btrfs -------------------------------------------------------------------------- */

static const char *profile(const struct node *n, const char *of)
{
	const char *word = n ? json_str(n->facts, of) : NULL;

	return word ? word : "";
}

static bool is_parity(const char *name)
{
	return !strcmp(name, "raid5") || !strcmp(name, "raid6");
}

/* How many devices a profile may lose; btrfs(5), "Profiles". */
static unsigned bears(const char *name)
{
	static const struct {
		const char *name;
		unsigned lost;
	} rows[] = {
		{ "raid1", 1 }, { "raid10", 1 }, { "raid5", 1 }, { "raid1c3", 2 }, { "raid6", 2 },
		{ "raid1c4", 3 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!strcmp(rows[i].name, name))
			return rows[i].lost;
	}
	return 0;
}

const char *advice_btrfs_parity(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "btrfs");
	const char *data = profile(n, "data");

	if (!is_parity(data))
		return NULL;
	return arena_printf(a, "btrfs %s is not recommended by its own developers for data that "
			    "matters: it has the write hole; slices | md | btrfs holds the same",
			    data);
}

const char *advice_btrfs_metadata(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "btrfs");
	const char *data = profile(n, "data"), *metadata = profile(n, "metadata");

	if (is_parity(metadata))
		return arena_printf(a, "metadata=%s: a power cut may leave trees that cannot be "
				    "read, and all data with them; metadata=%s bears as many disks",
				    metadata,
				    bears(metadata) == 2 ? "raid1c3" : "raid1");
	if (n && bears(metadata) < bears(data))
		return arena_printf(a, "data=%s bears %u dead disk%s and metadata=%s %u: the "
				    "weaker one counts; metadata=%s bears as many", data,
				    bears(data), bears(data) == 1 ? "" : "s",
				    metadata, bears(metadata), bears(data) == 1 ? "raid1" :
				    bears(data) == 2 ? "raid1c3" : "raid1c4");
	return NULL;
}

/* Redundancy repairs by checksum, and what is written in place has none. */
const char *advice_btrfs_nocow(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "btrfs");
	const char *folder = n ? node_word(n, "nocow") : NULL, *mount = n ? node_word(n, "mount") : NULL;
	const char *data = profile(n, "data");

	if (!n || !bears(data) || !(folder || (mount && strstr(mount, "nodata"))))
		return NULL;
	return arena_printf(a, "%s%s has no checksums: when a power cut or a failing disk leaves the "
			    "copies of %s unlike, nothing says which is right",
			    folder ? "what is in " : "the data", folder ? folder : "", data);
}

/* Whole GiB from 100 GiB on: two sizes that are compared want more than three digits. */
static const char *gib_text(char out[SIZE_TEXT], uint64_t bytes)
{
	if (bytes < 100 * GIB)
		return size_text(out, bytes, SIZE_IEC);
	snprintf(out, SIZE_TEXT, "%" PRIu64 " GiB", (uint64_t)((bytes + GIB / 2) / GIB));
	return out;
}

/* The kernel's estimator gives up on unequal devices; its allocator does not. */
const char *advice_btrfs_df(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "btrfs");
	char avail[SIZE_TEXT], data[SIZE_TEXT];

	if (!n || !n->fs.known || n->data_bytes < n->fs.avail + n->fs.avail / 20)
		return NULL;
	return arena_printf(a, "df will first say %s available, and %s can be written: the "
			    "kernel's estimate takes unequal devices in one order, the allocator "
			    "takes the emptiest each time",
			    gib_text(avail, n->fs.avail), gib_text(data, n->data_bytes));
}

/* CASES C11. Closed form of raid1: half of all, or all but the largest (CAPACITY 3.5). */
const char *advice_btrfs_raid10(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "btrfs");
	char now[SIZE_TEXT], then[SIZE_TEXT];
	uint64_t sum, largest, second, raid1;

	if (strcmp(profile(n, "data"), "raid10"))
		return NULL;
	advice_sizes(n, &sum, &largest, &second);
	raid1 = sum / 2 < sum - largest ? sum / 2 : sum - largest;
	if (raid1 < n->data_bytes + n->data_bytes / 20)
		return NULL;
	return arena_printf(a, "data=raid1 on these disks holds about %s, raid10 %s, and bears as "
			    "many dead disks",
			    size_text(then, raid1, SIZE_SI),
			    size_text(now, n->data_bytes, SIZE_SI));
}

/* The fourth largest of the kids, 0 when there are fewer. */
static uint64_t fourth(const struct node *n)
{
	uint64_t best[4] = { 0 };
	unsigned i, k, m;

	for (i = 0; i < n->n_kids; i++) {
		for (k = 0; k < 4 && n->kids[i]->bytes <= best[k]; k++)
			;
		if (k == 4)
			continue;
		for (m = 3; m > k; m--)
			best[m] = best[m - 1];
		best[k] = n->kids[i]->bytes;
	}
	return best[3];
}

/* Chunks of raid0 on one device and of raid10 on two or three: since kernel 5.15. */
const char *advice_btrfs_kernel(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "btrfs");
	uint64_t sum, largest, second, before;
	char old[SIZE_TEXT];

	if (!n)
		return NULL;
	advice_sizes(n, &sum, &largest, &second);
	if (!strcmp(profile(n, "data"), "raid0") && largest - second > sum / 50) {
		before = sum - (largest - second);
		return arena_printf(a, "a kernel before 5.15 fills only %s of it: raid0 then "
				    "wanted two devices for every chunk",
				    size_text(old, before, SIZE_SI));
	}
	if (!strcmp(profile(n, "data"), "raid10") && second > fourth(n) + sum / 50)
		return arena_printf(a, "a kernel before 5.15 does not use what lies on fewer than "
				    "4 devices, from %s on each: raid10 then wanted four for "
				    "every chunk",
				    size_text(old, fourth(n), SIZE_SI));
	return NULL;
}

/* --- ext4 and xfs ------------------------------------------------------------------- */

/* An inode of 256 bytes for every 16 KiB; a day for 26 TB was reported (MATRIX W15). */
const char *advice_ext4_size(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "ext4");
	char size[SIZE_TEXT], tables[SIZE_TEXT], time[SIZE_TEXT];

	if (!n || n->bytes <= 16 * TIB)
		return NULL;
	return arena_printf(a, "ext4 of %s: one file still ends at 16 TiB, and its inode tables "
			    "(%s) are written in the background, about %s; 26 TB took a day",
			    size_text(size, n->bytes, SIZE_IEC),
			    size_text(tables, n->bytes / 64, SIZE_IEC),
			    duration_text(time, n->bytes / 260 * 864));
}

/* CASES C63: mkfs.xfs says so on its error output and exits with 0. */
const char *advice_xfs_log(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "xfs"), *below;
	char chunk[SIZE_TEXT];

	for (below = n; below && below->n_kids; below = below->kids[0]) {
		if (!advice_is(below, "md"))
			continue;
		/* at the default chunk everybody meets it; who chose one should know */
		if (below->chunk <= 256 * KIB || !stmt_value(below->stmt, "chunk"))
			return NULL;
		return arena_printf(a, "mkfs.xfs will say that a log stripe unit of %" PRIu64
				    " bytes (chunk=%s) is too large and take 32K: that is right, "
				    "and no failure", below->chunk,
				    size_option_text(chunk, below->chunk));
	}
	return NULL;
}

/* 5 % of a small system disk are right, of a large one they are terabytes. */
const char *advice_ext4_reserved(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "ext4");
	uint64_t percent = n ? node_count(n, "reserved") : 0;
	char kept[SIZE_TEXT], less[SIZE_TEXT];

	if (percent < 2 || n->bytes / 100 * percent < 50000000000)
		return NULL;
	return arena_printf(a, "reserved=%" PRIu64 " keeps %s for root; reserved=1 keeps %s and is enough "
			    "where only files lie", percent,
			    size_text(kept, n->bytes / 100 * percent, SIZE_SI),
			    size_text(less, n->bytes / 100, SIZE_SI));
}

/* bcache shows no stripe, so xfs lies across the members as it comes (CAPACITY 1.1). */
const char *advice_xfs_stripe(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "xfs"), *below = n ? n->kids[0] : NULL;
	char su[SIZE_TEXT];
	unsigned data;

	if (!below || node_word(n, "su") || n->bytes < GIB)
		return NULL;
	for (; below && !advice_is(below, "bcache"); below = below->n_kids == 1 ? below->kids[0] : NULL)
		;
	for (below = below ? below->kids[0] : NULL; below && !advice_is(below, "md");)
		below = below->n_kids == 1 ? below->kids[0] : NULL;
	if (!below || !below->chunk || !below->io_opt)
		return NULL;
	data = below->io_opt / (uint32_t)below->chunk;
	return arena_printf(a, "bcache hides the stripe of %s: xfs su=%s sw=%u lies along its %u members "
			    "with data", below->name, size_option_text(su, below->chunk), data, data);
}

/* --- mergerfs ----------------------------------------------------------------------- */

/* Sum, largest file, lost with one branch: three numbers that one plain sum hides. */
const char *advice_mergerfs_file(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "mergerfs");
	char all[SIZE_TEXT], file[SIZE_TEXT];
	uint64_t largest = 0;
	unsigned i;

	if (!n || n->n_kids < 2)
		return NULL;
	for (i = 0; i < n->n_kids; i++) {
		if (n->kids[i]->data_bytes > largest)
			largest = n->kids[i]->data_bytes;
	}
	return arena_printf(a, "%s in all, but one file ends at %s, what the largest branch "
			    "holds, and a branch that dies takes up to as much",
			    size_text(all, n->data_bytes, SIZE_SI),
			    size_text(file, largest, SIZE_SI));
}

const char *advice_mergerfs_min_free(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "mergerfs");
	uint64_t least = n ? json_u64(n->facts, "minfreespace", 0) : 0, idle = 0;
	char min[SIZE_TEXT], size[SIZE_TEXT];
	const struct node *first = NULL;
	unsigned i;

	for (i = 0; n && i < n->n_kids; i++) {
		if (n->kids[i]->data_bytes > least)
			continue;
		if (!first)
			first = n->kids[i];
		idle += n->kids[i]->data_bytes;
	}
	if (!first)
		return NULL;
	return arena_printf(a, "minfreespace=%s is more than %s ever has free: no file is put "
			    "there, and %s of the pool never fill", size_option_text(min, least),
			    first->name,
			    size_text(size, idle, SIZE_SI));
}

const char *advice_mergerfs_path(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "mergerfs");
	const char *create = n ? node_word(n, "create") : "";
	char size[SIZE_TEXT];
	uint64_t least = UINT64_MAX;
	unsigned i;

	if (!n || n->n_kids < 2 || (strncmp(create, "ep", 2) && strncmp(create, "msp", 3)))
		return NULL;
	for (i = 0; i < n->n_kids; i++) {
		if (n->kids[i]->data_bytes < least)
			least = n->kids[i]->data_bytes;
	}
	if (!strncmp(create, "msp", 3))
		return arena_printf(a, "create=%s looks at branches with the folder first and "
				    "goes up the path when they are full: a folder is filled on "
				    "its branch before the next, the smallest at %s",
				    create, size_text(size, least, SIZE_SI));
	return arena_printf(a, "create=%s puts a file only where its folder is: a folder that is "
			    "on one branch is full with it, the smallest at %s, whatever the "
			    "others have free; create=mfs takes any",
			    create, size_text(size, least, SIZE_SI));
}
