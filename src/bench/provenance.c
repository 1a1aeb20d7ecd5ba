/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * provenance - what a result has to say besides its numbers so that somebody else can believe
 * and repeat it: the machine, whether it is a simulated one, the recipe, how it is mounted,
 * and the versions of the tools that made it. What cannot be had is left out.
 */
#include "bench/session.h"
#include "bench/usable.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "build/job.h"
#include "store/store.h"

enum { TOOL_MS = 5000, LINE = 120 };

/* The sandbox's kernel runs as a process; its disks are files. */
bool usable_simulated(void)
{
	struct sbuf cpus = { 0 };
	bool yes = file_read("/proc/cpuinfo", 1 << 20, &cpus) == 0 &&
		   strstr(sbuf_str(&cpus), "User Mode Linux");

	sbuf_done(&cpus);
	return yes;
}

/* "xfs rw,relatime,attr2,...": the type and options of the mount the target lies on. */
static void mount_options(const char *target, struct sbuf *out, struct sbuf *type)
{
	struct sbuf mounts = { 0 };
	char *line, *next, *field[64], *save;
	struct statx st;

	if (statx(AT_FDCWD, target, 0, STATX_MNT_ID, &st) < 0 || !(st.stx_mask & STATX_MNT_ID) ||
	    file_read("/proc/self/mountinfo", 16 << 20, &mounts) < 0)
		return;
	for (line = mounts.text; line && *line; line = next) {
		size_t n = 0, dash;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (strtoull(line, NULL, 10) != st.stx_mnt_id)
			continue;
		for (field[0] = strtok_r(line, " ", &save); field[n] && n < 62;)
			field[++n] = strtok_r(NULL, " ", &save);
		for (dash = 6; dash < n && strcmp(field[dash], "-"); dash++)
			;
		if (dash + 3 >= n)
			break;
		sbuf_add(type, field[dash + 1]);
		sbuf_addf(out, "%s %s %s", field[dash + 1], field[5], field[dash + 3]);
		break;
	}
	sbuf_done(&mounts);
}

struct first_line {
	char text[LINE];
};

static void take_line(void *arg, const char *text)
{
	struct first_line *f = arg;
	size_t len;

	if (*f->text)
		return;
	text += strspn(text, " \t");
	strncpy(f->text, text, LINE - 1);
	for (len = strlen(f->text); len && isspace((unsigned char)f->text[len - 1]);)
		f->text[--len] = '\0';
}

static void add_version(struct sbuf *out, const char *tool, const char *option)
{
	char *const argv[] = { (char *)(uintptr_t)tool, (char *)(uintptr_t)option, NULL };
	struct first_line first = { "" };
	struct job job = { .argv = argv, .timeout_ms = TOOL_MS, .line = take_line, .arg = &first };
	struct job_end end;
	struct err e = { 0 };

	if (job_has(tool) && job_run(&job, &end, &e) == 0 && *first.text)
		sbuf_addf(out, "%s%s", out->len ? "; " : "", first.text);
}

/* The tools of the layers a recipe names, and of the file system. */
static void tools(const char *recipe, const char *type, struct sbuf *out)
{
	static const struct {
		const char *layer, *tool, *option;
	} all[] = {
		{ "md", "mdadm", "--version" }, { "lvm", "lvm", "version" },
		{ "xfs", "mkfs.xfs", "-V" }, { "ext4", "mkfs.ext4", "-V" },
		{ "btrfs", "mkfs.btrfs", "--version" }, { "jfs", "mkfs.jfs", "-V" },
		{ "mergerfs", "mergerfs", "--version" },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		size_t n = strlen(all[i].layer);
		const char *at = recipe;
		bool used = !strcmp(type, all[i].layer);

		while (!used && (at = strstr(at, all[i].layer))) {
			used = (at == recipe || !isalnum((unsigned char)at[-1])) &&
			       !isalnum((unsigned char)at[n]);
			at += n;
		}
		if (used)
			add_version(out, all[i].tool, all[i].option);
	}
}

/* "2 x Intel(R) Celeron(R) CPU N3150 @ 1.60GHz"; not every kind of processor says it. */
static void put_processor(json_t *j)
{
	struct sbuf cpus = { 0 }, text = { 0 };
	const char *at = NULL;

	if (file_read("/proc/cpuinfo", 1 << 20, &cpus) == 0)
		at = strstr(sbuf_str(&cpus), "model name");
	at = at ? strchr(at, ':') : NULL;
	if (at) {
		at += 1 + strspn(at + 1, " \t");
		sbuf_addf(&text, "%ld x %.*s", sysconf(_SC_NPROCESSORS_ONLN),
			  (int)strcspn(at, "\n"), at);
		json_put_str(j, "processor", sbuf_str(&text));
	}
	sbuf_done(&cpus);
	sbuf_done(&text);
}

json_t *provenance(const struct session *s)
{
	struct sbuf options = { 0 }, type = { 0 }, versions = { 0 };
	struct arena *a = arena_new();
	json_t *j = json_object();
	struct build build = { .layout = NULL };
	struct err e = { 0 };
	struct utsname u;

	if (uname(&u) == 0) {
		json_put_str(j, "kernel", u.release);
		json_put_str(j, "host", u.nodename);
	}
	put_processor(j);
	if (usable_simulated())
		json_object_set_new(j, "simulated", json_true());
	if (s->store && s->order->build &&
	    store_build_find(s->store, s->order->build, a, &build, &e) == 0 && build.layout)
		json_put_str(j, "layout", build.layout);
	mount_options(s->order->target, &options, &type);
	if (options.len)
		json_put_str(j, "mount_options", options.text);
	tools(build.layout ? build.layout : "", sbuf_str(&type), &versions);
	if (versions.len)
		json_put_str(j, "tools", versions.text);
	sbuf_done(&options);
	sbuf_done(&type);
	sbuf_done(&versions);
	arena_free(a);
	return j;
}
