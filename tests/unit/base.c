/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The small tools: sizes, numbers, quoting, near words. */
#include "test.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/argv.h"
#include "base/arena.h"
#include "base/cells.h"
#include "base/err.h"
#include "base/sbuf.h"
#include "base/shipped.h"
#include "base/text.h"
#include "base/units.h"

static void sizes_are_read(void **state)
{
	static const struct {
		const char *text;
		uint64_t option, maker;
	} cases[] = {
		{ "512", 512, 512 },
		{ "1M", 1048576, 1000000 },
		{ "64K", 65536, 64000 },
		{ "64k", 65536, 64000 },
		{ "10TiB", 10995116277760, 10995116277760 },
		{ "10TB", 10000000000000, 10000000000000 },
		{ "1.5T", 1649267441664, 1500000000000 },
		{ "600MiB", 629145600, 629145600 },
	};
	struct err e = { 0 };
	uint64_t got;
	bool maker;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(size_parse(cases[i].text, &got, &e), 0);
		assert_int_equal(got, cases[i].option);
		assert_int_equal(size_parse_maker(cases[i].text, &got, &maker, &e), 0);
		assert_int_equal(got, cases[i].maker);
	}
}

/* Cells as Unicode 15 has them (EastAsianWidth.txt: W and F two, combining marks none). */
static void text_takes_cells(void **state)
{
	static const struct { const char *text; size_t cells, bytes_in_5; } cases[] = {
		{ "", 0, 0 }, { "WD100EFAX", 9, 5 },
		{ "\u6771\u829d MG08", 9, 7 },		/* two wide, a blank, "MG08" */
		{ "\uc0bc\uc131\uc804\uc790", 8, 6 },	/* the third has no room in 5 */
		{ "\uff36\uff24", 4, 6 },			/* fullwidth letters */
		{ "e\u0301te\u0301", 3, 7 },			/* combining accents */
		{ "Gr\u00f6\u00dfe", 5, 7 }, { "\xff\xff""abcd", 6, 5 },
		{ "\u2588\u2592 \u251c", 4, 10 },
	};
	struct sbuf b = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {	/* RFC 3629, section 7 */
		static const struct { uint32_t ch; const char *utf8; } rows[] = {
			{ 'A', "A" }, { 0x0391, "\xce\x91" }, { 0x2262, "\xe2\x89\xa2" },
			{ 0x233b4, "\xf0\xa3\x8e\xb4" },
		};
		const char *at = rows[i].utf8;
		char got[5];

		assert_int_equal(utf8_put(got, rows[i].ch), strlen(rows[i].utf8));
		assert_string_equal(got, rows[i].utf8);
		assert_int_equal(utf8_next(&at), rows[i].ch);
		assert_int_equal(*at, 0);
	}
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(text_cells(cases[i].text), cases[i].cells);
		assert_int_equal(text_fit(cases[i].text, 5), cases[i].bytes_in_5);
	}
	sbuf_add_padded(&b, "\u6771\u829d", 6);
	assert_string_equal(sbuf_str(&b), "\u6771\u829d  ");
	sbuf_add_padded(&b, "long", 2);
	assert_string_equal(sbuf_str(&b), "\u6771\u829d  long");
	sbuf_clear(&b);
	sbuf_add_right(&b, "\u6771\u829d", 6);
	sbuf_add_right(&b, "long", 2);
	assert_string_equal(sbuf_str(&b), "  \u6771\u829dlong");
	assert_string_equal(text_tail("a\u6771\u829d", 4), "\u6771\u829d");
	assert_string_equal(text_tail("a\u6771\u829d", 3), "\u829d");
	sbuf_clear(&b);
	sbuf_add_wrapped(&b, "\u6771\u829d\u6771 \u829d\u829d ab", 0, 8);
	assert_string_equal(sbuf_str(&b), "\u6771\u829d\u6771\n\u829d\u829d ab");
	sbuf_done(&b);
}

static void percentages_are_read(void **state)
{
	static const struct { const char *text; uint64_t thousandths; } good[] = {
		{ "0%", 0 }, { "1%", 1000 }, { "1.5%", 1500 }, { "0.125%", 125 }, { "050%", 50000 },
	};
	static const char *const bad[] = { "", "%", "1", ".5%", "1.%", "1.2345%", "1%%", "-1%", "1 %",
					   "1.5.5%", "9999999999%" };
	uint64_t got = 7;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(percent_parse(bad[i], &got));
	assert_int_equal(got, 7);
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(percent_parse(good[i].text, &got));
		assert_int_equal(got, good[i].thousandths);
	}
}

