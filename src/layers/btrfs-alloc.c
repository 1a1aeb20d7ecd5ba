/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs-alloc - what btrfs makes of a set of devices, exactly.
 *
 * Three things are followed step by step: the chunks that mkfs lays down (volumes.c and
 * mkfs/main.c of btrfs-progs 6.2), the estimate behind statvfs (super.c of kernel 6.1)
 * and the kernel's chunk allocator (volumes.c), run until no chunk fits. The last is
 * what a person can really fill; statvfs understates it on unequal devices.
 */
#include "layers/btrfs.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"

#define STRIPE_LEN (64 * KIB)
#define RESERVED MIB			/* at the beginning of every device */
#define TEMP_SYSTEM (4 * MIB)		/* mkfs begins with these on the first device */
#define TEMP_OTHER (8 * MIB)
#define DEVS_MAX 506u			/* stripes that fit a chunk's item */
#define DEVS_MAX_SYSTEM 29u		/* and the superblock */
#define EMPTY_NODES 9u			/* tree blocks of an empty file system, 16 KiB each */
#define GLOBAL_RESERVE 5767168ull	/* what the kernel keeps for itself when empty */

bool btrfs_no_leaps;

static const struct btrfs_profile profiles[] = {
	{ .name = "single", .devs_min = 1, .devs_increment = 1, .devs_max = 1, .dev_stripes = 1,
	  .copies = 1, .statvfs_width = 1, .needs = "1 device" },
	{ .name = "dup", .devs_min = 1, .devs_increment = 1, .devs_max = 1, .dev_stripes = 2,
	  .copies = 2, .statvfs_width = 1, .needs = "1 device" },
	{ .name = "raid0", .devs_min = 1, .devs_increment = 1, .dev_stripes = 1,
	  .copies = 1, .needs = "1 device" },
	{ .name = "raid1", .devs_min = 2, .devs_increment = 2, .devs_max = 2, .dev_stripes = 1,
	  .copies = 2, .tolerates = 1, .statvfs_width = 2, .needs = "2 devices" },
	{ .name = "raid1c3", .devs_min = 3, .devs_increment = 3, .devs_max = 3, .dev_stripes = 1,
	  .copies = 3, .tolerates = 2, .statvfs_width = 3, .needs = "3 devices" },
	{ .name = "raid1c4", .devs_min = 4, .devs_increment = 4, .devs_max = 4, .dev_stripes = 1,
	  .copies = 4, .tolerates = 3, .statvfs_width = 4, .needs = "4 devices" },
	{ .name = "raid10", .devs_min = 2, .devs_increment = 2, .dev_stripes = 1,
	  .copies = 2, .tolerates = 1, .statvfs_width = 4, .needs = "2 devices" },
	{ .name = "raid5", .devs_min = 2, .devs_increment = 1, .dev_stripes = 1,
	  .copies = 1, .parity = 1, .tolerates = 1, .needs = "2 devices" },
	{ .name = "raid6", .devs_min = 3, .devs_increment = 1, .dev_stripes = 1,
	  .copies = 1, .parity = 2, .tolerates = 2, .needs = "3 devices" },
};

const struct btrfs_profile *btrfs_profile_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
		if (!strcmp(profiles[i].name, name))
			return &profiles[i];
	return NULL;
}

static bool is_single(const struct btrfs_profile *p)
{
	return p->copies == 1 && !p->parity && p->devs_max == 1;
}

struct dev {
	uint64_t size;			/* what btrfs counts: bytes down to a sector of 4 KiB */
	uint64_t used;			/* in chunks */
	uint64_t system, data, usable;	/* in chunks of system or metadata, of data; data in it */
};

struct pool {
	struct dev *dev;		/* in command-line order */
	struct dev **order;		/* mkfs: its list; kernel: sorted */
	struct dev **spare;
	unsigned n;
	uint64_t total;			/* sum of sizes */
	uint64_t data_bytes;
	uint64_t first_data;		/* of it in the chunk of mkfs */
};

static uint64_t free_of(const struct dev *d)
{
	return d->size - RESERVED - d->used;
}

static void swap(struct dev **a, struct dev **b)
{
	struct dev *d = *a;

	*a = *b;
	*b = d;
}

/* Stripes of a chunk over `width` devices, and how many of them carry data. */
static unsigned all_stripes(const struct btrfs_profile *pr, unsigned width)
{
	return width * pr->dev_stripes;
}

