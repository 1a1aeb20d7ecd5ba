/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen-confirm - the last look before disks are overwritten or a build is destroyed. It
 * names every disk, reads all of them again on entry and on Enter, and wants the name
 * typed: no key alone builds anything, and an empty field goes back.
 */
#include "ui/ui.h"

#include <string.h>

enum { DISKS = 1024, LONGEST_PHRASE = 510 };
enum { FIELD_PHRASE, FIELD_AGAIN, FIELD_NAME };

struct confirm {
	bool destroy;
	bool secret;		/* a layer encrypts: it wants a passphrase, twice */
	unsigned at;		/* the field that is typed into */
	struct field phrase, again;	/* never shown, never stored, cleared behind use */
	char name[64];
	struct field field;
	struct arena *arena;
	struct list disks;	/* struct disk *, as they are now */
	struct list wipe;	/* char *: those that hold something */
	struct roll roll;
	unsigned page;
	uint64_t bytes;		/* what it makes, or made */
	int64_t looked_ns;
};

/* Look at the disks again. -1: the plan does not fit them any more. */
static int look(struct ui *ui, struct confirm *c, struct err *e)
{
	const struct stack *s = ui->s->stack;
	struct inventory *now;
	struct list words = { 0 };
	size_t i;
	int rc;

	if (inventory_read(ui->s->root, &now, e) < 0)
		return -1;
	c->disks.n = c->wipe.n = 0;
	for (i = 0; i < s->n_disks; i++) {
		const struct node *then = s->nodes.at[i];
		const struct disk *d = inventory_find(now, then->disk->path);
		struct disk *copy;

		if (!d || !node_is_used(then))
			continue;
		copy = arena_alloc(c->arena, sizeof(*copy));
		*copy = (struct disk){ .state = d->state, .bytes = d->bytes,
			.name = arena_strdup(c->arena, d->name),
			.path = arena_strdup(c->arena, d->path),
			.model = arena_strdup(c->arena, d->model),
			.serial = arena_strdup(c->arena, d->serial),
			.why = arena_strdup(c->arena, d->why) };
		list_add(c->arena, &c->disks, copy);
		if (d->state == DISK_DATA)
			list_add(c->arena, &c->wipe, (void *)copy->path);
	}
	for (i = 0; i < c->wipe.n; i++)
		list_add(c->arena, &words, c->wipe.at[i]);
	list_add(c->arena, &words, NULL);
	rc = guard_check(ui->s->plan, now, (char *const *)words.at, e);
	if (!rc && !*ui->s->root)	/* of a recorded machine nobody knows its programs */
		rc = build_tools_check(ui->s->plan, e);
	c->wipe = words;
	c->wipe.n--;
	c->looked_ns = ui_now_ns();
	inventory_free(now);
	return rc;
}

static int confirm_enter(struct ui *ui, void *state)
{
	struct confirm *c = state;
	struct err e = { 0 };

	c->arena = arena_new();
	c->destroy = ui->destroy_name[0] != '\0';
	c->at = FIELD_NAME;
	snprintf(c->name, sizeof(c->name), "%s", c->destroy ? ui->destroy_name : ui->s->build_name);
	if (c->destroy)
		return build_disks(ui, c->name, c->arena, &c->disks, &c->bytes);
	c->secret = c->phrase.secret = c->again.secret = plan_needs_secret(ui->s->plan);
	c->at = c->secret ? FIELD_PHRASE : FIELD_NAME;
	c->bytes = ui->s->stack->usable_bytes;
	if (look(ui, c, &e) < 0) {
		ui_fail(ui, &e);
		return -1;
	}
	return 0;
}

/* --- drawing --------------------------------------------------------------------------- */

/* Rows that text takes, wrapped: what is drawn outside of the window is only counted. */
static unsigned rows_of(const char *text, unsigned cols)
{
	enum { OUTSIDE = 10000 };

	return draw_wrapped((struct area){ OUTSIDE, 0, 64, cols }, PAINT_TEXT, text);
}

/* Where the columns begin; compact: model and content have a line of their own. */
struct columns {
	unsigned model, serial, what, cols;
	bool compact;
};

static struct columns columns_of(const struct confirm *c, unsigned cols)
{
	struct columns to = { .model = 20, .cols = cols };
	unsigned model = 6, serial = 7;
	size_t i;

	for (i = 0; i < c->disks.n; i++) {
		const struct disk *d = c->disks.at[i];
		unsigned m = draw_width(safe_text(d->model ? d->model : "?"));
		unsigned s = draw_width(safe_text(d->serial ? d->serial : "(none)"));

		model = m > model ? m : model;
		serial = s > serial ? s : serial;
	}
	to.serial = to.model + model + 2;
	to.what = to.serial + serial + 1;
	to.compact = to.what + 10 > cols;
	if (to.compact) {
		to.serial = to.model;
		to.what = to.serial + serial + 1;
	}
	return to;
}

