/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_UI_H
#define UI_UI_H

#include "ui/draw.h"
#include "ui/keys.h"
#include "ui/session.h"

/*
 * The screens. One thread and one poll(): keys, signals, the executor, a timer that only
 * runs while something moves. A screen is one file with one const struct screen and one
 * row of screens.c; ui.c draws the frame around it and finds the action of a key.
 */

struct ui;
struct field;

enum react { REACT_UNKNOWN, REACT_DONE };	/* UNKNOWN: the action is not bound here */

struct screen {
	const char *name;	/* "layout" */
	const char *title;	/* in the way line and in help: "Layout" */
	const char *about;	/* what it is for, for help */
	bool step;		/* has a place in the way line */
	bool over;		/* drawn over the screen below it */
	size_t state_size;
	const struct key *keys;

	/* NULL: may be opened; else what it still needs, as a sentence. */
	const char *(*needs)(const struct ui *ui);
	/* In the way line: + done, ! done with a warning, * working, - not yet. */
	char (*mark)(const struct ui *ui);
	/* Called when it comes to the front. -1: it says itself why not. */
	int (*enter)(struct ui *ui, void *state);
	void (*draw)(struct ui *ui, void *state, struct area body);
	/* What moves by itself, onto the frame as it stands; false: all must be drawn. */
	bool (*live)(struct ui *ui, void *state);
	enum react (*act)(struct ui *ui, void *state, int act);
	/* NULL: possible now; else what the action needs. */
	const char *(*cannot)(const struct ui *ui, void *state, int act);
	/* The field that takes letters now, or NULL. */
	struct field *(*field)(struct ui *ui, void *state);
	void (*typed)(struct ui *ui, void *state);	/* the field changed */
	/* Row 23 when there is nothing to report. */
	void (*status)(struct ui *ui, void *state, struct sbuf *out);
	/* Something may have changed; called after events and by the timer. */
	void (*tick)(struct ui *ui, void *state);
	unsigned (*every_ms)(const struct ui *ui, void *state);	/* timer; 0: none */
	void (*done)(void *state);	/* frees what the state holds */
};

extern const struct screen *const screens[];	/* screens.c; NULL-terminated */
extern const struct screen screen_start, screen_disks, screen_layout, screen_compare,
	screen_plan, screen_confirm, screen_build, screen_bench, screen_results, screen_losses,
	screen_campaign,
	screen_help, screen_palette, screen_messages, screen_choose, screen_prompt;

enum { FRAME_DEPTH = 16, MESSAGES = 200 };

struct frame {
	const struct screen *screen;
	void *state;
};

struct ui {
	struct session *s;
	struct frame frames[FRAME_DEPTH];
	unsigned n_frames;
	void **kept;		/* states of the screens that are not over another one */

	char destroy_name[64];	/* Confirm is about destroying this build; "": about building */

	char say[512];		/* row 23 until the next key */
	char say_sign;		/* 'E', '!', or ' ' */
	char *messages[MESSAGES];	/* ring, newest at (n_messages - 1) % MESSAGES */
	unsigned n_messages, n_errors;

	struct sbuf results;	/* lines of what was measured, for standard output at the end */
	struct sbuf left, right, brief;	/* row 2, set by the screen while drawing */
	unsigned cursor_row, cursor_col;
	bool cursor_shown;
	bool changed;		/* something to draw */
	bool moved;		/* only what moves by itself: the screen's live() */
	bool key_pressed;	/* draw at once, the person waits for it */
	int64_t drawn_ns;
	bool live;		/* the machine may be looked at again: not in tests */
	bool quit;
	int exit_status;
};

struct ui_options {
	bool ascii;
	const char *root;	/* a recorded machine instead of this one; "" for this one */
	const char *db;
	const struct term_options *offscreen;	/* tests */
};

int ui_open(const struct ui_options *o, struct ui **out, struct err *e);
int ui_run(struct ui *ui);	/* until the end; the exit status */
/* The same without a terminal: key names in, lines out. The exit status; -1: not opened. */
int plain_run(const struct ui_options *options, bool follow, struct err *e);
void ui_close(struct ui *ui);
/* One line for each bar that was measured, also of the bench that goes on. */
void ui_results(struct ui *ui, struct sbuf *out);

void ui_leave(struct ui *ui);	/* as q on the first screen: asks when work runs */

/* One turn of the loop, for ui_run() and the tests. */
void ui_key(struct ui *ui, uint32_t key);
void ui_draw(struct ui *ui);
/* Draw when it is due, then wait for anything, at most most_ms (-1: as long as it takes). */
void ui_turn(struct ui *ui, int most_ms);
/* Wait for anything, at most timeout_ms (-1: for ever), and handle it. */
void ui_wait(struct ui *ui, int timeout_ms);

