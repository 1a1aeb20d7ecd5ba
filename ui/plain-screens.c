/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain-screens - what the screens with pictures say, in words. They draw from the session,
 * and so do these lines; a screen that has none here is read from its rows.
 */
#include <inttypes.h>
#include <string.h>

#include "ui/plain.h"

static void plain_disks(struct ui *ui, struct sbuf *out)
{
	const struct inventory *inv = ui->s->inv;
	char size[SIZE_TEXT];
	size_t i;

	for (i = 0; inv && i < inv->n_disks; i++) {
		const struct disk *d = &inv->disks[i];

		if (d->state == DISK_HIDDEN)
			continue;
		sbuf_addf(out, "%s: ", d->name);
		if (ui->s->marks[i])
			sbuf_addf(out, "marked as %s, ", ui->s->marks[i] == 'C' ? "cache" : "data");
		sbuf_addf(out, "%s, %s, %s", disk_state_word(d->state), disk_kind_word(d->kind),
			  ui_size(ui, size, d->bytes));
		sbuf_addf(out, ", %s", d->model ? safe_text(d->model) : "model not known");
		sbuf_addf(out, ", serial %s", d->serial ? safe_text(d->serial) : "not known");
		sbuf_addf(out, ", %s\n", d->why && *d->why ? safe_text(d->why) : "nothing");
	}
}

/* What the marked disks become: the sums, and where the bytes of each disk go. */
static void plain_capacity(struct ui *ui, struct sbuf *out)
{
	const struct stack *s = ui->s->stack;
	char size[SIZE_TEXT];
	size_t i;

	if (!s)
		return;
	sbuf_addf(out, "usable: %s", ui_size(ui, size, s->usable_bytes));
	sbuf_addf(out, " of %s\n", ui_size(ui, size, s->raw_bytes));
	if (s->survives)
		sbuf_addf(out, "may fail: any %u disk%s\n", s->survives, s->survives == 1 ? "" : "s");
	else
		sbuf_add(out, "may fail: none\n");
	for (i = 0; i < s->n_disks; i++) {
		const struct node *n = s->nodes.at[i];

		sbuf_addf(out, "%s: %s", n->name, ui_size(ui, size, n->disk->bytes));
		sbuf_addf(out, "%s, usable %s", n->role == ROLE_CACHE ? " as cache" : "",
			  ui_size(ui, size, n->split.usable));
		sbuf_addf(out, ", redundancy %s", ui_size(ui, size, n->split.redundancy));
		sbuf_addf(out, ", overhead %s", ui_size(ui, size, n->split.overhead));
		sbuf_addf(out, ", unused %s\n", ui_size(ui, size, n->split.unused));
	}
}

static void plain_layout(struct ui *ui, struct sbuf *out)
{
	const struct recipe *r = ui->s->recipe;
	size_t i, k;

	for (i = 0; r && i < r->n_stmts; i++) {
		sbuf_addf(out, "layer %zu: %s", i + 1, r->stmts[i].layer);
		for (k = 0; k < r->stmts[i].n_settings; k++)
			sbuf_addf(out, " %s=%s", r->stmts[i].settings[k].key, r->stmts[i].settings[k].value);
		sbuf_addc(out, '\n');
	}
	plain_capacity(ui, out);
	for (i = 0; ui->s->stack && i < ui->s->advice.n; i++) {
		const struct advice *a = ui->s->advice.at[i];

		sbuf_addf(out, "%s: %s\n", !strcmp(a->severity, "warn") ? "warning" : "advice", a->text);
	}
	if (ui->s->err.kind)
		sbuf_addf(out, "error: %s\n", ui->s->err.text);
}

