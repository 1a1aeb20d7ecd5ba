/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include <stddef.h>

struct arena;
struct err;

/* A table: the first line names the columns, every further one has as many fields. */
struct csv {
	const char **titles;
	size_t columns, rows;
	const char **fields;	/* rows * columns */
	size_t *lines;		/* of each row, for sentences */
};

/*
 * RFC 4180, with LF or CRLF; empty lines are nothing. Valid UTF-8 only, no NUL, fields of
 * at most 4096 bytes, at most a million rows and 256 columns.
 */
int csv_read(struct arena *a, const char *name, const char *text, size_t len, struct csv *out,
	     struct err *e);

/* The column of a title; -1: none. */
int csv_column(const struct csv *c, const char *title);
const char *csv_field(const struct csv *c, size_t row, int column);	/* "" for -1 */

#endif
