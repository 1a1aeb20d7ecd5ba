/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The charts against pictures: those of bars, scales and the live chart are the screens of
 * the design (results of 4.9, 4.10 and 4.15), the rest is drawn by hand from the rules.
 */
#include "test.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/sbuf.h"
#include "chart/chart.h"
#include "layout/stack.h"

static void same_picture(struct grid *g, enum tier tier, const char *want)
{
	struct sbuf b = { 0 };

	grid_print(g, tier, false, &b);
	assert_string_equal(sbuf_str(&b), want);
	sbuf_done(&b);
	grid_done(g);
}

/* Zero to 350 on 35 cells: a cell is 10 MB/s. */
static const struct {
	double min, median, max;
	const char *utf8, *ascii;
} bars[] = {
	{ 88.1, 96.4, 104, "········▒█▒\n", "........=#=\n" },
	{ 66.0, 71.2, 75.9, "······▒█\n", "......=#\n" },
	{ 109, 118, 125, "··········▒█▒\n", "..........=#=\n" },
	{ 90.8, 94.3, 99.1, "·········█\n", ".........#\n" },
	{ 240, 262, 281, "························▒▒█▒▒\n", "........................==#==\n" },
	{ 161, 168, 173, "················█▒\n", "................#=\n" },
	{ 118, 131, 142, "···········▒▒█▒\n", "...........==#=\n" },
	{ 0, 0, 0, "█\n", "#\n" },
	{ 340, 400, 900, "··································█\n",
			 "..................................#\n" },
	{ NAN, 100, NAN, "··········█\n", "..........#\n" },
	{ NAN, NAN, NAN, "\n", "\n" },
};

static void bars_are_the_design(void **state)
{
	struct grid g;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bars) / sizeof(bars[0]); i++) {
		grid_init(&g, 1, 35);
		chart_bar(&g, 0, 0, 35, 350, bars[i].min, bars[i].median, bars[i].max);
		same_picture(&g, TIER_FULL, bars[i].utf8);
		grid_init(&g, 1, 35);
		chart_bar(&g, 0, 0, 35, 350, bars[i].min, bars[i].median, bars[i].max);
		same_picture(&g, TIER_ASCII, bars[i].ascii);
	}
}

static const struct {
	unsigned width;
	double top;
	const char *want;
} scales[] = {
	{ 35, 350, "0         100       200       300\n" },
	{ 26, 260, "0         100       200\n" },
	{ 35, 437.5, "0       100     200     300     400\n" },
	{ 24, 400, "0     100   200   300\n" },
	{ 20, 1, "0         0.500\n" },
	{ 2, 350, "0\n" },
};

static void scales_stand_over_their_values(void **state)
{
	struct grid g;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		grid_init(&g, 1, 60);
		chart_scale(&g, 0, 0, scales[i].width, scales[i].top);
		same_picture(&g, TIER_FULL, scales[i].want);
	}
}

