/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build - guarded, journalled, and compared with the plan at the end. */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/follow.h"
#include "naslab.h"

static const struct verb_option options[] = {
	{ .name = "name", .value = "NAME", .help = "what it is called: a-z, 0-9 and -" },
	{ .name = "yes", .help = "do not ask for the name" },
	{ .name = "wipe", .value = "DISK", .help = "this disk holds something that may be lost",
	  .many = true },
	{ .name = "cache", .value = "DISK", .help = "a disk that caches", .many = true },
	{ .name = "key-file", .value = "FILE",
	  .help = "the passphrase is its first line, - is standard input; else it is asked for" },
	{ .name = "json", .help = "the events, one JSON object a line" },
	{ .name = NULL }
};

/* The values of an option that may be repeated, NULL-terminated. */
static char **option_words(struct arena *a, const char *name)
{
	size_t i, n = option_count(name);
	char **words = arena_array(a, n + 1, sizeof(*words));

	for (i = 0; i < n; i++)
		words[i] = arena_strdup(a, option_at(name, i));
	return words;
}

/* Everything made on the way from words to a plan. */
struct made {
	struct inventory *inv;
	struct recipe *recipe;
	struct stack *stack;
	struct plan *plan;
};

static int make(struct made *m, char **argv, struct arena *a, char **wipe, struct err *e)
{
	struct pick *picks;
	size_t n;

	if (recipe_open(argv[0], &m->recipe, e) || inventory_read("", &m->inv, e) ||
	    picks_from_words(m->inv, (const char *const *)argv + 1,
			     (const char *const *)option_words(a, "cache"), a, &picks, &n, e) ||
	    stack_make(m->recipe, option("name"), picks, n, &m->stack, e) ||
	    plan_make(m->stack, &m->plan, e))
		return -1;
	if (guard_check(m->plan, m->inv, wipe, e))
		return -1;
	return build_tools_check(m->plan, e);
}

static void made_free(struct made *m)
{
	plan_free(m->plan);
	stack_free(m->stack);
	recipe_free(m->recipe);
	inventory_free(m->inv);
}

/* What will be built and what is lost, in a few lines. */
static void print_summary(const struct plan *p)
{
	const struct stack *s = p->stack;
	struct sbuf line = { 0 };
	char size[SIZE_TEXT], raw[SIZE_TEXT];

	recipe_line(s->recipe, &line);
	printf("%s: %s\n%zu disks, %s raw, %s usable, survives %u, %zu steps\n", s->name,
	       sbuf_str(&line), s->n_disks, size_text(raw, s->raw_bytes, SIZE_SI),
	       size_text(size, s->usable_bytes, SIZE_SI), s->survives, p->steps.n);
	sbuf_done(&line);
}

static char *question(const struct plan *p, struct arena *a)
{
	struct sbuf text = { 0 };
	char *copy;
	size_t i;

	sbuf_add(&text, "Everything on these disks is lost:");
	for (i = 0; i < p->stack->n_disks; i++) {
		const struct node *n = p->stack->nodes.at[i];
		const struct disk *d = n->disk;

		if (!node_is_used(n))
			continue;
		sbuf_addf(&text, "\n  %s ", d->path);
		sbuf_add_safe(&text, d->model ? d->model : "");
		sbuf_addc(&text, ' ');
		sbuf_add_safe(&text, d->serial ? d->serial : "");
		if (d->state == DISK_DATA && d->why) {
			sbuf_add(&text, " (");
			sbuf_add_safe(&text, d->why);
			sbuf_addc(&text, ')');
		}
	}
	copy = arena_strdup(a, sbuf_str(&text));
	sbuf_done(&text);
	return copy;
}

/* Every layer as planned and as it is. */
static int compare(const char *db)
{
	struct store *st;
	struct err e = { 0 };
	json_t *status;
	int rc;

	if (store_open(db, &st, &e))
		return fail(&e);
	rc = build_status(st, option("name"), "", &status, &e);
	store_close(st);
	if (rc)
		return fail(&e);
	putchar('\n');
	print_status(status);
	rc = json_is_true(json_object_get(status, "agrees")) ? 0 : 1;
	json_decref(status);
	return rc;
}

static int build(char **argv)
{
	struct made m = { 0 };
	struct arena *a = arena_new();
	char **wipe = option_words(a, "wipe");
	struct store *st = NULL;
	struct err e = { 0 };
	json_t *order;
	char *db = NULL, *passphrase = NULL;
	int rc;

	if (make(&m, argv, a, wipe, &e)) {
		rc = fail(&e);
		goto out;
	}
	if (!option("json"))
		print_summary(m.plan);
	rc = option("yes") ? 0 : ask_name(option("name"), question(m.plan, a));
	if (rc)
		goto out;
	if (plan_needs_secret(m.plan) && ask_passphrase(option("key-file"), true, a, &passphrase, &e)) {
		rc = fail(&e);
		goto out;
	}
	if (store_open(option("db"), &st, &e)) {
		rc = fail(&e);
		goto out;
	}
	db = arena_strdup(a, store_path(st));
	store_close(st);
	order = order_build(m.plan, db, wipe);
	if (passphrase)
		order_secret(order, passphrase);
	rc = follow(order, option("json"));
	json_decref(order);
	if (!rc && !option("json"))
		rc = compare(db);
out:
	made_free(&m);
	arena_free(a);
	return rc;
}

static int run(int argc, char **argv)
{
	if (argc < 2)
		return usage_error("it wants a layout and at least one disk");
	if (!option("name"))
		return usage_error("it wants --name NAME, what the build is called");
	if (!name_is_valid(option("name")))
		return usage_error("\"%.40s\" is no name for a build: a-z, 0-9 and -, first a letter, at "
				   "most 20", option("name"));
	return build(argv);
}

const struct verb verb_build = {
	.name = "build", .usage = "LAYOUT DISK... --name NAME",
	.help = "build a layout on disks, guarded and journalled",
	.about = "Plans the layout, checks that the disks may be used, asks for the name (or --yes), and "
		 "builds it step by step. A disk in use is never used; a disk that holds anything "
		 "recognised only when it is named again with --wipe. A step that fails is taken back "
		 "together with all that was built before it. The build goes on when this terminal goes.",
	.options = options, .run = run,
};
