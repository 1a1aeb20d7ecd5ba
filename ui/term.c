/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term - the terminal, through curses: glyph tiers, colours, keys.
 *
 * Which characters a terminal can draw is decided once (INTERFACE.md, section 2): UTF-8 and
 * no Linux console: all of them; the Linux console: what its fonts have; no UTF-8: lines by
 * acsc and ASCII; else ASCII alone.
 */
#include "ui/term.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

/*
 * What a frame puts into a cell; ch 0: the right half of a wide one. The screens draw every
 * cell of every frame; only what differs from the last one is handed to curses.
 */
struct shown {
	uint32_t ch;
	enum paint paint;
};

static struct {
	SCREEN *screen;
	FILE *out, *in;
	bool open, offscreen, away, utf8, ascii, has_lines, ambiguous_wide;
	int colours;		/* 0, 8, 256 */
	attr_t attrs[PAINT_REBUILD + 1];
	short pairs[PAINT_REBUILD + 1];
	bool linux_console;
	struct shown *next, *now;	/* rows * cols each */
	bool *touched;			/* rows that were drawn to since the last flush */
	unsigned rows, cols;
} term;

/* A character that not every terminal has: as line drawing, on the console, in ASCII. */
static const struct glyph {
	uint32_t ch;
	char ascii;
	bool console;
	char acs;		/* key of acs_map, 0: none */
} glyphs[] = {
	{ 0x25b6, '>', true, 0 },	/* right triangle */
	{ 0x25bc, 'v', true, 0 },
	{ 0x25a0, '*', true, 0 },	/* black square */
	{ 0x2588, '#', true, 0 },	/* full block */
	{ 0x2592, '+', true, 0 },	/* medium shade */
	{ 0x2591, '-', true, 0 },	/* light shade */
	{ 0x00b7, '.', true, 0 },
	{ 0x00d7, 'x', true, 0 },
	{ 0x00b0, ' ', true, 0 },	/* degree */
	{ 0x2190, '<', true, 0 }, { 0x2192, '>', true, 0 },
	{ 0x2191, '^', true, 0 }, { 0x2193, 'v', true, 0 },
	{ 0x2500, '-', true, 'q' }, { 0x2502, '|', true, 'x' },
	{ 0x250c, '+', true, 'l' }, { 0x2510, '+', true, 'k' },
	{ 0x2514, '+', true, 'm' }, { 0x2518, '+', true, 'j' },
	{ 0x251c, '+', true, 't' }, { 0x2524, '+', true, 'u' },
	{ 0x252c, '+', true, 'w' },
	{ 0x2581, '.', false, 0 }, { 0x2582, '.', false, 0 }, { 0x2583, ':', false, 0 },
	{ 0x2584, ':', false, 0 }, { 0x2585, ':', false, 0 }, { 0x2586, '#', false, 0 },
	{ 0x2587, '#', false, 0 },
};

static const struct glyph *glyph_of(uint32_t ch)
{
	size_t i;

	for (i = 0; i < sizeof(glyphs) / sizeof(glyphs[0]); i++) {
		if (glyphs[i].ch == ch)
			return &glyphs[i];
	}
	return NULL;
}

enum tier term_tier(void)
{
	if (term.ascii || (term.utf8 && term.ambiguous_wide))
		return TIER_ASCII;
	if (term.utf8)
		return term.linux_console ? TIER_CONSOLE : TIER_FULL;
	return term.has_lines ? TIER_LINES : TIER_ASCII;
}

uint32_t term_glyph(uint32_t ch)
{
	const struct glyph *g;
	enum tier tier = term_tier();

	if (ch < 0x7f)
		return ch;
	if (tier == TIER_FULL)
		return ch;
	g = glyph_of(ch);
	switch (tier) {
	case TIER_FULL:
	case TIER_CONSOLE:
		if (g && !g->console)
			return 0x2592;
		return ch;
	case TIER_LINES:
		if (g && g->acs)
			return ch;
		break;
	case TIER_ASCII:
		break;
	}
	return g ? (uint32_t)g->ascii : '?';
}

