/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo - taking back what a build made, and proving the disks blank.
 *
 * The undo of every step is run, last step first. It has to bear a machine where half of
 * the layers are gone already (a crash, a reboot): a command that fails matters only
 * while the thing it should remove still stands. What counts in the end is not what the
 * tools said but what is read from the disks.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "build/job.h"
#include "build/run.h"

enum {
	RETRY_MS = 250,
	MOST_TRIES = 20,	/* of a command whose device still stands: 5 s */
	FEW_TRIES = 3,		/* of one where nobody can say whether it had to do anything */
	PROVE_TRIES = 8,
	BLKID_LOG = 256 << 10,	/* where libblkid looks for an XFS log */
	TOOL_MS = 600000,
	STEP_MS = 6 * 3600 * 1000,
};

static void output_line(void *arg, const char *text)
{
	struct run *r = arg;
	json_t *event = json_object();

	json_put_str(event, "event", "output");
	json_put_u64(event, "n", r->n);
	json_put_str(event, "text", text);
	run_emit(r, event);
}

/* Asked by job_run() several times a second: a good moment to look at the arrays. */
static bool stop_at_once(void *arg)
{
	struct run *r = arg;

	run_sync(r);
	return !r->undoing && run_stops(r) > 1;
}

int run_argv(struct run *r, const struct argv *v, const char *input, struct err *e)
{
	struct job j = {
		.argv = v->at, .input = input, .timeout_ms = r->undoing ? TOOL_MS : STEP_MS,
		.line = output_line, .cancelled = stop_at_once, .arg = r,
	};
	struct job_end end;

	if (plan_builtin(v->at[0]))
		return run_builtin(r, v, input, e);
	return job_run(&j, &end, e);
}

/* Run a fixed command whose outcome is read from the disks and not from the tool. */
void run_words(struct run *r, struct argv *v)
{
	struct err e = { 0 };

	run_argv(r, v, NULL, &e);
}

/* Does what the step made still stand? */
bool step_stands(struct run *r, const struct step *s)
{
	size_t i;

	for (i = 0; i < s->makes.n; i++) {
		const char *dev = ((const struct effect *)s->makes.at[i])->dev;
		const struct node *n = node_of(r, dev);
		uint64_t bytes;

		if (device_bytes(dev, &bytes) || folder_is_mounted("", dev))
			return true;
		if (n && n->dev && device_now(r, n))
			return true;
	}
	return false;
}

/* Who holds the things a command names, for the sentence when it fails. */
static void add_holders(const struct argv *v, struct err *e)
{
	struct sbuf who = { 0 };
	size_t i, len = strlen(e->text);

	for (i = 1; i < v->n && !who.len; i++) {
		if (v->at[i][0] == '/')
			device_holders(v->at[i], &who);
	}
	if (who.len)
		snprintf(e->text + len, sizeof(e->text) - len, "; held by %.160s", who.text);
	sbuf_done(&who);
}

/* wipefs is told to use force, so what still carries something is kept from it. */
static int check_wipe(const struct argv *v, struct err *e)
{
	size_t i;

	if (strcmp(v->at[0], "wipefs"))
		return 0;
	for (i = 1; i < v->n; i++) {
		if (v->at[i][0] == '/' && device_is_held(v->at[i]))
			return err_set(e, ERR_FAIL, "%s still carries something", v->at[i]);
	}
	return 0;
}

/* One undo command with its retries: udevd or a scanner may hold a device for a moment. */
static int undo_command(struct run *r, const struct step *s, const struct argv *v, struct err *e)
{
	struct argv *now = NULL;
	unsigned i, tries = FEW_TRIES;

	for (i = 0; i < tries; i++) {
		if (i)
			pause_ms(RETRY_MS);
		now = argv_here(r, s, v);
		if (!now)
			return 0;		/* of disks that are not there */
		if (!check_wipe(now, e) && !run_argv(r, now, NULL, e))
			return 0;
		if (s->makes.n && !step_stands(r, s))
			break;			/* it is gone: nothing was left to do */
		if (s->makes.n)
			tries = MOST_TRIES;
	}
	if (!s->makes.n || !step_stands(r, s)) {
		*e = (struct err){ 0 };
		return 0;
	}
	add_holders(now, e);
	return -1;
}

/* In a build that failed a step keeps its number; taking down a whole one counts anew. */
static void undone_event(struct run *r, const struct step *s, const char *failed, uint64_t ns)
{
	struct step shown = *s;

	if (r->n_undo)
		shown.n = ++r->undone;
	run_step_event(r, &shown, failed ? "failed" : "undone", failed, ns);
}

