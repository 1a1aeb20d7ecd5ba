/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cells - variants x workloads in their order, what they will write, and on which disks.
 */
#include "campaign/campaign.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/units.h"
#include "build/build.h"
#include "disk/disk.h"
#include "layout/plan.h"
#include "layout/recipe.h"

/* What is assumed of disks and builds until something was measured. A small file took 0.2 ms
 * to be written on an SSD, and 0.5 ms to be read again, cold; a disk that turns has to move. */
static const struct disk_guess hdd = { .bps = 100000000, .seek_ns = 8000000, .file_ns = 500000 };
static const struct disk_guess ssd = { .bps = 400000000, .seek_ns = 100000, .file_ns = 200000 };
static const uint64_t build_ns = 30000000000;

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

/* Why this variant cannot be on these disks; its usable bytes when it can. */
static int check_variant(struct campaign *c, struct variant *v, const struct pick *picks,
			 size_t n, bool tools, struct err *e)
{
	struct recipe *r = NULL;
	struct stack *s = NULL;
	struct plan *p = NULL;
	int rc = recipe_parse(v->layout, NULL, &r, e);

	if (rc == 0)
		rc = stack_make(r, c->name, picks, n, &s, e);
	if (rc == 0)
		rc = one_file_system(s, e);
	if (rc == 0)
		rc = plan_make(s, &p, e);
	if (rc == 0 && tools)
		rc = build_tools_check(p, e);
	if (rc == 0) {
		v->usable = s->usable_bytes;
		v->sync_bytes = sync_bytes(r, picks, n);
	}
	plan_free(p);
	stack_free(s);
	recipe_free(r);
	return rc;
}