static void nonsense_is_no_size(void **state)
{
	static const char *const bad[] = { "", "T", "-1", "1X", "1MM", "99999999999999999999",
					   "9999999P", "1.5", "1.12345678M", "1 M", "0x10" };
	struct err e = { 0 };
	uint64_t got = 7;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(size_parse(bad[i], &got, &e), -1);
		assert_int_equal(got, 7);
		assert_int_equal(e.kind, ERR_USAGE);
	}
}

static void numbers_have_three_digits(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 0, "0" }, { 0.0123, "0.0123" }, { 0.987, "0.987" }, { 9.876, "9.88" },
		{ 9.996, "10.0" }, { 96.44, "96.4" }, { 99.96, "100" }, { 118.4, "118" },
		{ 2310, "2.31k" }, { 999.4, "999" }, { 999.6, "1.00k" }, { 45678, "45.7k" },
		{ 1.2e6, "1.20M" }, { -2310, "-2.31k" }, { 0.00123, "0.00123" }, { 0.000000512, "0.000000512" },
	};
	char buf[SIZE_TEXT];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(number_text(buf, cases[i].value), cases[i].text);
	assert_string_equal(size_text(buf, 10000831348736, SIZE_SI), "10.0 TB");
	assert_string_equal(size_text(buf, 10000831348736, SIZE_IEC), "9.10 TiB");
	assert_string_equal(size_text(buf, 10000831348736, SIZE_BYTES), "10 000 831 348 736");
	assert_string_equal(size_text(buf, 999999, SIZE_SI), "1.00 MB");
	assert_string_equal(duration_text(buf, 7000000000), "0:07");
	assert_string_equal(duration_text(buf, 12480000000000), "3:28 h");
	assert_string_equal(size_option_text(buf, 524288), "512K");
}

static void words_are_quoted_for_a_shell(void **state)
{
	struct arena *a = arena_new();
	struct sbuf b = { 0 };
	struct argv v = { 0 };

	(void)state;
	argv_addl(a, &v, "mkfs.xfs", "-L", "it's", "", "a=b", "$(x)", NULL);
	argv_print(&v, &b);
	assert_string_equal(b.text, "mkfs.xfs -L 'it'\\''s' '' a=b '$(x)'");
	sbuf_done(&b);
	arena_free(a);
}

static void outside_text_cannot_move_the_cursor(void **state)
{
	struct sbuf b = { 0 };

	(void)state;
	sbuf_add_safe(&b, "WD\x1b[2J\xc3\xa4\xff \xe2\x80\xae" "E");
	assert_string_equal(b.text, "WD\\x1b[2J\xc3\xa4\\xff \\xe2\\x80\\xaeE");
	sbuf_done(&b);
}

static void near_words_are_found(void **state)
{
	static const char *const words[] = { "slice", "md", "lvm", "xfs", "btrfs", "mergerfs" };

	(void)state;
	assert_string_equal(nearest_word("btfrs", words, 6), "btrfs");
	assert_string_equal(nearest_word("slcie", words, 6), "slice");
	assert_null(nearest_word("quux", words, 6));
	assert_true(name_is_valid("nas1"));
	assert_false(name_is_valid("-x"));
	assert_false(name_is_valid("Nas"));
	assert_false(name_is_valid("a/b"));
}

static void lines_are_cut_in_two(void **state)
{
	static const struct {
		const char *line, *word, *rest;		/* word NULL: it says nothing */
	} cases[] = {
		{ "op read write", "op", "read write" },
		{ "  op \t read  write \r", "op", "read  write" },
		{ "op# read", "op", "" },
		{ "op", "op", "" },
		{ "# op read", NULL, NULL },
		{ " \t ", NULL, NULL },
		{ "", NULL, NULL },
	};
	char line[40], *rest, *word;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(line, sizeof(line), "%s", cases[i].line);
		word = line_statement(line, &rest);
		if (!cases[i].word) {
			assert_null(word);
			continue;
		}
		assert_string_equal(word, cases[i].word);
		assert_string_equal(rest, cases[i].rest);
	}
}

