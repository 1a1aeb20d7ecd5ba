/* SPDX-License-Identifier: GPL-2.0-or-later */
/* argv - a command as words. */
#include "base/argv.h"

#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/sbuf.h"

static void argv_put(struct arena *a, struct argv *v, char *word)
{
	if (v->n + 1 >= v->room) {
		size_t room = v->room ? 2 * v->room : 8;
		char **at = arena_array(a, room, sizeof(*at));

		if (v->n)
			memcpy(at, v->at, v->n * sizeof(*at));
		v->at = at;
		v->room = room;
	}
	v->at[v->n++] = word;
	v->at[v->n] = NULL;
}

void argv_add(struct arena *a, struct argv *v, const char *word)
{
	argv_put(a, v, arena_strdup(a, word));
}

void argv_addf(struct arena *a, struct argv *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	argv_put(a, v, arena_vprintf(a, fmt, ap));
	va_end(ap);
}

void argv_addl(struct arena *a, struct argv *v, ...)
{
	const char *word;
	va_list ap;

	va_start(ap, v);
	while ((word = va_arg(ap, const char *)))
		argv_add(a, v, word);
	va_end(ap);
}

void argv_print(const struct argv *v, struct sbuf *out)
{
	size_t i;

	for (i = 0; i < v->n; i++) {
		if (i)
			sbuf_addc(out, ' ');
		sbuf_add_shell(out, v->at[i]);
	}
}
