/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workloads of the person's own: by path, in the own folder, and what must not be one. */
#include "bench-help.h"

#include <sys/stat.h>

#include <jansson.h>

#include "bench/suite.h"
#include "campaign/campaign.h"

static char *dir;

/* The path of a file below the folder. */
static char *at(struct arena *a, const char *name)
{
	return arena_printf(a, "%s/%s", dir, name);
}

static const char small[] = "fileset count=3 size=10K\nop write read\n";

static void set_up(struct arena *a)
{
	dir = scratch();
	setenv("XDG_DATA_HOME", dir, 1);
	assert_int_equal(mkdir(at(a, "naslab"), 0755), 0);
	assert_int_equal(mkdir(at(a, "naslab/workloads"), 0755), 0);
	put_file(dir, "naslab/workloads/mine.workload", small);
	put_file(dir, "naslab/workloads/wrong.workload", "fileset count=3 size=ten\n");
	put_file(dir, "naslab/workloads/500M.workload", small);
	put_file(dir, "here.workload", small);
	put_file(dir, "here.text", small);
	put_file(dir, "naslab/here.workload", small);
	put_file(dir, "of two words.workload", small);
}

static void named(struct arena *a, const char *word, const char *says)
{
	struct bench_order o = { 0 };
	const struct suite *suite;
	struct err e = { 0 };
	int rc = bench_add_named(a, &o, word, &suite, &e);

	if (!says) {
		assert_int_equal(rc, 0);
		assert_int_equal(o.workloads.n, 1);
		assert_int_equal(((const struct workload *)o.workloads.at[0])->bytes, 30 * 1024);
		return;
	}
	assert_int_equal(rc, -1);
	if (!strstr(e.text, says))
		fail_msg("%s: %s", word, e.text);
}

static void own_ones_are_found(void **state)
{
	struct arena *a = arena_new();
	struct list all = { 0 };
	struct err e = { 0 };
	size_t i, mine = 0;

	(void)state;
	set_up(a);
	named(a, "mine", NULL);
	named(a, at(a, "here.workload"), NULL);
	named(a, "wrong", "wrong.workload line 1: ");
	named(a, at(a, "naslab/workloads/500M.workload"), "a shipped workload has that name");
	named(a, at(a, "here.text"), "the file of a workload ends in .workload");
	named(a, at(a, "of two words.workload"), "letters, digits and -");
	named(a, at(a, "none.workload"), "No such file");
	named(a, "nome", "there is no workload");

	/* listed once, and neither the wrong one nor one that has a shipped name */
	assert_int_equal(workload_list_all(a, &all, &e), 0);
	for (i = 0; i < all.n; i++) {
		const struct workload *w = all.at[i];

		assert_string_not_equal(w->name, "wrong");
		if (!strcmp(w->name, "500M"))
			assert_null(w->path);
		mine += !strcmp(w->name, "mine");
	}
	assert_int_equal(mine, 1);
	wipe(dir);
	arena_free(a);
}

/* Their results would have one name too. */
static void one_name_is_one_file(void **state)
{
	struct arena *a = arena_new();
	struct bench_order o = { 0 };
	const struct suite *suite;
	struct campaign *c;
	struct err e = { 0 };

	(void)state;
	set_up(a);
	assert_int_equal(bench_add_named(a, &o, at(a, "here.workload"), &suite, &e), 0);
	assert_int_equal(bench_add_named(a, &o, at(a, "here.workload"), &suite, &e), 0);
	assert_int_equal(o.workloads.n, 1);
	assert_int_equal(bench_add_named(a, &o, at(a, "naslab/here.workload"), &suite, &e), -1);
	assert_string_equal(e.text, arena_printf(a, "%s and %s have one name, and so would their results",
						 at(a, "here.workload"), at(a, "naslab/here.workload")));
	assert_int_equal(campaign_parse(arena_printf(a, "layout xfs\nworkload %s %s\n",
						     at(a, "here.workload"), at(a, "naslab/here.workload")),
					"t.campaign", &c, &e), -1);
	assert_non_null(strstr(e.text, "the workload here is given twice"));
	wipe(dir);
	arena_free(a);
}

/* The executor may be root, who has another home: it is told the path. */
static void an_order_says_where(void **state)
{
	struct arena *a = arena_new();
	struct bench_order o = { .target = "/srv/x", .write = true, .scale = 1, .reps = 1 }, read;
	const struct suite *suite;
	struct err e = { 0 };
	json_t *j;

	(void)state;
	set_up(a);
	assert_int_equal(bench_add_named(a, &o, "mine", &suite, &e), 0);
	assert_int_equal(bench_add_named(a, &o, "1G", &suite, &e), 0);
	j = bench_order_json(&o);
	setenv("XDG_DATA_HOME", "/nowhere", 1);
	if (bench_order_read(a, j, &read, &e))
		fail_msg("%s", e.text);
	assert_int_equal(read.workloads.n, 2);
	assert_string_equal(((const struct workload *)read.workloads.at[0])->name, "mine");
	assert_string_equal(((const struct workload *)read.workloads.at[1])->name, "1G");
	json_decref(j);
	wipe(dir);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_ones_are_found),
		cmocka_unit_test(one_name_is_one_file),
		cmocka_unit_test(an_order_says_where),
	};

	use_shipped_workloads();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
