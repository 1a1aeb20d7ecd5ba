/* SPDX-License-Identifier: GPL-2.0-or-later */
/* remount - cold by unmounting and mounting again, or by exporting and importing a pool. */
#include "bench/remount.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "bench/session.h"
#include "build/job.h"
#include "store/store.h"

enum { BUSY_TRIES = 10, BUSY_MS = 200, FOLDER = sizeof("/sys/fs/btrfs/") - 1 };

static void argv_of(struct arena *a, const json_t *words, struct argv *out)
{
	const json_t *word;
	size_t i;

	*out = (struct argv){ 0 };
	json_array_foreach(words, i, word)
		argv_add(a, out, json_is_string(word) ? json_string_value(word) : "");
}

static bool is(const struct argv *v, size_t i, const char *word)
{
	return i < v->n && !strcmp(v->at[i], word);
}

/* "mount -t TYPE ... DEVICE POINT" */
static bool mounts(const struct argv *v, const struct mount_of *m)
{
	return v->n > 4 && is(v, 0, "mount") && is(v, 2, m->type) && is(v, v->n - 1, m->point) &&
	       is(v, v->n - 2, m->source);
}

/* "zfs set mountpoint=POINT POOL" */
static bool mounts_pool(struct arena *a, const struct argv *v, const struct mount_of *m)
{
	return v->n == 4 && is(v, 0, "zfs") && is(v, 3, m->source) &&
	       is(v, 2, arena_printf(a, "mountpoint=%s", m->point));
}

int remount_of_plan(struct arena *a, const json_t *plan, const struct mount_of *m,
		    enum cache_state how, struct remount *out)
{
	const json_t *steps = json_object_get(plan, "steps"), *step;
	size_t i;

	*out = (struct remount){ 0 };
	json_array_foreach(steps, i, step) {
		struct argv v;

		argv_of(a, json_object_get(step, "argv"), &v);
		if (how == CACHE_COLD_REMOUNT && mounts(&v, m)) {
			argv_addl(a, &out->down, "umount", m->point, NULL);
			out->up = v;
			return 0;
		}
		if (how == CACHE_COLD_EXPORT && mounts_pool(a, &v, m)) {
			argv_addl(a, &out->down, "zpool", "export", m->source, NULL);
			argv_addl(a, &out->up, "zpool", "import", m->source, NULL);
			return 0;
		}
	}
	return 1;
}

/* The folder of the btrfs a device is part of; NULL: none. */
static const char *btrfs_of(struct arena *a, dev_t dev)
{
	const char *link = arena_printf(a, "/sys/dev/block/%u:%u", major(dev), minor(dev));
	char real[PATH_MAX];
	const char *folder = NULL;
	glob_t found;

	if (!realpath(link, real) ||
	    glob(arena_printf(a, "/sys/fs/btrfs/*/devices%s", strrchr(real, '/')), GLOB_NOSORT, NULL,
		 &found) != 0)
		return NULL;
	folder = arena_strndup(a, found.gl_pathv[0], strcspn(found.gl_pathv[0] + FOLDER, "/") + FOLDER);
	globfree(&found);
	return folder;
}

static bool same_device(struct arena *a, dev_t x, dev_t y)
{
	const char *one = x == y ? NULL : btrfs_of(a, x), *other = one ? btrfs_of(a, y) : NULL;

	return x == y || (other && !strcmp(one, other));
}

/* A device has several names: the mount gets the one that the plan uses. */
static void name_as_planned(struct arena *a, const json_t *plan, struct mount_of *m)
{
	const json_t *steps = json_object_get(plan, "steps"), *step;
	struct stat here, there;
	size_t i;

	if (stat(m->source, &here) < 0 || !S_ISBLK(here.st_mode))
		return;
	json_array_foreach(steps, i, step) {
		struct argv v;

		argv_of(a, json_object_get(step, "argv"), &v);
		if (v.n > 4 && is(&v, 0, "mount") && is(&v, v.n - 1, m->point) &&
		    stat(v.at[v.n - 2], &there) == 0 && S_ISBLK(there.st_mode) &&
		    same_device(a, here.st_rdev, there.st_rdev))
			m->source = v.at[v.n - 2];
	}
}

