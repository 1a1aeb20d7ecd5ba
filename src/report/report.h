/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "bench/bench.h"
#include "bench/statistics.h"

struct arena;
struct err;
struct grid;
struct sbuf;
struct store;

/*
 * Results as people read them: pictures of bars, comparisons, files to hand on, and others'
 * numbers read in. Works on the array of results with their runs that
 * store_results_with_runs() gives; it stays the caller's, and must outlive what points to it.
 */

struct report_filter {
	const char *class, *op;	/* NULL: all */
	bool durable;		/* until it was on the disks, not until the last close */
	bool every;		/* older results of the same layout too */
	bool by_layout;		/* a picture for each layout with its classes, not the other way */
	const char *campaign;	/* only what it measured; NULL: all */
};

struct report_bar {
	const char *label;	/* the layout; from outside */
	const char *facts;	/* "n 7, scale 1, on nas, kernel 6.1.0, 2026-11-12, cached" */
	int64_t id;
	double min, median, max;	/* as in the result; NAN: not known */
	size_t n;		/* runs; 0: not told */
	unsigned flags;
	const char *letters;	/* of the flags: "P n" */
	bool flagged;		/* one of them puts the number in doubt */
	uint64_t ram_limit;	/* bytes of memory it was held to; 0: to none */
	bool published, simulated;
	const json_t *result;
};

/* One class and operation, the layouts side by side; by_layout: one layout, its classes. */
struct report_picture {
	const char *title;	/* "12G, write, felt" */
	const char *about;	/* "one file of 12.0 GB, scale 1, cache cold" */
	const char *class, *op;
	bool durable;
	double scale;
	struct report_bar *bars;
	size_t n, older;	/* older: results of the same layouts that are not drawn */
	const struct bench_unit *unit;	/* of all its bars */
	double top;		/* at the right edge, a round number of the unit */
};

/* Smallest class first, write before read. */
void report_pictures(struct arena *a, const json_t *results, const struct report_filter *f,
		     struct report_picture **out, size_t *n);

/* The rates of a result's runs in the order they ran. Returns how many. */
size_t report_values(struct arena *a, const json_t *result, bool durable, double **values);

/* Do both tell their memory, and is it not about the same? */
bool report_other_memory(const json_t *a, const json_t *b);
/* Why two results have no ratio: "other machine", "other scale"; NULL: they have one. */
const char *report_apart(const json_t *a, const json_t *b);

struct report_pair {
	const json_t *a, *b;	/* the results */
	struct stats sa, sb;
	struct comparison c;	/* of b with a; only when why is NULL */
	const char *why;	/* why there is no ratio */
};

/*
 * Two results by ID; or two layouts over all classes both were measured in, each by the
 * build's name, the label, or a part of a label that only one has. Newest results.
 */
int report_compare(struct arena *a, const json_t *results, const char *one, const char *other,
		   const struct report_filter *f, struct report_pair **out, size_t *n,
		   struct err *e);
json_t *report_pairs_json(const struct report_pair *pairs, size_t n, bool durable);

/*
 * For a terminal of so many columns (60 to 160); the screens draw the same. The grid is
 * made here and is the caller's. Text from outside is made safe.
 */
void report_picture_grid(const struct report_picture *p, unsigned columns, struct grid *g);
void report_pairs_grid(const struct report_pair *pairs, size_t n, unsigned columns,
		       struct grid *g);
/* A pair in sentences: "B is 1.53 times A (1.38 to 1.66), real, p = 0.0006: ..." */
void report_pair_words(const struct report_pair *p, struct sbuf *out);
/* One result: confidence, drift, outliers, one line each. */
void report_result_words(struct arena *a, const json_t *result, bool durable, struct sbuf *out);

/* Files. SVG is always there; PDF needs cairo and XLSX libxlsxwriter, else a sentence. */
bool report_has_pdf(void);
bool report_has_xlsx(void);
void report_svg(const struct report_picture *p, size_t n, const char *date, struct sbuf *out);
int report_pdf(struct arena *a, const json_t *results, const struct report_filter *f,
	       const char *date, struct sbuf *out, struct err *e);
int report_xlsx(struct arena *a, const json_t *results, const struct report_filter *f,
		const char *date, struct sbuf *out, struct err *e);

/* The folder the published tables are read from: $NASLAB_REFERENCE, beside the program, or
 * the installed one. */
const char *report_reference_folder(void);

/*
 * Others' numbers: kind "naslab" (its CSV or JSON), "fio" (its JSON) or "published" (a
 * mapping, FILE.map, that says what the columns of a table mean); NULL: what it looks like.
 * A bare name that is no file may be one of the shipped mappings.
 * All or nothing; a file that was read before is refused.
 */
int report_import(struct store *st, const char *path, const char *kind, size_t *added,
		  struct err *e);

/*
 * A label in at most `width` cells, made safe: its head; when that is the head of another of
 * the n labels too, from where it differs. '~' stands where something was cut.
 */
const char *label_cut(struct arena *a, const char *label, const char *const *labels, size_t n,
		      size_t width);

/* "csv", "json", "xlsx", "svg" or "pdf"? */
bool report_is_format(const char *word);
/* What the filter lets through of the results, and no other stays in them, in that format. */
int report_export(struct arena *a, json_t *results, const struct report_filter *f,
		  const char *format, struct sbuf *out, struct err *e);

#endif
