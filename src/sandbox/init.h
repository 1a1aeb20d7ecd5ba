/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SANDBOX_INIT_H
#define SANDBOX_INIT_H

#include <stdbool.h>

/*
 * What the launcher wrote into <job>/boot for the first process inside: NUL-terminated
 * records "key=value".
 */
struct boot {
	char *text;		/* the file; everything below points into it */
	char **argv;		/* arg= */
	char **envp;		/* env= */
	char **queues;		/* queue= "ubda 1 180000000" */
	char *disks;		/* the text of /run/naslab/disks */
	char *cwd, *db;
	bool udev, tty, error_pipe;
	unsigned rows, cols;
};

/* A call that has to work, else the sandbox ends: says what failed on the console. */
void must(long result, const char *what);

/* Write text into a file that exists or is made; failures are left to who reads it. */
void put(const char *path, const char *text);

/* Run the command, carry its bytes and signals. Returns its exit status. */
int run_command(const struct boot *b, int console);

#endif
