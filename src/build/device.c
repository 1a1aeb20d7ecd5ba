/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device - block devices as they are now: whether they are there and how long they are,
 * what they are called after a reboot, and who holds them.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "build/run.h"

bool udevd_runs(void)
{
	return access("/run/udev/control", F_OK) == 0;
}

bool device_bytes(const char *path, uint64_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat sb;
	bool ok;

	if (fd < 0)
		return false;
	ok = fstat(fd, &sb) == 0 && S_ISBLK(sb.st_mode) && ioctl(fd, BLKGETSIZE64, bytes) == 0;
	close(fd);
	return ok;
}

/* The kernel's name of a device path, links followed; NULL when there is none. */
static const char *kernel_name(struct arena *a, const char *path)
{
	char real[PATH_MAX];

	if (!realpath(path, real))
		return NULL;
	return arena_strdup(a, strrchr(real, '/') + 1);
}

/*
 * The device node, when it is there; else what the kernel stacked on its members, because
 * after a reboot /dev/md/nas1-s1 may stand as /dev/md127.
 */
const char *device_now(struct run *r, const struct node *n)
{
	struct arena *a = r->arena;
	const char *name = n->dev ? kernel_name(a, n->dev) : NULL;

	if (!name)
		name = node_kernel_name(n, "", a);
	return name ? arena_printf(a, "/dev/%s", name) : NULL;
}

/* Field 5 of every line of mountinfo, spaces in it written as \040. */
static bool next_mount(char **at, char device[32], char where[PATH_MAX])
{
	char *line;

	while ((line = strsep(at, "\n"))) {
		char *in, *out;

		if (sscanf(line, "%*s %*s %31s %*s %4095s", device, where) != 2)
			continue;
		for (in = out = where; *in; in++) {
			unsigned code;

			if (*in == '\\' && sscanf(in + 1, "%3o", &code) == 1) {
				*out++ = (char)code;
				in += 3;
			} else {
				*out++ = *in;
			}
		}
		*out = '\0';
		return true;
	}
	return false;
}

bool folder_is_mounted(const char *root, const char *folder)
{
	char device[32], where[PATH_MAX], path[PATH_MAX];
	struct sbuf text = { 0 };
	bool found = false;
	char *at;

	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	if (file_read(path, 8 << 20, &text))
		return false;
	at = text.text;
	while (!found && at && next_mount(&at, device, where))
		found = !strcmp(where, folder);
	sbuf_done(&text);
	return found;
}

/* The kernel's own answer: it lets nobody else have what is mounted or stacked upon. */
bool device_is_held(const char *path)
{
	int fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);
	bool held = fd < 0 && errno == EBUSY;

	if (fd >= 0)
		close(fd);
	return held;
}

/* A process that has something open below a folder: "smbd (pid 812)". */
static bool process_below(const char *pid, const char *folder, struct sbuf *out)
{
	static const char *const links[] = { "cwd", "root" };
	char path[PATH_MAX], to[PATH_MAX];
	size_t len = strlen(folder), i;
	struct dirent *entry;
	bool found = false;
	ssize_t got;
	DIR *dir;

	for (i = 0; i < 2 && !found; i++) {
		snprintf(path, sizeof(path), "/proc/%s/%s", pid, links[i]);
		got = readlink(path, to, sizeof(to) - 1);
		found = got >= (ssize_t)len && !memcmp(to, folder, len) &&
			((size_t)got == len || to[len] == '/');
	}
	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = found ? NULL : opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		got = readlinkat(dirfd(dir), entry->d_name, to, sizeof(to) - 1);
		found = got >= (ssize_t)len && !memcmp(to, folder, len) &&
			((size_t)got == len || to[len] == '/');
	}
	if (dir)
		closedir(dir);
	if (found) {
		struct arena *a = arena_new();
		const char *name = file_line(a, "", "/proc/%s/comm", pid);

		sbuf_add(out, out->len ? ", " : "");
		sbuf_add_safe(out, name ? name : "a process");
		sbuf_addf(out, " (pid %s)", pid);
		arena_free(a);
	}
	return found;
}

static void folder_holders(const char *folder, struct sbuf *out)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	unsigned n = 0;

	while (dir && n < 4 && (entry = readdir(dir))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			n += process_below(entry->d_name, folder, out);
	}
	if (dir)
		closedir(dir);
}

/* Where a block device is mounted, by its number in mountinfo. */
static void mounts_of(const char *path, struct sbuf *out)
{
	struct sbuf text = { 0 };
	struct stat sb;
	char number[32], device[32], where[PATH_MAX];
	char *at;

	if (stat(path, &sb) || file_read("/proc/self/mountinfo", 8 << 20, &text))
		return;
	snprintf(number, sizeof(number), "%u:%u", major(sb.st_rdev), minor(sb.st_rdev));
	at = text.text;
	while (at && next_mount(&at, device, where)) {
		if (strcmp(device, number))
			continue;
		sbuf_add(out, out->len ? ", mounted at " : "mounted at ");
		sbuf_add_safe(out, where);
	}
	sbuf_done(&text);
}

void device_holders(const char *path, struct sbuf *out)
{
	struct arena *a = arena_new();
	const char *name = kernel_name(a, path);
	struct dirent *entry;
	struct stat sb;
	DIR *dir;

	if (!name || stat(path, &sb)) {
		arena_free(a);
		return;
	}
	if (S_ISDIR(sb.st_mode)) {
		folder_holders(path, out);
	} else {
		mounts_of(path, out);
		dir = opendir(arena_printf(a, "/sys/class/block/%s/holders", name));
		while (dir && (entry = readdir(dir))) {
			if (entry->d_name[0] != '.')
				sbuf_addf(out, "%s%s", out->len ? ", " : "", entry->d_name);
		}
		if (dir)
			closedir(dir);
		if (!out->len)
			folder_holders(path, out);	/* who has the node itself open */
	}
	arena_free(a);
}

const char *boot_id(struct arena *a)
{
	const char *id = file_line(a, "", "/proc/sys/kernel/random/boot_id");

	return id ? id : "";
}

bool executor_alive(const struct build *b, struct arena *a)
{
	if (b->executor_pid <= 0 || !b->executor_boot || strcmp(b->executor_boot, boot_id(a)))
		return false;
	return kill((pid_t)b->executor_pid, 0) == 0 || errno == EPERM;
}
