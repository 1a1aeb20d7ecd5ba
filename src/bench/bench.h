/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/units.h"

struct err;
struct sbuf;

/*
 * Measuring. The engine copies in a child process of the executor, counts with one
 * relaxed add a buffer, and never waits for whoever looks. Bytes and ns as integers;
 * MB/s (10^6) is computed where it is shown.
 */

/* What each is stands in ops.c. */
enum bench_op {
	BENCH_WRITE, BENCH_READ_DIRTY, BENCH_READ, BENCH_REREAD,	/* whole files, as they are copied */
	BENCH_REWRITE, BENCH_MODIFY, BENCH_RAND_READ, BENCH_READ_STRIDE, BENCH_READ_BACK,
	BENCH_SEEK, BENCH_MIX, BENCH_MIX_STREAMS, BENCH_RAND_WRITE,
	BENCH_APPEND, BENCH_PLAY_RECORD,
	BENCH_SEND, BENCH_RECEIVE, BENCH_SEND_RECEIVE,	/* snapshots of btrfs */
	BENCH_HASH, BENCH_MAIL,
	BENCH_CREATE, BENCH_STAT, BENCH_DELETE,		/* empty files by name */
	BENCH_RAND_CREATE, BENCH_RAND_STAT, BENCH_RAND_DELETE,
	BENCH_OPS,
	BENCH_VERIFY = BENCH_OPS	/* of the engine alone */
};

const char *bench_op_word(enum bench_op op);	/* "write", "rand-read" ... */
const char *bench_op_also(enum bench_op op);	/* "copy-in", or NULL */
const char *bench_op_help(enum bench_op op);	/* a sentence without its full stop */
bool bench_op_takes_number(enum bench_op op);	/* "read-stride:16" */
bool bench_op_writes(enum bench_op op);
bool bench_op_by_records(enum bench_op op);

enum sizes { SIZES_FIXED, SIZES_LOGNORMAL, SIZES_GAMMA, SIZES_LIST, SIZES_FOUND };
enum data { DATA_RANDOM, DATA_TEXT, DATA_RATIO, DATA_ZERO, DATA_FOUND };
enum sync_when { SYNC_END, SYNC_NONE, SYNC_FILE, SYNC_WRITE };
enum cache_state {
	CACHE_AS_IS,
	CACHE_COLD,		/* what is cached is dropped */
	CACHE_COLD_REMOUNT,	/* unmounted and mounted again */
	CACHE_COLD_EXPORT,	/* the pool of ZFS exported and imported again */
	CACHE_WARM,
	CACHE_OWN,		/* as the workload says */
};
enum { WORKLOAD_SETS = 4, WORKLOAD_STREAMS = 64, WORKLOAD_SIZES = 16, WORKLOAD_DEPTH = 8 };

struct fileset {
	uint64_t bytes;		/* of all files at scale 1 */
	uint64_t count;		/* 0: as many as make the bytes */
	enum sizes sizes;
	uint64_t median_file, mean_file, max_file;	/* fixed: all the same */
	double shape;		/* of gamma */
	struct size_count {
		uint64_t size, count;
	} list[WORKLOAD_SIZES];	/* of a list of sizes: so many files each */
	unsigned n_list;
	const char *folder;	/* of DATA_FOUND: whose files these are, with their sizes */
	struct found *found;	/* they, once workload_look() has seen them (found.h) */
	enum data data;
	double ratio;		/* of DATA_RATIO: so many times smaller when packed */
	unsigned dedup;		/* percent of the 64 KiB blocks that are like others */
	uint64_t seed;
};

struct workload {		/* one class: "small-text", "500M" ... (workloads/) */
	const char *name, *title;
	const char *path;	/* of its file, a whole one; NULL: it is shipped */
	const char *about;	/* NULL when not given */
	const char *group;	/* those that belong on one chart; NULL: none */
	struct fileset sets[WORKLOAD_SETS];
	unsigned n_sets;
	bool single;		/* one file, and no directories */
	bool packs;		/* some of it compresses */
	uint64_t bytes;		/* of all sets at scale 1 */
	uint64_t mean_file;
	uint64_t width;		/* files in a directory of a set */
	uint64_t depth;		/* directories above each of them */
	struct arena *arena;	/* it lives in */
	uint64_t rams;		/* its file was given as so many times the memory; 0: not */
	uint64_t bs;		/* a record; most bytes in one read() or write() */
	unsigned ops;		/* bits 1 << enum bench_op */
	enum bench_op order[BENCH_OPS];	/* they, in the order they are run in a round */
	unsigned n_order;
	uint64_t number[BENCH_OPS];	/* of those that take one: read-stride:16 */
	unsigned threads;	/* streams */
	bool shared_file;	/* all streams on every file, else each has files of its own */
	bool direct;		/* O_DIRECT */
	bool rsync;		/* engine=rsync copies it */
	unsigned sequential;	/* percent of random records that follow the one before */
	enum sync_when sync;
	enum cache_state cache;	/* before what is there already is used */
	uint64_t rate_bps;	/* of a stream; 0: as fast as it goes */
	uint64_t stop_ns, stop_bytes;	/* ends what does not make the files; 0: when all is done */
	unsigned reps;		/* 0: what the order says */
	bool in_a_row;		/* all repetitions one after the other, not in rounds */
	const char *metric;	/* what matters first, for lists: "durable" ... */
	const char *needs_fs;	/* NULL: any */
	uint64_t min_free;	/* what must stay free */
	unsigned min_free_percent;
	uint64_t cap_ns;	/* a run that takes longer is ended and marked */
	uint64_t max_written;	/* by all repetitions; more is refused */
};

