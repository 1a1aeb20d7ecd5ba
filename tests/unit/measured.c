/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole layouts as they were measured on the kernel by hand, before there was a naslab:
 * CAPACITY section 2, small disks and true sizes.
 */
#include "test.h"

#include "base/err.h"
#include "disk/disk.h"
#include "layout/pick.h"
#include "layout/recipe.h"
#include "layout/stack.h"
#include "tsv.h"

/* "luks:data": the bytes of a device; "lvm.io_min:data": what its queue says. */
static uint64_t device_value(const struct stack *s, const char *field)
{
	size_t len = strcspn(field, ".:"), i;
	const char *name = strchr(field, ':') + 1;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (strlen(n->layer->name) == len && !strncmp(n->layer->name, field, len) &&
		    !strcmp(n->name, name))
			return field[len] == ':' ? n->bytes :
				!strncmp(field + len, ".io_min:", 8) ? n->io_min : n->io_opt;
	}
	fail_msg("no %s in the stack", field);
	return 0;
}

static uint64_t value_of(const struct stack *s, const char *field)
{
	const struct node *top = s->tops.at[0];

	if (!strcmp(field, "usable"))
		return s->usable_bytes;
	if (strchr(field, ':'))
		return device_value(s, field);
	assert_true(top->fs.known);
	return !strcmp(field, "total") ? top->fs.total : top->fs.avail;
}

static void check(const char *layout, char *disk_list, const char *field, uint64_t want)
{
	struct inventory *inv = inventory_new();
	struct arena *a = arena_new();
	const char *words[16] = { NULL }, *cache[2] = { NULL };
	char *save = NULL, *word;
	struct recipe *r = NULL;
	struct stack *s = NULL;
	struct pick *picks;
	struct err e = { 0 };
	unsigned n_words = 0;
	uint64_t got;
	size_t n;

	for (word = strtok_r(disk_list, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (!strncmp(word, "cache=", 6))
			cache[0] = word + 6;
		else
			words[n_words++] = word;
	}
	if (recipe_open(layout, &r, &e) || picks_from_words(inv, words, cache, a, &picks, &n, &e) ||
	    stack_make(r, "t", picks, n, &s, &e))
		fail_msg("%s: %s", layout, e.text);
	got = value_of(s, field);
	if (got != want)
		fail_msg("%s: %s planned %llu, measured %llu", layout, field,
			 (unsigned long long)got, (unsigned long long)want);
	stack_free(s);
	recipe_free(r);
	inventory_free(inv);
	arena_free(a);
}

static void layouts_as_measured(void **state)
{
	struct tsv t;

	(void)state;
	tsv_open(&t, "capacity/layouts.tsv");
	while (tsv_next(&t))
		check(t.cell[0], t.cell[1], t.cell[2], tsv_u64(&t, 3));
	assert_true(t.row > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts_as_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
