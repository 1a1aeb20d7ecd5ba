/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen-layout - the composer: layers from the disks up, their options, and at once what
 * they give. The layout is text; a change is a new text, and undo is the text before.
 */
#include "ui/layout.h"

#include <stdlib.h>
#include <string.h>

#include "ui/edit.h"

enum { ADD = ACT_SCREEN, REMOVE, EARLIER, LATER, UNDO, REDO, SAVE, IMPORT, LINE, EXPLAIN, NAME,
       ZOOM, CLEAR, LOSSES };

/* Take a changed text; what names the change for undo. */
static void change(struct ui *ui, const char *text, const char *what)
{
	struct err e = { 0 };

	if (session_layout(ui->s, text, what, &e) < 0)
		ui_fail(ui, &e);
}

static int layout_enter(struct ui *ui, void *state)
{
	struct layout *l = state;

	l->editing = false;
	if (ui->s->layout)
		return 0;
	session_picks(ui->s);
	if (ui->s->n_picks)	/* without disks the list could only say that nothing fits */
		layout_import(ui, l);
	return 0;
}

/* --- lists ----------------------------------------------------------------------------- */

static void add_take(struct ui *ui, void *arg, size_t at)
{
	struct layout *l = arg;
	struct sbuf out = { 0 };
	struct err e = { 0 };
	size_t n = ui->s->recipe ? ui->s->recipe->n_stmts : 0;
	size_t where = l->lines.at > n ? n : l->lines.at;
	char what[80];

	if (edit_insert(ui->s->layout, where, layers[at]->name, &out, &e) < 0) {
		ui_fail(ui, &e);
	} else {
		snprintf(what, sizeof(what), "%s added", layers[at]->name);
		change(ui, out.text, what);
		l->lines.at = where + 1;
		l->form = (struct roll){ 0 };
	}
	sbuf_done(&out);
}

static void add(struct ui *ui, struct layout *l)
{
	struct arena *a = arena_new();
	struct choice *c;
	size_t n, i;

	for (n = 0; layers[n]; n++)
		;
	c = arena_array(a, n, sizeof(*c));
	for (i = 0; i < n; i++) {
		struct err e = { 0 };

		c[i].label = layers[i]->name;
		c[i].help = layers[i]->about;
		c[i].note = layers[i]->title;
		if (build_layer_check(layers[i], &e) < 0 && ui->s->place == PLACE_LAB)
			c[i].note = arena_printf(a, "- %s", e.text);
	}
	ui_choose(ui, &(struct choices){ .title = "Add a layer", .items = c, .n = n, .arena = a,
		  .take = add_take, .arg = l });
}

/* --- options --------------------------------------------------------------------------- */

static const struct option *option_at_cursor(const struct ui *ui, const struct layout *l)
{
	const struct layer *layer = layout_layer(ui, l);

	return layer && l->form.at < option_rows(layer) ? &layer->options[l->form.at] : NULL;
}

/* Try a value of the chosen option; `keep` makes it the layout. -1: it is not possible. */
static int try_value(struct ui *ui, struct layout *l, const char *value, bool keep, struct err *e)
{
	const struct option *o = option_at_cursor(ui, l);
	const struct layer *layer = layout_layer(ui, l);
	const char *was;
	struct sbuf out = { 0 };
	char what[80];
	size_t at;
	int rc;

	if (!o || !layout_at(ui, l, &at))
		return -1;
	rc = edit_set(ui->s->layout, at, o->name, value, &out, e);
	if (rc >= 0 && keep) {
		struct err was_err = { 0 };

		session_try(ui->s, NULL, &was_err);	/* what it was, for the words of undo */
		was = stmt_value(&ui->s->recipe->stmts[at], o->name);
		snprintf(what, sizeof(what), "%s %s %.20s → %.20s", layer->name, o->name,
			 was ? was : o->def ? o->def : "none", *value ? value : o->def ? o->def : "none");
		if (rc == 1)
			ui_say(ui, ' ', "%s", e->text);
		rc = session_layout(ui->s, out.text, what, e);
	} else if (rc >= 0) {
		rc = session_try(ui->s, out.text, e);
	}
	sbuf_done(&out);
	return rc;
}

static const char *word_at(const struct option *o, size_t i, struct arena *a)
{
	const char *w = o->words;

	while (i-- && w)
		w = strchr(w, ' ') ? strchr(w, ' ') + 1 : NULL;
	return w ? arena_strndup(a, w, strcspn(w, " ")) : "";
}

