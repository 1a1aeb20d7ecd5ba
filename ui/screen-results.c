/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen-results - what was measured, from the database: the layouts side by side for one
 * class, how sure each number is, and one layout against another over all classes.
 */
#include "ui/results.h"

#include <string.h>

enum { OP = ACT_SCREEN, DURABLE, BASE, TURN, EXPORT, AGAIN, EVERY, AROUND };

const struct report_picture *results_picture(const struct results *r)
{
	return r->at < r->n_pictures ? &r->pictures[r->at] : NULL;
}

const struct report_bar *results_bar(const struct results *r)
{
	const struct report_picture *p = results_picture(r);

	return p && r->bars.at < p->n ? &p->bars[r->bars.at] : NULL;
}

const struct report_bar *results_base(const struct results *r)
{
	const struct report_picture *p = results_picture(r);
	size_t i;

	for (i = 0; p && *r->base && i < p->n; i++) {
		if (!strcmp(p->bars[i].label, r->base))
			return &p->bars[i];
	}
	return NULL;
}

size_t results_pair(const struct results *r, const struct report_bar *b, struct arena *a,
		    struct report_pair *out)
{
	const struct report_bar *base = results_base(r);
	struct report_pair *pairs;
	struct err e = { 0 };
	char one[32], other[32];
	size_t n = 0;

	if (!base || !b || base == b)
		return 0;
	snprintf(one, sizeof(one), "%lld", (long long)base->id);
	snprintf(other, sizeof(other), "%lld", (long long)b->id);
	if (report_compare(a, r->all, one, other, &r->filter, &pairs, &n, &e) < 0 || !n)
		return 0;
	*out = pairs[0];
	return 1;
}

/* --- making it ------------------------------------------------------------------------- */

/* The picture of this class and operation, else the nearest there is. */
static void find_picture(struct results *r, const char *class, const char *op)
{
	size_t i, best = 0;
	int most = -1;

	for (i = 0; r->pictures && i < r->n_pictures; i++) {
		int fit = (class && !strcmp(r->pictures[i].class, class) ? 2 : 0) +
			(op && !strcmp(r->pictures[i].op, op) ? 1 : 0);

		if (fit > most) {
			most = fit;
			best = i;
		}
	}
	r->at = best;
}

static void keep_bar(struct results *r, const char *label)
{
	const struct report_picture *p = results_picture(r);
	size_t i;

	for (i = 0; p && i < p->n; i++) {
		if (!strcmp(p->bars[i].label, label))
			r->bars.at = i;
	}
	if (!p || r->bars.at >= p->n)
		r->bars.at = 0;
}

static void remember(struct results *r)
{
	if (results_bar(r))
		snprintf(r->chosen, sizeof(r->chosen), "%s", results_bar(r)->label);
}

/* The chosen one against the base, over all classes. */
static void compute_pairs(struct results *r)
{
	struct err e = { 0 };

	arena_free(r->pairs_arena);
	r->pairs_arena = arena_new();
	r->n_pairs = 0;
	if (*r->base && strcmp(r->base, r->chosen) &&
	    report_compare(r->pairs_arena, r->all, r->base, r->chosen, &r->filter, &r->pairs,
			   &r->n_pairs, &e) < 0)
		r->n_pairs = 0;
}

/* The pictures and the pairs again, from what was read. */
static void compute(struct results *r)
{
	const struct report_picture *was = results_picture(r);
	char class[512] = "", op[24] = "";

	if (was) {
		snprintf(class, sizeof(class), "%s", was->class);
		snprintf(op, sizeof(op), "%s", was->op);
	}
	report_pictures(r->arena, r->all, &r->filter, &r->pictures, &r->n_pictures);
	find_picture(r, class, op);
	keep_bar(r, r->chosen);
	remember(r);
	compute_pairs(r);
}

static void look(struct ui *ui, struct results *r)
{
	struct store *st = NULL;
	struct err e = { 0 };

	r->n_pictures = r->n_pairs = 0;	/* they point into what is freed now */
	json_decref(r->all);
	arena_free(r->arena);
	r->arena = arena_new();
	r->all = NULL;
	if (store_exists(ui->s->db) &&
	    (store_open_read(ui->s->db, &st, &e) < 0 ||
	     store_results_with_runs(st, NULL, 0, false, &r->all, &e) < 0))
		ui_fail(ui, &e);
	store_close(st);
	if (!r->all)
		r->all = json_array();
	compute(r);
}

