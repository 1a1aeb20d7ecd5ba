/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse - a campaign file: one statement a line, and one sentence for what is none. */
#include "campaign/campaign.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "bench/suite.h"
#include "layout/layer.h"

enum { MOST_TEXT = 65536, MOST_WORDS = 256, MOST_AXES = 8, MOST_LAYOUTS = 200 };

/* One line at work. */
struct line {
	struct campaign *c;
	unsigned number;
	char *words[MOST_WORDS + 1];
	size_t n;
	const char *rest;	/* all after the first word */
	unsigned *seen;		/* the line where each statement stood first */
	const char *table[2];	/* the axes of the statement table */
	unsigned table_line;
};

static int wrong(const struct line *l, struct err *e)
{
	e->kind = ERR_USAGE;
	return err_in(e, "%.120s, line %u", l->c->from, l->number);
}

static int one_word(const struct line *l, struct err *e)
{
	if (l->n == 2)
		return 0;
	return err_set(e, ERR_USAGE, "%s takes one word, not %zu", l->words[0], l->n - 1);
}

static int take_name(struct line *l, struct err *e)
{
	if (one_word(l, e))
		return -1;
	if (!name_is_valid(l->words[1]))
		return err_set(e, ERR_USAGE, "\"%.40s\" is no name for a campaign and its builds: a-z, "
			       "0-9 and -, first a letter, at most 20", l->words[1]);
	l->c->name = l->words[1];
	return 0;
}

static void take_words(struct line *l, struct list *to)
{
	size_t i;

	for (i = 1; i < l->n; i++)
		list_add(l->c->arena, to, l->words[i]);
}

static int take_disks(struct line *l, struct err *e)
{
	(void)e;
	take_words(l, &l->c->disks);
	return 0;
}

static int take_cache_disks(struct line *l, struct err *e)
{
	(void)e;
	take_words(l, &l->c->cache_disks);
	return 0;
}

static int take_layout(struct line *l, struct err *e)
{
	struct campaign_layout *layout = arena_alloc(l->c->arena, sizeof(*layout));

	if (l->c->layouts.n == MOST_LAYOUTS)
		return err_set(e, ERR_USAGE, "more than %d layouts", MOST_LAYOUTS);
	*layout = (struct campaign_layout){ .text = l->rest, .line = l->number };
	list_add(l->c->arena, &l->c->layouts, layout);
	return 0;
}

/* Is there a layer with this option, or does this one have it? */
static int check_axis(const struct axis *x, struct err *e)
{
	const char *names[128], *near;
	size_t i, k, n = 0;

	for (i = 0; layers[i]; i++) {
		const struct layer *l = layers[i];

		if (x->layer && strcmp(x->layer, l->name))
			continue;
		if (layer_option(l, x->option))
			return 0;
		for (k = 0; l->options && l->options[k].name && n < 128; k++)
			names[n++] = l->options[k].name;
		if (x->layer)
			break;
	}
	if (!layers[i] && x->layer)
		return err_set(e, ERR_USAGE, "there is no layer \"%.40s\"; naslab layouts --layers lists "
			       "them", x->layer);
	near = nearest_word(x->option, names, n);
	return err_set(e, ERR_USAGE, "%s%s has %s option \"%.40s\"%s%s%s",
		       x->layer ? "the layer " : "no layer", x->layer ? x->layer : "",
		       x->layer ? "no" : "an", x->option, near ? "; did you mean " : "",
		       near ? near : "", near ? "?" : "");
}

/* Memory is no option of a layer. */
static int check_ram(const struct axis *x, struct err *e)
{
	uint64_t bytes;
	size_t i;

	for (i = 0; i < x->values.n; i++) {
		const char *value = x->values.at[i];

		if (strcmp(value, "-") && bench_ram_parse("ram", value, &bytes, e))
			return -1;
	}
	return 0;
}

static int take_axis(struct line *l, struct err *e)
{
	struct axis *x = arena_alloc(l->c->arena, sizeof(*x));
	size_t i, k;
	char *dot;

	if (l->n < 3)
		return err_set(e, ERR_USAGE, "axis wants what varies and its values: axis md.chunk 64K 512K");
	if (l->c->axes.n == MOST_AXES)
		return err_set(e, ERR_USAGE, "more than %d axes", MOST_AXES);
	x->line = l->number;
	for (i = 2; i < l->n; i++) {
		for (k = 2; k < i; k++) {
			if (!strcmp(l->words[k], l->words[i]))
				return err_set(e, ERR_USAGE, "the value %.40s is given twice", l->words[i]);
		}
		list_add(l->c->arena, &x->values, l->words[i]);
	}
	list_add(l->c->arena, &l->c->axes, x);
	if (!strcmp(l->words[1], "fs"))
		return 0;
	dot = strchr(l->words[1], '.');
	if (dot) {
		*dot = '\0';
		x->layer = l->words[1];
	}
	x->option = dot ? dot + 1 : l->words[1];
	x->ram = !dot && !strcmp(x->option, "ram");
	return x->ram ? check_ram(x, e) : check_axis(x, e);
}

