/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign - the product and its order, what is possible of it, and what it will take. */
#include "campaign-help.h"

#include "base/sbuf.h"
#include "disk/disk.h"
#include "layout/pick.h"
#include "layout/recipe.h"

/* Memory is an axis like any other, but no reason to build a layout twice. */
static void test_ram_axis(void **state)
{
	struct campaign *c = parse("layout md level=raid1 | xfs\nlayout xfs\naxis ram - 256M 512M 1024M\n"
				   "ram 1G\nrounds 2\nworkload small-text small-photo\n");
	struct list cells = { 0 };
	struct campaign_forecast f;
	unsigned builds = 0, more[2] = { 0 };
	size_t i;

	(void)state;
	assert_int_equal(c->variants.n, 6);	/* - is the campaign's 1G, and so is 1024M */
	assert_string_equal(variant(c, 1)->layout, "md level=raid1 | xfs");
	assert_string_equal(variant(c, 1)->options, "{\"ram\":\"256M\"}");
	assert_string_equal(variant(c, 1)->label, "md level=raid1 | xfs ram=256M");
	assert_int_equal(variant(c, 0)->ram, 1ull << 30);
	assert_int_equal(variant(c, 1)->ram, 256ull << 20);
	assert_non_null(strstr(campaign_text(c, c->arena), "\"rams\":[1073741824,268435456,536870912,"));
	campaign_cells(c, c->arena, &cells);
	assert_int_equal(cells.n, 6 * 2 * 2);
	for (i = 0; i < cells.n; i++) {
		const struct campaign_cell *cell = cells.at[i], *last = i ? cells.at[i - 1] : NULL;

		builds += !last || last->round != cell->round || strcmp(last->layout, cell->layout);
		if (i % 2)	/* what is measured in one memory is measured together */
			assert_int_equal(cell->ram_bytes, last->ram_bytes);
		if (last && last->round == cell->round && !strcmp(last->layout, cell->layout) &&
		    last->ram_bytes != cell->ram_bytes)
			more[cell->round - 1] += cell->ram_bytes > last->ram_bytes;
	}
	assert_int_equal(builds, 4);
	assert_int_equal(more[0] + more[1], 4);	/* of 8 changes; turned round they go the other way */
	campaign_forecast(c, &cells, &f);
	assert_int_equal(f.builds, 4);
	assert_ptr_equal(campaign_cell_at(&cells, "xfs", 512ull << 20, "small-photo")->layout,
			 variant(c, 5)->layout);
	assert_int_equal(campaign_cell_at(&cells, "xfs", 512ull << 20, "small-photo")->ram_bytes, 512ull << 20);
	assert_null(campaign_cell_at(&cells, "xfs", 0, "small-photo"));
	campaign_free(c);
	/* one that says nothing of it has the text it always had */
	c = parse(TWO);
	assert_null(strstr(campaign_text(c, c->arena), "ram"));
	assert_null(strstr(campaign_text(c, c->arena), "wait"));
	campaign_free(c);
}

static void check_on(struct campaign *c, const char *spec)
{
	struct inventory *inv = inventory_new();
	const char *words[] = { spec, NULL };
	struct pick *picks;
	struct err e = { 0 };
	size_t n;

	if (picks_from_words(inv, words, NULL, c->arena, &picks, &n, &e))
		fail_msg("%s", e.text);
	campaign_check(c, picks, n, false);
	inventory_free(inv);
}

/* Built they could be, but there would be nothing to measure, or too much. */
static void test_one_file_system(void **state)
{
	struct campaign *c = parse("layout xfs\nlayout md level=raid1\nlayout xfs | mergerfs\n"
				   "layout md level=raid1 | xfs\nworkload small-text\nreps 2\n");

	(void)state;
	check_on(c, "2xhdd:2GiB");
	assert_string_equal(variant(c, 0)->why, "it makes 2 file systems, and a campaign measures one: "
			    "mergerfs joins them, part count=1 takes one disk");
	assert_string_equal(variant(c, 1)->why, "it ends without a file system, and there is nothing to "
			    "measure");
	assert_null(variant(c, 2)->why);
	assert_null(variant(c, 3)->why);
	campaign_free(c);
	c = parse("layout part | xfs\naxis part.count 1 3\nworkload small-text\nreps 2\n");
	check_on(c, "2xhdd:2GiB");
	assert_null(variant(c, 0)->why);
	assert_true(variant(c, 0)->usable < 2 * GIB);
	assert_non_null(strstr(variant(c, 1)->why, "count=3, and there are 2 disks"));
	check_on(c, "hdd:2GiB");
	campaign_free(c);
}

