/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disks - what a campaign asks of its disks: which variants can be on them, whether they may
 * be written, and which they were when it goes on.
 */
#include "campaign/campaign.h"

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "build/build.h"
#include "disk/disk.h"
#include "layout/plan.h"
#include "layout/recipe.h"

/* Does a new array of this layer write all of its members before it has settled? */
static bool first_sync(const struct stmt *s)
{
	const char *level = stmt_value(s, "level"), *type = stmt_value(s, "type");

	if (!strcmp(s->layer, "md"))
		return !level || (strcmp(level, "raid0") && strcmp(level, "raid10"));
	return !strcmp(s->layer, "lvm") && type && (!strncmp(type, "raid", 4) || !strcmp(type, "auto")) &&
	       strcmp(type, "raid0") != 0;
}

/* Bytes of the largest disk when an array is synced first, else 0. */
static uint64_t sync_bytes(const struct recipe *r, const struct pick *picks, size_t n)
{
	uint64_t most = 0;
	bool syncs = false;
	size_t i;

	for (i = 0; i < r->n_stmts; i++)
		syncs |= first_sync(&r->stmts[i]);
	for (i = 0; syncs && i < n; i++) {
		if (picks[i].role == ROLE_DATA && picks[i].disk->bytes > most)
			most = picks[i].disk->bytes;
	}
	return most;
}

/* A cell measures one file system: which of several would be no answer. */
static int one_file_system(const struct stack *s, struct err *e)
{
	const struct node *top = s->tops.n ? s->tops.at[0] : NULL;

	if (s->tops.n > 1 && top->dir)
		return err_set(e, ERR_FAIL, "it makes %zu file systems, and a campaign measures one: "
			       "mergerfs joins them, part count=1 takes one disk", s->tops.n);
	return top && top->dir && s->tops.n == 1 ? 0 :
	       err_set(e, ERR_FAIL, "it ends without a file system, and there is nothing to measure");
}

int campaign_plan(const struct campaign *c, const char *layout, const struct pick *picks, size_t n,
		  struct campaign_plan *out, struct err *e)
{
	int rc;

	*out = (struct campaign_plan){ .plan = NULL };
	rc = recipe_parse(layout, NULL, &out->recipe, e) ||
	     stack_make(out->recipe, c->name, picks, n, &out->stack, e) ||
	     one_file_system(out->stack, e) || plan_make(out->stack, &out->plan, e) ? -1 : 0;
	if (rc < 0)
		campaign_plan_free(out);
	return rc;
}

void campaign_plan_free(struct campaign_plan *p)
{
	plan_free(p->plan);
	stack_free(p->stack);
	recipe_free(p->recipe);
	*p = (struct campaign_plan){ .plan = NULL };
}

/* Why this variant cannot be on these disks; its usable bytes when it can. */
static int check_variant(const struct campaign *c, struct variant *v, const struct pick *picks,
			 size_t n, bool tools, struct err *e)
{
	struct campaign_plan p;
	int rc = campaign_plan(c, v->layout, picks, n, &p, e);

	if (rc < 0)
		return -1;
	if (tools)
		rc = build_tools_check(p.plan, e);
	v->usable = p.stack->usable_bytes;
	v->sync_bytes = sync_bytes(p.recipe, picks, n);
	campaign_plan_free(&p);
	return rc;
}

void campaign_check(struct campaign *c, const struct pick *picks, size_t n, bool tools)
{
	size_t i;

	campaign_assume(c, picks, n);
	for (i = 0; i < c->variants.n; i++) {
		struct variant *v = c->variants.at[i];
		struct err e = { 0 };

		if (!v->why && check_variant(c, v, picks, n, tools, &e))
			v->why = arena_strdup(c->arena, e.text);
	}
}

/* Is this disk one that the stack writes to? */
static bool writes_to(const struct stack *s, const struct disk *d)
{
	size_t i;

	for (i = 0; d && i < s->n_disks; i++) {
		const struct node *n = s->nodes.at[i];

		if (node_is_used(n) && !strcmp(n->disk->path, d->path))
			return true;
	}
	return false;
}

