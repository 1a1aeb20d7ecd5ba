/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * init-run - the command inside the sandbox, and the bytes to and from it.
 *
 * On a terminal the command gets a pseudo terminal whose keys, size and signals come
 * from outside; else three pipes. Between init and the command on a terminal stands one
 * more process, the leader of the session: only a process whose parent is in its own
 * session can be stopped with Ctrl-Z.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "sandbox/init.h"
#include "sandbox/wire.h"

struct relay {
	int console;
	int in, out, error;		/* ends of the command's streams, -1 when closed */
	int stops;			/* the session leader says here that it was stopped */
	int children;			/* signalfd of SIGCHLD */
	pid_t child;			/* whose status counts */
	pid_t group;			/* who gets signals */
	bool tty;
	bool ended;
	int status;

	unsigned char frame[WIRE_HEAD + WIRE_MOST];	/* what has come of the next frame */
	size_t have;
	unsigned char input[WIRE_WINDOW];	/* not yet taken by the command */
	size_t input_len;
	bool input_end;
	uint32_t credit;		/* taken, not yet reported */
};

static void write_all(int fd, const void *data, size_t len)
{
	const unsigned char *at = data;

	while (len) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		at += n;
		len -= (size_t)n;
	}
}

static void send_frame(struct relay *r, enum wire_type type, const void *data, size_t len)
{
	unsigned char frame[WIRE_HEAD + WIRE_MOST];

	wire_head(frame, type, (uint32_t)len);
	if (len)
		memcpy(frame + WIRE_HEAD, data, len);
	write_all(r->console, frame, WIRE_HEAD + len);
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int status_of(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

/* Become the command. The error goes where the command's errors would have gone. */
static void become(const struct boot *b)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGTTOU, SIG_DFL);
	if (!b->cwd || chdir(b->cwd) < 0) {
		if (chdir("/root") < 0)
			_exit(126);
	}
	environ = b->envp;
	execvp(b->argv[0], b->argv);
	fprintf(stderr, "naslab sandbox: %s: %s\n", b->argv[0],
		errno == ENOENT ? "there is no such command" : strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* The leader of the session: passes on that the command stopped, and how it ended. */
static void lead_session(const struct boot *b, int tty, int stops, int error)
{
	int status;
	pid_t pid, self;

	setsid();
	if (ioctl(tty, TIOCSCTTY, 0) < 0)
		_exit(126);
	signal(SIGTTOU, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	dup2(tty, 0);
	dup2(tty, 1);
	dup2(error >= 0 ? error : tty, 2);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		tcsetpgrp(0, getpid());
		signal(SIGHUP, SIG_DFL);
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		signal(SIGTSTP, SIG_DFL);
		become(b);
	}
	if (pid < 0)
		_exit(126);
	setpgid(pid, pid);
	self = pid;
	write_all(stops, &self, sizeof(self));
	dup2(stops, 2);		/* let the other end of an error pipe go */
	for (;;) {
		if (waitpid(pid, &status, WUNTRACED) < 0) {
			if (errno == EINTR)
				continue;
			_exit(126);
		}
		if (WIFSTOPPED(status)) {
			self = 0;
			write_all(stops, &self, sizeof(self));
			continue;
		}
		_exit(status_of(status));
	}
}

static int make_pipe(int *inside, int *outside, bool out)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) < 0)
		return -1;
	*inside = p[out ? 1 : 0];
	*outside = p[out ? 0 : 1];
	return fcntl(*outside, F_SETFL, O_NONBLOCK);
}

static void set_size(int fd, unsigned rows, unsigned cols)
{
	struct winsize w = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols };

	if (rows && cols)
		ioctl(fd, TIOCSWINSZ, &w);
}

static void start_tty(struct relay *r, const struct boot *b)
{
	char name[64];
	struct termios t;
	int unlock = 0, number, slave, error = -1, stops = -1;

	r->out = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	must(r->out, "/dev/ptmx");
	r->in = dup(r->out);
	must(ioctl(r->out, TIOCSPTLCK, &unlock), "pseudo terminal");
	must(ioctl(r->out, TIOCGPTN, &number), "pseudo terminal");
	snprintf(name, sizeof(name), "/dev/pts/%d", number);
	slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	must(slave, name);
	if (tcgetattr(slave, &t) == 0) {
		t.c_iflag |= IUTF8;
		tcsetattr(slave, TCSANOW, &t);
	}
	set_size(slave, b->rows, b->cols);
	if (b->error_pipe)
		must(make_pipe(&error, &r->error, true), "pipe");
	must(make_pipe(&stops, &r->stops, true), "pipe");
	r->child = fork();
	if (r->child == 0)
		lead_session(b, slave, stops, error);
	must(r->child, "a process");
	shut(&slave);
	shut(&error);
	shut(&stops);
}

static void start_pipes(struct relay *r, const struct boot *b)
{
	int in = -1, out = -1, error = -1;

	must(make_pipe(&in, &r->in, false), "pipe");
	must(make_pipe(&out, &r->out, true), "pipe");
	must(make_pipe(&error, &r->error, true), "pipe");
	r->child = fork();
	if (r->child == 0) {
		setsid();
		dup2(in, 0);
		dup2(out, 1);
		dup2(error, 2);
		become(b);
	}
	must(r->child, "a process");
	r->group = r->child;
	close(in);
	close(out);
	close(error);
}

/* One read of a stream of the command. 1: there was something, 0: nothing now, -1: closed. */
static int pump(struct relay *r, int *fd, enum wire_type type)
{
	unsigned char data[WIRE_MOST];
	ssize_t n = read(*fd, data, sizeof(data));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {		/* a pseudo terminal that nobody has open says EIO */
		shut(fd);
		return -1;
	}
	send_frame(r, type, data, (size_t)n);
	return 1;
}

