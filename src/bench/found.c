/* SPDX-License-Identifier: GPL-2.0-or-later */
/* found - a person's own files as what is written: looked for, kept in memory, read. */
#include "bench/found.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/units.h"
#include "bench/bench.h"
#include "bench/workload.h"

enum { MOST_FILES = 10000000, PAGE = 4096 };

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int64_t changed_ns(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static void add(struct arena *a, struct list *files, struct found *f, const FTSENT *at)
{
	struct found_file *one;

	if (faccessat(AT_FDCWD, at->fts_accpath, R_OK, AT_EACCESS) < 0) {
		f->unread++;
		return;
	}
	one = arena_alloc(a, sizeof(*one));
	*one = (struct found_file){ .path = arena_strdup(a, at->fts_path),
				    .size = (uint64_t)at->fts_statp->st_size,
				    .changed_ns = changed_ns(at->fts_statp) };
	list_add(a, files, one);
	f->bytes += one->size;
}

static void walk(struct arena *a, FTS *tree, struct list *files, struct found *f)
{
	const FTSENT *at;

	while ((at = fts_read(tree)) && files->n < MOST_FILES) {
		/* the work directory of a measurement may lie below */
		if (at->fts_info == FTS_D && !strncmp(at->fts_name, ".naslab-bench-", 14))
			fts_set(tree, (FTSENT *)(uintptr_t)at, FTS_SKIP);
		else if (at->fts_info == FTS_F)
			add(a, files, f, at);
		else if (at->fts_info == FTS_DNR || at->fts_info == FTS_NS || at->fts_info == FTS_ERR)
			f->unread++;
	}
}

struct found *found_look(struct arena *a, const char *folder, struct err *e)
{
	char *roots[] = { arena_strdup(a, folder), NULL };
	struct found *f = arena_alloc(a, sizeof(*f));
	struct list files = { 0 };
	struct stat st;
	FTS *tree;
	size_t i;

	*f = (struct found){ 0 };
	if (stat(folder, &st) < 0)
		return err_sys(e, "cannot look at %s, whose files are to be copied", folder), NULL;
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ERR_USAGE, "%s is no folder, and files in it are to be copied", folder),
		       NULL;
	tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
	if (tree) {
		walk(a, tree, &files, f);
		fts_close(tree);
	}
	if (!files.n)
		return err_set(e, ERR_USAGE, "%s holds no file that can be read, and its files are to be "
			       "copied", folder), NULL;
	f->n = files.n;
	f->files = arena_array(a, f->n, sizeof(*f->files));
	for (i = 0; i < f->n; i++)
		f->files[i] = *(const struct found_file *)files.at[i];
	return f;
}

void found_hold(struct found *f)
{
	unsigned char *all;
	size_t bytes = 0, i;

	for (i = 0; i < f->n; i++)
		bytes += round_up(f->files[i].size, PAGE);
	all = bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) :
		      MAP_FAILED;
	if (all == MAP_FAILED)
		return;
	madvise(all, bytes, MADV_HUGEPAGE);	/* a copy out of small pages takes a third longer */
	for (i = 0; i < f->n; i++) {
		if (found_read(&f->files[i], 0, f->files[i].size, all) < 0)
			continue;	/* whoever writes it will say so */
		f->files[i].held = all;
		all += round_up(f->files[i].size, PAGE);
	}
}

/* One that was put in its place since may be anything: a pipe must not hold us up. */
static int open_same(const struct found_file *f)
{
	int fd = open(f->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ELOOP)	/* it is a link now */
		errno = EILSEQ;
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == f->size &&
	    changed_ns(&st) == f->changed_ns)
		return fd;
	close(fd);
	errno = EILSEQ;
	return -1;
}

int found_read(const struct found_file *f, uint64_t at, size_t len, unsigned char *out)
{
	/* a file is read piece by piece, so each thread keeps its last one open */
	static __thread const struct found_file *last;
	static __thread int fd = -1;
	ssize_t got;

	if (f->held) {
		memcpy(out, f->held + at, len);
		return 0;
	}
	if (last != f || at == 0) {
		if (fd >= 0)
			close(fd);
		fd = open_same(f);
		last = fd >= 0 ? f : NULL;
	}
	while (fd >= 0 && len) {
		got = pread(fd, out, len, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			errno = EILSEQ;		/* it ends before its end */
		if (got <= 0)
			return -1;
		out += got;
		at += (uint64_t)got;
		len -= (size_t)got;
	}
	return fd < 0 ? -1 : 0;
}

int workload_look(struct workload *w, struct err *e)
{
	unsigned i;

	for (i = 0; i < w->n_sets; i++) {
		struct fileset *s = &w->sets[i];

		if (s->data != DATA_FOUND || s->found)
			continue;
		s->found = found_look(w->arena, s->folder, e);
		if (!s->found)
			return err_in(e, "%s", w->name);
		s->bytes = s->found->bytes;
		s->count = s->found->n;
		s->mean_file = s->median_file = s->max_file = s->bytes / s->count;
	}
	workload_sum(w);
	return 0;
}

size_t workload_unread(const struct workload *w)
{
	size_t n = 0;
	unsigned i;

	for (i = 0; i < w->n_sets; i++)
		n += w->sets[i].found ? w->sets[i].found->unread : 0;
	return n;
}
