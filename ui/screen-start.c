/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen-start - where to begin: the practice lab, this machine, a purchase, a build that
 * exists, or what a crash left. With no spare disk the cursor is on the practice lab.
 */
#include "ui/campaign.h"

#include <string.h>
#include <unistd.h>

enum { LAB = ACT_SCREEN, MACHINE, PURCHASE, OPEN, UNFINISHED, RESULTS, CAMPAIGNS };

struct start {
	struct roll roll;
	bool looked;		/* the machine and the database have been read */
	bool moved;
	json_t *builds;		/* array of {name, layout, state, at} */
	json_t *unfinished;
	size_t n_results;
	bool unknown;		/* the database cannot be read */
	char campaign[80];	/* the newest one, in words */
};

static const struct item {
	int act;
	const char *key, *label;
} items[] = {
	{ LAB, "p", "Practice lab" },
	{ MACHINE, "m", "This machine" },
	{ PURCHASE, "n", "Plan a purchase" },
	{ OPEN, "o", "Open a build" },
	{ CAMPAIGNS, "c", "Campaigns" },
	{ RESULTS, "v", "Results" },
	{ UNFINISHED, "w", "Unfinished" },
};
enum { N_ITEMS = sizeof(items) / sizeof(items[0]) };

static bool item_shown(const struct start *st, int act)
{
	if (act == LAB)
		return !sandbox_inside();
	if (act == UNFINISHED)
		return json_array_size(st->unfinished) > 0;
	return true;
}

static size_t shown_items(const struct start *st, const struct item *out[N_ITEMS])
{
	size_t i, n = 0;

	for (i = 0; i < N_ITEMS; i++) {
		if (item_shown(st, items[i].act))
			out[n++] = &items[i];
	}
	return n;
}

static bool has_spare_disk(const struct session *s)
{
	size_t i;

	for (i = 0; s->inv && i < s->inv->n_disks; i++) {
		if (s->inv->disks[i].state == DISK_FREE)
			return true;
	}
	return false;
}

/* The layout of a build in one line. */
static void put_layout(json_t *o, const char *text)
{
	struct sbuf line = { 0 };
	struct err e = { 0 };
	struct recipe *r;

	if (recipe_parse(text, NULL, &r, &e) == 0) {
		recipe_line(r, &line);
		recipe_free(r);
	}
	json_put_str(o, "layout", sbuf_str(&line));
	sbuf_done(&line);
}

/* The campaign that was begun last. */
static int read_campaigns(struct start *st, struct store *store, struct arena *a, struct err *e)
{
	struct list all = { 0 }, cells = { 0 };
	const struct stored_campaign *c;

	st->campaign[0] = '\0';
	if (store_campaigns(store, a, &all, e) < 0)
		return -1;
	if (!all.n)
		return 0;
	c = all.at[all.n - 1];
	if (store_cells(store, c->id, a, &cells, e) < 0)
		return -1;
	snprintf(st->campaign, sizeof(st->campaign), "%s  %s, %zu of %zu cells", c->name,
		 campaign_alive(c) ? "runs" : campaign_ended(&cells) < cells.n ? "stopped" : "done",
		 campaign_ended(&cells), cells.n);
	return 0;
}

/* Read the builds of the database; one that is not there yet has none. */
static void read_builds(struct ui *ui, struct start *st)
{
	struct arena *a = arena_new();
	struct list found = { 0 };
	struct store *store = NULL;
	json_t *results = NULL;
	struct err e = { 0 };
	size_t i;

	json_decref(st->builds);
	json_decref(st->unfinished);
	st->builds = json_array();
	st->unfinished = NULL;
	st->n_results = 0;
	st->unknown = false;
	if (!store_exists(ui->s->db))
		goto out;
	if (store_open_read(ui->s->db, &store, &e) < 0 ||
	    store_builds(store, a, &found, &e) < 0 ||
	    build_unfinished(store, &st->unfinished, &e) < 0 ||
	    store_results(store, &results, &e) < 0 || read_campaigns(st, store, a, &e) < 0) {
		ui_fail(ui, &e);
		st->unknown = true;
		goto out;
	}
	st->n_results = json_array_size(results);
	json_decref(results);
	for (i = 0; i < found.n; i++) {
		const struct build *b = found.at[i];
		json_t *o;

		if (b->state == BUILD_DESTROYED || b->state == BUILD_FAILED)
			continue;
		o = json_object();
		json_put_str(o, "name", b->name);
		put_layout(o, b->layout);
		json_put_str(o, "state", build_state_word(b->state));
		json_array_append_new(st->builds, o);
		if (b->executor_pid && b->state != BUILD_BUILT && !ui->s->work.runs &&
		    work_attach(&ui->s->work, ui->s->db, b->name, &e) < 0)
			ui_fail(ui, &e);	/* else it is shown while it works */
	}
out:
	store_close(store);
	arena_free(a);
}

