/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvm - one volume group and one logical volume over a group of devices.
 *
 * Every fact of a type is a row of lvm_levels[]. Sizes are counted in extents; lvm-sizes.c
 * has the rules and lvm-plan.c the commands.
 */
#include "layers/lvm.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "base/units.h"
#include "layers/layers.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

/* lvcreate wants two data devices beside the parity of raid5, three beside that of raid6. */
static const struct lvm_level lvm_levels[] = {
	{ .name = "linear", .min = 1 },
	{ .name = "striped", .min = 2, .striped = true, .instead = "type=linear takes one" },
	{ .name = "raid0", .min = 2, .raid = true, .striped = true,
	  .instead = "type=linear takes one" },
	{ .name = "raid1", .min = 2, .raid = true, .mirror = true,
	  .instead = "a mirror needs a second device" },
	{ .name = "raid5", .min = 3, .parity = 1, .raid = true, .striped = true,
	  .instead = "type=raid1 takes 2" },
	{ .name = "raid6", .min = 5, .parity = 2, .raid = true, .striped = true,
	  .instead = "md level=raid6 takes 4, and type=raid1 lets all but one fail" },
	{ .name = "raid10", .min = 4, .raid = true, .pairs = true, .striped = true,
	  .instead = "md level=raid10 takes any number from 2; type=raid5 and type=raid1 are others" },
	{ .name = "thin", .min = 1 },
};

/* type=auto: redundancy by the width of the group. */
static const struct {
	unsigned redundancy, from, to;
	const char *level;
} lvm_choice[] = {
	{ 0, 1, 1, "linear" },
	{ 0, 2, UINT32_MAX, "striped" },
	{ 1, 2, 2, "raid1" },
	{ 1, 3, UINT32_MAX, "raid5" },
	{ 2, 3, 4, "raid1" },		/* LVM's raid6 starts at 5 */
	{ 2, 5, UINT32_MAX, "raid6" },
	{ 3, 4, UINT32_MAX, "raid1" },
};

static const struct lvm_level *level_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(lvm_levels) / sizeof(lvm_levels[0]); i++) {
		if (!strcmp(lvm_levels[i].name, name))
			return &lvm_levels[i];
	}
	return NULL;
}

/* --- options ------------------------------------------------------------------------ */

static const struct option lvm_options[] = {
	{ .name = "type", .type = OPTION_WORD,
	  .words = "linear striped raid0 raid1 raid5 raid6 raid10 auto thin", .def = "linear",
	  .help = "linear: one device after the other, all space used; the others use as much of each "
		  "as the smallest has; auto: by redundancy and the width of the group; thin: a pool "
		  "that gives space when it is written to" },
	{ .name = "redundancy", .type = OPTION_COUNT, .min = 0, .max = 3,
	  .help = "type=auto: how many devices may fail; 1 is raid1 for 2 and raid5 from 3, 2 is "
		  "raid1 for 3 and 4 and raid6 from 5" },
	{ .name = "stripe", .type = OPTION_SIZE, .min = 4096, .max = 64 * MIB, .def = "64K",
	  .help = "how much goes to one device before the next, a power of two" },
	{ .name = "stripes", .type = OPTION_COUNT, .min = 2, .max = LVM_STRIPES,
	  .help = "type=striped: over how many devices at a time, where there are more; without it "
		  "over all, as far as the smallest goes" },
	{ .name = "integrity", .type = OPTION_YESNO, .def = "no",
	  .help = "raid levels with redundancy: a checksum for every sector, so that bit rot is found "
		  "and repaired from the other copy" },
	{ .name = "integritymode", .type = OPTION_WORD, .words = "journal bitmap", .def = "journal",
	  .help = "integrity=yes: journal changes data and checksum together; bitmap writes once, but "
		  "after a crash the last written regions get new checksums of whatever is there" },
	{ .name = "size", .type = OPTION_SIZE, .min = 4 * MIB, .max = 8192 * TIB,
	  .help = "thin: how large the volume says it is; without it as large as its pool" },
	{ .name = "chunk", .type = OPTION_SIZE, .min = 64 * KIB, .max = GIB,
	  .help = "thin: what is given at a time; without it as lvcreate chooses, 64K for small pools" },
	{ .name = NULL }
};

