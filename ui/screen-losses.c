/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen-losses - what if disks fail: any of them is crossed out in the picture, and below it
 * stands what is lost, what every layer becomes and what to do next. Nothing is written.
 */
#include "ui/layout.h"

#include <stdlib.h>
#include <string.h>

enum { MARK = ACT_SCREEN, NONE };
enum { ROWS_FOR_COMMANDS = 24 };	/* below the picture; smaller ones show the sentences */

struct losses {
	bool *dead;		/* as the stack's disks */
	size_t n_disks;
	unsigned of;		/* the stack that it is about, session's count */
	struct roll roll, lines;
	unsigned page;
	struct sbuf layers, words;	/* the engine's text, in two parts */
	struct sbuf brief;		/* the words without the commands */
	size_t n_lines;
};

static size_t at_cursor(const struct ui *ui, const struct losses *l)
{
	size_t order[PICKS];

	disk_order(ui->s->stack, order);
	return order[l->roll.at];
}

static bool is_command(const char *line)
{
	return !strncmp(line, "      ", 6);
}

/* The sentence and the steps are what matters, the layers before them say why. */
static void compute(struct ui *ui, struct losses *l)
{
	struct sbuf text = { 0 };
	bool above = true, commands = false;
	const char *p;
	size_t i, n = 0;

	sbuf_clear(&l->layers);
	sbuf_clear(&l->words);
	sbuf_clear(&l->brief);
	l->n_lines = 0;
	for (i = 0; i < l->n_disks; i++)
		n += l->dead[i];
	if (!n)
		return;
	losses_text(ui->s->stack, l->dead, &text);
	for (p = sbuf_str(&text); *p; ) {
		int len = (int)strcspn(p, "\n");
		const char *next = p + len + (p[len] == '\n');

		above &= *p == ' ';
		sbuf_addf(above ? &l->layers : &l->words, "%.*s\n", len, p);
		l->n_lines += above;
		commands |= is_command(p);
		if (!above && !is_command(p))	/* without the colon that leads to commands */
			sbuf_addf(&l->brief, "%.*s\n", len - is_command(next), p);
		p = next;
	}
	if (commands)
		sbuf_add(&l->brief, "naslab plan --lose and a taller window have the commands.\n");
	sbuf_done(&text);
}

static int losses_enter(struct ui *ui, void *state)
{
	struct losses *l = state;
	const struct stack *s = ui->s->stack;

	if (!s || s->n_disks > PICKS) {
		ui_say(ui, '!', "there is no layout on disks yet");
		return -1;
	}
	if (l->of != ui->s->made || l->n_disks != s->n_disks) {
		free(l->dead);
		l->dead = calloc(s->n_disks + 1, sizeof(*l->dead));
		if (!l->dead)
			die("no memory");
		l->n_disks = s->n_disks;
		l->of = ui->s->made;
		l->roll = l->lines = (struct roll){ .n = s->n_disks };
	}
	compute(ui, l);
	return 0;
}

/* Line i of a text. */
static const char *line_at(const char *text, size_t i, int *len)
{
	while (i-- && text)
		text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
	*len = text ? (int)strcspn(text, "\n") : 0;
	return text ? text : "";
}

static void draw_layers(struct losses *l, struct area a)
{
	unsigned i;

	roll_fit(&l->lines, l->n_lines, a.rows);
	for (i = 0; i < a.rows && l->lines.top + i < l->n_lines; i++) {
		int len;
		const char *p = line_at(sbuf_str(&l->layers), l->lines.top + i, &len);
		char text[256];

		snprintf(text, sizeof(text), "%.*s", len, p);
		draw_cell(a.row + i, 1, a.cols - 2, strstr(text, " lost") ? PAINT_ERROR :
			  strstr(text, " degraded") ? PAINT_WARN : PAINT_TEXT, CUT_END, text);
	}
}

