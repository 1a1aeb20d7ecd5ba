/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pick - which disks the words of the command line mean. */
#include "layout/pick.h"

#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "disk/disk.h"

static int not_found(const struct inventory *inv, const char *word, struct arena *a, struct err *e)
{
	const char **names = arena_array(a, inv->n_disks + 1, sizeof(*names));
	const char *near;
	size_t i;

	for (i = 0; i < inv->n_disks; i++)
		names[i] = inv->disks[i].name;
	near = nearest_word(word, names, inv->n_disks);
	if (near)
		return err_set(e, ERR_USAGE, "there is no disk \"%.60s\"; did you mean %s?", word, near);
	return err_set(e, ERR_USAGE, "there is no disk \"%.60s\"; naslab disks lists them, and hdd:10T is one "
		       "you might buy", word);
}

/* Every spec and name is turned into indexes, because adding disks moves the table. */
struct choice {
	size_t disk;
	enum role role;
};

static void choose(struct arena *a, struct list *chosen, size_t disk, enum role role)
{
	struct choice *c = arena_alloc(a, sizeof(*c));

	*c = (struct choice){ disk, role };
	list_add(a, chosen, c);
}

static void choose_all(const struct inventory *inv, struct arena *a, struct list *chosen)
{
	size_t i, k;

	for (i = 0; i < inv->n_disks; i++) {
		if (inv->disks[i].state != DISK_FREE || disk_is_network(&inv->disks[i]))
			continue;
		for (k = 0; k < chosen->n && ((struct choice *)chosen->at[k])->disk != i; k++)
			;
		if (k == chosen->n)
			choose(a, chosen, i, ROLE_DATA);
	}
}

static int choose_word(struct inventory *inv, const char *word, enum role role, struct arena *a,
		       struct list *chosen, struct err *e)
{
	const struct disk *d;
	int added;

	if (disk_spec_is_virtual(word)) {
		added = inventory_add_virtual(inv, word, e);
		if (added < 0)
			return -1;
		for (; added > 0; added--)
			choose(a, chosen, inv->n_disks - (size_t)added, role);
		return 0;
	}
	d = inventory_find(inv, word);
	if (!d)
		return not_found(inv, word, a, e);
	choose(a, chosen, (size_t)(d - inv->disks), role);
	return 0;
}

int picks_from_words(struct inventory *inv, const char *const *words, const char *const *cache_words,
		     struct arena *a, struct pick **out, size_t *n, struct err *e)
{
	struct list chosen = { 0 };
	bool all = false;
	size_t i;

	for (; cache_words && *cache_words; cache_words++) {
		if (choose_word(inv, *cache_words, ROLE_CACHE, a, &chosen, e))
			return -1;
	}
	for (; *words; words++) {
		if (!strcmp(*words, "all"))
			all = true;
		else if (choose_word(inv, *words, ROLE_DATA, a, &chosen, e))
			return -1;
	}
	if (all) {
		size_t before = chosen.n;

		choose_all(inv, a, &chosen);
		if (chosen.n == before)
			return err_set(e, ERR_USAGE, "\"all\" means every free, blank disk, and there is none");
	}
	if (!chosen.n)
		return err_set(e, ERR_USAGE, "no disk is named; naslab disks lists them, and hdd:10T is one you "
			       "might buy");
	*out = arena_array(a, chosen.n, sizeof(**out));
	*n = chosen.n;
	for (i = 0; i < chosen.n; i++) {
		const struct choice *c = chosen.at[i];

		(*out)[i] = (struct pick){ &inv->disks[c->disk], c->role };
	}
	return 0;
}

uint64_t picks_ram(const struct inventory *inv, const struct pick *picks, size_t n)
{
	size_t i;

	for (i = 0; i < n && picks[i].disk->is_virtual; i++)
		;
	return i < n ? inv->ram_bytes : 0;
}
