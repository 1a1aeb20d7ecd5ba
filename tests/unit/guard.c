/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guard - may these disks be written? Asked of recorded machines, which nobody can harm. */
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/units.h"
#include "build/build.h"
#include "case-root.h"
#include "disk/disk.h"
#include "layout/pick.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

/* A hard disk sda and a flash disk sdb, both blank, and a plan for them. */
struct bed {
	struct arena *a;
	json_t *json;
	const char *root;
	struct inventory *inv;
	struct recipe *r;
	struct stack *s;
	struct plan *p;
	struct pick *picks;
	size_t n;
};

static void bed_make(struct bed *b, const char *layout, const char *const *caches)
{
	static const char disks[] =
		"[{\"name\":\"sda\",\"size_bytes\":4000787030016,\"rotational\":true,"
		"\"serial\":\"A\","
		"\"transport\":\"sata\",\"logical_sector\":512},"
		"{\"name\":\"sdb\",\"size_bytes\":500107862016,\"rotational\":false,"
		"\"serial\":\"B\","
		"\"transport\":\"sata\",\"logical_sector\":512}]";
	const char *const words[] = { "sda", NULL };
	struct err e = { 0 };

	*b = (struct bed){ .a = arena_new(), .json = json_loads(disks, 0, NULL) };
	b->root = case_root(b->a, b->json);
	assert_int_equal(inventory_read(b->root, &b->inv, &e), 0);
	assert_int_equal(recipe_parse(layout, NULL, &b->r, &e), 0);
	assert_int_equal(picks_from_words(b->inv, words, caches, b->a, &b->picks, &b->n, &e), 0);
	assert_int_equal(stack_make(b->r, "nas1", b->picks, b->n, &b->s, &e), 0);
	assert_int_equal(plan_make(b->s, &b->p, &e), 0);
}

static void bed_end(struct bed *b)
{
	plan_free(b->p);
	stack_free(b->s);
	recipe_free(b->r);
	inventory_free(b->inv);
	case_root_remove(b->root);
	json_decref(b->json);
	arena_free(b->a);
}

static void refused(const struct bed *b, const char *says)
{
	struct err e = { 0 };

	assert_int_equal(guard_check(b->p, b->inv, NULL, &e), -1);
	assert_int_equal(e.kind, ERR_REFUSED);
	assert_string_equal(e.text, says);
}

static void allowed(const struct bed *b)
{
	struct err e = { 0 };

	if (guard_check(b->p, b->inv, NULL, &e))
		fail_msg("%s", e.text);
}

/*
 * A write cache needs 2.1 % of its size as memory (1 TiB asked for 21 GiB): 500 GB want 9.8 GiB,
 * and lvconvert would fail after the disks were wiped.
 */
static void a_write_cache_wants_memory(void **state)
{
	const char *const caches[] = { "sdb", NULL };
	struct bed b;
	struct err e = { 0 };

	(void)state;
	bed_make(&b, "lvm | writecache | xfs", caches);
	b.inv->ram_bytes = 16 * GIB;
	allowed(&b);
	assert_int_equal(stack_check_ram(b.s, picks_ram(b.inv, b.picks, b.n), &e), 0);
	b.inv->ram_bytes = 4 * GIB;
	assert_int_equal(stack_check_ram(b.s, picks_ram(b.inv, b.picks, b.n), &e), -1);
	assert_int_equal(stack_check_ram(b.s, 0, &e), 0);
	refused(&b, "writecache data takes 9.78 GiB of memory and this machine "
		"has 4.00 GiB; size=95G takes half of it, and lvmcache needs none");
	bed_end(&b);
}

static void add_line(const struct bed *b, const char *file, const char *line)
{
	FILE *f = fopen(arena_printf(b->a, "%s%s", b->root, file), "a");

	assert_non_null(f);
	fputs(line, f);
	assert_int_equal(fclose(f), 0);
}

/* What is mounted or listed where the disks are: a recorded machine has folders of its own. */
static void folders_are_of_the_machine(void **state)
{
	static const char *const folders[] = {
		"/etc", "/etc/systemd", "/etc/systemd/system", "/proc/self",
	};
	struct bed b;
	size_t i;

	(void)state;
	bed_make(&b, "xfs", NULL);
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		assert_int_equal(mkdir(arena_printf(b.a, "%s%s", b.root, folders[i]), 0755), 0);
	allowed(&b);
	add_line(&b, "/etc/systemd/system/srv-nas1.mount", "# by hand\n");
	refused(&b, "/etc/systemd/system/srv-nas1.mount is there already, and naslab did not make it for "
		"nas1; another name for the build takes another folder");
	add_line(&b, "/etc/fstab", "/dev/sdz1 /srv/nas1 ext4 defaults 0 2\n");
	refused(&b, "/etc/fstab has a line for /srv/nas1 already; another name for the build takes another "
		"folder");
	add_line(&b, "/proc/self/mountinfo", "99 1 8:65 / /srv/nas1 rw - ext4 /dev/sdz1 rw\n");
	refused(&b, "something is mounted at /srv/nas1 already; another name for the build takes another "
		"folder");
	bed_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_write_cache_wants_memory),
		cmocka_unit_test(folders_are_of_the_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