/* Of a folder: those with the suffix, sorted, each once, not the hidden ones. */
/* A pipe is read to its end, waited for while somebody writes, and no more than that. */
static void pipes_are_read(void **state)
{
	char dir[] = "/tmp/naslab-base-XXXXXX", path[80];
	struct sbuf text = { 0 };
	int end[2], status;
	pid_t pid;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/pipe", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(file_read(path, 100, &text), 0);
	assert_int_equal(text.len, 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);

	assert_int_equal(pipe(end), 0);
	pid = fork();
	if (pid == 0) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", end[0]);
		close(end[1]);
		_exit(file_read(path, 100, &text) == 0 && !strcmp(sbuf_str(&text), "late") ? 0 : 1);
	}
	close(end[0]);
	assert_int_equal(write(end[1], "la", 2), 2);
	sched_yield();
	assert_int_equal(write(end[1], "te", 2), 2);
	close(end[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	sbuf_done(&text);
}

static void shipped_files_are_found(void **state)
{
	static const char *const files[] = { "b.suite", "a.suite", ".h.suite", "c.map", ".suite" };
	char dir[] = "/tmp/naslab-base-XXXXXX", buf[PATH_MAX];
	struct arena *a = arena_new();
	struct list names = { 0 };
	size_t i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		close(open(arena_printf(a, "%s/%s", dir, files[i]), O_CREAT | O_WRONLY, 0600));
	/* neither is a text; a pipe would hold up whoever reads it */
	assert_int_equal(mkdir(arena_printf(a, "%s/folder.suite", dir), 0700), 0);
	assert_int_equal(mkfifo(arena_printf(a, "%s/pipe.suite", dir), 0600), 0);
	list_add(a, &names, arena_strdup(a, "b"));
	assert_true(shipped_names(a, dir, ".suite", &names));
	assert_int_equal(rmdir(arena_printf(a, "%s/folder.suite", dir)), 0);
	assert_int_equal(unlink(arena_printf(a, "%s/pipe.suite", dir)), 0);
	assert_int_equal(names.n, 2);
	assert_string_equal(names.at[0], "a");
	assert_string_equal(names.at[1], "b");
	assert_true(shipped_names(a, NULL, ".suite", &names));
	assert_false(shipped_names(a, arena_printf(a, "%s/none", dir), ".suite", &names));
	assert_int_equal(names.n, 2);
	assert_string_equal(shipped_file(a, dir, ".map", "c"), arena_printf(a, "%s/c.map", dir));
	assert_string_equal(shipped_file(a, dir, ".map", "d"), "d");
	assert_string_equal(shipped_file(a, dir, ".map", "./c"), "./c");
	setenv("NASLAB_BASE", dir, 1);
	assert_string_equal(shipped_folder("NASLAB_BASE", "/suites", buf), dir);
	setenv("NASLAB_BASE", "", 1);
	assert_string_equal(shipped_folder("NASLAB_BASE", "/suites", buf), DATA_DIR "/suites");
	assert_true(shipped_name_is_plain("W09"));
	assert_false(shipped_name_is_plain("../W09"));
	assert_false(shipped_name_is_plain(""));
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(arena_printf(a, "%s/%s", dir, files[i]));
	assert_int_equal(rmdir(dir), 0);
	arena_free(a);
}

static void words_are_wrapped(void **state)
{
	struct sbuf b = { 0 };

	(void)state;
	sbuf_add(&b, "- ");
	sbuf_add_wrapped(&b, "one two \xc3\xbc\xc3\xbc\xc3\xbc three\n\nfour", 2, 13);
	assert_string_equal(b.text, "- one two \xc3\xbc\xc3\xbc\xc3\xbc\n  three\n\n  four");
	sbuf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_read),
		cmocka_unit_test(text_takes_cells),
		cmocka_unit_test(percentages_are_read),
		cmocka_unit_test(nonsense_is_no_size),
		cmocka_unit_test(numbers_have_three_digits),
		cmocka_unit_test(words_are_quoted_for_a_shell),
		cmocka_unit_test(outside_text_cannot_move_the_cursor),
		cmocka_unit_test(near_words_are_found),
		cmocka_unit_test(lines_are_cut_in_two),
		cmocka_unit_test(pipes_are_read),
		cmocka_unit_test(shipped_files_are_found),
		cmocka_unit_test(words_are_wrapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
