/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files - where campaign files are, and whether somebody is at work on one. */
#include "campaign/campaign.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/shipped.h"
#include "base/text.h"

static const char suffix[] = ".campaign";

const char *campaign_folder(void)
{
	static char folder[PATH_MAX];

	return shipped_folder("NASLAB_CAMPAIGNS", "/campaigns", folder);
}

const char *campaign_file(struct arena *a, const char *word)
{
	return shipped_file(a, campaign_folder(), suffix, word);
}

void campaign_names(struct arena *a, struct list *out)
{
	shipped_names(a, campaign_folder(), suffix, out);
}

const char *campaign_boot(struct arena *a)
{
	const char *boot = file_line(a, "", "/proc/sys/kernel/random/boot_id");

	return boot ? boot : "";
}

bool campaign_alive(const struct stored_campaign *row)
{
	struct arena *a = arena_new();
	const char *boot = campaign_boot(a);
	const char *program = file_line(a, "", "/proc/%lld/comm", (long long)row->pid);
	bool alive = row->pid > 0 && row->boot && !strcmp(row->boot, boot) && program &&
		     strstr(program, "naslab") &&
		     (kill((pid_t)row->pid, 0) == 0 || errno == EPERM);

	arena_free(a);
	return alive;
}
