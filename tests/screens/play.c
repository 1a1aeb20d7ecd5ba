/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * play - plays a script of keys on an off-screen terminal and prints the screens.
 *
 *	play [--ascii] [--root DIR] [--db FILE] KEYS
 *
 * A line of the script: keys NAME...; type TEXT; event JSON (as an executor reports it);
 * work KIND NAME (what the events are about); confirm (the last look, which a recorded
 * machine's Plan does not lead to); dump TITLE; resize COLSxROWS; # a remark; campaign FILE
 * puts one into the database, runs JSON says that a naslab works on it (rests JSON: that none
 * does any more), cell N STATE [TEXT] moves a cell on: TEXT is its reason, or its results as
 * JSON.
 * It begins at 80x24; later SECONDS moves the clock, which stands otherwise. A dumped screen is framed by its title and
 * every chosen row (reverse) ends with " <"; nothing else of the attributes is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "ui/ui.h"

static struct ui *ui;

static void settle(void)
{
	int i;

	for (i = 0; i < 3; i++)
		ui_wait(ui, 0);
}

static void draw(struct sbuf *out)
{
	unsigned rows, cols, r;

	ui_draw(ui);
	term_size(&rows, &cols);
	sbuf_clear(out);
	for (r = 0; r < rows; r++) {
		term_row(r, out);
		sbuf_add(out, term_row_reverse(r) >= 0 ? " <\n" : "\n");
	}
}

/* What was drawn in pieces must stand there as if all of it had been drawn now. */
static int dump(const char *title)
{
	struct sbuf live = { 0 }, whole = { 0 };
	unsigned rows, cols;
	int rc = 0;

	settle();
	draw(&live);
	term_size(&rows, &cols);
	printf("== %s, %ux%u\n%s", title, cols, rows, sbuf_str(&live));
	ui->changed = true;
	draw(&whole);
	if (strcmp(sbuf_str(&live), sbuf_str(&whole))) {
		fprintf(stderr, "%s: drawn in pieces it is\n%s", title, sbuf_str(&live));
		rc = -1;
	}
	sbuf_done(&live);
	sbuf_done(&whole);
	return rc;
}

static int press(char *names)
{
	char *name, *save = NULL;
	uint32_t key;

	for (name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
		key = key_number(name, strlen(name));
		if (!key) {
			fprintf(stderr, "there is no key %s\n", name);
			return -1;
		}
		ui_key(ui, key);
		settle();
	}
	return 0;
}

static int set_work(char *words)
{
	static const char *const kinds[] = { "none", "build", "destroy", "recover", "bench",
					     "campaign" };
	char *name = strchr(words, ' ');
	unsigned i;

	if (!name)
		return -1;
	*name++ = '\0';
	for (i = 0; i < 6 && strcmp(kinds[i], words); i++)
		;
	work_done(&ui->s->work);
	ui->s->work.kind = (enum work_kind)i;
	ui->s->work.name = strdup(name);
	ui->s->work.runs = true;	/* as if attached to: nothing is read from a pipe */
	ui->s->work.began_ns = ui->s->work.last_line_ns = ui_now_ns();
	return i < 6 ? 0 : -1;
}

static int feed(const char *text)
{
	json_t *ev = json_loads(text, 0, NULL);

	if (!ev)
		return -1;
	work_event(&ui->s->work, ev);
	ui->moved = true;
	ui_draw(ui);	/* a piece: the dump compares */
	if (!strcmp(json_string_value(json_object_get(ev, "event")), "end"))
		ui->s->work.runs = false;
	json_decref(ev);
	return 0;
}

static int resize(const char *text)
{
	unsigned rows, cols;

	if (sscanf(text, "%ux%u", &cols, &rows) != 2)
		return -1;
	term_set_size(rows, cols);
	ui->changed = true;
	return 0;
}

static struct stored_campaign campaign;

static int put_campaign(const char *path)
{
	struct arena *a = arena_new();
	struct campaign *c = NULL;
	struct list cells = { 0 };
	struct store *st = NULL;
	struct err e = { 0 };
	int rc = campaign_open(campaign_file(a, path), &c, &e) || store_open(ui->s->db, &st, &e) ? -1 : 0;

	if (rc == 0) {
		campaign_cells(c, a, &cells);
		campaign = (struct stored_campaign){ .name = c->name, .text = campaign_text(c, a),
						     .disks = "[]", .source = c->source };
		rc = store_campaign_add(st, &campaign, &cells, &e);
	}
	if (rc)
		fprintf(stderr, "%s\n", e.text);
	store_close(st);
	campaign_free(c);
	arena_free(a);
	return rc;
}

/* As if we were the naslab that works on it, or had let go of it. */
static int put_say(const char *text, bool works)
{
	json_t *say = json_loads(text, 0, NULL);
	int named = prctl(PR_SET_NAME, "naslab");	/* one that works on a campaign is a naslab */
	struct arena *a = arena_new();
	struct store *st = NULL;
	struct err e = { 0 };
	int rc = named || !say || store_open(ui->s->db, &st, &e) ||
		 store_campaign_claim(st, &campaign, works ? getpid() : 0, works ? campaign_boot(a) : NULL,
				      &e) ||
		 store_campaign_say(st, campaign.id, say, &e) ? -1 : 0;

	store_close(st);
	json_decref(say);
	arena_free(a);
	return rc;
}

static const struct campaign_cell *cell_of(const struct list *cells, unsigned n)
{
	return cells->at[n - 1];
}

static int put_cell(char *words)
{
	struct arena *a = arena_new();
	unsigned n = (unsigned)strtoul(words, &words, 10);
	char *state = words + strspn(words, " "), *text = state + strcspn(state, " ");
	struct list cells = { 0 };
	struct store *st = NULL;
	struct err e = { 0 };
	json_t *tags = json_object(), *results, *result;
	int64_t id = 0;
	size_t i;
	enum cell_state to = CELL_WAITING;
	int rc;

	if (*text)
		*text++ = '\0';
	while (to < CELL_IMPOSSIBLE && strcmp(state, cell_state_word(to)))
		to++;
	rc = store_open(ui->s->db, &st, &e) || store_cells(st, campaign.id, a, &cells, &e) ||
	     !n || n > cells.n ? -1 : 0;
	if (rc == 0 && to == CELL_DONE) {
		results = json_loads(text, 0, NULL);
		json_array_foreach(results, i, result) {
			json_put_str(result, "workload", cell_of(&cells, n)->workload);
			json_put_str(result, "class", cell_of(&cells, n)->workload);
			rc |= store_result_add(st, result, &id, &e);
			json_object_set_new(result, "id", json_integer(id));
		}
		json_put_str(tags, "variant", cell_of(&cells, n)->label);
		if (results && rc == 0)
			rc = store_cell_done(st, cells.at[n - 1], results, tags, &e);
		json_decref(results);
	} else if (rc == 0) {
		rc = store_cells_set(st, (struct campaign_cell **)&cells.at[n - 1], 1, to,
				     *text ? text : NULL, &e);
	}
	if (rc)
		fprintf(stderr, "%s\n", e.text);
	store_close(st);
	json_decref(tags);
	arena_free(a);
	return rc;
}

static int line(char *text)
{
	char *rest = text + strcspn(text, " ");

	if (*rest)
		*rest++ = '\0';
	if (!*text || *text == '#')
		return 0;
	if (!strcmp(text, "keys"))
		return press(rest);
	if (!strcmp(text, "type")) {
		for (; *rest; rest++)
			ui_key(ui, (unsigned char)*rest);
		return 0;
	}
	if (!strcmp(text, "event"))
		return feed(rest);
	if (!strcmp(text, "work"))
		return set_work(rest);
	if (!strcmp(text, "campaign"))
		return put_campaign(rest);
	if (!strcmp(text, "runs"))
		return put_say(rest, true);
	if (!strcmp(text, "rests"))
		return put_say(rest, false);
	if (!strcmp(text, "cell"))
		return put_cell(rest);
	if (!strcmp(text, "resize"))
		return resize(rest);
	if (!strcmp(text, "confirm"))
		return ui->s->plan && ui_push(ui, &screen_confirm) ? 0 : -1;
	if (!strcmp(text, "later")) {
		ui_fixed_ns += (int64_t)strtol(rest, NULL, 10) * 1000000000;
		return 0;
	}
	if (!strcmp(text, "dump"))
		return dump(rest);
	return -1;
}

int main(int argc, char **argv)
{
	struct term_options t = { .offscreen = true, .rows = 24, .cols = 80 };
	struct ui_options o = { .root = "", .db = "/dev/null/naslab.db", .offscreen = &t };
	struct err e = { 0 };
	char text[8192];
	FILE *f;
	int i, n = 0, rc = 0;

	for (i = 1; i < argc - 1; i++) {
		if (!strcmp(argv[i], "--ascii"))
			t.ascii = true;
		else if (!strcmp(argv[i], "--root") && i + 1 < argc - 1)
			o.root = argv[++i];
		else if (!strcmp(argv[i], "--db") && i + 1 < argc - 1)
			o.db = argv[++i];
	}
	f = argc > 1 ? fopen(argv[argc - 1], "r") : NULL;
	if (!f) {
		fputs("usage: play [--ascii] [--root DIR] [--db FILE] KEYS\n", stderr);
		return 99;
	}
	ui_fixed_ns = 1000000000;
	store_fixed_ns = 1796040000 * (int64_t)1000000000;	/* 2026-11-30 */
	if (ui_open(&o, &ui, &e) < 0) {
		fprintf(stderr, "%s\n", e.text);
		return 99;
	}
	while (rc == 0 && fgets(text, sizeof(text), f)) {
		n++;
		text[strcspn(text, "\n")] = '\0';
		rc = line(text);
	}
	if (rc)
		fprintf(stderr, "line %d of %s is not understood\n", n, argv[argc - 1]);
	ui->s->work.runs = false;
	ui_close(ui);
	fclose(f);
	return rc ? 99 : 0;
}
