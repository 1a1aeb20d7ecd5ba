/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * use - who uses a disk: mounts, swap, md, device mapper, LVM, bcache, btrfs members that
 * no mount table shows, files behind loop devices, and who holds it open exclusively.
 *
 * First everything is noted on the device it directly concerns; then, for one disk, the
 * graph is walked upward, so that sdk answers "vg0, holds /home".
 */
#include "disk/room.h"

#include <errno.h>
#include <fcntl.h>
#include <libmount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void hold(struct machine *m, struct node *n, const char *kind, const char *what,
		 const char *place)
{
	struct held *h;
	size_t i;

	for (i = 0; i < n->held.n; i++) {
		h = n->held.at[i];
		if (!strcmp(h->kind, kind) && !strcmp(h->what, what))
			return;
	}
	h = arena_alloc(m->a, sizeof(*h));
	*h = (struct held){ .kind = kind, .what = what, .place = place };
	list_add(m->a, &n->held, h);
}

static void hold_mount(struct machine *m, struct node *n, const char *place)
{
	hold(m, n, strcmp(place, "/") ? "mount" : "root", place, place);
}

/* bcachefs names all its devices in the source, with colons between them. */
static void hold_mounts(struct machine *m)
{
	size_t i, len;

	for (i = 0; i < m->mounts.n; i++) {
		const struct mounted *mt = m->mounts.at[i];
		const char *s = mt->source;

		if (mt->node)
			hold_mount(m, mt->node, mt->place);
		if (!s || strncmp(s, "/dev/", 5) || !strchr(s, ':'))
			continue;
		for (; *s; s += len + (s[len] == ':')) {
			struct node *n;

			len = strcspn(s, ":");
			n = node_by_path(m, arena_strndup(m->a, s, len));
			if (n)
				hold_mount(m, n, mt->place);
		}
	}
}

/* The mount a file lies on: the longest mount point that is a head of its path. */
static const struct mounted *mount_of_file(const struct machine *m, const char *path)
{
	const struct mounted *best = NULL;
	size_t i, best_len = 0;

	for (i = 0; i < m->mounts.n; i++) {
		const struct mounted *mt = m->mounts.at[i];
		size_t len = strlen(mt->place);

		if (len == 1)
			len = 0;	/* "/" */
		if (strncmp(path, mt->place, len) || path[len] != '/')
			continue;
		if (!best || len >= best_len) {
			best = mt;
			best_len = len;
		}
	}
	return best;
}

static void hold_swaps(struct machine *m)
{
	const char *path = arena_printf(m->a, "%s/proc/swaps", m->root);
	struct libmnt_table *table = mnt_new_table();
	struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;

	if (!table || !it)
		die("no memory");
	if (mnt_table_parse_swaps(table, path) == 0) {
		while (mnt_table_next_fs(table, it, &fs) == 0) {
			const char *src = arena_strdup(m->a, mnt_fs_get_source(fs));
			struct node *n = src ? node_by_path(m, src) : NULL;
			const struct mounted *mt;

			if (n) {
				hold(m, n, "swap", "swap", "swap");
				continue;
			}
			mt = src ? mount_of_file(m, src) : NULL;
			if (mt && mt->node)
				hold(m, mt->node, "swap",
				     arena_printf(m->a, "swap file %s", src), "swap");
		}
	}
	mnt_free_iter(it);
	mnt_unref_table(table);
}

struct btrfs {
	struct machine *m;
	const char *dir;
	struct list members;	/* struct node */
};

static void btrfs_member(void *ctx, const char *name)
{
	struct btrfs *b = ctx;
	struct node *n = node_find(b->m, name);

	if (n)
		list_add(b->m->a, &b->members, n);
}

static bool list_has(const struct list *l, const void *item)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (l->at[i] == item)
			return true;
	}
	return false;
}

/*
 * One mounted btrfs. The mount table names one of its devices; all the others are as
 * busy, and only this directory knows them.
 */
static void btrfs_one(void *ctx, const char *uuid)
{
	struct machine *m = ctx;
	struct btrfs b = { .m = m };
	const char *label, *devices;
	struct node *first = NULL;
	size_t i, k;

	devices = arena_printf(m->a, "/sys/fs/btrfs/%s/devices", uuid);
	if (!root_has(m, "%s", devices))
		return;
	root_each(m, devices, btrfs_member, &b);
	label = file_line(m->a, m->root, "/sys/fs/btrfs/%s/label", uuid);
	for (k = 0; k < m->mounts.n; k++) {
		const struct mounted *mt = m->mounts.at[k];

		if (!mt->node || !list_has(&b.members, mt->node))
			continue;
		first = mt->node;
		for (i = 0; i < b.members.n; i++) {
			if (b.members.at[i] != mt->node)
				hold(m, b.members.at[i], "btrfs",
				     arena_printf(m->a, "%s, one btrfs with %s", mt->place,
						  mt->node->name), mt->place);
		}
	}
	for (i = 0; !first && i < b.members.n; i++)
		hold(m, b.members.at[i], "btrfs",
		     arena_printf(m->a, "btrfs \"%s\", mounted out of sight",
				  label && *label ? label : uuid), NULL);
}

