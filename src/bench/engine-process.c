/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine-process - the child process a copy runs in. It shares a page of counters with
 * its parent, runs no program, and dies with its parent, so that a killed executor never
 * leaves somebody writing into the target.
 */
#include "bench/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The parent decides what a signal means; the child only obeys its stop mark. */
static void child_signals(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction sa = { .sa_handler = SIG_IGN };
	size_t i;

	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		sigaction(ignored[i], &sa, NULL);
	sa.sa_handler = SIG_DFL;
	sigaction(SIGCHLD, &sa, NULL);
}

pid_t process_start(int (*fn)(void *), void *arg, int *end_fd)
{
	pid_t parent = getpid(), pid;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		child_signals();
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		_exit(fn(arg));
	}
	error = errno;
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		errno = error;
		return -1;
	}
	*end_fd = ends[0];
	return pid;
}
