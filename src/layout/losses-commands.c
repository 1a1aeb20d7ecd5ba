/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * losses-commands - the shell lines that bring back what dead disks took: the partitions and
 * what lies on them as the plan made them, then the member into its array. The new disk is
 * called as the old one was.
 */
#include "layout/losses.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "disk/disk.h"
#include "layout/advice.h"
#include "layout/plan.h"

void next_command(const struct stack *s, struct next_step *st, const char *fmt, ...)
{
	char line[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	list_add(s->arena, &st->commands, arena_strdup(s->arena, line));
}

bool node_on_cache(const struct node *n)
{
	if (!n->layer)
		return n->role == ROLE_CACHE;
	return n->n_kids == 1 && node_on_cache(n->kids[0]);
}

const char *kernel_name_of(const struct stack *s, const char *dev)
{
	const char *name = dev + strlen("/dev/");

	return strchr(name, '/') ? arena_printf(s->arena, "$(basename $(readlink -f %s))", dev) : name;
}

const struct node *loss_goes_on(const struct loss *l, const struct node *dev,
				const struct node **member)
{
	size_t i;
	unsigned k;

	for (i = l->s->n_disks; i < l->s->nodes.n; i++) {
		const struct node *n = l->s->nodes.at[i];

		for (k = 0; !n->left_out && k < n->n_kids && n->kids[k] != dev; k++)
			;
		if (n->left_out || k == n->n_kids)
			continue;
		*member = dev;
		if (l->data[n->id] == HEALTH_DEGRADED)
			return l->useful[n->id] ? n : NULL;
		return n->n_kids == 1 || node_on_cache(n->kids[n->n_kids - 1]) ?
		       loss_goes_on(l, n, member) : NULL;
	}
	return NULL;
}

/* --- the new disk ----------------------------------------------------------------------- */

/* The one disk that a node rests on; NULL: several, or a cache. */
static const struct node *only_disk(const struct node *n)
{
	while (n->layer && n->n_kids == 1)
		n = n->kids[0];
	return n->layer ? NULL : n;
}

/* Does a step write to this disk, or what lies one to one on it, and to nothing else? */
static bool is_of_disk(const struct step *st, const struct node *disk)
{
	size_t i;

	for (i = 0; i < st->writes.n; i++) {
		if (only_disk(st->writes.at[i]) != disk)
			return false;
	}
	return st->writes.n > 0;
}

/* A step as one line: what stands on its input goes through a pipe. */
static void step_line(const struct stack *s, const struct step *step, struct next_step *st)
{
	struct sbuf line = { 0 };
	const char *c;

	if (step->secret) {
		sbuf_add(&line, "head -n 1 KEYFILE | tr -d '\\n' | ");
	} else if (step->input) {
		sbuf_add(&line, "printf '");
		for (c = step->input; *c; c++) {
			if (*c == '\n')
				sbuf_add(&line, "\\n");
			else
				sbuf_addc(&line, *c);
		}
		sbuf_add(&line, "' | ");
	}
	argv_print(&step->argv, &line);
	next_command(s, st, "%s", sbuf_str(&line));
	sbuf_done(&line);
}

/* --- bcache and other caches ------------------------------------------------------------- */

/* A step of naslab's own as a shell does it. */
static void builtin_line(const struct stack *s, const struct step *step, struct next_step *st)
{
	const char *word = step->argv.at[0], *one = step->argv.at[1], *two = step->argv.at[2];

	if (!strcmp(word, "block_tell")) {
		next_command(s, st, "echo %s > %s", two, one);
	} else if (!strcmp(word, "block_write")) {
		next_command(s, st, "echo %s > /sys/class/block/%s/%s", (const char *)step->argv.at[3],
			     kernel_name_of(s, one), two);
	} else if (!strcmp(word, "block_link")) {
		next_command(s, st, "mkdir -p /dev/naslab");
		next_command(s, st, "ln -sfn /dev/$(basename $(readlink -f /sys/class/block/%s/bcache/dev)) %s",
			     kernel_name_of(s, two), one);
	}
}

void commands_backing(const struct loss *l, const struct node *n, bool alone, struct next_step *st)
{
	const char *dev = n->kids[0]->dev;
	struct err e = { 0 };
	struct plan *p;
	size_t i;

	if (plan_make(l->s, &p, &e))
		return;
	for (i = 0; i < p->steps.n; i++) {
		const struct step *step = p->steps.at[i];
		const struct argv *v = &step->argv;

		if (strcmp(step->layer, "bcache") || !plan_builtin(v->at[0]) ||
		    (strcmp(v->at[1], dev) && strcmp(v->at[2], dev)))
			continue;
		builtin_line(l->s, step, st);
		if (alone && !strcmp(v->at[0], "block_tell"))
			next_command(l->s, st, "echo 1 > /sys/class/block/%s/bcache/running",
				     kernel_name_of(l->s, dev));
	}
	plan_free(p);
}

static void attach(const struct loss *l, const struct node *n, struct next_step *st)
{
	next_command(l->s, st, "basename $(readlink -f /sys/class/block/%s/bcache/set) > "
		     "/sys/class/block/%s/bcache/attach", kernel_name_of(l->s, n->kids[1]->dev),
		     kernel_name_of(l->s, n->kids[0]->dev));
}

/* A device of bcache by itself: the plan makes all of a set at once. */
static void backing_again(const struct loss *l, const struct node *n, struct next_step *st)
{
	next_command(l->s, st, "make-bcache%s --block %u -B %s",
		     strcmp(node_word(n, "mode"), "writeback") ? "" : " --writeback", n->lsec,
		     n->kids[0]->dev);
	commands_backing(l, n, false, st);
	if (l->health[n->kids[1]->id] != HEALTH_LOST)
		attach(l, n, st);
}

/* What else has the same cache: after a restart it has no name yet. */
static void others_of_set(const struct loss *l, const struct node *n, struct next_step *st)
{
	size_t i;

	for (i = l->s->n_disks; i < l->s->nodes.n; i++) {
		const struct node *other = l->s->nodes.at[i];

		if (other->stmt == n->stmt && !other->left_out && l->data[other->id] != HEALTH_LOST)
			commands_backing(l, other, false, st);
	}
}

static void bcache_set_again(const struct loss *l, const struct node *ssd, struct next_step *st)
{
	const struct stmt *made = NULL;
	const struct node *member;
	size_t i;

	for (i = l->s->n_disks; i < l->s->nodes.n; i++) {
		const struct node *n = l->s->nodes.at[i];

		if (n->left_out || !advice_is(n, "bcache") || only_disk(n->kids[1]) != ssd ||
		    (l->data[n->id] == HEALTH_LOST && !loss_goes_on(l, n, &member)))
			continue;
		if (made != n->stmt) {
			next_command(l->s, st, "make-bcache --bucket %" PRIu64 "k --block %u -C %s",
				     node_size(n, "bucket") / 1024, n->lsec, n->kids[1]->dev);
			next_command(l->s, st, "echo %s > /sys/fs/bcache/register_quiet", n->kids[1]->dev);
		}
		made = n->stmt;
		attach(l, n, st);
	}
}

/* Does a step make the cache disk what it was, or a cache of it that of a volume? */
static bool is_of_cache(const struct step *st, const struct node *ssd)
{
	size_t i;

	for (i = 0; i < st->writes.n; i++) {
		const struct node *n = st->writes.at[i];

		if (only_disk(n) == ssd || (n->n_kids == 2 && only_disk(n->kids[1]) == ssd &&
					    !strcmp(st->layer, n->layer->name)))
			return true;
	}
	return false;
}

/* The plan's steps that make something of a disk, as lines; what wipes and waits is left out. */
static void plan_lines(const struct loss *l, const struct node *disk, bool prepared,
		       bool (*wanted)(const struct step *step, const struct node *disk, bool prepared),
		       struct next_step *st)
{
	struct err e = { 0 };
	struct plan *p;
	size_t i;

	if (plan_make(l->s, &p, &e))
		return;
	for (i = 0; i < p->steps.n; i++) {
		const struct step *step = p->steps.at[i];
		const char *word = step->argv.at[0];

		if (!plan_builtin(word) && strcmp(word, "wipefs") && strcmp(word, "blockdev") &&
		    wanted(step, disk, prepared))
			step_line(l->s, step, st);
	}
	plan_free(p);
}

static bool makes_cache(const struct step *step, const struct node *ssd, bool prepared)
{
	return is_of_cache(step, ssd) && strcmp(step->layer, "bcache") && strcmp(step->layer, "md") &&
	       !(prepared && !strcmp(step->argv.at[0], "sfdisk"));
}

void commands_cache(const struct loss *l, const struct node *ssd, bool prepared,
		    struct next_step *st)
{
	plan_lines(l, ssd, prepared, makes_cache, st);
	bcache_set_again(l, ssd, st);
}

/* --- the new disk, continued ------------------------------------------------------------- */

static bool prepares(const struct step *step, const struct node *disk, bool prepared)
{
	(void)prepared;
	return is_of_disk(step, disk) &&
	       (disk->role == ROLE_DATA || !strcmp(step->argv.at[0], "sfdisk"));
}

void commands_prepare(const struct loss *l, const struct node *disk, struct next_step *st)
{
	size_t i;

	plan_lines(l, disk, false, prepares, st);
	for (i = l->s->n_disks; i < l->s->nodes.n; i++) {
		const struct node *n = l->s->nodes.at[i];

		if (!advice_is(n, "bcache") || only_disk(n->kids[0]) != disk)
			continue;
		if (l->health[n->kids[1]->id] != HEALTH_LOST)
			others_of_set(l, n, st);
		backing_again(l, n, st);
	}
}

static bool rests_on(const struct node *n, const struct node *below)
{
	unsigned i;

	for (i = 0; i < n->n_kids; i++) {
		if (n->kids[i] == below || rests_on(n->kids[i], below))
			return true;
	}
	return false;
}

void commands_mounts(const struct loss *l, const struct node *n, bool mount, struct next_step *st)
{
	struct err e = { 0 };
	struct plan *p;
	size_t i;

	if (plan_make(l->s, &p, &e))
		return;
	for (i = 0; i < p->steps.n; i++) {
		const struct step *step = p->steps.at[i];
		const struct node *on = step->writes.n ? step->writes.at[0] : NULL;

		if (strcmp(step->argv.at[0], "mount") || (on != n && !rests_on(on, n)))
			continue;
		if (mount)
			step_line(l->s, step, st);
		else
			next_command(l->s, st, "umount %s", step->argv.at[step->argv.n - 1]);
	}
	plan_free(p);
}

static bool rests_on_any(const struct stack *s, const struct node *n, const struct stmt *stmt)
{
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *other = s->nodes.at[i];

		if (other->stmt == stmt && !other->left_out && rests_on(n, other))
			return true;
	}
	return false;
}

