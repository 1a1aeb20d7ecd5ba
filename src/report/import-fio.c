/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import-fio - the JSON of fio. A job is a class; jobs of one name and group ran at the same
 * time and are one run; the same name in several groups are repetitions.
 */
#include "report/import.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"

/* An option of a job, else of all jobs. */
static const char *option_of(const json_t *root, const json_t *job, const char *key)
{
	const char *own = json_str(json_object_get(job, "job options"), key);

	return own ? own : json_str(json_object_get(root, "global options"), key);
}

static json_t *find(struct import *im, const char *class, const char *op)
{
	json_t *r;
	size_t i;

	json_array_foreach(im->results, i, r) {
		if (!strcmp(json_str(r, "class"), class) && !strcmp(json_str(r, "op"), op))
			return r;
	}
	return NULL;
}

static int result_for(struct import *im, const json_t *root, const json_t *job, const char *op,
		      json_t **out, struct err *e)
{
	static const char *const shown[] = { "rw", "bs", "ioengine", "iodepth", "numjobs", "direct",
					     "fsync", "end_fsync", "size", "runtime" };
	const char *class = json_str(job, "jobname");
	const char *where = option_of(root, job, "directory");
	struct sbuf options = { 0 };
	size_t i;

	*out = find(im, class, op);
	if (*out)
		return 0;
	if (import_result(im, out, e) < 0)
		return -1;
	if (!where)
		where = option_of(root, job, "filename");
	json_put_str(*out, "class", class);
	json_put_str(*out, "workload", class);
	json_put_str(*out, "op", op);
	json_put_str(*out, "label", where ? arena_printf(im->arena, "fio %s", where) : "fio");
	json_object_set_new(*out, "scale", json_real(1));
	json_put_str(*out, "tools", json_str(root, "fio version"));
	for (i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		if (option_of(root, job, shown[i]))
			sbuf_addf(&options, "%s%s=%s", options.len ? " " : "", shown[i],
				  option_of(root, job, shown[i]));
	}
	json_put_str(*out, "options", sbuf_str(&options));
	sbuf_done(&options);
	if (json_u64(root, "timestamp", 0) && json_u64(root, "timestamp", 0) < INT64_MAX / 1000000000)
		json_put_u64(*out, "at_ns", json_u64(root, "timestamp", 0) * 1000000000u);
	return 0;
}

/* Jobs of one name and group: bytes are summed, the time is that of the slowest. */
static int take_group(struct import *im, const json_t *root, const json_t *jobs, size_t first,
		      const char *op, struct err *e)
{
	const json_t *lead = json_array_get(jobs, first), *job;
	uint64_t group = json_u64(lead, "groupid", first), bytes = 0, ms = 0, ios = 0;
	const char *name = json_str(lead, "jobname");
	json_t *result, *run;
	double rates = 0;
	size_t i;

	for (i = 0; i < json_array_size(jobs); i++) {
		const json_t *side;

		job = json_array_get(jobs, i);
		if (!json_str(job, "jobname") || strcmp(json_str(job, "jobname"), name) ||
		    json_u64(job, "groupid", i) != group)
			continue;
		if (i < first)
			return 0;	/* was taken with that one */
		side = json_object_get(job, op);
		if (json_u64(job, "error", 0))
			return err_set(e, ERR_FAIL, "%s: a job of fio ended with error %" PRIu64
				       "; its numbers are not taken", im->name,
				       json_u64(job, "error", 0));
		if (json_u64(side, "io_bytes", 0) > (uint64_t)INT64_MAX / MOST_RESULTS)
			return err_set(e, ERR_FAIL, "%s: io_bytes of a job is no size", im->name);
		bytes += json_u64(side, "io_bytes", 0);
		ios += json_u64(side, "total_ios", 0);
		rates += (double)json_u64(side, "bw_bytes", 0);
		if (json_u64(side, "runtime", 0) > ms)
			ms = json_u64(side, "runtime", 0);
	}
	if (!bytes)
		return 0;
	if (ms > (uint64_t)INT64_MAX / 1000000)
		return err_set(e, ERR_FAIL, "%s: runtime of a job is no time", im->name);
	if (result_for(im, root, lead, op, &result, e) < 0)
		return -1;
	/* a short job: fio's own rate has more digits than bytes by whole milliseconds */
	if (!(ms >= 1000 && import_run(result, bytes, ms * 1000000, 0)) &&
	    !import_rate(result, rates))
		return err_set(e, ERR_FAIL, "%s: a job has neither a runtime nor bw_bytes", im->name);
	run = json_array_get(json_object_get(result, "runs"),
			     json_array_size(json_object_get(result, "runs")) - 1);
	json_put_u64(run, "bytes", bytes);
	json_put_u64(run, "ios", ios);
	json_put_u64(result, "bytes", bytes);
	return 0;
}

int import_fio(struct import *im, struct err *e)
{
	static const char *const ops[] = { "write", "read" };
	const char *start = strchr(im->text, '{');	/* fio puts its notes in front */
	json_error_t bad = { .line = -1 };
	json_t *root = start ? json_loads(start, 0, &bad) : NULL;
	const json_t *jobs = json_object_get(root, "jobs"), *job;
	size_t i, k;
	int rc = 0;

	if (!root && start && bad.line > 0)
		return err_set(e, ERR_FAIL, "%s line %d is no JSON: %s", im->name, bad.line, bad.text);
	if (!root || !json_is_array(jobs) || !json_str(root, "fio version"))
		rc = err_set(e, ERR_FAIL, "%s is no JSON of fio (--output-format=json): it has no jobs",
			     im->name);
	if (rc == 0 && json_array_size(jobs) > MOST_RESULTS / 2)
		rc = err_set(e, ERR_FAIL, "%s has more than %d jobs", im->name, MOST_RESULTS / 2);
	json_array_foreach(jobs, i, job) {
		if (rc == 0 && !json_str(job, "jobname"))
			rc = err_set(e, ERR_FAIL, "%s: job %zu has no name", im->name, i + 1);
		for (k = 0; rc == 0 && k < 2; k++)
			rc = take_group(im, root, jobs, i, ops[k], e);
	}
	json_decref(root);
	return rc;
}
