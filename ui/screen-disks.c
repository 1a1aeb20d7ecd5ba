/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen-disks - what is there, what is on it, who uses it; and the marks that say which
 * disks the layout may have. A disk in use refuses its mark with the reason.
 */
#include "ui/disks.h"

#include <stdlib.h>
#include <string.h>

enum { DATA = ACT_SCREEN, CACHE, ALL, NONE, HIDDEN, SORT, AGAIN, FIND, SAVE, READ, MORE };
enum sort { SORT_NAME, SORT_SIZE, SORT_STATE, SORTS };

struct disks {
	struct roll roll;
	unsigned page;
	size_t *order, n_order;		/* indices into the inventory, as shown */
	const struct inventory *of;	/* what the order was made for */
	char *chosen;			/* name of the chosen disk: it is kept, not the line */
	enum sort sort;
	bool hidden, more;
	char find[64];
};

static const struct session *sorting;	/* qsort() has no argument */
static enum sort sorting_by;

static int by_column(const void *a, const void *b)
{
	const struct disk *x = session_disk(sorting, *(const size_t *)a);
	const struct disk *y = session_disk(sorting, *(const size_t *)b);

	if (sorting_by == SORT_SIZE && x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (sorting_by == SORT_STATE && x->state != y->state)
		return x->state < y->state ? -1 : 1;
	return *(const size_t *)a < *(const size_t *)b ? -1 : 1;
}

static bool matches(const struct disk *d, const char *find)
{
	const char *const fields[] = { d->name, d->model, d->serial, d->why, d->where,
				       disk_state_word(d->state), disk_kind_word(d->kind) };
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i] && strcasestr(fields[i], find))
			return true;
	}
	return false;
}

/* Which disks are shown, in which order; the chosen disk stays the chosen one. */
static void arrange(struct ui *ui, struct disks *d)
{
	const struct inventory *inv = ui->s->inv;
	size_t i;

	free(d->order);
	d->order = calloc((inv ? inv->n_disks : 0) + 1, sizeof(*d->order));
	if (!d->order)
		die("no memory");
	d->n_order = 0;
	d->of = inv;
	for (i = 0; inv && i < inv->n_disks; i++) {
		if ((inv->disks[i].state != DISK_HIDDEN || d->hidden) &&
		    (!d->find[0] || matches(&inv->disks[i], d->find)))
			d->order[d->n_order++] = i;
	}
	sorting = ui->s;
	sorting_by = d->sort;
	qsort(d->order, d->n_order, sizeof(*d->order), by_column);
	d->roll.n = d->n_order;
	for (i = 0; d->chosen && i < d->n_order; i++) {
		if (!strcmp(inv->disks[d->order[i]].name, d->chosen))
			d->roll.at = i;
	}
}

static const struct disk *chosen(const struct ui *ui, const struct disks *d)
{
	return d->roll.at < d->n_order ? session_disk(ui->s, d->order[d->roll.at]) : NULL;
}

static void choose(struct ui *ui, struct disks *d)
{
	const struct disk *disk = chosen(ui, d);

	free(d->chosen);
	d->chosen = disk ? strdup(disk->name) : NULL;
}

static int disks_enter(struct ui *ui, void *state)
{
	struct err e = { 0 };

	if (!ui->s->inv && session_look(ui->s, &e) < 0) {
		ui_fail(ui, &e);
		return -1;
	}
	arrange(ui, state);
	return 0;
}

/* --- drawing --------------------------------------------------------------------------- */

/* A model without its maker when there is no room for both. */
static const char *short_model(const char *model, unsigned room)
{
	const char *blank = strchr(model, ' ');

	if (draw_width(model) > room && blank && blank[1] && blank - model <= 8)
		return blank + 1;
	return model;
}

