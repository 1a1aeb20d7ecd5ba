/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain - the screens without a terminal: key names come as lines of standard input, the
 * screen goes out as lines "name: value" after each of them. With `follow`, what has
 * changed by itself follows, one line each, until the work has ended.
 */
#include "ui/plain.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 60, COLS = 200, TICK_MS = 1000, MOST_INPUT = 4096 };

struct plain {
	struct ui *ui;
	bool follow, input_ended;
	char input[MOST_INPUT];
	size_t len;
	struct sbuf shown;		/* the lines that went out last */
};

/* Frames of boxes and cells of bars: nothing to be read aloud. */
static bool is_picture(uint32_t ch)
{
	return (ch >= 0x2500 && ch <= 0x259f) || ch == 0x25b6 || ch == 0xb7;
}

/*
 * A part of a drawn row as fields, "first, second", or "first: second, third" when it begins
 * with a name. What lies two blanks apart, or beyond a piece of picture, is a field.
 */
static void read_row(unsigned row, unsigned from, unsigned to, bool named, struct sbuf *out)
{
	struct sbuf b = { 0 };
	unsigned col = 0, blanks = 2, fields = 0;
	const char *at;

	term_row(row, &b);
	for (at = sbuf_str(&b); *at && col < to; ) {
		const char *was = at;
		uint32_t ch = utf8_next(&at);
		int w = term_width(ch);

		col += w > 0 ? (unsigned)w : 0;
		if (col <= from)
			continue;
		if (ch == ' ' || is_picture(ch)) {
			blanks += is_picture(ch) ? 2 : 1;
			continue;
		}
		if (fields && blanks >= 2)
			sbuf_add(out, out->text[out->len - 1] == ':' ? " " : named && fields == 1 ? ": " : ", ");
		else if (fields && blanks)
			sbuf_addc(out, ' ');
		fields += blanks >= 2;
		sbuf_addn(out, was, (size_t)(at - was));
		blanks = 0;
	}
	sbuf_done(&b);
}

/* The first cell of a row from `from` on that holds this character; `none` when none does. */
static unsigned find_cell(unsigned row, unsigned from, uint32_t ch, unsigned none)
{
	struct sbuf b = { 0 };
	unsigned col;
	const char *at;

	term_row(row, &b);
	for (at = sbuf_str(&b), col = 0; *at; col++) {
		if (utf8_next(&at) == ch && col >= from) {
			none = col;
			break;
		}
	}
	sbuf_done(&b);
	return none;
}

struct region {
	unsigned top, end, left, right;	/* rows and columns, the ends outside */
};

static struct region box_at(unsigned row, unsigned col, const struct region *all)
{
	struct region box = { .top = row + 1, .left = col + 1 };

	box.right = find_cell(row, col, 0x2510, all->right);
	for (box.end = box.top; box.end < all->end; box.end++) {
		if (find_cell(box.end, col, 0x2514, all->right) == col)
			break;
	}
	return box;
}

static bool has_chosen(const struct region *p)
{
	unsigned r;

	for (r = p->top; r < p->end; r++) {
		int col = term_row_reverse(r);

		if (col >= (int)p->left && col < (int)p->right)
			return true;
	}
	return false;
}

/* Where the text of the screen is: below its head, or in the box that lies over it, which
 * is the last one when boxes lie over each other, and rather one with a chosen row. */
static struct region region_of(const struct screen *s)
{
	struct region all = { .top = 2 }, found, box;
	unsigned rows, cols, r, left;

	term_size(&rows, &cols);
	all.end = rows - 2;
	all.right = cols;
	found = all;
	for (r = 2; s->over && r < all.end; r++) {
		for (left = find_cell(r, 0, 0x250c, cols); left < cols;
		     left = find_cell(r, left + 1, 0x250c, cols)) {
			box = box_at(r, left, &all);
			if (box.end < all.end && (has_chosen(&box) || found.left == 0 || !has_chosen(&found)))
				found = box;
		}
	}
	return found;
}

static void read_rows(const struct region *p, struct sbuf *out)
{
	struct sbuf line = { 0 };
	unsigned r;

	for (r = p->top; r < p->end; r++) {
		sbuf_clear(&line);
		read_row(r, p->left, p->right, true, &line);
		if (line.len && *line.text != '[')	/* a field has a line of its own */
			sbuf_addf(out, "%s\n", line.text);
	}
	sbuf_done(&line);
}

/* The chosen row, from where it is marked to the next line down. */
static void read_chosen(const struct region *p, struct sbuf *out)
{
	struct sbuf line = { 0 };
	unsigned r;

	for (r = p->top; r < p->end; r++) {
		int reverse = term_row_reverse(r);
		unsigned from = reverse < (int)p->left ? p->left : (unsigned)reverse;
		unsigned to = find_cell(r, from, 0x2502, p->right);

		if (reverse < 0)
			continue;
		sbuf_clear(&line);
		read_row(r, from, to < p->right ? to : p->right, true, &line);
		if (line.len)
			sbuf_addf(out, "chosen: %s\n", line.text);
	}
	sbuf_done(&line);
}

