/* SPDX-License-Identifier: GPL-2.0-or-later */
/* naslab layouts - the recipes that are shipped, and one's own, by groups. */
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>

#include "naslab.h"

static const struct verb_option layouts_options[] = {
	{ .name = "layers", .help = "list the layers and their options instead" },
	{ .name = "json", .help = "print it for programs" },
	{ .name = NULL }
};

static void list_layers(void)
{
	const struct layer *const *l;

	for (l = layers; *l; l++) {
		const struct option *o;

		printf("%s%-12s %s\n", l == layers ? "" : "\n", (*l)->name, (*l)->title);
		for (o = (*l)->options; o && o->name; o++) {
			struct sbuf help = { 0 };

			sbuf_addf(&help, "%s%s%s%s", o->help, o->def ? " (default " : "",
				  o->def ? o->def : "", o->def ? ")" : "");
			printf("  %-11s ", o->name);
			print_wrapped(sbuf_str(&help), 14);
			sbuf_done(&help);
		}
	}
}

static json_t *recipe_json(const struct recipe *r)
{
	struct sbuf line = { 0 };
	json_t *o = json_object();

	recipe_line(r, &line);
	json_put_str(o, "name", r->name);
	json_put_str(o, "title", r->title);
	json_put_str(o, "group", r->group);
	json_put_str(o, "matrix", r->matrix);
	json_put_str(o, "about", r->about);
	json_put_str(o, "avoid", r->avoid);
	json_put_str(o, "recipe", sbuf_str(&line));
	sbuf_done(&line);
	return o;
}

static const char *group_of(const struct recipe *r)
{
	return r->group ? r->group : "Your own";
}

/* The recipes of one group, and the first of those not printed yet leads the next. */
static void print_group(struct recipe **all, bool *printed, size_t n, size_t first)
{
	struct sbuf line = { 0 };
	size_t i;

	printf("%s%s\n", first ? "\n" : "", group_of(all[first]));
	for (i = first; i < n; i++) {
		if (printed[i] || strcmp(group_of(all[i]), group_of(all[first])))
			continue;
		printed[i] = true;
		sbuf_clear(&line);
		recipe_line(all[i], &line);
		printf(" %-26s %s\n %-26s ", all[i]->name, all[i]->title ? all[i]->title : "", "");
		print_wrapped(sbuf_str(&line), 28);
	}
	sbuf_done(&line);
}

static int list_recipes(struct err *e)
{
	struct arena *a = arena_new();
	struct recipe **all = NULL;
	json_t *json = json_array();
	bool *printed = NULL;
	char **names;
	size_t n, i, opened = 0;
	int rc = recipe_names(a, &names, &n, e);

	if (!rc) {
		all = arena_array(a, n, sizeof(*all));
		printed = arena_array(a, n, sizeof(*printed));
	}
	for (; !rc && opened < n; opened++) {
		rc = recipe_open(names[opened], &all[opened], e);
		if (rc)
			break;
		json_array_append_new(json, recipe_json(all[opened]));
	}
	for (i = 0; !rc && !option("json") && i < n; i++) {
		if (!printed[i])
			print_group(all, printed, n, i);
	}
	if (!rc && option("json")) {
		json_dumpf(json, stdout, JSON_INDENT(1));
		putchar('\n');
	}
	for (i = 0; i < opened; i++)
		recipe_free(all[i]);
	json_decref(json);
	arena_free(a);
	return rc;
}

static int layouts_run(int argc, char **argv)
{
	struct err e = { 0 };

	(void)argv;
	if (argc)
		return usage_error("takes no words; naslab plan LAYOUT DISK... shows one");
	if (option("layers")) {
		list_layers();
		return 0;
	}
	return list_recipes(&e) ? fail(&e) : 0;
}

const struct verb verb_layouts = {
	.name = "layouts", .usage = "",
	.help = "shipped and own recipes, by groups",
	.options = layouts_options, .run = layouts_run,
};
