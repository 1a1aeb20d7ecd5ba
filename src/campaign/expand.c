/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expand - layouts x axes to variants. A layout is taken apart into its layers and their
 * options, the axes' values are put in, and the language judges the whole: what it refuses
 * for one layout is impossible there, what it refuses for all is a mistake in the file.
 */
#include "campaign/campaign.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "layout/layer.h"
#include "layout/recipe.h"

enum { MOST_SETTINGS = 64, MOST_VARIANTS = 2000, MOST_CELLS = 20000 };

/* A layout whose options are being replaced. */
struct form {
	struct stmt *stmts;
	size_t n;
	uint64_t ram;		/* to measure it in */
};

/* What became of one axis value over all layouts. */
struct verdict {
	bool used, accepted;
	struct err why;
};

struct work {
	struct campaign *c;
	struct verdict (*verdicts)[MOST_SETTINGS * 4];	/* [axis][value] */
	const struct recipe *recipe;
	const char *name;		/* of the layout, for labels */
	size_t choice[8];		/* of each axis the value at work */
};

static struct form take_apart(struct arena *a, const struct recipe *r)
{
	struct form f = { .stmts = arena_array(a, r->n_stmts, sizeof(*f.stmts)), .n = r->n_stmts };
	size_t i;

	for (i = 0; i < f.n; i++) {
		f.stmts[i] = r->stmts[i];
		f.stmts[i].settings = arena_array(a, MOST_SETTINGS, sizeof(*f.stmts[i].settings));
		memcpy(f.stmts[i].settings, r->stmts[i].settings,
		       r->stmts[i].n_settings * sizeof(*f.stmts[i].settings));
	}
	return f;
}

static void set(struct stmt *s, const char *key, const char *value)
{
	size_t i;

	for (i = 0; i < s->n_settings && strcmp(s->settings[i].key, key); i++)
		;
	s->settings[i] = (struct setting){ key, value };
	if (i == s->n_settings)
		s->n_settings++;
}

/* The layer that makes a file system of devices; another kind begins without options. */
static bool set_fs(struct form *f, const char *value)
{
	size_t i;

	for (i = f->n; i-- > 0;) {
		const struct layer *l = layer_find(f->stmts[i].layer);

		if (l->takes != THING_BLOCK || l->gives != THING_DIR)
			continue;
		if (strcmp(f->stmts[i].layer, value)) {
			f->stmts[i].layer = value;
			f->stmts[i].n_settings = 0;
		}
		return true;
	}
	return false;
}

/* Put one value in; false when the layout has no place for it. */
static bool apply(struct form *f, const struct axis *x, const char *value)
{
	struct err e = { 0 };
	bool placed = false;
	size_t i;

	if (!x->option)
		return set_fs(f, value);
	if (x->ram)
		return bench_ram_parse("ram", value, &f->ram, &e) == 0;
	for (i = 0; i < f->n; i++) {
		const struct layer *l = layer_find(f->stmts[i].layer);

		if (x->layer ? strcmp(x->layer, f->stmts[i].layer) != 0 :
			       !l || !layer_option(l, x->option))
			continue;
		set(&f->stmts[i], x->option, value);
		placed = true;
	}
	return placed;
}

static void form_text(const struct form *f, struct sbuf *out)
{
	size_t i, k;

	for (i = 0; i < f->n; i++) {
		sbuf_addf(out, "%s%s", i ? " | " : "", f->stmts[i].layer);
		for (k = 0; k < f->stmts[i].n_settings; k++)
			sbuf_addf(out, " %s=%s", f->stmts[i].settings[k].key,
				  f->stmts[i].settings[k].value);
	}
}

const char *axis_name(struct arena *a, const struct axis *x)
{
	if (!x->option)
		return "fs";
	return x->layer ? arena_printf(a, "%s.%s", x->layer, x->option) : x->option;
}

/* Two ways through the axes may lead to the same layout; it is measured once. */
static bool is_there(const struct campaign *c, const struct variant *new)
{
	size_t i;

	for (i = 0; i < c->variants.n; i++) {
		const struct variant *v = c->variants.at[i];

		if (v->ram == new->ram && !strcmp(v->layout, new->layout))
			return true;
	}
	return false;
}

/* Remember for every axis that had a say whether the language took the whole. */
static void judge(struct work *w, const bool *placed, bool accepted, const struct err *why)
{
	size_t i;

	for (i = 0; i < w->c->axes.n; i++) {
		struct verdict *v = &w->verdicts[i][w->choice[i]];

		if (!placed[i])
			continue;
		v->used = true;
		v->accepted |= accepted;
		if (!accepted)
			v->why = *why;
	}
}