static void word_look(struct ui *ui, void *arg, size_t at)
{
	struct layout *l = arg;
	struct err e = { 0 };

	if (try_value(ui, l, at ? l->names[at] : "", false, &e) < 0)
		session_try(ui->s, NULL, &e);
}

static void word_take(struct ui *ui, void *arg, size_t at)
{
	struct layout *l = arg;
	struct err e = { 0 };

	if (try_value(ui, l, at ? l->names[at] : "", true, &e) < 0) {
		ui_fail(ui, &e);
		session_try(ui->s, NULL, &(struct err){ 0 });
	}
}

/* Words are chosen from a list; the picture follows the chosen line. */
static void choose_word(struct ui *ui, struct layout *l, const struct option *o, const char *now)
{
	struct arena *a = arena_new();
	const char *words = o->type == OPTION_YESNO ? "yes no" : o->words;
	struct option with = *o;
	struct choice *c;
	size_t n = 2, i, at = 0;
	const char *w;

	with.words = words;
	for (w = words; (w = strchr(w, ' ')); w++)
		n++;
	c = arena_array(a, n, sizeof(*c));
	arena_free(l->arena);
	l->arena = arena_new();
	for (i = 0; i < n && i < 256; i++) {
		l->names[i] = i ? arena_strdup(l->arena, word_at(&with, i - 1, a)) :
			arena_printf(l->arena, "not written%s%s", o->def ? ": " : "",
				     o->def ? o->def : "");
		c[i].label = l->names[i];
		c[i].help = o->help;
		if (now && !strcmp(now, l->names[i]))
			at = i;
	}
	ui_choose(ui, &(struct choices){ .title = o->name, .items = c, .n = n, .at = at, .arena = a,
		  .look = word_look, .take = word_take, .leave = layout_show_again, .arg = l });
}

static void edit(struct ui *ui, struct layout *l)
{
	const struct option *o = option_at_cursor(ui, l);
	const char *now;
	size_t at;

	if (!o || !layout_at(ui, l, &at))
		return;
	now = stmt_value(&ui->s->recipe->stmts[at], o->name);
	if (o->type == OPTION_WORD || o->type == OPTION_YESNO) {
		choose_word(ui, l, o, now);
		return;
	}
	field_set(&l->field, now ? now : "");
	l->editing = true;
}

static void edit_ends(struct ui *ui, struct layout *l, bool take)
{
	struct err e = { 0 };

	if (take && try_value(ui, l, l->field.text, true, &e) < 0) {
		ui_fail(ui, &e);
		session_try(ui->s, NULL, &(struct err){ 0 });
		return;		/* the field stays open */
	}
	l->editing = false;
	if (!take)
		session_try(ui->s, NULL, &e);
}

static void layout_typed(struct ui *ui, void *state)
{
	struct err e = { 0 };

	if (try_value(ui, state, ((struct layout *)state)->field.text, false, &e) == 0)
		return;
	ui_say(ui, ' ', "%s", e.text);
	session_try(ui->s, NULL, &(struct err){ 0 });	/* no picture of half a number */
}

/* --- the text of the layout ------------------------------------------------------------- */

static int line_take(struct ui *ui, void *arg, const char *text, struct err *e)
{
	(void)arg;
	session_try(ui->s, NULL, &(struct err){ 0 });
	return session_layout(ui->s, text, "the line", e);
}

static void line_look(struct ui *ui, void *arg, const char *text)
{
	(void)arg;
	session_try(ui->s, text, &(struct err){ 0 });
}

static int save_take(struct ui *ui, void *arg, const char *name, struct err *e)
{
	struct arena *a = arena_new();
	char *path;
	int rc = recipe_save(ui->s->recipe, name, a, &path, e);

	(void)arg;
	if (!rc)
		ui_say(ui, ' ', "saved as %s: i and naslab plan %s find it", path, name);
	arena_free(a);
	return rc;
}

static int name_take(struct ui *ui, void *arg, const char *name, struct err *e)
{
	(void)arg;
	return session_name(ui->s, name, e);
}

static void undo(struct ui *ui, bool again)
{
	struct session *s = ui->s;
	const struct change *list = again ? s->redo : s->undo;
	size_t n = again ? s->n_redo : s->n_undo;
	char what[80];

	if (!n) {
		ui_say(ui, ' ', again ? "nothing to do again" : "nothing to undo");
		return;
	}
	memcpy(what, list[n - 1].what, sizeof(what));
	if (again)
		session_redo(s);
	else
		session_undo(s);
	ui_say(ui, ' ', again ? "done again: %s" : "undone: %s", what);
}