/* As many of the last characters of the serials as tell all disks apart, and 2 more. */
static unsigned serial_width(const struct ui *ui, const struct disks *d)
{
	unsigned need = 6, most = 16;
	size_t i, k;

	for (i = 0; i < d->n_order; i++) {
		for (k = 0; k < i; k++) {
			const char *x = session_disk(ui->s, d->order[i])->serial;
			const char *y = session_disk(ui->s, d->order[k])->serial;
			size_t lx = x ? strlen(x) : 0, ly = y ? strlen(y) : 0, same = 0;

			while (same < lx && same < ly && x[lx - 1 - same] == y[ly - 1 - same])
				same++;
			if (x && y && same + 3 > need)
				need = (unsigned)same + 3;
		}
	}
	return (need > most ? most : need < 8 ? 8 : need) + 1;
}

struct columns {
	unsigned kind, size, model, serial, where, state, what;	/* first column; 0: not shown */
	unsigned model_width, serial_width;
};

static struct columns columns_for(const struct ui *ui, const struct disks *d, unsigned cols)
{
	struct columns c = { 0 };
	unsigned at;

	if (cols < 80)
		return (struct columns){ .size = 10, .state = 20, .what = 26 };
	c.kind = 14;
	c.size = 19;
	c.model = 29;
	c.serial_width = cols >= 120 ? 18 : serial_width(ui, d);
	c.model_width = cols >= 120 ? 24 : cols >= 100 ? 20 : 14;
	c.serial = at = c.model + c.model_width + 1;
	c.state = at += c.serial_width + 1;
	at += 6;
	if (cols >= 120) {
		c.where = at;
		at += 11;
	}
	c.what = at;
	return c;
}

static void draw_columns(const struct columns *c, unsigned row, unsigned cols)
{
	bool small = cols < 80;

	draw_text(row, small ? 3 : 5, PAINT_TEXT, "name");
	if (c->kind)
		draw_text(row, c->kind, PAINT_TEXT, "kind");
	draw_text(row, c->size + 4, PAINT_TEXT, "size");
	if (c->model) {
		draw_text(row, c->model, PAINT_TEXT, "model");
		draw_text(row, c->serial, PAINT_TEXT, "serial");
	}
	draw_text(row, c->state, PAINT_TEXT, "state");
	if (c->where)
		draw_text(row, c->where, PAINT_TEXT, "where");
	draw_text(row, c->what, PAINT_TEXT, small ? "what" : "on it / who uses it");
}

static void draw_disk(struct ui *ui, const struct disks *st, const struct columns *c,
		      unsigned row, unsigned cols, size_t i)
{
	const struct disk *d = session_disk(ui->s, st->order[i]);
	bool on = i == st->roll.at, small = cols < 80;
	enum paint p = on ? PAINT_CHOSEN : PAINT_TEXT;
	char mark = ui->s->marks[st->order[i]];

	if (!mark)
		mark = d->state <= DISK_DATA && !d->unread ? ' ' : '-';
	draw_cell(row, 0, cols, p, CUT_END, "");
	draw_text(row, 0, p, on ? "▶" : " ");
	if (small)
		draw_textf(row, 1, p, "%c", mark);
	else
		draw_textf(row, 1, p, "[%c]", mark);
	draw_cell(row, small ? 3 : 5, small ? 7 : 8, p, CUT_START, d->name);
	if (c->kind)
		draw_cell(row, c->kind, 4, p, CUT_END, disk_kind_word(d->kind));
	ui_draw_size(ui, row, c->size, small ? 8 : 9, p, d->bytes);
	if (c->model) {
		draw_cell(row, c->model, c->model_width, p, CUT_END,
			  short_model(safe_text(d->model ? d->model : "?"), c->model_width));
		draw_cell(row, c->serial, c->serial_width, p, CUT_START,
			  d->serial ? safe_text(d->serial) : "(none)");
	}
	draw_cell(row, c->state, 5, p, CUT_END, d->state == DISK_HIDDEN ? "hide" :
		  disk_state_word(d->state));
	if (c->where)
		draw_cell(row, c->where, 10, p, CUT_END, d->where ? safe_text(d->where) : "");
	draw_cell(row, c->what, cols - c->what, p, CUT_END, disk_what(d));
	if (on)
		ui_cursor(ui, row, small ? 3 : 5);
}

