/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * corpus - the files of a workload and their incompressible content: eight lanes of
 * xoshiro256++, seeded by splitmix64 from (seed, file, block). The lanes are two vectors
 * of four, which the compiler turns into AVX2 where the processor has it.
 */
#include "bench/corpus.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "bench/bench.h"

uint64_t corpus_mix(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

typedef uint64_t lanes __attribute__((vector_size(32)));

enum { STEP_BYTES = 2 * sizeof(lanes) };

#define ROTL(x, k) (((x) << (k)) | ((x) >> (64 - (k))))
#define XOSHIRO_STEP(s, out) do { \
		lanes t_ = s[1] << 17; \
		out = ROTL(s[0] + s[3], 23) + s[0]; \
		s[2] ^= s[0]; \
		s[3] ^= s[1]; \
		s[1] ^= s[2]; \
		s[0] ^= s[3]; \
		s[2] ^= t_; \
		s[3] = ROTL(s[3], 45); \
	} while (0)

static inline __attribute__((always_inline))
void fill_lanes(const uint64_t seed[32], size_t steps, unsigned char *out)
{
	lanes a[4], b[4], va, vb;

	memcpy(a, seed, sizeof(a));
	memcpy(b, seed + 16, sizeof(b));
	while (steps--) {
		XOSHIRO_STEP(a, va);
		XOSHIRO_STEP(b, vb);
		memcpy(out, &va, sizeof(va));
		memcpy(out + sizeof(va), &vb, sizeof(vb));
		out += STEP_BYTES;
	}
}

static void fill_plain(const uint64_t seed[32], size_t steps, unsigned char *out)
{
	fill_lanes(seed, steps, out);
}

#ifdef __x86_64__
__attribute__((target("avx2")))
static void fill_avx2(const uint64_t seed[32], size_t steps, unsigned char *out)
{
	fill_lanes(seed, steps, out);
}

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}
#else
#define fill_avx2 fill_plain

static bool has_avx2(void)
{
	return false;
}
#endif

void corpus_random(uint64_t key, size_t len, unsigned char *out)
{
	size_t steps = (len + STEP_BYTES - 1) / STEP_BYTES;
	uint64_t seed[32];
	size_t i;

	for (i = 0; i < 32; i++)
		seed[i] = corpus_mix(&key);
	if (has_avx2())
		fill_avx2(seed, steps, out);
	else
		fill_plain(seed, steps, out);
}

void corpus_block(const struct corpus *c, uint64_t file, uint64_t block, size_t len,
		  unsigned char *out)
{
	uint64_t key = c->seed;

	key = corpus_mix(&key) ^ file;
	key = corpus_mix(&key) ^ block;
	if (c->text)
		corpus_text(c->text, key, len, out);
	else
		corpus_random(key, len, out);
}

/* A number between 0 and 1, never 0. */
static double uniform(uint64_t *state)
{
	return ((double)(corpus_mix(state) >> 11) + 0.5) / 9007199254740992.0;
}

static uint64_t next_size(const struct workload *w, uint64_t *state)
{
	double sigma, z, size;

	if (w->median_file == w->max_file)
		return w->max_file;
	sigma = sqrt(2 * log((double)w->mean_file / (double)w->median_file));
	do {
		z = sqrt(-2 * log(uniform(state))) * cos(2 * M_PI * uniform(state));
		size = (double)w->median_file * exp(sigma * z);
	} while (size >= (double)w->max_file);
	return size < 1 ? 1 : (uint64_t)size;
}

static void add_size(struct corpus *c, size_t *room, uint64_t size)
{
	if (c->n == *room) {
		*room = *room ? *room * 2 : 64;
		c->sizes = reallocarray(c->sizes, *room, sizeof(*c->sizes));
		if (!c->sizes)
			die("no memory");
	}
	c->sizes[c->n++] = size;
	c->bytes += size;
}

struct corpus *corpus_new(const struct workload *w, double scale)
{
	struct corpus *c = calloc(1, sizeof(*c));
	uint64_t state = w->seed;
	double want = (double)w->bytes * scale;
	uint64_t bytes = want < 1 ? 1 : (uint64_t)(want + 0.5);
	size_t room = 0;

	if (!c)
		die("no memory");
	c->seed = w->seed;
	if (w->single) {
		add_size(c, &room, bytes);
	} else {
		c->width = w->width;
		while (c->bytes < bytes) {
			uint64_t size = next_size(w, &state);

			add_size(c, &room, size < bytes - c->bytes ? size : bytes - c->bytes);
		}
		c->n_dirs = (c->n + c->width - 1) / c->width;
	}
	if (w->text)
		c->text = corpus_text_new();
	return c;
}

void corpus_free(struct corpus *c)
{
	if (!c)
		return;
	corpus_text_free(c->text);
	free(c->sizes);
	free(c);
}

void corpus_dir_name(size_t dir, char buf[CORPUS_NAME])
{
	snprintf(buf, CORPUS_NAME, "d%05zu", dir);
}

void corpus_file_name(const struct corpus *c, size_t file, char buf[CORPUS_NAME])
{
	snprintf(buf, CORPUS_NAME, "f%07zu.%s", file, c->text ? "c" : "bin");
}
