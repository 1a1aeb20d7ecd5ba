/* SPDX-License-Identifier: GPL-2.0-or-later */
/* However a measurement ends before its time, nothing of it is left behind. */
#include "bench-hear.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "bench/remove.h"
#include "bench/workdir.h"

static void a_signal_leaves_nothing(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct arena *a = arena_new();
	struct bench_order o;
	struct err e;
	struct heard h;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		const char *dir = scratch();

		hear_start(&h);
		signal(signals[i], SIG_DFL);	/* not as whoever started the test has it */
		h.signal = signals[i];
		order_for(a, &o, dir, "small-photo", 0.01);
		e = (struct err){ 0 };
		assert_int_equal(bench_run(&o, hear, &h, &e), -1);
		assert_string_equal(e.text, "stopped");
		assert_int_equal(h.run, 1);
		assert_int_equal(h.result, 1);
		assert_true(has_flag(json_array_get(h.results, 0), "partial"));
		assert_int_equal(entries(dir), 0);
		hear_done(&h);
		wipe(dir);
	}
	arena_free(a);
}

static bool hang_up(void *arg)
{
	(void)arg;
	raise(SIGHUP);
	return false;
}

/* Started by nohup, it goes on when the terminal goes. */
static void nohup_is_heeded(void **state)
{
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct bench_order o;
	struct err e = { 0 };
	struct heard h;

	(void)state;
	hear_start(&h);
	order_for(a, &o, dir, "small-photo", 0.01);
	o.stopped = hang_up;
	signal(SIGHUP, SIG_IGN);
	if (bench_run(&o, hear, &h, &e))
		fail_msg("%s", e.text);
	assert_ptr_equal(signal(SIGHUP, SIG_DFL), SIG_IGN);
	assert_int_equal(h.run, 4);
	hear_done(&h);
	wipe(dir);
	arena_free(a);
}

static bool after_one_run(void *arg)
{
	struct heard *h = arg;

	return h->run > 0;
}

/* The executor hears "stop" and is asked for it. */
static void asked_to_stop_it_leaves_nothing(void **state)
{
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct bench_order o;
	struct err e = { 0 };
	struct heard h;

	(void)state;
	hear_start(&h);
	order_for(a, &o, dir, "500M", 0.01);
	o.stopped = after_one_run;
	o.stopped_arg = &h;
	assert_int_equal(bench_run(&o, hear, &h, &e), -1);
	assert_string_equal(e.text, "stopped");
	assert_int_equal(h.run, 1);
	assert_int_equal(entries(dir), 0);
	hear_done(&h);
	wipe(dir);
	arena_free(a);
}

