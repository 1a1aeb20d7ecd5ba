/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy - a file or a tree that exists, to another place. Directories are the unit of work:
 * each thread takes one, copies its files and adds its subdirectories to the pile.
 */
#include "bench/copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "bench/engine.h"

enum { MOST_THREADS = 64, LARGE_FILE = 1 << 20, PIECE = 1 << 20 };

/* The pile of directories, and how it goes. */
struct tree {
	const char *from_name, *to_name;
	int from, to;			/* the two tops */
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct arena *arena;
	struct list pile;		/* char *: paths below the tops */
	unsigned busy;
	bool failed;
	struct copied sum;
	struct err *e;
};

struct worker {
	struct tree *tree;
	unsigned char *buffer;
	int pipe[2];			/* -1: there is none */
	mode_t mask;			/* what the kernel takes from the mode of a new file */
	bool root;			/* it may give files away */
	struct copied sum;
};

static int fail_at(struct tree *t, const char *what, const char *dir, const char *name)
{
	int error = errno;

	pthread_mutex_lock(&t->lock);
	if (!t->failed) {
		errno = error;
		err_sys(t->e, "cannot %s %s/%s%s%s", what, t->from_name, dir, *dir ? "/" : "",
			name);
	}
	t->failed = true;
	pthread_cond_broadcast(&t->change);
	pthread_mutex_unlock(&t->lock);
	return -1;
}