/* One disk with all there is to say of it, nothing cut; returns the rows it takes. */
static unsigned draw_disk(struct ui *ui, const struct confirm *c, const struct disk *d,
			  const struct columns *to, unsigned row)
{
	bool mark = d->state == DISK_DATA && !c->destroy;
	const char *model = safe_text(d->model ? d->model : "?");
	const char *what = d->why && *d->why ? safe_text(d->why) : "nothing";
	unsigned room = to->what + 3 < to->cols ? to->cols - to->what - 3 : 0, used = 1;
	struct sbuf b = { 0 };

	draw_cell(row, 1, 8, PAINT_TEXT, CUT_START, d->name);
	ui_draw_size(ui, row, 9, 9, PAINT_TEXT, d->bytes);
	draw_text(row, to->serial, PAINT_TEXT, d->serial ? safe_text(d->serial) : "(none)");
	if (!to->compact)
		draw_text(row, to->model, PAINT_TEXT, model);
	else
		sbuf_addf(&b, "%s: ", model);
	sbuf_add(&b, what);
	if (!to->compact && draw_width(b.text) <= room) {
		draw_text(row, to->what, PAINT_WARN, mark ? "!" : "");
		draw_text(row, to->what + 2, PAINT_TEXT, b.text);
	} else {
		draw_text(row + 1, 2, PAINT_WARN, mark ? "!" : "");
		used += draw_wrapped((struct area){ row + 1, 4, 8, to->cols - 5 }, PAINT_TEXT, b.text);
	}
	sbuf_done(&b);
	return used;
}

/* How many disks fit into so many rows, from the first that is shown. */
static unsigned disks_that_fit(struct ui *ui, const struct confirm *c, const struct columns *to,
			       unsigned rows)
{
	enum { OUTSIDE = 10000 };
	unsigned n = 0, used = 0;

	while (c->roll.top + n < c->disks.n) {
		used += draw_disk(ui, c, c->disks.at[c->roll.top + n], to, OUTSIDE);
		if (used > rows)
			break;
		n++;
	}
	return n ? n : 1;
}

/* Returns the row below the list. */
static unsigned draw_list(struct ui *ui, struct confirm *c, const struct columns *to, struct area a)
{
	unsigned i, row = a.row;

	c->roll.n = c->disks.n;
	if (c->roll.at < c->roll.top)
		c->roll.top = c->roll.at;
	for (c->page = disks_that_fit(ui, c, to, a.rows); c->roll.at >= c->roll.top + c->page;
	     c->page = disks_that_fit(ui, c, to, a.rows))
		c->roll.top++;
	for (i = 0; i < c->page && c->roll.top + i < c->disks.n; i++)
		row += draw_disk(ui, c, c->disks.at[c->roll.top + i], to, row);
	if (c->page < c->disks.n)
		draw_textf(row, 1, PAINT_TEXT, "%zu to %zu of %zu, ↑↓ shows the others",
			   c->roll.top + 1, c->roll.top + c->page, c->disks.n);
	return row;
}

static void confirm_words(struct ui *ui, const struct confirm *c, struct sbuf *out)
{
	char size[SIZE_TEXT];

	if (c->destroy) {
		sbuf_addf(out, "%s of %s is torn down, top layer first; every disk is proven blank "
			  "afterwards.", ui_size(ui, size, c->bytes), c->name);
		return;
	}
	sbuf_addf(out, "It makes %s for files, ", ui_size(ui, size, c->bytes));
	if (ui->s->stack->survives)
		sbuf_addf(out, "survives any %u disk%s.", ui->s->stack->survives,
			  ui->s->stack->survives == 1 ? "" : "s");
	else
		sbuf_add(out, "survives no lost disk.");
	sbuf_add(out, " No other disk is touched. Looked again just now: the same disks, nobody uses "
		 "them.");
}

/* As many signs as were typed, never the letters. */
static void draw_hidden(struct ui *ui, const struct field *f, unsigned row, unsigned col,
			unsigned width, bool active)
{
	struct field stars = *f;

	memset(stars.text, '*', stars.len);
	field_draw(ui, &stars, row, col, width, active);
	explicit_bzero(&stars, sizeof(stars));
}

