/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * losses-cache - what to do when the disk of a cache or a journal has died: start without it,
 * look at what may be torn, and give the layout its cache back.
 */
#include "layout/losses.h"

#include <inttypes.h>
#include <string.h>

#include "base/sbuf.h"
#include "base/units.h"
#include "layout/advice.h"
#include "layout/plan.h"

/* The device that a lost cache or journal of a node is; NULL: it has none, or it is well. */
static const struct node *dead_cache(const struct loss *l, const struct node *n)
{
	const struct node *last = n->n_kids < 2 ? NULL : n->kids[n->n_kids - 1];

	if (!n->layer || n->left_out || !last || !node_on_cache(last) ||
	    l->health[last->id] != HEALTH_LOST || l->data[n->id] == HEALTH_LOST)
		return NULL;
	return last;
}

static bool writes_back(const struct node *n)
{
	return !strcmp(n->layer->name, "writecache") || !strcmp(node_word(n, "mode"), "writeback");
}

/* All devices of one bcache together: what is done is the same for each. */
static void next_bcache(const struct loss *l, const struct node *first, const struct node *ssd,
			struct losses_next *out)
{
	struct sbuf names = { 0 };
	struct next_step *st;
	unsigned cached = 0;
	size_t i;

	for (i = first->id; i < l->s->nodes.n; i++) {
		const struct node *n = l->s->nodes.at[i];

		if (n->stmt != first->stmt || !dead_cache(l, n))
			continue;
		sbuf_addf(&names, "%s%s", names.len ? ", " : "", n->kids[0]->name);
		cached++;
	}
	if (writes_back(first))
		st = next_say(l, out, "what %s had not written back to %s is lost, and what is there may be "
			      "torn; if %s is really dead, start without it and look before anything is "
			      "written", ssd->name, sbuf_str(&names), ssd->name);
	else
		st = next_say(l, out, "%s held copies only: without it %s only become%s slower. After a "
			      "restart %s", ssd->name, sbuf_str(&names), cached == 1 ? "s" : "",
			      cached == 1 ? "it wants to be told to start" : "they want to be told to start");
	sbuf_done(&names);
	for (i = first->id; i < l->s->nodes.n; i++) {
		const struct node *n = l->s->nodes.at[i];

		if (n->stmt == first->stmt && dead_cache(l, n))
			commands_backing(l, n, true, st);
	}
	if (writes_back(first))
		commands_check(l, first, st);
	else
		commands_mount_again(l, first->stmt, st);
}

/*
 * lvconvert flushes a pool in writeback before it takes it off, also when its SSD is gone, and
 * vgreduce --force removes the volume with it (tried on lvm2 2.03.16). The metadata from
 * before the cache knows the volume where it still is.
 */
static void restore_metadata(const struct loss *l, const struct node *n, const char *volume, int len,
			     struct next_step *st)
{
	next_command(l->s, st, "vgcfgrestore --yes --force --file $(grep -l 'executing.*vgextend.*%s' "
		     "/etc/lvm/archive/%.*s_*.vg | tail -n 1) %.*s", n->kids[1]->dev, len, volume, len,
		     volume);
}

static void next_lvm_cache(const struct loss *l, const struct node *n, const struct node *ssd,
			   struct losses_next *out)
{
	const char *volume = n->dev + strlen("/dev/");
	bool pool = !strcmp(n->layer->name, "lvmcache") && node_yes(n, "pool");
	int len = (int)strcspn(volume, "/");
	struct next_step *st;

