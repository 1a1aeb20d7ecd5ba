/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gates - what goes on at the disks that is not the measurement. Every array and cache of
 * the machine is asked, and those that share a disk with the target count: a neighbour's
 * rebuild moves the same heads.
 */
#include "bench/gates.h"

#include <ctype.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "bench/counters.h"

/* Pages that may wait while a read is timed: what any running system has. */
enum { QUIET_PAGES = 4096 };

static bool shares(const char *root, struct arena *a, const char *name, const struct list *disks)
{
	struct list below = { 0 }, arrays = { 0 };
	size_t i, k;

	leaf_disks_named(root, a, name, &below, &arrays);
	for (i = 0; i < below.n; i++) {
		for (k = 0; k < disks->n; k++) {
			if (!strcmp(below.at[i], disks->at[k]))
				return true;
		}
	}
	return false;
}

/* Names that match, below a folder of the root: "sys/class/block/md*" gives "md127". */
static void names_of(const char *root, struct arena *a, const char *pattern, struct list *out)
{
	glob_t found;
	size_t i;

	*out = (struct list){ 0 };
	if (glob(arena_printf(a, "%s/%s", root, pattern), 0, NULL, &found) != 0)
		return;
	for (i = 0; i < found.gl_pathc; i++)
		list_add(a, out, arena_strdup(a, strrchr(found.gl_pathv[i], '/') + 1));
	globfree(&found);
}

/* An array by the name it was given, where /dev/md/ has it: md126 says nothing to a person. */
static const char *array_name(const char *root, struct arena *a, const char *name)
{
	struct list links = { 0 };
	char to[64];
	size_t i;

	names_of(root, a, "dev/md/*", &links);
	for (i = 0; i < links.n; i++) {
		ssize_t len = readlink(arena_printf(a, "%s/dev/md/%s", root,
						    (const char *)links.at[i]), to, sizeof(to) - 1);

		to[len > 0 ? len : 0] = '\0';
		if (!strcmp(strrchr(to, '/') ? strrchr(to, '/') + 1 : to, name))
			return links.at[i];
	}
	return name;
}

static bool look_md(const char *root, struct arena *a, const char *name, struct gate *out)
{
	static const struct {
		const char *action, *word;
	} words[] = {
		{ "resync", "sync" }, { "recover", "rebuild" }, { "reshape", "reshape" },
		{ "check", "check" }, { "repair", "repair" },
	};
	const char *action = file_line(a, root, "/sys/class/block/%s/md/sync_action", name);
	const char *line = file_line(a, root, "/sys/class/block/%s/md/sync_completed", name);
	uint64_t speed = file_u64(0, root, "/sys/class/block/%s/md/sync_speed", name);
	size_t i;

	for (i = 0; action && i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(action, words[i].action))
			continue;
		*out = (struct gate){ .kind = GATE_SYNC,
			.what = arena_printf(a, "the %s of %s", words[i].word,
					     array_name(root, a, name)) };
		if (line && sscanf(line, "%" SCNu64 " / %" SCNu64, &out->done, &out->total) != 2)
			out->done = out->total = 0;
		if (speed && out->total > out->done)	/* sectors; KiB a second */
			out->left_ns = (out->total - out->done) * 1000000000 / 2 / speed;
		return true;
	}
	return false;
}

/* "12.3k" as bcache writes it, in bytes. */
static uint64_t human_bytes(const char *text)
{
	static const char units[] = "kMGTPE";
	char *end;
	double value = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end) : NULL;

	for (; unit && unit >= units; unit--)
		value *= 1024;
	return value > 0 ? (uint64_t)value : 0;
}

static bool look_bcache(const char *root, struct arena *a, const char *name, struct gate *out)
{
	const char *state = file_line(a, root, "/sys/class/block/%s/bcache/state", name);
	const char *dirty = file_line(a, root, "/sys/class/block/%s/bcache/dirty_data", name);

	if (!state || strcmp(state, "dirty") || !dirty || !human_bytes(dirty))
		return false;
	*out = (struct gate){ .kind = GATE_CACHE, .done = human_bytes(dirty),
		.what = arena_printf(a, "the write-back cache of %s, %s behind", name, dirty) };
	return true;
}

static bool bcache_writes_back(const char *root, struct arena *a, const char *name)
{
	const char *state = file_line(a, root, "/sys/class/block/%s/bcache/state", name);
	const char *mode = file_line(a, root, "/sys/class/block/%s/bcache/cache_mode", name);

	return state && strcmp(state, "no cache") && mode && strstr(mode, "[writeback]");
}

