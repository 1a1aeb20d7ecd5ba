/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_BENCH_HEAR_H
#define TESTS_UNIT_BENCH_HEAR_H

/* Whole measurements: who hears their events, keeps them, and interferes when told to. */
#include "bench-help.h"

#include <signal.h>
#include <sys/mount.h>

#include <jansson.h>

#include "base/json.h"

struct heard {
	unsigned begin, sample, run, result;
	json_t *results, *runs;
	int signal;
	const char *unmount;
};

static inline void hear(void *arg, const json_t *event)
{
	struct heard *h = arg;
	const char *kind = json_str(event, "event");

	h->begin += !strcmp(kind, "begin");
	h->sample += !strcmp(kind, "sample");
	if (!strcmp(kind, "run")) {
		h->run++;
		json_array_append(h->runs, (json_t *)(uintptr_t)event);
		if (h->signal)
			raise(h->signal);
		if (h->unmount)
			assert_int_equal(umount2(h->unmount, MNT_DETACH), 0);
		h->unmount = NULL;
	}
	if (!strcmp(kind, "result")) {
		h->result++;
		json_array_append(h->results, (json_t *)(uintptr_t)event);
	}
}

static inline void hear_start(struct heard *h)
{
	*h = (struct heard){ .results = json_array(), .runs = json_array() };
}

static inline void hear_done(struct heard *h)
{
	json_decref(h->results);
	json_decref(h->runs);
}

/* What is in the directory besides . and .. */
static inline unsigned entries(const char *path)
{
	char list[600], line[300];
	unsigned n = 0;
	FILE *p;

	snprintf(list, sizeof(list), "ls -A %s", path);
	p = popen(list, "r");
	assert_non_null(p);
	while (fgets(line, sizeof(line), p))
		n++;
	pclose(p);
	return n;
}

static inline bool has_flag(const json_t *event, const char *flag)
{
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(event, "flags"), i, f) {
		if (!strcmp(json_string_value(f), flag))
			return true;
	}
	return false;
}

#endif
