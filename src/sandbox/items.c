/* SPDX-License-Identifier: GPL-2.0-or-later */
/* items - the files of ours that go into the sandbox: the program itself, the first
 * process inside, the recipes, workloads, campaigns and published tables. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "disk/disk.h"
#include "sandbox/launch.h"
#include "sandbox/sandbox.h"

static int add_item(struct job *j, const char *from, const char *to, unsigned mode)
{
	struct item *it;
	int fd = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -1;
	it = arena_alloc(j->arena, sizeof(*it));
	*it = (struct item){ .to = to, .fd = fd, .mode = mode };
	list_add(j->arena, &j->items, it);
	return 0;
}

/* All files of a folder whose name ends so. */
static int add_folder(struct job *j, const char *from, const char *to)
{
	struct dirent *d;
	DIR *dir = opendir(from);

	if (!dir)
		return -1;
	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.' || d->d_type == DT_DIR)
			continue;
		add_item(j, arena_printf(j->arena, "%s/%s", from, d->d_name),
			 arena_printf(j->arena, "%s/%s", to, d->d_name), 0644);
	}
	closedir(dir);
	return 0;
}

/* $variable, beside the program, or the installed one. A missing folder is no failure:
 * the verb that needs it says so inside. */
static void add_data(struct job *j, const char *beside, const char *variable, const char *name)
{
	const char *to = arena_printf(j->arena, "bin/%s", name);
	const char *set = getenv(variable);

	if (set && *set)
		add_folder(j, set, to);
	else if (add_folder(j, arena_printf(j->arena, "%s/%s", beside, name), to) < 0)
		add_folder(j, arena_printf(j->arena, "%s/%s", DATA_DIR, name), to);
}

/* One of our programs: beside the running one, or installed. */
static int add_program(struct job *j, const char *beside, const char *name)
{
	const char *to = arena_printf(j->arena, "bin/%s", name);

	if (add_item(j, arena_printf(j->arena, "%s/%s", beside, name), to, 0755) == 0)
		return 0;
	return add_item(j, arena_printf(j->arena, LIBEXEC_DIR "/%s", name), to, 0755);
}

bool job_seeks(const struct job *j)
{
	size_t i;

	for (i = 0; i < j->s->disks->n_disks; i++) {
		if (j->s->disks->disks[i].seek_ns)
			return true;
	}
	return false;
}

int job_items(struct job *j, struct err *e)
{
	char self[4096];
	char *beside, *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return err_sys(e, "sandbox: /proc/self/exe");
	self[n] = 0;
	if (add_item(j, "/proc/self/exe", "bin/naslab", 0755) < 0)
		return err_sys(e, "sandbox: %s", self);
	beside = arena_strdup(j->arena, self);
	slash = strrchr(beside, '/');
	if (slash)
		*slash = 0;
	if (add_program(j, beside, "naslab-init") < 0)
		return err_set(e, ERR_FAIL, "sandbox: naslab-init is neither in %s nor in %s",
			       beside, LIBEXEC_DIR);
	if (job_seeks(j) && add_program(j, beside, "naslab-seek.so") < 0)
		return err_set(e, ERR_FAIL, "sandbox: seek= needs naslab-seek.so, which is neither in "
			       "%s nor in %s", beside, LIBEXEC_DIR);
	add_program(j, beside, "naslab-report");	/* without it there is no PDF, as outside */
	add_data(j, beside, "NASLAB_LAYOUTS", "layouts");
	add_data(j, beside, "NASLAB_WORKLOADS", "workloads");
	add_data(j, beside, "NASLAB_CAMPAIGNS", "campaigns");
	add_data(j, beside, "NASLAB_REFERENCE", "data/reference");
	return 0;
}
