/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUILD_JOB_H
#define BUILD_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/*
 * Running other programs: the only place that forks. A tool gets LC_ALL=C, a fixed
 * PATH, a clean environment, a process group of its own and either the given text or
 * nothing on its standard input, so it can ask nothing and wait for nobody.
 */

enum { JOB_LAST = 320 };

struct job {
	char *const *argv;	/* NULL-terminated; argv[0] is looked for in the fixed PATH */
	const char *input;	/* its standard input; NULL: /dev/null */
	unsigned timeout_ms;	/* 0: as long as it takes */
	/* One line of its output (standard output and error), without newline. May be NULL. */
	void (*line)(void *arg, const char *text);
	/* Asked several times a second: true kills the tool. May be NULL. */
	bool (*cancelled)(void *arg);
	void *arg;
};

struct job_end {
	bool started;		/* false: no such program; error holds errno */
	int error;
	int status;		/* its exit status, -1 when a signal ended it */
	int signal;		/* 0: none */
	bool timed_out, was_cancelled;
	uint64_t ns;
	char last[JOB_LAST];	/* its last words: the last lines that hold something */
};

/* Run it to its end. 0: it ended with status 0. -1: the sentence says how it went wrong,
 * with the tool's own last words. */
int job_run(const struct job *j, struct job_end *end, struct err *e);

/* Is this program in the fixed PATH? */
bool job_has(const char *program);

/*
 * A program that outlives us, in a session of its own when `session`; `input` is written
 * to its standard input, which stays open at *control; *out is its standard output.
 * Its standard error is ours when !session, else it goes to *out too.
 */
int job_start(char *const *argv, bool session, const char *input, int64_t *pid, int *control,
	      int *out, struct err *e);

/*
 * A child that runs one of our own functions and leaves with its value; fd is its end of
 * a socket pair, *sock is ours. It dies with us.
 */
int job_child(int (*body)(void *arg, int fd), void *arg, int64_t *pid, int *sock, struct err *e);

/* Has it ended? 1 yes (*status as from waitpid), 0 not yet. `block` waits for it. */
int job_reap(int64_t pid, bool block, int *status);

#endif
