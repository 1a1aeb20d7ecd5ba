/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports: which bars stand together, when two results have no ratio, tables read strictly,
 * and files of others that must not get in.
 */
#include "test.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "chart/chart.h"
#include "report/csv.h"
#include "report/report.h"
#include "report/words.h"
#include "store/store.h"

static char folder[] = "/tmp/naslab-report-XXXXXX", db[80];

static int setup(void **state)
{
	(void)state;
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(db, sizeof(db), "%s/naslab.db", folder);
	return 0;
}

static int teardown(void **state)
{
	char path[100];

	(void)state;
	snprintf(path, sizeof(path), "%s/in", folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/in.map", folder);
	unlink(path);
	unlink(db);
	return rmdir(folder);
}

/* A result of so many MB/s, a run each. */
static json_t *result(int id, const char *label, const char *class, const char *op,
		      const char *rates)
{
	json_t *r = json_pack("{s:i,s:s,s:s,s:s,s:f,s:s,s:I,s:I,s:[],s:[]}", "id", id, "label", label,
			      "class", class, "op", op, "scale", 1.0, "host", "nas", "memory_bytes",
			      (json_int_t)4 << 30, "bytes", (json_int_t)1000000000, "flags", "runs");
	double v[32], most = 0, least = INFINITY;
	size_t n = 0, i, k;
	char *end;

	for (; *rates; rates = end) {
		v[n] = strtod(rates, &end) * 1e6;
		json_array_append_new(json_object_get(r, "runs"),
				      json_pack("{s:f}", "bps", v[n]));
		most = fmax(most, v[n]);
		least = fmin(least, v[n++]);
	}
	for (i = 0; i < n; i++) {	/* the tests have odd numbers of runs */
		size_t below = 0;

		for (k = 0; k < n; k++)
			below += v[k] < v[i];
		if (below == n / 2)
			json_object_set_new(r, "median_bps", json_real(v[i]));
	}
	json_object_set_new(r, "min_bps", json_real(least));
	json_object_set_new(r, "max_bps", json_real(most));
	return r;
}

static void pictures_gather(void **state)
{
	struct arena *a = arena_new();
	struct report_filter f = { 0 };
	struct report_picture *p;
	json_t *all = json_array();
	size_t n;

	(void)state;
	json_array_append_new(all, result(1, "x", "12G", "write", "90 100 110"));
	json_array_append_new(all, result(2, "y", "12G", "write", "190 200 290"));
	json_array_append_new(all, result(3, "x", "12G", "read", "50 60 70"));
	json_array_append_new(all, result(4, "x", "12G", "write", "91 101 111"));
	json_object_set_new(json_array_get(all, 0), "bytes", json_integer(12000000000));
	json_object_set_new(json_array_get(all, 1), "flags", json_pack("[s,s]", "cached", "few"));
	report_pictures(a, all, &f, &p, &n);
	assert_int_equal(n, 2);
	/* the newest write is of 1 GB as the read is: write comes first */
	assert_string_equal(p[0].title, "12G, write, felt");
	assert_string_equal(p[1].title, "12G, read, felt");
	assert_int_equal(p[0].n, 2);
	assert_int_equal(p[0].older, 1);
	assert_int_equal(p[0].bars[0].id, 4);
	assert_true(p[0].bars[0].median == 101e6 && p[0].bars[0].n == 3);
	assert_string_equal(p[0].bars[1].letters, "P n");
	assert_true(p[0].bars[1].flagged && !p[0].bars[0].flagged);
	assert_true(p[0].top == 300e6);		/* a round number above 290 */
	f.every = true;
	f.op = "write";
	report_pictures(a, all, &f, &p, &n);
	assert_int_equal(n, 1);
	assert_int_equal(p[0].n, 3);
	/* a class of unknown size comes last, the smallest first */
	f = (struct report_filter){ 0 };
	json_array_insert_new(all, 0, result(5, "p", "aaa", "write", "1 2 3"));
	json_object_del(json_array_get(all, 0), "bytes");
	json_object_set_new(json_array_get(all, 3), "bytes", json_integer(900000000));
	report_pictures(a, all, &f, &p, &n);
	assert_int_equal(n, 3);
	assert_string_equal(p[0].title, "12G, read, felt");
	assert_string_equal(p[2].title, "aaa, write, felt");
	/* nothing was measured until it was on the disks */
	f.durable = true;
	report_pictures(a, all, &f, &p, &n);
	assert_int_equal(n, 0);
	json_decref(all);
	arena_free(a);
}

/* A campaign's layouts stand as its file says, whatever the order they were measured in; beside
 * what is of no campaign all stay as they were measured. */
static void rows_of_a_campaign(void **state)
{
	static const int rows[] = { 3, 1, 2 };
	static const char *const labels[] = { "chunk=1M", "chunk=64K", "chunk=512K" };
	struct arena *a = arena_new();
	struct report_filter f = { 0 };
	struct report_picture *p;
	json_t *all = json_array();
	size_t n, i;

	(void)state;
	for (i = 0; i < 3; i++) {
		json_t *r = result((int)i + 1, labels[i], "8G", "write", "1 2 3");

		json_object_set_new(r, "campaign", json_string("c"));
		json_object_set_new(r, "layout", json_string(labels[i]));
		json_object_set_new(r, "campaign_id", json_integer(4));
		json_object_set_new(r, "row", json_integer(rows[i]));
		json_array_append_new(all, r);
	}
	report_pictures(a, all, &f, &p, &n);
	assert_int_equal(p[0].n, 3);
	assert_string_equal(p[0].bars[0].label, "chunk=64K");
	assert_string_equal(p[0].bars[1].label, "chunk=512K");
	assert_string_equal(p[0].bars[2].label, "chunk=1M");
	json_array_append_new(all, result(9, "other", "8G", "write", "1 2 3"));
	report_pictures(a, all, &f, &p, &n);
	assert_int_equal(p[0].n, 4);
	assert_string_equal(p[0].bars[0].label, "chunk=1M");
	assert_string_equal(p[0].bars[3].label, "other");
	json_decref(all);
	arena_free(a);
}

static void no_ratio(void **state)
{
	static const struct {
		const char *key;
		json_int_t number;
		const char *text, *why;
	} cases[] = {
		{ "class", 0, "2G", "other class" }, { "op", 0, "read", "other operation" },
		{ "host", 0, "nas2", "other machine" }, { "published", 0, "X", "other machine" },
		{ "memory_bytes", (json_int_t)16 << 30, NULL, "other memory" },
		{ "scale", 2, NULL, "other scale" }, { "bytes", 5, NULL, "other size" },
		{ "simulated", -1, NULL, "one is simulated" },
		/* a little more of the same memory is the same machine */
		{ "memory_bytes", ((json_int_t)4 << 30) - 9000000, NULL, NULL },
		{ "kernel", 0, "7.0", NULL },
	};
	json_t *one = result(1, "x", "12G", "write", "1 2 3"), *other;
	size_t i;

	(void)state;
	assert_null(report_apart(one, one));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *why;

		other = json_deep_copy(one);
		json_object_set_new(other, cases[i].key, cases[i].text ? json_string(cases[i].text) :
				    cases[i].number < 0 ? json_true() : json_integer(cases[i].number));
		why = report_apart(one, other);
		if (!cases[i].why)
			assert_null(why);
		else
			assert_string_equal(why, cases[i].why);
		json_decref(other);
	}
	json_decref(one);
}

