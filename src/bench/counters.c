/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters - from a directory down to the whole disks it lies on, and what these have
 * moved so far. Down means: the mounted device, for btrfs all its devices, for mergerfs
 * all its branches, for an overlay its upper directory; then the slaves in sysfs until there are none; a bcache also has the
 * disks of its cache set.
 */
#include "bench/counters.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "base/text.h"

enum { DEEPEST = 16 };

static void add_once(struct arena *a, struct list *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (!strcmp(l->at[i], name))
			return;
	}
	list_add(a, l, arena_strdup(a, name));
}

static void go_down(struct arena *a, const char *dir, unsigned depth, struct list *disks,
		    struct list *arrays);

/* Follow every link that the pattern names; false when there is none. */
static bool go_links(struct arena *a, const char *pattern, const char *behind, unsigned depth,
		     struct list *disks, struct list *arrays)
{
	glob_t found;
	size_t i;

	if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
		return false;
	for (i = 0; i < found.gl_pathc; i++)
		go_down(a, arena_printf(a, "%s%s", found.gl_pathv[i], behind), depth + 1, disks,
			arrays);
	i = found.gl_pathc;
	globfree(&found);
	return i > 0;
}

/* dir: any path to a block device's folder in sysfs. */
static void go_down(struct arena *a, const char *dir, unsigned depth, struct list *disks,
		    struct list *arrays)
{
	char real[PATH_MAX];
	char *slash;

	if (depth > DEEPEST || !realpath(dir, real))
		return;
	if (access(arena_printf(a, "%s/partition", real), F_OK) == 0) {
		slash = strrchr(real, '/');
		*slash = '\0';
	}
	slash = strrchr(real, '/');
	if (access(arena_printf(a, "%s/md", real), F_OK) == 0)
		add_once(a, arrays, slash + 1);
	go_links(a, arena_printf(a, "%s/bcache/cache/cache[0-9]*", real), "/..", depth, disks,
		 arrays);
	if (!go_links(a, arena_printf(a, "%s/slaves/*", real), "", depth, disks, arrays))
		add_once(a, disks, slash + 1);
}

void leaf_disks(const char *root, struct arena *a, unsigned major, unsigned minor,
		struct list *disks, struct list *arrays)
{
	go_down(a, arena_printf(a, "%s/sys/dev/block/%u:%u", root, major, minor), 0, disks, arrays);
}

void leaf_disks_named(const char *root, struct arena *a, const char *name, struct list *disks,
		      struct list *arrays)
{
	go_down(a, arena_printf(a, "%s/sys/class/block/%s", root, name), 0, disks, arrays);
}

bool leaf_disks_btrfs(const char *root, struct arena *a, const char *device,
		      struct list *disks, struct list *arrays)
{
	const char *all = arena_printf(a, "%s/sys/fs/btrfs/*/devices/%s", root, device);
	bool any = false;
	glob_t found;
	char *slash;

	if (glob(all, GLOB_NOSORT, NULL, &found) != 0)
		return false;
	slash = strrchr(found.gl_pathv[0], '/');
	any = go_links(a, arena_printf(a, "%.*s/*", (int)(slash - found.gl_pathv[0]),
				       found.gl_pathv[0]), "", 0, disks, arrays);
	globfree(&found);
	return any;
}

bool disk_stat_parse(const char *text, struct disk_bytes *out)
{
	uint64_t rd, wr;

	if (sscanf(text, "%*u %*u %" SCNu64 " %*u %*u %*u %" SCNu64, &rd, &wr) != 2)
		return false;
	*out = (struct disk_bytes){ .read = rd * 512, .written = wr * 512 };
	return true;
}

uint64_t meminfo_dirty(const char *text)
{
	static const char *const keys[] = { "\nDirty:", "\nWriteback:" };
	uint64_t sum = 0, kib;
	size_t i;

	for (i = 0; i < 2; i++) {
		const char *at = strstr(text, keys[i]);

		if (at && sscanf(at + strlen(keys[i]), " %" SCNu64, &kib) == 1)
			sum += kib * 1024;
	}
	return sum;
}

void mergerfs_branches(struct arena *a, const char *text, struct list *out)
{
	char *copy = arena_strdup(a, text), *save = NULL, *word;

	for (word = strtok_r(copy, ":", &save); word; word = strtok_r(NULL, ":", &save)) {
		word[strcspn(word, "=")] = '\0';
		if (*word == '/')
			list_add(a, out, word);
	}
}

/* mountinfo writes a blank as \040. */
static char *plain(char *s)
{
	char *from = s, *to = s;

	while (*from) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] && from[3]) {
			*to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + from[3] - '0');
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return s;
}

bool mount_find(struct arena *a, int fd, struct mount_of *out)
{
	struct sbuf text = { 0 }, mounts = { 0 };
	char *line, *rest, *at;
	bool found = false;
	int want = -1, id;

	if (file_read(arena_printf(a, "/proc/self/fdinfo/%d", fd), 65536, &text) == 0) {
		at = strstr(text.text, "mnt_id:");
		want = at ? atoi(at + strlen("mnt_id:")) : -1;
	}
	if (file_read("/proc/self/mountinfo", 16 << 20, &mounts) == 0) {
		rest = mounts.text;
		while (!found && (line = strsep(&rest, "\n"))) {
			char *words[64] = { NULL }, *word;
			size_t n = 0, dash;

			id = atoi(line);
			while (n < 64 && (word = strsep(&line, " ")))
				words[n++] = word;
			for (dash = 6; dash < n && strcmp(words[dash], "-"); dash++)
				;
			if (id != want || dash + 2 >= n)
				continue;
			out->point = arena_strdup(a, plain(words[4]));
			out->type = arena_strdup(a, words[dash + 1]);
			out->source = arena_strdup(a, plain(words[dash + 2]));
			out->options = arena_printf(a, "%s %s%s%s", words[dash + 1], words[5],
						    words[dash + 3] ? "," : "",
						    words[dash + 3] ? words[dash + 3] : "");
			found = true;
		}
	}
	sbuf_done(&text);
	sbuf_done(&mounts);
	return found;
}

