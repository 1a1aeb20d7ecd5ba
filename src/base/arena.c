/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena - memory that lives and dies together. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { BLOCK = 16384, ALIGN = 16 };

struct block {
	struct block *next;
	size_t used, size;
	_Alignas(16) char data[];
};

struct arena {
	struct block *blocks;
};

struct arena *arena_new(void)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (!a)
		die("no memory");
	return a;
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	while (a->blocks) {
		struct block *b = a->blocks;

		a->blocks = b->next;
		free(b);
	}
	free(a);
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct block *b = a->blocks;
	char *at;

	if (size > SIZE_MAX / 2)
		die("an allocation of %zu bytes", size);
	size = (size + ALIGN - 1) / ALIGN * ALIGN;
	if (!b || b->size - b->used < size) {
		size_t want = size > BLOCK ? size : BLOCK;

		b = calloc(1, sizeof(*b) + want);
		if (!b)
			die("no memory");
		b->size = want;
		b->next = a->blocks;
		a->blocks = b;
	}
	at = b->data + b->used;
	b->used += size;
	return at;
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / 2 / size)
		die("an array of %zu times %zu bytes", n, size);
	return arena_alloc(a, n * size);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *copy = arena_alloc(a, n + 1);

	memcpy(copy, s, n);
	return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char *text;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0)
		die("a format that cannot be printed: %s", fmt);
	text = arena_alloc(a, (size_t)len + 1);
	vsnprintf(text, (size_t)len + 1, fmt, ap);
	return text;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return text;
}

void list_add(struct arena *a, struct list *l, void *item)
{
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 8;
		void **at = arena_array(a, room, sizeof(*at));

		if (l->n)
			memcpy(at, l->at, l->n * sizeof(*at));
		l->at = at;
		l->room = room;
	}
	l->at[l->n++] = item;
}
