/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ui - the stack of screens and what a key does on it: the key's row in the tables of the
 * screen and of everywhere, whether the action is possible, and who hears of it.
 */
#include "ui/ui.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/loop.h"

static size_t screen_index(const struct screen *s)
{
	size_t i;

	for (i = 0; screens[i]; i++) {
		if (screens[i] == s)
			return i;
	}
	die("a screen is missing in the table: %s", s->name);
}

const struct screen *ui_step(unsigned number)
{
	size_t i;

	for (i = 0; screens[i]; i++) {
		if (screens[i]->step && --number == 0)
			return screens[i];
	}
	return NULL;
}

unsigned ui_step_number(const struct screen *s)
{
	unsigned n;

	for (n = 1; ui_step(n); n++) {
		if (ui_step(n) == s)
			return n;
	}
	return 0;
}

static struct frame *top_frame(const struct ui *ui)
{
	return (struct frame *)&ui->frames[ui->n_frames - 1];
}

const struct screen *ui_top(const struct ui *ui)
{
	return top_frame(ui)->screen;
}

static void *state_new(const struct screen *s)
{
	void *state = calloc(1, s->state_size ? s->state_size : 1);

	if (!state)
		die("no memory");
	return state;
}

static void state_free(const struct screen *s, void *state)
{
	if (state && s->done)
		s->done(state);
	free(state);
}

/* States of screens stay, so that a cursor is where it was; those of overlays do not. */
static void *state_of(struct ui *ui, const struct screen *s)
{
	size_t i = screen_index(s);

	if (s->over)
		return state_new(s);
	if (!ui->kept[i])
		ui->kept[i] = state_new(s);
	return ui->kept[i];
}

/* Close the top one; true when it was a screen of its own. */
static bool drop_top(struct ui *ui)
{
	struct frame f = *top_frame(ui);

	ui->changed = true;
	if (ui->n_frames < 2)
		return false;
	ui->n_frames--;
	if (f.screen->over)
		state_free(f.screen, f.state);
	return !f.screen->over;
}

void *ui_push(struct ui *ui, const struct screen *s)
{
	struct frame *f;

	if (ui->n_frames == FRAME_DEPTH) {
		ui_say(ui, '!', "too many screens lie over each other; Esc closes one");
		return NULL;
	}
	f = &ui->frames[ui->n_frames++];
	*f = (struct frame){ .screen = s, .state = state_of(ui, s) };
	ui->changed = true;
	if (s->enter && s->enter(ui, f->state) < 0) {
		drop_top(ui);
		return NULL;
	}
	return f->state;
}

void ui_pop(struct ui *ui)
{
	struct frame *f;

	if (!drop_top(ui))
		return;
	f = top_frame(ui);	/* it is looked at again: things may have changed */
	if (f->screen->enter)
		f->screen->enter(ui, f->state);
}

void ui_goto(struct ui *ui, const struct screen *s)
{
	const char *why;
	unsigned i;

	while (ui_top(ui)->over)
		drop_top(ui);
	if (ui_top(ui) == s)
		return;
	why = s->needs ? s->needs(ui) : NULL;
	if (why) {
		ui_say(ui, '!', "%s: %s", s->title, why);
		return;
	}
	for (i = 0; i < ui->n_frames; i++) {
		if (ui->frames[i].screen != s)
			continue;
		while (ui->n_frames > i + 1)
			drop_top(ui);
		if (s->enter)
			s->enter(ui, ui->frames[i].state);
		return;
	}
	ui_push(ui, s);
}

/* --- messages -------------------------------------------------------------------------- */

static void keep_message(struct ui *ui, char sign, const char *text)
{
	char **slot = &ui->messages[ui->n_messages % MESSAGES];
	struct sbuf b = { 0 };

	sbuf_addf(&b, "%c %s", sign, text);
	free(*slot);
	*slot = b.text;
	ui->n_messages++;
	ui->n_errors += sign == 'E';
}

void ui_say(struct ui *ui, char sign, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ui->say, sizeof(ui->say), fmt, ap);
	va_end(ap);
	ui->say_sign = sign;
	if (sign != ' ')
		keep_message(ui, sign, ui->say);
	ui->changed = true;
}

void ui_fail(struct ui *ui, const struct err *e)
{
	ui_say(ui, 'E', "%s", e->text);
}

/* --- actions --------------------------------------------------------------------------- */

const char *ui_cannot(const struct ui *ui, const struct screen *s, int act)
{
	const struct frame *f = top_frame(ui);

	if (f->screen == s)
		return s->cannot ? s->cannot(ui, f->state, act) : NULL;
	return s->needs ? s->needs(ui) : NULL;
}

