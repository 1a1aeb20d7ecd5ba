/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target - what a word of the command line or the screen says should be measured: the name
 * of a build, or a directory.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "bench/bench.h"
#include "layout/recipe.h"
#include "store/store.h"

static bool is_mounted(const char *dir)
{
	struct sbuf up = { 0 };
	struct stat here, above;
	bool mounted;

	sbuf_addf(&up, "%s/..", dir);
	mounted = stat(dir, &here) == 0 && stat(up.text, &above) == 0 &&
		  here.st_dev != above.st_dev;
	sbuf_done(&up);
	return mounted;
}

/* Where the build is mounted, from its plan. */
static int build_dir(struct arena *a, const struct build *b, const char **dir, struct err *e)
{
	json_t *plan = json_loads(b->plan, 0, NULL);
	const char *top = arena_printf(a, "/srv/%s", b->name);
	const char *tops = arena_printf(a, "/srv/%s/", b->name);
	const json_t *all = json_object_get(plan, "layers"), *layer;
	struct sbuf several = { 0 };
	size_t i;

	*dir = NULL;
	json_array_foreach(all, i, layer) {
		const char *at = json_str(layer, "dir");

		if (at && !strcmp(at, top))
			*dir = top;
		if (at && !strncmp(at, tops, strlen(tops)))
			sbuf_addf(&several, "%s%s", several.len ? " " : "", at);
	}
	json_decref(plan);
	if (!*dir && several.len)
		err_set(e, ERR_USAGE, "%s has several file systems, name one of them: %s", b->name,
			several.text);
	else if (!*dir)
		err_set(e, ERR_FAIL, "%s has no file system to measure", b->name);
	else if (!is_mounted(*dir))
		*dir = (err_set(e, ERR_FAIL, "%s is not mounted on %s", b->name, *dir), NULL);
	sbuf_done(&several);
	return *dir ? 0 : -1;
}

/* The layout of a build as one line. */
static const char *layout_line(struct arena *a, const struct build *b)
{
	struct recipe *r = NULL;
	struct sbuf line = { 0 };
	struct err e = { 0 };
	const char *label = b->name;

	if (recipe_parse(b->layout, NULL, &r, &e) == 0) {
		recipe_line(r, &line);
		label = arena_strdup(a, sbuf_str(&line));
	}
	recipe_free(r);
	sbuf_done(&line);
	return label;
}

int bench_find_target(struct arena *a, const char *word, struct bench_order *o, struct err *e)
{
	struct store *st = NULL;
	struct build *b = arena_alloc(a, sizeof(*b));
	char *real;
	int found;

	if (strchr(word, '/') || !strcmp(word, ".") || !strcmp(word, "..")) {
		real = realpath(word, NULL);
		if (!real)
			return err_sys(e, "cannot find %s", word);
		o->target = o->label = arena_strdup(a, real);
		free(real);
		return 0;
	}
	if (store_open_read(o->db, &st, e) < 0)
		return err_in(e, "%s is no directory with a slash, and the builds cannot be read",
			      word);
	found = store_build_find(st, word, a, b, e);
	store_close(st);
	if (found < 0)
		return -1;
	if (found == 1)
		return err_set(e, ERR_USAGE, "nothing is built under the name \"%s\"; a directory is "
			       "written with a slash: ./%s", word, word);
	o->build = b->name;
	o->label = layout_line(a, b);
	return build_dir(a, b, &o->target, e);
}
