/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results chart and results compare: bars on the terminal. */
#include "cmd/results.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/cmd.h"

unsigned results_columns(void)
{
	struct winsize w;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

void results_print(struct grid *g)
{
	bool tty = isatty(STDOUT_FILENO);
	struct sbuf out = { 0 };
	enum tier tier;

	setlocale(LC_CTYPE, "");
	tier = option("ascii") ? TIER_ASCII :
		tier_for(nl_langinfo(CODESET), tty ? getenv("TERM") : NULL);
	grid_print(g, tier, tty && !getenv("NO_COLOR"), &out);
	fputs(sbuf_str(&out), stdout);
	sbuf_done(&out);
	grid_done(g);
}

static int check_op(const char *word, struct err *e)
{
	const char *words[BENCH_OPS], *near;
	size_t i;

	for (i = 0; i < BENCH_OPS; i++) {
		words[i] = bench_op_word((enum bench_op)i);
		if (!strcmp(words[i], word))
			return 0;
	}
	near = nearest_word(word, words, BENCH_OPS);
	return near ? err_set(e, ERR_USAGE, "there is no operation \"%s\"; did you mean \"%s\"?",
			      word, near) :
		      err_set(e, ERR_USAGE, "--op is an operation such as write, read or create, not "
			      "\"%s\"", word);
}

int results_filter(struct report_filter *f, struct err *e)
{
	*f = (struct report_filter){ .class = option("class"), .op = option("op"),
				     .durable = option("durable"), .every = option("all"),
				     .by_layout = option("layouts"), .campaign = option("campaign") };
	return f->op ? check_op(f->op, e) : 0;
}

int results_nothing(const json_t *results, const struct report_filter *f, struct err *e)
{
	const char *words[256];
	const json_t *r;
	const char *near;
	size_t i, n = 0;

	json_array_foreach(results, i, r) {
		if (n < sizeof(words) / sizeof(words[0]) && json_str(r, "class"))
			words[n++] = json_str(r, "class");
	}
	if (!n)
		return err_set(e, ERR_FAIL, "nothing was measured yet");
	near = f->class ? nearest_word(f->class, words, n) : NULL;
	if (f->class && near && strcmp(near, f->class))
		return err_set(e, ERR_USAGE, "nothing was measured in the class \"%s\"; did you mean "
			       "\"%s\"?", f->class, near);
	return err_set(e, ERR_FAIL, "nothing was measured of that class and operation");
}

int results_chart(struct store *st, int argc, char **argv, struct err *e)
{
	struct arena *a = arena_new();
	struct report_picture *p;
	struct report_filter f;
	json_t *results = NULL;
	size_t n, i;
	int rc;

	(void)argc;
	(void)argv;
	rc = results_filter(&f, e);
	if (rc == 0)
		rc = store_results_with_runs(st, NULL, 0, false, &results, e);
	if (rc == 0) {
		report_pictures(a, results, &f, &p, &n);
		if (!n)
			rc = results_nothing(results, &f, e);
		for (i = 0; i < n; i++) {
			struct grid g;

			report_picture_grid(&p[i], results_columns(), &g);
			results_print(&g);
			putchar('\n');
		}
	}
	json_decref(results);
	arena_free(a);
	return rc;
}

static void print_side(char side, const json_t *r)
{
	struct sbuf text = { 0 };

	sbuf_add_safe(&text, json_str(r, "label") ? json_str(r, "label") : "?");
	if (json_str(r, "published")) {
		sbuf_add(&text, " (published: ");
		sbuf_add_safe(&text, json_str(r, "published"));
		sbuf_addc(&text, ')');
	}
	printf(" %c  %s\n", side, sbuf_str(&text));
	sbuf_done(&text);
}

static void print_pairs(const struct report_pair *pairs, size_t n, bool durable)
{
	struct sbuf words = { 0 }, class = { 0 };
	struct grid g;
	size_t i;

	print_side('A', pairs[0].a);
	print_side('B', pairs[0].b);
	printf(" %s\n\n", durable ? "durable: until it is on the disks" :
				    "felt: until the last close");
	report_pairs_grid(pairs, n, results_columns(), &g);
	results_print(&g);
	putchar('\n');
	for (i = 0; i < n; i++) {
		sbuf_clear(&words);
		sbuf_clear(&class);
		sbuf_add_safe(&class, json_str(pairs[i].a, "class"));
		report_pair_words(&pairs[i], &words);
		printf(" %s %s: %s\n", sbuf_str(&class), json_str(pairs[i].a, "op"),
		       sbuf_str(&words));
	}
	sbuf_done(&words);
	sbuf_done(&class);
}

int results_compare(struct store *st, int argc, char **argv, struct err *e)
{
	struct arena *a = arena_new();
	struct report_pair *pairs;
	struct report_filter f;
	json_t *results = NULL, *j;
	size_t n;
	int rc;

	(void)argc;
	rc = results_filter(&f, e);
	if (rc == 0)
		rc = store_results_with_runs(st, NULL, 0, false, &results, e);
	if (rc == 0)
		rc = report_compare(a, results, argv[0], argv[1], &f, &pairs, &n, e);
	if (rc == 0 && option("json")) {
		char *line;

		j = report_pairs_json(pairs, n, f.durable);
		line = json_line(j);
		puts(line);
		free(line);
		json_decref(j);
	} else if (rc == 0) {
		print_pairs(pairs, n, f.durable);
	}
	json_decref(results);
	arena_free(a);
	return rc;
}
