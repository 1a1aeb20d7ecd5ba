/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * absent - taking a build down while some of its disks are not there.
 *
 * What is there is cleared, and no command is run about the rest: the name an absent disk
 * had may be another disk's today. The journal remembers which disks are waited for, so
 * that the same build can be ended when they have come back.
 */
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "build/run.h"

const struct node *node_of(const struct run *r, const char *dev)
{
	const struct stack *s = r->made.stack;
	size_t i;

	for (i = 0; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if ((n->dev && !strcmp(n->dev, dev)) || (n->dir && !strcmp(n->dir, dev)))
			return n;
	}
	return NULL;
}

static bool is_absent(struct run *r, const struct node *n)
{
	const struct stack *s = r->made.stack;
	const struct node **below;
	size_t i, found;

	if (!r->made.n_absent)
		return false;
	below = arena_array(r->arena, s->n_disks, sizeof(*below));
	found = node_disks(s, n, below, s->n_disks);
	for (i = 0; i < found; i++) {
		if (!r->made.absent[disk_index(r, below[i]->disk)])
			return false;
	}
	return true;
}

/* Mount points were given up with the disks that were there; what is at them is not ours. */
static bool is_over(const struct run *r, const struct step *s)
{
	size_t i;

	if (!r->waiting)
		return false;
	for (i = 0; i < s->makes.n; i++) {
		if (strncmp(((const struct effect *)s->makes.at[i])->dev, "/dev/", 5))
			return true;
	}
	return !strcmp(s->argv.at[0], "mkdir");
}

struct argv *argv_here(struct run *r, const struct step *s, const struct argv *v)
{
	struct argv *now = arena_alloc(r->arena, sizeof(*now));
	bool dropped = false, left = false;
	uint64_t bytes;
	size_t i;

	if (is_over(r, s))
		return NULL;
	for (i = 0; i < v->n; i++) {
		const struct node *n = !strncmp(v->at[i], "/dev/", 5) ? node_of(r, v->at[i]) : NULL;
		const char *dev = NULL;

		if (n && is_absent(r, n)) {
			dropped = true;
			continue;
		}
		left |= n != NULL;
		if (n && n->layer)
			dev = device_now(r, n);
		argv_add(r->arena, now, dev && !device_bytes(v->at[i], &bytes) ? dev : v->at[i]);
	}
	return dropped && !left ? NULL : now;
}

int absent_read(struct store *st, int64_t build, struct order *o, struct err *e)
{
	json_t *events, *event, *index;
	size_t i, k;

	if (store_events(st, build, 0, &events, e))
		return -1;
	json_array_foreach(events, i, event) {
		const char *kind = json_str(event, "event");

		if (!kind || strcmp(kind, "waiting"))
			continue;
		for (k = 0; k < o->n_disks; k++)
			o->disks[k].cleared = true;
		json_array_foreach(json_object_get(event, "disks"), k, index) {
			json_int_t n = json_integer_value(index);

			if (n >= 0 && (size_t)n < o->n_disks)
				o->disks[n].cleared = false;
		}
	}
	json_decref(events);
	return 0;
}

/* Is this one of the disks that are still to be cleared, once they are there? */
static bool is_missed(const struct run *r, size_t i)
{
	return r->touched[i] && r->made.absent[i] && !r->order.disks[i].cleared;
}

int absent_write(struct run *r)
{
	json_t *event = json_object(), *disks = json_array();
	size_t i;

	for (i = 0; i < r->order.n_disks; i++) {
		if (is_missed(r, i))
			json_array_append_new(disks, json_integer((json_int_t)i));
	}
	json_put_str(event, "event", "waiting");
	json_object_set_new(event, "disks", disks);
	return run_emit(r, event);
}

unsigned absent_say(const struct run *r, struct sbuf *said)
{
	unsigned n = 0;
	size_t i;

	for (i = 0; i < r->order.n_disks; i++) {
		const struct identity *id = &r->order.disks[i].id;

		if (!is_missed(r, i))
			continue;
		sbuf_add(said, n++ ? ", " : "");
		sbuf_add_safe(said, id->name ? id->name : id->path);
		if (!id->serial)
			continue;
		sbuf_add(said, " (serial ");
		sbuf_add_safe(said, id->serial);
		sbuf_addc(said, ')');
	}
	return n;
}
