/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real cases: what went wrong for people who did this job with other tools. tests/data/cases
 * holds their disks and what a correct tool says; the table here gives each its recipe and
 * maps the case's tag to our words. Every case is read as a recorded machine (case-root.c).
 *
 * "usable_bytes" is gross arithmetic: we may be lower by at most accept_below_bytes (or
 * 1 % where a case names none) and never higher. "usable_bytes_net_n1", "usable_bytes_alt"
 * and "exact" say what else counts. Names in offered, hidden and refused are always checked.
 */
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/err.h"
#include "base/json.h"
#include "build/build.h"
#include "case-root.h"
#include "disk/disk.h"
#include "layers/dm-integrity.h"
#include "layers/lvm.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

enum check {
	GROSS, NET, EXACT, ALT,	/* the plan has this capacity */
	PLANNED,		/* the case names no capacity */
	REFUSED,		/* the recipe is refused on these disks */
	HELD,			/* the disks are refused, also when named to be wiped */
	LISTED,			/* there is nothing to plan */
	RULE,			/* a rule alone, without a layout */
};

static const struct row {
	const char *id, *recipe;
	enum check check;
	const char *says;	/* in the error, or the name of the advice; NULL: none asked */
	const char *cache;	/* the disk that caches */
	const char *only;	/* the members, where not all are */
	const char *why[5];	/* DISK TEXT: in the sentence of that disk */
	bool wipe;		/* refused until the disk is named with --wipe */
} cases[] = {
	{ .id = "C01", .recipe = "slice | md redundancy=1 | lvm", .check = GROSS,
	  .says = "near-equal" },
	{ .id = "C02", .recipe = "md level=raid1 | ext4", .check = GROSS, .says = "near-equal" },
	{ .id = "C03", .recipe = "md level=raid5", .check = GROSS, .says = "unused" },
	{ .id = "C04", .recipe = "slice | md redundancy=1", .check = NET },
	{ .id = "C05", .recipe = "slice | md redundancy=2 | lvm", .check = ALT,
	  .says = "three-way" },
	{ .id = "C06", .recipe = "slice | md redundancy=1", .check = NET, .says = "unused" },
	{ .id = "C07", .recipe = "slice | md redundancy=1", .check = NET },
	{ .id = "C08", .recipe = "btrfs data=raid0 metadata=raid1", .check = GROSS,
	  .says = "tail-not-striped" },
	{ .id = "C09", .recipe = "btrfs data=raid1 metadata=raid1", .check = GROSS,
	  .says = "unused" },
	{ .id = "C10", .recipe = "btrfs data=raid1 metadata=raid1", .check = GROSS,
	  .says = "btrfs-df" },
	{ .id = "C11", .recipe = "btrfs data=raid10 metadata=raid1", .check = GROSS,
	  .says = "btrfs-raid1" },
	{ .id = "C12", .recipe = "btrfs data=raid5 metadata=raid1", .check = GROSS,
	  .says = "btrfs-parity" },
	{ .id = "C13", .recipe = "md level=raid0", .check = GROSS, .says = "tail-not-striped" },
	{ .id = "C14", .recipe = "part | md level=raid10", .check = NET },
	{ .id = "C15", .recipe = "lvm type=raid10", .check = REFUSED,
	  .says = "needs an even number from 4 devices, has 3; md level=raid10" },
	{ .id = "C16", .recipe = "md level=raid1", .check = GROSS, .says = "many-copies" },
	/* allowed or refused, but with the reason: as a mirror they hold the same, faster */
	{ .id = "C17", .recipe = "md level=raid5", .check = REFUSED,
	  .says = "raid5 needs 3 disks, has 2; level=raid1 holds as much on 2" },
	{ .id = "C18", .recipe = "md level=raid1", .check = EXACT },
	{ .id = "C19", .recipe = "part | md level=raid6 chunk=512K", .check = EXACT },
	{ .id = "C21", .recipe = "lvm", .check = EXACT },
	/* its journal is not the default one, so the rule is asked, not the layer */
	{ .id = "C22", .check = RULE },
	{ .id = "C23", .recipe = "slice | md redundancy=1 | lvm", .check = REFUSED,
	  .says = "-byte sectors" },
	{ .id = "C24", .recipe = "md level=raid5 | xfs", .check = GROSS, .says = "mixed-sectors" },
	{ .id = "C25", .recipe = "lvm | lvmcache mode=writeback", .check = REFUSED,
	  .says = "-byte sectors", .cache = "nvme0n1" },
	{ .id = "C26", .recipe = "ext4", .check = GROSS, .says = "usb-sector" },
	{ .id = "C28", .recipe = "ext4", .check = GROSS, .why = { "sdb zfs member" },
	  .wipe = true },
	{ .id = "C29", .recipe = "btrfs", .check = PLANNED,
	  .why = { "sdb gpt partition table" }, .wipe = true },
	{ .id = "C30", .recipe = "md level=raid1 | ext4", .check = HELD,
	  .why = { "sdb member of md127", "sdc member of md127" } },
	{ .id = "C34", .recipe = "md level=raid1", .check = HELD, .only = "sda sdb",
	  .why = { "sda isw_volume", "sdb isw_volume", "sdc BIOS RAID member (ddf)" } },
	{ .id = "C35", .recipe = "lvm | xfs", .check = PLANNED, .why = { "nvme0n1 atari" },
	  .wipe = true },
	{ .id = "C36", .recipe = "xfs", .check = PLANNED,
	  .why = { "sdb btrfs", "sdb ext4 on sdb1", "sdb swap on sdb2" }, .wipe = true },
	{ .id = "C37", .check = LISTED, .why = { "sda member of md127", "sdb member of md127" } },
	{ .id = "C38", .recipe = "md level=raid1", .check = HELD, .only = "sdf sdg",
	  .why = { "sdd /srv/storage", "sdf btrfs", "sdg btrfs" } },
	{ .id = "C39", .recipe = "bcache | xfs", .check = HELD, .only = "sda", .cache = "sdb",
	  .why = { "sda sysvg", "sdb /home", "sdb sdb1" } },
	{ .id = "C40", .recipe = "ext4", .check = HELD,
	  .why = { "sda /var/mnt", "sda sda4 swap", "sda sda6", "sda md127" } },
	{ .id = "C41", .recipe = "lvm", .check = HELD, .why = { "sda mounted on /" } },
	{ .id = "C42", .check = LISTED },
	{ .id = "C43", .check = LISTED },
	{ .id = "C44", .check = LISTED },
	{ .id = "C45", .check = LISTED },
	{ .id = "C46", .check = LISTED, .why = { "nvme0n1 too small" } },
	{ .id = "C47", .recipe = "md level=raid1", .check = REFUSED, .says = "host-managed" },
	{ .id = "C48", .check = LISTED, .why = { "sdb read-only" } },
	{ .id = "C49", .recipe = "lvm | lvmcache", .check = GROSS, .says = "cache-rotational",
	  .cache = "sdc" },
	{ .id = "C50", .recipe = "md level=raid1", .check = GROSS, .says = "twin-serial" },
	{ .id = "C51", .recipe = "md level=raid5", .check = GROSS, .says = "no-serial" },
	{ .id = "C52", .check = LISTED },
	{ .id = "C53", .recipe = "md level=raid1", .check = GROSS, .says = "same-device" },
	{ .id = "C54", .check = LISTED },
	{ .id = "C55", .check = LISTED },
	{ .id = "C60", .recipe = "md level=raid6 consistency=ppl", .check = REFUSED,
	  .says = "ppl works with raid5 only" },
	{ .id = "C61", .recipe = "md level=raid5 consistency=ppl consistency=bitmap",
	  .check = REFUSED, .says = "consistency is given twice" },
	{ .id = "C62", .recipe = "md level=raid5 consistency=journal", .check = GROSS,
	  .says = "journal-single", .cache = "nvme0n1" },
	{ .id = "C63", .recipe = "md level=raid5 chunk=1M | xfs", .check = GROSS,
	  .says = "xfs-log-stripe" },
	{ .id = "C65", .recipe = "xfs", .check = REFUSED, .says = "xfs" },
	{ .id = "C67", .recipe = "md level=raid0 | ext4", .check = GROSS, .says = "ext4-16t" },
	{ .id = "C69", .recipe = "md level=raid1 | lvm | lvmcache mode=writeback",
	  .check = GROSS, .says = "cache-chunk", .cache = "nvme0n1" },
	/* its tolerance is that of the device, not of the btrfs on it */
	{ .id = "C72", .recipe = "md level=raid5 | bcache mode=writeback", .check = GROSS,
	  .says = "writeback-cache", .cache = "nvme0n1" },
	/* the case has no cache disk: whatever comes onto sda1, both signatures are said */
	{ .id = "C74", .recipe = "part | ext4", .check = PLANNED,
	  .why = { "sda bcache on sda1", "sda md member on sda1" },
	  .wipe = true },
	{ .id = "C75", .recipe = "bcache | bcache", .check = REFUSED, .says = "does not stack",
	  .cache = "nvme0n1", .only = "sdb" },
	{ .id = "C93", .recipe = "md level=raid1", .check = GROSS, .says = "network-disk",
	  .only = "sdb sdc" },
};

