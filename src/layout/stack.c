/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack - from a recipe and disks to a graph of nodes.
 *
 * What flows is a list of groups of devices. A divide layer turns one group into several,
 * a map layer puts one device on each, a join layer makes one device of each group. No
 * layer is known here by name. After the last layer the bytes are accounted from the top
 * down, and the number of disks that may fail is found by trying.
 */
#include "layout/stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "disk/disk.h"
#include "layout/ptable.h"
#include "layout/recipe.h"

struct groups {
	struct list *at;	/* each a list of struct node * */
	size_t n;
};

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t t = a % b;

		a = b;
		b = t;
	}
	return a;
}

/* Least common multiple of optimal I/O sizes, 0 ignored (blk_stack_limits, kernel 6.1). */
static uint32_t lcm_or_either(uint32_t a, uint32_t b)
{
	uint64_t lcm;

	if (!a || !b)
		return a ? a : b;
	lcm = (uint64_t)a / gcd(a, b) * b;
	return lcm > UINT32_MAX ? 0 : (uint32_t)lcm;
}

struct node *stack_node(struct stack *s, const struct layer *l, const struct stmt *st,
			struct node *const *kids, unsigned n_kids)
{
	struct node *n = arena_alloc(s->arena, sizeof(*n));
	unsigned i;

	n->layer = l;
	n->stmt = st;
	n->gives = l ? l->gives : THING_BLOCK;
	n->id = (unsigned)s->nodes.n;
	n->n_kids = n_kids;
	n->kids = n_kids ? arena_array(s->arena, n_kids, sizeof(*n->kids)) : NULL;
	for (i = 0; i < n_kids; i++) {
		n->kids[i] = kids[i];
		kids[i]->n_parents++;
		n->in_slice |= kids[i]->in_slice;
		n->rotational |= kids[i]->rotational;
		if (kids[i]->lsec > n->lsec)
			n->lsec = kids[i]->lsec;
		if (kids[i]->psec > n->psec)
			n->psec = kids[i]->psec;
		if (kids[i]->io_min > n->io_min)
			n->io_min = kids[i]->io_min;
		n->io_opt = lcm_or_either(n->io_opt, kids[i]->io_opt);
	}
	list_add(s->arena, &s->nodes, n);
	return n;
}

static const char *node_text(const struct node *n, const char *option)
{
	const char *value = n->stmt ? stmt_value(n->stmt, option) : NULL;
	const struct option *o = layer_option(n->layer, option);

	if (!o)
		die("%s has no option %s", n->layer->name, option);
	return value ? value : o->def;
}

const char *node_word(const struct node *n, const char *option)
{
	return node_text(n, option);
}

uint64_t node_size(const struct node *n, const char *option)
{
	const char *text = node_text(n, option);
	struct err e = { 0 };
	uint64_t bytes;

	if (!text)
		return 0;
	if (size_parse(text, &bytes, &e))
		die("%s", e.text);
	return bytes;
}

uint64_t node_count(const struct node *n, const char *option)
{
	const char *text = node_text(n, option);
	struct err e = { 0 };
	uint64_t count;

	if (!text)
		return 0;
	if (count_parse(option, text, 0, UINT64_MAX / 2, &count, &e))
		die("%s", e.text);
	return count;
}

bool node_yes(const struct node *n, const char *option)
{
	const char *text = node_text(n, option);

	return text && !strcmp(text, "yes");
}

static json_t *node_facts(struct stack *s, struct node *n)
{
	if (!n->facts) {
		n->facts = json_object();
		list_add(s->arena, &s->json, n->facts);
	}
	return n->facts;
}

void node_fact_u64(struct stack *s, struct node *n, const char *key, uint64_t value)
{
	json_put_u64(node_facts(s, n), key, value);
}

void node_fact_str(struct stack *s, struct node *n, const char *key, const char *value)
{
	json_put_str(node_facts(s, n), key, value);
}

uint64_t node_min_bytes(const struct node *n)
{
	uint64_t least = UINT64_MAX;
	unsigned i;

	for (i = 0; i < n->n_kids; i++) {
		if (n->kids[i]->bytes < least)
			least = n->kids[i]->bytes;
	}
	return least;
}