static void leave_take(struct ui *ui, void *arg, size_t at)
{
	(void)arg;
	if (at == 0)
		ui->quit = true;
}

/* Leaving with work running: it goes on, and that is said before. */
void ui_leave(struct ui *ui)
{
	struct arena *a;
	struct choice *items;

	if (!ui->s->work.runs) {
		ui->quit = true;
		return;
	}
	a = arena_new();
	items = arena_array(a, 2, sizeof(*items));
	items[0] = (struct choice){ .label = "leave it running", .help =
		"naslab ends, the work goes on; start naslab again to see it" };
	items[1] = (struct choice){ .label = "stay", .help = "back to the screen" };
	ui_choose(ui, &(struct choices){ .title = "Work is running: leave it running?",
		  .items = items, .n = 2, .arena = a, .take = leave_take });
}

static void back(struct ui *ui)
{
	if (ui->n_frames > 1)
		ui_pop(ui);
	else
		ui_say(ui, ' ', "this is the first screen; q leaves naslab");
}

static void step_by(struct ui *ui, int by)
{
	const struct screen *s = NULL;
	unsigned i, n = 0;

	for (i = ui->n_frames; i-- && !n; )
		n = ui_step_number(ui->frames[i].screen);
	if (by > 0 || n > 1)
		s = ui_step(by > 0 ? n + 1 : n - 1);
	if (s)
		ui_goto(ui, s);
	else
		ui_say(ui, ' ', by > 0 ? "this is the last step" : "this is the first step");
}

static void next_units(struct ui *ui)
{
	static const char *const words[] = { "TB (10^12 bytes)", "TiB (2^40 bytes)", "bytes, where all digits have room" };

	ui->s->units = (enum size_style)((ui->s->units + 1) % 3);
	ui_say(ui, ' ', "sizes in %s", words[ui->s->units]);
}

static enum react act_everywhere(struct ui *ui, int act)
{
	if (act >= ACT_STEP_1 && act <= ACT_STEP_7) {
		const struct screen *s = ui_step((unsigned)(act - ACT_STEP_1) + 1);

		if (!s)
			return REACT_UNKNOWN;
		ui_goto(ui, s);
		return REACT_DONE;
	}
	switch (act) {
	case ACT_BACK:
		back(ui);
		return REACT_DONE;
	case ACT_QUIT:
		if (ui->n_frames > 1)
			ui_pop(ui);
		else
			ui_leave(ui);
		return REACT_DONE;
	case ACT_HELP:
		ui_push(ui, &screen_help);
		return REACT_DONE;
	case ACT_PALETTE:
		ui_push(ui, &screen_palette);
		return REACT_DONE;
	case ACT_MESSAGES:
		ui_push(ui, &screen_messages);
		return REACT_DONE;
	case ACT_UNITS:
		next_units(ui);
		return REACT_DONE;
	case ACT_ASCII:
		term_set_ascii(!term_is_ascii());
		return REACT_DONE;
	case ACT_REDRAW:
		term_redraw();
		return REACT_DONE;
	case ACT_SUSPEND:
		loop_suspend();
		return REACT_DONE;
	case ACT_STEP_BACK:
		step_by(ui, -1);
		return REACT_DONE;
	case ACT_STEP_ON:
		step_by(ui, 1);
		return REACT_DONE;
	default:
		return REACT_UNKNOWN;
	}
}

enum react ui_act(struct ui *ui, int act)
{
	struct frame *f = top_frame(ui);
	const char *why = ui_cannot(ui, f->screen, act);
	enum react r;

	ui->changed = true;
	if (why) {
		ui_say(ui, '!', "%s", why);
		return REACT_DONE;
	}
	r = f->screen->act ? f->screen->act(ui, f->state, act) : REACT_UNKNOWN;
	return r == REACT_UNKNOWN ? act_everywhere(ui, act) : r;
}

/* Below 40x12 nothing can be read: only leaving works, and growing. */
static bool too_small(void)
{
	unsigned rows, cols;

	term_size(&rows, &cols);
	return rows < 12 || cols < 40;
}

static struct field *top_field(const struct ui *ui)
{
	struct frame *f = top_frame(ui);

	return f->screen->field ? f->screen->field((struct ui *)ui, f->state) : NULL;
}

/* Nothing that is typed has a ? in it but a passphrase, and what is searched for. */
bool ui_helps(const struct ui *ui)
{
	const struct screen *s = ui_top(ui);
	const struct field *field = top_field(ui);

	return s != &screen_help && s != &screen_palette && !(field && field->secret);
}

