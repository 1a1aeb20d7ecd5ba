/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * naslab disks - what is there, what is on it, who uses it, what may be used.
 *
 * A table for people: the serial keeps as much of its tail as tells all disks apart, a
 * model loses its maker first, `~` stands where something was cut. Nothing is left out:
 * what cannot be used is listed with the reason.
 */
#include "cmd/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "naslab.h"

enum { WIDTH_WITHOUT_TERMINAL = 100, WIDTH_LEAST = 40, SERIAL_LEAST = 4, GAP = 1 };

struct row {
	const char *name, *kind, *size, *model, *serial, *state, *what;
};

struct widths {
	size_t name, kind, size, model, serial, state, what;
};

static const char *cut_end(struct arena *a, const char *s, size_t width)
{
	if (text_cells(s) <= width)
		return s;
	return width ? arena_printf(a, "%.*s~", (int)text_fit(s, width - 1), s) : "";
}

static const char *cut_start(struct arena *a, const char *s, size_t width)
{
	if (text_cells(s) <= width)
		return s;
	return width ? arena_printf(a, "~%s", text_tail(s, width - 1)) : "";
}

/* "WDC WD100EFAX-68LHPN0": the maker goes first, then the end. */
static const char *cut_model(struct arena *a, const char *s, size_t width)
{
	const char *space = strchr(s, ' ');

	if (text_cells(s) > width && space && text_cells(space + 1) >= 4)
		s = space + 1;
	return cut_end(a, s, width);
}

static const char *safe(struct arena *a, const char *s)
{
	struct sbuf b = { 0 };
	const char *text;

	sbuf_add_safe(&b, s ? s : "");
	text = arena_strdup(a, sbuf_str(&b));
	sbuf_done(&b);
	return text;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* How many cells of tail tell all these serials apart, plus two. */
static size_t serial_tail(const struct row *rows, size_t n)
{
	size_t i, k, need = SERIAL_LEAST;

	for (i = 0; i < n; i++) {
		for (k = 0; k < i; k++) {
			size_t la = strlen(rows[i].serial), lb = strlen(rows[k].serial), same = 0;

			if (!strcmp(rows[i].serial, rows[k].serial))
				continue;
			while (same < la && same < lb && rows[i].serial[la - 1 - same] ==
			       rows[k].serial[lb - 1 - same])
				same++;
			need = larger(need, same + 1 + 2);
		}
	}
	return need;
}

static size_t terminal_width(void)
{
	struct winsize w;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_col)
		return WIDTH_WITHOUT_TERMINAL;
	return larger(w.ws_col, WIDTH_LEAST);
}

/* What is too much is taken from the serials' heads, then the models, then the last column. */
static void fit(struct widths *w, const struct row *rows, size_t n, size_t width)
{
	size_t tail_cells = larger(serial_tail(rows, n) + 1, strlen("serial"));
	size_t fixed, room;

	if (width < 60)
		w->kind = w->model = 0;
	fixed = w->name + w->kind + w->size + w->state + 6 * GAP;
	room = width > fixed ? width - fixed : 0;
	if (w->model + w->serial + w->what > room && w->serial > tail_cells)
		w->serial = tail_cells;
	room = room > w->serial ? room - w->serial : 0;
	if (w->model + w->what > room && w->model > 15)
		w->model = room > w->what + 15 ? room - w->what : 15;
	if (w->model + 12 > room)
		w->model = 0;
	w->what = room > w->model ? room - w->model : 0;
}

static void put_cell(struct sbuf *line, const char *text, size_t width, bool right)
{
	if (!width)
		return;
	if (line->len)
		sbuf_addc(line, ' ');
	if (right)
		sbuf_add_right(line, text, width);
	else
		sbuf_add_padded(line, text, width);
}

static void print_row(struct arena *a, const struct row *r, const struct widths *w)
{
	struct sbuf line = { 0 };

	put_cell(&line, cut_start(a, r->name, w->name), w->name, false);
	put_cell(&line, r->kind, w->kind, false);
	put_cell(&line, r->size, w->size, true);
	put_cell(&line, cut_model(a, r->model, w->model), w->model, false);
	put_cell(&line, cut_start(a, r->serial, w->serial), w->serial, false);
	put_cell(&line, r->state, w->state, false);
	put_cell(&line, cut_end(a, r->what, w->what), w->what, false);
	while (line.len && line.text[line.len - 1] == ' ')
		line.text[--line.len] = '\0';
	puts(sbuf_str(&line));
	sbuf_done(&line);
}

