/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import-table - a published table through its mapping, a small text file beside it that
 * says what the columns mean; data/reference/ has some. A line is a key and the rest:
 *
 *   source TEXT               who published it; every bar says so
 *   table FILE                the CSV beside the mapping
 *   date TEXT                 memory SIZE  bytes SIZE  files N
 *   label, class, op TEXT     in these and in source {column} is what a line says there
 *   read WORD, write WORD     what op says that means reading, or writing
 *   only COLUMN WORD          lines where the column says something else are left out
 *   together COLUMN           lines that differ only there are repetitions
 *   counts files|ops|seeks    of which a time is one of so many `files`, instead of bytes
 *   value COLUMN UNIT [OP CLASS]   a rate in KiB/s, MiB/s, kB/s, MB/s, files/s, ops/s, seeks/s,
 *                             or the time in s
 *   low COLUMN UNIT, high COLUMN UNIT   a range that was told without its runs
 */
#include "report/import.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "report/words.h"

enum { MOST_LINES = 200 };

struct pair {
	const char *key, *value;
	size_t line;
};

struct map {
	struct import *im;
	struct pair at[MOST_LINES];
	size_t n;
	struct csv table;
};

static const char *const keys[] = { "source", "table", "date", "memory", "bytes", "files",
				    "label", "class", "op", "read", "write", "only", "together",
				    "counts", "value", "low", "high" };
enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static const char *get(const struct map *m, const char *key)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		if (!strcmp(m->at[i].key, key))
			return m->at[i].value;
	}
	return NULL;
}

static int add_line(struct map *m, char *text, size_t line, struct err *e)
{
	char *value;
	size_t i, len = strlen(text);

	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	text += strspn(text, " \t");
	if (!*text || *text == '#')
		return 0;
	value = text + strcspn(text, " \t");
	if (*value)
		*value++ = '\0';
	value += strspn(value, " \t");
	for (i = 0; i < KEYS && strcmp(keys[i], text); i++)
		;
	if (i == KEYS) {
		const char *near = nearest_word(text, keys, KEYS);
		struct sbuf safe = { 0 };

		sbuf_add_safe(&safe, text);
		err_set(e, ERR_FAIL, "%s line %zu: there is no key \"%.40s\"%s%s%s", m->im->name, line,
			sbuf_str(&safe), near ? "; did you mean \"" : "", near ? near : "",
			near ? "\"?" : "");
		sbuf_done(&safe);
		return -1;
	}
	if (!*value)
		return err_set(e, ERR_FAIL, "%s line %zu: %s has nothing behind it", m->im->name, line,
			       text);
	if (m->n == MOST_LINES)
		return err_set(e, ERR_FAIL, "%s has more than %d lines", m->im->name, MOST_LINES);
	m->at[m->n++] = (struct pair){ text, value, line };
	return 0;
}

static int read_map(struct map *m, struct err *e)
{
	static const char *const needed[] = { "source", "table", "label", "class", "op" };
	char *text = arena_strndup(m->im->arena, m->im->text, m->im->len), *next;
	size_t line = 1, i;

	for (; text; text = next, line++) {
		next = strchr(text, '\n');
		if (next)
			*next++ = '\0';
		if (add_line(m, text, line, e) < 0)
			return -1;
	}
	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (!get(m, needed[i]))
			return err_set(e, ERR_FAIL, "%s says no %s", m->im->name, needed[i]);
	}
	if (!get(m, "value") && !get(m, "high"))
		return err_set(e, ERR_FAIL, "%s says no value", m->im->name);
	return 0;
}

/* The table lies beside its mapping, and nowhere else. */
static int read_table(struct map *m, struct err *e)
{
	const char *file = get(m, "table"), *slash = strrchr(m->im->path, '/');
	struct sbuf path = { 0 }, text = { 0 }, safe = { 0 };
	int rc;

	if (slash)
		sbuf_addn(&path, m->im->path, (size_t)(slash - m->im->path) + 1);
	sbuf_add(&path, file);
	sbuf_add_safe(&safe, sbuf_str(&path));
	if (strchr(file, '/'))
		rc = err_set(e, ERR_FAIL, "%s: the table lies beside the mapping, so its name has no "
			     "slash", m->im->name);
	else if (file_read(path.text, MOST_IMPORT, &text) < 0)
		rc = errno == EFBIG ? err_set(e, ERR_FAIL, "%s is larger than 64 MiB", safe.text) :
				      err_sys(e, "cannot read %s", safe.text);
	else
		rc = csv_read(m->im->arena, arena_strdup(m->im->arena, safe.text), sbuf_str(&text),
			      text.len, &m->table, e);
	sbuf_done(&path);
	sbuf_done(&text);
	sbuf_done(&safe);
	return rc;
}

