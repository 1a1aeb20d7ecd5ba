/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Memory that lives and dies together: an inventory, a stack and a plan each own
 * one. Allocation never fails (no memory is the end of the program) and is zeroed.
 */
struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a);		/* takes NULL */

void *arena_alloc(struct arena *a, size_t size);
void *arena_array(struct arena *a, size_t n, size_t size);
char *arena_strdup(struct arena *a, const char *s);	/* NULL gives NULL */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* A table that grows: a list of pointers owned by the arena. Start it with { 0 }. */
struct list {
	void **at;
	size_t n, room;
};

void list_add(struct arena *a, struct list *l, void *item);

#endif
