/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verb results: what was measured before, from the database. */
#include "cmd/cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "naslab.h"

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

static const char *mbps(char buf[SIZE_TEXT], const json_t *j, const char *key)
{
	return number_text(buf, (double)json_u64(j, key, 0) / 1e6);
}

/* Words of a record may be anything that was once in a database: never raw to a terminal. */
static void put_safe(const char *text, int width)
{
	struct sbuf safe = { 0 };

	sbuf_add_safe(&safe, text ? text : "-");
	printf("%-*s ", width, sbuf_str(&safe));
	sbuf_done(&safe);
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

/* bytes at the disks to bytes of files; "-" when no disk could be asked. */
static const char *ratio_text(char buf[SIZE_TEXT], const json_t *j)
{
	double bytes = (double)json_u64(j, "bytes", 0);
	const json_t *flag;
	size_t i;

	json_array_foreach(json_object_get(j, "flags"), i, flag) {
		if (json_is_string(flag) && !strcmp(json_string_value(flag), "nodisk"))
			return strcpy(buf, "-");
	}
	snprintf(buf, SIZE_TEXT, "%.2f", bytes > 0 ? (double)json_u64(j, "disk_bytes", 0) / bytes : 0);
	return buf;
}

/* In a list "runs" is their number, in a single result they are all there. */
static uint64_t runs_of(const json_t *j)
{
	const json_t *runs = json_object_get(j, "runs");

	return json_is_array(runs) ? json_array_size(runs) : json_u64(j, "runs", 0);
}

static void print_row(const json_t *j)
{
	char when[32], median[SIZE_TEXT], min[SIZE_TEXT], max[SIZE_TEXT], ratio[SIZE_TEXT];

	printf("%4" PRIu64 " %s ", json_u64(j, "id", 0), date_text(when, json_u64(j, "at_ns", 0)));
	put_safe(json_str(j, "class"), 11);
	put_safe(json_str(j, "op"), 5);
	printf("%8s %8s %8s %3" PRIu64 " %5s ", mbps(median, j, "median_bps"),
	       mbps(min, j, "min_bps"), mbps(max, j, "max_bps"), runs_of(j),
	       ratio_text(ratio, j));
	put_safe(json_str(j, "label"), 0);
	print_flags(j);
	putchar('\n');
}

static int list(struct store *st, struct err *e)
{
	json_t *all = NULL, *j;
	size_t i;

	if (store_results(st, &all, e) < 0)
		return -1;
	if (option("json")) {
		print_json(all);
	} else if (!json_array_size(all)) {
		printf("nothing was measured yet (%s)\n", store_path(st));
	} else {
		puts("  id when             class       op       MB/s      min      max   n   d:f what");
		json_array_foreach(all, i, j)
			print_row(j);
	}
	json_decref(all);
	return 0;
}

static void print_runs(const json_t *runs)
{
	char felt[SIZE_TEXT], durable[SIZE_TEXT], ratio[SIZE_TEXT];
	const json_t *j;
	size_t i;

	puts(" rep     felt  durable MB/s   d:f");
	json_array_foreach(runs, i, j) {
		printf("%4" PRIu64 " %8s %8s      %5s ", json_u64(j, "rep", 0), mbps(felt, j, "bps"),
		       mbps(durable, j, "durable_bps"),
		       ratio_text(ratio, j));
		print_flags(j);
		putchar('\n');
	}
}

static void print_facts(const json_t *j)
{
	static const char *const words[] = { "label", "build", "target", "cache", "kernel" };
	char size[SIZE_TEXT];
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!json_str(j, words[i]))
			continue;
		printf("%-8s", words[i]);
		put_safe(json_str(j, words[i]), 0);
		putchar('\n');
	}
	printf("files   %" PRIu64 ", %s, scale %g\n", json_u64(j, "files", 0),
	       size_text(size, json_u64(j, "bytes", 0), SIZE_SI),
	       json_number_value(json_object_get(j, "scale")));
	printf("memory  %s\n", size_text(size, json_u64(j, "memory_bytes", 0), SIZE_IEC));
}

static int show(struct store *st, const char *word, struct err *e)
{
	uint64_t id;
	json_t *j = NULL;

	if (count_parse("the result's ID", word, 1, INT64_MAX, &id, e) < 0 ||
	    store_result(st, (int64_t)id, &j, e) < 0)
		return -1;
	if (option("json")) {
		print_json(j);
	} else {
		print_row(j);
		print_facts(j);
		print_runs(json_object_get(j, "runs"));
	}
	json_decref(j);
	return 0;
}

static int run(int argc, char **argv)
{
	struct store *st = NULL;
	struct err e = { 0 };
	int rc;

	if (!argc || (!strcmp(argv[0], "list") && argc == 1))
		argc = 1;
	else if (!strcmp(argv[0], "show") && argc != 2)
		return usage_error("show wants one ID; naslab results list has them");
	else if (!strcmp(argv[0], "export") && (argc != 2 || strcmp(argv[1], "csv")))
		return usage_error("export wants the format: csv");
	else if (strcmp(argv[0], "show") && strcmp(argv[0], "export"))
		return usage_error("it does list, show ID and export csv, not \"%s\"",
				   strcmp(argv[0], "list") ? argv[0] : argv[1]);
	if (option("out") && (argc < 2 || strcmp(argv[0], "export")))
		return usage_error("--out belongs to export");
	if (store_open_read(option("db"), &st, &e) < 0)
		return fail(&e);
	if (argc == 1)
		rc = list(st, &e);
	else if (!strcmp(argv[0], "show"))
		rc = show(st, argv[1], &e);
	else
		rc = store_export_csv(st, 0, option("out"), &e);
	store_close(st);
	return rc ? fail(&e) : 0;
}

static const struct verb_option options[] = {
	{ .name = "json", .help = "everything, as JSON" },
	{ .name = "out", .value = "FILE", .help = "where export writes (standard output)" },
	{ .name = NULL }
};

const struct verb verb_results = {
	.name = "results", .usage = "[list | show ID | export csv [--out FILE]] [--json]",
	.help = "what was measured before: list, show, export",
	.about = "list: one line a class and operation, newest last; MB/s is the median of the felt\n"
		 "rates, d:f bytes at the disks to bytes of files. show: its runs. export csv: one\n"
		 "line a repetition, in bytes and nanoseconds.",
	.options = options, .run = run,
};
