/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard - what stands between a plan and somebody's data.
 *
 * It is asked three times: by the screen before the typed word, by the executor before
 * the first step, and again before every step for the disks that step writes, because
 * between two steps somebody may plug, mount or format.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/units.h"
#include "build/build.h"
#include "build/job.h"
#include "build/run.h"

/* Is this disk among the words given with --wipe? */
static bool named_to_wipe(const struct inventory *now, char *const *wipe, const struct disk *d)
{
	for (; wipe && *wipe; wipe++) {
		if (inventory_find(now, *wipe) == d)
			return true;
	}
	return false;
}

/* The sentence for a disk that holds something. */
static int refuse_data(const struct disk *d, struct err *e)
{
	struct sbuf what = { 0 };

	sbuf_add_safe(&what, d->why ? d->why : "something");
	err_set(e, ERR_REFUSED, "%s is not blank: %.300s; it is used only when it is named again with "
		"--wipe %s", d->name, sbuf_str(&what), d->name);
	sbuf_done(&what);
	return -1;
}

static int refuse_use(const struct disk *d, struct err *e)
{
	struct sbuf what = { 0 };

	sbuf_add_safe(&what, d->why ? d->why : "something uses it");
	err_set(e, ERR_REFUSED, "%s cannot be used: %.300s", d->name, sbuf_str(&what));
	sbuf_done(&what);
	return -1;
}

/* May this one disk be written, as it is now? */
static int check_disk(const struct disk *d, bool wipe, struct err *e)
{
	if (d->is_virtual)
		return err_set(e, ERR_REFUSED, "%s does not exist: it can be planned with, and built on "
			       "only in the sandbox", d->name);
	if (d->is_system)
		return err_set(e, ERR_REFUSED, "%s carries the running system and is never used", d->name);
	if (d->state == DISK_BUSY || d->state == DISK_HIDDEN)
		return refuse_use(d, e);
	if (d->read_only)
		return err_set(e, ERR_REFUSED, "%s is read-only", d->name);
	if (d->zoned && strcmp(d->zoned, "none"))
		return err_set(e, ERR_REFUSED, "%s is a zoned disk (%s), which these layers cannot write",
			       d->name, d->zoned);
	/* What an ordinary user may not read is judged by the executor, which is root. */
	if (d->unread && !d->n_sigs && !d->n_parts && geteuid() != 0)
		return 0;
	if ((d->state == DISK_DATA || d->n_sigs || d->n_parts) && !wipe)
		return refuse_data(d, e);
	return 0;
}

bool content_was_read(const struct identity *id)
{
	return !id->content || strcmp(id->content, "unread");
}

int guard_check(const struct plan *p, const struct inventory *now, char *const *wipe,
		struct err *e)
{
	const struct stack *s = p->stack;
	struct arena *a = arena_new();
	size_t i, k;
	int rc = -1;

	for (i = 0; i < s->n_disks; i++) {
		const struct disk *planned = ((const struct node *)s->nodes.at[i])->disk;
		const struct disk *d = inventory_find(now, planned->path);
		struct identity was, is;

		for (k = 0; k < i; k++) {
			if (!strcmp(((const struct node *)s->nodes.at[k])->disk->path, planned->path)) {
				err_set(e, ERR_USAGE, "%s was named twice", planned->name);
				goto out;
			}
		}
		if (!node_is_used(s->nodes.at[i]))
			continue;
		if (planned->is_virtual) {
			check_disk(planned, false, e);
			goto out;
		}
		if (!d) {
			err_set(e, ERR_REFUSED, "%s is not there any more", planned->name);
			goto out;
		}
		disk_identity(planned, a, &was);
		disk_identity(d, a, &is);
		if (identity_compare(&was, &is, content_was_read(&was), e)) {
			err_in(e, "%s has changed since it was planned", planned->name);
			e->kind = ERR_REFUSED;
			goto out;
		}
		if (check_disk(d, named_to_wipe(now, wipe, d), e))
			goto out;
	}
	/* a write cache that the kernel has no memory for fails when the disks are wiped already */
	rc = stack_check_ram(s, now->ram_bytes, e);
	if (rc == 0)
		rc = units_check(p, now->root, e);
	for (; wipe && *wipe && rc == 0; wipe++) {
		const struct disk *d = inventory_find(now, *wipe);

		for (i = 0; d && i < s->n_disks; i++) {
			const struct node *n = s->nodes.at[i];

			if (node_is_used(n) && !strcmp(n->disk->path, d->path))
				break;
		}
		if (!d || i == s->n_disks)
			rc = err_set(e, ERR_USAGE, "--wipe %.60s names none of the disks of this build",
				     *wipe);
	}
out:
	arena_free(a);
	return rc;
}

