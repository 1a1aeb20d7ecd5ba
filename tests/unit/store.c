/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store - the database: what goes in comes out, and no bad file is touched. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "store/store.h"

static char folder[] = "/tmp/naslab-store-XXXXXX";
static char path[64];

static int setup(void **state)
{
	(void)state;
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/a/naslab.db", folder);
	return 0;
}

static int teardown(void **state)
{
	char name[80];

	(void)state;
	unlink(path);
	snprintf(name, sizeof(name), "%s/out.csv", folder);
	unlink(name);
	snprintf(name, sizeof(name), "%s/a", folder);
	rmdir(name);
	return rmdir(folder);
}

static struct store *open_new(void)
{
	struct err e = { 0 };
	struct store *st = NULL;

	if (store_open(path, &st, &e))
		fail_msg("%s", e.text);
	return st;
}

static void test_builds(void **state)
{
	struct build b = { .name = "nas1", .layout = "slice\nmd redundancy=1\n", .order = "{\"a\":1}",
			   .plan = "{}", .state = BUILD_RUNNING, .executor_pid = 42,
			   .executor_boot = "boot-1" };
	struct build again = b, found;
	struct arena *a = arena_new();
	struct store *st = open_new();
	struct list all = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(store_build_find(st, "nas1", a, &found, &e), 1);
	assert_int_equal(store_build_add(st, &b, &e), 0);
	assert_int_equal(store_build_add(st, &again, &e), -1);
	assert_int_equal(e.kind, ERR_REFUSED);
	assert_string_equal(e.text, "there is a build named nas1 already; destroy it first or take "
			    "another name");
	store_close(st);

	st = open_new();
	assert_int_equal(store_build_find(st, "nas1", a, &found, &e), 0);
	assert_int_equal(found.id, b.id);
	assert_string_equal(found.layout, b.layout);
	assert_string_equal(found.order, b.order);
	assert_int_equal(found.state, BUILD_RUNNING);
	assert_int_equal(found.executor_pid, 42);
	assert_string_equal(found.executor_boot, "boot-1");

	assert_int_equal(store_build_executor(st, b.id, 0, NULL, &e), 0);
	assert_int_equal(store_build_set(st, b.id, BUILD_DESTROYED, &e), 0);
	assert_int_equal(store_build_find(st, "nas1", a, &found, &e), 1);
	assert_int_equal(store_build_add(st, &again, &e), 0);
	assert_int_equal(store_builds(st, a, &all, &e), 0);
	assert_int_equal(all.n, 2);
	assert_int_equal(((struct build *)all.at[0])->executor_pid, 0);
	assert_null(((struct build *)all.at[0])->executor_boot);
	store_close(st);
	arena_free(a);
}

static void test_journal(void **state)
{
	struct build b = { .name = "x", .layout = "xfs", .order = "{}", .plan = "{}" };
	struct store *st = open_new();
	json_t *event = json_pack("{s:s,s:i}", "event", "step", "n", 3), *events;
	struct err e = { 0 };
	int64_t first, second;

	(void)state;
	assert_int_equal(store_build_add(st, &b, &e), 0);
	assert_int_equal(store_event_add(st, b.id, event, &first, &e), 0);
	assert_int_equal(store_event_add(st, b.id, event, &second, &e), 0);
	assert_true(second > first);
	/* A journal of a build that does not exist is a bug, not a row. */
	assert_int_equal(store_event_add(st, b.id + 1, event, NULL, &e), -1);
	assert_int_equal(store_events(st, b.id, first, &events, &e), 0);
	assert_int_equal(json_array_size(events), 1);
	assert_int_equal(json_u64(json_array_get(events, 0), "seq", 0), second);
	assert_string_equal(json_str(json_array_get(events, 0), "event"), "step");
	json_decref(events);
	json_decref(event);
	store_close(st);
}