static int check_power(const struct stmt *st, const char *key, struct err *e)
{
	const char *text = stmt_value(st, key);
	uint64_t bytes = 0;

	if (!text)
		return 0;
	if (size_parse(text, &bytes, e))
		return -1;
	if (bytes & (bytes - 1))
		return err_set(e, ERR_USAGE, "%s is a power of two, like 64K; not %s", key, text);
	return 0;
}

static int lvm_check(const struct stmt *st, struct err *e)
{
	const char *type = stmt_value(st, "type");
	const char *redundancy = stmt_value(st, "redundancy");
	const char *integrity = stmt_value(st, "integrity");
	const struct lvm_level *l = level_find(type ? type : "linear");
	bool automatic = type && !strcmp(type, "auto");
	bool thin = type && !strcmp(type, "thin");

	if (automatic && !redundancy)
		return err_set(e, ERR_USAGE, "type=auto needs redundancy=; redundancy=1 lets any one "
			       "device fail");
	if (redundancy && !automatic)
		return err_set(e, ERR_USAGE, "redundancy= is for type=auto");
	if (stmt_value(st, "stripe") && !automatic && !l->striped)
		return err_set(e, ERR_USAGE, "stripe= is for types that stripe, not for %s", l->name);
	if (stmt_value(st, "stripes") && (automatic || strcmp(l->name, "striped")))
		return err_set(e, ERR_USAGE, "stripes= is for type=striped: the others lie over all devices");
	if (integrity && !strcmp(integrity, "yes") && !automatic &&
	    (!l->raid || !strcmp(l->name, "raid0")))
		return err_set(e, ERR_USAGE, "integrity=yes repairs from another copy: type=raid1, raid5, "
			       "raid6 or raid10, not %s", l->name);
	if (integrity && !strcmp(integrity, "yes") && automatic && !strcmp(redundancy, "0"))
		return err_set(e, ERR_USAGE, "integrity=yes repairs from another copy: redundancy=1 or more");
	if (stmt_value(st, "integritymode") && (!integrity || strcmp(integrity, "yes")))
		return err_set(e, ERR_USAGE, "integritymode= is for integrity=yes");
	if ((stmt_value(st, "size") || stmt_value(st, "chunk")) && !thin)
		return err_set(e, ERR_USAGE, "size= and chunk= are for type=thin");
	if (check_power(st, "stripe", e) || check_power(st, "chunk", e))
		return -1;
	return 0;
}

/* --- from devices to a volume --------------------------------------------------------- */

/* vgcreate refuses them, after the disks were wiped: so it is said here. */
static int lvm_sectors(const struct node *n, struct err *e)
{
	unsigned i;

	for (i = 1; i < n->n_kids; i++) {
		if (n->kids[i]->lsec != n->kids[0]->lsec)
			return err_set(e, ERR_USAGE, "%s has %u-byte sectors and %s has %u: one volume group does "
				       "not take both; btrfs over the slices does", n->kids[0]->name,
				       n->kids[0]->lsec, n->kids[i]->name, n->kids[i]->lsec);
	}
	return 0;
}

/* lvm.conf(5), devices/scan_lvs: LVM does not look at its own volumes for physical ones. */
static int lvm_below(const struct node *n, struct err *e)
{
	unsigned i;

	for (i = 0; i < n->n_kids; i++) {
		const struct layer *l = n->kids[i]->layer;

		if (l == &layer_lvm || l == &layer_lvmcache || l == &layer_writecache)
			return err_set(e, ERR_USAGE, "%s is a volume of LVM already, and LVM takes none of its own as a "
				       "device; one lvm, and a thin volume is cached by bcache below it",
				       n->kids[i]->name);
	}
	return 0;
}