	if (writes_back(n))
		st = next_say(l, out, "what %s had not written back to %s is lost, and what is there may be "
			      "torn; if %s is really dead, %s and look before anything is written",
			      ssd->name, n->name, ssd->name, pool ? "restore LVM's metadata from before "
			      "the cache (never vgreduce --force: it removes the volume)" :
			      "take it off by force");
	else
		st = next_say(l, out, "%s held copies only: it is taken off, and nothing is missing",
			      ssd->name);
	if (writes_back(n) && pool) {
		restore_metadata(l, n, volume, len, st);
	} else {
		next_command(l->s, st, "lvconvert --yes --uncache --force %s", volume);
		next_command(l->s, st, "vgreduce --removemissing %.*s", len, volume);
	}
	next_command(l->s, st, "vgchange --activate y %.*s", len, volume);
	if (writes_back(n))
		commands_check(l, n, st);
	else
		commands_mount_again(l, n->stmt, st);
}

/* A journal is taken in while nothing writes to the array. */
static void next_journal(const struct loss *l, const struct node *n, const struct node *ssd,
			 struct losses_next *out)
{
	struct next_step *st = next_say(l, out, "%s lost its journal %s and is read-only until it has "
					"another, here called %s too; nothing may use the array while it "
					"is added", n->name, ssd->name, ssd->name);

	commands_prepare(l, ssd, st);
	commands_mounts(l, n, false, st);
	next_command(l->s, st, "mdadm --readonly %s", n->dev);
	next_command(l->s, st, "mdadm --manage %s --add-journal %s", n->dev,
		     n->kids[n->n_kids - 1]->dev);
	commands_mounts(l, n, true, st);
}

/*
 * What made the caches, once more; with a journal on the same disk that is partitioned
 * already.
 */
static void next_again(const struct loss *l, const struct node *ssd, bool prepared, bool torn,
		       struct losses_next *out)
{
	uint64_t least = 0, end;
	char size[SIZE_TEXT];
	struct next_step *st;
	size_t i;

	for (i = l->s->n_disks; i < l->s->nodes.n; i++) {
		const struct node *n = l->s->nodes.at[i];

		end = n->kids[0] == ssd && n->part_number ? n->start + n->bytes + MIB : 0;
		least = end > least ? end : least;
	}
	st = next_say(l, out, "%sa disk of at least %" PRIu64 " bytes (%s), here called %s too, becomes "
		      "the new cache", torn ? "when the files are whole again, " : "", least,
		      size_text(size, least, SIZE_SI), ssd->name);
	commands_cache(l, ssd, prepared, st);
}

/* What is lost of a cache disk: a journal, a cache, one whose writes only it had. */
struct held {
	bool journal, cache, torn;
};

static struct held was_on(const struct loss *l, const struct node *ssd)
{
	struct held held = { 0 };
	size_t i;

	for (i = l->s->n_disks; i < l->s->nodes.n; i++) {
		const struct node *n = l->s->nodes.at[i], *dev = dead_cache(l, n);

		if (!dev || dev->kids[0] != ssd)
			continue;
		held.journal |= advice_is(n, "md");
		held.cache |= !advice_is(n, "md");
		held.torn |= !advice_is(n, "md") && writes_back(n);
	}
	return held;
}

void next_new_caches(const struct loss *l, struct losses_next *out)
{
	size_t i;

	for (i = 0; i < l->s->n_disks; i++) {
		const struct node *ssd = l->s->nodes.at[i];
		struct held held = was_on(l, ssd);

		if (held.cache)
			next_again(l, ssd, held.journal, held.torn, out);
	}
}

void next_caches(const struct loss *l, struct losses_next *out)
{
	const struct stmt *told = NULL;
	size_t i;

	for (i = l->s->n_disks; i < l->s->nodes.n; i++) {
		const struct node *n = l->s->nodes.at[i], *dev = dead_cache(l, n);

		if (!dev || n->stmt == told)
			continue;
		if (advice_is(n, "md")) {
			next_journal(l, n, dev->kids[0], out);
		} else if (advice_is(n, "bcache")) {
			next_bcache(l, n, dev->kids[0], out);
			told = n->stmt;
		} else {
			next_lvm_cache(l, n, dev->kids[0], out);
		}
	}
}