static int start_enter(struct ui *ui, void *state)
{
	struct start *st = state;

	(void)ui;
	st->looked = false;	/* the database may have changed since */
	return 0;
}

static void start_tick(struct ui *ui, void *state)
{
	struct start *st = state;
	struct err e = { 0 };

	if (st->looked || ui_top(ui) != &screen_start)
		return;
	st->looked = true;
	if (!ui->s->inv && session_look(ui->s, &e) < 0)
		ui_fail(ui, &e);
	read_builds(ui, st);
	if (!st->moved) {
		st->roll.at = 0;
		if (item_shown(st, LAB) && has_spare_disk(ui->s))
			st->roll.at = 1;
	}
	ui->changed = true;
}

static unsigned start_every(const struct ui *ui, void *state)
{
	return ui_top(ui) == &screen_start && !((struct start *)state)->looked ? 1 : 0;
}

/* The words behind an item: what is there. */
static void item_note(const struct ui *ui, const struct start *st, int act, struct sbuf *out)
{
	const char *name, *layout, *state;
	size_t n = json_array_size(st->builds);
	struct err e = { 0 };

	switch (act) {
	case LAB:
		if (sandbox_available(&e) < 0) {
			sbuf_add(out, e.text);
			break;
		}
		sbuf_add(out, "2x3, 2x5, 2x10 GB disks and an SSD, all virtual: nothing "
			 "on this machine is touched, no root, ready in seconds");
		break;
	case MACHINE:
		if (ui->s->elsewhere)
			sbuf_add(out, "back to the disks of this machine");
		else
			session_counts(ui->s, out);
		break;
	case PURCHASE:
		sbuf_add(out, "type disks you might buy:  4xhdd:8T ssd:1T");
		break;
	case OPEN:
		if (!n) {
			sbuf_add(out, st->unknown ? "not known: the database cannot be read" :
				 "none yet");
			break;
		}
		name = json_str(json_array_get(st->builds, n - 1), "name");
		layout = json_str(json_array_get(st->builds, n - 1), "layout");
		state = json_str(json_array_get(st->builds, n - 1), "state");
		sbuf_addf(out, "%s  %s  %s", name, state, n > 1 ? "and others  " : "");
		sbuf_add_safe(out, layout ? layout : "");
		break;
	case CAMPAIGNS:
		sbuf_add(out, st->campaign[0] ? st->campaign : "layouts x options x workloads, by "
			 "itself, for days");
		break;
	case RESULTS:
		if (st->n_results)
			sbuf_addf(out, "%zu bar%s measured", st->n_results, st->n_results == 1 ? "" : "s");
		else
			sbuf_add(out, st->unknown ? "not known" : "nothing measured yet");
		break;
	default:
		sbuf_add_safe(out, json_str(json_array_get(st->unfinished, 0), "text"));
		break;
	}
}

static void start_draw(struct ui *ui, void *state, struct area body)
{
	struct start *st = state;
	const struct item *shown[N_ITEMS];
	size_t n = shown_items(st, shown), i;
	unsigned row = body.row, left = ui_is_small() ? 5 : 22;

	ui_head(ui, "naslab", st->looked ? "" : "looking", "");
	if (body.rows >= 16) {
		row++;
		draw_text(row, 3, PAINT_TEXT, "What can these disks become, how safe is it, how "
			  "fast is it? Try it first.");
		row += 2;
	}
	roll_fit(&st->roll, n, (unsigned)n);
	for (i = 0; i < n; i++) {
		bool on = i == st->roll.at;
		struct sbuf note = { 0 };
		unsigned used;

		draw_text(row, 1, on ? PAINT_CHOSEN : PAINT_TEXT, on ? "▶" : " ");
		draw_text(row, 3, PAINT_BOLD, shown[i]->key);
		draw_cell(row, 6, 15, on ? PAINT_CHOSEN : PAINT_TEXT, CUT_END,
			  shown[i]->act == MACHINE && sandbox_inside() ? "The lab's disks" : shown[i]->label);
		if (on)
			ui_cursor(ui, row, 3);
		item_note(ui, st, shown[i]->act, &note);
		if (left < 22) {
			row++;
			if (n * 2 <= body.rows || on)
				draw_cell(row++, left + 1, body.cols - left - 2, PAINT_TEXT, CUT_END,
					  sbuf_str(&note));
		} else {
			used = draw_wrapped((struct area){ row, left, 2, body.cols - left - 1 },
					    PAINT_TEXT, sbuf_str(&note));
			row += used > 1 ? used : 1;
		}
		sbuf_done(&note);
	}
	if (row + 3 < body.row + body.rows && body.cols >= 80) {
		struct sbuf way = { 0 };

		for (i = 1; ui_step((unsigned)i); i++)
			sbuf_addf(&way, "%s%s", i > 1 ? " → " : "", ui_step((unsigned)i)->title);
		draw_textf(row + 1, 3, PAINT_TEXT, "The way:   %s", sbuf_str(&way));
		draw_text(row + 2, 3, PAINT_TEXT, "any step may be looked at any time; it says "
			  "what it still needs");
		sbuf_done(&way);
	}
}