/* 1: this group is left out, with the reason in its note. */
static int too_few(struct stack *s, struct node *n, bool asked, struct err *e)
{
	return s->n_groups == 1 && asked ? err_set(e, ERR_USAGE, "%s", n->note) : 1;
}

static int choose_level(struct stack *s, struct node *n, struct lvm_priv *priv, struct err *e)
{
	const char *type = node_word(n, "type");
	uint64_t redundancy = node_count(n, "redundancy");
	const struct lvm_level *l;
	size_t i;

	if (!strcmp(type, "auto")) {
		for (i = 0; i < sizeof(lvm_choice) / sizeof(lvm_choice[0]); i++) {
			if (lvm_choice[i].redundancy == redundancy && n->n_kids >= lvm_choice[i].from &&
			    n->n_kids <= lvm_choice[i].to)
				priv->level = level_find(lvm_choice[i].level);
		}
		if (priv->level)
			return 0;
		n->note = arena_printf(s->arena, "%u device%s cannot lose %" PRIu64 ": at least %" PRIu64
				       " are needed", n->n_kids, n->n_kids == 1 ? "" : "s", redundancy,
				       redundancy + 1);
		return 1;
	}
	l = priv->level = level_find(type);
	if (l->striped && n->n_kids > LVM_STRIPES)
		return err_set(e, ERR_USAGE, "LVM stripes over up to %d devices, not %u", LVM_STRIPES,
			       n->n_kids);
	if (n->n_kids >= l->min && !(l->pairs && n->n_kids % 2))
		return 0;
	n->note = arena_printf(s->arena, "LVM's %s needs %s%u devices, has %u; %s", l->name,
			       l->pairs ? "an even number from " : "", l->min, n->n_kids, l->instead);
	return too_few(s, n, true, e);
}

static int size_linear(struct node *n, struct lvm_priv *priv)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < n->n_kids; i++)
		sum += priv->extents[i];
	n->bytes = sum * LVM_EXTENT;
	return 0;
}

/*
 * The queue limits of a thin volume are those of its pool (dm-thin.c pool_io_hints): the
 * chunk, unless what lies below is a multiple of it.
 */
static int size_thin(struct stack *s, struct node *n, struct lvm_priv *priv, struct err *e)
{
	uint64_t asked = node_size(n, "chunk"), all = 0, size = node_size(n, "size");
	unsigned i;

	for (i = 0; i < n->n_kids; i++)
		all += priv->extents[i];
	priv->pool_extents = lvm_thin_all(all, asked);
	if (!priv->pool_extents)
		return err_set(e, ERR_USAGE, "%" PRIu64 " extents of 4 MiB have no room for a thin pool and "
			       "its metadata", all);
	/* computed for all that is free, as lvcreate does */
	lvm_thin_pool(all * LVM_EXTENT, asked, &priv->pool_chunk, &priv->pool_meta);
	n->bytes = size ? round_up(size, LVM_EXTENT) : priv->pool_extents * LVM_EXTENT;
	n->chunk = priv->pool_chunk;
	if (n->io_opt < n->chunk || n->io_opt % n->chunk) {
		n->io_opt = (uint32_t)n->chunk;
		n->io_min = (uint32_t)n->chunk;
	}
	node_fact_u64(s, n, "pool_bytes", priv->pool_extents * LVM_EXTENT);
	node_fact_u64(s, n, "pool_metadata_bytes", priv->pool_meta);
	return 0;
}

/*
 * What dm-stripe and dm-raid say of themselves stands in place of what lies below, larger or
 * not (stripe_io_hints, raid_io_hints, blk_limits_io_min, kernel 6.1).
 */