/* A killed process leaves its directory; the next start removes it, and only it. */
static void a_kill_is_cleaned_by_the_next(void **state)
{
	struct arena *a = arena_new();
	const char *dir = scratch();
	struct bench_order o;
	struct err e = { 0 };
	struct heard h;
	char other[100];
	int status;
	pid_t pid;

	(void)state;
	hear_start(&h);
	order_for(a, &o, dir, "small-photo", 0.01);
	pid = fork();
	if (pid == 0) {
		h.signal = SIGKILL;
		bench_run(&o, hear, &h, &e);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(entries(dir), 1);
	snprintf(other, sizeof(other), "%s/.naslab-bench-abcdef", dir);
	assert_int_equal(mkdir(other, 0755), 0);
	snprintf(other, sizeof(other), "%s/.naslab-bench-abcdef/mine", dir);
	assert_int_equal(mkdir(other, 0755), 0);
	if (bench_run(&o, hear, &h, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(entries(dir), 1);
	assert_int_equal(access(other, F_OK), 0);
	hear_done(&h);
	wipe(dir);
	arena_free(a);
}

/* A run that was killed is cleaned also while nobody has fetched its exit status. */
static void a_zombie_owns_nothing(void **state)
{
	static const char *const boot = "/proc/sys/kernel/random/boot_id";
	const char *path = scratch();
	char text[1200], id[64] = "", *at;
	static const char block[65536] = "x";
	unsigned long long begin = 0;
	struct left left;
	pid_t pid = fork();
	siginfo_t info;
	int dir, fd, i;

	(void)state;
	if (pid == 0)
		_exit(0);
	assert_true(pid > 0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	snprintf(text, sizeof(text), "/proc/%d/stat", (int)pid);
	fd = open(text, O_RDONLY);
	i = (int)read(fd, text, sizeof(text) - 1);
	assert_true(i > 0);
	text[i] = '\0';
	close(fd);
	at = strrchr(text, ')');
	assert_non_null(at);
	assert_int_equal(at[2], 'Z');
	for (i = 0; i < 20; i++)	/* the 22nd field; the name is the second */
		at = strchr(at + 1, ' ');
	begin = strtoull(at, NULL, 10);
	fd = open(boot, O_RDONLY);
	assert_true(read(fd, id, 36) == 36);
	close(fd);
	dir = open(path, O_RDONLY | O_DIRECTORY);
	assert_int_equal(mkdirat(dir, ".naslab-bench-abcdef", 0755), 0);
	fd = openat(dir, ".naslab-bench-abcdef/manifest", O_WRONLY | O_CREAT, 0644);
	dprintf(fd, "{\"naslab\":\"bench\",\"pid\":%d,\"begin\":%llu,\"boot\":\"%s\"}", (int)pid,
		begin, id);
	close(fd);
	fd = openat(dir, ".naslab-bench-abcdef/f", O_WRONLY | O_CREAT, 0644);
	assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	assert_int_equal(fsync(fd), 0);
	close(fd);
	workdir_left(dir, &left);
	assert_int_equal(left.files, 3);	/* the directory, the manifest, the file */
	assert_in_range(left.bytes, sizeof(block), 4 * sizeof(block));
	assert_int_equal(workdir_clean(dir, NULL, NULL), 1);
	workdir_left(dir, &left);
	assert_int_equal(left.files, 0);
	assert_int_equal(waitpid(pid, &i, 0), pid);
	close(dir);
	assert_int_equal(rmdir(path), 0);
}

struct gone {
	unsigned told;
	uint64_t first;
};

static void hear_gone(void *arg, uint64_t removed)
{
	struct gone *g = arg;

	g->first = g->told++ ? g->first : removed;
}

/* Who waits for a long removal is told how far it is, as soon as the time for it has come. */
static void removals_are_told(void **state)
{
	struct gone gone = { 0 };
	struct removal r = { .tell = hear_gone, .arg = &gone, .next_ns = 1 };
	const char *path = scratch();
	int dir = open(path, O_RDONLY | O_DIRECTORY);
	struct stat st;

	(void)state;
	assert_int_equal(fstat(dir, &st), 0);
	r.dev = st.st_dev;
	assert_int_equal(mkdirat(dir, "set", 0755), 0);
	assert_int_equal(mkdirat(dir, "set/d", 0755), 0);
	close(openat(dir, "set/d/f", O_WRONLY | O_CREAT, 0644));
	close(openat(dir, "set/d/g", O_WRONLY | O_CREAT, 0644));
	assert_int_equal(remove_dir(&r, dir, "set"), 0);
	assert_int_equal(r.removed, 3);		/* f, g, d */
	assert_int_equal(gone.first, 1);
	close(dir);
	assert_int_equal(rmdir(path), 0);
}

/* A tmpfs of this size, or a skipped test for who may not mount. */
static const char *small_tmpfs(const char *options)
{
	const char *dir = scratch();

	if (mount("naslab-test", dir, "tmpfs", 0, options) < 0) {
		rmdir(dir);
		skip();
	}
	return dir;
}

struct eater {
	struct heard h;
	char path[100];
};

/* Fill what is free once the measurement began: as another program would. */
static void hear_and_eat(void *arg, const json_t *event)
{
	struct eater *eater = arg;
	static char block[65536];
	int fd;

	hear(&eater->h, event);
	if (strcmp(json_str(event, "event"), "begin"))
		return;
	fd = open(eater->path, O_WRONLY | O_CREAT, 0600);
	memset(block, 1, sizeof(block));
	while (write(fd, block, sizeof(block)) > 0)
		;
	assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_CUR) / 2), 0);
	close(fd);
}

static void a_full_target_leaves_nothing(void **state)
{
	struct arena *a = arena_new();
	const char *dir = small_tmpfs("size=40m");
	struct eater eater;
	struct bench_order o;
	struct bench_forecast f;
	struct err e = { 0 };

	(void)state;
	hear_start(&eater.h);
	order_for(a, &o, dir, "500M", 0.1);
	assert_int_equal(bench_forecast(&o, &f, &e), -1);
	assert_int_equal(e.kind, ERR_REFUSED);
	assert_non_null(strstr(e.text, "is free"));
	assert_int_equal(bench_run(&o, hear, &eater.h, &e), -1);
	assert_int_equal(entries(dir), 0);

	order_for(a, &o, dir, "500M", 0.05);
	snprintf(eater.path, sizeof(eater.path), "%s/other", dir);
	e = (struct err){ 0 };
	assert_int_equal(bench_run(&o, hear_and_eat, &eater, &e), -1);
	if (!strstr(e.text, "the file system is full after"))
		fail_msg("%s", e.text);
	assert_int_equal(entries(dir), 1);
	hear_done(&eater.h);
	assert_int_equal(umount(dir), 0);
	rmdir(dir);
	arena_free(a);
}

static void an_unmounted_target_is_noticed(void **state)
{
	struct arena *a = arena_new();
	const char *dir = small_tmpfs("size=40m");
	struct bench_order o;
	struct err e = { 0 };
	struct heard h;

	(void)state;
	hear_start(&h);
	h.unmount = dir;
	order_for(a, &o, dir, "small-photo", 0.01);
	assert_int_equal(bench_run(&o, hear, &h, &e), -1);
	if (!strstr(e.text, "was unmounted while it was measured"))
		fail_msg("%s", e.text);
	assert_int_equal(entries(dir), 0);
	hear_done(&h);
	rmdir(dir);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_leaves_nothing),
		cmocka_unit_test(nohup_is_heeded),
		cmocka_unit_test(asked_to_stop_it_leaves_nothing),
		cmocka_unit_test(a_kill_is_cleaned_by_the_next),
		cmocka_unit_test(a_zombie_owns_nothing),
		cmocka_unit_test(removals_are_told),
		cmocka_unit_test(a_full_target_leaves_nothing),
		cmocka_unit_test(an_unmounted_target_is_noticed),
	};

	use_shipped_workloads();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
