/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct inventory;

/*
 * A real kernel in user mode with virtual disks. See HACKING.md, "sandbox".
 */
struct sandbox {
	const struct inventory *disks;	/* at most 15 virtual disks */
	uint64_t memory;		/* bytes; 0: 1 GiB */
	const char *keep;		/* folder that outlives it; NULL: a temporary one */
	char *const *command;		/* NULL-terminated; NULL: the TUI */
	bool udev;			/* systemd-udevd runs inside */
	bool tty;			/* the terminal is handed on (window size and signals too) */
};

/* Is linux.uml installed, and may it run here? The sentence names the package. */
int sandbox_available(struct err *e);

/* Run it to its end; *status is the exit status of the command inside. */
int sandbox_run(const struct sandbox *s, int *status, struct err *e);

/* Are we inside one? */
bool sandbox_inside(void);

#endif
