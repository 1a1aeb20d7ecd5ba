/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recipe - the layout language.
 *
 * A recipe from a stranger is input: it can name layers and options and nothing else.
 * Everything it says is checked here against the table of layers, before any disk is
 * looked at.
 */
#include "layout/recipe.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"
#include "base/shipped.h"
#include "base/text.h"
#include "base/units.h"
#include "layout/layer.h"

enum { MOST_TEXT = 65536, MOST_LAYERS = 32, MOST_SETTINGS = 32 };

const char *stmt_value(const struct stmt *s, const char *key)
{
	size_t i;

	for (i = 0; i < s->n_settings; i++) {
		if (!strcmp(s->settings[i].key, key))
			return s->settings[i].value;
	}
	return NULL;
}

/* "layer 2, md" - how every complaint about a statement begins. */
static int complain(struct err *e, const struct stmt *st)
{
	return err_in(e, "layer %u, %s", st->line, st->layer);
}

static int unknown_layer(const char *word, struct err *e)
{
	const char *names[64];
	const char *near;
	size_t n = 0;

	for (; layers[n] && n < 64; n++)
		names[n] = layers[n]->name;
	near = nearest_word(word, names, n);
	if (near)
		return err_set(e, ERR_USAGE, "there is no layer \"%.40s\"; did you mean %s?", word, near);
	return err_set(e, ERR_USAGE, "there is no layer \"%.40s\"; naslab layouts --layers lists them", word);
}

static bool word_in(const char *word, size_t len, const char *words)
{
	const char *at = words;

	while (*at) {
		size_t n = strcspn(at, " ");

		if (n == len && !strncmp(at, word, n))
			return true;
		at += n + (at[n] == ' ');
	}
	return false;
}

/* The option that takes this word as its value: "bitmap" is one of consistency=. */
static const struct option *option_of_word(const struct layer *l, const char *word)
{
	const struct option *o;

	for (o = l->options; o && o->name; o++) {
		if (o->type == OPTION_WORD && word_in(word, strlen(word), o->words))
			return o;
	}
	return NULL;
}

static int unknown_option(const struct layer *l, const char *key, struct err *e)
{
	const struct option *o = option_of_word(l, key);
	struct sbuf all = { 0 };
	const char *names[64] = { NULL };
	const char *near;
	size_t n = 0;

	if (o)
		return err_set(e, ERR_USAGE, "there is no option \"%.40s\"; did you mean %s=%s?", key,
			       o->name, key);
	for (; l->options && l->options[n].name && n < 64; n++) {
		names[n] = l->options[n].name;
		sbuf_addf(&all, "%s%s", n ? " " : "", names[n]);
	}
	near = nearest_word(key, names, n);
	if (!n)
		err_set(e, ERR_USAGE, "takes no options, so not \"%.40s\"", key);
	else if (near)
		err_set(e, ERR_USAGE, "there is no option \"%.40s\"; did you mean %s?", key, near);
	else
		err_set(e, ERR_USAGE, "there is no option \"%.40s\"; those it has are: %s", key,
			sbuf_str(&all));
	sbuf_done(&all);
	return -1;
}

/* A list of words where one alone can be: "ppl,bitmap". */
static bool several_words(const char *value, const char *words)
{
	size_t n = strcspn(value, ",+");

	return value[n] && word_in(value, n, words);
}

/* A word without a value; where it is the value of an option, that is what was meant. */
static int bare_word(const struct stmt *st, const char *word, struct err *e)
{
	const struct layer *l = layer_find(st->layer);
	const struct option *o = l ? option_of_word(l, word) : NULL;

	err_set(e, ERR_USAGE, "options are written name=value, not \"%.40s\"%s%s%s%.40s%s", word,
		o ? "; did you mean " : "", o ? o->name : "", o ? "=" : "", o ? word : "", o ? "?" : "");
	return complain(e, st);
}

