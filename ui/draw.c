/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * draw - text and pictures onto cells, with the widths of a terminal in mind: what does
 * not fit is cut with ~ on the side that was cut, never in the middle of a character.
 */
#include "ui/draw.h"

#include <stdarg.h>
#include <string.h>

unsigned draw_width(const char *text)
{
	unsigned width = 0;
	int w;

	while (*text) {
		w = term_width(utf8_next(&text));
		if (w > 0)
			width += (unsigned)w;
	}
	return width;
}

/* Put text from col to at most `end`; returns the column behind it. */
static unsigned put_until(unsigned row, unsigned col, unsigned end, enum paint paint,
			  const char *text)
{
	unsigned rows, cols;

	term_size(&rows, &cols);
	if (end > cols)
		end = cols;
	if (row >= rows)
		return col;
	while (*text && col < end) {
		uint32_t ch = utf8_next(&text);
		int w = term_width(ch);

		if (w < 0) {
			ch = '?';
			w = 1;
		}
		if (w == 0)
			continue;
		if (col + (unsigned)w > end) {
			term_put(row, col++, '~', paint);
			break;
		}
		term_put(row, col, ch, paint);
		col += (unsigned)w;
	}
	return col;
}

unsigned draw_text(unsigned row, unsigned col, enum paint paint, const char *text)
{
	return put_until(row, col, ~0u, paint, text);
}

unsigned draw_textf(unsigned row, unsigned col, enum paint paint, const char *fmt, ...)
{
	struct sbuf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	sbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	col = draw_text(row, col, paint, sbuf_str(&b));
	sbuf_done(&b);
	return col;
}

void draw_cell(unsigned row, unsigned col, unsigned width, enum paint paint, enum cut cut,
	       const char *text)
{
	unsigned have = draw_width(text), end = col + width;

	if (!width)
		return;
	if (have > width && cut == CUT_START) {
		unsigned skip = have - width + 1;

		while (*text && skip) {
			int w = term_width(utf8_next(&text));

			skip -= w > 0 && (unsigned)w <= skip ? (unsigned)w : w > 0 ? skip : 0;
		}
		col = put_until(row, col, end, paint, "~");
		col = put_until(row, col, end, paint, text);
	} else if (have > width) {
		col = put_until(row, col, end - 1, paint, text);
		while (col < end - 1)
			col = put_until(row, col, end, paint, " ");
		col = put_until(row, col, end, paint, "~");
	} else {
		col = put_until(row, col, end, paint, text);
	}
	while (col < end) {
		unsigned was = col;

		col = put_until(row, col, end, paint, " ");
		if (col == was)
			break;
	}
}

void draw_right(unsigned row, unsigned col, unsigned width, enum paint paint, const char *text)
{
	unsigned have = draw_width(text), i;

	for (i = 0; have < width && i < width - have; i++)
		draw_text(row, col + i, paint, " ");
	draw_cell(row, col + i, width - i, paint, CUT_START, text);
}

unsigned draw_wrapped(struct area a, enum paint paint, const char *text)
{
	unsigned used = 0;

	while (*text && used < a.rows) {
		const char *p = text, *cut = NULL, *next = NULL;
		unsigned width = 0;
		struct sbuf b = { 0 };

		while (*p && *p != '\n') {
			const char *was = p;
			int w = term_width(utf8_next(&p));

			width += w > 0 ? (unsigned)w : 0;
			if (width > a.cols) {
				if (!cut)
					cut = next = was;
				break;
			}
			if (*was == ' ') {
				cut = was;
				next = p;
			}
		}
		if (width <= a.cols) {
			cut = p;
			next = *p == '\n' ? p + 1 : p;
		}
		if (next == text)
			break;
		sbuf_addn(&b, text, (size_t)(cut - text));
		if (used + 1 == a.rows && *next)
			sbuf_add(&b, " ~");
		draw_cell(a.row + used, a.col, a.cols, paint, CUT_END, sbuf_str(&b));
		sbuf_done(&b);
		used++;
		text = next;
	}
	return used;
}

