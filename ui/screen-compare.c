/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen-compare - every layout on the marked disks, side by side: what is usable, how many
 * disks may fail, what to mind; the disks of the chosen one to scale; and for those that do
 * not fit, why, and what would make them fit. All of it is computed when the disks change.
 */
#include "ui/compare.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SORT = ACT_SCREEN, BASE, FILTER, MISFITS };

static const char *compare_needs(const struct ui *ui)
{
	return session_picked(ui->s, ROLE_DATA) || session_marked(ui->s, 'D', NULL) ? NULL :
		"it needs marked disks (1 Disks, Space)";
}

const struct candidate *compare_at(const struct compare *c)
{
	return c->roll.at < c->n_shown ? c->shown[c->roll.at] : NULL;
}

const struct candidate *compare_base(const struct compare *c)
{
	size_t i;

	for (i = 0; *c->base && i < c->all.n; i++) {
		const struct candidate *k = c->all.at[i];

		if (!strcmp(k->name, c->base) && k->fits)
			return k;
	}
	return NULL;
}

/* --- the list -------------------------------------------------------------------------- */

static bool passes(const struct compare *c, const struct candidate *k)
{
	return (k->fits || c->misfits) && (!c->filter.len || candidate_has(k, c->filter.text));
}

/* What is shown, in order; the cursor stays on its layout. */
static void fill(struct compare *c)
{
	const struct candidate *was = compare_at(c);
	size_t i;

	for (c->n_shown = 0, i = 0; i < c->all.n; i++) {
		if (passes(c, c->all.at[i]))
			c->shown[c->n_shown++] = c->all.at[i];
	}
	candidates_sort(c->shown, c->n_shown, c->sort);
	c->roll.n = c->n_shown;
	for (i = 0; was && i < c->n_shown; i++) {
		if (c->shown[i] == was)
			c->roll.at = i;
	}
	if (c->roll.at >= c->n_shown)
		c->roll.at = c->n_shown ? c->n_shown - 1 : 0;
}

/* Another number, other disks. */
static uint64_t digest(const struct session *s)
{
	uint64_t h = 1469598103934665603u;
	size_t i;

	for (i = 0; i < s->n_picks; i++) {
		const struct disk *d = s->picks[i].disk;
		const char *p;

		for (p = d->name; *p; p++)
			h = (h ^ (unsigned char)*p) * 1099511628211u;
		h = (h ^ d->bytes) * 1099511628211u;
		h = (h ^ d->lsec ^ d->psec << 16 ^ (uint64_t)s->picks[i].role << 40) * 1099511628211u;
	}
	return h ? h : 1;
}

static void drop_chosen(struct compare *c)
{
	stack_free(c->stack);
	recipe_free(c->recipe);
	c->stack = NULL;
	c->recipe = NULL;
	c->of = NULL;
	c->remedy = NULL;
}

static int compute(struct ui *ui, struct compare *c, struct err *e)
{
	char chosen[64] = "";
	size_t i;

	if (compare_at(c))
		snprintf(chosen, sizeof(chosen), "%s", compare_at(c)->name);
	else if (ui->s->layout_name)
		snprintf(chosen, sizeof(chosen), "%s", ui->s->layout_name);
	drop_chosen(c);
	arena_free(c->arena);
	c->arena = arena_new();
	c->all = (struct list){ 0 };
	c->n_shown = c->n_fit = 0;
	c->most = 1;
	if (compare_all(ui->s->picks, ui->s->n_picks, c->arena, &c->all, e) < 0)
		return -1;
	c->shown = arena_array(c->arena, c->all.n + 1, sizeof(*c->shown));
	for (i = 0; i < c->all.n; i++) {
		const struct candidate *k = c->all.at[i];

		c->n_fit += k->fits;
		c->most = k->fits && k->usable > c->most ? k->usable : c->most;
	}
	fill(c);
	for (i = 0; i < c->n_shown; i++) {
		if (!strcmp(c->shown[i]->name, chosen))
			c->roll.at = i;
	}
	c->disks = digest(ui->s);
	return 0;
}

/* --- the chosen one -------------------------------------------------------------------- */

static void follow(struct ui *ui, struct compare *c)
{
	const struct candidate *at = compare_at(c);
	struct err e = { 0 };

	if (at == c->of)
		return;
	drop_chosen(c);
	c->of = at;
	if (!at || recipe_open(at->name, &c->recipe, &e) < 0)
		return;
	if (!at->fits)
		c->remedy = compare_remedy(c->recipe, ui->s->picks, ui->s->n_picks, c->arena);
	else
		stack_make(c->recipe, ui->s->build_name, ui->s->picks, ui->s->n_picks, &c->stack, &e);
}

static int compare_enter(struct ui *ui, void *state)
{
	struct compare *c = state;
	struct err e = { 0 };

	if (!ui->s->n_picks)
		session_again(ui->s);
	c->filtering = false;
	drop_chosen(c);		/* its disks may be gone */
	if ((c->disks != digest(ui->s) || !c->all.n) && compute(ui, c, &e) < 0) {
		ui_fail(ui, &e);
		return -1;
	}
	follow(ui, c);
	return 0;
}

