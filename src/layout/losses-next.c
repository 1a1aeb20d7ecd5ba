/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * losses-next - what to do when disks have died: caches first, because nothing starts
 * without them, then what has to be replaced by how large a disk, what is rebuilt, and what
 * is left of branches.
 */
#include "layout/losses.h"

#include <inttypes.h>
#include <string.h>

#include "base/sbuf.h"
#include "base/units.h"
#include "layout/advice.h"

static void say(const struct stack *s, struct losses_next *out, const char *text)
{
	list_add(s->arena, &out->steps, (void *)text);
}

/* Does it rest on the cache disk alone: a cache, a journal? */
static bool on_cache(const struct node *n)
{
	if (!n->layer)
		return n->role == ROLE_CACHE;
	return n->n_kids == 1 && on_cache(n->kids[0]);
}

/* Its members, caches and journals left out; lost ones counted. */
static unsigned members(const struct node *n, const enum health *health, unsigned *lost)
{
	unsigned i, n_members = 0;

	*lost = 0;
	for (i = 0; i < n->n_kids; i++) {
		if (on_cache(n->kids[i]))
			continue;
		n_members++;
		*lost += health[n->kids[i]->id] == HEALTH_LOST;
	}
	return n_members;
}

/* Would one more dead member, whichever, be borne? */
static bool bears_one_more(const struct stack *s, const struct node *n, const enum health *health)
{
	enum health *kids = arena_array(s->arena, n->n_kids, sizeof(*kids));
	unsigned i, k;

	if (!n->layer->health)
		return false;
	for (i = 0; i < n->n_kids; i++) {
		if (on_cache(n->kids[i]) || health[n->kids[i]->id] == HEALTH_LOST)
			continue;
		for (k = 0; k < n->n_kids; k++)
			kids[k] = k == i ? HEALTH_LOST : health[n->kids[k]->id];
		if (n->layer->health(n, kids) == HEALTH_LOST)
			return false;
	}
	return true;
}

const char *losses_detail(const struct stack *s, const struct node *n, const enum health *health)
{
	unsigned lost, all = members(n, health, &lost);

	if (n->gives == THING_DIR && n->kids[0]->gives == THING_DIR && lost)
		return arena_printf(s->arena, "%u of %u branches left", all - lost, all);
	if (n->layer->kind != LAYER_JOIN || all < 2 || !lost)
		return NULL;
	if (health[n->id] == HEALTH_LOST)
		return arena_printf(s->arena, "%s: %u of %u members left", n->level ? n->level :
				    n->layer->name,
				    all - lost, all);
	return arena_printf(s->arena, "%s: %u of %u members left, %s", n->level ? n->level :
			    n->layer->name,
			    all - lost, all,
			    bears_one_more(s, n, health) ? "any one more may go" :
			    "no further may go");
}

/* --- caches --------------------------------------------------------------------------- */

static void next_bcache(const struct stack *s, const struct node *n, const char *ssd,
			struct losses_next *out)
{
	const char *below = n->kids[0]->dev;

	if (!strcmp(node_word(n, "mode"), "writeback"))
		say(s, out, arena_printf(s->arena, "what %s had not written back to %s is lost, "
					 "and what is there may be torn. If %s is really dead, "
					 "start it without: echo 1 > /sys/class/block/<kernel "
					 "name of %s>/bcache/running; then check the file system "
					 "read-only before anything is written", ssd,
			n->kids[0]->name, ssd, below));
	else
		say(s, out, arena_printf(s->arena, "%s held copies only: bcache goes on without "
					 "it, and %s is used uncached; a new cache is attached "
					 "with make-bcache -C and bcache/attach", ssd, n->name));
}

static void next_lvm_cache(const struct stack *s, const struct node *n, const char *ssd,
			   struct losses_next *out)
{
	bool dirty = !strcmp(n->layer->name, "writecache") ||
		     !strcmp(node_word(n, "mode"), "writeback");
	const char *volume = n->dev + strlen("/dev/"), *slash = strchr(volume, '/');
	int len = slash ? (int)(slash - volume) : (int)strlen(volume);