/* --- what the items do ----------------------------------------------------------------- */

/* The unequal disks of many a NAS, a thousandth in size: so that a sync ends in a minute. */
static void run_lab(struct ui *ui)
{
	static const char *const disks[] = { "2xhdd:3GiB", "2xhdd:5GiB", "2xhdd:10GiB", "ssd:1GiB" };
	struct inventory *inv = inventory_new();
	struct err e = { 0 };
	struct sandbox lab = { .disks = inv, .memory = 1 * GIB, .tty = true };
	int status = 0, rc = 0;
	size_t i;

	for (i = 0; rc >= 0 && i < sizeof(disks) / sizeof(disks[0]); i++)
		rc = inventory_add_virtual(inv, disks[i], &e);
	if (rc >= 0 && (rc = sandbox_available(&e)) == 0) {
		term_leave();
		rc = sandbox_run(&lab, &status, &e);
		term_return();
	}
	inventory_free(inv);
	if (rc < 0)
		ui_fail(ui, &e);
	else if (status)
		ui_say(ui, '!', "the practice lab ended with status %d", status);
	else
		ui_say(ui, ' ', "back from the practice lab; its disks are gone");
}

static int purchase_take(struct ui *ui, void *arg, const char *text, struct err *e)
{
	(void)arg;
	return session_purchase(ui->s, text, e);
}

static void purchase_after(struct ui *ui, void *arg)
{
	(void)arg;
	ui_goto(ui, &screen_disks);
}

static void open_take(struct ui *ui, void *arg, size_t at)
{
	struct start *st = arg;
	const char *name = json_str(json_array_get(st->builds, at), "name");

	if (name)
		build_look(ui, name);
}

static void open_build(struct ui *ui, struct start *st)
{
	struct arena *a = arena_new();
	size_t n = json_array_size(st->builds), i;
	struct choice *c = arena_array(a, n + 1, sizeof(*c));

	if (n == 1) {
		arena_free(a);
		open_take(ui, st, 0);
		return;
	}
	for (i = 0; i < n; i++) {
		const json_t *b = json_array_get(st->builds, i);

		c[i].label = arena_strdup(a, json_str(b, "name"));
		c[i].note = arena_printf(a, "%-10s %s", json_str(b, "state"),
					 safe_text(json_str(b, "layout")));
		c[i].help = "shows its layers, its layout and its disks";
	}
	ui_choose(ui, &(struct choices){ .title = "Builds", .items = c, .n = n, .at = n - 1,
		  .arena = a, .take = open_take, .arg = st });
}

/* What can be done: one that waits for a disk can also end without it. */
static size_t unfinished_choices(const struct start *st)
{
	const char *state = json_str(json_array_get(st->unfinished, 0), "state");

	return state && !strcmp(state, build_state_word(BUILD_WAITING)) ? 3 : 2;
}

static void recover_take(struct ui *ui, void *arg, size_t at)
{
	struct start *st = arg;
	const char *name = json_str(json_array_get(st->unfinished, 0), "name"), *db;
	struct err e = { 0 };
	json_t *order;

	if (at + 1 >= unfinished_choices(st))
		return;
	db = session_db(ui->s, &e);
	order = order_simple("recover", name, db);
	if (at)
		order_forget(order);
	if (!db || ui_work(ui, WORK_RECOVER, name, order, &e) < 0)
		ui_fail(ui, &e);
	else
		ui_goto(ui, &screen_build);
	json_decref(order);
}