/* A text with {column} replaced by what this row says there. NULL: no such column. */
static const char *expand(const struct map *m, const char *text, size_t row, struct err *e)
{
	struct sbuf out = { 0 };
	const char *made = NULL;

	while (*text) {
		size_t n = strcspn(text, "{"), len = text[n] ? strcspn(text + n + 1, "}") : 0;
		char *name;
		int column;

		sbuf_addn(&out, text, n);
		text += n;
		if (!*text)
			break;
		name = arena_strndup(m->im->arena, text + 1, len);
		column = csv_column(&m->table, name);
		if (column < 0) {
			err_set(e, ERR_FAIL, "%s: the table has no column \"%.60s\"", m->im->name, name);
			goto done;
		}
		sbuf_add(&out, csv_field(&m->table, row, column));
		text += 1 + len + (text[1 + len] == '}');
	}
	made = arena_strdup(m->im->arena, sbuf_str(&out));
done:
	sbuf_done(&out);
	return made;
}

/* "COLUMN UNIT OP CLASS": split off the next word; the rest stays. */
static const char *word(const struct map *m, const char **text)
{
	size_t n = strcspn(*text, " \t");
	const char *w = arena_strndup(m->im->arena, *text, n);

	*text += n;
	*text += strspn(*text, " \t");
	return w;
}

static int op_of(const struct map *m, const char *text, size_t row, const char **op,
		 struct err *e)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		if ((!strcmp(m->at[i].key, "read") || !strcmp(m->at[i].key, "write")) &&
		    !strcmp(m->at[i].value, text)) {
			*op = m->at[i].key;
			return 0;
		}
	}
	*op = text;
	if (op_find(text) < BENCH_OPS)
		return 0;
	return err_set(e, ERR_FAIL, "%s: does \"%.60s\" (table line %zu) read or write? a line \"read\" "
		       "or \"write\" says it", m->im->name, text, m->table.lines[row]);
}

/* A unit of the table: how many of what is counted one of it is; 0: it is seconds. */
struct table_unit {
	const char *name;
	double one;
	const char *counts;	/* NULL: bytes */
};

static const struct table_unit *unit_of(const char *name)
{
	static const struct table_unit units[] = {
		{ "KiB/s", 1024, NULL }, { "MiB/s", 1048576, NULL }, { "kB/s", 1e3, NULL },
		{ "MB/s", 1e6, NULL }, { "files/s", 1, "files" }, { "ops/s", 1, "ops" },
		{ "seeks/s", 1, "seeks" }, { "s", 0, NULL },
	};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(units[i].name, name))
			return &units[i];
	}
	return NULL;
}

/* The number a row has for "COLUMN UNIT ..."; *text goes on behind it. NAN: the field is empty. */
static int value_of(const struct map *m, const struct pair *p, const char **text, size_t row,
		    double *value, const struct table_unit **unit, struct err *e)
{
	const char *name = word(m, text), *field;
	int column = csv_column(&m->table, name);
	char *end;

	*unit = unit_of(word(m, text));
	if (column < 0)
		return err_set(e, ERR_FAIL, "%s line %zu: the table has no column \"%.60s\"",
			       m->im->name, p->line, name);
	if (!*unit)
		return err_set(e, ERR_FAIL, "%s line %zu: the unit is KiB/s, MiB/s, kB/s, MB/s, files/s, "
			       "ops/s, seeks/s or s", m->im->name, p->line);
	field = csv_field(&m->table, row, column);
	*value = NAN;
	if (!*field)
		return 0;
	*value = strtod(field, &end);
	if (*end || strspn(field, "0123456789.") != strlen(field) || !(*value < 1e15))
		return err_set(e, ERR_FAIL, "%s: \"%.40s\" in line %zu of the table is no number",
			       m->im->name, field, m->table.lines[row]);
	return 0;
}

static bool left_out(const struct map *m, size_t row)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		const char *text = m->at[i].value, *column;

		if (strcmp(m->at[i].key, "only"))
			continue;
		column = word(m, &text);
		if (strcmp(csv_field(&m->table, row, csv_column(&m->table, column)), text))
			return true;
	}
	return false;
}

static int size_of(const struct map *m, const char *key, uint64_t *bytes, struct err *e)
{
	struct err bad = { 0 };

	*bytes = 0;
	if (get(m, key) && size_parse(get(m, key), bytes, &bad) < 0)
		return err_set(e, ERR_FAIL, "%s: %s: %s", m->im->name, key, bad.text);
	return 0;
}

/* The result of a label, class and op; made when there is none yet that runs join. */
static int result_for(const struct map *m, const char *label, const char *class, const char *op,
		      const struct table_unit *unit, size_t row, json_t **out, struct err *e)
{
	const char *source = expand(m, get(m, "source"), row, e);
	const char *counts = unit->one > 0 ? unit->counts : get(m, "counts");
	uint64_t memory, bytes, files;
	json_t *r;
	size_t i;

	if (counts && !bench_unit_find(counts))
		return err_set(e, ERR_FAIL, "%s: counts is files, ops or seeks, not \"%.40s\"",
			       m->im->name, counts);
	json_array_foreach(m->im->results, i, r) {
		if (get(m, "together") && !strcmp(json_str(r, "label"), label) &&
		    !strcmp(json_str(r, "class"), class) && !strcmp(json_str(r, "op"), op)) {
			*out = r;
			return 0;
		}
	}
	if (!source || size_of(m, "memory", &memory, e) < 0 || size_of(m, "bytes", &bytes, e) < 0 ||
	    size_of(m, "files", &files, e) < 0 || import_result(m->im, out, e) < 0)
		return -1;
	r = *out;
	json_put_str(r, "label", label);
	json_put_str(r, "class", class);
	json_put_str(r, "op", op);
	if (counts)
		json_put_str(r, "unit", counts);
	json_put_str(r, "published", source);
	json_object_set_new(r, "scale", json_real(1));
	if (get(m, "date"))
		json_put_str(r, "date", get(m, "date"));
	if (memory)
		json_put_u64(r, "memory_bytes", memory);
	if (bytes)
		json_put_u64(r, "bytes", bytes);
	if (files)
		json_put_u64(r, "files", files);
	return 0;
}

