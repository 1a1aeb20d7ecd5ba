/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verb results: what was measured before, from the database. */
#include "cmd/cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/rates.h"
#include "cmd/results.h"
#include "naslab.h"

enum { WIDEST_CLASS = 32 };

static void print_json(json_t *value)
{
	char *line = json_line(value);

	puts(line);
	free(line);
}

static const char *date_text(char buf[32], uint64_t ns)
{
	time_t s = (time_t)(ns / 1000000000u);
	struct tm tm;

	localtime_r(&s, &tm);
	strftime(buf, 32, "%Y-%m-%d %H:%M", &tm);
	return buf;
}

/* Words of a record may be anything that was once in a database: never raw to a terminal. */
static void put_safe(const char *text, size_t width)
{
	struct sbuf safe = { 0 }, column = { 0 };

	sbuf_add_safe(&safe, text ? text : "-");
	sbuf_add_padded(&column, sbuf_str(&safe), width);
	printf("%s ", sbuf_str(&column));
	sbuf_done(&safe);
	sbuf_done(&column);
}

static void print_flags(const json_t *j)
{
	const json_t *flag;
	size_t i;

	json_array_foreach(json_object_get(j, "flags"), i, flag) {
		if (json_is_string(flag))
			put_safe(json_string_value(flag), 0);
	}
}

/* In a list "runs" is their number, in a single result they are all there. */
static uint64_t runs_of(const json_t *j)
{
	const json_t *runs = json_object_get(j, "runs");

	return json_is_array(runs) ? json_array_size(runs) : json_u64(j, "runs", 0);
}

static void print_row(const json_t *j, size_t width)
{
	char when[32], median[SIZE_TEXT], min[SIZE_TEXT], max[SIZE_TEXT], ratio[SIZE_TEXT];

	printf("%4" PRIu64 " %s ", json_u64(j, "id", 0), date_text(when, json_u64(j, "at_ns", 0)));
	put_safe(json_str(j, "class"), width);
	put_safe(json_str(j, "op"), 11);
	printf("%7s %7s %7s %-7s %3" PRIu64 " %5s ", rate_text(median, j, "median", false),
	       rate_text(min, j, "min", false), rate_text(max, j, "max", false), bench_unit(j)->text,
	       runs_of(j), ratio_text(ratio, j));
	put_safe(json_str(j, "label"), 0);
	if (json_u64(j, "ram_limit_bytes", 0))
		printf("in %s ", size_text(ratio, json_u64(j, "ram_limit_bytes", 0), SIZE_IEC));
	if (json_str(j, "published"))
		fputs("published ", stdout);
	print_flags(j);
	putchar('\n');
}

static bool is_asked(const json_t *j, const char *key, const char *word)
{
	return !word || !strcmp(json_str(j, key) ? json_str(j, key) : "", word);
}

/* Those that --class, --op and --campaign leave, and the width of their longest class. */
static json_t *asked_for(const json_t *all, const struct report_filter *f, size_t *width)
{
	json_t *some = json_array(), *j;
	size_t i;

	*width = 11;
	json_array_foreach(all, i, j) {
		size_t have = text_cells(json_str(j, "class") ? json_str(j, "class") : "-");

		if (!is_asked(j, "class", f->class) || !is_asked(j, "op", f->op) ||
		    !is_asked(j, "campaign", f->campaign))
			continue;
		json_array_append(some, j);
		*width = have > *width && have <= WIDEST_CLASS ? have : *width;
	}
	return some;
}

static int list(struct store *st, int argc, char **argv, struct err *e)
{
	json_t *all = NULL, *some, *j;
	struct report_filter f;
	size_t i, width;
	int rc = 0;

	(void)argc;
	(void)argv;
	if (results_filter(&f, e) || store_results(st, &all, e) < 0)
		return -1;
	some = asked_for(all, &f, &width);
	if (option("json")) {
		print_json(some);
	} else if (!json_array_size(all)) {
		printf("nothing was measured yet (%s)\n", store_path(st));
	} else if (!json_array_size(some)) {
		rc = results_nothing(all, &f, e);
	} else {
		printf("  id %-16s %-*s op           median     min     max         n   d:f what\n",
		       "when", (int)width, "class");
		json_array_foreach(some, i, j)
			print_row(j, width);
	}
	json_decref(some);
	json_decref(all);
	return rc;
}

