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
