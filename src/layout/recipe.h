/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYOUT_RECIPE_H
#define LAYOUT_RECIPE_H

#include <stddef.h>

struct arena;
struct err;
struct sbuf;

/*
 * A layout as text: the layers that the disks flow through, from the disks up.
 * One line ("slice | md redundancy=1 | lvm | xfs") and one layer a line in a file
 * are the same language. See naslab-layout(5).
 */

struct setting {
	const char *key, *value;
};

struct stmt {			/* one layer as written */
	const char *layer;
	struct setting *settings;
	size_t n_settings;
	unsigned line;		/* 1.. in a file; position in the one-line form */
};

struct recipe {
	struct arena *arena;
	const char *name;	/* "shr"; NULL for a one-line form */
	const char *title, *about, *avoid;	/* avoid: when not to use it; NULL when not given */
	const char *group;	/* what it is listed with; NULL: of its own */
	const char *matrix;	/* rows of the published matrix it stands for, "L08 L19"; or NULL */
	struct stmt *stmts;
	size_t n_stmts;
};

/* Parse text. Layer and option names are checked against the table of layers. */
int recipe_parse(const char *text, const char *name, struct recipe **out, struct err *e);

/*
 * Find what LAYOUT on the command line means: a one-line form when it has a '|' or a
 * blank or names a layer, a file when it has a '/' or ends in .layout, else the
 * name of a recipe in the user's or the shipped folder.
 */
int recipe_open(const char *word, struct recipe **out, struct err *e);
void recipe_free(struct recipe *r);	/* takes NULL */

/* The names of all recipes found, sorted; for `naslab layouts`. */
int recipe_names(struct arena *a, char ***names, size_t *n, struct err *e);

/* Write it as one of the user's own, replacing one of that name; *path, when not NULL, says
 * where it went. */
int recipe_save(const struct recipe *r, const char *name, struct arena *a, char **path,
		struct err *e);

/* The folder the shipped recipes are read from: $NASLAB_LAYOUTS, beside the program, or
 * the installed one. */
const char *recipe_folder(void);

const char *stmt_value(const struct stmt *s, const char *key);	/* NULL when not written */

/* "slice | md redundancy=1 | lvm | xfs" */
void recipe_line(const struct recipe *r, struct sbuf *out);

/* The file form, title and about included. */
void recipe_text(const struct recipe *r, struct sbuf *out);

#endif
