/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copying trees that exist: content, modes, times, links, and what cannot be copied. */
#include "bench-help.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "bench/copy.h"

static void put_file(const char *dir, const char *name, size_t len, mode_t mode)
{
	const struct timespec times[2] = { { 1000000000, 5 }, { 1100000000, 123456789 } };
	char path[600], *data = malloc(len + 1);
	int fd;

	memset(data, name[0], len);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
	free(data);
}

/* The same by diff, and name, kind, mode, size, time and link target by find. */
static void assert_same_tree(const char *one, const char *two)
{
	char command[2000];

	snprintf(command, sizeof(command),
		 "diff -r --no-dereference %s %s && cd %s && "
		 "find . -printf '%%P %%y %%m %%s %%T@ %%l\\n' | grep -v ' d ' | sort >/tmp/nl-a.$$ && "
		 "cd %s && find . -printf '%%P %%y %%m %%s %%T@ %%l\\n' | grep -v ' d ' | sort "
		 ">/tmp/nl-b.$$ && cmp /tmp/nl-a.$$ /tmp/nl-b.$$; rc=$?; "
		 "rm -f /tmp/nl-a.$$ /tmp/nl-b.$$; exit $rc", one, two, one, two);
	assert_int_equal(system(command), 0);
}

static void trees_are_copied(void **state)
{
	static const unsigned threads[] = { 1, 3 };
	static const size_t sizes[] = { 0, 1, 4096, 100000, 1048576, 3000001 };
	/* what umask takes away, what it leaves, and bits that need a word of their own */
	static const mode_t modes[] = { 0666, 0640, 0444, 0604, 04755, 02770 };
	const char *dir = scratch();
	mode_t mask = umask(027);
	char from[100], sub[200], to[100], link[300];
	struct copied sum;
	struct err e = { 0 };
	struct stat st;
	size_t i, k;

	(void)state;
	snprintf(from, sizeof(from), "%s/from", dir);
	assert_int_equal(mkdir(from, 0755), 0);
	for (k = 0; k < 20; k++) {
		snprintf(sub, sizeof(sub), "%s/s%zu", from, k);
		assert_int_equal(mkdir(sub, 0755), 0);
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			char name[8] = { (char)('a' + i), '\0' };

			if (sizes[i] < 200000 || k == 3)
				put_file(sub, name, sizes[i], modes[i]);
		}
		snprintf(link, sizeof(link), "%s/link", sub);
		assert_int_equal(symlink("a", link), 0);
	}
	assert_int_equal(chmod(sub, 0700), 0);
	for (i = 0; i < 2; i++) {
		snprintf(to, sizeof(to), "%s/to%zu", dir, i);
		if (copy_path(from, to, threads[i], &sum, &e) < 0)
			fail_msg("%s", e.text);
		assert_int_equal(sum.files, 20 * 4 + 2);
		assert_int_equal(sum.bytes, 20 * (1 + 4096 + 100000) + 1048576 + 3000001);
		assert_same_tree(from, to);
		snprintf(link, sizeof(link), "%s/s19", to);
		assert_int_equal(stat(link, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0700);
		assert_int_equal(copy_path(from, to, 1, &sum, &e), -1);
		assert_non_null(strstr(e.text, "File exists"));
	}
	snprintf(sub, sizeof(sub), "%s/s0/pipe", from);
	assert_int_equal(mkfifo(sub, 0600), 0);
	snprintf(to, sizeof(to), "%s/to9", dir);
	assert_int_equal(copy_path(from, to, 2, &sum, &e), -1);
	assert_non_null(strstr(e.text, "what is no file"));
	umask(mask);
	wipe(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_are_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