void commands_mount_again(const struct loss *l, const struct stmt *stmt, struct next_step *st)
{
	struct err e = { 0 };
	struct plan *p;
	size_t i, k;

	if (plan_make(l->s, &p, &e))
		return;
	for (i = 0; i < p->steps.n; i++) {
		const struct step *step = p->steps.at[i];
		const char *dir = step->argv.at[step->argv.n - 1];
		struct sbuf line = { 0 };

		if (strcmp(step->argv.at[0], "mount") && strcmp(step->argv.at[0], "mergerfs"))
			continue;
		for (k = l->s->n_disks; k < l->s->nodes.n; k++) {
			const struct node *n = l->s->nodes.at[k];

			if (n->left_out || !n->dir || strcmp(n->dir, dir) || !rests_on_any(l->s, n, stmt))
				continue;
			if (advice_is(n, "btrfs") && n->n_kids > 1)
				next_command(l->s, st, "btrfs device scan");
			argv_print(&step->argv, &line);
			next_command(l->s, st, "mountpoint -q %s || %s", dir, sbuf_str(&line));
			break;
		}
		sbuf_done(&line);
	}
	plan_free(p);
}

/* --- arrays and pools -------------------------------------------------------------------- */

/* A volume that a cache lies in front of keeps its name for the two of them. */
static bool is_cached(const struct loss *l, const struct node *volume)
{
	size_t i;

	for (i = volume->id + 1; i < l->s->nodes.n; i++) {
		const struct node *n = l->s->nodes.at[i];

		if ((advice_is(n, "lvmcache") || advice_is(n, "writecache")) && n->kids[0] == volume)
			return l->health[n->kids[1]->id] != HEALTH_LOST;
	}
	return false;
}

