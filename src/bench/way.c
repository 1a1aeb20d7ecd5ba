/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * way - a stream from its sender to where it goes. The kernel sends into a pipe of ours,
 * `btrfs receive` takes its standard input, and what goes from one to the other is handed
 * over page by page and counted on the way.
 */
#include "bench/way.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "bench/outside.h"
#include "bench/subvol.h"
#include "build/job.h"

enum { PIECE = 1 << 20 };

/* The child: nothing but the kernel's sender. */
static int send_main(void *arg, int fd)
{
	const struct way *w = arg;
	unsigned at = 0;
	int error;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	close(w->from);		/* else it would not notice that its reader is gone */
	error = subvol_send(w->snapshots, w->n, w->pipe, &at);
	if (error && write(fd, &error, sizeof(error)) < 0)
		return 2;
	return error ? 1 : 0;
}

int way_sender(struct way *w, struct err *e)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "cannot make a pipe");
	fcntl(ends[0], F_SETPIPE_SZ, PIECE);
	w->from = ends[0];
	w->pipe = ends[1];
	if (job_child(send_main, w, &w->sender, &w->sender_fd, e) < 0)
		return -1;
	close(w->pipe);
	w->pipe = -1;
	return 0;
}

/* By its descriptor, so that no path can lead elsewhere meanwhile. */
int way_receiver(struct way *w, int dir, struct err *e)
{
	char path[64];
	char *argv[] = { (char[]){ "btrfs" }, (char[]){ "receive" }, path, NULL };

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), dir);
	if (job_start(argv, true, "", &w->receiver, &w->to, &w->said_fd, e) < 0)
		return -1;
	fcntl(w->to, F_SETPIPE_SZ, PIECE);
	return 0;
}

static void hear(struct way *w)
{
	char buf[512];
	ssize_t got;

	while (w->said_fd >= 0 && (got = read(w->said_fd, buf, sizeof(buf))) > 0) {
		if (w->said.len < 4096)
			sbuf_addn(&w->said, buf, (size_t)got);
	}
}

/* One piece more: 1 moved or nothing there yet, 0 the stream has ended, -1 with errno. */
static int move_piece(struct way *w, int wait_ms)
{
	struct pollfd in = { .fd = w->from, .events = POLLIN };
	struct pollfd out = { .fd = w->to, .events = POLLOUT };
	ssize_t n;

	if (poll(&in, 1, wait_ms) <= 0)
		return 1;
	n = splice(w->from, NULL, w->to, NULL, PIECE, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
	if (n > 0)
		w->bytes += (uint64_t)n;
	if (n < 0 && errno == EAGAIN) {
		poll(&out, 1, wait_ms);
		return 1;
	}
	return n < 0 ? -1 : n > 0;
}

void way_done(struct way *w)
{
	unsigned i;
	int status;

	if (w->to >= 0)
		close(w->to);
	if (w->from >= 0)
		close(w->from);
	if (w->pipe >= 0)
		close(w->pipe);
	if (w->sender) {
		kill((pid_t)w->sender, SIGKILL);
		job_reap(w->sender, true, &status);
		close(w->sender_fd);
	}
	if (w->receiver) {
		kill((pid_t)w->receiver, SIGTERM);
		job_reap(w->receiver, true, &status);
		close(w->said_fd);
	}
	for (i = 0; i < w->n; i++)
		close(w->snapshots[i]);
	sbuf_done(&w->said);
	*w = (struct way){ .bytes = w->bytes, .from = -1, .to = -1, .pipe = -1, .said_fd = -1 };
}

/* How the sender ended. */
static int sender_end(struct way *w, struct err *e)
{
	int status, error = 0;

	if (!w->sender)
		return 0;
	job_reap(w->sender, true, &status);
	if (read(w->sender_fd, &error, sizeof(error)) < 0)
		error = EIO;
	close(w->sender_fd);
	w->sender = 0;
	errno = error;
	if (error)
		return err_sys(e, "the kernel cannot send the snapshots");
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_set(e, ERR_FAIL, "the sender's process ended by itself");
	return 0;
}

/* Wait for the receiver's end, with its words when it failed. */
static int receiver_end(struct session *s, const struct class *c, struct way *w,
			struct measured *m, struct watch *watch, struct err *e)
{
	struct sbuf words = { 0 };
	int status = 0;

	if (!w->receiver)
		return 0;
	close(w->to);
	w->to = -1;
	while (!job_reap(w->receiver, false, &status)) {
		struct pollfd p = { .fd = w->said_fd, .events = POLLIN };

		poll(&p, 1, 5);
		hear(w);
		watch_look(s, c, m, watch, w->bytes, 0, false);
		if (session_stops(s))
			kill((pid_t)w->receiver, SIGTERM);
	}
	hear(w);
	close(w->said_fd);
	w->receiver = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	outside_last_line(&w->said, &words);
	err_set(e, ERR_FAIL, "btrfs receive failed%s%.300s", words.len ? ": " : "", sbuf_str(&words));
	sbuf_done(&words);
	return -1;
}

int way_go(struct session *s, const struct class *c, struct way *w, struct measured *m,
	   struct watch *watch, struct err *e)
{
	struct err other = { 0 };
	int rc = 1, error = 0;

	while (rc > 0 && !session_stops(s) && !outside_over(c, m, watch)) {
		rc = move_piece(w, watch_wait_ms(watch));
		error = errno;
		hear(w);
		watch_look(s, c, m, watch, w->bytes, 0, false);
	}
	if (session_stops(s))
		return err_set(e, ERR_FAIL, "stopped");
	if (m && m->copy.capped) {	/* both ends would only say that the stream is torn */
		way_done(w);
		return 0;
	}
	if (rc < 0 && w->receiver && error == EPIPE) {	/* its words say more */
		if (receiver_end(s, c, w, m, watch, e) == 0)
			err_set(e, ERR_FAIL, "btrfs receive took no more");
		return -1;
	}
	errno = error;
	if (rc < 0)
		return err_sys(e, "cannot hand the stream on");
	rc = sender_end(w, e);
	if (receiver_end(s, c, w, m, watch, rc ? &other : e) < 0)
		rc = -1;
	return session_stops(s) ? err_set(e, ERR_FAIL, "stopped") : rc;
}
