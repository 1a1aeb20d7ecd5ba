/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CMD_FOLLOW_H
#define CMD_FOLLOW_H

#include <stdbool.h>

#include <jansson.h>

/*
 * Start the executor with an order and print what it says until it ends: a line a step,
 * or its JSON lines as they are. Ctrl-C asks it to stop and to take back what it did;
 * when we are killed it goes on. Returns the exit status.
 */
int follow(const json_t *order, bool as_json);

/* Ask for the name on the terminal; 0 when it was typed, else an exit status. */
int ask_name(const char *name, const char *question);

struct arena;
struct err;

/* The passphrase from a file (- is standard input), else asked for, once or twice. */
int ask_passphrase(const char *file, bool twice, struct arena *a, char **out, struct err *e);

/* One build's layers as a table for 80 columns. */
void print_status(const json_t *status);

/* SIGINT, SIGTERM, SIGPIPE, and SIGHUP but for nohup. */
void catch_end(void (*handler)(int));

#endif