static void unfinished(struct ui *ui, struct start *st)
{
	struct arena *a = arena_new();
	size_t n = unfinished_choices(st), i;
	struct choice *c = arena_array(a, n, sizeof(*c));
	const char *what = json_str(json_array_get(st->unfinished, 0), "text");

	c[0].label = n == 3 ? "the disk is back: clear it" : "undo what was begun";
	c[1].label = "the disk does not come back: end it";
	c[n - 1].label = "leave it as it is";
	for (i = 0; i < n; i++)
		c[i].help = arena_strdup(a, safe_text(what));
	ui_choose(ui, &(struct choices){ .title = "Unfinished", .items = c, .n = n, .at = n - 1,
		  .arena = a, .take = recover_take, .arg = st });
}

static enum react start_act(struct ui *ui, void *state, int act)
{
	struct start *st = state;
	const struct item *shown[N_ITEMS];
	size_t n = shown_items(st, shown);
	struct err e = { 0 };

	switch (act) {
	case ACT_ENTER:
		if (st->roll.at >= n)
			return REACT_DONE;
		return ui_act(ui, shown[st->roll.at]->act);
	case LAB:
		run_lab(ui);
		return REACT_DONE;
	case MACHINE:
		if (session_machine(ui->s, &e) < 0)
			ui_fail(ui, &e);
		else
			ui_goto(ui, &screen_disks);
		return REACT_DONE;
	case PURCHASE:
		ui_prompt(ui, &(struct prompt){ .title = "Plan a purchase",
			  .about = "Disks as COUNTxKIND:SIZE, like 4xhdd:8T ssd:1T\n"
				   "Kinds: hdd, ssd, nvme, usb; 8T is the maker's, 8TiB exact", .text = ui->s->purchase, .take = purchase_take, .after = purchase_after });
		return REACT_DONE;
	case OPEN:
		open_build(ui, st);
		return REACT_DONE;
	case CAMPAIGNS:
		ui_goto(ui, &screen_campaign);
		return REACT_DONE;
	case RESULTS:
		ui_goto(ui, &screen_results);
		return REACT_DONE;
	case UNFINISHED:
		unfinished(ui, st);
		return REACT_DONE;
	default:
		st->moved = true;
		return roll_act(&st->roll, act, 1);
	}
}

static const char *start_cannot(const struct ui *ui, void *state, int act)
{
	const struct start *st = state;

	(void)ui;
	switch (act) {
	case LAB:
		return sandbox_inside() ? "this is the practice lab already" : NULL;
	case OPEN:
		return json_array_size(st->builds) ? NULL : "nothing has been built yet";
	case UNFINISHED:
		return json_array_size(st->unfinished) ? NULL : "nothing is unfinished";
	default:
		return NULL;
	}
}

static void start_status(struct ui *ui, void *state, struct sbuf *out)
{
	(void)state;
	if (sandbox_inside())
		sbuf_add(out, "a lab: all disks are virtual, nothing here can hurt");
	else if (geteuid() != 0)
		sbuf_add(out, "not root: all up to Plan and the practice lab work; Build asks sudo");
	else if (*ui->s->root)
		sbuf_add(out, "a recorded machine: nothing can be built on it");
}

static void start_done(void *state)
{
	struct start *st = state;

	json_decref(st->builds);
	json_decref(st->unfinished);
}

static const struct key start_keys[] = {
	{ ACT_UP, "Up k", "↑↓", "choose", 2, "another line; Up and Down, j and k" },
	{ ACT_ENTER, "Enter", NULL, "go", 1, "do the chosen line" },
	{ LAB, "p", NULL, "practice", 2, "practice lab: a real kernel with virtual disks" },
	{ MACHINE, "m", NULL, "machine", 3, "the disks of this machine" },
	{ PURCHASE, "n", NULL, "purchase", 4, "plan a purchase: type disks you might buy" },
	{ OPEN, "o", NULL, "open", 4, "open a build that exists" },
	{ CAMPAIGNS, "c", NULL, "campaigns", 5, "layouts x options x workloads, unattended" },
	{ RESULTS, "v", NULL, "results", 4, "what was measured: bars and comparisons" },
	{ UNFINISHED, "w", NULL, "unfinished", 1, "what a crash left: undo it or leave it" },
	{ ACT_PALETTE, ":", NULL, "any action", 3, "any action by name" },
	{ ACT_QUIT, "q F10", NULL, "leave", 1, "leave naslab; work goes on" },
	{ 0 }
};

const struct screen screen_start = {
	.name = "start", .title = "Start",
	.about = "Begin with the practice lab: it is a real kernel with virtual disks, and "
		 "everything works there as on a NAS. What is built on real disks is asked for "
		 "by name first.",
	.state_size = sizeof(struct start), .keys = start_keys,
	.enter = start_enter, .draw = start_draw, .act = start_act, .cannot = start_cannot,
	.status = start_status, .tick = start_tick, .every_ms = start_every, .done = start_done,
};
