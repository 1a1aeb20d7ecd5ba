/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advice-cache - rules about caches, encryption and thin volumes. */
#include "layout/advice.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "disk/disk.h"

const char *advice_writeback(const struct stack *s, struct arena *a)
{
	const struct node *ssd = advice_hangs_on_cache(s, a);

	if (!ssd)
		return NULL;
	return arena_printf(a, "%s alone holds what is not written back yet: when it dies the "
			    "volume is lost, though any data disk may die; %s keeps only copies "
			    "there",
			    ssd->name,
			    advice_first(s, "writecache") ? "lvmcache mode=writethrough" :
			    "writethrough");
}

const char *advice_writecache_ram(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "writecache");
	uint64_t need = n ? json_u64(n->facts, "ram_bytes", 0) : 0;
	char ram[SIZE_TEXT], cache[SIZE_TEXT];

	if (need < GIB / 2)
		return NULL;
	return arena_printf(a, "a write cache of %s takes %s of memory from the first second on; "
			    "writecache size= makes it smaller",
			    size_text(cache, json_u64(n->facts, "cache_bytes", 0), SIZE_IEC),
			    size_text(ram, need, SIZE_IEC));
}

/* A chunk is read and written whole when it moves to the cache. */
const char *advice_cache_chunk(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "lvmcache");
	char cache[SIZE_TEXT], fits[SIZE_TEXT];
	uint64_t bytes;

	if (!n || n->chunk < MIB)
		return NULL;
	bytes = json_u64(n->facts, "cache_bytes", 0);
	return arena_printf(a, "a cache of %s is cut in chunks of %" PRIu64 "K, %" PRIu64 " of "
			    "them, and each moves as a whole for any small access; up to %s a "
			    "chunk is 512K or less, and bcache has no such limit",
			    size_text(cache, bytes, SIZE_SI),
			    n->chunk / 1024, bytes / n->chunk,
			    size_text(fits, 512 * KIB * 1000000, SIZE_SI));
}

/* CASES C49: never refused for the flag alone. */
const char *advice_cache_rotational(const struct stack *s, struct arena *a)
{
	size_t i;

	for (i = 0; i < s->cache.n; i++) {
		const struct node *n = s->cache.at[i];

		if (n->rotational)
			return arena_printf(a, "%s is to be the cache and says that it rotates: "
					    "as a hard disk it would slow the others down; behind "
					    "a controller it may be an SSD all the same",
					    n->name);
	}
	return NULL;
}

const char *advice_luks_key(const struct stack *s, struct arena *a)
{
	const struct node *first = NULL;
	unsigned headers = 0;
	char size[SIZE_TEXT];
	uint64_t bytes = 0;
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (!advice_is(n, "luks"))
			continue;
		if (!headers++)
			first = n;
		bytes += n->bytes;
	}
	if (!headers)
		return NULL;
	return arena_printf(a, "%s lie behind the key and %u LUKS header%s (%s): keep a copy of "
			    "both elsewhere, cryptsetup luksHeaderBackup makes one",
			    size_text(size, bytes, SIZE_SI),
			    headers, headers == 1 ? "" : "s", first->kids[0]->name);
}

const char *advice_thin_overcommit(const struct stack *s, struct arena *a)
{
	char says[SIZE_TEXT], has[SIZE_TEXT];
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];
		uint64_t pool = n->left_out ? 0 : json_u64(n->facts, "pool_bytes", 0);

		if (!pool || n->bytes <= pool)
			continue;
		return arena_printf(a, "%s says %s and its pool has %s: when that is full, writes "
				    "fail and the file system turns read-only; watch lvs, "
				    "data_percent", n->name,
				    size_text(says, n->bytes, SIZE_IEC),
				    size_text(has, pool, SIZE_IEC));
	}
	return NULL;
}

/* Measured on lvm2 2.03.16: lvconvert --uncache --force takes off a cache volume that is gone,
 * and wants to flush a pool first. */
