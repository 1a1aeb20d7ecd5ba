/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox - a real kernel in user mode, from the words of the caller to the exit status.
 *
 * Three processes: this one carries bytes and signals, the keeper (launch.c) owns the
 * kernel and cleans up, the kernel runs naslab-init (init.c) which runs the command.
 */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "disk/disk.h"
#include "sandbox/launch.h"

enum {
	MOST_DISKS = 15,
	LONGEST_END_MS = 300 * 1000,	/* file systems write back what they hold */
	FORGOTTEN_END_MS = 30 * 1000,	/* the same, when nobody will see what is written */
	BREAK_MS = 3000,		/* a kernel that died takes so long at most */
};

static const uint64_t least_memory = 128 * MIB;
static const uint64_t usual_memory = GIB;

bool sandbox_inside(void)
{
	return access("/run/naslab/sandbox", F_OK) == 0;
}

static const char *find_kernel(void)
{
	static const char *const places[] = { "/usr/bin/linux.uml", "/usr/local/bin/linux.uml" };
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (access(places[i], X_OK) == 0)
			return places[i];
	}
	return NULL;
}

int sandbox_available(struct err *e)
{
	if (sandbox_inside())
		return err_set(e, ERR_FAIL, "sandbox: this is the inside of a sandbox; "
			       "there is none in it");
	if (!find_kernel())
		return err_set(e, ERR_FAIL, "sandbox: it needs the package user-mode-linux, "
			       "which is not installed: apt install user-mode-linux");
	return 0;
}

/* As root, act for who called sudo, else for nobody: the kernel is never run as root. */
static int choose_user(struct job *j, struct err *e)
{
	const char *sudo = getenv("SUDO_UID");
	const struct passwd *pw;
	unsigned long uid = 0;

	j->uid = getuid();
	j->gid = getgid();
	j->drop = geteuid() == 0;
	if (j->drop) {
		if (sudo && *sudo && sudo[strspn(sudo, "0123456789")] == 0)
			uid = strtoul(sudo, NULL, 10);
		pw = uid ? getpwuid((uid_t)uid) : getpwnam("nobody");
		if (!pw || pw->pw_uid == 0)
			return err_set(e, ERR_FAIL, "sandbox: there is no user %s to run it as",
				       uid ? sudo : "nobody");
		j->uid = pw->pw_uid;
		j->gid = pw->pw_gid;
	}
	pw = getpwuid(j->uid);
	j->user = pw ? arena_strdup(j->arena, pw->pw_name)
		     : arena_printf(j->arena, "%u", (unsigned)j->uid);
	return 0;
}

