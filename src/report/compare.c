/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare - two results, or two layouts over their classes; no ratio where it would mislead. */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/units.h"
#include "report/words.h"

/* Do both tell, and tell different things? */
static bool differs(const json_t *a, const json_t *b, const char *key)
{
	const char *x = json_str(a, key), *y = json_str(b, key);

	return x && y && strcmp(x, y);
}

bool report_other_memory(const json_t *a, const json_t *b)
{
	double x = (double)json_u64(a, "memory_bytes", 0), y = (double)json_u64(b, "memory_bytes", 0);

	/* another kernel keeps a little more or less of the same memory for itself */
	return (x > 0 && y > 0) && fabs(x - y) > 0.05 * fmax(x, y);
}

const char *report_apart(const json_t *a, const json_t *b)
{
	if (strcmp(result_str(a, "class"), result_str(b, "class")))
		return "other class";
	if (strcmp(result_str(a, "op"), result_str(b, "op")))
		return "other operation";
	if (bench_unit(a) != bench_unit(b))
		return "other unit";
	if (json_is_true(json_object_get(a, "simulated")) !=
	    json_is_true(json_object_get(b, "simulated")))
		return "one is simulated";
	if (strcmp(result_str(a, "published"), result_str(b, "published")) ||
	    differs(a, b, "host") || differs(a, b, "machine"))
		return "other machine";
	if (report_other_memory(a, b))
		return "other memory";
	if (*result_engine(a) && *result_engine(b) && strcmp(result_engine(a), result_engine(b)))
		return "other engine";
	if (result_scale(a) != result_scale(b))
		return "other scale";
	if (json_u64(a, "bytes", 0) != json_u64(b, "bytes", 0))
		return "other size";
	if (result_reads(a) && differs(a, b, "cache"))
		return "other cache state";
	return NULL;
}

static void take_pair(struct arena *a, const json_t *x, const json_t *y, bool durable,
		      struct report_pair *p)
{
	double *vx, *vy;
	size_t nx = report_values(a, x, durable, &vx), ny = report_values(a, y, durable, &vy);

	*p = (struct report_pair){ .a = x, .b = y, .why = report_apart(x, y) };
	p->sa = (struct stats){ result_rate(x, "median", durable), result_rate(x, "min", durable),
				result_rate(x, "max", durable), result_runs(x) };
	p->sb = (struct stats){ result_rate(y, "median", durable), result_rate(y, "min", durable),
				result_rate(y, "max", durable), result_runs(y) };
	if (nx)
		stats_of(vx, nx, &p->sa);
	if (ny)
		stats_of(vy, ny, &p->sb);
	if (!p->why && (!nx || !ny))
		p->why = "no single runs";
	if (!p->why)
		stats_compare(vx, nx, vy, ny, &p->c);
}

static const json_t *by_id(const json_t *results, const char *word)
{
	const json_t *r;
	size_t i;

	json_array_foreach(results, i, r) {
		if (json_u64(r, "id", 0) == strtoull(word, NULL, 10))
			return r;
	}
	return NULL;
}

static bool is_number(const char *word)
{
	return *word && strspn(word, "0123456789") == strlen(word) && strlen(word) < 19;
}

/*
 * The label a word stands for: a build's name, a label, or a part that only one label has.
 * NULL with the sentence set.
 */
static const char *find_label(const json_t *results, const char *word, struct err *e)
{
	const char *part = NULL, *build = NULL;
	const json_t *r;
	size_t i;

	json_array_foreach(results, i, r) {
		const char *label = result_label(r);

		if (!strcmp(label, word))
			return label;
		if (!strcmp(result_str(r, "build"), word))
			build = label;		/* the newest of that name */
	}
	if (build)
		return build;
	json_array_foreach(results, i, r) {
		const char *label = result_label(r);

		if (!strstr(label, word))
			continue;
		if (part && strcmp(part, label)) {
			err_set(e, ERR_USAGE, "\"%s\" is in several labels, \"%s\" and \"%s\"; write "
				"more of it, or an ID", word, part, label);
			return NULL;
		}
		part = label;
	}
	if (!part)
		err_set(e, ERR_USAGE, "nothing was measured under \"%s\"; naslab results list "
			"shows names and IDs", word);
	return part;
}

/* The newest result of a label for the class, operation and scale of another; NULL: none. */
static const json_t *newest(const json_t *results, const char *label, const json_t *like)
{
	const json_t *best = NULL, *r;
	size_t i;

	json_array_foreach(results, i, r) {
		if (strcmp(result_label(r), label) ||
		    strcmp(result_str(r, "class"), result_str(like, "class")) ||
		    strcmp(result_str(r, "op"), result_str(like, "op")))
			continue;
		/* one that can be compared is worth more than a newer one that cannot */
		if (!best || !report_apart(like, r) || report_apart(like, best))
			best = r;
	}
	return best;
}

