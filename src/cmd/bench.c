/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verb bench: says what will be written, lets an executor measure, and shows what it
 * reports: JSON lines as they come, or a line of progress and a bar a class at the end.
 */
#include "cmd/cmd.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "naslab.h"

/* Without --workload: what fits most machines. "all" is every class. */
static const uint64_t default_most = 2000000000;

struct show {
	bool json, tty;
	unsigned columns, op_width;	/* op_width: of the operations' names */
	json_t *results;		/* the result events */
	uint64_t began_ns, work, worked;	/* bytes of all runs; of those done */
	uint64_t last_bytes, last_ns;	/* for the rate shown now */
	double now_bps;
	int status;			/* of the end event */
	char *text;			/* its sentence when it failed */
};

static volatile sig_atomic_t wants_end;

static void on_signal(int signal)
{
	(void)signal;
	wants_end++;
}

/* A class, or a suite and with it the rule it is run by. */
static int add_workload(struct arena *a, struct bench_order *o, const char *name, struct err *e)
{
	const struct suite *suite;

	if (bench_add_named(a, o, name, &suite, e) < 0)
		return -1;
	if (suite)
		suite_rule(suite, o);
	return 0;
}

static int take_workloads(struct arena *a, struct bench_order *o, struct err *e)
{
	struct list all = { 0 };
	bool every = option("workload") && !strcmp(option("workload"), "all");
	size_t i;

	for (i = 0; !every && i < option_count("workload"); i++) {
		if (add_workload(a, o, option_at("workload", i), e) < 0)
			return -1;
	}
	if (o->workloads.n)
		return 0;
	if (workload_list(a, &all, e) < 0)
		return -1;
	for (i = 0; i < all.n; i++) {
		if (every || ((const struct workload *)all.at[i])->bytes <= default_most)
			list_add(a, &o->workloads, all.at[i]);
	}
	return o->workloads.n ? 0 : err_set(e, ERR_FAIL, "there is no workload in %s",
					    workload_folder());
}

static int take_scale(const char *text, double *scale, struct err *e)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value > 0) || value > 1000 ||
	    strspn(text, "0123456789.") != strlen(text))
		return err_set(e, ERR_USAGE, "--scale is a number above 0, up to 1000, not \"%s\"",
			       text);
	*scale = value;
	return 0;
}

/* "5%", "5": a share of the median. */
static int take_within(const char *text, double *within, struct err *e)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || strspn(text, "0123456789.") != (size_t)(end - text) ||
	    (*end && strcmp(end, "%")) || !(value >= 0.1) || value > 100)
		return err_set(e, ERR_USAGE, "--within is a percentage from 0.1 to 100, not \"%s\"",
			       text);
	*within = value / 100;
	return 0;
}

/* So many runs, or until they are sure. */
static int take_repeats(struct bench_order *o, struct err *e)
{
	bool aim = option("within") || option("most");
	uint64_t reps = o->reps, most = 30;

	if (option("reps") && !strcmp(option("reps"), "auto"))
		aim = true;
	else if (option("reps") && count_parse("--reps", option("reps"), 1, 1000, &reps, e) < 0)
		return -1;
	if (option("most") && count_parse("--most", option("most"), 1, 1000, &most, e) < 0)
		return -1;
	o->reps = (unsigned)reps;
	if (!aim)
		return 0;
	if (most < reps && option("most"))
		return err_set(e, ERR_USAGE, "--most %s is less than the least, %u", option("most"),
			       o->reps);
	o->within = 0.05;
	o->most = (unsigned)(most < reps ? reps : most);
	return option("within") ? take_within(option("within"), &o->within, e) : 0;
}

static int take_options(struct arena *a, struct bench_order *o, struct err *e)
{
	const char *op = option("op");

	*o = (struct bench_order){ .write = true, .read = true, .reps = 7, .scale = 1,
				   .cache = CACHE_COLD, .no_wait = option("no-wait"),
				   .db = option("db") };
	if (take_workloads(a, o, e) < 0)
		return -1;
	if (op && strcmp(op, "write") && strcmp(op, "read"))
		return err_set(e, ERR_USAGE, "--op is write or read, not \"%s\"", op);
	if (op)
		*(!strcmp(op, "write") ? &o->read : &o->write) = false;
	if (take_repeats(o, e) < 0)
		return -1;
	if (option("scale") && take_scale(option("scale"), &o->scale, e) < 0)
		return -1;
	if (option("cache") && cache_parse(option("cache"), &o->cache, e) < 0)
		return -1;
	return 0;
}

