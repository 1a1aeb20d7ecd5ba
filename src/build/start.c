/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start - the executor seen from outside: starting it, reading its events, asking it to
 * stop, and letting it run on when the screen goes.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/argv.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "build/build.h"
#include "build/job.h"

enum { LINE_MAX_BYTES = 4 << 20 };

/* naslab itself with some words, in the background; `input` is the first it reads. */
static int start(const char *const *words, const char *input, bool as_root, struct executor *x,
		 struct err *e)
{
	bool sudo = as_root && geteuid() != 0;
	struct arena *a = arena_new();
	struct argv v = { 0 };
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int rc = -1;

	*x = (struct executor){ .fd = -1, .control = -1 };
	if (len < 0) {
		err_sys(e, "cannot find this program's own file");
		goto out;
	}
	self[len] = '\0';
	if (sudo && !job_has("sudo")) {
		err_set(e, ERR_FAIL, "building needs root, and there is no sudo here: run naslab as root");
		goto out;
	}
	if (sudo)
		argv_addl(a, &v, "sudo", "-p", "naslab writes to disks as root; password for %p: ",
			  "--", NULL);
	argv_addl(a, &v, self, NULL);
	for (; *words; words++)
		argv_addl(a, &v, *words, NULL);
	/* sudo has to reach the terminal for a password, so it stays in our session. */
	rc = job_start(v.at, !sudo, input, &x->pid, &x->control, &x->fd, e);
out:
	arena_free(a);
	return rc;
}

int executor_start(const json_t *order, bool as_root, struct executor *x, struct err *e)
{
	static const char *const words[] = { "executor", NULL };
	char *line = json_line(order);
	struct sbuf text = { 0 };
	int rc;

	sbuf_addf(&text, "%s\n", line);
	rc = start(words, text.text, as_root, x, e);
	x->measures = !strcmp(json_str(order, "verb") ? json_str(order, "verb") : "", "bench");
	free(line);
	sbuf_done(&text);
	return rc;
}

int executor_start_words(const char *const *words, bool as_root, struct executor *x,
			 struct err *e)
{
	return start(words, "", as_root, x, e);
}

/* The executor's output has ended: how did it go? Always -1. */
static int ended(struct executor *x, struct err *e)
{
	int status = 0;

	job_reap(x->pid, true, &status);
	x->pid = 0;
	*e = (struct err){ 0 };
	if (x->ended)
		return -1;
	if (WIFSIGNALED(status))
		return err_set(e, ERR_FAIL, "the executor was ended by signal %d; %s", WTERMSIG(status),
			       x->measures ? "the next measurement there removes what it left" :
					     "naslab recover takes back what it had begun");
	return err_set(e, ERR_FAIL, "the executor ended without a word (status %d)",
		       WEXITSTATUS(status));
}

/* A whole line of the buffer as an event; 0 when there is none. */
static int take_line(struct executor *x, json_t **event, struct err *e)
{
	const char *end = memchr(sbuf_str(&x->pending), '\n', x->pending.len);
	struct sbuf rest = { 0 };
	size_t len;

	if (!end)
		return 0;
	len = (size_t)(end - x->pending.text);
	*event = json_loadb(x->pending.text, len, 0, NULL);
	if (!*event) {
		x->pending.text[len] = '\0';
		err_set(e, ERR_FAIL, "the executor said: %.300s", x->pending.text);
	} else if (json_str(*event, "event") && !strcmp(json_str(*event, "event"), "end")) {
		x->ended = true;
	}
	sbuf_addn(&rest, x->pending.text + len + 1, x->pending.len - len - 1);
	sbuf_done(&x->pending);
	x->pending = rest;
	return *event ? 1 : -1;
}

int executor_next(struct executor *x, json_t **event, struct err *e)
{
	char buf[16384];
	ssize_t got;
	int rc = take_line(x, event, e);

	if (rc)
		return rc;
	if (x->fd < 0)
		return ended(x, e);
	got = read(x->fd, buf, sizeof(buf));
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got <= 0 || x->pending.len > LINE_MAX_BYTES) {
		close(x->fd);
		x->fd = -1;
		return ended(x, e);
	}
	sbuf_addn(&x->pending, buf, (size_t)got);
	return take_line(x, event, e);
}

int executor_wait(struct executor *x, int ms)
{
	struct pollfd p = { .fd = x->fd, .events = POLLIN };

	if (x->fd < 0 || (x->pending.len && memchr(x->pending.text, '\n', x->pending.len)))
		return 1;
	return poll(&p, 1, ms) > 0;
}

void executor_stop(struct executor *x)
{
	/* A line on its input, because a signal does not reach a process of root. */
	if (x->control >= 0 && write(x->control, "stop\n", 5) < 0 && x->pid > 0)
		kill((pid_t)x->pid, SIGTERM);
}

void executor_done(struct executor *x)
{
	int status;

	if (x->fd >= 0)
		close(x->fd);
	if (x->control >= 0)
		close(x->control);
	if (x->pid > 0)
		job_reap(x->pid, false, &status);
	sbuf_done(&x->pending);
	*x = (struct executor){ .fd = -1, .control = -1 };
}