const char *stack_label(struct stack *s, const struct node *n)
{
	const struct stmt *st;
	unsigned before = 0;
	const char *base;

	if (n->layer->kind == LAYER_MAP && n->n_kids)
		return n->kids[0]->name;
	for (st = s->recipe->stmts; st != n->stmt; st++)
		before += !strcmp(st->layer, n->stmt->layer);
	base = s->n_groups > 1 ? arena_printf(s->arena, "s%u", n->group + 1) : "data";
	return before ? arena_printf(s->arena, "%s-%u", base, before + 1) : base;
}

/* --- disks ------------------------------------------------------------------------ */

static int check_pick(const struct pick *picks, size_t i, struct err *e)
{
	const struct disk *d = picks[i].disk;
	size_t k;

	if (d->bytes < 16 * MIB)
		return err_set(e, ERR_USAGE, "%s: %" PRIu64 " bytes are too small for any layout",
			       d->name, d->bytes);
	if (d->zoned && !strcmp(d->zoned, "host-managed"))
		return err_set(e, ERR_USAGE, "%s: is host-managed SMR: no layout here can write to it",
			       d->name);
	for (k = 0; k < i; k++) {
		if (picks[k].disk == d)
			return err_set(e, ERR_USAGE, "%s is named twice", d->name);
	}
	return 0;
}

static int add_disks(struct stack *s, const struct pick *picks, size_t n, struct list *data,
		     struct err *e)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct disk *d = picks[i].disk;
		struct node *node;

		if (check_pick(picks, i, e))
			return -1;
		node = stack_node(s, NULL, NULL, NULL, 0);
		node->disk = d;
		node->role = picks[i].role;
		node->name = d->name;
		node->dev = d->path;
		node->bytes = round_down(d->bytes, d->lsec ? d->lsec : 512);
		node->lsec = d->lsec ? d->lsec : 512;
		node->psec = d->psec ? d->psec : node->lsec;
		node->io_min = node->psec;
		node->rotational = d->rotational;
		if (picks[i].role == ROLE_CACHE) {
			list_add(s->arena, &s->cache, node);
		} else {
			s->raw_bytes += d->bytes;
			list_add(s->arena, data, node);
		}
	}
	s->n_disks = s->nodes.n;
	s->served = arena_array(s->arena, s->cache.n + 1, sizeof(*s->served));
	if (!data->n)
		return err_set(e, ERR_USAGE, "no data disk is named");
	return 0;
}

/* The disk that serves this statement already, else the first that serves none. */
static struct node *cache_disk(struct stack *s, const struct stmt *st, struct err *e)
{
	size_t i, k;

	for (i = 0; i < s->cache.n; i++) {
		if (s->served[i] == st)
			return s->cache.at[i];
	}
	for (i = 0; i < s->cache.n && s->served[i]; i++)
		;
	if (i < s->cache.n) {
		s->served[i] = st;
		return s->cache.at[i];
	}
	k = s->cache.n ? s->cache.n - 1 : 0;
	if (!s->cache.n)
		err_set(e, ERR_USAGE, "needs a cache disk: name one with --cache, like --cache ssd:500G");
	else
		err_set(e, ERR_USAGE, "needs a cache disk of its own: %s serves %s already, and a disk that "
			"does both takes both with it when it dies; name another with --cache",
			((const struct node *)s->cache.at[k])->name, s->served[k]->layer);
	return NULL;
}

struct node *stack_cache(struct stack *s, const struct stmt *st, uint64_t bytes, struct err *e)
{
	struct node *disk = cache_disk(s, st, e);
	struct ptable *t;
	uint64_t start, left;

	if (!disk)
		return NULL;
	t = ptable_of(s, disk);
	start = t->n_parts ? t->parts[t->n_parts - 1]->start + t->parts[t->n_parts - 1]->bytes : MIB;
	left = t->end > start ? t->end - start : 0;
	bytes = bytes ? round_down(bytes, MIB) : left;
	if (bytes < 8 * MIB || bytes > left || t->n_parts == PTABLE_PARTS) {
		err_set(e, ERR_USAGE, "%s has %" PRIu64 " MiB left and %" PRIu64 " are wanted; a larger cache "
			"disk, or less of it", disk->name, (uint64_t)(left / MIB),
			(uint64_t)((bytes > left ? bytes : 8 * MIB) / MIB));
		return NULL;
	}
	return ptable_add(s, t, layer_find("part"), NULL, start, start + bytes);
}

