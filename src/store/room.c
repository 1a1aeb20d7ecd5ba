/* SPDX-License-Identifier: GPL-2.0-or-later */
/* room - is there any left for the database? */
#include "store/store.h"

#include <string.h>
#include <sys/statvfs.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/units.h"

/* The runs and samples of hours, and the rollback journal beside them. */
static const uint64_t least = 8 * MIB;

int store_room(const struct store *st, struct err *e)
{
	struct arena *a = arena_new();
	char left[SIZE_TEXT], *folder = arena_strdup(a, store_path(st)), *slash = strrchr(folder, '/');
	struct statvfs v;
	int rc = 0;

	if (slash)
		slash[slash == folder] = '\0';
	if (statvfs(slash ? folder : ".", &v) == 0 && (uint64_t)v.f_bavail * v.f_frsize < least)
		rc = err_set(e, ERR_FAIL, "the disk that holds the database %s is full (%s left)",
			     store_path(st),
			     size_text(left, (uint64_t)v.f_bavail * v.f_frsize, SIZE_SI));
	arena_free(a);
	return rc;
}
