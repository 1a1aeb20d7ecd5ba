/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flags - what a timed run has to be marked with. A number nobody should trust as one of
 * the disks is never dropped, and never shown bare.
 */
#include "bench/session.h"

#include <string.h>

#include "base/units.h"

static bool is_packed(const struct session *s)
{
	return s->counters.options && strstr(s->counters.options, "compress");
}

/* Did the numbers come out of memory? A file system may pack text, but hardly tenfold. */
static unsigned cache_flags(const struct session *s, const struct class *c, enum bench_op op,
			    const struct measured *m)
{
	bool packed = c->w->packs || is_packed(s);
	uint64_t least = m->copy.bytes / 10 * (packed ? 1 : 9);

	if (!s->counters.disks.n)
		return FLAG_NODISK | FLAG_CACHED;
	if (op_of(op)->by == OP_BY_NAMES && !op_of(op)->writes)
		return m->disk_bytes ? 0 : FLAG_CACHED;
	if (op_of(op)->by == OP_IN_LOOP)	/* which reads what it wrote, and makes it durable */
		return 0;
	/* what is read has to come from the disks, and what nobody brings there may never be */
	if ((op_of(op)->reads || c->w->sync == SYNC_NONE) && m->disk_bytes < least)
		return FLAG_CACHED;
	if (!op_of(op)->writes)
		return 0;
	return m->copy.felt_ns < m->copy.durable_ns / 2 ? FLAG_CACHED : 0;
}

/*
 * Did others wait for memory or for disks? Of the waiting for disks all that one thread can do
 * is ours: the time it did not work. The counters go in steps of two seconds.
 */
static bool waited_elsewhere(const struct measured *m, uint64_t wall_us)
{
	uint64_t memory = m->after.memory_stall_us - m->before.memory_stall_us;
	uint64_t io = m->after.io_stall_us - m->before.io_stall_us;
	uint64_t worked = m->copy.copy_cpu_ns / 1000;
	uint64_t ours = worked < wall_us ? wall_us - worked : 0;

	if (m->copy.streams > 1)	/* they may wait at the same time, or not */
		ours = wall_us;
	return wall_us > 4000000 && (memory > wall_us / 10 || io > ours + wall_us / 5);
}

/*
 * More at the disks than any layout explains: a mirror over all of them writes everything
 * as often as there are disks, a journal of data twice that. A cache may write what is read.
 */
static bool is_disturbed(const struct session *s, enum bench_op op, const struct measured *m)
{
	uint64_t copies = s->counters.disks.n > 2 ? s->counters.disks.n : 2;
	uint64_t wall_us = m->copy.durable_ns / 1000;
	uint64_t stalled = m->after.cpu_stall_us - m->before.cpu_stall_us;

	if (m->disturbed_by || (wall_us > 200000 && stalled > wall_us / 3))
		return true;
	if (waited_elsewhere(m, wall_us))
		return true;
	if (op_of(op)->by == OP_BY_NAMES || op_of(op)->by == OP_IN_LOOP)
		return false;		/* what the journal and inodes take, no rule says */
	if (op_of(op)->writes)
		return m->moved.written > m->copy.bytes * copies * 2 + 64 * MIB;
	/* what is read ahead of records that are not next is no disturbance */
	return (op == BENCH_READ && m->moved.read > m->copy.bytes * 2 + 32 * MIB) ||
	       m->moved.written > m->copy.bytes * 2 + 32 * MIB;
}

/* By more than a tenth: what was in memory already, or a limit that lets a little through at
 * once, is no proof of another disk. */
static bool is_above(const struct session *s, const struct measured *m)
{
	uint64_t ns = m->copy.durable_ns ? m->copy.durable_ns : 1;

	return s->limit_bps && op_of(m->op)->by != OP_IN_LOOP &&	/* which reads what it wrote */
	       (double)m->copy.bytes * 1e9 / (double)ns > 1.1 * (double)s->limit_bps;
}

unsigned flags_of(const struct session *s, const struct class *c, enum bench_op op,
		  const struct measured *m)
{
	unsigned flags = cache_flags(s, c, op, m) | wait_flags(s);

	if (is_above(s, m))
		flags |= FLAG_ABOVE;
	if (op_of(op)->makes && m->copy.source_wait_ns > m->copy.felt_ns / 4)
		flags |= FLAG_SOURCE;
	else if (m->copy.copy_cpu_ns > m->copy.durable_ns / 10 * 9)
		flags |= FLAG_CPU;
	if (is_disturbed(s, op, m))
		flags |= FLAG_DISTURBED;
	if (m->after.throttles != m->before.throttles || m->after.hot)
		flags |= FLAG_THROTTLED;
	if (op_of(op)->writes && m->copy.bytes && s->counters.disks.n && is_packed(s) &&
	    m->disk_bytes < m->copy.bytes / 10 * 9)
		flags |= FLAG_COMPRESSED;
	return flags;
}
