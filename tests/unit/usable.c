/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read out of the plan and the journal of a build: times, and how it is remounted. */
#include "bench-help.h"

#include <jansson.h>

#include "base/sbuf.h"
#include "bench/remount.h"
#include "bench/usable.h"
#include "store/store.h"

#define PLAN "{\"steps\":[{\"argv\":[\"mdadm\",\"--create\"]}," \
	     "{\"argv\":[\"/sbin/mkfs.xfs\",\"-f\"]},{\"argv\":[\"mount\"]},{\"argv\":[\"mkreiserfs\"]}]}"
#define BEGIN "{\"event\":\"begin\",\"verb\":\"build\",\"at_ns\":1000000000}"
#define STEP(n, ms) "{\"event\":\"step\",\"n\":" #n ",\"state\":\"done\",\"ms\":" #ms \
		    ",\"at_ns\":1500000000}"
#define END "{\"event\":\"end\",\"ok\":true,\"at_ns\":4000000000}"

static void journals(void **state)
{
	static const struct {
		const char *events;
		uint64_t format_ms, other_ms, usable_ms, idle_ms;
		bool at_most;
	} cases[] = {
		{ "[]", 0, 0, 0, 0, false },
		/* it is at work */
		{ "[" BEGIN "," STEP(1, 500) "]", 0, 500, 0, 0, false },
		{ "[" BEGIN "," STEP(1, 500) "," STEP(2, 700) "," STEP(3, 20) "," STEP(4, 3) "," END "]",
		  703, 520, 3000, 0, false },
		/* a step that failed made nothing; then it was taken back */
		{ "[" BEGIN ",{\"event\":\"step\",\"n\":2,\"state\":\"failed\",\"ms\":9,\"at_ns\":2000000000},"
		  "{\"event\":\"end\",\"ok\":false,\"at_ns\":3000000000},"
		  "{\"event\":\"idle\",\"at_ns\":5000000000}]", 0, 0, 0, 0, false },
		{ "[" BEGIN "," STEP(2, 1) "," END ",{\"event\":\"idle\",\"at_most\":false,"
		  "\"at_ns\":90000000000}]", 1, 0, 3000, 89000, false },
		{ "[" BEGIN "," END ",{\"event\":\"idle\",\"at_most\":true,\"at_ns\":61000000000},"
		  "{\"event\":\"idle\",\"at_ns\":99000000000}]", 0, 0, 3000, 60000, true },
		/* what destroying says later changes nothing */
		{ "[" BEGIN "," STEP(2, 5) "," END ",{\"event\":\"begin\",\"verb\":\"destroy\","
		  "\"at_ns\":5000000000}," STEP(2, 800) ",{\"event\":\"end\",\"ok\":true,"
		  "\"at_ns\":9000000000}]", 5, 0, 3000, 0, false },
		/* the clock was set back */
		{ "[" BEGIN ",{\"event\":\"end\",\"ok\":true,\"at_ns\":10}]", 0, 0, 0, 0, false },
	};
	json_t *plan = json_loads(PLAN, 0, NULL), *events;
	struct build_times t;
	size_t i;

	(void)state;
	assert_non_null(plan);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		events = json_loads(cases[i].events, 0, NULL);
		assert_non_null(events);
		usable_of_events(events, plan, &t);
		assert_true(t.format_ns == cases[i].format_ms * 1000000 &&
			    t.other_ns == cases[i].other_ms * 1000000 &&
			    t.usable_ns == cases[i].usable_ms * 1000000 &&
			    t.idle_ns == cases[i].idle_ms * 1000000 &&
			    t.idle_at_most == cases[i].at_most);
		json_decref(events);
	}
	json_decref(plan);
}

static void words(void **state)
{
	static const struct {
		struct build_times t;
		const char *says;
	} cases[] = {
		{ { .usable_ns = 0 }, "" },
		{ { .usable_ns = 12300000000 }, "usable after 12.3 s" },
		{ { .usable_ns = 12300000000, .format_ns = 2100000000, .idle_ns = 12300000000 },
		  "usable after 12.3 s, 2.10 s of it making file systems; idle after 12.3 s" },
		{ { .usable_ns = 12300000000, .idle_ns = 7200000000000, .idle_at_most = true },
		  "usable after 12.3 s; idle after at most 2:00 h" },
	};
	struct sbuf text = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sbuf_clear(&text);
		usable_words(&cases[i].t, &text);
		assert_string_equal(sbuf_str(&text), cases[i].says);
	}
	sbuf_done(&text);
}

static void add(struct store *st, int64_t build, const char *event)
{
	json_t *j = json_loads(event, 0, NULL);
	struct err e = { 0 };

	assert_int_equal(store_event_add(st, build, j, NULL, &e), 0);
	json_decref(j);
}

