/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay - carries bytes, window sizes and signals between this terminal (or these pipes)
 * and the command inside. One poll(); nothing is written to before it can take it, so a
 * reader that stands still never keeps a signal from being seen.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/types.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/launch.h"
#include "sandbox/sandbox.h"
#include "sandbox/wire.h"

enum { GRACE_MS = 5000 };	/* what a command has to end after a signal */

struct line {
	struct job *j;
	bool ready, over, failed;
	int status;
	int by_signal;
	int64_t deadline;		/* ms, 0 = none */
	struct termios cooked;
	bool raw;
	bool input_open;
	uint32_t credit;

	unsigned char in[WIRE_HEAD + WIRE_MOST];	/* a frame as it comes */
	size_t in_len;
	size_t shown;			/* so much of its data is written */
	unsigned char out[2 * (WIRE_HEAD + WIRE_MOST)];	/* frames on their way in */
	size_t out_len;
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void set_raw(struct line *l, bool raw)
{
	struct termios t = l->cooked;

	if (!l->j->s->tty || l->raw == raw)
		return;
	if (raw)
		cfmakeraw(&t);
	tcsetattr(0, TCSADRAIN, &t);
	l->raw = raw;
}

static void flush_out(struct line *l)
{
	ssize_t n = write(l->j->to, l->out, l->out_len);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		n = (ssize_t)l->out_len;	/* it is gone; the reading end will say so */
	if (n <= 0)
		return;
	l->out_len -= (size_t)n;
	memmove(l->out, l->out + n, l->out_len);
}

static void send_frame(struct line *l, enum wire_type type, const void *data, size_t len)
{
	if (!l->ready || l->out_len + WIRE_HEAD + len > sizeof(l->out))
		return;
	wire_head(l->out + l->out_len, type, (uint32_t)len);
	if (len)
		memcpy(l->out + l->out_len + WIRE_HEAD, data, len);
	l->out_len += WIRE_HEAD + len;
	flush_out(l);
}

static void send_size(struct line *l)
{
	struct winsize w;
	unsigned char d[4];

	if (!l->j->s->tty || ioctl(0, TIOCGWINSZ, &w) < 0)
		return;
	d[0] = (unsigned char)w.ws_row;
	d[1] = (unsigned char)(w.ws_row >> 8);
	d[2] = (unsigned char)w.ws_col;
	d[3] = (unsigned char)(w.ws_col >> 8);
	send_frame(l, WIRE_SIZE, d, sizeof(d));
}

static void send_signal(struct line *l, int number)
{
	unsigned char d = (unsigned char)number;

	send_frame(l, WIRE_SIGNAL, &d, 1);
}

/* The command inside stopped itself: so do we, and go on with it. */
static void stop_ourselves(struct line *l)
{
	sigset_t stop, old;

	set_raw(l, false);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &stop, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
	set_raw(l, true);
	send_size(l);
	send_signal(l, SIGCONT);
}

/* The command is asked to end as it was asked of us; a second time, or when it does not,
 * everything ends. */
static void take_signal(struct line *l)
{
	struct signalfd_siginfo info;

	if (read(l->j->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGWINCH) {
		send_size(l);
		return;
	}
	if (info.ssi_signo == SIGCONT || info.ssi_signo == SIGTSTP)
		return;
	if (l->by_signal || !l->ready)
		l->failed = true;
	l->by_signal = (int)info.ssi_signo;
	l->deadline = now_ms() + GRACE_MS;
	send_signal(l, l->by_signal);
}

static void read_input(struct line *l)
{
	unsigned char data[WIRE_WINDOW];
	size_t room = sizeof(l->out) - l->out_len - WIRE_HEAD;
	size_t most = l->credit - WIRE_HEAD;
	ssize_t n = read(0, data, most < room ? most : room);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0) {
		l->credit -= (uint32_t)n + WIRE_HEAD;
		send_frame(l, WIRE_INPUT, data, (size_t)n);
		return;
	}
	l->input_open = false;
	if (!l->j->s->tty) {
		send_frame(l, WIRE_INPUT_END, NULL, 0);
		return;
	}
	l->by_signal = SIGHUP;		/* the terminal is gone */
	l->deadline = now_ms() + GRACE_MS;
	send_signal(l, SIGHUP);
}

static int stream_of(const struct line *l)
{
	if (l->in_len < WIRE_HEAD)
		return -1;
	return l->in[0] == WIRE_OUTPUT ? 1 : l->in[0] == WIRE_ERROR ? 2 : -1;
}

/* A frame of the command's output that is all here but not all written: its stream. */
static int stream_pending(const struct line *l)
{
	int fd = stream_of(l);

	if (fd < 0 || l->in_len < WIRE_HEAD + wire_get32(l->in + 1))
		return -1;
	return fd;
}

static void write_stream(struct line *l, int fd)
{
	size_t len = wire_get32(l->in + 1);
	size_t left = len - l->shown;
	/* after POLLOUT a pipe takes one page without waiting */
	ssize_t n = write(fd, l->in + WIRE_HEAD + l->shown, left < 4096 ? left : 4096);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0) {
		send_frame(l, WIRE_BROKEN, l->in, 1);
		n = (ssize_t)left;
	}
	l->shown += (size_t)n;
}