static void rebuild_lvm(const struct loss *l, const struct node *n, struct next_step *st)
{
	const char *path = n->dev + strlen("/dev/");
	const char *volume = is_cached(l, n) ? arena_printf(l->s->arena, "%s_corig", path) : path;
	int len = (int)strcspn(path, "/");
	unsigned i;

	/* LVM starts no volume that keeps checksums without all of them: they go, and are made again */
	if (node_yes(n, "integrity"))
		next_command(l->s, st, "lvconvert --yes --raidintegrity n %s", volume);
	for (i = 0; i < n->n_kids; i++) {
		const char *dev = n->kids[i]->dev;

		if (l->data[n->kids[i]->id] != HEALTH_LOST)
			continue;
		next_command(l->s, st, "pvcreate --yes %s", dev);
		next_command(l->s, st, "vgextend --yes %.*s %s", len, volume, dev);
	}
	/* with a cache in front LVM starts it only when it is asked to do without a device */
	next_command(l->s, st, "vgchange --activate y%s %.*s", volume == path ? "" :
		     " --activationmode partial", len, volume);
	next_command(l->s, st, "lvconvert --yes --repair %s", volume);
	next_command(l->s, st, "vgreduce --removemissing %.*s", len, volume);
	if (node_yes(n, "integrity"))
		next_command(l->s, st, "lvconvert --yes --raidintegrity y --raidintegrityblocksize %u "
			     "--raidintegritymode %s %s", n->lsec, node_word(n, "integritymode"), volume);
}

