/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seek - the arms of the sandbox's disks. Loaded into the kernel of user mode, it stands in
 * front of the calls its disk thread reads and writes the images with: whoever does not go on
 * where the last access to the disk ended waits as long as an arm would take.
 *
 * What it models: one arm a disk; seek= is the mean way over the whole disk with half a turn
 * in it; the shortest way takes 0.42 of it, the rest grows with the root of the distance; up
 * to 1 MiB forward is the same track. All disks move at the same time: a request counts from
 * when it came, as well as that is known. Not modelled: a cache in the disk and its own
 * reordering, inner tracks that are slower, spinning up. How late the host wakes the kernel
 * inside comes on top, more on a busy machine.
 *
 * It runs inside another program: no memory from the heap, no streams, no locks.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { ARMS = 16, SAME_TRACK = 1 << 20, WAITED_NS = 50000 };

struct arm {
	char file[16];			/* "ubda.img" */
	uint64_t seek_ns, bytes;
	uint64_t at;			/* where the last access ended */
	uint64_t free_ns;		/* when it has arrived there */
};

static struct arm arms[ARMS];
static unsigned n_arms;
static long disk_thread;		/* the one that asked for an image */
static uint64_t batch_ns;		/* when its last requests came */
static uint64_t busy_ns;		/* when it last took some */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* NASLAB_SEEK="ubda.img 8000000 4000787030016\nubdc.img ..." */
__attribute__((constructor)) static void read_arms(void)
{
	const char *text = getenv("NASLAB_SEEK");

	while (text && *text && n_arms < ARMS) {
		struct arm *a = &arms[n_arms];
		size_t len = strcspn(text, " ");
		char *end;

		if (!len || len >= sizeof(a->file) || text[len] != ' ')
			return;
		memcpy(a->file, text, len);
		a->seek_ns = strtoull(text + len, &end, 10);
		a->bytes = strtoull(end, &end, 10);
		text = *end == '\n' ? end + 1 : end;
		n_arms += a->bytes > 0;
	}
}

static struct arm *arm_of(int fd)
{
	char link[32] = "/proc/self/fd/", path[512], digits[12];
	const char *name;
	size_t n = 0, len = strlen(link);
	ssize_t got;
	unsigned i;

	do
		digits[n++] = (char)('0' + fd % 10);
	while ((fd /= 10) > 0 && n < sizeof(digits));
	while (n)
		link[len++] = digits[--n];
	got = syscall(SYS_readlink, link, path, sizeof(path) - 1);
	if (got <= 0)
		return NULL;
	path[got] = '\0';
	name = strrchr(path, '/');
	for (i = 0; name && i < n_arms; i++) {
		if (!strcmp(name + 1, arms[i].file))
			return &arms[i];
	}
	return NULL;
}

static uint64_t way_ns(const struct arm *a, uint64_t to)
{
	uint64_t far = to > a->at ? to - a->at : a->at - to;

	if (to >= a->at && far <= SAME_TRACK)
		return 0;
	/* over all pairs of places the mean of the root of three times the way is 0.924 */
	return (uint64_t)((double)a->seek_ns * (0.4 + 0.6 * __builtin_sqrt(3.0 * (double)far /
			  (double)a->bytes)) / 0.954);
}

static void move_arm(int fd, uint64_t to, size_t len)
{
	struct arm *a = arm_of(fd);
	uint64_t began, now;
	struct timespec t;

	if (!a)
		return;
	disk_thread = syscall(SYS_gettid);
	now = now_ns();
	began = batch_ns && batch_ns < now ? batch_ns : now;
	if (a->free_ns > began)
		began = a->free_ns;
	a->free_ns = began + way_ns(a, to);
	a->at = to + len;
	if (a->free_ns <= now)
		return;
	t = (struct timespec){ .tv_sec = (time_t)(a->free_ns / 1000000000),
			       .tv_nsec = (long)(a->free_ns % 1000000000) };
	while (syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0 &&
	       now_ns() < a->free_ns)
		;
}

/* The names are those of the C library. */
ssize_t pread64(int fd, void *buf, size_t nbytes, off64_t offset)
{
	if (n_arms)
		move_arm(fd, (uint64_t)offset, nbytes);
	return syscall(SYS_pread64, fd, buf, nbytes, offset);
}

ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t offset)
{
	if (n_arms)
		move_arm(fd, (uint64_t)offset, n);
	return syscall(SYS_pwrite64, fd, buf, n, offset);
}

/*
 * The disk thread takes its requests from a pipe, many at a time. Those it need not wait for
 * came while it waited for an arm: they count from when it began to.
 */
ssize_t read(int fd, void *buf, size_t nbytes)
{
	bool disks = disk_thread && syscall(SYS_gettid) == disk_thread;
	uint64_t asked = disks ? now_ns() : 0, came;
	ssize_t got = syscall(SYS_read, fd, buf, nbytes);

	if (!disks || got <= 0)
		return got;
	came = now_ns();
	batch_ns = came - asked > WAITED_NS ? came : busy_ns;
	busy_ns = came;
	return got;
}
