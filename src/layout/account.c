/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account - where every byte of every disk goes.
 *
 * From the top down: what a device's bytes are spent on is spread over the devices below
 * it, and what a layer keeps for itself becomes redundancy or overhead there. Nothing is
 * lost or counted twice, so the four numbers of a disk sum to its size, exactly.
 */
#include <inttypes.h>

#include "base/err.h"
#include "disk/disk.h"
#include "layout/stack.h"

void split_take(struct split *pool, uint64_t want, struct split *out)
{
	uint64_t *from[] = { &pool->usable, &pool->redundancy, &pool->overhead, &pool->unused };
	uint64_t *to[] = { &out->usable, &out->redundancy, &out->overhead, &out->unused };
	uint64_t total = split_sum(pool), left = want;
	size_t i;

	if (want > total)
		die("%" PRIu64 " bytes taken of %" PRIu64, want, total);
	for (i = 0; i < 4; i++) {
		*to[i] = total ? (uint64_t)((unsigned __int128)*from[i] * want / total) : 0;
		*from[i] -= *to[i];
		left -= *to[i];
	}
	for (i = 0; i < 4 && left; i++) {
		uint64_t more = *from[i] < left ? *from[i] : left;

		*to[i] += more;
		*from[i] -= more;
		left -= more;
	}
}

static void split_add(struct split *to, const struct split *more)
{
	to->usable += more->usable;
	to->redundancy += more->redundancy;
	to->overhead += more->overhead;
	to->unused += more->unused;
}

/* Without a rule of its own: shares in proportion to the kids' sizes, the rest overhead. */
static void account_plainly(const struct node *n, const struct split *mine, struct split *kids)
{
	struct split pool = *mine;
	uint64_t below = 0, left = split_sum(mine);
	unsigned i;

	for (i = 0; i < n->n_kids; i++)
		below += n->kids[i]->bytes;
	for (i = 0; i < n->n_kids; i++) {
		uint64_t want = i + 1 == n->n_kids ? left :
			(uint64_t)((unsigned __int128)split_sum(mine) * n->kids[i]->bytes / below);

		if (want > n->kids[i]->bytes)
			want = n->kids[i]->bytes;
		split_take(&pool, want, &kids[i]);
		kids[i].overhead += n->kids[i]->bytes - want;
		left -= want;
	}
}

void stack_account(struct stack *s)
{
	size_t i;

	for (i = s->nodes.n; i-- > 0;) {
		struct node *n = s->nodes.at[i];
		struct split *kids;
		unsigned k;

		if (n->left_out && n->n_kids && !n->bytes)
			continue;		/* never built: it takes nothing of its kids */
		if (!n->n_parents) {
			if (n->left_out || !n->layer)
				n->split = (struct split){ .unused = n->bytes };
			else if (split_sum(&n->split) != n->bytes)
				n->split = (struct split){ .usable = n->bytes };
		}
		if (!n->layer) {
			/* what a disk has beside its sectors that any layer can use */
			n->split.unused += n->disk->bytes - n->bytes;
			continue;
		}
		kids = arena_array(s->arena, n->n_kids, sizeof(*kids));
		if (n->layer->account)
			n->layer->account(n, &n->split, kids);
		else
			account_plainly(n, &n->split, kids);
		for (k = 0; k < n->n_kids; k++)
			split_add(&n->kids[k]->split, &kids[k]);
	}
}

/* Is this a part of a cache disk? A cached device has what it caches as its first kid. */
static bool on_cache(const struct node *n)
{
	while (n->n_kids)
		n = n->kids[0];
	return n->role == ROLE_CACHE;
}

unsigned node_members(const struct node *n)
{
	unsigned i, members = 0;

	for (i = 0; i < n->n_kids; i++)
		members += !on_cache(n->kids[i]);
	return members;
}

void stack_layer_sum(const struct stack *s, const struct stmt *st, struct layer_sum *out)
{
	bool *seen = arena_array(s->arena, s->nodes.n, sizeof(*seen));
	struct split kept = { 0 };
	size_t i, k;

	*out = (struct layer_sum){ 0 };
	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->stmt != st || n->left_out || on_cache(n))
			continue;
		out->devices++;
		out->gives += n->gives == THING_DIR ? n->data_bytes : n->bytes;
		if (n->n_parents)
			split_add(&kept, &n->split);
		for (k = 0; k < n->n_kids; k++) {
			const struct node *kid = n->kids[k];

			if (seen[kid->id] || on_cache(kid))
				continue;
			seen[kid->id] = true;
			out->takes += kid->bytes;
			out->redundancy += kid->split.redundancy;
			out->unused += kid->split.unused;
		}
	}
	out->redundancy -= out->redundancy < kept.redundancy ? out->redundancy : kept.redundancy;
	out->unused -= out->unused < kept.unused ? out->unused : kept.unused;
}
