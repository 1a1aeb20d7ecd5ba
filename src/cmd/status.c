/* SPDX-License-Identifier: GPL-2.0-or-later */
/* status - the builds, or the layers of one of them as they are now. */
#include <stdio.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/follow.h"
#include "naslab.h"

static const struct verb_option options[] = {
	{ .name = "json", .help = "as JSON" },
	{ .name = NULL }
};

static void print_json(const json_t *value)
{
	json_dumpf(value, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	putchar('\n');
}

static json_t *build_json(const struct build *b)
{
	json_t *o = json_object();

	json_put_str(o, "name", b->name);
	json_put_str(o, "state", build_state_word(b->state));
	json_put_u64(o, "created_ns", (uint64_t)b->created_ns);
	json_put_u64(o, "changed_ns", (uint64_t)b->changed_ns);
	return o;
}

static void print_build(const struct build *b)
{
	time_t at = (time_t)(b->created_ns / 1000000000);
	char when[32] = "";
	struct tm tm;

	if (localtime_r(&at, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &tm);
	printf("%-20s  %-10s  %s\n", b->name, build_state_word(b->state), when);
}

/* What a crash left, with the way out. */
static void print_unfinished(struct store *st)
{
	json_t *unfinished = NULL, *row;
	struct err e = { 0 };
	size_t i;

	if (build_unfinished(st, &unfinished, &e))
		return;
	json_array_foreach(unfinished, i, row)
		puts(json_str(row, "text"));
	json_decref(unfinished);
}

/* Every build that is not destroyed; with JSON all of them. */
static int list_builds(struct store *st, struct err *e)
{
	struct arena *a = arena_new();
	json_t *array = json_array();
	struct list all = { 0 };
	size_t i, shown = 0;
	int rc = store_builds(st, a, &all, e);

	for (i = 0; rc == 0 && i < all.n; i++) {
		const struct build *b = all.at[i];

		if (option("json")) {
			json_array_append_new(array, build_json(b));
		} else if (b->state != BUILD_DESTROYED) {
			print_build(b);
			shown++;
		}
	}
	if (rc == 0 && option("json"))
		print_json(array);
	else if (rc == 0 && !shown)
		puts("no builds");
	else if (rc == 0)
		print_unfinished(st);
	json_decref(array);
	arena_free(a);
	return rc;
}

static int run(int argc, char **argv)
{
	struct store *st;
	struct err e = { 0 };
	json_t *status = NULL;
	int rc;

	if (argc > 1)
		return usage_error("it wants at most one name");
	if (store_open(option("db"), &st, &e))
		return fail(&e);
	rc = argc ? build_status(st, argv[0], "", &status, &e) : list_builds(st, &e);
	store_close(st);
	if (rc)
		return fail(&e);
	if (status && option("json"))
		print_json(status);
	else if (status)
		print_status(status);
	json_decref(status);
	return 0;
}

const struct verb verb_status = {
	.name = "status", .usage = "[NAME]", .help = "builds, and their layers as they are now",
	.about = "Without a name: the builds. With one: every layer with the size that was planned and "
		 "the size it has, its state, and how far a sync has come.",
	.options = options, .run = run,
};