static void compares(void **state)
{
	static const char a_runs[] = "100 101 102 103 104 105 106";
	static const char b_runs[] = "200 201 202 203 204 205 206";
	struct arena *a = arena_new();
	struct report_filter f = { 0 };
	struct report_pair *p;
	struct sbuf words = { 0 };
	struct err e = { 0 };
	json_t *all = json_array(), *j;
	size_t n;

	(void)state;
	json_array_append_new(all, result(1, "slow | xfs", "12G", "write", a_runs));
	json_array_append_new(all, result(2, "fast | xfs", "12G", "write", b_runs));
	json_array_append_new(all, result(3, "fast | xfs", "2G", "write", b_runs));
	assert_int_equal(report_compare(a, all, "1", "2", &f, &p, &n, &e), 0);
	assert_int_equal(n, 1);
	assert_null(p->why);
	assert_true(fabs(p->c.ratio - 203.0 / 103) < 1e-9 && p->c.verdict == VERDICT_REAL);
	assert_true(fabs(p->c.p - 2.0 / 3432) < 1e-12);
	report_pair_words(p, &words);
	assert_true(strstr(sbuf_str(&words), "B is 1.97 times A") &&
		    strstr(sbuf_str(&words), "p = 0.0006"));
	j = report_pairs_json(p, n, false);
	assert_string_equal(json_str(json_array_get(j, 0), "verdict"), "real");
	json_decref(j);
	/* by a part of the label; the class that only one has is no pair */
	assert_int_equal(report_compare(a, all, "slow", "fast", &f, &p, &n, &e), 0);
	assert_int_equal(n, 1);
	assert_int_equal(report_compare(a, all, "xfs", "fast", &f, &p, &n, &e), -1);
	assert_non_null(strstr(e.text, "is in several labels"));
	assert_int_equal(report_compare(a, all, "slow", "none", &f, &p, &n, &e), -1);
	assert_non_null(strstr(e.text, "nothing was measured under \"none\""));
	assert_int_equal(report_compare(a, all, "1", "9", &f, &p, &n, &e), -1);
	assert_string_equal(e.text, "there is no result 9; naslab results list shows them");
	assert_int_equal(report_compare(a, all, "1", "1", &f, &p, &n, &e), -1);
	assert_int_equal(report_compare(a, all, "1", "fast", &f, &p, &n, &e), -1);
	assert_int_equal(report_compare(a, all, "2", "3", &f, &p, &n, &e), 0);
	assert_string_equal(p->why, "other class");
	sbuf_done(&words);
	json_decref(all);
	arena_free(a);
}

