/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * md - Linux software RAID as a layer.
 *
 * Every fact of a level is a row of md_levels[]. mdadm is told everything it would
 * otherwise choose by its age: metadata, chunk, consistency policy, bitmap, homehost. The
 * smallest member is named first, because mdadm takes the data offset from the first.
 */
#include "layers/md.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "layers/layers.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

enum { SECTOR = 512, MOST_PPL_MEMBERS = 64 };

static const struct md_level {
	const char *name, *number;	/* as a recipe and as mdadm write it */
	unsigned min;			/* members */
	unsigned parity;		/* members' worth of parity */
	bool mirror;			/* every member holds everything */
	bool chunked;
	bool redundant;
	const char *instead;		/* what to do when there are too few */
} md_levels[] = {
	{ .name = "raid0", .number = "0", .min = 2, .chunked = true,
	  .instead = "one disk needs no array" },
	{ .name = "raid1", .number = "1", .min = 2, .mirror = true, .redundant = true,
	  .instead = "missing=1 starts with one, and the other comes later" },
	{ .name = "raid5", .number = "5", .min = 3, .parity = 1, .chunked = true, .redundant = true,
	  .instead = "level=raid1 holds as much on 2" },
	{ .name = "raid6", .number = "6", .min = 4, .parity = 2, .chunked = true, .redundant = true,
	  .instead = "redundancy=2 makes a mirror of 3" },
	{ .name = "raid10", .number = "10", .min = 2, .chunked = true, .redundant = true,
	  .instead = "missing=1 starts with one, and the other comes later" },
	{ .name = "linear", .number = "linear", .min = 2,
	  .instead = "one disk needs no array" },
};

/* redundancy=N by the width of the group. */
static const struct {
	unsigned redundancy, from, to;
	const char *level;
} md_choice[] = {
	{ 0, 2, UINT32_MAX, "raid0" },
	{ 1, 2, 2, "raid1" },
	{ 1, 3, UINT32_MAX, "raid5" },
	{ 2, 3, 3, "raid1" },
	{ 2, 4, UINT32_MAX, "raid6" },
	{ 3, 4, UINT32_MAX, "raid1" },
};

struct md_priv {
	const struct md_level *level;
	struct md_shape shape;
	uint64_t offset;		/* bytes */
	uint64_t *used;			/* of each kid's data area, bytes */
	const char *policy;		/* what it gets: resync bitmap ppl journal; NULL for raid0 */
	unsigned members;		/* kids before the journal */
	const struct node *journal;
};

static const struct md_level *md_level_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(md_levels) / sizeof(md_levels[0]); i++) {
		if (!strcmp(md_levels[i].name, name))
			return &md_levels[i];
	}
	return NULL;
}

/* --- sizes, in sectors as the sources have them ------------------------------------- */

uint64_t md_data_offset(const struct md_shape *m)
{
	const struct md_level *l = md_level_find(m->level);
	uint64_t chunk = l->chunked ? m->chunk / SECTOR : 0;
	uint64_t dev = m->first / SECTOR;
	uint64_t bitmap, head = 262144;

	if (m->ppl)
		bitmap = 2048;
	else if (dev > 128 && dev - 128 >= 200ull * 2097152)
		bitmap = 256;
	else if (dev > 8 && dev - 8 > 8ull * 2097152)
		bitmap = 128;
	else
		bitmap = 8;
	while (head * 1024 > dev && (!chunk || head / 2 >= 2 * chunk))
		head /= 2;
	return round_up(24 + bitmap + head, 2048) * SECTOR;
}

/* What of a member's data area the array uses, sectors. */
static uint64_t md_component(const struct md_shape *m, uint64_t least)
{
	const struct md_level *l = md_level_find(m->level);

	if (l->mirror)
		return round_down(least, 128);
	return l->chunked ? round_down(least, m->chunk / SECTOR) : least;
}

uint64_t md_array_bytes(const struct md_shape *m, const uint64_t *members, size_t n)
{
	const struct md_level *l = md_level_find(m->level);
	uint64_t offset = md_data_offset(m) / SECTOR;
	uint64_t chunk = m->chunk / SECTOR;
	uint64_t least = UINT64_MAX, sum = 0, stripes;
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t data = members[i] / SECTOR;

		if (data <= offset + (l->chunked ? chunk : 128))
			return 0;
		data -= offset;
		if (data < least)
			least = data;
		if (l->chunked) {
			data = round_down(data, chunk);
			/* raid0.c masks with ~(chunk-1), also when that is no power of two */
			if (chunk & (chunk - 1))
				data &= ~(chunk - 1);
		}
		sum += data;
	}
	if (!strcmp(m->level, "raid0") || !strcmp(m->level, "linear"))
		return sum * SECTOR;
	least = md_component(m, least);
	if (l->mirror)
		return least * SECTOR;
	if (l->parity)
		return least * (m->devices - l->parity) * SECTOR;
	stripes = least / chunk;
	if (m->layout == 'n')
		return stripes * m->devices / m->copies * chunk * SECTOR;
	return stripes / m->copies * m->devices * chunk * SECTOR;
}