/* The language, for the manual: a statement (key NULL) or one of its words. */
struct workload_word {
	const char *stmt, *key, *value, *help;
};
const struct workload_word *workload_word(size_t i);	/* NULL behind the last */

/*
 * A word is the name of a workload, shipped or in the person's own folder (own_folder()), or a
 * path: it has a slash in it or ends in ".workload". The folder of the shipped ones is
 * $NASLAB_WORKLOADS, beside the program, or the installed one.
 */
const char *workload_folder(void);
bool workload_is_own(struct arena *a, const char *word);	/* a path, or a file in the own folder */

/* One workload from its text; `from` names it in the sentence ("small-text.workload"). */
int workload_parse(struct arena *a, const char *name, const char *text, const char *from,
		   struct workload *out, struct err *e);

/* Look at the folders its data come from, once: sizes and numbers follow. Without any: 0. */
int workload_look(struct workload *w, struct err *e);
size_t workload_unread(const struct workload *w);	/* files there that may not be read */

/* What of it is asked for: operations that write, operations that do not. */
unsigned workload_ops(const struct workload *w, bool write, bool read);
/* They in the order they are run; how many. One that was added, of a dirty cache, goes before
 * the reading. */
unsigned workload_order(const struct workload *w, unsigned ops, enum bench_op out[BENCH_OPS]);
/* The bytes all repetitions of them move, an untimed making of the files counted in. Adds
 * to the two sums. */
void workload_moves(const struct workload *w, unsigned ops, double scale, unsigned reps,
		    uint64_t *written, uint64_t *read);
/* Of one run of one operation. */
void workload_run_moves(const struct workload *w, enum bench_op op, double scale,
			uint64_t *written, uint64_t *read);
/* What is assumed of a disk before anything was measured: its rate, a jump, and what a file
 * costs besides its bytes. */
struct disk_guess {
	uint64_t bps, seek_ns, file_ns;
};
/* How long all repetitions take on such a disk, with what is not timed. */
uint64_t workload_guess_ns(const struct workload *w, unsigned ops, double scale, unsigned reps,
			   const struct disk_guess *d);
/* Does it only copy whole files there and back, in no chart group? */
bool workload_is_copy(const struct workload *w);

/* The classes that are copied, smallest first: const struct workload *. */
int workload_list(struct arena *a, struct list *out, struct err *e);
/* All of them. */
int workload_list_all(struct arena *a, struct list *out, struct err *e);
int workload_find(struct arena *a, const char *name, struct workload *out, struct err *e);
struct workload *workload_in(const struct list *all, const char *name);	/* of a list; NULL: it is not there */

/* Who copies: naslab itself, or rsync, for numbers to hold beside published ones. */
enum copy_engine { ENGINE_OWN, ENGINE_NASLAB, ENGINE_RSYNC };
int engine_parse(const char *word, enum copy_engine *out, struct err *e);
/* Memory to measure in, "512M"; and a share of the median, "5%" or "5". `what` is for sentences. */
int bench_ram_parse(const char *what, const char *text, uint64_t *out, struct err *e);
int bench_within_parse(const char *what, const char *text, double *out, struct err *e);

struct bench_order {
	const char *target;		/* a directory */
	const char *build;		/* name of the build it belongs to, NULL for a plain one */
	const char *label;		/* layout line or directory: what is measured */
	struct list workloads;		/* const struct workload * */
	bool write, read;
	unsigned reps;			/* at least 1; 7 by default */
	/*
	 * Above 0: after `reps` rounds a class goes on until the 95 % interval of the median is
	 * at most this share of it wide, durable for what writes, or `most` runs are made.
	 */
	double within;
	unsigned most;
	bool own_reps;			/* a workload that says how often stands above it */
	double scale;			/* > 0 */
	uint64_t ram;			/* bytes of memory for engine and page cache; 0: all there is */
	enum cache_state cache;		/* before what is there is used; OWN: as the workload says */
	bool no_wait;			/* not for a sync or a cache either: the runs are flagged */
	const char *suite;		/* the suite it was asked for by; NULL: none */
	enum copy_engine engine;	/* OWN: as the workload says */
	const char *source;		/* a directory elsewhere that data come from; NULL: none */
	bool times;			/* also of the build: until it was usable, until idle */
	json_t *tags;			/* put into those results; borrowed; NULL: nothing */
	/* Of a campaign: workload -> ID of the cell it is measured for. Runs made for that before
	 * count, and only the missing ones are made. Borrowed; NULL: it begins anew. */
	json_t *cells;
	uint64_t cap_ns;		/* no run begins after so long; 0: none */
	const char *db;			/* NULL: default; "" : keep nothing */
	/* Asked several times a second while it runs: true ends it. May be NULL. */
	bool (*stopped)(void *arg);
	void *stopped_arg;
};

