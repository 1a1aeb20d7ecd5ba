/* SPDX-License-Identifier: GPL-2.0-or-later */
/* naslab campaigns - the campaigns that are shipped, and those that were begun. */
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>

#include "naslab.h"

/* Of a begun one: how many of its cells have an end. */
static int count_cells(struct store *st, const struct stored_campaign *c, size_t *ended, size_t *n,
		       struct err *e)
{
	struct arena *a = arena_new();
	struct list cells = { 0 };
	size_t i;
	int rc = store_cells(st, c->id, a, &cells, e);

	*n = cells.n;
	for (*ended = i = 0; i < cells.n; i++) {
		enum cell_state state = ((const struct campaign_cell *)cells.at[i])->state;

		*ended += state != CELL_WAITING && state != CELL_RUNNING;
	}
	arena_free(a);
	return rc;
}

static int add_begun(struct arena *a, json_t *out, struct err *e)
{
	struct store *st = NULL;
	struct list all = { 0 };
	size_t i, ended, n;
	int rc;

	if (!store_exists(option("db")))
		return 0;
	rc = store_open_read(option("db"), &st, e) || store_campaigns(st, a, &all, e) ? -1 : 0;
	for (i = 0; rc == 0 && i < all.n; i++) {
		const struct stored_campaign *c = all.at[i];
		json_t *j = json_object();

		rc = count_cells(st, c, &ended, &n, e);
		json_put_str(j, "name", c->name);
		json_put_str(j, "state", campaign_alive(c) ? "running" : ended == n ? "done" : "stopped");
		json_put_u64(j, "ended", ended);
		json_put_u64(j, "cells", n);
		json_array_append_new(out, j);
	}
	store_close(st);
	return rc;
}

static int add_shipped(struct arena *a, json_t *out, struct err *e)
{
	struct list names = { 0 };
	size_t i;

	campaign_names(a, &names);
	for (i = 0; i < names.n; i++) {
		struct campaign *c = NULL;
		json_t *j;

		if (campaign_open(campaign_file(a, names.at[i]), &c, e))
			return -1;
		j = json_object();
		json_put_str(j, "name", names.at[i]);
		json_put_str(j, "title", c->title);
		json_put_u64(j, "layouts", c->variants.n);
		json_put_u64(j, "workloads", c->workloads.n);
		json_put_u64(j, "reps", c->reps);
		json_array_append_new(out, j);
		campaign_free(c);
	}
	return 0;
}

static void print(const json_t *shipped, const json_t *begun)
{
	const json_t *j;
	size_t i;

	puts("Shipped; naslab campaign NAME DISK... --forecast shows what one would do");
	json_array_foreach(shipped, i, j)
		printf(" %-18s %s\n %-18s   %u layouts x %u workloads, %u runs each\n",
		       json_str(j, "name"), json_str(j, "title") ? json_str(j, "title") : "", "",
		       (unsigned)json_u64(j, "layouts", 0), (unsigned)json_u64(j, "workloads", 0),
		       (unsigned)json_u64(j, "reps", 0));
	if (json_array_size(begun))
		puts("\nBegun here; naslab campaign NAME goes on");
	json_array_foreach(begun, i, j)
		printf(" %-18s %s, %u of %u cells have an end\n", json_str(j, "name"),
		       json_str(j, "state"), (unsigned)json_u64(j, "ended", 0),
		       (unsigned)json_u64(j, "cells", 0));
}

static int run(int argc, char **argv)
{
	struct arena *a = arena_new();
	json_t *shipped = json_array(), *begun = json_array(), *both;
	struct err e = { 0 };
	int rc;

	(void)argv;
	if (argc)
		rc = usage_error("it takes no words; naslab campaign FILE runs one");
	else if (add_shipped(a, shipped, &e) || add_begun(a, begun, &e))
		rc = fail(&e);
	else if (option("json")) {
		both = json_pack("{s:O,s:O}", "shipped", shipped, "begun", begun);
		json_dumpf(both, stdout, JSON_INDENT(1));
		putchar('\n');
		json_decref(both);
		rc = 0;
	} else {
		print(shipped, begun);
		rc = 0;
	}
	json_decref(shipped);
	json_decref(begun);
	arena_free(a);
	return rc;
}

static const struct verb_option options[] = {
	{ .name = "json", .help = "print it for programs" },
	{ .name = NULL }
};

const struct verb verb_campaigns = {
	.name = "campaigns", .usage = "", .help = "list the shipped campaigns and those begun here",
	.options = options, .run = run,
};
