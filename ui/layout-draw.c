/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout-draw - the composer's picture: the layers, the options of the chosen one, and the
 * disks to one scale with what their bytes are spent on. All of it is made again between
 * two keys.
 */
#include "ui/layout.h"

#include <string.h>

bool layout_at(const struct ui *ui, const struct layout *l, size_t *i)
{
	const struct recipe *r = ui->s->recipe;

	*i = l->lines.at - 1;
	return r && l->lines.at >= 1 && *i < r->n_stmts;
}

const struct layer *layout_layer(const struct ui *ui, const struct layout *l)
{
	size_t i;

	return layout_at(ui, l, &i) ? layer_find(ui->s->recipe->stmts[i].layer) : NULL;
}

size_t option_rows(const struct layer *layer)
{
	size_t n = 0;

	while (layer && layer->options && layer->options[n].name)
		n++;
	return n;
}

/* --- the layers ------------------------------------------------------------------------ */

static void line_text(const struct ui *ui, const struct layout *l, size_t line, struct sbuf *out)
{
	const struct recipe *r = ui->s->recipe;
	size_t n = r ? r->n_stmts : 0, i;
	unsigned data = session_picked(ui->s, ROLE_DATA), cache = session_picked(ui->s, ROLE_CACHE);

	(void)l;
	if (line == 0) {
		sbuf_addf(out, "disks   %u data", data);
		if (cache)
			sbuf_addf(out, ", %u cache", cache);
		if (session_is_built(ui->s))
			sbuf_addf(out, ", of %s", ui->s->open_name);
	} else if (line > n) {
		sbuf_add(out, "+ add a layer");
	} else {
		const struct stmt *st = &r->stmts[line - 1];

		sbuf_addf(out, "%-7s", st->layer);
		for (i = 0; i < st->n_settings; i++)
			sbuf_addf(out, " %s=%s", st->settings[i].key, st->settings[i].value);
	}
}

static void draw_layers(struct ui *ui, struct layout *l, struct area a)
{
	size_t n = (ui->s->recipe ? ui->s->recipe->n_stmts : 0) + 2;
	unsigned i;

	roll_fit(&l->lines, n, a.rows);
	l->page = a.rows;
	for (i = 0; i < a.rows && l->lines.top + i < n; i++) {
		size_t line = l->lines.top + i;
		bool on = line == l->lines.at;
		enum paint p = on && !l->in_form ? PAINT_CHOSEN : PAINT_TEXT;
		struct sbuf b = { 0 };

		line_text(ui, l, line, &b);
		draw_cell(a.row + i, a.col, a.cols, p, CUT_END, "");
		draw_text(a.row + i, a.col + 1, p, on ? "▶" : " ");
		draw_cell(a.row + i, a.col + 3, a.cols - 3, p, CUT_END, sbuf_str(&b));
		if (on && !l->in_form)
			ui_cursor(ui, a.row + i, a.col + 3);
		sbuf_done(&b);
	}
}

static void draw_gives(struct ui *ui, unsigned row, unsigned cols)
{
	const struct stack *s = ui->s->stack;
	char size[SIZE_TEXT];
	struct sbuf b = { 0 };
	const struct node *top;

	if (!s || !s->tops.n)
		return;
	top = s->tops.at[0];
	sbuf_addf(&b, "gives %zu %s %s", s->tops.n, top->layer ? top->layer->name : "disk",
		  ui_size(ui, size, s->usable_bytes));
	if (top->fs.known && !top->fs.estimate && s->tops.n == 1)
		sbuf_addf(&b, ", free %s", ui_size(ui, size, top->fs.avail));
	draw_cell(row, 1, cols - 1, PAINT_TEXT, CUT_END, sbuf_str(&b));
	sbuf_done(&b);
}

/* --- the form -------------------------------------------------------------------------- */

/* The last column: what the range is, or that it is the default. */
static void option_note(const struct option *o, bool written, struct sbuf *out)
{
	char a[SIZE_TEXT], b[SIZE_TEXT];
	const char *w;
	unsigned n = 1;

	if (o->type == OPTION_WORD && o->words) {
		for (w = o->words; (w = strchr(w, ' ')); w++)
			n++;
		sbuf_addf(out, "%u choices", n);
	} else if (!written) {
		sbuf_add(out, o->def ? "default" : "");
	} else if (o->type == OPTION_COUNT) {
		sbuf_addf(out, "%llu to %llu", (unsigned long long)o->min,
			  (unsigned long long)o->max);
	} else if (o->type == OPTION_SIZE && o->max && o->max < UINT64_MAX / 2) {
		sbuf_addf(out, "%s-%s", size_option_text(a, o->min), size_option_text(b, o->max));
	} else if (o->type == OPTION_YESNO) {
		sbuf_add(out, "yes or no");
	}
}