static void test_results(void **state)
{
	static const char want[] =
		"result,build,label,workload,class,op,cache,scale,run,rep,at_ns,bytes,files,felt_ns,"
		"durable_ns,disk_bytes,bps,flags,durable_bps,cpu_ns,kernel,memory_bytes,host,simulated,"
		"published,layout,mount_options,tools,seed,bs,version,repeat,interval_sure,"
		"interval_low_bps,interval_high_bps,drift,drift_p,result_flags,outlier,ram_limit_bytes,"
		"dirty_limit_bytes,limit_bps,source_bps,cpu_stall_us,io_stall_us,memory_stall_us,"
		"temperature_mc,fill_percent,position,disturbed_by,ops,p50_ns,p99_ns,max_ns,streams,"
		"stream_min_bps,stream_mean_bps,stream_max_bps,least_bytes,"
		"campaign,cell,round,variant,options,reason,"
		"unit,rate,durable_rate,interval_low_rate,interval_high_rate,"
		"engine,suite,session\r\n1,nas1,\"slice | md, \"\"x\"\"\",500M,500M,write,cold,"
		"0.5,1,2,";
	struct store *st = open_new();
	json_t *result = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:f}", "build", "nas1", "label",
				   "slice | md, \"x\"", "workload", "500M", "class", "500M", "op",
				   "write", "cache", "cold", "scale", 0.5);
	json_t *run = json_pack("{s:i,s:i,s:[s,s]}", "rep", 2, "bytes", 123, "flags", "disturbed", "short");
	json_t *samples = json_pack("[[i,i]]", 1, 2), *all, *one;
	struct sbuf csv = { 0 };
	struct err e = { 0 };
	int64_t id, run_id;
	char out[80];

	(void)state;
	assert_int_equal(store_result_add(st, result, &id, &e), 0);
	assert_int_equal(store_run_add(st, id, run, &run_id, &e), 0);
	assert_int_equal(store_samples_add(st, run_id, samples, &e), 0);
	assert_int_equal(store_samples_add(st, run_id, samples, &e), 0);
	assert_int_equal(store_run_add(st, id + 1, run, &run_id, &e), -1);
	json_object_set_new(result, "median_bps", json_integer(77));
	json_object_set_new(result, "outliers", json_pack("[i]", 2));
	assert_int_equal(store_result_update(st, id, result, &e), 0);
	assert_int_equal(store_result_update(st, id + 1, result, &e), -1);

	assert_int_equal(store_results(st, &all, &e), 0);
	assert_int_equal(json_array_size(all), 1);
	assert_int_equal(json_u64(json_array_get(all, 0), "median_bps", 0), 77);
	json_decref(all);
	assert_int_equal(store_result(st, id, &one, &e), 0);
	run_id = (int64_t)json_array_size(json_object_get(json_array_get(json_object_get(one, "runs"),
							  0), "samples"));
	assert_int_equal(run_id, 2);
	json_decref(one);
	assert_int_equal(store_result(st, id + 1, &one, &e), -1);
	assert_string_equal(e.text, "there is no result 2; naslab results list shows them");

	snprintf(out, sizeof(out), "%s/out.csv", folder);
	assert_int_equal(store_export_csv(st, 0, out, &e), 0);
	assert_int_equal(file_read(out, 1 << 16, &csv), 0);
	assert_memory_equal(csv.text, want, sizeof(want) - 1);
	assert_string_equal(strstr(csv.text, ",123,"), ",123,,,,,,disturbed short,,,,,,,,,,,,,,,,,,,,,yes,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\r\n");
	assert_int_equal(store_export_csv(st, 9, out, &e), -1);
	sbuf_done(&csv);
	json_decref(result);
	json_decref(run);
	json_decref(samples);
	store_close(st);
}