int stack_check_ram(const struct stack *s, uint64_t ram, struct err *e)
{
	char want[SIZE_TEXT], has[SIZE_TEXT];
	size_t i;

	for (i = s->n_disks; ram && i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];
		uint64_t need = n->left_out ? 0 : json_u64(n->facts, "ram_bytes", 0);

		/* the rest is for everything else that runs */
		if (need <= ram / 4 * 3)
			continue;
		return err_set(e, ERR_REFUSED, "%s %s takes %s of memory and this machine has %s; size=%" PRIu64
			       "G takes half of it, and lvmcache needs none", n->layer->name, n->name,
			       size_text(want, need, SIZE_IEC), size_text(has, ram, SIZE_IEC),
			       (uint64_t)(json_u64(n->facts, "cache_bytes", 0) / GIB * (ram / 2 / MIB) /
					  (need / MIB)));
	}
	return 0;
}

/* --- layers ----------------------------------------------------------------------- */

static int divide(struct stack *s, const struct layer *l, const struct stmt *st, struct groups *g,
		  struct err *e)
{
	struct list all = { 0 };
	struct groups out = { 0 };
	size_t first, i;

	for (i = 0; i < g->n; i++) {
		size_t k;

		for (k = 0; k < g->at[i].n; k++)
			list_add(s->arena, &all, g->at[i].at[k]);
	}
	first = s->nodes.n;
	if (l->divide(s, st, (struct node **)all.at, all.n, e))
		return -1;
	for (i = first; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->group + 1 > out.n)
			out.n = n->group + 1;
	}
	out.at = arena_array(s->arena, out.n ? out.n : 1, sizeof(*out.at));
	for (i = first; i < s->nodes.n; i++) {
		struct node *n = s->nodes.at[i];

		n->in_slice = true;
		list_add(s->arena, &out.at[n->group], n);
	}
	*g = out;
	return 0;
}

void node_add_kid(struct stack *s, struct node *n, struct node *kid)
{
	struct node **kids = arena_array(s->arena, n->n_kids + 1, sizeof(*kids));

	memcpy(kids, n->kids, n->n_kids * sizeof(*kids));
	kids[n->n_kids++] = kid;
	n->kids = kids;
	kid->n_parents++;
}

/* Kids come before parents: a node whose layer asked for room on the cache disk moves
 * behind what it got. */
static void put_last(struct stack *s, struct node *n)
{
	size_t i;

	for (i = n->id; i + 1 < s->nodes.n; i++) {
		s->nodes.at[i] = s->nodes.at[i + 1];
		((struct node *)s->nodes.at[i])->id = (unsigned)i;
	}
	s->nodes.at[i] = n;
	n->id = (unsigned)i;
}

/* One node of a map or join layer over these kids; *out is NULL when it is left out. */
static int put(struct stack *s, const struct layer *l, const struct stmt *st, struct node **kids,
	       size_t n_kids, unsigned group, struct node **out, struct err *e)
{
	struct node *n = stack_node(s, l, st, kids, (unsigned)n_kids);
	size_t i;
	int rc;

	n->group = group;
	rc = l->size(s, n, e);
	if (rc < 0)
		return -1;
	put_last(s, n);
	*out = rc == 0 ? n : NULL;
	if (rc == 0) {
		if (!n->name)
			n->name = stack_label(s, n);
		return 0;
	}
	n->left_out = true;
	n->bytes = 0;
	for (i = 0; i < n_kids; i++) {
		kids[i]->n_parents--;
		kids[i]->left_out = true;
		kids[i]->note = n->note;
	}
	return 0;
}

static int map(struct stack *s, const struct layer *l, const struct stmt *st, struct groups *g,
	       struct err *e)
{
	size_t i, k;

