/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session - what the screens share; every number in it is the engine's. */
#include "ui/session.h"

#include <stdlib.h>
#include <string.h>

static char *dup_text(const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		die("no memory");
	return copy;
}

static void set_text(char **slot, const char *text)
{
	char *copy = dup_text(text);

	free(*slot);
	*slot = copy;
}

struct session *session_new(const char *root, const char *db)
{
	struct session *s = calloc(1, sizeof(*s));

	if (!s)
		die("no memory");
	s->root = root ? root : "";
	s->db = db;
	s->place = sandbox_inside() ? PLACE_LAB : *s->root ? PLACE_PLAN : PLACE_REAL;
	s->build_name = dup_text(s->place == PLACE_LAB ? "lab1" : "nas1");
	s->work.x.fd = -1;
	return s;
}

/* What was made of the layout; the layout itself stays. */
static void drop_made(struct session *s)
{
	plan_free(s->plan);
	stack_free(s->stack);
	s->plan = NULL;
	s->stack = NULL;
	free(s->picks);
	s->picks = NULL;
	s->n_picks = 0;
	s->made++;
	s->advice = (struct list){ 0 };
}

static void drop_changes(struct change *c, size_t *n)
{
	while (*n)
		free(c[--*n].text);
}

void session_free(struct session *s)
{
	if (!s)
		return;
	drop_made(s);
	recipe_free(s->recipe);
	inventory_free(s->inv);
	drop_changes(s->undo, &s->n_undo);
	drop_changes(s->redo, &s->n_redo);
	work_done(&s->work);
	free(s->marks);
	free(s->db_path);
	free(s->open_name);
	free(s->held_layout);
	arena_free(s->held_arena);
	free(s->purchase);
	free(s->layout);
	free(s->layout_name);
	free(s->build_name);
	free(s);
}

void session_picks(struct session *s)
{
	size_t i;

	drop_made(s);
	s->picks = calloc((s->inv ? s->inv->n_disks : 0) + s->n_held + 1, sizeof(*s->picks));
	if (!s->picks)
		die("no memory");
	s->from_held = s->n_held && !s->elsewhere && !session_marked(s, 'D', NULL);
	if (s->from_held) {
		memcpy(s->picks, s->held, s->n_held * sizeof(*s->picks));
		s->n_picks = s->n_held;
		return;
	}
	for (i = 0; s->inv && i < s->inv->n_disks; i++) {
		if (s->marks[i])
			s->picks[s->n_picks++] = (struct pick){ .disk = &s->inv->disks[i],
				.role = s->marks[i] == 'C' ? ROLE_CACHE : ROLE_DATA };
	}
}

unsigned session_picked(const struct session *s, enum role role)
{
	unsigned n = 0;
	size_t i;

	for (i = 0; i < s->n_picks; i++)
		n += s->picks[i].role == role;
	return n;
}

/* The stack, from the recipe and the marked disks. */
static void make_stack(struct session *s)
{
	session_picks(s);
	s->err = (struct err){ 0 };
	if (!s->recipe || !s->inv)
		return;
	if (!session_picked(s, ROLE_DATA)) {
		err_set(&s->err, ERR_USAGE, "no data disk is marked: Space on the screen Disks marks one");
		return;
	}
	if (stack_make(s->recipe, s->build_name, s->picks, s->n_picks, &s->stack, &s->err) < 0)
		return;
	if (stack_check_ram(s->stack, picks_ram(s->inv, s->picks, s->n_picks), &s->err) < 0) {
		stack_free(s->stack);
		s->stack = NULL;
		return;
	}
	stack_advice(s->stack, s->stack->arena, &s->advice);
}

void session_again(struct session *s)
{
	make_stack(s);
}

int session_plan(struct session *s, struct err *e)
{
	if (!s->stack) {
		if (s->err.text[0])
			*e = s->err;
		else
			err_set(e, ERR_USAGE, "there is no layout yet");
		return -1;
	}
	if (s->plan)
		return 0;
	return plan_make(s->stack, &s->plan, e);
}

/* --- disks ----------------------------------------------------------------------------- */

const struct disk *session_disk(const struct session *s, size_t i)
{
	return s->inv && i < s->inv->n_disks ? &s->inv->disks[i] : NULL;
}

/* The same disk in another inventory: by stable path, else by name and serial. */
static bool same_disk(const struct disk *a, const struct disk *b)
{
	if (a->by_id && b->by_id)
		return !strcmp(a->by_id, b->by_id);
	if (strcmp(a->name, b->name) || a->bytes != b->bytes)
		return false;
	return !a->serial || !b->serial || !strcmp(a->serial, b->serial);
}