void campaign_check(struct campaign *c, const struct pick *picks, size_t n, bool tools)
{
	size_t i;

	c->assumed = ssd;
	for (i = 0; i < n; i++) {
		if (picks[i].role == ROLE_DATA && picks[i].disk->rotational)
			c->assumed = hdd;
	}
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

static int guard_variant(const struct campaign *c, const struct variant *v, const struct pick *picks,
			 size_t n, const struct inventory *now, char *const *wipe, struct err *e)
{
	struct recipe *r = NULL;
	struct stack *s = NULL;
	struct plan *p = NULL;
	int rc = recipe_parse(v->layout, NULL, &r, e) || stack_make(r, c->name, picks, n, &s, e) ||
		 plan_make(s, &p, e) ||
		 guard_check(p, now, campaign_wipe(c->arena, s, now, wipe), e) ? -1 : 0;

	plan_free(p);
	stack_free(s);
	recipe_free(r);
	return rc;
}

int campaign_guard(const struct campaign *c, const struct pick *picks, size_t n,
		   const struct inventory *now, char *const *wipe, struct err *e)
{
	bool possible = false;
	size_t i;

	if (check_wipe(picks, n, now, wipe, e))
		return -1;
	for (i = 0; i < c->variants.n; i++) {
		const struct variant *v = c->variants.at[i];

		if (v->why)
			continue;
		possible = true;
		if (guard_variant(c, v, picks, n, now, wipe, e))
			return -1;
	}
	return possible ? 0 : err_set(e, ERR_FAIL, "none of the layouts can be built here: %.300s",
				      ((const struct variant *)c->variants.at[0])->why);
}

static uint64_t scaled(const struct campaign *c, const struct workload *w)
{
	return (uint64_t)((double)w->bytes * c->scale);
}

/* Why one workload is impossible on one variant; NULL when it is not. */
static const char *why_not(const struct campaign *c, const struct variant *v,
			   const struct workload *w, struct arena *a)
{
	char need[SIZE_TEXT], has[SIZE_TEXT];

	if (v->why)
		return v->why;
	if (!workload_ops(w, c->write, c->read))
		return arena_printf(a, "the workload %s does not %s", w->name, c->write ? "write" : "read");
	if (v->usable && scaled(c, w) > v->usable)
		return arena_printf(a, "the workload %s has %s of files, this layout holds %s", w->name,
				    size_text(need, scaled(c, w), SIZE_SI),
				    size_text(has, v->usable, SIZE_SI));
	return NULL;
}

/* SplitMix64: the same order for the same seed, everywhere. */
static uint64_t mix(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static void shuffle(size_t *order, size_t n, uint64_t *state)
{
	size_t i;

	for (i = n; i > 1; i--) {
		size_t k = mix(state) % i, last = order[i - 1];

		order[i - 1] = order[k];
		order[k] = last;
	}
}

static void turn(size_t *order, size_t n)
{
	size_t i;

	for (i = 0; i < n / 2; i++) {
		size_t other = order[n - 1 - i];

		order[n - 1 - i] = order[i];
		order[i] = other;
	}
}

static const char *layout_of(const struct campaign *c, size_t variant)
{
	return ((const struct variant *)c->variants.at[variant])->layout;
}

/* What is measured on one layout in another memory follows it: it is built once. */
static void gather(const struct campaign *c, size_t *order)
{
	size_t i, k, m;

	for (i = 0; i + 1 < c->variants.n; i++) {
		for (k = i + 1; k < c->variants.n &&
		     strcmp(layout_of(c, order[k]), layout_of(c, order[i])); k++)
			;
		if (k == c->variants.n)
			continue;
		for (m = order[k]; k > i + 1; k--)
			order[k] = order[k - 1];
		order[k] = m;
	}
}

void campaign_cells(const struct campaign *c, struct arena *a, struct list *out)
{
	size_t *order = arena_array(a, c->variants.n + 1, sizeof(*order));
	uint64_t state = c->seed;
	unsigned round;
	size_t i, k;

	for (i = 0; i < c->variants.n; i++)
		order[i] = i;
	for (round = 1; round <= c->rounds; round++) {
		if (round % 2) {
			shuffle(order, c->variants.n, &state);
			gather(c, order);
		} else {
			turn(order, c->variants.n);
		}
		for (i = 0; i < c->variants.n; i++) {
			const struct variant *v = c->variants.at[order[i]];

			for (k = 0; k < c->workloads.n; k++) {
				const struct workload *w = c->workloads.at[k];
				struct campaign_cell *cell = arena_alloc(a, sizeof(*cell));

				*cell = (struct campaign_cell){
					.n = (unsigned)out->n + 1, .round = round,
					.layout = v->layout, .label = v->label,
					.options = v->options, .workload = w->name,
					.ram_bytes = v->ram,
					.reason = why_not(c, v, w, a),
				};
				cell->state = cell->reason ? CELL_IMPOSSIBLE : CELL_WAITING;
				list_add(a, out, cell);
			}
		}
	}
}

static const struct workload *workload_of(const struct campaign *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->workloads.n; i++) {
		const struct workload *w = c->workloads.at[i];

		if (!strcmp(w->name, name))
			return w;
	}
	return NULL;
}

/* The repetitions that were made for it in an earlier session. */
static unsigned kept_of(const struct campaign *c, const struct campaign_cell *cell,
			const struct workload *w)
{
	enum bench_op order[BENCH_OPS];
	unsigned ops = workload_order(w, workload_ops(w, c->write, c->read), order);
	unsigned kept = cell->state == CELL_DONE ? cell->earlier : cell->kept_ops >= ops ? cell->kept : 0;

	return kept < c->reps ? kept : c->reps;
}

/* What one cell moves in this session, and how long it may take. */
static double guess_of(const struct campaign *c, const struct campaign_cell *cell,
		       uint64_t *write_bytes, uint64_t *read_bytes)
{
	const struct workload *w = workload_of(c, cell->workload);
	unsigned ops, reps;

	*write_bytes = *read_bytes = 0;
	if (!w)
		return 0;
	ops = workload_ops(w, c->write, c->read);
	reps = c->reps - kept_of(c, cell, w);
	workload_moves(w, ops, c->scale, reps, write_bytes, read_bytes);
	return (double)workload_guess_ns(w, ops, c->scale, reps, c->assumed.bps ? &c->assumed : &hdd);
}

/* And its build, until it has settled. */
static double guess_of_build(const struct campaign *c, const char *layout)
{
	uint64_t sync = 0;
	size_t i;

	for (i = 0; i < c->variants.n && !c->no_wait; i++) {
		const struct variant *v = c->variants.at[i];

		if (!strcmp(v->layout, layout))
			sync = v->sync_bytes;
	}
	return (double)sync * 1e9 / (double)(c->assumed.bps ? c->assumed.bps : hdd.bps) + (double)build_ns;
}

/*
 * How long the finished cells took, and how long that was guessed. Those of one build began
 * together; of such a session only the whole time is known, with building, settling and
 * destroying in it.
 */
static void measured_of(const struct campaign *c, const struct list *cells, double *ns,
			double *guessed)
{
	const struct campaign_cell *first = NULL;
	int64_t end = 0;
	uint64_t w, r;
	size_t i;

	*ns = *guessed = 0;
	for (i = 0; i < cells->n; i++) {
		const struct campaign_cell *cell = cells->at[i];

		if (cell->state != CELL_DONE || cell->ended_ns <= cell->began_ns)
			continue;
		*guessed += guess_of(c, cell, &w, &r);
		if (first && !strcmp(first->layout, cell->layout) && first->round == cell->round &&
		    cell->began_ns - first->began_ns < 1000000000 &&
		    first->began_ns - cell->began_ns < 1000000000) {
			*ns += cell->ended_ns > end ? (double)(cell->ended_ns - end) : 0;
		} else {
			first = cell;
			*guessed += guess_of_build(c, cell->layout);
			*ns += (double)(cell->ended_ns - cell->began_ns);
		}
		end = cell->ended_ns > end || first == cell ? cell->ended_ns : end;
	}
}

void campaign_forecast(const struct campaign *c, const struct list *cells,
		       struct campaign_forecast *out)
{
	const struct campaign_cell *last = NULL;
	double ns, guessed, left = 0;
	uint64_t w, r;
	size_t i;

	*out = (struct campaign_forecast){ 0 };
	for (i = 0; i < cells->n; i++) {
		const struct campaign_cell *cell = cells->at[i];

		if ((cell->state != CELL_WAITING && cell->state != CELL_RUNNING) ||
		    !workload_of(c, cell->workload))
			continue;
		out->cells++;
		if (!last || last->round != cell->round || strcmp(last->layout, cell->layout) != 0) {
			out->builds++;
			left += guess_of_build(c, cell->layout);
		}
		last = cell;
		left += guess_of(c, cell, &w, &r);
		out->write_bytes += w;
		out->read_bytes += r;
	}
	measured_of(c, cells, &ns, &guessed);
	out->measured = guessed > 0;
	out->ns = (uint64_t)(out->measured ? left * ns / guessed : left);
}

const struct campaign_cell *campaign_cell_at(const struct list *cells, const char *layout,
					     uint64_t ram, const char *workload)
{
	const struct campaign_cell *found = NULL;
	size_t i;

	for (i = 0; i < cells->n; i++) {
		const struct campaign_cell *c = cells->at[i];

		if (c->ram_bytes != ram || strcmp(c->layout, layout) != 0 ||
		    strcmp(c->workload, workload) != 0)
			continue;
		if (!found || c->state != CELL_WAITING)
			found = c;
	}
	return found;
}

static json_t *cell_json(const struct campaign_cell *cell)
{
	json_t *j = json_object();

	json_put_u64(j, "n", cell->n);
	json_put_u64(j, "round", cell->round);
	json_put_str(j, "layout", cell->layout);
	json_put_str(j, "label", cell->label);
	json_object_set_new(j, "options", json_loads(cell->options, 0, NULL));
	json_put_str(j, "workload", cell->workload);
	if (cell->ram_bytes)
		json_put_u64(j, "ram_bytes", cell->ram_bytes);
	json_put_str(j, "state", cell_state_word(cell->state));
	if (cell->reason)
		json_put_str(j, "reason", cell->reason);
	if (cell->results)
		json_object_set_new(j, "results", json_loads(cell->results, 0, NULL));
	return j;
}

json_t *campaign_json(const struct campaign *c, const struct list *cells)
{
	json_t *j = json_object(), *all = json_array();
	struct campaign_forecast f;
	size_t i;

	campaign_forecast(c, cells, &f);
	json_put_str(j, "event", "campaign");
	json_put_str(j, "name", c->name);
	json_put_u64(j, "reps", c->reps);
	json_put_u64(j, "rounds", c->rounds);
	json_object_set_new(j, "scale", json_real(c->scale));
	json_put_str(j, "cache", cache_word(c->cache));
	json_object_set_new(j, "wait", json_boolean(!c->no_wait));
	json_put_u64(j, "seed", c->seed);
	json_put_u64(j, "waiting", f.cells);
	json_put_u64(j, "builds", f.builds);
	json_put_u64(j, "write_bytes", f.write_bytes);
	json_put_u64(j, "read_bytes", f.read_bytes);
	json_put_u64(j, "left_ns", f.ns);
	json_object_set_new(j, "measured", json_boolean(f.measured));
	for (i = 0; i < cells->n; i++)
		json_array_append_new(all, cell_json(cells->at[i]));
	json_object_set_new(j, "cells", all);
	return j;
}

char *campaign_text(const struct campaign *c, struct arena *a)
{
	json_t *j = json_object(), *layouts = json_array(), *names = json_array(), *rams = json_array();
	bool varies = false;
	char *line, *text;
	size_t i;

	json_put_str(j, "name", c->name);
	for (i = 0; i < c->variants.n; i++) {
		const struct variant *v = c->variants.at[i];

		json_add_str(layouts, v->layout);
		json_array_append_new(rams, json_integer((json_int_t)v->ram));
		varies |= v->ram != c->ram;
	}
	for (i = 0; i < c->workloads.n; i++)
		json_add_str(names, ((const struct workload *)c->workloads.at[i])->name);
	json_object_set_new(j, "layouts", layouts);
	json_object_set_new(j, "workloads", names);
	json_put_u64(j, "reps", c->reps);
	json_put_u64(j, "rounds", c->rounds);
	json_object_set_new(j, "scale", json_real(c->scale));
	json_object_set_new(j, "write", json_boolean(c->write));
	json_object_set_new(j, "read", json_boolean(c->read));
	json_put_str(j, "cache", cache_word(c->cache));
	json_put_u64(j, "seed", c->seed);
	if (c->ram)		/* what is not said is not there: older rows are of the same form */
		json_put_u64(j, "ram_bytes", c->ram);
	if (varies)		/* of each layout */
		json_object_set(j, "rams", rams);
	if (c->no_wait)
		json_object_set_new(j, "wait", json_false());
	if (c->within > 0) {
		json_object_set_new(j, "within", json_real(c->within));
		json_put_u64(j, "most", c->most);
	}
	if (c->engine)
		json_put_u64(j, "engine", c->engine);
	line = json_line(j);
	text = arena_strdup(a, line);
	free(line);
	json_decref(rams);
	json_decref(j);
	return text;
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