const char *advice_writeback_pool(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "lvmcache");
	char cache[SIZE_TEXT];

	if (!n || !node_yes(n, "pool") || strcmp(node_word(n, "mode"), "writeback"))
		return NULL;
	return arena_printf(a, "when %s dies, LVM cannot take off a pool in writeback: the metadata of "
			    "the volume group from before the cache of %s has to be restored by hand; "
			    "a cache volume (pool=no) is taken off by one command",
			    n->kids[1]->kids[0]->name,
			    size_text(cache, json_u64(n->facts, "cache_bytes", 0), SIZE_SI));
}

const char *advice_passthrough(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "lvmcache");
	char cache[SIZE_TEXT];

	if (!n || strcmp(node_word(n, "mode"), "passthrough"))
		return NULL;
	return arena_printf(a, "in passthrough none of the %s of %s are used: lvchange "
			    "--cachemode writethrough %s makes a cache of it",
			    size_text(cache, json_u64(n->facts, "cache_bytes", 0), SIZE_SI),
			    n->kids[1]->kids[0]->name, n->dev + strlen("/dev/"));
}

/* A cache disk that was named and that no layer asked for. */
const char *advice_cache_unused(const struct stack *s, struct arena *a)
{
	char size[SIZE_TEXT];
	size_t i;

	for (i = 0; i < s->cache.n; i++) {
		const struct node *n = s->cache.at[i];

		if (!n->n_parents)
			return arena_printf(a, "nothing in this layout uses the cache disk %s (%s): "
					    "bcache, lvmcache, writecache or consistency=journal would",
					    n->name, size_text(size, n->bytes, SIZE_SI));
	}
	return NULL;
}

/* cryptsetup 2.4 and later would take the physical sector; here it is said. */
const char *advice_luks_sector(const struct stack *s, struct arena *a)
{
	const struct node *n = advice_first(s, "luks");

	if (!n || n->kids[0]->psec < 4096 || n->lsec >= 4096 ||
	    !strcmp(node_word(n, "type"), "luks1") || n->kids[0]->bytes % 4096)
		return NULL;
	return arena_printf(a, "%s writes %u bytes at a time and is encrypted by %u: sector=4096 takes "
			    "an eighth of the operations, and what lies on it then has 4096-byte sectors",
			    n->kids[0]->name, n->kids[0]->psec, n->lsec);
}

/* The journal of dm-integrity takes every write once more; MATRIX L21 measured it. */
static bool keeps_bitmap(const struct node *n)
{
	return (advice_is(n, "integrity") && !strcmp(node_word(n, "mode"), "bitmap")) ||
	       (advice_is(n, "lvm") && !strcmp(node_word(n, "integritymode"), "bitmap"));
}

/* How long making the checksums of that mode takes; 0: there are none. */
static uint64_t checksums_ns(const struct stack *s, bool bitmap)
{
	uint64_t ns = 0;
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];
		bool checks = advice_is(n, "integrity") ||
			      (advice_is(n, "luks") && strcmp(node_word(n, "integrity"), "no")) ||
			      (advice_is(n, "lvm") && node_yes(n, "integrity"));

		/* disks are written side by side, so the longest counts; LVM does it later */
		if (checks && keeps_bitmap(n) == bitmap && ns < advice_sync_ns(n) * 2)
			ns = advice_sync_ns(n) * 2;
	}
	return ns;
}

const char *advice_integrity(const struct stack *s, struct arena *a)
{
	uint64_t ns = checksums_ns(s, false);
	char time[SIZE_TEXT];

	if (!ns)
		return NULL;
	return arena_printf(a, "every write goes to a journal first, so at most half of what the disks do "
			    "is left: under 100 MB/s was measured; making the checksums takes about %s "
			    "once", duration_text(time, ns));
}

/* 32768 sectors a bit and a flush every 10 s: what the kernel took for 100 MiB to 5 TiB. */
const char *advice_bitmap(const struct stack *s, struct arena *a)
{
	uint64_t ns = checksums_ns(s, true);
	char time[SIZE_TEXT];

	if (!ns)
		return NULL;
	return arena_printf(a, "after a crash every region of 16 MiB that was written in the last 10 s "
			    "gets checksums of whatever is there, rot and torn writes included; a "
			    "journal keeps them apart; making the checksums takes about %s once",
			    duration_text(time, ns));
}