static int put_value(const struct map *m, json_t *result, double value,
		     const struct table_unit *unit, const struct pair *p, size_t row, struct err *e)
{
	bool counts = bench_unit(result)->counts;
	uint64_t n = json_u64(result, counts ? "files" : "bytes", 0);
	bool ok;

	if (unit->one > 0)
		ok = import_rate(result, value * unit->one);
	else if (!n)
		return err_set(e, ERR_FAIL, "%s line %zu: seconds need a line \"%s\"", m->im->name,
			       p->line, counts ? "files" : "bytes");
	else
		ok = value > 0 && value < 1e9 &&
			(counts ? import_count(result, n, (uint64_t)(value * 1e9), 0) :
				  import_run(result, n, (uint64_t)(value * 1e9), 0));
	return ok ? 0 : err_set(e, ERR_FAIL, "%s: line %zu of the table has no rate", m->im->name,
				m->table.lines[row]);
}

/* A range told in words has no runs and no median. */
static int take_range(const struct map *m, json_t *result, size_t row, struct err *e)
{
	static const char *const ends[] = { "low", "high" };
	static const struct table_unit bytes = { "B/s", 1, NULL };
	double value[2] = { NAN, NAN };
	const struct table_unit *unit;
	size_t i, k;

	for (i = 0; i < 2; i++) {
		for (k = 0; k < m->n; k++) {
			const char *text = m->at[k].value;

			if (strcmp(m->at[k].key, ends[i]))
				continue;
			if (value_of(m, &m->at[k], &text, row, &value[i], &unit, e) < 0)
				return -1;
			if (unit->counts || !(unit->one > 0))
				return err_set(e, ERR_FAIL, "%s line %zu: a range is one of bytes a "
					       "second", m->im->name, m->at[k].line);
			value[i] *= unit->one;
		}
	}
	if (isnan(value[0]))
		return put_value(m, result, value[1], &bytes, &m->at[0], row, e);
	if (!(value[0] <= value[1]) || !(value[1] > 0))
		return err_set(e, ERR_FAIL, "%s: line %zu of the table has no range", m->im->name,
			       m->table.lines[row]);
	json_object_set_new(result, "min_bps", json_integer((json_int_t)value[0]));
	json_object_set_new(result, "max_bps", json_integer((json_int_t)value[1]));
	return 0;
}

static int take_row(const struct map *m, size_t row, struct err *e)
{
	const char *label = expand(m, get(m, "label"), row, e), *op, *class;
	json_t *result;
	size_t i;

	class = label ? expand(m, get(m, "class"), row, e) : NULL;
	op = class ? expand(m, get(m, "op"), row, e) : NULL;
	if (!op)
		return -1;
	if (!get(m, "value")) {
		if (op_of(m, op, row, &op, e) < 0 ||
		    result_for(m, label, class, op, unit_of("MB/s"), row, &result, e) < 0)
			return -1;
		return take_range(m, result, row, e);
	}
	for (i = 0; i < m->n; i++) {
		const char *text = m->at[i].value, *own_op = op, *own_class = class;
		const struct table_unit *unit;
		double value;

		if (strcmp(m->at[i].key, "value"))
			continue;
		if (value_of(m, &m->at[i], &text, row, &value, &unit, e) < 0)
			return -1;
		if (isnan(value))
			continue;
		if (*text)
			own_op = word(m, &text);
		if (*text)
			own_class = expand(m, text, row, e);
		if (!own_class || op_of(m, own_op, row, &own_op, e) < 0 ||
		    result_for(m, label, own_class, own_op, unit, row, &result, e) < 0 ||
		    put_value(m, result, value, unit, &m->at[i], row, e) < 0)
			return -1;
	}
	return 0;
}

int import_table(struct import *im, struct err *e)
{
	struct map *m = arena_alloc(im->arena, sizeof(*m));
	size_t i;

	m->im = im;
	if (memchr(im->text, '\0', im->len))
		return err_set(e, ERR_FAIL, "%s is no text: it holds a NUL byte", im->name);
	if (read_map(m, e) < 0 || read_table(m, e) < 0)
		return -1;
	for (i = 0; i < m->table.rows; i++) {
		if (!left_out(m, i) && take_row(m, i, e) < 0)
			return -1;
	}
	return 0;
}