static void take_frame(struct line *l)
{
	const unsigned char *data = l->in + WIRE_HEAD;
	size_t len = wire_get32(l->in + 1);

	switch (l->in[0]) {
	case WIRE_READY:
		l->ready = true;
		send_size(l);
		break;
	case WIRE_CREDIT:
		if (len == 4)
			l->credit += wire_get32(data);
		break;
	case WIRE_STOPPED:
		if (l->j->s->tty && !l->by_signal)
			stop_ourselves(l);
		break;
	case WIRE_EXIT:
		if (len == 1)
			l->status = data[0];
		l->over = true;
		break;
	}
}

/* Read up to the end of the frame that is coming, never beyond it. */
static void read_guest(struct line *l)
{
	size_t want = WIRE_HEAD;
	ssize_t n;

	if (l->in_len >= WIRE_HEAD)
		want += wire_get32(l->in + 1);
	if (want > sizeof(l->in)) {
		l->failed = true;
		return;
	}
	if (l->in_len < want) {
		n = read(l->j->from, l->in + l->in_len, want - l->in_len);
		if (n < 0 && errno == EINTR)
			return;
		if (n <= 0) {
			l->failed = true;
			return;
		}
		l->in_len += (size_t)n;
	}
	if (l->in_len < WIRE_HEAD || l->in_len < WIRE_HEAD + wire_get32(l->in + 1))
		return;
	if (stream_of(l) >= 0)
		return;		/* written when its reader can take it */
	take_frame(l);
	l->in_len = 0;
}

/* A job in the background must not read the terminal. One that does not control us (su -c,
 * setsid) knows no background, and says nothing when it is gone but by being read. */
static bool may_read_input(void)
{
	pid_t front = isatty(0) ? tcgetpgrp(0) : -1;

	return front < 0 || front == getpgrp();
}

static void one_turn(struct line *l)
{
	enum { GUEST, SIGNALS, INPUT, TO, STREAM, RESULT, N };
	struct job *j = l->j;
	int stream = stream_pending(l);
	bool input = l->ready && l->input_open && l->credit > WIRE_HEAD &&
		     l->out_len + WIRE_HEAD + 64 < sizeof(l->out) / 2 && may_read_input();
	struct pollfd p[N] = {
		[GUEST] = { .fd = stream < 0 ? j->from : -1, .events = POLLIN },
		[SIGNALS] = { .fd = j->signals, .events = POLLIN },
		[INPUT] = { .fd = input ? 0 : -1, .events = POLLIN },
		[TO] = { .fd = l->out_len ? j->to : -1, .events = POLLOUT },
		[STREAM] = { .fd = stream, .events = POLLOUT },
		[RESULT] = { .fd = j->heard < 2 ? j->result : -1, .events = POLLIN },
	};
	int64_t left = l->deadline ? l->deadline - now_ms() : -1;

	if (l->deadline && left <= 0) {
		l->failed = true;
		return;
	}
	if (poll(p, N, (int)left) < 0)
		return;
	if (p[SIGNALS].revents)
		take_signal(l);
	if (p[RESULT].revents)
		job_hear(j);	/* at the end the pipe from inside closes too */
	if (p[TO].revents)
		flush_out(l);
	if (p[STREAM].revents) {
		write_stream(l, stream);
		if (l->shown == wire_get32(l->in + 1))
			l->in_len = l->shown = 0;
	}
	if (p[GUEST].revents)
		read_guest(l);
	if (p[INPUT].revents)
		read_input(l);
}

int job_relay(struct job *j, int *by_signal)
{
	static struct line l;

	l = (struct line){ .j = j, .status = -1, .input_open = true, .credit = WIRE_WINDOW };
	if (j->s->tty && tcgetattr(0, &l.cooked) == 0)
		set_raw(&l, true);
	while (!l.over && !l.failed)
		one_turn(&l);
	set_raw(&l, false);
	*by_signal = l.by_signal;
	return l.over ? l.status : -1;
}