static void print_runs(const json_t *result)
{
	char felt[SIZE_TEXT], durable[SIZE_TEXT], ratio[SIZE_TEXT];
	const json_t *j, *who;
	size_t i, k;

	printf(" rep     felt  durable %-7s  d:f\n", bench_unit(result)->text);
	json_array_foreach(json_object_get(result, "runs"), i, j) {
		printf("%4" PRIu64 " %8s %8s        %5s ", json_u64(j, "rep", 0),
		       rate_text(felt, j, "", false), rate_text(durable, j, "", true),
		       ratio_text(ratio, j));
		print_flags(j);
		json_array_foreach(json_object_get(j, "disturbed_by"), k, who) {
			fputs(k ? "" : "by ", stdout);
			put_safe(json_string_value(who), 0);
		}
		putchar('\n');
	}
}

/* Of several streams, what each did on average. */
static void print_each(const json_t *j)
{
	const json_t *all = json_object_get(j, "stream_bps"), *one;
	char text[SIZE_TEXT];
	size_t i;

	if (json_u64(j, "streams", 0) < 2)
		return;
	json_array_foreach(all, i, one)
		printf("%s%s", i % 8 ? " " : i ? "\n        " : "        ",
		       plain_number_text(text, (double)json_integer_value(one) / 1e6));
	puts(" MB/s each");
}

/* Of a measurement of many single operations; the rate is that of the median run. */
static void print_ops(const json_t *j)
{
	double ops = (double)json_u64(j, "ops", 0), bytes;
	const json_t *step;
	char text[SIZE_TEXT];
	size_t i;

	if (!(ops > 0))
		return;
	bytes = (double)json_u64(j, "run_bytes", json_u64(j, "bytes", 0));
	if (bench_unit(j)->counts)
		printf("counted %.0f %s a run; ", ops, bench_unit(j)->word);
	else
		printf("records %.0f a run, %s ops/s; ", ops, number_text(text, bytes > 0 ?
		       (double)json_u64(j, "median_bps", 0) / bytes * ops : 0));
	put_latency(j);
	putchar('\n');
	json_array_foreach(json_object_get(j, "steps"), i, step) {
		printf("  ");
		put_safe(json_str(step, "step"), 7);
		printf("%8" PRIu64 " a run; ", json_u64(step, "ops", 0));
		put_latency(step);
		putchar('\n');
	}
	if (json_object_get(j, "mean_bps"))
		printf("bytes   %s MB/s\n", mbps_text(text, j, "mean_bps"));
}

/* What the numbers can be held against: limits, processor, heat, room. */
static void print_proof(const json_t *j)
{
	uint64_t cpu = json_u64(j, "cpu_ns", 0);
	uint64_t bytes = json_u64(j, "run_bytes", json_u64(j, "bytes", 0));
	char text[SIZE_TEXT];

	if (json_u64(j, "limit_bps", 0))
		printf("links   %s MB/s in all\n", mbps_text(text, j, "limit_bps"));
	if (json_u64(j, "source_bps", 0))
		printf("source  %s MB/s can be made\n", mbps_text(text, j, "source_bps"));
	if (cpu && bytes)
		printf("cpu     %s s per GB", number_text(text, (double)cpu / (double)bytes));
	else if (cpu && json_u64(j, "ops", 0))
		printf("cpu     %s for each of %s",
		       latency_text(text, cpu / json_u64(j, "ops", 1)), bench_unit(j)->word);
	if (cpu && json_object_get(j, "cpu_percent"))
		printf(", %" PRIu64 " %% of one processor", json_u64(j, "cpu_percent", 0));
	if (cpu)
		putchar('\n');
	print_ops(j);
	put_streams(j, "streams ");
	print_each(j);
	if (json_u64(j, "temperature_mc", 0))
		printf("disks   %s degrees C at most\n",
		       number_text(text, (double)json_u64(j, "temperature_mc", 0) / 1000));
	if (json_object_get(j, "fill_percent"))
		printf("full    %" PRIu64 " %%%s%s\n", json_u64(j, "fill_percent", 0),
		       json_object_get(j, "position") ? "; the first file begins at " : "",
		       json_object_get(j, "position") ?
		       size_text(text, json_u64(j, "position", 0), SIZE_SI) : "");
}

