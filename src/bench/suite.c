/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite - workloads under one name with the rule they are run by, as text: one statement a
 * line, # begins a comment. A suite may name other suites, never itself.
 */
#include "bench/suite.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "base/shipped.h"
#include "base/text.h"
#include "base/units.h"

enum { MOST_TEXT = 64 * 1024, DEEPEST = 8 };

static const char suffix[] = ".suite";

/* A suite while it is read; `above` is the one that names it. */
struct reading {
	struct arena *a;
	const char *name, *from;
	unsigned line, depth;
	const struct reading *above;
	const struct list *all;		/* the workloads there are */
	struct suite s;
	struct err *e;
};

static int find(struct arena *a, const char *name, const struct reading *above,
		const struct list *all, struct suite *out, struct err *e);

static int bad(struct reading *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int bad(struct reading *r, const char *fmt, ...)
{
	struct sbuf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	sbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	err_set(r->e, ERR_USAGE, "%s line %u: %s", r->from, r->line, sbuf_str(&text));
	sbuf_done(&text);
	return -1;
}

static void add_once(struct arena *a, struct list *to, struct workload *w)
{
	if (!workload_in(to, w->name))
		list_add(a, to, w);
}

static bool is_above(const struct reading *r, const char *name)
{
	for (; r; r = r->above) {
		if (!strcmp(r->name, name))
			return true;
	}
	return false;
}

/* char *: of the files in the folder; none when it cannot be read. */
static void names_of_suites(struct arena *a, struct list *out)
{
	struct list names = { 0 };
	size_t i;

	*out = (struct list){ 0 };
	shipped_names(a, workload_folder(), suffix, &names);
	for (i = 0; i < names.n; i++) {
		if (shipped_name_is_plain(names.at[i]))
			list_add(a, out, names.at[i]);
	}
}

/* Neither a workload nor a suite: what is near, out of both. Always -1. */
static int no_such(struct arena *a, const struct list *all, const char *name, struct err *e)
{
	const char **words = arena_array(a, all->n + 1, sizeof(*words)), *near;
	struct list suites = { 0 };
	size_t i;

	for (i = 0; i < all->n; i++)
		words[i] = ((const struct workload *)all->at[i])->name;
	near = nearest_word(name, words, all->n);
	names_of_suites(a, &suites);
	if (!near && suites.n)
		near = nearest_word(name, (const char *const *)suites.at, suites.n);
	if (near)
		return err_set(e, ERR_USAGE, "there is no workload or suite \"%s\"; did you mean "
			       "\"%s\"?", name, near);
	return err_set(e, ERR_USAGE, "there is no workload or suite \"%s\"; naslab workloads lists "
		       "them (%s)", name, workload_folder());
}

/* A suite of that name, else a workload. */
static int take_workload(struct reading *r, char *word)
{
	struct workload *w;
	struct suite other;
	struct err e = { 0 };
	size_t i;
	int rc;

	if (!strcmp(word, r->name))
		return bad(r, "%s names itself", r->name);
	if (is_above(r->above, word))
		return bad(r, "%s is named by %s, which it names itself", r->name, word);
	rc = find(r->a, word, r, r->all, &other, &e);
	if (rc == 0) {
		r->s.times |= other.times;
		for (i = 0; i < other.workloads.n; i++)
			add_once(r->a, &r->s.workloads, other.workloads.at[i]);
		return 0;
	}
	w = workload_in(r->all, word);
	if (rc > 0 && w) {
		add_once(r->a, &r->s.workloads, w);
		return 0;
	}
	if (rc > 0)
		no_such(r->a, r->all, word, &e);
	return bad(r, "%s", e.text);
}

static int take_reps(struct reading *r, char *word)
{
	struct err e = { 0 };
	uint64_t n;

	if (count_parse("reps", word, 1, 1000, &n, &e) < 0)
		return bad(r, "%s", e.text);
	r->s.reps = (unsigned)n;
	return 0;
}

static int take_scale(struct reading *r, char *word)
{
	char *end;
	double value = strtod(word, &end);

	if (end == word || *end || !(value > 0) || value > 1000 ||
	    strspn(word, "0123456789.") != strlen(word))
		return bad(r, "scale is a number above 0, up to 1000, not \"%s\"", word);
	r->s.scale = value;
	return 0;
}

static int take_cache(struct reading *r, char *word)
{
	struct err e = { 0 };

	if (cache_parse(word, &r->s.cache, &e) < 0)
		return bad(r, "%s", e.text);
	r->s.has_cache = true;
	return 0;
}

static int take_cap(struct reading *r, char *word)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 } };
	char *end;
	uint64_t n = strtoull(word, &end, 10);
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!isdigit((unsigned char)*word) || n < 1 || n > 100000 ||
		    *end != units[i].unit || end[1])
			continue;
		r->s.cap_ns = n * units[i].seconds * 1000000000;
		return 0;
	}
	return bad(r, "time-cap is a number of seconds, minutes or hours, as in 90s, 30m or 2h, "
		   "not \"%s\"", word);
}

