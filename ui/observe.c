/* SPDX-License-Identifier: GPL-2.0-or-later */
/* observe - the live plot where nobody sees it: what naslab selftest --observer compares. */
#include "ui/observe.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ui/ui.h"

/* A pseudo terminal as our own; returns its other end, where the bytes come out. */
static int own_terminal(void)
{
	struct winsize w = { .ws_row = 24, .ws_col = 80 };
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), slave;

	if (fd < 0 || grantpt(fd) || unlockpt(fd))
		return -1;
	slave = open(ptsname(fd), O_RDWR | O_NOCTTY);
	if (slave < 0 || ioctl(slave, TIOCSWINSZ, &w) || dup2(slave, 0) < 0 || dup2(slave, 1) < 0)
		return -1;
	return fd;
}

static bool has_ended(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

int ui_observe(void *arg, int fd)
{
	struct ui_options o = { .root = "", .db = "/dev/null/naslab.db" };
	int terminal = own_terminal();
	struct err e = { 0 };
	struct work *w;
	struct ui *ui;
	char out[4096];

	(void)arg;
	setenv("TERM", "xterm-256color", 1);
	if (terminal < 0 || ui_open(&o, &ui, &e) < 0)
		return 1;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	w = &ui->s->work;
	w->kind = WORK_BENCH;
	w->name = strdup("observer");
	w->runs = w->started_here = true;
	w->x.fd = fd;
	w->x.control = -1;
	w->began_ns = ui_now_ns();
	ui_goto(ui, &screen_bench);
	if (write(fd, "", 1) != 1)
		return 1;
	while (w->runs && !ui->quit && !has_ended(fd)) {
		ui_turn(ui, 1000);
		while (read(terminal, out, sizeof(out)) > 0)
			;
	}
	w->runs = false;
	w->x.fd = -1;
	ui_close(ui);
	return 0;
}