static void tops_are_round(void **state)
{
	static const struct {
		double largest, top;
	} cases[] = {
		{ 281, 300 }, { 300, 300 }, { 301, 400 }, { 469, 500 }, { 96.4, 100 },
		{ 0.07, 0.08 }, { 1, 1 }, { 0, 1 }, { NAN, 1 }, { -5, 1 }, { 2310, 2500 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_float_equal(chart_top(cases[i].largest), cases[i].top, 1e-9);
}

/* 4 rows to 400: a row is 100, an eighth 12.5. */
static void the_live_chart_has_heights_and_gaps(void **state)
{
	static const double v[] = { 337.5, 350, 337.5, 325, 200, 162.5, 187.5, NAN, 150, 400,
				    500, 0, 1 };
	struct grid g;

	(void)state;
	grid_init(&g, 5, 24);
	chart_time(&g, 0, 0, 5, 24, v, 13, 400);
	same_picture(&g, TIER_FULL,
		     " 400 │▃▄▃▂     ██\n"
		     "     │████     ██\n"
		     " 200 │█████▅▇ ▄██\n"
		     "     │███████?███ ▁\n"
		     "   0 └──────────┬───────\n");
	grid_init(&g, 5, 24);
	chart_time(&g, 0, 0, 5, 24, v, 13, 400);
	same_picture(&g, TIER_CONSOLE,
		     " 400 │▒▒▒▒     ██\n"
		     "     │████     ██\n"
		     " 200 │███████ ▒██\n"
		     "     │███████?███ ▒\n"
		     "   0 └──────────┬───────\n");
	grid_init(&g, 5, 24);
	chart_time(&g, 0, 0, 5, 24, v, 13, 400);
	same_picture(&g, TIER_ASCII,
		     " 400 |:::.     ##\n"
		     "     |####     ##\n"
		     " 200 |#####:# :##\n"
		     "     |#######?### .\n"
		     "   0 +----------+-------\n");
}

static void the_live_chart_keeps_the_newest(void **state)
{
	static const double v[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 0 };
	struct grid g;

	(void)state;
	grid_init(&g, 3, 10);
	chart_time(&g, 0, 0, 3, 10, v, 12, 2);
	same_picture(&g, TIER_FULL,
		     "2.00 │ ██\n"
		     "     │███\n"
		     "   0 └──┬─\n");
	grid_init(&g, 1, 10);
	chart_time(&g, 0, 0, 1, 6, v, 12, 2);	/* no room: nothing, and no crash */
	same_picture(&g, TIER_FULL, "\n");
}

static void progress_never_lies(void **state)
{
	static const struct {
		double fraction;
		const char *want;
	} cases[] = {
		{ 0, "··········\n" }, { 0.382, "███·······\n" }, { 0.999, "█████████·\n" },
		{ 1, "██████████\n" }, { 1.5, "██████████\n" }, { -1, "··········\n" },
		{ NAN, "??????????\n" },
	};
	struct grid g;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		grid_init(&g, 1, 10);
		chart_progress(&g, 0, 0, 10, cases[i].fraction);
		same_picture(&g, TIER_FULL, cases[i].want);
	}
}

static void text_is_one_cell_a_character(void **state)
{
	struct grid g;

	(void)state;
	grid_init(&g, 3, 12);
	grid_text(&g, 0, 1, "▶ a×b ─┤ °");
	grid_text(&g, 1, 0, "漢e\xcc\x81\xff\x1b[2J");	/* wide, combining, broken, control */
	grid_text(&g, 2, 8, "longer than it");
	grid_text(&g, 9, 0, "no such row");
	same_picture(&g, TIER_FULL, " ▶ a×b ─┤ °\n~e~??[2J\n        long\n");
	grid_init(&g, 1, 12);
	grid_text(&g, 0, 1, "▶ a×b ─┤ °");
	same_picture(&g, TIER_ASCII, " > axb -+ ?\n");
}

static void colours_change_only_where_the_meaning_does(void **state)
{
	struct sbuf b = { 0 };
	struct grid g;

	(void)state;
	grid_init(&g, 1, 12);
	chart_bar(&g, 0, 0, 12, 12, 2, 4, 5);
	grid_text(&g, 0, 7, "ok");
	grid_print(&g, TIER_ASCII, true, &b);
	assert_string_equal(b.text, "..\033[36m==\033[0m\033[1m#\033[0m\033[36m=\033[0m ok\n");
	sbuf_done(&b);
	grid_done(&g);
}

static void the_tier_follows_locale_and_terminal(void **state)
{
	(void)state;
	assert_int_equal(tier_for("UTF-8", "xterm"), TIER_FULL);
	assert_int_equal(tier_for("UTF-8", "linux"), TIER_CONSOLE);
	assert_int_equal(tier_for("UTF-8", NULL), TIER_FULL);
	assert_int_equal(tier_for("ANSI_X3.4-1968", "xterm"), TIER_ASCII);
	assert_int_equal(tier_for(NULL, NULL), TIER_ASCII);
}

/*
 * A stack by hand: the two 10 TB, two 5 TB and two 3 TB disks of the design in three
 * slices (raid5 over 6, raid5 over 4, raid1 over 2), 40 cells for 10 TB.
 */
enum { TB = 1000 };	/* the unit does not matter to a picture */

static const struct {
	uint64_t start, bytes;
	unsigned width;
	const char *name, *level;
} slices[] = {
	{ 0, 3 * TB, 6, "s1", "raid5" },
	{ 3 * TB, 2 * TB, 4, "s2", "raid5" },
	{ 5 * TB, 5 * TB, 2, "s3", "raid1" },
};

static const struct layer any_layer = { .name = "md" };

static void make_slices(struct stack *s, struct node *disks, struct node parts[3][6],
			struct node *joined, struct node *kids[3][6], uint64_t overhead)
{
	static const uint64_t sizes[6] = { 10 * TB, 10 * TB, 5 * TB, 5 * TB, 3 * TB, 3 * TB };
	unsigned d, k;

	for (d = 0; d < 6; d++) {
		disks[d] = (struct node){ .name = "sda", .bytes = sizes[d] };
		list_add(s->arena, &s->nodes, &disks[d]);
	}
	s->n_disks = 6;
	for (d = 0; d < 6; d++) {
		disks[d].kids = NULL;
		for (k = 0; k < 3 && d < slices[k].width; k++) {
			uint64_t bytes = slices[k].bytes;
			uint64_t share = k == 2 ? bytes / 2 : bytes / slices[k].width;
			struct node *p = &parts[k][d];

			kids[k][d] = &disks[d];
			*p = (struct node){ .layer = &any_layer, .part_number = k + 1,
					    .kids = &kids[k][d], .n_kids = 1,
					    .start = slices[k].start, .bytes = bytes };
			p->split = (struct split){ .usable = bytes - share - overhead,
						   .redundancy = share, .overhead = overhead };
			disks[d].split.usable += p->split.usable;
			disks[d].split.redundancy += p->split.redundancy;
			disks[d].split.overhead += p->split.overhead;
			list_add(s->arena, &s->nodes, p);
		}
	}
	for (k = 0; k < 3; k++) {
		static struct node *members[3][6];

		for (d = 0; d < slices[k].width; d++)
			members[k][d] = &parts[k][d];
		joined[k] = (struct node){ .layer = &any_layer, .name = slices[k].name,
					   .level = slices[k].level, .kids = members[k],
					   .n_kids = slices[k].width };
		list_add(s->arena, &s->nodes, &joined[k]);
	}
}

static void draw_slices(uint64_t overhead, const char *want)
{
	struct stack s = { .arena = arena_new() };
	struct node disks[6], parts[3][6], joined[3];
	struct node *kids[3][6];
	struct grid g;
	unsigned d;

	make_slices(&s, disks, parts, joined, kids, overhead);
	grid_init(&g, 7, 40);
	for (d = 0; d < 6; d++)
		chart_disk(&g, d, 0, 40, &s, d, 10 * TB);
	chart_ruler(&g, 6, 0, 40, &s, 10 * TB);
	same_picture(&g, TIER_FULL, want);
	arena_free(s.arena);
}

static void disks_are_drawn_to_one_scale(void **state)
{
	(void)state;
	draw_slices(0,
		    "██████████▒▒██████▒▒██████████▒▒▒▒▒▒▒▒▒▒\n"
		    "██████████▒▒██████▒▒██████████▒▒▒▒▒▒▒▒▒▒\n"
		    "██████████▒▒██████▒▒\n"
		    "██████████▒▒██████▒▒\n"
		    "██████████▒▒\n"
		    "██████████▒▒\n"
		    "s1 raid5×6─┤s2 5×4─┤s3 raid1×2─────────┤\n");
	/* one thousandth of overhead in every slice: one cell a disk shows that there is some */
	draw_slices(1,
		    "██████████▒▒██████▒▒██████████▒▒▒▒▒▒▒▒▒o\n"
		    "██████████▒▒██████▒▒██████████▒▒▒▒▒▒▒▒▒o\n"
		    "██████████▒▒██████▒o\n"
		    "██████████▒▒██████▒o\n"
		    "██████████▒o\n"
		    "██████████▒o\n"
		    "s1 raid5×6─┤s2 5×4─┤s3 raid1×2─────────┤\n");
}

static const struct {
	struct split split;
	enum role role;
	const char *want;
} whole[] = {
	{ { .usable = 100 }, ROLE_DATA, "██████████\n" },
	{ { .unused = 100 }, ROLE_DATA, "··········\n" },
	{ { .usable = 50, .unused = 50 }, ROLE_DATA, "█████·····\n" },
	{ { .usable = 98, .redundancy = 1, .unused = 1 }, ROLE_DATA, "████████▒·\n" },
	{ { .usable = 40, .overhead = 60 }, ROLE_DATA, "████oooooo\n" },
	{ { .usable = 66, .unused = 34 }, ROLE_CACHE, "ccccccc···\n" },
};

static void every_part_of_a_disk_has_a_cell(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		struct stack s = { .arena = arena_new(), .n_disks = 1 };
		struct node disk = { .bytes = 100, .split = whole[i].split,
				     .role = whole[i].role };
		struct grid g;

		list_add(s.arena, &s.nodes, &disk);
		grid_init(&g, 1, 10);
		chart_disk(&g, 0, 0, 10, &s, 0, 100);
		same_picture(&g, TIER_FULL, whole[i].want);
		grid_init(&g, 1, 10);
		chart_disk(&g, 0, 0, 10, &s, 1, 100);	/* no such disk */
		chart_ruler(&g, 0, 0, 10, &s, 100);	/* no slices: no ruler */
		same_picture(&g, TIER_FULL, "\n");
		arena_free(s.arena);
	}
}