/* Mount options: a checked alphabet here; the layer's own table says which words. */
static int check_mount(const char *value, struct err *e)
{
	static const char alphabet[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=:,-";
	size_t ok = strspn(value, alphabet);

	if (!*value || value[ok] || strlen(value) > 200)
		return err_set(e, ERR_USAGE, "mount options are words like noatime,compress=zstd:4, "
			       "not \"%.40s\"", value);
	return 0;
}

/* One name, that needs no quotes and hides nothing. */
static int check_folder(const struct option *o, const char *value, struct err *e)
{
	static const char alphabet[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

	if (value[strspn(value, alphabet)] || strchr(".-", *value) || strlen(value) > 32)
		return err_set(e, ERR_USAGE, "%s is the name of one folder, of letters, digits, - and _, "
			       "like images; not \"%.40s\"", o->name, value);
	return 0;
}

static int check_value(const struct option *o, const char *value, struct err *e)
{
	char least[SIZE_TEXT], most[SIZE_TEXT];
	uint64_t number;

	switch (o->type) {
	case OPTION_SIZE:
		if (o->percent && percent_parse(value, &number) && number <= 1000ull * o->percent)
			return 0;
		if (!(o->percent && strchr(value, '%')) && size_parse(value, &number, e))
			return err_in(e, "%s", o->name);
		if (!strchr(value, '%') && number >= o->min && number <= o->max)
			return 0;
		size_option_text(least, o->min);
		size_option_text(most, o->max);
		if (o->percent)
			return err_set(e, ERR_USAGE, "%s goes from %s to %s, or from 0%% to %u%%, not %.40s",
				       o->name, least, most, o->percent, value);
		return err_set(e, ERR_USAGE, "%s goes from %s to %s, not %.40s", o->name, least, most,
			       value);
	case OPTION_COUNT:
		return count_parse(o->name, value, o->min, o->max, &number, e);
	case OPTION_WORD:
		if (word_in(value, strlen(value), o->words))
			return 0;
		if (several_words(value, o->words))
			return err_set(e, ERR_USAGE, "%s is one of: %s; they exclude each other, so not "
				       "\"%.40s\"", o->name, o->words, value);
		return err_set(e, ERR_USAGE, "%s is one of: %s; not \"%.40s\"", o->name, o->words, value);
	case OPTION_YESNO:
		if (!strcmp(value, "yes") || !strcmp(value, "no"))
			return 0;
		return err_set(e, ERR_USAGE, "%s is yes or no, not \"%.40s\"", o->name, value);
	case OPTION_FOLDER:
		return check_folder(o, value, e);
	case OPTION_MOUNT:
		if (check_mount(value, e))
			return err_in(e, "%s", o->name);
		return 0;
	}
	return 0;
}

static int check_stmt(const struct stmt *st, struct err *e)
{
	const struct layer *l = layer_find(st->layer);
	size_t i, k;

	if (!l)
		return unknown_layer(st->layer, e);
	for (i = 0; i < st->n_settings; i++) {
		const struct option *o = layer_option(l, st->settings[i].key);

		for (k = 0; k < i; k++) {
			if (!strcmp(st->settings[k].key, st->settings[i].key)) {
				err_set(e, ERR_USAGE, "%s is given twice, %.40s and %.40s: leave one out",
					st->settings[i].key, st->settings[k].value, st->settings[i].value);
				return complain(e, st);
			}
		}
		if (!o ? unknown_option(l, st->settings[i].key, e) :
			 check_value(o, st->settings[i].value, e))
			return complain(e, st);
	}
	if (l->check && l->check(st, e))
		return complain(e, st);
	return 0;
}

/* One statement: a layer's name and its key=value words. */
static int read_stmt(struct arena *a, const char *text, size_t len, struct stmt *st, struct err *e)
{
	char *words = arena_strndup(a, text, len);
	char *save = NULL, *word;

	st->settings = arena_array(a, MOST_SETTINGS, sizeof(*st->settings));
	st->n_settings = 0;
	st->layer = strtok_r(words, " \t", &save);
	while ((word = strtok_r(NULL, " \t", &save))) {
		char *equals = strchr(word, '=');

		if (!equals || equals == word || !equals[1])
			return bare_word(st, word, e);
		if (st->n_settings == MOST_SETTINGS)
			return err_set(e, ERR_USAGE, "layer %u, %s: more than %d options",
				       st->line, st->layer, MOST_SETTINGS);
		*equals = '\0';
		st->settings[st->n_settings++] = (struct setting){ word, equals + 1 };
	}
	return check_stmt(st, e);
}

/* A line of the file form that is no layer: title, group, matrix, about, avoid. */
static bool read_header(struct recipe *r, const char *line, size_t len)
{
	static const char *const keys[] = { "title", "group", "matrix", "about", "avoid" };
	const char **const to[] = { &r->title, &r->group, &r->matrix, &r->about, &r->avoid };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		size_t n = strlen(keys[i]);

		if (len > n && !strncmp(line, keys[i], n) && isblank((unsigned char)line[n])) {
			while (n < len && isblank((unsigned char)line[n]))
				n++;
			/* a second line of the same goes on the first */
			*to[i] = *to[i] ? arena_printf(r->arena, "%s %.*s", *to[i], (int)(len - n), line + n)
					: arena_strndup(r->arena, line + n, len - n);
			return true;
		}
	}
	return false;
}

static int read_layers(struct recipe *r, const char *line, size_t len, struct err *e)
{
	size_t at = 0;

	for (;;) {
		size_t end = at, from, to;

		while (end < len && line[end] != '|')
			end++;
		for (from = at; from < end && isblank((unsigned char)line[from]); from++)
			;
		for (to = end; to > from && isblank((unsigned char)line[to - 1]); to--)
			;
		if (from == to)
			return err_set(e, ERR_USAGE, "a layer is missing beside a \"|\"");
		if (r->n_stmts == MOST_LAYERS)
			return err_set(e, ERR_USAGE, "more than %d layers", MOST_LAYERS);
		r->stmts[r->n_stmts].line = (unsigned)r->n_stmts + 1;
		if (read_stmt(r->arena, line + from, to - from, &r->stmts[r->n_stmts], e))
			return -1;
		r->n_stmts++;
		if (end == len)
			return 0;
		at = end + 1;
	}
}

static int check_flow(const struct recipe *r, struct err *e)
{
	size_t i;

	if (!r->n_stmts)
		return err_set(e, ERR_USAGE, "the layout has no layers");
	for (i = 0; i < r->n_stmts; i++) {
		const struct layer *l = layer_find(r->stmts[i].layer);
		enum thing have = i ? layer_find(r->stmts[i - 1].layer)->gives : THING_BLOCK;

		if (l->takes == have)
			continue;
		if (l->takes == THING_DIR)
			return err_set(e, ERR_USAGE, "layer %u, %s: joins directories, so a file system comes before it; "
				       "%s gives a block device", r->stmts[i].line, l->name,
				       i ? r->stmts[i - 1].layer : "a disk");
		return err_set(e, ERR_USAGE, "layer %u, %s: needs a block device, and %s gives a directory: "
			       "nothing but a join of directories can follow", r->stmts[i].line, l->name,
			       r->stmts[i - 1].layer);
	}
	return 0;
}

int recipe_parse(const char *text, const char *name, struct recipe **out, struct err *e)
{
	struct arena *a = arena_new();
	struct recipe *r = arena_alloc(a, sizeof(*r));
	const char *line = text;
	size_t i;

	r->arena = a;
	r->name = arena_strdup(a, name);
	r->stmts = arena_array(a, MOST_LAYERS, sizeof(*r->stmts));
	if (strlen(text) > MOST_TEXT) {
		err_set(e, ERR_USAGE, "the layout is longer than %d bytes", MOST_TEXT);
		goto fail;
	}
	for (i = 0; text[i]; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
			err_set(e, ERR_USAGE, "the layout holds a control character (0x%02x)", c);
			goto fail;
		}
	}
	while (*line) {
		size_t len = strcspn(line, "\n"), n = len;
		const char *from = line;

		line += len + (line[len] == '\n');
		while (n && isblank((unsigned char)*from))
			from++, n--;
		while (n && isblank((unsigned char)from[n - 1]))
			n--;
		if (!n || *from == '#' || read_header(r, from, n))
			continue;
		if (read_layers(r, from, n, e))
			goto fail;
	}
	if (check_flow(r, e))
		goto fail;
	*out = r;
	return 0;
fail:
	if (name)
		err_in(e, "%s", name);
	arena_free(a);
	return -1;
}

