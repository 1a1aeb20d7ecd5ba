/* SPDX-License-Identifier: GPL-2.0-or-later */
/* picture - results become pictures: which bars stand side by side, and what is said of each. */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/units.h"
#include "chart/chart.h"
#include "report/words.h"

double result_rate(const json_t *result, const char *which, bool durable)
{
	double rate = bench_rate(result, which, durable);

	/* a range told in words may begin at zero; a measured rate of zero is none */
	return rate > 0 || (rate >= 0 && !strcmp(which, "min")) ? rate : NAN;
}

double result_scale(const json_t *result)
{
	const json_t *v = json_object_get(result, "scale");

	return json_is_number(v) ? json_number_value(v) : 1;
}

bool result_has_flag(const json_t *result, const char *word)
{
	const json_t *flag;
	size_t i;

	json_array_foreach(json_object_get(result, "flags"), i, flag) {
		if (json_is_string(flag) && !strcmp(json_string_value(flag), word))
			return true;
	}
	return false;
}

const char *result_str(const json_t *result, const char *key)
{
	const char *s = json_str(result, key);

	return s ? s : "";
}

const char *result_label(const json_t *result)
{
	const char *variant = json_str(result, "variant"), *label = json_str(result, "label");

	return variant ? variant : label ? label : "?";
}

enum bench_op op_find(const char *word)
{
	int op = 0;

	while (op < BENCH_OPS && strcmp(bench_op_word((enum bench_op)op), word) != 0)
		op++;
	return (enum bench_op)op;
}

bool result_reads(const json_t *result)
{
	enum bench_op op = op_find(result_str(result, "op"));

	return op < BENCH_OPS && !bench_op_writes(op);
}

/* Of our own older ones it was naslab itself. */
const char *result_engine(const json_t *result)
{
	const char *engine = json_str(result, "engine");

	return engine ? engine : json_str(result, "published") ? "" : "naslab";
}

/* A published table may tell how many runs it was, without their values. */
size_t result_runs(const json_t *result)
{
	const json_t *runs = json_object_get(result, "runs");
	size_t n = json_is_array(runs) ? json_array_size(runs) : (size_t)json_u64(result, "runs", 0);

	return n;
}

size_t report_values(struct arena *a, const json_t *result, bool durable, double **values)
{
	const json_t *runs = json_object_get(result, "runs"), *run;
	const char *key = bench_unit(result)->key;
	size_t n = 0, i;

	*values = arena_array(a, json_array_size(runs) + 1, sizeof(**values));
	json_array_foreach(runs, i, run) {
		const json_t *v = json_object_get(run, arena_printf(a, "%s%s",
						  durable ? "durable_" : "", key));

		if (json_is_number(v) && json_number_value(v) > 0)
			(*values)[n++] = json_number_value(v);
	}
	return n;
}

const char *result_date(const json_t *result, char buf[DATE_TEXT])
{
	time_t s = (time_t)(json_u64(result, "at_ns", 0) / 1000000000u);
	struct tm tm;

	if (json_str(result, "published")) {	/* the day it was read in says nothing */
		snprintf(buf, DATE_TEXT, "%s", result_str(result, "date"));
		return buf;
	}
	localtime_r(&s, &tm);
	strftime(buf, DATE_TEXT, "%Y-%m-%d", &tm);
	return buf;
}

static void add_fact(struct sbuf *out, const char *before, const char *text)
{
	if (!text || !*text)
		return;
	sbuf_addf(out, "%s%s", out->len ? ", " : "", before);
	sbuf_add_safe(out, text);
}

/* What has to be printed beside a bar wherever it goes. */
static const char *facts_of(struct arena *a, const json_t *r)
{
	char date[DATE_TEXT], size[SIZE_TEXT];
	struct sbuf out = { 0 };
	const json_t *flag;
	const char *text;
	size_t i;

	if (result_runs(r))
		sbuf_addf(&out, "n %zu, ", result_runs(r));
	sbuf_addf(&out, "scale %g", result_scale(r));
	if (json_is_true(json_object_get(r, "simulated")))
		add_fact(&out, "", "simulated");
	add_fact(&out, "published: ", json_str(r, "published"));
	if (!strcmp(result_engine(r), "rsync"))
		add_fact(&out, "", "copied by rsync");
	add_fact(&out, "on ", json_str(r, "host"));
	add_fact(&out, "kernel ", json_str(r, "kernel"));
	if (json_u64(r, "memory_bytes", 0))
		add_fact(&out, json_u64(r, "ram_limit_bytes", 0) ? "RAM limited to " : "RAM ",
			 size_text(size, json_u64(r, "memory_bytes", 0), SIZE_IEC));
	add_fact(&out, "", result_date(r, date));
	json_array_foreach(json_object_get(r, "flags"), i, flag) {
		/* n says it */
		if (json_is_string(flag) && strcmp(json_string_value(flag), "few"))
			add_fact(&out, "", json_string_value(flag));
	}
	text = arena_strdup(a, sbuf_str(&out));
	sbuf_done(&out);
	return text;
}