static void draw_phrase(struct ui *ui, const struct confirm *c, unsigned row, unsigned cols)
{
	unsigned width = cols >= 80 ? 20 : 12, col = draw_text(row, 1, PAINT_TEXT, "passphrase ");

	draw_hidden(ui, &c->phrase, row, col, width, c->at == FIELD_PHRASE);
	col += width + 1;
	if (cols >= 80)
		col = draw_text(row, col, PAINT_TEXT, "once more ");
	draw_hidden(ui, &c->again, row, col, width, c->at == FIELD_AGAIN);
}

static void first_words(const struct confirm *c, bool small, struct sbuf *out)
{
	bool one = c->disks.n == 1;

	if (c->destroy && one)
		sbuf_add(out, "What is on this disk is lost");
	else if (c->destroy)
		sbuf_addf(out, "What is on these %zu disks is lost", c->disks.n);
	else if (one)
		sbuf_add(out, "This disk is overwritten");
	else
		sbuf_addf(out, "These %zu disks are overwritten", c->disks.n);
	if (!small && !c->destroy)
		sbuf_addf(out, "; what is on %s is lost", one ? "it" : "them");
	sbuf_addf(out, "%s:", small ? "" : ", and u cannot undo it");
}

static void last_words(const struct confirm *c, bool small, struct sbuf *out)
{
	if (c->wipe.n && !c->destroy && !small)
		sbuf_addf(out, "%zu of them hold%s something. ", c->wipe.n, c->wipe.n == 1 ? "s" : "");
	sbuf_addf(out, small ? "Type its name to go on:  %s" :
		  "To go on, type the name of the build:  %s", c->name);
}

static void draw_header(const struct columns *to, unsigned row)
{
	draw_right(row, 9, 9, PAINT_TEXT, "size");
	draw_text(row, to->serial, PAINT_TEXT, "serial");
	if (to->compact)
		return;
	draw_text(row, to->model, PAINT_TEXT, "model");
	draw_text(row, to->what + 2, PAINT_TEXT, "on it now");
}

/* From the top what is lost, from the bottom what it takes; the disks have the rest. */
static void confirm_draw(struct ui *ui, void *state, struct area body)
{
	struct confirm *c = state;
	struct sbuf head = { 0 }, first = { 0 }, words = { 0 }, last = { 0 };
	bool tall = body.rows >= 16, small = body.cols < 80;
	unsigned cols = body.cols - 2, row = body.row + tall, end = body.row + body.rows, rows, below;
	struct columns to = columns_of(c, body.cols);

	draw_clear(body);
	sbuf_addf(&head, c->destroy ? "Destroy %s: last look before it is lost" :
		  "Build %s: last look before anything is written", c->name);
	ui_head(ui, head.text, "", c->destroy ? "destroy: last look" : "last look");
	first_words(c, small, &first);
	last_words(c, small, &last);
	if (tall)
		confirm_words(ui, c, &words);
	row += draw_wrapped((struct area){ row, 1, 2, cols }, PAINT_TEXT, first.text) + tall;
	if (tall)
		draw_header(&to, row++);
	below = rows_of(last.text, cols) + 2 + c->secret + (tall ? rows_of(words.text, cols) + 1 : 0);
	rows = end > row + below ? end - row - below : 1;
	row = draw_list(ui, c, &to, (struct area){ row, 0, rows, body.cols }) + 1;
	if (tall)
		row += draw_wrapped((struct area){ row, 1, 3, cols }, PAINT_TEXT, words.text) + 1;
	if (c->secret)
		draw_phrase(ui, c, row++, body.cols);
	row += draw_wrapped((struct area){ row, 1, 2, cols }, PAINT_BOLD, last.text);
	draw_text(row, 1, PAINT_TEXT, "name");
	field_draw(ui, &c->field, row, 7, 26, c->at == FIELD_NAME);
	sbuf_done(&head);
	sbuf_done(&first);
	sbuf_done(&words);
	sbuf_done(&last);
}

/* --- actions --------------------------------------------------------------------------- */

static int start(struct ui *ui, struct confirm *c, struct err *e)
{
	const char *db = session_db(ui->s, e);
	json_t *order;
	int rc;

	if (!db)
		return -1;
	order = c->destroy ? order_simple("destroy", c->name, db) :
		order_build(ui->s->plan, db, (char *const *)c->wipe.at);
	if (c->secret)
		order_secret(order, c->phrase.text);
	rc = ui_work(ui, c->destroy ? WORK_DESTROY : WORK_BUILD, c->name, order, e);
	json_decref(order);
	if (rc == 0 && !c->destroy && session_plan(ui->s, e) == 0)
		work_steps(&ui->s->work, ui->s->plan);
	return rc;
}