enum { N_CASES = sizeof(cases) / sizeof(cases[0]) };

static json_t *load(const char *id)
{
	const char *top = getenv("srcdir");
	char path[512];
	json_error_t bad;
	json_t *json;

	snprintf(path, sizeof(path), "%s/tests/data/cases/%s.json", top ? top : ".", id);
	json = json_load_file(path, 0, &bad);
	if (!json)
		fail_msg("%s: %s", path, bad.text);
	return json;
}

/* Is this word among those of the list? */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *s;

	for (s = list; (s = strstr(s, word)); s += len) {
		if ((s == list || s[-1] == ' ') && (!s[len] || s[len] == ' '))
			return true;
	}
	return false;
}

static bool advised(const struct stack *s, const char *rule)
{
	struct list found = { 0 };
	size_t i;

	stack_advice(s, s->arena, &found);
	for (i = 0; i < found.n; i++) {
		if (!strcmp(((const struct advice *)found.at[i])->rule, rule))
			return true;
	}
	return false;
}

static void check_size(const struct row *c, const json_t *expect, uint64_t usable)
{
	uint64_t gross = json_u64(expect, c->check == ALT ? "usable_bytes_alt" : "usable_bytes", 0);
	uint64_t net = json_u64(expect, "usable_bytes_net_n1", 0);
	uint64_t below = json_u64(expect, "accept_below_bytes", gross / 100);

	assert_true(gross);
	assert_true(json_is_true(json_object_get(expect, "exact")) == (c->check == EXACT));
	if ((c->check == GROSS || c->check == ALT) && (usable > gross || usable + below < gross))
		fail_msg("%s: usable %llu, at most %llu and at least %llu wanted", c->id,
			 (unsigned long long)usable, (unsigned long long)gross,
			 (unsigned long long)(gross - below));
	if ((c->check == NET && usable != net) || (c->check == EXACT && usable != gross))
		fail_msg("%s: usable %llu, wanted %llu", c->id, (unsigned long long)usable,
			 (unsigned long long)(c->check == NET ? net : gross));
}

