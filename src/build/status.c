/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status - what has become of a build: every layer as planned and as it is now.
 *
 * The plan is made again from the recorded layout and the disks found now, and each
 * node is asked below the given root, so a recorded machine can be asked as well.
 */
#include <string.h>
#include <sys/statvfs.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "bench/gates.h"
#include "bench/usable.h"
#include "build/build.h"
#include "build/health.h"
#include "build/run.h"

static void put_live(json_t *o, const struct live *l)
{
	json_put_str(o, "state", l->state ? l->state : "unknown");
	if (l->detail)
		json_put_str(o, "detail", l->detail);
	if (!l->sync_running)
		return;
	json_object_set_new(o, "sync_percent", json_real(l->sync_percent));
	json_put_u64(o, "sync_bps", l->sync_bps);
	if (l->sync_left_ns)
		json_put_u64(o, "sync_left_ns", l->sync_left_ns);
}

/* A mounted file system that its layer did not measure itself. */
static void measure_folder(const struct node *n, const char *root, struct live *l)
{
	struct statvfs v;

	if (*root || l->total || !folder_is_mounted("", n->dir) || statvfs(n->dir, &v))
		return;
	l->present = true;
	l->total = (uint64_t)v.f_blocks * v.f_frsize;
	l->avail = (uint64_t)v.f_bavail * v.f_frsize;
	if (!l->state || !strcmp(l->state, "missing"))
		l->state = "ok";
}

/* The file system's row: what statvfs says beside what was planned. */
static bool put_filesystem(json_t *o, const struct node *n, const struct live *l)
{
	if (l->total) {
		json_put_u64(o, "actual_total_bytes", l->total);
		json_put_u64(o, "actual_avail_bytes", l->avail);
	} else {
		json_object_set_new(o, "actual_total_bytes", json_null());
		json_object_set_new(o, "actual_avail_bytes", json_null());
	}
	put_live(o, l);
	return l->total && (!n->fs.known || n->fs.estimate || n->fs.total == l->total);
}

/* One layer's row. For a folder the bytes are those of the devices it lies on. */
static bool put_layer(json_t *o, const struct node *n, const struct live *l, uint64_t below)
{
	uint64_t bytes = l->bytes ? l->bytes : n->gives == THING_DIR && l->present ? below : 0;

	if (bytes)
		json_put_u64(o, "actual_bytes", bytes);
	else
		json_object_set_new(o, "actual_bytes", json_null());
	put_live(o, l);
	return n->left_out || (l->present && bytes == n->bytes);
}

/* Walk the nodes in the order plan_json() put them down. */
static int ask_nodes(const struct remade *m, struct arena *a, const char *root, json_t *out,
		     struct err *e)
{
	const struct stack *s = m->stack;
	json_t *rows = json_object_get(out, "layers");
	json_t *folders = json_object_get(out, "filesystems");
	uint64_t *actual = arena_array(a, s->nodes.n, sizeof(*actual));
	bool agrees = !m->n_absent;
	size_t i, k, layer = 0, folder = 0;

	for (i = 0; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];
		struct live live = { 0 };
		uint64_t below = 0;

		if (i < s->n_disks) {
			actual[n->id] = n->disk->bytes;
			continue;
		}
		if (n->left_out && !n->bytes)
			continue;
		if (!n->left_out && stack_status(n, root, a, &live, e))
			return err_in(e, "%s", n->name);
		if (n->gives == THING_DIR)
			measure_folder(n, root, &live);
		if (!*root && !n->left_out)
			health_ask(n, s->name, a, &live);
		for (k = 0; k < n->n_kids; k++)
			below += actual[n->kids[k]->id];
		actual[n->id] = live.bytes ? live.bytes : live.present ? below : 0;
		if (n->left_out)
			live.state = "left out";
		agrees &= put_layer(json_array_get(rows, layer++), n, &live, below);
		if (n->gives == THING_DIR)
			agrees &= put_filesystem(json_array_get(folders, folder++), n, &live);
	}
	json_object_set_new(out, "agrees", json_boolean(agrees));
	return 0;
}

/* How long it took; when nothing goes on and nobody noted it yet, that is noted. */
static void put_times(json_t *o, struct store *st, const struct build *b, const struct remade *m,
		      const struct order *order, struct arena *a)
{
	struct list disks = { 0 };
	struct build_times t;
	struct sbuf words = { 0 };
	struct err ignored = { 0 };
	struct gate g;
	size_t i;

	for (i = 0; i < order->n_disks; i++) {
		if (!m->absent[i])
			list_add(a, &disks, (void *)(uintptr_t)m->picks[i].disk->name);
	}
	if (usable_of_build(st, b, &t, &ignored) == 0 && !t.idle_ns && !usable_busy(a, &disks, &g) &&
	    usable_idle(st, b, true, &ignored) == 0)
		usable_of_build(st, b, &t, &ignored);
	if (!t.usable_ns)
		return;
	json_put_u64(o, "usable_ns", t.usable_ns);
	json_put_u64(o, "format_ns", t.format_ns);
	if (t.idle_ns) {
		json_put_u64(o, "idle_ns", t.idle_ns);
		json_object_set_new(o, "idle_at_most", json_boolean(t.idle_at_most));
	}
	usable_words(&t, &words);
	if (usable_simulated()) {
		sbuf_add(&words, " (simulated)");
		json_object_set_new(o, "simulated", json_true());
	}
	json_put_str(o, "times", sbuf_str(&words));
	sbuf_done(&words);
}

int build_status(struct store *st, const char *name, const char *root, json_t **out,
		 struct err *e)
{
	struct arena *a = arena_new();
	struct remade made = { 0 };
	json_t *json = NULL, *object = NULL, *absent;
	struct order order;
	struct build b;
	size_t i;
	int rc = store_build_find(st, name, a, &b, e);

	if (rc == 1)
		rc = err_set(e, ERR_FAIL, "there is no build named %.40s", name);
	if (rc)
		goto out;
	json = json_loads(b.order, 0, NULL);
	rc = order_read(a, json, &order, e);
	if (rc == 0 && b.state == BUILD_WAITING)
		rc = absent_read(st, b.id, &order, e);
	if (rc == 0)
		rc = remake(a, &order, root, true, &made, e);
	if (rc) {
		err_in(e, "what is recorded of %s", b.name);
		goto out;
	}
	object = plan_json(made.plan);
	json_object_del(object, "steps");
	json_object_del(object, "advice");
	absent = json_array();
	for (i = 0; i < order.n_disks; i++) {
		if (made.absent[i] && !order.disks[i].cleared)
			json_add_str(absent, order.disks[i].id.name ? order.disks[i].id.name :
				     order.disks[i].id.path);
	}
	json_object_set_new(object, "absent", absent);
	json_put_str(object, "build", build_state_word(b.state));
	json_object_set_new(object, "working", json_boolean(executor_alive(&b, a)));
	if (!*root && b.state == BUILD_BUILT)
		put_times(object, st, &b, &made, &order, a);
	rc = ask_nodes(&made, a, root, object, e);
	if (rc == 0)
		*out = json_incref(object);
out:
	json_decref(object);
	json_decref(json);
	remade_free(&made);
	arena_free(a);
	return rc;
}

bool build_is_down(const json_t *status)
{
	const json_t *row;
	bool down = false;
	size_t i;

	json_array_foreach(json_object_get(status, "layers"), i, row)
		down |= !strcmp(json_str(row, "state") ? json_str(row, "state") : "", "missing");
	return down && !strcmp(json_str(status, "build") ? json_str(status, "build") : "", "built");
}
