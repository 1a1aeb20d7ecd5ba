/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYOUT_PLAN_H
#define LAYOUT_PLAN_H

#include <stdbool.h>

#include <jansson.h>

#include "base/argv.h"
#include "layout/stack.h"

struct sbuf;

/*
 * The plan: the steps that build a stack, as data. A step is one command, what it
 * writes to, what must be there afterwards, and the commands that take it back.
 * Tearing down is the same plan read backwards: the undo of every step, last first.
 */

struct effect {			/* a device that must exist after the step */
	const char *dev;
	uint64_t bytes;		/* exactly; 0: any */
};

struct step {
	unsigned n;		/* 1.. */
	const char *why;	/* "join 6 members into s1, raid5" */
	const char *layer;	/* which layer wants it: "md"; "wipe" for the clearing of disks */
	struct argv argv;
	const char *input;	/* its standard input; NULL: closed */
	bool secret;		/* the passphrase of the order is its standard input */
	struct list writes;	/* const struct node *: block devices it writes to */
	struct list makes;	/* struct effect * */
	struct list destroys;	/* const struct disk *: whose content is lost by it */
	struct list undo;	/* struct argv *, in the order to run them */
	bool retry;		/* when it fails, it is taken back and tried again a few times */
	bool again;		/* after a reboot, running it again brings back what it made */
	bool holds_data;	/* false: may be undone without losing what a user put there */
};

struct plan {
	struct arena *arena;
	const struct stack *stack;	/* borrowed */
	struct list steps;		/* struct step * */
};

/*
 * Commands that no tool offers. The executor does them itself, the script form with shell
 * functions of the same names; DEVICE is a path whose kernel name is found at the time.
 *
 *   block_write DEVICE ATTRIBUTE VALUE	write it below /sys/class/block/NAME/
 *   block_wait DEVICE ATTRIBUTE VALUE	until it reads VALUE; "gone": until it is not there
 *   block_tell FILE DEVICE		write the path of the device to a file of the kernel
 *   block_link LINK DEVICE		call the device that the kernel stacked on DEVICE LINK
 *   unit_write FILE DEVICE		its standard input as a systemd unit, UUID replaced by that of
 *					the file system on DEVICE, wanted at every start
 *   unit_remove FILE BUILD		away with it, when it is of that build
 */
bool plan_builtin(const char *word);

/* From a stack to its steps. The stack must outlive the plan. */
int plan_make(const struct stack *s, struct plan **out, struct err *e);
void plan_free(struct plan *p);		/* takes NULL */

/* For layers. The step belongs to the plan. */
struct step *plan_step(struct plan *p, const char *layer, const char *why, ...)
	__attribute__((format(printf, 3, 4)));
void step_args(struct plan *p, struct step *s, ...) __attribute__((sentinel));
void step_argf(struct plan *p, struct step *s, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void step_input(struct plan *p, struct step *s, const char *text);
void step_writes(struct plan *p, struct step *s, const struct node *n);
void step_makes(struct plan *p, struct step *s, const char *dev, uint64_t bytes);
void step_undo(struct plan *p, struct step *s, ...) __attribute__((sentinel));
struct argv *step_undo_argv(struct plan *p, struct step *s);	/* to add words to */

/*
 * After a device was made: clear what an earlier life of the same place left in it, so
 * that the next layer never meets an old volume group or file system.
 */
void plan_wipe(struct plan *p, const char *layer, const char *dev, const struct node *n);

/* Does some step want a passphrase? It comes with the order, never with the plan. */
bool plan_needs_secret(const struct plan *p);

/* One sentence of advice; src/layout/advice.c has the table of rules. */
struct advice {
	const char *rule;		/* "ppl-chunk" */
	const char *severity;		/* "info", "warn" */
	const char *text;		/* with the numbers that triggered it */
	const char *reason, *source;	/* why it is so, in general; and who says it */
};

void stack_advice(const struct stack *s, struct arena *a, struct list *out);

/* Output forms. */
json_t *plan_json(const struct plan *p);	/* DESIGN.md section 3; caller owns it */
void plan_script(const struct plan *p, struct sbuf *out);	/* a sh script without naslab */
void plan_text(const struct plan *p, bool utf8, struct sbuf *out);	/* tree, capacity, advice, steps */

/* A digest of layout, disks and every word of every step: what was shown is what runs. */
const char *plan_digest(const struct plan *p, struct arena *a);

#endif
