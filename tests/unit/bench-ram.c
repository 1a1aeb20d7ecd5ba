/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measuring in less memory: what is read then comes from the disk; no control group stays. */
#include "bench-hear.h"

#include <sys/stat.h>

#include "base/units.h"
#include "bench/ram.h"

/* A read right after the write comes from memory, and does not when there is less of that. */
static void less_memory_is_a_cliff(void **state)
{
	static const uint64_t limits[] = { 0, 48 * MIB };
	unsigned turn;
	struct arena *a = arena_new();
	char dir[] = "/var/tmp/naslab-test-XXXXXX";
	struct bench_order o;
	struct err e = { 0 };
	const json_t *r;
	struct heard h;
	size_t i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (i = turn = 0; i < 2; ) {
		hear_start(&h);
		order_for(a, &o, dir, "500M", 0.3);
		o.reps = 1;
		o.cache = CACHE_AS_IS;
		o.ram = limits[i];
		if (bench_run(&o, hear, &h, &e) < 0) {
			hear_done(&h);
			wipe(dir);
			arena_free(a);
			/* the sentence says what is missing, then there is nothing to test */
			assert_true(o.ram && strstr(e.text, "control group"));
			print_message("skip: %s\n", e.text);
			skip();
		}
		r = json_array_get(h.results, 1);
		assert_string_equal(json_str(r, "op"), "read");
		/* other tests use this disk and empty the cache: one of ten readings is our own */
		if (i == 0 && !has_flag(r, "nodisk") && !has_flag(r, "cached") && ++turn < 10) {
			hear_done(&h);
			continue;
		}
		if (!has_flag(r, "nodisk")) {
			assert_int_equal(has_flag(r, "cached"), i == 0);
			if (i)
				assert_true(json_u64(r, "disk_bytes", 0) > 120000000);
		}
		assert_int_equal(json_u64(r, "ram_limit_bytes", 0), limits[i]);
		if (i)
			assert_int_equal(json_u64(r, "memory_bytes", 0), limits[i]);
		assert_int_equal(entries(dir), 0);
		hear_done(&h);
		i++;
	}
	wipe(dir);
	arena_free(a);
}

/* Whoever is killed leaves a group; the next one removes it, and no other. */
static void a_killed_one_leaves_no_group(void **state)
{
	struct ram_limit mine, other = { "", -1 };
	struct err e = { 0 };
	struct stat st;
	int p[2], status;
	pid_t pid;

	(void)state;
	if (ram_open(&mine, 64 * MIB, &e) < 0) {
		print_message("skip: %s\n", e.text);
		skip();
	}
	assert_int_equal(pipe(p), 0);
	pid = fork();
	if (pid == 0) {
		if (ram_open(&other, 64 * MIB, &e) < 0 ||
		    write(p[1], other.dir, sizeof(other.dir)) != sizeof(other.dir))
			_exit(1);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(read(p[0], other.dir, sizeof(other.dir)), sizeof(other.dir));
	assert_int_equal(stat(other.dir, &st), 0);
	ram_sweep();
	assert_int_equal(stat(other.dir, &st), -1);
	assert_int_equal(stat(mine.dir, &st), 0);
	strcpy(other.dir, mine.dir);
	ram_close(&mine);
	assert_int_equal(stat(other.dir, &st), -1);
	close(p[0]);
	close(p[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(less_memory_is_a_cliff),
		cmocka_unit_test(a_killed_one_leaves_no_group),
	};

	use_shipped_workloads();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