void ui_key(struct ui *ui, uint32_t key)
{
	struct frame *f = top_frame(ui);
	struct field *field = top_field(ui);
	bool letter = key >= 0x20 && key < 0x7f;
	const struct key *row;

	if (too_small()) {
		if (key == 'q')
			ui->quit = true;
		return;
	}
	ui->say[0] = '\0';
	ui->changed = ui->key_pressed = true;
	if (field && key == '?' && ui_helps(ui)) {
		ui_act(ui, ACT_HELP);
		return;
	}
	if (field && field_key(field, key)) {
		if (f->screen->typed)
			f->screen->typed(ui, f->state);
		return;
	}
	if (field && letter)
		return;
	row = key_find(f->screen->keys, key);
	if (!row)
		row = key_find(keys_everywhere, key);
	if (!row || ui_act(ui, row->act) == REACT_UNKNOWN)
		ui_say(ui, ' ', "no such key here, ? lists them");
}

int ui_work(struct ui *ui, enum work_kind kind, const char *name, const json_t *order,
	    struct err *e)
{
	bool ask = geteuid() != 0;
	int rc;

	if (ask)
		term_leave();
	rc = work_start(&ui->s->work, kind, name, order, ask, e);
	while (ask && rc == 0 && !executor_wait(&ui->s->work.x, 1000))
		;	/* sudo asks; its answer is the first event or the end */
	if (ask)
		term_return();
	if (rc == 0 && name_is_valid(name))	/* else a folder is measured */
		session_open(ui->s, name);
	return rc;
}

void ui_results(struct ui *ui, struct sbuf *out)
{
	sbuf_add(out, sbuf_str(&ui->results));
	if (ui->s->work.kind == WORK_BENCH && ui->s->work.runs)
		work_result_lines(&ui->s->work, out);
	else if (ui->s->work.runs)
		sbuf_addf(out, "%s is still at work; naslab shows it again\n", ui->s->work.name);
}

int ui_work_words(struct ui *ui, enum work_kind kind, const char *name, const char *const *words,
		  struct err *e)
{
	bool ask = geteuid() != 0;
	int rc;

	if (ask)
		term_leave();
	rc = work_start_words(&ui->s->work, kind, name, words, ask, e);
	while (ask && rc == 0 && !executor_wait(&ui->s->work.x, 1000))
		;
	if (ask)
		term_return();
	return rc;
}

const char *ui_size(const struct ui *ui, char buf[SIZE_TEXT], uint64_t bytes)
{
	return size_text(buf, bytes, ui->s->units);
}

void ui_draw_size(const struct ui *ui, unsigned row, unsigned col, unsigned width, enum paint paint,
		  uint64_t bytes)
{
	char size[SIZE_TEXT];

	if (strlen(ui_size(ui, size, bytes)) > width)
		size_text(size, bytes, SIZE_SI);
	draw_right(row, col, width, paint, size);
}

/* --- life ------------------------------------------------------------------------------ */

int ui_open(const struct ui_options *o, struct ui **out, struct err *e)
{
	struct term_options t = { .ascii = o->ascii };
	size_t n;
	struct ui *ui;

	if (term_open(o->offscreen ? o->offscreen : &t, e) < 0)
		return -1;
	if (!o->offscreen)
		loop_open();
	ui = calloc(1, sizeof(*ui));
	for (n = 1; screens[n]; n++)
		;
	if (!ui || !(ui->kept = calloc(n, sizeof(*ui->kept))))
		die("no memory");
	ui->s = session_new(o->root, o->db);
	ui->frames[0] = (struct frame){ &screen_start, state_of(ui, &screen_start) };
	ui->n_frames = 1;
	ui->changed = true;
	ui->live = !o->offscreen;
	if (screen_start.enter)
		screen_start.enter(ui, ui->frames[0].state);
	*out = ui;
	return 0;
}

void ui_close(struct ui *ui)
{
	size_t i;

	term_close();
	loop_close();
	while (ui->n_frames > 1)
		drop_top(ui);
	for (i = 0; screens[i]; i++)
		state_free(screens[i], ui->kept[i]);
	for (i = 0; i < MESSAGES; i++)
		free(ui->messages[i]);
	sbuf_done(&ui->results);
	sbuf_done(&ui->left);
	sbuf_done(&ui->right);
	sbuf_done(&ui->brief);
	free(ui->kept);
	session_free(ui->s);
	free(ui);
}
