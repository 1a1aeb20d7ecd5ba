/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series - the runs of one operation, added up as they come. */
#include "bench/result.h"

#include <string.h>

const double *series_judged(const struct series *r, enum bench_op op)
{
	return bench_op_writes(op) ? r->durable : r->felt;
}

static uint64_t counted(enum bench_op op, const struct engine_result *r)
{
	return op_of(op)->counts ? r->ops : r->bytes;
}

double series_rate(uint64_t n, uint64_t ns)
{
	return (double)n * 1e9 / (double)(ns ? ns : 1);
}

void series_add_streams(struct series *r, const struct engine_result *copy)
{
	unsigned i;

	if (!r->streams || copy->least_bytes < r->least_bytes)
		r->least_bytes = copy->least_bytes;
	for (i = 0; i < copy->streams && i < WORKLOAD_STREAMS; i++) {
		double bps = series_rate(copy->stream[i].bytes, copy->stream[i].ns);

		r->stream_bps[i] += bps;
		if ((!r->streams && i == 0) || bps < r->stream_min)
			r->stream_min = bps;
		if (bps > r->stream_max)
			r->stream_max = bps;
	}
	r->streams = copy->streams;
}

static void add_steps(struct series *r, const struct engine_result *x)
{
	unsigned i;

	for (i = 0; i < x->n_steps; i++) {
		struct engine_step *to = &r->steps[i];
		const struct engine_step *from = &x->steps[i];

		memcpy(to->word, from->word, sizeof(to->word));
		to->n += from->n;
		to->p50_ns += from->p50_ns;
		to->p99_ns += from->p99_ns;
		if (from->max_ns > to->max_ns)
			to->max_ns = from->max_ns;
	}
	r->n_steps = x->n_steps;
}

static void add_proof(struct series *r, const struct measured *m)
{
	r->disk_bytes += m->disk_bytes;
	r->cpu_ns += m->copy.cpu_ns;
	r->copy_bytes += m->copy.bytes;
	r->durable_ns += m->copy.durable_ns;
	series_add_streams(r, &m->copy);
	r->ops += m->copy.ops;
	r->p50_ns += m->copy.p50_ns;
	r->p99_ns += m->copy.p99_ns;
	if (m->copy.max_ns > r->max_ns)
		r->max_ns = m->copy.max_ns;
	add_steps(r, &m->copy);
	r->flags |= m->flags;
	if (m->copy.source_bps && (!r->source_bps || m->copy.source_bps < r->source_bps))
		r->source_bps = m->copy.source_bps;
	if (m->after.hottest_mc > r->hottest_mc)
		r->hottest_mc = m->after.hottest_mc;
	if (m->fill_percent > r->fill_percent)
		r->fill_percent = m->fill_percent;
	if (m->placed)
		r->position = m->position;
	r->placed = r->placed || m->placed;
}

void series_add(struct series *r, const struct measured *m)
{
	r->felt[r->n] = series_rate(counted(m->op, &m->copy), m->copy.felt_ns);
	r->durable[r->n] = series_rate(counted(m->op, &m->copy), m->copy.durable_ns);
	add_proof(r, m);
	r->n++;
}
