/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * durable - what syncfs() promises and a file system in user space does not keep: the kernel
 * empties its own cache towards the program and ends there (fs/fuse/inode.c asks the program
 * to go on for virtiofs alone). mergerfs's branches are file systems that can be asked
 * themselves; of others every file is asked for, which they do pass on.
 */
#include "bench/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/arena.h"
#include "bench/corpus.h"

/* What `sync` returned, with its errno kept over the close. */
static int closed(int fd, int rc)
{
	int error = errno;

	close(fd);
	errno = error;
	return rc;
}

static int sync_branch(const char *branch)
{
	int fd = open(branch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -1 : closed(fd, syncfs(fd));
}

/* What an operation has removed again is no loss. */
static int sync_file(int dir, const struct corpus *set, size_t i)
{
	char path[CORPUS_PATH];
	int fd;

	corpus_path(set, i, path);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	return closed(fd, fsync(fd));
}

static bool is_fuse(int dir)
{
	struct statfs s;

	return fstatfs(dir, &s) == 0 && s.f_type == FUSE_SUPER_MAGIC;
}

int durable_sync(int dir, const struct list *branches, const struct corpus *set)
{
	size_t i;

	if (syncfs(dir) < 0)
		return -1;
	for (i = 0; branches && i < branches->n; i++) {
		if (sync_branch(branches->at[i]) < 0)
			return -1;
	}
	if ((branches && branches->n) || !set || !is_fuse(dir))
		return 0;
	for (i = 0; i < set->n; i++) {
		if (sync_file(dir, set, i) < 0)
			return -1;
	}
	return 0;
}