/* Workloads, and suites for all of theirs; the run rule is the campaign's own. */
static int take_workload(struct line *l, struct err *e)
{
	struct campaign *c = l->c;
	size_t i, k;

	for (i = 1; i < l->n; i++) {
		struct bench_order named = { 0 };
		const struct suite *suite;

		if (bench_add_named(c->arena, &named, l->words[i], &suite, e))
			return -1;
		for (k = 0; k < named.workloads.n; k++) {
			struct workload *w = named.workloads.at[k];
			bool there = workload_in(&c->workloads, w->name);

			if (there && !suite)
				return err_set(e, ERR_USAGE, "the workload %s is given twice", w->name);
			if (workload_look(w, e))
				return -1;
			if (!there)
				list_add(c->arena, &c->workloads, w);
		}
	}
	return 0;
}

static int take_count(struct line *l, uint64_t most, uint64_t *out, struct err *e)
{
	if (one_word(l, e))
		return -1;
	return count_parse(l->words[0], l->words[1], 1, most, out, e);
}

static int take_reps(struct line *l, struct err *e)
{
	uint64_t n = 0;

	if (take_count(l, 1000, &n, e))
		return -1;
	l->c->reps = (unsigned)n;
	return 0;
}

static int take_rounds(struct line *l, struct err *e)
{
	uint64_t n = 0;

	if (take_count(l, 100, &n, e))
		return -1;
	l->c->rounds = (unsigned)n;
	return 0;
}

static int take_seed(struct line *l, struct err *e)
{
	return take_count(l, 1ull << 53, &l->c->seed, e);
}

static int take_scale(struct line *l, struct err *e)
{
	char *end;

	if (one_word(l, e))
		return -1;
	l->c->scale = strtod(l->words[1], &end);
	if (*end || end == l->words[1] || !(l->c->scale > 0) || l->c->scale > 1000 ||
	    strspn(l->words[1], "0123456789.") != strlen(l->words[1]))
		return err_set(e, ERR_USAGE, "scale is a number above 0, up to 1000, not \"%.40s\"",
			       l->words[1]);
	return 0;
}

static int take_op(struct line *l, struct err *e)
{
	size_t i;

	l->c->write = l->c->read = false;
	for (i = 1; i < l->n; i++) {
		if (!strcmp(l->words[i], "write"))
			l->c->write = true;
		else if (!strcmp(l->words[i], "read"))
			l->c->read = true;
		else
			return err_set(e, ERR_USAGE, "op is write, read or both, not \"%.40s\"", l->words[i]);
	}
	return 0;
}

static int take_ram(struct line *l, struct err *e)
{
	return one_word(l, e) ? -1 : bench_ram_parse("ram", l->words[1], &l->c->ram, e);
}

static int take_wait(struct line *l, struct err *e)
{
	if (one_word(l, e))
		return -1;
	l->c->no_wait = !strcmp(l->words[1], "no");
	if (!l->c->no_wait && strcmp(l->words[1], "yes"))
		return err_set(e, ERR_USAGE, "wait is yes or no, not \"%.40s\"", l->words[1]);
	return 0;
}

static int take_within(struct line *l, struct err *e)
{
	return one_word(l, e) ? -1 : bench_within_parse("within", l->words[1], &l->c->within, e);
}

static int take_most(struct line *l, struct err *e)
{
	uint64_t n = 0;

	if (take_count(l, 1000, &n, e))
		return -1;
	l->c->most = (unsigned)n;
	return 0;
}

static int take_engine(struct line *l, struct err *e)
{
	return one_word(l, e) ? -1 : engine_parse(l->words[1], &l->c->engine, e);
}

static int take_cache(struct line *l, struct err *e)
{
	return one_word(l, e) ? -1 : cache_parse(l->words[1], &l->c->cache, e);
}

static int take_title(struct line *l, struct err *e)
{
	(void)e;
	l->c->title = l->rest;
	return 0;
}

/* Its axes may stand behind it, so they are looked for at the end. */
static int take_table(struct line *l, struct err *e)
{
	if (l->n != 3)
		return err_set(e, ERR_USAGE, "table wants two axes, for rows and columns: table md.chunk "
			       "md.consistency");
	l->table[0] = l->words[1];
	l->table[1] = l->words[2];
	l->table_line = l->number;
	return 0;
}

