/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One verb, one file, one const struct verb, one row in verbs.c. */
struct verb_option {
	const char *name;	/* "json" for --json */
	const char *value;	/* "FILE" when it takes one; NULL: a switch */
	const char *help;
	bool many;		/* may be given several times */
};

struct verb {
	const char *name;
	const char *usage;	/* "LAYOUT DISK..." */
	const char *help;	/* one line for `naslab --help` and the manual */
	const char *about;	/* a paragraph for `naslab VERB --help`; NULL: the line */
	const struct verb_option *options;	/* ends with .name == NULL; NULL: none */
	bool hidden;		/* not for people (executor) */
	bool rest;		/* everything after the first word that is no option, or after --, is left alone */
	/* argv: the words that are no options, NULL-terminated. Returns the exit status. */
	int (*run)(int argc, char **argv);
};

extern const struct verb *const verbs[];	/* verbs.c; NULL-terminated */

/* The value of an option of the running verb; NULL when not given; "" for a switch. */
const char *option(const char *name);
size_t option_count(const char *name);			/* how often it was given */
const char *option_at(const char *name, size_t i);	/* its i-th value */

/* Text from outside (a path, another process's name), which must not speak to the terminal. */
void print_safe(FILE *to, const char *text);

struct err;
/* Print the sentence on stderr and return the exit status it stands for. */
int fail(const struct err *e);
/* Text in lines of 79 columns, from the column where it begins; ends the line. */
void print_wrapped(const char *text, unsigned indent);
/* Print "naslab VERB: ..." and return 2. */
int usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
