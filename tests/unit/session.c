/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the screens share: an open build is seen by the disks its order recorded, as long as
 * nothing is marked; and the lines of a bench that stay behind on standard output.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/session.h"

static const char line[] = "slice | md redundancy=1 | xfs | mergerfs";
static char db[64];

static struct session *bought(const char *words)
{
	struct session *s = session_new("", db);
	struct err e = { 0 };

	assert_int_equal(session_purchase(s, words, &e), 0);
	return s;
}

/* A build as the executor records it; returns what its layout makes usable. */
static uint64_t record(enum build_state state, const char *name)
{
	struct session *s = bought("2xhdd:3T 2xhdd:5T");
	struct build b = { .name = name, .plan = "{}" };
	struct store *st;
	struct err e = { 0 };
	struct sbuf text = { 0 };
	uint64_t bytes;
	json_t *order;
	char *dump;

	assert_int_equal(session_layout(s, line, "", &e), 0);
	assert_int_equal(session_name(s, name, &e), 0);
	assert_int_equal(session_plan(s, &e), 0);
	order = order_build(s->plan, db, NULL);
	dump = json_dumps(order, 0);
	recipe_text(s->recipe, &text);
	b.layout = text.text;
	b.order = dump;
	assert_int_equal(store_open(db, &st, &e), 0);
	assert_int_equal(store_build_add(st, &b, &e), 0);
	assert_int_equal(store_build_set(st, b.id, state, &e), 0);
	store_close(st);
	bytes = s->stack->usable_bytes;
	free(dump);
	sbuf_done(&text);
	json_decref(order);
	session_free(s);
	return bytes;
}

static void an_open_build_has_its_picture(void **state)
{
	uint64_t bytes = record(BUILD_BUILT, "nas1");
	struct session *s = session_new("", db);
	struct err e = { 0 };

	(void)state;
	session_open(s, "nas1");
	session_take_open(s);
	assert_true(session_is_built(s));
	assert_true(session_as_built(s));
	assert_string_equal(s->layout, line);
	assert_int_equal(session_picked(s, ROLE_DATA), 4);
	s->inv = inventory_new();	/* no disk of this machine is needed for it */
	s->marks = calloc(1, 1);
	session_again(s);
	assert_non_null(s->stack);
	assert_true(s->stack->usable_bytes == bytes);
	assert_int_equal(session_layout(s, "slice | md redundancy=1 | xfs", "x", &e), 0);
	assert_true(session_is_built(s));
	assert_false(session_as_built(s));	/* it was changed */
	session_open(s, NULL);
	assert_false(session_is_built(s));
	assert_null(s->stack);
	session_free(s);
}

static void a_failed_build_is_not_open(void **state)
{
	struct session *s = session_new("", db);

	(void)state;
	record(BUILD_FAILED, "nas2");
	session_open(s, "nas2");
	assert_null(s->open_name);
	assert_false(session_is_built(s));
	session_free(s);
}

static void what_is_marked_goes_before(void **state)
{
	struct session *s = bought("3xhdd:1T");
	struct err e = { 0 };

	(void)state;
	record(BUILD_BUILT, "nas3");
	s->elsewhere = false;
	session_open(s, "nas3");
	assert_false(session_is_built(s));
	assert_int_equal(session_picked(s, ROLE_DATA), 3);
	assert_int_equal(session_mark(s, 0, 0, &e), 0);
	assert_int_equal(session_mark(s, 1, 0, &e), 0);
	assert_int_equal(session_mark(s, 2, 0, &e), 0);
	assert_true(session_is_built(s));
	assert_int_equal(session_name(s, "nas3", &e), 0);
	assert_int_equal(session_mark(s, 0, 'D', &e), 0);
	assert_string_equal(s->build_name, "nas4");	/* the name nas3 is taken */
	session_free(s);
}

static void event(struct work *w, const char *text)
{
	json_t *ev = json_loads(text, 0, NULL);

	assert_non_null(ev);
	work_event(w, ev);
	json_decref(ev);
}

/* 100 MB in 1 s and in 0.5 s: 100 and 200 MB/s, the median between them. */
static void results_are_lines(void **state)
{
	struct work w = { .kind = WORK_BENCH, .x.fd = -1 };
	struct sbuf out = { 0 };

	(void)state;
	w.name = strdup("nas1");
	event(&w, "{\"event\":\"run\",\"class\":\"1G\",\"op\":\"write\",\"bytes\":100000000,"
	      "\"felt_ns\":1000000000,\"durable_ns\":2000000000,\"disk_bytes\":150000000}");
	event(&w, "{\"event\":\"run\",\"class\":\"1G\",\"op\":\"write\",\"bytes\":100000000,"
	      "\"felt_ns\":500000000,\"durable_ns\":2000000000,\"disk_bytes\":150000000}");
	work_result_lines(&w, &out);
	assert_string_equal(out.text, "nas1 1G write: median 150 MB/s, 100 to 200, 2 runs, "
			    "durable 50.0, disk:file 1.50\n");
	sbuf_done(&out);
	work_done(&w);
}

/* An SSD bought beside hard disks is a cache, and without a layer that wants one left alone. */
static void a_disk_that_nothing_uses_is_left_alone(void **state)
{
	static const struct {
		const char *layout;
		size_t disks;
	} cases[] = { { "md level=raid1 | xfs", 2 }, { "md level=raid1 | bcache | xfs", 3 } };
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct session *s = bought("2xhdd:3T ssd:500G");
		struct err e = { 0 };
		json_t *order;

		assert_int_equal(session_marked(s, 'C', NULL), 1);
		assert_int_equal(session_layout(s, cases[i].layout, "", &e), 0);
		assert_int_equal(session_plan(s, &e), 0);
		order = order_build(s->plan, "x.db", NULL);
		assert_int_equal(json_array_size(json_object_get(order, "disks")), cases[i].disks);
		json_decref(order);
		session_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_open_build_has_its_picture),
		cmocka_unit_test(a_failed_build_is_not_open),
		cmocka_unit_test(what_is_marked_goes_before),
		cmocka_unit_test(results_are_lines),
		cmocka_unit_test(a_disk_that_nothing_uses_is_left_alone),
	};
	char dir[] = "/tmp/naslab-session-XXXXXX";
	int failed;

	if (!mkdtemp(dir))
		return 99;
	snprintf(db, sizeof(db), "%s/naslab.db", dir);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(db);
	rmdir(dir);
	return failed;
}
