/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * losses-next - what to do when disks have died: caches first, because nothing starts
 * without them (losses-cache.c), then what has to be replaced by how large a disk, what is
 * rebuilt, and what is left of branches.
 */
#include "layout/losses.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "base/units.h"
#include "layout/advice.h"
#include "layout/mount.h"
#include "layout/plan.h"

struct next_step *next_say(const struct loss *l, struct losses_next *out, const char *fmt, ...)
{
	struct next_step *st = arena_alloc(l->s->arena, sizeof(*st));
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	st->text = arena_strdup(l->s->arena, text);
	list_add(l->s->arena, &out->steps, st);
	return st;
}

/* Its members, caches and journals left out; lost ones counted. */
static unsigned members(const struct node *n, const enum health *health, unsigned *lost)
{
	unsigned i, n_members = 0;

	*lost = 0;
	for (i = 0; i < n->n_kids; i++) {
		if (node_on_cache(n->kids[i]))
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
		if (node_on_cache(n->kids[i]) || health[n->kids[i]->id] == HEALTH_LOST)
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
		return arena_printf(s->arena, "%s: %u of %u members left%s", n->level ? n->level :
				    n->layer->name,
				    all - lost, all,
				    advice_is(n, "lvm") && n->level && !strcmp(n->level, "raid10") && lost < all - 1 ?
				    ", and two that are gone may be a pair: LVM chose them" : "");
	return arena_printf(s->arena, "%s: %u of %u members left, %s", n->level ? n->level :
			    n->layer->name,
			    all - lost, all,
			    bears_one_more(s, n, health) ? "any one more may go" :
			    "no further may go");
}

/* --- replacing and rebuilding ----------------------------------------------------------- */

/*
 * What a device that takes the place of `dev` must have: of an array as much as its smallest
 * member, of a pool as much as before; with what lies between kept as large as it was.
 */
static uint64_t device_bytes(const struct loss *l, const struct node *dev)
{
	const struct node *member, *above = loss_goes_on(l, dev, &member);
	uint64_t least = UINT64_MAX;
	unsigned i;

	if (!above)
		return 0;
	if (!advice_redundant(above))
		return dev->bytes;
	for (i = 0; i < above->n_kids; i++) {
		if (!node_on_cache(above->kids[i]) && above->kids[i]->bytes < least)
			least = above->kids[i]->bytes;
	}
	return least + (dev->bytes - member->bytes);
}

/* How many bytes the successor of a dead disk must have at least; 0: nothing waits for it. */
static uint64_t least_bytes(const struct loss *l, const struct node *disk, bool *parts)
{
	uint64_t least = 0, want;
	size_t i;

	*parts = false;
	for (i = l->s->n_disks; i < l->s->nodes.n; i++) {
		const struct node *n = l->s->nodes.at[i];

		if (n->left_out || !n->part_number || n->kids[0] != disk)
			continue;
		*parts = true;
		want = device_bytes(l, n);
		if (want && n->start + want + MIB > least)
			least = n->start + want + MIB;
	}
	return *parts ? least : device_bytes(l, disk);
}

static void next_replace(const struct loss *l, struct losses_next *out)
{
	const struct stack *s = l->s;
	size_t i;

	for (i = 0; i < s->n_disks; i++) {
		const struct node *disk = s->nodes.at[i];
		char size[SIZE_TEXT];
		struct replacement *r;
		struct next_step *st;
		uint64_t bytes;
		bool parts;

		if (!l->dead[i] || disk->role != ROLE_DATA)
			continue;
		bytes = least_bytes(l, disk, &parts);
		if (!bytes)
			continue;
		r = arena_alloc(s->arena, sizeof(*r));
		*r = (struct replacement){ disk, bytes };
		list_add(s->arena, &out->replace, r);
		st = next_say(l, out, "replace %s by a disk of at least %" PRIu64 " bytes (%s), here called "
			 "%s too%s", disk->name, bytes, size_text(size, bytes, SIZE_SI), disk->name,
			 parts ? "; it gets the same partitions" : "");
		commands_prepare(l, disk, st);
	}
}

/* One array or pool that goes on without some of its members. */
static void next_rebuild(const struct loss *l, struct losses_next *out)
{
	const struct stack *s = l->s;
	struct next_step *st;
	char time[SIZE_TEXT];
	unsigned lost, all;
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		struct node *n = s->nodes.at[i];

		if (n->left_out || l->data[n->id] != HEALTH_DEGRADED || !l->useful[n->id] ||
		    n->layer->kind != LAYER_JOIN || n->kids[0]->gives == THING_DIR)
			continue;
		all = members(n, l->data, &lost);
		if (!lost)
			continue;
		if (advice_redundant(n)) {
			list_add(s->arena, &out->rebuild, n);
			st = next_say(l, out, "the %s %s rebuilds, about %s; until then a further failure may "
				 "lose data", advice_is(n, "md") ? "array" : "volume", n->name,
				 duration_text(time, advice_sync_ns(n)));
		} else if (!strcmp(n->layer->name, "btrfs")) {
			st = next_say(l, out, "btrfs does not mount by itself with %u of %u devices; what was "
				 "written meanwhile gets its copies at the end", all - lost, all);
		} else {
			st = next_say(l, out, "the pool takes the new device; zpool status says how far it is");
		}
		commands_rebuild(l, n, st);
	}
}

