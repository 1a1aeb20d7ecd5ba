/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mount - bring a build up again after a restart, with what has to be done by hand. */
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/follow.h"
#include "naslab.h"

static const struct verb_option options[] = {
	{ .name = "key-file", .value = "FILE",
	  .help = "the passphrase is its first line, - is standard input; else it is asked for" },
	{ .name = "json", .help = "the events, one JSON object a line" },
	{ .name = NULL }
};

/* Did some step of the plan it was built by want the passphrase? */
static bool is_encrypted(const char *plan)
{
	json_t *json = json_loads(plan ? plan : "", 0, NULL), *step;
	bool found = false;
	size_t i;

	json_array_foreach(json_object_get(json, "steps"), i, step)
		found |= json_is_true(json_object_get(step, "passphrase"));
	json_decref(json);
	return found;
}

static int run(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct store *st = NULL;
	struct build b = { 0 };
	struct err e = { 0 };
	char *passphrase = NULL;
	json_t *order;
	int rc;

	if (argc != 1) {
		arena_free(a);
		return usage_error("it wants the name of one build");
	}
	rc = store_open_read(option("db"), &st, &e);
	if (rc == 0)
		rc = store_build_find(st, argv[0], a, &b, &e);
	if (rc > 0)
		rc = err_set(&e, ERR_FAIL, "there is no build named %.40s", argv[0]);
	if (rc == 0 && b.state == BUILD_BUILT && is_encrypted(b.plan))
		rc = ask_passphrase(option("key-file"), false, a, &passphrase, &e);
	if (rc == 0) {
		order = order_simple("mount", argv[0], store_path(st));
		if (passphrase)
			order_secret(order, passphrase);
		store_close(st);
		st = NULL;
		rc = follow(order, option("json"));
		json_decref(order);
	} else {
		rc = fail(&e);
	}
	store_close(st);
	arena_free(a);
	return rc;
}

const struct verb verb_mount = {
	.name = "mount", .usage = "NAME", .help = "bring a build up again after a restart",
	.about = "Starts what does not stand: arrays, volumes, caches, encryption (the passphrase is asked "
		 "for), and mounts the file systems. Nothing is made and nothing forced. A build without "
		 "encryption is mounted at every start by itself, unless its layout says boot=no.",
	.options = options, .run = run,
};
