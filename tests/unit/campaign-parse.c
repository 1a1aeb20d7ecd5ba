/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The language of campaigns: what is taken, what is refused, what the axes make of it. */
#include "campaign-help.h"

static void test_defaults(void **state)
{
	struct campaign *c = parse("# all that has to be said\n\n" TWO);

	(void)state;
	assert_string_equal(c->name, "trial");
	assert_int_equal(c->reps, 7);
	assert_int_equal(c->rounds, 1);
	assert_true(c->write && c->read);
	assert_int_equal(c->cache, CACHE_OWN);
	assert_true(c->scale == 1.0);
	assert_int_equal(c->variants.n, 1);
	campaign_free(c);
	c = parse(TWO "name n1\ndisks a b\ndisks c\ncache-disks d\nreps 3\nrounds 2\nscale 0.5\n"
		  "op read\ncache warm\nseed 9\nworkload 500M small-photo\n");
	assert_string_equal(c->name, "n1");
	assert_int_equal(c->disks.n, 3);
	assert_int_equal(c->cache_disks.n, 1);
	assert_int_equal(c->reps, 3);
	assert_int_equal(c->rounds, 2);
	assert_true(c->scale == 0.5);
	assert_true(!c->write && c->read);
	assert_int_equal(c->cache, CACHE_WARM);
	assert_int_equal(c->seed, 9);
	assert_int_equal(c->workloads.n, 3);
	campaign_free(c);
	c = parse(TWO "ram 4G\nwithin 5%\nreps 5\nengine rsync\n");
	assert_int_equal(c->ram, 4ull << 30);
	assert_true(c->within > 0.0499 && c->within < 0.0501);
	assert_int_equal(c->most, 30);
	assert_int_equal(c->engine, ENGINE_RSYNC);
	campaign_free(c);
	c = parse(TWO);
	assert_false(c->no_wait);
	campaign_free(c);
	c = parse(TWO "wait no\n");
	assert_true(c->no_wait);
	campaign_free(c);
	/* W01 has small-text, which was there already */
	c = parse(TWO "workload W01 500M\n");
	assert_int_equal(c->workloads.n, 2);
	campaign_free(c);
}