static const struct statement {
	const char *word;
	bool many;		/* may stand in several lines */
	int (*take)(struct line *l, struct err *e);
	const char *value, *help;
} statements[] = {
	{ "name", false, take_name, "NAME",
	  "of the campaign and of the builds it makes; without it that of the file" },
	{ "disks", true, take_disks, "DISK...",
	  "the disks; words of the command line stand for them" },
	{ "cache-disks", true, take_cache_disks, "DISK...",
	  "disks that cache" },
	{ "layout", true, take_layout, "LAYOUT",
	  "a recipe or a one-line form; there may be many" },
	{ "axis", true, take_axis, "LAYER.OPTION VALUE...",
	  "every layout with that layer is measured with each value; without LAYER "
	  "every layer that has the option takes it, fs is the file system, ram the memory "
	  "to measure in, and the value - leaves the layout as it is written" },
	{ "workload", true, take_workload, "NAME...",
	  "what is measured: workloads, and suites for all of theirs" },
	{ "reps", false, take_reps, "N",
	  "runs of each workload and operation (7)" },
	{ "rounds", false, take_rounds, "N",
	  "how often every layout is built and measured (1)" },
	{ "scale", false, take_scale, "F",
	  "all sizes times F (1)" },
	{ "op", false, take_op, "write|read...",
	  "only what writes, or only what reads" },
	{ "cache", false, take_cache, "cold|warm|as-is",
	  "the page cache before reading, instead of what the workload says" },
	{ "ram", false, take_ram, "SIZE",
	  "measure in so much memory, page cache included" },
	{ "wait", false, take_wait, "yes|no",
	  "no: not for a sync, nor for a cache to empty; the runs are flagged (yes)" },
	{ "within", false, take_within, "PERCENT",
	  "repeat until the 95 % interval of the median is within so much of it" },
	{ "most", false, take_most, "N",
	  "but not more often than this (30)" },
	{ "engine", false, take_engine, "naslab|rsync",
	  "who copies" },
	{ "seed", false, take_seed, "N",
	  "of the order: shuffled in a round, turned round in the next, so that a "
	  "steady drift cancels out (7)" },
	{ "title", false, take_title, "TEXT",
	  "for lists" },
	{ "table", false, take_table, "AXIS AXIS",
	  "the medians also as tables of two axes, for rows and columns, with the ratio"
	  " of each column to the first" },
};

enum { N_STATEMENTS = sizeof(statements) / sizeof(statements[0]) };

bool campaign_statement(size_t i, const char **word, const char **value, const char **help)
{
	if (i >= N_STATEMENTS)
		return false;
	*word = statements[i].word;
	*value = statements[i].value;
	*help = statements[i].help;
	return true;
}