/* A layout may do without a disk that was named to be wiped; the others of its words stay. */
static void test_words_to_wipe(void **state)
{
	const char *words[] = { "3xhdd:2GiB", NULL };
	char *wipe[] = { (char *)"hdd2", (char *)"/dev/hdd1", NULL }, **kept;
	char *strange[] = { (char *)"hdd1", (char *)"hdd9", NULL };
	struct campaign *c = parse("layout part count=1 | xfs\nworkload small-text\n");
	struct inventory *inv = inventory_new();
	struct recipe *r = NULL;
	struct stack *s = NULL;
	struct pick *picks;
	struct err e = { 0 };
	size_t n;

	(void)state;
	assert_int_equal(picks_from_words(inv, words, NULL, c->arena, &picks, &n, &e), 0);
	assert_int_equal(recipe_parse("part count=1 | xfs", NULL, &r, &e), 0);
	assert_int_equal(stack_make(r, "t", picks, n, &s, &e), 0);
	kept = campaign_wipe(c->arena, s, inv, wipe);
	assert_string_equal(kept[0], "/dev/hdd1");
	assert_null(kept[1]);
	assert_null(campaign_wipe(c->arena, s, inv, NULL)[0]);
	assert_int_equal(campaign_guard(c, picks, n, inv, strange, &e), -1);
	assert_string_equal(e.text, "--wipe hdd9 names none of the disks of this campaign");
	stack_free(s);
	recipe_free(r);
	campaign_free(c);
	inventory_free(inv);
}

static void test_impossible(void **state)
{
	struct campaign *c = parse("layout md level=raid5 | xfs\nlayout md level=raid1 | xfs\n"
				   "workload small-text 8G\nreps 2\n");
	struct list cells = { 0 };
	struct campaign_forecast f;
	size_t i, waiting = 0;

	(void)state;
	check_on(c, "2xhdd:2GiB");
	assert_non_null(strstr(variant(c, 0)->why, "raid5 needs 3 disks, has 2"));
	assert_null(variant(c, 1)->why);
	campaign_cells(c, c->arena, &cells);
	assert_int_equal(cells.n, 4);
	for (i = 0; i < cells.n; i++) {
		const struct campaign_cell *cell = cells.at[i];

		assert_true((cell->state == CELL_IMPOSSIBLE) == (cell->reason != NULL));
		if (cell->state != CELL_WAITING)
			continue;
		waiting++;
		assert_string_equal(cell->workload, "small-text");
	}
	assert_int_equal(waiting, 1);
	campaign_forecast(c, &cells, &f);
	assert_int_equal(f.cells, 1);
	assert_int_equal(f.builds, 1);
	assert_int_equal(f.write_bytes, 2 * ((const struct workload *)c->workloads.at[0])->bytes);
	assert_int_equal(f.read_bytes, f.write_bytes);
	campaign_free(c);
}

/* The layouts' order in a round, as text. */
static void order_of(const struct list *cells, unsigned round, struct sbuf *out)
{
	size_t i;

	for (i = 0; i < cells->n; i++) {
		const struct campaign_cell *cell = cells->at[i];

		if (cell->round == round)
			sbuf_addf(out, "%s;%s\n", cell->layout, cell->workload);
	}
}

#define MANY "layout md level=raid5 | xfs\naxis md.chunk 64K 128K 256K 512K 1M 2M\nrounds 2\n" \
	"workload small-text small-photo\n"

