/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload - what is copied, as text: one statement a line, key=value behind it, # begins
 * a comment. title and about take the rest of their line. A bad file is one sentence with
 * the file and the line.
 */
#include "bench/bench.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "bench/ops.h"

enum { MOST_TEXT = 64 * 1024 };

static const char suffix[] = ".workload";

/* A workload while it is read. */
struct reading {
	struct arena *a;
	const char *from;
	unsigned line;
	struct workload w;
	uint64_t count, size, bytes;	/* of the fileset; 0: not given */
	bool fileset, op, lognormal;
	struct err *e;
};

static int bad(struct reading *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int bad(struct reading *r, const char *fmt, ...)
{
	struct sbuf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	sbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	err_set(r->e, ERR_USAGE, "%s line %u: %s", r->from, r->line, sbuf_str(&text));
	sbuf_done(&text);
	return -1;
}

static int take_size(struct reading *r, const char *key, const char *value, uint64_t *out)
{
	struct err e = { 0 };

	if (size_parse(value, out, &e) < 0)
		return bad(r, "%s: %s", key, e.text);
	if (!*out || *out > 1ull << 50)
		return bad(r, "%s must be from 1 byte to 1 PiB, not \"%s\"", key, value);
	return 0;
}

static int take_range(struct reading *r, const char *key, const char *value, uint64_t min,
		      uint64_t max, uint64_t *out)
{
	struct err e = { 0 };

	if (count_parse(key, value, min, max, out, &e) < 0)
		return bad(r, "%s", e.text);
	return 0;
}

static int take_count(struct reading *r, const char *key, const char *value, uint64_t max,
		      uint64_t *out)
{
	return take_range(r, key, value, 1, max, out);
}

static int set_count(struct reading *r, const char *value)
{
	return take_count(r, "count", value, 10000000, &r->count);
}

static int set_bytes(struct reading *r, const char *value)
{
	return take_size(r, "bytes", value, &r->bytes);
}

static int set_size(struct reading *r, const char *value)
{
	r->lognormal = !strcmp(value, "lognormal");
	if (!r->lognormal && isalpha((unsigned char)*value))
		return bad(r, "size is a size or lognormal, not \"%s\"", value);
	return r->lognormal ? 0 : take_size(r, "size", value, &r->size);
}

static int set_median(struct reading *r, const char *value)
{
	return take_size(r, "median", value, &r->w.median_file);
}

static int set_mean(struct reading *r, const char *value)
{
	return take_size(r, "mean", value, &r->w.mean_file);
}

static int set_max(struct reading *r, const char *value)
{
	return take_size(r, "max", value, &r->w.max_file);
}

static int set_width(struct reading *r, const char *value)
{
	return take_count(r, "width", value, 100000, &r->w.width);
}

static int set_data(struct reading *r, const char *value)
{
	r->w.text = !strcmp(value, "text");
	if (!r->w.text && strcmp(value, "random"))
		return bad(r, "data is text or random, not \"%s\"", value);
	return 0;
}

static int set_seed(struct reading *r, const char *value)
{
	return take_count(r, "seed", value, INT64_MAX, &r->w.seed);
}

static int set_bs(struct reading *r, const char *value)
{
	if (take_size(r, "bs", value, &r->w.bs) < 0)
		return -1;
	if (r->w.bs < 4 * KIB || r->w.bs > 16 * MIB)
		return bad(r, "bs must be from 4K to 16M, not \"%s\"", value);
	return 0;
}

static const struct key {
	const char *stmt, *key;
	int (*set)(struct reading *r, const char *value);
} keys[] = {
	{ "fileset", "count", set_count },
	{ "fileset", "bytes", set_bytes },
	{ "fileset", "size", set_size },
	{ "fileset", "median", set_median },
	{ "fileset", "mean", set_mean },
	{ "fileset", "max", set_max },
	{ "fileset", "width", set_width },
	{ "fileset", "data", set_data },
	{ "fileset", "seed", set_seed },
	{ "io", "bs", set_bs },
	{ NULL, NULL, NULL }
};

static int take_key(struct reading *r, const char *stmt, char *word)
{
	char *value = strchr(word, '=');
	const char *words[16], *near;
	const struct key *k;
	size_t n = 0;

	if (!value)
		return bad(r, "%s wants key=value, not \"%s\"", stmt, word);
	*value++ = '\0';
	for (k = keys; k->stmt; k++) {
		if (strcmp(k->stmt, stmt))
			continue;
		if (!strcmp(k->key, word))
			return k->set(r, value);
		words[n++] = k->key;
	}
	near = nearest_word(word, words, n);
	if (near)
		return bad(r, "%s has no \"%s\"; did you mean \"%s\"?", stmt, word, near);
	return bad(r, "%s has no \"%s\"", stmt, word);
}

unsigned workload_ops(const struct workload *w, bool write, bool read)
{
	unsigned ops = w->ops, op;

	for (op = 0; op < BENCH_OPS; op++) {
		if (!(op_of((enum bench_op)op)->writes ? write : read))
			ops &= ~(1u << op);
	}
	return ops;
}

bool workload_is_copy(const struct workload *w)
{
	return w->ops == (1u << BENCH_WRITE | 1u << BENCH_READ);
}

static int bad_op(struct reading *r, const char *word)
{
	const char *words[2 * BENCH_OPS], *near;
	struct sbuf all = { 0 };
	size_t n = 0;
	int op, rc;

	for (op = 0; op < BENCH_OPS; op++) {
		const struct op *o = op_of((enum bench_op)op);

		sbuf_addf(&all, "%s%s", op == 0 ? "" : op == BENCH_OPS - 1 ? " or " : ", ", o->word);
		words[n++] = o->word;
		if (o->also)
			words[n++] = o->also;
	}
	near = nearest_word(word, words, n);
	rc = near ? bad(r, "there is no operation \"%s\"; did you mean \"%s\"?", word, near) :
		    bad(r, "op is %s, not \"%s\"", sbuf_str(&all), word);
	sbuf_done(&all);
	return rc;
}

static int take_op(struct reading *r, char *word)
{
	const struct op *o = NULL;
	char *colon = strchr(word, ':');
	int op;

	r->op = true;
	if (colon)
		*colon++ = '\0';
	for (op = 0; op < BENCH_OPS; op++) {
		o = op_of((enum bench_op)op);
		if (!strcmp(word, o->word) || (o->also && !strcmp(word, o->also)))
			break;
	}
	if (op == BENCH_OPS)
		return bad_op(r, word);
	r->w.ops |= 1u << op;
	if (!o->number)
		return colon ? bad(r, "%s takes no number", o->word) : 0;
	if (!colon)
		return bad(r, "%s wants the %s, as in %s:16", o->word, o->number, o->word);
	return take_range(r, o->word, colon, o->number_min, o->number_max, &r->w.number[op]);
}

static int take_sync(struct reading *r, const char *word)
{
	r->w.each_write = !strcmp(word, "per-write");
	if (!r->w.each_write && strcmp(word, "end"))
		return bad(r, "sync is end or per-write, not \"%s\"", word);
	return 0;
}

static int take_word(struct reading *r, const char *stmt, char *word)
{
	if (!strcmp(stmt, "op"))
		return take_op(r, word);
	return !strcmp(stmt, "sync") ? take_sync(r, word) : take_key(r, stmt, word);
}

static int take_words(struct reading *r, const char *stmt, char *rest)
{
	char *save = NULL, *word;

	for (word = strtok_r(rest, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		if (take_word(r, stmt, word) < 0)
			return -1;
	}
	return 0;
}

static int take_line(struct reading *r, char *line)
{
	static const char *const stmts[] = { "title", "about", "fileset", "op", "io",
					     "sync" };
	char *rest, *end = line + strcspn(line, "#");
	const char *near;
	size_t i;

	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	line += strspn(line, " \t");
	if (!*line)
		return 0;
	rest = line + strcspn(line, " \t");
	if (*rest)
		*rest++ = '\0';
	rest += strspn(rest, " \t");
	for (i = 0; i < sizeof(stmts) / sizeof(stmts[0]) && strcmp(line, stmts[i]); i++)
		;
	if (i == sizeof(stmts) / sizeof(stmts[0])) {
		near = nearest_word(line, stmts, i);
		return near ? bad(r, "there is no \"%s\"; did you mean \"%s\"?", line, near) :
			      bad(r, "there is no \"%s\"", line);
	}
	if (!*rest)
		return bad(r, "%s says nothing", line);
	if (i == 0)
		r->w.title = arena_strdup(r->a, rest);
	if (i == 1)
		r->w.about = arena_strdup(r->a, rest);
	if (i < 2)
		return 0;
	if (i == 2 && r->fileset)
		return bad(r, "a second fileset; one is the most");
	r->fileset |= i == 2;
	return take_words(r, line, rest);
}

static bool has(const struct workload *w, enum op_by by)
{
	int op;

	for (op = 0; op < BENCH_OPS; op++) {
		if ((w->ops & 1u << op) && op_of((enum bench_op)op)->by == by)
			return true;
	}
	return false;
}

/* What was read as one consistent set of files. */
static int settle(struct reading *r)
{
	struct workload *w = &r->w;

	if (!r->fileset)
		return bad(r, "there is no fileset");
	if (!r->op)
		return bad(r, "there is no op");
	if (r->lognormal) {
		if (!w->median_file || !w->mean_file || !w->max_file)
			return bad(r, "a lognormal fileset wants median=, mean= and max=");
		if (w->mean_file < w->median_file || w->max_file <= w->mean_file ||
		    w->mean_file / 20 > w->median_file)
			return bad(r, "a lognormal fileset wants median <= mean < max, "
				   "and mean at most 20 times median");
		if (!r->bytes == !r->count)
			return bad(r, "a lognormal fileset wants either bytes= or count=");
		w->bytes = r->bytes ? r->bytes : r->count * w->mean_file;
	} else {
		if (!r->size || w->median_file || w->mean_file || w->max_file || r->bytes)
			return bad(r, "a fileset wants size= and count=, or size=lognormal");
		if (!r->count)
			r->count = 1;
		w->median_file = w->mean_file = w->max_file = r->size;
		w->bytes = r->count * r->size;
		w->single = r->count == 1;
	}
	if (w->text && has(w, OP_BY_RECORDS))
		return bad(r, "what goes by records wants data=random");
	if (w->bytes > 1ull << 50)
		return bad(r, "the fileset is larger than 1 PiB");
	if (w->bytes / w->mean_file > 10000000)
		return bad(r, "the fileset has more than 10 million files");
	if (!w->title)
		w->title = w->name;
	return 0;
}

int workload_parse(struct arena *a, const char *name, const char *text, const char *from,
		   struct workload *out, struct err *e)
{
	struct reading r = {
		.a = a, .from = from, .e = e,
		.w = { .name = arena_strdup(a, name), .seed = 1, .bs = MIB, .width = 100 },
	};
	char *copy = arena_strdup(a, text), *line;

	while ((line = strsep(&copy, "\n"))) {
		r.line++;
		if (take_line(&r, line) < 0)
			return -1;
	}
	if (settle(&r) < 0)
		return -1;
	*out = r.w;
	return 0;
}

const char *workload_folder(void)
{
	static char folder[PATH_MAX];
	const char *set = getenv("NASLAB_WORKLOADS");
	ssize_t len;
	char *slash;

	if (set && *set)
		return set;
	len = readlink("/proc/self/exe", folder, sizeof(folder) - sizeof("/workloads"));
	if (len > 0) {
		folder[len] = '\0';
		slash = strrchr(folder, '/');
		if (slash) {
			memcpy(slash, "/workloads", sizeof("/workloads"));
			if (access(folder, R_OK | X_OK) == 0)
				return folder;
		}
	}
	return DATA_DIR "/workloads";
}

static int read_one(struct arena *a, const char *name, struct workload *out, struct err *e)
{
	const char *path = arena_printf(a, "%s/%s%s", workload_folder(), name, suffix);
	struct sbuf text = { 0 };
	int rc;

	if (file_read(path, MOST_TEXT, &text) < 0) {
		sbuf_done(&text);
		return err_sys(e, "cannot read the workload %s", path);
	}
	if (strlen(sbuf_str(&text)) != text.len)
		rc = err_set(e, ERR_USAGE, "%s: this is no text", path);
	else
		rc = workload_parse(a, name, sbuf_str(&text), path, out, e);
	sbuf_done(&text);
	return rc;
}

static bool name_is_plain(const char *name)
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "0123456789-") == strlen(name) && strlen(name) <= 40;
}

