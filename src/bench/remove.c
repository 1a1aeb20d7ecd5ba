/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remove - a directory goes with all that is in it. No link is followed and no other file
 * system is entered; what cannot be removed is left, and makes it fail with errno.
 */
#include "bench/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/engine.h"
#include "bench/subvol.h"
#include "bench/workload.h"

enum { DEEPEST = WORKLOAD_DEPTH + 4, FIRST_MS = 1000, NEXT_MS = 500 };

static void one_less(struct removal *r)
{
	uint64_t now;

	r->removed++;
	if (!r->tell)
		return;
	now = clock_ns();
	if (!r->next_ns)
		r->next_ns = now + FIRST_MS * 1000000ull;
	if (now < r->next_ns)
		return;
	r->tell(r->arg, r->removed);
	r->next_ns = now + NEXT_MS * 1000000ull;
}

static int empty_dir(struct removal *r, int dir, const char *kept, unsigned depth);

/*
 * A subvolume goes as a whole: the kernel only takes one that is an entry of this directory,
 * so nothing that is mounted there is meant.
 */
static int remove_below(struct removal *r, int dir, const char *name, unsigned depth)
{
	int sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc = -1, error;
	struct stat st;

	if (sub < 0)
		return -1;
	errno = 0;
	if (fstat(sub, &st) == 0 && subvol_maybe(&st, r->dev))
		rc = subvol_possible(sub) ? subvol_remove(dir, name) : -1;
	else if (st.st_dev == r->dev && depth < DEEPEST && empty_dir(r, sub, NULL, depth + 1) == 0)
		rc = unlinkat(dir, name, AT_REMOVEDIR);
	error = errno ? errno : EXDEV;
	close(sub);
	errno = error;
	return rc;
}

static int empty_dir(struct removal *r, int dir, const char *kept, unsigned depth)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;
	struct dirent *d;
	DIR *list;

	list = copy < 0 ? NULL : fdopendir(copy);
	if (!list) {
		if (copy >= 0)
			close(copy);
		return -1;
	}
	while ((d = readdir(list))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..") ||
		    (kept && !strcmp(d->d_name, kept)))
			continue;
		if ((d->d_type != DT_DIR && unlinkat(dir, d->d_name, 0) == 0) ||
		    ((d->d_type == DT_DIR || errno == EISDIR || errno == EPERM) &&
		     remove_below(r, dir, d->d_name, depth) == 0))
			one_less(r);
		else
			error = errno;
	}
	closedir(list);
	errno = error;
	return error ? -1 : 0;
}

int remove_dir(struct removal *r, int dir, const char *name)
{
	return remove_below(r, dir, name, 0);
}

int remove_all_but(struct removal *r, int dir, const char *kept)
{
	return empty_dir(r, dir, kept, 0);
}
