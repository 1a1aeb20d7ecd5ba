/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A terminal that stops reading (ssh hangs, Ctrl-S) must not hold the measurement up: all
 * runs come to their end and are kept while nobody reads, and the bars are drawn once the
 * terminal reads again.
 */
#include "bench-help.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "base/json.h"
#include "base/sbuf.h"
#include "bench/engine.h"
#include "store/store.h"

enum { REPS = 40, PATIENCE_S = 60 };

/* naslab on a pseudo terminal of our own. */
static pid_t start(const char *dir, const char *db, int *master, int *slave)
{
	struct winsize w = { .ws_row = 24, .ws_col = 80 };
	char reps[16];
	pid_t pid;

	*master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(*master >= 0);
	assert_int_equal(grantpt(*master) | unlockpt(*master), 0);
	*slave = open(ptsname(*master), O_RDWR | O_NOCTTY);
	assert_true(*slave >= 0);
	assert_int_equal(ioctl(*slave, TIOCSWINSZ, &w), 0);
	snprintf(reps, sizeof(reps), "%d", REPS);
	pid = fork();
	if (pid == 0) {
		setsid();
		ioctl(*slave, TIOCSCTTY, 0);
		dup2(*slave, 0);
		dup2(*slave, 1);
		dup2(*slave, 2);
		execl("./naslab", "naslab", "bench", dir, "--db", db, "--workload", "500M", "--scale",
		      "0.01", "--op", "write", "--reps", reps, (char *)NULL);
		_exit(127);
	}
	assert_true(pid > 0);
	return pid;
}

/* The runs of the only result so far. */
static uint64_t runs_kept(const char *db)
{
	struct store *st = NULL;
	struct err e = { 0 };
	json_t *all = NULL;
	uint64_t n = 0;

	if (access(db, F_OK) == 0 && store_open_read(db, &st, &e) == 0 &&
	    store_results(st, &all, &e) == 0)
		n = json_u64(json_array_get(all, 0), "runs", 0);
	json_decref(all);
	store_close(st);
	return n;
}

static void a_stalled_terminal_holds_nothing_up(void **state)
{
	const uint64_t end = clock_ns() + PATIENCE_S * 1000000000ull;
	const char *dir = scratch();
	char db[700], buf[4096];
	struct sbuf out = { 0 };
	int master, slave, status;
	ssize_t n;
	pid_t pid;

	(void)state;
	snprintf(db, sizeof(db), "%s/db", dir);
	pid = start(dir, db, &master, &slave);
	while (!strstr(sbuf_str(&out), " 1/40") && (n = read(master, buf, sizeof(buf))) > 0)
		sbuf_addn(&out, buf, (size_t)n);
	assert_int_equal(tcflow(slave, TCOOFF), 0);
	/* from here on nobody reads, and it is not through yet */
	assert_null(strstr(sbuf_str(&out), "20/40"));
	while (runs_kept(db) < REPS && clock_ns() < end && waitpid(pid, &status, WNOHANG) == 0)
		poll(NULL, 0, 50);
	assert_int_equal(runs_kept(db), REPS);
	/* it stands in the middle of its words */
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	assert_int_equal(tcflow(slave, TCOON), 0);
	close(slave);
	while ((n = read(master, buf, sizeof(buf))) > 0)
		sbuf_addn(&out, buf, (size_t)n);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("status %x: %s", (unsigned)status, sbuf_str(&out));
	assert_non_null(strstr(sbuf_str(&out), "40/40"));
	assert_non_null(strstr(sbuf_str(&out), "40 runs: lowest to highest"));
	sbuf_done(&out);
	close(master);
	wipe(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stalled_terminal_holds_nothing_up),
	};

	use_shipped_workloads();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
