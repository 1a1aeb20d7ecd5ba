/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_TSV_H
#define TESTS_UNIT_TSV_H

/* Read a table of measurements below tests/data/, a row of words at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tsv {
	FILE *file;
	char line[1024];
	char *cell[16];
	unsigned n, row;
};

static inline void tsv_open(struct tsv *t, const char *name)
{
	const char *top = getenv("srcdir");
	char path[512];

	memset(t, 0, sizeof(*t));
	snprintf(path, sizeof(path), "%s/tests/data/%s", top ? top : ".", name);
	t->file = fopen(path, "r");
	if (!t->file)
		fail_msg("%s cannot be read", path);
	if (!fgets(t->line, sizeof(t->line), t->file))		/* the heading */
		fail_msg("%s is empty", path);
}

/* The next row; 0 at the end, when the file is closed. */
static inline int tsv_next(struct tsv *t)
{
	char *save = NULL, *word;

	if (!fgets(t->line, sizeof(t->line), t->file)) {
		fclose(t->file);
		return 0;
	}
	t->n = 0;
	t->row++;
	for (word = strtok_r(t->line, "\t\n", &save); word && t->n < 16;
	     word = strtok_r(NULL, "\t\n", &save))
		t->cell[t->n++] = word;
	return 1;
}

static inline uint64_t tsv_u64(const struct tsv *t, unsigned i)
{
	assert_true(i < t->n);
	return strtoull(t->cell[i], NULL, 10);
}

/* A cell that is a list: "a,b,c". */
static inline unsigned tsv_list(const struct tsv *t, unsigned i, uint64_t *out, unsigned room)
{
	const char *at = t->cell[i];
	unsigned n = 0;
	char *end;

	while (n < room) {
		out[n++] = strtoull(at, &end, 10);
		if (*end != ',')
			break;
		at = end + 1;
	}
	return n;
}

#endif
