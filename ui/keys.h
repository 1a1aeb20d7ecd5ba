/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_KEYS_H
#define UI_KEYS_H

#include <stddef.h>
#include <stdint.h>

struct sbuf;

/*
 * The one table of keys: a row is an action, its keys, the words of the bar and a
 * sentence. Bar, help, palette and the manual are printed from it.
 */
struct key {
	int act;		/* enum act, or a screen's own from ACT_SCREEN on; 0 ends a table */
	const char *keys;	/* names, blank separated: "Space", "l Right", "^R" */
	const char *show;	/* as drawn, when two rows share one word of the bar: "<>" */
	const char *word;	/* the word behind it in the bar; NULL: not in the bar */
	size_t rank;		/* in the bar: the highest goes first when there is no room */
	const char *help;	/* one sentence: what it does */
};

/* Actions that mean the same everywhere. */
enum act {
	ACT_NONE,
	ACT_UP, ACT_DOWN, ACT_LEFT, ACT_RIGHT, ACT_PGUP, ACT_PGDN, ACT_TOP, ACT_END,
	ACT_BACK, ACT_QUIT, ACT_HELP, ACT_PALETTE, ACT_MESSAGES, ACT_UNITS, ACT_ASCII,
	ACT_REDRAW, ACT_SUSPEND, ACT_STEP_BACK, ACT_STEP_ON,
	ACT_STEP_1, ACT_STEP_2, ACT_STEP_3, ACT_STEP_4, ACT_STEP_5, ACT_STEP_6, ACT_STEP_7,
	ACT_ENTER, ACT_TAB, ACT_BACKTAB,
	ACT_SCREEN = 100,
};

extern const struct key keys_everywhere[];

/* The row whose keys hold this one; NULL when there is none. */
const struct key *key_find(const struct key *table, uint32_t key);

/* "Space" to the number that term_key() gives; 0 when it is no name. */
uint32_t key_number(const char *name, size_t len);

/* How a row's keys are written: its .show, or its first key. */
const char *key_shown(const struct key *row, char buf[24]);

/* All tables, for the manual: plain text or roff. */
void keys_print(struct sbuf *out, int roff);

#endif
