/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order - what a screen may ask of the executor, and the plan made again from it.
 *
 * An order names a layout, a build and disks by identity, never a command. The plan is
 * made here a second time, from the layout's text and the disks as they are now, so
 * nothing that lies in the pipe or in the database is ever run.
 */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "build/build.h"
#include "build/run.h"

json_t *order_simple(const char *verb, const char *name, const char *db)
{
	json_t *order = json_object();

	json_put_str(order, "verb", verb);
	if (name)
		json_put_str(order, "name", name);
	if (db)
		json_put_str(order, "db", db);
	return order;
}

void order_secret(json_t *order, const char *passphrase)
{
	json_put_str(order, "secret", passphrase);
}

void order_attach(json_t *order)
{
	json_object_set_new(order, "attached", json_true());
}

void order_forget(json_t *order)
{
	json_object_set_new(order, "forget", json_true());
}

/* One thing that lay on a disk when it was planned with, as a word to compare. */
const char *word_of_sig(struct arena *a, const struct sig *sig)
{
	return arena_printf(a, "%s on %s at %" PRIu64, sig->type, sig->on, sig->offset);
}

const char *word_of_part(struct arena *a, const struct part *part)
{
	return arena_printf(a, "part %u from %" PRIu64 ", %" PRIu64, part->number, part->start, part->bytes);
}

/* What the owner let us overwrite: after a power cut while it was cleared, some of it is
 * still there, and recover has to know it is not somebody's new data. */
static json_t *content_words(struct arena *a, const struct disk *d)
{
	json_t *words = json_array();
	size_t i;

	for (i = 0; i < d->n_sigs; i++)
		json_add_str(words, word_of_sig(a, &d->sigs[i]));
	for (i = 0; i < d->n_parts; i++)
		json_add_str(words, word_of_part(a, &d->parts[i]));
	return words;
}

json_t *order_build(const struct plan *p, const char *db, char *const *wipe)
{
	const struct stack *s = p->stack;
	json_t *order = order_simple("build", s->name, db);
	json_t *disks = json_array(), *words = json_array();
	struct arena *a = arena_new();
	struct sbuf text = { 0 };
	size_t i;

	recipe_text(s->recipe, &text);
	json_put_str(order, "layout", sbuf_str(&text));
	json_put_str(order, "recipe", s->recipe->name);
	json_put_str(order, "digest", plan_digest(p, a));
	for (i = 0; i < s->n_disks; i++) {
		const struct node *n = s->nodes.at[i];
		struct identity id;
		json_t *disk;

		if (!node_is_used(n))
			continue;
		disk_identity(n->disk, a, &id);
		disk = identity_json(&id);
		json_put_str(disk, "role", n->role == ROLE_CACHE ? "cache" : "data");
		json_put_u64(disk, "lsec", n->disk->lsec);
		json_put_u64(disk, "psec", n->disk->psec);
		json_object_set_new(disk, "was", content_words(a, n->disk));
		json_object_set_new(disk, "rotational", json_boolean(n->disk->rotational));
		json_array_append_new(disks, disk);
	}
	json_object_set_new(order, "disks", disks);
	for (; wipe && *wipe; wipe++)
		json_add_str(words, *wipe);
	json_object_set_new(order, "wipe", words);
	sbuf_done(&text);
	arena_free(a);
	return order;
}

static int read_disk(struct arena *a, const json_t *json, struct ordered_disk *d, struct err *e)
{
	const char *role = json_str(json, "role");

	if (identity_from_json(a, json, &d->id, e))
		return -1;
	if (!d->id.path || !d->id.bytes)
		return err_set(e, ERR_USAGE, "the order names a disk without a path or size");
	d->role = role && !strcmp(role, "cache") ? ROLE_CACHE : ROLE_DATA;
	d->lsec = (uint32_t)json_u64(json, "lsec", 512);
	d->psec = (uint32_t)json_u64(json, "psec", 512);
	d->rotational = json_is_true(json_object_get(json, "rotational"));
	d->was = json_object_get(json, "was");
	return 0;
}

int order_read(struct arena *a, const json_t *json, struct order *out, struct err *e)
{
	const json_t *disks, *wipe, *item;
	size_t i;

	*out = (struct order){
		.json = json,
		.verb = json_str(json, "verb"),
		.name = json_str(json, "name"),
		.db = json_str(json, "db"),
		.layout = json_str(json, "layout"),
		.recipe = json_str(json, "recipe"),
		.digest = json_str(json, "digest"),
	};
	if (!json_is_object(json) || !out->verb)
		return err_set(e, ERR_USAGE, "this is no order: it has no \"verb\"");
	if (out->name && !name_is_valid(out->name))
		return err_set(e, ERR_USAGE, "\"%.40s\" is no name for a build (a-z, 0-9 and -, first "
			       "a letter, at most 20)", out->name);
	disks = json_object_get(json, "disks");
	out->n_disks = json_array_size(disks);
	out->disks = arena_array(a, out->n_disks + 1, sizeof(*out->disks));
	json_array_foreach(disks, i, item) {
		if (read_disk(a, item, &out->disks[i], e))
			return -1;
	}
	wipe = json_object_get(json, "wipe");
	out->wipe = arena_array(a, json_array_size(wipe) + 1, sizeof(*out->wipe));
	json_array_foreach(wipe, i, item) {
		if (!json_is_string(item))
			return err_set(e, ERR_USAGE, "the order's \"wipe\" holds something that is no word");
		out->wipe[i] = arena_strdup(a, json_string_value(item));
	}
	return 0;
}

