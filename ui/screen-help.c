/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen-help - the keys of the screen below and of everywhere, printed from the tables.
 * Typing searches; Enter does the chosen line.
 */
#include "ui/ui.h"

#include <string.h>

enum { ROWS = 128 };

struct help {
	const struct screen *below;
	struct field find;
	const struct key *rows[ROWS];	/* NULL: a heading */
	const char *heads[ROWS];
	size_t n;
	struct roll roll;
	unsigned page;
};

static bool fits(const struct key *k, const char *find)
{
	char buf[24];

	return !*find || strcasestr(k->help, find) || strcasestr(key_shown(k, buf), find) ||
	       (k->word && strcasestr(k->word, find));
}

static void add_table(struct help *h, const char *head, const struct key *k)
{
	size_t first = h->n;

	if (h->n < ROWS) {
		h->heads[h->n] = head;
		h->rows[h->n++] = NULL;
	}
	for (; k && k->act && h->n < ROWS; k++) {
		if (fits(k, h->find.text))
			h->rows[h->n++] = k;
	}
	if (h->n == first + 1)
		h->n = first;
}

static void collect(struct help *h)
{
	size_t i;

	h->n = 0;
	add_table(h, "on this screen", h->below->keys);
	add_table(h, "everywhere", keys_everywhere);
	for (i = 0; i < h->n && !h->rows[i]; i++)
		;
	h->roll = (struct roll){ .n = h->n, .at = i < h->n ? i : 0 };
}

static int help_enter(struct ui *ui, void *state)
{
	struct help *h = state;

	h->below = ui->frames[ui->n_frames > 1 ? ui->n_frames - 2 : 0].screen;
	collect(h);
	return 0;
}

/* What is not a key: the purpose of the screen and the signs of the pictures. */
static void draw_beside(const struct help *h, struct area a)
{
	static const char *const signs[] = {
		"█ usable     ▒ redundancy   c cache", "o overhead   · unused       X failed",
		"x to rebuild ? not known yet", "bars: ▒ lowest to highest, █ median",
	};
	unsigned used, i;

	draw_text(a.row, a.col, PAINT_BOLD, "what this screen is for");
	used = 1 + draw_wrapped((struct area){ a.row + 1, a.col, a.rows - 1, a.cols }, PAINT_TEXT,
				h->below->about ? h->below->about : "");
	if (used + 10 > a.rows)
		return;
	draw_text(a.row + used + 1, a.col, PAINT_BOLD, "signs in the pictures");
	for (i = 0; i < 4; i++)
		draw_cell(a.row + used + 2 + i, a.col, a.cols, PAINT_TEXT, CUT_END, signs[i]);
	draw_text(a.row + used + 7, a.col, PAINT_TEXT, "CAPITALS can lose data or work:");
	draw_text(a.row + used + 8, a.col, PAINT_TEXT, "they ask first.");
}

static void help_draw(struct ui *ui, void *state, struct area body)
{
	struct help *h = state;
	unsigned width = body.cols >= 80 ? body.cols - 38 : body.cols, i;
	struct sbuf head = { 0 };
	char buf[24];

	sbuf_addf(&head, "Help: %s", h->below->title);
	ui_head(ui, sbuf_str(&head), "type to search, Esc closes", "help: type to search");
	sbuf_done(&head);
	draw_clear(body);
	roll_fit(&h->roll, h->n, body.rows - 1);
	h->page = body.rows - 1;
	for (i = 0; i < body.rows - 1 && h->roll.top + i < h->n; i++) {
		const struct key *k = h->rows[h->roll.top + i];
		bool on = h->roll.top + i == h->roll.at;
		enum paint p = on ? PAINT_CHOSEN : PAINT_TEXT;
		unsigned row = body.row + i;

		if (!k) {
			draw_text(row, 1, PAINT_BOLD, h->heads[h->roll.top + i]);
			continue;
		}
		draw_cell(row, 0, width - 1, p, CUT_END, "");
		draw_text(row, 0, p, on ? "▶" : " ");
		draw_cell(row, 2, 6, p == PAINT_TEXT ? PAINT_BOLD : p, CUT_END, key_shown(k, buf));
		draw_cell(row, 9, width - 10, p, CUT_END, k->help);
	}
	if (!h->n)
		draw_text(body.row, 1, PAINT_TEXT, "no key does that here; : searches every action");
	draw_text(body.row + body.rows - 1, 1, PAINT_TEXT, "search");
	field_draw(ui, &h->find, body.row + body.rows - 1, 8, width > 30 ? 30 : width - 9, true);
	if (body.cols >= 80)
		draw_beside(h, (struct area){ body.row, width + 1, body.rows, body.cols - width - 2 });
}

static enum react help_act(struct ui *ui, void *state, int act)
{
	struct help *h = state;
	const struct key *k;
	size_t was = h->roll.at;

	if (act == ACT_ENTER) {
		k = h->n ? h->rows[h->roll.at] : NULL;
		ui_pop(ui);
		if (k && ui_act(ui, k->act) == REACT_UNKNOWN)
			ui_say(ui, ' ', "nothing to do here for %s", k->help);
		return REACT_DONE;
	}
	if (roll_act(&h->roll, act, h->page) == REACT_UNKNOWN)
		return REACT_UNKNOWN;
	while (h->roll.at < h->n && !h->rows[h->roll.at]) {	/* headings are stepped over */
		if (act == ACT_UP || act == ACT_PGUP)
			h->roll.at = h->roll.at ? h->roll.at - 1 : was;
		else
			h->roll.at++;
	}
	return REACT_DONE;
}

static struct field *help_field(struct ui *ui, void *state)
{
	(void)ui;
	return &((struct help *)state)->find;
}

static void help_typed(struct ui *ui, void *state)
{
	(void)ui;
	collect(state);
}

static void help_status(struct ui *ui, void *state, struct sbuf *out)
{
	struct help *h = state;

	(void)ui;
	if (h->n && h->rows[h->roll.at])
		sbuf_addf(out, "Enter does it: %s", h->rows[h->roll.at]->help);
}

static const struct key help_keys[] = {
	{ ACT_UP, "Up", "↑↓", "choose", 1, "another line" },
	{ ACT_ENTER, "Enter", NULL, "do it", 1, "close help and do the chosen line" },
	{ ACT_BACK, "Esc", NULL, "close", 1, "close help" },
	{ 0 }
};

const struct screen screen_help = {
	.name = "help", .title = "Help", .over = true,
	.about = "The keys of the screen below it. Type to search.",
	.state_size = sizeof(struct help), .keys = help_keys,
	.enter = help_enter, .draw = help_draw, .act = help_act,
	.field = help_field, .typed = help_typed, .status = help_status,
};