static void labels_stay_apart(void **state)
{
	static const char *const l[] = {
		"slice | md level=raid5 chunk=512K | xfs", "slice | md level=raid5 chunk=1M | xfs",
		"short", "grün grün grün grün grün grün",
	};
	static const char *const axes[] = {
		"raid5-xfs chunk=64K consistency=bitmap", "raid5-xfs chunk=1M consistency=ppl",
		"raid5-xfs chunk=64K consistency=ppl", "md level=raid5 | slice every=1T",
	};
	static const char *const pairs[] = {
		"md level=raid5 chunk=64K | xfs", "md level=raid5 chunk=64K | ext4",
		"slice | md redundancy=1 | lvm | xfs", "slice | md redundancy=1 | lvm | ext4",
	};
	static const char *const wide[] = { "写真の写 a 真", "写真の写 b 真 c", "写 x=写真写", "写 x=写真真" };
	struct arena *a = arena_new();
	const char *one, *other;
	size_t i, k;

	(void)state;
	one = label_cut(a, l[0], l, 4, 20);
	other = label_cut(a, l[1], l, 4, 20);
	assert_string_not_equal(one, other);
	assert_non_null(strstr(one, "512K"));
	assert_non_null(strstr(other, "1M"));
	assert_true(strlen(one) <= 20 && strlen(other) <= 20);
	assert_string_equal(label_cut(a, l[2], l, 4, 20), "short");
	assert_string_equal(label_cut(a, axes[0], axes, 4, 40), axes[0]);
	assert_string_equal(label_cut(a, axes[0], axes, 4, 32), "~chunk=64K consistency=bitmap");
	assert_string_equal(label_cut(a, axes[0], axes, 4, 20), "~64K bitmap");
	assert_string_equal(label_cut(a, axes[1], axes, 4, 20), "~1M ppl");
	assert_string_equal(label_cut(a, axes[2], axes, 4, 20), "~64K ppl");
	assert_string_equal(label_cut(a, axes[3], axes, 4, 20), "md level=raid5 | sl~");	/* alone */
	for (i = 0; i < 4; i++) {	/* "~xfs" would be two of them */
		for (k = 0; k < i; k++)
			assert_string_not_equal(label_cut(a, pairs[i], pairs, 4, 20),
						label_cut(a, pairs[k], pairs, 4, 20));
	}
	/* cells, not bytes: an umlaut takes one, one of these two; half a one is never there */
	assert_string_equal(label_cut(a, l[3], NULL, 0, 22), "grün grün grün grün g~");
	assert_string_equal(label_cut(a, "写真の写真", NULL, 0, 10), "写真の写真");
	assert_string_equal(label_cut(a, "写真の写真", NULL, 0, 8), "写真の~");
	assert_string_equal(label_cut(a, "写真の写真", NULL, 0, 9), "写真の写~");
	assert_string_equal(label_cut(a, wide[0], wide, 2, 9), "~写 a 真");
	assert_string_equal(label_cut(a, wide[2], wide, 4, 9), "~x=写真写");
	assert_string_equal(label_cut(a, wide[3], wide, 4, 8), "~写真真");
	assert_string_equal(label_cut(a, "\x1b[31m", NULL, 0, 20), "\\x1b[31m");
	arena_free(a);
}

