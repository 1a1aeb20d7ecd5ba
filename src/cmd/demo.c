/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demo - naslab's main job, unattended, in a minute or two: six unequal virtual disks in
 * the sandbox, a layout that wastes nothing of them, its predicted sizes against those of
 * the kernel, two classes measured and drawn, all of it taken away again.
 *
 * `demo` starts the sandbox; in there the same program runs `demo-inside`, which calls
 * what the verbs and the screens call.
 */
#include "cmd/cmd.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/demo.h"
#include "cmd/follow.h"

#define LAYOUT "slice | md redundancy=1 | lvm | xfs"
#define NAME "demo"

enum { MOST_RESULTS = 8, REPS = 7, SYNC_WAIT_S = 120 };

static const char *const disks[] = { "2xhdd:600MiB", "2xhdd:900MiB", "2xhdd:1500MiB" };

static const char *const classes[] = { "small-text", "500M" };
#define SCALE 0.04	/* enough to see a bar, little enough for two minutes */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A word of an event; "" when it has none. */
static const char *word(const json_t *event, const char *key)
{
	const char *text = json_str(event, key);

	return text ? text : "";
}

static void pause_ms(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

struct measuring {
	struct demo_result result[MOST_RESULTS];
	size_t n;
	uint64_t round;
};

static double mbps(const json_t *event, const char *key)
{
	return (double)json_u64(event, key, 0) / 1e6;
}

/*
 * A line for every round as it goes; the bars follow when all runs are there. Durable
 * rates: at this size the felt ones are those of the memory.
 */
static void show_bench(struct demo *d, const json_t *event, struct measuring *m)
{
	const char *kind = word(event, "event");

	if (!strcmp(kind, "run")) {
		uint64_t round = json_u64(event, "rep", 0);
		char rate[SIZE_TEXT];

		if (round != m->round)
			printf("%s round %" PRIu64 " of %d:", m->round ? "\n" : "", round, REPS);
		m->round = round;
		printf("  %s %.1s %s", word(event, "class"), word(event, "op"),
		       plain_number_text(rate, mbps(event, "durable_bps")));
		fflush(stdout);
	} else if (!strcmp(kind, "result") && m->n < MOST_RESULTS) {
		uint64_t bytes = json_u64(event, "bytes", 0);
		const json_t *moved = json_object_get(event, "disk_bytes");

		m->result[m->n++] = (struct demo_result){
			.class = arena_strdup(d->arena, word(event, "class")),
			.op = arena_strdup(d->arena, word(event, "op")),
			.min = mbps(event, "durable_min_bps"),
			.median = mbps(event, "durable_median_bps"),
			.max = mbps(event, "durable_max_bps"),
			.runs = (unsigned)json_u64(event, "runs", 0),
			.disk_per_file = bytes && json_is_integer(moved) ?
				(double)json_integer_value(moved) / (double)bytes : NAN,
		};
	}
}

/* Hand the order to an executor and show what it measures until it ends. */
static int measure_order(struct demo *d, const json_t *order, struct measuring *m, struct err *e)
{
	struct executor x;
	json_t *event;
	bool ok = false;
	int rc;

	if (executor_start(order, false, &x, e) < 0)
		return -1;
	while ((rc = executor_next(&x, &event, e)) >= 0) {
		if (rc == 0) {
			executor_wait(&x, 1000);
			continue;
		}
		if (!strcmp(word(event, "event"), "end")) {
			ok = json_is_true(json_object_get(event, "ok"));
			if (!ok)
				err_set(e, ERR_FAIL, "%s", word(event, "text"));
		} else {
			show_bench(d, event, m);
		}
		json_decref(event);
	}
	executor_done(&x);
	if (!ok && !e->kind)
		err_set(e, ERR_FAIL, "the executor ended without a word");
	return ok ? 0 : -1;
}

/* The disks as the kernel inside has them, all taken; the layout; the plan. */
static int prepare(struct demo *d, struct err *e)
{
	struct pick *picks;
	size_t i, n = 0;

	if (inventory_read("", &d->disks, e) < 0)
		return -1;
	picks = arena_array(d->arena, d->disks->n_disks + 1, sizeof(*picks));
	for (i = 0; i < d->disks->n_disks; i++) {
		if (d->disks->disks[i].state == DISK_FREE)
			picks[n++] = (struct pick){ .disk = &d->disks->disks[i] };
	}
	if (recipe_parse(LAYOUT, NULL, &d->recipe, e) < 0 ||
	    stack_make(d->recipe, NAME, picks, n, &d->stack, e) < 0)
		return -1;
	return plan_make(d->stack, &d->plan, e);
}

/* Wait until no array is at its first sync: it would be measured along. */
static int wait_for_sync(struct store *st, struct err *e)
{
	uint64_t begin = now_ns();
	bool said = false;

	for (;;) {
		json_t *status, *layer;
		bool syncing = false;
		size_t i;

		if (build_status(st, NAME, "", &status, e) < 0)
			return -1;
		json_array_foreach(json_object_get(status, "layers"), i, layer)
			syncing |= !strcmp(word(layer, "state"), "syncing") ||
				   !strcmp(word(layer, "state"), "delayed");
		json_decref(status);
		if (!syncing || now_ns() - begin > SYNC_WAIT_S * 1000000000ull)
			break;
		if (!said)
			printf(" The arrays write their first parity; measured is what comes after.\n");
		said = true;
		fflush(stdout);
		pause_ms(500);
	}
	return 0;
}

/* Every layer: what the plan said against what the kernel says. */
static int compare_sizes(struct store *st, struct err *e)
{
	json_t *status;
	bool agrees;

	if (build_status(st, NAME, "", &status, e) < 0)
		return -1;
	print_status(status);
	agrees = json_is_true(json_object_get(status, "agrees"));
	json_decref(status);
	return agrees ? 0 : err_set(e, ERR_FAIL, "demo: a size is not as predicted");
}

static int measure(struct demo *d, struct err *e)
{
	const struct node *top = d->stack->tops.at[0];
	struct bench_order o = {
		.target = top->dir, .build = NAME, .label = LAYOUT, .write = true, .read = true,
		.reps = REPS, .scale = SCALE, .cache = CACHE_COLD, .db = d->db,
	};
	struct measuring m = { 0 };
	json_t *order;
	size_t i;
	int rc;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		struct workload *w = arena_alloc(d->arena, sizeof(*w));

		if (workload_find(d->arena, classes[i], w, e) < 0)
			return -1;
		list_add(d->arena, &o.workloads, w);
	}
	order = bench_order_json(&o);
	rc = measure_order(d, order, &m, e);
	json_decref(order);
	if (m.round)
		printf("\n\n");
	if (rc == 0)
		demo_show_results(d, m.result, m.n);
	return rc;
}

