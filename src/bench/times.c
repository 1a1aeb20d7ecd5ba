/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * times - how long each of many things took. Every stream keeps its own, so that nobody
 * waits for a lock; they are joined after the clock. All are kept, so percentiles are exact.
 */
#include "bench/child.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

void times_room(struct times *t, size_t n)
{
	uint64_t *more = reallocarray(t->ns, n ? n : 1, sizeof(*more));

	if (!more)
		die("no memory");
	memset(more + t->n, 1, (n - t->n) * sizeof(*more));	/* its pages are there now */
	t->ns = more;
	t->room = n;
}

void times_add(struct times *t, uint64_t ns)
{
	if (t->n == t->room)
		times_room(t, t->room ? t->room * 2 : 4096);
	t->ns[t->n++] = ns;
}

void times_join(struct times *t, const struct times *from)
{
	if (t->room < t->n + from->n)
		times_room(t, t->n + from->n);
	if (from->n)
		memcpy(t->ns + t->n, from->ns, from->n * sizeof(*t->ns));
	t->n += from->n;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void times_ranks(struct times *t, uint64_t *p50, uint64_t *p99, uint64_t *max)
{
	size_t n = t->n;

	if (!n)
		return;
	qsort(t->ns, n, sizeof(*t->ns), by_value);
	/* the nearest rank: the smallest that at least so many are not above */
	*p50 = t->ns[(n * 50 + 99) / 100 - 1];
	*p99 = t->ns[(n * 99 + 99) / 100 - 1];
	*max = t->ns[n - 1];
}