/* --- the list of disks ---------------------------------------------------------------- */

static void check_names(const struct row *c, const json_t *names, const struct inventory *inv,
			enum disk_state least, enum disk_state most, bool absent)
{
	const json_t *name;
	size_t i;

	json_array_foreach(names, i, name) {
		const char *word = json_string_value(name);
		const struct disk *d = inventory_find(inv, word);

		if (!d && absent)
			continue;
		if (!d)
			fail_msg("%s: %s is not in the list", c->id, word);
		if (d->state < least || d->state > most)
			fail_msg("%s: %s is %s: %s", c->id, word, disk_state_word(d->state),
				 d->why);
		if (!d->why || !*d->why)
			fail_msg("%s: %s does not say why it is %s", c->id, word,
				 disk_state_word(d->state));
	}
}

/* Of a chooser, also that nothing else is offered; of the one for caches, only flash. */
static void check_others(const struct row *c, const json_t *json, const struct inventory *inv)
{
	const json_t *offered = json_object_get(json_object_get(json, "expect"), "offered");
	const char *layout = json_str(json, "layout");
	size_t i, n = 0;

	if (!offered || strncmp(layout, "list", 4))
		return;
	for (i = 0; i < inv->n_disks; i++) {
		const struct disk *d = &inv->disks[i];

		n += d->state <= DISK_DATA && (strcmp(layout, "list-ssd") || disk_is_flash(d));
	}
	if (n != json_array_size(offered))
		fail_msg("%s: %zu disks are offered, not %zu", c->id, n, json_array_size(offered));
}

