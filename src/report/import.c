/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import - others' numbers: which kind of file it is, and all or nothing into the database. */
#include "report/import.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/shipped.h"
#include "base/text.h"
#include "report/report.h"
#include "store/store.h"

static const double fastest = 1e15;	/* a second: beyond it something else was read */

int import_result(struct import *im, json_t **result, struct err *e)
{
	if (json_array_size(im->results) == MOST_RESULTS)
		return err_set(e, ERR_FAIL, "%s has more than %d results", im->name, MOST_RESULTS);
	*result = json_object();
	json_put_str(*result, "event", "result");
	json_object_set_new(*result, "runs", json_array());
	json_object_set_new(*result, "flags", json_array());
	json_array_append_new(im->results, *result);
	return 0;
}

static void put_rate(json_t *j, const char *which, const struct bench_unit *u, double rate)
{
	char key[48];

	snprintf(key, sizeof(key), "%s%s", which, u->key);
	if (u->counts)
		json_object_set_new(j, key, json_real(rate));
	else
		json_put_u64(j, key, (uint64_t)(rate + 0.5));
}

static bool add_run(json_t *result, json_t *run, double rate, double durable)
{
	const struct bench_unit *u = bench_unit(result);
	json_t *runs = json_object_get(result, "runs");

	if (!(rate > 0 && rate < fastest) || !(durable < fastest)) {
		json_decref(run);
		return false;
	}
	json_put_u64(run, "rep", json_array_size(runs) + 1);
	if (u->counts)
		json_put_str(run, "unit", u->word);
	put_rate(run, "", u, rate);
	if (durable > 0)
		put_rate(run, "durable_", u, durable);
	json_array_append_new(runs, run);
	return true;
}

static bool add_timed(json_t *result, const char *what, uint64_t n, uint64_t felt_ns,
		      uint64_t durable_ns)
{
	json_t *run = json_object();

	json_put_u64(run, what, n);
	json_put_u64(run, "felt_ns", felt_ns);
	if (durable_ns)
		json_put_u64(run, "durable_ns", durable_ns);
	return add_run(result, run, felt_ns ? (double)n * 1e9 / (double)felt_ns : 0,
		       durable_ns ? (double)n * 1e9 / (double)durable_ns : 0);
}

bool import_run(json_t *result, uint64_t bytes, uint64_t felt_ns, uint64_t durable_ns)
{
	return add_timed(result, "bytes", bytes, felt_ns, durable_ns);
}

bool import_count(json_t *result, uint64_t count, uint64_t felt_ns, uint64_t durable_ns)
{
	return add_timed(result, "ops", count, felt_ns, durable_ns);
}

bool import_rate(json_t *result, double rate)
{
	return add_run(result, json_object(), rate, 0);
}

/* The median, lowest and highest of all runs on one clock; nothing when a run lacks it. */
static void put_stats(json_t *result, const char *clock)
{
	const json_t *runs = json_object_get(result, "runs"), *run;
	const struct bench_unit *u = bench_unit(result);
	double *values = calloc(json_array_size(runs) + 1, sizeof(*values));
	char key[48];
	struct stats s;
	size_t i, n = 0;

	if (!values)
		die("no memory");
	json_array_foreach(runs, i, run) {
		const json_t *v;

		snprintf(key, sizeof(key), "%s%s", clock, u->key);
		v = json_object_get(run, key);
		if (json_is_number(v) && json_number_value(v) > 0)
			values[n++] = json_number_value(v);
	}
	if (n && n == json_array_size(runs)) {
		stats_of(values, n, &s);
		snprintf(key, sizeof(key), "%smedian_", clock);
		put_rate(result, key, u, s.median);
		snprintf(key, sizeof(key), "%smin_", clock);
		put_rate(result, key, u, s.min);
		snprintf(key, sizeof(key), "%smax_", clock);
		put_rate(result, key, u, s.max);
	}
	free(values);
}

static void add_flag(json_t *flags, const char *word)
{
	const json_t *flag;
	size_t i;

	json_array_foreach(flags, i, flag) {
		if (!strcmp(json_string_value(flag), word))
			return;
	}
	json_add_str(flags, word);
}