static void tables(void **state)
{
	static const struct {
		const char *text, *says;	/* NULL: it is right */
	} cases[] = {
		{ "a,b\n1,2\n", NULL }, { "a,b\r\n\"x,\"\"y\"\"\",2", NULL },
		{ "\xef\xbb\xbf" "a,b\n\n\"line\nbreak\",\n", NULL },
		{ "a,b\n", "no line of values" }, { "", "no line of values" },
		{ "a,b\n1\n", "line 2 has 1 fields" }, { "a,b\n1,2,3\n", "line 2 has 3 fields" },
		{ "a,b\n\"x,2\n", "line 2: a quote" }, { "a,b\nx\"y,2\n", "line 2: a quote" },
		{ "a,b\n\"x\"y,2\n", "line 2: a quote" }, { "a,b\n\xff,2\n", "no UTF-8" },
		{ "a,b\n1,\xc3", "no UTF-8" }, { "a,b\n1,\xed\n", "no UTF-8" },
	};
	struct arena *a = arena_new();
	struct sbuf many = { 0 };
	struct csv c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = { 0 };
		int rc = csv_read(a, "t", cases[i].text, strlen(cases[i].text), &c, &e);

		if (!cases[i].says) {
			assert_int_equal(rc, 0);
			assert_int_equal(c.rows, 1);
			assert_int_equal(csv_column(&c, "b"), 1);
			assert_int_equal(csv_column(&c, "c"), -1);
		} else {
			assert_int_equal(rc, -1);
			if (!strstr(e.text, cases[i].says))
				fail_msg("case %zu: %s", i, e.text);
		}
	}
	assert_int_equal(csv_read(a, "t", cases[1].text, strlen(cases[1].text), &c, &(struct err){ 0 }),
			 0);
	assert_string_equal(csv_field(&c, 0, 0), "x,\"y\"");
	assert_string_equal(csv_field(&c, 0, -1), "");
	assert_int_equal(csv_read(a, "t", "a\n1\0002\n", 6, &c, &(struct err){ 0 }), -1);
	sbuf_add(&many, "a\n");
	for (i = 0; i < 5000; i++)
		sbuf_addc(&many, 'x');
	assert_int_equal(csv_read(a, "t", many.text, many.len, &c, &(struct err){ 0 }), -1);
	sbuf_done(&many);
	arena_free(a);
}

static int import(const char *name, const char *text, const char *kind, struct err *e)
{
	struct store *st = NULL;
	char path[100];
	size_t added;
	int rc;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(file_write_atomic(path, text, strlen(text), e), 0);
	assert_int_equal(store_open(db, &st, e), 0);
	rc = report_import(st, path, kind, &added, e);
	store_close(st);
	return rc;
}

static size_t stored(json_t **all)
{
	struct store *st = NULL;
	struct err e = { 0 };
	size_t n;

	assert_int_equal(store_open(db, &st, &e), 0);
	assert_int_equal(store_results_with_runs(st, NULL, 0, false, all, &e), 0);
	store_close(st);
	n = json_array_size(*all);
	return n;
}

#define HEAD "result,label,class,op,scale,bytes,felt_ns,durable_ns,flags\n"
#define MAP "source S\ntable in\nlabel {l}\nclass c\nop write\n"
#define FIO "{\"fio version\":\"fio-3.33\",\"jobs\":"