static void dm_hints(struct node *n, uint32_t stripe, unsigned data)
{
	n->chunk = stripe;
	n->io_min = stripe > n->psec ? stripe : n->psec;
	n->io_opt = stripe * data;
}

static int size_striped(struct stack *s, struct node *n, struct lvm_priv *priv, struct err *e)
{
	const uint64_t *have = priv->extents;

	if (priv->stripes > n->n_kids)
		return err_set(e, ERR_USAGE, "stripes=%u needs as many devices, has %u", priv->stripes,
			       n->n_kids);
	priv->extents = arena_array(s->arena, n->n_kids, sizeof(*priv->extents));
	n->bytes = lvm_striped(have, priv->extents, n->n_kids, priv->stripes) * LVM_EXTENT;
	dm_hints(n, (uint32_t)node_size(n, "stripe"), priv->stripes);
	return 0;
}

/* Equal parts of every device. */
static int size_legs(struct stack *s, struct node *n, struct lvm_priv *priv, uint64_t least,
		     struct err *e)
{
	const struct lvm_level *l = priv->level;
	unsigned legs = l->mirror ? 1 : l->pairs ? n->n_kids / 2 : n->n_kids - l->parity, i;
	bool meta = l->raid && strcmp(l->name, "raid0");

	priv->leg = meta ? lvm_leg_extents(least, legs, priv->integrity) : least;
	if (!priv->leg) {
		n->note = arena_printf(s->arena, "%" PRIu64 " extents of 4 MiB are too few for a leg and its "
				       "metadata", least);
		return too_few(s, n, true, e);
	}
	n->bytes = priv->leg * legs * LVM_EXTENT;
	for (i = 0; i < n->n_kids; i++)
		priv->extents[i] = meta ? lvm_leg_cost(priv->leg, legs, priv->integrity) : least;
	if (l->striped)
		dm_hints(n, (uint32_t)node_size(n, "stripe"), n->n_kids - l->parity);
	if (priv->integrity)
		node_fact_u64(s, n, "integrity_bytes", lvm_integrity_meta(priv->leg * LVM_EXTENT));
	return 0;
}

static const char *dm_word(struct stack *s, const char *name)
{
	char *out = arena_alloc(s->arena, 2 * strlen(name) + 1), *to = out;

	for (; *name; name++) {
		*to++ = *name;
		if (*name == '-')
			*to++ = '-';
	}
	return out;
}

static int lvm_size(struct stack *s, struct node *n, struct err *e)
{
	struct lvm_priv *priv = arena_alloc(s->arena, sizeof(*priv));
	uint64_t least = UINT64_MAX;
	unsigned i;
	int rc;

	n->priv = priv;
	rc = lvm_below(n, e) || lvm_sectors(n, e) ? -1 : choose_level(s, n, priv, e);
	if (rc)
		return rc;
	priv->extents = arena_array(s->arena, n->n_kids, sizeof(*priv->extents));
	priv->integrity = node_yes(n, "integrity");
	for (i = 0; i < n->n_kids; i++) {
		priv->extents[i] = lvm_extents(n->kids[i]->bytes, n->kids[i]->io_opt);
		if (!priv->extents[i])
			return err_set(e, ERR_USAGE, "%s (%" PRIu64 " bytes) has no room for one 4 MiB extent",
				       n->kids[i]->name, n->kids[i]->bytes);
		if (priv->extents[i] < least)
			least = priv->extents[i];
	}
	n->level = priv->level->name;
	priv->stripes = (unsigned)node_count(n, "stripes");
	if (!strcmp(n->level, "thin"))
		rc = size_thin(s, n, priv, e);
	else if (priv->stripes)
		rc = size_striped(s, n, priv, e);
	else
		rc = !strcmp(n->level, "linear") ? size_linear(n, priv) : size_legs(s, n, priv, least, e);
	if (rc)
		return rc;
	n->name = stack_label(s, n);
	/* one volume group a build; a group of devices each where a recipe has several */
	priv->vg = s->n_groups > 1 ? arena_printf(s->arena, "%s-%s", s->name, n->name) : s->name;
	n->dev = arena_printf(s->arena, "/dev/%s/%s", priv->vg, n->name);
	n->dm_name = arena_printf(s->arena, "%s-%s", dm_word(s, priv->vg), dm_word(s, n->name));
	node_fact_u64(s, n, "extents", n->bytes / LVM_EXTENT);
	return 0;
}

