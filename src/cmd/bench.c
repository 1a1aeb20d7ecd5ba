/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verb bench: says what will be written, lets an executor measure, and shows what it
 * reports: JSON lines as they come, or a line of progress and a bar a class at the end.
 */
#include "cmd/bench.h"

#include <inttypes.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/follow.h"

/* Without --workload: what fits most machines. "all" is every class. */
static const uint64_t default_most = 2000000000;

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
	if (o->workloads.n || o->times)
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
	return option("within") ? bench_within_parse("--within", option("within"), &o->within, e) : 0;
}

static int take_options(struct arena *a, struct bench_order *o, struct err *e)
{
	const char *op = option("op");

	*o = (struct bench_order){ .write = true, .read = true, .reps = 7, .scale = 1,
				   .cache = CACHE_OWN, .no_wait = option("no-wait"),
				   .source = option("source"), .db = option("db") };
	if (take_workloads(a, o, e) < 0)
		return -1;
	if (op && strcmp(op, "write") && strcmp(op, "read"))
		return err_set(e, ERR_USAGE, "--op is write or read, not \"%s\"", op);
	if (op)
		*(!strcmp(op, "write") ? &o->read : &o->write) = false;
	if (take_repeats(o, e) < 0)
		return -1;
	/* what a workload says itself stands above the default, not above what is asked for */
	o->own_reps = !option("reps") && !o->suite;
	if (option("scale") && take_scale(option("scale"), &o->scale, e) < 0)
		return -1;
	if (option("engine") && engine_parse(option("engine"), &o->engine, e) < 0)
		return -1;
	if (option("ram") && bench_ram_parse("--ram", option("ram"), &o->ram, e) < 0)
		return -1;
	if (option("cache") && cache_parse(option("cache"), &o->cache, e) < 0)
		return -1;
	return 0;
}

/* The state all of them begin with, or that they differ. */
static const char *cache_text(const struct bench_order *o)
{
	const struct workload *first = o->workloads.at[0];
	size_t i;

	if (o->cache != CACHE_OWN)
		return cache_word(o->cache);
	for (i = 1; i < o->workloads.n; i++) {
		if (((const struct workload *)o->workloads.at[i])->cache != first->cache)
			return "as each says";
	}
	return cache_word(first->cache);
}

/* Is the cache dropped before anything of it that does not make the files? */
static bool begins_cold(const struct bench_order *o, const struct workload *w)
{
	enum cache_state cache = o->cache == CACHE_OWN ? w->cache : o->cache;

	return cache == CACHE_COLD && (workload_ops(w, o->write, o->read) & ~(1u << BENCH_WRITE));
}

