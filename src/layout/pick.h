/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYOUT_PICK_H
#define LAYOUT_PICK_H

#include "layout/stack.h"

struct inventory;

/*
 * Words of the command line to disks: "all" (every free, blank disk), virtual specs
 * ("6xhdd:4T", added to the inventory), paths, names, by-id paths and serials. words and
 * cache_words end with NULL; cache_words may be NULL. Picks live in the arena. The error
 * names the word, and the nearest disk.
 */
int picks_from_words(struct inventory *inv, const char *const *words, const char *const *cache_words,
		     struct arena *a, struct pick **out, size_t *n, struct err *e);

/* Memory of the machine that these disks are in; 0 when it is not known, as of disks that
 * do not exist. */
uint64_t picks_ram(const struct inventory *inv, const struct pick *picks, size_t n);

#endif
