/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop - the one poll(): keys, signals, the executor, and a timer while something moves.
 *
 * Signals come as bytes in a pipe. A screen that ends by SIGTERM or SIGHUP ends alone: the
 * work goes on in its own session. Whatever kills the program, the terminal is given back.
 */
#include "ui/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ui/ui.h"

/* While a measurement runs half as often: each frame costs a processor it may want. */
enum { FRAME_MS = 250, MEASURING_MS = 500, STALLED_MS = 1000 };

static int signal_pipe[2] = { -1, -1 };
static const int caught[] = { SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT };
static const int deadly[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGQUIT };

static void on_signal(int sig)
{
	int saved = errno;
	char c = (char)sig;
	ssize_t n = write(signal_pipe[1], &c, 1);

	(void)n;
	errno = saved;
}

/* The last thing a dying program does: the terminal back, then die as it would have. */
static void on_death(int sig)
{
	signal(sig, SIG_DFL);
	term_leave();
	raise(sig);
}

static void catch(int sig, void (*handler)(int), int flags)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };

	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

void loop_open(void)
{
	size_t i;

	if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		die("no pipe: %s", strerror(errno));
	for (i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		catch(caught[i], on_signal, SA_RESTART);
	for (i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		catch(deadly[i], on_death, SA_RESETHAND);
	die_first = term_leave;
	atexit(term_close);
}

void loop_close(void)
{
	size_t i;

	if (signal_pipe[0] < 0)
		return;
	for (i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		catch(caught[i], SIG_DFL, 0);
	for (i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		catch(deadly[i], SIG_DFL, 0);
	die_first = NULL;
	close(signal_pipe[0]);
	close(signal_pipe[1]);
	signal_pipe[0] = signal_pipe[1] = -1;
}

void loop_suspend(void)
{
	if (signal_pipe[0] < 0)
		return;
	term_leave();
	catch(SIGTSTP, SIG_DFL, 0);
	raise(SIGTSTP);
	catch(SIGTSTP, on_signal, SA_RESTART);
	term_return();
}

static void take_signals(struct ui *ui)
{
	char buf[64];
	ssize_t n, i;

	while ((n = read(signal_pipe[0], buf, sizeof(buf))) > 0) {
		for (i = 0; i < n; i++) {
			switch (buf[i]) {
			case SIGWINCH:
			case SIGCONT:
				term_resized();
				ui->changed = true;
				break;
			case SIGTSTP:
				loop_suspend();
				ui->changed = true;
				break;
			case SIGINT:
				ui_leave(ui);
				break;
			default:
				ui->exit_status = 128 + buf[i];
				ui->quit = true;
				break;
			}
		}
	}
}

static void tick(struct ui *ui)
{
	unsigned i;

	for (i = 0; i < ui->n_frames; i++) {
		const struct screen *s = ui->frames[i].screen;

		if (s->tick)
			s->tick(ui, ui->frames[i].state);
	}
}

/* How long the screens want to wait for their timer; -1: for ever. */
static int timer_ms(const struct ui *ui)
{
	int ms = -1;
	unsigned i;

	for (i = 0; i < ui->n_frames; i++) {
		const struct screen *s = ui->frames[i].screen;
		unsigned every = s->every_ms ? s->every_ms(ui, ui->frames[i].state) : 0;

		if (every && (ms < 0 || (int)every < ms))
			ms = (int)every;
	}
	if (ui->s->work.runs && (ms < 0 || ms > 1000))
		ms = 1000;
	return ms;
}

/* The disks are others now, and so is what is open. */
static void work_ended(struct ui *ui)
{
	const struct work *w = &ui->s->work;
	struct err e = { 0 };

	ui_say(ui, w->ok || w->stop_asked ? ' ' : 'E', "%s", w->text);
	if (w->kind == WORK_BENCH) {
		work_result_lines(w, &ui->results);
		return;
	}
	sbuf_addf(&ui->results, "%s\n", w->text);
	if (!ui->s->elsewhere && ui->live)
		session_look(ui->s, &e);
	if (w->kind == WORK_CAMPAIGN)
		return;
	if (w->ok && (w->kind == WORK_DESTROY || w->kind == WORK_RECOVER))
		session_gone(ui->s);
	else
		session_open(ui->s, w->name);
}

static bool measures(const struct ui *ui)
{
	const struct work *w = &ui->s->work;

	return w->runs && w->started_here && w->kind == WORK_BENCH;
}

static int frame_ms(const struct ui *ui)
{
	return measures(ui) ? MEASURING_MS : FRAME_MS;
}

/*
 * Until the next frame is due, samples of a measurement may lie in their pipe (it holds half a
 * minute of them): waking for each would cost more than drawing. Milliseconds, 0: not now.
 */
static int rest_ms(const struct ui *ui)
{
	int64_t since = (ui_now_ns() - ui->drawn_ns) / 1000000;

	if (!measures(ui) || since < 0 || since >= MEASURING_MS)
		return 0;
	return (int)(MEASURING_MS - since + 1);	/* `since` was rounded down */
}

void ui_wait(struct ui *ui, int timeout_ms)
{
	struct work *w = &ui->s->work;
	bool live = signal_pipe[0] >= 0;
	int rest = live && timeout_ms != 0 ? rest_ms(ui) : 0;
	struct pollfd p[3] = {
		{ .fd = live ? 0 : -1, .events = POLLIN },
		{ .fd = live ? signal_pipe[0] : -1, .events = POLLIN },
		{ .fd = w->runs && !rest ? w->x.fd : -1, .events = POLLIN },
	};
	uint32_t key;
	int rc;

	if (rest && (timeout_ms < 0 || timeout_ms > rest))
		timeout_ms = rest;
	rc = poll(p, 3, timeout_ms);
	if (rc < 0 && errno != EINTR)
		die("poll: %s", strerror(errno));
	if (rc > 0 && p[1].revents)
		take_signals(ui);
	if (rc > 0 && (p[0].revents & (POLLHUP | POLLERR | POLLNVAL)))
		ui->quit = true;	/* the terminal is gone: end, never spin */
	if (rc > 0 && (p[0].revents & POLLIN)) {
		while (!ui->quit && (key = term_key()))
			ui_key(ui, key);
	}
	if (w->runs && (work_next(w) || work_poll(w, ui->s->db))) {
		ui->moved = true;
		if (!w->runs)
			work_ended(ui);
	}
	if (rc <= 0 || p[2].revents)
		tick(ui);
}

/* Keys are answered at once; what comes by itself is drawn 4 times a second at most, twice
 * while a measurement runs. */
void ui_turn(struct ui *ui, int most_ms)
{
	int64_t every = frame_ms(ui), since = (ui_now_ns() - ui->drawn_ns) / 1000000;
	int wait;

	if ((ui->changed || ui->moved) && (ui->key_pressed || since >= every)) {
		if (term_would_block()) {	/* a stalled terminal drops frames */
			every = STALLED_MS;
		} else {
			ui_draw(ui);
			ui->drawn_ns = ui_now_ns();
			since = 0;
		}
	}
	wait = ui->changed || ui->moved ? (int)(since < every ? every - since + 1 : STALLED_MS) : timer_ms(ui);
	if (most_ms >= 0 && (wait < 0 || wait > most_ms))
		wait = most_ms;
	ui->key_pressed = false;
	ui_wait(ui, wait);
}

int ui_run(struct ui *ui)
{
	ui->key_pressed = true;
	while (!ui->quit)
		ui_turn(ui, -1);
	return ui->exit_status;
}
