/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bcache - a cache of the kernel in front of slow devices.
 *
 * One cache set for all devices of the statement: the first node makes the partition on the
 * cache disk, the others share it. The kernel numbers what it makes (bcache0, bcache1), so
 * each gets a link /dev/naslab/NAME-LABEL. Sizes: CAPACITY rules 1.3.
 */
#include "layers/bcache.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "layers/layers.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

enum { SECTOR = 512, DATA_OFFSET = 16 };

/* make-bcache takes 128; the kernel keeps a 1024th of them free, of the next power of two, and
 * refuses a cache where that is none (cache_alloc in super.c, kernel 6.1). */
enum { LEAST_MADE = 128, LEAST_BUCKETS = 513 };

struct bcache_priv {
	const struct node *owner;	/* the node that made the cache partition */
	struct node *cache;
	uint64_t cached;		/* bytes of it that hold data */
	struct list nodes;		/* of the owner: all that share it, struct node * */
};

uint64_t bcache_backing_bytes(uint64_t device_bytes, uint64_t data_offset_sectors)
{
	return round_down(device_bytes, SECTOR) - data_offset_sectors * SECTOR;
}

bool bcache_cache_buckets(uint64_t device_bytes, uint64_t bucket, uint64_t *buckets,
			  uint64_t *first)
{
	*buckets = device_bytes / bucket;
	*first = 23 / (bucket / SECTOR) + 1;
	return *buckets >= LEAST_MADE;
}

static const struct option bcache_options[] = {
	{ .name = "mode", .type = OPTION_WORD, .words = "writeback writethrough writearound",
	  .def = "writethrough",
	  .help = "writeback: writes are done when the cache has them, and lost with it; writethrough: "
		  "when the disks have them; writearound: only reads are cached" },
	{ .name = "size", .type = OPTION_SIZE, .min = 64 * MIB, .max = 1024 * TIB,
	  .help = "how much of the cache disk; without it all that is left" },
	{ .name = "cutoff", .type = OPTION_SIZE, .min = 0, .max = 1024 * MIB,
	  .help = "longer runs of neighbouring blocks go past the cache; 0 caches everything, without it "
		  "the kernel's 4M" },
	{ .name = "bucket", .type = OPTION_SIZE, .min = 64 * KIB, .max = 16 * MIB, .def = "512K",
	  .help = "what is given and taken at once, a power of two: the erase block of the SSD" },
	{ .name = NULL }
};

static int bcache_check(const struct stmt *st, struct err *e)
{
	const char *bucket = stmt_value(st, "bucket");
	uint64_t bytes = 0;

	if (bucket && size_parse(bucket, &bytes, e))
		return -1;
	if (bucket && (bytes & (bytes - 1)))
		return err_set(e, ERR_USAGE, "bucket is a power of two, like 512K; not %s", bucket);
	return 0;
}

static bool has_bcache(const struct node *n)
{
	unsigned i;

	if (n->layer == &layer_bcache)
		return true;
	for (i = 0; i < n->n_kids; i++) {
		if (has_bcache(n->kids[i]))
			return true;
	}
	return false;
}

/* The node of the same statement that made the cache partition; NULL: this is the first. */
static const struct node *find_owner(const struct stack *s, const struct node *n)
{
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *other = s->nodes.at[i];

		if (other != n && other->stmt == n->stmt && other->priv)
			return ((const struct bcache_priv *)other->priv)->owner;
	}
	return NULL;
}

static int take_cache(struct stack *s, struct node *n, struct bcache_priv *p, struct err *e)
{
	const struct node *owner = find_owner(s, n);
	uint64_t bucket = node_size(n, "bucket"), buckets, first;

	if (owner) {
		struct bcache_priv *shared = owner->priv;

		p->owner = owner;
		p->cache = shared->cache;
		list_add(s->arena, &shared->nodes, n);
		return 0;
	}
	p->owner = n;
	list_add(s->arena, &p->nodes, n);
	p->cache = stack_cache(s, n->stmt, node_size(n, "size"), e);
	if (!p->cache)
		return -1;
	if (!bcache_cache_buckets(p->cache->bytes, bucket, &buckets, &first) || buckets < LEAST_BUCKETS)
		return err_set(e, ERR_USAGE, "%s has room for %" PRIu64 " buckets, bcache needs %d: a "
			       "smaller bucket= or a larger cache", p->cache->name, buckets, LEAST_BUCKETS);
	p->cached = (buckets - first) * bucket;
	return 0;
}

