/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmcache and writecache - the caches that LVM attaches to its own volumes.
 *
 * The cache disk joins the volume group of the volume below, a cache volume (or for dm-cache
 * a pool of two, data and metadata) takes all of it, and the volume is converted in place: it
 * keeps its name and size. Rules: CAPACITY 1.2; the queue limits are those of
 * dm-cache-target.c and dm-writecache.c, kernel 6.1.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "layers/layers.h"
#include "layers/lvm.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

struct cache_priv {
	const struct node *volume;	/* the lvm node below */
	struct node *cache;		/* the partition */
	uint64_t extents;		/* of the cache volume, of a pool its data */
	uint64_t chunk;			/* dm-cache */
	uint64_t pool_meta;		/* of a pool, bytes; 0: a cache volume */
	uint64_t cached;		/* bytes of it that hold data */
};

static const struct option lvmcache_options[] = {
	{ .name = "mode", .type = OPTION_WORD, .words = "writeback writethrough passthrough",
	  .def = "writethrough",
	  .help = "writeback: writes are done when the cache has them, and lost with it; writethrough: "
		  "when the disks have them; passthrough: nothing is cached until another mode is set" },
	{ .name = "pool", .type = OPTION_YESNO, .def = "no",
	  .help = "a pool of two volumes, data and metadata, with room to repair the metadata; without "
		  "it one cache volume holds both" },
	{ .name = "size", .type = OPTION_SIZE, .min = 16 * MIB, .max = 1024 * TIB,
	  .help = "how much of the cache disk; without it all that is left" },
	{ .name = "chunk", .type = OPTION_SIZE, .min = 64 * KIB, .max = GIB,
	  .help = "what is cached at once, a multiple of 32K; without it the smallest that keeps the "
		  "cache at a million chunks, of a pool the next power of two" },
	{ .name = NULL }
};

static const struct option writecache_options[] = {
	{ .name = "size", .type = OPTION_SIZE, .min = 16 * MIB, .max = 1024 * TIB,
	  .help = "how much of the cache disk; without it all that is left" },
	{ .name = "block", .type = OPTION_WORD, .words = "512 4096", .def = "4096",
	  .help = "what is cached at once, and the sector of the volume; 512 keeps that of the disks and "
		  "takes eight times the memory" },
	{ .name = NULL }
};

static int lvmcache_check(const struct stmt *st, struct err *e)
{
	const char *chunk = stmt_value(st, "chunk");
	uint64_t bytes = 0;

	if (chunk && size_parse(chunk, &bytes, e))
		return -1;
	if (chunk && bytes % (32 * KIB))
		return err_set(e, ERR_USAGE, "chunk is a multiple of 32K, not %s", chunk);
	return 0;
}

/* What lvconvert refuses after the disks were wiped is refused here. */
static int check_volume(const struct node *kid, struct err *e)
{
	if (kid->layer != &layer_lvm)
		return err_set(e, ERR_USAGE, "caches a volume of LVM, and %s is none; lvm below it makes one, "
			       "or bcache caches any device", kid->name);
	if (lvm_has_integrity(kid))
		return err_set(e, ERR_USAGE, "LVM caches no volume that has integrity=yes; bcache over it does");
	if (lvm_is_thin(kid))
		return err_set(e, ERR_USAGE, "LVM caches no thin volume; bcache below lvm does");
	return 0;
}

static int take_cache(struct stack *s, struct node *n, struct cache_priv *p, struct err *e)
{
	const struct node *kid = n->kids[0];

	if (check_volume(kid, e))
		return -1;
	p->volume = kid;
	p->cache = stack_cache(s, n->stmt, node_size(n, "size"), e);
	if (!p->cache)
		return -1;
	if (p->cache->lsec != kid->kids[0]->lsec)
		return err_set(e, ERR_USAGE, "%s has %u-byte sectors and the volume group of %s has %u: LVM does "
			       "not take both; bcache does", p->cache->name, p->cache->lsec, kid->name,
			       kid->kids[0]->lsec);
	p->extents = lvm_extents(p->cache->bytes, p->cache->io_opt);
	if (p->extents < 4)
		return err_set(e, ERR_USAGE, "%s (%" PRIu64 " bytes) is too small for a cache volume",
			       p->cache->name, p->cache->bytes);
	n->priv = p;
	node_add_kid(s, n, p->cache);
	n->name = stack_label(s, n);
	n->dev = kid->dev;
	n->dm_name = kid->dm_name;
	n->level = kid->level;
	n->bytes = kid->bytes;
	n->rotational = kid->rotational;
	return 0;
}

static int too_many_chunks(uint64_t asked, uint64_t bytes, struct err *e)
{
	return err_set(e, ERR_USAGE, "chunk=%" PRIu64 "K makes more than 1,000,000 chunks of %" PRIu64
		       " bytes; the smallest is %" PRIu64 "K", asked / 1024, bytes,
		       (uint64_t)(lvm_cache_chunk(bytes) / 1024));
}