/* --- actions --------------------------------------------------------------------------- */

static void take(struct ui *ui, const struct candidate *at)
{
	struct err e = { 0 };

	if (session_recipe(ui->s, at->name, &e) < 0) {
		ui_fail(ui, &e);
		return;
	}
	ui_goto(ui, &screen_layout);
	ui_say(ui, ' ', "taken: %s; Enter edits a layer, 4 Plan shows the steps", at->name);
}

static void toggle_base(struct ui *ui, struct compare *c)
{
	const struct candidate *at = compare_at(c);

	if (!strcmp(c->base, at->name)) {
		c->base[0] = '\0';
		ui_say(ui, ' ', "compared with nothing");
	} else {
		snprintf(c->base, sizeof(c->base), "%s", at->name);
		ui_say(ui, ' ', "the others are compared with %s", at->name);
	}
}

static enum react compare_act(struct ui *ui, void *state, int act)
{
	static const char *const words[] = { "usable bytes", "disks that may fail", "unused bytes",
					     "group", "name" };
	struct compare *c = state;
	enum react r = REACT_DONE;

	switch (act) {
	case ACT_ENTER:
		if (c->filtering)
			c->filtering = false;
		else
			take(ui, compare_at(c));
		return REACT_DONE;
	case ACT_BACK:
		if (!c->filtering && !c->filter.len)
			return REACT_UNKNOWN;
		c->filtering = false;
		field_set(&c->filter, "");
		fill(c);
		break;
	case SORT:
		c->sort = (c->sort + 1) % COMPARE_KINDS;
		fill(c);
		ui_say(ui, ' ', "sorted by %s", words[c->sort]);
		break;
	case BASE:
		toggle_base(ui, c);
		break;
	case FILTER:
		c->filtering = true;
		break;
	case MISFITS:
		c->misfits = !c->misfits;
		fill(c);
		ui_say(ui, ' ', c->misfits ? "those that do not fit stand at the end, with the reason" :
		       "only what fits");
		break;
	default:
		r = roll_act(&c->roll, act, c->page);
		break;
	}
	follow(ui, c);
	return r;
}

static const char *compare_cannot(const struct ui *ui, void *state, int act)
{
	struct compare *c = state;
	const struct candidate *at = compare_at(c);

	(void)ui;
	if (act == ACT_ENTER && c->filtering)
		return NULL;
	if (act != ACT_ENTER && act != BASE)
		return NULL;
	if (!at)
		return "no layout is chosen";
	return at->fits ? NULL : "it does not fit these disks";
}

static struct field *compare_field(struct ui *ui, void *state)
{
	struct compare *c = state;

	(void)ui;
	return c->filtering ? &c->filter : NULL;
}

static void compare_typed(struct ui *ui, void *state)
{
	fill(state);
	follow(ui, state);
}

static void compare_status(struct ui *ui, void *state, struct sbuf *out)
{
	const struct compare *c = state;

	(void)ui;
	sbuf_addf(out, "%zu of %zu fit. c cache, ! warning, f loses only the files of that disk",
		  c->n_fit, c->all.n);
}

static char compare_mark(const struct ui *ui)
{
	return ui->s->layout && ui->s->stack ? '+' : '-';
}

static void compare_done(void *state)
{
	struct compare *c = state;

	drop_chosen(c);
	arena_free(c->arena);
}

static const struct key compare_keys[] = {
	{ ACT_UP, "Up k", "↑↓", "choose", 3, "another layout; Up and Down, j and k" },
	{ ACT_ENTER, "Enter", NULL, "take it", 1, "take this layout: it goes to Layout" },
	{ SORT, "s", NULL, "sort", 2, "sort by usable, may fail, unused, group, name" },
	{ BASE, "=", NULL, "compare with", 3, "compare the others with this one; again: with none" },
	{ FILTER, "/ F3", NULL, "filter", 4, "only layouts with these letters; Esc shows all" },
	{ MISFITS, ".", NULL, "misfits", 2, "also what does not fit, with reason and remedy" },
	{ ACT_STEP_ON, "]", NULL, "next", 5, "on to the plan" },
	{ 0 }
};

const struct screen screen_compare = {
	.name = "compare", .title = "Compare", .step = true,
	.about = "Every layout of the list on these disks. The number behind the bytes says how many "
		 "disks may fail, whichever they are. c: it uses the cache disk. !: it has a warning. "
		 "f: more failures lose only the files of those disks.",
	.state_size = sizeof(struct compare), .keys = compare_keys, .needs = compare_needs,
	.mark = compare_mark, .enter = compare_enter, .draw = compare_draw, .act = compare_act,
	.cannot = compare_cannot, .field = compare_field, .typed = compare_typed,
	.status = compare_status, .done = compare_done,
};