/* The --keep folder: there, ours, and used by no other sandbox. */
static int open_keep(struct job *j, struct err *e)
{
	char *path;

	if (!j->s->keep)
		return 0;
	if (mkdir(j->s->keep, 0755) == 0) {
		if (j->drop && chown(j->s->keep, j->uid, j->gid) < 0)
			return err_sys(e, "sandbox: --keep %s", j->s->keep);
	} else if (errno != EEXIST) {
		return err_sys(e, "sandbox: --keep %s", j->s->keep);
	}
	path = realpath(j->s->keep, NULL);
	if (!path)
		return err_sys(e, "sandbox: --keep %s", j->s->keep);
	j->keep = arena_strdup(j->arena, path);
	free(path);
	j->lock = open(j->keep, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (j->lock < 0)
		return err_sys(e, "sandbox: --keep %s", j->keep);
	/* held by us and by the keeper, and so until both are gone */
	if (flock(j->lock, LOCK_EX | LOCK_NB) < 0)
		return err_set(e, ERR_FAIL, "sandbox: --keep %s is in use by another sandbox",
			       j->keep);
	return 0;
}

static int check(const struct sandbox *s, struct err *e)
{
	char text[SIZE_TEXT];
	size_t i;

	if (sandbox_available(e) < 0)
		return -1;
	if (s->disks->n_disks > MOST_DISKS)
		return err_set(e, ERR_USAGE, "sandbox: it can have %d disks, %zu were asked for",
			       MOST_DISKS, s->disks->n_disks);
	for (i = 0; i < s->disks->n_disks; i++) {
		const struct disk *d = &s->disks->disks[i];

		if (d->lsec != 512)
			return err_set(e, ERR_USAGE, "sandbox: disk %s has sectors of %u bytes; "
				       "the sandbox's disks have 512", d->name, d->lsec);
	}
	if (s->memory && s->memory < least_memory)
		return err_set(e, ERR_USAGE, "sandbox: %s of memory is too little, it needs "
			       "128 MiB", size_text(text, s->memory, SIZE_IEC));
	return 0;
}

static void look_at_terminal(struct job *j)
{
	struct winsize w;

	j->error_pipe = !isatty(2);
	if (j->s->tty && ioctl(0, TIOCGWINSZ, &w) == 0) {
		j->rows = w.ws_row;
		j->cols = w.ws_col;
	}
}

/* What the kernel said last, as one sentence's end. */
static void add_log(struct sbuf *b, const char *said)
{
	const char *line = said + strlen(said);
	int lines = 0;

	while (line > said && (line[-1] != '\n' || lines < 3)) {
		line--;
		lines += *line == '\n';
	}
	sbuf_add_safe(b, line);
}

static int judge(const struct ending *end, int relayed, int by_signal, int *status, struct err *e)
{
	struct sbuf log = { 0 };

	if (end->rc >= 0 || relayed >= 0) {
		*status = end->rc >= 0 ? end->rc : relayed;
		return 0;
	}
	if (end->err.kind) {
		*e = end->err;
		return -1;
	}
	if (by_signal) {
		*status = 128 + by_signal;
		return 0;
	}
	add_log(&log, end->said);
	if (WIFSIGNALED(end->wait_status))
		err_set(e, ERR_FAIL, "sandbox: its kernel was ended by signal %d%s%s",
			WTERMSIG(end->wait_status), log.len ? "; its last words: " : "",
			sbuf_str(&log));
	else
		err_set(e, ERR_FAIL, "sandbox: its kernel ended with status %d before the "
			"command did%s%s", WEXITSTATUS(end->wait_status),
			log.len ? "; its last words: " : "", sbuf_str(&log));
	sbuf_done(&log);
	return -1;
}

/* Those that end us and that our parent did not tell us to ignore (nohup), and SIGWINCH. */
static void watched_signals(sigset_t *set)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction was;
	size_t i;

	sigemptyset(set);
	sigaddset(set, SIGWINCH);
	for (i = 0; i < sizeof(ending) / sizeof(*ending); i++) {
		if (sigaction(ending[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
			sigaddset(set, ending[i]);
	}
}

static int run_job(struct job *j, int *status, struct err *e)
{
	sigset_t set, old;
	void (*old_pipe)(int);
	int relayed, by_signal, rc;

	watched_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &old);
	old_pipe = signal(SIGPIPE, SIG_IGN);
	j->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	rc = job_launch(j, e);
	if (rc == 0) {
		relayed = job_relay(j, &by_signal);
		if (relayed >= 0)
			job_end(j, j->keep ? LONGEST_END_MS : FORGOTTEN_END_MS);
		else
			job_end(j, by_signal ? 0 : BREAK_MS);
		rc = judge(&j->end, relayed, by_signal, status, e);
	}
	close(j->signals);
	signal(SIGPIPE, old_pipe);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return rc;
}

int sandbox_run(const struct sandbox *s, int *status, struct err *e)
{
	struct job j = { .s = s, .arena = arena_new(), .memory = s->memory, .lock = -1 };
	char *cwd = getcwd(NULL, 0);
	int rc = -1;

	if (!j.memory)
		j.memory = usual_memory;
	j.cwd = arena_strdup(j.arena, cwd);
	free(cwd);
	j.uml = find_kernel();
	if (check(s, e) == 0 && choose_user(&j, e) == 0 && open_keep(&j, e) == 0 &&
	    job_items(&j, e) == 0) {
		look_at_terminal(&j);
		rc = run_job(&j, status, e);
	}
	while (j.items.n)
		close(((struct item *)j.items.at[--j.items.n])->fd);
	if (j.lock >= 0)
		close(j.lock);
	arena_free(j.arena);
	return rc;
}