int term_width(uint32_t ch)
{
	if (ch < 0x20 || ch == 0x7f)
		return -1;
	/* arrows, lines and blocks have one cell: the start has looked */
	if (ch < 0x7f || (ch >= 0x2190 && ch < 0x25c0) || glyph_of(ch) || !term.utf8)
		return 1;
	return wcwidth((wchar_t)ch);
}

static void set_paint(enum paint p, short pair, short colour, attr_t attr)
{
	term.attrs[p] = attr;
	term.pairs[p] = 0;
	if (term.colours && colour >= 0 && init_pair(pair, colour, -1) != ERR)
		term.pairs[p] = pair;
	else if (term.colours && colour >= 0 && init_pair(pair, colour, COLOR_BLACK) != ERR)
		term.pairs[p] = pair;
}

/* Section 2's table. Blue is no text colour; bold never carries meaning alone. */
static void choose_paints(void)
{
	const char *no = getenv("NO_COLOR");
	bool many;

	term.colours = 0;
	if (!(no && *no) && has_colors() && start_color() != ERR) {
		use_default_colors();
		term.colours = COLORS >= 256 ? 256 : 8;
	}
	many = term.colours == 256;
	set_paint(PAINT_TEXT, 0, -1, A_NORMAL);
	set_paint(PAINT_BOLD, 0, -1, A_BOLD);
	set_paint(PAINT_CHOSEN, 0, -1, A_REVERSE);
	set_paint(PAINT_WARN, 1, many ? 214 : COLOR_YELLOW, A_BOLD);
	set_paint(PAINT_ERROR, 2, many ? 160 : COLOR_RED, A_BOLD);
	set_paint(PAINT_USABLE, 3, many ? 81 : COLOR_CYAN, A_NORMAL);
	set_paint(PAINT_REDUNDANCY, 4, many ? 214 : COLOR_YELLOW, A_NORMAL);
	set_paint(PAINT_CACHE, 5, many ? 127 : COLOR_MAGENTA, term.colours ? A_NORMAL : A_BOLD);
	set_paint(PAINT_OVERHEAD, 6, many ? 245 : -1, A_NORMAL);
	set_paint(PAINT_FAILED, 7, many ? 160 : COLOR_RED, A_REVERSE);
	set_paint(PAINT_REBUILD, 8, many ? 160 : COLOR_RED, A_NORMAL);
}

static void set_modes(void)
{
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	intrflush(stdscr, FALSE);
	leaveok(stdscr, FALSE);
	if (!getenv("ESCDELAY"))
		set_escdelay(50);
}

int term_open(const struct term_options *o, struct err *e)
{
	const char *name = getenv("TERM");
	const char *acsc;

	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	term.offscreen = o->offscreen;
	term.linux_console = name && !strcmp(name, "linux");
	term.out = stdout;
	term.in = stdin;
	if (o->offscreen) {
		term.out = term.in = fopen("/dev/null", "r+");
		if (!term.out)
			return err_sys(e, "cannot open /dev/null");
	} else if (!isatty(0) || !isatty(1)) {
		return err_set(e, ERR_USAGE, "the screens need a terminal; naslab --plain does without, "
			       "and naslab --help lists the verbs");
	}
	term.screen = newterm(NULL, term.out, term.in);
	if (!term.screen)
		return err_set(e, ERR_FAIL, "terminal type \"%s\" is not known here; try TERM=vt100",
			       name ? name : "");
	set_term(term.screen);
	term.open = true;
	if (!tigetstr("cup") || tigetstr("cup") == (char *)-1) {
		term_close();
		return err_set(e, ERR_FAIL, "the terminal type \"%s\" cannot place its cursor, which "
			       "the screens need; naslab --plain does without",
			       name ? name : "");
	}
	term.ascii = o->ascii;
	term.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	term.ambiguous_wide = wcwidth(L'\u2588') != 1;
	acsc = tigetstr("acsc");
	term.has_lines = acsc && acsc != (char *)-1 && strchr(acsc, 'q');
	/* Until it has come back from endwin() once, curses writes each piece of a line by itself:
	 * ten system calls a frame. And nobody types ahead of a chart. */
	endwin();
	typeahead(-1);
	set_modes();
	choose_paints();
	if (o->offscreen)
		term_set_size(o->rows, o->cols);
	return 0;
}

