/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include "bench/bench.h"

/*
 * A suite: a named list of workloads and how they are run (workloads/NAME.suite). It is
 * taken wherever the name of a class is. What a person says beside it goes before it.
 */
struct suite {
	const char *name, *title;
	const char *about;	/* NULL when not given */
	struct list workloads;	/* const struct workload *, none twice */
	unsigned reps;		/* 0: not said */
	double scale;		/* 0: not said */
	bool has_cache;
	enum cache_state cache;	/* only with has_cache */
	bool times;		/* of a build: until it was usable, until it was idle */
	uint64_t cap_ns;	/* no run begins after so long; 0: none */
};

/* One from its text; `from` names it in the sentence. Workloads are looked up. */
int suite_parse(struct arena *a, const char *name, const char *text, const char *from,
		struct suite *out, struct err *e);

/* The i-th statement of such a file, for the manual; false when there are not as many. */
bool suite_statement(size_t i, const char **word, const char **value, const char **help);

/* Those of the folder by their names: const struct suite *. */
int suite_list(struct arena *a, struct list *out, struct err *e);

/* 0 found, 1 there is none of that name, -1 it is not right. */
int suite_find(struct arena *a, const char *name, struct suite *out, struct err *e);

/*
 * Add a workload, or all those of a suite, to an order; none twice. *suite is the suite,
 * NULL when it is a workload. Neither: the sentence names what is near.
 */
int bench_add_named(struct arena *a, struct bench_order *o, const char *name,
		    const struct suite **suite, struct err *e);
/* The run rule of a suite into an order. */
void suite_rule(const struct suite *s, struct bench_order *o);

#endif
