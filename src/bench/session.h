/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "bench/bench.h"
#include "bench/corpus.h"
#include "bench/counters.h"
#include "bench/engine.h"
#include "bench/gates.h"
#include "bench/others.h"
#include "bench/ops.h"
#include "bench/proof.h"
#include "bench/ram.h"
#include "bench/statistics.h"
#include "bench/workdir.h"

/* One measurement from begin to end: what bench.c, run.c and report.c share. */

struct measured {	/* one timed run */
	enum bench_op op;
	struct engine_result copy;
	uint64_t disk_bytes;
	struct disk_bytes moved;	/* both ways */
	struct proof before, after;
	struct others others;		/* at the beginning */
	json_t *disturbed_by;		/* "rsync(812)" ...; NULL: nobody that was seen */
	uint64_t position;		/* where the first file begins on its device */
	bool placed;			/* the file system tells */
	unsigned fill_percent;		/* of the file system, at the end */
	unsigned flags;
	bool verified;
	json_t *samples;	/* [[ms, bytes, disk bytes, dirty bytes], ...] */
};

struct series {		/* the runs of one class and one operation */
	double *felt, *durable;		/* of what is counted, a second */
	uint64_t disk_bytes, cpu_ns;	/* sums */
	uint64_t ops, p50_ns, p99_ns, max_ns;	/* sums; the longest */
	struct engine_step steps[ENGINE_STEPS];	/* the same of each */
	unsigned n_steps;
	unsigned streams;
	double stream_bps[WORKLOAD_STREAMS];	/* of each, the sums */
	double stream_min, stream_max;	/* of any stream in any run */
	uint64_t least_bytes;		/* the least of the slowest when the first was through */
	uint64_t copy_bytes, durable_ns;	/* sums */
	uint64_t source_bps;		/* the lowest; 0: none */
	int hottest_mc;
	unsigned fill_percent;		/* the most */
	uint64_t position;		/* of the last run; as measured says */
	bool placed;
	unsigned n, flags;
	unsigned earlier;	/* of them, made before this session */
	int64_t id;		/* in the store */
	enum repeat repeat;	/* is another run worth it? */
};

struct class {
	const struct workload *w;
	struct corpus *corpus;
	unsigned ops;			/* bits 1 << enum bench_op */
	bool makes;			/* one of them makes the files, anew in every round */
	bool there;			/* the files are */
	bool changed;			/* they are not what they were made as any more */
	bool adds;			/* what is there before is the first fileset alone */
	unsigned reps, most;		/* how often it is measured, at least and at most */
	unsigned kept;			/* repetitions made before this session that count */
	uint64_t checksum;		/* of all files, once it is known */
	struct series series[BENCH_OPS];
	int stream;			/* of sends.c: what is received, -1: not made yet */
};

struct session {
	const struct bench_order *order;
	void (*emit)(void *arg, const json_t *event);
	void *arg;
	struct store *store;		/* NULL: keep nothing */
	struct workdir dir;
	struct workdir source;		/* below the order's source; target -1: there is none */
	struct counters counters;
	struct ram_limit ram;
	uint64_t dev;			/* st_dev of the target */
	uint64_t limit_bps;		/* what the disks' links carry in all; 0: unknown */
	struct class *classes;
	size_t n_classes;
	unsigned done, runs;		/* timed runs */
	uint64_t began_ns;
	bool capped;			/* the time of the order was up */
	unsigned rep;			/* the one that goes on, from 1 */
	unsigned session;		/* of a campaign's cells, from 1; 0: of none */
	json_t *provenance;		/* what every result of it says beside its numbers */
};

bool session_stops(const struct session *s);	/* a signal came, or whoever ordered it says so */

/*
 * wait.c: wait until nothing else goes on at the disks; what is not waited for, or does not
 * end, is added to *flags. op: what comes then, NULL for what is not timed; a reading one
 * waits for pages that are to be written too, a dirty one not even for a cache.
 */
int wait_quiet(struct session *s, const struct class *c, const struct op *op, unsigned *flags,
	       struct err *e);
