/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workdir - where the files of a measurement live, and how they go away again. A directory
 * is only ever removed when its name has our form, it belongs to us and its manifest names
 * a process of ours that no longer lives (process id, when it started, and the boot).
 */
#include "bench/workdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "bench/corpus.h"
#include "bench/remove.h"
#include "bench/subvol.h"

static const char prefix[] = ".naslab-bench-";
static const char manifest[] = "manifest";

enum { LETTERS = 6, EMPTY_SECONDS = 60 };

static bool name_is_ours(const char *name)
{
	return !strncmp(name, prefix, sizeof(prefix) - 1) &&
	       strlen(name) == sizeof(prefix) - 1 + LETTERS;
}

/* When a process started, in ticks since boot; 0 when there is none, or only its exit status
 * waits to be fetched. */
static uint64_t process_begin(int64_t pid)
{
	struct arena *a = arena_new();
	char *line = file_line(a, "", "/proc/%lld/stat", (long long)pid), *at, *save = NULL;
	uint64_t ticks = 0;
	int i;

	at = line ? strrchr(line, ')') : NULL;	/* the name may hold anything */
	if (at) {
		at = strtok_r(at + 1, " ", &save);
		if (at && strchr("ZX", *at))
			at = NULL;
		for (i = 3; at && i < 22; i++)
			at = strtok_r(NULL, " ", &save);
		if (at)
			ticks = strtoull(at, NULL, 10);
	}
	arena_free(a);
	return ticks;
}

static char *boot_id(struct arena *a)
{
	char *id = file_line(a, "", "/proc/sys/kernel/random/boot_id");

	return id ? id : arena_strdup(a, "unknown");
}

/* Remove the manifest last: until then a later start can still tell whose it is. */
static int remove_ours(struct removal *r, int target, const char *name, int dir)
{
	if (remove_all_but(r, dir, manifest) < 0 && errno != ENOENT)
		return -1;
	if (unlinkat(dir, manifest, 0) < 0 && errno != ENOENT)
		return -1;
	return unlinkat(target, name, AT_REMOVEDIR) < 0 && errno != ENOENT ? -1 : 0;
}