/* The n-th word of a line, from 0; NULL when there are not as many. */
static const char *word_at(struct arena *a, const char *line, size_t n)
{
	size_t len;

	for (;; n--) {
		line += strspn(line, " ");
		len = strcspn(line, " ");
		if (!len)
			return NULL;
		if (!n)
			return arena_strndup(a, line, len);
		line += len;
	}
}

/*
 * START LEN raid TYPE N HEALTH DONE/ALL ACTION ...
 * START LEN cache MDBLOCK MD BLOCK USED READHIT READMISS WRITEHIT WRITEMISS DOWN UP DIRTY ...
 * START LEN writecache ERROR BLOCKS FREE WRITING ...
 */
bool gate_dm_line(struct arena *a, const char *name, const char *line, struct gate *out)
{
	const char *type = word_at(a, line, 2), *word;

	if (type && !strcmp(type, "raid")) {
		const char *action = word_at(a, line, 7);

		if (!action || !strcmp(action, "idle") || !strcmp(action, "frozen"))
			return false;
		*out = (struct gate){ .kind = GATE_SYNC,
			.what = arena_printf(a, "the %s of %s", strcmp(action, "recover") ?
					     action : "rebuild", name) };
		word = word_at(a, line, 6);
		if (!word || sscanf(word, "%" SCNu64 "/%" SCNu64, &out->done, &out->total) != 2)
			out->done = out->total = 0;
		return true;
	}
	if (!type || (strcmp(type, "cache") && strcmp(type, "writecache")))
		return false;
	word = word_at(a, line, !strcmp(type, "cache") ? 13 : 6);
	if (!word || !isdigit((unsigned char)*word) || !strtoull(word, NULL, 10))
		return false;
	*out = (struct gate){ .kind = GATE_CACHE, .done = strtoull(word, NULL, 10),
		.what = arena_printf(a, "the write-back cache of %s, %s blocks behind", name, word) };
	return true;
}

static bool dm_writes_back(struct arena *a, const char *line)
{
	const char *type = word_at(a, line, 2);

	return type && (!strcmp(type, "writecache") ||
			(!strcmp(type, "cache") && strstr(line, " writeback ")));
}

bool gate_wants_dm(const char *root, struct arena *a, const struct list *disks)
{
	struct list names;
	size_t i;

	names_of(root, a, "sys/class/block/dm-*", &names);
	for (i = 0; i < names.n; i++) {
		if (shares(root, a, names.at[i], disks))
			return true;
	}
	return false;
}

/* A device of device-mapper by its name ("vg-lv"): is it over one of our disks? */
static bool dm_shares(const char *root, struct arena *a, const struct list *names,
		      const char *name, const struct list *disks)
{
	size_t i;

	for (i = 0; i < names->n; i++) {
		const char *its = file_line(a, root, "/sys/class/block/%s/dm/name",
					    (const char *)names->at[i]);

		if (its && !strcmp(its, name) && shares(root, a, names->at[i], disks))
			return true;
	}
	return false;
}

/* One "NAME: START LEN TYPE ..." after the other; NULL at the end. *rest is the text. */
static const char *next_dm(char **rest, const char **name)
{
	char *line;

	while (*rest && (line = strsep(rest, "\n"))) {
		char *colon = strstr(line, ": ");

		if (!colon)
			continue;
		*colon = '\0';
		*name = line;
		return colon + 2;
	}
	return NULL;
}

/* The lines of `dmsetup status` that belong to devices over our disks. */
static bool look_dm(const char *root, struct arena *a, const struct list *disks,
		    const char *status, enum gate_kind last, struct gate *out)
{
	char *text = status ? arena_strdup(a, status) : NULL;
	const char *line, *name;
	struct list names;

	names_of(root, a, "sys/class/block/dm-*", &names);
	while ((line = next_dm(&text, &name))) {
		if (gate_dm_line(a, name, line, out) && out->kind <= last &&
		    dm_shares(root, a, &names, name, disks))
			return true;
	}
	return false;
}

bool gate_writes_back(const char *root, struct arena *a, const struct list *disks,
		      const char *dm_status)
{
	char *text = dm_status ? arena_strdup(a, dm_status) : NULL;
	const char *line, *name;
	struct list names;
	size_t i;

	names_of(root, a, "sys/class/block/dm-*", &names);
	while ((line = next_dm(&text, &name))) {
		if (dm_writes_back(a, line) && dm_shares(root, a, &names, name, disks))
			return true;
	}
	names_of(root, a, "sys/class/block/bcache[0-9]*", &names);
	for (i = 0; i < names.n; i++) {
		if (bcache_writes_back(root, a, names.at[i]) &&
		    shares(root, a, names.at[i], disks))
			return true;
	}
	return false;
}