static void test_order(void **state)
{
	struct campaign *a = parse(MANY), *b = parse(MANY "seed 8\n");
	struct list one = { 0 }, again = { 0 }, other = { 0 };
	struct sbuf r1 = { 0 }, r2 = { 0 }, s1 = { 0 }, o1 = { 0 };
	size_t i;

	(void)state;
	campaign_cells(a, a->arena, &one);
	campaign_cells(a, a->arena, &again);
	campaign_cells(b, b->arena, &other);
	assert_int_equal(one.n, 6 * 2 * 2);
	order_of(&one, 1, &r1);
	order_of(&one, 2, &r2);
	order_of(&again, 1, &s1);
	order_of(&other, 1, &o1);
	assert_string_equal(r1.text, s1.text);		/* the seed says it all */
	assert_string_not_equal(r1.text, r2.text);	/* a round is no copy of the last */
	assert_string_not_equal(r1.text, o1.text);
	for (i = 0; i < 6; i++)		/* the second round is the first one turned round */
		assert_string_equal(((struct campaign_cell *)one.at[2 * i])->layout,
				    ((struct campaign_cell *)one.at[2 * (11 - i)])->layout);
	assert_int_equal(r1.len, r2.len);		/* and has every layout once */
	for (i = 0; i < one.n; i++) {
		const struct campaign_cell *cell = one.at[i];

		assert_int_equal(cell->n, i + 1);
		if (i % 2)	/* what is measured on one build stands together */
			assert_string_equal(cell->layout, ((struct campaign_cell *)one.at[i - 1])->layout);
	}
	for (i = 0; i < a->variants.n; i++) {
		assert_non_null(strstr(r1.text, variant(a, i)->layout));
		assert_non_null(strstr(r2.text, variant(a, i)->layout));
	}
	sbuf_done(&r1);
	sbuf_done(&r2);
	sbuf_done(&s1);
	sbuf_done(&o1);
	campaign_free(a);
	campaign_free(b);
}

/* What the axes put in stays; cells count, not bytes: 写 takes two, an umlaut one. */
static void test_labels_in_cells(void **state)
{
	static const char options[] = "{\"md.chunk\":\"64K\"}";
	static const struct {
		const char *label, *options;
		size_t width;
		const char *want;
	} cases[] = {
		{ "写真 chunk=64K", options, 14, "写真 chunk=64K" },	/* 4 + 10 */
		{ "写真 chunk=64K", options, 13, "写真 64K" },
		{ "写真写真 chunk=64K", options, 12, "写真写真 64K" },
		{ "写真写真 chunk=64K", options, 11, "写真写~ 64K" },
		{ "写真写真 chunk=64K", options, 10, "写真~ 64K" },
		{ "grün chunk=64K", options, 8, "grün 64K" },
		{ "grüngrün", "{}", 8, "grüngrün" },
		{ "grüngrün", "{}", 7, "grüngr~" },
		{ "写真写真", "{}", 4, "写~" },
	};
	struct arena *a = arena_new();
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(campaign_label(a, cases[i].label, cases[i].options, cases[i].width),
				    cases[i].want);
	arena_free(a);
}

/* The finished cells correct the guess: what is like them takes as long. */
static void test_finished_cells_correct_the_guess(void **state)
{
	struct campaign *c = parse("layout xfs\nlayout ext4\nworkload small-text\nreps 7\n");
	struct list cells = { 0 };
	struct campaign_forecast f;
	struct campaign_cell *done;

	(void)state;
	campaign_cells(c, c->arena, &cells);
	campaign_forecast(c, &cells, &f);
	assert_false(f.measured);
	done = cells.at[0];
	done->state = CELL_DONE;
	done->began_ns = 1000000000;
	done->ended_ns = 501000000000;
	campaign_forecast(c, &cells, &f);
	assert_true(f.measured);
	assert_int_equal(f.builds, 1);
	assert_int_equal((f.ns + 500) / 1000, 500000000);	/* floating point rounds */
	/* five of its seven repetitions took that long, so seven and as much building take more */
	done->earlier = 2;
	campaign_forecast(c, &cells, &f);
	assert_true(f.ns > 510000000000 && f.ns < 500000000000 * 7 / 5);
	campaign_free(c);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ram_axis),
		cmocka_unit_test(test_one_file_system),
		cmocka_unit_test(test_words_to_wipe),
		cmocka_unit_test(test_impossible),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_labels_in_cells),
		cmocka_unit_test(test_finished_cells_correct_the_guess),
	};

	use_shipped();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
