/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch - starts the kernel, and the keeper that outlives the launcher.
 *
 * The kernel of user mode is one process and several helpers of it in one process group;
 * the helpers survive a kill of the first and hold the locks of the disk images. So the
 * kernel is started by a keeper: a process of its own session that holds the reading end
 * of a pipe from the launcher. When that pipe closes, for whatever reason, the keeper kills
 * the group, waits until the last process is gone and removes the job folder. Should the
 * keeper be killed, the launcher does its work; should both be, the warden does, who only
 * waits for that.
 */
#include "sandbox/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/argv.h"
#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "disk/disk.h"
#include "sandbox/sandbox.h"

enum {
	FD_FROM_US = 3,
	FD_TO_US = 4,
};

/* Letters, digits and a few signs pass through the kernel's command line. */
static bool is_plain(const char *s)
{
	return *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
		== strlen(s);
}

static void kernel_argv(const struct job *j, struct argv *v)
{
	struct arena *a = j->arena;
	char name[8];
	size_t i;

	argv_add(a, v, j->uml);
	argv_addf(a, v, "mem=%lluM", (unsigned long long)(j->memory >> 20));
	argv_addf(a, v, "uml_dir=%s/uml", j->dir);
	argv_addl(a, v, "umid=vm", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro",
		  "quiet", "con=null", "con0=null,fd:1", NULL);
	argv_addf(a, v, "con1=fd:%d,fd:%d", FD_FROM_US, FD_TO_US);
	argv_addf(a, v, "init=%s/bin/naslab-init", j->dir);
	argv_addf(a, v, "NASLAB_JOB=%s", j->dir);
	for (i = 0; i < j->s->disks->n_disks; i++) {
		const struct disk *d = &j->s->disks->disks[i];
		bool serial = d->serial && is_plain(d->serial);

		/* t: no trim; it goes 4 MiB at a time, minutes for a disk of true size */
		argv_addf(a, v, "%st=%s/%s.img%s%s", job_disk_name(name, (unsigned)i), j->disks,
			  name, serial ? ",," : "", serial ? d->serial : "");
	}
}

static int become_user(const struct job *j, struct err *e)
{
	if (j->drop && (setgroups(0, NULL) < 0 || setresgid(j->gid, j->gid, j->gid) < 0 ||
			setresuid(j->uid, j->uid, j->uid) < 0))
		return err_sys(e, "sandbox: becoming user %s", j->user);
	return 0;
}

/* What naslab-seek.so reads: image, ns, bytes; a line a disk. */
static const char *seek_variable(const struct job *j)
{
	const char *text = "NASLAB_SEEK=";
	char name[8];
	size_t i;

	for (i = 0; i < j->s->disks->n_disks; i++) {
		const struct disk *d = &j->s->disks->disks[i];

		if (d->seek_ns)
			text = arena_printf(j->arena, "%s%s.img %llu %llu\n", text,
					    job_disk_name(name, (unsigned)i),
					    (unsigned long long)d->seek_ns,
					    (unsigned long long)d->bytes);
	}
	return text;
}

