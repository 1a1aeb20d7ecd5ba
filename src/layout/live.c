/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live - what has become of a node: is its device there, and how large is it.
 *
 * Reads sysfs below a root prefix, nothing else, so a recorded machine can be asked too.
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "base/text.h"
#include "disk/disk.h"
#include "layout/stack.h"

static bool is_there(struct arena *a, const char *root, const char *name)
{
	return !access(arena_printf(a, "%s/sys/class/block/%s", root, name), F_OK);
}

/* The one device that the kernel stacked on `name`; NULL when none or several did. */
static const char *only_holder(struct arena *a, const char *root, const char *name)
{
	const char *found = NULL;
	struct dirent *d;
	DIR *dir;

	dir = opendir(arena_printf(a, "%s/sys/class/block/%s/holders", root, name));
	if (!dir)
		return NULL;
	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		if (found) {
			found = NULL;
			break;
		}
		found = arena_strdup(a, d->d_name);
	}
	closedir(dir);
	return found;
}

/* A device of the device mapper says its name, whatever stands between it and the disks. */
static const char *mapped_name(struct arena *a, const char *root, const char *dm_name)
{
	const char *found = NULL;
	struct dirent *d;
	DIR *dir;

	dir = opendir(arena_printf(a, "%s/sys/class/block", root));
	if (!dir)
		return NULL;
	while (!found && (d = readdir(dir))) {
		const char *name = strncmp(d->d_name, "dm-", 3) ? NULL :
			file_line(a, root, "/sys/class/block/%s/dm/name", d->d_name);

		if (name && !strcmp(name, dm_name))
			found = arena_strdup(a, d->d_name);
	}
	closedir(dir);
	return found;
}

const char *node_kernel_name(const struct node *n, const char *root, struct arena *a)
{
	unsigned i;

	if (n->gives == THING_DIR || n->left_out)
		return NULL;
	if (!n->layer)
		return is_there(a, root, n->name) ? n->name : NULL;
	if (n->part_number)
		return is_there(a, root, n->name) ? n->name : NULL;
	if (n->dm_name)
		return mapped_name(a, root, n->dm_name);
	for (i = 0; i < n->n_kids; i++) {
		const char *below = node_kernel_name(n->kids[i], root, a);
		const char *name = below ? only_holder(a, root, below) : NULL;

		if (name)
			return name;
	}
	return NULL;
}

int stack_status(const struct node *n, const char *root, struct arena *a, struct live *out,
		 struct err *e)
{
	const char *name;

	memset(out, 0, sizeof(*out));
	out->state = "missing";
	if (n->layer && n->layer->status)
		return n->layer->status(n, root, a, out, e);
	name = node_kernel_name(n, root, a);
	if (!name)
		return 0;
	out->present = true;
	out->bytes = 512 * file_u64(0, root, "/sys/class/block/%s/size", name);
	out->state = "ok";
	return 0;
}