static unsigned data_stripes(const struct btrfs_profile *pr, unsigned width)
{
	return (all_stripes(pr, width) - pr->parity) / pr->copies;
}

/* Data chunks of that width have taken `bytes` of a device; its share is rounded down. */
static void put_data(struct dev *d, const struct btrfs_profile *pr, unsigned width, uint64_t bytes)
{
	d->used += bytes;
	d->data += bytes;
	d->usable += bytes * data_stripes(pr, width) / all_stripes(pr, width);
}

/* --- mkfs */

enum chunk_kind { CHUNK_SYSTEM, CHUNK_METADATA, CHUNK_DATA };

/* What mkfs intends for one chunk; it is cut while devices turn out too small. */
struct intent {
	unsigned width;
	uint64_t stripe, limit, least;
};

static struct intent mkfs_intent(const struct pool *p, enum chunk_kind kind,
				 const struct btrfs_profile *pr)
{
	static const struct intent kinds[] = {
		[CHUNK_SYSTEM] = { DEVS_MAX_SYSTEM, 8 * MIB, 16 * MIB, MIB },
		[CHUNK_METADATA] = { DEVS_MAX, 256 * MIB, 256 * MIB, 32 * MIB },
		[CHUNK_DATA] = { DEVS_MAX, GIB, 10 * GIB, 64 * MIB },
	};
	struct intent w = kinds[kind];

	if (kind == CHUNK_METADATA && p->total > 50 * GIB)
		w.stripe = w.limit = GIB;
	if (w.limit > p->total / 10)
		w.limit = p->total / 10;
	if (w.width > p->n)
		w.width = p->n;
	if (pr->devs_max)
		w.width = pr->devs_max;
	w.width -= w.width % pr->devs_increment;
	return w;
}

static void mkfs_cut(struct intent *w, const struct btrfs_profile *pr)
{
	if (w->stripe * data_stripes(pr, w->width) > w->limit)
		w->stripe = round_down(w->limit / all_stripes(pr, w->width), STRIPE_LEN);
	if (w->stripe < w->least)
		w->stripe = w->least;
	w->stripe = round_down(w->stripe, STRIPE_LEN);
}

/*
 * The devices with room, as many as wanted, move to the head of the list: in their order,
 * or turned round when there are too few. *best: the most room of one that has too little.
 */
static unsigned mkfs_choose(struct pool *p, unsigned want, uint64_t need, uint64_t *best)
{
	unsigned found = 0, i, j;

	*best = 0;
	for (i = 0; i < p->n && found < want; i++) {
		struct dev *d = p->order[i];
		uint64_t room = d->size > RESERVED + d->used ? free_of(d) : 0;

		if (room < need) {
			*best = room > *best ? room : *best;
			continue;
		}
		for (j = i; j > found; j--)
			p->order[j] = p->order[j - 1];
		p->order[found++] = d;
	}
	for (i = 0; found < want && i < found / 2; i++)
		swap(&p->order[i], &p->order[found - 1 - i]);
	return found;
}

/* Find width and stripe of the next chunk; its devices are the first of the order. */
static int mkfs_decide(struct pool *p, const struct btrfs_profile *pr, struct intent *w)
{
	bool again = false;
	uint64_t best;
	unsigned got;

	while (w->width) {
		mkfs_cut(w, pr);
		got = mkfs_choose(p, w->width, w->stripe * pr->dev_stripes, &best);
		if (got == w->width)
			return 0;
		if (got >= pr->devs_min) {
			w->width = got - got % pr->devs_increment;
		} else {
			if (again || !best)
				return -1;
			w->limit = best;
		}
		again = true;
	}
	return -1;
}

static int mkfs_chunk(struct pool *p, enum chunk_kind kind, const struct btrfs_profile *pr)
{
	struct intent w = mkfs_intent(p, kind, pr);
	uint64_t each;
	unsigned i;

	if (w.width < pr->devs_min || mkfs_decide(p, pr, &w) < 0)
		return -1;
	each = w.stripe * pr->dev_stripes;
	if (kind == CHUNK_DATA)
		p->data_bytes += w.stripe * data_stripes(pr, w.width);
	for (i = 0; i < w.width; i++) {
		struct dev *d = p->order[i];

		if (kind == CHUNK_DATA) {
			put_data(d, pr, w.width, each);
			continue;
		}
		d->used += each;
		d->system += each;
	}
	return 0;
}

