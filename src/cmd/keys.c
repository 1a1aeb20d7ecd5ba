/* SPDX-License-Identifier: GPL-2.0-or-later */
/* naslab keys - the key tables of the screens, as text or for the manual. */
#include "cmd/cmd.h"

#include <stdio.h>

#include "naslab.h"
#include "ui/keys.h"

static int run(int argc, char **argv)
{
	struct sbuf out = { 0 };

	if (argc > 0)
		return usage_error("no words are expected here, not \"%s\"", argv[0]);
	keys_print(&out, option("roff") != NULL);
	fputs(sbuf_str(&out), stdout);
	sbuf_done(&out);
	return 0;
}

static const struct verb_option options[] = {
	{ .name = "roff", .help = "as sections of a manual page" },
	{ .name = NULL }
};

const struct verb verb_keys = {
	.name = "keys", .usage = "", .help = "print the keys of all screens", .hidden = true,
	.options = options, .run = run,
};
