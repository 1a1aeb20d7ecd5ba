/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen-palette - any action of any screen by name: what it does, where, its key. */
#include "ui/ui.h"

#include <string.h>

enum { ROWS = 256 };

struct row {
	const struct screen *screen;	/* NULL: everywhere */
	const struct key *key;
};

struct palette {
	struct field find;
	struct row rows[ROWS], all[ROWS];
	size_t n, n_all;
	struct roll roll;
	unsigned page;
	const struct screen *below;
};

static void add(struct palette *p, const struct screen *s, const struct key *k)
{
	for (; k && k->act && p->n_all < ROWS; k++) {
		if (k->act >= ACT_LEFT || s)
			p->all[p->n_all++] = (struct row){ s, k };
	}
}

/* Letters in this order somewhere: "wsc" finds "write the steps as a script". */
static bool letters_fit(const char *text, const char *find)
{
	for (; *find; find++) {
		while (*text && (*text | 32) != (*find | 32))
			text++;
		if (!*text++)
			return false;
	}
	return true;
}

static void collect(struct palette *p)
{
	int pass;
	size_t i;

	p->n = 0;
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < p->n_all; i++) {
			bool words = strcasestr(p->all[i].key->help, p->find.text) != NULL;

			if (pass ? !words && letters_fit(p->all[i].key->help, p->find.text) : words)
				p->rows[p->n++] = p->all[i];
		}
	}
	p->roll = (struct roll){ .n = p->n };
}

static int palette_enter(struct ui *ui, void *state)
{
	struct palette *p = state;
	size_t i;

	p->below = ui->frames[ui->n_frames > 1 ? ui->n_frames - 2 : 0].screen;
	add(p, p->below, p->below->keys);
	for (i = 0; screens[i]; i++) {
		if (screens[i] != p->below && !screens[i]->over && screens[i] != &screen_confirm)
			add(p, screens[i], screens[i]->keys);
	}
	add(p, NULL, keys_everywhere);
	collect(p);
	return 0;
}

static const char *row_needs(const struct ui *ui, const struct palette *p, const struct row *r)
{
	const struct frame *f = &ui->frames[ui->n_frames > 1 ? ui->n_frames - 2 : 0];

	if (r->screen && r->screen == p->below && r->screen->cannot)
		return r->screen->cannot(ui, f->state, r->key->act);
	if (r->screen && r->screen != p->below && r->screen->needs)
		return r->screen->needs(ui);
	return NULL;
}

static void palette_draw(struct ui *ui, void *state, struct area body)
{
	struct palette *p = state;
	struct area box = { body.row + 1, 1, body.rows - 2, body.cols - 2 };
	unsigned list = box.rows - 5, i, name = box.cols - (box.cols > 60 ? 26 : 12);
	char buf[24];

	draw_box(box, "any action");
	draw_text(box.row + 1, box.col + 1, PAINT_TEXT, ":");
	field_draw(ui, &p->find, box.row + 1, box.col + 3, box.cols - 22, true);
	draw_textf(box.row + 1, box.col + box.cols - 18, PAINT_TEXT, "%zu of %zu fit", p->n,
		   p->n_all);
	roll_fit(&p->roll, p->n, list);
	p->page = list;
	for (i = 0; i < list && p->roll.top + i < p->n; i++) {
		const struct row *r = &p->rows[p->roll.top + i];
		bool on = p->roll.top + i == p->roll.at;
		enum paint paint = on ? PAINT_CHOSEN : PAINT_TEXT;
		unsigned row = box.row + 2 + i;

		draw_cell(row, box.col + 1, box.cols - 2, paint, CUT_END, "");
		draw_text(row, box.col + 1, paint, on ? "▶" : row_needs(ui, p, r) ? "-" : " ");
		draw_cell(row, box.col + 3, name - 4, paint, CUT_END, r->key->help);
		if (box.cols > 60)
			draw_cell(row, box.col + name, 14, paint, CUT_END,
				  !r->screen ? "any" : r->screen == p->below ? "here" :
				  r->screen->title);
		draw_cell(row, box.col + box.cols - 9, 8, paint, CUT_END, key_shown(r->key, buf));
	}
	if (p->n) {
		const struct row *r = &p->rows[p->roll.at];
		const char *why = row_needs(ui, p, r);
		struct sbuf b = { 0 };

		sbuf_addf(&b, why ? "not now: %s" : "%s", why ? why : r->key->help);
		draw_wrapped((struct area){ box.row + box.rows - 3, box.col + 2, 2, box.cols - 4 },
			     PAINT_TEXT, sbuf_str(&b));
		sbuf_done(&b);
	}
}

static enum react palette_act(struct ui *ui, void *state, int act)
{
	struct palette *p = state;
	struct row r;

	if (act != ACT_ENTER)
		return roll_act(&p->roll, act, p->page);
	if (!p->n)
		return REACT_DONE;
	r = p->rows[p->roll.at];
	ui_pop(ui);
	if (r.screen && !r.screen->over && ui_top(ui) != r.screen) {
		ui_goto(ui, r.screen);
		if (ui_top(ui) != r.screen)
			return REACT_DONE;
	}
	if (ui_act(ui, r.key->act) == REACT_UNKNOWN)
		ui_say(ui, ' ', "nothing to do here for: %s", r.key->help);
	return REACT_DONE;
}

static struct field *palette_field(struct ui *ui, void *state)
{
	(void)ui;
	return &((struct palette *)state)->find;
}

static void palette_typed(struct ui *ui, void *state)
{
	(void)ui;
	collect(state);
}

static const struct key palette_keys[] = {
	{ ACT_UP, "Up", "↑↓", "choose", 1, "another line" },
	{ ACT_ENTER, "Enter", NULL, "do it", 1, "go there and do it" },
	{ ACT_BACK, "Esc", NULL, "close", 1, "close, nothing is done" },
	{ 0 }
};

const struct screen screen_palette = {
	.name = "palette", .title = "Any action", .over = true,
	.about = "Every action of every screen. Type some letters of it; - needs something first.",
	.state_size = sizeof(struct palette), .keys = palette_keys,
	.enter = palette_enter, .draw = palette_draw, .act = palette_act,
	.field = palette_field, .typed = palette_typed,
};
