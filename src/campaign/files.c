/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files - where campaign files are, and whether somebody is at work on one. */
#include "campaign/campaign.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

static const char suffix[] = ".campaign";

const char *campaign_folder(void)
{
	static const char beside[] = "/campaigns";
	static char folder[PATH_MAX];
	const char *set = getenv("NASLAB_CAMPAIGNS");
	ssize_t len;
	char *slash;

	if (set && *set)
		return set;
	len = readlink("/proc/self/exe", folder, sizeof(folder) - sizeof(beside));
	if (len > 0) {
		folder[len] = '\0';
		slash = strrchr(folder, '/');
		if (slash) {
			memcpy(slash, beside, sizeof(beside));
			if (access(folder, R_OK | X_OK) == 0)
				return folder;
		}
	}
	return DATA_DIR "/campaigns";
}

const char *campaign_file(struct arena *a, const char *word)
{
	const char *shipped;

	if (strchr(word, '/') || access(word, F_OK) == 0)
		return word;
	shipped = arena_printf(a, "%s/%s%s", campaign_folder(), word, suffix);
	return access(shipped, R_OK) == 0 ? shipped : word;
}

static int by_name(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

void campaign_names(struct arena *a, struct list *out)
{
	DIR *dir = opendir(campaign_folder());
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		size_t len = strlen(d->d_name), end = sizeof(suffix) - 1;

		if (d->d_name[0] != '.' && len > end && !strcmp(d->d_name + len - end, suffix))
			list_add(a, out, arena_strndup(a, d->d_name, len - end));
	}
	if (dir)
		closedir(dir);
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), by_name);
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