static void print_facts(const json_t *j)
{
	static const char *const keys[] = { "label", "published", "build", "target", "cache", "kernel",
					     "host", "processor", "mount_options",
					     "tools" };
	char size[SIZE_TEXT];
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!json_str(j, keys[i]))
			continue;
		printf("%-8s%s", keys[i], strlen(keys[i]) > 7 ? " " : "");
		put_safe(json_str(j, keys[i]), 0);
		putchar('\n');
	}
	if (json_u64(j, "bytes", 0))
		printf("files   %" PRIu64 ", %s, ", json_u64(j, "files", 0),
		       size_text(size, json_u64(j, "bytes", 0), SIZE_SI));
	printf("%s %g\n", json_u64(j, "bytes", 0) ? "scale" : "scale  ", json_number_value(json_object_get(j, "scale")));
	if (!json_u64(j, "memory_bytes", 0)) {	/* published numbers, and other programs' */
		print_proof(j);
		return;
	}
	printf("memory  %s%s", json_u64(j, "ram_limit_bytes", 0) ? "limited to " : "",
	       size_text(size, json_u64(j, "memory_bytes", 0), SIZE_IEC));
	if (json_u64(j, "dirty_limit_bytes", 0))
		printf(", writers held up at %s dirty",
		       size_text(size, json_u64(j, "dirty_limit_bytes", 0), SIZE_IEC));
	putchar('\n');
	print_proof(j);
}

/* Its bar, on the clock that was asked for. */
static int print_bar(struct arena *a, json_t *result, struct err *e)
{
	json_t *one = json_array();
	struct report_picture *p;
	struct report_filter f;
	struct grid g;
	size_t n;

	if (results_filter(&f, e) < 0)
		return -1;
	json_array_append(one, result);
	report_pictures(a, one, &f, &p, &n);
	if (n) {
		putchar('\n');
		report_picture_grid(&p[0], results_columns(), &g);
		results_print(&g);
	}
	json_decref(one);
	return 0;
}

static int show(struct store *st, int argc, char **argv, struct err *e)
{
	struct arena *a = arena_new();
	struct sbuf words = { 0 };
	json_t *j = NULL;
	uint64_t id;
	int rc = count_parse("the result's ID", argv[0], 1, INT64_MAX, &id, e);

	(void)argc;
	if (rc == 0)
		rc = store_result(st, (int64_t)id, &j, e);
	if (rc == 0 && option("json")) {
		print_json(j);
	} else if (rc == 0) {
		print_row(j, 11);
		print_facts(j);
		rc = print_bar(a, j, e);
		putchar('\n');
		print_runs(j);
		report_result_words(a, j, option("durable"), &words);
		fputs(sbuf_str(&words), stdout);
	}
	sbuf_done(&words);
	json_decref(j);
	arena_free(a);
	return rc;
}

static int export(struct store *st, int argc, char **argv, struct err *e)
{
	if (report_is_format(argv[0]))
		return results_export(st, argc, argv, e);
	return err_set(e, ERR_USAGE, "export writes csv, json, xlsx, svg or pdf, not \"%s\"", argv[0]);
}

