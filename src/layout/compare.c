/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare - every recipe on the same disks, side by side. */
#include "layout/compare.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "disk/disk.h"
#include "layout/plan.h"
#include "layout/recipe.h"

/* The advice of a stack outlives it. */
static void keep_advice(const struct stack *s, struct arena *a, struct candidate *c)
{
	size_t i;

	stack_advice(s, a, &c->advice);
	for (i = 0; i < c->advice.n; i++)
		c->warnings += !strcmp(((struct advice *)c->advice.at[i])->severity, "warn");
}

static void measure(const struct stack *s, struct arena *a, struct candidate *c)
{
	size_t i;

	c->fits = true;
	c->usable = s->usable_bytes;
	c->survives = s->survives;
	for (i = 0; i < s->n_disks; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->role == ROLE_CACHE) {
			c->cached |= n->n_parents > 0;
			continue;
		}
		c->redundancy += n->split.redundancy;
		c->overhead += n->split.overhead;
		c->unused += n->split.unused;
	}
	for (i = 0; i < s->tops.n; i++) {
		const struct node *n = s->tops.at[i];

		c->files_only |= n->n_kids > 1 && n->kids[0]->gives == THING_DIR;
	}
	keep_advice(s, a, c);
}

static int try_recipe(const char *name, const struct pick *picks, size_t n, struct arena *a,
		      struct candidate *c, struct err *e)
{
	struct sbuf line = { 0 };
	struct err misfit = { 0 };
	struct stack *s = NULL;
	struct recipe *r;

	if (recipe_open(name, &r, e))
		return -1;
	c->name = name;
	c->title = arena_strdup(a, r->title ? r->title : "");
	c->group = arena_strdup(a, r->group ? r->group : "Your own");
	recipe_line(r, &line);
	c->line = arena_strdup(a, sbuf_str(&line));
	sbuf_done(&line);
	if (stack_make(r, "nas1", picks, n, &s, &misfit))
		c->why = arena_strdup(a, misfit.text);
	else
		measure(s, a, c);
	stack_free(s);
	recipe_free(r);
	return 0;
}

static int in_order(const void *x, const void *y, void *how)
{
	const struct candidate *a = *(struct candidate *const *)x, *b = *(struct candidate *const *)y;
	enum compare_sort by = *(enum compare_sort *)how;

	if (by == COMPARE_GROUP && a->group_at != b->group_at)
		return a->group_at < b->group_at ? -1 : 1;
	if (a->fits != b->fits)
		return a->fits ? -1 : 1;
	if (by == COMPARE_SURVIVES && a->survives != b->survives)
		return a->survives > b->survives ? -1 : 1;
	if (by == COMPARE_UNUSED && a->unused != b->unused)
		return a->unused < b->unused ? -1 : 1;
	if (by != COMPARE_NAME && a->usable != b->usable)
		return a->usable > b->usable ? -1 : 1;
	if (by != COMPARE_NAME && a->survives != b->survives)
		return a->survives > b->survives ? -1 : 1;
	return strcmp(a->name, b->name);
}

void candidates_sort(struct candidate **at, size_t n, enum compare_sort by)
{
	qsort_r(at, n, sizeof(*at), in_order, &by);
}

bool candidate_has(const struct candidate *c, const char *letters)
{
	return strcasestr(c->name, letters) || strcasestr(c->title, letters) ||
	       strcasestr(c->group, letters) || strcasestr(c->line, letters);
}

/* Groups are numbered as their first recipe comes. */
static unsigned group_at(const struct list *before, const char *group)
{
	unsigned most = 0;
	size_t i;

	for (i = 0; i < before->n; i++) {
		const struct candidate *c = before->at[i];

		if (!strcmp(c->group, group))
			return c->group_at;
		if (c->group_at >= most)
			most = c->group_at + 1;
	}
	return most;
}

int compare_all(const struct pick *picks, size_t n, struct arena *a, struct list *out,
		struct err *e)
{
	char **names;
	size_t n_names, i;

	if (recipe_names(a, &names, &n_names, e))
		return -1;
	for (i = 0; i < n_names; i++) {
		struct candidate *c = arena_alloc(a, sizeof(*c));

		if (try_recipe(names[i], picks, n, a, c, e))
			return -1;
		c->group_at = group_at(out, c->group);
		list_add(a, out, c);
	}
	if (out->n)
		candidates_sort((struct candidate **)out->at, out->n, COMPARE_USABLE);
	return 0;
}

/* --- what would make a misfit fit ----------------------------------------------------- */

enum { MORE_DISKS = 4 };

static bool fits_with(const struct recipe *r, const struct pick *picks, size_t n)
{
	struct stack *s = NULL;
	struct err e = { 0 };
	bool ok = stack_make(r, "nas1", picks, n, &s, &e) == 0;

	stack_free(s);
	return ok;
}