static void check_part_names(const struct row *c, const json_t *json, struct arena *a)
{
	const json_t *names = json_object_get(json_object_get(json, "expect"), "partition_names");
	const json_t *name;
	size_t i;

	json_array_foreach(names, i, name) {
		const json_t *d = json_array_get(json_object_get(json, "disks"), i);
		const char *got = disk_part_name(a, json_str(d, "name"), 1);

		if (strcmp(got, json_string_value(name)))
			fail_msg("%s: %s, not %s", c->id, got, json_string_value(name));
	}
}

static void check_list(const struct row *c, const json_t *json, const struct inventory *inv,
		       struct arena *a)
{
	const json_t *expect = json_object_get(json, "expect");
	size_t i;

	check_names(c, json_object_get(expect, "offered"), inv, DISK_FREE, DISK_DATA, false);
	check_names(c, json_object_get(expect, "hidden"), inv, DISK_HIDDEN, DISK_HIDDEN, true);
	/* zoned disks can be read, so they are listed; the layouts refuse them */
	if (c->check != REFUSED)
		check_names(c, json_object_get(expect, "refused"), inv, DISK_BUSY, DISK_HIDDEN,
			    false);
	check_others(c, json, inv);
	check_part_names(c, json, a);
	for (i = 0; i < 5 && c->why[i]; i++) {
		size_t len = strcspn(c->why[i], " ");
		const struct disk *d = inventory_find(inv, arena_strndup(a, c->why[i], len));

		assert_non_null(d);
		if (!strstr(d->why, c->why[i] + len + 1))
			fail_msg("%s: \"%s\" does not say \"%s\"", c->id, d->why,
				 c->why[i] + len + 1);
	}
	if (!strcmp(c->id, "C52")) {
		assert_string_equal(inventory_find(inv, "nvme0n1")->serial, "NLX000001");
		assert_string_equal(inventory_find(inv, "sdc")->serial, "NLHGST01");
	}
	if (!strcmp(c->id, "C54"))
		assert_true(inventory_find(inv, "sdac")->is_system);
}

/* --- the plan ------------------------------------------------------------------------- */

static size_t pick_disks(const struct row *c, const json_t *json, const struct inventory *inv,
			 struct pick *picks)
{
	const json_t *row;
	size_t i, n = 0;

	json_array_foreach(json_object_get(json, "disks"), i, row) {
		const char *name = json_str(row, "name");
		const struct disk *d = inventory_find(inv, name);
		bool cache = c->cache && !strcmp(name, c->cache);

		if (!cache && c->only && !has_word(c->only, name))
			continue;
		if (!d)
			fail_msg("%s: %s is not in the list", c->id, name);
		assert_int_equal(d->bytes, json_u64(row, "size_bytes", 0));
		picks[n++] = (struct pick){ d, cache ? ROLE_CACHE : ROLE_DATA };
	}
	return n;
}

/* Disks that hold something are refused until each is named; those in use also then. */
static void check_guard(const struct row *c, const struct stack *s, const struct inventory *inv,
			struct arena *a)
{
	char **wipe = arena_array(a, s->n_disks + 1, sizeof(*wipe));
	struct plan *p = NULL;
	struct err e = { 0 };
	size_t i;

	if (plan_make(s, &p, &e))
		fail_msg("%s: %s", c->id, e.text);
	for (i = 0; i < s->n_disks; i++)
		wipe[i] = arena_strdup(a, ((const struct node *)s->nodes.at[i])->name);
	if (c->check == HELD || c->wipe) {
		assert_int_equal(guard_check(p, inv, NULL, &e), -1);
		assert_int_equal(e.kind, ERR_REFUSED);
	}
	assert_int_equal(guard_check(p, inv, wipe, &e), c->check == HELD ? -1 : 0);
	plan_free(p);
}

