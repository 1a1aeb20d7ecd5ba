/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BASE_ARGV_H
#define BASE_ARGV_H

#include <stddef.h>

struct arena;
struct sbuf;

/* A command as words, never a shell line. at[] is NULL-terminated once one was added. */
struct argv {
	char **at;
	size_t n, room;
};

void argv_add(struct arena *a, struct argv *v, const char *word);
void argv_addf(struct arena *a, struct argv *v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void argv_addl(struct arena *a, struct argv *v, ...) __attribute__((sentinel));

/* The command as a POSIX shell would read it back. */
void argv_print(const struct argv *v, struct sbuf *out);

#endif