/*
 * mkfs begins with small chunks at the head of the first device, makes the real ones
 * behind them and drops those that a profile has replaced. The hole that leaves is
 * counted like any free space: so the fills measured on kernel 6.1 come out.
 */
static int mkfs(struct pool *p, const struct btrfs_profile *data,
		const struct btrfs_profile *metadata)
{
	struct dev *first = &p->dev[0];
	uint64_t temp = TEMP_SYSTEM + 2 * TEMP_OTHER, kept = 0;
	unsigned i;

	for (i = 0; i < p->n / 2; i++)			/* added at the head: last comes first */
		swap(&p->order[i], &p->order[p->n - 1 - i]);
	first->used = temp;
	if (!is_single(metadata) && (mkfs_chunk(p, CHUNK_SYSTEM, metadata) < 0 ||
				     mkfs_chunk(p, CHUNK_METADATA, metadata) < 0))
		return -1;
	if (!is_single(data) && mkfs_chunk(p, CHUNK_DATA, data) < 0)
		return -1;
	if (is_single(metadata)) {
		first->system += TEMP_SYSTEM + TEMP_OTHER;
		kept += TEMP_SYSTEM + TEMP_OTHER;
	}
	if (is_single(data)) {
		first->data += TEMP_OTHER;
		first->usable += TEMP_OTHER;
		p->data_bytes += TEMP_OTHER;
		kept += TEMP_OTHER;
	}
	first->used -= temp - kept;
	p->first_data = p->data_bytes;
	return 0;
}

/* --- statvfs */

