/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_BENCH_JOB_H
#define TESTS_UNIT_BENCH_JOB_H

/* One job of the engine's child, done or refused. */
#include "bench-help.h"

#include "bench/engine.h"

static inline void job_ok(const struct engine_job *job, struct engine_result *r)
{
	struct err e = { 0 };
	struct engine x;
	int error;

	assert_int_equal(engine_start(job, &x, &e), 0);
	if (engine_end(&x, r, &error, &e) < 0)
		fail_msg("%s", e.text);
}

static inline void job_fails(const struct engine_job *job, int want, const char *says)
{
	struct engine_result r;
	struct err e = { 0 };
	struct engine x;
	int error;

	assert_int_equal(engine_start(job, &x, &e), 0);
	assert_int_equal(engine_end(&x, &r, &error, &e), -1);
	assert_int_equal(error, want);
	if (!strstr(e.text, says))
		fail_msg("\"%s\" lacks \"%s\"", e.text, says);
}

#endif