/* Has it a command that is about disks that are there? */
static bool is_here(struct run *r, const struct step *s)
{
	size_t i;

	for (i = 0; i < s->undo.n; i++) {
		if (argv_here(r, s, s->undo.at[i]))
			return true;
	}
	return false;
}

static int undo_step(struct run *r, const struct step *s, struct err *e)
{
	size_t i;
	bool here = is_here(r, s);
	uint64_t start = run_clock_ns();
	int rc = 0;

	r->n = s->n;
	for (i = 0; i < s->undo.n && rc == 0; i++)
		rc = undo_command(r, s, s->undo.at[i], e);
	if (rc)
		err_in(e, "taking back step %u (%.100s)", s->n, s->why);
	if (here)
		undone_event(r, s, rc ? e->text : NULL, run_clock_ns() - start);
	return rc;
}

/* An array writes past the page cache of its members, and our lock keeps them open: what was
 * read before the build would be read again. */
static void forget_pages(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	ioctl(fd, BLKFLSBUF, 0);
	close(fd);
}

/* One disk read afresh: blank (true), or what is still on it as words. */
static bool is_blank(struct arena *a, const char *path, struct disk *now, struct sbuf *what)
{
	struct err e = { 0 };

	forget_pages(path);

	if (disk_read_one(a, "", path, now, &e)) {
		sbuf_add(what, e.text);
		return false;
	}
	if (!now->n_sigs && !now->n_parts && !now->n_uses)
		return true;
	if (now->n_uses)
		sbuf_addf(what, "used by %s", now->uses[0].what);
	else if (now->n_sigs)
		sbuf_addf(what, "%s on %s", now->sigs[0].type, now->sigs[0].on);
	else
		sbuf_addf(what, "partition %s", now->parts[0].name);
	return false;
}

/*
 * A partial parity log of three members holds copies of what was written, log records of an
 * XFS too, and libblkid takes any of those in the first 256 KiB for an external XFS log.
 * wipefs clears one of them a time, so the whole place is cleared.
 */
static void clear_log(const struct disk *now)
{
	static const char zeros[BLKID_LOG];
	size_t i;
	int fd;

	for (i = 0; i < now->n_sigs; i++) {
		char path[300];

		if (strcmp(now->sigs[i].type, "xfs_external_log"))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", now->sigs[i].on);
		fd = open(path, O_WRONLY | O_EXCL | O_CLOEXEC);	/* not while anything holds it */
		if (fd < 0)
			continue;
		/* how it went is read from the disk afterwards */
		if (pwrite(fd, zeros, sizeof(zeros), 0) == (ssize_t)sizeof(zeros))
			fsync(fd);
		close(fd);
	}
}

/* Clear whatever is still recognised, inner things first: the superblock in a partition
 * comes back as soon as the same partition is made again. */
static void clear_disk(struct run *r, const struct disk *now)
{
	struct argv disk = { 0 }, forget = { 0 };
	size_t i;

	if (now->n_uses)
		return;
	clear_log(now);
	for (i = now->n_parts; i-- > 0;) {
		struct argv part = { 0 };

		argv_addl(r->arena, &part, "wipefs", "--all", "--force", "--quiet", NULL);
		argv_addf(r->arena, &part, "/dev/%s", now->parts[i].name);
		run_words(r, &part);
	}
	argv_addl(r->arena, &disk, "wipefs", "--all", "--force", "--quiet", now->path, NULL);
	run_words(r, &disk);
	if (!now->n_parts)
		return;
	argv_addl(r->arena, &forget, "blockdev", "--rereadpt", now->path, NULL);
	run_words(r, &forget);
}

/* Clear one disk until it is blank or that has to be given up. */
static bool prove_disk(struct run *r, const struct disk *d, struct sbuf *what)
{
	struct disk now;
	unsigned i;

	for (i = 0; i < PROVE_TRIES; i++) {
		sbuf_clear(what);
		if (is_blank(r->arena, d->path, &now, what))
			return true;
		clear_disk(r, &now);
		if (i)
			pause_ms(RETRY_MS);
	}
	sbuf_clear(what);
	return is_blank(r->arena, d->path, &now, what);
}

