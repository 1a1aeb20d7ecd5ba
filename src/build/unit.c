/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit - systemd units of the mounts, so that they are there again after a restart.
 *
 * A file whose first line says that it is of this build is ours; every other is left as
 * it is, and building refuses before the first byte is written. systemd is not told to
 * look: what it needs now is mounted already, and it reads the file at the next start.
 */
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "build/run.h"
#include "layout/mount.h"

#define WANTS UNIT_DIR "/local-fs.target.wants"

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static bool is_ours(struct arena *a, const char *root, const char *file, const char *build)
{
	const char *first = file_line(a, root, "%s", file);

	return first && !strcmp(first, unit_mark(a, build));
}

static const char *link_of(struct arena *a, const char *file)
{
	return arena_printf(a, WANTS "/%s", strrchr(file, '/') + 1);
}

/* The UUID of the file system on a device. */
static const char *uuid_of(struct arena *a, const char *dev, struct err *e)
{
	struct sig *sigs;
	size_t n = 0, i;

	if (sig_read(a, dev, &sigs, &n, e))
		return NULL;
	for (i = 0; i < n; i++) {
		const char *uuid = sigs[i].uuid;

		if (uuid && *uuid && sigs[i].usage && !strcmp(sigs[i].usage, "filesystem") &&
		    uuid[strspn(uuid, "0123456789abcdefABCDEF-")] == '\0')
			return uuid;
	}
	err_set(e, ERR_FAIL, "the file system on %s has no UUID to find it by after a restart", dev);
	return NULL;
}

/* The text with the UUID in its place. */
static int fill(struct arena *a, const char *dev, const char *text, struct sbuf *out, struct err *e)
{
	const char *at = strstr(text, UNIT_BY_UUID), *uuid;
	size_t len = strlen(UNIT_BY_UUID) - strlen("UUID");

	if (!at || !strcmp(dev, "none")) {
		sbuf_add(out, text);
		return 0;
	}
	uuid = uuid_of(a, dev, e);
	if (!uuid)
		return -1;
	sbuf_addn(out, text, (size_t)(at - text) + len);
	sbuf_add(out, uuid);
	sbuf_add(out, at + len + strlen("UUID"));
	return 0;
}

static int make_folder(const char *path, struct err *e)
{
	return mkdir(path, 0755) && errno != EEXIST ? err_sys(e, "making %s", path) : 0;
}

int unit_write(struct run *r, const char *file, const char *dev, const char *text, struct err *e)
{
	const char *link = link_of(r->arena, file);
	struct sbuf out = { 0 };
	int rc;

	if (is_there(file) && !is_ours(r->arena, "", file, r->order.name))
		return err_set(e, ERR_FAIL, "%s is there already and not of %s", file, r->order.name);
	if (make_folder("/etc/systemd", e) || make_folder(UNIT_DIR, e) || make_folder(WANTS, e))
		return -1;
	rc = fill(r->arena, dev, text ? text : "", &out, e);
	if (rc == 0)
		rc = file_write_atomic(file, sbuf_str(&out), out.len, e);
	sbuf_done(&out);
	if (rc)
		return -1;
	unlink(link);
	return symlink(file, link) ? err_sys(e, "making the link %s", link) : 0;
}

int unit_remove(struct run *r, const char *file, const char *build, struct err *e)
{
	const char *link = link_of(r->arena, file);
	char to[4096];
	ssize_t len;

	if (!is_ours(r->arena, "", file, build))
		return 0;
	len = readlink(link, to, sizeof(to) - 1);
	if (len > 0) {
		to[len] = '\0';
		if (!strcmp(to, file) && unlink(link))
			return err_sys(e, "removing %s", link);
	}
	return unlink(file) ? err_sys(e, "removing %s", file) : 0;
}

/* Does such a table mount something at this folder? */
static bool fstab_has(const char *fstab, const char *dir)
{
	FILE *f = setmntent(fstab, "re");
	struct mntent *m;
	bool found = false;

	while (f && !found && (m = getmntent(f)))
		found = !strcmp(m->mnt_dir, dir);
	if (f)
		endmntent(f);
	return found;
}

int units_check(const struct plan *p, const char *root, struct err *e)
{
	struct arena *a = arena_new();
	size_t i;
	int rc = 0;

	for (i = p->stack->n_disks; i < p->stack->nodes.n && rc == 0; i++) {
		const struct node *n = p->stack->nodes.at[i];
		const char *file = n->dir && !n->left_out ? unit_path(a, n->dir) : NULL;

		if (!file)
			continue;
		if (folder_is_mounted(root, n->dir))
			rc = err_set(e, ERR_REFUSED, "something is mounted at %s already; another name for the "
				     "build takes another folder", n->dir);
		else if (fstab_has(arena_printf(a, "%s/etc/fstab", root), n->dir))
			rc = err_set(e, ERR_REFUSED, "/etc/fstab has a line for %s already; another name for "
				     "the build takes another folder", n->dir);
		else if (is_there(arena_printf(a, "%s%s", root, file)) && !is_ours(a, root, file, p->stack->name))
			rc = err_set(e, ERR_REFUSED, "%s is there already, and naslab did not make it for %s; "
				     "another name for the build takes another folder", file, p->stack->name);
	}
	arena_free(a);
	return rc;
}