static void disks_head(struct ui *ui, const struct disks *st)
{
	struct sbuf left = { 0 }, right = { 0 }, brief = { 0 };
	unsigned d = session_marked(ui->s, 'D', NULL), c = session_marked(ui->s, 'C', NULL);
	size_t hidden = 0, i, n = ui->s->inv ? ui->s->inv->n_disks : 0;

	for (i = 0; i < n; i++)
		hidden += ui->s->inv->disks[i].state == DISK_HIDDEN;
	sbuf_addf(&left, "Disks: %zu", n - hidden);
	if (hidden)
		sbuf_addf(&left, ", and %zu hidden%s", hidden, st->hidden ? " (shown)" : "");
	if (st->find[0])
		sbuf_addf(&left, ", only with \"%s\"", st->find);
	if (d || c)
		sbuf_addf(&right, "%u data", d);
	if (c)
		sbuf_addf(&right, " + %u cache", c);
	if (right.len)
		sbuf_add(&right, " marked");
	sbuf_addf(&brief, "%u data %u cache", d, c);
	ui_head(ui, sbuf_str(&left), sbuf_str(&right), sbuf_str(&brief));
	sbuf_done(&left);
	sbuf_done(&right);
	sbuf_done(&brief);
}

static void disks_draw(struct ui *ui, void *state, struct area body)
{
	struct disks *st = state;
	struct columns c;
	unsigned list, detail, row = body.row, i;
	const struct disk *d;
	struct sbuf text = { 0 };

	if (st->of != ui->s->inv)
		arrange(ui, st);
	disks_head(ui, st);
	c = columns_for(ui, st, body.cols);
	detail = st->more ? body.rows - 3 : body.rows >= 16 ? 7 : 1;
	list = body.rows - 1 - detail;
	if (st->n_order < list && body.rows < 38)
		list = (unsigned)(st->n_order ? st->n_order : 1);
	else if (st->n_order < list)
		list = (unsigned)st->n_order;
	roll_fit(&st->roll, st->n_order, list);
	st->page = list;
	draw_columns(&c, row++, body.cols);
	for (i = 0; i < list && st->roll.top + i < st->n_order; i++)
		draw_disk(ui, st, &c, row + i, body.cols, st->roll.top + i);
	if (!st->n_order)
		draw_text(row, 1, PAINT_TEXT, st->find[0] ? "no disk has that; / and Enter on an "
			  "empty line shows all" : "no disks here; Esc, then a purchase or the lab");
	row += list;
	d = chosen(ui, st);
	if (d && detail == 1) {
		struct sbuf line = { 0 };

		sbuf_addf(&line, "%s %s %s", d->serial ? safe_text(d->serial) : "",
			  d->where ? safe_text(d->where) : "", disk_what(d));
		draw_cell(row, 1, body.cols - 1, PAINT_TEXT, CUT_END, sbuf_str(&line));
		sbuf_done(&line);
	} else if (d) {
		draw_rule(row++, 0, body.cols, d->name, st->more ? "Enter shows the list again" :
			  "details follow the cursor");
		disk_details(ui, d, &text);
		draw_wrapped((struct area){ row, 1, detail - 1, body.cols - 2 },
			     PAINT_TEXT, sbuf_str(&text));
		sbuf_done(&text);
		row += detail - 1;
	}
	if (body.rows >= 36 && row + 4 < body.row + body.rows &&
	    session_marked(ui->s, 'D', NULL) + session_marked(ui->s, 'C', NULL))
		disks_scale(ui, (struct area){ row, 0, body.row + body.rows - row, body.cols });
}

/* --- actions --------------------------------------------------------------------------- */