static const char *about_of(struct arena *a, const json_t *r)
{
	char size[SIZE_TEXT];
	uint64_t files = json_u64(r, "files", 0), bytes = json_u64(r, "bytes", 0);
	struct sbuf out = { 0 };
	const char *text;

	if (bytes && files == 1)
		sbuf_addf(&out, "one file of %s, ", size_text(size, bytes, SIZE_SI));
	else if (files)
		sbuf_addf(&out, "%" PRIu64 " files, %s, ", files,
			  bytes ? size_text(size, bytes, SIZE_SI) : "empty");
	sbuf_addf(&out, "scale %g", result_scale(r));
	if (result_reads(r))
		add_fact(&out, "cache before: ", json_str(r, "cache"));
	text = arena_strdup(a, sbuf_str(&out));
	sbuf_done(&out);
	return text;
}

static void take_bar(struct arena *a, const json_t *r, bool durable, struct report_bar *b)
{
	struct sbuf letters = { 0 };

	*b = (struct report_bar){
		.label = result_label(r), .facts = facts_of(a, r),
		.id = (int64_t)json_u64(r, "id", 0), .n = result_runs(r),
		.min = result_rate(r, "min", durable), .max = result_rate(r, "max", durable),
		.median = result_rate(r, "median", durable), .result = r,
		.ram_limit = json_u64(r, "ram_limit_bytes", 0),
		.published = json_str(r, "published"),
		.simulated = json_is_true(json_object_get(r, "simulated")),
	};
	b->flags = flags_read(json_object_get(r, "flags"));
	/* what was in memory at the last close is on the disks at the end */
	if (durable && strstr(result_str(r, "op"), "write"))
		b->flags &= ~(unsigned)FLAG_CACHED;
	b->flagged = flags_doubt(b->flags);
	flags_letters(b->flags, " ", &letters);
	b->letters = arena_strdup(a, sbuf_str(&letters));
	sbuf_done(&letters);
}

static bool same_str(const json_t *a, const json_t *b, const char *key)
{
	return !strcmp(result_str(a, key), result_str(b, key));
}

/* A campaign's cell has the layout's line beside its shorter name. */
static const char *line_of(const json_t *r)
{
	return json_str(r, "campaign") ? result_str(r, "layout") : result_str(r, "label");
}

/* Measured again, or another layout? */
static bool same_layout(const json_t *a, const json_t *b)
{
	return !strcmp(line_of(a), line_of(b)) && same_str(a, b, "published") && same_str(a, b, "host") &&
	       json_is_true(json_object_get(a, "simulated")) ==
		       json_is_true(json_object_get(b, "simulated")) &&
	       !report_other_memory(a, b) &&
	       json_u64(a, "ram_limit_bytes", 0) == json_u64(b, "ram_limit_bytes", 0);
}

/* What another program copied never stands beside what we did; published numbers may. */
static bool same_engine(const json_t *a, const json_t *b)
{
	const char *x = result_engine(a), *y = result_engine(b);

	return !*x || !*y || !strcmp(x, y);
}

static bool same_class(const json_t *a, const json_t *b)
{
	return same_str(a, b, "class") && same_str(a, b, "op");
}

static bool same_picture(const json_t *a, const json_t *b, const struct report_filter *f)
{
	return same_engine(a, b) && (f->by_layout ? same_layout(a, b) : same_class(a, b)) &&
	       bench_unit(a) == bench_unit(b) && result_scale(a) == result_scale(b);
}

/* Measured before, of what one bar of a picture is? */
static bool same_bar(const json_t *a, const json_t *b, const struct report_filter *f)
{
	return f->by_layout ? same_class(a, b) : same_layout(a, b);
}

bool result_passes(const json_t *r, const struct report_filter *f)
{
	return json_str(r, "class") && json_str(r, "op") &&
	       (!f->class || !strcmp(f->class, result_str(r, "class"))) &&
	       (!f->op || !strcmp(f->op, result_str(r, "op"))) &&
	       (!f->campaign || !strcmp(f->campaign, result_str(r, "campaign"))) &&
	       (!isnan(result_rate(r, "median", f->durable)) ||
		!isnan(result_rate(r, "max", f->durable)));
}

/* The bytes of a class at scale 1; published tables seldom tell, and come last. */
static double size_of(const struct report_picture *p)
{
	double most = 0;
	size_t i;

	for (i = 0; i < p->n; i++)
		most = fmax(most, (double)json_u64(p->bars[i].result, "bytes", 0) / p->scale);
	return most > 0 ? most : 1e30;
}

static int by_size(const void *x, const void *y)
{
	const struct report_picture *a = x, *b = y;
	double sa = size_of(a), sb = size_of(b);
	int by_class = strcmp(a->class, b->class), by_op = (int)op_find(a->op) - (int)op_find(b->op);

	if (fabs(sa - sb) > 0.02 * fmax(sa, sb))
		return (sa > sb) - (sa < sb);
	if (by_class || by_op)
		return by_class ? by_class : by_op;
	return (a->scale > b->scale) - (a->scale < b->scale);
}