static void rebuild_btrfs(const struct loss *l, const struct node *n, struct next_step *st)
{
	const struct node *here = NULL;
	unsigned i;

	for (i = 0; i < n->n_kids && !here; i++)
		here = l->data[n->kids[i]->id] == HEALTH_LOST ? NULL : n->kids[i];
	if (!here)
		return;
	next_command(l->s, st, "btrfs device scan");
	next_command(l->s, st, "mount -o degraded %s %s", here->dev, n->dir);
	/* devices are numbered in the order that mkfs was given them */
	for (i = 0; i < n->n_kids; i++) {
		if (l->data[n->kids[i]->id] == HEALTH_LOST)
			next_command(l->s, st, "btrfs replace start -B -f %u %s %s", i + 1, n->kids[i]->dev,
				     n->dir);
	}
	next_command(l->s, st, "btrfs balance start -dconvert=%s,soft -mconvert=%s,soft %s",
		     json_string_value(json_object_get(n->facts, "data")),
		     json_string_value(json_object_get(n->facts, "metadata")), n->dir);
}

void commands_rebuild(const struct loss *l, const struct node *n, struct next_step *st)
{
	unsigned i;

	if (advice_is(n, "lvm")) {
		rebuild_lvm(l, n, st);
		return;
	}
	if (advice_is(n, "btrfs")) {
		rebuild_btrfs(l, n, st);
		return;
	}
	for (i = 0; i < n->n_kids; i++) {
		if (l->data[n->kids[i]->id] != HEALTH_LOST || node_on_cache(n->kids[i]))
			continue;
		if (advice_is(n, "md"))
			next_command(l->s, st, "mdadm --manage %s --add %s", n->dev, n->kids[i]->dev);
		else
			next_command(l->s, st, "zpool replace %s %s", l->s->name, n->kids[i]->dev);
	}
}

/* --- looking only ------------------------------------------------------------------------ */

void commands_check(const struct loss *l, const struct node *n, struct next_step *st)
{
	const struct stack *s = l->s;
	static const struct {
		const char *fs, *words;
	} rows[] = {
		{ "ext4", "e2fsck -fn" }, { "xfs", "xfs_repair -n" }, { "btrfs", "btrfs check --readonly" },
		{ "jfs", "jfs_fsck -n" }, { "reiserfs", "reiserfsck --check --yes" },
	};
	unsigned here;
	size_t i, k;

	for (i = n->id; i < s->nodes.n; i++) {
		const struct node *fs = s->nodes.at[i];
		bool same = rests_on_any(s, fs, n->stmt);

		for (here = 0; same && here + 1 < fs->n_kids && l->data[fs->kids[here]->id] == HEALTH_LOST;)
			here++;
		for (k = 0; k < sizeof(rows) / sizeof(rows[0]) && same; k++) {
			if (advice_is(fs, rows[k].fs))
				next_command(s, st, "%s %s", rows[k].words, fs->kids[here]->dev);
		}
	}
}
