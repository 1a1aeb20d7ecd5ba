/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * corpus - the files of a workload and their incompressible content: eight lanes of
 * xoshiro256++, seeded by splitmix64 from (seed, file, block). The lanes are two vectors
 * of four, which the compiler turns into AVX2 or AVX-512 where the processor has it.
 */
#include "bench/corpus.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "bench/found.h"

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

/* What is made is compared in the registers: it costs no memory. */
static inline __attribute__((always_inline))
bool same_lanes(const uint64_t seed[32], size_t len, const unsigned char *data)
{
	lanes a[4], b[4], va, vb, da, db, other = { 0 };
	unsigned char tail[STEP_BYTES];
	size_t steps = len / STEP_BYTES;

	memcpy(a, seed, sizeof(a));
	memcpy(b, seed + 16, sizeof(b));
	while (steps--) {
		XOSHIRO_STEP(a, va);
		XOSHIRO_STEP(b, vb);
		memcpy(&da, data, sizeof(da));
		memcpy(&db, data + sizeof(da), sizeof(db));
		other |= (va ^ da) | (vb ^ db);
		data += STEP_BYTES;
	}
	if (other[0] | other[1] | other[2] | other[3])
		return false;
	XOSHIRO_STEP(a, va);
	XOSHIRO_STEP(b, vb);
	memcpy(tail, &va, sizeof(va));
	memcpy(tail + sizeof(va), &vb, sizeof(vb));
	return !memcmp(tail, data, len % STEP_BYTES);
}

/* The same for processors that can more: AVX-512 turns its vectors of four lanes in one step. */
struct kernel {
	void (*fill)(const uint64_t seed[32], size_t steps, unsigned char *out);
	bool (*same)(const uint64_t seed[32], size_t len, const unsigned char *data);
};

