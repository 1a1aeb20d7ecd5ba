/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout language: what it reads, and the sentence for what it does not. */
#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"
#include "layout/recipe.h"

static void both_forms_are_one_language(void **state)
{
	static const char file[] =
		"# slices\n"
		"title  Slices and one btrfs\n"
		"about  Unequal disks,\n"
		"about  one may fail.\n"
		"\n"
		"slice\n"
		"md   redundancy=1\tchunk=1M\n";
	static const char line[] = "slice|md redundancy=1 chunk=1M";
	struct recipe *a, *b;
	struct err e = { 0 };
	struct sbuf x = { 0 }, y = { 0 };

	(void)state;
	assert_int_equal(recipe_parse(file, "x", &a, &e), 0);
	assert_int_equal(recipe_parse(line, NULL, &b, &e), 0);
	assert_string_equal(a->title, "Slices and one btrfs");
	assert_string_equal(a->about, "Unequal disks, one may fail.");
	recipe_line(a, &x);
	recipe_line(b, &y);
	assert_string_equal(x.text, y.text);
	assert_string_equal(x.text, "slice | md redundancy=1 chunk=1M");
	recipe_free(a);
	sbuf_clear(&x);
	recipe_text(b, &x);
	assert_int_equal(recipe_parse(x.text, NULL, &a, &e), 0);	/* text reads back */
	assert_int_equal(a->n_stmts, 2);
	recipe_free(a);
	recipe_free(b);
	sbuf_done(&x);
	sbuf_done(&y);
}

static void bad_recipes_get_one_sentence(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "the layout has no layers" },
		{ "slice |", "a layer is missing beside a \"|\"" },
		{ "slcie | md redundancy=1", "there is no layer \"slcie\"; did you mean slice?" },
		{ "slice | md redundnacy=1",
		  "layer 2, md: there is no option \"redundnacy\"; did you mean redundancy?" },
		{ "md redundancy=9", "layer 1, md: redundancy takes a number from 0 to 3, not \"9\"" },
		{ "md redundancy=1 redundancy=2", "layer 1, md: redundancy is given twice, 1 and 2: leave "
		  "one out" },
		{ "md ppl", "layer 1, md: options are written name=value, not \"ppl\"; did you mean "
		  "consistency=ppl?" },
		{ "md level=raid5 chunk=100K",
		  "layer 1, md: chunk is a power of two, like 64K, 512K or 1M; not 100K" },
		{ "md level=raid5 chunk=1K", "layer 1, md: chunk goes from 4K to 64M, not 1K" },
		{ "slice reserve=51%", "layer 1, slice: reserve goes from 0 to 100G, or from 0% to 50%, not 51%" },
		{ "part reserve=101G", "layer 1, part: reserve goes from 0 to 100G, or from 0% to 50%, not 101G" },
		{ "part reserve=1.2345%", "layer 1, part: reserve goes from 0 to 100G, or from 0% to 50%, not 1.2345%" },
		{ "slice smallest=1%", "layer 1, slice: smallest: \"1%\" is not a size, like 500G, 10T or 3TiB" },
		{ "md level=raid6 consistency=ppl",
		  "layer 1, md: consistency=ppl works with raid5 only, not with raid6; consistency=bitmap does" },
		{ "md level=raid5 redundancy=1",
		  "layer 1, md: level=raid5 and redundancy=1 both choose the level; name one" },
		{ "md", "layer 1, md: says neither level= nor redundancy=; redundancy=1 lets any one disk fail" },
		{ "md level=raid5 $(reboot)",
		  "layer 1, md: options are written name=value, not \"$(reboot)\"" },
		{ "lvm stripe=64K", "layer 1, lvm: stripe= is for types that stripe, not for linear" },
		{ "md level=raid5\x1b[2J", "the layout holds a control character (0x1b)" },
	};
	struct recipe *r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = { 0 };

		assert_int_equal(recipe_parse(cases[i].text, NULL, &r, &e), -1);
		assert_string_equal(e.text, cases[i].says);
		assert_int_equal(e.kind, ERR_USAGE);
	}
}

/* What is shipped reads, says what it is and when not to use it, and covers the matrix. */
static void shipped_recipes_cover_the_matrix(void **state)
{
	struct arena *a = arena_new();
	bool covered[26] = { false };
	struct err e = { 0 };
	char path[512], **names;
	size_t n, i;

	(void)state;
	snprintf(path, sizeof(path), "%s/layouts", getenv("srcdir") ? getenv("srcdir") : ".");
	setenv("NASLAB_LAYOUTS", path, 1);
	unsetenv("HOME");
	unsetenv("XDG_DATA_HOME");
	assert_int_equal(recipe_names(a, &names, &n, &e), 0);
	for (i = 0; i < n; i++) {
		struct recipe *r;
		const char *row;

		if (recipe_open(names[i], &r, &e))
			fail_msg("%s", e.text);
		if (!r->title || !r->about || !r->group)
			fail_msg("%s lacks a title, a group or what it is about", names[i]);
		for (row = r->matrix; row; row = strchr(row, ' ') ? strchr(row, ' ') + 1 : NULL) {
			long id = strtol(row + 1, NULL, 10);

			assert_true(*row == 'L' && id >= 1 && id <= 25);
			covered[id] = true;
		}
		recipe_free(r);
	}
	for (i = 1; i <= 25; i++) {
		if (!covered[i])
			fail_msg("no recipe stands for row L%02zu of the matrix", i);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_forms_are_one_language),
		cmocka_unit_test(bad_recipes_get_one_sentence),
		cmocka_unit_test(shipped_recipes_cover_the_matrix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
