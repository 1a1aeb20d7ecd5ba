/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine - the block devices below one root and the links between them.
 *
 * Parent and child, holder and held come from sysfs directories, never from names: sdaa is
 * no partition of sda. The mount table is read by libmount and tied to devices by number
 * (by source where the file system has an anonymous number, as btrfs does).
 */
#include "disk/room.h"

#include <dirent.h>
#include <libmount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int not_dot(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int natural(const struct dirent **a, const struct dirent **b)
{
	return name_compare((*a)->d_name, (*b)->d_name);
}

void root_each(const struct machine *m, const char *dir,
	       void (*each)(void *ctx, const char *name), void *ctx)
{
	const char *path = arena_printf(m->a, "%s%s", m->root, dir);
	struct dirent **names;
	int i, n = scandir(path, &names, not_dot, natural);

	for (i = 0; i < n; i++) {
		each(ctx, names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

bool root_has(const struct machine *m, const char *fmt, ...)
{
	struct sbuf path = { 0 };
	va_list ap;
	bool has;

	sbuf_add(&path, m->root);
	va_start(ap, fmt);
	sbuf_vaddf(&path, fmt, ap);
	va_end(ap);
	has = access(path.text, F_OK) == 0;
	sbuf_done(&path);
	return has;
}

struct node *node_find(const struct machine *m, const char *name)
{
	size_t i;

	for (i = 0; i < m->nodes.n; i++) {
		struct node *n = m->nodes.at[i];

		if (!strcmp(n->name, name))
			return n;
	}
	return NULL;
}

struct node *node_by_number(const struct machine *m, unsigned major, unsigned minor)
{
	size_t i;

	for (i = 0; i < m->nodes.n; i++) {
		struct node *n = m->nodes.at[i];

		if (n->major == major && n->minor == minor)
			return n;
	}
	return NULL;
}

/* "vg-0/data" as device mapper names it: a hyphen of a name is doubled. */
static const char *dm_name_of(struct arena *a, const char *vg_lv)
{
	struct sbuf b = { 0 };
	const char *name;

	for (; *vg_lv; vg_lv++) {
		sbuf_addc(&b, *vg_lv == '/' ? '-' : *vg_lv);
		if (*vg_lv == '-')
			sbuf_addc(&b, '-');
	}
	name = arena_strdup(a, sbuf_str(&b));
	sbuf_done(&b);
	return name;
}

static struct node *node_by_dm_name(const struct machine *m, const char *name)
{
	size_t i;

	for (i = 0; i < m->nodes.n; i++) {
		struct node *n = m->nodes.at[i];

		if (n->dm_name && !strcmp(n->dm_name, name))
			return n;
	}
	return NULL;
}

struct node *node_by_path(const struct machine *m, const char *path)
{
	struct stat st;
	struct node *n;

	if (strncmp(path, "/dev/", 5))
		return NULL;
	if (m->live && stat(path, &st) == 0 && S_ISBLK(st.st_mode))
		return node_by_number(m, major(st.st_rdev), minor(st.st_rdev));
	n = node_find(m, path + 5);
	if (!n && !strncmp(path, "/dev/mapper/", 12))
		n = node_by_dm_name(m, path + 12);
	if (!n && strchr(path + 5, '/'))
		n = node_by_dm_name(m, dm_name_of(m->a, path + 5));
	return n;
}

struct building {
	struct machine *m;
	struct node *disk;
};

static struct node *node_add(struct machine *m, const char *name, const char *dir)
{
	struct node *n = arena_alloc(m->a, sizeof(*n));
	const char *number = file_line(m->a, m->root, "%s/dev", dir);

	n->name = arena_strdup(m->a, name);
	n->dir = arena_strdup(m->a, dir);
	if (!number || sscanf(number, "%u:%u", &n->major, &n->minor) != 2)
		n->major = n->minor = ~0u;
	list_add(m->a, &m->nodes, n);
	return n;
}

static void add_part(void *ctx, const char *name)
{
	struct building *b = ctx;
	const char *dir = arena_printf(b->m->a, "%s/%s", b->disk->dir, name);
	struct node *n;

	if (!root_has(b->m, "%s/partition", dir))
		return;
	n = node_add(b->m, name, dir);
	n->parent = b->disk;
	n->link = b->disk->link;
	list_add(b->m->a, &b->disk->kids, n);
}

static void add_whole(void *ctx, const char *name)
{
	struct building *b = ctx;
	struct machine *m = b->m;
	const char *dir = arena_printf(m->a, "/sys/block/%s", name);
	const char *path = arena_printf(m->a, "%s%s", m->root, dir);
	struct node *n = node_add(m, name, dir);
	char link[1024];
	ssize_t len = readlink(path, link, sizeof(link) - 1);

	link[len > 0 ? len : 0] = '\0';
	n->link = arena_strdup(m->a, link);
	n->dm_name = file_line(m->a, m->root, "%s/dm/name", dir);
	n->dm_uuid = file_line(m->a, m->root, "%s/dm/uuid", dir);
	b->disk = n;
	root_each(m, dir, add_part, b);
}

static void add_holder(void *ctx, const char *name)
{
	struct building *b = ctx;
	struct node *holder = node_find(b->m, name);

	if (holder)
		list_add(b->m->a, &b->disk->holders, holder);
}

static void read_mounts(struct machine *m)
{
	const char *path = arena_printf(m->a, "%s/proc/self/mountinfo", m->root);
	struct libmnt_table *table = mnt_new_table();
	struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;

	if (!table || !it)
		die("no memory");
	if (mnt_table_parse_file(table, path) == 0) {
		while (mnt_table_next_fs(table, it, &fs) == 0) {
			struct mounted *mt = arena_alloc(m->a, sizeof(*mt));
			dev_t dev = mnt_fs_get_devno(fs);

			mt->place = arena_strdup(m->a, mnt_fs_get_target(fs));
			mt->type = arena_strdup(m->a, mnt_fs_get_fstype(fs));
			mt->source = arena_strdup(m->a, mnt_fs_get_source(fs));
			if (!mt->place)
				continue;
			if (major(dev))
				mt->node = node_by_number(m, major(dev), minor(dev));
			if (!mt->node && mt->source)
				mt->node = node_by_path(m, mt->source);
			list_add(m->a, &m->mounts, mt);
		}
	}
	mnt_free_iter(it);
	mnt_unref_table(table);
}

int machine_read(struct arena *a, const char *root, struct machine *m, struct err *e)
{
	struct building b = { .m = m };
	size_t i, len = strlen(root);

	while (len && root[len - 1] == '/')
		len--;
	*m = (struct machine){ .a = a, .root = arena_strndup(a, root, len), .live = !len };
	if (!root_has(m, "/sys/block"))
		return err_sys(e, "the disks cannot be listed: %s/sys/block", m->root);
	root_each(m, "/sys/block", add_whole, &b);
	for (i = 0; i < m->nodes.n; i++) {
		b.disk = m->nodes.at[i];
		root_each(m, arena_printf(a, "%s/holders", b.disk->dir), add_holder, &b);
	}
	read_mounts(m);
	machine_read_uses(m);
	if (!m->live)
		machine_read_recorded(m);
	return 0;
}