void recipe_free(struct recipe *r)
{
	if (r)
		arena_free(r->arena);
}

const char *recipe_folder(void)
{
	static char folder[PATH_MAX];

	return shipped_folder("NASLAB_LAYOUTS", "/layouts", folder);
}

static int open_file(const char *path, const char *name, struct recipe **out, struct err *e)
{
	struct sbuf text = { 0 };
	int rc;

	if (file_read(path, MOST_TEXT, &text)) {
		sbuf_done(&text);
		return err_sys(e, "cannot read the layout %s", path);
	}
	if (strlen(sbuf_str(&text)) != text.len) {
		sbuf_done(&text);
		return err_set(e, ERR_USAGE, "%s: the layout holds a control character (0x00)", path);
	}
	rc = recipe_parse(sbuf_str(&text), name, out, e);
	sbuf_done(&text);
	return rc;
}

static int unknown_recipe(const char *word, struct err *e)
{
	struct arena *a = arena_new();
	struct err quiet = { 0 };
	const char *near = NULL;
	char **names;
	size_t n;

	if (!recipe_names(a, &names, &n, &quiet))
		near = nearest_word(word, (const char *const *)names, n);
	if (near)
		err_set(e, ERR_USAGE, "there is no layout \"%.60s\"; did you mean %s?", word, near);
	else
		err_set(e, ERR_USAGE, "there is no layout \"%.60s\"; naslab layouts lists them, and "
			"'slice | md redundancy=1 | xfs' is one written out", word);
	arena_free(a);
	return -1;
}