static int pairs_of(struct arena *a, const json_t *results, const char *one, const char *other,
		    const struct report_filter *f, struct report_pair *out, size_t *n,
		    struct err *e)
{
	struct report_picture *p;
	size_t pictures, i, k;
	bool found = false;

	report_pictures(a, results, f, &p, &pictures);
	for (i = 0; i < pictures; i++) {
		const json_t *x = NULL, *y;

		for (k = 0; k < p[i].n; k++) {
			if (!strcmp(p[i].bars[k].label, one))
				x = p[i].bars[k].result;
		}
		found = found || x;
		y = x ? newest(results, other, x) : NULL;
		if (y && result_passes(y, f))
			take_pair(a, x, y, f->durable, &out[(*n)++]);
	}
	if (!*n)
		return err_set(e, ERR_FAIL, found ? "the two were not measured in the same class" :
			       "nothing of the first was measured in that class");
	return 0;
}

int report_compare(struct arena *a, const json_t *results, const char *one, const char *other,
		   const struct report_filter *f, struct report_pair **out, size_t *n,
		   struct err *e)
{
	const json_t *x, *y;

	*out = arena_array(a, json_array_size(results) + 1, sizeof(**out));
	*n = 0;
	if (is_number(one) != is_number(other))
		return err_set(e, ERR_USAGE, "compare takes two IDs or two names, not one of each");
	if (!is_number(one)) {
		const char *first = find_label(results, one, e), *second;

		second = first ? find_label(results, other, e) : NULL;
		if (!second)
			return -1;
		if (!strcmp(first, second))
			return err_set(e, ERR_USAGE, "both are \"%s\"; two IDs compare one with its "
				       "own past", first);
		return pairs_of(a, results, first, second, f, *out, n, e);
	}
	x = by_id(results, one);
	y = by_id(results, other);
	if (!x || !y)
		return err_set(e, ERR_FAIL, "there is no result %s; naslab results list shows them",
			       x ? other : one);
	if (x == y)
		return err_set(e, ERR_USAGE, "%s was named twice", one);
	take_pair(a, x, y, f->durable, *out);
	*n = 1;
	return 0;
}

static void put_rate(json_t *j, const char *which, const struct bench_unit *u, double rate)
{
	char key[40];

	snprintf(key, sizeof(key), "%s_%s", which, u->key);
	json_object_set_new(j, key, isnan(rate) ? json_null() : u->counts ?
			    json_real(rate) : json_integer((json_int_t)(rate + 0.5)));
}

static json_t *side_json(const json_t *r, const struct stats *s)
{
	const struct bench_unit *u = bench_unit(r);
	json_t *j = json_object();

	json_put_u64(j, "id", json_u64(r, "id", 0));
	json_put_str(j, "label", result_label(r));
	put_rate(j, "median", u, s->median);
	put_rate(j, "min", u, s->min);
	put_rate(j, "max", u, s->max);
	json_put_u64(j, "runs", s->n);
	json_object_set(j, "flags", json_object_get(r, "flags"));
	return j;
}

json_t *report_pairs_json(const struct report_pair *pairs, size_t n, bool durable)
{
	json_t *all = json_array();
	size_t i;

	for (i = 0; i < n; i++) {
		const struct report_pair *p = &pairs[i];
		json_t *j = json_object();

		json_put_str(j, "class", json_str(p->a, "class"));
		json_put_str(j, "op", json_str(p->a, "op"));
		json_put_str(j, "clock", durable ? "durable" : "felt");
		if (json_str(p->a, "unit"))
			json_put_str(j, "unit", json_str(p->a, "unit"));
		json_object_set_new(j, "a", side_json(p->a, &p->sa));
		json_object_set_new(j, "b", side_json(p->b, &p->sb));
		json_put_str(j, "why", p->why);
		if (!p->why && !isnan(p->c.ratio)) {
			json_object_set_new(j, "ratio", json_real(p->c.ratio));
			json_object_set_new(j, "ratio_low", json_real(p->c.low));
			json_object_set_new(j, "ratio_high", json_real(p->c.high));
			json_object_set_new(j, "p", json_real(p->c.p));
			json_object_set_new(j, "apart", json_boolean(p->c.apart));
			json_put_str(j, "verdict", verdict_word(p->c.verdict));
			if (p->c.runs_needed)
				json_put_u64(j, "runs_needed", p->c.runs_needed);
		} else {
			json_object_set_new(j, "ratio", json_null());
		}
		json_array_append_new(all, j);
	}
	return all;
}
