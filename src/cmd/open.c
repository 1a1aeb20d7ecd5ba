/* SPDX-License-Identifier: GPL-2.0-or-later */
/* open - the disks that the words of a verb speak of. */
#include "cmd/open.h"

#include "cmd/cmd.h"

static int open_inventory(char *const *words, struct inventory **inv, struct err *e)
{
	size_t i;

	if (option("disks"))
		return inventory_load(option("disks"), inv, e);
	if (option("root"))
		return inventory_read(option("root"), inv, e);
	for (i = 0; words[i]; i++) {
		if (!disk_spec_is_virtual(words[i]))
			return inventory_read("", inv, e);
	}
	for (i = 0; i < option_count("cache"); i++) {
		if (!disk_spec_is_virtual(option_at("cache", i)))
			return inventory_read("", inv, e);
	}
	*inv = inventory_new();
	return 0;
}

int open_disks(char *const *words, struct inventory **inv, struct arena *a, struct pick **picks,
	       size_t *n, struct err *e)
{
	const char **cache = arena_array(a, option_count("cache") + 1, sizeof(*cache));
	size_t i;

	for (i = 0; i < option_count("cache"); i++)
		cache[i] = option_at("cache", i);
	if (open_inventory(words, inv, e))
		return -1;
	return picks_from_words(*inv, (const char *const *)words, cache, a, picks, n, e);
}
