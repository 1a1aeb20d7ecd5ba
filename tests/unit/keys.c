/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shown is done: every row of every key table is bound on its screen, no key means two
 * things, no screen gives a key of everywhere another meaning, and help lists all of them.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/ui.h"

static struct ui *open_ui(void)
{
	static const struct term_options t = { .offscreen = true, .rows = 24, .cols = 80 };
	struct ui_options o = { .root = "", .db = "/dev/null/naslab.db", .offscreen = &t };
	struct err e = { 0 };
	struct ui *ui;

	const char *src = getenv("srcdir");
	char layouts[4096];

	setenv("TERM", "xterm", 1);
	snprintf(layouts, sizeof(layouts), "%s/layouts", src ? src : ".");
	setenv("NASLAB_LAYOUTS", layouts, 1);
	assert_int_equal(ui_open(&o, &ui, &e), 0);
	assert_int_equal(session_purchase(ui->s, "2xhdd:3T 2xhdd:5T ssd:1T", &e), 0);
	assert_int_equal(session_layout(ui->s, "slice | md redundancy=1 | xfs | mergerfs", "", &e), 0);
	assert_non_null(ui->s->stack);
	assert_int_equal(session_plan(ui->s, &e), 0);
	return ui;
}

/* Put a screen in front, over the layout when it lies over another one. */
static void show(struct ui *ui, const struct screen *s)
{
	if (s == &screen_start)
		return;
	if (!s->over) {
		ui_goto(ui, s);
	} else if (s == &screen_choose) {
		struct arena *a = arena_new();
		struct choice *c = arena_array(a, 1, sizeof(*c));

		c[0].label = "one";
		c[0].no = "not here";
		ui_choose(ui, &(struct choices){ .title = "t", .items = c, .n = 1, .arena = a });
	} else if (s == &screen_prompt) {
		ui_prompt(ui, &(struct prompt){ .title = "t" });
	} else if (s == &screen_confirm) {
		ui->frames[ui->n_frames++] = (struct frame){ s, calloc(1, s->state_size) };
	} else {
		ui_push(ui, s);
	}
	assert_ptr_equal(ui_top(ui), s);
}

/* Starts a kernel: not for a unit test. The screen test of the sandbox plays it. */
static bool leaves_the_program(const struct screen *s, const struct key *k)
{
	return s == &screen_start && !strcmp(k->keys, "p");
}

static void every_drawn_key_is_bound(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; screens[i]; i++) {
		const struct key *k;

		for (k = screens[i]->keys; k->act; k++) {
			struct ui *ui;

			if (leaves_the_program(screens[i], k))
				continue;
			ui = open_ui();
			show(ui, screens[i]);
			if (ui_act(ui, k->act) != REACT_DONE)
				fail_msg("%s: %s is drawn and does nothing", screens[i]->name, k->keys);
			ui_close(ui);
		}
	}
}

static void everywhere_is_bound(void **state)
{
	const struct key *k;

	(void)state;
	for (k = keys_everywhere; k->act; k++) {
		struct ui *ui = open_ui();

		ui_goto(ui, &screen_disks);
		if (k->act > ACT_RIGHT || k->act < ACT_LEFT) {
			if (ui_act(ui, k->act) != REACT_DONE)
				fail_msg("%s does nothing on Disks", k->keys);
		}
		ui_close(ui);
	}
}

/* Each key of a row, by number; returns how many. */
static size_t numbers(const struct key *k, uint32_t *out)
{
	const char *p = k->keys;
	size_t n = 0, len;

	for (; *p; p += len + (p[len] == ' ')) {
		len = strcspn(p, " ");
		out[n] = key_number(p, len);
		if (!out[n++])
			fail_msg("\"%s\" names no key", k->keys);
	}
	return n;
}

static void no_key_means_two_things(void **state)
{
	static const char *const taken[] = { "h", "j", "k", "l", "g", "q", "u", "z", "b", "?", "/", ":",
		"!", "[", "]", "1", "2", "3", "4", "5", "6", "7", "G" };
	static const int meaning[] = { ACT_LEFT, ACT_DOWN, ACT_UP, ACT_RIGHT, ACT_TOP, ACT_QUIT, 0, 0,
		ACT_UNITS, ACT_HELP, 0, ACT_PALETTE, ACT_MESSAGES, ACT_STEP_BACK, ACT_STEP_ON };
	size_t i, t, n, m;

	(void)state;
	for (i = 0; screens[i]; i++) {
		const struct key *k, *other;
		uint32_t keys[8];

		for (k = screens[i]->keys; k->act; k++) {
			n = numbers(k, keys);
			for (m = 0; m < n; m++) {
				other = key_find(screens[i]->keys, keys[m]);
				if (other != k)
					fail_msg("%s: \"%s\" and \"%s\" share a key", screens[i]->name, k->keys,
						 other->keys);
			}
			for (t = 0; t < sizeof(meaning) / sizeof(meaning[0]); t++) {
				if (meaning[t] && keys[0] == key_number(taken[t], 1) && k->act != meaning[t])
					fail_msg("%s: %s has another meaning everywhere", screens[i]->name,
						 taken[t]);
			}
		}
	}
}

static void rows_are_complete(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; screens[i]; i++) {
		const struct key *k;

		assert_non_null(screens[i]->about);
		for (k = screens[i]->keys; k->act; k++) {
			assert_non_null(k->help);
			assert_true(strlen(k->help) > 3);
			if (k->word)
				assert_true(k->rank > 0);
		}
	}
}

/* Searching help for the sentence of a key finds it and Enter does it. */
static void help_finds_every_key(void **state)
{
	struct ui *ui = open_ui();
	const struct key *k;

	(void)state;
	ui_goto(ui, &screen_plan);
	for (k = screen_plan.keys; k->act; k++) {
		const char *p;
		struct sbuf status = { 0 };

		ui_act(ui, ACT_HELP);
		assert_ptr_equal(ui_top(ui), &screen_help);
		for (p = k->help; *p; p++)
			ui_key(ui, (unsigned char)*p);
		screen_help.status(ui, ui->frames[ui->n_frames - 1].state, &status);
		assert_non_null(strstr(sbuf_str(&status), k->help));
		sbuf_done(&status);
		ui_key(ui, UK_ESC);
		assert_ptr_equal(ui_top(ui), &screen_plan);
	}
	ui_close(ui);
}

static void unknown_keys_say_so(void **state)
{
	struct ui *ui = open_ui();

	(void)state;
	ui_goto(ui, &screen_disks);
	ui_key(ui, 'y');
	assert_string_equal(ui->say, "no such key here, ? lists them");
	ui_key(ui, UK_DOWN);
	assert_string_equal(ui->say, "");
	ui_close(ui);
}

/* A letter typed into the wrong window never writes: only the name on Confirm does. */
static void no_letter_builds(void **state)
{
	struct ui *ui = open_ui();
	uint32_t key;

	(void)state;
	for (key = 'a'; key <= 'z'; key++) {
		ui_goto(ui, &screen_plan);
		ui_key(ui, key);
		assert_false(ui->s->work.runs);
		while (ui->n_frames > 1)
			ui_pop(ui);
		ui->quit = false;
	}
	ui_close(ui);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_drawn_key_is_bound),
		cmocka_unit_test(everywhere_is_bound),
		cmocka_unit_test(no_key_means_two_things),
		cmocka_unit_test(rows_are_complete),
		cmocka_unit_test(help_finds_every_key),
		cmocka_unit_test(unknown_keys_say_so),
		cmocka_unit_test(no_letter_builds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
