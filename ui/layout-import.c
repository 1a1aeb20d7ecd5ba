/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout-import - the list of layouts: every recipe with what it would give on the marked
 * disks, and the picture that follows the chosen line.
 */
#include "ui/layout.h"

#include <stdlib.h>
#include <string.h>

struct fit {
	const char *name, *title, *why;
	uint64_t usable;
	unsigned survives;
	bool ok, warned;
};

static int by_fit(const void *a, const void *b)
{
	const struct fit *x = a, *y = b;

	if (x->ok != y->ok)
		return x->ok ? -1 : 1;
	if (!x->survives != !y->survives)	/* what one dead disk ends comes last */
		return x->survives ? -1 : 1;
	if (x->warned != y->warned)
		return x->warned ? 1 : -1;
	if (x->usable != y->usable)
		return x->usable > y->usable ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* What a recipe gives on the marked disks. */
static void try_recipe(struct ui *ui, struct arena *a, const char *name, struct fit *f)
{
	struct stack *stack = NULL;
	struct recipe *r = NULL;
	struct list advice = { 0 };
	struct err e = { 0 };
	size_t i;

	*f = (struct fit){ .name = name, .title = "" };
	if (recipe_open(name, &r, &e) == 0) {
		f->title = arena_strdup(a, r->about ? r->about : r->title ? r->title : "");
		f->ok = stack_make(r, "x", ui->s->picks, ui->s->n_picks, &stack, &e) == 0;
	}
	if (f->ok) {
		f->usable = stack->usable_bytes;
		f->survives = stack->survives;
		stack_advice(stack, stack->arena, &advice);
	}
	for (i = 0; i < advice.n; i++)
		f->warned |= !strcmp(((const struct advice *)advice.at[i])->severity, "warn");
	f->why = f->ok ? NULL : arena_strdup(a, e.text);
	stack_free(stack);
	recipe_free(r);
}

static void import_look(struct ui *ui, void *arg, size_t at)
{
	struct layout *l = arg;
	struct sbuf line = { 0 };
	struct recipe *r;
	struct err e = { 0 };

	if (recipe_open(l->names[at], &r, &e) == 0) {
		recipe_line(r, &line);
		session_try(ui->s, line.text, &e);
		recipe_free(r);
		sbuf_done(&line);
	}
}

static void import_take(struct ui *ui, void *arg, size_t at)
{
	struct layout *l = arg;
	struct err e = { 0 };

	session_try(ui->s, NULL, &e);
	if (session_recipe(ui->s, l->names[at], &e) < 0)
		ui_fail(ui, &e);
	l->lines.at = 1;
	l->in_form = false;
}

/* What was only tried is forgotten. */
void layout_show_again(struct ui *ui, void *arg)
{
	struct err e = { 0 };

	(void)arg;
	session_try(ui->s, NULL, &e);
}

/* The recipes with what each gives here: redundant ones first, then those without a
 * warning, then most room. */
void layout_import(struct ui *ui, struct layout *l)
{
	struct arena *a = arena_new();
	struct choice *c;
	struct err e = { 0 };
	struct fit *fits;
	char **names, size[SIZE_TEXT];
	size_t n, i, at = 0;

	if (recipe_names(a, &names, &n, &e) < 0) {
		ui_fail(ui, &e);
		arena_free(a);
		return;
	}
	if (n > sizeof(l->names) / sizeof(l->names[0]))
		n = sizeof(l->names) / sizeof(l->names[0]);
	session_picks(ui->s);
	fits = arena_array(a, n, sizeof(*fits));
	for (i = 0; i < n; i++)
		try_recipe(ui, a, names[i], &fits[i]);
	qsort(fits, n, sizeof(*fits), by_fit);
	arena_free(l->arena);
	l->arena = arena_new();
	c = arena_array(a, n, sizeof(*c));
	for (i = 0; i < n; i++) {
		l->names[i] = arena_strdup(l->arena, fits[i].name);
		c[i].label = l->names[i];
		c[i].help = fits[i].ok ? fits[i].title : fits[i].why;
		c[i].note = !fits[i].ok ? "does not fit" : arena_printf(a, "%9s  survives %s%s",
			ui_size(ui, size, fits[i].usable), fits[i].survives ?
			arena_printf(a, "%u", fits[i].survives) : "none", fits[i].warned ? "  !" : "");
		if (ui->s->layout_name && !strcmp(ui->s->layout_name, fits[i].name))
			at = i;
	}
	ui_choose(ui, &(struct choices){ .title = "Layouts, and what they give on these disks",
		  .items = c, .n = n, .at = at, .arena = a, .look = import_look,
		  .take = import_take, .leave = layout_show_again, .arg = l });
}
