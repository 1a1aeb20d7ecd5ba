/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cells - text as columns of a terminal. */
#include "base/cells.h"

#include <locale.h>
#include <stdbool.h>
#include <wchar.h>

#include "base/sbuf.h"

uint32_t utf8_next(const char **text)
{
	const unsigned char *s = (const unsigned char *)*text;
	unsigned more = s[0] >= 0xf0 ? 3 : s[0] >= 0xe0 ? 2 : s[0] >= 0xc0 ? 1 : 0;
	uint32_t ch = s[0];
	unsigned i;

	if (s[0] < 0x80) {
		*text += 1;
		return ch;
	}
	if (!more) {
		*text += 1;
		return '?';
	}
	ch = s[0] & (0x3fu >> more);
	for (i = 1; i <= more; i++) {
		if ((s[i] & 0xc0) != 0x80) {
			*text += i;
			return '?';
		}
		ch = ch << 6 | (s[i] & 0x3f);
	}
	*text += more + 1;
	return ch;
}

size_t utf8_put(char out[5], uint32_t ch)
{
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n = ch < 0x80 ? 1 : ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4, i;

	for (i = n; i-- > 1; ch >>= 6)
		out[i] = (char)(0x80 | (ch & 0x3f));
	out[0] = (char)(first[n > 1 ? n : 0] | ch);
	out[n] = '\0';
	return n;
}

/* Asked of the C library's table for UTF-8, whatever the locale: a pipe and LANG=C count alike. */
int char_cells(uint32_t ch)
{
	static locale_t utf8;
	static bool asked;
	locale_t was;
	int cells;

	if (ch >= 0x20 && ch < 0x7f)
		return 1;
	if (!asked)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	asked = true;
	if (!utf8)
		return wcwidth((wchar_t)ch);
	was = uselocale(utf8);
	cells = wcwidth((wchar_t)ch);
	uselocale(was);
	return cells;
}

static size_t next_cells(const char **text)
{
	int cells = char_cells(utf8_next(text));

	return cells < 0 ? 1 : (size_t)cells;
}

size_t text_cells(const char *text)
{
	size_t n = 0;

	while (*text)
		n += next_cells(&text);
	return n;
}

size_t text_fit(const char *text, size_t cells)
{
	const char *at = text, *next = text;
	size_t n = 0;

	while (*next) {
		n += next_cells(&next);
		if (n > cells)
			break;
		at = next;
	}
	return (size_t)(at - text);
}

const char *text_tail(const char *text, size_t cells)
{
	while (text_cells(text) > cells)
		utf8_next(&text);
	return text;
}

static void add_blanks(struct sbuf *b, const char *text, size_t cells)
{
	size_t have = text_cells(text);

	while (have++ < cells)
		sbuf_addc(b, ' ');
}

void sbuf_add_padded(struct sbuf *b, const char *text, size_t cells)
{
	sbuf_add(b, text);
	add_blanks(b, text, cells);
}

void sbuf_add_right(struct sbuf *b, const char *text, size_t cells)
{
	add_blanks(b, text, cells);
	sbuf_add(b, text);
}