/* --- options ---------------------------------------------------------------------- */

static const struct option md_options[] = {
	{ .name = "level", .type = OPTION_WORD, .words = "raid0 raid1 raid5 raid6 raid10",
	  .help = "the RAID level; without it, redundancy chooses by the width of the group" },
	{ .name = "redundancy", .type = OPTION_COUNT, .min = 0, .max = 3,
	  .help = "how many members may fail: 1 is raid1 for 2 members and raid5 from 3; "
		  "2 is a three-way raid1 for 3 and raid6 from 4; 3 is a mirror of all" },
	{ .name = "chunk", .type = OPTION_SIZE, .min = 4096, .max = 64 * MIB, .def = "512K",
	  .help = "how much goes to one member before the next, a power of two" },
	{ .name = "consistency", .type = OPTION_WORD, .words = "bitmap resync ppl journal",
	  .def = "bitmap",
	  .help = "what an unclean stop costs: a full resync, a short one (bitmap), or none and no "
		  "write hole (ppl for raid5; journal on the cache disk for raid5 and raid6)" },
	{ .name = "journal", .type = OPTION_SIZE, .min = 64 * MIB, .max = TIB, .def = "1G",
	  .help = "consistency=journal: how much of the cache disk" },
	{ .name = "layout", .type = OPTION_WORD, .words = "n2 n3 n4 f2 f3 o2 o3", .def = "n2",
	  .help = "raid10: near, far or offset, and how many copies" },
	{ .name = "missing", .type = OPTION_COUNT, .min = 0, .max = 2, .def = "0",
	  .help = "members that are added later; the array starts degraded" },
	{ .name = NULL }
};

static uint64_t stmt_count(const struct stmt *st, const char *key)
{
	const char *value = stmt_value(st, key);

	return value ? strtoull(value, NULL, 10) : 0;
}

static int md_check(const struct stmt *st, struct err *e)
{
	const char *level = stmt_value(st, "level");
	const char *redundancy = stmt_value(st, "redundancy");
	const char *consistency = stmt_value(st, "consistency");
	const char *chunk = stmt_value(st, "chunk");
	const char *layout = stmt_value(st, "layout");
	uint64_t bytes = 0;

	if (!level && !redundancy)
		return err_set(e, ERR_USAGE, "says neither level= nor redundancy=; redundancy=1 lets any "
			       "one disk fail");
	if (level && redundancy)
		return err_set(e, ERR_USAGE, "level=%s and redundancy=%s both choose the level; name one",
			       level, redundancy);
	if (chunk && size_parse(chunk, &bytes, e))
		return -1;
	if (chunk && (bytes & (bytes - 1)))
		return err_set(e, ERR_USAGE, "chunk is a power of two, like 64K, 512K or 1M; not %s", chunk);
	if (chunk && level && !strcmp(level, "raid1"))
		return err_set(e, ERR_USAGE, "chunk= is for levels that stripe, and every member of a raid1 has "
			       "everything; leave it out");
	if (layout && (!level || strcmp(level, "raid10")))
		return err_set(e, ERR_USAGE, "layout= is for level=raid10");
	if (level && consistency && !strcmp(consistency, "ppl") && strcmp(level, "raid5"))
		return err_set(e, ERR_USAGE, "consistency=ppl works with raid5 only, not with %s; "
			       "consistency=bitmap does", level);
	if (level && consistency && !strcmp(consistency, "journal") && strcmp(level, "raid5") &&
	    strcmp(level, "raid6"))
		return err_set(e, ERR_USAGE, "consistency=journal is for raid5 and raid6, not %s; "
			       "consistency=bitmap works there", level);
	if (stmt_value(st, "journal") && (!consistency || strcmp(consistency, "journal")))
		return err_set(e, ERR_USAGE, "journal= is for consistency=journal");
	if (level && !strcmp(level, "raid0") && consistency)
		return err_set(e, ERR_USAGE, "raid0 has nothing to keep consistent; leave consistency= out");
	if (stmt_count(st, "missing") && ((level && !strcmp(level, "raid0")) ||
					 (redundancy && !strcmp(redundancy, "0"))))
		return err_set(e, ERR_USAGE, "a raid0 cannot start with a missing member");
	return 0;
}

