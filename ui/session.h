/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_SESSION_H
#define UI_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naslab.h"
#include "ui/work.h"

/*
 * What the screens share: disks and their marks, the layout as text with its undo, the
 * stack and plan made of them, the build, what runs. No curses here and no engine logic:
 * everything is asked of the engine, and made again after each change.
 */

enum place { PLACE_REAL, PLACE_LAB, PLACE_PLAN };	/* REAL DISKS, practice lab, plan only */

enum { UNDO_DEPTH = 64, PICKS = 1024 };

struct change {
	char *text;		/* the layout before the change */
	char what[80];		/* "bcache size 400G → 330G" */
};

struct session {
	const char *root;	/* "" for this machine */
	const char *db;		/* NULL: the default */
	char *db_path;		/* of session_db() */
	enum place place;
	enum size_style units;

	struct inventory *inv;
	char *marks;		/* one a disk: 0, 'D', 'C' */
	struct err inv_err;
	char *purchase;		/* words of a planned purchase, or NULL */
	bool elsewhere;		/* the disks are not those of this machine */

	char *layout;		/* the layout, one-line form; NULL: none yet */
	char *layout_name;	/* name of the recipe it began with, or NULL */
	char *build_name;	/* "nas1" */
	char *open_name;	/* of the build that was made or opened; NULL: none */
	struct arena *held_arena;
	struct pick *held;	/* its disks, as its order recorded them */
	size_t n_held;
	char *held_layout;	/* its layout, one-line form; NULL: not known */
	bool layout_changed;
	struct change undo[UNDO_DEPTH], redo[UNDO_DEPTH];
	size_t n_undo, n_redo;

	struct recipe *recipe;	/* of the layout */
	struct pick *picks;
	size_t n_picks;
	bool from_held;		/* the picks are the disks of the open build */
	unsigned made;		/* counts what was made: another number, another stack */
	struct stack *stack;	/* NULL when it cannot be: err says why */
	struct plan *plan;
	struct err err;
	struct list advice;

	struct work work;
};

struct session *session_new(const char *root, const char *db);
void session_free(struct session *s);

/* Read the machine again; marks stay with their disks. */
int session_look(struct session *s, struct err *e);
/* Disks that somebody might buy: "4xhdd:8T ssd:1T". All are marked. */
int session_purchase(struct session *s, const char *words, struct err *e);
/* A list of disks from a file: a plan for another machine. */
int session_load(struct session *s, const char *path, struct err *e);
/* Back from a purchase to what is in the machine. */
int session_machine(struct session *s, struct err *e);

const struct disk *session_disk(const struct session *s, size_t i);
/* Mark a disk 'D', 'C' or 0; -1 when it may not be used: the reason. */
int session_mark(struct session *s, size_t i, char mark, struct err *e);
unsigned session_marked(const struct session *s, char mark, uint64_t *bytes);

/* A new text for the layout; what: for undo. -1: it is no layout, nothing changed. */
int session_layout(struct session *s, const char *text, const char *what, struct err *e);
int session_recipe(struct session *s, const char *name, struct err *e);	/* a shipped or own one */
bool session_undo(struct session *s);
bool session_redo(struct session *s);
/* Show `text` without changing anything; NULL: the layout again. -1: it is no layout. */
int session_try(struct session *s, const char *text, struct err *e);

/* This build is the one that Build and Bench are about; while no disk is marked, its disks
 * are those of Layout and Plan. NULL: none is. */
void session_open(struct session *s, const char *name);
/* It is destroyed: none is open, and its disks are marked as they were before. */
void session_gone(struct session *s);
/* Its layout becomes the one that is edited. */
void session_take_open(struct session *s);
/* Are the disks those of the open build, and is the layout the one it was built with? */
bool session_is_built(const struct session *s);
bool session_as_built(const struct session *s);
void session_unnamed(struct session *s);	/* the layout is no recipe of the list */
void session_again(struct session *s);	/* make the stack again */
unsigned session_picked(const struct session *s, enum role role);
int session_name(struct session *s, const char *name, struct err *e);	/* of the build */
/* Make the plan of the stack, once. */
int session_plan(struct session *s, struct err *e);

/* The marked disks into s->picks, also without a layout. */
void session_picks(struct session *s);

/* The database's path, made when it is not there yet; NULL: the reason. */
const char *session_db(struct session *s, struct err *e);

/* The words of row 2. */
const char *session_place(const struct session *s);
const char *session_title(const struct session *s);	/* of the layout */
/* "9 free, 3 hold data, 5 in use" */
void session_counts(const struct session *s, struct sbuf *out);

#endif