/* An array that lost too many: one that comes back may be enough. */
static void next_come_back(const struct loss *l, struct losses_next *out)
{
	const struct stack *s = l->s;
	struct next_step *st = next_say(l, out, "a disk that only dropped out may come back: look at cables "
				   "and power before anything is written, and copy one that still "
				   "reads in part with ddrescue");
	size_t i;
	unsigned k;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];
		struct sbuf line = { 0 };

		if (!advice_is(n, "md") || !advice_redundant(n) || l->data[n->id] != HEALTH_LOST)
			continue;
		for (k = 0; k < n->n_kids; k++) {
			if (!node_on_cache(n->kids[k]))
				sbuf_addf(&line, " %s", n->kids[k]->dev);
		}
		next_command(s, st, "mdadm --assemble --run --force %s%s", n->dev, sbuf_str(&line));
		sbuf_done(&line);
	}
}

/* At a start it waits for all branches that its unit names. */
static void unit_without(const struct loss *l, const struct node *n, const char *left,
			 struct next_step *st)
{
	struct sbuf line = { 0 };
	unsigned i;

	if (!node_yes(n, "boot") || node_opens_by_hand(n))
		return;
	sbuf_addf(&line, "sed -i -e 's|^What=.*|What=%s|'", left);
	for (i = 0; i < n->n_kids; i++) {
		if (l->data[n->kids[i]->id] == HEALTH_LOST)
			sbuf_addf(&line, " -e '\\|^RequiresMountsFor=%s$|d'", n->kids[i]->dir);
	}
	next_command(l->s, st, "%s '%s'", sbuf_str(&line), unit_path(l->s->arena, n->dir));
	sbuf_done(&line);
}

/* The command that joins the branches that are left, as the plan has it for all of them. */
static void join_again(const struct loss *l, const struct node *n, struct next_step *st)
{
	struct sbuf left = { 0 };
	struct err e = { 0 };
	struct plan *p;
	unsigned i;
	size_t k;

	for (i = 0; i < n->n_kids; i++) {
		if (l->data[n->kids[i]->id] != HEALTH_LOST)
			sbuf_addf(&left, "%s%s", left.len ? ":" : "", n->kids[i]->dir);
	}
	if (left.len && !plan_make(l->s, &p, &e)) {
		for (k = 0; k < p->steps.n; k++) {
			const struct step *step = p->steps.at[k];

			if (strcmp(step->argv.at[0], "mergerfs") || strcmp(step->argv.at[4], n->dir))
				continue;
			next_command(l->s, st, "umount %s", n->dir);
			next_command(l->s, st, "mergerfs -o %s %s %s", step->argv.at[2], sbuf_str(&left),
				     n->dir);
			unit_without(l, n, sbuf_str(&left), st);
		}
		plan_free(p);
	}
	sbuf_done(&left);
}

static void next_branches(const struct loss *l, struct losses_next *out)
{
	const struct stack *s = l->s;
	struct sbuf gone = { 0 };
	unsigned lost, all, i;
	size_t k;

	for (k = s->n_disks; k < s->nodes.n; k++) {
		const struct node *n = s->nodes.at[k];

		if (n->left_out || n->layer->kind != LAYER_JOIN || n->kids[0]->gives != THING_DIR)
			continue;
		all = members(n, l->data, &lost);
		if (!lost)
			continue;
		for (i = 0; i < n->n_kids; i++) {
			if (l->data[n->kids[i]->id] == HEALTH_LOST)
				sbuf_addf(&gone, "%s%s", gone.len ? ", " : "", n->kids[i]->dir);
		}
		join_again(l, n, next_say(l, out, "the files on %s are lost%s", sbuf_str(&gone), lost == all ?
				     "" : "; all others are there when the branches that are left are "
				     "joined again"));
	}
	sbuf_done(&gone);
}

/* What is not lost rests on these nodes: nothing else is worth a rebuild. */
static void mark_useful(const struct loss *l)
{
	size_t i;
	unsigned k;

	for (i = l->s->nodes.n; i-- > l->s->n_disks;) {
		const struct node *n = l->s->nodes.at[i];
		bool files = n->gives == THING_DIR && n->kids[0]->gives == THING_BLOCK;

		if (n->left_out)
			continue;
		if ((files || !n->n_parents) && l->data[i] != HEALTH_LOST)
			l->useful[i] = true;
		for (k = 0; k < n->n_kids && l->useful[i]; k++)
			l->useful[n->kids[k]->id] = true;
	}
}

void losses_next(const struct stack *s, const bool *dead, const enum health *health,
		 struct losses_next *out)
{
	bool *without_caches = arena_array(s->arena, s->n_disks, sizeof(*without_caches));
	struct loss l = {
		.s = s, .dead = dead, .health = health,
		.data = arena_array(s->arena, s->nodes.n, sizeof(*l.data)),
		.useful = arena_array(s->arena, s->nodes.n, sizeof(*l.useful)),
	};
	bool lost = false;
	size_t i;

	*out = (struct losses_next){ 0 };
	for (i = 0; i < s->n_disks; i++)
		without_caches[i] = dead[i] && ((const struct node *)s->nodes.at[i])->role == ROLE_DATA;
	stack_lose(s, without_caches, l.data);
	mark_useful(&l);
	for (i = 0; i < s->tops.n; i++)
		lost |= health[((const struct node *)s->tops.at[i])->id] == HEALTH_LOST;
	if (lost)
		next_come_back(&l, out);
	next_caches(&l, out);
	next_branches(&l, out);
	next_replace(&l, out);
	next_rebuild(&l, out);
	if (lost)
		next_say(&l, out, "restore what is lost from the backup");
	next_new_caches(&l, out);
}