static int find_in(struct arena *a, struct store *st, const struct mount_of *m,
		   enum cache_state how, struct remount *out, struct err *e)
{
	struct list builds = { 0 };
	size_t i;
	int rc = 1;

	if (store_builds(st, a, &builds, e) < 0)
		return -1;
	for (i = 0; rc > 0 && i < builds.n; i++) {
		const struct build *b = builds.at[i];
		struct mount_of as_planned = *m;
		json_t *plan;

		if (b->state != BUILD_BUILT)
			continue;
		plan = json_loads(b->plan ? b->plan : "", 0, NULL);
		name_as_planned(a, plan, &as_planned);
		rc = remount_of_plan(a, plan, &as_planned, how, out);
		json_decref(plan);
	}
	return rc;
}

static int find(struct arena *a, const struct bench_order *o, int target, enum cache_state how,
		struct remount *out, struct err *e)
{
	const char *word = cache_word(how);
	struct mount_of m = { 0 };
	struct store *st = NULL;
	int rc = 1;

	if (!mount_find(a, target, &m))
		return err_set(e, ERR_FAIL, "it is not known where %s is mounted", o->target);
	if (mount_is_zfs(&m) != (how == CACHE_COLD_EXPORT))
		return err_set(e, ERR_REFUSED, "%s: %s %s; cold or %s does", o->target, word,
			       how == CACHE_COLD_EXPORT ? "exports a pool of ZFS, and this is none" :
			       "does not empty the cache of ZFS",
			       cache_word(how == CACHE_COLD_EXPORT ? CACHE_COLD_REMOUNT :
					  CACHE_COLD_EXPORT));
	if (geteuid() != 0)
		return err_set(e, ERR_REFUSED, "%s: %s takes the file system away and brings it back, "
			       "and only root may; cold does without", o->target, word);
	if (!o->db || *o->db) {
		if (store_open_read(o->db, &st, e) < 0)
			return -1;
		rc = find_in(a, st, &m, how, out, e);
		store_close(st);
	}
	if (rc > 0)
		return err_set(e, ERR_REFUSED, "%s: %s takes away only what naslab mounted as a build of "
			       "one file system, and %s on %s is not; cold leaves it where it is",
			       o->target, word, m.source, m.point);
	return rc;
}

int remount_check(const struct bench_order *o, int target, struct err *e)
{
	struct arena *a = arena_new();
	struct remount r;
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < o->workloads.n; i++) {
		const struct workload *w = o->workloads.at[i];
		enum cache_state how = o->cache == CACHE_OWN ? w->cache : o->cache;

		if (cache_takes_away(how) && workload_ops(w, o->write, o->read))
			rc = find(a, o, target, how, &r, e);
	}
	arena_free(a);
	return rc;
}

static int run(const struct argv *v, struct err *e)
{
	const struct job j = { .argv = v->at };
	struct job_end end;

	return job_run(&j, &end, e);
}

/* What has just looked at a new file system lets go of it again soon. */
static int take_away(const struct remount *r, struct err *e)
{
	const struct timespec wait = { .tv_nsec = BUSY_MS * 1000000l };
	unsigned tries;
	int rc = -1;

	for (tries = 0; rc < 0 && tries < BUSY_TRIES; tries++) {
		*e = (struct err){ 0 };
		if (tries)
			nanosleep(&wait, NULL);
		rc = run(&r->down, e);
	}
	return rc;
}

int remount_target(struct session *s, enum cache_state how, struct err *e)
{
	struct arena *a = arena_new();
	struct remount r;
	struct err again = { 0 };
	int rc = find(a, s->order, s->dir.target, how, &r, e);

	if (rc == 0) {
		workdir_leave(&s->dir);
		rc = take_away(&r, e);
		if (rc < 0)
			err_in(e, "%s for a cold reading", s->order->target);
		else if (run(&r.up, e) < 0)
			rc = err_in(e, "%s was taken away for a cold reading and does not come back",
				    s->order->target);
		if (workdir_return(&s->dir, &again) < 0 && rc == 0) {
			*e = again;
			rc = -1;
		}
		s->dev = s->dir.dev;
	}
	arena_free(a);
	return rc;
}
