/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_CORPUS_H
#define BENCH_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/bench.h"

struct corpus_text;

/*
 * The files of a workload: how many, how large, what is in them. Everything follows from
 * the seed; a block's content from (seed, file, block), so any block can be made again to
 * check what was read, and no source has to be kept.
 */
enum {
	CORPUS_BLOCK = 65536,	/* bytes that are made at once */
	CORPUS_SLACK = 64,	/* bytes behind a block that making it may overwrite */
	CORPUS_NAME = 32,
	CORPUS_DIR = 12 * WORKLOAD_DEPTH,
	CORPUS_PATH = CORPUS_DIR + CORPUS_NAME,
};

struct corpus_set {		/* files of one kind, one after the other */
	uint64_t seed;
	size_t first, n;	/* its files */
	uint64_t bytes;		/* their sum */
	enum data data;
	double ratio;
	unsigned dedup;		/* percent of the blocks that are one of a few */
	const struct found *found;	/* of DATA_FOUND: what they are made of */
};

struct corpus {
	size_t n;		/* files */
	uint64_t *sizes;
	uint64_t bytes;		/* their sum */
	size_t width;		/* files in a directory; 0: no directories */
	size_t n_dirs;
	unsigned depth;		/* directories above a file; 0 is 1 too */
	size_t fan;		/* of that tree: how many are in each */
	struct corpus_set sets[WORKLOAD_SETS];
	size_t n_sets;
	struct corpus_text *text;	/* NULL: no set has any */
};

/* scale multiplies the bytes: the size of up to 64 files of one size, else their number. */
struct corpus *corpus_new(const struct workload *w, double scale);
void corpus_free(struct corpus *c);		/* takes NULL */

/* The first len bytes of a block; out has room for CORPUS_SLACK more. -1: what it is made of
 * cannot be read, or has changed (EILSEQ). */
int corpus_block(const struct corpus *c, uint64_t file, uint64_t block, size_t len,
		  unsigned char *out);

/* Are these the first len bytes of a block? 1 yes, 0 no, -1 as corpus_block(). scratch has room
 * for CORPUS_BLOCK and CORPUS_SLACK; what is incompressible does without. */
int corpus_same(const struct corpus *c, uint64_t file, uint64_t block, size_t len,
		const unsigned char *data, unsigned char *scratch);

const struct corpus_set *corpus_set(const struct corpus *c, size_t file);
/* What a set is made of, from any key; out has room for CORPUS_SLACK more. */
void corpus_content(const struct corpus *c, const struct corpus_set *set, uint64_t key,
		    size_t len, unsigned char *out);

/* What a file of DATA_FOUND is made of; NULL: it is none. */
const struct found_file *corpus_found(const struct corpus *c, size_t file);
/* Its whole content where that lies in memory, from a page on: it need not be made. */
const unsigned char *corpus_held(const struct corpus *c, size_t file);

size_t corpus_all_dirs(const struct corpus *c);		/* those of the tree too */
void corpus_dir_name(const struct corpus *c, size_t dir, char buf[CORPUS_DIR]);
void corpus_file_name(const struct corpus *c, size_t file, char buf[CORPUS_NAME]);
void corpus_path(const struct corpus *c, size_t file, char buf[CORPUS_PATH]);	/* with its directory */

/* The generators; corpus_text_new() makes the phrases they draw from. */
void corpus_random(uint64_t key, size_t len, unsigned char *out);
struct corpus_text *corpus_text_new(void);
void corpus_text_free(struct corpus_text *t);
void corpus_text(const struct corpus_text *t, uint64_t key, size_t len, unsigned char *out);

/* Packs to one part in `ratio`, in every 4 KiB. */
void corpus_ratio(double ratio, uint64_t key, size_t len, unsigned char *out);

/* splitmix64: the next number; *state moves on. */
uint64_t corpus_mix(uint64_t *state);

#endif
