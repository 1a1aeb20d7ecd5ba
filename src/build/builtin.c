/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * builtin - the few commands of a plan that no tool offers: sysfs attributes of a device
 * whose kernel name is only known when it is there (plan.h lists them).
 *
 * While something is taken back, what is not there needs no telling: it is success. While
 * building, it is waited for a little, because the kernel and udevd may be at it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "build/run.h"

enum {
	POLL_MS = 100,
	APPEAR_MS = 10000,		/* what the kernel makes after it was told to */
	FLUSH_MS = 6 * 3600 * 1000,	/* a cache may have much to write back */
	SAY_MS = 10000,
};

/* By number: without udevd the node of a dm device has another name than the kernel's. */
static const char *sysfs_path(struct arena *a, const char *dev, const char *attribute)
{
	struct stat st;

	if (stat(dev, &st) || !S_ISBLK(st.st_mode))
		return NULL;
	return arena_printf(a, "/sys/dev/block/%u:%u/%s", major(st.st_rdev), minor(st.st_rdev), attribute);
}

static bool is_there(const char *path)
{
	return path && !access(path, F_OK);
}

static int write_word(const char *path, const char *word, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t put = fd < 0 ? -1 : write(fd, word, strlen(word));
	int code = errno;

	if (fd >= 0)
		close(fd);
	errno = code;
	return put < 0 ? err_sys(e, "writing %s to %s", word, path) : 0;
}

static int block_write(struct run *r, const char *dev, const char *attribute, const char *value,
		       struct err *e)
{
	const char *path = sysfs_path(r->arena, dev, attribute);
	unsigned waited;

	for (waited = 0; !is_there(path); waited += POLL_MS) {
		if (r->undoing)
			return 0;
		if (waited >= APPEAR_MS)
			return err_set(e, ERR_FAIL, "%s has no %s", dev, attribute);
		pause_ms(POLL_MS);
		path = sysfs_path(r->arena, dev, attribute);
	}
	return write_word(path, value, e);
}

/* A flush can take hours: say from time to time that it goes on. */
static void say_waiting(struct run *r, const char *dev, const char *attribute, const char *now)
{
	json_t *event = json_pack("{s:s,s:i,s:o}", "event", "output", "n", (int)r->n, "text",
				  json_sprintf("%s: %s is %s", dev, attribute, now ? now : "there"));

	if (event)
		run_emit(r, event);
}

static int block_wait(struct run *r, const char *dev, const char *attribute, const char *value,
		      struct err *e)
{
	const char *path = sysfs_path(r->arena, dev, attribute);
	bool gone = !strcmp(value, "gone");
	char *now = NULL;
	unsigned waited;

	for (waited = 0; waited < FLUSH_MS; waited += POLL_MS) {
		if (!is_there(path)) {
			if (gone || r->undoing)
				return 0;
		} else if (!gone) {
			now = file_line(r->arena, "", "%s", path);
			if (now && !strcmp(now, value))
				return 0;
		}
		if (run_stops(r) > 1)
			return err_set(e, ERR_FAIL, "stopped while %s of %s was not yet %s", attribute, dev,
				       value);
		if (waited && waited % SAY_MS == 0)
			say_waiting(r, dev, attribute, now);
		pause_ms(POLL_MS);
	}
	return err_set(e, ERR_FAIL, "%s of %s is %s, not %s", attribute, dev, now ? now : "there", value);
}

/* The one device the kernel stacked on dev, NULL when there is none or several. */
static const char *holder_of(struct arena *a, const char *dev)
{
	const char *folder = sysfs_path(a, dev, "holders"), *found = NULL;
	DIR *dir = folder ? opendir(folder) : NULL;
	struct dirent *d;
	unsigned n = 0;

	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] != '.' && !n++)
			found = arena_strdup(a, d->d_name);
	}
	if (dir)
		closedir(dir);
	return n == 1 ? found : NULL;
}

static int block_link(struct run *r, const char *link, const char *dev, struct err *e)
{
	const char *name = NULL, *tmp = arena_printf(r->arena, "%s.new", link);
	char *folder = arena_strndup(r->arena, link, (size_t)(strrchr(link, '/') - link));
	unsigned waited;

	for (waited = 0; waited <= APPEAR_MS && !name; waited += POLL_MS) {
		name = holder_of(r->arena, dev);
		if (!name)
			pause_ms(POLL_MS);
	}
	if (!name)
		return err_set(e, ERR_FAIL, "the kernel made no device of %s within %d s", dev,
			       APPEAR_MS / 1000);
	if (mkdir(folder, 0755) && errno != EEXIST)
		return err_sys(e, "making %s", folder);
	unlink(tmp);
	if (symlink(arena_printf(r->arena, "/dev/%s", name), tmp) || rename(tmp, link))
		return err_sys(e, "making the link %s", link);
	return 0;
}

/* Give a kernel file the path of a device. */
static int block_tell(struct run *r, const char *file, const char *dev, struct err *e)
{
	char real[PATH_MAX];

	if (!realpath(dev, real))
		return r->undoing ? 0 : err_sys(e, "%s", dev);
	return write_word(file, real, e);
}

int run_builtin(struct run *r, const struct argv *v, const char *input, struct err *e)
{
	char **w = v->at;

	if (v->n == 4 && !strcmp(w[0], "block_write"))
		return block_write(r, w[1], w[2], w[3], e);
	if (v->n == 4 && !strcmp(w[0], "block_wait"))
		return block_wait(r, w[1], w[2], w[3], e);
	if (v->n == 3 && !strcmp(w[0], "block_link"))
		return block_link(r, w[1], w[2], e);
	if (v->n == 3 && !strcmp(w[0], "block_tell"))
		return block_tell(r, w[1], w[2], e);
	if (v->n == 3 && !strcmp(w[0], "unit_write"))
		return unit_write(r, w[1], w[2], input, e);
	if (v->n == 3 && !strcmp(w[0], "unit_remove"))
		return unit_remove(r, w[1], w[2], e);
	die("%s takes other words", w[0]);
}
