/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct arena;
struct err;
struct list;
struct sbuf;

/*
 * One SQLite file: builds, their journal, runs and samples. Every write is durable
 * when the call returns (synchronous=FULL, rollback journal: it also works on hostfs
 * in the sandbox). Times are ns since 1970.
 */
struct store;

extern int64_t store_fixed_ns;	/* tests: the clock stands here; 0: it runs */

/* path NULL: $NASLAB_DB, else /var/lib/naslab/naslab.db (root) or
 * $XDG_DATA_HOME/naslab/naslab.db. Creates what is missing; refuses a newer schema and
 * says so; a damaged file is one clear sentence, and is left as it is. */
int store_open(const char *path, struct store **out, struct err *e);
int store_open_read(const char *path, struct store **out, struct err *e);	/* never creates */
bool store_exists(const char *path);		/* is there a file of that name or default? */
void store_close(struct store *st);		/* takes NULL */
const char *store_path(const struct store *st);
/* Less than 8 MiB left where it lies: -1 and the sentence. */
int store_room(const struct store *st, struct err *e);

/*
 * A build: what was planned and how far it is. "failed" left nothing on the disks; when
 * an undo could not finish, the build stays "destroying" without an executor. "waiting"
 * is destroyed on every disk that was there, and waits for those that were not.
 */
enum build_state {
	BUILD_RUNNING, BUILD_BUILT, BUILD_FAILED, BUILD_DESTROYING, BUILD_DESTROYED, BUILD_WAITING,
};

struct build {
	int64_t id;
	const char *name, *layout;	/* layout: the recipe's file form */
	const char *order;		/* the order as JSON: layout, name, disks, digest (build.h) */
	const char *plan;		/* plan_json() as it was built */
	enum build_state state;
	int64_t created_ns, changed_ns;
	int64_t executor_pid;		/* 0 when none runs */
	const char *executor_boot;	/* boot id it ran under: another boot means it is dead */
};

int store_build_add(struct store *st, struct build *b, struct err *e);	/* fills id */
int store_build_set(struct store *st, int64_t id, enum build_state state, struct err *e);
/* Who works on it now; pid 0: nobody. */
int store_build_executor(struct store *st, int64_t id, int64_t pid, const char *boot,
			 struct err *e);
/* The newest build of that name that is not destroyed; 0 found, 1 none, -1 error. */
int store_build_find(struct store *st, const char *name, struct arena *a, struct build *out,
		     struct err *e);
int store_builds(struct store *st, struct arena *a, struct list *out /* struct build * */,
		 struct err *e);
const char *build_state_word(enum build_state state);

/* The journal: one event, a JSON object, durable before it returns. */
int store_event_add(struct store *st, int64_t build_id, const json_t *event, int64_t *seq,
		    struct err *e);
/* Events after seq, oldest first: objects, each with "seq" and "at_ns"; the caller decrefs. */
int store_events(struct store *st, int64_t build_id, int64_t after_seq, json_t **array,
		 struct err *e);

/* Measurements. A result (session) is one bench of one class and one operation. */
int store_result_add(struct store *st, const json_t *result, int64_t *id, struct err *e);
int store_result_update(struct store *st, int64_t id, const json_t *result, struct err *e);
int store_run_add(struct store *st, int64_t result_id, const json_t *run, int64_t *id,
		  struct err *e);
int store_samples_add(struct store *st, int64_t run_id, const json_t *samples, struct err *e);
/* Arrays of objects; the caller decrefs. */
int store_results(struct store *st, json_t **array, struct err *e);
int store_result(struct store *st, int64_t id, json_t **object, struct err *e);	/* runs inside */
/* Results with their runs inside, all or those of the n IDs in that order; samples on request. */
int store_results_with_runs(struct store *st, const int64_t *ids, size_t n, bool samples,
			    json_t **array, struct err *e);
/* Those that were measured for a cell of a campaign and belong to it still, with their runs. */
int store_results_of_cell(struct store *st, int64_t cell, json_t **array, struct err *e);
/* They, or one of them, stay and belong to it no more. */
int store_results_leave(struct store *st, int64_t cell, struct err *e);
int store_result_leave(struct store *st, int64_t id, struct err *e);
/* The runs of a result from one on become those of another. */
int store_runs_move(struct store *st, int64_t from, int64_t first_run, int64_t to, struct err *e);
/* Put in results that have their runs inside, all or none of them; "at_ns" is kept. */
int store_results_import(struct store *st, const json_t *results, struct err *e);
/* The CSV of such an array, one line a repetition. */
void store_csv(const json_t *results, struct sbuf *out);
int store_export_csv(struct store *st, int64_t id /* 0: all */, const char *path /* NULL: stdout */,
		     struct err *e);