void import_finish(json_t *result)
{
	json_t *flags = json_object_get(result, "flags");
	const json_t *runs = json_object_get(result, "runs"), *run, *flag;
	double *values = NULL;
	struct arena *a;
	json_t *words;
	size_t i, k, n = 0;

	put_stats(result, "");
	put_stats(result, "durable_");
	json_array_foreach(runs, i, run) {
		json_array_foreach(json_object_get(run, "flags"), k, flag) {
			if (json_is_string(flag))
				add_flag(flags, json_string_value(flag));
		}
	}
	/* what follows from all runs together; of what writes, from when it was on the disks */
	a = arena_new();
	if (strstr(json_str(result, "op") ? json_str(result, "op") : "", "write"))
		n = report_values(a, result, true, &values);
	if (!n)
		n = report_values(a, result, false, &values);
	words = flag_words(stats_flags(values, n));
	json_array_foreach(words, i, flag)
		add_flag(flags, json_string_value(flag));
	json_decref(words);
	arena_free(a);
}

static const struct kind {
	const char *name;
	int (*read)(struct import *im, struct err *e);
} kinds[] = {
	{ "naslab", import_own_csv }, { "fio", import_fio }, { "published", import_table },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* The way to read it: what --as says, else the name and the first characters. */
static int reader_of(const struct import *im, const char *kind,
		     int (**read)(struct import *, struct err *), struct err *e)
{
	size_t i, at = strspn(im->text, " \t\r\n");
	bool json = im->text[at] == '{' || im->text[at] == '[';

	for (i = 0; kind && i < KINDS; i++) {
		if (strcmp(kinds[i].name, kind))
			continue;
		*read = json && kinds[i].read == import_own_csv ? import_own_json : kinds[i].read;
		return 0;
	}
	if (kind)
		return err_set(e, ERR_USAGE, "a file is imported as naslab, fio or published, not as "
			       "\"%s\"", kind);
	if (ends_with(im->path, ".map"))
		*read = import_table;
	else if (im->text[at] == '[')
		*read = import_own_json;
	else if (json || strstr(im->text, "\"fio version\""))
		*read = import_fio;
	else if (!strncmp(im->text, "result,", 7) || !strncmp(im->text, "\xef\xbb\xbfresult,", 10))
		*read = import_own_csv;
	else
		return err_set(e, ERR_USAGE, "%s is neither a CSV of naslab nor JSON of fio; a table of "
			       "others is read through a mapping, FILE.map", im->name);
	return 0;
}

/* The same file twice would count its runs twice. */
static int check_new(struct store *st, const char *hash, const char *name, struct err *e)
{
	json_t *all, *r;
	size_t i;
	int rc = store_results(st, &all, e);

	if (rc)
		return rc;
	json_array_foreach(all, i, r) {
		if (rc == 0 && json_str(r, "imported") && !strcmp(json_str(r, "imported"), hash))
			rc = err_set(e, ERR_FAIL, "%s was read in before, as result %" PRIu64
				     " and on", name, json_u64(r, "id", 0));
	}
	json_decref(all);
	return rc;
}

static int read_and_store(struct store *st, struct import *im, const char *kind, size_t *added,
			  struct err *e)
{
	int (*read)(struct import *, struct err *);
	const char *hash = arena_printf(im->arena, "%016" PRIx64,
					(uint64_t)XXH3_64bits(im->text, im->len));
	json_t *r;
	size_t i;

	if (reader_of(im, kind, &read, e) < 0 || check_new(st, hash, im->name, e) < 0 ||
	    read(im, e) < 0)
		return -1;
	if (!json_array_size(im->results))
		return err_set(e, ERR_FAIL, "%s holds no result", im->name);
	json_array_foreach(im->results, i, r) {
		json_put_str(r, "imported", hash);
		import_finish(r);
	}
	*added = json_array_size(im->results);
	return store_results_import(st, im->results, e);
}

const char *report_reference_folder(void)
{
	static char folder[PATH_MAX];

	return shipped_folder("NASLAB_REFERENCE", "/data/reference", folder);
}

int report_import(struct store *st, const char *path, const char *kind, size_t *added,
		  struct err *e)
{
	struct import im = { .arena = arena_new() };
	struct sbuf text = { 0 }, name = { 0 };
	int rc;

	*added = 0;
	path = im.path = shipped_file(im.arena, report_reference_folder(), ".map", path);
	sbuf_add_safe(&name, path);
	im.name = sbuf_str(&name);
	if (file_read(path, MOST_IMPORT, &text) < 0) {
		rc = errno == EFBIG ? err_set(e, ERR_FAIL, "%s is larger than 64 MiB", im.name) :
				      err_sys(e, "cannot read %s", im.name);
	} else {
		im.text = sbuf_str(&text);
		im.len = text.len;
		im.results = json_array();
		rc = read_and_store(st, &im, kind, added, e);
	}
	json_decref(im.results);
	sbuf_done(&text);
	sbuf_done(&name);
	arena_free(im.arena);
	return rc;
}