static void plain_compare(struct ui *ui, struct sbuf *out)
{
	struct arena *a = arena_new();
	struct list all = { 0 };
	struct err e = { 0 };
	char size[SIZE_TEXT];
	size_t i;

	if (compare_all(ui->s->picks, ui->s->n_picks, a, &all, &e))
		sbuf_addf(out, "error: %s\n", e.text);
	for (i = 0; i < all.n; i++) {
		const struct candidate *c = all.at[i];

		if (c->fits)
			sbuf_addf(out, "%s: usable %s, %u may fail%s%s\n", c->name,
				  ui_size(ui, size, c->usable), c->survives,
				  c->files_only ? ", then only the files of that disk are lost" : "",
				  c->cached ? ", with a cache" : "");
	}
	arena_free(a);
}

static void plain_plan(struct ui *ui, struct sbuf *out)
{
	const struct plan *p = ui->s->plan;
	size_t i;

	plain_capacity(ui, out);
	for (i = 0; p && i < p->steps.n; i++) {
		const struct step *s = p->steps.at[i];

		sbuf_addf(out, "step %u: %s%s\n", s->n, s->why, s->destroys.n ? "; data is lost" : "");
	}
}

static bool plain_build(struct ui *ui, struct sbuf *out)
{
	const struct work *w = &ui->s->work;
	size_t i;

	if (w->kind == WORK_NONE || w->kind == WORK_BENCH)
		return false;
	for (i = 0; i < w->n_steps; i++) {
		const struct work_step *s = &w->steps[i];
		const char *state = s->state == '>' ? "runs" : s->state == '+' ? "done" :
			s->state == 'E' ? "failed" : s->state == 'u' ? "taken back" : "waits";

		sbuf_addf(out, "step %u of %zu: %s, %s\n", s->n, work_all(w), s->why ? s->why : "", state);
	}
	for (i = 0; i < w->n_syncs; i++)	/* by tenths: a line for each percent is too much to hear */
		sbuf_addf(out, "sync of %s: %s%d %%\n", w->syncs[i].device,
			  w->syncs[i].percent < 100 ? "over " : "", (int)w->syncs[i].percent / 10 * 10);
	if (w->ended)
		sbuf_addf(out, "end: %s\n", w->text);
	return true;
}

static bool plain_bench(struct ui *ui, struct sbuf *out)
{
	const struct work *w = &ui->s->work;

	if (w->kind != WORK_BENCH)
		return false;
	work_result_lines(w, out);
	if (w->runs && w->at < w->n_classes)
		sbuf_addf(out, "running: %s %s, run %u of %u%s%s\n", w->classes[w->at].name,
			  w->classes[w->at].op, w->rep, w->reps,
			  *w->waiting ? ", " : "", w->waiting);
	if (w->ended)
		sbuf_addf(out, "end: %s\n", w->text);
	return true;
}

static void plain_keys(const struct key *k, struct sbuf *out)
{
	char name[24];

	for (; k && k->act; k++)
		sbuf_addf(out, "%s: %s\n", key_shown(k, name), k->help);
}

/* Of the screen below the help, then those that are the same everywhere. */
static bool plain_help(struct ui *ui, struct sbuf *out)
{
	const struct screen *below = ui->n_frames > 1 ? ui->frames[ui->n_frames - 2].screen : NULL;

	if (!below)
		return false;
	sbuf_addf(out, "what for: %s\n", below->about);
	plain_keys(below->keys, out);
	plain_keys(keys_everywhere, out);
	return true;
}

bool plain_screen(struct ui *ui, const struct screen *s, struct sbuf *out)
{
	if (s == &screen_build)
		return plain_build(ui, out);
	if (s == &screen_bench)
		return plain_bench(ui, out);
	if (s == &screen_help)
		return plain_help(ui, out);
	if (s == &screen_disks)
		plain_disks(ui, out);
	else if (s == &screen_layout)
		plain_layout(ui, out);
	else if (s == &screen_compare)
		plain_compare(ui, out);
	else if (s == &screen_plan)
		plain_plan(ui, out);
	else
		return false;
	return true;
}