static int bcache_size(struct stack *s, struct node *n, struct err *e)
{
	struct bcache_priv *p = arena_alloc(s->arena, sizeof(*p));
	const struct node *kid = n->kids[0];

	if (has_bcache(kid))
		return err_set(e, ERR_USAGE, "%s is cached by bcache already, and the kernel does not stack "
			       "one on another; one bcache, above or below", kid->name);
	if (take_cache(s, n, p, e))
		return -1;
	n->priv = p;
	node_add_kid(s, n, p->cache);
	n->bytes = bcache_backing_bytes(kid->bytes, DATA_OFFSET);
	if (p->cache->lsec > n->lsec)
		n->lsec = p->cache->lsec;
	/* what its queue says: the block it was made with, and the stripe of what lies below */
	n->psec = n->io_min = n->lsec;
	n->rotational = kid->rotational;
	n->name = stack_label(s, n);
	n->dev = arena_printf(s->arena, "/dev/naslab/%s-%s", s->name, n->name);
	node_fact_str(s, n, "mode", node_word(n, "mode"));
	node_fact_u64(s, n, "cache_bytes", ((const struct bcache_priv *)p->owner->priv)->cached);
	return 0;
}

/* The cache disk is in none of the sums: what it can cache counts as used. */
static void bcache_account(const struct node *n, const struct split *mine, struct split *kids)
{
	const struct bcache_priv *p = n->priv;

	kids[0] = *mine;
	kids[0].overhead += n->kids[0]->bytes - n->bytes;
	if (p->owner != n)
		return;
	kids[1].usable = p->cached;
	kids[1].overhead = p->cache->bytes - p->cached;
}

static enum health bcache_health(const struct node *n, const enum health *kids)
{
	if (kids[0] == HEALTH_LOST)
		return HEALTH_LOST;
	if (kids[1] == HEALTH_LOST)
		return strcmp(node_word(n, "mode"), "writeback") ? HEALTH_DEGRADED : HEALTH_LOST;
	return kids[0];
}

/* --- steps ------------------------------------------------------------------------------ */

/* udevd starts what it finds at once, so taking the set down belongs to the step that made
 * it and not to the ones that started it. Detaching writes back what only the cache has. */
static void undo_set(const struct bcache_priv *priv, struct plan *p, struct step *st)
{
	const char *cache = priv->cache->dev;
	struct argv *wipe;
	size_t i;

	for (i = 0; i < priv->nodes.n; i++) {
		const char *dev = ((const struct node *)priv->nodes.at[i])->kids[0]->dev;

		step_undo(p, st, "block_write", dev, "bcache/detach", "1", NULL);
		step_undo(p, st, "block_wait", dev, "bcache/state", "no cache", NULL);
		step_undo(p, st, "block_write", dev, "bcache/stop", "1", NULL);
		step_undo(p, st, "block_wait", dev, "bcache", "gone", NULL);
	}
	step_undo(p, st, "block_write", cache, "bcache/set/unregister", "1", NULL);
	step_undo(p, st, "block_wait", cache, "bcache", "gone", NULL);
	wipe = step_undo_argv(p, st);
	argv_addl(p->arena, wipe, "wipefs", "--all", "--force", "--quiet", cache, NULL);
	for (i = 0; i < priv->nodes.n; i++)
		argv_add(p->arena, wipe, ((const struct node *)priv->nodes.at[i])->kids[0]->dev);
}