static void forget_phrase(struct confirm *c)
{
	explicit_bzero(c->phrase.text, sizeof(c->phrase.text));
	explicit_bzero(c->again.text, sizeof(c->again.text));
	c->phrase.len = c->phrase.at = c->again.len = c->again.at = 0;
	if (c->secret)
		c->at = FIELD_PHRASE;
}

/* From the passphrase to its repetition to the name. */
static void next_field(struct ui *ui, struct confirm *c)
{
	if (c->at == FIELD_PHRASE && c->phrase.len > LONGEST_PHRASE) {
		forget_phrase(c);
		ui_say(ui, '!', "a passphrase has at most %d characters", LONGEST_PHRASE);
	} else if (c->at == FIELD_AGAIN && strcmp(c->phrase.text, c->again.text)) {
		forget_phrase(c);
		ui_say(ui, '!', "it was not the same twice: type the passphrase again");
	} else if (c->at < FIELD_NAME) {
		c->at++;
	} else if (c->secret) {
		c->at = FIELD_PHRASE;
	}
}

static void go(struct ui *ui, struct confirm *c)
{
	struct err e = { 0 };

	if (!c->destroy && look(ui, c, &e) < 0) {
		ui_pop(ui);
		ui_fail(ui, &e);
		return;
	}
	if (start(ui, c, &e) < 0) {
		ui_fail(ui, &e);
		return;
	}
	ui_pop(ui);
	ui->destroy_name[0] = '\0';
	ui_goto(ui, &screen_build);
}

static struct field *confirm_field(struct ui *ui, void *state)
{
	struct confirm *c = state;

	(void)ui;
	return c->at == FIELD_PHRASE ? &c->phrase : c->at == FIELD_AGAIN ? &c->again : &c->field;
}

static enum react confirm_act(struct ui *ui, void *state, int act)
{
	struct confirm *c = state;

	if (act == ACT_BACK || (act == ACT_ENTER && !confirm_field(ui, c)->len)) {
		ui->destroy_name[0] = '\0';
		ui_say(ui, ' ', c->destroy ? "nothing was destroyed" : "nothing was written");
		ui_pop(ui);		/* and c with it */
		return REACT_DONE;
	}
	if (act == ACT_TAB || (act == ACT_ENTER && c->at != FIELD_NAME)) {
		next_field(ui, c);
		return REACT_DONE;
	}
	if (act == ACT_ENTER) {
		if (c->secret && (!c->phrase.len || strcmp(c->phrase.text, c->again.text))) {
			forget_phrase(c);
			ui_say(ui, '!', "the passphrase is missing, or was not the same twice");
		} else if (!strcmp(c->field.text, c->name))
			go(ui, c);
		else
			ui_say(ui, '!', "\"%s\" is not the name %s", safe_text(c->field.text), c->name);
		return REACT_DONE;
	}
	return roll_act(&c->roll, act, c->page);
}

static void confirm_status(struct ui *ui, void *state, struct sbuf *out)
{
	struct confirm *c = state;

	(void)ui;
	if (c->at == FIELD_PHRASE)
		sbuf_add(out, "the layout encrypts: type a passphrase; lost, the data is lost");
	else if (c->at == FIELD_AGAIN)
		sbuf_add(out, "the same passphrase once more, then Enter");
	else if (!c->field.len)
		sbuf_add(out, "no key alone does it; Enter on an empty field goes back");
	else if (strcmp(c->field.text, c->name))
		sbuf_addf(out, "not the name yet: \"%s\"", safe_text(c->field.text));
	else
		sbuf_addf(out, "that is the name: Enter %s", c->destroy ? "destroys" : "builds");
}

static void confirm_done(void *state)
{
	struct confirm *c = state;

	forget_phrase(c);
	arena_free(c->arena);
}

static const struct key confirm_keys[] = {
	{ ACT_ENTER, "Enter", NULL, "go on", 1, "go on, when the name matches" },
	{ ACT_BACK, "Esc", NULL, "back", 1, "back, nothing is written" },
	{ ACT_UP, "Up", "↑↓", "disks", 3, "another line" },
	{ ACT_TAB, "Tab", NULL, "next field", 3, "the next field, when a passphrase is asked for too" },
	{ 0 }
};

const struct screen screen_confirm = {
	.name = "confirm", .title = "Confirm", .over = true,
	.about = "The last look. Every disk was read again just now, and is once more on Enter. "
		 "Type the name of the build; anything else writes nothing.",
	.state_size = sizeof(struct confirm), .keys = confirm_keys,
	.enter = confirm_enter, .draw = confirm_draw, .act = confirm_act,
	.field = confirm_field, .status = confirm_status, .done = confirm_done,
};
