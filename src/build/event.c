/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event - what the executor says: into the journal first, durably, and only then to
 * whoever looks. A screen that has gone or stands still holds nothing up.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "build/run.h"

enum {
	SHOW_MS = 2000,			/* how long a screen that reads nothing is waited for */
	HALF_PIPE = 32768,
	SYNC_NS = 2000000000,
};

static volatile sig_atomic_t signals;
static bool screen_gone;

static void on_signal(int sig)
{
	(void)sig;
	signals++;
}

/* The screen may go (SIGHUP, SIGPIPE); SIGTERM and SIGINT ask to stop. */
void run_signals(void)
{
	struct sigaction stop = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGHUP, &ignore, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGTSTP, &ignore, NULL);
	fcntl(1, F_SETFL, fcntl(1, F_GETFL) | O_NONBLOCK);
	fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK);
}

unsigned run_stops(struct run *r)
{
	char buf[64];
	ssize_t got, i;

	while ((got = read(0, buf, sizeof(buf))) > 0) {
		/* A line that says something; the order itself may end with an empty one. */
		for (i = 0; i < got; i++) {
			r->stops += buf[i] == '\n' && r->heard && r->heard != '\n';
			r->heard = buf[i];
		}
	}
	/* whoever asked has gone, and asked that this be the end of it */
	if (got == 0 && !r->stops && json_is_true(json_object_get(r->asked, "attached")))
		r->stops = 1;
	return r->stops + (unsigned)signals;
}

/* Is the pipe half full of what nobody has read? The rest is for what must not be lost. */
static bool is_stalled(void)
{
	int unread;

	return ioctl(1, FIONREAD, &unread) == 0 && unread > HALF_PIPE;
}

void run_show(const json_t *event, bool may_drop)
{
	char *line;
	size_t len, put = 0;

	if (may_drop && is_stalled())
		return;
	line = json_line(event);
	len = strlen(line);

	line[len++] = '\n';
	while (!screen_gone && put < len) {
		struct pollfd p = { .fd = 1, .events = POLLOUT };
		ssize_t n = write(1, line + put, len - put);

		if (n > 0)
			put += (size_t)n;
		else if (errno == EINTR)
			continue;
		else if (errno != EAGAIN)
			screen_gone = true;
		else if (may_drop && !put)
			break;
		else if (poll(&p, 1, SHOW_MS) == 0)
			screen_gone = true;	/* it has the journal when it wakes up */
	}
	free(line);
}

int run_emit(struct run *r, json_t *event)
{
	int64_t seq;
	int rc = 0;

	if (r->st && r->build) {
		rc = store_event_add(r->st, r->build, event, &seq, &r->journal);
		if (rc == 0)
			json_object_set_new(event, "seq", json_integer(seq));
		else
			r->journal_broken = true;
	}
	run_show(event, false);
	json_decref(event);
	return rc;
}

int run_step_event(struct run *r, const struct step *s, const char *state, const char *why,
		   uint64_t ns)
{
	json_t *event = json_object();

	json_put_str(event, "event", "step");
	json_put_u64(event, "n", s->n);
	json_put_u64(event, "of", r->n_undo ? r->n_undo : r->made.plan->steps.n);
	json_put_str(event, "state", state);
	json_put_str(event, "why", why ? why : s->why);
	json_put_u64(event, "ms", ns / 1000000);
	return run_emit(r, event);
}

int run_end(struct run *r, const struct err *e, const char *text)
{
	json_t *event = json_object();
	int status = e && e->kind ? (int)e->kind : 0;

	json_put_str(event, "event", "end");
	json_object_set_new(event, "ok", json_boolean(!status));
	json_put_str(event, "text", text ? text : e ? e->text : "");
	json_put_u64(event, "exit", (uint64_t)status);
	run_emit(r, event);
	return status;
}

uint64_t run_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* One array's sync, when it runs: done and all in sectors, speed in KiB/s. */
static void sync_event(struct run *r, const struct node *n)
{
	uint64_t done = 0, all = 0, kibs, bps;
	const char *dev = device_now(r, n), *name, *text;
	json_t *event;

	if (!dev)
		return;
	name = strrchr(dev, '/') + 1;
	text = file_line(r->arena, "", "/sys/block/%s/md/sync_completed", name);
	if (!text || sscanf(text, "%" SCNu64 " / %" SCNu64, &done, &all) != 2 || !all)
		return;
	kibs = file_u64(0, "", "/sys/block/%s/md/sync_speed", name);
	bps = kibs * 1024;
	event = json_object();
	json_put_str(event, "event", "sync");
	json_put_str(event, "device", n->dev);
	json_object_set_new(event, "percent", json_real(100.0 * (double)done / (double)all));
	json_put_u64(event, "bps", bps);
	if (bps)
		json_put_u64(event, "left_ns",
			     (uint64_t)((double)(all - done) * 512 / (double)bps * 1e9));
	run_emit(r, event);
}

void run_sync(struct run *r)
{
	uint64_t now = run_clock_ns();
	size_t i;

	if (now - r->synced_ns < SYNC_NS)
		return;
	r->synced_ns = now;
	for (i = r->made.stack->n_disks; i < r->made.stack->nodes.n; i++) {
		const struct node *n = r->made.stack->nodes.at[i];

		if (n->dev && !n->left_out && !strcmp(n->layer->name, "md"))
			sync_event(r, n);
	}
}
