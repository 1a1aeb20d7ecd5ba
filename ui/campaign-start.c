/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * campaign-start - before a campaign begins: which file, what it will do, whose disks it
 * overwrites; and the name that has to be typed. Going on asks for no name: it was given.
 */
#include "ui/campaign.h"

#include <stdlib.h>
#include <string.h>

static void add_word(struct arena *a, struct list *words, const char *word)
{
	list_add(a, words, (void *)(uintptr_t)word);
}

void campaign_forget_asking(struct campaign_view *v)
{
	campaign_free(v->next);
	arena_free(v->asking_arena);
	v->next = NULL;
	v->asking_arena = NULL;
	v->asking = false;
	v->disks = v->wipe = v->roles = v->next_cells = (struct list){ 0 };
}

/* The words of the file, else the disks that are marked. */
static int find_words(struct ui *ui, struct campaign_view *v, struct list *data, struct list *cache,
		      struct err *e)
{
	struct session *s = ui->s;
	size_t i;

	*data = v->next->disks;
	*cache = v->next->cache_disks;
	if (data->n)
		return 0;
	session_picks(s);
	for (i = 0; i < s->n_picks; i++)
		list_add(v->asking_arena, s->picks[i].role == ROLE_CACHE ? cache : data,
			 arena_strdup(v->asking_arena, s->picks[i].disk->path));
	if (data->n)
		return 0;
	return err_set(e, ERR_USAGE, "%.80s names no disks, and none is marked: mark some in Disks (key "
		       "2 and back)", v->next->from);
}

static void keep_disk(struct campaign_view *v, const struct pick *p)
{
	struct arena *a = v->asking_arena;
	struct disk *copy = arena_alloc(a, sizeof(*copy));

	*copy = (struct disk){ .state = p->disk->state, .bytes = p->disk->bytes,
		.name = arena_strdup(a, p->disk->name), .path = arena_strdup(a, p->disk->path),
		.model = arena_strdup(a, p->disk->model), .serial = arena_strdup(a, p->disk->serial),
		.why = arena_strdup(a, p->disk->why) };
	list_add(a, &v->disks, copy);
	add_word(a, &v->roles, p->role == ROLE_CACHE ? "cache" : "data");
	if (p->disk->state == DISK_DATA)	/* it is named on the screen, and the name is typed */
		add_word(a, &v->wipe, copy->path);
}

/* All that can be said before a byte is written. */
static int look(struct ui *ui, struct campaign_view *v, struct err *e)
{
	struct list data, cache, wipe = { 0 };
	struct inventory *inv = NULL;
	struct pick *picks;
	size_t n, i;
	int rc;

	if (find_words(ui, v, &data, &cache, e) || inventory_read(ui->s->root, &inv, e))
		return -1;
	list_add(v->asking_arena, &data, NULL);
	list_add(v->asking_arena, &cache, NULL);
	rc = picks_from_words(inv, (const char *const *)data.at, (const char *const *)cache.at,
			      v->asking_arena, &picks, &n, e);
	for (i = 0; rc == 0 && i < n; i++)
		keep_disk(v, &picks[i]);
	if (rc == 0) {
		campaign_check(v->next, picks, n, true);
		campaign_cells(v->next, v->asking_arena, &v->next_cells);
		for (i = 0; i < v->wipe.n; i++)
			list_add(v->asking_arena, &wipe, v->wipe.at[i]);
		list_add(v->asking_arena, &wipe, NULL);
		rc = campaign_guard(v->next, picks, n, inv, (char *const *)wipe.at, e);
	}
	inventory_free(inv);
	return rc;
}

static int file_take(struct ui *ui, void *arg, const char *text, struct err *e)
{
	struct campaign_view *v = arg;
	char *real;

	campaign_forget_asking(v);
	v->asking_arena = arena_new();
	real = realpath(campaign_file(v->asking_arena, text), NULL);
	if (!real)
		return err_sys(e, "there is no campaign %.200s", text);
	snprintf(v->path, sizeof(v->path), "%s", real);
	free(real);
	if (campaign_open(v->path, &v->next, e) || look(ui, v, e))
		return -1;
	field_set(&v->field, "");
	v->asking = true;
	return 0;
}

void campaign_ask_file(struct ui *ui, struct campaign_view *v)
{
	ui_prompt(ui, &(struct prompt){ .title = "Start a campaign", .about =
		  "A file, or a shipped one: omv-layouts, omv-mount, ppl-chunk, ppl-shr",
		  .text = "", .take = file_take, .arg = v });
}

/* Start naslab campaign with these words before its own options. */
static void run(struct ui *ui, struct campaign_view *v, struct arena *a, struct list *words,
		const char *name)
{
	static const char *const behind[] = { "--yes", "--json", "--unattended", "--db" };
	struct err e = { 0 };
	const char *db = session_db(ui->s, &e);
	size_t i;

	for (i = 0; i < sizeof(behind) / sizeof(behind[0]); i++)
		add_word(a, words, behind[i]);
	add_word(a, words, db);
	list_add(a, words, NULL);
	if (!db || ui_work_words(ui, WORK_CAMPAIGN, name, (const char *const *)words->at, &e) < 0) {
		ui_fail(ui, &e);
		return;
	}
	snprintf(v->name, sizeof(v->name), "%s", name);
	v->at_row = v->at_workload = v->top = v->left = 0;
	v->alive = true;	/* looked at again at once */
	v->looked_ns = 0;
	ui_say(ui, ' ', "%s begins", name);
}