/* Data, metadata and the spare that repairs metadata: computed for all that is free. */
static int size_pool(struct cache_priv *p, uint64_t asked, uint64_t *meta, struct err *e)
{
	uint64_t all = p->extents * LVM_EXTENT;

	lvm_cache_pool(all, asked, &p->chunk, meta);
	p->pool_meta = *meta;
	p->extents = lvm_cache_all(p->extents, asked);
	p->cached = p->extents * LVM_EXTENT;
	if (!p->extents)
		return err_set(e, ERR_USAGE, "%s (%" PRIu64 " bytes) has no room for a cache pool and its "
			       "metadata twice; pool=no needs less", p->cache->name, p->cache->bytes);
	return p->cached / p->chunk > 1000000 ? too_many_chunks(asked, p->cached, e) : 0;
}

static int size_cachevol(struct cache_priv *p, uint64_t asked, uint64_t *meta, struct err *e)
{
	uint64_t bytes = p->extents * LVM_EXTENT;

	p->chunk = asked ? asked : lvm_cache_chunk(bytes);
	return lvm_cachevol(bytes, p->chunk, meta, &p->cached) ? 0 : too_many_chunks(asked, bytes, e);
}

static int lvmcache_size(struct stack *s, struct node *n, struct err *e)
{
	struct cache_priv *p = arena_alloc(s->arena, sizeof(*p));
	uint64_t meta, chunk, asked = node_size(n, "chunk");

	if (take_cache(s, n, p, e) ||
	    (node_yes(n, "pool") ? size_pool(p, asked, &meta, e) : size_cachevol(p, asked, &meta, e)))
		return -1;
	n->chunk = chunk = p->chunk;
	n->stripe_set = true;
	if (n->io_min >= 4096 && n->io_opt && n->io_opt % n->io_min == 0) {
		n->stripe_unit = n->io_min;
		n->stripe_width = n->io_opt;
	}
	/* dm-cache puts its chunk there, unless what lies below is a multiple of it */
	if (chunk && (n->io_opt < chunk || round_down(n->io_opt, chunk) != n->io_opt))
		n->io_min = n->io_opt = (uint32_t)chunk;
	node_fact_str(s, n, "mode", node_word(n, "mode"));
	node_fact_u64(s, n, "cache_bytes", p->cached);
	node_fact_u64(s, n, "cache_metadata_bytes", meta);
	return 0;
}

static int writecache_size(struct stack *s, struct node *n, struct err *e)
{
	struct cache_priv *p = arena_alloc(s->arena, sizeof(*p));
	uint32_t block = (uint32_t)strtoul(node_word(n, "block"), NULL, 10);
	char ram[SIZE_TEXT];
	uint64_t need;

	if (take_cache(s, n, p, e))
		return -1;
	p->cached = p->extents * LVM_EXTENT;
	if (block < n->lsec)
		return err_set(e, ERR_USAGE, "block=%u is less than the %u-byte sectors of %s; without block= it "
			       "is right", block, n->lsec, n->name);
	if (n->lsec < block)
		n->lsec = block;
	if (n->psec < block)
		n->psec = block;
	if (n->io_min < block)
		n->io_min = block;
	/* the kernel keeps an entry for every block in memory: 21 GiB for 1 TiB were asked */
	need = p->cached / 1000 * 21 * (4096 / block);
	n->note = arena_printf(s->arena, "the kernel keeps %s of memory for it, and its sectors are %u bytes",
			       size_text(ram, need, SIZE_IEC), n->lsec);
	node_fact_u64(s, n, "cache_bytes", p->cached);
	node_fact_u64(s, n, "ram_bytes", need);
	return 0;
}

/* The cache disk is in none of the sums: what it can cache counts as used. */
static void cache_account(const struct node *n, const struct split *mine, struct split *kids)
{
	const struct cache_priv *p = n->priv;

	kids[0] = *mine;
	kids[1].usable = p->cached;
	kids[1].overhead = p->cache->bytes - p->cached;
}

static enum health lvmcache_health(const struct node *n, const enum health *kids)
{
	if (kids[0] == HEALTH_LOST)
		return HEALTH_LOST;
	if (kids[1] == HEALTH_LOST)
		return strcmp(node_word(n, "mode"), "writeback") ? HEALTH_DEGRADED : HEALTH_LOST;
	return kids[0];
}

/* --- steps ------------------------------------------------------------------------------ */

