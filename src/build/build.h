/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUILD_BUILD_H
#define BUILD_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/sbuf.h"

struct arena;
struct err;
struct inventory;
struct plan;
struct store;

/*
 * Building, tearing down and recovering. Writing is done by the executor: a process of
 * its own session (`naslab executor`), which takes an order on its standard input,
 * writes every event to the journal first and then as a JSON line to its output.
 *
 * An order (JSON) names a layout, a build name, disks by identity and the digest of the
 * plan that was shown. It cannot carry a command: the executor makes the plan again
 * from the layout and refuses when the digest differs.
 *
 *   {"verb":"build","layout":"...","name":"nas1","db":"...","digest":"...",
 *    "disks":[{identity..., "role":"data"}], "wipe":["/dev/sdd"],
 *    "secret":"passphrase"}
 *   {"verb":"destroy","name":"nas1","db":"..."}     {"verb":"recover","name":"nas1",...}
 *   {"verb":"mount","name":"nas1","db":"...","secret":"passphrase"}
 *   {"verb":"bench", ...}                            see bench.h
 *
 * Events:
 *   {"event":"begin","verb":"build","name":"nas1","steps":24,"build":ID}
 *   {"event":"step","n":3,"of":24,"state":"run|done|failed|undone","why":"...","ms":12}
 *   {"event":"output","n":3,"text":"one line of the tool"}
 *   {"event":"sync","device":"/dev/md/nas1-s1","percent":38.2,"bps":148000000,"left_ns":N}
 *   {"event":"end","ok":true|false,"text":"the sentence","exit":0|1|3}
 */

/* The order of a build, from a plan and the disks it was made for. wipe: words the user
 * named with --wipe (paths or names), NULL-terminated or NULL. */
json_t *order_build(const struct plan *p, const char *db, char *const *wipe);
/* The passphrase for layouts that encrypt; it goes to the tools' standard input only. */
void order_secret(json_t *order, const char *passphrase);
json_t *order_simple(const char *verb, const char *name, const char *db);
/* Whoever gives it must stay: when its end of the standard input closes, that is "stop". */
void order_attach(json_t *order);
/* Of "destroy": disks that are not there are not waited for. */
void order_forget(json_t *order);

/* A running executor, seen from outside. */
struct executor {
	int64_t pid;
	int fd;			/* its JSON lines, for poll(); -1 when they have ended */
	int control;		/* its standard input */
	bool ended;		/* its "end" was seen */
	bool measures;		/* what a killed one leaves is files */
	struct sbuf pending;
};

/* Start one: through sudo when as_root and not root. Returns at once. */
int executor_start(const json_t *order, bool as_root, struct executor *x, struct err *e);
/* The same for a verb of naslab that speaks in events too (campaign): its words. */
int executor_start_words(const char *const *words, bool as_root, struct executor *x,
			 struct err *e);
/* The next event if one is there (1), none yet (0), it ended (-1 with err.kind 0), error (-1). */
int executor_next(struct executor *x, json_t **event, struct err *e);
/* Wait at most ms for something to read; 1: executor_next() has something to say. */
int executor_wait(struct executor *x, int ms);
/* Ask it to stop after the step at work and to undo; asked twice it stops the step too. */
void executor_stop(struct executor *x);
void executor_done(struct executor *x);		/* lets it run on */

/* The executor's own main: reads the order from fd 0, writes lines to fd 1. Exit status. */
int executor_main(void);

/* May this plan be built on these disks now? The sentence names disk and reason;
 * err.kind is ERR_REFUSED. Asked on the screen; the executor asks again itself. */
int guard_check(const struct plan *p, const struct inventory *now, char *const *wipe,
		struct err *e);

/* The layers of a build, live: plan_json()'s layers with actual_bytes, state, detail. */
int build_status(struct store *st, const char *name, const char *root, json_t **out,
		 struct err *e);

/* Of that status: is a finished build not up, so that "mount" would bring it up? */
bool build_is_down(const json_t *status);

/* Builds that a crash left unfinished, as sentences; for Start and `recover`. */
int build_unfinished(struct store *st, json_t **array, struct err *e);

/* Which of the programs and file systems the plan needs are missing here; one sentence
 * that names the package. */
int build_tools_check(const struct plan *p, struct err *e);

struct layer;
/* The same for one layer, to grey it before it is taken. */
int build_layer_check(const struct layer *l, struct err *e);

#endif
