/* SPDX-License-Identifier: GPL-2.0-or-later */
/* naslab tui - the screens; what naslab without a verb does. */
#include "cmd/cmd.h"

#include <stdio.h>

#include "naslab.h"
#include "ui/ui.h"

static int run(int argc, char **argv)
{
	struct ui_options o = { .ascii = option("ascii") != NULL, .root = option("root"),
				.db = option("db") };
	struct sbuf lines = { 0 };
	struct err e = { 0 };
	struct ui *ui;
	int status;

	if (argc > 0)
		return usage_error("no words are expected here, not \"%s\"", argv[0]);
	if (option("follow") && !option("plain"))
		return usage_error("--follow goes with --plain");
	if (option("plain")) {
		status = plain_run(&o, option("follow") != NULL, &e);
		return status < 0 ? fail(&e) : status;
	}
	if (ui_open(&o, &ui, &e) < 0)
		return fail(&e);
	status = ui_run(ui);
	ui_results(ui, &lines);
	ui_close(ui);
	fputs(sbuf_str(&lines), stdout);	/* what was measured stays behind the screens */
	sbuf_done(&lines);
	return status;
}

static const struct verb_option options[] = {
	{ .name = "ascii", .help = "ASCII only, whatever the terminal says it can draw" },
	{ .name = "plain", .help = "lines \"name: value\" instead of screens; a line of standard input names "
	  "keys, or is: type WORDS" },
	{ .name = "follow", .help = "with --plain: a line for whatever changes by itself, until it has ended" },
	{ .name = "root", .value = "DIR", .help = "look at a recorded machine instead of this one" },
	{ .name = NULL }
};

const struct verb verb_tui = {
	.name = "tui", .usage = "", .help = "the screens (the same as naslab without a verb)",
	.about = "The screens: disks, layout, plan, build, bench. Everything is done by keyboard;\n"
		 "? lists the keys of a screen, : finds any action by name. NO_COLOR is honoured.",
	.options = options, .run = run,
};
