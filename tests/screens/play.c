/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * play - plays a script of keys on an off-screen terminal and prints the screens.
 *
 *	play [--ascii] [--root DIR] [--db FILE] KEYS
 *
 * A line of the script: keys NAME...; type TEXT; event JSON (as an executor reports it);
 * work KIND NAME (what the events are about); confirm (the last look, which a recorded
 * machine's Plan does not lead to); dump TITLE; resize COLSxROWS; # a remark.
 * It begins at 80x24; later SECONDS moves the clock, which stands otherwise. A dumped screen is framed by its title and
 * every chosen row (reverse) ends with " <"; nothing else of the attributes is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/ui.h"

static struct ui *ui;

static void settle(void)
{
	int i;

	for (i = 0; i < 3; i++)
		ui_wait(ui, 0);
}

static void dump(const char *title)
{
	struct sbuf b = { 0 };
	unsigned rows, cols, r;

	settle();
	ui_draw(ui);
	term_size(&rows, &cols);
	printf("== %s, %ux%u\n", title, cols, rows);
	for (r = 0; r < rows; r++) {
		sbuf_clear(&b);
		term_row(r, &b);
		printf("%s%s\n", sbuf_str(&b), term_row_reverse(r) >= 0 ? " <" : "");
	}
	sbuf_done(&b);
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
	static const char *const kinds[] = { "none", "build", "destroy", "recover", "bench" };
	char *name = strchr(words, ' ');
	unsigned i;

	if (!name)
		return -1;
	*name++ = '\0';
	for (i = 0; i < 5 && strcmp(kinds[i], words); i++)
		;
	work_done(&ui->s->work);
	ui->s->work.kind = (enum work_kind)i;
	ui->s->work.name = strdup(name);
	ui->s->work.runs = true;	/* as if attached to: nothing is read from a pipe */
	ui->s->work.began_ns = ui->s->work.last_line_ns = ui_now_ns();
	return i < 5 ? 0 : -1;
}

static int feed(const char *text)
{
	json_t *ev = json_loads(text, 0, NULL);

	if (!ev)
		return -1;
	work_event(&ui->s->work, ev);
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
	if (!strcmp(text, "resize"))
		return resize(rest);
	if (!strcmp(text, "confirm"))
		return ui->s->plan && ui_push(ui, &screen_confirm) ? 0 : -1;
	if (!strcmp(text, "later")) {
		ui_fixed_ns += (int64_t)strtol(rest, NULL, 10) * 1000000000;
		return 0;
	}
	if (!strcmp(text, "dump")) {
		dump(rest);
		return 0;
	}
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