static void lvm_account(const struct node *n, const struct split *mine, struct split *kids)
{
	const struct lvm_priv *priv = n->priv;
	struct split pool = *mine;
	uint64_t used = 0, carried = 0, left = split_sum(mine);
	unsigned i;

	for (i = 0; i < n->n_kids; i++)
		used += priv->leg ? priv->leg : priv->extents[i];
	/* a thin volume may say it is larger than its pool, and its pool holds no more */
	if (left > used * LVM_EXTENT)
		left = used * LVM_EXTENT;
	carried = left;
	for (i = 0; i < n->n_kids; i++) {
		const struct node *kid = n->kids[i];
		uint64_t all = lvm_extents(kid->bytes, kid->io_opt) * LVM_EXTENT;
		uint64_t leg = (priv->leg ? priv->leg : priv->extents[i]) * LVM_EXTENT;
		uint64_t want = i + 1 == n->n_kids ? left :
			(uint64_t)((unsigned __int128)carried * leg / (used * LVM_EXTENT));

		if (want > leg)
			want = leg;
		left -= want;
		split_take(&pool, want, &kids[i]);
		if (priv->level->raid)
			kids[i].redundancy += leg - want;
		else
			kids[i].overhead += leg - want;
		kids[i].overhead += priv->extents[i] * LVM_EXTENT - leg + kid->bytes - all;
		kids[i].unused += all - priv->extents[i] * LVM_EXTENT;
	}
}

/* Which devices LVM pairs in a raid10 is its own choice: two lost ones may be a pair. */
static enum health lvm_health(const struct node *n, const enum health *kids)
{
	const struct lvm_priv *priv = n->priv;
	const struct lvm_level *l = priv->level;
	unsigned lost = 0, bears, i;
	bool degraded = false;

	for (i = 0; i < n->n_kids; i++) {
		lost += kids[i] == HEALTH_LOST;
		degraded |= kids[i] != HEALTH_OK;
	}
	bears = l->mirror ? n->n_kids - 1 : l->pairs ? 1 : l->parity;
	if (lost > bears)
		return HEALTH_LOST;
	return degraded ? HEALTH_DEGRADED : HEALTH_OK;
}

const char *lvm_vg(const struct node *n)
{
	return ((const struct lvm_priv *)n->priv)->vg;
}

bool lvm_is_thin(const struct node *n)
{
	return ((const struct lvm_priv *)n->priv)->pool_extents > 0;
}

bool lvm_has_integrity(const struct node *n)
{
	return ((const struct lvm_priv *)n->priv)->integrity;
}

static const char *const lvm_tools[] = { "pvcreate", "vgcreate", "lvcreate", NULL };
static const char *const lvm_packages[] = { "lvm2", "lvm2", "lvm2", NULL };

const struct layer layer_lvm = {
	.name = "lvm", .title = "Logical volume (LVM)",
	.about = "Joins a group of devices into one volume group with one logical volume over all of "
		 "it. Linear uses every extent and is as safe as the weakest device; the raid types "
		 "use md's code inside LVM and can keep checksums.",
	.kind = LAYER_JOIN, .takes = THING_BLOCK, .gives = THING_BLOCK,
	.signature = "LVM2_member", .tools = lvm_tools, .packages = lvm_packages, .options = lvm_options,
	.check = lvm_check, .size = lvm_size, .account = lvm_account, .health = lvm_health,
	.plan = lvm_plan,
};