void term_close(void)
{
	if (!term.open)
		return;
	term.open = false;
	if (!term.away)
		endwin();
	delscreen(term.screen);
	if (term.offscreen)
		fclose(term.out);
	free(term.next);
	free(term.now);
	free(term.touched);
	memset(&term, 0, sizeof(term));
}

bool term_is_open(void)
{
	return term.open;
}

void term_leave(void)
{
	if (term.open && !term.away) {
		term.away = true;
		endwin();
	}
}

void term_return(void)
{
	if (!term.open || !term.away)
		return;
	term.away = false;
	set_modes();
	term_resized();
	clearok(stdscr, TRUE);
}

/* Forget what is shown: the next frame is handed over whole. */
static void forget_shown(void)
{
	term.rows = term.cols = 0;
}

void term_set_ascii(bool on)
{
	term.ascii = on;
	forget_shown();
	clearok(stdscr, TRUE);
}

bool term_is_ascii(void)
{
	return term.ascii;
}

void term_size(unsigned *rows, unsigned *cols)
{
	*rows = (unsigned)LINES;
	*cols = (unsigned)COLS;
}

void term_resized(void)
{
	struct winsize w;

	if (term.offscreen || term.away || ioctl(1, TIOCGWINSZ, &w) < 0 || !w.ws_row || !w.ws_col)
		return;
	if (w.ws_row == LINES && w.ws_col == COLS)
		return;
	resizeterm(w.ws_row, w.ws_col);
	forget_shown();
	clearok(stdscr, TRUE);
}

void term_set_size(unsigned rows, unsigned cols)
{
	resizeterm((int)rows, (int)cols);
	forget_shown();
}

bool term_would_block(void)
{
	struct pollfd p = { .fd = 1, .events = POLLOUT };

	return !term.offscreen && poll(&p, 1, 0) == 0;
}

static uint32_t special(wint_t code)
{
	switch (code) {
	case KEY_UP:		return UK_UP;
	case KEY_DOWN:		return UK_DOWN;
	case KEY_LEFT:		return UK_LEFT;
	case KEY_RIGHT:		return UK_RIGHT;
	case KEY_PPAGE:		return UK_PGUP;
	case KEY_NPAGE:		return UK_PGDN;
	case KEY_HOME:		return UK_HOME;
	case KEY_END:		return UK_END;
	case KEY_BTAB:		return UK_BTAB;
	case KEY_BACKSPACE:	return UK_BACKSPACE;
	case KEY_DC:		return UK_DELETE;
	case KEY_ENTER:		return UK_ENTER;
	case KEY_F(1):		return UK_F1;
	case KEY_F(2):		return UK_F2;
	case KEY_F(3):		return UK_F3;
	case KEY_F(5):		return UK_F5;
	case KEY_F(10):		return UK_F10;
	default:		return 0;
	}
}

uint32_t term_key(void)
{
	wint_t code;
	uint32_t key;
	int rc;

	if (term.offscreen || term.away)
		return 0;
	for (;;) {
		rc = get_wch(&code);
		if (rc == ERR)
			return 0;
		if (rc == KEY_CODE_YES) {
			key = special(code);
			if (key)
				return key;
			continue;	/* a resize, or a key nobody uses */
		}
		if (code == 127 || code == 8)
			return UK_BACKSPACE;
		if (code == '\n')
			return UK_ENTER;
		return (uint32_t)code;
	}
}

