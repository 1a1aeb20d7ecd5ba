/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marks - what can be wrong with a number, in one table: the word that records carry, the
 * letter behind a bar, and what the legend says. Every face of the program reads this one.
 */
#include "bench/bench.h"

#include <string.h>

#include "base/json.h"
#include "base/sbuf.h"

static const struct mark {
	const char *word;
	const char *means;
	enum flag flag;
	char letter;
	bool doubt;		/* it is not, or not only, the disks' speed */
} marks[] = {
	{ "cached", "page cache, not the disks", FLAG_CACHED, 'P', true },
	{ "cachefull", "write-back cache not empty", FLAG_CACHEFULL, 'B', true },
	{ "sync", "sync, scrub or balance went on", FLAG_SYNC, 'S', true },
	{ "throttled", "throttled for heat", FLAG_THROTTLED, 'T', true },
	{ "disturbed", "disturbed by others", FLAG_DISTURBED, 'D', true },
	{ "above", "above what the disks can do", FLAG_ABOVE, 'L', true },
	{ "source", "making the data was the limit", FLAG_SOURCE, 'G', true },
	{ "cpu", "the processor was the limit", FLAG_CPU, 'C', true },
	{ "compressed", "packed by the file system", FLAG_COMPRESSED, 'Z', true },
	{ "drift", "the runs drift", FLAG_DRIFT, '~', true },
	{ "outlier", "a run lies far off", FLAG_OUTLIER, '*', false },
	{ "partial", "stopped before its end", FLAG_PARTIAL, '!', true },
	{ "resumed", "stopped, and gone on with later", FLAG_RESUMED, 'R', false },
	{ "nodisk", "no disk could be asked", FLAG_NODISK, '?', true },
	{ "few", "fewer than 6 runs", FLAG_FEW, 'n', false },
};
enum { MARKS = sizeof(marks) / sizeof(marks[0]) };

json_t *flag_words(unsigned flags)
{
	json_t *words = json_array();
	size_t i;

	for (i = 0; i < MARKS; i++) {
		if (flags & marks[i].flag)
			json_add_str(words, marks[i].word);
	}
	return words;
}

unsigned flags_read(const json_t *words)
{
	const json_t *word;
	unsigned flags = 0;
	size_t i, k;

	json_array_foreach(words, i, word) {
		for (k = 0; k < MARKS; k++) {
			if (json_is_string(word) && !strcmp(json_string_value(word), marks[k].word))
				flags |= marks[k].flag;
		}
	}
	return flags;
}

/* Without a disk that could be asked, nobody knows what came from memory. */
static unsigned shown(unsigned flags)
{
	return flags & FLAG_NODISK ? flags & ~(unsigned)FLAG_CACHED : flags;
}

void flags_letters(unsigned flags, const char *between, struct sbuf *out)
{
	bool any = false;
	size_t i;

	for (i = 0; i < MARKS; i++) {
		if (!(shown(flags) & marks[i].flag))
			continue;
		sbuf_addf(out, "%s%c", any ? between : "", marks[i].letter);
		any = true;
	}
}

bool flags_doubt(unsigned flags)
{
	size_t i;

	for (i = 0; i < MARKS; i++) {
		if (marks[i].doubt && flags & marks[i].flag)
			return true;
	}
	return false;
}

void flags_legend(unsigned flags, unsigned width, struct sbuf *out)
{
	size_t i, line = 0;

	for (i = 0; i < MARKS; i++) {
		size_t need = strlen(marks[i].means) + 2;

		if (!(shown(flags) & marks[i].flag))
			continue;
		if (line && line + 2 + need > width) {
			sbuf_addc(out, '\n');
			line = 0;
		}
		sbuf_addf(out, "%s%c %s", line ? ", " : "", marks[i].letter, marks[i].means);
		line += need + (line ? 2 : 0);
	}
}