void draw_rule(unsigned row, unsigned col, unsigned width, const char *left, const char *right)
{
	unsigned end = col + width, i, len;

	for (i = col; i < end; i++)
		draw_text(row, i, PAINT_TEXT, "─");
	i = col + 3;
	if (left && *left && width > 8) {
		len = draw_width(left);
		if (len > width - 7)
			len = width - 7;
		draw_text(row, col + 2, PAINT_TEXT, " ");
		draw_cell(row, col + 3, len, PAINT_TEXT, CUT_END, left);
		draw_text(row, col + 3 + len, PAINT_TEXT, " ");
		i = col + 3 + len + 1;
	}
	if (right && *right) {
		len = draw_width(right);
		if (i + len + 4 > end)
			return;
		draw_text(row, end - len - 4, PAINT_TEXT, " ");
		draw_text(row, end - len - 3, PAINT_TEXT, right);
		draw_text(row, end - 3, PAINT_TEXT, " ");
	}
}

void draw_line_down(unsigned row, unsigned col, unsigned rows)
{
	unsigned i;

	for (i = 0; i < rows; i++)
		draw_text(row + i, col, PAINT_TEXT, "│");
}

void draw_clear(struct area a)
{
	unsigned r;

	for (r = 0; r < a.rows; r++)
		draw_cell(a.row + r, a.col, a.cols, PAINT_TEXT, CUT_END, "");
}

void draw_box(struct area a, const char *title)
{
	unsigned r, c;

	draw_clear(a);
	for (c = 1; c + 1 < a.cols; c++) {
		draw_text(a.row, a.col + c, PAINT_TEXT, "─");
		draw_text(a.row + a.rows - 1, a.col + c, PAINT_TEXT, "─");
	}
	for (r = 1; r + 1 < a.rows; r++) {
		draw_text(a.row + r, a.col, PAINT_TEXT, "│");
		draw_text(a.row + r, a.col + a.cols - 1, PAINT_TEXT, "│");
	}
	draw_text(a.row, a.col, PAINT_TEXT, "┌");
	draw_text(a.row, a.col + a.cols - 1, PAINT_TEXT, "┐");
	draw_text(a.row + a.rows - 1, a.col, PAINT_TEXT, "└");
	draw_text(a.row + a.rows - 1, a.col + a.cols - 1, PAINT_TEXT, "┘");
	if (title && a.cols > 8) {
		unsigned width = draw_width(title) < a.cols - 6 ? draw_width(title) : a.cols - 6;

		draw_text(a.row, a.col + 2, PAINT_TEXT, " ");
		draw_cell(a.row, a.col + 3, width, PAINT_TEXT, CUT_END, title);
		draw_text(a.row, a.col + 3 + width, PAINT_TEXT, " ");
	}
}

static enum paint ink_paint(enum ink ink)
{
	switch (ink) {
	case INK_USABLE:
	case INK_RANGE:
	case INK_COLUMN:	return PAINT_USABLE;
	case INK_REDUNDANCY:	return PAINT_REDUNDANCY;
	case INK_DOUBT:		return PAINT_REDUNDANCY;	/* yellow; the fill leads */
	case INK_CACHE:		return PAINT_CACHE;
	case INK_OVERHEAD:	return PAINT_OVERHEAD;
	case INK_FAILED:	return PAINT_FAILED;
	case INK_REBUILD:	return PAINT_REBUILD;
	case INK_MEDIAN:	return PAINT_BOLD;
	default:		return PAINT_TEXT;
	}
}

void draw_grid(unsigned row, unsigned col, const struct grid *g)
{
	enum tier tier = term_tier();
	unsigned r, c;

	for (r = 0; r < g->rows; r++) {
		for (c = 0; c < g->cols; c++) {
			const struct cell *cell = &g->cells[r * g->cols + c];

			if (cell->ink != INK_NONE)
				draw_text(row + r, col + c, ink_paint(cell->ink),
					  cell_glyph(cell, tier));
		}
	}
}

const char *safe_text(const char *raw)
{
	static struct sbuf ring[8];
	static unsigned next;
	struct sbuf *b = &ring[next++ % 8];
	size_t i;

	sbuf_clear(b);
	sbuf_add_safe(b, raw ? raw : "");
	for (i = b->len; i && b->text[i - 1] == ' '; i--)
		;
	if (b->text)
		b->text[i] = '\0';
	return sbuf_str(b);
}
