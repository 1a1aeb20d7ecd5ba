/* SPDX-License-Identifier: GPL-2.0-or-later */
/* widgets - a list that scrolls and a field that is typed into. */
#include "ui/ui.h"

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

bool field_key(struct field *f, uint32_t key)
{
	bool offered = f->offered;

	f->offered = false;
	switch (key) {
	case UK_LEFT:
		f->at -= f->at > 0;
		return true;
	case UK_RIGHT:
		f->at += f->at < f->len;
		return true;
	case UK_HOME:
		f->at = 0;
		return true;
	case UK_END:
		f->at = f->len;
		return true;
	case UK_BACKSPACE:
		if (f->at)
			field_cut(f, f->at - 1, f->at);
		return true;
	case UK_DELETE:
		if (f->at < f->len)
			field_cut(f, f->at, f->at + 1);
		return true;
	case 'U' & 0x1f:
		field_cut(f, 0, f->at);
		return true;
	default:
		break;
	}
	if (key < 0x20 || key >= 0x7f) {
		f->offered = offered;	/* it is no key of the field */
		return false;
	}
	if (offered)
		field_cut(f, 0, f->len);
	if (f->len + 1 < sizeof(f->text)) {
		memmove(f->text + f->at + 1, f->text + f->at, f->len - f->at + 1);
		f->text[f->at++] = (char)key;
		f->len++;
	}
	return true;
}

void field_draw(struct ui *ui, const struct field *f, unsigned row, unsigned col, unsigned width,
		bool active)
{
	unsigned room = width > 3 ? width - 2 : 1;
	size_t from = 0;

	if (active && f->at >= room)
		from = f->at - room + 1;
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
		ui_cursor(ui, row, col + 1 + (unsigned)(f->at - from));
}