static void begin(struct ui *ui, struct campaign_view *v)
{
	struct arena *a = arena_new();
	struct list words = { 0 };
	size_t i;
	int pass;

	add_word(a, &words, "campaign");
	add_word(a, &words, v->path);
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < v->disks.n; i++) {
			const struct disk *d = v->disks.at[i];

			if (strcmp(v->roles.at[i], pass ? "cache" : "data"))
				continue;
			if (pass)
				add_word(a, &words, "--cache");
			add_word(a, &words, d->path);
		}
	}
	for (i = 0; i < v->wipe.n; i++) {
		add_word(a, &words, "--wipe");
		add_word(a, &words, v->wipe.at[i]);
	}
	if (v->row && !strcmp(v->row->name, v->next->name))	/* that of the same name stays as it is */
		add_word(a, &words, "--again");
	run(ui, v, a, &words, v->next->name);
	arena_free(a);
	campaign_forget_asking(v);
}

void campaign_go_on(struct ui *ui, struct campaign_view *v)
{
	struct arena *a = arena_new();
	struct list words = { 0 };

	add_word(a, &words, "campaign");
	list_add(a, &words, arena_strdup(a, v->name));
	add_word(a, &words, "--resume");
	run(ui, v, a, &words, arena_strdup(a, v->name));
	arena_free(a);
}

enum react campaign_act_asking(struct ui *ui, struct campaign_view *v, int act)
{
	if (act == ACT_BACK || (act == ACT_ENTER && !v->field.len)) {
		campaign_forget_asking(v);
		ui_say(ui, ' ', "nothing was written");
		return REACT_DONE;
	}
	if (act != ACT_ENTER)
		return REACT_DONE;
	if (strcmp(v->field.text, v->next->name))
		ui_say(ui, '!', "\"%s\" is not the name %s", safe_text(v->field.text), v->next->name);
	else
		begin(ui, v);
	return REACT_DONE;
}

/* Sentences about size, time and what cannot be. */
static void asking_words(struct ui *ui, const struct campaign_view *v, struct sbuf *out)
{
	const struct campaign *c = v->next;
	char wr[SIZE_TEXT], rd[SIZE_TEXT], time[SIZE_TEXT];
	struct campaign_forecast f;
	size_t i, not = 0;
	const char *why = NULL;

	campaign_forecast(c, &v->next_cells, &f);
	sbuf_addf(out, "%zu layouts x %zu workloads x %u %s: %u cells on %u builds, %u repetitions "
		  "each, scale %g.\n", c->variants.n, c->workloads.n, c->rounds, c->rounds == 1 ? "round" :
		  "rounds", f.cells, f.builds, c->reps, c->scale);
	sbuf_addf(out, "It writes %s and reads %s of files. It takes about %s: a guess until the first "
		  "layout is measured.\n", ui_size(ui, wr, f.write_bytes), ui_size(ui, rd, f.read_bytes),
		  duration_text(time, f.ns));
	for (i = 0; i < v->next_cells.n; i++) {
		const struct campaign_cell *cell = v->next_cells.at[i];

		if (cell->state != CELL_IMPOSSIBLE)
			continue;
		why = why ? why : cell->reason;
		not++;
	}
	if (not) {
		sbuf_addf(out, "Not possible here: %zu more cells; ", not);
		sbuf_add_safe(out, why);
	}
}

void campaign_draw_asking(struct ui *ui, struct campaign_view *v, struct area body)
{
	bool small = body.cols < 80;
	struct sbuf text = { 0 };
	unsigned row = body.row, i, rows;
	struct arena *a = arena_new();

	ui_head(ui, arena_printf(a, "Campaign %s: last look before anything is written", v->next->name), "",
		v->next->name);
	asking_words(ui, v, &text);
	row += draw_wrapped((struct area){ row + !small, 1, small ? 3 : 6, body.cols - 2 }, PAINT_TEXT,
			    sbuf_str(&text)) + !small;
	row += !small;
	row += draw_wrapped((struct area){ row, 1, 2, body.cols - 2 }, PAINT_TEXT, small ?
			    "All on these disks is lost:" :
			    "Everything on these disks is lost, again and again until its end:");
	rows = body.row + body.rows - row - 2;
	for (i = 0; i < v->disks.n && i < rows; i++) {
		const struct disk *d = v->disks.at[i];
		unsigned what = small ? 20 : 58;

		if (i + 1 == rows && v->disks.n > rows) {
			draw_textf(row + i, 1, PAINT_WARN, "and %zu more", v->disks.n - i);
			break;
		}
		draw_cell(row + i, 1, 8, PAINT_TEXT, CUT_START, d->name);
		ui_draw_size(ui, row + i, 9, 9, PAINT_TEXT, d->bytes);
		if (!small) {
			draw_cell(row + i, 20, 20, PAINT_TEXT, CUT_END, safe_text(d->model ? d->model : "?"));
			draw_cell(row + i, 41, 16, PAINT_TEXT, CUT_START,
				  d->serial ? safe_text(d->serial) : "(none)");
		}
		if (d->state == DISK_DATA)
			draw_text(row + i, what, PAINT_WARN, "!");
		draw_cell(row + i, what + 2, body.cols - what - 3, PAINT_TEXT, CUT_END,
			  d->why && *d->why ? safe_text(d->why) : "nothing");
	}
	row = body.row + body.rows - 1;
	draw_textf(row, 1, PAINT_TEXT, "type its name, %s", v->next->name);
	field_draw(ui, &v->field, row, 17 + draw_width(v->next->name), 24, true);
	sbuf_done(&text);
	arena_free(a);
}
