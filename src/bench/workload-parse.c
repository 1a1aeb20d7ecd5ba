/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload-parse - what is measured, as text: one statement a line, words or key=value
 * behind it, # begins a comment. title and about take the rest of their line. A bad file is
 * one sentence with the file and the line. The words are those of workload-words.c.
 */
#include "bench/workload.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"

enum { MOST_WORDS = 64 };

int workload_bad(struct reading *r, const char *fmt, ...)
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

static bool is_statement(const struct workload_row *row, const char *stmt)
{
	return !row->word.key && !strcmp(row->word.stmt, stmt);
}

static const struct workload_row *find_row(const char *stmt, const char *key)
{
	const struct workload_row *row;

	for (row = workload_rows; row->word.stmt; row++) {
		if (key ? row->word.key && !strcmp(row->word.stmt, stmt) &&
			  !strcmp(row->word.key, key) : is_statement(row, stmt))
			return row;
	}
	return NULL;
}

static int no_such_key(struct reading *r, const char *stmt, const char *key)
{
	const char *words[MOST_WORDS], *near;
	const struct workload_row *row;
	size_t n = 0;

	for (row = workload_rows; row->word.stmt && n < MOST_WORDS; row++) {
		if (row->word.key && !strcmp(row->word.stmt, stmt))
			words[n++] = row->word.key;
	}
	near = nearest_word(key, words, n);
	if (near)
		return workload_bad(r, "%s has no \"%s\"; did you mean \"%s\"?", stmt, key, near);
	return workload_bad(r, "%s has no \"%s\"", stmt, key);
}

static int take_word(struct reading *r, const struct workload_row *stmt, char *word)
{
	char *value = strchr(word, '=');
	const struct workload_row *row;

	if (!value && stmt->set)
		return stmt->set(r, word);
	if (!value)
		return workload_bad(r, "%s wants key=value, not \"%s\"", stmt->word.stmt, word);
	*value++ = '\0';
	row = find_row(stmt->word.stmt, word);
	return row ? row->set(r, value) : no_such_key(r, stmt->word.stmt, word);
}

static int no_such_statement(struct reading *r, const char *word)
{
	const char *words[MOST_WORDS], *near;
	const struct workload_row *row;
	size_t n = 0;

	for (row = workload_rows; row->word.stmt && n < MOST_WORDS; row++) {
		if (!row->word.key)
			words[n++] = row->word.stmt;
	}
	near = nearest_word(word, words, n);
	return near ? workload_bad(r, "there is no \"%s\"; did you mean \"%s\"?", word, near) :
		      workload_bad(r, "there is no \"%s\"", word);
}

static int begin_fileset(struct reading *r)
{
	if (r->w.n_sets == WORKLOAD_SETS)
		return workload_bad(r, "one fileset too many; %d is the most", WORKLOAD_SETS);
	r->set = &r->w.sets[r->w.n_sets++];
	*r->set = (struct fileset){ .seed = r->w.n_sets, .shape = 1.5 };
	r->size = 0;
	r->sized = false;
	return 0;
}

static int take_statement(struct reading *r, const struct workload_row *stmt, char *rest)
{
	bool fileset = !strcmp(stmt->word.stmt, "fileset");
	char *save = NULL, *word;

	if (!strcmp(stmt->word.stmt, "title"))
		return r->w.title = arena_strdup(r->a, rest), 0;
	if (!strcmp(stmt->word.stmt, "about"))
		return r->w.about = arena_strdup(r->a, rest), 0;
	if (fileset && begin_fileset(r) < 0)
		return -1;
	for (word = strtok_r(rest, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		if (take_word(r, stmt, word) < 0)
			return -1;
	}
	return fileset ? workload_settle_set(r) : 0;
}

static int take_line(struct reading *r, char *line)
{
	char *rest;
	const struct workload_row *stmt;

	line = line_statement(line, &rest);
	if (!line)
		return 0;
	stmt = find_row(line, NULL);
	if (!stmt)
		return no_such_statement(r, line);
	if (!*rest)
		return workload_bad(r, "%s says nothing", line);
	return take_statement(r, stmt, rest);
}

int workload_parse(struct arena *a, const char *name, const char *text, const char *from,
		   struct workload *out, struct err *e)
{
	struct reading r = {
		.a = a, .from = from, .e = e,
		.w = { .name = arena_strdup(a, name), .bs = MIB, .width = 100, .depth = 1, .arena = a, .threads = 1,
		       .cache = CACHE_COLD },
	};
	char *copy = arena_strdup(a, text), *line;

	while ((line = strsep(&copy, "\n"))) {
		r.line++;
		if (take_line(&r, line) < 0)
			return -1;
	}
	if (workload_settle(&r) < 0)
		return -1;
	*out = r.w;
	return 0;
}