bool wait_writes_back(const struct list *disks);	/* is there a write-back cache on them? */
unsigned wait_dirty(const struct session *s);	/* FLAG_CACHEFULL while it holds something */
/* For the layout alone, before the first class: *waited when it was not finished yet. */
int wait_idle(struct session *s, unsigned *flags, bool *waited, struct err *e);
/* usable.c: how long the order's build took, kept as results and told. */
int usable_session(struct session *s, struct err *e);
/* rsync.c: does it copy a class? Can it? And a run of it, with what is to be done before. */
bool class_by_rsync(const struct bench_order *o, const struct workload *w);
int rsync_check(const struct bench_order *o, const struct workload *w, unsigned ops, struct err *e);
int rsync_run(struct session *s, const struct class *c, const char *set, struct measured *m,
	      struct err *e);
extern const char rsync_memory[];	/* where its files lie without a source */
/* flags.c: what a timed run has to be marked with. */
unsigned flags_of(const struct session *s, const struct class *c, enum bench_op op,
		  const struct measured *m);

/* order.c: how often a class is measured; and the state of the cache before it. */
/*
 * What is done of a workload. Where a cache writes back later, what is written and read is read
 * twice: as long as the cache is dirty, and when it has emptied.
 */
unsigned class_ops(const struct bench_order *o, const struct workload *w, bool writes_back);
unsigned class_reps(const struct bench_order *o, const struct workload *w);
enum cache_state class_cache(const struct session *s, const struct class *c, enum bench_op op);

unsigned wait_flags(const struct session *s);	/* what goes on now, without waiting */

/* resume.c: what was measured for the order's cells before counts; call it once. */
int resume_session(struct session *s, struct err *e);
int64_t class_cell(const struct session *s, const struct class *c);	/* 0: of none */

/* series.c: the clock it is judged by: until it is on the disks for what writes. */
const double *series_judged(const struct series *r, enum bench_op op);

/* run.c: one run of m->op on a set of files below the work directory. */
int run_op(struct session *s, const struct class *c, const char *set, struct measured *m,
	   struct err *e);
/* Make a set without timing it. */
int run_prepare(struct session *s, const struct class *c, const char *set, struct err *e);
/* An operation of the engine on a set, not timed; `what` is for sentences. */
int run_engine(struct session *s, const struct class *c, const char *what, int dir,
	       enum bench_op op, struct err *e);
/* Put "/mnt/x: 500M, write, run 3: " in front of what went wrong, once; not of a stop. */
void run_failed(const struct session *s, const struct class *c, const char *what, struct err *e);
int run_remove(struct session *s, const char *set, struct err *e);
/*
 * For an operation that does its run itself: wait until nothing else goes on, bring the
 * cache into its state, and open the set (made anew when the operation makes it), or -1.
 */
int run_open(struct session *s, const struct class *c, const char *set, struct measured *m,
	     struct err *e);

/* What is counted and sampled around and during a run; without m nothing is kept. */
struct watch {
	uint64_t start_ns, next_ns;
	struct disk_bytes before;
};
void watch_start(struct session *s, struct measured *m, struct watch *w);
int watch_wait_ms(const struct watch *w);	/* until the next look */
/* Called often: ten times a second it samples and reports. */
void watch_look(struct session *s, const struct class *c, struct measured *m, struct watch *w,
		uint64_t bytes, uint64_t ops, bool syncing);
void watch_end(struct session *s, struct measured *m, int dir, const struct watch *w);

json_t *provenance(const struct session *s);	/* machine, recipe, mount, tools */

/* report.c: events. */
json_t *event_new(const char *event, const struct class *c);
void report_begin(struct session *s, const struct bench_forecast *f);
void report_capped(struct session *s);
void report_times(struct session *s, const char *text, json_t *results);	/* takes them */
void report_wait(struct session *s, const struct class *c, const char *text);
void report_gate(struct session *s, const struct class *c, const struct gate *g);
void report_sample(struct session *s, const struct class *c, enum bench_op op, uint64_t t_ns,
		   uint64_t bytes, uint64_t ops, uint64_t disk_bytes, uint64_t dirty_bytes,
		   bool syncing);
int report_run(struct session *s, struct class *c, enum bench_op op, struct measured *m,
	       struct err *e);
int report_results(struct session *s, bool partial, struct err *e);

#endif