/* A loop device claims neither its file's disk nor the device behind it: ask it. */
static void hold_loops(struct machine *m)
{
	size_t i;

	for (i = 0; i < m->nodes.n; i++) {
		struct node *n = m->nodes.at[i];
		const char *file;
		const struct mounted *mt;
		struct node *under;

		if (n->parent)
			continue;
		file = file_line(m->a, m->root, "%s/loop/backing_file", n->dir);
		if (!file || *file != '/')
			continue;
		under = node_by_path(m, file);
		if (under) {
			list_add(m->a, &under->holders, n);
			continue;
		}
		mt = mount_of_file(m, file);
		if (mt && mt->node)
			hold(m, mt->node, "loop",
			     arena_printf(m->a, "%s as %s", file, n->name), NULL);
	}
}

/* A cache device of bcache has no holder before a backing device is attached to it. */
static void hold_caches(struct machine *m)
{
	size_t i;

	for (i = 0; i < m->nodes.n; i++) {
		struct node *n = m->nodes.at[i];

		if (!n->holders.n && root_has(m, "%s/bcache/set", n->dir))
			hold(m, n, "bcache", "cache device of bcache", NULL);
	}
}

void machine_read_uses(struct machine *m)
{
	hold_mounts(m);
	hold_swaps(m);
	root_each(m, "/sys/fs/btrfs", btrfs_one, m);
	hold_loops(m);
	hold_caches(m);
}

/* Everything that is reached from here, as places: "/", "/home", "swap". */
static void gather(struct machine *m, struct node *n, struct list *places)
{
	size_t i, k;

	if (n->seen)
		return;
	n->seen = true;
	for (i = 0; i < n->held.n; i++) {
		struct held *h = n->held.at[i];

		for (k = 0; h->place && k < places->n; k++) {
			if (!strcmp(places->at[k], h->place))
				break;
		}
		if (h->place && k == places->n)
			list_add(m->a, places, (void *)(uintptr_t)h->place);
	}
	for (i = 0; i < n->holders.n; i++)
		gather(m, n->holders.at[i], places);
	for (i = 0; i < n->kids.n; i++)
		gather(m, n->kids.at[i], places);
}

static bool place_is_system(const char *place)
{
	static const char *const exact[] = { "/", "swap", "/usr", "/var", "/efi", "/boot" };
	size_t i;

	for (i = 0; i < sizeof(exact) / sizeof(exact[0]); i++) {
		if (!strcmp(place, exact[i]))
			return true;
	}
	return !strncmp(place, "/boot/", 6);
}

/* The volume group of a device mapper name: what stands before a lone hyphen. */
static const char *vg_of(struct arena *a, const char *dm_name)
{
	struct sbuf b = { 0 };
	const char *vg;

	for (; *dm_name; dm_name++) {
		if (*dm_name == '-' && dm_name[1] != '-')
			break;
		if (*dm_name == '-')
			dm_name++;
		sbuf_addc(&b, *dm_name);
	}
	vg = arena_strdup(a, sbuf_str(&b));
	sbuf_done(&b);
	return vg;
}

/* What a holder is called: kind and name of the struct use it becomes. */
static void holder_words(struct machine *m, const struct node *h, const char **kind,
			 const char **name)
{
	const char *uuid = h->dm_uuid ? h->dm_uuid : "";
	const struct node *whole = h->parent ? h->parent : h;

	*name = h->name;
	*kind = "holder";
	if (whole->dm_name) {
		*kind = "dm";
		*name = arena_printf(m->a, "%s%s", !strncmp(uuid, "CRYPT-", 6) ? "LUKS " :
				     !strncmp(uuid, "mpath-", 6) ? "multipath " : "",
				     whole->dm_name);
		if (!strncmp(uuid, "LVM-", 4)) {
			*kind = "lvm";
			*name = arena_printf(m->a, "LVM %s", vg_of(m->a, whole->dm_name));
		}
	} else if (root_has(m, "%s/md", whole->dir)) {
		*kind = "md";
	} else if (root_has(m, "%s/loop", whole->dir)) {
		*kind = "loop";
	} else if (!strncmp(whole->name, "bcache", 6)) {
		*kind = "bcache";
	}
}

static struct use *use_add(struct list *uses, struct machine *m, const char *kind,
			   const char *on, const char *what)
{
	struct use *u = arena_alloc(m->a, sizeof(*u));

	*u = (struct use){ .kind = kind, .on = on, .what = what };
	list_add(m->a, uses, u);
	return u;
}

static const char *places_text(struct arena *a, const struct list *places)
{
	enum { SHOWN = 4 };
	struct sbuf b = { 0 };
	const char *text;
	size_t i;

	for (i = 0; i < places->n && i < SHOWN; i++)
		sbuf_addf(&b, "%s%s", i ? ", " : "", (const char *)places->at[i]);
	if (places->n > SHOWN)
		sbuf_addf(&b, " and %zu more", places->n - SHOWN);
	text = arena_strdup(a, sbuf_str(&b));
	sbuf_done(&b);
	return text;
}

