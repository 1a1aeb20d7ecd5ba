/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * others - who else uses the disks. Every open file of every process is asked for its device
 * without waking a server that does not answer; a device is looked up once. That a file is
 * open proves nothing, so the bytes of each process are kept as well: only who moved
 * something while the clock ran has disturbed it.
 */
#include "bench/others.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/err.h"
#include "bench/counters.h"

enum { DEVICES = 64 };

/* What is known of devices by now. */
struct look {
	const char *root;
	const struct list *disks;
	uint64_t target;
	struct {
		uint64_t dev;
		bool ours;
	} seen[DEVICES];
	size_t n_seen;
};

static bool lies_on(const struct look *l, uint64_t dev)
{
	struct list below = { 0 }, arrays = { 0 };
	struct arena *a = arena_new();
	bool ours = false;
	size_t i, k;

	leaf_disks(l->root, a, major(dev), minor(dev), &below, &arrays);
	for (i = 0; i < below.n; i++) {
		for (k = 0; k < l->disks->n; k++)
			ours = ours || !strcmp(below.at[i], l->disks->at[k]);
	}
	arena_free(a);
	return ours;
}

static bool is_ours(struct look *l, uint64_t dev)
{
	bool ours;
	size_t i;

	if (dev == l->target)
		return true;
	if (!major(dev))	/* of no device: tmpfs, proc, or another btrfs */
		return false;
	for (i = 0; i < l->n_seen; i++) {
		if (l->seen[i].dev == dev)
			return l->seen[i].ours;
	}
	ours = lies_on(l, dev);
	if (l->n_seen < DEVICES) {
		l->seen[l->n_seen].dev = dev;
		l->seen[l->n_seen++].ours = ours;
	}
	return ours;
}

/* A small file below an open directory; NULL when it cannot be read. */
static const char *small(int dir, const char *name, char *buf, size_t room)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return NULL;
	got = read(fd, buf, room - 1);
	close(fd);
	if (got < 0)
		return NULL;
	buf[got] = '\0';
	return buf;
}

static uint64_t number_after(const char *text, const char *key, int base)
{
	const char *at = text ? strstr(text, key) : NULL;

	return at ? strtoull(at + strlen(key), NULL, base) : 0;
}

static void look_file(struct look *l, int proc, const char *fd, struct other *o)
{
	char path[300], buf[512];
	struct statx st;
	uint64_t dev;

	snprintf(path, sizeof(path), "fd/%s", fd);
	if (statx(proc, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE, &st) < 0)
		return;
	if (S_ISBLK(st.stx_mode))
		dev = makedev(st.stx_rdev_major, st.stx_rdev_minor);
	else if (S_ISREG(st.stx_mode))
		dev = makedev(st.stx_dev_major, st.stx_dev_minor);
	else
		return;
	if (!is_ours(l, dev))
		return;
	o->opens = true;
	snprintf(path, sizeof(path), "fdinfo/%s", fd);
	if (number_after(small(proc, path, buf, sizeof(buf)), "flags:", 8) & O_ACCMODE)
		o->writes = true;
}

static void look_process(struct look *l, int proc, struct other *o)
{
	int files = openat(proc, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = files < 0 ? NULL : fdopendir(files);
	const struct dirent *d;
	char buf[512];

	if (small(proc, "io", buf, sizeof(buf)))
		o->moved = number_after(buf, "\nread_bytes: ", 10) +
			   number_after(buf, "\nwrite_bytes: ", 10);
	if (small(proc, "comm", buf, sizeof(buf)))
		snprintf(o->name, sizeof(o->name), "%.*s", (int)strcspn(buf, "\n"), buf);
	while (dir && !(o->opens && o->writes) && (d = readdir(dir))) {
		if (isdigit((unsigned char)d->d_name[0]))
			look_file(l, proc, d->d_name, o);
	}
	if (dir)
		closedir(dir);
	else if (files >= 0)
		close(files);
}

void others_done(struct others *o)
{
	free(o->at);
	*o = (struct others){ 0 };
}

void others_look(const char *root, const struct list *disks, uint64_t dev, struct others *out)
{
	struct look l = { .root = root, .disks = disks, .target = dev };
	const struct dirent *d;
	char path[4096];
	size_t room = 0;
	DIR *all;

	others_done(out);
	snprintf(path, sizeof(path), "%s/proc", root);
	all = opendir(path);
	while (all && (d = readdir(all))) {
		struct other o = { .pid = atoi(d->d_name) };
		int proc;

		if (!isdigit((unsigned char)d->d_name[0]) || o.pid == getpid() || o.pid == getppid())
			continue;
		proc = openat(dirfd(all), d->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (proc < 0)
			continue;
		look_process(&l, proc, &o);
		close(proc);
		if (out->n == room) {
			room = room * 2 + 256;
			out->at = realloc(out->at, room * sizeof(*out->at));
			if (!out->at)
				die("no memory");
		}
		out->at[out->n++] = o;
	}
	if (all)
		closedir(all);
}

static const struct other *find(const struct others *o, int pid)
{
	size_t i;

	for (i = 0; i < o->n; i++) {
		if (o->at[i].pid == pid)
			return &o->at[i];
	}
	return NULL;
}

void others_that_moved(struct arena *a, const struct others *before, const struct others *after,
		       uint64_t least, struct list *out)
{
	size_t i;

	for (i = 0; i < after->n; i++) {
		const struct other *o = &after->at[i], *was = find(before, o->pid);
		uint64_t moved = o->moved - (was && was->moved <= o->moved ? was->moved : 0);

		if ((o->opens || (was && was->opens)) && moved > least)
			list_add(a, out, arena_printf(a, "%s(%d)", o->name, o->pid));
	}
}

void others_that_write(struct arena *a, const struct others *o, size_t most, struct list *out)
{
	size_t i;

	for (i = 0; i < o->n && out->n < most; i++) {
		if (o->at[i].writes)
			list_add(a, out, arena_printf(a, "%s(%d)", o->at[i].name, o->at[i].pid));
	}
}