/* Of bars that are classes: the small files first, writing before reading. */
static int bar_by_size(const void *x, const void *y)
{
	const struct report_bar *a = x, *b = y;
	double sa = (double)json_u64(a->result, "bytes", 0), sb = (double)json_u64(b->result, "bytes", 0);
	int by_class = strcmp(result_str(a->result, "class"), result_str(b->result, "class"));

	if (fabs(sa - sb) > 0.02 * fmax(sa, sb))
		return (sa > sb) - (sa < sb);
	return by_class ? by_class : strcmp(result_str(b->result, "op"), result_str(a->result, "op"));
}

static const char *title_of(struct arena *a, const json_t *r, const struct report_filter *f)
{
	bool seconds = !strcmp(bench_unit(r)->word, "seconds");	/* of a build: one clock */
	const char *clock = seconds ? "seconds" : f->durable ? "durable" : "felt";
	const char *by = !strcmp(result_engine(r), "rsync") ? " by rsync" : "";

	if (f->by_layout)
		return arena_printf(a, "%s%s, %s", result_label(r), by, clock);
	return arena_printf(a, "%s, %s%s, %s", result_str(r, "class"), result_str(r, "op"), by, clock);
}

static const char *layout_about(struct arena *a, const json_t *r)
{
	return arena_printf(a, "scale %g", result_scale(r));
}

/* Measured in an order that was drawn by lot, shown in that of the file. */
static int bar_by_row(const void *x, const void *y)
{
	const struct report_bar *a = x, *b = y;
	uint64_t ra = json_u64(a->result, "row", 0), rb = json_u64(b->result, "row", 0);
	uint64_t ia = json_u64(a->result, "id", 0), ib = json_u64(b->result, "id", 0);

	return ra != rb ? (ra > rb) - (ra < rb) : (ia > ib) - (ia < ib);
}

static bool of_one_campaign(const struct report_picture *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		const json_t *r = p->bars[i].result;

		if (!json_u64(r, "row", 0) ||
		    json_u64(r, "campaign_id", 0) != json_u64(p->bars[0].result, "campaign_id", 0))
			return false;
	}
	return p->n;
}

static void make_picture(struct arena *a, const json_t *results, size_t first,
			 const struct report_filter *f, struct report_picture *p)
{
	const json_t *r = json_array_get(results, first), *other;
	double most = 0;
	size_t i, k;

	*p = (struct report_picture){
		.title = title_of(a, r, f), .about = f->by_layout ? layout_about(a, r) : about_of(a, r),
		.class = f->by_layout ? result_label(r) : result_str(r, "class"),
		.op = f->by_layout ? "" : result_str(r, "op"),
		.durable = f->durable, .scale = result_scale(r), .unit = bench_unit(r),
		.bars = arena_array(a, json_array_size(results), sizeof(*p->bars)),
	};
	for (i = first; i < json_array_size(results); i++) {
		other = json_array_get(results, i);
		if (!result_passes(other, f) || !same_picture(r, other, f))
			continue;
		for (k = 0; !f->every && k < p->n; k++) {
			if (same_bar(p->bars[k].result, other, f))
				break;
		}
		if (f->every || k == p->n) {
			take_bar(a, other, f->durable, &p->bars[p->n++]);
		} else {	/* newer ones come later; half of one is worth less than an older whole */
			if (!result_has_flag(other, "partial") ||
			    result_has_flag(p->bars[k].result, "partial"))
				take_bar(a, other, f->durable, &p->bars[k]);
			p->older++;
		}
	}
	for (i = 0; f->by_layout && i < p->n; i++)
		p->bars[i].label = arena_printf(a, "%s, %s", result_str(p->bars[i].result, "class"),
						result_str(p->bars[i].result, "op"));
	if (f->by_layout && p->n)
		qsort(p->bars, p->n, sizeof(*p->bars), bar_by_size);
	else if (of_one_campaign(p))
		qsort(p->bars, p->n, sizeof(*p->bars), bar_by_row);
	for (i = 0; i < p->n; i++) {
		most = fmax(most, fmax(isnan(p->bars[i].max) ? 0 : p->bars[i].max,
				       isnan(p->bars[i].median) ? 0 : p->bars[i].median));
	}
	p->top = chart_top(most / p->unit->one) * p->unit->one;
}

void report_pictures(struct arena *a, const json_t *results, const struct report_filter *f,
		     struct report_picture **out, size_t *n)
{
	struct report_picture *all = arena_array(a, json_array_size(results) + 1, sizeof(*all));
	size_t i, k, count = 0;

	for (i = 0; i < json_array_size(results); i++) {
		const json_t *r = json_array_get(results, i);

		if (!result_passes(r, f))
			continue;
		for (k = 0; k < count; k++) {
			if (same_picture(all[k].bars[0].result, r, f))
				break;
		}
		if (k == count)
			make_picture(a, results, i, f, &all[count++]);
	}
	if (count && !f->by_layout)	/* layouts stay in the order they were measured */
		qsort(all, count, sizeof(*all), by_size);
	*out = all;
	*n = count;
}
