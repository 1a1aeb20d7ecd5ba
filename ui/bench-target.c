/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-target - where to measure: the build that is open, else the newest one that is
 * built; one of the others from a list; or a folder that is typed. And what: a suite.
 */
#include "ui/bench.h"

#include <string.h>

/* Is its file system mounted? Else there is nothing to measure on. */
static bool is_mounted(struct ui *ui, struct arena *a, const char *name)
{
	struct bench_order o = { .db = ui->s->db };
	struct err e = { 0 };

	return bench_find_target(a, name, &o, &e) == 0 || e.kind == ERR_USAGE;
}

/* What is built and mounted, newest first: names, and layouts for the list. */
static void read_targets(struct ui *ui, struct bench *b, struct list *layouts)
{
	struct store *st = NULL;
	struct list all = { 0 };
	struct err e = { 0 };
	size_t i;

	arena_free(b->targets_arena);
	b->targets_arena = arena_new();
	b->targets = (struct list){ 0 };
	if (store_exists(ui->s->db) && (store_open_read(ui->s->db, &st, &e) < 0 ||
					store_builds(st, b->targets_arena, &all, &e) < 0))
		ui_fail(ui, &e);
	store_close(st);
	for (i = all.n; i--; ) {
		const struct build *build = all.at[i];
		struct sbuf line = { 0 };
		struct recipe *r;

		if (build->state != BUILD_BUILT || !is_mounted(ui, b->targets_arena, build->name))
			continue;
		if (recipe_parse(build->layout, NULL, &r, &e) == 0) {
			recipe_line(r, &line);
			recipe_free(r);
		}
		list_add(b->targets_arena, &b->targets, (void *)build->name);
		list_add(b->targets_arena, layouts,
			 arena_strdup(b->targets_arena, sbuf_str(&line)));
		sbuf_done(&line);
	}
}

static bool is_there(const struct bench *b, const char *name, size_t *at)
{
	for (*at = 0; name && *at < b->targets.n; ++*at) {
		if (!strcmp(b->targets.at[*at], name))
			return true;
	}
	return false;
}

static void set_target(struct bench *b, const char *target, const char *layout)
{
	snprintf(b->target, sizeof(b->target), "%s", target);
	snprintf(b->what, sizeof(b->what), "%s", layout);
}

void bench_target_default(struct ui *ui, struct bench *b)
{
	struct list layouts = { 0 };
	size_t at;

	if (strchr(b->target, '/'))
		return;		/* a folder was chosen */
	read_targets(ui, b, &layouts);
	if (is_there(b, ui->s->open_name, &at) || is_there(b, b->target, &at))
		set_target(b, b->targets.at[at], layouts.at[at]);
	else if (b->targets.n)
		set_target(b, b->targets.at[0], layouts.at[0]);
	else
		set_target(b, "", "");
}

static int folder_take(struct ui *ui, void *arg, const char *text, struct err *e)
{
	if (!strchr(text, '/'))
		return err_set(e, ERR_USAGE, "a folder has a / in its path, like /srv/media");
	set_target(arg, text, "");
	bench_look(ui, arg);
	return 0;
}

static void type_folder(struct ui *ui, struct bench *b)
{
	ui_prompt(ui, &(struct prompt){ .title = "Where to measure", .about =
		  "A folder, like /srv/media: files are made in it and taken away again",
		  .text = strchr(b->target, '/') ? b->target : "", .take = folder_take, .arg = b });
}

static void target_take(struct ui *ui, void *arg, size_t at)
{
	struct bench *b = arg;

	if (at >= b->targets.n) {
		type_folder(ui, b);
		return;
	}
	session_open(ui->s, b->targets.at[at]);
	set_target(b, "", "");
	bench_target_default(ui, b);
	bench_look(ui, b);
}

void bench_target_choose(struct ui *ui, struct bench *b)
{
	struct list layouts = { 0 };
	struct arena *a;
	struct choice *c;
	size_t i, at;

	read_targets(ui, b, &layouts);
	if (!b->targets.n) {
		type_folder(ui, b);
		return;
	}
	a = arena_new();
	c = arena_array(a, b->targets.n + 1, sizeof(*c));
	for (i = 0; i < b->targets.n; i++) {
		c[i].label = arena_strdup(a, b->targets.at[i]);
		c[i].note = arena_strdup(a, safe_text(layouts.at[i]));
		c[i].help = "measures on the file system of this build";
	}
	c[i].label = "a folder";
	c[i].help = "types the path of any folder that can be written to";
	if (!is_there(b, b->target, &at))
		at = strchr(b->target, '/') ? b->targets.n : 0;
	ui_choose(ui, &(struct choices){ .title = "Where to measure", .items = c,
		  .n = b->targets.n + 1, .at = at, .arena = a, .take = target_take, .arg = b });
}

/* --- suites ------------------------------------------------------------------------------ */

static void take_suite(const struct ui *ui, struct bench *b, const struct suite *s)
{
	bool lab = ui->s->place == PLACE_LAB;
	size_t i, k;

	b->suite = s;
	if (!s)
		return;
	for (i = 0; i < b->workloads.n; i++) {
		const struct workload *w = b->workloads.at[i];

		b->chosen[i] = false;
		for (k = 0; k < s->workloads.n; k++)
			b->chosen[i] |= !strcmp(((const struct workload *)s->workloads.at[k])->name, w->name);
	}
	b->reps = s->reps ? s->reps : 7;
	b->cache = s->has_cache ? s->cache : CACHE_OWN;
	b->scale = s->scale > 0 ? s->scale : 1;
	if (lab)	/* its disks are small, whatever the suite was made for */
		b->scale *= 0.02;
}

static void suite_take(struct ui *ui, void *arg, size_t at)
{
	struct bench *b = arg;

	take_suite(ui, b, at ? b->suites.at[at - 1] : NULL);
	bench_look(ui, b);
}

void bench_suite_choose(struct ui *ui, struct bench *b)
{
	struct arena *a = arena_new();
	struct choice *c = arena_array(a, b->suites.n + 1, sizeof(*c));
	size_t i, at = 0;

	c[0] = (struct choice){ .label = "none", .note = "the classes that are chosen below",
				.help = "keeps what is chosen now" };
	for (i = 0; i < b->suites.n; i++) {
		const struct suite *s = b->suites.at[i];

		c[i + 1] = (struct choice){ .label = arena_strdup(a, safe_text(s->name)),
					    .note = arena_strdup(a, safe_text(s->title)),
					    .help = arena_strdup(a, safe_text(s->about ? s->about : s->title)) };
		if (s == b->suite)
			at = i + 1;
	}
	ui_choose(ui, &(struct choices){ .title = "Which suite", .items = c, .n = b->suites.n + 1,
		  .at = at, .arena = a, .take = suite_take, .arg = b });
}