/* What is about to happen, before a byte is written. */
static void announce(const struct bench_order *o, const struct bench_forecast *f)
{
	char wr[SIZE_TEXT], need[SIZE_TEXT], got[SIZE_TEXT], rd[SIZE_TEXT];
	struct sbuf label = { 0 };
	bool aim = f->most_runs > f->runs;

	sbuf_add_safe(&label, o->label);
	printf("%s\n", label.text);
	printf("%u runs: %zu %s, %u repetitions, scale %g, cache before reading: %s\n", f->runs,
	       o->workloads.n, o->workloads.n == 1 ? "class" : "classes", o->reps,
	       o->scale, cache_word(o->cache));
	if (aim)
		printf("and more, up to %u of each, until the interval of the median is within %g %%: "
		       "at most %u runs,\n%s written and %s read\n", o->most, 100 * o->within,
		       f->most_runs, size_text(wr, f->most_write_bytes, SIZE_SI),
		       size_text(rd, f->most_read_bytes, SIZE_SI));
	printf("writes %s and reads %s %s; holds %s at most of %s free; time: known after "
	       "the first round\n", size_text(wr, f->write_bytes, SIZE_SI),
	       size_text(rd, f->read_bytes, SIZE_SI),
	       aim ? "at least" : "in all", size_text(need, f->need_bytes, SIZE_SI),
	       size_text(got, f->free_bytes, SIZE_SI));
	if (o->suite) {
		printf("suite %s", o->suite);
		if (o->cap_ns)
			printf(": no run begins after %s", duration_text(need, o->cap_ns));
		putchar('\n');
	}
	if (o->read && o->cache == CACHE_COLD && geteuid() == 0)
		puts("drops the whole machine's page cache before each read");
	if (o->reps < 6)
		puts("n: fewer than 6 runs, so lowest to highest is no 95 % interval");
	sbuf_done(&label);
	fflush(stdout);
}

