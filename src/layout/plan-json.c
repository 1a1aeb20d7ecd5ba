/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan-json - the plan for programs: the form DESIGN names and tests rely on. */
#include <string.h>

#include "base/json.h"
#include "base/sbuf.h"
#include "disk/disk.h"
#include "layout/plan.h"
#include "layout/recipe.h"

static json_t *names_of(struct node *const *kids, unsigned n)
{
	json_t *names = json_array();
	unsigned i;

	for (i = 0; i < n; i++)
		json_add_str(names, kids[i]->name);
	return names;
}

static json_t *layer_json(const struct node *n)
{
	json_t *o = json_object();

	json_put_str(o, "layer", n->layer->name);
	json_put_str(o, "name", n->name);
	if (n->dev)
		json_put_str(o, "device", n->dev);
	if (n->dir)
		json_put_str(o, "dir", n->dir);
	if (n->level)
		json_put_str(o, "level", n->level);
	if (n->chunk)
		json_put_u64(o, "chunk", n->chunk);
	json_put_u64(o, "bytes", n->bytes);
	json_put_u64(o, "sector", n->lsec);
	json_object_set_new(o, "members", names_of(n->kids, n->n_kids));
	if (n->facts)
		json_object_update_missing(o, n->facts);
	if (n->note)
		json_put_str(o, "note", n->note);
	if (n->left_out)
		json_object_set_new(o, "left_out", json_true());
	return o;
}

static json_t *filesystem_json(const struct node *n)
{
	json_t *o = json_object();

	json_put_str(o, "type", n->layer->name);
	json_put_str(o, "name", n->name);
	json_put_str(o, "device", n->n_kids ? n->kids[0]->dev : NULL);
	json_put_str(o, "dir", n->dir);
	json_put_u64(o, "device_bytes", n->bytes);
	json_put_u64(o, "data_bytes", n->data_bytes);
	if (n->fs.known) {
		json_put_u64(o, "total_bytes", n->fs.total);
		json_put_u64(o, "avail_bytes", n->fs.avail);
		json_object_set_new(o, "estimate", json_boolean(n->fs.estimate));
	}
	return o;
}

static json_t *disk_share_json(const struct node *n)
{
	json_t *o = json_object();

	json_put_str(o, "name", n->name);
	json_put_str(o, "device", n->dev);
	json_put_str(o, "role", n->role == ROLE_CACHE ? "cache" : "data");
	json_put_u64(o, "bytes", n->disk->bytes);
	if (n->role == ROLE_CACHE) {
		json_put_u64(o, "cache", n->split.usable + n->split.redundancy);
	} else {
		json_put_u64(o, "usable", n->split.usable);
		json_put_u64(o, "redundancy", n->split.redundancy);
	}
	json_put_u64(o, "overhead", n->split.overhead);
	json_put_u64(o, "unused", n->split.unused);
	return o;
}

static json_t *words_json(const struct argv *v)
{
	json_t *words = json_array();
	size_t i;

	for (i = 0; i < v->n; i++)
		json_add_str(words, v->at[i]);
	return words;
}

static json_t *step_json(const struct step *s)
{
	json_t *o = json_object(), *undo = json_array(), *destroys = json_array();
	size_t i;

	json_object_set_new(o, "n", json_integer(s->n));
	json_put_str(o, "layer", s->layer);
	json_put_str(o, "why", s->why);
	json_object_set_new(o, "argv", words_json(&s->argv));
	if (s->input)
		json_put_str(o, "stdin", s->input);
	if (s->secret)
		json_object_set_new(o, "passphrase", json_true());
	for (i = 0; i < s->destroys.n; i++)
		json_add_str(destroys, ((const struct disk *)s->destroys.at[i])->name);
	json_object_set_new(o, "destroys", destroys);
	for (i = 0; i < s->undo.n; i++)
		json_array_append_new(undo, words_json(s->undo.at[i]));
	json_object_set_new(o, "undo", undo);
	return o;
}

static json_t *advice_json(const struct stack *s)
{
	json_t *all = json_array();
	struct list found = { 0 };
	size_t i;

	stack_advice(s, s->arena, &found);
	for (i = 0; i < found.n; i++) {
		const struct advice *a = found.at[i];
		json_t *o = json_object();

		json_put_str(o, "rule", a->rule);
		json_put_str(o, "severity", a->severity);
		json_put_str(o, "text", a->text);
		json_put_str(o, "reason", a->reason);
		json_put_str(o, "source", a->source);
		json_array_append_new(all, o);
	}
	return all;
}

json_t *plan_json(const struct plan *p)
{
	const struct stack *s = p->stack;
	json_t *o = json_object(), *devices = json_array(), *fs = json_array();
	json_t *disks = json_array(), *steps = json_array();
	struct sbuf line = { 0 };
	size_t i;

	recipe_line(s->recipe, &line);
	json_put_str(o, "layout", s->recipe->name ? s->recipe->name : sbuf_str(&line));
	json_put_str(o, "recipe", sbuf_str(&line));
	sbuf_done(&line);
	json_put_str(o, "name", s->name);
	json_put_u64(o, "raw_bytes", s->raw_bytes);
	json_put_u64(o, "usable_bytes", s->usable_bytes);
	json_put_u64(o, "survives", s->survives);
	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->left_out && !n->bytes)
			continue;
		json_array_append_new(devices, layer_json(n));
		if (n->gives == THING_DIR)
			json_array_append_new(fs, filesystem_json(n));
	}
	for (i = 0; i < s->n_disks; i++)
		json_array_append_new(disks, disk_share_json(s->nodes.at[i]));
	for (i = 0; i < p->steps.n; i++)
		json_array_append_new(steps, step_json(p->steps.at[i]));
	json_object_set_new(o, "layers", devices);
	json_object_set_new(o, "filesystems", fs);
	json_object_set_new(o, "disks", disks);
	json_object_set_new(o, "advice", advice_json(s));
	json_object_set_new(o, "steps", steps);
	return o;
}
