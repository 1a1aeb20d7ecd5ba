/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_WAY_H
#define BENCH_WAY_H

#include <stdint.h>

#include "base/sbuf.h"
#include "bench/session.h"

enum { MOST_SNAPSHOTS = 10 };

/* A stream on its way. */
struct way {
	int from, to;		/* -1: not open */
	int pipe;		/* the end the sender writes to; our copy of it */
	int snapshots[MOST_SNAPSHOTS];
	unsigned n;
	int64_t sender, receiver;	/* 0: none */
	int sender_fd;		/* its errno comes here */
	int said_fd;		/* what the receiver says */
	struct sbuf said;
	uint64_t bytes;
};

#define WAY_NONE { .from = -1, .to = -1, .pipe = -1, .said_fd = -1 }

/* What comes out of the snapshots goes to `from`. */
int way_sender(struct way *w, struct err *e);
/* What goes to `to` is received in the directory. */
int way_receiver(struct way *w, int dir, struct err *e);
/* Move all of it, look meanwhile, and wait for both ends. */
int way_go(struct session *s, const struct class *c, struct way *w, struct measured *m,
	   struct watch *watch, struct err *e);
/* Ends what still runs. */
void way_done(struct way *w);

#endif
