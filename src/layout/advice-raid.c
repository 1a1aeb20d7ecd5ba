/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advice-raid - rules about arrays: consistency, chunks, copies, tails, the first sync. */
#include "layout/advice.h"

#include <string.h>

#include "base/units.h"

/* The first md array with parity whose consistency policy is this, as it was written. */
static const struct node *with_policy(const struct stack *s, const char *policy)
{
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (advice_is(n, "md") && !strcmp(node_word(n, "consistency"), policy) &&
		    (!strcmp(n->level, "raid5") || !strcmp(n->level, "raid6")))
			return n;
	}
	return NULL;
}

const char *advice_ppl_chunk(const struct stack *s, struct arena *a)
{
	const struct node *n = with_policy(s, "ppl");
	char chunk[SIZE_TEXT];

	if (!n || strcmp(n->level, "raid5") || n->chunk >= MIB)
		return NULL;
	return arena_printf(a, "PPL with a chunk of %s: writes were under 20 MB/s where a chunk "
			    "of 1M reached about 300; chunk=1M", size_option_text(chunk, n->chunk));
}

const char *advice_ppl_level(const struct stack *s, struct arena *a)
{
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (advice_is(n, "md") && n->note && !strcmp(node_word(n, "consistency"), "ppl"))
			return arena_strdup(a, n->note);
	}
	return NULL;
}

/*
 * A rule of thumb: a hard disk syncs at 150 MB/s on average over its platters, an SSD at 400.
 * A journal on the cache disk is no member.
 */
uint64_t advice_sync_ns(const struct node *n)
{
	uint64_t least = UINT64_MAX;
	unsigned i;

	for (i = 0; i < n->n_kids; i++) {
		const struct node *kid = n->kids[i];

		if (kid->n_kids == 1 && !kid->kids[0]->layer && kid->kids[0]->role == ROLE_CACHE)
			continue;
		if (kid->bytes < least)
			least = kid->bytes;
	}
	return least / (n->rotational ? 150 : 400) * 1000;
}

const char *advice_write_hole(const struct stack *s, struct arena *a)
{
	const struct node *n = with_policy(s, "resync");
	char time[SIZE_TEXT];

	if (!n)
		return NULL;
	return arena_printf(a, "%s is %s with consistency=resync: after a power cut all of it is "
			    "read again, about %s, and a disk that dies before that takes data "
			    "with it; bitmap shortens it, ppl or a journal closes the hole",
			    n->name, n->level,
			    duration_text(time, advice_sync_ns(n)));
}

/* The journal is not among the member sizes: losing it stops writing, not reading. */
const char *advice_journal(const struct stack *s, struct arena *a)
{
	const struct node *n = with_policy(s, "journal");

	if (!n)
		return NULL;
	return arena_printf(a, "%s is the journal of %s, alone: when it dies nothing of the array "
			    "is lost, but it is read-only until it has another",
			    n->kids[n->n_kids - 1]->kids[0]->name, n->name);
}

const char *advice_first_sync(const struct stack *s, struct arena *a)
{
	uint64_t longest = 0;
	char time[SIZE_TEXT];
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		/* arrays on the same disks sync one after the other */
		if (advice_redundant(n) && !n->missing)
			longest += advice_sync_ns(n);
	}
	if (longest < 3600ull * 1000000000)
		return NULL;
	return arena_printf(a, "the first sync takes about %s in the background; the space is "
			    "usable at once, measure when it is done",
			    duration_text(time, longest));
}

/* CASES C16: every further mirror adds safety and no space. */
const char *advice_many_copies(const struct stack *s, struct arena *a)
{
	char mirror[SIZE_TEXT], striped[SIZE_TEXT];
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (!advice_redundant(n) || strcmp(n->level, "raid1") || n->n_kids < 4)
			continue;
		return arena_printf(a, "%u copies of everything in %s: raid10 on these disks "
				    "holds %s", n->n_kids,
				    size_text(mirror, n->bytes, SIZE_SI),
				    size_text(striped, n->bytes * n->n_kids / 2, SIZE_SI));
	}
	return NULL;
}

/* CASES C05: what two-disk redundancy does where only three disks reach. */
const char *advice_three_way(const struct stack *s, struct arena *a)
{
	char bytes[SIZE_TEXT];
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (!advice_is(n, "md") || strcmp(n->level, "raid1") || n->n_kids != 3 ||
		    node_count(n, "redundancy") != 2)
			continue;
		return arena_printf(a, "%s has 3 members, and raid6 starts at 4: it is a "
				    "three-way mirror that holds %s and survives two as well",
				    n->name,
				    size_text(bytes, n->bytes, SIZE_SI));
	}
	return NULL;
}

/* CASES C08, C13: md's raid0 and that of btrfs go on where only one device is left. */
const char *advice_tail(const struct stack *s, struct arena *a)
{
	char tail[SIZE_TEXT], all[SIZE_TEXT];
	uint64_t sum, largest, second;
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if ((!advice_is(n, "md") && !advice_is(n, "btrfs")) || !n->level ||
		    strcmp(n->level, "raid0") ||
		    n->n_kids < 2)
			continue;
		advice_sizes(n, &sum, &largest, &second);
		if (largest - second <= sum / 50)
			continue;
		return arena_printf(a, "the last %s of %s in %s lie on one device: that part is "
				    "as fast as this one alone",
				    size_text(tail, largest - second, SIZE_SI), n->name,
				    size_text(all, sum, SIZE_SI));
	}
	return NULL;
}
