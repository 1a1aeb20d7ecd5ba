/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SANDBOX_LAUNCH_H
#define SANDBOX_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"

struct sandbox;

/* A file of ours that is copied into the job folder. It is opened while we may still
 * read it: the program may lie where the user who runs the kernel may not look. */
struct item {
	const char *to;		/* "bin/naslab" */
	int fd;
	unsigned mode;
};

/* What the keeper says first, so that its own death can be mended. */
struct beginning {
	pid_t kernel;		/* process and group */
	char dir[256];		/* the job folder */
};

/* What the keeper found when everything had ended. */
struct ending {
	int rc;			/* as the first process inside wrote it, -1: it did not */
	int wait_status;	/* of the kernel's process */
	struct err err;		/* it never started; kind is 0 when it did */
	char said[1024];	/* the last lines of the kernel's log */
};

/* One sandbox while it is made ready and runs. */
struct job {
	const struct sandbox *s;
	struct arena *arena;
	uid_t uid;		/* who runs the kernel; never root */
	gid_t gid;
	const char *user;
	bool drop;		/* we are root and become uid */
	const char *uml;	/* the kernel */
	struct list items;	/* struct item */
	char *keep;		/* absolute path of the --keep folder, NULL without */
	int lock;		/* of that folder, -1 without */
	char *cwd;
	unsigned rows, cols;
	bool error_pipe;	/* standard error is no terminal and travels apart */
	uint64_t memory;

	/* the keeper's own */
	char *dir;		/* made for this run, removed after it */
	char *disks;		/* where the images are */
	char *mem;		/* where the kernel keeps its memory file */
	int log;		/* what the kernel says */

	/* the launcher's */
	int to, from;		/* pipes to and from the first process inside */
	int life;		/* the keeper ends everything when this end is closed */
	int result;		/* the keeper says a beginning and an ending here */
	int heard;		/* how many of the two have come */
	struct beginning begin;
	struct ending end;
	int signals;		/* signalfd */
	pid_t keeper;
};

/* items.c: find and open the files of ours. */
int job_items(struct job *j, struct err *e);
/* Has one of the disks an arm (seek=)? */
bool job_seeks(const struct job *j);

/* prepare.c: the job folder with the program, its data and the disks; as the user. */
int job_prepare(struct job *j, struct err *e);
void job_remove(const struct job *j);
/* The name of disk i inside: "ubda". Returns buf. */
const char *job_disk_name(char buf[8], unsigned i);

/* launch.c: start the keeper and the kernel; hear what the keeper says next; wait for
 * its last words, which are in j->end then. */
int job_launch(struct job *j, struct err *e);
void job_hear(struct job *j);
void job_end(struct job *j, int patience_ms);

/* relay.c: carry bytes until the command has ended, its status then, or the pipe broke:
 * -1. *by_signal: the one that ended it from outside, 0 when none did. */
int job_relay(struct job *j, int *by_signal);

#endif
