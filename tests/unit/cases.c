/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real cases: what went wrong for people who planned with other tools. tests/data/cases
 * holds their disks and what a correct tool says; the table here gives each its recipe.
 *
 * "usable_bytes" is gross arithmetic: we may be lower by at most accept_below_bytes (or
 * 1 % where a case names none) and never higher. "usable_bytes_net_n1" and "exact" are met
 * to the byte.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/err.h"
#include "base/json.h"
#include "disk/disk.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

enum check { GROSS, NET, EXACT, REFUSED };

static const struct {
	const char *id, *recipe;
	enum check check;
	const char *says;	/* in the error, or the name of the advice; NULL: none asked */
	const char *skip;	/* a disk that is no member */
} cases[] = {
	{ "C01", "slice | md redundancy=1", GROSS, "near-equal", NULL },
	{ "C02", "md level=raid1 | ext4", GROSS, "near-equal", NULL },
	{ "C03", "md level=raid5", GROSS, "unused", NULL },
	{ "C04", "slice | md redundancy=1", NET, NULL, NULL },
	{ "C06", "slice | md redundancy=1", NET, "unused", NULL },
	{ "C07", "slice | md redundancy=1", NET, NULL, NULL },
	{ "C08", "btrfs data=raid0 metadata=raid1", GROSS, NULL, NULL },
	{ "C09", "btrfs data=raid1 metadata=raid1", GROSS, "unused", NULL },
	{ "C10", "btrfs data=raid1 metadata=raid1", GROSS, "btrfs-df", NULL },
	{ "C11", "btrfs data=raid10 metadata=raid1", GROSS, NULL, NULL },
	{ "C12", "btrfs data=raid5 metadata=raid1", GROSS, "btrfs-parity", NULL },
	{ "C13", "md level=raid0", GROSS, NULL, NULL },
	{ "C14", "part | md level=raid10", NET, NULL, NULL },
	{ "C16", "md level=raid1", GROSS, "many-copies", NULL },
	{ "C17", "md level=raid5", REFUSED, "raid5 needs 3 disks, has 2", NULL },
	{ "C18", "md level=raid1", EXACT, NULL, NULL },
	{ "C19", "part | md level=raid6 chunk=512K", EXACT, NULL, NULL },
	{ "C21", "lvm", EXACT, NULL, NULL },
	{ "C23", "slice | md redundancy=1 | lvm", REFUSED, "-byte sectors", NULL },
	{ "C24", "md level=raid5 | xfs", GROSS, "mixed-sectors", NULL },
	{ "C26", "ext4", GROSS, "usb-sector", NULL },
	{ "C47", "md level=raid1", REFUSED, "host-managed", NULL },
	{ "C51", "md level=raid5", GROSS, NULL, NULL },
	{ "C60", "md level=raid6 consistency=ppl", REFUSED, "ppl works with raid5 only", NULL },
	{ "C63", "md level=raid5 chunk=1M | xfs", GROSS, NULL, NULL },
	{ "C65", "xfs", REFUSED, "xfs", NULL },
	{ "C67", "md level=raid0 | ext4", GROSS, "ext4-16t", NULL },
};

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

static void read_disk(struct arena *a, const json_t *json, struct disk *d)
{
	const char *transport = json_str(json, "transport");

	d->name = json_str(json, "name");
	d->path = arena_printf(a, "/dev/%s", d->name);
	d->model = json_str(json, "model");
	d->serial = json_str(json, "serial");
	d->transport = transport;
	d->bytes = json_u64(json, "size_bytes", 0);
	d->lsec = (uint32_t)json_u64(json, "logical_sector", 512);
	d->psec = (uint32_t)json_u64(json, "physical_sector", 512);
	d->rotational = json_is_true(json_object_get(json, "rotational"));
	d->zoned = json_str(json, "zoned");
	d->kind = transport && !strcmp(transport, "usb") ? DISK_USB : d->rotational ? DISK_HDD : DISK_SSD;
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

static void check_size(const char *id, enum check check, const json_t *expect, uint64_t usable)
{
	uint64_t gross = json_u64(expect, "usable_bytes", 0);
	uint64_t net = json_u64(expect, "usable_bytes_net_n1", gross);
	uint64_t below = json_u64(expect, "accept_below_bytes", gross / 100);

	if (check == GROSS && (usable > gross || usable + below < gross))
		fail_msg("%s: usable %llu, at most %llu and at least %llu wanted", id,
			 (unsigned long long)usable, (unsigned long long)gross,
			 (unsigned long long)(gross - below));
	if ((check == NET && usable != net) || (check == EXACT && usable != gross))
		fail_msg("%s: usable %llu, wanted %llu", id, (unsigned long long)usable,
			 (unsigned long long)(check == NET ? net : gross));
}

static void check_case(size_t i)
{
	json_t *json = load(cases[i].id), *list = json_object_get(json, "disks"), *row;
	struct arena *a = arena_new();
	struct pick *picks = arena_array(a, json_array_size(list), sizeof(*picks));
	struct recipe *r = NULL;
	struct stack *s = NULL;
	struct err e = { 0 };
	size_t k, n = 0;
	int rc;

	json_array_foreach(list, k, row) {
		struct disk *d = arena_alloc(a, sizeof(*d));

		read_disk(a, row, d);
		if (!cases[i].skip || strcmp(cases[i].skip, d->name))
			picks[n++] = (struct pick){ d, ROLE_DATA };
	}
	rc = recipe_parse(cases[i].recipe, NULL, &r, &e) || stack_make(r, "t", picks, n, &s, &e);
	if (cases[i].check == REFUSED) {
		if (!rc)
			fail_msg("%s: %s was not refused", cases[i].id, cases[i].recipe);
		if (!strstr(e.text, cases[i].says))
			fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].id, e.text, cases[i].says);
	} else {
		if (rc)
			fail_msg("%s: %s", cases[i].id, e.text);
		check_size(cases[i].id, cases[i].check, json_object_get(json, "expect"), s->usable_bytes);
		if (cases[i].says && !advised(s, cases[i].says))
			fail_msg("%s: no advice %s", cases[i].id, cases[i].says);
	}
	stack_free(s);
	recipe_free(r);
	json_decref(json);
	arena_free(a);
}

static void planned_as_a_correct_tool_would(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planned_as_a_correct_tool_would),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
