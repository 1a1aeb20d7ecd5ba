/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock - one executor a disk, held from the first look to the last.
 *
 * Two locks: a file in /run/naslab that keeps another executor away and says who it is,
 * and flock() on the whole disk, which systemd-udevd respects: it neither probes the
 * disk nor puts old arrays together on it while we work.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "build/run.h"

#define LOCK_DIR "/run/naslab"

enum { WAIT_MS = 5000, PAUSE_MS = 50 };

void pause_ms(unsigned ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

/* The lock file of one disk; held until the descriptor is closed. */
static int lock_file(struct run *r, const struct disk *d, struct err *e)
{
	char *path = arena_printf(r->arena, LOCK_DIR "/%s.lock", d->name);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	char who[64];
	const char *holder;
	int len;

	if (fd < 0)
		return err_sys(e, "cannot open the lock %s", path);
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		holder = file_line(r->arena, "", "%s", path);
		close(fd);
		return err_set(e, ERR_REFUSED, "%s is being worked on by another naslab (%.60s)",
			       d->name, holder && *holder ? holder : "just starting");
	}
	len = snprintf(who, sizeof(who), "%s of %s, pid %d\n", r->order.verb, r->order.name,
		       (int)getpid());
	if (ftruncate(fd, 0) || pwrite(fd, who, (size_t)len, 0) != len) {
		err_sys(e, "cannot write the lock %s", path);
		close(fd);
		return -1;
	}
	return fd;
}

/* The lock on the disk itself; udevd may hold it for a moment while it probes. */
static int lock_disk(const struct disk *d, struct err *e)
{
	int fd = open(d->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	unsigned waited = 0;

	if (fd < 0)
		return err_sys(e, "cannot open %s", d->path);
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EINTR && (errno != EWOULDBLOCK || waited >= WAIT_MS)) {
			err_set(e, ERR_REFUSED, "%s is locked by another program", d->name);
			close(fd);
			return -1;
		}
		pause_ms(PAUSE_MS);
		waited += PAUSE_MS;
	}
	return fd;
}

int locks_take(struct run *r, struct err *e)
{
	size_t i, n = r->order.n_disks;

	if (mkdir(LOCK_DIR, 0755) && errno != EEXIST)
		return err_sys(e, "cannot make the folder %s for locks", LOCK_DIR);
	r->locks = arena_array(r->arena, 2 * n, sizeof(*r->locks));
	for (i = 0; i < 2 * n; i++)
		r->locks[i] = -1;
	for (i = 0; i < n; i++) {
		const struct disk *d = r->made.picks[i].disk;

		if (r->made.absent[i])
			continue;
		r->locks[2 * i] = lock_file(r, d, e);
		if (r->locks[2 * i] >= 0)
			r->locks[2 * i + 1] = lock_disk(d, e);
		if (r->locks[2 * i] < 0 || r->locks[2 * i + 1] < 0) {
			locks_release(r);
			return -1;
		}
	}
	return 0;
}

void locks_release(struct run *r)
{
	size_t i;

	for (i = 0; r->locks && i < 2 * r->order.n_disks; i++) {
		if (r->locks[i] >= 0)
			close(r->locks[i]);
		r->locks[i] = -1;
	}
}