/* Which disk of the machine is this one now? By its path when that still fits, else by
 * what it says of itself; a disk without serial and WWN has only its path. */
static const struct disk *find_again(struct arena *a, const struct inventory *inv,
				     const struct identity *then)
{
	const struct disk *d = inventory_find(inv, then->path);
	struct identity now;
	struct err e = { 0 };
	size_t i;

	if (d) {
		disk_identity(d, a, &now);
		if (!identity_compare(then, &now, false, &e))
			return d;
	}
	if (!then->serial && !then->wwn)
		return NULL;
	for (i = 0; i < inv->n_disks; i++) {
		disk_identity(&inv->disks[i], a, &now);
		if (!inv->disks[i].twin && !identity_compare(then, &now, false, &e))
			return &inv->disks[i];
	}
	return NULL;
}

static const char *name_then(const struct ordered_disk *o)
{
	const char *slash = strrchr(o->id.path, '/');

	return o->id.name ? o->id.name : slash ? slash + 1 : o->id.path;
}

/* What is recorded of a disk that is not there, as a disk to plan with. Its name may be
 * another disk's by now, so no command may ever be made of it. */
static const struct disk *absent_disk(struct arena *a, const struct ordered_disk *o)
{
	struct disk *d = arena_alloc(a, sizeof(*d));

	d->name = arena_printf(a, "absent:%s", name_then(o));
	d->path = arena_printf(a, "/dev/%s", d->name);
	d->model = o->id.model;
	d->serial = o->id.serial;
	d->wwn = o->id.wwn;
	d->bytes = o->id.bytes;
	d->lsec = o->lsec;
	d->psec = o->psec;
	d->rotational = o->rotational;
	d->kind = o->rotational ? DISK_HDD : DISK_SSD;
	return d;
}

/* Folders that were called after a disk keep that name when the disk got another one. */
static void keep_folder_names(struct arena *a, const struct order *o, struct remade *m)
{
	const struct node **below = arena_array(a, o->n_disks, sizeof(*below));
	size_t i, k, len;

	for (i = o->n_disks; i < m->stack->nodes.n; i++) {
		struct node *n = m->stack->nodes.at[i];
		const char *tail = n->dir ? strrchr(n->dir, '/') + 1 : NULL;

		if (!tail || node_disks(m->stack, n, below, o->n_disks) != 1)
			continue;
		for (k = 0; m->picks[k].disk != below[0]->disk;)
			k++;
		len = strlen(m->picks[k].disk->name);
		if (!strncmp(tail, m->picks[k].disk->name, len))
			n->dir = arena_printf(a, "%.*s%s%s", (int)(tail - n->dir), n->dir,
					      name_then(&o->disks[k]), tail + len);
	}
}

int remake(struct arena *a, const struct order *o, const char *root, bool may_lack,
	   struct remade *out, struct err *e)
{
	size_t i;

	*out = (struct remade){ 0 };
	if (!o->layout || !o->name || !o->n_disks)
		return err_set(e, ERR_USAGE, "the order lacks its layout, name or disks");
	if (inventory_read(root, &out->inv, e) || recipe_parse(o->layout, o->recipe, &out->recipe, e))
		return -1;
	out->picks = arena_array(a, o->n_disks, sizeof(*out->picks));
	out->absent = arena_array(a, o->n_disks, sizeof(*out->absent));
	for (i = 0; i < o->n_disks; i++) {
		const struct disk *d = o->disks[i].cleared ? NULL :
			find_again(a, out->inv, &o->disks[i].id);

		if (!d && !may_lack)
			return err_set(e, ERR_REFUSED, "%s is not the disk it was when this was planned",
				       o->disks[i].id.path);
		out->absent[i] = !d;
		out->n_absent += !d;
		out->picks[i].disk = d ? d : absent_disk(a, &o->disks[i]);
		out->picks[i].role = o->disks[i].role;
	}
	if (stack_make(out->recipe, o->name, out->picks, o->n_disks, &out->stack, e))
		return -1;
	keep_folder_names(a, o, out);
	return plan_make(out->stack, &out->plan, e);
}

void remade_free(struct remade *m)
{
	if (m->plan)
		plan_free(m->plan);
	if (m->stack)
		stack_free(m->stack);
	if (m->recipe)
		recipe_free(m->recipe);
	inventory_free(m->inv);
	*m = (struct remade){ 0 };
}
