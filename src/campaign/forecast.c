/* SPDX-License-Identifier: GPL-2.0-or-later */
/* forecast - what is left to do of a campaign, and how long that may take. */
#include "campaign/campaign.h"

#include <string.h>

#include "disk/disk.h"

/* What is assumed of disks and builds until something was measured. A small file took 0.2 ms
 * to be written on an SSD, and 0.5 ms to be read again, cold; a disk that turns has to move. */
static const struct disk_guess hdd = { .bps = 100000000, .seek_ns = 8000000, .file_ns = 500000 };
static const struct disk_guess ssd = { .bps = 400000000, .seek_ns = 100000, .file_ns = 200000 };
static const uint64_t build_ns = 30000000000;

void campaign_assume(struct campaign *c, const struct pick *picks, size_t n)
{
	size_t i;

	c->assumed = ssd;
	for (i = 0; i < n; i++) {
		if (picks[i].role == ROLE_DATA && picks[i].disk->rotational)
			c->assumed = hdd;
	}
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
	const struct workload *w = workload_in(&c->workloads, cell->workload);
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
		    !workload_in(&c->workloads, cell->workload))
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