static void mark(struct ui *ui, struct disks *st, char to)
{
	const struct disk *d = chosen(ui, st);
	struct err e = { 0 };
	size_t i;

	if (!d)
		return;
	i = st->order[st->roll.at];
	if (ui->s->marks[i] == to)
		to = 0;
	if (session_mark(ui->s, i, to, &e) < 0) {
		ui_say(ui, '!', "%s", e.text);
		return;
	}
	if (to && d->state == DISK_DATA)
		ui_say(ui, '!', "%s holds data that will be lost: %s", d->name, disk_what(d));
	roll_act(&st->roll, ACT_DOWN, st->page);
}

/* Every free hard disk; where there is none, every free disk. */
static void mark_all(struct ui *ui)
{
	const struct inventory *inv = ui->s->inv;
	bool hard = false;
	unsigned n = 0, left = 0;
	struct err e = { 0 };
	size_t i;

	for (i = 0; i < inv->n_disks; i++)
		hard |= inv->disks[i].state == DISK_FREE && !disk_is_flash(&inv->disks[i]);
	for (i = 0; i < inv->n_disks; i++) {
		const struct disk *d = &inv->disks[i];

		if (d->state != DISK_FREE || d->unread)
			continue;
		if (hard && disk_is_flash(d))
			left++;
		else if (session_mark(ui->s, i, 'D', &e) == 0)
			n++;
	}
	if (left)
		ui_say(ui, ' ', "%u free hard disk%s marked; %u of flash left: c marks a cache", n,
		       n == 1 ? "" : "s", left);
	else
		ui_say(ui, ' ', "%u free disk%s marked", n, n == 1 ? "" : "s");
}

static int find_take(struct ui *ui, void *arg, const char *text, struct err *e)
{
	(void)ui;
	(void)arg;
	(void)text;
	(void)e;
	return 0;
}

static void find_look(struct ui *ui, void *arg, const char *text)
{
	struct disks *st = arg;

	snprintf(st->find, sizeof(st->find), "%s", text);
	arrange(ui, st);
}

static void find_leave(struct ui *ui, void *arg)
{
	find_look(ui, arg, "");
}

static int save_take(struct ui *ui, void *arg, const char *text, struct err *e)
{
	(void)arg;
	if (inventory_save(ui->s->inv, text, e) < 0)
		return -1;
	ui_say(ui, ' ', "the list of disks is in %s; naslab plan --disks reads it", text);
	return 0;
}

static int read_take(struct ui *ui, void *arg, const char *text, struct err *e)
{
	(void)arg;
	return session_load(ui->s, text, e);
}

static void again(struct ui *ui)
{
	struct err e = { 0 };

	if (session_look(ui->s, &e) < 0)
		ui_fail(ui, &e);
	else
		ui_say(ui, ' ', "looked again: %zu disks", ui->s->inv->n_disks);
}

static enum react disks_act(struct ui *ui, void *state, int act)
{
	static const char *const sorted[] = { "name", "size", "state" };
	struct disks *st = state;
	enum react r = REACT_DONE;
	size_t i;

	switch (act) {
	case DATA:
		mark(ui, st, 'D');
		break;
	case CACHE:
		mark(ui, st, 'C');
		break;
	case ALL:
		mark_all(ui);
		break;
	case NONE:
		for (i = 0; i < ui->s->inv->n_disks; i++)
			session_mark(ui->s, i, 0, &(struct err){ 0 });
		break;
	case HIDDEN:
		st->hidden = !st->hidden;
		arrange(ui, st);
		break;
	case SORT:
		st->sort = (enum sort)((st->sort + 1) % SORTS);
		arrange(ui, st);
		ui_say(ui, ' ', "sorted by %s", sorted[st->sort]);
		break;
	case AGAIN:
		again(ui);
		arrange(ui, st);
		break;
	case FIND:
		ui_prompt(ui, &(struct prompt){ .title = "Show only disks with", .text = st->find,
			  .about = "Letters of a name, model, serial or use; Esc shows all.",
			  .take = find_take, .look = find_look, .leave = find_leave, .arg = st });
		break;
	case SAVE:
		ui_prompt(ui, &(struct prompt){ .title = "Save the list of disks", .text =
			  "disks.txt", .about = "A file that naslab plan --disks reads, at home too.",
			  .take = save_take });
		break;
	case READ:
		ui_prompt(ui, &(struct prompt){ .title = "Read a list of disks", .text =
			  "disks.txt", .about = "A file that naslab disks --save wrote.",
			  .take = read_take });
		break;
	case MORE:
		st->more = !st->more;
		break;
	case ACT_BACK:
		if (!st->more)
			return REACT_UNKNOWN;
		st->more = false;
		break;
	default:
		r = roll_act(&st->roll, act, st->page);
	}
	if (act != FIND && act != HIDDEN && act != SORT && act != AGAIN)
		choose(ui, st);
	return r;
}