/* What is about to happen, before a byte is written. */
static void announce(const struct bench_order *o, const struct bench_forecast *f)
{
	char wr[SIZE_TEXT], need[SIZE_TEXT], got[SIZE_TEXT], rd[SIZE_TEXT], least[SIZE_TEXT];
	struct sbuf label = { 0 };
	bool aim = f->most_runs > f->runs, cold = false, away = false;
	size_t i;

	sbuf_add_safe(&label, o->label);
	printf("%s\n", label.text);
	if (!o->workloads.n) {		/* only how long its build took */
		sbuf_done(&label);
		return;
	}
	printf("%u run%s: %zu %s, %u repetition%s, scale %g, cache before reading: %s\n", f->runs,
	       f->runs == 1 ? "" : "s", o->workloads.n, o->workloads.n == 1 ? "class" : "classes",
	       o->reps, o->reps == 1 ? "" : "s", o->scale, cache_text(o));
	for (i = 0; i < o->workloads.n; i++) {
		const struct workload *w = o->workloads.at[i];

		cold |= begins_cold(o, w);
		away |= cache_takes_away(o->cache == CACHE_OWN ? w->cache : o->cache);
		if (workload_unread(w))
			printf("%s: %zu files or folders of its data may not be read and are left out\n",
			       w->name, workload_unread(w));
		if (w->rams)
			printf("%s: %" PRIu64 " times this machine's memory are %s\n", w->name, w->rams,
			       size_text(wr, w->bytes, SIZE_SI));
	}
	if (aim)
		printf("and more, up to %u of each, until the interval of the median is within %g %%: "
		       "at most %u runs,\n%s written and %s read\n", o->most, 100 * o->within,
		       f->most_runs, size_text(wr, f->most_write_bytes, SIZE_SI),
		       size_text(rd, f->most_read_bytes, SIZE_SI));
	printf("writes %s and reads %s %s; holds %s at most of %s free; time: %s%s\n",
	       size_text(wr, f->write_bytes, SIZE_SI), size_text(rd, f->read_bytes, SIZE_SI),
	       aim ? "at least" : "in all", size_text(need, f->need_bytes, SIZE_SI),
	       size_text(got, f->free_bytes, SIZE_SI), f->least_ns ? "at least " : "known after "
	       "the first round", f->least_ns ? duration_text(least, f->least_ns) : "");
	if (o->engine == ENGINE_RSYNC)
		printf("copied by rsync -a -W --inplace, from and to %s\n",
		       o->source ? o->source : "memory");
	if (o->suite) {
		printf("suite %s", o->suite);
		if (o->cap_ns)
			printf(": no run begins after %s", duration_text(need, o->cap_ns));
		putchar('\n');
	}
	if (o->ram)
		printf("memory for engine and page cache: %s\n", size_text(need, o->ram, SIZE_IEC));
	if (cold && geteuid() == 0)
		puts("drops the whole machine's page cache before each read");
	if (away)
		printf("unmounts %s and mounts it again before each read\n", o->target);
	if (o->reps < 6)
		puts("n: fewer than 6 runs, so lowest to highest is no 95 % interval");
	sbuf_done(&label);
	fflush(stdout);
}

/* Follow the executor to its end; a signal is passed on, and then its end is awaited. */
static int follow_bench(struct bench_show *s, const json_t *order, struct err *e)
{
	const uint64_t patience_ns = 2000000000;
	uint64_t first_ns = 0;
	struct executor x;
	int asked = 0, rc;

	if (executor_start(order, false, &x, e) < 0)
		return -1;
	for (;;) {
		json_t *event = NULL;

		if (wants_end != asked && !asked)
			first_ns = bench_now_ns();
		/* two signals at once mean one end; who asks again later is tired of waiting */
		if (wants_end != asked && bench_now_ns() - first_ns > patience_ns) {
			err_set(e, ERR_FAIL, "stopped; what was written is still being removed, and that "
				"goes on in the background");
			break;
		}
		if (wants_end != asked) {
			asked = wants_end;
			executor_stop(&x);
		}
		executor_wait(&x, 200);
		rc = executor_next(&x, &event, e);
		if (rc < 0)
			break;
		if (rc > 0)
			bench_show_event(s, event);
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
	struct bench_show s = {
		.json = option("json"), .tty = isatty(STDOUT_FILENO) && !option("json"),
		.columns = terminal_columns(), .results = json_array(), .began_ns = bench_now_ns(),
		.status = 1, .op_width = 5,
	};
	json_t *order = bench_order_json(o);
	size_t i;
	int rc;

	for (i = 0; i < o->workloads.n; i++) {
		if (!workload_is_copy(o->workloads.at[i]))
			s.op_width = 12;
	}
	order_attach(order);		/* a measurement that nobody sees the end of is of no use */
	catch_end(on_signal);
	rc = follow_bench(&s, order, e);
	if (s.tty)
		printf("\r\033[K");
	if (!s.json)
		bench_show_results(&s);
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
	  .help = "a class or a suite (naslab workloads lists them), or a file of your own, "
		  "./NAME.workload; \"all\" are all that are copied; "
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
	  .help = "before reading: cold, cold:remount, cold:export, warm or as-is (cold, or the suite's)" },
	{ .name = "engine", .value = "E",
	  .help = "who copies: naslab, or rsync for numbers to hold beside published ones (naslab)" },
	{ .name = "source", .value = "DIR",
	  .help = "a directory on another disk that data come from; only for what says so" },
	{ .name = "ram", .value = "SIZE",
	  .help = "with so much memory only, page cache included; needs a control group" },
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
