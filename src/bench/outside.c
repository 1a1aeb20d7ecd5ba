/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outside - what runs share that are made by other programs than the engine. */
#include "bench/outside.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "bench/durable.h"
#include "build/job.h"

static uint64_t cpu_of(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000u;
}

uint64_t outside_cpu_ns(void)
{
	return cpu_of(RUSAGE_SELF) + cpu_of(RUSAGE_CHILDREN);
}

uint64_t outside_memory(void)
{
	struct sbuf text = { 0 };
	const char *at = file_read("/proc/meminfo", 1 << 16, &text) == 0 ?
			 strstr(sbuf_str(&text), "MemAvailable:") : NULL;
	uint64_t kib = at ? strtoull(at + strlen("MemAvailable:"), NULL, 10) : 0;

	sbuf_done(&text);
	return kib * KIB;
}

bool outside_over(const struct class *c, struct measured *m, const struct watch *watch)
{
	if (m && c->w->cap_ns && clock_ns() - watch->start_ns >= c->w->cap_ns)
		m->copy.capped = true;
	return m && m->copy.capped;
}

struct to_sync {
	int dir;
	const struct list *branches;
};

static int sync_main(void *arg, int fd)
{
	const struct to_sync *t = arg;
	int error;

	if (durable_sync(t->dir, t->branches, NULL) == 0)
		return 0;
	error = errno;
	return write(fd, &error, sizeof(error)) < 0 ? 2 : 1;
}

int outside_durable(struct session *s, const struct class *c, int dir, struct measured *m,
		    struct watch *watch, uint64_t bytes, struct err *e)
{
	struct to_sync t = { .dir = dir, .branches = &s->counters.branches };
	int fd, status, error = 0;
	int64_t pid;

	if (job_child(sync_main, &t, &pid, &fd, e) < 0)
		return -1;
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (poll(&p, 1, watch_wait_ms(watch)) > 0)
			break;
		watch_look(s, c, m, watch, bytes, 0, true);
	}
	if (read(fd, &error, sizeof(error)) < 0)
		error = EIO;
	job_reap(pid, true, &status);
	close(fd);
	errno = error;
	return error ? err_sys(e, "cannot make it durable") : 0;
}

void outside_last_line(const struct sbuf *said, struct sbuf *out)
{
	const char *text = sbuf_str(said), *from;
	size_t len = said->len;
	struct sbuf line = { 0 };

	while (len && strchr("\n\r ", text[len - 1]))
		len--;
	for (from = text + len; from > text && from[-1] != '\n'; from--)
		;
	sbuf_addn(&line, from, (size_t)(text + len - from));
	sbuf_add_safe(out, sbuf_str(&line));
	sbuf_done(&line);
}