static const struct word {
	const char *name;
	int least, most;	/* words behind it */
	const char *wants;
	const char *only;	/* an option that belongs to it alone */
	bool writes;		/* to the database */
	int (*run)(struct store *st, int argc, char **argv, struct err *e);
} words[] = {
	{ .name = "list", .wants = "nothing", .run = list },
	{ .name = "show", .least = 1, .most = 1, .run = show,
	  .wants = "one ID; naslab results list has them" },
	{ .name = "chart", .wants = "nothing; --class and --op choose", .run = results_chart },
	{ .name = "compare", .least = 2, .most = 2, .run = results_compare,
	  .wants = "two IDs, or the names of two layouts" },
	{ .name = "export", .least = 1, .most = 10000, .run = export, .only = "out",
	  .wants = "the format: csv, json, xlsx, svg or pdf" },
	{ .name = "import", .least = 1, .most = 1, .run = results_import, .only = "as",
	  .writes = true, .wants = "one file" },
};
enum { WORDS = sizeof(words) / sizeof(words[0]) };

static const struct word *word_find(const char *name)
{
	size_t i;

	for (i = 0; i < WORDS; i++) {
		if (!strcmp(words[i].name, name))
			return &words[i];
	}
	return NULL;
}

static int run(int argc, char **argv)
{
	const struct word *w = argc ? word_find(argv[0]) : &words[0];
	struct store *st = NULL;
	struct err e = { 0 };
	int n = argc ? argc - 1 : 0, rc;
	size_t i;

	if (!w)
		return usage_error("it does list, show, chart, compare, export and import, not \"%s\"",
				   argv[0]);
	if (n < w->least || n > w->most)
		return usage_error("%s wants %s", w->name, w->wants);
	for (i = 0; i < WORDS; i++) {
		if (words[i].only && &words[i] != w && option(words[i].only))
			return usage_error("--%s belongs to %s", words[i].only, words[i].name);
	}
	rc = w->writes ? store_open(option("db"), &st, &e) : store_open_read(option("db"), &st, &e);
	if (rc < 0)
		return fail(&e);
	rc = w->run(st, n, argv + (argc ? 1 : 0), &e);
	store_close(st);
	return rc ? fail(&e) : 0;
}

static const struct verb_option options[] = {
	{ .name = "class", .value = "W", .help = "only this class" },
	{ .name = "op", .value = "OP", .help = "only this operation: write, read, create ..." },
	{ .name = "durable", .help = "rates until it is on the disks, not until the last close" },
	{ .name = "layouts", .help = "a picture for each layout with its classes, not the other way" },
	{ .name = "campaign", .value = "NAME", .help = "only what this campaign measured" },
	{ .name = "all", .help = "older results of the same layout too" },
	{ .name = "as", .value = "KIND", .help = "import it as naslab, fio or published (what it looks like)" },
	{ .name = "out", .value = "FILE", .help = "where export writes (standard output)" },
	{ .name = "ascii", .help = "bars without any other character" },
	{ .name = "json", .help = "everything, as JSON" },
	{ .name = NULL }
};

const struct verb verb_results = {
	.name = "results",
	.usage = "[list | show ID | chart | compare A B | export FORMAT [ID...] | import FILE]",
	.help = "what was measured before: list, chart, compare, export, import",
	.about = "list: one line a class and operation, newest last; the rates are felt ones,\n"
		 "d:f bytes at the disks to bytes of files. show: its bar and its runs.\n"
		 "chart: the layouts side by side, a picture for each class. compare: two IDs, or two\n"
		 "layouts over their classes, with the ratio of medians, its 95 % interval, and\n"
		 "whether it is real; no ratio across machines, memory, scale or class.\n"
		 "export: csv (one line a repetition, in bytes and nanoseconds), json (all there is),\n"
		 "xlsx (data and charts), svg or pdf (pictures). import: naslab's CSV or JSON, fio's\n"
		 "JSON, or the mapping (FILE.map) of a published table.",
	.options = options, .run = run,
};
