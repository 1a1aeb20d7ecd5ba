/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * observer - does looking change what is looked at? The same copy with the live plot and
 * without it, in pairs whose order changes at random, so that what goes on meanwhile meets
 * both alike. The plot is a process of its own, as it always is; it gets the real samples.
 */
#include "bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "bench/corpus.h"
#include "bench/engine.h"
#include "bench/statistics.h"
#include "build/job.h"

enum { LAST_FRAME_MS = 600 };	/* it may come half a second later, and belongs to its copy */

struct one {		/* copy */
	int to;		/* who looks; -1: nobody */
	uint64_t ns, cpu_ns, dropped;
};

static void hear(void *arg, const json_t *event)
{
	struct one *o = arg;
	const char *kind = json_str(event, "event");
	struct sbuf line = { 0 };
	char *text;

	if (kind && !strcmp(kind, "run")) {
		o->ns = json_u64(event, "felt_ns", 0);
		o->cpu_ns = json_u64(event, "copy_cpu_ns", 0);
	}
	if (o->to < 0)
		return;
	text = json_line(event);
	sbuf_addf(&line, "%s\n", text);
	/* one write or none: a screen that stands still loses samples, the copy nothing */
	if (write(o->to, line.text, line.len) != (ssize_t)line.len)
		o->dropped++;
	sbuf_done(&line);
	free(text);
}

static uint64_t cpu_ns(int64_t pid)
{
	/* time on a processor, in ns, is the first number */
	return file_u64(0, "", "/proc/%lld/schedstat", (long long)pid);
}

struct screen {
	int (*watch)(void *arg, int events);
	void *arg;
};

static int screen_main(void *arg, int fd)
{
	struct screen *s = arg;

	return s->watch(s->arg, fd);
}

int bench_observe(const char *dir, double scale, unsigned pairs,
		  int (*watch)(void *arg, int events), void *arg, struct bench_observed *out,
		  struct err *e)
{
	struct arena *a = arena_new();
	struct workload *w = arena_alloc(a, sizeof(*w));
	struct bench_order order = {
		.target = dir, .label = dir, .write = true, .reps = 1, .scale = scale,
		.cache = CACHE_AS_IS, .no_wait = true, .db = "",
	};
	struct screen screen = { watch, arg };
	double *ratios = arena_array(a, pairs + 1, sizeof(*ratios));
	double *cpus = arena_array(a, pairs + 1, sizeof(*cpus));
	uint64_t state = clock_ns(), watched_ns = 0, cpu = 0;
	int64_t pid = 0;
	int fd = -1, rc = workload_find(a, "1G", w, e), status;
	struct stats s;
	char ready;

	*out = (struct bench_observed){ .pairs = 0 };
	list_add(a, &order.workloads, w);
	if (rc == 0)
		rc = job_child(screen_main, &screen, &pid, &fd, e);
	if (rc == 0 && read(fd, &ready, 1) != 1)
		rc = err_set(e, ERR_FAIL, "the screens cannot be started on a pseudo terminal here");
	if (rc == 0)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	while (rc == 0 && out->pairs < pairs) {
		struct one both[2] = { { .to = -1 }, { .to = fd } };
		unsigned first = (unsigned)(corpus_mix(&state) >> 63), i;

		for (i = 0; rc == 0 && i < 2; i++) {
			struct one *o = &both[(first + i) % 2];
			uint64_t before = cpu_ns(pid);

			rc = bench_run(&order, hear, o, e);
			poll(NULL, 0, LAST_FRAME_MS);
			if (o->to >= 0) {
				cpu += cpu_ns(pid) - before;
				watched_ns += o->ns + LAST_FRAME_MS * 1000000ull;
				out->dropped += o->dropped;
			}
		}
		if (rc == 0 && both[0].ns && both[0].cpu_ns) {
			cpus[out->pairs] = (double)both[1].cpu_ns / (double)both[0].cpu_ns;
			ratios[out->pairs++] = (double)both[1].ns / (double)both[0].ns;
		}
	}
	if (fd >= 0)
		close(fd);
	if (pid > 0)
		job_reap(pid, true, &status);
	stats_of(ratios, out->pairs, &s);
	out->ratio = s.median;
	out->sure = stats_median_interval(ratios, out->pairs, 0.95, &out->low, &out->high);
	stats_of(cpus, out->pairs, &s);
	out->cpu_ratio = s.median;
	stats_median_interval(cpus, out->pairs, 0.95, &out->cpu_low, &out->cpu_high);
	out->cpu_share = watched_ns ? (double)cpu / (double)watched_ns : 0;
	arena_free(a);
	return rc;
}
