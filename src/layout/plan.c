/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan - from a stack to the steps that build it.
 *
 * First what an earlier life left on the disks is cleared, inner things before outer ones;
 * then every node's layer adds its steps, from the disks up. Nothing runs here.
 */
#include "layout/plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <xxhash.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "disk/disk.h"
#include "layout/recipe.h"

bool plan_builtin(const char *word)
{
	static const char *const names[] = { "block_write", "block_wait", "block_tell", "block_link",
					      "unit_write", "unit_remove" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(word, names[i]))
			return true;
	}
	return false;
}

bool plan_needs_secret(const struct plan *p)
{
	size_t i;

	for (i = 0; i < p->steps.n; i++) {
		if (((const struct step *)p->steps.at[i])->secret)
			return true;
	}
	return false;
}

struct step *plan_step(struct plan *p, const char *layer, const char *why, ...)
{
	struct step *s = arena_alloc(p->arena, sizeof(*s));
	va_list ap;

	s->n = (unsigned)p->steps.n + 1;
	s->layer = layer;
	va_start(ap, why);
	s->why = arena_vprintf(p->arena, why, ap);
	va_end(ap);
	list_add(p->arena, &p->steps, s);
	return s;
}

void step_args(struct plan *p, struct step *s, ...)
{
	const char *word;
	va_list ap;

	va_start(ap, s);
	while ((word = va_arg(ap, const char *)))
		argv_add(p->arena, &s->argv, word);
	va_end(ap);
}

void step_argf(struct plan *p, struct step *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	argv_add(p->arena, &s->argv, arena_vprintf(p->arena, fmt, ap));
	va_end(ap);
}

void step_input(struct plan *p, struct step *s, const char *text)
{
	s->input = arena_strdup(p->arena, text);
}

void step_writes(struct plan *p, struct step *s, const struct node *n)
{
	list_add(p->arena, &s->writes, (void *)n);
}

void step_makes(struct plan *p, struct step *s, const char *dev, uint64_t bytes)
{
	struct effect *made = arena_alloc(p->arena, sizeof(*made));

	made->dev = arena_strdup(p->arena, dev);
	made->bytes = bytes;
	list_add(p->arena, &s->makes, made);
}

struct argv *step_undo_argv(struct plan *p, struct step *s)
{
	struct argv *v = arena_alloc(p->arena, sizeof(*v));

	list_add(p->arena, &s->undo, v);
	return v;
}

void step_undo(struct plan *p, struct step *s, ...)
{
	struct argv *v = step_undo_argv(p, s);
	const char *word;
	va_list ap;

	va_start(ap, s);
	while ((word = va_arg(ap, const char *)))
		argv_add(p->arena, v, word);
	va_end(ap);
}

void plan_wipe(struct plan *p, const char *layer, const char *dev, const struct node *n)
{
	struct step *s = plan_step(p, layer, "clear old signatures from %s", n->name);

	step_args(p, s, "wipefs", "--all", "--force", "--quiet", dev, NULL);
	step_writes(p, s, n);
}

/* What stands on a disk: partitions last to first, then the disk itself. */
static void clear_disk(struct plan *p, const struct node *n)
{
	const struct disk *d = n->disk;
	struct step *s;
	size_t i;

	for (i = d->n_parts; i-- > 0;) {
		s = plan_step(p, "wipe", "clear partition %s", d->parts[i].name);
		step_args(p, s, "wipefs", "--all", "--force", "--quiet", NULL);
		step_argf(p, s, "/dev/%s", d->parts[i].name);
		step_writes(p, s, n);
		list_add(p->arena, &s->destroys, (void *)d);
	}
	s = plan_step(p, "wipe", "clear disk %s", d->name);
	step_args(p, s, "wipefs", "--all", "--force", "--quiet", d->path, NULL);
	step_writes(p, s, n);
	list_add(p->arena, &s->destroys, (void *)d);
	if (!d->n_parts)
		return;
	s = plan_step(p, "wipe", "let the kernel forget the partitions of %s", d->name);
	step_args(p, s, "blockdev", "--rereadpt", d->path, NULL);
	step_writes(p, s, n);
}

int plan_make(const struct stack *st, struct plan **out, struct err *e)
{
	struct arena *a = arena_new();
	struct plan *p = arena_alloc(a, sizeof(*p));
	size_t i;

	p->arena = a;
	p->stack = st;
	for (i = 0; i < st->n_disks; i++) {
		const struct node *n = st->nodes.at[i];

		if (n->n_parents && (n->disk->n_sigs || n->disk->n_parts))
			clear_disk(p, n);
	}
	for (i = st->n_disks; i < st->nodes.n; i++) {
		const struct node *n = st->nodes.at[i];

		if (n->left_out || !n->layer->plan)
			continue;
		if (n->layer->plan(n, p, e)) {
			err_in(e, "%s %s", n->layer->name, n->name);
			plan_free(p);
			return -1;
		}
	}
	*out = p;
	return 0;
}

void plan_free(struct plan *p)
{
	if (p)
		arena_free(p->arena);
}

static void hash_word(XXH3_state_t *x, const char *word)
{
	XXH3_128bits_update(x, word ? word : "", (word ? strlen(word) : 0) + 1);
}

static void hash_number(XXH3_state_t *x, uint64_t number)
{
	XXH3_128bits_update(x, &number, sizeof(number));
}

static void hash_step(XXH3_state_t *x, const struct step *s)
{
	size_t i, k;

	hash_number(x, s->argv.n);
	for (i = 0; i < s->argv.n; i++)
		hash_word(x, s->argv.at[i]);
	hash_word(x, s->input);
	for (i = 0; i < s->makes.n; i++) {
		const struct effect *made = s->makes.at[i];

		hash_word(x, made->dev);
		hash_number(x, made->bytes);
	}
	for (i = 0; i < s->undo.n; i++) {
		const struct argv *v = s->undo.at[i];

		hash_number(x, v->n);
		for (k = 0; k < v->n; k++)
			hash_word(x, v->at[k]);
	}
}

const char *plan_digest(const struct plan *p, struct arena *a)
{
	XXH3_state_t *x = XXH3_createState();
	struct sbuf line = { 0 };
	XXH128_hash_t h;
	size_t i;

	if (!x)
		die("no memory");
	XXH3_128bits_reset(x);
	recipe_line(p->stack->recipe, &line);
	hash_word(x, sbuf_str(&line));
	sbuf_done(&line);
	hash_word(x, p->stack->name);
	for (i = 0; i < p->stack->n_disks; i++) {
		const struct node *n = p->stack->nodes.at[i];

		if (!node_is_used(n))
			continue;
		hash_word(x, n->dev);
		hash_number(x, n->disk->bytes);
		hash_number(x, n->role);
	}
	for (i = 0; i < p->steps.n; i++)
		hash_step(x, p->steps.at[i]);
	h = XXH3_128bits_digest(x);
	XXH3_freeState(x);
	return arena_printf(a, "%016" PRIx64 "%016" PRIx64, h.high64, h.low64);
}
