/* SPDX-License-Identifier: GPL-2.0-or-later */
/* workload - the files with workloads, found and listed. */
#include "bench/bench.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"
#include "base/shipped.h"
#include "base/text.h"
#include "base/units.h"

enum { MOST_TEXT = 64 * 1024 };

static const char suffix[] = ".workload";

const char *workload_folder(void)
{
	static char folder[PATH_MAX];

	return shipped_folder("NASLAB_WORKLOADS", "/workloads", folder);
}

static const char *shipped_path(struct arena *a, const char *name)
{
	return arena_printf(a, "%s/%s%s", workload_folder(), name, suffix);
}

static int read_one(struct arena *a, const char *name, const char *path, struct workload *out,
		    struct err *e)
{
	struct sbuf text = { 0 };
	int rc;

	if (file_read(path, MOST_TEXT, &text) < 0) {
		sbuf_done(&text);
		return err_sys(e, "cannot read the workload %s", path);
	}
	if (strlen(sbuf_str(&text)) != text.len)
		rc = err_set(e, ERR_USAGE, "%s: this is no text", path);
	else
		rc = workload_parse(a, name, sbuf_str(&text), path, out, e);
	sbuf_done(&text);
	return rc;
}

static bool is_path(const char *word)
{
	size_t len = strlen(word), end = sizeof(suffix) - 1;

	return strchr(word, '/') || (len > end && !strcmp(word + len - end, suffix));
}

/* A file of the person's own. Under the name of a shipped one it would be compared with that. */
static int read_own(struct arena *a, const char *word, struct workload *out, struct err *e)
{
	char *real = realpath(word, NULL), *path, *name;
	size_t len;

	if (!real)
		return err_sys(e, "cannot read the workload %s", word);
	path = arena_strdup(a, real);
	free(real);
	name = arena_strdup(a, strrchr(path, '/') + 1);
	len = strlen(name);
	if (!is_path(name))
		return err_set(e, ERR_USAGE, "%s: the file of a workload ends in %s", word, suffix);
	name[len - (sizeof(suffix) - 1)] = '\0';
	if (!shipped_name_is_plain(name))
		return err_set(e, ERR_USAGE, "%s: a workload's name has letters, digits and -, at most 40",
			       word);
	if (access(shipped_path(a, name), F_OK) == 0)
		return err_set(e, ERR_USAGE, "%s: a shipped workload has that name, and results of the two "
			       "would be compared; give it another", word);
	if (read_one(a, name, path, out, e) < 0)
		return -1;
	out->path = path;
	return 0;
}

static const char *own_path(struct arena *a, const char *name)
{
	const char *folder = own_folder(a, "workloads"), *path;

	if (!folder || !shipped_name_is_plain(name))
		return NULL;
	path = arena_printf(a, "%s/%s%s", folder, name, suffix);
	return access(path, F_OK) == 0 ? path : NULL;
}

bool workload_is_own(struct arena *a, const char *word)
{
	return is_path(word) || own_path(a, word);
}

/* Those in the person's folder. One that is wrong says so when it is named. */
static void add_own(struct arena *a, struct list *out)
{
	const char *folder = own_folder(a, "workloads");
	struct list names = { 0 };
	struct err e = { 0 };
	size_t i;

	if (!shipped_names(a, folder, suffix, &names))
		return;
	for (i = 0; i < names.n; i++) {
		struct workload *w = arena_alloc(a, sizeof(*w));

		if (!read_own(a, arena_printf(a, "%s/%s%s", folder, (char *)names.at[i], suffix), w, &e))
			list_add(a, out, w);
	}
}

static int smaller(const void *a, const void *b)
{
	const struct workload *x = *(const struct workload *const *)a;
	const struct workload *y = *(const struct workload *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	if (x->mean_file != y->mean_file)
		return x->mean_file < y->mean_file ? -1 : 1;
	return strcmp(x->name, y->name);
}

struct workload *workload_in(const struct list *all, const char *name)
{
	size_t i;

	for (i = 0; i < all->n; i++) {
		struct workload *w = all->at[i];

		if (!strcmp(w->name, name))
			return w;
	}
	return NULL;
}

int workload_list(struct arena *a, struct list *out, struct err *e)
{
	struct list all = { 0 };
	size_t i;

	if (workload_list_all(a, &all, e) < 0)
		return -1;
	*out = (struct list){ 0 };
	for (i = 0; i < all.n; i++) {
		if (workload_is_copy(all.at[i]))
			list_add(a, out, all.at[i]);
	}
	return 0;
}

int workload_list_all(struct arena *a, struct list *out, struct err *e)
{
	struct list names = { 0 }, found = { 0 };
	size_t i;

	if (!shipped_names(a, workload_folder(), suffix, &names))
		return err_sys(e, "cannot read the workloads in %s", workload_folder());
	for (i = 0; i < names.n; i++) {
		struct workload *w = arena_alloc(a, sizeof(*w));

		if (!shipped_name_is_plain(names.at[i]))
			continue;
		if (read_one(a, names.at[i], shipped_path(a, names.at[i]), w, e) < 0)
			return -1;
		list_add(a, &found, w);
	}
	add_own(a, &found);
	if (found.n)
		qsort(found.at, found.n, sizeof(found.at[0]), smaller);
	*out = found;
	return 0;
}

int workload_find(struct arena *a, const char *name, struct workload *out, struct err *e)
{
	const char **words, *near, *own;
	struct list all = { 0 };
	size_t i;

	if (is_path(name))
		return read_own(a, name, out, e);
	if (workload_list_all(a, &all, e) < 0)
		return -1;
	words = arena_array(a, all.n + 1, sizeof(*words));
	for (i = 0; i < all.n; i++) {
		const struct workload *w = all.at[i];

		if (!strcmp(w->name, name)) {
			*out = *w;
			return 0;
		}
		words[i] = w->name;
	}
	own = own_path(a, name);
	if (own)	/* it was left out of the list: why? */
		return read_own(a, own, out, e);
	near = nearest_word(name, words, all.n);
	if (near)
		return err_set(e, ERR_USAGE, "there is no workload \"%s\"; did you mean \"%s\"?",
			       name, near);
	return err_set(e, ERR_USAGE, "there is no workload \"%s\" in %s", name, workload_folder());
}
