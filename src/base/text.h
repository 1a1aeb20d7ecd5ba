/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct err;
struct sbuf;

/*
 * Read a whole small file (sysfs, procfs, a recipe) into *out, at most `limit`
 * bytes, NUL-terminated. -1 with errno set and *out emptied when it cannot be read;
 * EFBIG when it is longer.
 */
int file_read(const char *path, size_t limit, struct sbuf *out);

/* The first line of a file below `root` ("" for the live machine), without its newline
 * and trailing blanks; NULL when there is none. */
char *file_line(struct arena *a, const char *root, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same as a number; `missing` when there is none. */
uint64_t file_u64(uint64_t missing, const char *root, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Write a file so that it is either the old or the new one: temporary, fsync, rename. */
int file_write_atomic(const char *path, const char *text, size_t len, struct err *e);

/*
 * A line of a file of statements: what follows a # and blanks around it are cut off. Its first
 * word, and in *rest what is behind ("" when nothing is); NULL for a line that says nothing.
 */
char *line_statement(char *line, char **rest);

/* The one of n words nearest to `word` (edit distance), NULL when none is near. */
const char *nearest_word(const char *word, const char *const *words, size_t n);

/* Is this a name naslab accepts for a build: a-z, 0-9 and -, first a letter, at most 20? */
bool name_is_valid(const char *name);

#endif