/* Every one is refused with a sentence that says what is wrong, and nothing is stored. */
static void hostile_files(void **state)
{
	static const struct {
		const char *name, *text, *kind, *says;
	} cases[] = {
		{ "in", "", NULL, "neither a CSV of naslab nor JSON of fio" },
		{ "in", "hello", NULL, "neither a CSV of naslab nor JSON of fio" },
		{ "in", HEAD "1,x,12G,write,1,1000,5,,\n", "zip", "as naslab, fio or published" },
		{ "in", "result,label\n1,x\n", NULL, "no column class" },
		{ "in", HEAD "1,x,12G,write,1,1000,5,,\n1,x,12G,write,1,1000,-5,,\n", NULL,
		  "line 3: felt_ns is no whole number" },
		{ "in", HEAD "1,x,12G,write,1,1000,5,,\n1,x,12G,write,1,1000,0,,\n", NULL,
		  "line 3: bytes and felt_ns make no rate" },
		{ "in", HEAD "1,x,12G,write,1,99999999999999999999,5,,\n", NULL, "no whole number" },
		{ "in", HEAD "1,x,12G,copy,1,1000,5,,\n", NULL, "write or read" },
		{ "in", HEAD "1,x,12G,write,nan,1000,5,,\n", NULL, "the scale is no number" },
		{ "in", HEAD "1,x,12G,write,1,9223372036854775807,1,,\n", NULL, "no rate" },
		{ "in", HEAD "1,x,,write,1,1000,5,,\n", NULL, "a class" },
		{ "in", "[", NULL, "line 1: " }, { "in", "[1]", NULL, "result 1 has no class" },
		{ "in", "[]", NULL, "holds no result" },
		{ "in", "[{\"class\":\"c\",\"op\":\"read\",\"runs\":[{}]}]", NULL, "run 1 has no rate" },
		{ "in", "[{\"class\":\"c\",\"op\":\"read\",\"runs\":[7]}]", NULL, "run 1 has no rate" },
		{ "in", "[{\"class\":\"c\",\"op\":\"read\",\"flags\":[7],\"runs\":[]}]", NULL,
		  "a flag that is no word" },
		{ "in", "{", NULL, "line 1 is no JSON" }, { "in", "{}", NULL, "it has no jobs" },
		{ "in", FIO "7}", NULL, "it has no jobs" }, { "in", FIO "[7]}", NULL, "job 1 has no name" },
		{ "in", FIO "[{\"jobname\":\"j\",\"write\":{\"io_bytes\":9}}]}", NULL,
		  "neither a runtime nor bw_bytes" },
		{ "in", FIO "[{\"jobname\":\"j\",\"error\":5,\"write\":{\"io_bytes\":9}}]}", NULL,
		  "ended with error 5" },
		{ "in", FIO "[{\"jobname\":\"j\",\"write\":{\"io_bytes\":9223372036854775807}}]}", NULL,
		  "is no size" },
		{ "in", FIO "[{\"jobname\":\"j\",\"write\":{\"io_bytes\":0}}]}", NULL,
		  "holds no result" },
		{ "in.map", "sauce S\n", NULL, "did you mean \"source\"" },
		{ "in.map", "source S\n", NULL, "says no table" },
		{ "in.map", "label\n", NULL, "has nothing behind it" },
		{ "in.map", MAP, NULL, "says no value" },
		{ "in.map", "source S\ntable ../x\nlabel l\nclass c\nop write\nvalue v s\n", NULL,
		  "has no slash" },
		{ "in.map", "source S\ntable none\nlabel l\nclass c\nop write\nvalue v s\n", NULL,
		  "cannot read" },
		{ "in.map", MAP "value v MB/s\n", NULL, "no column \"l\"" },
	};
	json_t *all;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = { 0 };

		if (!strcmp(cases[i].name, "in.map")) {	/* its table is there */
			char path[100];

			snprintf(path, sizeof(path), "%s/in", folder);
			assert_int_equal(file_write_atomic(path, "v\n1\n", 4, &e), 0);
		}
		assert_int_equal(import(cases[i].name, cases[i].text, cases[i].kind, &e), -1);
		if (!strstr(e.text, cases[i].says))
			fail_msg("case %zu says: %s", i, e.text);
		assert_null(strchr(e.text, '\n'));
		assert_int_equal(stored(&all), 0);
		json_decref(all);
	}
}

static void own_csv(void **state)
{
	struct err e = { 0 };
	json_t *all, *r;

	(void)state;
	/* 1 GB in 2, 4 and 5 s; a second result between its lines; a formula that was guarded */
	assert_int_equal(import("in", HEAD "7,'=x,12G,write,0.5,1000000000,2000000000,4000000000,\n"
				"8,y,12G,read,1,1000000000,1000000000,,cached\n"
				"7,'=x,12G,write,0.5,1000000000,4000000000,5000000000,sync\n"
				"7,'=x,12G,write,0.5,1000000000,5000000000,8000000000,\n", NULL, &e), 0);
	assert_int_equal(stored(&all), 2);
	r = json_array_get(all, 0);
	assert_string_equal(json_str(r, "label"), "=x");
	assert_int_equal(json_u64(r, "median_bps", 0), 250000000);
	assert_int_equal(json_u64(r, "min_bps", 0), 200000000);
	assert_int_equal(json_u64(r, "max_bps", 0), 500000000);
	assert_int_equal(json_u64(r, "durable_median_bps", 0), 200000000);
	assert_int_equal(json_array_size(json_object_get(r, "runs")), 3);
	assert_true(result_has_flag(r, "sync") && result_has_flag(r, "few"));
	assert_true(result_has_flag(json_array_get(all, 1), "cached"));
	assert_int_equal(json_u64(json_array_get(all, 1), "durable_median_bps", 0), 0);
	json_decref(all);
	/* twice the same file */
	assert_int_equal(import("in", "[]", NULL, &e), -1);
	assert_int_equal(import("in", HEAD "7,'=x,12G,write,0.5,1000000000,2000000000,4000000000,\n"
				"8,y,12G,read,1,1000000000,1000000000,,cached\n"
				"7,'=x,12G,write,0.5,1000000000,4000000000,5000000000,sync\n"
				"7,'=x,12G,write,0.5,1000000000,5000000000,8000000000,\n", NULL, &e),
			 -1);
	assert_non_null(strstr(e.text, "was read in before, as result 1 and on"));
}