/* Start work; not root, the terminal is given back for the question of sudo. */
int ui_work(struct ui *ui, enum work_kind kind, const char *name, const json_t *order,
	    struct err *e);
/* The same with a verb of naslab and its words; no build is opened. */
int ui_work_words(struct ui *ui, enum work_kind kind, const char *name, const char *const *words,
		  struct err *e);
/* Look at a build that exists, on the screen Build. */
void build_look(struct ui *ui, const char *name);
/* The disks and bytes of a recorded build; -1: it was said why not. */
int build_disks(struct ui *ui, const char *name, struct arena *a, struct list *disks,
		uint64_t *bytes);

/* For screens. */
void ui_goto(struct ui *ui, const struct screen *screen);
void *ui_push(struct ui *ui, const struct screen *screen);	/* its state; NULL: refused */
void ui_pop(struct ui *ui);
const struct screen *ui_top(const struct ui *ui);
enum react ui_act(struct ui *ui, int act);		/* as if its key had been pressed */
bool ui_helps(const struct ui *ui);			/* does ? show help, also while typing? */
const char *ui_cannot(const struct ui *ui, const struct screen *s, int act);
const struct screen *ui_step(unsigned number);		/* 1..; NULL */
unsigned ui_step_number(const struct screen *s);	/* 0: no step */

void ui_say(struct ui *ui, char sign, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void ui_fail(struct ui *ui, const struct err *e);
void ui_head(struct ui *ui, const char *left, const char *right, const char *brief);
void ui_cursor(struct ui *ui, unsigned row, unsigned col);
const char *ui_size(const struct ui *ui, char buf[SIZE_TEXT], uint64_t bytes);
/* The same in a column, right-aligned; with its unit where all digits have no room. */
void ui_draw_size(const struct ui *ui, unsigned row, unsigned col, unsigned width, enum paint paint,
		  uint64_t bytes);

/* Draw the base of the frame stack's top, for overlays. */
bool ui_is_small(void);		/* below 80 columns: row 2 is merged into row 1 */

/* A list: the chosen row and what is seen of it. */
struct roll {
	size_t n, at, top;
};
/* Move on ACT_UP ... ACT_END; the page is as high as it was drawn. */
enum react roll_act(struct roll *r, int act, unsigned page);
/* Keep the chosen row in sight of `rows` rows. */
void roll_fit(struct roll *r, size_t n, unsigned rows);

/* A text field. */
struct field {
	char text[1024];
	size_t len, at;
	bool offered;	/* nobody has edited it: the first character typed takes its place */
	bool secret;	/* never shown, and ? is a letter of it too */
};
void field_set(struct field *f, const char *text);
bool field_key(struct field *f, uint32_t key);	/* false: not an editing key */
/* Draws it with [ ] and puts the cursor into it when it is `active`. */
void field_draw(struct ui *ui, const struct field *f, unsigned row, unsigned col, unsigned width,
		bool active);

/* Small questions over a screen. */
struct choice {
	const char *label, *note, *help;
	const char *no;		/* why it cannot be taken; NULL: it can */
};
struct choices {
	const char *title;
	struct choice *items;	/* allocated in arena */
	size_t n, at;
	struct arena *arena;	/* given away: freed with the question */
	void (*look)(struct ui *ui, void *arg, size_t at);	/* the chosen row moved; may be NULL */
	void (*take)(struct ui *ui, void *arg, size_t at);
	void (*leave)(struct ui *ui, void *arg);		/* Esc; may be NULL */
	void *arg;
};
void ui_choose(struct ui *ui, const struct choices *c);
/* look() for a field of text: `taken` false while typing. -1 keeps it open, err is shown. */
struct prompt {
	const char *title, *about;
	const char *text;		/* to start with */
	int (*take)(struct ui *ui, void *arg, const char *text, struct err *e);
	void (*look)(struct ui *ui, void *arg, const char *text);	/* may be NULL */
	void (*after)(struct ui *ui, void *arg);	/* it was taken and is closed; may be NULL */
	void (*leave)(struct ui *ui, void *arg);			/* Esc; may be NULL */
	void *arg;
};
void ui_prompt(struct ui *ui, const struct prompt *p);
/* Ask for NAME.csv and write there what the filter lets through; it is kept until then. */
void ui_export(struct ui *ui, const char *title, const char *name, const struct report_filter *f);

#endif
