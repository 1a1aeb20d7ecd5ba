/* SPDX-License-Identifier: GPL-2.0-or-later */
/* naslab plan - stack, capacity, advice and steps of a layout on disks. */
#include "cmd/cmd.h"
#include "cmd/open.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


static const struct verb_option plan_options[] = {
	{ .name = "name", .value = "NAME", .help = "what the build will be called (nas1)" },
	OPEN_DISKS_OPTIONS,
	{ .name = "lose", .value = "DISK,...", .help = "say what is left when these disks die" },
	{ .name = "script", .help = "print a sh script that builds the same without naslab" },
	{ .name = "json", .help = "print it for programs" },
	{ .name = NULL }
};

static void print_plan(const struct plan *p)
{
	struct sbuf out = { 0 };
	json_t *json;

	if (option("json")) {
		json = plan_json(p);
		json_dumpf(json, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
		putchar('\n');
		json_decref(json);
	} else {
		if (option("script"))
			plan_script(p, &out);
		else
			plan_text(p, !strcmp(nl_langinfo(CODESET), "UTF-8"), &out);
		fputs(sbuf_str(&out), stdout);
	}
	sbuf_done(&out);
}

/* --lose sda,sdb: what becomes of every layer. */
static int print_losses(const struct stack *s, const char *words, struct err *e)
{
	struct sbuf out = { 0 };
	json_t *json = NULL;
	int rc = losses_of_words(s, words, &out, option("json") ? &json : NULL, e);

	if (!rc && json) {
		json_dumpf(json, stdout, JSON_INDENT(1));
		putchar('\n');
	} else if (!rc) {
		fputs(sbuf_str(&out), stdout);
	}
	json_decref(json);
	sbuf_done(&out);
	return rc;
}

static int plan_run(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct inventory *inv = NULL;
	struct recipe *recipe = NULL;
	struct stack *stack = NULL;
	struct plan *plan = NULL;
	struct pick *picks;
	struct err e = { 0 };
	size_t n;
	int rc;

	if (argc < 2)
		return usage_error("wants a layout and disks: naslab plan shr 6xhdd:4T");
	setlocale(LC_CTYPE, "");
	rc = recipe_open(argv[0], &recipe, &e) ||
	     open_disks(argv + 1, &inv, a, &picks, &n, &e) ||
	     stack_make(recipe, option("name") ? option("name") : "nas1", picks, n, &stack, &e) ||
	     stack_check_ram(stack, picks_ram(inv, picks, n), &e) || plan_make(stack, &plan, &e);
	if (!rc && option("lose"))
		rc = print_losses(stack, option("lose"), &e);
	else if (!rc)
		print_plan(plan);
	if (rc)
		rc = fail(&e);
	plan_free(plan);
	stack_free(stack);
	recipe_free(recipe);
	inventory_free(inv);
	arena_free(a);
	return rc;
}

const struct verb verb_plan = {
	.name = "plan", .usage = "LAYOUT DISK...",
	.help = "stack, exact capacity, advice and steps; writes nothing",
	.about = "Shows what a layout would be on these disks: the stack as a tree, the capacity by layer\n"
		 "and by disk, advice, and the steps as commands. LAYOUT is a recipe's name, a file, or the\n"
		 "one-line form. DISK is a device, a virtual disk (hdd:10T, 6xhdd:4T, ssd:500G) or \"all\".\n"
		 "It writes nothing and needs no root.",
	.options = plan_options, .run = plan_run,
};
