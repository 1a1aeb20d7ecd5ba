/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svg - pages as SVG 1.1, written by hand: it needs no library and any program reads it. */
#include "report/canvas.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sbuf.h"

struct svg {
	struct canvas canvas;
	struct sbuf *out;
};

static const char *const pens[] = {
	[PEN_AXIS] = "stroke=\"#444\" stroke-width=\"0.8\"",
	[PEN_GRID] = "stroke=\"#ccc\" stroke-width=\"0.5\"",
	[PEN_ZERO] = "stroke=\"#888\" stroke-width=\"1\" stroke-dasharray=\"1 3\"",
};
static const char *const fills[] = {
	[FILL_RANGE] = "fill=\"#4fa8cc\" stroke=\"#1d6e91\" stroke-width=\"0.6\"",
	[FILL_SIMULATED] = "fill=\"#b9c98a\" stroke=\"#66762f\" stroke-width=\"0.6\"",
	[FILL_FLAGGED] = "fill=\"#fff3d6\" stroke=\"#a86400\" stroke-dasharray=\"3 2\"",
	[FILL_PUBLISHED] = "fill=\"url(#hatch)\" stroke=\"#555\" stroke-width=\"0.6\"",
	[FILL_MEDIAN] = "fill=\"#111\"",
};
static const char *const anchors[] = {
	[ANCHOR_LEFT] = "start", [ANCHOR_MIDDLE] = "middle", [ANCHOR_RIGHT] = "end",
};

static void line(struct canvas *c, double x, double y, double to_x, double to_y, enum pen pen,
		 const char *role)
{
	sbuf_addf(((struct svg *)c)->out, "<line class=\"%s\" x1=\"%.3f\" y1=\"%.3f\" x2=\"%.3f\" "
		  "y2=\"%.3f\" %s/>\n", role, x, y, to_x, to_y, pens[pen]);
}

static void rect(struct canvas *c, double x, double y, double w, double h, enum fill fill,
		 const char *role, int64_t id)
{
	struct sbuf *out = ((struct svg *)c)->out;

	sbuf_addf(out, "<rect class=\"%s\"", role);
	if (id)
		sbuf_addf(out, " data-result=\"%" PRId64 "\"", id);
	sbuf_addf(out, " x=\"%.3f\" y=\"%.3f\" width=\"%.3f\" height=\"%.3f\" %s/>\n", x, y, w, h,
		  fills[fill]);
}

static void add_xml(struct sbuf *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&': sbuf_add(out, "&amp;"); break;
		case '<': sbuf_add(out, "&lt;"); break;
		case '>': sbuf_add(out, "&gt;"); break;
		case '"': sbuf_add(out, "&quot;"); break;
		default: sbuf_addc(out, *text);
		}
	}
}

static void text(struct canvas *c, double x, double y, double size, enum anchor anchor,
		 bool strong, bool pale, const char *role, const char *words)
{
	struct sbuf *out = ((struct svg *)c)->out;

	sbuf_addf(out, "<text class=\"%s\" x=\"%.3f\" y=\"%.3f\" font-size=\"%g\" "
		  "text-anchor=\"%s\" fill=\"%s\"%s>", role, x, y, size, anchors[anchor],
		  pale ? "#666" : "#111", strong ? " font-weight=\"bold\"" : "");
	add_xml(out, words);
	sbuf_add(out, "</text>\n");
}

void report_svg(const struct report_picture *p, size_t n, const char *date, struct sbuf *out)
{
	struct svg s = { .canvas = { .line = line, .rect = rect, .text = text }, .out = out };
	double length = pages_length(p, n);

	sbuf_addf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%g\" "
		  "viewBox=\"0 0 %d %g\" font-family=\"DejaVu Sans, Liberation Sans, Arial, "
		  "sans-serif\">\n<title>naslab results</title>\n"
		  "<defs><pattern id=\"hatch\" width=\"4\" height=\"4\" "
		  "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
		  "<rect width=\"4\" height=\"4\" fill=\"#fff\"/><line x1=\"0\" y1=\"0\" x2=\"0\" "
		  "y2=\"4\" stroke=\"#555\" stroke-width=\"1.6\"/></pattern></defs>\n"
		  "<rect class=\"page\" width=\"%d\" height=\"%g\" fill=\"#fff\"/>\n",
		  PAGE_WIDTH, length, PAGE_WIDTH, length, PAGE_WIDTH, length);
	pages_draw(&s.canvas, p, n, date, true);
	sbuf_add(out, "</svg>\n");
}