static void fio_json(void **state)
{
	struct err e = { 0 };
	json_t *all, *r;

	(void)state;
	/* two jobs at once: 300 MB + 100 MB in 2 s are 200 MB/s; then the same again alone */
	assert_int_equal(import("in", "fio: a note before\n" FIO "["
				"{\"jobname\":\"seq\",\"groupid\":0,\"write\":{\"io_bytes\":300000000,"
				"\"runtime\":2000,\"bw_bytes\":150000000},\"read\":{\"io_bytes\":0}},"
				"{\"jobname\":\"seq\",\"groupid\":0,\"write\":{\"io_bytes\":100000000,"
				"\"runtime\":1900,\"bw_bytes\":52631579}},"
				"{\"jobname\":\"seq\",\"groupid\":1,\"write\":{\"io_bytes\":100000000,"
				"\"runtime\":1000,\"bw_bytes\":100000000}},"
				"{\"jobname\":\"short\",\"groupid\":2,\"read\":{\"io_bytes\":1000,"
				"\"runtime\":0,\"bw_bytes\":5000000}}]}", "fio", &e), 0);
	assert_int_equal(stored(&all), 2);
	r = json_array_get(all, 0);
	assert_string_equal(json_str(r, "class"), "seq");
	assert_int_equal(json_array_size(json_object_get(r, "runs")), 2);
	assert_int_equal(json_u64(r, "max_bps", 0), 200000000);
	assert_int_equal(json_u64(r, "min_bps", 0), 100000000);
	assert_string_equal(json_str(r, "tools"), "fio-3.33");
	r = json_array_get(all, 1);
	assert_string_equal(json_str(r, "op"), "read");
	assert_int_equal(json_u64(r, "median_bps", 0), 5000000);
	json_decref(all);
}

static void published_table(void **state)
{
	static const char map[] = "# how it is read\nsource S {m}\ntable in\nlabel {l}\nclass k {b}\n"
		"op {b}\nread rnd\nonly use yes\ntogether n\nvalue v KiB/s\n";
	struct err e = { 0 };
	char path[100];
	json_t *all, *r;
	static const char table[] = "l,b,n,v,use,m\nx,rnd,1,1000,yes,M\nx,rnd,2,3000,yes,M\n"
		"x,write,1,500,yes,M\nx,write,1,7,no,M\nz,write,1,,yes,M\n";

	(void)state;
	snprintf(path, sizeof(path), "%s/in", folder);
	assert_int_equal(file_write_atomic(path, table, sizeof(table) - 1, &e), 0);
	assert_int_equal(import("in.map", map, NULL, &e), 0);
	assert_int_equal(stored(&all), 2);
	r = json_array_get(all, 0);
	assert_string_equal(json_str(r, "published"), "S M");
	assert_string_equal(json_str(r, "class"), "k rnd");
	assert_string_equal(json_str(r, "op"), "read");
	assert_int_equal(json_u64(r, "median_bps", 0), 2000 * 1024);
	assert_int_equal(json_u64(json_array_get(all, 1), "median_bps", 0), 500 * 1024);
	json_decref(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pictures_gather), cmocka_unit_test(rows_of_a_campaign),
		cmocka_unit_test(no_ratio),
		cmocka_unit_test(compares), cmocka_unit_test(labels_stay_apart),
		cmocka_unit_test(tables),
		cmocka_unit_test_setup_teardown(hostile_files, setup, teardown),
		cmocka_unit_test_setup_teardown(own_csv, setup, teardown),
		cmocka_unit_test_setup_teardown(fio_json, setup, teardown),
		cmocka_unit_test_setup_teardown(published_table, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
