/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_CAMPAIGN_HELP_H
#define TESTS_UNIT_CAMPAIGN_HELP_H

/* What the tests of campaigns share: one from its text, and the parts of it. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "campaign/campaign.h"

#define TWO "layout md level=raid1 | xfs\nworkload small-text\n"

static inline struct campaign *parse(const char *text)
{
	struct campaign *c = NULL;
	struct err e = { 0 };

	if (campaign_parse(text, "some/trial.campaign", &c, &e))
		fail_msg("%s", e.text);
	return c;
}

static inline const struct variant *variant(const struct campaign *c, size_t i)
{
	assert_true(i < c->variants.n);
	return c->variants.at[i];
}

/* The shipped workloads and layouts, wherever the test was started. */
static inline void use_shipped(void)
{
	const char *src = getenv("srcdir");
	char folder[4096];

	snprintf(folder, sizeof(folder), "%s/workloads", src ? src : ".");
	setenv("NASLAB_WORKLOADS", folder, 1);
	snprintf(folder, sizeof(folder), "%s/layouts", src ? src : ".");
	setenv("NASLAB_LAYOUTS", folder, 1);
}

#endif