/* Look at every disk again: nothing may be recognised on any. */
static int prove_blank(const struct demo *d, struct err *e)
{
	struct inventory *now = NULL;
	size_t i, blank = 0;
	int rc = 0;

	if (inventory_read("", &now, e) < 0)
		return -1;
	for (i = 0; i < d->stack->n_disks; i++) {
		const struct node *n = d->stack->nodes.at[i];
		const struct disk *disk = inventory_find(now, n->name);

		if (disk && disk->state == DISK_FREE && !disk->n_sigs && !disk->n_parts)
			blank++;
		else
			rc = err_set(e, ERR_FAIL, "demo: %s is not blank: %s", n->name,
				     disk && disk->why ? disk->why : "it is not there");
	}
	inventory_free(now);
	if (rc == 0)
		printf("\n Looked at again: nothing is recognised on %zu of %zu disks.\n", blank,
		       d->stack->n_disks);
	return rc;
}

/* An order whose events are lines of steps; the exit status. */
static int steps(json_t *order)
{
	int status;

	fflush(stdout);
	status = follow(order, false);
	json_decref(order);
	return status;
}

static int compare_and_measure(struct demo *d, struct err *e)
{
	struct store *st = NULL;
	int rc;

	demo_heading(d, "4 predicted against actual, bytes");
	if (store_open(d->db, &st, e) < 0)
		return -1;
	rc = compare_sizes(st, e);
	if (rc == 0) {
		demo_heading(d, "5 measured, MB/s durable: simulated disks, not a model of speed");
		rc = wait_for_sync(st, e);
	}
	store_close(st);
	return rc < 0 ? -1 : measure(d, e);
}

