/* SPDX-License-Identifier: GPL-2.0-or-later */
/* naslab workloads - what can be measured: the suites, and the classes by groups. */
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>

#include "naslab.h"

static const struct verb_option options[] = {
	{ .name = "json", .help = "print it for programs" },
	{ .name = NULL }
};

static void print_words(const char *words, unsigned indent, unsigned width)
{
	unsigned at = 0;

	while (*words) {
		size_t len = strcspn(words, " ");

		if (at && at + 1 + len > width) {
			putchar('\n');
			at = 0;
		}
		if (at)
			putchar(' ');
		else
			printf("%*s", (int)indent, "");
		printf("%.*s", (int)len, words);
		at += (at ? 1 : 0) + (unsigned)len;
		words += len;
		words += strspn(words, " ");
	}
	putchar('\n');
}

enum { INDENT = 18, WIDTH = 60 };

/* The rule of a suite in words: "reps 7, cache cold, time-cap 2:00 h". */
static void rule_words(const struct suite *s, struct sbuf *out)
{
	char text[SIZE_TEXT];

	if (s->times)
		sbuf_add(out, ", the times of a build until it was usable and idle");
	if (s->reps)
		sbuf_addf(out, ", reps %u", s->reps);
	if (s->scale > 0)
		sbuf_addf(out, ", scale %g", s->scale);
	if (s->has_cache)
		sbuf_addf(out, ", cache %s", cache_word(s->cache));
	if (s->cap_ns)
		sbuf_addf(out, ", no run begins after %s", duration_text(text, s->cap_ns));
}

static void print_suite(const struct suite *s)
{
	struct sbuf text = { 0 };
	size_t i;

	sbuf_add_safe(&text, s->title);
	printf(" %-16s %s\n", s->name, sbuf_str(&text));
	sbuf_clear(&text);
	for (i = 0; i < s->workloads.n; i++)
		sbuf_addf(&text, "%s%s", i ? " " : "",
			  ((const struct workload *)s->workloads.at[i])->name);
	rule_words(s, &text);
	print_words(sbuf_str(&text) + (*sbuf_str(&text) == ',' ? 2 : 0), INDENT, WIDTH);
	sbuf_done(&text);
}

static void print_class(const struct workload *w)
{
	unsigned ops = workload_ops(w, true, true), op, i;
	struct sbuf text = { 0 };
	char size[SIZE_TEXT];

	sbuf_add_safe(&text, w->title);
	printf(" %-16s %s\n", w->name, sbuf_str(&text));
	sbuf_clear(&text);
	if (w->bytes)
		sbuf_addf(&text, "%s", size_text(size, w->bytes, SIZE_SI));
	for (i = 0; i < w->n_sets; i++) {
		if (w->sets[i].folder)
			sbuf_addf(&text, "%sthe files of %s", text.len ? " and " : "", w->sets[i].folder);
	}
	if (!text.len)
		sbuf_add(&text, "empty files");
	if (w->rams)
		sbuf_addf(&text, " (%u x RAM)", (unsigned)w->rams);
	if (w->threads > 1)
		sbuf_addf(&text, ", %u streams", w->threads);
	sbuf_addc(&text, ':');
	for (op = 0; op < BENCH_OPS; op++) {
		if (ops & 1u << op)
			sbuf_addf(&text, " %s", bench_op_word((enum bench_op)op));
	}
	print_words(sbuf_str(&text), INDENT, WIDTH);
	sbuf_done(&text);
}

static const char *group_of(const struct list *classes, size_t i)
{
	const struct workload *w = classes->at[i];

	return w->group ? w->group : "";
}

static bool is_first_of_group(const struct list *classes, size_t i)
{
	size_t k;

	if (workload_is_copy(classes->at[i]))
		return false;
	for (k = 0; k < i; k++) {
		if (!workload_is_copy(classes->at[k]) &&
		    !strcmp(group_of(classes, k), group_of(classes, i)))
			return false;
	}
	return true;
}