static const char *rate_text(char buf[SIZE_TEXT], double bps)
{
	return number_text(buf, bps / 1e6);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* One line that is drawn over itself. */
static void progress(struct show *s, const json_t *j)
{
	char rate[SIZE_TEXT], got[SIZE_TEXT], all[SIZE_TEXT], disk[SIZE_TEXT], left[SIZE_TEXT];
	uint64_t bytes = json_u64(j, "bytes", 0), t = json_u64(j, "t_ns", 0);
	uint64_t worked = s->worked + bytes, spent = now_ns() - s->began_ns;
	struct sbuf line = { 0 };

	if (bytes < s->last_bytes || t < s->last_ns)	/* another run began */
		s->last_bytes = s->last_ns = 0, s->now_bps = 0;
	if (t - s->last_ns >= 900000000) {
		s->now_bps = (double)(bytes - s->last_bytes) * 1e9 / (double)(t - s->last_ns);
		s->last_bytes = bytes;
		s->last_ns = t;
	}
	sbuf_addf(&line, "%s %s %" PRIu64 "/%" PRIu64 "  ", json_str(j, "class"), json_str(j, "op"),
		  json_u64(j, "rep", 0), json_u64(j, "of", 0));
	if (!strcmp(json_str(j, "phase"), "sync"))
		sbuf_add(&line, "to the disks  ");
	else if (t)
		sbuf_addf(&line, "%s MB/s  ", rate_text(rate, s->now_bps > 0 ? s->now_bps :
							(double)bytes * 1e9 / (double)t));
	sbuf_addf(&line, "%s of %s, disks %s", size_text(got, bytes, SIZE_SI),
		  size_text(all, json_u64(j, "total_bytes", 0), SIZE_SI),
		  size_text(disk, json_u64(j, "disk_bytes", 0), SIZE_SI));
	if (s->worked && worked < s->work)
		sbuf_addf(&line, ", about %s left", duration_text(left, (uint64_t)
			  ((double)spent / (double)worked * (double)(s->work - worked))));
	printf("\r%.*s\033[K", (int)s->columns - 1, line.text);
	fflush(stdout);
	sbuf_done(&line);
}

/* Bytes at the disks to bytes of files; "-" when there is no disk that could be asked. */
static const char *ratio_text(char buf[SIZE_TEXT], const json_t *j)
{
	uint64_t bytes = json_u64(j, "bytes", 0);
	const json_t *flag;
	size_t i;

	json_array_foreach(json_object_get(j, "flags"), i, flag) {
		if (!strcmp(json_string_value(flag), "nodisk"))
			return strcpy(buf, "-");
	}
	snprintf(buf, SIZE_TEXT, "%.2f", (double)json_u64(j, "disk_bytes", 0) /
		 (double)(bytes ? bytes : 1));
	return buf;
}

/* Of a run by records: how many a second, and how long one took. */
static void show_records(const json_t *j)
{
	uint64_t ops = json_u64(j, "ops", 0), ns = json_u64(j, "felt_ns", 0);
	char rate[SIZE_TEXT], p50[SIZE_TEXT], p99[SIZE_TEXT], max[SIZE_TEXT];

	if (!ops || !ns)
		return;
	printf("  %s ops/s, p50 %s, p99 %s, max %s",
	       number_text(rate, (double)ops * 1e9 / (double)ns),
	       latency_text(p50, json_u64(j, "p50_ns", 0)),
	       latency_text(p99, json_u64(j, "p99_ns", 0)),
	       latency_text(max, json_u64(j, "max_ns", 0)));
}

static void show_run(struct show *s, const json_t *j)
{
	char felt[SIZE_TEXT], durable[SIZE_TEXT], ratio[SIZE_TEXT];
	const json_t *flag;
	size_t i;

	s->worked += json_u64(j, "bytes", 0);
	s->last_bytes = s->last_ns = 0;
	s->now_bps = 0;
	printf("%s%-11s %-*s %2" PRIu64 "/%-2" PRIu64 " %8s MB/s felt",
	       s->tty ? "\r\033[K" : "", json_str(j, "class"), (int)s->op_width, json_str(j, "op"),
	       json_u64(j, "rep", 0), json_u64(j, "of", 0),
	       rate_text(felt, (double)json_u64(j, "bps", 0)));
	if (strstr(json_str(j, "op"), "write"))
		printf(" %8s durable", rate_text(durable, (double)json_u64(j, "durable_bps", 0)));
	else
		printf("%17s", "");
	printf("   disks:file %s", ratio_text(ratio, j));
	show_records(j);
	json_array_foreach(json_object_get(j, "flags"), i, flag)
		printf(" %s", json_string_value(flag));
	if (json_is_true(json_object_get(j, "verified")))
		printf(" compared");
	putchar('\n');
	fflush(stdout);
}

enum { CLASS_WIDTH = 13, NUMBERS = 34 };

/* The operation's letter, or its whole name where there are more than write and read. */
static void draw_result(struct grid *g, unsigned row, unsigned bar, unsigned width, double top,
			const json_t *j)
{
	char median[SIZE_TEXT], min[SIZE_TEXT], max[SIZE_TEXT], ratio[SIZE_TEXT];
	struct sbuf text = { 0 }, range = { 0 };
	unsigned flags;

	grid_text(g, row, 0, json_str(j, "class"));
	grid_text(g, row, CLASS_WIDTH, bar > CLASS_WIDTH + 2 ? json_str(j, "op") :
		  !strcmp(json_str(j, "op"), "write") ? "w" : "r");
	chart_bar(g, row, bar, width, top, (double)json_u64(j, "min_bps", 0) / 1e6,
		  (double)json_u64(j, "median_bps", 0) / 1e6,
		  (double)json_u64(j, "max_bps", 0) / 1e6);
	sbuf_addf(&range, "%s-%s", rate_text(min, (double)json_u64(j, "min_bps", 0)),
		  rate_text(max, (double)json_u64(j, "max_bps", 0)));
	sbuf_addf(&text, "%7s %11s %5s", rate_text(median, (double)json_u64(j, "median_bps", 0)),
		  range.text, ratio_text(ratio, j));
	flags = flags_read(json_object_get(j, "flags"));
	if (flags_doubt(flags))
		chart_doubt(g, row, bar, width);
	sbuf_addc(&text, ' ');
	flags_letters(flags, " ", &text);
	grid_text(g, row, bar + width + 1, text.text);
	sbuf_done(&text);
	sbuf_done(&range);
}

/* What the numbers of runs are worth: in one line when they are all the same. */
static void say_statistics(const struct show *s)
{
	const json_t *first = json_array_get(s->results, 0), *j, *run;
	char low[SIZE_TEXT], high[SIZE_TEXT];
	struct sbuf words = { 0 };
	bool same = true;
	size_t i, k;

	json_array_foreach(s->results, i, j)
		same = same && json_u64(j, "runs", 0) == json_u64(first, "runs", 0);
	if (same)
		stats_confidence_words((size_t)json_u64(first, "runs", 0), &words);
	if (same)
		sbuf_addc(&words, '\n');
	json_array_foreach(s->results, i, j) {
		unsigned flags = flags_read(json_object_get(j, "flags"));
		const json_t *outliers = json_object_get(j, "outliers");
		bool cap = !strcmp(json_str(j, "repeat") ? json_str(j, "repeat") : "", "cap");

		if (same && !cap && !(flags & (FLAG_DRIFT | FLAG_OUTLIER)))
			continue;
		sbuf_addf(&words, "%s %s: ", json_str(j, "class"), json_str(j, "op"));
		if (json_object_get(j, "interval_sure"))
			sbuf_addf(&words, "%s median from %s to %s MB/s with %.1f %%",
				  strstr(json_str(j, "op"), "write") ? "durable" : "its",
				  number_text(low, (double)json_u64(j, "interval_low_bps", 0) / 1e6),
				  number_text(high, (double)json_u64(j, "interval_high_bps", 0) / 1e6),
				  fmin(99.9, 100 * json_number_value(json_object_get(j, "interval_sure"))));
		else
			stats_confidence_words((size_t)json_u64(j, "runs", 0), &words);
		if (cap)
			sbuf_addf(&words, "; not within %g %%, and no more runs were allowed",
				  100 * json_number_value(json_object_get(j, "within")));
		if (flags & FLAG_DRIFT)
			sbuf_addf(&words, "; %s one after the other, p = %.2g",
				  json_number_value(json_object_get(j, "drift")) > 0 ? "faster" : "slower",
				  json_number_value(json_object_get(j, "drift_p")));
		json_array_foreach(outliers, k, run)
			sbuf_addf(&words, "%s %" JSON_INTEGER_FORMAT, k ? "," : "; far off, kept: run",
				  json_integer_value(run));
		sbuf_addc(&words, '\n');
	}
	fputs(sbuf_str(&words), stdout);
	sbuf_done(&words);
}

static void draw_results(const struct show *s)
{
	unsigned columns = s->columns < 60 ? 60 : s->columns > 120 ? 120 : s->columns;
	unsigned bar = CLASS_WIDTH + (s->op_width > 5 ? s->op_width + 1 : 2);
	unsigned width = columns - bar - NUMBERS, row = 1, flags = 0;
	const json_t *j;
	struct sbuf out = { 0 };
	struct grid g;
	double most = 0, top;
	size_t i;

	if (!json_array_size(s->results))
		return;
	json_array_foreach(s->results, i, j)
		most = fmax(most, (double)json_u64(j, "max_bps", 0) / 1e6);
	top = chart_top(most);
	grid_init(&g, (unsigned)json_array_size(s->results) + 1, columns);
	grid_text(&g, 0, 0, "class        op");
	chart_scale(&g, 0, bar, width, top);
	grid_text(&g, 0, bar + width + 1, "   MB/s     min-max   d:f");
	json_array_foreach(s->results, i, j)
		draw_result(&g, row++, bar, width, top, j);
	json_array_foreach(s->results, i, j)
		flags |= flags_read(json_object_get(j, "flags"));
	grid_print(&g, s->tty ? tier_for(nl_langinfo(CODESET), getenv("TERM")) :
			      tier_for(nl_langinfo(CODESET), NULL),
		   s->tty && !getenv("NO_COLOR"), &out);
	sbuf_add(&out, "felt: until the last close; d:f: bytes at the disks to bytes of files\n");
	flags_legend(flags, columns - 1, &out);
	printf("\n%s%s", sbuf_str(&out), flags ? "\n" : "");
	say_statistics(s);
	sbuf_done(&out);
	grid_done(&g);
}

static void take_event(struct show *s, json_t *j)
{
	const char *kind = json_str(j, "event");

	if (!kind)
		return;
	if (s->json) {
		char *line = json_line(j);

		puts(line);
		fflush(stdout);
		free(line);
	}
	if (!strcmp(kind, "end")) {
		s->status = (int)json_u64(j, "exit", json_is_true(json_object_get(j, "ok")) ? 0 : 1);
		free(s->text);
		s->text = json_str(j, "text") ? strdup(json_str(j, "text")) : NULL;
	} else if (s->json) {
		;
	} else if (!strcmp(kind, "begin")) {
		s->work = json_u64(j, "write_bytes", 0) + json_u64(j, "read_bytes", 0);
	} else if (!strcmp(kind, "sample") && s->tty) {
		progress(s, j);
	} else if (!strcmp(kind, "wait") && s->tty) {
		printf("\r%s: %s\033[K", json_str(j, "class"), json_str(j, "text"));
		fflush(stdout);
	} else if (!strcmp(kind, "capped")) {
		printf("%s%s\n", s->tty ? "\r\033[K" : "", json_str(j, "text"));
	} else if (!strcmp(kind, "run")) {
		show_run(s, j);
	} else if (!strcmp(kind, "result")) {
		json_array_append(s->results, j);
	}
}

/* Follow the executor to its end; a signal is passed on, and then its end is awaited. */
static int follow(struct show *s, const json_t *order, struct err *e)
{
	struct executor x;
	int asked = 0, rc;

	if (executor_start(order, false, &x, e) < 0)
		return -1;
	for (;;) {
		json_t *event = NULL;

		if (wants_end != asked) {
			asked = wants_end;
			executor_stop(&x);
		}
		executor_wait(&x, 200);
		rc = executor_next(&x, &event, e);
		if (rc < 0)
			break;
		if (rc > 0)
			take_event(s, event);
		json_decref(event);
	}
	executor_done(&x);
	return e->kind == ERR_NONE ? 0 : -1;
}

static unsigned terminal_columns(void)
{
	struct winsize w;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

static int measure(const struct bench_order *o, struct err *e)
{
	struct show s = {
		.json = option("json"), .tty = isatty(STDOUT_FILENO) && !option("json"),
		.columns = terminal_columns(), .results = json_array(), .began_ns = now_ns(),
		.status = 1, .op_width = 5,
	};
	struct sigaction sa = { .sa_handler = on_signal };
	json_t *order = bench_order_json(o);
	size_t i;
	int rc;

	for (i = 0; i < o->workloads.n; i++) {
		if (!workload_is_copy(o->workloads.at[i]))
			s.op_width = 11;
	}
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	rc = follow(&s, order, e);
	if (s.tty)
		printf("\r\033[K");
	if (!s.json)
		draw_results(&s);
	if (rc == 0 && s.status != 0) {
		rc = err_set(e, (enum err_kind)s.status, "%s", s.text ? s.text :
			     "the measurement ended without a word");
	}
	json_decref(order);
	json_decref(s.results);
	free(s.text);
	return rc;
}

static int run(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct bench_order o;
	struct bench_forecast f;
	struct err e = { 0 };
	int rc;

	setlocale(LC_CTYPE, "");
	if (argc != 1) {
		arena_free(a);
		return argc ? usage_error("\"%s\" is one word too many; one NAME or DIR is measured",
					  argv[1]) :
			      usage_error("it wants the NAME of a build or a directory");
	}
	rc = take_options(a, &o, &e);
	if (rc == 0)
		rc = bench_find_target(a, argv[0], &o, &e);
	if (rc == 0)
		rc = bench_forecast(&o, &f, &e);
	if (rc == 0 && !option("json"))
		announce(&o, &f);
	if (rc == 0)
		rc = measure(&o, &e);
	arena_free(a);
	return rc ? fail(&e) : 0;
}

static const struct verb_option options[] = {
	{ .name = "workload", .value = "W", .many = true,
	  .help = "a class or a suite (naslab workloads lists them); \"all\" are all that are copied; "
		  "without it those of them up to 2 GB" },
	{ .name = "op", .value = "OP", .help = "only write, or only read" },
	{ .name = "reps", .value = "N",
	  .help = "repetitions of each class (7, or the suite's); auto: until they are sure" },
	{ .name = "within", .value = "P%",
	  .help = "repeat until the 95 % interval of the median is so narrow (5 %)" },
	{ .name = "most", .value = "N", .help = "but not more often than this (30)" },
	{ .name = "scale", .value = "F",
	  .help = "the bytes of a class times this (1, or the suite's)" },
	{ .name = "cache", .value = "STATE",
	  .help = "before reading: cold, warm or as-is (cold, or the suite's)" },
	{ .name = "no-wait", .help = "not for a sync or a cache below: the runs are marked" },
	{ .name = "json", .help = "JSON lines: sample, run, result" },
	{ .name = NULL }
};

const struct verb verb_bench = {
	.name = "bench",
	.usage = "NAME|DIR [--workload W]... [--op write|read] [--reps N|auto] [--scale F]",
	.help = "measure what a build or a directory does with a NAS's files",
	.about = "Writes and reads sets of files in NAME's file system or below DIR, in a directory\n"
		 "of its own that is removed whatever happens. Every class is measured N times, in\n"
		 "rounds; the bar goes from the lowest to the highest run, its mark is the median.\n"
		 "The disks' own counters are shown beside: a read that moved nothing at the disks\n"
		 "came from memory.",
	.options = options, .run = run,
};