static int take_times(struct reading *r, char *word)
{
	if (strcmp(word, "usable"))
		return bad(r, "times is usable, not \"%s\"", word);
	r->s.times = true;
	return 0;
}

static const struct statement {
	const char *word;
	int (*take)(struct reading *r, char *word);	/* NULL: the rest of the line */
	bool many;
	const char *value, *help;	/* for the manual */
} statements[] = {
	{ .word = "title", .value = "text", .help = "What it is, for lists" },
	{ .word = "about", .value = "text", .help = "One sentence more" },
	{ .word = "workload", .take = take_workload, .many = true, .value = "NAME ...",
	  .help = "What is measured, each once: workloads, or other suites with all that they "
		  "name. May be repeated" },
	{ .word = "reps", .take = take_reps, .value = "N",
	  .help = "Repetitions of each workload, from 1 to 1000" },
	{ .word = "scale", .take = take_scale, .value = "F",
	  .help = "The bytes of each workload times this" },
	{ .word = "cache", .take = take_cache, .value = "STATE",
	  .help = "Before reading: cold, cold:remount, cold:export, warm or as-is" },
	{ .word = "times", .take = take_times, .value = "usable",
	  .help = "Of a build also how long it took until it was usable and until it was idle; it is "
		  "waited for" },
	{ .word = "time-cap", .take = take_cap, .value = "TIME",
	  .help = "No workload is begun after so long, as in 90s, 30m or 2h; the first one always "
		  "is. Results with fewer runs than asked for are marked as partial" },
};

enum { STATEMENTS = sizeof(statements) / sizeof(statements[0]) };

bool suite_statement(size_t i, const char **word, const char **value, const char **help)
{
	if (i >= STATEMENTS)
		return false;
	*word = statements[i].word;
	*value = statements[i].value;
	*help = statements[i].help;
	return true;
}

static int take_words(struct reading *r, const struct statement *s, char *rest)
{
	char *save = NULL, *word = strtok_r(rest, " \t", &save);

	do {
		if (s->take(r, word) < 0)
			return -1;
		word = strtok_r(NULL, " \t", &save);
	} while (word && s->many);
	return word ? bad(r, "%s takes one word; \"%s\" is one too many", s->word, word) : 0;
}

static int take_line(struct reading *r, char *line)
{
	const char *words[STATEMENTS], *near;
	char *rest;
	size_t i;

	line = line_statement(line, &rest);
	if (!line)
		return 0;
	for (i = 0; i < STATEMENTS && strcmp(line, statements[i].word); i++)
		words[i] = statements[i].word;
	if (i == STATEMENTS) {
		near = nearest_word(line, words, i);
		return near ? bad(r, "there is no \"%s\"; did you mean \"%s\"?", line, near) :
			      bad(r, "there is no \"%s\"", line);
	}
	if (!*rest)
		return bad(r, "%s says nothing", line);
	if (statements[i].take)
		return take_words(r, &statements[i], rest);
	*(!strcmp(line, "title") ? &r->s.title : &r->s.about) = arena_strdup(r->a, rest);
	return 0;
}