/* All that belong on one chart with it. */
static void print_group(const struct list *classes, size_t first)
{
	const char *group = group_of(classes, first);
	size_t i;

	if (*group)
		printf("\nClass %s\n", group);
	else
		puts("\nOthers");
	for (i = first; i < classes->n; i++) {
		if (!workload_is_copy(classes->at[i]) && !strcmp(group_of(classes, i), group))
			print_class(classes->at[i]);
	}
}

static void print_all(const struct list *suites, const struct list *classes)
{
	size_t i;

	puts("Suites");
	for (i = 0; i < suites->n; i++)
		print_suite(suites->at[i]);
	puts("\nClasses that are copied");
	for (i = 0; i < classes->n; i++) {
		if (workload_is_copy(classes->at[i]))
			print_class(classes->at[i]);
	}
	for (i = 0; i < classes->n; i++) {
		if (is_first_of_group(classes, i))
			print_group(classes, i);
	}
	puts("\nnaslab bench NAME|DIR --workload W measures any of them, or a file ./NAME.workload of "
	     "your own");
}

static json_t *suite_json(const struct suite *s)
{
	json_t *j = json_object(), *names = json_array();
	size_t i;

	json_put_str(j, "name", s->name);
	json_put_str(j, "title", s->title);
	if (s->about)
		json_put_str(j, "about", s->about);
	for (i = 0; i < s->workloads.n; i++)
		json_add_str(names, ((const struct workload *)s->workloads.at[i])->name);
	json_object_set_new(j, "workloads", names);
	if (s->times)
		json_object_set_new(j, "times", json_true());
	if (s->reps)
		json_put_u64(j, "reps", s->reps);
	if (s->scale > 0)
		json_object_set_new(j, "scale", json_real(s->scale));
	if (s->has_cache)
		json_put_str(j, "cache", cache_word(s->cache));
	if (s->cap_ns)
		json_put_u64(j, "cap_ns", s->cap_ns);
	return j;
}

static json_t *class_json(const struct workload *w)
{
	unsigned ops = workload_ops(w, true, true), op;
	json_t *j = json_object(), *words = json_array();

	json_put_str(j, "name", w->name);
	json_put_str(j, "title", w->title);
	if (w->group)
		json_put_str(j, "class", w->group);
	json_put_u64(j, "streams", w->threads);
	if (w->about)
		json_put_str(j, "about", w->about);
	json_put_u64(j, "bytes", w->bytes);
	for (op = 0; op < BENCH_OPS; op++) {
		if (ops & 1u << op)
			json_add_str(words, bench_op_word((enum bench_op)op));
	}
	json_object_set_new(j, "ops", words);
	return j;
}

static void print_json(const struct list *suites, const struct list *classes)
{
	json_t *j = json_object(), *s = json_array(), *c = json_array();
	size_t i;

	for (i = 0; i < suites->n; i++)
		json_array_append_new(s, suite_json(suites->at[i]));
	for (i = 0; i < classes->n; i++)
		json_array_append_new(c, class_json(classes->at[i]));
	json_object_set_new(j, "suites", s);
	json_object_set_new(j, "classes", c);
	json_dumpf(j, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(j);
}

static int run(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct list suites, classes;
	struct err e = { 0 };
	int rc;

	(void)argv;
	if (argc) {
		arena_free(a);
		return usage_error("takes no words; naslab bench NAME|DIR --workload W measures one");
	}
	rc = suite_list(a, &suites, &e);
	if (rc == 0)
		rc = workload_list_all(a, &classes, &e);
	if (rc == 0)
		(option("json") ? print_json : print_all)(&suites, &classes);
	arena_free(a);
	return rc ? fail(&e) : 0;
}

const struct verb verb_workloads = {
	.name = "workloads", .usage = "",
	.help = "what can be measured: suites, and classes of files",
	.options = options, .run = run,
};
