/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign-end - a campaign is stopped, pauses, or is forgotten; each asks first. */
#include "ui/campaign.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static void stop_take(struct ui *ui, void *arg, size_t at)
{
	struct campaign_view *v = arg;
	struct err e = { 0 };

	if (at || !v->row)
		return;
	if (ui->s->work.kind == WORK_CAMPAIGN && ui->s->work.runs) {
		if (work_stop(&ui->s->work, &e) < 0)
			ui_fail(ui, &e);
	} else if (kill((pid_t)v->row->pid, SIGTERM) < 0) {
		err_sys(&e, "process %lld cannot be asked to stop", (long long)v->row->pid);
		ui_fail(ui, &e);
		return;
	}
	ui_say(ui, ' ', "it takes down what stands and keeps every finished cell");
}

void campaign_stop(struct ui *ui, struct campaign_view *v)
{
	struct arena *a = arena_new();
	struct choice *c = arena_array(a, 2, sizeof(*c));

	c[0] = (struct choice){ .label = "stop the campaign",
		.help = "the build at work is taken down, every finished cell is kept; s goes on" };
	c[1] = (struct choice){ .label = "let it go on", .help = "back to the screen" };
	ui_choose(ui, &(struct choices){ .title = "Stop the campaign?", .items = c, .n = 2, .at = 1,
		  .arena = a, .take = stop_take, .arg = v });
}

/* Whoever works on it looks there. */
static void set_pause(struct ui *ui, struct campaign_view *v, enum campaign_pause pause)
{
	static const char *const said[] = {
		[PAUSE_NO] = "it goes on",
		[PAUSE_REPETITION] = "it pauses after the repetition at work; s lets it go on",
		[PAUSE_LAYOUT] = "it pauses after the layout at work; s lets it go on",
	};
	struct store *st = NULL;
	struct err e = { 0 };

	if (store_open(ui->s->db, &st, &e) || store_campaign_pause(st, v->row->id, pause, &e)) {
		ui_fail(ui, &e);
	} else {
		ui_say(ui, ' ', "%s", said[pause]);
		ui->s->work.stop_asked = pause != PAUSE_NO;	/* its end is no failure then */
	}
	store_close(st);
	campaign_read(ui, v);
}

static void pause_take(struct ui *ui, void *arg, size_t at)
{
	static const enum campaign_pause pauses[] = { PAUSE_REPETITION, PAUSE_LAYOUT, PAUSE_NO };
	struct campaign_view *v = arg;

	if (v->row && v->alive)
		set_pause(ui, v, pauses[at]);
}

void campaign_pause(struct ui *ui, struct campaign_view *v)
{
	struct arena *a = arena_new();
	struct choice *c = arena_array(a, 3, sizeof(*c));

	c[0] = (struct choice){ .label = "after this repetition",
		.help = "no repetition is lost; the layout is taken down, and s builds it again" };
	c[1] = (struct choice){ .label = "after this layout",
		.help = "all its cells get their end first, so nothing is built twice" };
	c[2] = (struct choice){ .label = "let it go on",
		.help = v->row->pause ? "it does not pause then" : "back to the screen" };
	ui_choose(ui, &(struct choices){ .title = "When does it pause?", .items = c, .n = 3,
		  .at = v->row->pause ? 2 : 0, .arena = a, .take = pause_take, .arg = v });
}

void campaign_unpause(struct ui *ui, struct campaign_view *v)
{
	set_pause(ui, v, PAUSE_NO);
}

const char *campaign_keeps(const struct campaign_view *v)
{
	size_t i;

	if (!v->row)
		return "there is no campaign yet: f starts one from a file";
	if (v->alive)
		return "it runs: X stops it first";
	for (i = 0; i < v->cells.n; i++) {	/* it ended without taking its build down */
		if (((const struct campaign_cell *)v->cells.at[i])->state == CELL_RUNNING)
			return "its build still stands: s goes on and takes it down, then X stops it";
	}
	return NULL;
}

static void delete_take(struct ui *ui, void *arg, size_t at)
{
	struct campaign_view *v = arg;
	struct store *st = NULL;
	struct err e = { 0 };

	if (at || !v->row)
		return;
	campaign_read(ui, v);	/* time has passed since it was asked */
	if (!v->row || campaign_keeps(v))
		return;
	if (store_open(ui->s->db, &st, &e) || store_campaign_delete(st, v->row, &e)) {
		ui_fail(ui, &e);
	} else {
		ui_say(ui, ' ', "%s is forgotten; what it measured stays in Results", v->name);
		v->name[0] = v->op[0] = '\0';
		v->at_row = v->at_workload = v->top = v->left = 0;
	}
	store_close(st);
	campaign_read(ui, v);
}

void campaign_delete(struct ui *ui, struct campaign_view *v)
{
	struct arena *a = arena_new();
	struct choice *c = arena_array(a, 2, sizeof(*c));

	c[0] = (struct choice){ .label = "forget the campaign",
		.help = "its grid and its reasons are gone; what was measured stays in Results" };
	c[1] = (struct choice){ .label = "keep it", .help = "back to the screen" };
	ui_choose(ui, &(struct choices){ .title = arena_printf(a, "Delete %s?", v->name), .items = c,
		  .n = 2, .at = 1, .arena = a, .take = delete_take, .arg = v });
}