static bool look_btrfs(const char *root, struct arena *a, const struct list *disks,
		       struct gate *out)
{
	struct list all, devices;
	size_t i, k;

	names_of(root, a, "sys/fs/btrfs/*-*", &all);
	for (i = 0; i < all.n; i++) {
		const char *op = file_line(a, root, "/sys/fs/btrfs/%s/exclusive_operation",
					   (const char *)all.at[i]);

		if (!op || !strcmp(op, "none") || strstr(op, "paused"))
			continue;
		names_of(root, a, arena_printf(a, "sys/fs/btrfs/%s/devices/*",
					       (const char *)all.at[i]), &devices);
		for (k = 0; k < devices.n; k++) {
			if (!shares(root, a, devices.at[k], disks))
				continue;
			*out = (struct gate){ .kind = GATE_SYNC,
				.what = arena_printf(a, "the %s of the btrfs on %s", op,
						     (const char *)devices.at[k]) };
			return true;
		}
	}
	return false;
}

/* One kernel thread makes the inode tables of all ext4 ready; it ends when it is through. */
static bool look_lazy(const char *root, struct arena *a, const struct list *disks,
		      struct gate *out)
{
	const char *on = NULL;
	struct list names;
	size_t i;

	names_of(root, a, "sys/fs/ext4/*", &names);
	for (i = 0; !on && i < names.n; i++) {
		if (shares(root, a, names.at[i], disks))
			on = names.at[i];
	}
	if (!on)
		return false;
	names_of(root, a, "proc/[0-9]*", &names);
	for (i = 0; i < names.n; i++) {
		const char *comm = file_line(a, root, "/proc/%s/comm", (const char *)names.at[i]);

		if (!comm || strcmp(comm, "ext4lazyinit"))
			continue;
		*out = (struct gate){ .kind = GATE_SYNC,
			.what = arena_printf(a, "the inode tables of the ext4 on %s", on) };
		return true;
	}
	return false;
}

static uint64_t vmstat_pages(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static bool look_dirty(const char *root, struct arena *a, struct gate *out)
{
	struct sbuf text = { 0 };
	char size[SIZE_TEXT];
	uint64_t pages = 0;

	if (file_read(arena_printf(a, "%s/proc/vmstat", root), 1 << 20, &text) == 0)
		pages = vmstat_pages(sbuf_str(&text), "\nnr_dirty ") +
			vmstat_pages(sbuf_str(&text), "\nnr_writeback ");
	sbuf_done(&text);
	if (pages <= QUIET_PAGES)
		return false;
	*out = (struct gate){ .kind = GATE_DIRTY, .done = pages,
		.what = arena_printf(a, "%s in memory that go to the disks",
				     size_text(size, pages * 4096, SIZE_SI)) };
	return true;
}

bool gate_look(const char *root, struct arena *a, const struct list *disks,
	       const char *dm_status, enum gate_kind last, struct gate *out)
{
	struct list names;
	size_t i;

	if (!disks->n)
		return false;
	names_of(root, a, "sys/class/block/md*", &names);
	for (i = 0; i < names.n; i++) {
		if (look_md(root, a, names.at[i], out) && shares(root, a, names.at[i], disks))
			return true;
	}
	if (look_dm(root, a, disks, dm_status, last < GATE_CACHE ? last : GATE_CACHE, out) ||
	    look_btrfs(root, a, disks, out) || look_lazy(root, a, disks, out))
		return true;
	names_of(root, a, "sys/class/block/bcache[0-9]*", &names);
	for (i = 0; last >= GATE_CACHE && i < names.n; i++) {
		if (look_bcache(root, a, names.at[i], out) &&
		    shares(root, a, names.at[i], disks))
			return true;
	}
	return last >= GATE_DIRTY && look_dirty(root, a, out);
}

unsigned gate_percent(const struct gate *g)
{
	if (!g->total)
		return 0;
	return g->done >= g->total ? 100 : (unsigned)((double)g->done * 100 / (double)g->total);
}

void gate_text(const struct gate *g, struct sbuf *out)
{
	char left[SIZE_TEXT];

	sbuf_addf(out, "waiting for %s", g->what);
	if (g->total)
		sbuf_addf(out, ": %u %%", gate_percent(g));
	if (g->left_ns)
		sbuf_addf(out, ", %s left", duration_text(left, g->left_ns));
}
