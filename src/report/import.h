/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_IMPORT_H
#define REPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "report/csv.h"

struct arena;
struct err;

enum { MOST_IMPORT = 64 << 20, MOST_RESULTS = 20000 };

/* One file that is read in: everything is made here first, and stored when all of it is right. */
struct import {
	struct arena *arena;
	const char *path, *name;	/* name: safe to say */
	const char *text;
	size_t len;
	json_t *results;	/* with their runs inside */
};

int import_own_csv(struct import *im, struct err *e);
int import_own_json(struct import *im, struct err *e);
int import_fio(struct import *im, struct err *e);
int import_table(struct import *im, struct err *e);

/* A new result at the end of the list; it owns it. -1: there are too many. */
int import_result(struct import *im, json_t **result, struct err *e);

/* A run of so many bytes; 0 ns durable: not known. False: not a rate that can be. */
bool import_run(json_t *result, uint64_t bytes, uint64_t felt_ns, uint64_t durable_ns);
/* The same of so many files, operations or what else the result's "unit" says. */
bool import_count(json_t *result, uint64_t count, uint64_t felt_ns, uint64_t durable_ns);
/* A run of which the rate alone is known, in bytes or that unit a second. */
bool import_rate(json_t *result, double rate);

/* Median, lowest and highest from the runs, on both clocks; and the flag for few. */
void import_finish(json_t *result);

#endif