static void take_inventory(struct session *s, struct inventory *inv)
{
	char *marks = calloc(inv->n_disks + 1, 1);
	size_t i, k;

	if (!marks)
		die("no memory");
	for (i = 0; s->inv && i < s->inv->n_disks; i++) {
		for (k = 0; s->marks[i] && k < inv->n_disks; k++) {
			const struct disk *d = &inv->disks[k];

			if (same_disk(&s->inv->disks[i], d) && d->state <= DISK_DATA)
				marks[k] = s->marks[i];
		}
	}
	drop_made(s);
	inventory_free(s->inv);
	free(s->marks);
	s->inv = inv;
	s->marks = marks;
	make_stack(s);
}

int session_look(struct session *s, struct err *e)
{
	struct inventory *inv;

	if (s->purchase)
		return session_purchase(s, s->purchase, e);
	if (s->elsewhere)
		return err_set(e, ERR_USAGE, "these disks come from a list: m on the first screen "
			       "goes back to this machine");
	if (inventory_read(s->root, &inv, e) < 0) {
		s->inv_err = *e;
		return -1;
	}
	s->inv_err = (struct err){ 0 };
	take_inventory(s, inv);
	return 0;
}

int session_machine(struct session *s, struct err *e)
{
	if (s->elsewhere) {
		s->elsewhere = false;
		free(s->purchase);
		s->purchase = NULL;
		s->place = sandbox_inside() ? PLACE_LAB : *s->root ? PLACE_PLAN : PLACE_REAL;
		return session_look(s, e);
	}
	return s->inv ? 0 : session_look(s, e);
}

int session_purchase(struct session *s, const char *words, struct err *e)
{
	struct inventory *inv = inventory_new();
	char *copy = dup_text(words), *word, *save = NULL;
	bool hard = false;
	size_t i;
	int rc = 0;

	for (word = strtok_r(copy, " \t", &save); word && rc >= 0;
	     word = strtok_r(NULL, " \t", &save))
		rc = inventory_add_virtual(inv, word, e);
	free(copy);
	if (rc >= 0 && !inv->n_disks)
		rc = err_set(e, ERR_USAGE, "no disk yet: for instance 4xhdd:8T ssd:1T");
	if (rc < 0) {
		inventory_free(inv);
		return -1;
	}
	if (words != s->purchase)
		set_text(&s->purchase, words);
	s->place = PLACE_PLAN;
	s->elsewhere = true;
	take_inventory(s, inv);
	for (i = 0; i < inv->n_disks; i++)
		hard |= !disk_is_flash(&inv->disks[i]);
	for (i = 0; i < inv->n_disks; i++)	/* who buys an SSD beside hard disks wants a cache */
		s->marks[i] = hard && disk_is_flash(&inv->disks[i]) ? 'C' : 'D';
	make_stack(s);
	return 0;
}

int session_load(struct session *s, const char *path, struct err *e)
{
	struct inventory *inv;

	if (inventory_load(path, &inv, e) < 0)
		return -1;
	free(s->purchase);
	s->purchase = NULL;
	s->place = PLACE_PLAN;
	s->elsewhere = true;
	take_inventory(s, inv);
	return 0;
}

/* The open build has its name already: nas1 becomes nas2. */
static void name_another(struct session *s)
{
	size_t stem = strlen(s->build_name);
	char name[80];

	if (!s->open_name || strcmp(s->open_name, s->build_name))
		return;
	while (stem && s->build_name[stem - 1] >= '0' && s->build_name[stem - 1] <= '9')
		stem--;
	snprintf(name, sizeof(name), "%.*s%ld", (int)stem, s->build_name,
		 strtol(s->build_name + stem, NULL, 10) + 1);
	if (name_is_valid(name))
		set_text(&s->build_name, name);
}

int session_mark(struct session *s, size_t i, char mark, struct err *e)
{
	const struct disk *d = session_disk(s, i);

	if (!d)
		return err_set(e, ERR_USAGE, "there is no disk here");
	if (mark && d->state >= DISK_BUSY)
		return err_set(e, ERR_REFUSED, "%s is in use: %s", d->name,
			       d->why ? d->why : disk_state_word(d->state));
	if (mark && d->unread)
		return err_set(e, ERR_REFUSED, "%s could not be read, so it may hold data: %s",
			       d->name, d->why ? d->why : "it needs root");
	if (mark && s->from_held)
		name_another(s);
	s->marks[i] = mark;
	make_stack(s);
	return 0;
}

unsigned session_marked(const struct session *s, char mark, uint64_t *bytes)
{
	unsigned n = 0;
	size_t i;

	if (bytes)
		*bytes = 0;
	for (i = 0; s->inv && i < s->inv->n_disks; i++) {
		if (s->marks[i] != mark)
			continue;
		n++;
		if (bytes)
			*bytes += s->inv->disks[i].bytes;
	}
	return n;
}

