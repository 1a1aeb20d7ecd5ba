/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session-build - the build that is open: its layout and its disks as its order recorded
 * them. While nothing else is marked, Layout, Compare and Plan are about these disks.
 */
#include "ui/session.h"

#include <stdlib.h>
#include <string.h>

/* One disk as the order has it; its kind and model as they are known now. */
static struct disk *recorded_disk(const struct session *s, struct arena *a, const json_t *row)
{
	struct disk *d = arena_alloc(a, sizeof(*d));
	struct identity id;
	struct err e = { 0 };
	const struct disk *now;

	if (identity_from_json(a, row, &id, &e) < 0)
		return NULL;
	now = s->inv ? inventory_find(s->inv, id.path) : NULL;
	d->name = id.name;
	d->path = id.path;
	d->model = id.model;
	d->serial = id.serial;
	d->wwn = id.wwn;
	d->bytes = id.bytes;
	d->lsec = (uint32_t)json_u64(row, "lsec", 512);
	d->psec = (uint32_t)json_u64(row, "psec", 512);
	d->rotational = json_is_true(json_object_get(row, "rotational"));
	d->kind = now && now->rotational == d->rotational ? now->kind :
		d->rotational ? DISK_HDD : DISK_SSD;
	d->why = arena_printf(a, "part of %s", s->open_name);
	return d;
}

static void hold_disks(struct session *s, const char *order)
{
	json_t *json = json_loads(order ? order : "", 0, NULL);
	const json_t *rows = json_object_get(json, "disks"), *row;
	size_t i, n = json_array_size(rows);

	s->held_arena = arena_new();
	s->held = arena_array(s->held_arena, n + 1, sizeof(*s->held));
	json_array_foreach(rows, i, row) {
		const struct disk *d = recorded_disk(s, s->held_arena, row);
		const char *role = json_str(row, "role");

		if (!d) {	/* one that cannot be read: no picture rather than a wrong one */
			s->n_held = 0;
			break;
		}
		s->held[s->n_held++] = (struct pick){ .disk = d,
			.role = role && !strcmp(role, "cache") ? ROLE_CACHE : ROLE_DATA };
	}
	json_decref(json);
}

static void let_go(struct session *s)
{
	if (s->from_held)
		session_picks(s);	/* the stack was made of them */
	arena_free(s->held_arena);
	s->held_arena = NULL;
	s->held = NULL;
	s->n_held = 0;
	free(s->held_layout);
	s->held_layout = NULL;
}

static char *line_of(const char *text)
{
	struct sbuf line = { 0 };
	struct err e = { 0 };
	struct recipe *r;

	if (!text || recipe_parse(text, NULL, &r, &e) < 0)
		return NULL;
	recipe_line(r, &line);
	recipe_free(r);
	return line.text;
}

/* The disks are as they were before: what was marked for the build is marked again. */
static void mark_again(struct session *s)
{
	size_t i, k;

	if (!s->inv || session_marked(s, 'D', NULL))
		return;
	for (i = 0; i < s->n_held; i++) {
		for (k = 0; k < s->inv->n_disks; k++) {
			const struct disk *d = &s->inv->disks[k];

			if (!strcmp(d->path, s->held[i].disk->path) && d->state == DISK_FREE)
				s->marks[k] = s->held[i].role == ROLE_CACHE ? 'C' : 'D';
		}
	}
}

void session_open(struct session *s, const char *name)
{
	struct arena *a = arena_new();
	struct store *st = NULL;
	struct err e = { 0 };
	struct build b = { 0 };
	char *copy = name ? strdup(name) : NULL;

	if (name && !copy)
		die("no memory");
	free(s->open_name);
	s->open_name = copy;
	let_go(s);
	if (name && store_exists(s->db) && store_open_read(s->db, &st, &e) == 0 &&
	    store_build_find(st, name, a, &b, &e) == 0) {
		hold_disks(s, b.order);
		s->held_layout = line_of(b.layout);
		if (b.state == BUILD_FAILED) {	/* nothing of it is left on the disks */
			mark_again(s);
			let_go(s);
			free(s->open_name);
			s->open_name = NULL;
		}
	}
	store_close(st);
	arena_free(a);
	session_again(s);
}

void session_gone(struct session *s)
{
	mark_again(s);
	session_open(s, NULL);
}

void session_take_open(struct session *s)
{
	char what[80];
	struct err e = { 0 };

	if (!s->held_layout || !s->n_held)
		return;
	snprintf(what, sizeof(what), "the layout of %s", s->open_name);
	if (session_name(s, s->open_name, &e) < 0 ||
	    session_layout(s, s->held_layout, what, &e) < 0)
		return;		/* written by another naslab: its words are not known here */
	session_unnamed(s);
}

bool session_is_built(const struct session *s)
{
	return s->from_held;
}

bool session_as_built(const struct session *s)
{
	return s->from_held && s->layout && s->held_layout && !strcmp(s->layout, s->held_layout);
}