/*
 * A campaign: layouts x axes x workloads (campaign/campaign.h). A cell is one workload on
 * one layout in one round; its state is committed before and after the work.
 */
enum cell_state { CELL_WAITING, CELL_RUNNING, CELL_DONE, CELL_FAILED, CELL_IMPOSSIBLE };

/* What a screen asks of whoever works on it: end after this repetition, or after this layout. */
enum campaign_pause { PAUSE_NO, PAUSE_REPETITION, PAUSE_LAYOUT };

struct stored_campaign {
	int64_t id;
	const char *name;
	const char *text;	/* all that makes it this campaign, in one form */
	const char *disks;	/* JSON: the disks it runs on, by identity */
	const char *source;	/* the file's text; NULL: not recorded */
	int64_t created_ns;
	int64_t pid;		/* who works on it, 0 when nobody does; of the boot `boot` */
	const char *boot;
	const char *say;	/* JSON: how far it is, for a screen (campaign.h); or NULL */
	enum campaign_pause pause;
};

struct campaign_cell {
	int64_t id;
	unsigned n, round;	/* n: its turn, 1.. */
	const char *layout, *label;	/* one-line form; as a person names it */
	const char *options;	/* JSON object: what the axes put in */
	const char *workload;
	uint64_t ram_bytes;	/* it is measured in; 0: all there is */
	enum cell_state state;
	const char *reason;	/* of failed and impossible, else NULL */
	const char *results;	/* JSON array of what was measured; NULL until it is done */
	int64_t began_ns, ended_ns;
	unsigned earlier;	/* store_cells_kept(), store_cell_done() */
	unsigned kept, kept_ops;	/* store_cells_kept() */
};

const char *cell_state_word(enum cell_state state);

/* The campaign and all its cells (struct campaign_cell *), or nothing. Fills the ids. */
int store_campaign_add(struct store *st, struct stored_campaign *c, const struct list *cells,
		       struct err *e);
/* The newest of that name; 0 found, 1 none, -1 error. */
int store_campaign_find(struct store *st, const char *name, struct arena *a,
			struct stored_campaign *out, struct err *e);
/* All of them, oldest first: struct stored_campaign *. */
int store_campaigns(struct store *st, struct arena *a, struct list *out, struct err *e);
/* Take it, when still `old` has it: 0 it is ours, 1 somebody was faster, -1 error. pid 0: let
 * go of it. The struct follows; a wish to pause is over. */
int store_campaign_claim(struct store *st, struct stored_campaign *c, int64_t pid,
			 const char *boot, struct err *e);
int store_campaign_say(struct store *st, int64_t id, const json_t *say, struct err *e);
int store_campaign_pause(struct store *st, int64_t id, enum campaign_pause pause, struct err *e);
int store_campaign_pauses(struct store *st, int64_t id, enum campaign_pause *out, struct err *e);
/* It and its cells are gone; what was measured stays. Refused while somebody has it. */
int store_campaign_delete(struct store *st, const struct stored_campaign *c, struct err *e);
/* Its cells in their order. */
int store_cells(struct store *st, int64_t campaign, struct arena *a, struct list *out,
		struct err *e);
/* What a measurement that was stopped left for each: `kept` runs of each of `kept_ops`
 * operations; and how many repetitions of a done one were made in an earlier session. */
int store_cells_kept(struct store *st, int64_t campaign, struct list *cells, struct err *e);
/* Put the cells that have an end but no results behind `results`, as objects with "event":
 * "cell" and their "reason": an export of a campaign is whole then. */
int store_cells_failed(struct store *st, json_t *results, struct err *e);
/* Move n cells to a state, all or none; reason may be NULL. The structs follow. */
int store_cells_set(struct store *st, struct campaign_cell *const *cells, size_t n,
		    enum cell_state state, const char *reason, struct err *e);
/*
 * A cell is done: its results (array of result events with "id") and, in the same commit,
 * `tags` put into each of those results in the table.
 */
int store_cell_done(struct store *st, struct campaign_cell *c, const json_t *results,
		    const json_t *tags, struct err *e);
/* Results of a build since a time that belong to no finished cell are flagged "partial". */
int store_results_cut(struct store *st, const char *build, int64_t since_ns, struct err *e);

#endif