static int take_statement(struct line *l, struct err *e)
{
	const char *names[N_STATEMENTS], *near;
	size_t i;

	for (i = 0; i < N_STATEMENTS; i++) {
		names[i] = statements[i].word;
		if (strcmp(l->words[0], names[i]))
			continue;
		if (l->n < 2)
			return err_set(e, ERR_USAGE, "%s says nothing", names[i]);
		if (!statements[i].many && l->seen[i])
			return err_set(e, ERR_USAGE, "%s was given in line %u already", names[i],
				       l->seen[i]);
		l->seen[i] = l->number;
		return statements[i].take(l, e);
	}
	near = nearest_word(l->words[0], names, N_STATEMENTS);
	return err_set(e, ERR_USAGE, "there is no statement \"%.40s\"%s%s%s", l->words[0],
		       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* Cut a line into words; the rest after the first is kept whole as well. */
static int take_line(struct line *l, const char *text, size_t len, struct err *e)
{
	struct arena *a = l->c->arena;
	char *copy = arena_strndup(a, text, len), *save = NULL, *word, *rest;
	size_t i;

	for (i = 0; i < len; i++) {
		if (((unsigned char)text[i] < 0x20 && text[i] != '\t') || text[i] == 0x7f)
			return err_set(e, ERR_USAGE, "it holds a control character (0x%02x)",
				       (unsigned char)text[i]);
	}
	l->n = 0;
	for (word = strtok_r(copy, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		if (l->n == MOST_WORDS)
			return err_set(e, ERR_USAGE, "more than %d words", MOST_WORDS);
		l->words[l->n++] = word;
	}
	if (!l->n || *l->words[0] == '#')
		return 0;
	rest = arena_strndup(a, text, len);
	rest += strspn(rest, " \t");
	rest += strcspn(rest, " \t");
	rest += strspn(rest, " \t");
	for (len = strlen(rest); len && isblank((unsigned char)rest[len - 1]);)
		rest[--len] = '\0';
	l->rest = rest;
	return take_statement(l, e);
}

/* The file's own name when it is one that a build may have. */
static const char *default_name(struct campaign *c)
{
	const char *slash = strrchr(c->from, '/');
	char *name = arena_strdup(c->arena, slash ? slash + 1 : c->from);
	char *dot = strrchr(name, '.');

	if (dot)
		*dot = '\0';
	return name_is_valid(name) ? name : NULL;
}

const struct axis *campaign_axis(const struct campaign *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->axes.n; i++) {
		if (!strcmp(axis_name(c->arena, c->axes.at[i]), name))
			return c->axes.at[i];
	}
	return NULL;
}

static int find_table(struct campaign *c, const struct line *l, struct err *e)
{
	const struct axis *axes[2];
	int i;

	for (i = 0; i < 2; i++) {
		axes[i] = campaign_axis(c, l->table[i]);
		if (!axes[i])
			return err_set(e, ERR_USAGE, "%.120s, line %u: there is no axis \"%.40s\" to make a "
				       "table of", c->from, l->table_line, l->table[i]);
	}
	if (axes[0] == axes[1])
		return err_set(e, ERR_USAGE, "%.120s, line %u: rows and columns are the same axis", c->from,
			       l->table_line);
	c->table_rows = axes[0];
	c->table_columns = axes[1];
	return 0;
}

static int check_whole(struct campaign *c, const struct line *l, struct err *e)
{
	if (!c->name)
		c->name = default_name(c);
	if (!c->name)
		return err_set(e, ERR_USAGE, "%.120s: it wants a line \"name NAME\" (a-z, 0-9 and -, first "
			       "a letter, at most 20)", c->from);
	if (!c->layouts.n)
		return err_set(e, ERR_USAGE, "%.120s: it wants a line \"layout NAME\"", c->from);
	if (!c->workloads.n)
		return err_set(e, ERR_USAGE, "%.120s: it wants a line \"workload NAME\"", c->from);
	if (c->most && !(c->within > 0))
		return err_set(e, ERR_USAGE, "%.120s: most says how often at most, so it wants a line "
			       "\"within 5%%\"", c->from);
	if (c->most && c->most < c->reps)
		return err_set(e, ERR_USAGE, "%.120s: most %u is less than the least, reps %u", c->from,
			       c->most, c->reps);
	if (c->within > 0 && !c->most)
		c->most = c->reps > 30 ? c->reps : 30;
	if (l->table_line && find_table(c, l, e))
		return -1;
	return campaign_expand(c, e);
}

int campaign_parse(const char *text, const char *from, struct campaign **out, struct err *e)
{
	struct arena *a = arena_new();
	struct campaign *c = arena_alloc(a, sizeof(*c));
	unsigned seen[N_STATEMENTS] = { 0 };
	struct line l = { .c = c, .seen = seen };
	int rc = 0;

	*c = (struct campaign){ .arena = a, .from = arena_strdup(a, from),
				.source = arena_strdup(a, text), .reps = 7, .rounds = 1,
				.scale = 1, .write = true, .read = true, .cache = CACHE_OWN,
				.seed = 7 };
	while (*text && rc == 0) {
		size_t len = strcspn(text, "\n");

		l.number++;
		rc = take_line(&l, text, len, e);
		if (rc)
			wrong(&l, e);
		text += len + (text[len] == '\n');
	}
	if (rc == 0)
		rc = check_whole(c, &l, e);
	if (rc) {
		arena_free(a);
		return -1;
	}
	*out = c;
	return 0;
}

int campaign_open(const char *path, struct campaign **out, struct err *e)
{
	struct sbuf text = { 0 };
	int rc;

	if (file_read(path, MOST_TEXT, &text)) {
		if (errno == EFBIG)
			return err_set(e, ERR_USAGE, "%.200s: longer than %d bytes, so it is no campaign",
				       path, MOST_TEXT);
		return err_sys(e, "%.200s", path);
	}
	if (strlen(sbuf_str(&text)) != text.len)
		rc = err_set(e, ERR_USAGE, "%.200s: it holds a zero byte, so it is no campaign", path);
	else
		rc = campaign_parse(sbuf_str(&text), path, out, e);
	sbuf_done(&text);
	return rc;
}

void campaign_free(struct campaign *c)
{
	if (c)
		arena_free(c->arena);
}