static void draw_option(struct ui *ui, const struct layout *l, const struct stmt *st,
			const struct option *o, unsigned row, const struct area *a, bool on)
{
	const char *written = stmt_value(st, o->name);
	unsigned width = a->cols > 44 ? 20 : 14, value = a->col + 13;
	enum paint p = on && l->in_form && !l->editing ? PAINT_CHOSEN : PAINT_TEXT;
	struct sbuf note = { 0 };

	draw_text(row, a->col, p, on && l->in_form ? "▶" : " ");
	draw_cell(row, a->col + 1, 12, p, CUT_END, o->name);
	if (on && l->editing) {
		field_draw(ui, &l->field, row, value, width, true);
	} else {
		draw_text(row, value, PAINT_TEXT, "[");
		draw_cell(row, value + 1, width - 2, written ? PAINT_BOLD : PAINT_TEXT, CUT_END,
			  written ? written : o->def ? o->def : "");
		draw_text(row, value + width - 1, PAINT_TEXT, "]");
		if (on && l->in_form)
			ui_cursor(ui, row, value + 1);
	}
	option_note(o, written != NULL, &note);
	if (a->cols > 14 + width)
		draw_cell(row, value + width + 1, a->cols - 14 - width, PAINT_TEXT, CUT_END,
			  sbuf_str(&note));
	sbuf_done(&note);
}

/* What a layer is, what it makes of these disks and what it needs. */
static void explain_text(struct ui *ui, const struct layout *l, struct sbuf *out)
{
	const struct layer *layer = layout_layer(ui, l);
	const struct stack *s = ui->s->stack;
	char size[SIZE_TEXT];
	size_t i, at;

	sbuf_addf(out, "%s. %s", layer->title, layer->about ? layer->about : "");
	if (!s || !layout_at(ui, l, &at))
		return;
	sbuf_add(out, " Here:");
	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->stmt != &ui->s->recipe->stmts[at])
			continue;
		sbuf_addf(out, "\n%s %s ×%u %s", n->name, n->level ? n->level : layer->name,
			  n->n_kids, n->left_out ? "left out" : ui_size(ui, size, n->bytes));
		if (n->note)
			sbuf_addf(out, ": %s", n->note);
	}
}

static void draw_form(struct ui *ui, struct layout *l, struct area a)
{
	const struct layer *layer = layout_layer(ui, l);
	const struct option *o;
	struct sbuf text = { 0 };
	size_t at, n = option_rows(layer);
	unsigned rows, i;

	if (!layer) {
		draw_wrapped(a, PAINT_TEXT, l->lines.at == 0 ?
			     "The disks flow down through the layers. Each layer takes devices and "
			     "gives devices: slice cuts unequal disks into equal parts, md joins "
			     "parts and can lose one, a file system comes last." :
			     "Enter or a adds a layer at the end; i takes a whole layout from the "
			     "list, with what it would give on these disks.");
		return;
	}
	if (l->explain) {
		explain_text(ui, l, &text);
		draw_wrapped(a, PAINT_TEXT, sbuf_str(&text));
		sbuf_done(&text);
		return;
	}
	layout_at(ui, l, &at);
	sbuf_addf(&text, "%s: %s", layer->name, layer->title);
	draw_cell(a.row, a.col, a.cols, PAINT_TEXT, CUT_END, text.text);
	rows = a.rows > 4 ? a.rows - 3 : a.rows - 1;
	roll_fit(&l->form, n, rows);
	for (i = 0; i < rows && l->form.top + i < n; i++)
		draw_option(ui, l, &ui->s->recipe->stmts[at], &layer->options[l->form.top + i],
			    a.row + 1 + i, &a, l->form.top + i == l->form.at);
	sbuf_clear(&text);
	if (n && l->in_form) {
		o = &layer->options[l->form.at];
		sbuf_addf(&text, "%s: %s", o->name, o->help);
	} else {
		sbuf_add(&text, layer->about ? layer->about : "");
	}
	if (n < rows)
		rows = (unsigned)n;
	if (a.rows > rows + 1)
		draw_wrapped((struct area){ a.row + 1 + rows, a.col, a.rows - rows - 1, a.cols },
			     PAINT_TEXT, sbuf_str(&text));
	sbuf_done(&text);
}

