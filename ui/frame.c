/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame - what stands around every screen: the way and what it is above, the message and
 * the keys below; and the note that waits when the window is too small.
 */
#include "ui/ui.h"

#include <string.h>

bool ui_is_small(void)
{
	unsigned rows, cols;

	term_size(&rows, &cols);
	return cols < 80;
}

void ui_head(struct ui *ui, const char *left, const char *right, const char *brief)
{
	sbuf_clear(&ui->left);
	sbuf_clear(&ui->right);
	sbuf_clear(&ui->brief);
	sbuf_add(&ui->left, left);
	sbuf_add(&ui->right, right);
	sbuf_add(&ui->brief, brief);
}

void ui_cursor(struct ui *ui, unsigned row, unsigned col)
{
	ui->cursor_row = row;
	ui->cursor_col = col;
	ui->cursor_shown = true;
}

/* The screen of the way that is looked at: the highest that has a place in it. */
static const struct screen *where(const struct ui *ui)
{
	unsigned i;

	for (i = ui->n_frames; i--; ) {
		if (ui->frames[i].screen == &screen_confirm)
			return &screen_build;
		if (ui->frames[i].screen->step)
			return ui->frames[i].screen;
	}
	return NULL;
}

static void draw_way(struct ui *ui, unsigned cols)
{
	const struct screen *here = where(ui), *s;
	unsigned n, col = 0;

	for (n = 1; (s = ui_step(n)); n++) {
		char mark = s->mark ? s->mark(ui) : '-';

		col = draw_textf(0, col, s == here ? PAINT_BOLD : PAINT_TEXT, "%s%u %s%c%s",
				 s == here ? "[" : " ", n, s->title, mark, s == here ? "]" : " ");
	}
	draw_right(0, cols - 6, 6, PAINT_TEXT, "?=help");
}

static void draw_way_small(struct ui *ui, unsigned cols)
{
	const struct screen *here = where(ui);
	const char *place = session_place(ui->s);
	unsigned col = 0, width = draw_width(place) + 1;

	if (here)
		col = draw_textf(0, 0, PAINT_BOLD, "[%u %s%c]", ui_step_number(here), here->title,
				 here->mark ? here->mark(ui) : '-');
	else
		col = draw_text(0, 0, PAINT_BOLD, "[naslab]");
	if (cols > col + width + 2)
		draw_cell(0, col + 1, cols - col - width - 2, PAINT_TEXT, CUT_END,
			  sbuf_str(&ui->brief));
	draw_right(0, cols - width, width - 1, PAINT_TEXT, place);
}

static void draw_head(struct ui *ui, unsigned cols)
{
	struct sbuf right = { 0 };

	if (ui->right.len)
		sbuf_addf(&right, "%s ─ ", ui->right.text);
	sbuf_add(&right, session_place(ui->s));
	draw_rule(1, 0, cols, sbuf_str(&ui->left), sbuf_str(&right));
	sbuf_done(&right);
}

/* Row 23: what was just said, or what the screen has to say; at its end what runs. */
static void draw_message(struct ui *ui, unsigned row, unsigned cols)
{
	const struct frame *f = &ui->frames[ui->n_frames - 1];
	struct sbuf left = { 0 }, right = { 0 };
	enum paint paint = PAINT_TEXT;
	unsigned width, col = 1;

	if (ui->say[0]) {
		if (ui->say_sign != ' ')
			paint = ui->say_sign == 'E' ? PAINT_ERROR : PAINT_WARN;
		sbuf_add(&left, ui->say);
	} else if (f->screen->status) {
		f->screen->status(ui, f->state, &left);
	}
	work_brief(&ui->s->work, &right);
	if (ui->n_errors)
		sbuf_addf(&right, "%s! %u", right.len ? "  " : "", ui->n_errors);
	width = right.len ? draw_width(right.text) + 1 : 0;
	if (width + 20 > cols)
		width = 0;
	if (paint != PAINT_TEXT)
		col = draw_textf(row, 1, paint, "%c", ui->say_sign) + 1;
	if (left.len)
		draw_cell(row, col, cols - width - col - 1, PAINT_TEXT, CUT_END, left.text);
	if (width)
		draw_right(row, cols - width, width - 1, PAINT_TEXT, right.text);
	sbuf_done(&left);
	sbuf_done(&right);
}

