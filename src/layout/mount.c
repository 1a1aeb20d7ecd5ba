/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mount - what the file system layers have in common.
 *
 * A mount option reaches the kernel only when a table here or in the layer knows the
 * word and its value, so a recipe cannot carry a path, a device or a surprise.
 */
#include "layout/mount.h"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "layout/recipe.h"

enum { WORD_ROOM = 64, MOST_WORDS = 24 };

/* The words of the VFS; none of them changes what statvfs says. */
static const struct mount_word common[] = {
	{ .name = "noatime" }, { .name = "relatime" }, { .name = "strictatime" },
	{ .name = "nodiratime" }, { .name = "lazytime" }, { .name = "nodev" },
	{ .name = "nosuid" }, { .name = "noexec" }, { .name = NULL }
};

static const struct mount_word *word_find(const struct mount_word *table, const char *name)
{
	for (; table && table->name; table++) {
		if (!strcmp(table->name, name))
			return table;
	}
	return NULL;
}

static bool word_in(const char *word, size_t len, const char *words)
{
	const char *at = words;

	while (*at) {
		size_t n = strcspn(at, " ");

		if (n == len && !memcmp(at, word, n))
			return true;
		at += n + (at[n] == ' ');
	}
	return false;
}

/* The nearest word of both tables, for the sentence. */
static const char *near_word(const char *name, const struct mount_word *own)
{
	const char *all[96];
	size_t n = 0, i;

	for (i = 0; common[i].name && n < 96; i++)
		all[n++] = common[i].name;
	for (i = 0; own && own[i].name && n < 96; i++)
		all[n++] = own[i].name;
	return nearest_word(name, all, n);
}

/*
 * Digits and one letter of either case, as the kernel reads it. It rounds what is no power of
 * two down without a word (xfs on 6.18 made 1M of 3M), so that is refused.
 */
static int check_size(const struct mount_word *w, const char *value, struct err *e)
{
	size_t digits = strspn(value, "0123456789");
	char least[SIZE_TEXT], most[SIZE_TEXT];
	uint64_t bytes = 0;

	if (digits && (!value[digits] || (strchr("kmgKMG", value[digits]) && !value[digits + 1])) &&
	    !size_parse(value, &bytes, e) && bytes >= w->min && bytes <= w->max &&
	    !(bytes & (bytes - 1)))
		return 0;
	return err_set(e, ERR_USAGE, "mount option %s is a power of two from %s to %s, not \"%.40s\"",
		       w->name, size_option_text(least, w->min), size_option_text(most, w->max),
		       value);
}

static int check_value(const struct mount_word *w, const char *value, struct err *e)
{
	const char *level;
	uint64_t number;
	size_t len;

	if (w->kind == MOUNT_FLAG)
		return value ? err_set(e, ERR_USAGE, "mount option %s takes no value", w->name) : 0;
	if (!value || !*value)
		return err_set(e, ERR_USAGE, "mount option %s needs a value, as in %s=%s", w->name,
			       w->name, w->kind == MOUNT_NUMBER ? "30" : w->kind == MOUNT_SIZE ?
			       "64k" : "...");
	if (w->kind == MOUNT_NUMBER)
		return count_parse(w->name, value, w->min, w->max, &number, e);
	if (w->kind == MOUNT_SIZE)
		return check_size(w, value, e);
	level = w->kind == MOUNT_LEVEL ? strchr(value, ':') : NULL;
	len = level ? (size_t)(level - value) : strlen(value);
	if (!word_in(value, len, w->words))
		return err_set(e, ERR_USAGE, "mount option %s is one of: %s; not \"%.40s\"", w->name,
			       w->words, value);
	if (!level)
		return 0;
	if (!strncmp(value, "lzo", len) || !strncmp(value, "no", len))
		return err_set(e, ERR_USAGE, "mount option %s: %.*s has no levels", w->name, (int)len,
			       value);
	return count_parse(w->name, level + 1, w->min, !strncmp(value, "zlib", len) ? 9 : w->max,
			   &number, e);
}