/* All touched disks that are there, in one sentence. */
static int prove(struct run *r, struct sbuf *said)
{
	struct sbuf blank = { 0 }, not = { 0 };
	unsigned n_blank = 0, n_not = 0;
	size_t i;

	for (i = 0; i < r->order.n_disks; i++) {
		const struct disk *d = r->made.picks[i].disk;
		struct sbuf what = { 0 };

		if (!r->touched[i] || r->made.absent[i])
			continue;
		if (prove_disk(r, d, &what)) {
			sbuf_addf(&blank, "%s%s", n_blank++ ? ", " : "", d->name);
			sbuf_done(&what);
			continue;
		}
		sbuf_addf(&not, "%s%s is not (", n_not++ ? ", " : "", d->name);
		sbuf_add_safe(&not, sbuf_str(&what));
		sbuf_addc(&not, ')');
		sbuf_done(&what);
	}
	if (!n_not && !n_blank)
		sbuf_add(said, "no disk was written to");
	else if (!n_not)
		sbuf_addf(said, n_blank == 1 ? "the disk %s is blank" : "all %2$u disks are blank (%1$s)",
			  blank.text, n_blank);
	else
		sbuf_addf(said, "%s%s%s", sbuf_str(&blank), n_blank > 1 ? " are blank; " :
			  n_blank ? " is blank; " : "", sbuf_str(&not));
	sbuf_done(&blank);
	sbuf_done(&not);
	return n_not ? -1 : 0;
}

void run_touch(struct run *r, unsigned last)
{
	const struct stack *s = r->made.stack;
	const struct node **below = arena_array(r->arena, s->n_disks, sizeof(*below));
	size_t i, k, m, n;

	for (i = 0; i < r->made.plan->steps.n; i++) {
		const struct step *step = r->made.plan->steps.at[i];

		/* Clearing steps speak of what is there now: they are nobody's yet. */
		if (step->n > last || !strcmp(step->layer, "wipe"))
			continue;
		for (k = 0; k < step->writes.n; k++) {
			n = node_disks(s, step->writes.at[k], below, s->n_disks);
			for (m = 0; m < n; m++)
				r->touched[disk_index(r, below[m]->disk)] = true;
		}
	}
}

/* For clearing, devices are put together again; folders and secrets are of no use. */
static bool is_for_devices(const struct step *s)
{
	size_t i;

	for (i = 0; i < s->makes.n; i++) {
		if (strncmp(((const struct effect *)s->makes.at[i])->dev, "/dev/", 5))
			return false;
	}
	return !s->secret && strcmp(s->argv.at[0], "mkdir");
}

void run_revive(struct run *r, unsigned last)
{
	size_t i, k;

	for (i = 0; i < r->made.plan->steps.n && i < last; i++) {
		const struct step *s = r->made.plan->steps.at[i];
		struct argv *again;

		if (s->again && is_for_devices(s) && !step_stands(r, s)) {
			r->n = s->n;
			again = argv_here(r, s, &s->argv);
			if (again)
				run_words(r, again);
		}
		for (k = 0; k < s->makes.n; k++) {
			const struct node *n = node_of(r, ((const struct effect *)s->makes.at[k])->dev);

			if (!n || !n->dev || device_now(r, n))
				continue;
			r->n = s->n;
			run_start_node(r, n, true);
		}
	}
}

/* udevd was kept off the disks: let it look at what has become of them. */
static void tell_udevd(struct run *r)
{
	struct argv trigger = { 0 }, settle = { 0 };
	size_t i;

	if (!udevd_runs())
		return;
	argv_addl(r->arena, &trigger, "udevadm", "trigger", "--action=change", NULL);
	for (i = 0; i < r->order.n_disks; i++) {
		if (!r->made.absent[i])
			argv_add(r->arena, &trigger, r->made.picks[i].disk->path);
	}
	run_words(r, &trigger);
	argv_addl(r->arena, &settle, "udevadm", "settle", "--timeout=30", NULL);
	run_words(r, &settle);
}

void run_let_go(struct run *r)
{
	bool held = r->locks;

	locks_release(r);
	if (held)
		tell_udevd(r);
}

int run_undo(struct run *r, unsigned last, bool careful, struct sbuf *said, struct err *e)
{
	struct err first = { 0 };
	unsigned i;
	int rc = 0;

	r->undoing = true;
	for (i = 0; strcmp(r->order.verb, "build") && i < last && i < r->made.plan->steps.n; i++)
		r->n_undo += is_here(r, r->made.plan->steps.at[i]);
	for (i = (unsigned)r->made.plan->steps.n; i-- > 0;) {
		const struct step *s = r->made.plan->steps.at[i];
		struct err now = { 0 };

		if (s->n > last || !undo_step(r, s, &now))
			continue;
		if (!rc)
			first = now;
		rc = -1;
		if (careful)
			break;
	}
	r->n = 0;
	if (rc && careful) {
		*e = first;
		return -1;
	}
	if (prove(r, said) == 0)
		return 0;
	if (rc)
		*e = first;
	else
		err_set(e, ERR_FAIL, "not every disk is blank");
	return -1;
}