static void below(struct counters *c, int fd, unsigned depth);

static void below_dir(struct counters *c, const char *dir, unsigned depth)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	below(c, fd, depth + 1);
	close(fd);
}

static void below_mergerfs(struct counters *c, const struct mount_of *m, unsigned depth)
{
	struct list branches = { 0 };
	char value[8192];
	ssize_t len;
	size_t i;

	len = getxattr(arena_printf(c->arena, "%s/.mergerfs", m->point), "user.mergerfs.branches",
		       value, sizeof(value) - 1);
	if (len > 0) {
		value[len] = '\0';
		mergerfs_branches(c->arena, value, &branches);
	} else {
		mergerfs_branches(c->arena, m->source, &branches);
	}
	for (i = 0; i < branches.n; i++) {
		list_add(c->arena, &c->branches, branches.at[i]);
		below_dir(c, branches.at[i], depth);
	}
}

/* What is written to an overlay is written to its upper directory. */
static void below_overlay(struct counters *c, const struct mount_of *m, unsigned depth)
{
	static const char key[] = ",upperdir=";
	char *upper = strstr(m->options, key);

	if (!upper)
		return;
	upper = arena_strdup(c->arena, upper + strlen(key));
	upper[strcspn(upper, ",")] = '\0';
	below_dir(c, plain(upper), depth);
}

bool mount_is_zfs(const struct mount_of *m)
{
	/* zfs-fuse mounts as fuse.zfs, or as plain fuse with the pool as its source */
	return m->type && m->source && *m->source && *m->source != '/' &&
	       (!strcmp(m->type, "zfs") || !strcmp(m->type, "fuse.zfs") || !strcmp(m->type, "fuse"));
}

static void below(struct counters *c, int fd, unsigned depth)
{
	struct mount_of m = { 0 };
	struct stat st, dev;
	char real[PATH_MAX];
	const char *name;

	if (depth > 3 || fstat(fd, &st) < 0)
		return;
	if (mount_find(c->arena, fd, &m) && !depth)
		c->options = m.options;
	if (mount_is_zfs(&m))
		c->pool = arena_strndup(c->arena, m.source, strcspn(m.source, "/"));
	if (m.type && !strcmp(m.type, "fuse.mergerfs")) {
		below_mergerfs(c, &m, depth);
		return;
	}
	if (m.type && !strcmp(m.type, "overlay")) {
		below_overlay(c, &m, depth);
		return;
	}
	if (major(st.st_dev)) {
		leaf_disks("", c->arena, major(st.st_dev), minor(st.st_dev), &c->disks, &c->arrays);
		return;
	}
	if (!m.source || stat(m.source, &dev) < 0 || !S_ISBLK(dev.st_mode))
		return;
	if (!realpath(arena_printf(c->arena, "/sys/dev/block/%u:%u", major(dev.st_rdev),
				   minor(dev.st_rdev)), real))
		return;
	name = strrchr(real, '/') + 1;
	if (!m.type || strcmp(m.type, "btrfs") ||
	    !leaf_disks_btrfs("", c->arena, name, &c->disks, &c->arrays))
		leaf_disks("", c->arena, major(dev.st_rdev), minor(dev.st_rdev), &c->disks,
			   &c->arrays);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void counters_open(struct counters *c, int target)
{
	size_t i;

	*c = (struct counters){ .arena = arena_new() };
	below(c, target, 0);
	if (c->disks.n)
		qsort(c->disks.at, c->disks.n, sizeof(c->disks.at[0]), by_name);
	c->fds = arena_array(c->arena, c->disks.n + 1, sizeof(*c->fds));
	for (i = 0; i < c->disks.n; i++)
		c->fds[i] = open(arena_printf(c->arena, "/sys/class/block/%s/stat",
					      (const char *)c->disks.at[i]), O_RDONLY | O_CLOEXEC);
	c->memory = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
}

void counters_close(struct counters *c)
{
	size_t i;

	for (i = 0; i < c->disks.n; i++) {
		if (c->fds[i] >= 0)
			close(c->fds[i]);
	}
	if (c->memory >= 0)
		close(c->memory);
	arena_free(c->arena);
	*c = (struct counters){ .memory = -1 };
}

/* A small file of the kernel from its start, without opening it again. */
static bool again(int fd, char *buf, size_t room)
{
	ssize_t got = fd < 0 ? -1 : pread(fd, buf, room - 1, 0);

	if (got <= 0)
		return false;
	buf[got] = '\0';
	return true;
}

void counters_read(const struct counters *c, struct disk_bytes *out)
{
	struct disk_bytes one;
	char buf[512];
	size_t i;

	*out = (struct disk_bytes){ 0 };
	for (i = 0; i < c->disks.n; i++) {
		if (again(c->fds[i], buf, sizeof(buf)) && disk_stat_parse(buf, &one)) {
			out->read += one.read;
			out->written += one.written;
		}
	}
}

uint64_t counters_dirty(const struct counters *c)
{
	char buf[4096];

	return again(c->memory, buf, sizeof(buf)) ? meminfo_dirty(buf) : 0;
}
