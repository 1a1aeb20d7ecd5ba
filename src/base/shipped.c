/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shipped - where the files are that come with the program, and which. */
#include "base/shipped.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

const char *shipped_folder(const char *variable, const char *name, char buf[PATH_MAX])
{
	const char *set = getenv(variable);
	size_t room = strlen(name) + 1;
	ssize_t len;
	char *slash;

	if (set && *set)
		return set;
	len = readlink("/proc/self/exe", buf, PATH_MAX - room);
	if (len > 0) {
		buf[len] = '\0';
		slash = strrchr(buf, '/');
		if (slash) {
			memcpy(slash, name, room);
			if (access(buf, R_OK | X_OK) == 0)
				return buf;
		}
	}
	memcpy(buf, DATA_DIR, sizeof(DATA_DIR) - 1);
	memcpy(buf + sizeof(DATA_DIR) - 1, name, room);
	return buf;
}

char *own_folder(struct arena *a, const char *name)
{
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");

	if (data && *data == '/')
		return arena_printf(a, "%s/naslab/%s", data, name);
	if (home && *home == '/')
		return arena_printf(a, "%s/.local/share/naslab/%s", home, name);
	return NULL;
}

static int by_name(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static bool has(const struct list *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (!strcmp(l->at[i], name))
			return true;
	}
	return false;
}

bool shipped_names(struct arena *a, const char *folder, const char *suffix, struct list *out)
{
	DIR *dir = folder ? opendir(folder) : NULL;
	size_t end = strlen(suffix);
	struct dirent *d;
	struct stat st;

	if (!dir)
		return !folder;
	while ((d = readdir(dir))) {
		size_t len = strlen(d->d_name);
		char *name;

		if (d->d_name[0] == '.' || len <= end || strcmp(d->d_name + len - end, suffix))
			continue;
		/* a pipe or a folder is no one's recipe */
		if (fstatat(dirfd(dir), d->d_name, &st, 0) == 0 && !S_ISREG(st.st_mode))
			continue;
		name = arena_strndup(a, d->d_name, len - end);
		if (!has(out, name))
			list_add(a, out, name);
	}
	closedir(dir);
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), by_name);
	return true;
}

const char *shipped_file(struct arena *a, const char *folder, const char *suffix,
			 const char *word)
{
	const char *shipped;

	if (strchr(word, '/') || access(word, F_OK) == 0)
		return word;
	shipped = arena_printf(a, "%s/%s%s", folder, word, suffix);
	return access(shipped, R_OK) == 0 ? shipped : word;
}

bool shipped_name_is_plain(const char *name)
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "0123456789-") == strlen(name) && strlen(name) <= 40;
}
