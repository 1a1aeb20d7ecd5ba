/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUILD_RUN_H
#define BUILD_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/argv.h"
#include "base/err.h"
#include "base/sbuf.h"
#include "disk/disk.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"
#include "store/store.h"

/* What the files of the executor share; nobody outside src/build/ includes it. */

/* An order, read and checked for its form. Strings are borrowed from the JSON. */
struct order {
	const json_t *json;
	const char *verb, *name, *db, *layout, *recipe, *digest;
	struct ordered_disk {
		struct identity id;
		enum role role;
		uint32_t lsec, psec;
		bool rotational;
		const json_t *was;	/* words for what it held when it was planned with */
		bool cleared;		/* proven blank by an earlier destroy: not ours any more */
	} *disks;
	size_t n_disks;
	char **wipe;		/* NULL-terminated */
};

const char *word_of_sig(struct arena *a, const struct sig *sig);
const char *word_of_part(struct arena *a, const struct part *part);
int order_read(struct arena *a, const json_t *json, struct order *out, struct err *e);

/*
 * The plan of an order, made again from its layout and from the disks as they are now.
 * With `may_lack` a disk that is not there is replaced by what is recorded of it, under a
 * name that no device has, and marked absent; without it that is refused.
 */
struct remade {
	struct inventory *inv;
	struct recipe *recipe;
	struct stack *stack;
	struct plan *plan;
	struct pick *picks;	/* in the order of the order's disks */
	bool *absent;
	size_t n_absent;
};

int remake(struct arena *a, const struct order *o, const char *root, bool may_lack,
	   struct remade *out, struct err *e);
void remade_free(struct remade *m);

/* One executor at work. */
struct run {
	struct arena *arena;
	struct store *st;
	struct order order;
	json_t *asked, *stored;	/* the order as it came, and the one of the build it names */
	struct remade made;
	const char *secret;	/* the order's passphrase: kept here alone, never journalled */
	int64_t build;		/* row in the store; 0: not journalled yet */
	bool *touched;		/* has this build written to disk i? */
	int *locks;		/* two descriptors a disk; -1: none */
	bool undoing;		/* taking back is not stopped by anybody */
	bool waiting;		/* only disks that have come back are still to be cleared */
	unsigned n_undo, undone;	/* steps that are taken back, or brought up: all, and done */
	unsigned stops;		/* how often it was asked to stop by its standard input */
	char heard;		/* the last byte of that */
	bool journal_broken;
	struct err journal;	/* why */
	uint64_t synced_ns;	/* when sync events were sent last */
	unsigned n;		/* the step at work, for the output of its tool */
};

/* --- events: journal first, then the screen. Takes the reference. -1: not journalled. */
int run_emit(struct run *r, json_t *event);
int run_step_event(struct run *r, const struct step *s, const char *state, const char *why,
		   uint64_t ns);
/* To the screen alone; one that may be dropped does not wait for it. */
void run_show(const json_t *event, bool may_drop);
void run_signals(void);
uint64_t run_clock_ns(void);
/* The last event of a run; returns the exit status. */
int run_end(struct run *r, const struct err *e, const char *text);
/* Sync events of the arrays that stand, at most every two seconds. */
void run_sync(struct run *r);
/* Was it asked to stop (signal, or "stop" on the standard input)? Twice: at once. */
unsigned run_stops(struct run *r);

/* --- the guard */
/* Right before a step writes: are its disks the ones of the plan, and not in use? */
int guard_step(struct run *r, const struct step *s, struct err *e);
/* Was the content of the disk known to whoever made this identity? */
bool content_was_read(const struct identity *id);
/* Do the touched disks hold only what this build put there, or what they held before? */
int guard_ours(struct run *r, struct err *e);

/* --- locks: one executor a disk, and udevd keeps its hands off meanwhile */
int locks_take(struct run *r, struct err *e);
void locks_release(struct run *r);
/* Release them at the end of the work, and let udevd look at the disks again. */
void run_let_go(struct run *r);

/* --- running and taking back */
/* Run one command; its output becomes events. */
int run_argv(struct run *r, const struct argv *v, const char *input, struct err *e);
/* One of plan_builtin(). */
int run_builtin(struct run *r, const struct argv *v, const char *input, struct err *e);
/* Every step up to `last` (1-based) taken back, last first, and the disks cleared. With
 * `careful`, the first command that fails ends it. 0: all disks that were touched and are
 * there are blank. *said gets "all 6 disks are blank" or which are and which are not. */
int run_undo(struct run *r, unsigned last, bool careful, struct sbuf *said, struct err *e);
/* Mark the disks that the steps up to `last` write to as touched. */
void run_touch(struct run *r, unsigned last);
void pause_ms(unsigned ms);
/* Run a fixed command whose outcome is read from the disks and not from the tool. */
void run_words(struct run *r, struct argv *v);
/* Does what the step made still stand? */
bool step_stands(struct run *r, const struct step *s);
/* Start an array or a volume group that does not stand; by force only to clear it. */
void run_start_node(struct run *r, const struct node *n, bool force);
/* After a crash nothing may stand: put together what is left, so it can be cleared. */
void run_revive(struct run *r, unsigned last);

/* --- what is left for the next start (unit.c) */
int unit_write(struct run *r, const char *file, const char *dev, const char *text, struct err *e);
int unit_remove(struct run *r, const char *file, const char *build, struct err *e);
/* Would a step write a unit where there is one already, or where fstab has its own? */
int units_check(const struct plan *p, const char *root, struct err *e);

/* --- disks that are not there */
/* The command with the names its devices have now, without those on absent disks; NULL
 * when it was about them alone, or is none of this run's business. */
struct argv *argv_here(struct run *r, const struct step *s, const struct argv *v);
/* The node that a device path or a folder of the plan belongs to; NULL: none. */
const struct node *node_of(const struct run *r, const char *dev);
/* Which disks did an earlier destroy of this build clear? Marks them in the order. */
int absent_read(struct store *st, int64_t build, struct order *o, struct err *e);
/* Write down which disks are waited for. */
int absent_write(struct run *r);
/* How many disks were touched and are not there; *said gets "sdc (serial WX1)". */
unsigned absent_say(const struct run *r, struct sbuf *said);

/* --- devices */
/* Does this block device exist, and how long is it? */
bool device_bytes(const char *path, uint64_t *bytes);
/* The path a node's device has now: after a reboot /dev/md/x may be /dev/md127. NULL:
 * there is none. */
const char *device_now(struct run *r, const struct node *n);
/* Is a file system mounted at this folder? */
bool folder_is_mounted(const char *root, const char *folder);
/* Is it mounted, or does anything stand on it? */
bool device_is_held(const char *path);
/* Who holds a device or a mount point, ready to be shown; nothing when unknown. */
void device_holders(const char *path, struct sbuf *out);
bool udevd_runs(void);

/* The index of a disk among the order's disks, or -1. */
int disk_index(const struct run *r, const struct disk *d);
const char *boot_id(struct arena *a);
/* Is the executor that a build names still alive? */
bool executor_alive(const struct build *b, struct arena *a);

/* The verbs of an order. Each returns the exit status and sends its own "end". */
int run_build(struct run *r);
int run_destroy(struct run *r);
int run_recover(struct run *r);
int run_bench(struct run *r);
int run_mount(struct run *r);
/* " at /srv/nas1": where its file systems are. */
void run_say_folders(const struct run *r, struct sbuf *out);

/* For the verbs: find the build r->order names, read its order, make its plan again. */
int run_load(struct run *r, struct build *b, struct err *e);

#endif
