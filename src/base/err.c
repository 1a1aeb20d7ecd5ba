/* SPDX-License-Identifier: GPL-2.0-or-later */
/* err - one failure and its sentence. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef err_set
#undef err_sys
#undef err_in

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;

	e->kind = kind;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return -1;
}

int err_sys(struct err *e, const char *fmt, ...)
{
	int error = errno;
	size_t len;
	va_list ap;

	e->kind = ERR_FAIL;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	len = strlen(e->text);
	snprintf(e->text + len, sizeof(e->text) - len, ": %s", strerror(error));
	return -1;
}

int err_in(struct err *e, const char *fmt, ...)
{
	char was[sizeof(e->text)];
	size_t len;
	va_list ap;

	memcpy(was, e->text, sizeof(was));
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	len = strlen(e->text);
	snprintf(e->text + len, sizeof(e->text) - len, ": %s", was);
	return -1;
}

void (*die_first)(void);

void die(const char *fmt, ...)
{
	va_list ap;

	if (die_first)
		die_first();
	fputs("naslab: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}