/* Does the manifest in dir name a process of ours that is gone? */
static bool owner_is_gone(int dir)
{
	struct arena *a = arena_new();
	int fd = openat(dir, manifest, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	json_t *m = fd < 0 ? NULL : json_loadfd(fd, JSON_REJECT_DUPLICATES, NULL);
	const char *made_by = json_str(m, "naslab"), *boot = json_str(m, "boot");
	uint64_t pid = json_u64(m, "pid", 0), begin = json_u64(m, "begin", 0);
	bool gone = false;

	if (made_by && !strcmp(made_by, "bench") && boot && pid && begin)
		gone = strcmp(boot, boot_id(a)) || process_begin((int64_t)pid) != begin;
	json_decref(m);
	if (fd >= 0)
		close(fd);
	arena_free(a);
	return gone;
}

/* Killed between making the directory and its manifest: empty, and old enough. */
static bool is_old_and_empty(int dir, const struct stat *st)
{
	DIR *list;
	struct dirent *d;
	bool empty = true;

	if (time(NULL) - st->st_mtime < EMPTY_SECONDS)
		return false;
	list = fdopendir(dup(dir));
	if (!list)
		return false;
	while ((d = readdir(list)))
		empty &= !strcmp(d->d_name, ".") || !strcmp(d->d_name, "..");
	closedir(list);
	return empty;
}

/* Open a directory of that name if it is what a killed run of ours left here; else -1. */
static int open_left(int target, const char *name)
{
	int dir = name_is_ours(name) ?
		  openat(target, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	struct stat st, here;

	if (dir < 0)
		return -1;
	if (fstat(dir, &st) == 0 && fstat(target, &here) == 0 && st.st_dev == here.st_dev &&
	    st.st_uid == geteuid() && (owner_is_gone(dir) || is_old_and_empty(dir, &st)))
		return dir;
	close(dir);
	return -1;
}

/* The directories that dead processes left, one after the other. */
static unsigned each_left(int target, void (*one)(void *arg, int target, const char *name, int dir),
			  void *arg)
{
	int copy = openat(target, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), dir;
	DIR *list = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *d;
	unsigned n = 0;

	if (!list && copy >= 0)
		close(copy);
	while (list && (d = readdir(list))) {
		dir = open_left(target, d->d_name);
		if (dir < 0)
			continue;
		one(arg, target, d->d_name, dir);
		close(dir);
		n++;
	}
	if (list)
		closedir(list);
	return n;
}

static void remove_left(void *arg, int target, const char *name, int dir)
{
	struct removal *r = arg;
	struct stat st;

	if (fstat(dir, &st) < 0)
		return;
	r->dev = st.st_dev;
	remove_ours(r, target, name, dir);
}

unsigned workdir_clean(int target, void (*tell)(void *arg, uint64_t removed), void *arg)
{
	struct removal r = { .tell = tell, .arg = arg };

	return each_left(target, remove_left, &r);
}

static void measure_left(void *arg, int target, const char *name, int dir)
{
	struct left *sum = arg;
	char *path = NULL, *roots[2] = { NULL };
	const FTSENT *at;
	FTS *tree;

	(void)dir;
	if (asprintf(&path, "/proc/self/fd/%d/%s", target, name) < 0)
		die("no memory");
	roots[0] = path;
	tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	while (tree && (at = fts_read(tree))) {
		if (at->fts_info == FTS_DP || !at->fts_statp)
			continue;
		sum->bytes += (uint64_t)at->fts_statp->st_blocks * 512;
		sum->files++;
	}
	if (tree)
		fts_close(tree);
	free(path);
}

void workdir_left(int target, struct left *sum)
{
	*sum = (struct left){ 0 };
	each_left(target, measure_left, sum);
}

static int write_manifest(int dir)
{
	struct arena *a = arena_new();
	json_t *m = json_object();
	int fd, rc = -1, error;
	ssize_t len;
	char *line;

	json_put_str(m, "naslab", "bench");
	json_put_u64(m, "pid", (uint64_t)getpid());
	json_put_u64(m, "begin", process_begin(getpid()));
	json_put_str(m, "boot", boot_id(a));
	line = json_line(m);
	json_decref(m);
	arena_free(a);
	fd = openat(dir, manifest, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd >= 0) {
		len = (ssize_t)strlen(line);
		errno = ENOSPC;		/* what a short write means */
		if (write(fd, line, (size_t)len) == len && fsync(fd) == 0)
			rc = 0;
		error = errno;
		close(fd);
		errno = error;
	}
	error = errno;
	free(line);
	errno = error;
	return rc;
}

static int make_dir(struct workdir *w)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	uint64_t state = (uint64_t)time(NULL) ^ ((uint64_t)getpid() << 32);
	unsigned tries;
	size_t i;

	for (tries = 0; tries < 100; tries++) {
		memcpy(w->name, prefix, sizeof(prefix));
		for (i = 0; i < LETTERS; i++)
			w->name[sizeof(prefix) - 1 + i] = letters[corpus_mix(&state) % 36];
		w->name[sizeof(prefix) - 1 + LETTERS] = '\0';
		if (mkdirat(w->target, w->name, 0755) == 0)
			return 0;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/*
 * mergerfs says that there is no room when no branch has its minfreespace left (4 GB unless
 * it is told otherwise), whatever it shows as free: what failed, and that.
 */
static int no_directory(int fd, const char *target, struct err *e)
{
	bool full = errno == ENOSPC;
	char *control, least[32];
	ssize_t len = -1;

	err_sys(e, "cannot make a directory in %s", target);
	if (full && asprintf(&control, "/proc/self/fd/%d/.mergerfs", fd) >= 0) {
		len = getxattr(control, "user.mergerfs.minfreespace", least, sizeof(least) - 1);
		free(control);
	}
	if (len > 0) {
		least[len] = '\0';
		err_set(e, ERR_FAIL, "%s: no branch of this mergerfs has its minfreespace left, %s",
			target, least);
	}
	return -1;
}

/*
 * What was removed is free on btrfs when it has committed and cleaned up behind subvolumes, and
 * on xfs when its worker, which asking for the free space wakes, was there.
 */
static void free_again(int target, unsigned seconds)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	uint64_t before = UINT64_MAX, now = 0;
	struct statvfs v;
	unsigned tries;

	if (subvol_possible(target))
		subvol_sync(target);	/* and wakes who cleans up */
	else
		syncfs(target);
	for (tries = 0; tries < seconds * 20 && fstatvfs(target, &v) == 0; tries++) {
		now = v.f_bfree;
		if (now == before && !subvol_leftovers(target))
			break;
		before = now;
		nanosleep(&pause, NULL);
	}
}

int workdir_open(struct workdir *w, const char *target, struct err *e)
{
	struct stat st;

	*w = (struct workdir){ .path = target, .target = -1, .dir = -1, .tell = w->tell, .arg = w->arg };
	w->target = open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->target < 0 && errno == ENOTDIR)
		return err_set(e, ERR_FAIL, "%s is not a directory", target);
	if (w->target < 0)
		return err_sys(e, "cannot open %s", target);
	if (fstat(w->target, &st) < 0) {
		err_sys(e, "cannot look at %s", target);
		goto out;
	}
	w->dev = st.st_dev;
	if (workdir_clean(w->target, w->tell, w->arg))
		free_again(w->target, 30);
	if (make_dir(w) < 0) {
		no_directory(w->target, target, e);
		goto out;
	}
	w->dir = openat(w->target, w->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (w->dir >= 0 && write_manifest(w->dir) == 0)
		return 0;
	err_sys(e, "cannot write in %s", target);
	if (w->dir >= 0) {
		unlinkat(w->dir, manifest, 0);
		close(w->dir);
	}
	unlinkat(w->target, w->name, AT_REMOVEDIR);
out:
	close(w->target);
	w->target = w->dir = -1;
	return -1;
}

static struct removal removal_of(const struct workdir *w)
{
	return (struct removal){ .dev = w->dev, .tell = w->tell, .arg = w->arg };
}

int workdir_close(struct workdir *w, struct err *e)
{
	struct removal r = removal_of(w);
	int rc = 0;

	if (w->target < 0)
		return 0;
	if (remove_ours(&r, w->target, w->name, w->dir) < 0)
		rc = err_set(e, ERR_FAIL, "%s/%s could not be removed (%s), the next measurement "
			     "there does it", w->path, w->name, strerror(errno));
	if (subvol_possible(w->target))
		free_again(w->target, 5);	/* for whoever measures next; else it takes 30 s */
	close(w->dir);
	close(w->target);
	w->target = w->dir = -1;
	return rc;
}

void workdir_leave(struct workdir *w)
{
	close(w->dir);
	close(w->target);
	w->target = w->dir = -1;
}

int workdir_return(struct workdir *w, struct err *e)
{
	struct stat st;

	w->target = open(w->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->target >= 0)
		w->dir = openat(w->target, w->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (w->dir >= 0 && fstat(w->dir, &st) == 0) {
		w->dev = st.st_dev;
		return 0;
	}
	err_sys(e, "cannot open %s/%s again", w->path, w->name);
	if (w->target >= 0)
		close(w->target);
	w->target = -1;
	return -1;
}

int workdir_check(const struct workdir *w, struct err *e)
{
	struct stat st;
	struct statvfs v;

	if (stat(w->path, &st) < 0)
		return errno == ENOENT ?
		       err_set(e, ERR_FAIL, "%s went away while it was measured", w->path) :
		       err_sys(e, "%s cannot be looked at any more", w->path);
	if (st.st_dev != w->dev)
		return err_set(e, ERR_FAIL, "%s was unmounted while it was measured", w->path);
	if (fstatvfs(w->target, &v) == 0 && v.f_flag & ST_RDONLY)
		return err_set(e, ERR_FAIL, "%s became read-only while it was measured", w->path);
	if (fstat(w->dir, &st) == 0 && st.st_nlink == 0)
		return err_set(e, ERR_FAIL, "somebody removed %s/%s while %s was measured", w->path,
			       w->name, w->path);
	return 0;
}

int workdir_make(const struct workdir *w, const char *name, int *dir, struct err *e)
{
	if (mkdirat(w->dir, name, 0755) < 0)
		return err_sys(e, "cannot make a directory in %s/%s", w->path, w->name);
	*dir = openat(w->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*dir < 0)
		return err_sys(e, "cannot open %s/%s/%s", w->path, w->name, name);
	return 0;
}

int workdir_remove(const struct workdir *w, const char *name, struct err *e)
{
	struct removal r = removal_of(w);

	if (remove_dir(&r, w->dir, name) < 0 && errno != ENOENT)
		return err_sys(e, "cannot remove %s/%s/%s", w->path, w->name, name);
	return 0;
}