int recipe_open(const char *word, struct recipe **out, struct err *e)
{
	size_t len = strlen(word);
	struct arena *a;
	const char *own;
	char *path;
	int rc;

	if (strpbrk(word, "| \t\n") || layer_find(word))
		return recipe_parse(word, NULL, out, e);
	if (strchr(word, '/') || (len > 7 && !strcmp(word + len - 7, ".layout"))) {
		const char *slash = strrchr(word, '/');

		a = arena_new();
		path = arena_strdup(a, slash ? slash + 1 : word);
		if (strrchr(path, '.'))
			*strrchr(path, '.') = '\0';
		rc = open_file(word, path, out, e);
		arena_free(a);
		return rc;
	}
	if (word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		return unknown_recipe(word, e);
	a = arena_new();
	own = own_folder(a, "layouts");
	path = own ? arena_printf(a, "%s/%s.layout", own, word) : NULL;
	if (!path || access(path, R_OK))
		path = arena_printf(a, "%s/%s.layout", recipe_folder(), word);
	if (access(path, R_OK))
		rc = unknown_recipe(word, e);
	else
		rc = open_file(path, word, out, e);
	arena_free(a);
	return rc;
}

int recipe_save(const struct recipe *r, const char *name, struct arena *a, char **path,
		struct err *e)
{
	char *folder = own_folder(a, "layouts"), *file, *slash;
	struct sbuf text = { 0 };
	int rc;

	if (!name_is_valid(name))
		return err_set(e, ERR_USAGE, "a layout's name has a-z, 0-9 and -, begins with a letter "
			       "and has at most 20 characters");
	if (!folder)
		return err_set(e, ERR_FAIL, "there is no home folder to save a layout in");
	file = arena_printf(a, "%s/%s.layout", folder, name);
	for (slash = strchr(file + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(file, 0755) && errno != EEXIST)
			return err_sys(e, "cannot make the folder %s", file);
		*slash = '/';
	}
	recipe_text(r, &text);
	rc = file_write_atomic(file, text.text, text.len, e);
	sbuf_done(&text);
	if (!rc && path)
		*path = file;
	return rc;
}

int recipe_names(struct arena *a, char ***names, size_t *n, struct err *e)
{
	struct list found = { 0 };

	shipped_names(a, own_folder(a, "layouts"), ".layout", &found);
	shipped_names(a, recipe_folder(), ".layout", &found);
	if (!found.n)
		return err_set(e, ERR_FAIL, "no layouts found in %s", recipe_folder());
	*names = (char **)found.at;
	*n = found.n;
	return 0;
}

static void stmt_line(const struct stmt *st, struct sbuf *out)
{
	size_t i;

	sbuf_add(out, st->layer);
	for (i = 0; i < st->n_settings; i++)
		sbuf_addf(out, " %s=%s", st->settings[i].key, st->settings[i].value);
}

void recipe_line(const struct recipe *r, struct sbuf *out)
{
	size_t i;

	for (i = 0; i < r->n_stmts; i++) {
		if (i)
			sbuf_add(out, " | ");
		stmt_line(&r->stmts[i], out);
	}
}

void recipe_text(const struct recipe *r, struct sbuf *out)
{
	size_t i;

	if (r->title)
		sbuf_addf(out, "title  %s\n", r->title);
	if (r->group)
		sbuf_addf(out, "group  %s\n", r->group);
	if (r->matrix)
		sbuf_addf(out, "matrix %s\n", r->matrix);
	if (r->about)
		sbuf_addf(out, "about  %s\n", r->about);
	if (r->avoid)
		sbuf_addf(out, "avoid  %s\n", r->avoid);
	if (out->len)
		sbuf_addc(out, '\n');
	for (i = 0; i < r->n_stmts; i++) {
		stmt_line(&r->stmts[i], out);
		sbuf_addc(out, '\n');
	}
}
