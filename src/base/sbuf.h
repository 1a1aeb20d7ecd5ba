/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BASE_SBUF_H
#define BASE_SBUF_H

#include <stdarg.h>
#include <stddef.h>

/* A string that grows. Start it with { 0 }; sbuf_done() frees it. */
struct sbuf {
	char *text;		/* NUL-terminated once something was added */
	size_t len, room;
};

void sbuf_done(struct sbuf *b);
void sbuf_clear(struct sbuf *b);		/* empty it, keep the memory */
const char *sbuf_str(const struct sbuf *b);	/* never NULL */
void sbuf_add(struct sbuf *b, const char *s);
void sbuf_addn(struct sbuf *b, const char *s, size_t n);
void sbuf_addc(struct sbuf *b, char c);
void sbuf_addf(struct sbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sbuf_vaddf(struct sbuf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* Add s as one word of a POSIX shell, quoted only where it has to be. */
void sbuf_add_shell(struct sbuf *b, const char *s);

/*
 * Add text that came from outside (a disk's model, a label): printable ASCII and
 * valid UTF-8 pass, every other byte becomes \xNN, so it cannot move a cursor.
 */
void sbuf_add_safe(struct sbuf *b, const char *s);

/*
 * Add words in lines of at most `width` columns; the first begins where the text stands, at
 * column `indent`, and so do the others. An empty line stays one; no newline at the end.
 */
void sbuf_add_wrapped(struct sbuf *b, const char *text, unsigned indent, unsigned width);

#endif
