/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mount-unit - a mount that is there again after a restart.
 *
 * It is a systemd unit in a file of its own, so no line of somebody else's is ever edited.
 * The file system is found by its UUID: names of disks and arrays change between starts.
 * nofail, because a start must not wait for a disk that is not there.
 */
#include "layout/mount.h"

#include <ctype.h>
#include <string.h>

#include "base/sbuf.h"
#include "layout/recipe.h"

/* As systemd-escape --path does. */
const char *unit_path(struct arena *a, const char *dir)
{
	struct sbuf name = { 0 };
	const char *at, *path;

	for (at = dir + 1; *at; at++) {
		if (*at == '/')
			sbuf_addc(&name, '-');
		else if (isalnum((unsigned char)*at) || strchr(":_.", *at))
			sbuf_addc(&name, *at);
		else
			sbuf_addf(&name, "\\x%02x", (unsigned char)*at);
	}
	path = arena_printf(a, UNIT_DIR "/%s.mount", sbuf_str(&name));
	sbuf_done(&name);
	return path;
}

const char *unit_mark(struct arena *a, const char *build)
{
	return arena_printf(a, "# naslab build %s: naslab destroy %s takes this file away", build, build);
}

bool node_opens_by_hand(const struct node *n)
{
	unsigned i;

	if (n->layer && n->layer->by_hand)
		return true;
	for (i = 0; i < n->n_kids; i++) {
		if (node_opens_by_hand(n->kids[i]))
			return true;
	}
	return false;
}

void plan_mount_unit(struct plan *p, const struct node *n, const char *what, const char *fstype,
		     const char *options)
{
	bool device = !strncmp(what, "/dev/", 5);
	struct sbuf text = { 0 };
	const char *path;
	struct step *s;
	unsigned i;

	if (!node_yes(n, "boot") || node_opens_by_hand(n))
		return;
	path = unit_path(p->arena, n->dir);
	s = plan_step(p, n->layer->name, "mount %s at every start", n->dir);
	step_args(p, s, "unit_write", path, device ? what : "none", NULL);
	sbuf_addf(&text, "%s\n[Unit]\nDescription=%s of naslab, %s\n", unit_mark(p->arena, p->stack->name),
		  p->stack->name, n->dir);
	/* a branch that is not mounted is an empty folder, and files would fill what is below */
	for (i = 0; !device && i < n->n_kids; i++)
		sbuf_addf(&text, "RequiresMountsFor=%s\n", n->kids[i]->dir);
	sbuf_addf(&text, "\n[Mount]\nWhat=%s\nWhere=%s\nType=%s\nOptions=nofail%s%s\n",
		  device ? UNIT_BY_UUID : what, n->dir, fstype, options ? "," : "", options ? options : "");
	sbuf_add(&text, "\n[Install]\nWantedBy=local-fs.target\n");
	step_input(p, s, sbuf_str(&text));
	sbuf_done(&text);
	step_undo(p, s, "unit_remove", path, p->stack->name, NULL);
}