/* Kept once a build, in seconds, whoever asks how often; and idle is only noted once. */
static void kept_once(void **state)
{
	const char *dir = scratch();
	struct build b = { .name = "nas1", .layout = "xfs", .order = "{}", .plan = PLAN,
			   .state = BUILD_BUILT, .executor_boot = "" };
	json_t *tags = json_pack("{s:s}", "campaign", "c1"), *out = NULL, *all = NULL;
	struct bench_order o = { .target = dir, .build = "nas1", .label = "xfs", .tags = tags };
	struct build_times t;
	struct store *st = NULL;
	struct err e = { 0 };
	char path[200];
	int i;

	(void)state;
	snprintf(path, sizeof(path), "%s/db", dir);
	assert_int_equal(store_open(path, &st, &e), 0);
	assert_int_equal(store_build_add(st, &b, &e), 0);
	add(st, b.id, "{\"event\":\"begin\",\"verb\":\"build\"}");
	assert_int_equal(usable_idle(st, &b, false, &e), 0);	/* it is not even built */
	add(st, b.id, "{\"event\":\"end\",\"ok\":true}");
	for (i = 0; i < 2; i++) {
		assert_int_equal(usable_idle(st, &b, i == 0, &e), 0);
		assert_int_equal(usable_keep(st, &o, &out, &e), 0);
		assert_int_equal(json_array_size(out), 2);
		json_decref(out);
	}
	assert_int_equal(usable_of_build(st, &b, &t, &e), 0);
	assert_true(t.idle_at_most && t.idle_ns >= t.usable_ns && t.usable_ns);
	assert_int_equal(store_results(st, &all, &e), 0);
	assert_int_equal(json_array_size(all), 2);
	for (i = 0; i < 2; i++) {
		const json_t *r = json_array_get(all, (size_t)i);
		const char *class = json_string_value(json_object_get(r, "class"));
		double s = json_number_value(json_object_get(r, "median_rate"));
		double want = (double)(i ? t.idle_ns : t.usable_ns) / 1e9;

		assert_string_equal(class, i ? "idle" : "usable");
		assert_string_equal(json_string_value(json_object_get(r, "unit")), "seconds");
		assert_string_equal(json_string_value(json_object_get(r, "campaign")), "c1");
		assert_true(s > want * 0.999999 && s < want * 1.000001);
	}
	json_decref(all);
	json_decref(tags);
	store_close(st);
	wipe(dir);
}

/* --- taken away and brought back for a cold reading --- */

#define MOUNTS "{\"steps\":[{\"argv\":[\"mkdir\",\"/srv/t\"]}," \
	"{\"argv\":[\"mount\",\"-t\",\"xfs\",\"-o\",\"noatime\",\"/dev/t/data\",\"/srv/t\"]}," \
	"{\"argv\":[\"zfs\",\"set\",\"mountpoint=/srv/z\",\"z\"]}]}"

static void remounts(void **state)
{
	static const struct {
		const char *point, *type, *source;
		enum cache_state how;
		const char *down, *up;		/* NULL: nothing of ours */
	} cases[] = {
		{ "/srv/t", "xfs", "/dev/t/data", CACHE_COLD_REMOUNT, "umount /srv/t",
		  "mount -t xfs -o noatime /dev/t/data /srv/t" },
		{ "/srv/z", "zfs", "z", CACHE_COLD_EXPORT, "zpool export z", "zpool import z" },
		{ "/srv/t", "xfs", "/dev/sdz1", CACHE_COLD_REMOUNT, NULL, NULL },
		{ "/srv/t", "ext4", "/dev/t/data", CACHE_COLD_REMOUNT, NULL, NULL },
		{ "/mnt", "xfs", "/dev/t/data", CACHE_COLD_REMOUNT, NULL, NULL },
		{ "/srv/z", "zfs", "tank", CACHE_COLD_EXPORT, NULL, NULL },
		{ "/srv/z", "zfs", "z", CACHE_COLD_REMOUNT, NULL, NULL },
		{ "/srv/t", "xfs", "/dev/t/data", CACHE_COLD_EXPORT, NULL, NULL },
	};
	struct arena *a = arena_new();
	json_t *plan = json_loads(MOUNTS, 0, NULL);
	size_t i;

	(void)state;
	assert_non_null(plan);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mount_of m = { .point = cases[i].point, .type = cases[i].type,
				      .source = cases[i].source };
		struct sbuf down = { 0 }, up = { 0 };
		struct remount r;

		assert_int_equal(remount_of_plan(a, plan, &m, cases[i].how, &r), !cases[i].down);
		argv_print(&r.down, &down);
		argv_print(&r.up, &up);
		assert_string_equal(sbuf_str(&down), cases[i].down ? cases[i].down : "");
		assert_string_equal(sbuf_str(&up), cases[i].up ? cases[i].up : "");
		sbuf_done(&down);
		sbuf_done(&up);
	}
	json_decref(plan);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(remounts),
		cmocka_unit_test(journals), cmocka_unit_test(words), cmocka_unit_test(kept_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
