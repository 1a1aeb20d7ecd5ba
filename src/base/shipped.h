/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BASE_SHIPPED_H
#define BASE_SHIPPED_H

#include <limits.h>
#include <stdbool.h>

struct arena;
struct list;

/* Files that come with the program: recipes, workloads, campaigns, published tables. */

/*
 * Their folder: what the environment's variable says, else `name` ("/layouts") beside the
 * program when it was not installed, else the installed one. Lives in buf or the environment.
 */
const char *shipped_folder(const char *variable, const char *name, char buf[PATH_MAX]);

/* The person's own ones: $XDG_DATA_HOME/naslab/NAME, else below ~/.local/share. NULL: no home. */
char *own_folder(struct arena *a, const char *name);

/*
 * The files of a folder with that suffix, not hidden, added to *out without it: char *, sorted,
 * each once, together with those that are in *out already. False with errno set when the
 * folder cannot be read; NULL is none.
 */
bool shipped_names(struct arena *a, const char *folder, const char *suffix, struct list *out);

/* A word for a file: the word itself when it has a slash in it or is a file here, else the
 * shipped one of that name (its suffix left out), and without such a one the word. */
const char *shipped_file(struct arena *a, const char *folder, const char *suffix,
			 const char *word);

/* Is it what such files are named by: letters, digits and -, at most 40? */
bool shipped_name_is_plain(const char *name);

#endif