#define KERNEL(name, attribute) \
	attribute static void fill_##name(const uint64_t seed[32], size_t steps, unsigned char *out) \
	{ \
		fill_lanes(seed, steps, out); \
	} \
	attribute static bool same_##name(const uint64_t seed[32], size_t len, \
					  const unsigned char *data) \
	{ \
		return same_lanes(seed, len, data); \
	} \
	static const struct kernel name = { fill_##name, same_##name };

KERNEL(plain, )
#ifdef __x86_64__
KERNEL(avx2, __attribute__((target("avx2"))))
KERNEL(avx512, __attribute__((target("avx512f,avx512vl"))))

static const struct kernel *kernel_here(void)
{
	return __builtin_cpu_supports("avx512vl") ? &avx512 :
	       __builtin_cpu_supports("avx2") ? &avx2 : &plain;
}
#else
static const struct kernel *kernel_here(void)
{
	return &plain;
}
#endif

static void seed_lanes(uint64_t key, uint64_t seed[32])
{
	size_t i;

	for (i = 0; i < 32; i++)
		seed[i] = corpus_mix(&key);
}

void corpus_random(uint64_t key, size_t len, unsigned char *out)
{
	uint64_t seed[32];

	seed_lanes(key, seed);
	kernel_here()->fill(seed, (len + STEP_BYTES - 1) / STEP_BYTES, out);
}

static bool random_same(uint64_t key, size_t len, const unsigned char *data)
{
	uint64_t seed[32];

	seed_lanes(key, seed);
	return kernel_here()->same(seed, len, data);
}

/*
 * Units of 4 KiB, each with a random head and a tail that repeats 16 bytes of it, so that
 * the ratio holds in every block a file system looks at. What packs the tail needs a few
 * bytes to say so; the head is that much shorter.
 */
void corpus_ratio(double ratio, uint64_t key, size_t len, unsigned char *out)
{
	enum { UNIT = 4096, WORD = 16, COST = 24 };
	size_t head = (size_t)((double)UNIT / ratio), at, i;

	head = head > COST + WORD ? (head - COST) / WORD * WORD : WORD;
	if (ratio < 1.02)
		head = UNIT;
	for (at = 0; at < len; at += UNIT) {
		size_t unit = len - at < UNIT ? len - at : UNIT;
		size_t random = head < unit ? head : unit;

		corpus_random(corpus_mix(&key), random, out + at);
		for (i = random; i < unit; i += WORD)
			memcpy(out + at + i, out + at, WORD);	/* the slack takes the rest */
	}
}

const struct corpus_set *corpus_set(const struct corpus *c, size_t file)
{
	size_t i = c->n_sets;

	while (--i && file < c->sets[i].first)
		;
	return &c->sets[i];
}

void corpus_content(const struct corpus *c, const struct corpus_set *set, uint64_t key,
		    size_t len, unsigned char *out)
{
	switch (set->data) {
	case DATA_TEXT:
		corpus_text(c->text, key, len, out);
		break;
	case DATA_RATIO:
		corpus_ratio(set->ratio, key, len, out);
		break;
	case DATA_ZERO:
		memset(out, 0, len);
		break;
	case DATA_FOUND:		/* records over files that were made from a folder */
	case DATA_RANDOM:
		corpus_random(key, len, out);
		break;
	}
}

enum { SAME_BLOCKS = 16 };	/* so many different ones are repeated */

/* Fewer files than there are: some of all, evenly; more: again from the first. */
const struct found_file *corpus_found(const struct corpus *c, size_t file)
{
	const struct corpus_set *set = corpus_set(c, file);
	size_t i = file - set->first;

	if (set->data != DATA_FOUND)
		return NULL;
	i = set->n < set->found->n ? (size_t)((double)i * (double)set->found->n / (double)set->n) :
				     i % set->found->n;
	return &set->found->files[i];
}

const unsigned char *corpus_held(const struct corpus *c, size_t file)
{
	const struct found_file *f = corpus_found(c, file);

	return f ? f->held : NULL;
}

static uint64_t block_key(const struct corpus_set *set, uint64_t file, uint64_t block)
{
	uint64_t key = set->seed;

	key = corpus_mix(&key) ^ file;
	key = corpus_mix(&key) ^ block;
	if (set->dedup) {
		uint64_t draw = key, one;

		one = corpus_mix(&draw) % SAME_BLOCKS;
		if (corpus_mix(&draw) % 100 < set->dedup)
			key = set->seed + one;
	}
	return key;
}

int corpus_block(const struct corpus *c, uint64_t file, uint64_t block, size_t len,
		 unsigned char *out)
{
	const struct corpus_set *set = corpus_set(c, (size_t)file);

	if (set->data == DATA_FOUND)
		return found_read(corpus_found(c, (size_t)file), block * CORPUS_BLOCK, len, out);
	corpus_content(c, set, block_key(set, file, block), len, out);
	return 0;
}

int corpus_same(const struct corpus *c, uint64_t file, uint64_t block, size_t len,
		const unsigned char *data, unsigned char *scratch)
{
	const struct corpus_set *set = corpus_set(c, (size_t)file);

	if (set->data == DATA_RANDOM)
		return random_same(block_key(set, file, block), len, data);
	if (corpus_block(c, file, block, len, scratch) < 0)
		return -1;
	return !memcmp(scratch, data, len);
}

/* A number between 0 and 1, never 0. */
static double uniform(uint64_t *state)
{
	return ((double)(corpus_mix(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
	return sqrt(-2 * log(uniform(state))) * cos(2 * M_PI * uniform(state));
}

static double lognormal(const struct fileset *f, uint64_t *state)
{
	double sigma = sqrt(2 * log((double)f->mean_file / (double)f->median_file));

	return (double)f->median_file * exp(sigma * normal(state));
}

/* Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). */
static double gamma_of(double shape, uint64_t *state)
{
	double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / sqrt(9 * d), x, v, u;

	do {
		do {
			x = normal(state);
			v = 1 + c * x;
		} while (v <= 0);
		v = v * v * v;
		u = uniform(state);
	} while (log(u) >= x * x / 2 + d - d * v + d * log(v));
	return d * v * (shape < 1 ? pow(uniform(state), 1 / shape) : 1);
}

static uint64_t next_size(const struct fileset *f, uint64_t *state)
{
	double size;

	if (f->sizes == SIZES_FIXED)
		return f->max_file;
	do {
		size = f->sizes == SIZES_LOGNORMAL ? lognormal(f, state) :
		       gamma_of(f->shape, state) * (double)f->mean_file / f->shape;
	} while (size >= (double)f->max_file);
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

enum { MOST_SCALED = 64 };	/* files of one size that are made smaller, not fewer */

/* Each size as often as the list says, all of them mixed: next is the one most behind. */
static void add_list(struct corpus *c, size_t *room, const struct fileset *f, double scale)
{
	uint64_t want[WORKLOAD_SIZES], made[WORKLOAD_SIZES] = { 0 }, all = 0, k;
	unsigned i, next;

	for (i = 0; i < f->n_list; i++) {
		want[i] = (uint64_t)((double)f->list[i].count * scale + 0.5);
		all += want[i];
	}
	if (!all)
		add_size(c, room, f->list[0].size);
	for (k = 1; k <= all; k++) {
		double most = -1;

		for (i = next = 0; i < f->n_list; i++) {
			double behind = (double)want[i] * (double)k / (double)all - (double)made[i];

			if (made[i] < want[i] && behind > most + 1e-9) {
				most = behind;
				next = i;
			}
		}
		made[next]++;
		add_size(c, room, f->list[next].size);
	}
}

static void add_found(struct corpus *c, struct corpus_set *set, size_t *room, double scale)
{
	double n = set->found ? (double)set->found->n * scale : 0;
	size_t i;

	if (!set->found)	/* nobody has looked */
		return;
	set->n = n < 1 ? 1 : (size_t)(n + 0.5);
	for (i = 0; i < set->n; i++)
		add_size(c, room, corpus_found(c, set->first + i)->size);
}

static void add_set(struct corpus *c, size_t *room, const struct fileset *f, double scale)
{
	struct corpus_set *set = &c->sets[c->n_sets++];
	double want = (double)f->bytes * scale, count = (double)f->count * scale;
	uint64_t bytes = want < 1 ? 1 : (uint64_t)(want + 0.5), state = f->seed, i;
	uint64_t before = c->bytes;

	*set = (struct corpus_set){ .seed = f->seed, .first = c->n, .data = f->data,
				    .ratio = f->ratio, .dedup = f->dedup, .found = f->found };
	if (f->sizes == SIZES_FOUND) {
		add_found(c, set, room, scale);
	} else if (f->sizes == SIZES_LIST) {
		add_list(c, room, f, scale);
	} else if (f->sizes == SIZES_FIXED && f->count <= MOST_SCALED && f->bytes) {
		for (i = 0; i < f->count; i++)
			add_size(c, room, bytes / f->count + (i < bytes % f->count));
	} else if (!f->bytes || f->sizes == SIZES_GAMMA) {
		for (i = 0; i < 1 || i < (uint64_t)(count + 0.5); i++)
			add_size(c, room, next_size(f, &state));
	} else {
		while (c->bytes - before < bytes) {
			uint64_t left = bytes - (c->bytes - before), size = next_size(f, &state);

			add_size(c, room, size < left ? size : left);
		}
	}
	set->n = c->n - set->first;
	set->bytes = c->bytes - before;
}

/* How many are in each directory of a tree, so that the lowest ones are at least n. */
static size_t fan_of(size_t n, unsigned depth)
{
	size_t fan = 1, all;
	unsigned i;

	for (;; fan++) {
		for (all = 1, i = 0; i < depth && all < n; i++)
			all *= fan;
		if (all >= n)
			return fan;
	}
}

struct corpus *corpus_new(const struct workload *w, double scale)
{
	struct corpus *c = calloc(1, sizeof(*c));
	size_t room = 0;
	unsigned i;

	if (!c)
		die("no memory");
	for (i = 0; i < w->n_sets; i++) {
		add_set(c, &room, &w->sets[i], scale);
		if (w->sets[i].data == DATA_TEXT && !c->text)
			c->text = corpus_text_new();
	}
	if (!w->single) {
		c->width = w->width;
		c->n_dirs = (c->n + c->width - 1) / c->width;
		c->depth = (unsigned)w->depth;
		c->fan = fan_of(c->n_dirs, c->depth);
	}
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

/* How many of the lowest directories are below one that is so many levels above them. */
static size_t lowest_below(const struct corpus *c, unsigned levels)
{
	size_t n = 1;

	while (levels--)
		n *= c->fan;
	return n;
}

size_t corpus_all_dirs(const struct corpus *c)
{
	size_t all = c->n_dirs;
	unsigned up;

	for (up = 1; up < c->depth; up++)
		all += (c->n_dirs + lowest_below(c, up) - 1) / lowest_below(c, up);
	return all;
}

void corpus_dir_name(const struct corpus *c, size_t dir, char buf[CORPUS_DIR])
{
	unsigned up = c->depth ? c->depth : 1;
	size_t at = 0;

	while (up--)
		at += (size_t)snprintf(buf + at, CORPUS_DIR - at, "d%05zu%s",
				       up ? dir / lowest_below(c, up) : dir, up ? "/" : "");
}

void corpus_file_name(const struct corpus *c, size_t file, char buf[CORPUS_NAME])
{
	snprintf(buf, CORPUS_NAME, "f%07zu.%s", file,
		 corpus_set(c, file)->data == DATA_TEXT ? "c" : "bin");
}

void corpus_path(const struct corpus *c, size_t file, char buf[CORPUS_PATH])
{
	char dir[CORPUS_DIR], name[CORPUS_NAME];

	corpus_file_name(c, file, name);
	if (!c->width) {
		memcpy(buf, name, sizeof(name));
		return;
	}
	corpus_dir_name(c, file / c->width, dir);
	snprintf(buf, CORPUS_PATH, "%s/%s", dir, name);
}