/* make-bcache writes both kinds of superblock at once, so all get the set's new UUID. */
static void plan_set(const struct node *n, struct plan *p)
{
	const struct bcache_priv *priv = n->priv;
	struct step *st;
	size_t i;

	st = plan_step(p, "bcache", "load bcache into the kernel");
	step_args(p, st, "modprobe", "bcache", NULL);
	st->again = true;

	st = plan_step(p, "bcache", "make %s the cache of %zu device%s", priv->cache->name,
		       priv->nodes.n, priv->nodes.n == 1 ? "" : "s");
	step_args(p, st, "make-bcache", NULL);
	if (!strcmp(node_word(n, "mode"), "writeback"))
		step_args(p, st, "--writeback", NULL);
	step_args(p, st, "--bucket", NULL);
	step_argf(p, st, "%" PRIu64 "k", node_size(n, "bucket") / 1024);
	step_args(p, st, "--block", NULL);
	step_argf(p, st, "%u", n->lsec);
	step_args(p, st, "-C", priv->cache->dev, "-B", NULL);
	step_writes(p, st, priv->cache);
	for (i = 0; i < priv->nodes.n; i++) {
		const struct node *kid = ((const struct node *)priv->nodes.at[i])->kids[0];

		step_args(p, st, kid->dev, NULL);
		step_writes(p, st, kid);
	}
	undo_set(priv, p, st);
	st->retry = true;	/* udevd makes a device busy while it looks at it */

	/* quiet: what udevd registered already is no failure */
	st = plan_step(p, "bcache", "start the cache %s", priv->cache->name);
	step_args(p, st, "block_tell", "/sys/fs/bcache/register_quiet", priv->cache->dev, NULL);
	step_writes(p, st, priv->cache);
	st->again = true;
}

static int bcache_plan(const struct node *n, struct plan *p, struct err *e)
{
	const struct bcache_priv *priv = n->priv;
	const char *below = n->kids[0]->dev;
	struct step *st;

	(void)e;
	if (priv->owner == n)
		plan_set(n, p);
	st = plan_step(p, "bcache", "put the cache in front of %s", n->kids[0]->name);
	step_args(p, st, "block_tell", "/sys/fs/bcache/register_quiet", below, NULL);
	step_writes(p, st, n);
	st->again = true;

	st = plan_step(p, "bcache", "call the cached %s by a name that stays", n->kids[0]->name);
	step_args(p, st, "block_link", n->dev, below, NULL);
	step_makes(p, st, n->dev, n->bytes);
	st->again = true;
	step_undo(p, st, "rm", "-f", n->dev, NULL);
	if (!strcmp(node_word(n, "mode"), "writearound")) {
		st = plan_step(p, "bcache", "cache only what is read from %s", n->kids[0]->name);
		step_args(p, st, "block_write", below, "bcache/cache_mode", "writearound", NULL);
		step_writes(p, st, n);
	}
	if (node_word(n, "cutoff")) {
		st = plan_step(p, "bcache", "let runs from %s on go past the cache of %s",
			       node_word(n, "cutoff"), n->kids[0]->name);
		step_args(p, st, "block_write", below, "bcache/sequential_cutoff", NULL);
		step_argf(p, st, "%" PRIu64, node_size(n, "cutoff"));
		step_writes(p, st, n);
		st->again = true;	/* the kernel forgets it */
	}
	plan_wipe(p, "bcache", n->dev, n);
	return 0;
}

static const char *const bcache_tools[] = { "make-bcache", "modprobe", NULL };
static const char *const bcache_packages[] = { "bcache-tools", "kmod", NULL };

const struct layer layer_bcache = {
	.name = "bcache", .title = "SSD cache (bcache)",
	.about = "Puts one SSD in front of every device below as a cache for reads and, in writeback, "
		 "for writes. In writeback the SSD holds data that is nowhere else.",
	.kind = LAYER_MAP, .takes = THING_BLOCK, .gives = THING_BLOCK,
	.signature = "bcache", .tools = bcache_tools, .packages = bcache_packages, .options = bcache_options,
	.check = bcache_check, .size = bcache_size, .account = bcache_account,
	.health = bcache_health, .plan = bcache_plan,
};