static void move_layer(struct ui *ui, struct layout *l, bool later)
{
	struct sbuf out = { 0 };
	struct err e = { 0 };
	size_t at, n = ui->s->recipe ? ui->s->recipe->n_stmts : 0;
	char what[80];

	if (!n || !layout_at(ui, l, &at) || (later ? at + 1 >= n : at == 0))
		return;
	snprintf(what, sizeof(what), "%s moved", ui->s->recipe->stmts[at].layer);
	if (edit_swap(ui->s->layout, later ? at : at - 1, &out, &e) < 0) {
		ui_fail(ui, &e);
	} else {
		change(ui, out.text, what);
		l->lines.at += later ? 1 : (size_t)-1;
	}
	sbuf_done(&out);
}

static void remove_layer(struct ui *ui, struct layout *l)
{
	struct sbuf out = { 0 };
	struct err e = { 0 };
	char what[80];
	size_t at;

	if (!layout_at(ui, l, &at))
		return;
	snprintf(what, sizeof(what), "%s removed", ui->s->recipe->stmts[at].layer);
	if (edit_remove(ui->s->layout, at, &out, &e) < 0)
		ui_fail(ui, &e);
	else
		change(ui, out.text, what);
	sbuf_done(&out);
}

/* --- keys ------------------------------------------------------------------------------ */

static void enter(struct ui *ui, struct layout *l)
{
	size_t at;

	if (l->editing)
		edit_ends(ui, l, true);
	else if (l->in_form)
		edit(ui, l);
	else if (l->lines.at == 0)
		ui_goto(ui, &screen_disks);
	else if (!layout_at(ui, l, &at))
		add(ui, l);
	else
		l->in_form = option_rows(layout_layer(ui, l)) > 0;
}

/* Esc leaves the innermost thing that is open. */
static enum react leave(struct ui *ui, struct layout *l)
{
	if (l->editing)
		edit_ends(ui, l, false);
	else if (l->in_form)
		l->in_form = false;
	else if (l->zoom || l->explain)
		l->zoom = l->explain = false;
	else
		return REACT_UNKNOWN;
	return REACT_DONE;
}

static enum react layout_act(struct ui *ui, void *state, int act)
{
	struct layout *l = state;

	switch (act) {
	case ACT_ENTER:
		enter(ui, l);
		return REACT_DONE;
	case ACT_BACK:
		return leave(ui, l);
	case ACT_TAB:
	case ACT_BACKTAB:
		l->in_form = !l->in_form && option_rows(layout_layer(ui, l));
		return REACT_DONE;
	case ADD:
		add(ui, l);
		return REACT_DONE;
	case REMOVE:
		remove_layer(ui, l);
		return REACT_DONE;
	case CLEAR:
		if (try_value(ui, l, "", true, &(struct err){ 0 }) < 0)
			ui_say(ui, ' ', "this option is needed");
		return REACT_DONE;
	case EARLIER:
	case LATER:
		move_layer(ui, l, act == LATER);
		return REACT_DONE;
	case UNDO:
	case REDO:
		undo(ui, act == REDO);
		return REACT_DONE;
	case SAVE:
		ui_prompt(ui, &(struct prompt){ .title = "Save this layout", .about =
			  "A name of a-z, 0-9 and -", .take = save_take });
		return REACT_DONE;
	case IMPORT:
		layout_import(ui, l);
		return REACT_DONE;
	case LINE:
		ui_prompt(ui, &(struct prompt){ .title = "The layout in one line",
			  .about = "As the command line takes it: slice | md redundancy=1 | xfs",
			  .text = ui->s->layout, .take = line_take, .look = line_look,
			  .leave = layout_show_again });
		return REACT_DONE;
	case EXPLAIN:
		l->explain = !l->explain;
		return REACT_DONE;
	case NAME:
		ui_prompt(ui, &(struct prompt){ .title = "Name of the build", .text =
			  ui->s->build_name, .about = "It names arrays, volumes and the mount point",
			  .take = name_take });
		return REACT_DONE;
	case ZOOM:
		l->zoom = !l->zoom;
		return REACT_DONE;
	case LOSSES:
		ui_push(ui, &screen_losses);
		return REACT_DONE;
	default:
		return roll_act(l->in_form ? &l->form : &l->lines, act, l->page);
	}
}