static void exec_kernel(const struct job *j, int in, int out)
{
	struct argv v = { 0 };
	struct argv env = { 0 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int high_in, high_out;
	sigset_t none;
	int i;

	kernel_argv(j, &v);
	argv_add(j->arena, &env, "PATH=/usr/sbin:/usr/bin:/sbin:/bin");
	argv_addf(j->arena, &env, "HOME=%s", j->dir);
	argv_addf(j->arena, &env, "TMPDIR=%s", j->mem);
	if (job_seeks(j)) {
		argv_addf(j->arena, &env, "LD_PRELOAD=%s/bin/naslab-seek.so", j->dir);
		argv_add(j->arena, &env, seek_variable(j));
	}
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	high_in = fcntl(in, F_DUPFD_CLOEXEC, 16);
	high_out = fcntl(out, F_DUPFD_CLOEXEC, 16);
	dup2(null, 0);
	dup2(j->log, 1);
	dup2(j->log, 2);
	dup2(high_in, FD_FROM_US);
	dup2(high_out, FD_TO_US);
	close_range(FD_TO_US + 1, ~0u, CLOSE_RANGE_CLOEXEC);
	for (i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(j->uml, v.at, env.at);
	dprintf(2, "%s: %s\n", j->uml, strerror(errno));
	_exit(127);
}

static int read_rc(const struct job *j)
{
	struct sbuf path = { 0 }, text = { 0 };
	int rc = -1;

	sbuf_addf(&path, "%s/rc", j->dir);
	if (file_read(path.text, 64, &text) == 0 && text.len && text.text[text.len - 1] == '\n')
		rc = atoi(text.text);
	sbuf_done(&path);
	sbuf_done(&text);
	return rc;
}

static void read_log(const struct job *j, struct ending *end)
{
	off_t size = lseek(j->log, 0, SEEK_END);
	off_t at = size > (off_t)sizeof(end->said) - 1 ? size - (off_t)sizeof(end->said) + 1 : 0;
	ssize_t n = pread(j->log, end->said, sizeof(end->said) - 1, at);

	end->said[n > 0 ? n : 0] = 0;
}

/* Wait for the kernel's end or the launcher's, then for the last of its helpers. */
static void wait_kernel(pid_t kernel, int life, int warden, struct ending *end)
{
	struct signalfd_siginfo info;
	struct pollfd p[2];
	sigset_t set;
	pid_t pid;
	int status;
	bool gone = false;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	p[0] = (struct pollfd){ .fd = life, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
				.events = POLLIN };
	while (!gone && poll(p, 2, -1) >= 0) {
		if (p[0].revents)
			break;
		while (read(p[1].fd, &info, sizeof(info)) > 0)
			;
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
			if (pid == kernel) {
				gone = true;
				end->wait_status = status;
			}
		}
	}
	kill(-kernel, SIGKILL);
	if (warden >= 0 && write(warden, "", 1) == 1)
		close(warden);		/* it is one of those waited for */
	while ((pid = waitpid(-1, &status, 0)) > 0 || errno == EINTR) {
		if (pid == kernel)
			end->wait_status = status;
	}
}

static void tell(int result, const void *what, size_t len)
{
	if (write(result, what, len) < 0)
		_exit(1);
}

static void end_group(pid_t kernel)
{
	const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
	unsigned tries;

	kill(-kernel, SIGKILL);
	for (tries = 0; tries < 500 && kill(-kernel, 0) == 0; tries++)
		nanosleep(&pause, NULL);
}

/* What the keeper's pipe says: one byte, all is well; its end, the keeper was killed. The
 * launcher may be cleaning up at the same time: both ways lead to nothing left. */
static void ward(struct job *j, pid_t kernel, int from_keeper)
{
	char byte;
	ssize_t n;

	setsid();
	do
		n = read(from_keeper, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n == 0) {
		end_group(kernel);
		job_remove(j);
	}
	_exit(0);
}

/* Returns what to write to when the kernel has ended; -1 when there is no warden. */
static int start_warden(struct job *j, pid_t kernel, int life, int result)
{
	int pipe[2];
	pid_t pid;

	if (pipe2(pipe, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		close(pipe[1]);
		close(life);
		close(result);
		ward(j, kernel, pipe[0]);
	}
	close(pipe[0]);
	return pipe[1];
}

static void keep(struct job *j, int life, int result, int in, int out)
{
	struct beginning begin = { .kernel = -1 };
	struct ending end = { .rc = -1 };
	sigset_t all;
	pid_t kernel;
	int warden;

	setsid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (become_user(j, &end.err) == 0 && job_prepare(j, &end.err) == 0) {
		kernel = fork();
		if (kernel == 0)
			exec_kernel(j, in, out);
		close(in);
		close(out);
		close(0);
		close(1);
		close(2);
		if (kernel > 0) {
			setpgid(kernel, kernel);
			warden = start_warden(j, kernel, life, result);
			begin.kernel = kernel;
			snprintf(begin.dir, sizeof(begin.dir), "%s", j->dir);
			tell(result, &begin, sizeof(begin));
			wait_kernel(kernel, life, warden, &end);
			end.rc = read_rc(j);
			read_log(j, &end);
		} else {
			err_sys(&end.err, "sandbox: a process");
		}
	}
	job_remove(j);
	if (begin.kernel < 0)
		tell(result, &begin, sizeof(begin));
	tell(result, &end, sizeof(end));
	_exit(0);
}

int job_launch(struct job *j, struct err *e)
{
	int to[2], from[2], life[2], result[2];

	if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0 ||
	    pipe2(life, O_CLOEXEC) < 0 || pipe2(result, O_CLOEXEC) < 0)
		return err_sys(e, "sandbox: a pipe");
	j->keeper = fork();
	if (j->keeper < 0)
		return err_sys(e, "sandbox: a process");
	if (j->keeper == 0) {
		close(to[1]);
		close(from[0]);
		close(life[1]);
		close(result[0]);
		keep(j, life[0], result[1], to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	close(life[0]);
	close(result[1]);
	j->to = to[1];
	j->from = from[0];
	j->life = life[1];
	j->result = result[0];
	fcntl(j->to, F_SETFL, O_NONBLOCK);
	return 0;
}

/* The keeper itself was killed: do its work. */
static void mend(struct job *j)
{
	if (j->begin.kernel <= 0)
		return;
	kill(-j->begin.kernel, SIGKILL);
	j->dir = arena_strdup(j->arena, j->begin.dir);
	job_remove(j);
}

void job_hear(struct job *j)
{
	bool first = j->heard == 0;
	size_t len = first ? sizeof(j->begin) : sizeof(j->end);
	ssize_t n;

	while ((n = read(j->result, first ? (void *)&j->begin : (void *)&j->end, len)) < 0 &&
	       errno == EINTR)
		;
	if (n == (ssize_t)len) {
		j->heard++;
		return;
	}
	j->end = (struct ending){ .rc = -1 };
	err_set(&j->end.err, ERR_FAIL, "sandbox: its keeper was killed");
	j->heard = 2;
	mend(j);
}

/* The kernel has so long to end; a signal ends the waiting. */
void job_end(struct job *j, int patience_ms)
{
	struct pollfd p[2] = {
		{ .fd = j->result, .events = POLLIN },
		{ .fd = j->signals, .events = POLLIN },
	};

	if (j->heard == 0)
		job_hear(j);
	if (j->heard == 1)
		poll(p, 2, patience_ms);
	close(j->to);
	close(j->from);
	close(j->life);
	if (j->heard == 1)
		job_hear(j);
	close(j->result);
	while (waitpid(j->keeper, NULL, 0) < 0 && errno == EINTR)
		;
}