/* The story; the exit status. */
static int story(struct demo *d)
{
	struct err e = { 0 };
	int status, rc;

	demo_heading(d, "1 six unequal disks, all virtual: nothing on this machine is touched");
	if (prepare(d, &e) < 0)
		return fail(&e);
	demo_show_disks(d);
	demo_heading(d, "2 the layout: %s", LAYOUT);
	demo_show_layout(d);
	demo_heading(d, "3 built on a real kernel: %zu steps", d->plan->steps.n);
	status = steps(order_build(d->plan, d->db, NULL));
	if (status)
		return status;
	rc = compare_and_measure(d, &e);
	if (rc < 0)
		return fail(&e);
	demo_heading(d, "6 destroyed, top layer first");
	status = steps(order_simple("destroy", NAME, d->db));
	if (status)
		return status;
	return prove_blank(d, &e) < 0 ? fail(&e) : 0;
}

/* argv: the glyphs ("full", "console", "ascii") and "colour" or "plain". */
static int run_inside(int argc, char **argv)
{
	struct demo d = { .arena = arena_new(), .db = option("db"), .tier = TIER_ASCII };
	int status;

	if (argc != 2 || !sandbox_inside())
		return usage_error("it is run by naslab demo, in the sandbox");
	if (!strcmp(argv[0], "full"))
		d.tier = TIER_FULL;
	else if (!strcmp(argv[0], "console"))
		d.tier = TIER_CONSOLE;
	d.colour = !strcmp(argv[1], "colour");
	status = story(&d);
	plan_free(d.plan);
	stack_free(d.stack);
	recipe_free(d.recipe);
	inventory_free(d.disks);
	arena_free(d.arena);
	fflush(stdout);
	return status;
}

static const char *glyphs(void)
{
	setlocale(LC_CTYPE, "");
	switch (tier_for(nl_langinfo(CODESET), isatty(1) ? getenv("TERM") : NULL)) {
	case TIER_FULL:
		return "full";
	case TIER_CONSOLE:
		return "console";
	default:
		return "ascii";
	}
}

static int run(int argc, char **argv)
{
	const char *mono = getenv("NO_COLOR");
	const char *colour = isatty(1) && !(mono && *mono) ? "colour" : "plain";
	char *command[5] = { NULL };
	struct inventory *inv = inventory_new();
	struct sandbox s = { .disks = inv, .command = command };
	struct arena *a = arena_new();
	uint64_t begin = now_ns();
	struct err e = { 0 };
	int status = 1, rc;
	size_t i;

	(void)argv;
	if (argc)
		return usage_error("it takes no arguments");
	rc = sandbox_available(&e);
	for (i = 0; rc == 0 && i < sizeof(disks) / sizeof(disks[0]); i++) {
		if (inventory_add_virtual(inv, disks[i], &e) < 0)
			rc = -1;
	}
	command[0] = arena_strdup(a, "naslab");
	command[1] = arena_strdup(a, "demo-inside");
	command[2] = arena_strdup(a, glyphs());
	command[3] = arena_strdup(a, colour);
	if (rc == 0) {
		printf("naslab's main job, unattended, in about two minutes. A real Linux kernel starts"
		       "\nas a plain process, without root ...\n");
		fflush(stdout);
		rc = sandbox_run(&s, &status, &e);
	}
	arena_free(a);
	inventory_free(inv);
	if (rc < 0)
		return fail(&e);
	if (status == 0) {
		char took[SIZE_TEXT];

		printf("\n Done in %s. Next: naslab (the screens), or naslab --help.\n",
		       duration_text(took, now_ns() - begin));
	}
	return status;
}

const struct verb verb_demo = {
	.name = "demo",
	.usage = "",
	.help = "the main job unattended, in a sandbox: build, measure, draw, destroy",
	.about = "Six unequal virtual disks in a sandbox, the layout " LAYOUT ": its predicted "
		 "sizes against those of the kernel, two classes measured and drawn, and all of it "
		 "taken away again. Needs no root, no disks and no terminal.",
	.run = run,
};

const struct verb verb_demo_inside = {
	.name = "demo-inside",
	.usage = "GLYPHS COLOUR",
	.help = "what naslab demo runs in the sandbox",
	.hidden = true,
	.run = run_inside,
};