/* The variant of the choices at work. */
static void add_variant(struct work *w)
{
	struct arena *a = w->c->arena;
	struct form f = take_apart(a, w->recipe);
	struct sbuf text = { 0 }, label = { 0 };
	json_t *options = json_object();
	bool placed[8] = { false };
	struct recipe *r = NULL;
	struct variant *v = arena_alloc(a, sizeof(*v));
	struct err why = { 0 };
	char *line;
	size_t i;
	int pass;

	f.ram = w->c->ram;
	for (pass = 0; pass < 2; pass++) {	/* the file system first: it may have the option */
		if (pass && !w->recipe->name)	/* a one-line form says its file system itself */
			form_text(&f, &label);
		else if (!pass && w->recipe->name)
			sbuf_add(&label, w->name);
		for (i = 0; i < w->c->axes.n; i++) {
			const struct axis *x = w->c->axes.at[i];
			const char *value = x->values.at[w->choice[i]];

			if ((x->option != NULL) != (pass == 1))
				continue;
			placed[i] = !strcmp(value, "-") || apply(&f, x, value);
			if (!placed[i] || !strcmp(value, "-"))
				continue;
			json_put_str(options, axis_name(a, x), value);
			if (x->option || w->recipe->name)
				sbuf_addf(&label, " %s=%s", x->option ? x->option : "fs", value);
		}
	}
	form_text(&f, &text);
	if (recipe_parse(sbuf_str(&text), NULL, &r, &why))
		v->why = arena_strdup(a, why.text);
	judge(w, placed, !v->why, &why);
	line = json_line(options);
	v->layout = arena_strdup(a, sbuf_str(&text));
	v->name = w->name;
	v->label = arena_strdup(a, sbuf_str(&label));
	v->options = arena_strdup(a, line);
	v->ram = f.ram;
	if (!is_there(w->c, v))
		list_add(a, &w->c->variants, v);
	free(line);
	json_decref(options);
	recipe_free(r);
	sbuf_done(&text);
	sbuf_done(&label);
}

/* All choices of all axes, the last axis fastest. */
static int add_variants(struct work *w, struct err *e)
{
	uint64_t product = 1;
	size_t i;

	for (i = 0; i < w->c->axes.n; i++) {	/* also those that lead to the same layout */
		product *= ((const struct axis *)w->c->axes.at[i])->values.n;
		if (product > MOST_VARIANTS)
			return err_set(e, ERR_USAGE, "%.120s: the axes alone make more than %d layouts",
				       w->c->from, MOST_VARIANTS);
	}
	memset(w->choice, 0, sizeof(w->choice));
	for (;;) {
		if (w->c->variants.n >= MOST_VARIANTS)
			return err_set(e, ERR_USAGE, "%.120s: more than %d layouts with their axes",
				       w->c->from, MOST_VARIANTS);
		add_variant(w);
		for (i = w->c->axes.n; i-- > 0;) {
			const struct axis *x = w->c->axes.at[i];

			if (++w->choice[i] < x->values.n)
				break;
			w->choice[i] = 0;
		}
		if (i >= w->c->axes.n)
			return 0;
	}
}

/* A value that no layout takes, or an axis that none has a place for, is a mistake. */
static int check_axes(const struct work *w, struct err *e)
{
	size_t i, k;

	for (i = 0; i < w->c->axes.n; i++) {
		const struct axis *x = w->c->axes.at[i];

		for (k = 0; k < x->values.n; k++) {
			const struct verdict *v = &w->verdicts[i][k];

			if (v->accepted)
				continue;
			if (!v->used)
				return err_set(e, ERR_USAGE, "%.120s, line %u: no layout has a place for the "
					       "axis %s", w->c->from, x->line,
					       axis_name(w->c->arena, x));
			*e = v->why;
			e->kind = ERR_USAGE;
			return err_in(e, "%.120s, line %u, %s", w->c->from, x->line,
				      (const char *)x->values.at[k]);
		}
	}
	return 0;
}

/* Room for a verdict on every value. */
static struct verdict (*new_verdicts(struct campaign *c))[MOST_SETTINGS * 4]
{
	return arena_array(c->arena, c->axes.n + 1,
			   sizeof(struct verdict) * MOST_SETTINGS * 4);
}

int campaign_expand(struct campaign *c, struct err *e)
{
	struct work w = { .c = c, .verdicts = new_verdicts(c) };
	size_t i;

	for (i = 0; i < c->layouts.n; i++) {
		const struct campaign_layout *l = c->layouts.at[i];
		struct recipe *r = NULL;
		int rc;

		if (recipe_open(l->text, &r, e)) {
			e->kind = ERR_USAGE;
			return err_in(e, "%.120s, line %u", c->from, l->line);
		}
		w.recipe = r;
		w.name = r->name ? arena_strdup(c->arena, r->name) : l->text;
		rc = add_variants(&w, e);
		/* the variants' texts are copies: nothing of the recipe is kept */
		recipe_free(r);
		if (rc)
			return -1;
	}
	if ((uint64_t)c->variants.n * c->workloads.n * c->rounds > MOST_CELLS)
		return err_set(e, ERR_USAGE, "%.120s: more than %d cells (%zu layouts x %zu workloads x %u "
			       "rounds)", c->from, MOST_CELLS, c->variants.n, c->workloads.n, c->rounds);
	return check_axes(&w, e);
}