static unsigned bar_width(const struct key *k, bool small)
{
	char buf[24];

	return draw_width(key_shown(k, buf)) + 1 + draw_width(k->word) + (small ? 1 : 2);
}

/* Row 24: the keys of this screen, as many as have room, the lowest rank first to stay. */
static void draw_keys(struct ui *ui, unsigned row, unsigned cols)
{
	const struct screen *s = ui_top(ui);
	static const struct key none[] = { { 0 } };
	const struct key *k;
	unsigned room = cols > 8 ? cols - 8 : 0, most, used, col = 1;
	bool small = cols < 80;
	char buf[24];

	for (most = 9; most; most--) {
		used = 1;
		for (k = s->keys ? s->keys : none; k->act; k++) {
			if (k->word && k->rank <= most && !ui_cannot(ui, s, k->act))
				used += bar_width(k, small);
		}
		if (used <= room)
			break;
	}
	for (k = s->keys ? s->keys : none; k->act; k++) {
		if (!k->word || k->rank > most || ui_cannot(ui, s, k->act))
			continue;
		col = draw_text(row, col, PAINT_BOLD, key_shown(k, buf)) + 1;
		col = draw_text(row, col, PAINT_TEXT, k->word) + (small ? 1 : 2);
	}
	if (ui_helps(ui) && col + 6 < cols) {
		draw_text(row, cols - 7, PAINT_BOLD, "?");
		draw_text(row, cols - 5, PAINT_TEXT, "help");
	}
}

static void draw_too_small(struct ui *ui, unsigned rows, unsigned cols)
{
	struct sbuf b = { 0 };

	sbuf_addf(&b, "%ux%u: too small\nq leaves naslab\n80x24 is best, 40x12 the least. Make "
		  "it larger: nothing is lost", cols, rows);
	if (ui->s->work.runs)
		sbuf_addf(&b, ", %s goes on", ui->s->work.name);
	draw_wrapped((struct area){ 0, 0, rows, cols }, PAINT_TEXT, sbuf_str(&b));
	sbuf_done(&b);
}

static void flush(const struct ui *ui, unsigned rows)
{
	term_flush(ui->cursor_shown ? ui->cursor_row : rows - 1,
		   ui->cursor_shown ? ui->cursor_col : 0, ui->cursor_shown);
}

/* A sample of a run moves a few lines; drawing all of them would cost four times as much. */
static bool draw_live(struct ui *ui)
{
	const struct frame *f = &ui->frames[ui->n_frames - 1];
	unsigned rows, cols;

	term_size(&rows, &cols);
	if (ui->changed || cols < 80 || !f->screen->live || !f->screen->live(ui, f->state))
		return false;
	draw_head(ui, cols);
	flush(ui, rows);
	return true;
}

void ui_draw(struct ui *ui)
{
	unsigned rows, cols, i, from;
	struct area body;
	bool moved = ui->moved;

	ui->changed |= ui->s->work.news;
	ui->moved = ui->s->work.news = false;
	if (moved && draw_live(ui))
		return;
	ui->changed = false;
	ui->cursor_shown = false;
	term_erase();
	term_size(&rows, &cols);
	if (rows < 12 || cols < 40) {
		draw_too_small(ui, rows, cols);
		term_flush(0, 0, false);
		return;
	}
	body = (struct area){ .row = cols < 80 ? 1 : 2, .cols = cols };
	body.rows = rows - 2 - body.row;
	for (from = ui->n_frames - 1; from && ui->frames[from].screen->over; from--)
		;
	for (i = from; i < ui->n_frames; i++)
		ui->frames[i].screen->draw(ui, ui->frames[i].state, body);
	if (cols < 80) {
		draw_way_small(ui, cols);
	} else {
		draw_way(ui, cols);
		draw_head(ui, cols);
	}
	draw_message(ui, rows - 2, cols);
	draw_keys(ui, rows - 1, cols);
	flush(ui, rows);
}
