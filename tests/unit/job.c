/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job - tools that ask, hang, die, shout and leave daemons behind. */
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "build/job.h"

/* A word of a command: execve wants them without const and changes none. */
#define W(text) ((char *)(uintptr_t)(text))

static void keep(void *arg, const char *text)
{
	sbuf_addf(arg, "%s|", text);
}

/* Run a shell line the way a step is run; the lines it said are in *said. */
static int sh(const char *line, const char *input, unsigned timeout_ms, struct sbuf *said,
	      struct job_end *end, struct err *e)
{
	char *argv[] = { W("sh"), W("-c"), W(line), NULL };
	struct job j = { .argv = argv, .input = input, .timeout_ms = timeout_ms,
			 .line = keep, .arg = said };

	return job_run(&j, end, e);
}

static void test_ends(void **state)
{
	static const struct {
		const char *line, *input;
		int rc, status, signal;
		const char *said, *sentence;
	} cases[] = {
		{ "echo a; echo b >&2; printf c", NULL, 0, 0, 0, "a|b|c|", "" },
		{ "exit 5", NULL, -1, 5, 0, "", "sh ended with status 5" },
		{ "echo Device busy >&2; exit 1", NULL, -1, 1, 0, "Device busy|",
		  "sh ended with status 1: Device busy" },
		{ "kill -SEGV $$", NULL, -1, -1, SIGSEGV, "",
		  "sh ended by signal 11 (Segmentation fault)" },
		/* What a tool asks is answered by nothing at all, not by a wait. */
		{ "printf 'Sure? [y/n] '; read x && echo $x || echo no answer", NULL, 0, 0, 0,
		  "Sure? [y/n] no answer|", "" },
		{ "cat", "label: gpt\nstart=2048\n", 0, 0, 0, "label: gpt|start=2048|", "" },
		{ "exit 0", "nobody reads this\n", 0, 0, 0, "", "" },
		{ "printf '10%%\\r20%%\\r\\n\\n'", NULL, 0, 0, 0, "10%|20%|", "" },
		{ "echo $LC_ALL; echo ${SECRET:-clean}", NULL, 0, 0, 0, "C|clean|", "" },
		/* A daemon that keeps the output open does not keep us. */
		{ "sleep 3 & echo started", NULL, 0, 0, 0, "started|", "" },
	};
	size_t i;

	(void)state;
	setenv("SECRET", "leaked", 1);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sbuf said = { 0 };
		struct job_end end;
		struct err e = { 0 };
		char want[JOB_LAST];

		assert_int_equal(sh(cases[i].line, cases[i].input, 0, &said, &end, &e), cases[i].rc);
		assert_true(end.started);
		assert_int_equal(end.status, cases[i].status);
		assert_int_equal(end.signal, cases[i].signal);
		assert_string_equal(sbuf_str(&said), cases[i].said);
		snprintf(want, sizeof(want), "%s", cases[i].sentence);
		if (cases[i].signal)
			assert_non_null(strstr(e.text, "signal 11 (Segmentation fault)"));
		else
			assert_string_equal(e.text, want);
		assert_true(end.ns < 2500000000ull);
		sbuf_done(&said);
	}
}

static void test_timeout(void **state)
{
	struct sbuf said = { 0 };
	struct job_end end;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(sh("echo 'Continue (y/n)?'; sleep 60 & wait", NULL, 1000, &said, &end, &e), -1);
	assert_true(end.timed_out);
	assert_string_equal(e.text, "sh did not end within 1 s and was stopped: Continue (y/n)?");
	assert_true(end.ns < 3000000000ull);

	/* One that does not listen to SIGTERM is killed. */
	sbuf_clear(&said);
	assert_int_equal(sh("trap '' TERM; while :; do sleep 0.2; done", NULL, 300, &said, &end, &e), -1);
	assert_true(end.timed_out);
	assert_int_equal(end.signal, SIGKILL);
	sbuf_done(&said);
}

static bool after_a_moment(void *arg)
{
	return ++*(int *)arg > 3;
}

static void test_cancel(void **state)
{
	char *argv[] = { W("sleep"), W("60"), NULL };
	int asked = 0;
	struct job j = { .argv = argv, .cancelled = after_a_moment, .arg = &asked };
	struct job_end end;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(job_run(&j, &end, &e), -1);
	assert_true(end.was_cancelled);
	assert_int_equal(end.signal, SIGTERM);
	assert_string_equal(e.text, "sleep was stopped");
}

static void test_no_program(void **state)
{
	char *argv[] = { W("no-such-tool-here"), NULL };
	char *folder[] = { W("/etc"), NULL };
	struct job j = { .argv = argv };
	struct job_end end;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(job_run(&j, &end, &e), -1);
	assert_false(end.started);
	assert_int_equal(end.error, ENOENT);
	assert_string_equal(e.text, "no-such-tool-here: there is no such program here");
	assert_false(job_has("no-such-tool-here"));
	assert_true(job_has("sh"));

	j.argv = folder;
	assert_int_equal(job_run(&j, &end, &e), -1);
	assert_false(end.started);
	assert_int_equal(end.error, EACCES);
}

/* A line without an end, and very much output: nothing is lost, nothing grows. */
static void test_much(void **state)
{
	struct sbuf said = { 0 };
	struct job_end end;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(sh("head -c 100000 /dev/zero | tr '\\0' x; echo; seq 20000", NULL, 0, &said,
			    &end, &e), 0);
	assert_non_null(strstr(said.text, "|1|2|3|"));
	assert_non_null(strstr(said.text, "|19999|20000|"));
	assert_string_equal(end.last, "19999; 20000");
	sbuf_done(&said);
}

static void test_descriptors(void **state)
{
	struct sbuf said = { 0 };
	struct job_end end;
	struct err e = { 0 };

	(void)state;
	/* 0, 1, 2 and the one ls itself opens on the folder. */
	assert_int_equal(sh("ls /proc/self/fd | wc -l", NULL, 0, &said, &end, &e), 0);
	assert_string_equal(sbuf_str(&said), "4|");
	sbuf_done(&said);
}

static void test_start(void **state)
{
	char *argv[] = { W("sh"), W("-c"), W("ps -o sid= -p $$; read x; echo got $x; read y; "
						  "echo and $y"), NULL };
	int control, out, status;
	char text[256] = "";
	struct err e = { 0 };
	size_t len = 0;
	int64_t pid;
	ssize_t got;

	(void)state;
	assert_int_equal(job_start(argv, true, "order\n", &pid, &control, &out, &e), 0);
	assert_int_equal(write(control, "stop\n", 5), 5);
	assert_int_equal(job_reap(pid, true, &status), 1);
	assert_int_equal(status, 0);
	while ((got = read(out, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)got;
	snprintf(text + len, sizeof(text) - len, "%s", "");
	assert_int_equal(strtoll(text, NULL, 10), pid);		/* leader of its own session */
	assert_non_null(strstr(text, "got order\nand stop\n"));
	close(control);
	close(out);
}

static int body(void *arg, int fd)
{
	return write(fd, arg, 4) == 4 ? 7 : 1;
}

static void test_child(void **state)
{
	struct err e = { 0 };
	char text[5] = "";
	int sock, status;
	int64_t pid;

	(void)state;
	assert_int_equal(job_child(body, W("word"), &pid, &sock, &e), 0);
	assert_int_equal(read(sock, text, 4), 4);
	assert_string_equal(text, "word");
	assert_int_equal(job_reap(pid, true, &status), 1);
	assert_int_equal(WEXITSTATUS(status), 7);
	close(sock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_no_program),
		cmocka_unit_test(test_much),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