static void check_chunk(const json_t *expect, const struct stack *s)
{
	uint64_t least = json_u64(expect, "min_chunk_bytes", 0);
	size_t i;

	for (i = s->n_disks; least && i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (!strcmp(n->layer->name, "lvmcache"))
			assert_int_equal(n->chunk, least);
	}
}

static void check_plan(const struct row *c, const json_t *json, const struct inventory *inv,
		       struct arena *a)
{
	const json_t *expect = json_object_get(json, "expect");
	struct pick *picks = arena_array(a, inv->n_disks + 1, sizeof(*picks));
	size_t n = pick_disks(c, json, inv, picks);
	struct recipe *r = NULL;
	struct stack *s = NULL;
	struct err e = { 0 };
	int rc = recipe_parse(c->recipe, NULL, &r, &e) || stack_make(r, "t", picks, n, &s, &e);

	if (c->check == REFUSED) {
		if (!rc)
			fail_msg("%s: %s was not refused", c->id, c->recipe);
		if (!strstr(e.text, c->says))
			fail_msg("%s: \"%s\" does not say \"%s\"", c->id, e.text, c->says);
	} else {
		if (rc)
			fail_msg("%s: %s", c->id, e.text);
		if (c->check != HELD && c->check != PLANNED)
			check_size(c, expect, s->usable_bytes);
		if (c->says && !advised(s, c->says))
			fail_msg("%s: no advice %s", c->id, c->says);
		check_chunk(expect, s);
		check_guard(c, s, inv, a);
	}
	stack_free(s);
	recipe_free(r);
}

/* CASES C22: what integritysetup left of 10 GiB with crc32c and a journal of 1 GiB. */
static void check_integrity(const json_t *json)
{
	uint64_t usable = json_u64(json_object_get(json, "expect"), "usable_bytes", 0);
	uint64_t below = json_u64(json_object_get(json, "expect"), "accept_below_bytes", 0);
	struct integrity_shape in = {
		.sectors = json_u64(json_array_get(json_object_get(json, "disks"), 0), "size_bytes",
				    0) / 512,
		.block = 512, .tag = 4, .journal = (1 << 30) / 512,
	};
	uint64_t got = 512 * integrity_data_sectors(&in);

	if (got > usable || got + below < usable)
		fail_msg("C22: %llu, wanted %llu", (unsigned long long)got,
			 (unsigned long long)usable);
}

static void a_case(void **state)
{
	const struct row *c = *state;
	json_t *json = load(c->id);
	struct arena *a = arena_new();
	const char *root = case_root(a, json_object_get(json, "disks"));
	struct inventory *inv = NULL;
	struct err e = { 0 };

	if (inventory_read(root, &inv, &e))
		fail_msg("%s: %s", c->id, e.text);
	check_list(c, json, inv, a);
	if (c->check == RULE)
		check_integrity(json);
	else if (c->check != LISTED)
		check_plan(c, json, inv, a);
	inventory_free(inv);
	case_root_remove(root);
	json_decref(json);
	arena_free(a);
}

/* A file that no row of the table names would be a case nobody looks at. */
static void every_case_is_here(void **state)
{
	const char *top = getenv("srcdir");
	char path[512];
	struct dirent *d;
	size_t n = 0, i;
	DIR *dir;

	(void)state;
	snprintf(path, sizeof(path), "%s/tests/data/cases", top ? top : ".");
	dir = opendir(path);
	assert_non_null(dir);
	while ((d = readdir(dir))) {
		size_t len = strcspn(d->d_name, ".");

		if (strcmp(d->d_name + len, ".json"))
			continue;
		for (i = 0; i < N_CASES && (strncmp(cases[i].id, d->d_name, len) ||
					    cases[i].id[len]); i++)
			;
		if (i == N_CASES)
			fail_msg("%s is in no row of the table", d->d_name);
		n++;
	}
	closedir(dir);
	assert_int_equal(n, 61);
	assert_int_equal(N_CASES, 61);
}

int main(void)
{
	struct CMUnitTest tests[N_CASES + 1];
	size_t i;

	for (i = 0; i < N_CASES; i++)
		tests[i] = (struct CMUnitTest){ .name = cases[i].id, .test_func = a_case,
						.initial_state = (void *)&cases[i] };
	tests[N_CASES] = (struct CMUnitTest)cmocka_unit_test(every_case_is_here);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
