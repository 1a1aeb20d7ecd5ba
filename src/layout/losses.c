/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * losses - what is left of a stack when disks die.
 *
 * Every layer says what becomes of it when some of its devices are gone; the stack is
 * asked disk by disk. How many disks may fail is found by trying every set, as long as
 * that is cheap; beyond, by a bound from each layer's own tolerance that never promises
 * too much.
 */
#include <limits.h>
#include <string.h>

#include "layout/stack.h"

enum { MOST_WORK = 1000000 };

static enum health node_health(const struct node *n, const enum health *all, enum health *kids)
{
	enum health worst = HEALTH_OK;
	unsigned i;

	for (i = 0; i < n->n_kids; i++) {
		kids[i] = all[n->kids[i]->id];
		if (kids[i] > worst)
			worst = kids[i];
	}
	return n->layer->health ? n->layer->health(n, kids) : worst;
}

static unsigned widest(const struct stack *s)
{
	unsigned most = 1;
	size_t i;

	for (i = 0; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->n_kids > most)
			most = n->n_kids;
	}
	return most;
}

static enum health lose(const struct stack *s, const bool *dead, enum health *out,
			enum health *kids)
{
	enum health worst = HEALTH_OK;
	size_t i;

	for (i = 0; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (!n->layer)
			out[i] = dead[i] ? HEALTH_LOST : HEALTH_OK;
		else
			out[i] = n->left_out ? HEALTH_OK : node_health(n, out, kids);
	}
	for (i = 0; i < s->tops.n; i++) {
		const struct node *n = s->tops.at[i];

		if (out[n->id] > worst)
			worst = out[n->id];
	}
	return worst;
}

enum health stack_lose(const struct stack *s, const bool *dead, enum health *out)
{
	return lose(s, dead, out, arena_array(s->arena, widest(s), sizeof(enum health)));
}

struct trial {
	const struct stack *s;
	bool *dead;
	enum health *health, *kids;
	uint64_t work, edges;		/* done so far, and what one try costs */
};

/* Does some set of `more` further disks, all from `from` on, lose data? 1 yes, 0 no,
 * -1 it would take too long to find out. */
static int some_set_loses(struct trial *t, size_t from, unsigned more)
{
	size_t i;

	if (!more) {
		t->work += t->edges;
		if (t->work > MOST_WORK)
			return -1;
		return lose(t->s, t->dead, t->health, t->kids) == HEALTH_LOST;
	}
	for (i = from; i < t->s->n_disks; i++) {
		int lost;

		t->dead[i] = true;
		lost = some_set_loses(t, i + 1, more - 1);
		t->dead[i] = false;
		if (lost)
			return lost;
	}
	return 0;
}

/* How many kids can be lost at least before this layer loses data: neighbours first, which
 * is the worst case for every layer that cares which ones. */
static unsigned kids_to_kill(const struct node *n, enum health *kids)
{
	unsigned i;

	for (i = 0; i < n->n_kids; i++)
		kids[i] = HEALTH_OK;
	for (i = 0; i < n->n_kids; i++) {
		kids[i] = HEALTH_LOST;
		if (!n->layer->health || n->layer->health(n, kids) == HEALTH_LOST)
			break;
	}
	return i + 1;
}

/* The c-th smallest (1..) of the kids' bounds. */
static unsigned nth_smallest(const struct node *n, const unsigned *bound, unsigned c)
{
	unsigned value, i, not_above;

	for (value = 0;; value++) {
		not_above = 0;
		for (i = 0; i < n->n_kids; i++)
			not_above += bound[n->kids[i]->id] <= value;
		if (not_above >= c || not_above == n->n_kids)
			return value;
	}
}

/*
 * A number of dead disks below which nothing is lost. Devices on one disk each add up;
 * devices that may share disks count as one, as hard as the hardest that has to go.
 */
static unsigned survives_bound(struct trial *t)
{
	unsigned *bound = arena_array(t->s->arena, t->s->nodes.n, sizeof(*bound));
	unsigned least = UINT_MAX;
	size_t i;

	for (i = 0; i < t->s->nodes.n; i++) {
		const struct node *n = t->s->nodes.at[i];
		unsigned c;

		if (!n->layer || n->left_out) {
			bound[i] = 1;
			continue;
		}
		c = kids_to_kill(n, t->kids);
		bound[i] = nth_smallest(n, bound, c);
		if (bound[i] == 1)
			bound[i] = c;
	}
	for (i = 0; i < t->s->tops.n; i++) {
		const struct node *n = t->s->tops.at[i];

		if (bound[n->id] < least)
			least = bound[n->id];
	}
	return least - 1;
}

unsigned stack_survives(const struct stack *s)
{
	struct trial t = {
		.s = s,
		.dead = arena_array(s->arena, s->n_disks, sizeof(bool)),
		.health = arena_array(s->arena, s->nodes.n, sizeof(enum health)),
		.kids = arena_array(s->arena, widest(s), sizeof(enum health)),
	};
	unsigned survives;
	size_t i;

	for (i = 0; i < s->nodes.n; i++)
		t.edges += 1 + ((const struct node *)s->nodes.at[i])->n_kids;
	for (survives = 0; survives < s->n_disks; survives++) {
		int lost = some_set_loses(&t, 0, survives + 1);

		if (lost > 0)
			break;
		if (lost < 0) {
			unsigned bound = survives_bound(&t);

			return bound > survives ? bound : survives;
		}
	}
	return survives;
}

static size_t mark_disks(const struct node *n, bool *seen)
{
	size_t found = 0;
	unsigned i;

	if (!n->layer) {
		if (seen[n->id])
			return 0;
		seen[n->id] = true;
		return 1;
	}
	for (i = 0; i < n->n_kids; i++)
		found += mark_disks(n->kids[i], seen);
	return found;
}

size_t node_disks(const struct stack *s, const struct node *n, const struct node **out,
		  size_t room)
{
	bool *seen = arena_array(s->arena, s->n_disks, sizeof(*seen));
	size_t found = mark_disks(n, seen), i, put_in = 0;

	for (i = 0; i < s->n_disks && put_in < room; i++) {
		if (seen[i])
			out[put_in++] = s->nodes.at[i];
	}
	return found;
}
