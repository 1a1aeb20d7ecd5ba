/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plot - what the live plot costs: ten events a second through the real loop onto a pseudo
 * terminal, both of them kept by another process, and the processor time it took. usage: plot [SECONDS [ROWS COLS]]
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ui/ui.h"

enum { A_SECOND = 10 };

static double spent(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
		(double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

/* A pseudo terminal as our own; returns its other end, where the bytes come out. */
static int own_terminal(unsigned short rows, unsigned short cols)
{
	struct winsize w = { .ws_row = rows, .ws_col = cols };
	int fd = posix_openpt(O_RDWR | O_NOCTTY), slave;

	if (fd < 0 || grantpt(fd) || unlockpt(fd))
		return -1;
	slave = open(ptsname(fd), O_RDWR | O_NOCTTY);
	if (slave < 0 || ioctl(slave, TIOCSWINSZ, &w) || dup2(slave, 0) < 0 || dup2(slave, 1) < 0)
		return -1;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static void event(int fd, unsigned i)
{
	dprintf(fd, "{\"event\":\"sample\",\"class\":\"8G\",\"op\":\"write\",\"rep\":1,\"t_ns\":%llu,"
		"\"bytes\":%llu,\"total_bytes\":8000000000,\"disk_bytes\":%llu,\"dirty_bytes\":%u,"
		"\"phase\":\"copy\",\"runs\":28}\n", (i + 1) * 100000000ull,
		(i + 1) * 12000000ull + (i * 7919u) % 6000000u, i * 11000000ull, i * 10000 % 9999999);
}

static size_t drain(int fd)
{
	char buf[65536];
	size_t all = 0;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		all += (size_t)n;
	return all;
}

/* Another process is the executor and the terminal, so that only the screens are counted.
 * At its end it writes how many bytes came out. */
static void other_side(int events, int terminal, int result, unsigned seconds)
{
	size_t bytes = 0;
	unsigned i;

	for (i = 0; i < seconds * A_SECOND; i++) {
		event(events, i);
		poll(NULL, 0, 1000 / A_SECOND);
		bytes += drain(terminal);
	}
	if (write(result, &bytes, sizeof(bytes)) != sizeof(bytes))
		_exit(1);
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned seconds = argc > 1 ? (unsigned)atoi(argv[1]) : 20, i;
	int master, out = dup(1), line[2], result[2];
	pid_t child;
	struct ui_options o = { .root = "", .db = "/dev/null/naslab.db" };
	struct err e = { 0 };
	double before, cpu;
	size_t bytes = 0;
	struct work *w;
	struct ui *ui;

	setenv("TERM", "xterm-256color", 1);
	master = own_terminal(argc > 3 ? (unsigned short)atoi(argv[2]) : 24,
			      argc > 3 ? (unsigned short)atoi(argv[3]) : 80);
	if (master < 0 || pipe2(line, O_NONBLOCK) || ui_open(&o, &ui, &e)) {
		dprintf(out, "skip: %s\n", e.text[0] ? e.text : "no pseudo terminal");
		return 77;
	}
	w = &ui->s->work;
	w->kind = WORK_BENCH;
	w->name = strdup("plot");
	w->runs = w->started_here = true;
	w->x.fd = line[0];
	w->x.control = -1;
	w->began_ns = ui_now_ns();
	w->reps = 7;
	for (i = 0; i < 7; i++) {
		char name[8];

		snprintf(name, sizeof(name), "%uG", i + 2);
		work_expect(w, name, "write");
		work_expect(w, name, "read");
	}
	ui_goto(ui, &screen_bench);
	if (pipe2(result, O_NONBLOCK))
		return 99;
	child = fork();
	if (child == 0)
		other_side(line[1], master, result[1], seconds);
	before = spent();
	while (read(result[0], &bytes, sizeof(bytes)) != sizeof(bytes))
		ui_turn(ui, 1000);
	cpu = spent() - before;
	waitpid(child, NULL, 0);
	w->runs = false;
	ui_close(ui);
	dprintf(out, "live plot, %u events/s, %u s: %.3f %% of a core, %zu bytes/s to the terminal\n",
		(unsigned)A_SECOND, seconds, 100 * cpu / seconds, bytes / seconds);
	return 0;
}
