/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload-words - the words of a workload: what each takes, where it goes, and its sentence
 * for naslab-workload(5). The reader and the manual go by the table at the end.
 */
#include "bench/workload.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "bench/ops.h"

static int take_size(struct reading *r, const char *key, const char *value, uint64_t *out)
{
	struct err e = { 0 };

	if (size_parse(value, out, &e) < 0)
		return workload_bad(r, "%s: %s", key, e.text);
	if (!*out || *out > 1ull << 50)
		return workload_bad(r, "%s must be from 1 byte to 1 PiB, not \"%s\"", key, value);
	return 0;
}

static int take_range(struct reading *r, const char *key, const char *value, uint64_t min,
		      uint64_t max, uint64_t *out)
{
	struct err e = { 0 };

	if (count_parse(key, value, min, max, out, &e) < 0)
		return workload_bad(r, "%s", e.text);
	return 0;
}

/* "90s", "5m", "2h" */
static int take_time(struct reading *r, const char *key, const char *value, uint64_t *ns)
{
	static const struct {
		char letter;
		unsigned seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 } };
	size_t digits = strspn(value, "0123456789"), i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (digits && digits < 7 && value[digits] == units[i].letter && !value[digits + 1] &&
		    strtoul(value, NULL, 10) > 0) {
			*ns = strtoull(value, NULL, 10) * units[i].seconds * 1000000000ull;
			return 0;
		}
	}
	return workload_bad(r, "%s is a time like 90s, 5m or 2h, not \"%s\"", key, value);
}

