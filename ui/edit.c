/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edit - one change of a layout, from text to text. The recipe is read by the engine's own
 * parser and changed on a copy of its statements; the engine writes it again.
 */
#include "ui/edit.h"

#include <string.h>

struct draft {
	struct recipe *from;		/* NULL: no layers yet */
	struct recipe to;
	struct arena *a;
};

static int begin(struct draft *d, const char *text, struct err *e)
{
	size_t n;

	*d = (struct draft){ 0 };
	if (text && recipe_parse(text, NULL, &d->from, e) < 0)
		return -1;
	d->a = arena_new();
	n = d->from ? d->from->n_stmts : 0;
	d->to.stmts = arena_array(d->a, n + 1, sizeof(*d->to.stmts));
	d->to.n_stmts = n;
	if (n)
		memcpy(d->to.stmts, d->from->stmts, n * sizeof(*d->to.stmts));
	return 0;
}

static int finish(struct draft *d, struct sbuf *out, struct err *e)
{
	int rc = 0;

	sbuf_clear(out);
	if (d->to.n_stmts)
		recipe_line(&d->to, out);
	else
		rc = err_set(e, ERR_USAGE, "the last layer stays; i takes another layout");
	recipe_free(d->from);
	arena_free(d->a);
	return rc;
}

static bool is_layout(const char *text, struct err *e)
{
	struct recipe *r;

	if (recipe_parse(text, NULL, &r, e) < 0)
		return false;
	recipe_free(r);
	return true;
}

/* Set one option, and leave out another one when `without` names it. */
static int set_one(const char *text, size_t i, const char *key, const char *value,
		   const char *without, struct sbuf *out, struct err *e)
{
	bool set = !value || !*value;
	struct setting *list;
	struct draft d;
	struct stmt *st;
	size_t k, n = 0;

	if (begin(&d, text, e) < 0)
		return -1;
	if (i < d.to.n_stmts) {
		st = &d.to.stmts[i];
		list = arena_array(d.a, st->n_settings + 1, sizeof(*list));
		for (k = 0; k < st->n_settings; k++) {
			if (without && !strcmp(st->settings[k].key, without))
				continue;
			if (strcmp(st->settings[k].key, key)) {
				list[n++] = st->settings[k];
			} else if (!set) {
				list[n++] = (struct setting){ key, value };
				set = true;
			}
		}
		if (!set)
			list[n++] = (struct setting){ key, value };
		st->settings = list;
		st->n_settings = n;
	}
	return finish(&d, out, e);
}

int edit_set(const char *text, size_t i, const char *key, const char *value, struct sbuf *out,
	     struct err *e)
{
	struct sbuf other = { 0 };
	struct err quiet = { 0 };
	struct recipe *r;
	int rc = 0;
	size_t k;

	if (set_one(text, i, key, value, NULL, out, e) < 0)
		return -1;
	if (is_layout(out->text, e))
		return 0;
	if (recipe_parse(text, NULL, &r, &quiet) < 0)
		return -1;
	rc = -1;
	for (k = 0; rc < 0 && i < r->n_stmts && k < r->stmts[i].n_settings; k++) {
		const struct setting *s = &r->stmts[i].settings[k];

		if (!strcmp(s->key, key) || !value || !*value ||
		    set_one(text, i, key, value, s->key, &other, &quiet) < 0 ||
		    !is_layout(other.text, &quiet))
			continue;
		sbuf_clear(out);
		sbuf_add(out, other.text);
		err_set(e, ERR_NONE, "%s=%s was taken out: %s=%s excludes it", s->key, s->value,
			key, value);
		rc = 1;
	}
	sbuf_done(&other);
	recipe_free(r);
	return rc;
}

static int insert_one(const char *text, size_t i, const char *layer, const char *count,
		      struct sbuf *out, struct err *e)
{
	struct setting one = { count, "1" };
	struct draft d;
	size_t k;

	if (begin(&d, text, e) < 0)
		return -1;
	for (k = d.to.n_stmts; k > i; k--)
		d.to.stmts[k] = d.to.stmts[k - 1];
	d.to.stmts[k] = (struct stmt){ .layer = layer, .settings = &one, .n_settings = count != NULL };
	d.to.n_stmts++;
	return finish(&d, out, e);
}

int edit_insert(const char *text, size_t i, const char *layer, struct sbuf *out, struct err *e)
{
	const struct layer *l = layer_find(layer);
	const struct option *o;
	struct err first;

	if (insert_one(text, i, layer, NULL, out, e) < 0)
		return -1;
	if (is_layout(out->text, e))
		return 0;
	first = *e;
	for (o = l ? l->options : NULL; o && o->name; o++) {
		struct err now = { 0 };

		if (o->type != OPTION_COUNT)
			continue;
		if (insert_one(text, i, layer, o->name, out, &now) == 0 && is_layout(out->text, &now))
			return 0;
		if (!strcmp(e->text, first.text))
			*e = now;	/* what is wrong once the missing option is there */
	}
	return -1;
}

int edit_remove(const char *text, size_t i, struct sbuf *out, struct err *e)
{
	struct draft d;

	if (begin(&d, text, e) < 0)
		return -1;
	if (i < d.to.n_stmts) {
		memmove(&d.to.stmts[i], &d.to.stmts[i + 1],
			(d.to.n_stmts - i - 1) * sizeof(*d.to.stmts));
		d.to.n_stmts--;
	}
	return finish(&d, out, e);
}

int edit_swap(const char *text, size_t i, struct sbuf *out, struct err *e)
{
	struct draft d;
	struct stmt was;

	if (begin(&d, text, e) < 0)
		return -1;
	if (i + 1 < d.to.n_stmts) {
		was = d.to.stmts[i];
		d.to.stmts[i] = d.to.stmts[i + 1];
		d.to.stmts[i + 1] = was;
	}
	return finish(&d, out, e);
}