static int smaller(const void *a, const void *b)
{
	const struct workload *x = *(const struct workload *const *)a;
	const struct workload *y = *(const struct workload *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	if (x->mean_file != y->mean_file)
		return x->mean_file < y->mean_file ? -1 : 1;
	return strcmp(x->name, y->name);
}

int workload_list(struct arena *a, struct list *out, struct err *e)
{
	struct list all = { 0 };
	size_t i;

	if (workload_list_all(a, &all, e) < 0)
		return -1;
	*out = (struct list){ 0 };
	for (i = 0; i < all.n; i++) {
		if (workload_is_copy(all.at[i]))
			list_add(a, out, all.at[i]);
	}
	return 0;
}

int workload_list_all(struct arena *a, struct list *out, struct err *e)
{
	DIR *dir = opendir(workload_folder());
	struct list found = { 0 };
	struct dirent *d;
	int rc = 0;

	if (!dir)
		return err_sys(e, "cannot read the workloads in %s", workload_folder());
	while (rc == 0 && (d = readdir(dir))) {
		size_t len = strlen(d->d_name);
		struct workload *w;
		char *name;

		if (len < sizeof(suffix) || strcmp(d->d_name + len - (sizeof(suffix) - 1), suffix))
			continue;
		name = arena_strndup(a, d->d_name, len - (sizeof(suffix) - 1));
		if (!name_is_plain(name))
			continue;
		w = arena_alloc(a, sizeof(*w));
		rc = read_one(a, name, w, e);
		list_add(a, &found, w);
	}
	closedir(dir);
	if (rc == 0) {
		if (found.n)
			qsort(found.at, found.n, sizeof(found.at[0]), smaller);
		*out = found;
	}
	return rc;
}

int workload_find(struct arena *a, const char *name, struct workload *out, struct err *e)
{
	struct list all = { 0 };
	const char **words, *near;
	size_t i;

	if (workload_list_all(a, &all, e) < 0)
		return -1;
	words = arena_array(a, all.n + 1, sizeof(*words));
	for (i = 0; i < all.n; i++) {
		const struct workload *w = all.at[i];

		if (!strcmp(w->name, name)) {
			*out = *w;
			return 0;
		}
		words[i] = w->name;
	}
	near = nearest_word(name, words, all.n);
	if (near)
		return err_set(e, ERR_USAGE, "there is no workload \"%s\"; did you mean \"%s\"?",
			       name, near);
	return err_set(e, ERR_USAGE, "there is no workload \"%s\" in %s", name, workload_folder());
}
