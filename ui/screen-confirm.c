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
		const struct disk *then = ((const struct node *)s->nodes.at[i])->disk;
		const struct disk *d = inventory_find(now, then->path);
		struct disk *copy;

		if (!d)
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
	if (!rc)
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
	c->secret = plan_needs_secret(ui->s->plan);
	c->at = c->secret ? FIELD_PHRASE : FIELD_NAME;
	c->bytes = ui->s->stack->usable_bytes;
	if (look(ui, c, &e) < 0) {
		ui_fail(ui, &e);
		return -1;
	}
	return 0;
}

/* --- drawing --------------------------------------------------------------------------- */

static void draw_list(struct ui *ui, struct confirm *c, struct area a)
{
	bool small = a.cols < 80;
	unsigned i;

	roll_fit(&c->roll, c->disks.n, a.rows);
	c->page = a.rows;
	for (i = 0; i < a.rows && c->roll.top + i < c->disks.n; i++) {
		const struct disk *d = c->disks.at[c->roll.top + i];
		unsigned row = a.row + i, what = small ? 20 : 58;
		char size[SIZE_TEXT];

		draw_cell(row, 1, 8, PAINT_TEXT, CUT_START, d->name);
		draw_right(row, 9, 9, PAINT_TEXT, ui_size(ui, size, d->bytes));
		if (!small) {
			draw_cell(row, 20, 20, PAINT_TEXT, CUT_END, safe_text(d->model ? d->model : "?"));
			draw_cell(row, 41, 16, PAINT_TEXT, CUT_START,
				  d->serial ? safe_text(d->serial) : "(none)");
		}
		if (d->state == DISK_DATA && !c->destroy)
			draw_text(row, what, PAINT_WARN, "!");
		draw_cell(row, what + 2, a.cols - what - 3, PAINT_TEXT, CUT_END,
			  d->why && *d->why ? safe_text(d->why) : "nothing");
	}
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
	sbuf_add(out, " Looked again just now: the same disks, nobody uses them.");
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

static void confirm_draw(struct ui *ui, void *state, struct area body)
{
	struct confirm *c = state;
	struct sbuf b = { 0 };
	unsigned list = (unsigned)c->disks.n, row = body.row, tall = body.rows >= 16;

	draw_clear(body);
	sbuf_addf(&b, c->destroy ? "Destroy %s: last look before it is lost" :
		  "Build %s: last look before anything is written", c->name);
	ui_head(ui, b.text, "", c->destroy ? "destroy: last look" : "last look");
	sbuf_clear(&b);
	sbuf_addf(&b, c->destroy ? "What is on these %zu disks is lost, and u cannot undo it:" :
		  "These %zu disks are overwritten; what is on them is lost, and u cannot undo it:",
		  c->disks.n);
	row += tall;
	row += draw_wrapped((struct area){ row, 1, 2, body.cols - 2 }, PAINT_TEXT, b.text);
	row += tall;
	if (list > body.rows - (tall ? 12 : 5) - c->secret)
		list = body.rows - (tall ? 12 : 5) - c->secret;
	draw_list(ui, c, (struct area){ row, 0, list, body.cols });
	row += list;
	if (list < c->disks.n)
		draw_textf(row, 1, PAINT_TEXT, "%zu to %zu of %zu, ↑↓ shows the others",
			   c->roll.top + 1, c->roll.top + list, c->disks.n);
	row += 1;
	if (tall) {
		sbuf_clear(&b);
		confirm_words(ui, c, &b);
		row += draw_wrapped((struct area){ row, 1, 3, body.cols - 2 }, PAINT_TEXT, b.text) + 1;
	}
	if (c->secret)
		draw_phrase(ui, c, row++, body.cols);
	sbuf_clear(&b);
	if (c->wipe.n && !c->destroy)
		sbuf_addf(&b, "%zu of them hold%s something. ", c->wipe.n, c->wipe.n == 1 ? "s" : "");
	sbuf_addf(&b, "To go on, type the name of the build:  %s", c->name);
	row += draw_wrapped((struct area){ row, 1, 2, body.cols - 2 }, PAINT_BOLD, b.text);
	draw_text(row, 1, PAINT_TEXT, "name");
	field_draw(ui, &c->field, row, 7, 26, c->at == FIELD_NAME);
	sbuf_done(&b);
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
		sbuf_add(out, "no key alone builds or destroys anything; Enter on an empty field goes back");
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
	{ ACT_ENTER, "Enter", NULL, "go on if the name matches", 1, "go on, when the name matches" },
	{ ACT_BACK, "Esc", NULL, "back, nothing is written", 1, "back, nothing is written" },
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
