/* SPDX-License-Identifier: GPL-2.0-or-later */
/* naslab compare - every recipe on the same disks, side by side. */
#include "cmd/cmd.h"
#include "cmd/open.h"

#include <stdio.h>
#include <string.h>

static const char *const sort_words[] = { "usable", "survives", "unused", "group", "name" };

static const struct verb_option compare_options[] = {
	OPEN_DISKS_OPTIONS,
	{ .name = "sort", .value = "HOW", .help = "usable (as it is without), survives, unused, group, name" },
	{ .name = "filter", .value = "LETTERS", .help = "only layouts with these letters in name, title, group or recipe" },
	{ .name = "misfits", .help = "also those that do not fit, with the reason and what they would fit with" },
	{ .name = "json", .help = "print it for programs" },
	{ .name = NULL }
};

/* --sort and --filter: what is left of the list, in its order. */
static int arrange(struct list *all, enum compare_sort *by, struct err *e)
{
	const char *word = option("sort"), *letters = option("filter");
	size_t i, n = 0;

	for (*by = 0; word && *by < COMPARE_KINDS && strcmp(word, sort_words[*by]); (*by)++)
		;
	if (*by == COMPARE_KINDS)
		return err_set(e, ERR_USAGE, "--sort is one of usable, survives, unused, group, name; not "
			       "\"%.40s\"", word);
	for (i = 0; i < all->n; i++) {
		if (!letters || candidate_has(all->at[i], letters))
			all->at[n++] = all->at[i];
	}
	if (letters && !n)
		return err_set(e, ERR_USAGE, "no layout has \"%.40s\" in its name, title, group or recipe", letters);
	all->n = n;
	candidates_sort((struct candidate **)all->at, n, *by);
	return 0;
}

static void print_fit(const struct candidate *c)
{
	char usable[SIZE_TEXT], redundancy[SIZE_TEXT], unused[SIZE_TEXT];

	printf("%-26s %9s  %8u %10s %9s%s%s%s\n", c->name, size_text(usable, c->usable, SIZE_SI),
	       c->survives, size_text(redundancy, c->redundancy, SIZE_SI),
	       size_text(unused, c->unused, SIZE_SI), c->cached || c->warnings ? "  " : "",
	       c->cached ? "c" : "", c->warnings ? "!" : "");
}

static void print_misfit(const struct candidate *c)
{
	struct sbuf why = { 0 };

	sbuf_addf(&why, "%s%s%s", c->why, c->remedy ? "; it would fit with " : "",
		  c->remedy ? c->remedy : "");
	printf("%-26s ", c->name);
	print_wrapped(sbuf_str(&why), 27);
	sbuf_done(&why);
}

static void print_table(const struct list *all, bool groups)
{
	const char *group = NULL;
	size_t i, fit = 0;

	printf("%-26s %9s  %8s %10s %9s\n", "layout", "usable", "may fail", "redundancy", "unused");
	for (i = 0; i < all->n; i++) {
		const struct candidate *c = all->at[i];

		if (!c->fits)
			continue;
		if (groups && (!group || strcmp(group, c->group)))
			printf("\n%s\n", c->group);
		group = c->group;
		fit++;
		print_fit(c);
	}
	printf("%s%zu of %zu fit. c uses the cache disk, ! has a warning (naslab plan says which)\n",
	       groups ? "\n" : "", fit, all->n);
	for (i = 0; option("misfits") && i < all->n; i++) {
		const struct candidate *c = all->at[i];

		if (!c->fits)
			print_misfit(c);
	}
}

static int compare_run(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct inventory *inv = NULL;
	struct list all = { 0 };
	enum compare_sort by;
	struct pick *picks;
	struct err e = { 0 };
	size_t n;
	int rc;

	if (!argc)
		return usage_error("wants disks: naslab compare 2xhdd:3T 2xhdd:5T --cache ssd:500G");
	rc = open_disks(argv, &inv, a, &picks, &n, &e) || compare_all(picks, n, a, &all, &e) ||
	     arrange(&all, &by, &e);
	if (!rc && (option("misfits") || option("json")))
		compare_remedies(picks, n, a, &all);
	if (rc) {
		rc = fail(&e);
	} else if (option("json")) {
		json_t *json = compare_json(picks, n, &all);

		json_dumpf(json, stdout, JSON_INDENT(1));
		putchar('\n');
		json_decref(json);
	} else {
		print_table(&all, by == COMPARE_GROUP);
	}
	inventory_free(inv);
	arena_free(a);
	return rc;
}

const struct verb verb_compare = {
	.name = "compare", .usage = "DISK...",
	.help = "every recipe that fits these disks, side by side",
	.options = compare_options, .run = compare_run,
};
