/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meta - what a file system knows about files: empty ones made, asked for and removed, in
 * the order of their names or in random order. One call or two a file and nothing else, so
 * what is measured is the file system. Several streams take turns in one order. How long
 * each file took is kept.
 */
#include "bench/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "bench/corpus.h"

/* Where a file's name starts from: its own directory when there is only one. */
static int open_base(struct copy *c)
{
	char name[CORPUS_DIR];

	if (c->job->corpus->n_dirs != 1)
		return 0;
	corpus_dir_name(c->job->corpus, 0, name);
	c->dir = openat(c->job->dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return c->dir < 0 ? child_failed(c, "cannot open the directory %s", name) : 0;
}

static int make_dirs(struct copy *c)
{
	size_t i;

	for (i = 0; i < c->job->corpus->n_dirs; i++) {
		if (child_make_dir(c, i) < 0)
			return -1;
	}
	return 0;
}

/* The files' numbers in the order they are touched. */
static uint32_t *make_order(const struct copy *c)
{
	size_t n = c->job->corpus->n, i;
	uint32_t *order = calloc(n ? n : 1, sizeof(*order));
	uint64_t state = c->job->corpus->sets[0].seed + c->job->op;

	if (!order)
		die("no memory");
	for (i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	for (i = n; c->op->order == ORDER_RANDOM && i > 1; i--) {
		size_t k = (size_t)(corpus_mix(&state) % i);
		uint32_t last = order[i - 1];

		order[i - 1] = order[k];
		order[k] = last;
	}
	return order;
}

int names_prepare(struct copy *c)
{
	times_room(&c->times, c->job->corpus->n / c->streams + 1);
	if (!c->stream) {
		c->shared->own = make_order(c);
		if (c->op->makes && make_dirs(c) < 0)
			return -1;
	}
	return open_base(c);
}

static void path_of(const struct corpus *corpus, size_t file, char buf[CORPUS_PATH])
{
	if (corpus->n_dirs > 1)
		corpus_path(corpus, file, buf);
	else
		corpus_file_name(corpus, file, buf);
}

static int create_one(struct copy *c, const char *path, size_t file)
{
	int fd = openat(c->dir, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
			(c->job->sync == SYNC_WRITE ? O_SYNC : 0), 0644);

	(void)file;
	return fd < 0 ? child_failed(c, "cannot make %s", path) : child_close(c, fd, path);
}

static int stat_one(struct copy *c, const char *path, size_t file)
{
	struct stat st;

	if (fstatat(c->dir, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return child_failed(c, "cannot look at %s", path);
	if ((uint64_t)st.st_size == c->job->corpus->sizes[file])
		return 0;
	errno = EILSEQ;
	return child_failed(c, "%s is not as long as it was written", path);
}

static int delete_one(struct copy *c, const char *path, size_t file)
{
	(void)file;
	return unlinkat(c->dir, path, 0) < 0 ? child_failed(c, "cannot remove %s", path) : 0;
}

/* Each file once; the name is made before its time runs. */
static int each(struct copy *c, int (*one)(struct copy *, const char *, size_t))
{
	const struct corpus *corpus = c->job->corpus;
	const uint32_t *order = c->shared->own;
	char path[CORPUS_PATH];
	uint64_t since;
	size_t i;

	for (i = c->stream; i < corpus->n; i += c->streams) {
		path_of(corpus, order[i], path);
		since = clock_ns();
		if (one(c, path, order[i]) < 0)
			return -1;
		child_took(c, clock_ns() - since);
		c->files++;
		if (child_over(c))
			return -1;
	}
	return 0;
}

int create_all(struct copy *c)
{
	return each(c, create_one);
}

int stat_all(struct copy *c)
{
	return each(c, stat_one);
}

int delete_all(struct copy *c)
{
	return each(c, delete_one);
}