/* Bring a file into one of the states that must not be touched. */
static void spoil(const char *how)
{
	struct build b = { .name = "x", .layout = "xfs", .order = "{}", .plan = "{}" };
	struct store *st;
	struct err e = { 0 };
	sqlite3 *db;
	struct stat sb;
	FILE *f;

	st = open_new();
	assert_int_equal(store_build_add(st, &b, &e), 0);
	store_close(st);
	if (!strcmp(how, "truncated")) {
		assert_int_equal(stat(path, &sb), 0);
		assert_int_equal(truncate(path, sb.st_size / 2 / 512 * 512), 0);
	} else if (!strcmp(how, "garbage")) {
		f = fopen(path, "w");
		fputs("this is a shopping list and no database at all, with more than hundred bytes so that"
		      " nobody takes it for an empty one\n", f);
		fclose(f);
	} else {
		assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
		if (!strcmp(how, "newer"))
			sqlite3_exec(db, "PRAGMA user_version=99", NULL, NULL, NULL);
		else
			sqlite3_exec(db, "PRAGMA application_id=7", NULL, NULL, NULL);
		sqlite3_close(db);
	}
}

static void test_bad_files(void **state)
{
	static const struct {
		const char *how, *sentence;
	} cases[] = {
		{ "truncated", "the database %s is damaged; it was left as it is: move it away or name "
		  "another with --db" },
		{ "garbage", "%s is not a naslab database; it was left as it is" },
		{ "newer", "the database %s was written by a newer naslab (its schema is 99, this one "
		  "knows 4); it was left as it is" },
		{ "foreign", "%s is another program's database; it was left as it is" },
	};
	struct sbuf before = { 0 }, after = { 0 };
	struct store *st;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t len = strcspn(cases[i].sentence, "%");
		struct sbuf want = { 0 };
		struct err e = { 0 };

		unlink(path);
		spoil(cases[i].how);
		sbuf_addn(&want, cases[i].sentence, len);
		sbuf_add(&want, path);
		sbuf_add(&want, cases[i].sentence + len + 2);
		assert_int_equal(file_read(path, 1 << 20, &before), 0);
		assert_int_equal(store_open(path, &st, &e), -1);
		assert_string_equal(e.text, want.text);
		assert_int_equal(store_open_read(path, &st, &e), -1);
		assert_string_equal(e.text, want.text);
		assert_int_equal(file_read(path, 1 << 20, &after), 0);
		assert_int_equal(before.len, after.len);
		assert_memory_equal(before.text, after.text, before.len);
		sbuf_done(&want);
	}
	sbuf_done(&before);
	sbuf_done(&after);
}

static void test_places(void **state)
{
	struct store *st;
	struct err e = { 0 };
	char name[80], want[200];

	(void)state;
	assert_int_equal(store_open_read(path, &st, &e), -1);
	snprintf(want, sizeof(want), "there is no database %s yet", path);
	assert_string_equal(e.text, want);
	assert_int_equal(access(path, F_OK), -1);

	assert_int_equal(store_open("/proc/version/naslab.db", &st, &e), -1);
	assert_int_equal(store_open("/proc/naslab.db", &st, &e), -1);
	snprintf(want, sizeof(want), "the database /proc/naslab.db cannot be opened: ");
	assert_memory_equal(e.text, want, strlen(want));

	/* What the kernel says of a folder that cannot be made, not that it is missing. */
	assert_int_equal(mkdir("/sys/naslab", 0755), -1);
	snprintf(want, sizeof(want), "cannot make the folder /sys/naslab for the database: %s",
		 strerror(errno));
	assert_int_equal(store_open("/sys/naslab/naslab.db", &st, &e), -1);
	assert_string_equal(e.text, want);

	/* A folder in its place. */
	snprintf(name, sizeof(name), "%s/a", folder);
	assert_int_equal(mkdir(name, 0755), 0);
	assert_int_equal(store_open(name, &st, &e), -1);
	snprintf(want, sizeof(want), "the database %s is not a file", name);
	assert_string_equal(e.text, want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_builds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_journal, setup, teardown),
		cmocka_unit_test_setup_teardown(test_results, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_places, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