static struct row row_of(struct arena *a, const struct disk *d)
{
	char size[SIZE_TEXT];
	const char *why = safe(a, d->why);

	if (d->twin && d->state != DISK_HIDDEN)
		why = arena_printf(a, "%s; same serial as another disk", why);
	if (d->state == DISK_DATA && d->is_system)
		why = arena_printf(a, "%s; system disk", why);
	return (struct row){
		.name = safe(a, d->name), .kind = disk_kind_word(d->kind),
		.size = d->bytes ? arena_strdup(a, size_text(size, d->bytes, SIZE_SI)) : "0",
		.model = safe(a, d->model), .serial = d->serial ? safe(a, d->serial) : "(none)",
		.state = disk_state_word(d->state), .what = why,
	};
}

static void print_summary(const struct inventory *inv)
{
	size_t count[DISK_HIDDEN + 1] = { 0 };
	size_t i;

	for (i = 0; i < inv->n_disks; i++)
		count[inv->disks[i].state]++;
	printf("%zu free, %zu with data, %zu busy, %zu hidden\n", count[DISK_FREE],
	       count[DISK_DATA], count[DISK_BUSY], count[DISK_HIDDEN]);
}

static void print_table(const struct inventory *inv)
{
	static const struct row title = { "name", "kind", "size", "model", "serial", "state",
					  "what is on it / who uses it" };
	struct arena *a = arena_new();
	struct row *rows = arena_array(a, inv->n_disks + 1, sizeof(*rows));
	struct widths w = { .name = 4, .kind = 4, .size = 4, .model = 5, .serial = 6, .state = 5 };
	size_t i;

	for (i = 0; i < inv->n_disks; i++) {
		rows[i] = row_of(a, &inv->disks[i]);
		w.name = larger(w.name, text_cells(rows[i].name));
		w.kind = larger(w.kind, text_cells(rows[i].kind));
		w.size = larger(w.size, text_cells(rows[i].size));
		w.model = larger(w.model, text_cells(rows[i].model));
		w.serial = larger(w.serial, text_cells(rows[i].serial));
		w.state = larger(w.state, text_cells(rows[i].state));
		w.what = larger(w.what, text_cells(rows[i].what));
	}
	if (w.name > 16)
		w.name = 16;
	fit(&w, rows, inv->n_disks, terminal_width());
	print_row(a, &title, &w);
	for (i = 0; i < inv->n_disks; i++)
		print_row(a, &rows[i], &w);
	print_summary(inv);
	arena_free(a);
}

static void print_json(const struct inventory *inv)
{
	json_t *o = inventory_json(inv);
	char *line = json_line(o);

	puts(line);
	free(line);
	json_decref(o);
}

static int run(int argc, char **argv)
{
	struct inventory *inv = NULL;
	struct err e = { 0 };
	int rc;

	if (argc)
		return usage_error("\"%s\": it takes options only; naslab disks --help", argv[0]);
	if (option("disks") && option("root"))
		return usage_error("--disks and --root cannot be given together");
	if (option("json") && option("save"))
		return usage_error("--json and --save cannot be given together");
	if (option("disks"))
		rc = inventory_load(option("disks"), &inv, &e);
	else
		rc = inventory_read(option("root") ? option("root") : "", &inv, &e);
	if (rc == 0 && option("save"))
		rc = inventory_save(inv, option("save"), &e);
	if (rc) {
		inventory_free(inv);
		return fail(&e);
	}
	if (option("json"))
		print_json(inv);
	else if (!option("save"))
		print_table(inv);
	inventory_free(inv);
	return 0;
}

static const struct verb_option options[] = {
	{ .name = "json", .help = "all facts as JSON" },
	{ .name = "save", .value = "FILE", .help = "write the disks as a list for --disks" },
	{ .name = "disks", .value = "FILE", .help = "the disks of a saved list, not this machine's" },
	{ .name = "root", .value = "DIR", .help = "a recorded machine below DIR" },
	{ .name = NULL }
};

const struct verb verb_disks = {
	.name = "disks", .usage = "[--json|--save FILE] [--disks FILE|--root DIR]",
	.help = "what is there, what is on it, who uses it, what may be used",
	.about = "Lists every block device that could be taken for a disk. free: nothing is\n"
		 "recognised on it. data: it holds something and is used only when named again\n"
		 "with --wipe. busy: in use, never touched. hidden: no disk to build on; the\n"
		 "last column says why.",
	.options = options, .run = run,
};