const char *cache_word(enum cache_state cache);		/* "as-is", "cold:remount" ... "own" */
bool cache_takes_away(enum cache_state cache);		/* the file system, and brings it back */
/* "cold:drop" is another word for cold. */
int cache_parse(const char *word, enum cache_state *out, struct err *e);

/* Fill target, build and label from a word: the name of a build of o->db, or a directory
 * with a slash in it. What it points to lives in the arena. */
int bench_find_target(struct arena *a, const char *word, struct bench_order *o, struct err *e);

json_t *bench_order_json(const struct bench_order *o);
int bench_order_read(struct arena *a, const json_t *json, struct bench_order *out, struct err *e);

/*
 * What it will take, before anything is written. *out is filled also when it does not
 * fit: then -1, and the sentence says what is missing (ERR_REFUSED).
 */
struct bench_forecast {
	uint64_t need_bytes;	/* most that lies in the target at one time, with a reserve */
	uint64_t free_bytes;
	uint64_t write_bytes;	/* all that is written, over all repetitions */
	uint64_t read_bytes;
	unsigned runs;		/* timed ones */
	/* when they are repeated until they are sure: at most; else the same */
	uint64_t most_write_bytes, most_read_bytes;
	unsigned most_runs;
	uint64_t least_ns;	/* what rates and times in the workloads add up to */
};
int bench_forecast(const struct bench_order *o, struct bench_forecast *out, struct err *e);

/*
 * Run it; called by the executor. emit() gets every event and must not block for long.
 * SIGINT, SIGTERM and SIGHUP end it. Whatever happens, no file is left in the target;
 * after a kill the next start on the same target cleans it. The executor's "end" follows.
 *
 *   {"event":"begin","verb":"bench","target":DIR,"runs":N,"need_bytes":N,"write_bytes":N,...,
 *    "writers":["postgres(812)"] that have files open for writing there,
 *    "pressure":{"cpu":0.02,"io":0.35,"memory":0} of the last ten seconds}
 *   {"event":"wait","workload":W,"text":"..."}          something untimed is going on;
 *    with "for":"sync|cache|dirty","percent":38,"left_ns":N   it waits for that to end
 *   {"event":"sample","workload":W,"class":W,"op":"write|read|rand-read|...","rep":1,
 *    "t_ns":N,"bytes":N,"total_bytes":N,"disk_bytes":N,"dirty_bytes":N,"phase":"copy|sync"}
 *    ten a second
 *   {"event":"run", ... "rep":1,"of":7,"bytes":N,"files":N,"felt_ns":N,"durable_ns":N,
 *    "disk_bytes":N,"bps":N,"durable_bps":N,"cpu_ns":N,"cache":"cold","flags":["cached"],
 *    "done":4,"runs":28}                                  done and runs count all timed runs
 *   {"event":"result", ... "runs":7,"median_bps":N,"min_bps":N,"max_bps":N,
 *    (by records and names and in a loop also "ops","p50_ns","p99_ns","max_ns": how long one
 *    took; of a loop also "steps":[{"step":"delete","ops":N,"p50_ns":N, ...}]; of what is
 *    not counted in bytes but moves some "run_bytes" and "mean_bps";
 *    several streams also "streams", "stream_min_bps" and max of any, "stream_mean_bps",
 *    "stream_bps":[...], "least_bytes": of the slowest when the first was through)
 *    "durable_median_bps":N,"durable_min_bps":N,"durable_max_bps":N,"id":N,"flags":[...],
 *    "confidence":0.984 that lowest to highest holds the true median; the narrowest interval
 *    that does so with 95 % or more: "interval_sure":0.984,"interval_low_bps":N,
 *    "interval_high_bps":N (durable for what writes); "drift":0.1,"drift_p":0.8,
 *    "outliers":[3] (of the runs), "repeat":"fixed|sure|cap|stopped";
 *    "earlier_runs":3 when so many were made before it was stopped and gone on with, and
 *    "earlier_p":0.4 of their rank sum against the later ones}
 *   {"event":"times","text":"usable after ...; idle after ...","results":[...]}  with `times`
 *   {"event":"capped","text":"..."}                       the order's time was up
 *
 * felt: until the last close; durable: until syncfs came back. Flags: "cached" the disks
 * moved less than was read, or half the time of a write came after the last close;
 * "nodisk" there is no disk below that could be asked; "sync" an array was at resync, or
 * a file system at its inode tables or balance; "cachefull" a write-back cache below did not
 * empty; "disturbed" others kept writing, took the processors, or moved bytes on the same
 * disks ("disturbed_by" of the run names them); "above" faster than all the
 * disks' links; "source" making the data was the limit; "cpu" the processor was; "throttled"
 * for heat; "compressed" the file system packs what is written;
 * "drift" the runs got faster or slower one after the other; "outlier" one lies far off;
 * "few" less than 6 runs; "partial" it was stopped; "resumed" and gone on with later.
 */
