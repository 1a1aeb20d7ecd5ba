/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_TERM_H
#define UI_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naslab.h"

/*
 * The terminal: the only part that knows curses. Cells go in with a meaning (a paint),
 * keys come out as code points or the numbers below.
 */

enum {
	UK_TAB = 9, UK_ENTER = 13, UK_ESC = 27,
	UK_UP = 0x110000, UK_DOWN, UK_LEFT, UK_RIGHT, UK_PGUP, UK_PGDN, UK_HOME, UK_END,
	UK_BTAB, UK_BACKSPACE, UK_DELETE,
	UK_F1, UK_F2, UK_F3, UK_F5, UK_F10,
};

/* What a piece of text means; the number of colours decides how it looks. */
enum paint {
	PAINT_TEXT,
	PAINT_BOLD,		/* an action's letter, a median */
	PAINT_CHOSEN,		/* the chosen row: reverse */
	PAINT_WARN, PAINT_ERROR,
	PAINT_USABLE, PAINT_REDUNDANCY, PAINT_CACHE, PAINT_OVERHEAD, PAINT_FAILED, PAINT_REBUILD,
};

struct term_options {
	bool ascii;		/* --ascii */
	bool offscreen;		/* for tests: nothing is shown, keys come from nowhere */
	unsigned rows, cols;	/* of an off-screen one */
};

int term_open(const struct term_options *o, struct err *e);
void term_close(void);		/* may be called twice */
bool term_is_open(void);

/* Give the terminal back for a while (a password, a sandbox, Ctrl-Z), and take it again. */
void term_leave(void);
void term_return(void);

enum tier term_tier(void);
void term_set_ascii(bool on);
bool term_is_ascii(void);
void term_size(unsigned *rows, unsigned *cols);
void term_resized(void);	/* after SIGWINCH */
void term_set_size(unsigned rows, unsigned cols);	/* of an off-screen one */
bool term_would_block(void);

/* The next key, 0 when none waits. */
uint32_t term_key(void);

void term_erase(void);
/* One character of width 1 or 2 at a cell inside the window. */
void term_put(unsigned row, unsigned col, uint32_t ch, enum paint paint);
void term_flush(unsigned row, unsigned col, bool cursor);	/* only changed cells go out */
void term_redraw(void);		/* everything goes out at the next flush */

/* The character that stands for ch in this tier. */
uint32_t term_glyph(uint32_t ch);
int term_width(uint32_t ch);

/* A row as it is on the screen, UTF-8, without trailing blanks. */
void term_row(unsigned row, struct sbuf *out);
/* The first cell of the row that is drawn reversed, or -1. */
int term_row_reverse(unsigned row);

#endif