/* The cache volume or pool; its undo finds it apart from the volume again. */
static void plan_cachevol(const struct node *n, struct plan *p)
{
	const struct cache_priv *priv = n->priv;
	const char *layer = n->layer->name, *dev = priv->cache->dev, *vg = lvm_vg(priv->volume);
	bool pool = priv->pool_meta > 0;
	struct step *st;

	st = plan_step(p, layer, "make %s a physical volume", priv->cache->name);
	step_args(p, st, "pvcreate", "--yes", "--force", "--force", dev, NULL);
	step_writes(p, st, priv->cache);
	step_undo(p, st, "pvremove", "--yes", "--force", "--force", dev, NULL);

	st = plan_step(p, layer, "add it to the volume group %s", vg);
	step_args(p, st, "vgextend", "--yes", vg, dev, NULL);
	step_writes(p, st, priv->cache);
	step_writes(p, st, priv->volume);
	step_undo(p, st, "vgreduce", "--yes", vg, dev, NULL);

	st = plan_step(p, layer, "make the cache %s %s/%s-cache on it", pool ? "pool" : "volume", vg,
		       priv->volume->name);
	if (pool) {
		step_args(p, st, "lvcreate", "--yes", "--type=cache-pool", "--poolmetadataspare=y", NULL);
		step_argf(p, st, "--chunksize=%" PRIu64 "k", priv->chunk / 1024);
		step_argf(p, st, "--poolmetadatasize=%" PRIu64 "m", priv->pool_meta >> 20);
	} else {
		step_args(p, st, "lvcreate", "--yes", "--wipesignatures", "n", "--zero", "n",
			  "--type=linear", NULL);
	}
	step_argf(p, st, "--extents=%" PRIu64, priv->extents);
	step_argf(p, st, "--name=%s-cache", priv->volume->name);
	step_args(p, st, vg, dev, NULL);
	step_writes(p, st, priv->cache);
	step_undo(p, st, "lvremove", "--yes", "--force",
		  arena_printf(p->arena, "%s/%s-cache", vg, priv->volume->name), NULL);
}

/* The step that attaches it; taking it back writes to the disks what only the cache has. */
static struct step *plan_attach(const struct node *n, struct plan *p, const char *type)
{
	const struct cache_priv *priv = n->priv;
	const char *vg = lvm_vg(priv->volume);
	const char *volume = arena_printf(p->arena, "%s/%s", vg, priv->volume->name);
	struct step *st = plan_step(p, n->layer->name, "put the cache in front of %s", volume);

	step_args(p, st, "lvconvert", "--yes", "--type", type, NULL);
	step_argf(p, st, "--%s=%s-cache", priv->pool_meta ? "cachepool" : "cachevol",
		  priv->volume->name);
	step_writes(p, st, n);
	step_makes(p, st, n->dev, n->bytes);
	step_undo(p, st, "lvconvert", "--yes", "--splitcache", volume, NULL);
	return st;
}

static int lvmcache_plan(const struct node *n, struct plan *p, struct err *e)
{
	const struct cache_priv *priv = n->priv;
	struct step *st;

	(void)e;
	plan_cachevol(n, p);
	st = plan_attach(n, p, "cache");
	step_argf(p, st, "--cachemode=%s", node_word(n, "mode"));
	if (!priv->pool_meta)		/* a pool has its own */
		step_argf(p, st, "--chunksize=%" PRIu64 "k", priv->chunk / 1024);
	step_argf(p, st, "%s/%s", lvm_vg(priv->volume), priv->volume->name);
	return 0;
}

static int writecache_plan(const struct node *n, struct plan *p, struct err *e)
{
	const struct cache_priv *priv = n->priv;
	const char *vg = lvm_vg(priv->volume);
	struct step *st;

	(void)e;
	plan_cachevol(n, p);
	st = plan_step(p, "writecache", "put the cache volume to rest, as lvconvert wants it");
	step_args(p, st, "lvchange", "--yes", "--activate", "n", NULL);
	step_argf(p, st, "%s/%s-cache", vg, priv->volume->name);
	step_writes(p, st, priv->cache);
	st = plan_attach(n, p, "writecache");
	step_argf(p, st, "--cachesettings=block_size=%s", node_word(n, "block"));
	step_argf(p, st, "%s/%s", vg, priv->volume->name);
	return 0;
}

static const char *const cache_tools[] = { "lvconvert", "vgextend", "cache_check", NULL };
static const char *const cache_packages[] = { "lvm2", "lvm2", "thin-provisioning-tools", NULL };
static const char *const writecache_tools[] = { "lvconvert", "vgextend", NULL };

const struct layer layer_lvmcache = {
	.name = "lvmcache", .title = "SSD cache in LVM (dm-cache)",
	.about = "Caches a volume of LVM with the cache disk: what is used often moves there. In "
		 "writeback the SSD holds data that is nowhere else.",
	.kind = LAYER_MAP, .takes = THING_BLOCK, .gives = THING_BLOCK,
	.signature = "LVM2_member", .tools = cache_tools, .packages = cache_packages, .options = lvmcache_options,
	.check = lvmcache_check, .size = lvmcache_size, .account = cache_account,
	.health = lvmcache_health, .plan = lvmcache_plan,
};

/* It only ever holds what was written and is not on the disks yet, so it takes that along:
 * worse than any of its devices it cannot be, which is what is assumed without .health. */
const struct layer layer_writecache = {
	.name = "writecache", .title = "Write cache in LVM (dm-writecache)",
	.about = "Takes writes to a volume of LVM on the cache disk and moves them to the disks later. "
		 "Reads are not cached; it needs memory, and what it holds is lost with it.",
	.kind = LAYER_MAP, .takes = THING_BLOCK, .gives = THING_BLOCK,
	.signature = "LVM2_member", .tools = writecache_tools, .packages = cache_packages, .options = writecache_options,
	.size = writecache_size, .account = cache_account, .plan = writecache_plan,
};
