/* SPDX-License-Identifier: GPL-2.0-or-later */
/* csv - tables of others, read strictly: what is not well formed is refused with its line. */
#include "report/csv.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"

enum { MOST_FIELD = 4096, MOST_ROWS = 1000000, MOST_COLUMNS = 256 };

struct reader {
	struct arena *arena;
	const char *name, *at, *end;
	size_t line;
};

/* One field; *last: it was the last of its line. */
static int field(struct reader *r, const char **out, bool *last, struct err *e)
{
	struct sbuf text = { 0 };
	size_t line = r->line;
	bool quoted = r->at < r->end && *r->at == '"';

	r->at += quoted;
	for (; r->at < r->end; r->at++) {
		if (quoted && *r->at == '"') {
			if (r->at + 1 == r->end || r->at[1] != '"') {
				r->at++;
				quoted = false;
				if (r->at < r->end && !strchr(",\r\n", *r->at))
					goto bad;
				break;
			}
			r->at++;
		} else if (!quoted && strchr(",\r\n", *r->at)) {
			break;
		} else if (!quoted && *r->at == '"') {
			goto bad;
		}
		r->line += *r->at == '\n';
		sbuf_addc(&text, *r->at);
		if (text.len > MOST_FIELD) {
			sbuf_done(&text);
			return err_set(e, ERR_FAIL, "%s line %zu: a field is longer than %d bytes",
				       r->name, line, MOST_FIELD);
		}
	}
	if (quoted)
		goto bad;
	*out = arena_strdup(r->arena, sbuf_str(&text));
	sbuf_done(&text);
	*last = r->at == r->end || *r->at != ',';
	if (*last && r->at < r->end) {
		r->at += *r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n';
		r->line += *r->at == '\n';
	}
	r->at += r->at < r->end;
	return 0;
bad:
	sbuf_done(&text);
	return err_set(e, ERR_FAIL, "%s line %zu: a quote stands where none may be", r->name, line);
}

static bool blank(struct reader *r)
{
	if (*r->at != '\n' && *r->at != '\r')
		return false;
	r->line += *r->at == '\n';
	r->at++;
	return true;
}

static int check_bytes(const char *name, const char *text, size_t len, struct err *e)
{
	size_t i = 0;

	if (memchr(text, '\0', len))
		return err_set(e, ERR_FAIL, "%s is no text: it holds a NUL byte", name);
	while (i < len) {
		unsigned char c = (unsigned char)text[i];
		size_t more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 :
			      c >= 0xf0 && c < 0xf5 ? 3 : 9;

		if (more == 9 || i + more >= len + (more == 0))
			return err_set(e, ERR_FAIL, "%s is no UTF-8 text", name);
		for (i++; more; more--, i++) {
			if (((unsigned char)text[i] & 0xc0) != 0x80)
				return err_set(e, ERR_FAIL, "%s is no UTF-8 text", name);
		}
	}
	return 0;
}

int csv_read(struct arena *a, const char *name, const char *text, size_t len, struct csv *out,
	     struct err *e)
{
	struct reader r = { .arena = a, .name = name, .at = text, .end = text + len, .line = 1 };
	const char *titles[MOST_COLUMNS];
	size_t room = 0, line, n;
	struct list fields = { 0 };
	bool last = false;

	*out = (struct csv){ 0 };
	if (check_bytes(name, text, len, e) < 0)
		return -1;
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		r.at += 3;	/* a byte order mark, as spreadsheets write it */
	while (r.at < r.end) {
		if (blank(&r))
			continue;
		line = r.line;
		for (n = 0, last = false; !last; n++) {
			const char *word = NULL;

			if (n == MOST_COLUMNS)
				return err_set(e, ERR_FAIL, "%s line %zu: more than %d columns", name,
					       line, MOST_COLUMNS);
			if (field(&r, &word, &last, e) < 0)
				return -1;
			if (!out->columns)
				titles[n] = word;
			else
				list_add(a, &fields, (void *)(uintptr_t)word);
		}
		if (!out->columns) {
			out->columns = n;
			out->titles = arena_array(a, n, sizeof(*out->titles));
			memcpy(out->titles, titles, n * sizeof(*titles));
			continue;
		}
		if (n != out->columns)
			return err_set(e, ERR_FAIL, "%s line %zu has %zu fields, the first line %zu",
				       name, line, n, out->columns);
		if (out->rows == MOST_ROWS)
			return err_set(e, ERR_FAIL, "%s has more than %d lines", name, MOST_ROWS);
		if (out->rows == room) {
			size_t *more = arena_array(a, room * 2 + 64, sizeof(*more));

			if (room)
				memcpy(more, out->lines, room * sizeof(*more));
			out->lines = more;
			room = room * 2 + 64;
		}
		out->lines[out->rows++] = line;
	}
	if (!out->rows)
		return err_set(e, ERR_FAIL, "%s holds no line of values", name);
	out->fields = (const char **)fields.at;
	return 0;
}

int csv_column(const struct csv *c, const char *title)
{
	size_t i;

	for (i = 0; i < c->columns; i++) {
		if (!strcmp(c->titles[i], title))
			return (int)i;
	}
	return -1;
}

const char *csv_field(const struct csv *c, size_t row, int column)
{
	return column < 0 ? "" : c->fields[row * c->columns + (size_t)column];
}