static int write_all(int fd, const unsigned char *data, size_t len)
{
	while (len) {
		ssize_t put = write(fd, data, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		data += put;
		len -= (size_t)put;
	}
	return 0;
}

static ssize_t read_some(int fd, void *data, size_t len)
{
	ssize_t got;

	do {
		got = read(fd, data, len);
	} while (got < 0 && errno == EINTR);
	return got;
}

/*
 * A large file goes through a pipe: the pages of the source are handed over and only
 * copied once, into the target. 1: the file system cannot do that, nothing was copied.
 */
static int copy_pages(struct worker *w, int from, int to)
{
	uint64_t before = w->sum.bytes;
	ssize_t in, out;

	if (w->pipe[0] < 0)
		return 1;
	while ((in = splice(from, NULL, w->pipe[1], NULL, PIECE, SPLICE_F_MOVE)) > 0) {
		for (; in > 0; in -= out) {
			out = splice(w->pipe[0], NULL, to, NULL, (size_t)in, SPLICE_F_MOVE);
			if (out <= 0)
				return -1;
			w->sum.bytes += (uint64_t)out;
		}
	}
	if (in == 0)
		return 0;
	return errno == EINVAL && w->sum.bytes == before ? 1 : -1;
}

static int copy_data(struct worker *w, int from, int to, const struct stat *st)
{
	uint64_t done = 0;
	ssize_t got;
	int rc;

	if (st->st_size >= LARGE_FILE) {
		rc = copy_pages(w, from, to);
		if (rc <= 0)
			return rc;
	}
	while ((got = read_some(from, w->buffer, PIECE)) > 0) {
		if (write_all(to, w->buffer, (size_t)got) < 0)
			return -1;
		done += (uint64_t)got;
		if (done >= (uint64_t)st->st_size)
			break;		/* spares the read() that says nothing follows */
	}
	w->sum.bytes += done;
	return got < 0 ? -1 : 0;
}

static bool gives_away(const struct worker *w, const struct stat *st)
{
	return w->root && (st->st_uid || st->st_gid);
}

/* The mode to make a file with: its own, but nobody else's before it is given away. */
static mode_t first_mode(const struct worker *w, const struct stat *st)
{
	return gives_away(w, st) ? 0600 : st->st_mode & 0777;
}

/* Owner, mode and time as they were; `made` is the mode it has by now. */
static int keep_facts(const struct worker *w, int to, const struct stat *st, mode_t made)
{
	const struct timespec times[2] = { st->st_atim, st->st_mtim };

	if (gives_away(w, st) && fchown(to, st->st_uid, st->st_gid) < 0)
		return -1;
	if (made != (st->st_mode & 07777) && fchmod(to, st->st_mode & 07777) < 0)
		return -1;
	return futimens(to, times);
}

static int copy_file(struct worker *w, int from_dir, int to_dir, const char *name,
		     const char *to_name)
{
	int from = openat(from_dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int to = -1, rc = -1, error;
	mode_t mode = 0;
	struct stat st;

	if (from < 0)
		return -1;
	if (fstat(from, &st) == 0) {
		mode = first_mode(w, &st);
		to = openat(to_dir, to_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	}
	if (to >= 0 && copy_data(w, from, to, &st) == 0 &&
	    keep_facts(w, to, &st, mode & ~w->mask) == 0)
		rc = 0;
	error = errno;
	if (to >= 0 && close(to) < 0 && rc == 0) {
		error = errno;
		rc = -1;
	}
	close(from);
	errno = error;
	w->sum.files += rc == 0;
	return rc;
}

static int copy_link(const struct worker *w, int from_dir, int to_dir, const char *name)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(from_dir, name, target, sizeof(target) - 1);
	struct timespec times[2];
	struct stat st;

	if (len < 0 || fstatat(from_dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	target[len] = '\0';
	if (symlinkat(target, to_dir, name) < 0)
		return -1;
	if (gives_away(w, &st) &&
	    fchownat(to_dir, name, st.st_uid, st.st_gid, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	return utimensat(to_dir, name, times, AT_SYMLINK_NOFOLLOW);
}

static void add_dir(struct tree *t, const char *dir, const char *name)
{
	pthread_mutex_lock(&t->lock);
	list_add(t->arena, &t->pile, arena_printf(t->arena, "%s%s%s", dir, *dir ? "/" : "", name));
	pthread_cond_signal(&t->change);
	pthread_mutex_unlock(&t->lock);
}

static int copy_entry(struct worker *w, int from, int to, const char *dir, const struct dirent *d)
{
	unsigned char type = d->d_type;
	struct stat st;

	if (type == DT_UNKNOWN) {
		if (fstatat(from, d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return fail_at(w->tree, "look at", dir, d->d_name);
		type = (unsigned char)IFTODT(st.st_mode);
	}
	switch (type) {
	case DT_REG:
		if (copy_file(w, from, to, d->d_name, d->d_name) < 0)
			return fail_at(w->tree, "copy", dir, d->d_name);
		return 0;
	case DT_DIR:
		if (mkdirat(to, d->d_name, 0700) < 0)
			return fail_at(w->tree, "make a directory for", dir, d->d_name);
		add_dir(w->tree, dir, d->d_name);
		return 0;
	case DT_LNK:
		if (copy_link(w, from, to, d->d_name) < 0)
			return fail_at(w->tree, "copy the link", dir, d->d_name);
		return 0;
	default:
		errno = ENOTSUP;
		return fail_at(w->tree, "copy what is no file", dir, d->d_name);
	}
}

static int copy_dir(struct worker *w, const char *dir)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct tree *t = w->tree;
	int from = openat(t->from, *dir ? dir : ".", flags), rc = 0;
	int to = openat(t->to, *dir ? dir : ".", flags);
	DIR *list = from < 0 ? NULL : fdopendir(from);
	struct dirent *d;
	struct stat st;

	if (!list || to < 0 || fstat(from, &st) < 0) {
		rc = fail_at(t, "open", dir, "");
		goto out;
	}
	while (rc == 0 && !t->failed && (d = readdir(list))) {
		if (strcmp(d->d_name, ".") && strcmp(d->d_name, ".."))
			rc = copy_entry(w, from, to, dir, d);
	}
	/* Its subdirectories are made by now, so nothing changes its time any more. */
	if (rc == 0 && keep_facts(w, to, &st, 0700 & ~w->mask) < 0)
		rc = fail_at(t, "keep the mode and time of", dir, "");
out:
	if (list)
		closedir(list);
	else if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return rc;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct tree *t = w->tree;

	pthread_mutex_lock(&t->lock);
	while (!t->failed && (t->pile.n || t->busy)) {
		const char *dir;

		if (!t->pile.n) {
			pthread_cond_wait(&t->change, &t->lock);
			continue;
		}
		dir = t->pile.at[--t->pile.n];
		t->busy++;
		pthread_mutex_unlock(&t->lock);
		copy_dir(w, dir);
		pthread_mutex_lock(&t->lock);
		t->busy--;
		pthread_cond_broadcast(&t->change);
	}
	t->sum.files += w->sum.files;
	t->sum.bytes += w->sum.bytes;
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static int worker_start(struct worker *w, struct tree *t, struct err *e)
{
	*w = (struct worker){ .tree = t, .buffer = engine_buffer(PIECE), .pipe = { -1, -1 } };
	w->root = geteuid() == 0;
	w->mask = umask(0);
	umask(w->mask);
	if (!w->buffer)
		return err_sys(e, "no memory for a buffer");
	if (pipe2(w->pipe, O_CLOEXEC) < 0)
		w->pipe[0] = w->pipe[1] = -1;
	else
		fcntl(w->pipe[0], F_SETPIPE_SZ, PIECE);
	return 0;
}

static void worker_end(struct worker *w)
{
	munmap(w->buffer, PIECE);
	if (w->pipe[0] >= 0) {
		close(w->pipe[0]);
		close(w->pipe[1]);
	}
}

static int copy_tree(struct tree *t, unsigned threads)
{
	struct worker workers[MOST_THREADS];
	pthread_t ids[MOST_THREADS];
	unsigned i, n = 0;

	if (threads > MOST_THREADS)
		threads = MOST_THREADS;
	for (i = 0; i < threads; i++) {
		if (worker_start(&workers[i], t, t->e) < 0) {
			t->failed = true;
			threads = i;
		}
	}
	list_add(t->arena, &t->pile, arena_strdup(t->arena, ""));
	for (i = 1; i < threads; i++) {
		if (pthread_create(&ids[n], NULL, work, &workers[i]) != 0)
			break;
		n++;
	}
	if (threads)
		work(&workers[0]);
	for (i = 0; i < n; i++)
		pthread_join(ids[i], NULL);
	for (i = 0; i < threads; i++)
		worker_end(&workers[i]);
	return t->failed ? -1 : 0;
}

static int copy_one(const char *from, const char *to, struct copied *out, struct err *e)
{
	struct worker w;
	int rc;

	if (worker_start(&w, NULL, e) < 0)
		return -1;
	rc = copy_file(&w, AT_FDCWD, AT_FDCWD, from, to);
	if (rc < 0)
		err_sys(e, "cannot copy %s to %s", from, to);
	worker_end(&w);
	*out = w.sum;
	return rc;
}

int copy_path(const char *from, const char *to, unsigned threads, struct copied *out,
	      struct err *e)
{
	struct tree t = { .from_name = from, .to_name = to, .from = -1, .to = -1, .e = e,
			  .lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER };
	struct stat st;
	int rc = -1;

	if (stat(from, &st) < 0)
		return err_sys(e, "cannot look at %s", from);
	if (S_ISREG(st.st_mode))
		return copy_one(from, to, out, e);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ERR_USAGE, "%s is neither a file nor a directory", from);
	if (mkdir(to, 0700) < 0)
		return err_sys(e, "cannot make %s", to);
	t.arena = arena_new();
	t.from = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	t.to = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t.from < 0 || t.to < 0)
		err_sys(e, "cannot open %s", t.from < 0 ? from : to);
	else
		rc = copy_tree(&t, threads ? threads : 1);
	if (t.from >= 0)
		close(t.from);
	if (t.to >= 0)
		close(t.to);
	*out = t.sum;
	arena_free(t.arena);
	return rc;
}
