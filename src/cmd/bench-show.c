/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-show - the events of a measurement on standard output: JSON lines as they come, or a
 * line for each run with its flags, and at the end a bar for each class.
 */
#include "cmd/bench.h"

#include <inttypes.h>
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/rates.h"

uint64_t bench_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* How far it is: bytes, or what is counted; of a loop nobody knows how much it will be. */
static void add_done(struct sbuf *line, const json_t *j)
{
	char got[SIZE_TEXT], all[SIZE_TEXT];
	const struct bench_unit *u = bench_unit(j);

	if (!u->counts)
		sbuf_addf(line, "%s of %s", size_text(got, json_u64(j, "bytes", 0), SIZE_SI),
			  size_text(all, json_u64(j, "total_bytes", 0), SIZE_SI));
	else if (json_u64(j, "total_ops", 0))
		sbuf_addf(line, "%" PRIu64 " of %" PRIu64 " %s", json_u64(j, "ops", 0),
			  json_u64(j, "total_ops", 0), u->word);
	else
		sbuf_addf(line, "%" PRIu64 " %s", json_u64(j, "ops", 0), u->word);
	sbuf_addf(line, ", disks %s", size_text(got, json_u64(j, "disk_bytes", 0), SIZE_SI));
}

/* One line that is drawn over itself. */
static void progress(struct bench_show *s, const json_t *j)
{
	char rate[SIZE_TEXT], left[SIZE_TEXT];
	const struct bench_unit *u = bench_unit(j);
	uint64_t n = json_u64(j, u->counts ? "ops" : "bytes", 0), t = json_u64(j, "t_ns", 0);
	uint64_t worked = s->worked + json_u64(j, "bytes", 0);
	uint64_t spent = bench_now_ns() - s->began_ns;
	struct sbuf line = { 0 };

	if (n < s->last_n || t < s->last_ns)	/* another run began */
		s->last_n = s->last_ns = 0, s->now = 0;
	if (t - s->last_ns >= 900000000) {
		s->now = (double)(n - s->last_n) * 1e9 / (double)(t - s->last_ns);
		s->last_n = n;
		s->last_ns = t;
	}
	sbuf_addf(&line, "%s %s %" PRIu64 "/%" PRIu64 "  ", json_str(j, "class"), json_str(j, "op"),
		  json_u64(j, "rep", 0), json_u64(j, "of", 0));
	if (!strcmp(json_str(j, "phase"), "sync"))
		sbuf_add(&line, "to the disks  ");
	else if (t)
		sbuf_addf(&line, "%s %s  ", bench_rate_text(rate, u, s->now > 0 ? s->now :
							    (double)n * 1e9 / (double)t), u->text);
	add_done(&line, j);
	if (s->worked && worked < s->work)
		sbuf_addf(&line, ", about %s left", duration_text(left, (uint64_t)
			  ((double)spent / (double)worked * (double)(s->work - worked))));
	printf("\r%.*s\033[K", (int)text_fit(line.text, s->columns - 1), line.text);
	fflush(stdout);
	sbuf_done(&line);
}

/* Of many single operations: how many a second, and how long one took. */
static void show_ops(const json_t *j)
{
	uint64_t ops = json_u64(j, "ops", 0), ns = json_u64(j, "felt_ns", 0);
	uint64_t bytes = json_u64(j, "bytes", 0);
	char rate[SIZE_TEXT];

	if (!ops || !ns)
		return;
	fputs("  ", stdout);
	if (!bench_unit(j)->counts)
		printf("%s ops/s, ", number_text(rate, (double)ops * 1e9 / (double)ns));
	else if (bytes)
		printf("%s MB/s, ", plain_number_text(rate, (double)bytes * 1e3 / (double)ns));
	put_latency(j);
}