void term_erase(void)
{
	size_t n = (size_t)LINES * (size_t)COLS, i;

	if (term.rows != (unsigned)LINES || term.cols != (unsigned)COLS) {
		free(term.next);
		free(term.now);
		free(term.touched);
		term.next = calloc(n + 1, sizeof(*term.next));
		term.now = calloc(n + 1, sizeof(*term.now));
		term.touched = calloc((size_t)LINES + 1, sizeof(*term.touched));
		if (!term.next || !term.now || !term.touched)
			die("no memory");
		term.rows = (unsigned)LINES;
		term.cols = (unsigned)COLS;
		for (i = 0; i < n; i++)
			term.now[i] = (struct shown){ ' ', PAINT_TEXT };
		erase();
	}
	for (i = 0; i < n; i++)
		term.next[i] = (struct shown){ ' ', PAINT_TEXT };
	for (i = 0; i < term.rows; i++)
		term.touched[i] = true;
}

/* The line-drawing cell of curses for one of our characters. */
static chtype acs_of(uint32_t ch)
{
	const struct glyph *g = glyph_of(ch);

	return g && g->acs ? NCURSES_ACS(g->acs) : '?';
}

void term_put(unsigned row, unsigned col, uint32_t ch, enum paint paint)
{
	struct shown *cell;

	if (row >= term.rows || col >= term.cols)
		return;
	cell = &term.next[(size_t)row * term.cols + col];
	*cell = (struct shown){ term_glyph(ch), paint };
	term.touched[row] = true;
	if (ch >= 0x1100 && col + 1 < term.cols && term_width(ch) == 2)
		cell[1].ch = 0;
}

/* Hand one cell to curses. */
static void show(unsigned row, unsigned col, const struct shown *c)
{
	wchar_t text[2] = { (wchar_t)c->ch, 0 };
	cchar_t cell;

	if (c->ch >= 0x7f && term_tier() == TIER_LINES) {
		attrset(term.attrs[c->paint] | (attr_t)COLOR_PAIR(term.pairs[c->paint]));
		mvaddch((int)row, (int)col, acs_of(c->ch));
		attrset(A_NORMAL);
		return;
	}
	setcchar(&cell, text, term.attrs[c->paint], term.pairs[c->paint], NULL);
	mvadd_wch((int)row, (int)col, &cell);
}

void term_flush(unsigned row, unsigned col, bool cursor)
{
	unsigned r, k;

	for (r = 0; r < term.rows; r++) {
		for (k = 0; k < term.cols && term.touched[r]; k++) {
			size_t i = (size_t)r * term.cols + k;
			const struct shown *c = &term.next[i];

			if (c->ch == term.now[i].ch && c->paint == term.now[i].paint)
				continue;
			term.now[i] = *c;
			if (c->ch)
				show(r, k, c);
		}
		term.touched[r] = false;
	}
	curs_set(cursor ? 1 : 0);
	move((int)row, (int)col);
	refresh();
}

void term_redraw(void)
{
	clearok(stdscr, TRUE);
}

void term_row(unsigned row, struct sbuf *out)
{
	size_t room = (size_t)COLS + 1, i, n;
	wchar_t *wide = calloc(room, sizeof(*wide));

	if (!wide)
		die("no memory");
	mvinnwstr((int)row, 0, wide, COLS);
	for (n = wcslen(wide); n && wide[n - 1] == L' '; n--)
		;
	for (i = 0; i < n; i++) {
		uint32_t c = (uint32_t)wide[i];

		if (c < 0x80) {
			sbuf_addc(out, (char)c);
		} else if (c < 0x800) {
			sbuf_addc(out, (char)(0xc0 | c >> 6));
			sbuf_addc(out, (char)(0x80 | (c & 0x3f)));
		} else {
			sbuf_addc(out, (char)(0xe0 | c >> 12));
			sbuf_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
			sbuf_addc(out, (char)(0x80 | (c & 0x3f)));
		}
	}
	free(wide);
}

int term_row_reverse(unsigned row)
{
	int col;

	for (col = 0; col < COLS; col++) {
		if (mvinch((int)row, col) & A_REVERSE)
			return col;
	}
	return -1;
}
