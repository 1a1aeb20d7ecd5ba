/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure - the workloads of one build that stands: interleaved, and by themselves when
 * one of them fails. */
#include "campaign/run.h"

#include <string.h>

#include "base/err.h"
#include "base/json.h"

/* What to measure, without the workloads, in the memory of this cell. */
static int make_order(struct campaign_work *w, struct arena *a, const struct campaign_cell *cell,
		      struct bench_order *o, struct err *e)
{
	const struct campaign *c = w->run->campaign;

	*o = (struct bench_order){ .write = c->write, .read = c->read, .reps = c->reps,
				   .within = c->within, .most = c->most, .scale = c->scale,
				   .ram = cell->ram_bytes, .no_wait = c->no_wait,
				   .engine = c->engine, .cache = c->cache,
				   .db = store_path(w->run->store) };
	return bench_find_target(a, c->name, o, e);
}

static int add_workload(const struct campaign_work *w, struct arena *a, struct bench_order *o,
			const char *name, struct err *e)
{
	struct workload *x = workload_in(&w->run->campaign->workloads, name);

	if (!x)
		return err_set(e, ERR_FAIL, "the campaign has no workload \"%s\"", name);
	list_add(a, &o->workloads, x);
	return 0;
}

/* The results of one cell out of those of the whole measurement. */
static json_t *results_of(const json_t *results, const char *workload)
{
	json_t *mine = json_array(), *result;
	size_t i;

	json_array_foreach(results, i, result) {
		const char *of = json_str(result, "workload");

		if (of && !strcmp(of, workload) && json_u64(result, "id", 0))
			json_array_append(mine, result);
	}
	return mine;
}

/* So that what was measured for them before a crash counts. */
static json_t *cell_ids(struct campaign_cell **cells, size_t n)
{
	json_t *ids = json_object();
	size_t i;

	for (i = 0; i < n; i++)
		json_put_u64(ids, cells[i]->workload, (uint64_t)cells[i]->id);
	return ids;
}

/* Measure n cells in one go and commit them. */
static int together(struct campaign_work *w, struct campaign_cell **cells, size_t n, struct err *why,
		    struct err *e)
{
	struct arena *a = arena_new();
	json_t *results = json_array(), *mine;
	struct bench_order o;
	size_t i;
	int rc = make_order(w, a, cells[0], &o, why);

	for (i = 0; rc == 0 && i < n; i++)
		rc = add_workload(w, a, &o, cells[i]->workload, why);
	if (rc == 0) {	/* and how long the build took, which belongs to none of the cells alone */
		o.times = true;
		o.tags = campaign_tags(w, cells[0]);
		json_object_del(o.tags, "cell");
		o.cells = cell_ids(cells, n);
		rc = campaign_order(w, bench_order_json(&o), true, results, why);
		json_decref(o.tags);
		json_decref(o.cells);
	}
	for (i = 0; rc == 0 && i < n; i++) {
		mine = results_of(results, cells[i]->workload);
		if (json_array_size(mine))
			rc = campaign_done(w, cells[i], mine, e);
		else
			rc = campaign_set(w, &cells[i], 1, CELL_FAILED, "it was measured without a result", e);
		json_decref(mine);
	}
	json_decref(results);
	arena_free(a);
	return rc;
}

/* Does one workload fit on what was built? What does not is impossible, and said so. */
static int fits(struct campaign_work *w, struct campaign_cell *c, bool *yes, struct err *why,
		struct err *e)
{
	struct arena *a = arena_new();
	struct bench_forecast f;
	struct bench_order o;
	struct err no = { 0 };
	int rc = make_order(w, a, c, &o, why);

	if (rc == 0)
		rc = add_workload(w, a, &o, c->workload, why);
	*yes = rc == 0 && bench_forecast(&o, &f, &no) == 0;
	if (rc == 0 && !*yes)
		rc = campaign_set(w, &c, 1, no.kind == ERR_FAIL ? CELL_FAILED : CELL_IMPOSSIBLE, no.text, e);
	arena_free(a);
	return rc;
}

/* Those of one memory: interleaved; when that fails, each by itself. */
static int measure_alike(struct campaign_work *w, struct campaign_cell **cells, size_t n,
			 struct err *why, struct err *e)
{
	struct err none = { 0 };
	size_t i;

	if (!together(w, cells, n, why, e))
		return 0;
	if (e->kind || campaign_stops(w) || store_room(w->run->store, &none))
		return -1;
	if (n == 1)
		return campaign_set(w, cells, 1, CELL_FAILED, why->text, e);
	for (i = 0; i < n && !campaign_stops(w); i++) {
		struct err one = { 0 };

		if (cells[i]->state != CELL_RUNNING || !together(w, &cells[i], 1, &one, e))
			continue;
		if (e->kind)
			return -1;
		if (store_room(w->run->store, &none))
			return -1;
		if (!campaign_stops(w) && campaign_set(w, &cells[i], 1, CELL_FAILED, one.text, e))
			return -1;
	}
	return 0;
}

int measure_cells(struct campaign_work *w, struct campaign_cell **cells, size_t n, struct err *why,
		  struct err *e)
{
	struct campaign_cell **fit = arena_array(w->arena, n + 1, sizeof(*fit));
	size_t i, k, n_fit = 0;
	int rc = 0;
	bool yes;

	for (i = 0; i < n; i++) {
		if (fits(w, cells[i], &yes, why, e))
			return -1;
		if (yes)
			fit[n_fit++] = cells[i];
	}
	for (i = 0; rc == 0 && i < n_fit && !campaign_stops(w); i += k) {
		for (k = 1; i + k < n_fit && fit[i + k]->ram_bytes == fit[i]->ram_bytes; k++)
			;
		rc = measure_alike(w, fit + i, k, why, e);
	}
	return rc;
}