static void read_screen(struct ui *ui, struct sbuf *out)
{
	const struct screen *s = ui_top(ui);
	struct sbuf row = { 0 };
	unsigned rows, cols;
	struct region region;
	struct field *field;

	ui_draw(ui);
	term_size(&rows, &cols);
	sbuf_addf(out, "screen: %s, %s\n", s->title, session_place(ui->s));
	if (ui->left.len)
		sbuf_addf(out, "about: %s\n", ui->left.text);
	region = region_of(s);
	if (!plain_screen(ui, s, out))
		read_rows(&region, out);
	read_chosen(&region, out);
	field = s->field && s != &screen_confirm ? s->field(ui, ui->frames[ui->n_frames - 1].state) : NULL;
	if (field)	/* never the one that may hold a passphrase */
		sbuf_addf(out, "field: %s\n", safe_text(field->text));
	read_row(rows - 2, 0, cols, false, &row);
	if (row.len)
		sbuf_addf(out, "message: %s\n", row.text);
	sbuf_clear(&row);
	read_row(rows - 1, 0, cols, false, &row);
	sbuf_addf(out, "keys: %s\n", sbuf_str(&row));
	sbuf_done(&row);
}

/* Is this line among those that are shown already? */
static bool is_shown(const struct plain *p, const char *line, size_t len)
{
	const char *at = sbuf_str(&p->shown);

	while (*at) {
		size_t n = strcspn(at, "\n");

		if (n == len && !memcmp(at, line, len))
			return true;
		at += n + (at[n] == '\n');
	}
	return false;
}

/* The whole screen after keys; only the lines that are new when it changed by itself. */
static void show(struct plain *p, bool whole)
{
	struct sbuf now = { 0 };
	const char *at;

	ui_wait(p->ui, 0);	/* what a screen looks up behind its first frame */
	read_screen(p->ui, &now);
	for (at = sbuf_str(&now); *at; ) {
		size_t n = strcspn(at, "\n");

		if (whole || (!is_shown(p, at, n) && strncmp(at, "message: ", 9)))
			printf("%.*s\n", (int)n, at);
		at += n + (at[n] == '\n');
	}
	if (whole)
		putchar('\n');
	fflush(stdout);
	sbuf_done(&p->shown);
	p->shown = now;
}

static void press(struct plain *p, char *line)
{
	char *name, *save = NULL;
	uint32_t key;

	if (!strncmp(line, "type ", 5)) {
		const char *at = line + 5;

		while (*at)
			ui_key(p->ui, utf8_next(&at));
		return;
	}
	for (name = strtok_r(line, " ", &save); name && !p->ui->quit; name = strtok_r(NULL, " ", &save)) {
		key = key_number(name, strlen(name));
		if (!key)
			printf("error: there is no key %s; a name is a letter, Enter, Esc, Up ... and "
			       "\"type WORDS\" fills a field\n", safe_text(name));
		else
			ui_key(p->ui, key);
		ui_wait(p->ui, 0);
	}
}

/* What came on standard input, line by line. */
static void take_input(struct plain *p)
{
	ssize_t n = read(0, p->input + p->len, sizeof(p->input) - 1 - p->len);
	char *end;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		p->input_ended = true;
		n = 0;
		if (p->len)	/* the last line needs no end */
			p->input[p->len + (size_t)n++] = '\n';
	}
	p->len += (size_t)n;
	p->input[p->len] = '\0';
	while (!p->ui->quit && (end = strchr(p->input, '\n'))) {
		*end++ = '\0';
		press(p, p->input);
		if (!p->ui->quit)
			show(p, true);
		p->len -= (size_t)(end - p->input);
		memmove(p->input, end, p->len + 1);
	}
	if (p->len + 1 == sizeof(p->input))	/* no line is so long */
		p->len = 0;
}

static void one_turn(struct plain *p)
{
	const struct work *w = &p->ui->s->work;
	struct pollfd fds[2] = {
		{ .fd = p->input_ended ? -1 : 0, .events = POLLIN },
		{ .fd = w->runs ? w->x.fd : -1, .events = POLLIN },
	};

	if (poll(fds, 2, w->runs || p->follow ? TICK_MS : -1) < 0 && errno != EINTR)
		die("poll: %s", strerror(errno));
	ui_wait(p->ui, 0);
	if (fds[0].revents)
		take_input(p);
	else if (p->follow)
		show(p, false);
}

int plain_run(const struct ui_options *options, bool follow, struct err *e)
{
	struct term_options t = { .offscreen = true, .rows = ROWS, .cols = COLS };
	struct ui_options o = *options;
	struct plain p = { .follow = follow };
	struct sbuf lines = { 0 };
	int status;

	o.offscreen = &t;
	if (ui_open(&o, &p.ui, e) < 0)
		return -1;
	p.ui->live = true;
	show(&p, true);
	while (!p.ui->quit && !(p.input_ended && !(follow && p.ui->s->work.runs)))
		one_turn(&p);
	status = p.ui->exit_status;
	ui_results(p.ui, &lines);
	ui_close(p.ui);
	sbuf_done(&p.shown);
	fputs(sbuf_str(&lines), stdout);
	sbuf_done(&lines);
	return status;
}
