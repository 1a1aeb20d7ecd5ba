/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job - running other programs, and the only fork of the engine.
 *
 * A storage tool that meets something unexpected likes to ask, and a tool that asks on
 * a closed screen hangs for hours. So nobody is there to answer, everything it says is
 * kept line by line, and it can be timed out or killed together with its children.
 */
#include "build/job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/sbuf.h"

#define FIXED_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

enum {
	TICK_MS = 100,		/* how often a running tool is looked after */
	GRACE_MS = 3000,	/* from SIGTERM to SIGKILL */
	LONG_LINE = 2048,	/* a line without end is cut here */
	DRAIN_MS = 500,		/* how long output is read after the tool has ended */
	ORDER_MAX = 1 << 20,
};

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/*
 * The environment of a tool. Without udevd libdevmapper would wait for events that
 * never come, so it is told to make its nodes itself.
 */
static char **tool_environment(void)
{
	static char locale[] = "LC_ALL=C", path[] = "PATH=" FIXED_PATH, home[] = "HOME=/root",
		    term[] = "TERM=dumb", lvm[] = "LVM_SUPPRESS_FD_WARNINGS=1",
		    dm[] = "DM_DISABLE_UDEV=1";
	static char *words[] = { locale, path, home, term, lvm, dm, NULL };

	words[5] = access("/run/udev/control", F_OK) ? dm : NULL;
	return words;
}

/* Find a program in the fixed PATH; false when it is nowhere. */
static bool program_path(const char *program, char *buf, size_t size)
{
	const char *dir = FIXED_PATH;

	if (strchr(program, '/')) {
		snprintf(buf, size, "%s", program);
		return access(buf, X_OK) == 0;
	}
	while (*dir) {
		size_t len = strcspn(dir, ":");
		struct stat sb;

		snprintf(buf, size, "%.*s/%s", (int)len, dir, program);
		if (access(buf, X_OK) == 0 && stat(buf, &sb) == 0 && S_ISREG(sb.st_mode))
			return true;
		dir += len + (dir[len] == ':');
	}
	return false;
}

bool job_has(const char *program)
{
	char path[512];

	return program_path(program, path, sizeof(path));
}