static const char *disks_cannot(const struct ui *ui, void *state, int act)
{
	const struct disks *st = state;

	(void)ui;
	if ((act == DATA || act == CACHE || act == MORE) && !st->n_order)
		return "there is no disk here";
	return NULL;
}

static void disks_status(struct ui *ui, void *state, struct sbuf *out)
{
	uint64_t data, cache;
	unsigned d = session_marked(ui->s, 'D', &data), c = session_marked(ui->s, 'C', &cache);
	char size[SIZE_TEXT];

	(void)state;
	if (!d && !c) {
		sbuf_add(out, "no disk is marked yet: Space marks this one, a all free hard disks");
		return;
	}
	sbuf_addf(out, "%s in %u data disk%s", ui_size(ui, size, data), d, d == 1 ? "" : "s");
	if (c)
		sbuf_addf(out, ", %s cache", ui_size(ui, size, cache));
	sbuf_addf(out, d ? ". Next: %u Layout" : ". A layout needs a data disk: Space (%u Layout)",
		  ui_step_number(&screen_layout));
}

static char disks_mark(const struct ui *ui)
{
	size_t i;
	char mark = ui->s->open_name ? '+' : '-';	/* what is built was chosen */

	for (i = 0; ui->s->inv && i < ui->s->inv->n_disks; i++) {
		if (ui->s->marks[i] == 'D' && mark == '-')
			mark = '+';
		if (ui->s->marks[i] && ui->s->inv->disks[i].state == DISK_DATA)
			mark = '!';
	}
	return mark;
}

static void disks_done(void *state)
{
	struct disks *st = state;

	free(st->order);
	free(st->chosen);
}

static const struct key disks_keys[] = {
	{ DATA, "Space", NULL, "data", 1, "mark the disk for data, or take the mark off" },
	{ CACHE, "c", NULL, "cache", 2, "mark the disk as a cache" },
	{ ALL, "a", NULL, "all free", 3, "mark every free hard disk" },
	{ NONE, "n", NULL, "none", 4, "take off all marks" },
	{ MORE, "Enter", NULL, "more", 2, "everything about the disk, and back" },
	{ HIDDEN, ".", NULL, "hidden", 6, "show what is no disk to build on, with the reason" },
	{ SORT, "s", NULL, "sort", 5, "sort by name, size, state" },
	{ AGAIN, "r F5", NULL, "again", 6, "look at the machine again" },
	{ FIND, "/ F3", NULL, "find", 5, "show only some disks" },
	{ SAVE, "v", NULL, "save", 7, "save the list of disks to plan elsewhere" },
	{ READ, "i", NULL, "read", 7, "read a list of disks" },
	{ ACT_STEP_ON, "]", NULL, "next", 1, "on to the layout" },
	{ 0 }
};

const struct screen screen_disks = {
	.name = "disks", .title = "Disks", .step = true,
	.about = "Mark the disks the layout may have: data with Space, a cache with c. A disk in "
		 "use cannot be marked; a disk that holds data can, and the last question before "
		 "the build names it.",
	.state_size = sizeof(struct disks), .keys = disks_keys, .mark = disks_mark,
	.enter = disks_enter, .draw = disks_draw, .act = disks_act, .cannot = disks_cannot,
	.status = disks_status, .done = disks_done,
};
