/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sbuf - a string that grows. */
#include "base/sbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cells.h"
#include "base/err.h"

static void sbuf_grow(struct sbuf *b, size_t more)
{
	size_t room = b->room ? b->room : 64;

	while (room < b->len + more + 1)
		room *= 2;
	if (room == b->room)
		return;
	b->text = realloc(b->text, room);
	if (!b->text)
		die("no memory");
	b->room = room;
}

void sbuf_done(struct sbuf *b)
{
	free(b->text);
	*b = (struct sbuf){ 0 };
}

void sbuf_clear(struct sbuf *b)
{
	b->len = 0;
	if (b->text)
		b->text[0] = '\0';
}

const char *sbuf_str(const struct sbuf *b)
{
	return b->text ? b->text : "";
}

void sbuf_addn(struct sbuf *b, const char *s, size_t n)
{
	sbuf_grow(b, n);
	memcpy(b->text + b->len, s, n);
	b->len += n;
	b->text[b->len] = '\0';
}

void sbuf_add(struct sbuf *b, const char *s)
{
	sbuf_addn(b, s, strlen(s));
}

void sbuf_addc(struct sbuf *b, char c)
{
	sbuf_addn(b, &c, 1);
}

void sbuf_vaddf(struct sbuf *b, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0)
		die("a format that cannot be printed: %s", fmt);
	sbuf_grow(b, (size_t)len);
	vsnprintf(b->text + b->len, (size_t)len + 1, fmt, ap);
	b->len += (size_t)len;
}

void sbuf_addf(struct sbuf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	sbuf_vaddf(b, fmt, ap);
	va_end(ap);
}

void sbuf_add_shell(struct sbuf *b, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789%+,-./:=@_";

	if (*s && s[strspn(s, plain)] == '\0') {
		sbuf_add(b, s);
		return;
	}
	sbuf_addc(b, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			sbuf_add(b, "'\\''");
		else
			sbuf_addc(b, *s);
	}
	sbuf_addc(b, '\'');
}

/* How many bytes the UTF-8 sequence at s has; 0 when it is not a printable one. */
static size_t utf8_len(const unsigned char *s)
{
	size_t n, i;
	unsigned code;

	if (s[0] >= 0x20 && s[0] < 0x7f)
		return 1;
	if (s[0] >= 0xc2 && s[0] < 0xe0)
		n = 2, code = s[0] & 0x1f;
	else if (s[0] >= 0xe0 && s[0] < 0xf0)
		n = 3, code = s[0] & 0x0f;
	else if (s[0] >= 0xf0 && s[0] < 0xf5)
		n = 4, code = s[0] & 0x07;
	else
		return 0;
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < 0xa0 || (n == 3 && code < 0x800) || (n == 4 && code < 0x10000))
		return 0;
	if ((code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	if ((code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	    (code >= 0x2060 && code <= 0x206f) || code == 0xfeff)
		return 0;		/* invisible, or turns the text around */
	return n;
}

void sbuf_add_safe(struct sbuf *b, const char *s)
{
	const unsigned char *at = (const unsigned char *)s;

	while (*at) {
		size_t n = utf8_len(at);

		if (n) {
			sbuf_addn(b, (const char *)at, n);
			at += n;
		} else {
			sbuf_addf(b, "\\x%02x", *at++);
		}
	}
}

static unsigned columns(const char *text, size_t len)
{
	const char *end = text + len;
	unsigned n = 0;

	while (text < end) {
		int cells = char_cells(utf8_next(&text));

		n += cells < 0 ? 1 : (unsigned)cells;
	}
	return n;
}

void sbuf_add_wrapped(struct sbuf *b, const char *text, unsigned indent, unsigned width)
{
	unsigned col = indent;

	while (*text) {
		size_t len = strcspn(text, " \n");
		unsigned cols = columns(text, len);

		if (col > indent && col + 1 + cols > width) {
			sbuf_addf(b, "\n%*s", (int)indent, "");
			col = indent;
		}
		if (col > indent)
			sbuf_addc(b, ' ');
		sbuf_addn(b, text, len);
		col += cols + (col > indent);
		text += len;
		if (!strncmp(text, "\n\n", 2)) {
			sbuf_addf(b, "\n\n%*s", (int)indent, "");
			col = indent;
			text++;
		}
		text += *text != '\0';
	}
}