/* An exclusive open fails while anybody has the disk claimed: mounted, in an array, held. */
static int check_exclusive(const struct disk *d, struct err *e)
{
	int fd = open(d->path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);
	struct sbuf who = { 0 };

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno != EBUSY)
		return err_sys(e, "cannot open %s", d->path);
	device_holders(d->path, &who);
	err_set(e, ERR_REFUSED, "%s is in use%s%.200s", d->name, who.len ? ": " : "", sbuf_str(&who));
	sbuf_done(&who);
	return -1;
}

int disk_index(const struct run *r, const struct disk *d)
{
	size_t i;

	for (i = 0; i < r->order.n_disks; i++) {
		if (r->made.picks[i].disk == d)
			return (int)i;
	}
	return -1;
}

/* One disk right before a step writes to it. */
static int check_now(struct run *r, struct arena *a, size_t i, struct err *e)
{
	const struct disk *planned = r->made.picks[i].disk;
	struct identity was, is;
	struct disk now;

	if (disk_read_one(a, "", planned->path, &now, e)) {
		e->kind = ERR_REFUSED;
		return -1;
	}
	disk_identity(planned, a, &was);
	disk_identity(&now, a, &is);
	if (identity_compare(&was, &is, !r->touched[i], e)) {
		err_in(e, "%s has changed since it was planned", planned->name);
		e->kind = ERR_REFUSED;
		return -1;
	}
	if (r->touched[i])
		return 0;
	if (now.is_system || now.state == DISK_BUSY || now.state == DISK_HIDDEN)
		return refuse_use(&now, e);
	return check_exclusive(&now, e);
}

int guard_step(struct run *r, const struct step *s, struct err *e)
{
	const struct stack *stack = r->made.stack;
	const struct node **below;
	bool *check;
	struct arena *a = arena_new();
	size_t i, k, n;
	int rc = 0;

	below = arena_array(a, stack->n_disks, sizeof(*below));
	check = arena_array(a, stack->n_disks, sizeof(*check));
	for (i = 0; i < s->writes.n; i++) {
		n = node_disks(stack, s->writes.at[i], below, stack->n_disks);
		for (k = 0; k < n; k++)
			check[disk_index(r, below[k]->disk)] = true;
	}
	for (i = 0; i < s->destroys.n; i++)
		check[disk_index(r, s->destroys.at[i])] = true;
	for (i = 0; i < stack->n_disks && rc == 0; i++) {
		if (check[i])
			rc = check_now(r, a, i, e);
	}
	for (i = 0; i < stack->n_disks && rc == 0; i++)
		r->touched[i] |= check[i];
	arena_free(a);
	return rc;
}

/* Is the partition where the plan puts one of this disk? */
static bool part_is_planned(const struct stack *s, const struct disk *d, const struct part *p)
{
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (n->n_kids == 1 && n->part_number == p->number && n->kids[0]->disk == d)
			return n->start == p->start && n->bytes == p->bytes;
	}
	return false;
}

/* The partial parity of three members is the data itself: log records of an XFS on the array
 * stand on its members then, and libblkid takes them for an external log. */
static bool is_log_copy(const struct node *n, const struct sig *sig)
{
	const char *policy = n->stmt ? stmt_value(n->stmt, "consistency") : NULL;

	return policy && !strcmp(policy, "ppl") && !strcmp(sig->type, "xfs_external_log");
}

/* Does the plan put this signature on this device, the disk or a partition of it? */
static bool sig_is_planned(const struct stack *s, const struct disk *d, const struct sig *sig)
{
	size_t i;
	unsigned k;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		for (k = 0; k < n->n_kids && n->layer->signature; k++) {
			const struct node *on = n->kids[k];

			if (strcmp(on->name, sig->on) || (on->disk && on->disk != d))
				continue;
			if (!strcmp(n->layer->signature, sig->type))
				return true;
			if (is_log_copy(n, sig))
				return true;
			/* a GPT is read as three: the protective MBR and its two copies */
			if (!strcmp(n->layer->signature, "gpt") && sig->usage && !strcmp(sig->usage, "table"))
				return true;
		}
	}
	return false;
}

/* Was this there already when the disk was planned with, and let go by its owner? Only a
 * build that was cut short may still have it; on a finished one it is new. */
static bool was_there(const struct run *r, const struct ordered_disk *o, const char *word)
{
	const json_t *item;
	size_t i;

	if (strcmp(r->order.verb, "recover"))
		return false;
	json_array_foreach(o->was, i, item) {
		if (json_is_string(item) && !strcmp(json_string_value(item), word))
			return true;
	}
	return false;
}

