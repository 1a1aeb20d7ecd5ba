/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ram - a control group with a memory limit. It is made below the root of the hierarchy that
 * has the memory controller, or, for who may not, below the group we are in or beside it;
 * wherever it is, its name says whose it is, so that it can be removed after a kill.
 */
#include "bench/ram.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <mntent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"

#define NAME "naslab-bench-"

struct hierarchy {
	char mount[128];
	char group[128];	/* ours in it, "/" for its root */
	bool second;		/* of the second version */
};

static bool has_word(const char *list, const char *word)
{
	const char *at = list;
	size_t n = strlen(word);

	while ((at = strstr(at, word))) {
		if ((at == list || strchr(" ,:", at[-1])) && (!at[n] || strchr(" ,:\n", at[n])))
			return true;
		at += n;
	}
	return false;
}

/* Our own group: "4:memory:/x" of the first version, "0::/x" of the second. */
static void find_group(struct hierarchy *h)
{
	struct sbuf text = { 0 };
	char *rest, *line;

	strcpy(h->group, "/");
	if (file_read("/proc/self/cgroup", 65536, &text) == 0) {
		rest = text.text;
		while ((line = strsep(&rest, "\n"))) {
			char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;

			if (!path)
				continue;
			*path++ = '\0';
			if (h->second ? !strncmp(line, "0:", 2) : has_word(names + 1, "memory"))
				snprintf(h->group, sizeof(h->group), "%s", path);
		}
	}
	sbuf_done(&text);
}

/* Where the memory controller is; false when it is nowhere. */
static bool find_hierarchy(struct hierarchy *h)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct arena *a = arena_new();
	const struct mntent *m;
	bool found = false;

	while (mounts && !found && (m = getmntent(mounts))) {
		const char *all = file_line(a, m->mnt_dir, "/cgroup.controllers");

		if (!strcmp(m->mnt_type, "cgroup2"))
			found = all && has_word(all, "memory");
		else if (!strcmp(m->mnt_type, "cgroup"))
			found = hasmntopt(m, "memory");
		h->second = !strcmp(m->mnt_type, "cgroup2");
		snprintf(h->mount, sizeof(h->mount), "%s", m->mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	arena_free(a);
	if (found)
		find_group(h);
	return found;
}

static int put(const char *dir, const char *file, const char *text)
{
	char path[400];
	ssize_t n;
	int fd, error;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = write(fd, text, strlen(text));
	error = errno;
	close(fd);
	errno = error;
	return n < 0 ? -1 : 0;
}

/* A group below this one with the limit on it. */
static int make_below(struct ram_limit *r, const struct hierarchy *h, const char *parent,
		      uint64_t bytes)
{
	char number[32], procs[300];
	int error;

	if (h->second)
		put(parent, "cgroup.subtree_control", "+memory");	/* it may be there already */
	if (snprintf(r->dir, sizeof(r->dir), "%s/" NAME "%d", parent, (int)getpid()) >=
	    (int)sizeof(r->dir)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (mkdir(r->dir, 0755) < 0)
		return -1;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)bytes);
	if (put(r->dir, h->second ? "memory.max" : "memory.limit_in_bytes", number) == 0) {
		/* what does not fit is written or dropped, not swapped out */
		put(r->dir, h->second ? "memory.swap.max" : "memory.swappiness", "0");
		snprintf(procs, sizeof(procs), "%s/cgroup.procs", r->dir);
		r->procs = open(procs, O_WRONLY | O_CLOEXEC);
		if (r->procs >= 0)
			return 0;
	}
	error = errno;
	rmdir(r->dir);
	errno = error;
	return -1;
}

int ram_open(struct ram_limit *r, uint64_t bytes, struct err *e)
{
	char places[3][280], size[SIZE_TEXT];
	struct hierarchy h;
	size_t i;

	*r = (struct ram_limit){ .procs = -1 };
	if (!bytes)
		return 0;
	if (!find_hierarchy(&h))
		return err_set(e, ERR_FAIL, "measuring with %s of memory needs a control group, and "
			       "no hierarchy with the memory controller is mounted here",
			       size_text(size, bytes, SIZE_IEC));
	snprintf(places[0], sizeof(places[0]), "%s", h.mount);
	snprintf(places[1], sizeof(places[1]), "%s%s", h.mount, h.group);
	snprintf(places[2], sizeof(places[2]), "%s%.*s", h.mount,
		 (int)(strrchr(h.group, '/') - h.group), h.group);
	for (i = 0; i < 3; i++) {
		if (make_below(r, &h, places[i], bytes) == 0)
			return 0;
	}
	err_sys(e, "measuring with %s of memory needs a control group, and none can be made below "
		"%s", size_text(size, bytes, SIZE_IEC), h.mount);
	*r = (struct ram_limit){ .procs = -1 };
	return -1;
}

void ram_close(struct ram_limit *r)
{
	if (r->procs >= 0)
		close(r->procs);
	if (*r->dir)
		rmdir(r->dir);
	*r = (struct ram_limit){ .procs = -1 };
}

static void sweep_below(const char *parent)
{
	char pattern[400];
	glob_t found;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s/" NAME "[0-9]*", parent);
	if (glob(pattern, 0, NULL, &found) != 0)
		return;
	for (i = 0; i < found.gl_pathc; i++) {
		const char *name = strrchr(found.gl_pathv[i], '/') + 1;
		pid_t pid = (pid_t)strtol(name + strlen(NAME), NULL, 10);

		if (pid > 0 && kill(pid, 0) < 0 && errno == ESRCH)
			rmdir(found.gl_pathv[i]);	/* one that is in use stays */
	}
	globfree(&found);
}

void ram_sweep(void)
{
	char place[280];
	struct hierarchy h;

	if (!find_hierarchy(&h))
		return;
	sweep_below(h.mount);
	if (!strcmp(h.group, "/"))
		return;
	snprintf(place, sizeof(place), "%s%s", h.mount, h.group);
	sweep_below(place);
	*strrchr(place, '/') = '\0';
	if (strcmp(place, h.mount))
		sweep_below(place);
}