static int results_enter(struct ui *ui, void *state)
{
	look(ui, state);
	return 0;
}

void results_show(struct ui *ui, const char *class, const char *op, const char *label)
{
	struct results *r;

	ui_goto(ui, &screen_results);
	if (ui_top(ui) != &screen_results)
		return;
	r = ui->frames[ui->n_frames - 1].state;
	find_picture(r, class, op);
	keep_bar(r, label);
	remember(r);
	compute_pairs(r);
}

/* --- actions --------------------------------------------------------------------------- */

/* The next class: its picture of the same operation, else its first one. */
static void other_class(struct results *r, int by)
{
	const struct report_picture *p = results_picture(r);
	const char *class = NULL;
	size_t i = r->at, best = r->at;

	if (r->filter.by_layout) {	/* a layout has one for each unit */
		if (by > 0 ? i + 1 < r->n_pictures : i > 0)
			r->at = by > 0 ? i + 1 : i - 1;
		keep_bar(r, r->chosen);
		return;
	}
	while (by > 0 ? ++i < r->n_pictures : i-- > 0) {
		const struct report_picture *q = &r->pictures[i];

		if (class ? strcmp(q->class, class) != 0 : !strcmp(q->class, p->class))
			continue;	/* the old one, or one too far */
		if (!class || by < 0)
			best = i;	/* backwards its first is the last that is met */
		class = q->class;
		if (strcmp(q->op, p->op))
			continue;
		best = i;
		break;
	}
	r->at = best;
	keep_bar(r, r->chosen);
}

/* The next operation of this class; after the last the first. */
static void other_op(struct results *r)
{
	const struct report_picture *p = results_picture(r);
	size_t k;

	for (k = 1; k < r->n_pictures; k++) {
		size_t i = (r->at + k) % r->n_pictures;

		if (strcmp(r->pictures[i].class, p->class) || !strcmp(r->pictures[i].op, p->op))
			continue;
		r->at = i;
		break;
	}
	keep_bar(r, r->chosen);
}

static void set_base(struct ui *ui, struct results *r)
{
	if (!strcmp(r->base, r->chosen)) {
		r->base[0] = '\0';
		ui_say(ui, ' ', "compared with nothing");
	} else {
		memcpy(r->base, r->chosen, sizeof(r->base));
		ui_say(ui, ' ', "the others are compared with %s", safe_text(r->base));
	}
	compute(r);
}

/* The layouts of a class, or the classes of a layout: what was chosen stays chosen. */
static void around(struct ui *ui, struct results *r)
{
	const struct report_bar *b = results_bar(r);
	char class[64], op[16], label[512];

	snprintf(class, sizeof(class), "%s", b ? json_str(b->result, "class") : "");
	snprintf(op, sizeof(op), "%s", b ? json_str(b->result, "op") : "");
	snprintf(label, sizeof(label), "%s", !b ? "" : r->filter.by_layout ? results_picture(r)->class :
		 b->label);
	r->filter.by_layout = !r->filter.by_layout;
	r->base[0] = '\0';
	compute(r);
	if (r->filter.by_layout) {
		find_picture(r, label, "");
		snprintf(label, sizeof(label), "%s, %s", class, op);
	} else {
		find_picture(r, class, op);
	}
	keep_bar(r, label);
	remember(r);
	ui_say(ui, ' ', r->filter.by_layout ? "one layout over its classes" : "one class over the layouts");
}

static enum react move(struct results *r, int act)
{
	if (r->two)
		return roll_act(&r->rows, act, r->page);
	if (act == ACT_LEFT || act == ACT_RIGHT) {
		if (results_picture(r))
			other_class(r, act == ACT_RIGHT ? 1 : -1);
		return REACT_DONE;
	}
	if (roll_act(&r->bars, act, r->page) == REACT_UNKNOWN)
		return REACT_UNKNOWN;
	remember(r);
	compute_pairs(r);
	return REACT_DONE;
}

static enum react results_act(struct ui *ui, void *state, int act)
{
	struct results *r = state;
	const struct report_picture *p = results_picture(r);