static int parse(struct arena *a, const char *name, const char *text, const char *from,
		 const struct reading *above, struct suite *out, struct err *e)
{
	struct reading r = {
		.a = a, .name = name, .from = from, .above = above, .all = above->all, .e = e,
		.depth = above->depth + 1, .s = { .name = arena_strdup(a, name) },
	};
	char *copy = arena_strdup(a, text), *line;

	if (r.depth > DEEPEST)
		return err_set(e, ERR_USAGE, "%s: suites name suites more than %d deep", from, DEEPEST);
	while ((line = strsep(&copy, "\n"))) {
		r.line++;
		if (take_line(&r, line) < 0)
			return -1;
	}
	if (!r.s.workloads.n && !r.s.times)
		return bad(&r, "there is no workload");
	if (!r.s.title)
		r.s.title = r.s.name;
	*out = r.s;
	return 0;
}

int suite_parse(struct arena *a, const char *name, const char *text, const char *from,
		struct suite *out, struct err *e)
{
	struct list all = { 0 };

	return workload_list_all(a, &all, e) < 0 ? -1 :
	       parse(a, name, text, from, &(struct reading){ .name = "", .all = &all }, out, e);
}

static int find(struct arena *a, const char *name, const struct reading *above,
		const struct list *all, struct suite *out, struct err *e)
{
	const char *path = arena_printf(a, "%s/%s%s", workload_folder(), name, suffix);
	const struct reading top = { .name = "", .all = all };
	struct sbuf text = { 0 };
	int rc;

	if (!shipped_name_is_plain(name) || access(path, F_OK) != 0)
		return 1;
	if (file_read(path, MOST_TEXT, &text) < 0) {
		sbuf_done(&text);
		return err_sys(e, "cannot read the suite %s", path);
	}
	if (strlen(sbuf_str(&text)) != text.len)
		rc = err_set(e, ERR_USAGE, "%s: this is no text", path);
	else
		rc = parse(a, name, sbuf_str(&text), path, above ? above : &top, out, e);
	sbuf_done(&text);
	return rc;
}

int suite_find(struct arena *a, const char *name, struct suite *out, struct err *e)
{
	struct list all = { 0 };

	return workload_list_all(a, &all, e) < 0 ? -1 : find(a, name, NULL, &all, out, e);
}

int suite_list(struct arena *a, struct list *out, struct err *e)
{
	struct list names, all = { 0 };
	size_t i;

	if (workload_list_all(a, &all, e) < 0)
		return -1;
	names_of_suites(a, &names);
	*out = (struct list){ 0 };
	for (i = 0; i < names.n; i++) {
		struct suite *s = arena_alloc(a, sizeof(*s));

		if (find(a, names.at[i], NULL, &all, s, e) < 0)
			return -1;
		list_add(a, out, s);
	}
	return 0;
}

int bench_add_named(struct arena *a, struct bench_order *o, const char *name,
		    const struct suite **suite, struct err *e)
{
	struct suite *s = arena_alloc(a, sizeof(*s));
	struct workload *w, *same;
	struct list all = { 0 };
	size_t i;
	int rc = workload_list_all(a, &all, e);

	*suite = NULL;
	if (rc == 0)
		rc = find(a, name, NULL, &all, s, e);
	if (rc < 0)
		return -1;
	if (rc == 0) {
		for (i = 0; i < s->workloads.n; i++)
			add_once(a, &o->workloads, s->workloads.at[i]);
		*suite = s;
		return 0;
	}
	w = workload_in(&all, name);
	if (!w && workload_is_own(a, name)) {
		w = arena_alloc(a, sizeof(*w));
		if (workload_find(a, name, w, e) < 0)
			return -1;
	}
	if (!w)
		return no_such(a, &all, name, e);
	same = workload_in(&o->workloads, w->name);
	if (same && same->path && w->path && strcmp(same->path, w->path) != 0)
		return err_set(e, ERR_USAGE, "%s and %s have one name, and so would their results", same->path,
			       w->path);
	add_once(a, &o->workloads, w);
	return 0;
}

void suite_rule(const struct suite *s, struct bench_order *o)
{
	if (s->reps)
		o->reps = s->reps;
	if (s->scale > 0)
		o->scale = s->scale;
	if (s->has_cache)
		o->cache = s->cache;
	if (s->cap_ns)
		o->cap_ns = s->cap_ns;
	o->times |= s->times;
	o->suite = s->name;
}