/* A disk like another one, not there yet. */
static const struct disk *one_more(const struct disk *like, unsigned number, struct arena *a)
{
	struct disk *d = arena_alloc(a, sizeof(*d));

	*d = *like;
	d->name = arena_printf(a, "new%u", number);
	d->path = arena_printf(a, "/dev/new%u", number);
	d->by_id = d->serial = d->wwn = NULL;
	return d;
}

static const char *remedy_text(unsigned more, bool cache, const char *largest, struct arena *a)
{
	const char *disks = more ? arena_printf(a, "%u more disk%s as large as %s", more,
						more == 1 ? "" : "s", largest) : "";

	return arena_printf(a, "%s%s%s", cache ? "an SSD as cache" : "", cache && more ? " and " : "",
			    disks);
}

/* More disks as large as the largest are tried, then a cache disk, then both. */
const char *compare_remedy(const struct recipe *r, const struct pick *picks, size_t n,
			   struct arena *a)
{
	static const struct disk ssd = {
		.name = "newssd", .path = "/dev/newssd", .kind = DISK_SSD,
		.bytes = 500107862016, .lsec = 512, .psec = 4096,
	};
	struct pick *tried = arena_array(a, n + MORE_DISKS + 1, sizeof(*tried));
	const struct disk *largest = NULL;
	unsigned cache, more;
	size_t i;

	for (i = 0; i < n; i++) {
		tried[i] = picks[i];
		if (picks[i].role == ROLE_DATA && (!largest || picks[i].disk->bytes > largest->bytes))
			largest = picks[i].disk;
	}
	for (cache = 0; largest && cache < 2; cache++) {
		for (more = 0; more <= MORE_DISKS; more++) {
			if (more)
				tried[n + more - 1] = (struct pick){ one_more(largest, more, a), ROLE_DATA };
			if (cache)
				tried[n + more] = (struct pick){ &ssd, ROLE_CACHE };
			if ((more || cache) && fits_with(r, tried, n + more + cache))
				return remedy_text(more, cache, largest->name, a);
		}
	}
	return NULL;
}

void compare_remedies(const struct pick *picks, size_t n, struct arena *a, struct list *all)
{
	struct err e = { 0 };
	struct recipe *r;
	size_t i;

	for (i = 0; i < all->n; i++) {
		struct candidate *c = all->at[i];

		if (c->fits || recipe_open(c->name, &r, &e))
			continue;
		c->remedy = compare_remedy(r, picks, n, a);
		recipe_free(r);
	}
}

static json_t *candidate_json(const struct candidate *c)
{
	json_t *o = json_object(), *advice = json_array();
	size_t i;

	json_put_str(o, "layout", c->name);
	json_put_str(o, "title", c->title);
	json_put_str(o, "group", c->group);
	json_put_str(o, "recipe", c->line);
	json_object_set_new(o, "fits", json_boolean(c->fits));
	if (c->why)
		json_put_str(o, "why", c->why);
	if (c->remedy)
		json_put_str(o, "would_fit_with", c->remedy);
	if (c->fits) {
		json_put_u64(o, "usable_bytes", c->usable);
		json_put_u64(o, "redundancy_bytes", c->redundancy);
		json_put_u64(o, "overhead_bytes", c->overhead);
		json_put_u64(o, "unused_bytes", c->unused);
		json_put_u64(o, "survives", c->survives);
		json_object_set_new(o, "cached", json_boolean(c->cached));
		json_object_set_new(o, "files_only", json_boolean(c->files_only));
	}
	for (i = 0; i < c->advice.n; i++) {
		const struct advice *told = c->advice.at[i];
		json_t *row = json_object();

		json_put_str(row, "rule", told->rule);
		json_put_str(row, "severity", told->severity);
		json_put_str(row, "text", told->text);
		json_array_append_new(advice, row);
	}
	json_object_set_new(o, "advice", advice);
	return o;
}

json_t *compare_json(const struct pick *picks, size_t n, const struct list *candidates)
{
	json_t *o = json_object(), *disks = json_array(), *layouts = json_array();
	size_t i;

	for (i = 0; i < n; i++) {
		json_t *d = json_object();

		json_put_str(d, "name", picks[i].disk->name);
		json_put_u64(d, "bytes", picks[i].disk->bytes);
		json_put_str(d, "role", picks[i].role == ROLE_CACHE ? "cache" : "data");
		json_array_append_new(disks, d);
	}
	for (i = 0; i < candidates->n; i++)
		json_array_append_new(layouts, candidate_json(candidates->at[i]));
	json_object_set_new(o, "disks", disks);
	json_object_set_new(o, "layouts", layouts);
	return o;
}