/* A flagged bar differs from another in every tier, also without colour. */
static void doubt_is_seen(void **state)
{
	static const enum tier tiers[] = { TIER_FULL, TIER_CONSOLE, TIER_LINES, TIER_ASCII };
	struct sbuf plain = { 0 }, doubt = { 0 };
	struct grid g;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(tiers) / sizeof(tiers[0]); i++) {
		sbuf_clear(&plain);
		sbuf_clear(&doubt);
		grid_init(&g, 1, 14);
		chart_bar(&g, 0, 1, 12, 12, 2, 4, 7);
		grid_print(&g, tiers[i], false, &plain);
		chart_doubt(&g, 0, 1, 12);
		grid_print(&g, tiers[i], false, &doubt);
		grid_done(&g);
		assert_string_not_equal(plain.text, doubt.text);
	}
	/* dots and median stay */
	assert_string_equal(plain.text, " ..==#===\n");
	assert_string_equal(doubt.text, " ..--#---\n");
	sbuf_done(&plain);
	sbuf_done(&doubt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubt_is_seen),
		cmocka_unit_test(bars_are_the_design),
		cmocka_unit_test(scales_stand_over_their_values),
		cmocka_unit_test(tops_are_round),
		cmocka_unit_test(the_live_chart_has_heights_and_gaps),
		cmocka_unit_test(the_live_chart_keeps_the_newest),
		cmocka_unit_test(progress_never_lies),
		cmocka_unit_test(text_is_one_cell_a_character),
		cmocka_unit_test(colours_change_only_where_the_meaning_does),
		cmocka_unit_test(the_tier_follows_locale_and_terminal),
		cmocka_unit_test(disks_are_drawn_to_one_scale),
		cmocka_unit_test(every_part_of_a_disk_has_a_cell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