/* --- from members to an array ------------------------------------------------------- */

static int by_bytes(const void *x, const void *y)
{
	const struct node *a = *(struct node *const *)x, *b = *(struct node *const *)y;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static const struct md_level *md_choose(const struct node *n, unsigned width)
{
	const char *word = node_word(n, "level");
	size_t i;

	if (word)
		return md_level_find(word);
	for (i = 0; i < sizeof(md_choice) / sizeof(md_choice[0]); i++) {
		if (md_choice[i].redundancy == node_count(n, "redundancy") &&
		    width >= md_choice[i].from && width <= md_choice[i].to)
			return md_level_find(md_choice[i].level);
	}
	return NULL;
}

/* The queue limits it reports [CAPACITY rules 1.1]. */
static void md_limits(struct node *n, const struct md_priv *p)
{
	uint32_t chunk = (uint32_t)n->chunk, devices = p->shape.devices;

	if (!p->level->chunked) {
		n->io_opt = 0;
		return;
	}
	if (n->io_min < chunk)
		n->io_min = chunk;
	n->io_opt = chunk * (devices - p->level->parity);
	if (!strcmp(p->level->name, "raid10") && p->shape.layout == 'n' &&
	    devices % p->shape.copies == 0)
		n->io_opt = chunk * (devices / p->shape.copies);
}

static const char *md_policy(struct stack *s, struct node *n, const struct md_priv *p)
{
	const char *asked = node_word(n, "consistency");

	if (!p->level->redundant)
		return NULL;
	if (!strcmp(asked, "ppl") && strcmp(p->level->name, "raid5")) {
		n->note = arena_printf(s->arena, "%s has %u members, so %s: PPL is for raid5 only, it gets "
				       "a bitmap", stack_label(s, n), p->shape.devices, p->level->name);
		return "bitmap";
	}
	if (!strcmp(asked, "journal") && !p->level->parity) {
		n->note = arena_printf(s->arena, "%s has %u members, so %s: a journal is for raid5 and raid6, "
				       "it gets a bitmap", stack_label(s, n), p->shape.devices, p->level->name);
		return "bitmap";
	}
	return asked;
}

/* The journal is no member: it takes nothing of them, and is written last to mdadm, which
 * would take the data offset from it otherwise. */
static int md_journal(struct stack *s, struct node *n, struct md_priv *p, struct err *e)
{
	struct node *journal;

	p->members = n->n_kids;
	if (!p->policy || strcmp(p->policy, "journal"))
		return 0;
	journal = stack_cache(s, n->stmt, node_size(n, "journal"), e);
	if (!journal)
		return -1;
	if (journal->lsec > n->lsec)
		return err_set(e, ERR_USAGE, "%s has %u-byte sectors, more than the %u of the members; "
			       "consistency=bitmap needs no journal", journal->name, journal->lsec, n->lsec);
	node_add_kid(s, n, journal);
	p->journal = journal;
	node_fact_u64(s, n, "journal_bytes", journal->bytes);
	return 0;
}

static int md_width(struct stack *s, struct node *n, struct md_priv *p, unsigned width,
		    struct err *e)
{
	const char *word = node_word(n, "level");

	p->level = md_choose(n, width);
	if (!p->level) {
		n->note = !node_count(n, "redundancy") ?
			"an array joins 2 members or more, has 1; one disk needs no array" :
			arena_printf(s->arena, "%u member%s cannot lose %s: at least %u are needed%s", width,
				     width == 1 ? "" : "s", node_word(n, "redundancy"),
				     (unsigned)node_count(n, "redundancy") + 1, s->n_groups > 1 ? "" :
				     ", or missing= says how many come later");
		return 1;
	}
	if (width < p->level->min) {
		if (s->n_groups == 1 && word)
			return err_set(e, ERR_USAGE, "%s needs %u disks, has %u; %s", p->level->name,
				       p->level->min, width, p->level->instead);
		n->note = arena_printf(s->arena, "%s needs %u members, has %u", p->level->name,
				       p->level->min, width);
		return 1;
	}
	return 0;
}

/* mdadm puts missing members last, where those of a raid10 may be copies of one another. */
static int check_missing(const struct node *n, const struct md_priv *p, struct err *e)
{
	unsigned most = p->level->mirror ? n->n_kids + n->missing - 1 : p->level->parity;

	if (!strcmp(p->level->name, "raid10"))
		most = p->shape.copies - 1;
	if (n->missing > most)
		return err_set(e, ERR_USAGE, "%s does not start without %u of its %u members; missing=%u is the "
			       "most", p->level->name, n->missing, p->shape.devices, most);
	return 0;
}

static int md_size(struct stack *s, struct node *n, struct err *e)
{
	struct md_priv *p = arena_alloc(s->arena, sizeof(*p));
	uint64_t *members = arena_array(s->arena, n->n_kids, sizeof(*members));
	const char *layout = node_word(n, "layout");
	const struct node *first;
	unsigned i;
	int rc;

	n->missing = (unsigned)node_count(n, "missing");
	qsort(n->kids, n->n_kids, sizeof(*n->kids), by_bytes);
	first = n->kids[0];
	rc = md_width(s, n, p, n->n_kids + n->missing, e);
	if (rc)
		return rc;
	n->priv = p;
	n->level = p->level->name;
	n->chunk = p->level->chunked ? node_size(n, "chunk") : 0;
	p->shape = (struct md_shape){
		.level = p->level->name, .devices = n->n_kids + n->missing, .chunk = n->chunk,
		.layout = layout[0], .copies = (unsigned)(layout[1] - '0'), .first = first->bytes,
	};
	if (!strcmp(n->level, "raid10") && p->shape.devices < p->shape.copies)
		return err_set(e, ERR_USAGE, "raid10 with %u copies needs %u disks, has %u; layout=%c2 keeps 2",
			       p->shape.copies, p->shape.copies, p->shape.devices, p->shape.layout);
	if (check_missing(n, p, e))
		return -1;
	p->policy = md_policy(s, n, p);
	p->shape.ppl = p->policy && !strcmp(p->policy, "ppl");
	if (p->shape.ppl && p->shape.devices > MOST_PPL_MEMBERS)
		return err_set(e, ERR_USAGE, "PPL holds up to %d members, not %u; consistency=bitmap has no such "
			       "limit", MOST_PPL_MEMBERS, p->shape.devices);
	for (i = 0; i < n->n_kids; i++)
		members[i] = n->kids[i]->bytes;
	n->bytes = md_array_bytes(&p->shape, members, n->n_kids);
	if (!n->bytes) {
		char size[SIZE_TEXT];

		n->note = arena_printf(s->arena, "%s (%s) is too small to be a member", first->name,
				       size_text(size, first->bytes, SIZE_SI));
		return s->n_groups == 1 ? err_set(e, ERR_USAGE, "%s", n->note) : 1;
	}
	p->offset = md_data_offset(&p->shape);
	p->used = arena_array(s->arena, n->n_kids, sizeof(*p->used));
	for (i = 0; i < n->n_kids; i++) {
		uint64_t area = (strcmp(n->level, "raid0") ? first->bytes : members[i]) - p->offset;

		p->used[i] = md_component(&p->shape, area / SECTOR) * SECTOR;
	}
	md_limits(n, p);
	if (md_journal(s, n, p, e))
		return -1;
	n->name = stack_label(s, n);
	n->dev = arena_printf(s->arena, "/dev/md/%s-%s", s->name, n->name);
	if (p->policy)
		node_fact_str(s, n, "consistency", p->policy);
	if (n->missing)
		node_fact_u64(s, n, "missing", n->missing);
	node_fact_u64(s, n, "data_offset", p->offset);
	return 0;
}

/* Each member carries its share of the array's bytes; the rest of what is used is
 * redundancy, what lies before is overhead, and a longer member has a tail nobody uses. */
static void md_account(const struct node *n, const struct split *mine, struct split *kids)
{
	const struct md_priv *p = n->priv;
	struct split pool = *mine;
	uint64_t used = 0, left = n->bytes;
	unsigned i;

	if (p->journal)
		kids[p->members].usable = p->journal->bytes;
	for (i = 0; i < p->members; i++)
		used += p->used[i];
	for (i = 0; i < p->members; i++) {
		uint64_t member = n->kids[i]->bytes;
		uint64_t want = i + 1 == p->members ? left :
			(uint64_t)((unsigned __int128)n->bytes * p->used[i] / used);
		uint64_t rest;

		/* a degraded array is larger than its present members' parts without parity */
		if (want > p->used[i])
			want = p->used[i];
		left -= want;
		split_take(&pool, want, &kids[i]);
		kids[i].redundancy += p->used[i] - want;
		rest = member - p->used[i];
		kids[i].overhead += p->offset;
		rest -= p->offset;
		if (p->level->chunked && rest < n->chunk)
			kids[i].overhead += rest;	/* rounding down to the chunk */
		else if (!p->level->chunked && rest < 128 * SECTOR)
			kids[i].overhead += rest;
		else
			kids[i].unused += rest;
	}
}

/* raid10: is some chunk without a copy? Copies lie on neighbouring devices. */
static bool raid10_lost(const struct md_priv *p, const enum health *kids)
{
	unsigned devices = p->shape.devices, i, k;

	for (i = 0; i < devices; i++) {
		unsigned at = p->shape.layout == 'n' ? i * p->shape.copies % devices : i;

		for (k = 0; k < p->shape.copies; k++) {
			unsigned d = (at + k) % devices;

			if (d < p->members && kids[d] != HEALTH_LOST)
				break;
		}
		if (k == p->shape.copies)
			return true;
	}
	return false;
}

static enum health md_health(const struct node *n, const enum health *kids)
{
	const struct md_priv *p = n->priv;
	unsigned lost = n->missing, i;
	bool degraded = n->missing > 0;

	for (i = 0; i < p->members; i++) {
		lost += kids[i] == HEALTH_LOST;
		degraded |= kids[i] != HEALTH_OK;
	}
	/* without its journal an array can be read but no longer be written */
	degraded |= p->journal && kids[p->members] != HEALTH_OK;
	if (!strcmp(p->level->name, "raid10") ? raid10_lost(p, kids) :
	    lost > (p->level->mirror ? p->shape.devices - 1 : p->level->parity))
		return HEALTH_LOST;
	return degraded ? HEALTH_DEGRADED : HEALTH_OK;
}

static int md_plan(const struct node *n, struct plan *plan, struct err *e)
{
	const struct md_priv *p = n->priv;
	struct step *st;
	struct argv *undo;
	unsigned i;

	(void)e;
	st = plan_step(plan, "md", "join %u members into %s, %s%s", p->members, n->name, n->level,
		       n->missing ? ", one comes later" : "");
	step_args(plan, st, "mdadm", "--create", n->dev, "--run", "--homehost=any",
		  "--metadata=1.2", NULL);
	step_argf(plan, st, "--name=%s-%s", plan->stack->name, n->name);
	step_argf(plan, st, "--level=%s", p->level->number);
	step_argf(plan, st, "--raid-devices=%u", p->shape.devices);
	if (n->chunk)
		step_argf(plan, st, "--chunk=%" PRIu64 "K", n->chunk / 1024);
	if (!strcmp(n->level, "raid10"))
		step_argf(plan, st, "--layout=%s", node_word(n, "layout"));
	if (p->policy && !strcmp(p->policy, "bitmap"))
		step_args(plan, st, "--bitmap=internal", NULL);
	else if (p->policy && !strcmp(p->policy, "resync"))
		step_args(plan, st, "--bitmap=none", NULL);
	else if (p->policy && !strcmp(p->policy, "ppl"))
		step_args(plan, st, "--consistency-policy=ppl", NULL);
	/* without it mdadm starts a parity array degraded with a spare, which a power cut
	 * turns into one that cannot be started */
	if (p->level->parity && !n->missing)
		step_args(plan, st, "--force", NULL);
	for (i = 0; i < p->members; i++) {
		step_args(plan, st, n->kids[i]->dev, NULL);
		step_writes(plan, st, n->kids[i]);
	}
	for (i = 0; i < n->missing; i++)
		step_args(plan, st, "missing", NULL);
	if (p->journal) {
		step_args(plan, st, "--write-journal", p->journal->dev, NULL);
		step_writes(plan, st, p->journal);
	}
	step_makes(plan, st, n->dev, n->bytes);
	step_undo(plan, st, "mdadm", "--stop", n->dev, NULL);
	undo = step_undo_argv(plan, st);
	argv_addl(plan->arena, undo, "mdadm", "--zero-superblock", NULL);
	for (i = 0; i < n->n_kids; i++)
		argv_add(plan->arena, undo, n->kids[i]->dev);
	plan_wipe(plan, "md", n->dev, n);
	return 0;
}

static const char *const md_tools[] = { "mdadm", NULL };
static const char *const md_packages[] = { "mdadm", NULL };

const struct layer layer_md = {
	.name = "md", .title = "Software RAID (mdadm)",
	.about = "Joins every group into one array of the kernel's md driver. With redundancy= the "
		 "level follows from the width of the group, so one recipe fits any number of disks.",
	.kind = LAYER_JOIN, .takes = THING_BLOCK, .gives = THING_BLOCK,
	.signature = "linux_raid_member", .tools = md_tools, .packages = md_packages, .options = md_options,
	.check = md_check, .size = md_size, .account = md_account, .health = md_health,
	.plan = md_plan, .status = md_status,
};