void session_counts(const struct session *s, struct sbuf *out)
{
	unsigned n[4] = { 0 }, shown;
	size_t i;

	if (!s->inv) {
		sbuf_add(out, s->inv_err.text[0] ? s->inv_err.text : "...");
		return;
	}
	for (i = 0; i < s->inv->n_disks; i++)
		n[s->inv->disks[i].state]++;
	shown = n[DISK_FREE] + n[DISK_DATA] + n[DISK_BUSY];
	sbuf_addf(out, "%u disk%s: %u free, %u hold%s data, %u in use", shown,
		  shown == 1 ? "" : "s", n[DISK_FREE], n[DISK_DATA], n[DISK_DATA] == 1 ? "s" : "",
		  n[DISK_BUSY]);
}

/* --- the layout ------------------------------------------------------------------------ */

/* Make everything of this text. -1: it is no layout, and nothing changed. */
static int compute(struct session *s, const char *text, struct err *e)
{
	struct recipe *r;

	if (recipe_parse(text, NULL, &r, e) < 0)
		return -1;
	drop_made(s);
	recipe_free(s->recipe);
	s->recipe = r;
	make_stack(s);
	return 0;
}

static void remember(struct change *list, size_t *n, const char *text, const char *what)
{
	if (*n == UNDO_DEPTH) {
		free(list[0].text);
		memmove(list, list + 1, (UNDO_DEPTH - 1) * sizeof(*list));
		(*n)--;
	}
	list[*n].text = dup_text(text);
	snprintf(list[*n].what, sizeof(list[*n].what), "%s", what);
	(*n)++;
}

int session_layout(struct session *s, const char *text, const char *what, struct err *e)
{
	if (compute(s, text, e) < 0)
		return -1;
	if (s->layout && strcmp(s->layout, text)) {
		remember(s->undo, &s->n_undo, s->layout, what);
		drop_changes(s->redo, &s->n_redo);
		s->layout_changed = true;
	}
	set_text(&s->layout, text);
	return 0;
}

int session_recipe(struct session *s, const char *name, struct err *e)
{
	struct sbuf line = { 0 };
	struct recipe *r;
	char what[80];
	int rc;

	if (recipe_open(name, &r, e) < 0)
		return -1;
	recipe_line(r, &line);
	snprintf(what, sizeof(what), "layout %s", name);
	rc = session_layout(s, sbuf_str(&line), what, e);
	if (rc == 0) {
		set_text(&s->layout_name, name);
		s->recipe->name = arena_strdup(s->recipe->arena, name);
		s->layout_changed = false;
	}
	sbuf_done(&line);
	recipe_free(r);
	return rc;
}

/* Go from the layout to the one on `from`, and put it on `to`. */
static bool step_through(struct session *s, struct change *from, size_t *n_from,
			 struct change *to, size_t *n_to)
{
	struct err e = { 0 };
	struct change *c;

	if (!*n_from)
		return false;
	c = &from[--*n_from];
	remember(to, n_to, s->layout, c->what);
	set_text(&s->layout, c->text);
	free(c->text);
	s->layout_changed = true;
	return compute(s, s->layout, &e) == 0;
}

bool session_undo(struct session *s)
{
	return step_through(s, s->undo, &s->n_undo, s->redo, &s->n_redo);
}

bool session_redo(struct session *s)
{
	return step_through(s, s->redo, &s->n_redo, s->undo, &s->n_undo);
}

int session_try(struct session *s, const char *text, struct err *e)
{
	if (!text)
		text = s->layout;
	if (!text) {
		drop_made(s);
		recipe_free(s->recipe);
		s->recipe = NULL;
		s->err = (struct err){ 0 };
		return 0;
	}
	return compute(s, text, e);
}

void session_unnamed(struct session *s)
{
	free(s->layout_name);
	s->layout_name = NULL;
	s->layout_changed = false;
}

int session_name(struct session *s, const char *name, struct err *e)
{
	if (!name_is_valid(name))
		return err_set(e, ERR_USAGE, "a name has a-z, 0-9 and -, begins with a letter and "
			       "has at most 20 characters");
	set_text(&s->build_name, name);
	make_stack(s);
	return 0;
}

const char *session_db(struct session *s, struct err *e)
{
	struct store *st;

	if (s->db_path)
		return s->db_path;
	if (store_open(s->db, &st, e) < 0)
		return NULL;
	set_text(&s->db_path, store_path(st));
	store_close(st);
	return s->db_path;
}

const char *session_place(const struct session *s)
{
	static const char *const words[] = { "REAL DISKS", "practice lab", "plan only" };

	return words[s->place];
}

const char *session_title(const struct session *s)
{
	return s->layout_name ? s->layout_name : session_as_built(s) ? s->open_name :
		s->layout ? "your own" : "none yet";
}