	for (i = 0; i < g->n; i++) {
		struct list kept = { 0 };

		for (k = 0; k < g->at[i].n; k++) {
			struct node *kid = g->at[i].at[k], *n;

			if (put(s, l, st, &kid, 1, (unsigned)i, &n, e))
				return -1;
			if (n)
				list_add(s->arena, &kept, n);
		}
		g->at[i] = kept;
	}
	return 0;
}

static int join(struct stack *s, const struct layer *l, const struct stmt *st, struct groups *g,
		struct err *e)
{
	struct list joined = { 0 };
	const char *why = NULL;
	size_t i;

	for (i = 0; i < g->n; i++) {
		struct node *n;

		if (!g->at[i].n)
			continue;
		if (put(s, l, st, (struct node **)g->at[i].at, g->at[i].n, (unsigned)i, &n, e))
			return -1;
		if (n)
			list_add(s->arena, &joined, n);
		else
			why = ((struct node *)s->nodes.at[s->nodes.n - 1])->note;
	}
	if (!joined.n)
		return err_set(e, ERR_USAGE, "%s", why ? why : "nothing is left to join");
	g->at = arena_array(s->arena, 1, sizeof(*g->at));
	g->at[0] = joined;
	g->n = 1;
	return 0;
}

static int apply(struct stack *s, const struct stmt *st, struct groups *g, struct err *e)
{
	const struct layer *l = layer_find(st->layer);
	size_t i, devices = 0;
	int rc;

	s->n_groups = (unsigned)g->n;
	rc = l->kind == LAYER_DIVIDE ? divide(s, l, st, g, e) :
	     l->kind == LAYER_MAP ? map(s, l, st, g, e) : join(s, l, st, g, e);
	if (!rc) {
		for (i = 0; i < g->n; i++)
			devices += g->at[i].n;
		if (!devices)
			rc = err_set(e, ERR_USAGE, "nothing is left for the layers above");
	}
	return rc ? err_in(e, "layer %u, %s", st->line, st->layer) : 0;
}

/* --- after the last layer --------------------------------------------------------- */

static void name_directories(struct stack *s)
{
	unsigned n_dirs = 0;
	size_t i;

	for (i = 0; i < s->tops.n; i++)
		n_dirs += ((struct node *)s->tops.at[i])->gives == THING_DIR;
	for (i = 0; i < s->nodes.n; i++) {
		struct node *n = s->nodes.at[i];

		if (n->gives != THING_DIR || n->left_out)
			continue;
		if (n->n_parents)
			n->dir = arena_printf(s->arena, "/srv/%s-branches/%s", s->name, n->name);
		else if (n_dirs == 1)
			n->dir = arena_printf(s->arena, "/srv/%s", s->name);
		else
			n->dir = arena_printf(s->arena, "/srv/%s/%s", s->name, n->name);
	}
}

int stack_make(const struct recipe *r, const char *name, const struct pick *picks, size_t n,
	       struct stack **out, struct err *e)
{
	struct arena *a = arena_new();
	struct stack *s = arena_alloc(a, sizeof(*s));
	struct list data = { 0 };
	struct groups g = { .n = 1 };
	size_t i, k;

	s->arena = a;
	s->recipe = r;
	s->name = arena_strdup(a, name);
	if (!name_is_valid(name)) {
		err_set(e, ERR_USAGE, "a build's name is 1 to 20 of a-z, 0-9 and -, first a letter; "
			"not \"%.40s\"", name);
		goto fail;
	}
	if (add_disks(s, picks, n, &data, e))
		goto fail;
	g.at = arena_array(a, 1, sizeof(*g.at));
	g.at[0] = data;
	for (i = 0; i < r->n_stmts; i++) {
		if (apply(s, &r->stmts[i], &g, e))
			goto fail;
	}
	for (i = 0; i < g.n; i++) {
		for (k = 0; k < g.at[i].n; k++) {
			struct node *top = g.at[i].at[k];

			list_add(a, &s->tops, top);
			s->usable_bytes += top->gives == THING_DIR ? top->data_bytes : top->bytes;
		}
	}
	name_directories(s);
	stack_account(s);
	s->survives = stack_survives(s);
	*out = s;
	return 0;
fail:
	stack_free(s);
	return -1;
}

void stack_free(struct stack *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->json.n; i++)
		json_decref(s->json.at[i]);
	arena_free(s->arena);
}