/* All the volumes of one group are one use; so are all paths to one array. */
static void uses_of_holders(struct machine *m, struct node *n, struct list *uses, bool *is_system)
{
	size_t i, k, p;

	for (i = 0; i < n->holders.n; i++) {
		const char *kind, *name, *other_kind, *other;
		struct list places = { 0 };
		bool again = false;

		holder_words(m, n->holders.at[i], &kind, &name);
		for (k = 0; k < i && !again; k++) {
			holder_words(m, n->holders.at[k], &other_kind, &other);
			again = !strcmp(name, other);
		}
		if (again)
			continue;
		for (k = 0; k < m->nodes.n; k++)
			((struct node *)m->nodes.at[k])->seen = false;
		for (k = i; k < n->holders.n; k++) {
			holder_words(m, n->holders.at[k], &other_kind, &other);
			if (!strcmp(name, other))
				gather(m, n->holders.at[k], &places);
		}
		for (p = 0; p < places.n; p++)
			*is_system |= place_is_system(places.at[p]);
		use_add(uses, m, kind, n->name, places.n ?
			arena_printf(m->a, "%s, holds %s", name, places_text(m->a, &places)) :
			!strcmp(kind, "loop") ? name :
			arena_printf(m->a, "%s, not mounted", name));
	}
}

static void uses_of(struct machine *m, struct node *n, struct list *uses, bool *is_system)
{
	size_t i;

	for (i = 0; i < n->held.n; i++) {
		const struct held *h = n->held.at[i];

		use_add(uses, m, h->kind, n->name, h->what);
		if (h->place)
			*is_system |= place_is_system(h->place);
	}
	uses_of_holders(m, n, uses, is_system);
	for (i = 0; i < n->kids.n; i++)
		uses_of(m, n->kids.at[i], uses, is_system);
}

static void uses_put(struct arena *a, struct disk *d, const struct list *uses)
{
	struct use *all = arena_array(a, d->n_uses + uses->n, sizeof(*all));
	size_t i;

	for (i = 0; i < d->n_uses; i++)
		all[i] = d->uses[i];
	for (i = 0; i < uses->n; i++)
		all[d->n_uses + i] = *(struct use *)uses->at[i];
	d->uses = all;
	d->n_uses += uses->n;
}

void disk_read_uses(struct machine *m, struct node *n, struct disk *d)
{
	struct list uses = { 0 };

	uses_of(m, n, &uses, &d->is_system);
	if (uses.n)
		uses_put(m->a, d, &uses);
}

static bool group_is_live(const struct machine *m, const char *group)
{
	size_t i;

	for (i = 0; i < m->nodes.n; i++) {
		const struct node *n = m->nodes.at[i];

		if (n->dm_name && n->dm_uuid && !strncmp(n->dm_uuid, "LVM-", 4) &&
		    !strcmp(vg_of(m->a, n->dm_name), group))
			return true;
	}
	return false;
}

/*
 * A physical volume that has no volume on it yet, of a group that has some elsewhere: no
 * holder and no claim shows it, and without it the group is broken. Needs the signatures.
 */
void disk_ask_groups(struct machine *m, struct disk *d)
{
	struct list uses = { 0 };
	size_t i, k;

	for (i = 0; i < d->n_sigs; i++) {
		const struct sig *s = &d->sigs[i];

		if (strcmp(s->type, "LVM2_member") || !s->label || !group_is_live(m, s->label))
			continue;
		for (k = 0; k < d->n_uses && strcmp(d->uses[k].on, s->on); k++)
			;
		if (k == d->n_uses)
			use_add(&uses, m, "lvm", s->on,
				arena_printf(m->a, "LVM %s, nothing on this part of it", s->label));
	}
	if (uses.n)
		uses_put(m->a, d, &uses);
}

static bool node_is_open(const struct node *n)
{
	char *path = NULL;
	int fd;

	if (asprintf(&path, "/dev/%s", n->name) < 0)
		die("no memory");
	for (char *s = path; *s; s++) {
		if (*s == '!')
			*s = '/';
	}
	fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);
	free(path);
	if (fd >= 0) {
		close(fd);
		return false;
	}
	return errno == EBUSY;
}

/*
 * The last question: the kernel lets one claim a device. It answers for what no list
 * showed (another mount namespace, zfs, an iSCSI target, a program). The whole disk is
 * refused as well when a partition is claimed, so it is only asked when nobody was found.
 */
void disk_ask_exclusive(struct machine *m, struct node *n, struct disk *d)
{
	struct list uses = { 0 };
	size_t i, k;

	if (!m->live)
		return;
	for (i = 0; i < n->kids.n; i++) {
		const struct node *part = n->kids.at[i];

		for (k = 0; k < d->n_uses && strcmp(d->uses[k].on, part->name); k++)
			;
		if (k == d->n_uses && node_is_open(part))
			use_add(&uses, m, "open", part->name, "opened exclusively by a program");
	}
	if (!uses.n && !d->n_uses && node_is_open(n))
		use_add(&uses, m, "open", n->name, "opened exclusively by a program");
	if (uses.n)
		uses_put(m->a, d, &uses);
}