static void report_credit(struct relay *r)
{
	unsigned char data[4];

	if (!r->credit || (r->credit < WIRE_WINDOW / 2 && r->input_len))
		return;
	wire_put32(data, r->credit);
	send_frame(r, WIRE_CREDIT, data, sizeof(data));
	r->credit = 0;
}

static void feed(struct relay *r)
{
	ssize_t n = (ssize_t)r->input_len;

	if (r->in >= 0 && r->input_len) {
		n = write(r->in, r->input, r->input_len);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0) {		/* it reads no more: what comes is thrown away */
			shut(&r->in);
			n = (ssize_t)r->input_len;
		}
	}
	r->input_len -= (size_t)n;
	memmove(r->input, r->input + n, r->input_len);
	r->credit += (uint32_t)n;
	report_credit(r);
	if (r->input_end && !r->input_len)
		shut(&r->in);
}

static void take_frame(struct relay *r, unsigned char type, const unsigned char *data, size_t len)
{
	switch (type) {
	case WIRE_INPUT:
		if (len > sizeof(r->input) - r->input_len)
			return;		/* more than the credit: never sent */
		memcpy(r->input + r->input_len, data, len);
		r->input_len += len;
		r->credit += WIRE_HEAD;
		feed(r);
		break;
	case WIRE_INPUT_END:
		r->input_end = true;
		feed(r);
		break;
	case WIRE_SIZE:
		if (r->tty && len == 4 && r->out >= 0)
			set_size(r->out, data[0] | data[1] << 8, data[2] | data[3] << 8);
		break;
	case WIRE_SIGNAL:
		if (len == 1 && r->group > 0 && kill(-r->group, data[0]) < 0)
			kill(r->group, data[0]);	/* it has not made its group yet */
		break;
	case WIRE_BROKEN:
		if (len == 1 && data[0] == WIRE_OUTPUT && !r->tty)
			shut(&r->out);
		if (len == 1 && data[0] == WIRE_ERROR)
			shut(&r->error);
		break;
	}
}

static void read_console(struct relay *r)
{
	ssize_t n = read(r->console, r->frame + r->have, sizeof(r->frame) - r->have);

	if (n <= 0)
		return;
	r->have += (size_t)n;
	while (r->have >= WIRE_HEAD) {
		size_t len = wire_get32(r->frame + 1);

		must(len <= WIRE_MOST ? 0 : -1, "a frame that is too long");
		if (r->have < WIRE_HEAD + len)
			break;
		take_frame(r, r->frame[0], r->frame + WIRE_HEAD, len);
		r->have -= WIRE_HEAD + len;
		memmove(r->frame, r->frame + WIRE_HEAD + len, r->have);
	}
}

static void read_stops(struct relay *r)
{
	pid_t pid;

	if (read(r->stops, &pid, sizeof(pid)) != (ssize_t)sizeof(pid)) {
		shut(&r->stops);
		return;
	}
	if (pid)
		r->group = pid;
	else
		send_frame(r, WIRE_STOPPED, NULL, 0);
}

static void reap(struct relay *r)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	while (read(r->children, &info, sizeof(info)) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != r->child)
			continue;
		r->ended = true;
		r->status = status_of(status);
	}
}

/* What the command wrote before it ended; not what others may still write. A pseudo
 * terminal hands its last bytes over a moment later, and then says that it is closed. */
static void drain(struct relay *r)
{
	struct pollfd p = { .fd = r->out, .events = POLLIN };

	if (r->tty) {
		while (r->out >= 0 && poll(&p, 1, 100) > 0 && pump(r, &r->out, WIRE_OUTPUT) >= 0)
			;
	}
	while (r->out >= 0 && pump(r, &r->out, WIRE_OUTPUT) > 0)
		;
	while (r->error >= 0 && pump(r, &r->error, WIRE_ERROR) > 0)
		;
}

static void wait_for_work(struct relay *r)
{
	enum { CONSOLE, IN, OUT, ERROR, STOPS, CHILDREN, N };
	struct pollfd p[N] = {
		[CONSOLE] = { .fd = r->console, .events = POLLIN },
		[IN] = { .fd = r->input_len ? r->in : -1, .events = POLLOUT },
		[OUT] = { .fd = r->out, .events = POLLIN },
		[ERROR] = { .fd = r->error, .events = POLLIN },
		[STOPS] = { .fd = r->stops, .events = POLLIN },
		[CHILDREN] = { .fd = r->children, .events = POLLIN },
	};

	if (poll(p, N, -1) < 0)
		return;
	if (p[STOPS].revents)
		read_stops(r);
	if (p[CONSOLE].revents)
		read_console(r);
	if (p[IN].revents)
		feed(r);
	if (p[OUT].revents && r->out >= 0)
		pump(r, &r->out, WIRE_OUTPUT);
	if (p[ERROR].revents && r->error >= 0)
		pump(r, &r->error, WIRE_ERROR);
	if (p[CHILDREN].revents)
		reap(r);
}

int run_command(const struct boot *b, int console)
{
	static struct relay r;
	unsigned char status;
	sigset_t chld;

	r = (struct relay){ .console = console, .in = -1, .out = -1, .error = -1, .stops = -1,
			    .tty = b->tty };
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	r.children = signalfd(-1, &chld, SFD_NONBLOCK | SFD_CLOEXEC);
	must(r.children, "signalfd");
	send_frame(&r, WIRE_READY, NULL, 0);
	if (b->tty)
		start_tty(&r, b);
	else
		start_pipes(&r, b);
	while (!r.ended)
		wait_for_work(&r);
	drain(&r);
	status = (unsigned char)r.status;
	send_frame(&r, WIRE_EXIT, &status, 1);
	tcdrain(console);
	return r.status;
}