int bench_run(const struct bench_order *o, void (*emit)(void *, const json_t *), void *arg,
	      struct err *e);

/*
 * Flags, as bits and as the words in "flags". Their letters stand behind a bar; a bar in
 * doubt is drawn otherwise; the legend explains those that are in use (marks.c).
 */
enum { FEW_RUNS = 6 };	/* below, lowest to highest is no 95 % interval */
enum flag {
	FLAG_CACHED = 1, FLAG_NODISK = 2, FLAG_SYNC = 4, FLAG_FEW = 8, FLAG_PARTIAL = 16,
	FLAG_CACHEFULL = 32, FLAG_DISTURBED = 64, FLAG_ABOVE = 128, FLAG_SOURCE = 256,
	FLAG_CPU = 512, FLAG_THROTTLED = 1024, FLAG_COMPRESSED = 2048, FLAG_DRIFT = 4096,
	FLAG_OUTLIER = 8192, FLAG_RESUMED = 16384,
};
json_t *flag_words(unsigned flags);
unsigned flags_read(const json_t *words);	/* words that are none are left out */
void flags_letters(unsigned flags, const char *between, struct sbuf *out);	/* "P D n" */
bool flags_doubt(unsigned flags);
/* "P page cache, not the disks, n fewer than 6 runs", in lines of at most width. */
void flags_legend(unsigned flags, unsigned width, struct sbuf *out);

/*
 * What is counted. An operation on names or a loop of several counts what it did, not bytes:
 * its events say "unit":"files|ops|seeks" and have the same rates under "rate",
 * "durable_rate", "median_rate", "durable_max_rate" ... (reals, units a second) instead of
 * "bps" and so on. Without "unit" it is bytes; older results are.
 */
struct bench_unit {
	const char *word, *text;	/* "files", "files/s" */
	const char *key;		/* "rate": how its rates end in an event */
	double one;			/* what of the event's number is one of `text`: 1e6 of MB/s */
	bool counts;			/* it is not bytes */
};

const struct bench_unit *bench_unit(const json_t *event);	/* or result, or run */
const struct bench_unit *bench_unit_find(const char *word);	/* NULL: no such */
const struct bench_unit *bench_op_unit(const char *op);		/* of an operation's word */
/* which: "median", "min", "max", "" in a run; as in the event, not in MB/s. NAN: not told. */
double bench_rate(const json_t *event, const char *which, bool durable);
/* Of a rate that is in units of `text` already: "1234" MB/s, "12.3k" files/s. */
const char *bench_scaled_text(char buf[SIZE_TEXT], const struct bench_unit *u, double rate);
/* Three significant digits: "96.4", "12.3k"; "-" for NAN. And "88.1-104". Return buf. */
const char *bench_rate_text(char buf[SIZE_TEXT], const struct bench_unit *u, double rate);
const char *bench_range_text(char buf[2 * SIZE_TEXT], const struct bench_unit *u, double min,
			     double max);

/*
 * The same copy into dir with the live plot and without it, in pairs in random order. watch()
 * runs in a process of its own: it says one byte when it is ready and draws the events that
 * come from the descriptor until that ends.
 */
struct bench_observed {
	unsigned pairs;
	double ratio;			/* time with to time without: the median of the pairs */
	double low, high, sure;		/* its interval; sure 0: too few pairs for 95 % */
	double cpu_ratio, cpu_low, cpu_high;	/* the same of the copy's processor time */
	double cpu_share;		/* of one processor, what watching took */
	uint64_t dropped;		/* events the screen was too slow for */
};
int bench_observe(const char *dir, double scale, unsigned pairs,
		  int (*watch)(void *arg, int events), void *arg, struct bench_observed *out,
		  struct err *e);

/* Median, minimum and maximum of n rates; sorts a copy. */
struct stats {
	double median, min, max;
	size_t n;
};
void stats_of(const double *values, size_t n, struct stats *out);

#endif
