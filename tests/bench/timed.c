/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timed NAME COMMAND... - run it and print "NAME wall-ns cpu-ns": the processor time of the
 * command and of all processes it waited for, so that rsync's two halves both count.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t start, end, cpu;
	struct rusage ru;
	int status;
	pid_t pid;

	if (argc < 3)
		return 2;
	start = now();
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(null, 1);
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		perror("timed");
		return 1;
	}
	end = now();
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "timed: %s failed\n", argv[1]);
		return 1;
	}
	getrusage(RUSAGE_CHILDREN, &ru);
	cpu = (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000u +
	      (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000u;
	printf("%s %llu %llu\n", argv[1], (unsigned long long)(end - start),
	       (unsigned long long)cpu);
	return 0;
}