/* The steps of a loop, a line each. */
static void show_steps(const json_t *j)
{
	const json_t *step;
	size_t i;

	json_array_foreach(json_object_get(j, "steps"), i, step) {
		printf("  %-8s %8" PRIu64 "  ", json_str(step, "step"), json_u64(step, "ops", 0));
		put_latency(step);
		putchar('\n');
	}
}

/* Before anything is timed: is the machine quiet, and who may write there? */
static void show_quiet(const json_t *begin)
{
	static const struct {
		const char *key, *words;
		double most;
	} kinds[] = {
		{ "io", "for disks", 0.1 }, { "cpu", "for processors", 0.3 },
		{ "memory", "for memory", 0.05 },
	};
	const json_t *pressure = json_object_get(begin, "pressure"), *who;
	const json_t *writers = json_object_get(begin, "writers");
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		double share = json_number_value(json_object_get(pressure, kinds[i].key));

		if (share > kinds[i].most)
			printf("the machine is not quiet: %.0f %% of the last 10 s somebody waited %s\n",
			       100 * share, kinds[i].words);
	}
	json_array_foreach(writers, i, who) {
		if (i == 4)
			break;
		fputs(i ? ", " : "open for writing on these disks: ", stdout);
		print_safe(stdout, json_string_value(who));
	}
	if (i)
		puts(i < json_array_size(writers) ? " ..." : "");
}

static void show_run(struct bench_show *s, const json_t *j)
{
	char felt[SIZE_TEXT], durable[SIZE_TEXT], ratio[SIZE_TEXT];
	const json_t *flag;
	size_t i;

	s->worked += json_u64(j, "bytes", 0);
	s->last_n = s->last_ns = 0;
	s->now = 0;
	printf("%s%-11s %-*s %2" PRIu64 "/%-2" PRIu64 " %8s %s felt",
	       s->tty ? "\r\033[K" : "", json_str(j, "class"), (int)s->op_width, json_str(j, "op"),
	       json_u64(j, "rep", 0), json_u64(j, "of", 0), rate_text(felt, j, "", false),
	       bench_unit(j)->text);
	if (json_is_true(json_object_get(j, "writes")))
		printf(" %8s durable", rate_text(durable, j, "", true));
	else
		printf("%17s", "");
	if (json_u64(j, "bytes", 0))
		printf("   disks:file %s", ratio_text(ratio, j));
	show_ops(j);
	json_array_foreach(json_object_get(j, "flags"), i, flag)
		printf(" %s", json_string_value(flag));
	json_array_foreach(json_object_get(j, "disturbed_by"), i, flag) {
		printf("%s", i ? ", " : " by ");
		print_safe(stdout, json_string_value(flag));
	}
	if (json_is_true(json_object_get(j, "verified")))
		printf(" compared");
	putchar('\n');
	put_streams(j, "             streams ");
	show_steps(j);
	fflush(stdout);
}

enum { CLASS_WIDTH = 13, NUMBERS = 34 };

/* The operation's letter, or its whole name where there are more than write and read. */
static void draw_result(struct grid *g, unsigned row, unsigned bar, unsigned width, double top,
			const json_t *j)
{
	char median[SIZE_TEXT], range[2 * SIZE_TEXT], ratio[SIZE_TEXT];
	const struct bench_unit *u = bench_unit(j);
	double min = bench_rate(j, "min", false), max = bench_rate(j, "max", false);
	struct sbuf text = { 0 };
	unsigned flags;

	grid_text(g, row, 0, json_str(j, "class"));
	grid_text(g, row, CLASS_WIDTH, bar > CLASS_WIDTH + 2 ? json_str(j, "op") :
		  !strcmp(json_str(j, "op"), "write") ? "w" : "r");
	chart_bar(g, row, bar, width, top, min, bench_rate(j, "median", false), max);
	sbuf_addf(&text, "%7s %11s %5s", rate_text(median, j, "median", false),
		  bench_range_text(range, u, min, max), u->counts ? "" : ratio_text(ratio, j));
	flags = flags_read(json_object_get(j, "flags"));
	if (flags_doubt(flags))
		chart_doubt(g, row, bar, width);
	sbuf_addc(&text, ' ');
	flags_letters(flags, " ", &text);
	grid_text(g, row, bar + width + 1, text.text);
	sbuf_done(&text);
}

