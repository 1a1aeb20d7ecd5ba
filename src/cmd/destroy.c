/* SPDX-License-Identifier: GPL-2.0-or-later */
/* destroy - take a build down, top layer first, and prove its disks blank. */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/follow.h"
#include "naslab.h"

static const struct verb_option options[] = {
	{ .name = "yes", .help = "do not ask for the name" },
	{ .name = "forget", .help = "disks that are not there do not come back: end it without them" },
	{ .name = "json", .help = "the events, one JSON object a line" },
	{ .name = NULL }
};

static int run(int argc, char **argv)
{
	struct store *st = NULL;
	struct arena *a = arena_new();
	struct build b = { 0 };
	struct err e = { 0 };
	char question[160];
	json_t *order;
	int rc = 0;

	if (argc != 1) {
		arena_free(a);
		return usage_error("it wants the name of one build");
	}
	if (store_open_read(option("db"), &st, &e) || store_build_find(st, argv[0], a, &b, &e) < 0)
		rc = fail(&e);
	else if (!b.id && err_set(&e, ERR_FAIL, "there is no build named %.40s", argv[0]))
		rc = fail(&e);
	snprintf(question, sizeof(question), "Everything on %s is lost.", b.name ? b.name : "");
	if (!rc && !option("yes"))
		rc = ask_name(b.name, question);
	if (!rc) {
		order = order_simple("destroy", argv[0], store_path(st));
		if (option("forget"))
			order_forget(order);
		store_close(st);
		st = NULL;
		rc = follow(order, option("json"));
		json_decref(order);
	}
	store_close(st);
	arena_free(a);
	return rc;
}

const struct verb verb_destroy = {
	.name = "destroy", .usage = "NAME", .help = "take a build down and prove its disks blank",
	.about = "Takes the build down, top layer first, clears its disks, and reads from every one of "
		 "them that nothing is recognised on it any more. Asks for the name, or --yes. A disk that "
		 "is not there is named and waited for: destroy it again when it is back, or --forget it.",
	.options = options, .run = run,
};