/* --- below the layers: the disks, and advice -------------------------------------------- */

/* Advice below the picture, and why there is no picture. */
static void draw_advice(struct ui *ui, struct area a)
{
	size_t i;
	unsigned used = 0;

	for (i = 0; i < ui->s->advice.n && used < a.rows; i++) {
		const struct advice *ad = ui->s->advice.at[i];
		bool warn = !strcmp(ad->severity, "warn");

		draw_text(a.row + used, 1, warn ? PAINT_WARN : PAINT_TEXT, warn ? "!" : "·");
		used += draw_wrapped((struct area){ a.row + used, 3, a.rows - used, a.cols - 4 },
				     PAINT_TEXT, ad->text);
	}
}

static void draw_below(struct ui *ui, struct area a)
{
	const struct stack *s = ui->s->stack;
	struct sbuf head = { 0 };
	unsigned rows, keep = 0;

	if (!s) {
		draw_rule(a.row, 0, a.cols, "no picture yet", "");
		draw_wrapped((struct area){ a.row + 1, 1, a.rows - 1, a.cols - 2 }, PAINT_TEXT,
			     ui->s->err.text[0] ? ui->s->err.text : !ui->s->recipe ?
			     "no layer yet: i takes a layout from the list, a adds a first layer" :
			     "no disk is marked: Space on the screen Disks marks one");
		return;
	}
	survives_text(s, &head);
	draw_rule(a.row, 0, a.cols, sbuf_str(&head), "to scale");
	sbuf_done(&head);
	rows = (unsigned)s->n_disks + 1;
	if (rows < 6 && a.cols >= 70)
		rows = 6;
	if (a.rows > 8 && ui->s->advice.n)	/* what is wrong is seen, however many the disks */
		keep = 2;
	if (rows + keep > a.rows - 1)
		rows = a.rows - 1 - keep;
	draw_disks(ui, (struct area){ a.row + 1, 0, rows, a.cols });
	if (a.rows > rows + 1)
		draw_advice(ui, (struct area){ a.row + 1 + rows, 0, a.rows - rows - 1, a.cols });
}

static void layout_head(struct ui *ui)
{
	struct sbuf left = { 0 }, brief = { 0 };
	char size[SIZE_TEXT];

	sbuf_addf(&left, "Layout: %s%s", session_title(ui->s),
		  ui->s->layout_changed && ui->s->layout_name ? ", changed" : "");
	if (ui->s->stack)
		sbuf_addf(&brief, "%s ", ui_size(ui, size, ui->s->stack->usable_bytes));
	sbuf_add(&brief, session_title(ui->s));
	ui_head(ui, sbuf_str(&left), session_as_built(ui->s) ? "as it was built" : "", sbuf_str(&brief));
	sbuf_done(&left);
	sbuf_done(&brief);
}

void layout_draw(struct ui *ui, void *state, struct area body)
{
	struct layout *l = state;
	size_t n = (ui->s->recipe ? ui->s->recipe->n_stmts : 0) + 2, need;
	unsigned top, left, rows = body.rows;
	bool small = body.cols < 80;

	layout_head(ui);
	if (l->zoom) {
		draw_below(ui, body);
		return;
	}
	need = n + 2;
	if (need < option_rows(layout_layer(ui, l)) + 3)
		need = option_rows(layout_layer(ui, l)) + 3;
	if (need < 7)
		need = 7;
	top = rows > 30 ? rows / 2 : rows > 14 ? rows - 9 : rows > 9 ? rows - 6 : rows - 4;
	if (need < top)
		top = (unsigned)need;
	if (small) {	/* one pane at a time, the picture below it */
		struct area a = { body.row, 0, top, body.cols };

		if (l->in_form || l->explain)
			draw_form(ui, l, (struct area){ a.row, 1, a.rows, a.cols - 2 });
		else
			draw_layers(ui, l, a);
	} else {
		left = body.cols >= 120 ? 52 : 39;
		draw_layers(ui, l, (struct area){ body.row, 0, top - 1, left });
		draw_gives(ui, body.row + top - 1, left);
		draw_line_down(body.row, left, top);
		draw_form(ui, l, (struct area){ body.row, left + 2, top, body.cols - left - 3 });
	}
	draw_below(ui, (struct area){ body.row + top, 0, rows - top, body.cols });
}
