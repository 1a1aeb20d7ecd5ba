/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CMD_RESULTS_H
#define CMD_RESULTS_H

#include "naslab.h"

/* The words behind "naslab results", a file each. */

int results_compare(struct store *st, int argc, char **argv, struct err *e);
int results_chart(struct store *st, int argc, char **argv, struct err *e);
int results_export(struct store *st, int argc, char **argv, struct err *e);
int results_import(struct store *st, int argc, char **argv, struct err *e);

/* What --class, --op, --durable and --all say. */
int results_filter(struct report_filter *f, struct err *e);
/* Nothing was found: says what can be asked for. Always -1. */
int results_nothing(const json_t *results, const struct report_filter *f, struct err *e);
/* Print a grid as the terminal can show it, and free it. */
void results_print(struct grid *g);
unsigned results_columns(void);

#endif
