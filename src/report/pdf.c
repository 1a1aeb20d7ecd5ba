/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pdf - pages of A4 by cairo, where it was there when naslab was built. */
#include "report/files.h"
#include "report/canvas.h"

#include "base/err.h"
#include "base/sbuf.h"

#ifdef HAVE_CAIRO
#include <cairo-pdf.h>
#include <cairo.h>

struct pdf {
	struct canvas canvas;
	cairo_t *cr;
};

static void colour(cairo_t *cr, unsigned rgb)
{
	cairo_set_source_rgb(cr, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0,
			     (rgb & 255) / 255.0);
}

static void line(struct canvas *c, double x, double y, double to_x, double to_y, enum pen pen,
		 const char *role)
{
	static const struct {
		unsigned rgb;
		double width;
	} pens[] = {
		[PEN_AXIS] = { 0x444444, 0.8 }, [PEN_GRID] = { 0xcccccc, 0.5 },
		[PEN_ZERO] = { 0x888888, 1 },
	};
	static const double dots[] = { 1, 3 };
	cairo_t *cr = ((struct pdf *)c)->cr;

	(void)role;
	colour(cr, pens[pen].rgb);
	cairo_set_line_width(cr, pens[pen].width);
	cairo_set_dash(cr, dots, pen == PEN_ZERO ? 2 : 0, 0);
	cairo_move_to(cr, x, y);
	cairo_line_to(cr, to_x, to_y);
	cairo_stroke(cr);
}

/* Lines of 45 degrees within a rectangle. */
static void hatch(cairo_t *cr, double x, double y, double w, double h)
{
	int i, n = (int)((w + h) / 5) + 1;

	cairo_save(cr);
	cairo_rectangle(cr, x, y, w, h);
	cairo_clip(cr);
	colour(cr, 0x555555);
	cairo_set_line_width(cr, 1.4);
	cairo_set_dash(cr, NULL, 0, 0);
	for (i = 0; i < n; i++) {
		cairo_move_to(cr, x - h + i * 5, y + h);
		cairo_line_to(cr, x + i * 5, y);
	}
	cairo_stroke(cr);
	cairo_restore(cr);
}

static void rect(struct canvas *c, double x, double y, double w, double h, enum fill fill,
		 const char *role, int64_t id)
{
	static const struct {
		unsigned fill, edge;
		double width;
	} fills[] = {
		[FILL_RANGE] = { 0x4fa8cc, 0x1d6e91, 0.6 },
		[FILL_SIMULATED] = { 0xb9c98a, 0x66762f, 0.6 },
		[FILL_FLAGGED] = { 0xfff3d6, 0xa86400, 1 },
		[FILL_PUBLISHED] = { 0xffffff, 0x555555, 0.6 },
		[FILL_MEDIAN] = { 0x111111, 0x111111, 0 },
	};
	static const double dashes[] = { 3, 2 };
	cairo_t *cr = ((struct pdf *)c)->cr;

	(void)role;
	(void)id;
	colour(cr, fills[fill].fill);
	cairo_rectangle(cr, x, y, w, h);
	cairo_fill(cr);
	if (fill == FILL_PUBLISHED)
		hatch(cr, x, y, w, h);
	if (!(fills[fill].width > 0))
		return;
	colour(cr, fills[fill].edge);
	cairo_set_line_width(cr, fills[fill].width);
	cairo_set_dash(cr, dashes, fill == FILL_FLAGGED ? 2 : 0, 0);
	cairo_rectangle(cr, x, y, w, h);
	cairo_stroke(cr);
}

static void text(struct canvas *c, double x, double y, double size, enum anchor anchor,
		 bool strong, bool pale, const char *role, const char *words)
{
	cairo_t *cr = ((struct pdf *)c)->cr;
	cairo_text_extents_t t;

	(void)role;
	cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
			       strong ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, size);
	colour(cr, pale ? 0x666666 : 0x111111);
	cairo_text_extents(cr, words, &t);
	if (anchor != ANCHOR_LEFT)
		x -= anchor == ANCHOR_MIDDLE ? t.x_advance / 2 : t.x_advance;
	cairo_move_to(cr, x, y);
	cairo_show_text(cr, words);
}

static void next_page(struct canvas *c)
{
	cairo_show_page(((struct pdf *)c)->cr);
}

static cairo_status_t add(void *out, const unsigned char *data, unsigned length)
{
	sbuf_addn(out, (const char *)data, length);
	return CAIRO_STATUS_SUCCESS;
}

int pdf_write(const struct report_picture *p, size_t n, const char *date, struct sbuf *out,
	      struct err *e)
{
	cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(add, out, PAGE_WIDTH,
								       PAGE_HEIGHT);
	struct pdf d = {
		.canvas = { .line = line, .rect = rect, .text = text, .next_page = next_page },
		.cr = cairo_create(surface),
	};
	cairo_status_t status;

	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, "naslab results");
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "naslab " VERSION);
	pages_draw(&d.canvas, p, n, date, false);
	cairo_show_page(d.cr);
	status = cairo_status(d.cr);
	cairo_destroy(d.cr);
	cairo_surface_finish(surface);
	if (!status)
		status = cairo_surface_status(surface);
	cairo_surface_destroy(surface);
	return status ? err_set(e, ERR_FAIL, "cairo cannot draw the PDF: %s",
				cairo_status_to_string(status)) : 0;
}

#endif
