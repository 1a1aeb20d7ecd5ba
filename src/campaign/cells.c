/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cells - variants x workloads in their order; cells and campaigns as text. */
#include "campaign/campaign.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"

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
