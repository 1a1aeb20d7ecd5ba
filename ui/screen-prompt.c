/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen-prompt - one line of text over a screen. */
#include "ui/ui.h"

#include <string.h>

struct asked {
	struct prompt p;
	struct field field;
	char bad[480];		/* why the text cannot be taken */
};

void ui_prompt(struct ui *ui, const struct prompt *p)
{
	struct asked *a = ui_push(ui, &screen_prompt);

	if (!a)
		return;
	a->p = *p;
	field_set(&a->field, p->text ? p->text : "");
}

static void prompt_draw(struct ui *ui, void *state, struct area body)
{
	struct asked *a = state;
	unsigned width = body.cols > 80 ? 78 : body.cols - 2;
	struct area box = { body.row + (body.rows > 12 ? 4 : 1), (body.cols - width) / 2, 7, width };
	unsigned used;

	draw_box(box, a->p.title);
	used = draw_wrapped((struct area){ box.row + 1, box.col + 2, 2, width - 4 }, PAINT_TEXT,
			    a->p.about ? a->p.about : "");
	field_draw(ui, &a->field, box.row + 1 + used, box.col + 2, width - 4, true);
	draw_wrapped((struct area){ box.row + 2 + used, box.col + 2, 5 - used - 1, width - 4 },
		     PAINT_TEXT, a->bad);
}

static enum react prompt_act(struct ui *ui, void *state, int act)
{
	struct asked *a = state;
	struct err e = { 0 };

	if (act == ACT_BACK) {
		if (a->p.leave)
			a->p.leave(ui, a->p.arg);
		ui_pop(ui);
		return REACT_DONE;
	}
	if (act != ACT_ENTER)
		return REACT_UNKNOWN;
	if (!a->field.len) {	/* Enter on an empty field goes back */
		return prompt_act(ui, state, ACT_BACK);
	} else {
		struct prompt p = a->p;
		char text[sizeof(a->field.text)];

		memcpy(text, a->field.text, sizeof(text));
		if (p.take(ui, p.arg, text, &e) < 0) {
			memcpy(a->bad, e.text, sizeof(a->bad));
			return REACT_DONE;
		}
		while (ui_top(ui) == &screen_prompt)
			ui_pop(ui);
		if (p.after)
			p.after(ui, p.arg);
	}
	return REACT_DONE;
}

static struct field *prompt_field(struct ui *ui, void *state)
{
	(void)ui;
	return &((struct asked *)state)->field;
}

static void prompt_typed(struct ui *ui, void *state)
{
	struct asked *a = state;

	a->bad[0] = '\0';
	if (a->p.look)
		a->p.look(ui, a->p.arg, a->field.text);
}

static const struct key prompt_keys[] = {
	{ ACT_ENTER, "Enter", NULL, "take it", 1, "take what is typed" },
	{ ACT_BACK, "Esc", NULL, "back", 1, "close, nothing is taken" },
	{ 0 }
};

const struct screen screen_prompt = {
	.name = "prompt", .title = "A line to type", .over = true,
	.about = "Type, then Enter takes it and Esc does not. Ctrl-U clears.",
	.state_size = sizeof(struct asked), .keys = prompt_keys,
	.draw = prompt_draw, .act = prompt_act, .field = prompt_field, .typed = prompt_typed,
};
