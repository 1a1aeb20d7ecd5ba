/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The circumstances of a run from recorded machines, and the marks that follow from them. */
#include "bench-help.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#include "base/sbuf.h"
#include "base/units.h"
#include "bench/session.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_sort(struct list *l)
{
	if (l->n)
		qsort(l->at, l->n, sizeof(l->at[0]), by_text);
}

static void put(const char *root, const char *file, const char *text)
{
	char path[600], *at;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, file);
	for (at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
		*at = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* sda at 6 Gbit/s SATA, nvme0n1 at PCIe 3.0 x4, ubda emulated, vda without a word. */
static void record_machine(const char *root)
{
	char link[600];

	put(root, "sys/devices/pci0/ata3/host2/sda/device/hwmon/hwmon1/temp1_input", "38000\n");
	put(root, "sys/devices/pci0/ata3/host2/sda/device/hwmon/hwmon1/temp1_max", "60000\n");
	put(root, "sys/class/ata_link/link3/sata_spd", "6.0 Gbps\n");
	put(root, "sys/class/block/nvme0n1/device/device/current_link_speed", "8.0 GT/s PCIe\n");
	put(root, "sys/class/block/nvme0n1/device/device/current_link_width", "4\n");
	put(root, "sys/class/block/nvme0n1/device/hwmon2/temp1_input", "71000\n");
	put(root, "sys/class/block/nvme0n1/device/hwmon2/temp1_max", "70000\n");
	put(root, "sys/class/block/vda/size", "1\n");
	put(root, "run/naslab/disks", "ubdab kind=ssd rate=1\nubda kind=hdd rate=30000000 seek=8\n"
	    "ubdb kind=hdd\nubdc kind=ssd rate=7\n");
	put(root, "proc/pressure/cpu", "some avg10=1.00 avg60=0.00 avg300=0.00 total=1234\n"
	    "full avg10=0.00 avg60=0.00 avg300=0.00 total=9\n");
	put(root, "proc/pressure/io", "some avg10=35.50 avg60=0.00 avg300=0.00 total=77\n");
	put(root, "proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");
	put(root, "proc/vmstat", "nr_dirty 1\nnr_dirty_threshold 1000\n"
	    "nr_dirty_background_threshold 500\n");
	put(root, "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "4\n");
	put(root, "sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "2\n");
	snprintf(link, sizeof(link), "%s/sys/class/block/sda", root);
	assert_int_equal(symlink("../../devices/pci0/ata3/host2/sda", link), 0);
}

static void machines_are_read(void **state)
{
	struct arena *a = arena_new();
	const char *root = scratch();
	struct list disks = { 0 };
	struct proof p;

	(void)state;
	record_machine(root);
	assert_int_equal(proof_link_bps(root, a, "sda"), 600000000);
	/* 8 GT/s x 4 lanes x 128/130 / 8 = 3.938 GB/s, as every table of PCIe has it */
	assert_in_range(proof_link_bps(root, a, "nvme0n1"), 3938000000, 3939000000);
	assert_int_equal(proof_link_bps(root, a, "ubda"), 30000000);
	assert_int_equal(proof_link_bps(root, a, "ubdb"), 0);
	assert_int_equal(proof_link_bps(root, a, "vda"), 0);
	list_add(a, &disks, arena_strdup(a, "sda"));
	proof_read(root, a, &disks, &p);
	assert_int_equal(p.hottest_mc, 38000);
	assert_false(p.hot);
	assert_int_equal(p.cpu_stall_us, 1234);
	assert_int_equal(p.io_stall_us, 77);
	assert_int_equal(p.memory_stall_us, 5);
	assert_true(fabs(proof_pressure(root, a, "io") - 0.355) < 1e-9);
	assert_int_equal(p.throttles, 6);
	list_add(a, &disks, arena_strdup(a, "nvme0n1"));
	proof_read(root, a, &disks, &p);
	assert_int_equal(p.hottest_mc, 71000);
	assert_true(p.hot);
	assert_in_range(proof_limit_bps(root, a, &disks), 4538000000, 4539000000);
	list_add(a, &disks, arena_strdup(a, "vda"));
	assert_int_equal(proof_limit_bps(root, a, &disks), 0);
	assert_int_equal(proof_dirty_limit(root, a), 4096000);
	wipe(root);
	proof_read(root, a, &disks, &p);
	assert_int_equal(p.hottest_mc, PROOF_NO_HEAT);
	assert_int_equal(p.throttles + p.cpu_stall_us + p.io_stall_us + p.memory_stall_us, 0);
	assert_false(proof_pressure(root, a, "io") > 0);
	assert_int_equal(proof_dirty_limit(root, a), 0);
	arena_free(a);
}

enum { MB = 1000000, MS = 1000000 };

/* One disk that carries 100 MB/s, 100 MB moved; each case differs in one thing. */
static void marks_follow(void **state)
{
	static const struct {
		const char *options;
		enum bench_op op;
		uint64_t felt_ms, durable_ms, rd, wr, copy_cpu_ms, source_wait_ms, stall_ms;
		bool hot;
		unsigned want;
	} cases[] = {
		{ "ext4 rw", BENCH_WRITE, 1900, 2000, 0, 100, 200, 0, 0, false, 0 },
		{ "ext4 rw", BENCH_READ, 2000, 2000, 100, 0, 200, 0, 0, false, 0 },
		{ "ext4 rw", BENCH_READ, 20, 20, 0, 0, 10, 0, 0, false, FLAG_CACHED | FLAG_ABOVE },
		{ "ext4 rw", BENCH_WRITE, 100, 2000, 0, 100, 90, 0, 0, false, FLAG_CACHED },
		{ "ext4 rw", BENCH_WRITE, 900, 900, 0, 100, 90, 0, 0, false, FLAG_ABOVE },
		{ "ext4 rw", BENCH_WRITE, 2000, 2000, 0, 100, 10, 600, 0, false, FLAG_SOURCE },
		{ "ext4 rw", BENCH_WRITE, 2000, 2000, 0, 100, 1900, 0, 0, false, FLAG_CPU },
		{ "ext4 rw", BENCH_READ, 2000, 2000, 100, 0, 10, 0, 900, false, FLAG_DISTURBED },
		{ "ext4 rw", BENCH_READ, 2000, 2000, 300, 0, 10, 0, 0, false, FLAG_DISTURBED },
		{ "ext4 rw", BENCH_READ, 2000, 2000, 100, 300, 10, 0, 0, false, FLAG_DISTURBED },
		{ "ext4 rw", BENCH_WRITE, 2000, 2000, 0, 300, 10, 0, 0, false, 0 },
		{ "ext4 rw", BENCH_WRITE, 2000, 2000, 0, 500, 10, 0, 0, false, FLAG_DISTURBED },
		{ "ext4 rw", BENCH_READ, 2000, 2000, 100, 0, 10, 0, 0, true, FLAG_THROTTLED },
		{ "btrfs rw,compress=zstd:3", BENCH_WRITE, 2000, 2000, 0, 60, 10, 0, 0, false,
		  FLAG_COMPRESSED },
		{ "btrfs rw", BENCH_WRITE, 2000, 2000, 0, 60, 10, 0, 0, false, 0 },
		{ "btrfs rw,compress=zstd:3", BENCH_READ, 2000, 2000, 60, 0, 10, 0, 0, false, 0 },
		{ "btrfs rw", BENCH_READ, 2000, 2000, 60, 0, 10, 0, 0, false, FLAG_CACHED },
	};
	struct workload w = { .name = "x" };
	struct class c = { .w = &w };
	struct session s = { .limit_bps = 100 * MB };
	size_t i;

	(void)state;
	s.counters.arena = arena_new();
	list_add(s.counters.arena, &s.counters.disks, arena_strdup(s.counters.arena, "no-such"));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct measured m = {
			.copy = { .bytes = 100 * MB, .felt_ns = cases[i].felt_ms * MS,
				  .durable_ns = cases[i].durable_ms * MS,
				  .copy_cpu_ns = cases[i].copy_cpu_ms * MS,
				  .source_wait_ns = cases[i].source_wait_ms * MS },
			.moved = { .read = cases[i].rd * MB, .written = cases[i].wr * MB },
			.after = { .cpu_stall_us = cases[i].stall_ms * 1000, .hot = cases[i].hot },
		};
		unsigned got;

		m.disk_bytes = cases[i].op == BENCH_WRITE ? m.moved.written : m.moved.read;
		s.counters.options = cases[i].options;
		got = flags_of(&s, &c, cases[i].op, &m);
		if (got != cases[i].want)
			fail_msg("case %zu: %x, not %x", i, got, cases[i].want);
	}
	arena_free(s.counters.arena);
}

/* What others do beside a run of 10 s. */
static void others_are_marked(void **state)
{
	static const struct {
		uint64_t copy_cpu_ms, io_ms, memory_ms;
		bool named;
		unsigned want;
	} cases[] = {
		{ 1000, 9500, 0, false, 0 },	/* all but the work of the copy: its own waiting */
		{ 9000, 900, 0, false, 0 },
		{ 8000, 5000, 0, false, FLAG_DISTURBED },	/* it waited 2 s at most */
		{ 1000, 0, 1500, false, FLAG_DISTURBED },
		{ 1000, 0, 500, false, 0 },
		{ 1000, 0, 0, true, FLAG_DISTURBED },
	};
	struct workload w = { .name = "x" };
	struct class c = { .w = &w };
	struct session s = { .limit_bps = 0 };
	json_t *who = json_pack("[s]", "rsync(812)");
	size_t i;

	(void)state;
	s.counters.arena = arena_new();
	list_add(s.counters.arena, &s.counters.disks, arena_strdup(s.counters.arena, "no-such"));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct measured m = {
			.op = BENCH_READ, .disk_bytes = 100 * MB, .moved.read = 100 * MB,
			.copy = { .bytes = 100 * MB, .felt_ns = 10000ull * MS,
				  .durable_ns = 10000ull * MS,
				  .copy_cpu_ns = cases[i].copy_cpu_ms * MS },
			.after = { .io_stall_us = cases[i].io_ms * 1000,
				   .memory_stall_us = cases[i].memory_ms * 1000 },
			.disturbed_by = cases[i].named ? who : NULL,
		};

		assert_int_equal(flags_of(&s, &c, BENCH_READ, &m), cases[i].want);
	}
	json_decref(who);
	arena_free(s.counters.arena);
}

static void put_process(const char *root, int pid, const char *name, const char *opens,
			const char *flags, uint64_t moved)
{
	char file[100], text[200], path[700];

	snprintf(file, sizeof(file), "proc/%d/comm", pid);
	snprintf(text, sizeof(text), "%s\n", name);
	put(root, file, text);
	snprintf(file, sizeof(file), "proc/%d/io", pid);
	snprintf(text, sizeof(text), "rchar: 9\nread_bytes: %llu\nwrite_bytes: %llu\n"
		 "cancelled_write_bytes: 7\n", (unsigned long long)moved / 2,
		 (unsigned long long)(moved - moved / 2));
	put(root, file, text);
	snprintf(file, sizeof(file), "proc/%d/fdinfo/3", pid);
	snprintf(text, sizeof(text), "pos:\t0\nflags:\t%s\nmnt_id:\t1\n", flags);
	put(root, file, text);
	snprintf(file, sizeof(file), "proc/%d/fd/x", pid);
	put(root, file, "");
	snprintf(path, sizeof(path), "%s/proc/%d/fd/3", root, pid);
	unlink(path);
	assert_int_equal(symlink(opens, path), 0);
}

/* Who has a file open there, and moved something meanwhile; a recorded machine. */
static void others_are_found(void **state)
{
	struct arena *a = arena_new();
	const char *root = scratch();
	char there[700];
	struct others before = { 0 }, after = { 0 };
	struct list none = { 0 }, moved = { 0 }, writers = { 0 };
	struct stat st;

	(void)state;
	put(root, "file", "");
	snprintf(there, sizeof(there), "%s/file", root);
	assert_int_equal(stat(there, &st), 0);
	put_process(root, 400001, "busy", there, "0100001", 1000 * MB);
	put_process(root, 400002, "idle", there, "0100002", 2000 * MB);
	put_process(root, 400003, "reader", there, "0100000", 0);
	put_process(root, 400004, "elsewhere", "/proc/self/status", "0100001", 0);
	put(root, "proc/none/comm", "no process\n");
	others_look(root, &none, st.st_dev, &before);
	assert_int_equal(before.n, 4);
	put_process(root, 400001, "busy", there, "0100001", 1005 * MB);
	put_process(root, 400003, "reader", "/proc/self/status", "0100000", 3 * MB);
	put_process(root, 400004, "elsewhere", "/proc/self/status", "0100001", 500 * MB);
	put_process(root, 400005, "late", there, "0100001", 4 * MB);
	others_look(root, &none, st.st_dev, &after);
	others_that_moved(a, &before, &after, 2 * MB, &moved);
	list_sort(&moved);
	assert_int_equal(moved.n, 3);
	assert_string_equal(moved.at[0], "busy(400001)");
	assert_string_equal(moved.at[1], "late(400005)");	/* new since */
	assert_string_equal(moved.at[2], "reader(400003)");	/* had it open at the beginning */
	others_that_write(a, &before, 8, &writers);
	list_sort(&writers);
	assert_int_equal(writers.n, 2);
	assert_string_equal(writers.at[0], "busy(400001)");
	assert_string_equal(writers.at[1], "idle(400002)");
	others_done(&before);
	others_done(&after);
	wipe(root);
	arena_free(a);
}

/* Every flag has a word and a letter of its own, and goes to a record and back. */
static void flags_have_names(void **state)
{
	static const unsigned char_of[] = { ['P'] = FLAG_CACHED, ['B'] = FLAG_CACHEFULL,
		['S'] = FLAG_SYNC, ['T'] = FLAG_THROTTLED, ['D'] = FLAG_DISTURBED,
		['L'] = FLAG_ABOVE, ['n'] = FLAG_FEW };
	unsigned flag, seen[128] = { 0 };
	size_t i;

	(void)state;
	for (flag = 1; flag <= FLAG_OUTLIER; flag <<= 1) {
		json_t *words = flag_words(flag);
		struct sbuf letters = { 0 }, legend = { 0 };

		assert_int_equal(json_array_size(words), 1);
		assert_int_equal(flags_read(words), flag);
		flags_letters(flag, " ", &letters);
		assert_int_equal(letters.len, 1);
		assert_int_equal(seen[(unsigned char)letters.text[0]]++, 0);
		flags_legend(flag, 60, &legend);
		assert_true(legend.len > 4 && legend.text[0] == letters.text[0]);
		sbuf_done(&letters);
		sbuf_done(&legend);
		json_decref(words);
	}
	/* the letters that are agreed on */
	for (i = 0; i < sizeof(char_of) / sizeof(char_of[0]); i++) {
		struct sbuf letters = { 0 };

		if (!char_of[i])
			continue;
		flags_letters(char_of[i], "", &letters);
		assert_int_equal(letters.text[0], (char)i);
		sbuf_done(&letters);
	}
}

static void letters_and_legend(void **state)
{
	static const struct {
		unsigned flags;
		bool doubt;
		const char *letters;
	} cases[] = {
		{ 0, false, "" }, { FLAG_FEW, false, "n" }, { FLAG_FEW | FLAG_OUTLIER, false, "* n" },
		{ FLAG_FEW | FLAG_DISTURBED | FLAG_CACHED, true, "P D n" },
		/* who cannot ask the disks does not know what came from memory */
		{ FLAG_NODISK | FLAG_CACHED, true, "?" }, { FLAG_DRIFT, true, "~" },
	};
	json_t *words = json_pack("[s,i,s,s]", "few", 7, "nonsense", "sync");
	struct sbuf out = { 0 };
	char *rest, *line;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		flags_letters(cases[i].flags, " ", &out);
		assert_string_equal(sbuf_str(&out), cases[i].letters);
		assert_int_equal(flags_doubt(cases[i].flags), cases[i].doubt);
		sbuf_clear(&out);
	}
	assert_int_equal(flags_read(words), FLAG_FEW | FLAG_SYNC);
	flags_legend(~0u, 40, &out);
	rest = out.text;
	for (i = 0; (line = strsep(&rest, "\n")); i++)
		assert_in_range(strlen(line), 1, 40);
	assert_in_range(i, 7, 20);
	sbuf_done(&out);
	json_decref(words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_are_read),
		cmocka_unit_test(marks_follow),
		cmocka_unit_test(others_are_marked),
		cmocka_unit_test(others_are_found),
		cmocka_unit_test(flags_have_names),
		cmocka_unit_test(letters_and_legend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
