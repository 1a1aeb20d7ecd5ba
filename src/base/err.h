/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/* What kind of failure it is; the value is the program's exit status. */
enum err_kind {
	ERR_NONE,
	ERR_FAIL = 1,		/* something did not work */
	ERR_USAGE = 2,		/* what was asked makes no sense */
	ERR_REFUSED = 3,	/* it would put data at risk */
};

/*
 * One failure and the sentence a person needs: object, fact, numbers
 * ("md data: raid5 needs 3 disks, has 2"). Lower case, no full stop, no newline.
 * Lives on the caller's stack; start it with { 0 }.
 */
struct err {
	enum err_kind kind;
	char text[480];
};

/* Record a failure. Always returns -1, so callers write "return err_set(...)". */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Record a failed system call: the text, ": " and strerror(errno). Always returns -1. */
int err_sys(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Put "what we were doing: " in front on the way up. Always returns -1. */
int err_in(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#ifdef __clang_analyzer__	/* it sees one file at a time: tell it what is returned */
#define err_set(...) (err_set(__VA_ARGS__), -1)
#define err_sys(...) (err_sys(__VA_ARGS__), -1)
#define err_in(...) (err_in(__VA_ARGS__), -1)
#endif

/* A bug or no memory: say so and leave. Never for a user's mistake. */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Called by die() before it speaks: a screen gives the terminal back. NULL: nothing. */
extern void (*die_first)(void);

#endif