	if (dirty)
		say(s, out, arena_printf(s->arena, "what %s had not written back to %s is lost, "
					 "and what is there may be torn. If %s is really dead, "
					 "take it off by force: lvconvert --yes --uncache --force "
					 "%s; vgreduce --removemissing %.*s; then check the file "
					 "system read-only before anything is written", ssd,
					 n->name, ssd, volume, len, volume));
	else
		say(s, out, arena_printf(s->arena, "%s held copies only: lvconvert --yes "
					 "--uncache --force %s and vgreduce --removemissing %.*s "
					 "take it off, and nothing is missing", ssd, volume, len,
			volume));
}

static void next_caches(const struct stack *s, const enum health *health, struct losses_next *out)
{
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i], *ssd;

		if (n->left_out || n->n_kids < 2 || !on_cache(n->kids[n->n_kids - 1]) ||
		    health[n->kids[n->n_kids - 1]->id] != HEALTH_LOST ||
		    health[n->kids[0]->id] == HEALTH_LOST)
			continue;
		ssd = n->kids[n->n_kids - 1]->kids[0];
		if (!strcmp(n->layer->name, "bcache"))
			next_bcache(s, n, ssd->name, out);
		else if (!strcmp(n->layer->name, "md"))
			say(s, out, arena_printf(s->arena, "%s lost its journal %s and is "
						 "read-only until it has another: mdadm --manage "
						 "%s --add-journal NEW", n->name, ssd->name,
						 n->dev));
		else
			next_lvm_cache(s, n, ssd->name, out);
	}
}

/* --- replacing and rebuilding ----------------------------------------------------------- */

/*
 * The array or pool above a device of the dead disk that goes on without it, NULL when there
 * is none; *member is what of the disk it has joined (the device itself, or what lies one to
 * one on it).
 */
static const struct node *goes_on(const struct stack *s, const struct node *dev,
				  const enum health *health, const struct node **member)
{
	size_t i;
	unsigned k;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		for (k = 0; !n->left_out && k < n->n_kids && n->kids[k] != dev; k++)
			;
		if (n->left_out || k == n->n_kids)
			continue;
		*member = dev;
		if (health[n->id] == HEALTH_DEGRADED)
			return n;
		return n->n_kids == 1 ? goes_on(s, n, health, member) : NULL;
	}
	return NULL;
}

/*
 * What a device that takes the place of `dev` must have: of an array as much as its smallest
 * member, of a pool as much as before; with what lies between kept as large as it was.
 */
static uint64_t device_bytes(const struct stack *s, const struct node *dev,
			     const enum health *health)
{
	const struct node *member, *above = goes_on(s, dev, health, &member);
	uint64_t least = UINT64_MAX;
	unsigned i;

	if (!above)
		return 0;
	if (!advice_redundant(above))
		return dev->bytes;
	for (i = 0; i < above->n_kids; i++) {
		if (!on_cache(above->kids[i]) && above->kids[i]->bytes < least)
			least = above->kids[i]->bytes;
	}
	return least + (dev->bytes - member->bytes);
}

/* How many bytes the successor of a dead disk must have at least; 0: nothing waits for it. */
static uint64_t least_bytes(const struct stack *s, const struct node *disk,
			    const enum health *health,
			    bool *parts)
{
	uint64_t least = 0, want;
	size_t i;

	*parts = false;
	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->left_out || !n->part_number || n->kids[0] != disk)
			continue;
		*parts = true;
		want = device_bytes(s, n, health);
		if (want && n->start + want + MIB > least)
			least = n->start + want + MIB;
	}
	return *parts ? least : device_bytes(s, disk, health);
}

static void next_replace(const struct stack *s, const bool *dead, const enum health *health,
			 struct losses_next *out)
{
	size_t i;

	for (i = 0; i < s->n_disks; i++) {
		const struct node *disk = s->nodes.at[i];
		char size[SIZE_TEXT];
		struct replacement *r;
		uint64_t bytes;
		bool parts;

		if (!dead[i] || disk->role != ROLE_DATA)
			continue;
		bytes = least_bytes(s, disk, health, &parts);
		if (!bytes)
			continue;
		r = arena_alloc(s->arena, sizeof(*r));
		*r = (struct replacement){ disk, bytes };
		list_add(s->arena, &out->replace, r);
		say(s, out, arena_printf(s->arena, "replace %s by a disk of at least %" PRIu64
					 " bytes (%s)%s", disk->name, bytes,
					 size_text(size, bytes, SIZE_SI),
					 parts ? ", partitioned as it was" : ""));
	}
}

