/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen-choose - a small list over a screen: choose one, or go back. */
#include "ui/ui.h"

struct choose {
	struct choices c;
	struct roll roll;
	unsigned page;
};

void ui_choose(struct ui *ui, const struct choices *c)
{
	struct choose *ch = ui_push(ui, &screen_choose);

	if (!ch) {
		arena_free(c->arena);
		return;
	}
	ch->c = *c;
	ch->roll.n = c->n;
	ch->roll.at = c->at < c->n ? c->at : 0;
	if (c->look && c->n)
		c->look(ui, c->arg, ch->roll.at);
}

static void choose_draw(struct ui *ui, void *state, struct area body)
{
	struct choose *ch = state;
	unsigned label = 0, note = 0, i, width, rows = (unsigned)ch->c.n;
	const struct choice *at = ch->c.n ? &ch->c.items[ch->roll.at] : NULL;
	struct area box;

	for (i = 0; i < ch->c.n; i++) {
		unsigned l = draw_width(ch->c.items[i].label);
		unsigned n = ch->c.items[i].note ? draw_width(ch->c.items[i].note) : 0;

		label = l > label ? l : label;
		note = n > note ? n : note;
	}
	width = label + note + 8;
	if (width < 60)
		width = 60;
	if (width > body.cols - 2)
		width = body.cols - 2;
	note = note < width / 2 + 1 ? note : width / 2 + 1;
	if (label + note + 6 > width)
		label = width - note - 6;	/* a name may be cut, what it gives rather not */
	if (label + 6 > width)
		label = width - 6;
	if (rows + 6 > body.rows)
		rows = body.rows > 7 ? body.rows - 6 : 1;
	if (ch->c.look && body.cols >= 80) {	/* what it shows stays in sight below it */
		unsigned most = body.rows > 30 ? body.rows / 2 - 5 : 6;

		rows = rows < most ? rows : most;
		width = width < 60 ? 60 : width;
	}
	box = (struct area){ body.row + (body.rows - rows - 5) / 2, (body.cols - width) / 2,
			     rows + 5, width };
	if (ch->c.look && body.cols >= 80)
		box.row = body.row;
	draw_box(box, ch->c.title);
	roll_fit(&ch->roll, ch->c.n, rows);
	ch->page = rows;
	for (i = 0; i < rows && ch->roll.top + i < ch->c.n; i++) {
		const struct choice *it = &ch->c.items[ch->roll.top + i];
		bool on = ch->roll.top + i == ch->roll.at;
		enum paint p = on ? PAINT_CHOSEN : PAINT_TEXT;
		unsigned row = box.row + 1 + i;

		draw_cell(row, box.col + 1, width - 2, p, CUT_END, "");
		draw_text(row, box.col + 1, p, on ? "▶" : " ");
		draw_cell(row, box.col + 3, label, p, CUT_END, it->label);
		if (it->note && width > label + 7)
			draw_cell(row, box.col + 5 + label, width - label - 6, p, CUT_END,
				  it->note);
		if (on)
			ui_cursor(ui, row, box.col + 3);
	}
	if (rows < ch->c.n)
		draw_textf(box.row + 1 + rows, box.col + 3, PAINT_TEXT, "%zu of %zu",
			   ch->roll.at + 1, ch->c.n);
	if (at)
		draw_wrapped((struct area){ box.row + 2 + rows, box.col + 3, 2, width - 5 },
			     PAINT_TEXT, at->no ? at->no : at->help ? at->help : "");
}

static enum react choose_act(struct ui *ui, void *state, int act)
{
	struct choose *ch = state;
	size_t was = ch->roll.at;

	if (act == ACT_BACK || act == ACT_QUIT) {
		if (ch->c.leave)
			ch->c.leave(ui, ch->c.arg);
		ui_pop(ui);
		return REACT_DONE;
	}
	if (act == ACT_ENTER) {
		struct choices c = ch->c;

		if (!c.n)
			return REACT_DONE;
		if (c.items[was].no) {
			ui_say(ui, '!', "%s: %s", c.items[was].label, c.items[was].no);
			return REACT_DONE;
		}
		ch->c.arena = NULL;	/* the items must outlive their screen */
		ui_pop(ui);
		c.take(ui, c.arg, was);
		arena_free(c.arena);
		return REACT_DONE;
	}
	if (roll_act(&ch->roll, act, ch->page) == REACT_UNKNOWN)
		return REACT_UNKNOWN;
	if (ch->roll.at != was && ch->c.look)
		ch->c.look(ui, ch->c.arg, ch->roll.at);
	return REACT_DONE;
}

static void choose_done(void *state)
{
	struct choose *ch = state;

	arena_free(ch->c.arena);
}

static const struct key choose_keys[] = {
	{ ACT_UP, "Up k", "↑↓", "choose", 1, "another line; Up and Down, j and k" },
	{ ACT_ENTER, "Enter", NULL, "take it", 1, "take the chosen line" },
	{ ACT_BACK, "Esc", NULL, "back", 1, "close, nothing is taken" },
	{ 0 }
};

const struct screen screen_choose = {
	.name = "choose", .title = "A list to choose from", .over = true,
	.about = "Choose a line with the arrows and take it with Enter; Esc takes nothing.",
	.state_size = sizeof(struct choose), .keys = choose_keys,
	.draw = choose_draw, .act = choose_act, .done = choose_done,
};
