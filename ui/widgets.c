/* SPDX-License-Identifier: GPL-2.0-or-later */
/* widgets - a list that scrolls and a field that is typed into. */
#include "ui/ui.h"

#include <stdlib.h>
#include <string.h>

enum react roll_act(struct roll *r, int act, unsigned page)
{
	size_t last = r->n ? r->n - 1 : 0;

	if (!page)
		page = 1;
	switch (act) {
	case ACT_UP:
		r->at -= r->at > 0;
		return REACT_DONE;
	case ACT_DOWN:
		r->at += r->at < last;
		return REACT_DONE;
	case ACT_PGUP:
		r->at -= r->at > page ? page : r->at;
		return REACT_DONE;
	case ACT_PGDN:
		r->at = r->at + page < last ? r->at + page : last;
		return REACT_DONE;
	case ACT_TOP:
		r->at = 0;
		return REACT_DONE;
	case ACT_END:
		r->at = last;
		return REACT_DONE;
	default:
		return REACT_UNKNOWN;
	}
}

void roll_fit(struct roll *r, size_t n, unsigned rows)
{
	r->n = n;
	if (r->at >= n)
		r->at = n ? n - 1 : 0;
	if (!rows)
		rows = 1;
	if (r->at < r->top)
		r->top = r->at;
	if (r->at >= r->top + rows)
		r->top = r->at - rows + 1;
	if (r->top && r->top + rows > n)
		r->top = n > rows ? n - rows : 0;
}

void field_set(struct field *f, const char *text)
{
	f->len = strlen(text);
	if (f->len >= sizeof(f->text))
		f->len = sizeof(f->text) - 1;
	memcpy(f->text, text, f->len);
	f->text[f->len] = '\0';
	f->at = f->len;
	f->offered = f->len > 0;
}

static void field_cut(struct field *f, size_t from, size_t to)
{
	memmove(f->text + from, f->text + to, f->len - to + 1);
	f->len -= to - from;
	f->at = from;
}

/* Where the character before byte `at` begins, and where the one behind it does. */
static size_t char_before(const struct field *f, size_t at)
{
	while (at && ((unsigned char)f->text[--at] & 0xc0) == 0x80)
		;
	return at;
}

static size_t char_after(const struct field *f, size_t at)
{
	const char *next = f->text + at;

	if (*next)
		utf8_next(&next);
	return (size_t)(next - f->text);
}

/* A character of the line, beyond ASCII where the terminal sends whole ones. */
static bool is_typed(uint32_t key)
{
	return key >= 0x20 && key != 0x7f && key < UK_UP &&
	       (key < 0x7f || (MB_CUR_MAX > 1 && char_cells(key) > 0));
}

bool field_key(struct field *f, uint32_t key)
{
	bool offered = f->offered;
	char bytes[5];
	size_t n;

	f->offered = false;
	switch (key) {
	case UK_LEFT:
		f->at = char_before(f, f->at);
		return true;
	case UK_RIGHT:
		f->at = char_after(f, f->at);
		return true;
	case UK_HOME:
		f->at = 0;
		return true;
	case UK_END:
		f->at = f->len;
		return true;
	case UK_BACKSPACE:
		if (f->at)
			field_cut(f, char_before(f, f->at), f->at);
		return true;
	case UK_DELETE:
		if (f->at < f->len)
			field_cut(f, f->at, char_after(f, f->at));
		return true;
	case 'U' & 0x1f:
		field_cut(f, 0, f->at);
		return true;
	default:
		break;
	}
	if (!is_typed(key)) {
		f->offered = offered;	/* it is no key of the field */
		return false;
	}
	if (offered)
		field_cut(f, 0, f->len);
	n = utf8_put(bytes, key);
	if (f->len + n < sizeof(f->text)) {
		memmove(f->text + f->at + n, f->text + f->at, f->len - f->at + 1);
		memcpy(f->text + f->at, bytes, n);
		f->at += n;
		f->len += n;
	}
	return true;
}

/* Cells from byte `from` up to the cursor. */
static unsigned cells_to_cursor(const struct field *f, size_t from)
{
	char part[sizeof(f->text)];

	memcpy(part, f->text + from, f->at - from);
	part[f->at - from] = '\0';
	return draw_width(part);
}

void field_draw(struct ui *ui, const struct field *f, unsigned row, unsigned col, unsigned width,
		bool active)
{
	unsigned room = width > 3 ? width - 2 : 1;
	size_t from = 0;

	while (active && cells_to_cursor(f, from) >= room)
		from = char_after(f, from);
	draw_text(row, col, PAINT_TEXT, "[");
	if (active && f->offered && draw_width(f->text) < room) {
		unsigned end = draw_text(row, col + 1, PAINT_CHOSEN, f->text);

		draw_cell(row, end, col + 1 + room - end, PAINT_TEXT, CUT_END, "");
	} else {
		draw_cell(row, col + 1, room, active ? PAINT_BOLD : PAINT_TEXT, CUT_END,
			  f->text + from);
	}
	if (from)
		draw_text(row, col + 1, PAINT_TEXT, "~");
	draw_text(row, col + 1 + room, PAINT_TEXT, "]");
	if (active)
		ui_cursor(ui, row, col + 1 + cells_to_cursor(f, from));
}