static void next_rebuild(const struct stack *s, const enum health *health, struct losses_next *out)
{
	struct sbuf names = { 0 };
	char time[SIZE_TEXT];
	uint64_t ns = 0;
	bool md = false;
	unsigned lost;
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (!advice_redundant(n) || health[n->id] != HEALTH_DEGRADED)
			continue;
		members(n, health, &lost);
		if (!lost)
			continue;
		md = advice_is(n, "md");
		list_add(s->arena, &out->rebuild, (void *)n);
		sbuf_addf(&names, "%s%s", names.len ? ", " : "", n->name);
		ns += advice_sync_ns(n);
	}
	if (out->rebuild.n)
		say(s, out, arena_printf(s->arena, "%s rebuild%s (%s), about %s; until then a "
					 "further failure may lose data", sbuf_str(&names),
					 out->rebuild.n == 1 ? "s" : "",
			md ? "mdadm --manage ARRAY --add MEMBER" :
			"vgextend, then lvconvert --repair",
			duration_text(time, ns)));
	sbuf_done(&names);
}

/* File systems and pools that span devices, and go on without some. */
static void next_pools(const struct stack *s, const enum health *health, struct losses_next *out)
{
	unsigned lost, all, i;
	size_t k;

	for (k = s->n_disks; k < s->nodes.n; k++) {
		const struct node *n = s->nodes.at[k], *here = NULL;

		if (n->left_out || health[n->id] != HEALTH_DEGRADED || n->layer->kind != LAYER_JOIN)
			continue;
		all = members(n, health, &lost);
		if (!lost)
			continue;
		for (i = 0; i < n->n_kids && !here; i++)
			here = health[n->kids[i]->id] == HEALTH_LOST ? NULL : n->kids[i];
		if (!here)
			continue;
		if (!strcmp(n->layer->name, "btrfs"))
			say(s, out, arena_printf(s->arena, "btrfs does not mount by itself with "
						 "%u of %u devices: mount -o degraded %s %s; then "
						 "btrfs replace start DEVID NEW %s for each "
						 "missing one (btrfs filesystem show has the "
						 "DEVID), and btrfs balance start "
						 "-dconvert=%s,soft %s for what was written "
						 "meanwhile", all - lost, all, here->dev,
				n->dir, n->dir, n->level, n->dir));
		else if (!strcmp(n->layer->name, "zfs"))
			say(s, out, arena_printf(s->arena, "zpool replace %s OLD NEW for each "
						 "missing device; zpool status says how far it is",
						 s->name));
	}
}

static void next_branches(const struct stack *s, const enum health *health, struct losses_next *out)
{
	struct sbuf gone = { 0 };
	unsigned lost, all, i;
	size_t k;

	for (k = s->n_disks; k < s->nodes.n; k++) {
		const struct node *n = s->nodes.at[k];

		if (n->left_out || n->layer->kind != LAYER_JOIN || n->kids[0]->gives != THING_DIR)
			continue;
		all = members(n, health, &lost);
		if (!lost)
			continue;
		for (i = 0; i < n->n_kids; i++) {
			if (health[n->kids[i]->id] == HEALTH_LOST)
				sbuf_addf(&gone, "%s%s", gone.len ? ", " : "", n->kids[i]->dir);
		}
		say(s, out, arena_printf(s->arena, "the files on %s are lost%s", sbuf_str(&gone),
					 lost == all ? "" :
			"; mount the folder again with the branches that are left, and all other "
			"files are there"));
	}
	sbuf_done(&gone);
}

void losses_next(const struct stack *s, const bool *dead, const enum health *health,
		 struct losses_next *out)
{
	bool lost = false;
	size_t i;

	*out = (struct losses_next){ 0 };
	for (i = 0; i < s->tops.n; i++)
		lost |= health[((const struct node *)s->tops.at[i])->id] == HEALTH_LOST;
	if (lost)
		say(s, out, "a disk that only dropped out may come back: look at cables and power "
		    "before anything is written");
	next_caches(s, health, out);
	next_branches(s, health, out);
	next_replace(s, dead, health, out);
	next_rebuild(s, health, out);
	next_pools(s, health, out);
	if (lost)
		say(s, out, "restore what is lost from the backup");
}