static const char *layout_cannot(const struct ui *ui, void *state, int act)
{
	const struct layout *l = state;
	size_t at;

	switch (act) {
	case UNDO:
		return ui->s->n_undo ? NULL : "nothing to undo";
	case REDO:
		return ui->s->n_redo ? NULL : "nothing to do again";
	case REMOVE:
	case EARLIER:
	case LATER:
	case EXPLAIN:
	case ACT_TAB:
		return layout_at(ui, l, &at) ? NULL : "choose a layer first";
	case CLEAR:
		return l->in_form && !l->editing ? NULL : "choose an option first: Tab";
	case SAVE:
		return ui->s->recipe ? NULL : "there is no layout yet";
	case ZOOM:
	case LOSSES:
		return ui->s->stack ? NULL : "there is no picture yet";
	default:
		return NULL;
	}
}

static struct field *layout_field(struct ui *ui, void *state)
{
	struct layout *l = state;

	(void)ui;
	return l->editing ? &l->field : NULL;
}

static void layout_status(struct ui *ui, void *state, struct sbuf *out)
{
	const struct session *s = ui->s;
	const struct layout *l = state;

	if (s->err.text[0])
		sbuf_addf(out, "E %s", s->err.text);
	else if (l->editing)
		sbuf_add(out, "type a value; empty takes the option out");
	else if (s->n_undo)
		sbuf_addf(out, "changed: %s   u undoes", s->undo[s->n_undo - 1].what);
	else if (session_as_built(s))
		sbuf_addf(out, "%s as it was built; a change here is only planned", s->open_name);
	else if (s->stack)
		sbuf_addf(out, "build \"%s\". Next: %u Compare or %u Plan", s->build_name,
			  ui_step_number(&screen_compare), ui_step_number(&screen_plan));
	else if (!s->n_picks)
		sbuf_addf(out, "no disk is marked yet: %u Disks, Space marks one",
			  ui_step_number(&screen_disks));
}

static char layout_mark(const struct ui *ui)
{
	size_t i;

	if (!ui->s->stack || !ui->s->layout)
		return ui->s->open_name ? '+' : '-';
	for (i = 0; i < ui->s->advice.n; i++) {
		const struct advice *ad = ui->s->advice.at[i];

		if (!strcmp(ad->severity, "warn"))
			return '!';
	}
	return '+';
}

static void layout_done(void *state)
{
	arena_free(((struct layout *)state)->arena);
}

static const struct key layout_keys[] = {
	{ ACT_ENTER, "Enter", NULL, "edit", 1, "edit the layer's options; on an option: its value" },
	{ IMPORT, "i", NULL, "layouts", 1, "take a layout from the list" },
	{ ADD, "a", NULL, "add", 2, "add a layer behind this one" },
	{ REMOVE, "x", NULL, "remove", 3, "remove this layer" },
	{ EARLIER, "<", "<>", "move", 4, "move the layer towards the disks" },
	{ LATER, ">", NULL, NULL, 9, "move the layer away from the disks" },
	{ ACT_TAB, "Tab", NULL, "form", 5, "to the options and back" },
	{ ACT_BACKTAB, "BackTab", NULL, NULL, 9, "back from the options" },
	{ CLEAR, "Del Backspace", NULL, NULL, 9, "take the chosen option out: its default" },
	{ UNDO, "u", NULL, "undo", 2, "undo the last change" },
	{ REDO, "^R", NULL, "redo", 6, "do it again" },
	{ LINE, "t", NULL, "line", 6, "the layout in one line: copy it or type it" },
	{ LOSSES, "f", NULL, "failures", 5, "what if disks fail: what is lost, what to do next" },
	{ EXPLAIN, "e", NULL, "explain", 7, "what the layer is and what it makes here" },
	{ NAME, "n", NULL, "name", 7, "name the build" },
	{ SAVE, "w", NULL, "save", 7, "save it as a layout of your own" },
	{ ZOOM, "z", NULL, "zoom", 8, "the picture and all advice on the whole screen" },
	{ ACT_STEP_ON, "]", NULL, "next", 1, "on: all layouts side by side" },
	{ 0 }
};

const struct screen screen_layout = {
	.name = "layout", .title = "Layout", .step = true,
	.about = "The disks flow down through layers. Each takes devices and gives devices. slice "
		 "cuts unequal disks into equal parts, md joins them and can lose one, lvm joins "
		 "volumes, a file system comes last.",
	.state_size = sizeof(struct layout), .keys = layout_keys, .mark = layout_mark,
	.enter = layout_enter, .draw = layout_draw, .act = layout_act, .cannot = layout_cannot,
	.field = layout_field, .typed = layout_typed, .status = layout_status, .done = layout_done,
};
