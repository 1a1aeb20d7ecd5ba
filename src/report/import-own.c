/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import-own - what naslab itself exported, here or on another machine: CSV and JSON. */
#include "report/import.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/units.h"
#include "report/report.h"
#include "report/words.h"

enum { MOST_WORDS = 65536 };	/* bytes of one text in JSON; a recipe is far shorter */

/* A whole number of a row; an empty field is `missing`. */
static int number(const struct import *im, const struct csv *c, size_t row, const char *title,
		  uint64_t missing, uint64_t *out, struct err *e)
{
	const char *text = csv_field(c, row, csv_column(c, title));
	struct err bad = { 0 };

	*out = missing;
	if (*text && count_parse(title, text, 0, INT64_MAX, out, &bad) < 0)
		return err_set(e, ERR_FAIL, "%s line %zu: %s is no whole number", im->name,
			       c->lines[row], title);
	return 0;
}

/* Export writes an apostrophe before what a spreadsheet would run as a formula. */
static const char *plain(const char *text)
{
	return text[0] == '\'' && text[1] && strchr("=+-@\t\r", text[1]) ? text + 1 : text;
}

static void take_text(json_t *j, const struct csv *c, size_t row, const char *title)
{
	const char *text = plain(csv_field(c, row, csv_column(c, title)));

	if (*text)
		json_put_str(j, title, text);
}

/* "md.chunk=64K fs=xfs": what a campaign's axes put in. */
static void take_options(json_t *result, const char *text)
{
	json_t *options = json_object();

	while (*text) {
		size_t key = strcspn(text, "= "), n = strcspn(text, " ");

		if (key < n)
			json_object_setn_new(options, text, key,
					     json_stringn(text + key + 1, n - key - 1));
		text += n + (text[n] == ' ');
	}
	if (json_object_size(options))
		json_object_set(result, "options", options);
	json_decref(options);
}

/* What the first line of a result says about it. */
static int new_result(struct import *im, const struct csv *c, size_t row, json_t **result,
		      struct err *e)
{
	static const char *const words[] = { "build", "label", "workload", "class", "op", "unit", "cache",
					     "kernel", "host", "published", "layout", "engine", "suite",
					     "campaign", "variant",
					     "mount_options", "tools", "version" };
	static const char *const numbers[] = { "bytes", "files", "memory_bytes", "ram_limit_bytes",
					       "bs", "seed", "at_ns", "cell", "round" };
	const char *scale = csv_field(c, row, csv_column(c, "scale")), *op;
	char *end = NULL;
	double factor = *scale ? strtod(scale, &end) : 1;
	uint64_t value;
	size_t i;

	if (import_result(im, result, e) < 0)
		return -1;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		take_text(*result, c, row, words[i]);
	op = json_str(*result, "op");
	/* "build" is none that is run: how long a build took */
	if (!op || (op_find(op) == BENCH_OPS && strcmp(op, "build")) || !json_str(*result, "class"))
		return err_set(e, ERR_FAIL, "%s line %zu: a class and an op such as write or read are "
			       "needed", im->name, c->lines[row]);
	if (json_str(*result, "unit") && !bench_unit_find(json_str(*result, "unit")))
		return err_set(e, ERR_FAIL, "%s line %zu: the unit is files, ops or seeks, or nothing",
			       im->name, c->lines[row]);
	if ((*scale && *end) || !(factor > 0 && factor <= 1e6))
		return err_set(e, ERR_FAIL, "%s line %zu: the scale is no number above 0", im->name,
			       c->lines[row]);
	json_object_set_new(*result, "scale", json_real(factor));
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (number(im, c, row, numbers[i], UINT64_MAX, &value, e) < 0)
			return -1;
		if (value != UINT64_MAX)
			json_put_u64(*result, numbers[i], value);
	}
	take_options(*result, csv_field(c, row, csv_column(c, "options")));
	if (!strcmp(csv_field(c, row, csv_column(c, "simulated")), "yes"))
		json_object_set_new(*result, "simulated", json_true());
	return 0;
}

/* "cached sync": words between blanks. */
static json_t *flags_of(const char *text)
{
	json_t *all = json_array();
	char word[32];

	while (*text) {
		size_t n = strcspn(text, " ");

		if (n && n < sizeof(word)) {
			memcpy(word, text, n);
			word[n] = '\0';
			json_add_str(all, word);
		}
		text += n + (text[n] == ' ');
	}
	return all;
}

static double rate_of(const struct csv *c, size_t row)
{
	return strtod(csv_field(c, row, csv_column(c, "rate")), NULL);
}

static int add_row(struct import *im, const struct csv *c, size_t row, json_t *result,
		   struct err *e)
{
	static const char *const numbers[] = { "at_ns", "files", "disk_bytes", "cpu_ns", "bytes",
					       "ops", "p50_ns", "p99_ns", "max_ns" };
	bool counts = bench_unit(result)->counts;
	uint64_t n, felt, durable, bps, value;
	json_t *run;
	size_t i;

