/* SPDX-License-Identifier: GPL-2.0-or-later */
/* workload - the files with workloads, found and listed. */
#include "bench/bench.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"

enum { MOST_TEXT = 64 * 1024 };

static const char suffix[] = ".workload";

const char *workload_folder(void)
{
	static char folder[PATH_MAX];
	const char *set = getenv("NASLAB_WORKLOADS");
	ssize_t len;
	char *slash;

	if (set && *set)
		return set;
	len = readlink("/proc/self/exe", folder, sizeof(folder) - sizeof("/workloads"));
	if (len > 0) {
		folder[len] = '\0';
		slash = strrchr(folder, '/');
		if (slash) {
			memcpy(slash, "/workloads", sizeof("/workloads"));
			if (access(folder, R_OK | X_OK) == 0)
				return folder;
		}
	}
	return DATA_DIR "/workloads";
}

static int read_one(struct arena *a, const char *name, struct workload *out, struct err *e)
{
	const char *path = arena_printf(a, "%s/%s%s", workload_folder(), name, suffix);
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

static bool name_is_plain(const char *name)
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "0123456789-") == strlen(name) && strlen(name) <= 40;
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
	DIR *dir = opendir(workload_folder());
	struct list found = { 0 };
	struct dirent *d;
	int rc = 0;

	if (!dir)
		return err_sys(e, "cannot read the workloads in %s", workload_folder());
	while (rc == 0 && (d = readdir(dir))) {
		size_t len = strlen(d->d_name);
		struct workload *w;
		char *name;

		if (len < sizeof(suffix) || strcmp(d->d_name + len - (sizeof(suffix) - 1), suffix))
			continue;
		name = arena_strndup(a, d->d_name, len - (sizeof(suffix) - 1));
		if (!name_is_plain(name))
			continue;
		w = arena_alloc(a, sizeof(*w));
		rc = read_one(a, name, w, e);
		list_add(a, &found, w);
	}
	closedir(dir);
	if (rc == 0) {
		if (found.n)
			qsort(found.at, found.n, sizeof(found.at[0]), smaller);
		*out = found;
	}
	return rc;
}

int workload_find(struct arena *a, const char *name, struct workload *out, struct err *e)
{
	struct list all = { 0 };
	const char **words, *near;
	size_t i;

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
	near = nearest_word(name, words, all.n);
	if (near)
		return err_set(e, ERR_USAGE, "there is no workload \"%s\"; did you mean \"%s\"?",
			       name, near);
	return err_set(e, ERR_USAGE, "there is no workload \"%s\" in %s", name, workload_folder());
}