/* In the child: give every signal its default again and unblock all. */
static void signals_default(void)
{
	sigset_t none;
	int i;

	for (i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Text on a file descriptor to read from: a file without a name, so that a tool which
 * does not read it cannot block us. */
static int input_fd(const char *text)
{
	size_t len = strlen(text);
	FILE *f;
	int fd;

	f = tmpfile();
	if (!f)
		return -1;
	if (fwrite(text, 1, len, f) != len || fflush(f)) {
		fclose(f);
		return -1;
	}
	fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 3);
	fclose(f);
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

/* In the child: become the program, or report errno through `report`. */
static void __attribute__((noreturn))
become(const char *path, char *const *argv, char *const *env, int in, int out, int err, int report)
{
	int error;

	signals_default();
	umask(022);
	close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);	/* what we inherited ourselves, too */
	if (dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0)
		execve(path, argv, env);
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

/* Did the exec work? 0, or the errno the child reported. */
static int exec_error(int report)
{
	int error = 0;
	ssize_t got;

	do {
		got = read(report, &error, sizeof(error));
	} while (got < 0 && errno == EINTR);
	return got == sizeof(error) ? error : 0;
}

struct running {
	const struct job *job;
	struct job_end *end;
	pid_t pid;
	int out;
	struct sbuf line;
	char words[2][JOB_LAST / 2 - 1];	/* the last two lines that hold something */
};

static void line_ends(struct running *r)
{
	const char *text = sbuf_str(&r->line);

	if (text[strspn(text, " \t\r")]) {
		memcpy(r->words[0], r->words[1], sizeof(r->words[0]));
		snprintf(r->words[1], sizeof(r->words[1]), "%.*s", (int)sizeof(r->words[1]) - 1,
			 text + strspn(text, " \t"));
		if (r->job->line)
			r->job->line(r->job->arg, text);
	}
	sbuf_clear(&r->line);
}

/* Take what is there; false at its end. */
static bool read_output(struct running *r)
{
	char buf[4096];
	ssize_t got = read(r->out, buf, sizeof(buf));
	ssize_t i;

	if (got < 0)
		return errno == EAGAIN || errno == EINTR;
	for (i = 0; i < got; i++) {
		if (buf[i] == '\n' || buf[i] == '\r' || r->line.len >= LONG_LINE)
			line_ends(r);
		if (buf[i] == '\b')	/* mke2fs counts with backspaces */
			continue;
		if (buf[i] != '\n' && buf[i] != '\r')
			sbuf_addc(&r->line, buf[i] ? buf[i] : ' ');
	}
	return got > 0;
}

/* Wait for output for a moment; false when its end was reached. */
static bool wait_output(struct running *r, int ms)
{
	struct pollfd p = { .fd = r->out, .events = POLLIN };

	if (poll(&p, 1, ms) > 0)
		return read_output(r);
	return true;
}

static void keep_status(struct job_end *end, int status)
{
	if (WIFSIGNALED(status)) {
		end->signal = WTERMSIG(status);
		end->status = -1;
	} else {
		end->status = WEXITSTATUS(status);
	}
}

/* Look after the tool until it has ended, and after its output until that has. */
static void look_after(struct running *r)
{
	const struct job *j = r->job;
	uint64_t start = clock_ns(), told = 0, ended = 0;
	bool output = true;
	int status;

	for (;;) {
		uint64_t now;

		if (output)
			output = wait_output(r, ended ? 10 : TICK_MS);
		now = clock_ns();
		if (!ended && waitpid(r->pid, &status, output ? WNOHANG : 0) == r->pid) {
			keep_status(r->end, status);
			ended = now;
		}
		/* A daemon it left behind may hold the pipe open for ever. */
		if (ended && (!output || now - ended > DRAIN_MS * 1000000ull))
			break;
		if (ended)
			continue;
		if (!told && j->timeout_ms && now - start > j->timeout_ms * 1000000ull)
			r->end->timed_out = true;
		if (!told && j->cancelled && j->cancelled(j->arg))
			r->end->was_cancelled = true;
		if (!told && (r->end->timed_out || r->end->was_cancelled)) {
			kill(-r->pid, SIGTERM);
			told = now;
		}
		if (told && now - told > GRACE_MS * 1000000ull)
			kill(-r->pid, SIGKILL);
	}
	if (r->end->timed_out || r->end->was_cancelled)
		kill(-r->pid, SIGKILL);		/* its children, should some be left */
	line_ends(r);
	r->end->ns = clock_ns() - start;
}

/* Fork the tool. -1 with the sentence set. */
static int start(struct running *r, struct err *e)
{
	const struct job *j = r->job;
	int in = -1, out[2] = { -1, -1 }, report[2] = { -1, -1 }, rc = -1;
	char path[512];

	if (!program_path(j->argv[0], path, sizeof(path))) {
		r->end->error = ENOENT;
		return err_set(e, ERR_FAIL, "%s: there is no such program here", j->argv[0]);
	}
	in = j->input ? input_fd(j->input) : open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (in < 0 || pipe2(out, O_CLOEXEC) || pipe2(report, O_CLOEXEC)) {
		err_sys(e, "%s: cannot be started", j->argv[0]);
		goto out;
	}
	fflush(NULL);
	r->pid = fork();
	if (r->pid < 0) {
		err_sys(e, "%s: cannot be started", j->argv[0]);
		goto out;
	}
	if (r->pid == 0) {
		setpgid(0, 0);
		/* Nobody must write on while recover takes back what we had begun. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		become(path, j->argv, tool_environment(), in, out[1], out[1], report[1]);
	}
	setpgid(r->pid, r->pid);
	close(report[1]);
	report[1] = -1;
	r->end->error = exec_error(report[0]);
	if (r->end->error) {
		waitpid(r->pid, NULL, 0);
		errno = r->end->error;
		err_sys(e, "%s: cannot be started", j->argv[0]);
		goto out;
	}
	r->end->started = true;
	r->out = out[0];
	fcntl(r->out, F_SETFL, O_NONBLOCK);
	out[0] = -1;
	rc = 0;
out:
	if (in >= 0)
		close(in);
	if (out[0] >= 0)
		close(out[0]);
	if (out[1] >= 0)
		close(out[1]);
	if (report[0] >= 0)
		close(report[0]);
	if (report[1] >= 0)
		close(report[1]);
	return rc;
}

/* The sentence of a tool that did not end well. */
static int sentence(const struct job *j, const struct job_end *end, struct err *e)
{
	struct sbuf said = { 0 };
	const char *tool = strrchr(j->argv[0], '/') ? strrchr(j->argv[0], '/') + 1 : j->argv[0];

	if (end->last[0]) {
		sbuf_add(&said, ": ");
		sbuf_add_safe(&said, end->last);
	}
	if (end->timed_out)
		err_set(e, ERR_FAIL, "%s did not end within %u s and was stopped%.320s", tool,
			j->timeout_ms / 1000, sbuf_str(&said));
	else if (end->was_cancelled)
		err_set(e, ERR_FAIL, "%s was stopped", tool);
	else if (end->signal)
		err_set(e, ERR_FAIL, "%s was ended by signal %d (%s)%.320s", tool, end->signal,
			strsignal(end->signal), sbuf_str(&said));
	else
		err_set(e, ERR_FAIL, "%s ended with status %d%.320s", tool, end->status,
			sbuf_str(&said));
	sbuf_done(&said);
	return -1;
}

int job_run(const struct job *j, struct job_end *end, struct err *e)
{
	struct running r = { .job = j, .end = end, .out = -1 };

	*end = (struct job_end){ 0 };
	if (start(&r, e))
		return -1;
	look_after(&r);
	close(r.out);
	sbuf_done(&r.line);
	snprintf(end->last, sizeof(end->last), "%s%s%s", r.words[0], r.words[0][0] ? "; " : "",
		 r.words[1]);
	if (!end->timed_out && !end->was_cancelled && !end->signal && end->status == 0)
		return 0;
	return sentence(j, end, e);
}

int job_start(char *const *argv, bool session, const char *input, int64_t *pid, int *control,
	      int *out, struct err *e)
{
	int in[2], from[2], report[2], error;
	size_t len = strlen(input), put = 0;
	char path[512];
	pid_t child;

	if (!program_path(argv[0], path, sizeof(path)))
		return err_set(e, ERR_FAIL, "%s: there is no such program here", argv[0]);
	if (len > ORDER_MAX)
		return err_set(e, ERR_FAIL, "%s: an input of %zu bytes is too long", argv[0], len);
	if (pipe2(in, O_CLOEXEC) || pipe2(from, O_CLOEXEC) || pipe2(report, O_CLOEXEC))
		return err_sys(e, "%s: cannot be started", argv[0]);
	/* The whole input has to fit: nobody reads it before a password was given. */
	fcntl(in[1], F_SETPIPE_SZ, ORDER_MAX);
	fcntl(in[1], F_SETFL, O_NONBLOCK);
	while (put < len) {
		ssize_t n = write(in[1], input + put, len - put);

		if (n < 0)
			break;
		put += (size_t)n;
	}
	fflush(NULL);
	child = put == len ? fork() : -1;
	if (child == 0) {
		if (session)
			setsid();
		become(path, argv, environ, in[0], from[1], session ? from[1] : 2, report[1]);
	}
	if (child < 0)
		err_sys(e, "%s: cannot be started", argv[0]);
	close(in[0]);
	close(from[1]);
	close(report[1]);
	error = child > 0 ? exec_error(report[0]) : 0;
	close(report[0]);
	if (error) {
		waitpid(child, NULL, 0);
		errno = error;
		err_sys(e, "%s: cannot be started", argv[0]);
	}
	if (child < 0 || error) {
		close(in[1]);
		close(from[0]);
		return -1;
	}
	fcntl(from[0], F_SETFL, O_NONBLOCK);
	*pid = child;
	*control = in[1];
	*out = from[0];
	return 0;
}

int job_child(int (*body)(void *arg, int fd), void *arg, int64_t *pid, int *sock, struct err *e)
{
	pid_t parent = getpid(), child;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return err_sys(e, "cannot start a child");
	fflush(NULL);
	child = fork();
	if (child == 0) {
		signals_default();
		close(pair[0]);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(1);
		_exit(body(arg, pair[1]));
	}
	close(pair[1]);
	if (child < 0) {
		close(pair[0]);
		return err_sys(e, "cannot start a child");
	}
	*pid = child;
	*sock = pair[0];
	return 0;
}

int job_reap(int64_t pid, bool block, int *status)
{
	pid_t got;

	do {
		got = waitpid((pid_t)pid, status, block ? 0 : WNOHANG);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		*status = 0;
	return got != 0;
}