/* What is wrong, and a part of the one sentence that says so. */
static void test_nonsense(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "it wants a line \"layout NAME\"" },
		{ "layout xfs\n", "it wants a line \"workload NAME\"" },
		{ "\nlayuot xfs\n", "line 2: there is no statement \"layuot\"; did you mean layout?" },
		{ "layout\n", "line 1: layout says nothing" },
		{ "layout md level=raid1 | xsf\n" "workload small-text\n", "line 1" },
		{ "layout no-such-recipe\nworkload small-text\n", "line 1" },
		{ TWO "workload no-such\n", "line 3: " },
		{ TWO "workload small-text\n", "line 3: the workload small-text is given twice" },
		{ TWO "reps 0\n", "line 3: reps" },
		{ TWO "table md.chunk\n", "line 3: table wants two axes" },
		{ TWO "axis md.chunk 64K 1M\ntable md.chunk fs\n", "line 4: there is no axis \"fs\" to make" },
		{ "layout md redundancy=1 | xfs\nworkload small-text small-photo 500M 1G 2G 8G 12G\nrounds 100\n"
		  "axis md.redundancy 1 2 3\naxis fs xfs ext4 jfs btrfs\naxis md.chunk 64K 128K 256K\n",
		  "more than 20000 cells (36 layouts x 7 workloads x 100 rounds)" },
		{ TWO "axis md.chunk 1K 2K 3K 4K 5K 6K 7K 8K 9K 10K 11K 12K 13K 14K 15K\n"
		  "axis md.level a b c d e f g h i j k l m n o p q r s t u v w\n"
		  "axis xfs.mount a b c d e f g h i j k l m n o p q r s t u v w\n",
		  "the axes alone make more than 2000 layouts" },
		{ TWO "reps 3 4\n", "line 3: reps takes one word, not 2" },
		{ TWO "reps 3\nreps 4\n", "line 4: reps was given in line 3 already" },
		{ TWO "scale -1\n", "line 3: scale is a number above 0" },
		{ TWO "scale 1e9\n", "line 3: scale is a number above 0" },
		{ TWO "op append\n", "line 3: op is write, read or both, not \"append\"" },
		{ TWO "cache hot\n", "line 3: the cache is cold, cold:remount, cold:export, warm or as-is" },
		{ TWO "ram 1M\n", "line 3: ram 1M is too little; the engine needs 32M" },
		{ TWO "ram much\n", "line 3: ram" },
		{ TWO "wait never\n", "line 3: wait is yes or no, not \"never\"" },
		{ TWO "wait no no\n", "line 3: wait takes one word, not 2" },
		{ TWO "axis ram 1G 1M\n", "line 3: ram 1M is too little; the engine needs 32M" },
		{ TWO "axis ram 1G much\n", "line 3: ram" },
		{ TWO "axis ram 1G 1G\n", "line 3: the value 1G is given twice" },
		{ TWO "axis md.ram 1G\n", "line 3: the layer md has no option \"ram\"" },
		{ TWO "within 0\n", "line 3: within is a percentage from 0.1 to 100, not \"0\"" },
		{ TWO "most 9\n", "it wants a line \"within 5%\"" },
		{ TWO "within 5\nmost 3\n", "most 3 is less than the least, reps 7" },
		{ TWO "engine cp\n", "line 3: the engine is naslab or rsync" },
		{ TWO "name Bad_Name\n", "line 3: \"Bad_Name\" is no name" },
		{ TWO "axis md.chunk\n", "line 3: axis wants what varies and its values" },
		{ TWO "axis md.chunk 64K 64K\n", "line 3: the value 64K is given twice" },
		{ TWO "axis mdd.chunk 64K\n", "line 3: there is no layer \"mdd\"" },
		{ TWO "axis md.chnk 64K\n", "line 3: the layer md has no option \"chnk\"; did you mean chunk?" },
		{ TWO "axis nonsense 64K\n", "line 3: no layer has an option \"nonsense\"" },
		{ TWO "axis lvm.type linear\n", "line 3: no layout has a place for the axis lvm.type" },
		{ TWO "axis md.level raid1 raid7\n", "line 3, raid7: " },
		{ TWO "axis fs xfs ntfs\n", "line 3, ntfs: " },
		{ TWO "reps\t\0013\n", "line 3: it holds a control character (0x01)" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct campaign *c = NULL;
		struct err e = { 0 };

		if (!campaign_parse(cases[i].text, "trial.campaign", &c, &e))
			fail_msg("taken: %s", cases[i].text);
		assert_int_equal(e.kind, ERR_USAGE);
		if (!strstr(e.text, cases[i].says) || strncmp(e.text, "trial.campaign", 14) != 0)
			fail_msg("\"%s\" says: %s", cases[i].text, e.text);
	}
}

static void test_axes(void **state)
{
	struct campaign *c = parse("layout md level=raid5 | xfs\nlayout xfs\nlayout md level=raid5 | ext4\n"
				   "axis md.chunk - 64K 512K\naxis fs xfs ext4\nworkload small-text\n");

	(void)state;
	/* 3 x 2 of the first, 2 of the second, and the third only repeats the first */
	assert_int_equal(c->variants.n, 8);
	assert_string_equal(variant(c, 0)->layout, "md level=raid5 | xfs");
	assert_string_equal(variant(c, 1)->layout, "md level=raid5 | ext4");
	assert_string_equal(variant(c, 2)->layout, "md level=raid5 chunk=64K | xfs");
	assert_string_equal(variant(c, 2)->options, "{\"fs\":\"xfs\",\"md.chunk\":\"64K\"}");
	assert_string_equal(variant(c, 5)->layout, "md level=raid5 chunk=512K | ext4");
	assert_string_equal(variant(c, 6)->layout, "xfs");
	assert_string_equal(variant(c, 7)->layout, "ext4");
	campaign_free(c);
	/* a value that only one of two layouts can take */
	c = parse("layout md level=raid5 | xfs\nlayout md level=raid1 | xfs\nworkload small-text\n"
		  "axis md.consistency ppl\n");
	assert_int_equal(c->variants.n, 2);
	assert_null(variant(c, 0)->why);
	assert_non_null(variant(c, 1)->why);
	campaign_free(c);
	/* another kind of file system does not inherit the options of the first */
	c = parse("layout xfs mount=noatime\nworkload small-text\naxis fs ext4 xfs\n");
	assert_string_equal(variant(c, 0)->layout, "ext4");
	assert_string_equal(variant(c, 1)->layout, "xfs mount=noatime");
	campaign_free(c);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_axes),
	};

	use_shipped();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
