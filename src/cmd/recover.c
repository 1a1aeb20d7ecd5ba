/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recover - take back what a crash, a kill or a power cut left unfinished. */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/follow.h"
#include "naslab.h"

static const struct verb_option options[] = {
	{ .name = "yes", .help = "do not ask for the name of each build" },
	{ .name = "json", .help = "the events, one JSON object a line" },
	{ .name = NULL }
};

static int recover_one(const json_t *row, const char *db)
{
	const char *name = json_str(row, "name");
	json_t *order;
	int rc = 0;

	if (!option("json"))
		puts(json_str(row, "text"));
	if (!option("yes"))
		rc = ask_name(name, "What it had made is taken back and its disks are cleared.");
	if (rc)
		return rc;
	order = order_simple("recover", name, db);
	rc = follow(order, option("json"));
	json_decref(order);
	return rc;
}

static int run(int argc, char **argv)
{
	struct store *st;
	struct err e = { 0 };
	json_t *unfinished, *row;
	size_t i;
	int rc = 0, one;

	if (argc)
		return usage_error("it takes no name, only options, not \"%s\"", argv[0]);
	if (store_open(option("db"), &st, &e))
		return fail(&e);
	if (build_unfinished(st, &unfinished, &e)) {
		store_close(st);
		return fail(&e);
	}
	if (!json_array_size(unfinished) && !option("json"))
		puts("nothing was cut short");
	json_array_foreach(unfinished, i, row) {
		one = recover_one(row, store_path(st));
		rc = one > rc ? one : rc;
	}
	json_decref(unfinished);
	store_close(st);
	return rc;
}

const struct verb verb_recover = {
	.name = "recover", .usage = "", .help = "take back what a crash left unfinished",
	.about = "Finds builds whose executor died (killed, power cut) while building or destroying, "
		 "takes back what the journal says was begun, and proves those disks blank.",
	.options = options, .run = run,
};