static int check_word(char *word, const struct mount_word *own, const struct mount_word **seen,
		      size_t n_seen, struct err *e)
{
	char *value = strchr(word, '=');
	const struct mount_word *w;
	size_t i;

	if (value)
		*value++ = '\0';
	w = word_find(common, word);
	if (!w)
		w = word_find(own, word);
	if (!w) {
		const char *near = near_word(word, own);

		return err_set(e, ERR_USAGE, "no mount option \"%.40s\" is known here%s%s%s", word,
			       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	}
	for (i = 0; i < n_seen; i++) {
		if (seen[i] == w)
			return err_set(e, ERR_USAGE, "mount option %s is given twice", w->name);
	}
	seen[n_seen] = w;
	return check_value(w, value, e);
}

int mount_check(const struct stmt *st, const struct mount_word *own, struct err *e)
{
	const char *at = stmt_value(st, "mount");
	const struct mount_word *seen[MOST_WORDS];
	char word[WORD_ROOM];
	size_t len, n = 0;

	while (at) {
		len = strcspn(at, ",");
		if (!len || len >= sizeof(word) || n == MOST_WORDS)
			return err_set(e, ERR_USAGE, "mount options are words like noatime,commit=30; "
				       "not \"%.40s\"", at);
		memcpy(word, at, len);
		word[len] = '\0';
		if (check_word(word, own, seen, n++, e))
			return -1;
		at = at[len] ? at + len + 1 : NULL;
	}
	return 0;
}

int stripe_check(const struct stmt *st, struct err *e)
{
	const char *su = stmt_value(st, "su");
	uint64_t bytes = 0;

	if (!su != !stmt_value(st, "sw"))
		return err_set(e, ERR_USAGE, "su= and sw= go together: the chunk, and the members that hold data");
	if (su && size_parse(su, &bytes, e))
		return -1;
	if (bytes % 4096)
		return err_set(e, ERR_USAGE, "su is a multiple of 4K, not %s", su);
	return 0;
}

/* The folder above a mount point, when it was made for this build: not /srv itself. */
static const char *folder_above(struct arena *a, const char *dir)
{
	const char *end = strrchr(dir, '/');
	char *above = arena_strndup(a, dir, (size_t)(end - dir));

	return strcmp(above, "/srv") ? above : NULL;
}

void plan_mount_point(struct plan *p, const struct node *n)
{
	struct step *s = plan_step(p, n->layer->name, "make the mount point %s", n->dir);
	const char *above = folder_above(p->arena, n->dir);

	step_args(p, s, "mkdir", "-p", n->dir, NULL);
	s->again = true;
	/* what somebody put below while nothing was mounted is not ours to delete */
	step_undo(p, s, "rmdir", "--ignore-fail-on-non-empty", n->dir, NULL);
	if (above)
		step_undo(p, s, "rmdir", "--ignore-fail-on-non-empty", above, NULL);
}

void plan_mount(struct plan *p, const struct node *n, const char *fstype, const char *dev,
		const char *options)
{
	struct step *s;
	unsigned i;

	plan_mount_point(p, n);
	s = plan_step(p, n->layer->name, node_opens_by_hand(n) || !node_yes(n, "boot") ?
		      "mount %s at %s; after a restart: naslab mount %s" : "mount %s at %s", fstype, n->dir,
		      p->stack->name);
	step_args(p, s, "mount", "-t", fstype, NULL);
	if (options)
		step_args(p, s, "-o", options, NULL);
	step_args(p, s, dev, n->dir, NULL);
	for (i = 0; i < n->n_kids; i++)
		step_writes(p, s, n->kids[i]);
	step_makes(p, s, n->dir, 0);
	s->again = true;
	step_undo(p, s, "umount", n->dir, NULL);
	plan_mount_unit(p, n, dev, fstype, options);
}

/* One line of mountinfo: is it that folder and type? *ro: the file system cannot be written. */
static bool line_is(char *line, const char *dir, const char *fstype, bool *ro)
{
	char *save = NULL, *word, *tail = strstr(line, " - ");
	unsigned field = 0;

	if (!tail)
		return false;
	*tail = '\0';
	for (word = strtok_r(line, " ", &save); word && field < 4; field++)
		word = strtok_r(NULL, " ", &save);
	if (!word || strcmp(word, dir))
		return false;
	word = strtok_r(tail + 3, " ", &save);
	if (!word || strcmp(word, fstype))
		return false;
	word = strtok_r(NULL, " ", &save);		/* the source */
	word = word ? strtok_r(NULL, " ", &save) : NULL;
	*ro = word && (!strcmp(word, "ro") || !strncmp(word, "ro,", 3));
	return true;
}

static bool is_mounted(const char *dir, const char *fstype, const char *root, struct arena *a,
		       bool *ro)
{
	struct sbuf text = { 0 };
	char *at, *line;
	bool found = false;

	*ro = false;
	if (file_read(arena_printf(a, "%s/proc/self/mountinfo", root), 8 << 20, &text)) {
		sbuf_done(&text);
		return false;
	}
	at = text.text;
	while (at && (line = strsep(&at, "\n")))
		found |= line_is(line, dir, fstype, ro);
	sbuf_done(&text);
	return found;
}

/* The devices it lies on, in bytes; 0 when one of them is not there. */
static uint64_t bytes_below(const struct node *n, const char *root, struct arena *a)
{
	uint64_t sum = 0, one;
	unsigned i;

	for (i = 0; i < n->n_kids; i++) {
		const struct node *kid = n->kids[i];
		const char *name = node_kernel_name(kid, root, a);

		if (kid->gives == THING_DIR)
			one = bytes_below(kid, root, a);
		else
			one = name ? 512 * file_u64(0, root, "/sys/class/block/%s/size", name) : 0;
		if (!one)
			return 0;
		sum += one;
	}
	return sum;
}

int mount_status(const struct node *n, const char *fstype, const char *root, struct arena *a,
		 struct live *out)
{
	struct statvfs v;
	bool ro;

	out->bytes = bytes_below(n, root, a);
	if (!n->dir || !is_mounted(n->dir, fstype, root, a, &ro)) {
		out->state = "missing";
		out->detail = "not mounted";
		return 0;
	}
	out->present = true;
	out->state = ro ? "failed" : "ok";
	out->detail = ro ? "read-only: the kernel stopped writing after an error" : NULL;
	if (*root || statvfs(n->dir, &v))
		return 0;
	out->total = (uint64_t)v.f_blocks * v.f_frsize;
	out->avail = (uint64_t)v.f_bavail * v.f_frsize;
	return 0;
}
