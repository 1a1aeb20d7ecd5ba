/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign - the file's language, the product, its order, and going on from every state. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "campaign/campaign.h"
#include "disk/disk.h"
#include "layout/pick.h"
#include "layout/recipe.h"
#include "store/store.h"

#define TWO "layout md level=raid1 | xfs\nworkload small-text\n"

static struct campaign *parse(const char *text)
{
	struct campaign *c = NULL;
	struct err e = { 0 };

	if (campaign_parse(text, "some/trial.campaign", &c, &e))
		fail_msg("%s", e.text);
	return c;
}

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

static const struct variant *variant(const struct campaign *c, size_t i)
{
	assert_true(i < c->variants.n);
	return c->variants.at[i];
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

static char path[64];

static int setup(void **state)
{
	char folder[] = "/tmp/naslab-campaign-XXXXXX";

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/naslab.db", folder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	*strrchr(path, '/') = '\0';
	return rmdir(path);
}

static struct store *open_store(void)
{
	struct store *st = NULL;
	struct err e = { 0 };

	if (store_open(path, &st, &e))
		fail_msg("%s", e.text);
	return st;
}

static void run_sql(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* As the naslab of schema 3 had it. */
static void back_to_3(void)
{
	run_sql("CREATE TABLE old (id INTEGER PRIMARY KEY,"
		" campaign_id INTEGER NOT NULL REFERENCES campaigns(id), n INTEGER NOT NULL,"
		" round INTEGER NOT NULL, layout TEXT NOT NULL, label TEXT NOT NULL,"
		" options TEXT NOT NULL, workload TEXT NOT NULL, state TEXT NOT NULL, reason TEXT,"
		" results TEXT, began_ns INTEGER NOT NULL DEFAULT 0, ended_ns INTEGER NOT NULL DEFAULT 0,"
		" UNIQUE (campaign_id, n), UNIQUE (campaign_id, round, layout, workload));"
		"INSERT INTO old SELECT id, campaign_id, n, round, layout, label, options, workload,"
		" state, reason, results, began_ns, ended_ns FROM cells;"
		"DROP TABLE cells; ALTER TABLE old RENAME TO cells;"
		"ALTER TABLE campaigns DROP COLUMN pause; PRAGMA user_version=3");
}

/* A database of the naslab before campaigns is read as it is, and then taken along. */
static void test_migration(void **state)
{
	struct build b = { .name = "nas1", .layout = "xfs", .order = "{}", .plan = "{}",
			   .state = BUILD_BUILT };
	struct stored_campaign c = { .name = "t", .text = "{}", .disks = "[]" }, found;
	struct arena *a = arena_new();
	struct store *st = open_store();
	struct list none = { 0 };
	struct build kept;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(store_build_add(st, &b, &e), 0);
	store_close(st);
	run_sql("DROP TABLE cells; DROP TABLE campaigns; PRAGMA user_version=1");
	assert_int_equal(store_open_read(path, &st, &e), 0);
	assert_int_equal(store_campaign_find(st, "t", a, &found, &e), 1);
	store_close(st);
	st = open_store();
	assert_int_equal(store_build_find(st, "nas1", a, &kept, &e), 0);
	assert_int_equal(store_campaign_add(st, &c, &none, &e), 0);
	store_close(st);
	st = open_store();
	assert_int_equal(store_campaign_find(st, "t", a, &found, &e), 0);
	assert_int_equal(found.id, c.id);
	store_close(st);
	/* one of schema 2 is read as it is, and brought up when it is written to */
	back_to_3();
	run_sql("ALTER TABLE campaigns DROP COLUMN source; ALTER TABLE campaigns DROP COLUMN pid;"
		"ALTER TABLE campaigns DROP COLUMN boot; ALTER TABLE campaigns DROP COLUMN say;"
		"PRAGMA user_version=2");
	assert_int_equal(store_open_read(path, &st, &e), 0);
	assert_int_equal(store_campaign_find(st, "t", a, &found, &e), 0);
	assert_true(found.pid == 0 && !found.say && !found.source);
	store_close(st);
	st = open_store();
	assert_int_equal(store_campaign_claim(st, &found, 42, "boot", &e), 0);
	found.pid = 0;	/* as somebody saw it who came too late */
	assert_int_equal(store_campaign_claim(st, &found, 43, "boot", &e), 1);
	assert_int_equal(store_campaign_find(st, "t", a, &found, &e), 0);
	assert_true(found.pid == 42 && !campaign_alive(&found));
	store_close(st);
	arena_free(a);
}

static void same_cells(const struct list *cells, const struct list *then)
{
	size_t i;

	assert_int_equal(cells->n, then->n);
	for (i = 0; i < cells->n; i++) {
		const struct campaign_cell *a = cells->at[i], *b = then->at[i];

		assert_int_equal(a->id, b->id);
		assert_int_equal(a->n, b->n);
		assert_int_equal(a->state, b->state);
		assert_int_equal(a->ram_bytes, b->ram_bytes);
		assert_int_equal(a->began_ns, b->began_ns);
		assert_int_equal(a->ended_ns, b->ended_ns);
		assert_string_equal(a->layout, b->layout);
		assert_string_equal(a->workload, b->workload);
		assert_string_equal(a->reason ? a->reason : "", b->reason ? b->reason : "");
	}
}

/* One of schema 3 loses nothing, and its campaign goes on in the memory it said. */
static void test_memory_of_older_cells(void **state)
{
	static const char file[] = "layout md level=raid5 | xfs\nworkload small-text\nram 2G\n"
		"axis md.chunk 64K 128K 256K\n";
	struct campaign *c = parse(file), *other = parse("name all\n" TWO), *more;
	struct stored_campaign row = { .name = "trial", .disks = "[]", .source = file },
			       all = { .name = "all", .disks = "[]" }, found;
	struct list cells = { 0 }, others = { 0 }, now = { 0 }, again = { 0 }, third = { 0 };
	struct arena *a = arena_new();
	struct store *st = open_store();
	struct campaign_cell **at;
	struct err e = { 0 };

	(void)state;
	campaign_cells(c, a, &cells);
	campaign_cells(other, a, &others);
	row.text = campaign_text(c, a);
	all.text = campaign_text(other, a);
	assert_int_equal(store_campaign_add(st, &row, &cells, &e), 0);
	assert_int_equal(store_campaign_add(st, &all, &others, &e), 0);
	at = (struct campaign_cell **)cells.at;
	assert_int_equal(store_cells_set(st, at, 1, CELL_RUNNING, NULL, &e), 0);
	assert_int_equal(store_cells_set(st, &at[1], 1, CELL_FAILED, "no luck", &e), 0);
	cells = (struct list){ 0 };
	assert_int_equal(store_cells(st, row.id, a, &cells, &e), 0);
	store_close(st);
	back_to_3();
	assert_int_equal(store_open_read(path, &st, &e), 0);	/* as it is */
	assert_int_equal(store_cells(st, row.id, a, &now, &e), 0);
	same_cells(&now, &cells);
	assert_int_equal(((struct campaign_cell *)now.at[2])->ram_bytes, 2ull << 30);
	store_close(st);
	st = open_store();	/* brought up */
	assert_int_equal(store_cells(st, row.id, a, &again, &e), 0);
	same_cells(&again, &cells);
	assert_int_equal(store_campaign_find(st, "trial", a, &found, &e), 0);
	assert_string_equal(found.text, row.text);
	assert_string_equal(found.source, file);
	assert_int_equal(found.pause, PAUSE_NO);
	assert_int_equal(store_cells(st, all.id, a, &third, &e), 0);
	assert_int_equal(((struct campaign_cell *)third.at[0])->ram_bytes, 0);
	/* and one layout in two memories is two cells */
	more = parse(TWO "axis ram 1G 2G\n");
	cells = (struct list){ 0 };
	campaign_cells(more, a, &cells);
	row = (struct stored_campaign){ .name = "more", .text = "{}", .disks = "[]" };
	assert_int_equal(cells.n, 2);
	assert_int_equal(store_campaign_add(st, &row, &cells, &e), 0);
	store_close(st);
	campaign_free(c);
	campaign_free(other);
	campaign_free(more);
	arena_free(a);
}

static void put_runs(struct store *st, const struct campaign_cell *cell, const char *op, unsigned n)
{
	json_t *r = json_pack("{s:s,s:s,s:I}", "workload", cell->workload, "op", op, "cell_id",
			      (json_int_t)cell->id), *run = json_object();
	struct err e = { 0 };
	int64_t id, run_id;

	assert_int_equal(store_result_add(st, r, &id, &e), 0);
	while (n--)
		assert_int_equal(store_run_add(st, id, run, &run_id, &e), 0);
	json_decref(r);
	json_decref(run);
}

/* What a stopped measurement left is not forecast again: whole repetitions of all operations. */
static void test_kept_is_not_to_be_done(void **state)
{
	struct campaign *c = parse("layout xfs\nworkload small-text 500M\nreps 7\n");
	const struct workload *text = c->workloads.at[0], *large = c->workloads.at[1];
	struct store *st = open_store();
	struct stored_campaign row = { .name = "trial", .text = "{}", .disks = "[]" };
	struct list cells = { 0 };
	struct campaign_forecast f;
	struct err e = { 0 };

	(void)state;
	campaign_cells(c, c->arena, &cells);
	assert_int_equal(store_campaign_add(st, &row, &cells, &e), 0);
	put_runs(st, cells.at[0], "write", 3);
	put_runs(st, cells.at[0], "read", 2);
	put_runs(st, cells.at[1], "write", 1);	/* and it never came to reading */
	assert_int_equal(store_cells_kept(st, row.id, &cells, &e), 0);
	campaign_forecast(c, &cells, &f);
	assert_int_equal(f.write_bytes, 5 * text->bytes + 7 * large->bytes);
	assert_int_equal(f.read_bytes, f.write_bytes);
	store_close(st);
	campaign_free(c);
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
	done->results = "[{\"op\":\"write\"}]";
	done->began_ns = 1000000000;
	done->ended_ns = 501000000000;
	campaign_forecast(c, &cells, &f);
	assert_true(f.measured);
	assert_int_equal(f.builds, 1);
	assert_int_equal((f.ns + 500) / 1000, 500000000);	/* floating point rounds */
	/* five of its seven repetitions took that long, so seven and as much building take more */
	done->results = "[{\"op\":\"write\",\"earlier_runs\":2}]";
	campaign_forecast(c, &cells, &f);
	assert_true(f.ns > 510000000000 && f.ns < 500000000000 * 7 / 5);
	campaign_free(c);
}

/* What it measured stays; a result that waited for its cell waits for nobody. */
static void test_delete(void **state)
{
	struct campaign *c = parse(TWO);
	struct store *st = open_store();
	struct stored_campaign row = { .name = "t", .text = "{}", .disks = "[]", .pid = 42 }, found;
	struct list cells = { 0 };
	struct arena *a = arena_new();
	json_t *r, *all;
	struct err e = { 0 };
	int64_t id;

	(void)state;
	campaign_cells(c, a, &cells);
	assert_int_equal(store_campaign_add(st, &row, &cells, &e), 0);
	r = json_pack("{s:s,s:I}", "event", "result", "cell_id",
		      (json_int_t)((struct campaign_cell *)cells.at[0])->id);
	assert_int_equal(store_result_add(st, r, &id, &e), 0);
	json_decref(r);
	found = row;
	found.pid = 0;		/* as it was before somebody took it */
	assert_int_equal(store_campaign_delete(st, &found, &e), -1);
	assert_int_equal(e.kind, ERR_REFUSED);
	assert_int_equal(store_campaign_find(st, "t", a, &found, &e), 0);
	assert_int_equal(store_campaign_delete(st, &row, &e), 0);
	assert_int_equal(store_campaign_find(st, "t", a, &found, &e), 1);
	assert_int_equal(store_result(st, id, &r, &e), 0);
	assert_null(json_object_get(r, "cell_id"));
	json_decref(r);
	/* a cell that gets the same ID finds nothing of it */
	assert_int_equal(store_campaign_add(st, &row, &cells, &e), 0);
	assert_int_equal(store_results_of_cell(st, ((struct campaign_cell *)cells.at[0])->id, &all, &e), 0);
	assert_int_equal(json_array_size(all), 0);
	json_decref(all);
	store_close(st);
	campaign_free(c);
	arena_free(a);
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

static void count(void *arg, const json_t *event)
{
	(void)event;
	++*(unsigned *)arg;
}

/* Five cells, one in each state, as a crash would leave them. */
static void leave(struct store *st, struct campaign *c, struct stored_campaign *row, int64_t ids[2])
{
	struct list cells = { 0 };
	struct campaign_cell **at;
	json_t *results = json_array(), *tags = json_object(), *r;
	struct err e = { 0 };
	int i;

	campaign_cells(c, c->arena, &cells);
	assert_int_equal(cells.n, 5);
	at = (struct campaign_cell **)cells.at;
	*row = (struct stored_campaign){ .name = c->name, .text = campaign_text(c, c->arena),
					 .disks = "[]" };
	assert_int_equal(store_campaign_add(st, row, &cells, &e), 0);
	assert_int_equal(store_cells_set(st, at, 4, CELL_RUNNING, NULL, &e), 0);
	for (i = 0; i < 2; i++) {
		r = json_pack("{s:s,s:s,s:[]}", "event", "result", "build", c->name, "flags");
		assert_int_equal(store_result_add(st, r, &ids[i], &e), 0);
		json_object_set_new(r, "id", json_integer(ids[i]));
		if (i == 0)
			json_array_append(results, r);
		json_decref(r);
	}
	json_put_str(tags, "campaign", c->name);
	assert_int_equal(store_cell_done(st, at[0], results, tags, &e), 0);
	assert_int_equal(store_cells_set(st, &at[1], 1, CELL_FAILED, "no luck", &e), 0);
	assert_int_equal(store_cells_set(st, &at[2], 1, CELL_IMPOSSIBLE, "no room", &e), 0);
	json_decref(results);
	json_decref(tags);
}

static bool is_partial(struct store *st, int64_t id)
{
	struct err e = { 0 };
	json_t *r, *flags;
	bool yes;

	assert_int_equal(store_result(st, id, &r, &e), 0);
	flags = json_object_get(r, "flags");
	yes = json_array_size(flags) == 1 &&
	      !strcmp(json_string_value(json_array_get(flags, 0)), "partial");
	json_decref(r);
	return yes;
}

static void test_resume(void **state)
{
	static const enum cell_state want[] = {
		CELL_DONE, CELL_FAILED, CELL_IMPOSSIBLE, CELL_WAITING, CELL_WAITING,
	};
	struct campaign *c = parse("layout md level=raid5 | xfs\nworkload small-text\n"
				   "axis md.chunk 64K 128K 256K 512K 1M\n");
	struct store *st = open_store();
	struct stored_campaign row, found;
	struct list cells = { 0 }, after = { 0 };
	unsigned events = 0;
	struct campaign_run run = { .campaign = c, .cells = &cells, .row = &row, .arena = c->arena,
				    .emit = count, .stopped = always, .arg = &events };
	struct err e = { 0 };
	int64_t ids[2];
	size_t i;

	(void)state;
	leave(st, c, &row, ids);
	store_close(st);

	st = open_store();
	run.store = st;
	assert_int_equal(store_campaign_find(st, c->name, c->arena, &found, &e), 0);
	assert_int_equal(found.id, row.id);
	assert_string_equal(found.text, campaign_text(c, c->arena));
	assert_int_equal(store_cells(st, found.id, c->arena, &cells, &e), 0);
	assert_int_equal(((struct campaign_cell *)cells.at[3])->state, CELL_RUNNING);
	assert_int_equal(campaign_run(&run, &e), -1);	/* stopped before the first cell */
	assert_non_null(strstr(e.text, "stopped"));
	assert_int_equal(events, 1);	/* the one that waits again */
	store_close(st);

	st = open_store();
	assert_int_equal(store_cells(st, found.id, c->arena, &after, &e), 0);
	assert_int_equal(after.n, 5);
	for (i = 0; i < 5; i++) {
		const struct campaign_cell *cell = after.at[i];

		assert_int_equal(cell->state, want[i]);
		assert_int_equal(cell->state, ((struct campaign_cell *)cells.at[i])->state);
		assert_int_equal(cell->n, i + 1);
	}
	assert_string_equal(((struct campaign_cell *)after.at[1])->reason, "no luck");
	assert_non_null(((struct campaign_cell *)after.at[0])->results);
	assert_false(is_partial(st, ids[0]));	/* its cell is done */
	assert_true(is_partial(st, ids[1]));	/* measured, and its cell will be measured again */
	store_close(st);
	campaign_free(c);
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

/* A database that is full is no failure of a cell; with room again the work begins. */
static void test_full_database(void **state)
{
	char folder[] = "/tmp/naslab-campaign-XXXXXX", file[64], filler[64], room[4096] = { 0 };
	struct campaign *c = parse(TWO);
	struct stored_campaign row = { .name = "trial", .text = "{}", .disks = "[]" };
	struct list cells = { 0 };
	unsigned events = 0;
	struct campaign_run run = { .campaign = c, .cells = &cells, .row = &row, .arena = c->arena,
				    .emit = count, .stopped = never, .arg = &events };
	const struct campaign_cell *cell;
	struct err e = { 0 }, later = { 0 };
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(folder));
	if (mount("naslab-test", folder, "tmpfs", 0, "size=16m")) {
		rmdir(folder);
		campaign_free(c);
		skip();
	}
	snprintf(file, sizeof(file), "%s/naslab.db", folder);
	snprintf(filler, sizeof(filler), "%s/filler", folder);
	assert_int_equal(store_open(file, &run.store, &e), 0);
	campaign_cells(c, c->arena, &cells);
	cell = cells.at[0];
	assert_int_equal(store_campaign_add(run.store, &row, &cells, &e), 0);
	f = fopen(filler, "w");
	assert_non_null(f);
	while (fwrite(room, sizeof(room), 1, f) == 1)
		;
	fclose(f);
	assert_int_equal(campaign_run(&run, &e), -1);
	assert_non_null(strstr(e.text, "is full"));
	assert_non_null(strstr(e.text, "make room, and the same command goes on"));
	assert_int_equal(cell->state, CELL_WAITING);
	unlink(filler);
	/* no disks are named, so the layout cannot be built: that is the cell's own failure */
	if (campaign_run(&run, &later))
		fail_msg("%s", later.text);
	assert_int_equal(cell->state, CELL_FAILED);
	store_close(run.store);
	umount2(folder, MNT_DETACH);
	rmdir(folder);
	campaign_free(c);
}

/* All or nothing: an unknown result leaves the cell as it was. */
static void test_done_is_one_commit(void **state)
{
	struct campaign *c = parse(TWO);
	struct store *st = open_store();
	struct stored_campaign row = { .name = "t", .text = "{}", .disks = "[]" };
	struct list cells = { 0 }, after = { 0 };
	json_t *results = json_pack("[{s:i}]", "id", 77), *tags = json_object();
	struct campaign_cell *cell;
	struct err e = { 0 };

	(void)state;
	campaign_cells(c, c->arena, &cells);
	cell = cells.at[0];
	assert_int_equal(store_campaign_add(st, &row, &cells, &e), 0);
	assert_int_equal(store_cells_set(st, &cell, 1, CELL_RUNNING, NULL, &e), 0);
	assert_int_equal(store_cell_done(st, cell, results, tags, &e), -1);
	assert_string_equal(e.text, "there is no result 77");
	assert_int_equal(cell->state, CELL_RUNNING);
	assert_int_equal(store_cells(st, row.id, c->arena, &after, &e), 0);
	assert_int_equal(((struct campaign_cell *)after.at[0])->state, CELL_RUNNING);
	json_decref(results);
	json_decref(tags);
	store_close(st);
	campaign_free(c);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_axes),
		cmocka_unit_test(test_ram_axis),
		cmocka_unit_test(test_one_file_system),
		cmocka_unit_test(test_words_to_wipe),
		cmocka_unit_test(test_impossible),
		cmocka_unit_test(test_order),
		cmocka_unit_test_setup_teardown(test_migration, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory_of_older_cells, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kept_is_not_to_be_done, setup, teardown),
		cmocka_unit_test(test_finished_cells_correct_the_guess),
		cmocka_unit_test_setup_teardown(test_delete, setup, teardown),
		cmocka_unit_test_setup_teardown(test_resume, setup, teardown),
		cmocka_unit_test_setup_teardown(test_done_is_one_commit, setup, teardown),
		cmocka_unit_test(test_full_database),
	};
	const char *src = getenv("srcdir");
	char folder[4096];

	snprintf(folder, sizeof(folder), "%s/workloads", src ? src : ".");
	setenv("NASLAB_WORKLOADS", folder, 1);
	snprintf(folder, sizeof(folder), "%s/layouts", src ? src : ".");
	setenv("NASLAB_LAYOUTS", folder, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
