/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen-messages - what row 23 has said, newest first: nothing is overwritten and lost. */
#include "ui/ui.h"

struct messages {
	struct roll roll;
	unsigned page;
};

static int messages_enter(struct ui *ui, void *state)
{
	(void)state;
	ui->n_errors = 0;	/* they are being read */
	return 0;
}

static const char *message_at(const struct ui *ui, size_t i)
{
	return ui->messages[(ui->n_messages - 1 - i) % MESSAGES];
}

static void messages_draw(struct ui *ui, void *state, struct area body)
{
	struct messages *m = state;
	size_t n = ui->n_messages < MESSAGES ? ui->n_messages : MESSAGES, i;
	unsigned list = body.rows > 8 ? body.rows - 4 : body.rows - 2;

	ui_head(ui, "Messages, newest first", "", "messages");
	draw_clear(body);
	if (!n)
		draw_text(body.row, 1, PAINT_TEXT, "none yet");
	roll_fit(&m->roll, n, list);
	m->page = list;
	for (i = 0; i < list && m->roll.top + i < n; i++) {
		bool on = m->roll.top + i == m->roll.at;

		draw_cell(body.row + (unsigned)i, 0, body.cols, on ? PAINT_CHOSEN : PAINT_TEXT,
			  CUT_END, "");
		draw_text(body.row + (unsigned)i, 0, on ? PAINT_CHOSEN : PAINT_TEXT, on ? "▶" : " ");
		draw_cell(body.row + (unsigned)i, 1, body.cols - 1,
			  on ? PAINT_CHOSEN : PAINT_TEXT, CUT_END, message_at(ui, m->roll.top + i));
		if (on)
			ui_cursor(ui, body.row + (unsigned)i, 1);
	}
	if (n && body.rows > list)
		draw_wrapped((struct area){ body.row + list, 1, body.rows - list, body.cols - 2 },
			     PAINT_TEXT, message_at(ui, m->roll.at));
}

static enum react messages_act(struct ui *ui, void *state, int act)
{
	struct messages *m = state;

	if (act == ACT_MESSAGES) {
		ui_pop(ui);
		return REACT_DONE;
	}
	return roll_act(&m->roll, act, m->page);
}

static const struct key messages_keys[] = {
	{ ACT_UP, "Up k", "↑↓", "choose", 1, "another line; Up and Down, j and k" },
	{ ACT_BACK, "Esc", NULL, "close", 1, "back to the screen" },
	{ 0 }
};

const struct screen screen_messages = {
	.name = "messages", .title = "Messages", .over = true,
	.about = "The last 200 messages. E: it did not work. !: look at it.",
	.state_size = sizeof(struct messages), .keys = messages_keys,
	.enter = messages_enter, .draw = messages_draw, .act = messages_act,
};
