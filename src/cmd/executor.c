/* SPDX-License-Identifier: GPL-2.0-or-later */
/* executor - the hidden verb that runs as root: one order on standard input. */
#include "cmd/cmd.h"
#include "naslab.h"

static int run(int argc, char **argv)
{
	if (argc)
		return usage_error("it takes its order on standard input, not \"%s\"", argv[0]);
	return executor_main();
}

const struct verb verb_executor = {
	.name = "executor", .usage = "", .help = "carry out one order from standard input",
	.hidden = true, .run = run,
};