	if (number(im, c, row, counts ? "ops" : "bytes", 0, &n, e) < 0 ||
	    number(im, c, row, "felt_ns", 0, &felt, e) < 0 ||
	    number(im, c, row, "durable_ns", 0, &durable, e) < 0 ||
	    number(im, c, row, "bps", 0, &bps, e) < 0)
		return -1;
	/* of a published run there may be the rate alone */
	if (!(counts ? import_count(result, n, felt, durable) :
		       import_run(result, n, felt, durable)) &&
	    !import_rate(result, counts ? rate_of(c, row) : (double)bps))
		return err_set(e, ERR_FAIL, "%s line %zu: %s and felt_ns make no rate", im->name,
			       c->lines[row], counts ? "ops" : "bytes");
	run = json_array_get(json_object_get(result, "runs"),
			     json_array_size(json_object_get(result, "runs")) - 1);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (number(im, c, row, numbers[i], UINT64_MAX, &value, e) < 0)
			return -1;
		if (value != UINT64_MAX)
			json_put_u64(run, numbers[i], value);
	}
	json_object_set_new(run, "flags", flags_of(csv_field(c, row, csv_column(c, "flags"))));
	return 0;
}

/* A run's disk bytes, on average, as a measured result has them. */
static void mean_disk_bytes(json_t *result)
{
	const json_t *runs = json_object_get(result, "runs"), *run;
	double sum = 0;
	size_t i;

	json_array_foreach(runs, i, run) {
		if (!json_object_get(run, "disk_bytes"))
			return;
		sum += (double)json_u64(run, "disk_bytes", 0);
	}
	if (i)
		json_put_u64(result, "disk_bytes", (uint64_t)(sum / (double)i));
}

int import_own_csv(struct import *im, struct err *e)
{
	static const char *const needed[] = { "result", "class", "op", "bytes", "felt_ns" };
	struct csv c;
	json_t *result = NULL, *known = json_object();
	size_t i;
	int rc = csv_read(im->arena, im->name, im->text, im->len, &c, e);

	for (i = 0; rc == 0 && i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (csv_column(&c, needed[i]) < 0)
			rc = err_set(e, ERR_FAIL, "%s has no column %s, so it is no CSV of naslab",
				     im->name, needed[i]);
	}
	for (i = 0; rc == 0 && i < c.rows; i++) {
		const char *id = csv_field(&c, i, csv_column(&c, "result"));

		if (!*id && *csv_field(&c, i, csv_column(&c, "reason")))
			continue;	/* a cell of a campaign that was never measured */

		result = json_object_get(known, id);	/* lines of one result may lie apart */
		if (!result) {
			rc = new_result(im, &c, i, &result, e);
			if (rc == 0)
				json_object_set(known, id, result);
		}
		if (rc == 0)
			rc = add_row(im, &c, i, result, e);
	}
	json_decref(known);
	json_array_foreach(im->results, i, result)
		mean_disk_bytes(result);
	return rc;
}

static bool take_run(json_t *result, const json_t *run)
{
	const struct bench_unit *u = bench_unit(result);
	uint64_t felt = json_u64(run, "felt_ns", 0), durable = json_u64(run, "durable_ns", 0);

	if (u->counts ? import_count(result, json_u64(run, "ops", 0), felt, durable) :
			  import_run(result, json_u64(run, "bytes", 0), felt, durable))
		return true;
	return import_rate(result, json_number_value(json_object_get(run, u->key)));
}

/* One result of the JSON: what it must have, and its rates made again from its runs. */
static int take_result(struct import *im, const json_t *from, size_t at, struct err *e)
{
	const char *op = json_str(from, "op");
	const json_t *runs = json_object_get(from, "runs"), *run;
	json_t *result, *copy, *value;
	const char *key;
	size_t i;

	if (!json_is_object(from) || !json_str(from, "class") || !json_is_array(runs) || !op ||
	    op_find(op) == BENCH_OPS ||
	    (json_str(from, "unit") && !bench_unit_find(json_str(from, "unit"))))
		return err_set(e, ERR_FAIL, "%s: result %zu has no class, no known op or unit, or no runs", im->name,
			       at + 1);
	json_object_foreach((json_t *)(uintptr_t)from, key, value) {
		if (json_string_length(value) > MOST_WORDS)
			return err_set(e, ERR_FAIL, "%s: result %zu has a text longer than %d bytes",
				       im->name, at + 1, MOST_WORDS);
	}
	if (import_result(im, &result, e) < 0)
		return -1;
	copy = json_copy((json_t *)(uintptr_t)from);
	json_object_del(copy, "runs");
	json_object_update(result, copy);
	json_decref(copy);
	json_object_set_new(result, "flags", json_is_array(json_object_get(from, "flags")) ?
			    json_copy(json_object_get(from, "flags")) : json_array());
	json_array_foreach(json_object_get(result, "flags"), i, run) {
		if (!json_is_string(run))
			return err_set(e, ERR_FAIL, "%s: result %zu has a flag that is no word",
				       im->name, at + 1);
	}
	json_array_foreach(runs, i, run) {
		if (!take_run(result, run))
			return err_set(e, ERR_FAIL, "%s: result %zu, run %zu has no rate", im->name,
				       at + 1, i + 1);
		copy = json_array_get(json_object_get(result, "runs"), i);
		json_object_update_missing(copy, (json_t *)(uintptr_t)run);
	}
	return 0;
}

int import_own_json(struct import *im, struct err *e)
{
	json_error_t bad;
	json_t *root = json_loadb(im->text, im->len, 0, &bad);
	const json_t *r;
	size_t i;
	int rc = 0;

	if (!root)
		return err_set(e, ERR_FAIL, "%s line %d: %s", im->name, bad.line, bad.text);
	if (!json_is_array(root))
		rc = err_set(e, ERR_FAIL, "%s is no list of results", im->name);
	json_array_foreach(root, i, r) {
		const char *event = json_str(r, "event");

		/* a cell of a campaign that was never measured is no result */
		if (rc == 0 && (!event || strcmp(event, "cell")))
			rc = take_result(im, r, i, e);
	}
	json_decref(root);
	return rc;
}