/* What the numbers of runs are worth: in one line when they are all the same. */
static void say_statistics(const struct bench_show *s)
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
			sbuf_addf(&words, "%s median from %s to %s %s with %.1f %%",
				  json_is_true(json_object_get(j, "writes")) ? "durable" : "its",
				  rate_text(low, j, "interval_low", false),
				  rate_text(high, j, "interval_high", false), bench_unit(j)->text,
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

/* The results that are counted in one unit, on one scale. */
static void draw_unit(const struct bench_show *s, const struct bench_unit *u, struct sbuf *out)
{
	unsigned columns = s->columns < 60 ? 60 : s->columns > 120 ? 120 : s->columns;
	unsigned bar = CLASS_WIDTH + (s->op_width > 5 ? s->op_width + 1 : 2);
	unsigned width = columns - bar - NUMBERS, row = 1;
	char head[2 * SIZE_TEXT];
	double most = 0;
	const json_t *j;
	struct grid g;
	size_t i;

	json_array_foreach(s->results, i, j) {
		if (bench_unit(j) == u) {
			most = fmax(most, bench_rate(j, "max", false));
			row++;
		}
	}
	if (row == 1)
		return;
	most = chart_top(most / u->one) * u->one;
	grid_init(&g, row, columns);
	grid_text(&g, 0, 0, "class        op");
	chart_scale(&g, 0, bar, width, most / u->one);
	snprintf(head, sizeof(head), "%7s     min-max   %s", u->text, u->counts ? "" : "d:f");
	grid_text(&g, 0, bar + width + 1, head);
	row = 1;
	json_array_foreach(s->results, i, j) {
		if (bench_unit(j) == u)
			draw_result(&g, row++, bar, width, most, j);
	}
	sbuf_addc(out, '\n');
	grid_print(&g, s->tty ? tier_for(nl_langinfo(CODESET), getenv("TERM")) :
			      tier_for(nl_langinfo(CODESET), NULL),
		   s->tty && !getenv("NO_COLOR"), out);
	grid_done(&g);
}

void bench_show_results(const struct bench_show *s)
{
	static const char *const units[] = { "bytes", "files", "ops", "seeks" };
	unsigned columns = s->columns < 60 ? 60 : s->columns > 120 ? 120 : s->columns;
	struct sbuf out = { 0 };
	unsigned flags = 0;
	const json_t *j;
	size_t i;

	if (!json_array_size(s->results))
		return;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		draw_unit(s, bench_unit_find(units[i]), &out);
	json_array_foreach(s->results, i, j)
		flags |= flags_read(json_object_get(j, "flags"));
	sbuf_add(&out, "felt: until the last close; d:f: bytes at the disks to bytes of files\n");
	flags_legend(flags, columns - 1, &out);
	printf("%s%s", sbuf_str(&out), flags ? "\n" : "");
	say_statistics(s);
	sbuf_done(&out);
}

void bench_show_event(struct bench_show *s, json_t *j)
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
		show_quiet(j);
	} else if (!strcmp(kind, "sample") && s->tty) {
		progress(s, j);
	} else if (!strcmp(kind, "wait") && s->tty) {
		printf("\r%s: %s\033[K", json_str(j, "class") ? json_str(j, "class") :
		       json_str(j, "for") ? "first" : "cleaning", json_str(j, "text"));
		fflush(stdout);
	} else if (!strcmp(kind, "capped") || !strcmp(kind, "times")) {
		printf("%s%s\n", s->tty ? "\r\033[K" : "", json_str(j, "text"));
	} else if (!strcmp(kind, "run")) {
		show_run(s, j);
	} else if (!strcmp(kind, "result")) {
		json_array_append(s->results, j);
	}
}