	switch (act) {
	case ACT_ENTER:
		r->runs = !r->runs;
		return REACT_DONE;
	case OP:
		other_op(r);
		if (results_picture(r) == p)
			ui_say(ui, ' ', "nothing else was measured of %s", safe_text(p->class));
		return REACT_DONE;
	case DURABLE:
		r->filter.durable = !r->filter.durable;
		compute(r);
		ui_say(ui, ' ', r->filter.durable ? "durable: until everything is on the disks" :
		       "felt: until the last close, as a person waits");
		return REACT_DONE;
	case EVERY:
		r->filter.every = !r->filter.every;
		compute(r);
		ui_say(ui, ' ', r->filter.every ? "also older results of the same layout" :
		       "the newest result of each layout");
		return REACT_DONE;
	case AROUND:
		around(ui, r);
		return REACT_DONE;
	case BASE:
		set_base(ui, r);
		return REACT_DONE;
	case TURN:
		r->two = !r->two;
		r->rows = (struct roll){ 0 };
		return REACT_DONE;
	case EXPORT:
		ui_export(ui, "Export the results", "naslab", &r->filter);
		return REACT_DONE;
	case AGAIN:
		look(ui, r);
		return REACT_DONE;
	case ACT_BACK:
		if (!r->two)
			return REACT_UNKNOWN;
		r->two = false;
		return REACT_DONE;
	default:
		return move(r, act);
	}
}

static const char *results_cannot(const struct ui *ui, void *state, int act)
{
	const struct results *r = state;

	(void)ui;
	switch (act) {
	case TURN:
		if (r->two || r->n_pairs)
			return NULL;
		return !r->n_pictures ? "nothing has been measured yet" : !*r->base ?
			"= marks one layout first, then c on another" :
			"these two have no class in common";
	case OP:
	case BASE:
		if (r->filter.by_layout)
			return "t turns back to one class over the layouts first";
		/* fall through */
	case AROUND:
	case EXPORT:
	case ACT_ENTER:
		return r->n_pictures ? NULL : "nothing has been measured yet";
	default:
		return NULL;
	}
}

static void results_status(struct ui *ui, void *state, struct sbuf *out)
{
	const struct results *r = state;
	const struct report_picture *p = results_picture(r);

	(void)ui;
	if (!p)
		return;
	if (r->two)
		sbuf_add(out, "equal: not shown apart and close; unsure: more runs could tell");
	else if (r->filter.by_layout)
		sbuf_add(out, "t turns back to one class over the layouts");
	else if (!*r->base)
		sbuf_add(out, "= marks a layout: the others are compared with it");
	else
		sbuf_add_safe(out, p->about);
}

static char results_mark(const struct ui *ui)
{
	return ui->results.len || (ui->s->work.kind == WORK_BENCH && ui->s->work.n_done) ? '+' : '-';
}

static void results_done(void *state)
{
	struct results *r = state;

	json_decref(r->all);
	arena_free(r->pairs_arena);
	arena_free(r->arena);
}

static const struct key results_keys[] = {
	{ ACT_LEFT, "Left h", "←→", "class", 1, "another class of files; Left and Right, h and l" },
	{ ACT_RIGHT, "Right l", NULL, NULL, 9, "the next class" },
	{ OP, "o", NULL, "operation", 2, "the next operation of this class" },
	{ DURABLE, "v", NULL, "durable", 2, "until the last close, or until it is on the disks" },
	{ BASE, "=", NULL, "base", 2, "compare the others with this one; again: with none" },
	{ TURN, "c", NULL, "two layouts", 2, "this one against the base, over all classes" },
	{ AROUND, "t", NULL, "turn", 5, "one layout over its classes, or one class over the layouts" },
	{ ACT_ENTER, "Enter", NULL, "runs", 3, "the runs in the order they ran" },
	{ EVERY, "a", NULL, "older", 5, "also older results of the same layout" },
	{ EXPORT, "e", NULL, "export", 4, "export: csv, json, svg, pdf or xlsx" },
	{ AGAIN, "r F5", NULL, "again", 6, "read the database again" },
	{ 0 }
};

const struct screen screen_results = {
	.name = "results", .title = "Results", .step = true,
	.about = "Every layout that was measured, a bar each: dots from zero, then from the lowest to "
		 "the highest run, the median marked. A ratio is only given where machine, scale and "
		 "memory are the same; real, equal or unsure is what the runs can say.",
	.state_size = sizeof(struct results), .keys = results_keys, .mark = results_mark,
	.enter = results_enter, .draw = results_draw, .act = results_act,
	.cannot = results_cannot, .status = results_status, .done = results_done,
};