/* One disk: only what this build put there, or what its owner let it overwrite. */
static int check_ours(struct run *r, size_t i, struct err *e)
{
	const struct ordered_disk *o = &r->order.disks[i];
	const struct disk *d = r->made.picks[i].disk;
	size_t k;

	for (k = 0; k < d->n_parts; k++) {
		if (!part_is_planned(r->made.stack, d, &d->parts[k]) &&
		    !was_there(r, o, word_of_part(r->arena, &d->parts[k])))
			return err_set(e, ERR_REFUSED, "%s no longer holds what %s put there: %s is not one "
				       "of its partitions; nothing was touched", d->name, r->order.name,
				       d->parts[k].name);
	}
	for (k = 0; k < d->n_sigs; k++) {
		if (!sig_is_planned(r->made.stack, d, &d->sigs[k]) &&
		    !was_there(r, o, word_of_sig(r->arena, &d->sigs[k])))
			return err_set(e, ERR_REFUSED, "%s no longer holds what %s put there: %s now has %s on "
				       "it; nothing was touched", d->name, r->order.name, d->sigs[k].on,
				       d->sigs[k].type);
	}
	return 0;
}

int guard_ours(struct run *r, struct err *e)
{
	size_t i;

	for (i = 0; i < r->order.n_disks; i++) {
		if (r->made.absent[i] || !r->touched[i])
			continue;
		if (r->made.picks[i].disk->is_system)
			return refuse_use(r->made.picks[i].disk, e);
		if (check_ours(r, i, e))
			return -1;
	}
	return 0;
}

/* Is a file system known to the kernel, or is there a module for it? */
static bool kernel_knows(const char *fs)
{
	char type[64], line[128];
	bool found = false;
	FILE *f = fopen("/proc/filesystems", "re");

	while (f && !found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "nodev %63s", type) == 1 || sscanf(line, "%63s", type) == 1)
			found = !strcmp(type, fs);
	}
	if (f)
		fclose(f);
	if (!found) {
		struct arena *a = arena_new();
		struct argv v = { 0 };
		struct job_end end;
		struct err e = { 0 };

		argv_addl(a, &v, "modprobe", "-n", "-q", fs, NULL);
		found = job_run(&(struct job){ .argv = v.at, .timeout_ms = 10000 }, &end, &e) == 0;
		arena_free(a);
	}
	return found;
}

int build_layer_check(const struct layer *l, struct err *e)
{
	size_t i;

	for (i = 0; l->tools && l->tools[i]; i++) {
		if (!job_has(l->tools[i]))
			return err_set(e, ERR_FAIL, "the layer %s needs the program %s, which is not "
				       "installed here: apt install %s", l->name, l->tools[i],
				       l->packages && l->packages[i] ? l->packages[i] : l->tools[i]);
	}
	if (l->kernel_fs && !kernel_knows(l->kernel_fs))
		return err_set(e, ERR_FAIL, "the kernel of this machine does not know the file system %s: it "
			       "could be made and never mounted; nearly every kernel knows ext4, xfs and btrfs",
			       l->kernel_fs);
	return 0;
}

/* zfs-fuse stopped at pool version 23, which packs records with neither lz4 nor zstd. */
static int check_zfs_fuse(const struct node *n, struct err *e)
{
	const char *word = !strcmp(n->layer->name, "zfs") ? node_word(n, "compression") : NULL;

	if (!word || (strcmp(word, "lz4") && strcmp(word, "zstd")) || !job_has("zfs-fuse"))
		return 0;
	return err_set(e, ERR_FAIL, "zfs: the ZFS of this machine is zfs-fuse, which knows no "
		       "compression=%s: compression=gzip or off", word);
}

int build_tools_check(const struct plan *p, struct err *e)
{
	size_t i;

	for (i = p->stack->n_disks; i < p->stack->nodes.n; i++) {
		const struct node *n = p->stack->nodes.at[i];

		if (n->layer && !n->left_out &&
		    (build_layer_check(n->layer, e) || check_zfs_fuse(n, e)))
			return -1;
	}
	for (i = 0; i < p->steps.n; i++) {
		const struct step *s = p->steps.at[i];

		if (!plan_builtin(s->argv.at[0]) && !job_has(s->argv.at[0]))
			return err_set(e, ERR_FAIL, "step %u (%.100s) needs the program %s, which is not "
				       "installed here", s->n, s->why, s->argv.at[0]);
	}
	return 0;
}
