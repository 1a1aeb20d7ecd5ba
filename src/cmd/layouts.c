/* SPDX-License-Identifier: GPL-2.0-or-later */
/* naslab layouts - the recipes that are shipped, and one's own. */
#include "cmd/cmd.h"

#include <stdio.h>

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

		printf("%-10s %s\n", (*l)->name, (*l)->title);
		for (o = (*l)->options; o && o->name; o++)
			printf("    %-12s %s%s%s%s\n", o->name, o->help, o->def ? " (default " : "",
			       o->def ? o->def : "", o->def ? ")" : "");
	}
}

static int list_recipes(struct err *e)
{
	struct arena *a = arena_new();
	json_t *all = json_array();
	struct sbuf line = { 0 };
	char **names;
	size_t n, i;
	int rc = recipe_names(a, &names, &n, e);

	for (i = 0; !rc && i < n; i++) {
		struct recipe *r;

		rc = recipe_open(names[i], &r, e);
		if (rc)
			break;
		sbuf_clear(&line);
		recipe_line(r, &line);
		if (option("json")) {
			json_t *o = json_object();

			json_put_str(o, "name", names[i]);
			json_put_str(o, "title", r->title);
			json_put_str(o, "about", r->about);
			json_put_str(o, "avoid", r->avoid);
			json_put_str(o, "recipe", sbuf_str(&line));
			json_array_append_new(all, o);
		} else {
			printf("%-20s %s\n%-20s   %s\n", names[i], r->title ? r->title : "", "", sbuf_str(&line));
		}
		recipe_free(r);
	}
	if (!rc && option("json")) {
		json_dumpf(all, stdout, JSON_INDENT(1));
		putchar('\n');
	}
	json_decref(all);
	sbuf_done(&line);
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
	.help = "shipped and own recipes, one line each",
	.options = layouts_options, .run = layouts_run,
};