static int by_free(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/*
 * What the kernel guesses it can still allocate for data, before the division by copies.
 * It never sorts again after taking a round, which is why unequal mirrors look small.
 */
static uint64_t statvfs_estimate(const struct pool *p, const struct btrfs_profile *pr)
{
	uint64_t *left = calloc(p->n, sizeof(*left)), sum = 0, take, x;
	unsigned n = 0, width = pr->statvfs_width, i, j;

	if (!left)
		die("out of memory");
	for (i = 0; i < p->n; i++) {
		x = round_down(p->dev[i].size - p->dev[i].used, STRIPE_LEN);
		if (x > RESERVED + pr->dev_stripes * STRIPE_LEN)
			left[n++] = x - RESERVED;
	}
	qsort(left, n, sizeof(*left), by_free);
	if (!width)
		width = n;
	for (; n >= pr->devs_min && n; n--) {
		i = n - 1;
		if (width > n)
			width = n;
		if (left[i] < pr->dev_stripes * STRIPE_LEN)
			continue;
		take = left[i];
		sum += take * (width - pr->parity);
		for (j = i + 1 - width; j <= i; j++)
			left[j] -= take;
	}
	free(left);
	return sum;
}

static void statvfs_sizes(const struct pool *p, const struct btrfs_profile *data,
			  const struct btrfs_profile *metadata, struct fs_size *out)
{
	uint64_t used = EMPTY_NODES * 16 * KIB * metadata->copies;

	out->total = round_down(p->total / data->copies, 4096);
	out->free = out->total - round_down(used / data->copies, 4096) - GLOBAL_RESERVE;
	out->avail = round_down(p->first_data + statvfs_estimate(p, data) / data->copies, 4096);
	out->known = true;
}

/* --- the allocator */

struct choice {
	unsigned ready;		/* devices with room for any stripe */
	unsigned width;		/* devices the next chunk takes: the first of the order */
	uint64_t each;		/* bytes on each of them */
	bool full;		/* its size is not bounded by what is free */
};

static int by_room(const void *a, const void *b)
{
	uint64_t x = free_of(*(struct dev *const *)a), y = free_of(*(struct dev *const *)b);

	return x < y ? 1 : x > y ? -1 : 0;
}

/*
 * The first `width` devices have lost room: put them where they belong. The kernel sorts
 * by what one chunk can take and then by all that is free, which is the same order; both
 * parts are still sorted in themselves.
 */
static void sort_again(struct pool *p, unsigned width, unsigned ready)
{
	unsigned i = 0, j = width, k = 0;

	memcpy(p->spare, p->order, width * sizeof(*p->spare));
	while (i < width) {
		if (j < ready && free_of(p->order[j]) > free_of(p->spare[i]))
			p->order[k++] = p->order[j++];
		else
			p->order[k++] = p->spare[i++];
	}
}

/* The kernel's decision for the next data chunk; false when there is none. */
static bool choose(const struct pool *p, const struct btrfs_profile *pr, struct choice *c)
{
	uint64_t want = GIB, limit = 10 * GIB, stripe, less;
	unsigned most = pr->devs_max ? pr->devs_max : DEVS_MAX;

	if (limit > p->total / 10)
		limit = p->total / 10;
	while (c->ready && free_of(p->order[c->ready - 1]) < STRIPE_LEN * pr->dev_stripes)
		c->ready--;
	c->width = c->ready - c->ready % pr->devs_increment;
	if (!c->width || c->width < pr->devs_min)
		return false;
	if (c->width > most)
		c->width = most;
	stripe = free_of(p->order[c->width - 1]) / pr->dev_stripes;
	c->full = stripe >= want;
	stripe = c->full ? want : stripe;
	if (stripe * data_stripes(pr, c->width) > limit) {
		less = round_up(limit / data_stripes(pr, c->width), 16 * MIB);
		stripe = less < stripe ? less : stripe;
	}
	c->each = round_down(stripe, STRIPE_LEN) * pr->dev_stripes;
	return true;
}

/*
 * A leap: many chunks at once. A round is a number of chunks after which the ranks are
 * what they were: the first `ahead` devices are in every chunk of it, the next
 * `sharing` take turns in the rest of the width.
 */
struct leap {
	unsigned ahead, sharing, turns;		/* chunks of a round: sharing, or 1 */
	uint64_t rounds;
};

static void at_most(uint64_t *rounds, uint64_t have, uint64_t keep, uint64_t by)
{
	uint64_t n = have > keep ? (have - keep) / by : 0;

	if (*rounds > n)
		*rounds = n;
}

/* Whose turn it is when the next device in rank would soon be chosen as well. */
static void leap_sharing(const struct pool *p, const struct choice *c, struct leap *l)
{
	struct dev *const *o = p->order;
	unsigned first = l->ahead, last = c->width;
	uint64_t s = c->each;

	while (last + 1 < c->ready && free_of(o[last + 1]) + s >= free_of(o[first]))
		last++;
	l->sharing = last - first + 1;
	l->turns = c->width - first;
	if (free_of(o[first]) > free_of(o[last]) + s)
		l->rounds = 0;
	at_most(&l->rounds, free_of(o[last]), s + 2 * GIB, l->turns * s);
	if (last + 1 < c->ready)
		at_most(&l->rounds, free_of(o[last]) - free_of(o[last + 1]), 0, l->turns * s);
	if (first)
		at_most(&l->rounds, free_of(o[first - 1]) - free_of(o[first]), 0,
			(l->sharing - l->turns) * s);
}

/* Only far from any end: every piece as long as wanted, and no change of ranks on the way. */
static struct leap leap_find(const struct pool *p, const struct choice *c)
{
	struct dev *const *o = p->order;
	struct leap l = { .rounds = UINT64_MAX };
	unsigned w = c->width;
	uint64_t s = c->each;

	if (!c->full || btrfs_no_leaps)
		return (struct leap){ 0 };
	if (w == c->ready)
		l.ahead = w;
	else
		while (l.ahead < w && free_of(o[l.ahead]) > free_of(o[w]) + s)
			l.ahead++;
	if (l.ahead < w) {
		leap_sharing(p, c, &l);
		return l;
	}
	at_most(&l.rounds, free_of(o[w - 1]), s + 2 * GIB, s);
	if (w < c->ready)
		at_most(&l.rounds, free_of(o[w - 1]) - free_of(o[w]), 0, s);
	return l;
}

static void leap_take(struct pool *p, const struct btrfs_profile *pr, const struct choice *c,
		      const struct leap *l)
{
	uint64_t chunks = l->rounds * (l->sharing ? l->sharing : 1), bytes;
	unsigned i;

	p->data_bytes += chunks * (c->each / pr->dev_stripes) * data_stripes(pr, c->width);
	for (i = 0; i < l->ahead + l->sharing; i++) {
		bytes = (i < l->ahead ? chunks : l->rounds * l->turns) * c->each;
		put_data(p->order[i], pr, c->width, bytes);
	}
}

static void chunk_take(struct pool *p, const struct btrfs_profile *pr, const struct choice *c)
{
	unsigned i;

	p->data_bytes += c->each / pr->dev_stripes * data_stripes(pr, c->width);
	for (i = 0; i < c->width; i++)
		put_data(p->order[i], pr, c->width, c->each);
}

static void fill(struct pool *p, const struct btrfs_profile *pr)
{
	struct choice c = { .ready = p->n };
	struct leap l;

	qsort(p->order, p->n, sizeof(*p->order), by_room);
	while (choose(p, pr, &c)) {
		l = leap_find(p, &c);
		if (l.rounds) {
			leap_take(p, pr, &c, &l);
			sort_again(p, l.ahead + l.sharing, c.ready);
		} else {
			chunk_take(p, pr, &c);
			sort_again(p, c.width, c.ready);
		}
	}
}

/* --- the whole */

/* Shares were rounded down device by device; give the lost bytes back where they lie. */
static void settle_shares(struct pool *p)
{
	uint64_t lost = p->data_bytes, x;
	unsigned i;

	for (i = 0; i < p->n; i++)
		lost -= p->dev[i].usable;
	for (i = 0; i < p->n && lost; i++) {
		x = p->dev[i].data - p->dev[i].usable;
		x = x < lost ? x : lost;
		p->dev[i].usable += x;
		lost -= x;
	}
}

static void splits(const struct pool *p, const uint64_t *bytes, struct btrfs_sizes *out,
		   struct split *dev)
{
	unsigned i;

	for (i = 0; i < p->n; i++) {
		const struct dev *d = &p->dev[i];
		struct split s = { .usable = d->usable, .redundancy = d->data - d->usable };
		uint64_t rest = free_of(d);

		/* Less than a stripe of 64 KiB is rounding; more found no partner. */
		s.unused = rest < STRIPE_LEN ? 0 : rest;
		s.overhead = bytes[i] - s.usable - s.redundancy - s.unused;
		out->all.usable += s.usable;
		out->all.redundancy += s.redundancy;
		out->all.overhead += s.overhead;
		out->all.unused += s.unused;
		if (dev)
			dev[i] = s;
	}
}

/* mkfs wants room for its first chunks and the real ones on every device. */
uint64_t btrfs_min_bytes(const struct btrfs_profile *data, const struct btrfs_profile *metadata)
{
	uint64_t min = RESERVED + TEMP_SYSTEM + 2 * TEMP_OTHER;

	if (!is_single(metadata))
		min += (8 * MIB + 32 * MIB) * metadata->dev_stripes;
	if (!is_single(data))
		min += 64 * MIB * data->dev_stripes;
	else
		min += TEMP_OTHER;
	return min;
}

static void pool_init(struct pool *p)
{
	unsigned i;

	p->dev = calloc(p->n, sizeof(*p->dev));
	p->order = calloc(p->n, sizeof(*p->order));
	p->spare = calloc(p->n, sizeof(*p->spare));
	if (!p->dev || !p->order || !p->spare)
		die("out of memory");
	for (i = 0; i < p->n; i++)
		p->order[i] = &p->dev[i];
}

int btrfs_sizes(const struct btrfs_profile *data, const struct btrfs_profile *metadata,
		const uint64_t *bytes, unsigned n, struct btrfs_sizes *out, struct split *dev,
		struct err *e)
{
	struct pool p = { .n = n };
	unsigned i;
	int r = -1;

	if (!n)
		return err_set(e, ERR_USAGE, "there is no device");
	pool_init(&p);
	for (i = 0; i < n; i++) {
		if (bytes[i] < btrfs_min_bytes(data, metadata)) {
			err_set(e, ERR_USAGE, "every device needs at least %llu MiB, "
				"the smallest has %llu", (unsigned long long)
				(btrfs_min_bytes(data, metadata) / MIB),
				(unsigned long long)(bytes[i] / MIB));
			goto out;
		}
		p.dev[i].size = round_down(bytes[i], 4096);
		p.total += p.dev[i].size;
	}
	if (mkfs(&p, data, metadata) < 0) {
		err_set(e, ERR_USAGE, "the devices are too small for data=%s metadata=%s",
			data->name, metadata->name);
		goto out;
	}
	memset(out, 0, sizeof(*out));
	statvfs_sizes(&p, data, metadata, &out->fs);
	fill(&p, data);
	settle_shares(&p);
	out->data_bytes = p.data_bytes;
	splits(&p, bytes, out, dev);
	r = 0;
out:
	free(p.dev);
	free(p.order);
	free(p.spare);
	return r;
}