/* One of the words, the last of them NULL: its number. */
static int take_one_of(struct reading *r, const char *what, const char *value,
		       const char *const *words, unsigned *out)
{
	struct sbuf all = { 0 };
	unsigned i;
	int rc;

	for (i = 0; words[i]; i++) {
		if (!strcmp(words[i], value)) {
			*out = i;
			sbuf_done(&all);
			return 0;
		}
		sbuf_addf(&all, "%s%s", !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
	}
	rc = workload_bad(r, "%s is %s, not \"%s\"", what, sbuf_str(&all), value);
	sbuf_done(&all);
	return rc;
}

static int take_yes(struct reading *r, const char *key, const char *value, bool *out)
{
	static const char *const words[] = { "0", "1", NULL };
	unsigned which = 0;

	if (take_one_of(r, key, value, words, &which) < 0)
		return -1;
	*out = which;
	return 0;
}

static int set_count(struct reading *r, const char *value)
{
	return take_range(r, "count", value, 1, 10000000, &r->set->count);
}

static int set_bytes(struct reading *r, const char *value)
{
	return take_size(r, "bytes", value, &r->set->bytes);
}

/* "2xRAM" */
static bool takes_memory(struct reading *r, const char *value)
{
	size_t digits = strspn(value, "0123456789");
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	if (!digits || digits > 2 || strcmp(value + digits, "xRAM") || *value == '0')
		return false;
	r->w.rams = strtoul(value, NULL, 10);
	r->size = round_down(memory * r->w.rams, MIB);
	return true;
}

/* "4K:10,64K:5,1M": so many files of each size */
static int take_size_list(struct reading *r, const char *value)
{
	char *copy = arena_strdup(r->a, value), *one, *colon;
	struct fileset *s = r->set;

	s->sizes = SIZES_LIST;
	s->n_list = 0;
	while ((one = strsep(&copy, ","))) {
		struct size_count *to = &s->list[s->n_list];

		if (s->n_list++ == WORKLOAD_SIZES)
			return workload_bad(r, "size lists at most %d sizes", WORKLOAD_SIZES);
		colon = strchr(one, ':');
		if (colon)
			*colon++ = '\0';
		to->count = 1;
		if (colon && take_range(r, "the number of files behind a size", colon, 1, 10000000,
					&to->count) < 0)
			return -1;
		if (take_size(r, "size", one, &to->size) < 0)
			return -1;
	}
	return 0;
}

static int set_size(struct reading *r, const char *value)
{
	static const char *const words[] = { "a size", "NxRAM", "lognormal", "gamma", NULL };
	unsigned which = 0;

	r->sized = true;
	if (isdigit((unsigned char)*value) && strpbrk(value, ":,"))
		return take_size_list(r, value);
	if (!isdigit((unsigned char)*value)) {
		if (take_one_of(r, "size", value, words, &which) < 0)
			return -1;
		if (which < 2)
			return workload_bad(r, "size is a number of bytes, or of memories like 2xRAM, "
					    "not \"%s\"", value);
		r->set->sizes = which == 2 ? SIZES_LOGNORMAL : SIZES_GAMMA;
		return 0;
	}
	if (takes_memory(r, value))
		return 0;
	if (!strcmp(value, "0")) {	/* empty files: their names are what counts */
		r->size = 0;
		return 0;
	}
	return take_size(r, "size", value, &r->size);
}

static int set_median(struct reading *r, const char *value)
{
	return take_size(r, "median", value, &r->set->median_file);
}

static int set_mean(struct reading *r, const char *value)
{
	return take_size(r, "mean", value, &r->set->mean_file);
}

static int set_max(struct reading *r, const char *value)
{
	return take_size(r, "max", value, &r->set->max_file);
}

/* A number with a fraction; false when it is none from min to max. */
static bool take_real(const char *value, double min, double max, double *out)
{
	char *end;

	*out = strtod(value, &end);
	return end != value && !*end && strspn(value, "0123456789.") == strlen(value) &&
	       *out >= min && *out <= max;
}

static int set_shape(struct reading *r, const char *value)
{
	return take_real(value, 0.1, 100, &r->set->shape) ? 0 :
	       workload_bad(r, "shape must be from 0.1 to 100, not \"%s\"", value);
}

static int set_width(struct reading *r, const char *value)
{
	return take_range(r, "width", value, 1, 10000000, &r->w.width);
}

static int set_depth(struct reading *r, const char *value)
{
	return take_range(r, "depth", value, 1, WORKLOAD_DEPTH, &r->w.depth);
}

static int set_data(struct reading *r, const char *value)
{
	static const char *const words[] = { "random", "text", "ratio:N", "zero", "dir:PATH", NULL };
	unsigned which = DATA_RATIO;

	if (!strncmp(value, "dir:", 4)) {
		if (value[4] != '/')
			return workload_bad(r, "data=dir:PATH wants a whole path, as in dir:/srv/photos, "
					    "not \"%s\"", value + 4);
		r->set->folder = arena_strdup(r->a, value + 4);
		r->set->data = DATA_FOUND;
		return 0;
	}
	if (!strncmp(value, "ratio:", 6)) {
		if (!take_real(value + 6, 1, 100, &r->set->ratio))
			return workload_bad(r, "the ratio must be from 1 to 100, not \"%s\"", value + 6);
	} else if (take_one_of(r, "data", value, words, &which) < 0) {
		return -1;
	} else if (which == DATA_RATIO || which == DATA_FOUND) {
		return workload_bad(r, which == DATA_FOUND ? "data=dir:PATH wants a folder" :
				    "data=ratio:N wants a number, as in ratio:2.5");
	}
	r->set->data = (enum data)which;
	return 0;
}

static int set_dedup(struct reading *r, const char *value)
{
	uint64_t percent;

	if (take_range(r, "dedup", value, 0, 100, &percent) < 0)
		return -1;
	r->set->dedup = (unsigned)percent;
	return 0;
}

static int set_seed(struct reading *r, const char *value)
{
	return take_range(r, "seed", value, 1, INT64_MAX, &r->set->seed);
}

static int set_bs(struct reading *r, const char *value)
{
	if (take_size(r, "bs", value, &r->w.bs) < 0)
		return -1;
	if (r->w.bs < 4 * KIB || r->w.bs > 16 * MIB)
		return workload_bad(r, "bs must be from 4K to 16M, not \"%s\"", value);
	return 0;
}

static int set_direct(struct reading *r, const char *value)
{
	return take_yes(r, "direct", value, &r->w.direct);
}

static int set_engine(struct reading *r, const char *value)
{
	enum copy_engine engine;
	struct err e = { 0 };

	if (engine_parse(value, &engine, &e) < 0)
		return workload_bad(r, "%s", e.text);
	r->w.rsync = engine == ENGINE_RSYNC;
	return 0;
}

static int set_sequential(struct reading *r, const char *value)
{
	uint64_t percent;

	if (take_range(r, "sequential", value, 0, 100, &percent) < 0)
		return -1;
	r->w.sequential = (unsigned)percent;
	return 0;
}

static int set_threads(struct reading *r, const char *value)
{
	long spare = sysconf(_SC_NPROCESSORS_ONLN) - 2;
	uint64_t n = spare > 1 ? (uint64_t)spare : 1;

	if (!strcmp(value, "nproc-2"))	/* the processors less two, at least one */
		n = n < WORKLOAD_STREAMS ? n : WORKLOAD_STREAMS;
	else if (take_range(r, "threads", value, 1, WORKLOAD_STREAMS, &n) < 0)
		return -1;
	r->w.threads = (unsigned)n;
	return 0;
}

static int set_sharing(struct reading *r, const char *value)
{
	static const char *const words[] = { "per-thread", "shared", NULL };
	unsigned which = 0;

	if (take_one_of(r, "whose the files are", value, words, &which) < 0)
		return -1;
	r->w.shared_file = which;
	return 0;
}

static int set_sync(struct reading *r, const char *value)
{
	static const char *const words[] = { "end", "none", "per-file", "per-write", NULL };
	unsigned which = 0;

	if (take_one_of(r, "sync", value, words, &which) < 0)
		return -1;
	r->w.sync = (enum sync_when)which;
	return 0;
}

static int set_cache(struct reading *r, const char *value)
{
	struct err e = { 0 };

	if (!strcmp(value, cache_word(CACHE_OWN)) || cache_parse(value, &r->w.cache, &e) < 0)
		return workload_bad(r, "cache is cold, cold:remount, cold:export, warm or as-is, not "
				    "\"%s\"", value);
	return 0;
}

static int set_rate(struct reading *r, const char *value)
{
	if (!strcmp(value, "none")) {
		r->w.rate_bps = 0;
		return 0;
	}
	return take_size(r, "rate", value, &r->w.rate_bps);
}

static int set_stop_time(struct reading *r, const char *value)
{
	return take_time(r, "time", value, &r->w.stop_ns);
}

static int set_stop_bytes(struct reading *r, const char *value)
{
	return take_size(r, "bytes", value, &r->w.stop_bytes);
}

static int set_reps(struct reading *r, const char *value)
{
	uint64_t n;

	if (take_range(r, "n", value, 1, 1000, &n) < 0)
		return -1;
	r->w.reps = (unsigned)n;
	return 0;
}

static int set_interleave(struct reading *r, const char *value)
{
	bool yes;

	if (take_yes(r, "interleave", value, &yes) < 0)
		return -1;
	r->w.in_a_row = !yes;
	return 0;
}

static int set_metric(struct reading *r, const char *value)
{
	static const char *const words[] = { "felt", "durable", "ops", "latency", "streams", NULL };
	unsigned which = 0;

	if (take_one_of(r, "metric", value, words, &which) < 0)
		return -1;
	r->w.metric = words[which];
	return 0;
}

static bool is_plain(const char *s)
{
	return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") ==
	       strlen(s) && strlen(s) <= 20;
}

static int set_needs_fs(struct reading *r, const char *value)
{
	if (!*value || !is_plain(value))
		return workload_bad(r, "fs is the name of a file system, not \"%s\"", value);
	r->w.needs_fs = arena_strdup(r->a, value);
	return 0;
}

static int set_min_free(struct reading *r, const char *value)
{
	size_t digits = strspn(value, "0123456789");
	uint64_t percent;

	if (strcmp(value + digits, "%"))
		return take_size(r, "min_free", value, &r->w.min_free);
	if (take_range(r, "min_free", arena_strndup(r->a, value, digits), 1, 99, &percent) < 0)
		return -1;
	r->w.min_free_percent = (unsigned)percent;
	return 0;
}

static int set_cap(struct reading *r, const char *value)
{
	return take_time(r, "time_cap", value, &r->w.cap_ns);
}

static int set_max_written(struct reading *r, const char *value)
{
	return take_size(r, "max_bytes_written", value, &r->w.max_written);
}

static int set_class(struct reading *r, const char *value)
{
	if (!is_plain(value))
		return workload_bad(r, "class is one word of letters, digits and -, not \"%s\"", value);
	r->w.group = arena_strdup(r->a, value);
	return 0;
}

static int bad_op(struct reading *r, const char *word)
{
	const char *words[2 * BENCH_OPS], *near;
	struct sbuf all = { 0 };
	size_t n = 0;
	int op, rc;

	for (op = 0; op < BENCH_OPS; op++) {
		const struct op *o = op_of((enum bench_op)op);

		sbuf_addf(&all, "%s%s", op == 0 ? "" : op == BENCH_OPS - 1 ? " or " : ", ", o->word);
		words[n++] = o->word;
		if (o->also)
			words[n++] = o->also;
	}
	near = nearest_word(word, words, n);
	rc = near ? workload_bad(r, "there is no operation \"%s\"; did you mean \"%s\"?", word, near) :
		    workload_bad(r, "op is %s, not \"%s\"", sbuf_str(&all), word);
	sbuf_done(&all);
	return rc;
}

static int set_op(struct reading *r, const char *value)
{
	char *word = arena_strdup(r->a, value), *colon = strchr(word, ':');
	const struct op *o = NULL;
	int op;

	r->op = true;
	if (colon)
		*colon++ = '\0';
	for (op = 0; op < BENCH_OPS; op++) {
		o = op_of((enum bench_op)op);
		if (!strcmp(word, o->word) || (o->also && !strcmp(word, o->also)))
			break;
	}
	if (op == BENCH_OPS)
		return bad_op(r, word);
	if (!(r->w.ops & 1u << op))
		r->w.order[r->w.n_order++] = (enum bench_op)op;
	r->w.ops |= 1u << op;
	if (!o->number)
		return colon ? workload_bad(r, "%s takes no number", o->word) : 0;
	if (!colon)
		return workload_bad(r, "%s wants the %s, as in %s:16", o->word, o->number, o->word);
	return take_range(r, o->word, colon, o->number_min, o->number_max, &r->w.number[op]);
}

const struct workload_row workload_rows[] = {
	{ { "title", NULL, "TEXT", "What it is, for lists" }, NULL },
	{ { "about", NULL, "TEXT", "One sentence more" }, NULL },
	{ { "class", NULL, "WORD", "Workloads of one class belong on one chart" }, set_class },
	{ { "fileset", NULL, NULL, "The files. Their names, sizes and content follow from the "
	    "seed; any block can be made again to compare it with what was read. Up to four lines "
	    "make one set of several kinds. A scale multiplies the size of up to 64 files that are "
	    "all of one size, else the number of files" }, NULL },
	{ { "fileset", "count", "N", "How many files, 1 when not given" }, set_count },
	{ { "fileset", "size", "SIZE", "Every file is so large; 2xRAM is twice the machine's memory, "
	    "0 an empty file. 4K:10,64K:5,1M are ten of 4K, five of 64K and one of 1M, mixed. With "
	    "lognormal, many are small and few large: it wants median, mean "
	    "and max, and either count or bytes. With gamma it wants mean, shape and count" },
	  set_size },
	{ { "fileset", "median", "SIZE", "Half of the files are smaller (lognormal)" }, set_median },
	{ { "fileset", "mean", "SIZE", "The mean of all sizes (lognormal, gamma)" }, set_mean },
	{ { "fileset", "max", "SIZE", "No file is so large (lognormal, gamma)" }, set_max },
	{ { "fileset", "shape", "N", "Of gamma, 1.5 when not given" }, set_shape },
	{ { "fileset", "bytes", "SIZE", "The sum of all files, instead of count" }, set_bytes },
	{ { "fileset", "width", "N", "Files in one directory, 100 when not given; a single file has "
	    "none" }, set_width },
	{ { "fileset", "depth", "N", "Directories above each file, one in the other, 1 when not given; "
	    "each holds about as many as the one above" }, set_depth },
	{ { "fileset", "data", "KIND", "random: incompressible. text: compresses like source code. "
	    "ratio:N: becomes N times smaller. zero: nothing but zeros. dir:PATH: the content of "
	    "the files in that folder and those below it, each with its own size, in the order of "
	    "their names; links, devices and what cannot be read are left out. They are read before "
	    "the clock starts, or, when a quarter of the memory is too little for them, meanwhile" }, set_data },
	{ { "fileset", "dedup", "PERCENT", "So many of the whole 64 KiB blocks are one of sixteen, for "
	    "what finds equal blocks; 0 when not given" }, set_dedup },
	{ { "fileset", "seed", "N", "Another number makes other files" }, set_seed },
	{ { "op", NULL, "OPERATION", "What is done, each in a timed run of its own, in the order "
	    "given" }, set_op },
	{ { "io", NULL, NULL, "How it is read and written" }, NULL },
	{ { "io", "bs", "SIZE", "The size of a record, and the most bytes of one read() or write(); "
	    "from 4K to 16M, 1M when not given" }, set_bs },
	{ { "io", "engine", "naslab|rsync", "Who copies: rsync -a -W --inplace, for numbers to hold "
	      "beside published ones; only copy-in and copy-out" }, set_engine },
	{ { "io", "direct", "0|1", "1: past the page cache (O_DIRECT)" }, set_direct },
	{ { "io", "sequential", "PERCENT", "Of records in random order, how many follow the one "
	    "before; 0 when not given" }, set_sequential },
	{ { "par", NULL, "per-thread|shared", "Streams at the same time. Each has files of its own, "
	    "or, shared, all work on every file by records; whole files are never shared" },
	  set_sharing },
	{ { "par", "threads", "N|nproc-2", "How many streams, 1 when not given; nproc-2: as many as "
	    "there are processors, less two" }, set_threads },
	{ { "sync", NULL, "end|none|per-file|per-write", "Durable at the end of a run (syncfs), "
	    "which is timed beside the last close; never; before each close (fsync); or with every "
	    "write (O_SYNC)" }, set_sync },
	{ { "cache", NULL, "cold|cold:remount|cold:export|warm|as-is", "Before files that are there "
	    "are used; cold when not given: the caches are dropped. cold:remount unmounts what naslab "
	    "mounted as a build, and mounts it again; cold:export exports and imports the pool of a "
	    "build on ZFS, whose cache dropping does not empty. --cache stands above it" }, set_cache },
	{ { "rate", NULL, "SIZE|none", "No stream moves more than that a second" }, set_rate },
	{ { "stop", NULL, NULL, "Ends an operation that does not make the files; what goes by "
	    "records begins again until then" }, NULL },
	{ { "stop", "time", "TIME", "After so long: 90s, 5m, 2h" }, set_stop_time },
	{ { "stop", "bytes", "SIZE", "When all streams together have moved so much" },
	  set_stop_bytes },
	{ { "repeat", NULL, NULL, "How often; --reps stands above it" }, NULL },
	{ { "repeat", "n", "N", "Repetitions" }, set_reps },
	{ { "repeat", "interleave", "0|1", "0: one after the other, not in rounds with the other "
	    "workloads" }, set_interleave },
	{ { "metric", NULL, "felt|durable|ops|latency|streams", "What matters first" },
	  set_metric },
	{ { "needs", NULL, NULL, "Refuse what does not hold" }, NULL },
	{ { "needs", "fs", "NAME", "The target's file system: btrfs" }, set_needs_fs },
	{ { "needs", "min_free", "SIZE", "So much stays free while it runs, in bytes or percent "
	    "(10%)" }, set_min_free },
	{ { "needs", "time_cap", "TIME", "A run that takes longer is ended there, counts what it "
	    "did, and is marked" }, set_cap },
	{ { "needs", "max_bytes_written", "SIZE", "All repetitions together write no more" },
	  set_max_written },
	{ { NULL, NULL, NULL, NULL }, NULL }
};

const struct workload_word *workload_word(size_t i)
{
	return workload_rows[i].word.stmt ? &workload_rows[i].word : NULL;
}