char **campaign_wipe(struct arena *a, const struct stack *s, const struct inventory *now,
		     char *const *wipe)
{
	size_t n = 0, kept = 0, i;
	char **out;

	while (wipe && wipe[n])
		n++;
	out = arena_array(a, n + 1, sizeof(*out));
	for (i = 0; i < n; i++) {
		if (writes_to(s, inventory_find(now, wipe[i])))
			out[kept++] = wipe[i];
	}
	out[kept] = NULL;
	return out;
}

/* A disk that no layout uses may not be named to be wiped: it is another one that was meant. */
static int check_wipe(const struct pick *picks, size_t n, const struct inventory *now,
		      char *const *wipe, struct err *e)
{
	for (; wipe && *wipe; wipe++) {
		const struct disk *d = inventory_find(now, *wipe);
		size_t i;

		for (i = 0; d && i < n && strcmp(picks[i].disk->path, d->path); i++)
			;
		if (!d || i == n)
			return err_set(e, ERR_USAGE, "--wipe %.60s names none of the disks of this campaign",
				       *wipe);
	}
	return 0;
}

int campaign_guard(const struct campaign *c, const struct pick *picks, size_t n,
		   const struct inventory *now, char *const *wipe, struct err *e)
{
	struct campaign_plan p;
	bool possible = false;
	int rc = check_wipe(picks, n, now, wipe, e);
	size_t i;

	for (i = 0; rc == 0 && i < c->variants.n; i++) {
		const struct variant *v = c->variants.at[i];

		if (v->why)
			continue;
		possible = true;
		rc = campaign_plan(c, v->layout, picks, n, &p, e);
		if (rc == 0)
			rc = guard_check(p.plan, now, campaign_wipe(c->arena, p.stack, now, wipe), e);
		campaign_plan_free(&p);
	}
	return rc || possible ? rc : err_set(e, ERR_FAIL, "none of the layouts can be built here: %.300s",
				      ((const struct variant *)c->variants.at[0])->why);
}

char *campaign_disks_json(const struct pick *picks, size_t n, struct arena *a)
{
	json_t *all = json_array();
	char *line, *text;
	size_t i;

	for (i = 0; i < n; i++) {
		struct identity id;
		json_t *disk;

		disk_identity(picks[i].disk, a, &id);
		disk = identity_json(&id);
		json_put_str(disk, "role", picks[i].role == ROLE_CACHE ? "cache" : "data");
		json_array_append_new(all, disk);
	}
	line = json_line(all);
	text = arena_strdup(a, line);
	free(line);
	json_decref(all);
	return text;
}

/* One disk again: at its path, else by its serial; NULL when it is not there. */
static const struct disk *find_disk(const struct inventory *inv, const struct identity *then,
				    struct arena *a)
{
	const char *words[] = { then->path, then->serial };
	struct err e = { 0 };
	struct identity now;
	size_t i;

	for (i = 0; i < 2; i++) {
		const struct disk *d = words[i] ? inventory_find(inv, words[i]) : NULL;

		if (!d)
			continue;
		disk_identity(d, a, &now);
		if (!identity_compare(then, &now, false, &e))
			return d;
	}
	return NULL;
}

int campaign_disks_find(const char *json, const struct inventory *inv, struct arena *a,
			struct pick **out, size_t *n, struct err *e)
{
	json_t *all = json_loads(json, 0, NULL);
	struct identity then;
	const json_t *disk;
	size_t i;

	*n = json_array_size(all);
	*out = arena_array(a, *n + 1, sizeof(**out));
	json_array_foreach(all, i, disk) {
		const char *role = json_str(disk, "role");

		if (identity_from_json(a, disk, &then, e))
			goto fail;
		(*out)[i].disk = find_disk(inv, &then, a);
		(*out)[i].role = role && !strcmp(role, "cache") ? ROLE_CACHE : ROLE_DATA;
		if (!(*out)[i].disk) {
			err_set(e, ERR_REFUSED, "%s (%.60s) is not the disk the campaign began on",
				then.path ? then.path : "a disk",
				then.serial ? then.serial : "without a serial number");
			goto fail;
		}
	}
	json_decref(all);
	return 0;
fail:
	json_decref(all);
	return -1;
}
