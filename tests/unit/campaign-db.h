/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_CAMPAIGN_DB_H
#define TESTS_UNIT_CAMPAIGN_DB_H

/* A database for each case: setup() and teardown() are cmocka's. */
#include "campaign-help.h"

#include <unistd.h>

#include "store/store.h"

static char path[64];

static inline int setup(void **state)
{
	char folder[] = "/tmp/naslab-campaign-XXXXXX";

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/naslab.db", folder);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	unlink(path);
	*strrchr(path, '/') = '\0';
	return rmdir(path);
}

static inline struct store *open_store(void)
{
	struct store *st = NULL;
	struct err e = { 0 };

	if (store_open(path, &st, &e))
		fail_msg("%s", e.text);
	return st;
}

#endif
