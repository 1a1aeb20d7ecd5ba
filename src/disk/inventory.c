/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inventory - all the disks of a machine, and one of them read again. */
#include "disk/room.h"

#include <stdlib.h>
#include <string.h>

struct inventory *inventory_new(void)
{
	struct arena *a = arena_new();
	struct inventory *inv = arena_alloc(a, sizeof(*inv));

	inv->arena = a;
	inv->root = "";
	return inv;
}

void inventory_free(struct inventory *inv)
{
	if (inv)
		arena_free(inv->arena);
}

void disk_add(struct inventory *inv, const struct disk *d)
{
	size_t room = 8;

	while (room < inv->n_disks)
		room *= 2;
	if (!inv->n_disks || inv->n_disks == room) {
		struct disk *all = arena_array(inv->arena, inv->n_disks ? 2 * room : room,
					       sizeof(*all));

		if (inv->n_disks)
			memcpy(all, inv->disks, inv->n_disks * sizeof(*all));
		inv->disks = all;
	}
	inv->disks[inv->n_disks++] = *d;
}

/* md, device mapper and bcache devices are made of disks; they are none. */
static bool is_made_of_disks(const struct machine *m, const struct node *n)
{
	return root_has(m, "%s/dm", n->dir) || root_has(m, "%s/md", n->dir) ||
	       (!strncmp(n->name, "bcache", 6) && strstr(n->link, "devices/virtual/block/"));
}

/* A loop device that nothing is set up on is no news. */
static bool is_idle_loop(const struct machine *m, const struct node *n)
{
	return n->major == 7 && !root_has(m, "%s/loop", n->dir);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/*
 * Two USB bridges of one batch, or one disk seen twice: serial and WWN do not tell them
 * apart, and the link of the same name leads to only one. An unknown serial equals none.
 */
static void mark_twins(const struct machine *m, struct inventory *inv)
{
	size_t i, k;

	for (i = 0; i < inv->n_disks; i++) {
		struct disk *d = &inv->disks[i];

		for (k = 0; k < inv->n_disks; k++) {
			const struct disk *o = &inv->disks[k];

			if (k != i && d->serial && d->bytes && o->bytes &&
			    !disk_is_emmc_area(d->name) && !disk_is_emmc_area(o->name) &&
			    same_text(d->serial, o->serial) && same_text(d->wwn, o->wwn))
				d->twin = true;
		}
		if (d->twin)
			d->by_id = disk_by_path(m, node_find(m, d->name));
	}
}

static void read_content(struct machine *m, struct disk *d)
{
	struct node *n = node_find(m, d->name);
	const char *hidden = disk_hidden_why(m, n, d);

	disk_read_uses(m, n, d);
	if (!hidden) {
		disk_read_sigs(m, n, d);
		disk_ask_groups(m, d);
		disk_ask_exclusive(m, n, d);
	}
	disk_decide(m->a, d, hidden);
}

static int disk_order(const void *a, const void *b)
{
	return name_compare(((const struct disk *)a)->name, ((const struct disk *)b)->name);
}

/* Everything but what lies on the disks. */
static int inventory_list(const char *root, struct inventory *inv, struct machine *m,
			  struct err *e)
{
	size_t i;

	if (machine_read(inv->arena, root, m, e))
		return -1;
	for (i = 0; i < m->nodes.n; i++) {
		const struct node *n = m->nodes.at[i];
		struct disk d = { 0 };

		if (n->parent || is_made_of_disks(m, n) || is_idle_loop(m, n))
			continue;
		disk_read_facts(m, n, &d);
		guest_read_facts(m, &d);
		disk_add(inv, &d);
	}
	if (inv->n_disks)
		qsort(inv->disks, inv->n_disks, sizeof(*inv->disks), disk_order);
	mark_twins(m, inv);
	return 0;
}

static uint64_t read_ram(const struct machine *m)
{
	const char *line = file_line(m->a, m->root, "/proc/meminfo");

	if (!line || strncmp(line, "MemTotal:", 9))
		return 0;
	return strtoull(line + 9, NULL, 10) * 1024;
}

int inventory_read(const char *root, struct inventory **out, struct err *e)
{
	struct inventory *inv = inventory_new();
	struct machine m;
	size_t i;

	if (inventory_list(root, inv, &m, e)) {
		inventory_free(inv);
		return -1;
	}
	for (i = 0; i < inv->n_disks; i++)
		read_content(&m, &inv->disks[i]);
	inv->ram_bytes = read_ram(&m);
	inv->root = arena_strdup(inv->arena, root);
	*out = inv;
	return 0;
}

int disk_read_one(struct arena *a, const char *root, const char *path, struct disk *out,
		  struct err *e)
{
	struct inventory inv = { .arena = a };
	const struct disk *found;
	struct machine m;
	struct node *n;

	if (inventory_list(root, &inv, &m, e))
		return -1;
	found = inventory_find(&inv, path);
	n = found ? NULL : node_by_path(&m, path);
	if (n)
		found = inventory_find(&inv, n->name);
	if (!found)
		return err_set(e, ERR_FAIL, "%s: there is no such disk%s", path,
			       n && n->parent ? " (it is a partition)" : "");
	*out = *found;
	read_content(&m, out);
	return 0;
}