static void losses_draw(struct ui *ui, void *state, struct area body)
{
	struct losses *l = state;
	const struct stack *s;
	struct sbuf head = { 0 };
	unsigned rows, used, dead = 0, room;
	size_t i;

	if (l->of != ui->s->made && losses_enter(ui, l) < 0) {
		ui_head(ui, "What if disks fail", "", "");
		return;
	}
	s = ui->s->stack;
	for (i = 0; i < l->n_disks; i++)
		dead += l->dead[i];
	sbuf_addf(&head, "What if %u disk%s fail%s: %s", dead, dead == 1 ? "" : "s",
		  dead == 1 ? "s" : "", session_title(ui->s));
	ui_head(ui, head.text, "only looked at", head.text);
	sbuf_clear(&head);
	rows = (unsigned)s->n_disks + 1;
	if (rows > body.rows / 2)
		rows = body.rows / 2;
	roll_fit(&l->roll, s->n_disks, rows - 1);
	l->page = rows - 1;
	draw_stack(s, (struct area){ body.row, 3, rows, body.cols - 4 }, l->dead, l->roll.at);
	ui_cursor(ui, body.row + (unsigned)(l->roll.at < rows - 1 ? l->roll.at : rows - 2), 3);
	draw_text(body.row + (unsigned)(l->roll.at < rows - 1 ? l->roll.at : rows - 2), 1,
		  PAINT_TEXT, "▶");
	survives_text(s, &head);
	draw_rule(body.row + rows, 0, body.cols, head.text, body.cols >= 80 ?
		  "any disks, the cache included" : "");
	sbuf_done(&head);
	room = body.rows - rows - 1;
	if (!dead) {
		draw_wrapped((struct area){ body.row + rows + 1, 1, room, body.cols - 2 }, PAINT_TEXT,
			     "Space crosses a disk out, up to all of them: then it stands here what is "
			     "lost, what every layer becomes and what to do next.");
		return;
	}
	used = draw_wrapped((struct area){ body.row + rows + 1, 1, room, body.cols - 2 }, PAINT_BOLD,
			    sbuf_str(room >= ROWS_FOR_COMMANDS ? &l->words : &l->brief));
	if (room > used)
		draw_layers(l, (struct area){ body.row + rows + 1 + used, 0, room - used, body.cols });
}

static enum react losses_act(struct ui *ui, void *state, int act)
{
	struct losses *l = state;
	size_t at;

	if (l->of != ui->s->made && losses_enter(ui, l) < 0)
		return REACT_UNKNOWN;
	switch (act) {
	case MARK:
	case ACT_ENTER:
		at = at_cursor(ui, l);
		l->dead[at] = !l->dead[at];
		compute(ui, l);
		return REACT_DONE;
	case NONE:
		memset(l->dead, 0, l->n_disks * sizeof(*l->dead));
		compute(ui, l);
		return REACT_DONE;
	case ACT_PGUP:
	case ACT_PGDN:
		l->lines.top = act == ACT_PGUP ? l->lines.top - (l->lines.top > 4 ? 4 : l->lines.top) :
			l->lines.top + 4;
		l->lines.at = l->lines.top;
		return REACT_DONE;
	default:
		return roll_act(&l->roll, act, l->page);
	}
}

static void losses_status(struct ui *ui, void *state, struct sbuf *out)
{
	(void)ui;
	(void)state;
	sbuf_add(out, "nothing is written here; in the practice lab a disk can really fail");
}

static void losses_done(void *state)
{
	struct losses *l = state;

	free(l->dead);
	sbuf_done(&l->layers);
	sbuf_done(&l->words);
	sbuf_done(&l->brief);
}

static const struct key losses_keys[] = {
	{ ACT_UP, "Up k", "↑↓", "disk", 3, "another disk; Up and Down, j and k" },
	{ MARK, "Space", NULL, "fails", 1, "let this disk fail, or be well again" },
	{ NONE, "n", NULL, "none fails", 2, "all disks are well again" },
	{ ACT_PGDN, "PgDn", NULL, "layers", 4, "more layers; PgUp goes back" },
	{ ACT_BACK, "Esc", NULL, "back", 1, "back to the layout" },
	{ 0 }
};

const struct screen screen_losses = {
	.name = "losses", .title = "What if disks fail",
	.about = "Cross out any disks and see what is left of every layer. A lost top layer means its "
		 "files are gone; degraded means they are all there and one more failure may end that.",
	.state_size = sizeof(struct losses), .keys = losses_keys,
	.enter = losses_enter, .draw = losses_draw, .act = losses_act, .status = losses_status,
	.done = losses_done,
};
