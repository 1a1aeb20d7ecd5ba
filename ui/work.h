/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UI_WORK_H
#define UI_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "naslab.h"

/*
 * Work that an executor does: started here, or by another naslab and seen through the
 * journal. Its events are kept as what the screens draw: steps, lines, syncs, results.
 */

enum work_kind { WORK_NONE, WORK_BUILD, WORK_DESTROY, WORK_RECOVER, WORK_BENCH, WORK_CAMPAIGN };

enum { WORK_LINES = 500, WORK_SAMPLES = 600, WORK_RUNS = 64 };

struct work_step {
	unsigned n;
	char *why;
	char state;		/* ' ' waiting, '>' runs, '+' done, 'E' failed, 'u' undone */
	uint64_t ms;
	int64_t began_ns;
};

struct work_sync {
	char *device;
	double percent;
	uint64_t bps, left_ns;
};

struct work_class {		/* one bar: a class and an operation */
	char *name, *op;
	const struct bench_unit *unit;
	double runs[WORK_RUNS];	/* in the unit's `text`, in the order they ran */
	double durable[WORK_RUNS];
	size_t n;
	uint64_t file_bytes, disk_bytes;	/* of the last run; disk_known says if counted */
	bool disk_known;
	unsigned flags;		/* enum flag, of all its runs */
	bool running, done;
};

struct work {
	enum work_kind kind;
	char *name;		/* of the build, or the folder */
	struct executor x;
	bool runs;		/* an executor works on it */
	bool started_here;
	bool ended, ok;
	bool news;		/* more came than a sample of the run at work; whoever draws it resets it */
	bool stop_asked;	/* here, by the person: its end is no failure */
	char text[480];		/* the sentence it ended with */
	int64_t began_ns, ended_ns;	/* monotonic */
	int64_t last_line_ns;

	int64_t build_id, seq;	/* journal, when attached */
	int64_t polled_ns;

	struct work_step *steps;
	size_t n_steps, n_done;
	size_t of;		/* steps there will be: those of a destroy come one by one */
	unsigned n_planned;	/* steps of the plan, once taking back has begun; else 0 */

	char *lines[WORK_LINES];	/* ring */
	unsigned n_lines;

	struct work_sync syncs[16];
	size_t n_syncs;

	struct work_class *classes;
	size_t n_classes;
	size_t at;		/* the class that runs now */
	unsigned reps, rep;	/* asked for, running now (1..) */
	double samples[WORK_SAMPLES];	/* rates of the run that goes on, as of its class */
	size_t n_samples;
	uint64_t bytes, bytes_total, disk_bytes;	/* of the run that goes on */
	uint64_t ops, ops_total;	/* of one that counts; ops_total 0: it goes by time */
	uint64_t sample_ns;	/* of the last sample, since the run began */
	int64_t run_began_ns;
	bool disk_known;
	uint64_t dirty_bytes, n_runs, bytes_done, bytes_all;	/* n_runs, bytes_all: of the order */
	unsigned per_sample, gathered;	/* samples are means of so many events */
	double sum;
	bool syncing;		/* the copy is done, the disks are not */
	char waiting[160];	/* what the bench waits for; "" when it runs */
	unsigned cells, cells_done;	/* of a campaign */
};

int64_t ui_now_ns(void);		/* monotonic */
extern int64_t ui_fixed_ns;	/* tests: the clock stands here; 0: it runs */

int work_start(struct work *w, enum work_kind kind, const char *name, const json_t *order,
	       bool as_root, struct err *e);
/* The same with a verb of naslab and its words, NULL-terminated, instead of an order. */
int work_start_words(struct work *w, enum work_kind kind, const char *name,
		     const char *const *words, bool as_root, struct err *e);
/* Take what is there; true when something changed. */
bool work_next(struct work *w);
/* The steps that will come, so that their words are there from the start. */
void work_steps(struct work *w, const struct plan *p);
/* A bar that will come: so all rows are there from the start. */
void work_expect(struct work *w, const char *name, const char *op);
/* "w" and "r" for writing and reading, else the whole word. */
const char *work_op_brief(const struct work_class *c);
bool work_op_writes(const struct work_class *c);
uint64_t work_left_ns(const struct work *w);	/* of a bench; 0: no estimate yet */
/* Attach to what runs on this build, by the journal; 0 attached, 1 nothing runs. */
int work_attach(struct work *w, const char *db, const char *name, struct err *e);
/* For an attached one: what the journal has since; true when something changed. */
bool work_poll(struct work *w, const char *db);
/* Ask it to stop; it cleans up behind itself. */
int work_stop(struct work *w, struct err *e);
void work_done(struct work *w);		/* forget it; an executor that runs goes on */

/* What was measured, a line a class: "nas1 8G write: median 131 MB/s, 118 to 142, 3 runs". */
void work_result_lines(const struct work *w, struct sbuf *out);

/* "nas1: step 14 of 24", for row 23. */
size_t work_all(const struct work *w);	/* how many steps there are, or will be */
void work_brief(const struct work *w, struct sbuf *out);

/* One event; for work_next() and the tests. */
void work_event(struct work *w, const json_t *event);

#endif
