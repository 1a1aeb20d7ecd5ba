/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sig - everything recognised on a device, as wipefs lists it.
 *
 * libblkid alone answers with one type; here every find is hidden from it and it is asked
 * again, so that a btrfs written over a GPT, the backup of a GPT whose head was zeroed and
 * a forgotten md superblock all come out. Nothing is written: hiding happens in
 * libblkid's buffers. Of a recorded machine the same lines come from a text file.
 */
#include "disk/room.h"

#include <blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/fs.h>
#include <unistd.h>

enum { MOST_SIGS = 512 };	/* of one device; zfs alone has four labels of many blocks */

static const char *probe_text(struct arena *a, blkid_probe pr, const char *name)
{
	const char *value;
	size_t len;

	if (blkid_probe_lookup_value(pr, name, &value, &len) || !len || !*value)
		return NULL;
	return text_trim(a, arena_strndup(a, value, len));
}

/* One result of the probe as a signature; *len is how long its magic is, 0 unknown. */
static struct sig *probe_sig(struct arena *a, blkid_probe pr, const char *on, size_t *len)
{
	struct sig *s = arena_alloc(a, sizeof(*s));
	const char *offset, *magic;

	*s = (struct sig){ .on = on };
	*len = 0;
	if (blkid_probe_lookup_value(pr, "SBMAGIC_OFFSET", &offset, NULL) == 0) {
		blkid_probe_lookup_value(pr, "SBMAGIC", &magic, len);
	} else if (blkid_probe_lookup_value(pr, "PTMAGIC_OFFSET", &offset, NULL) == 0) {
		blkid_probe_lookup_value(pr, "PTMAGIC", &magic, len);
	} else {
		offset = NULL;
	}
	s->offset = offset ? strtoull(offset, NULL, 10) : 0;
	s->type = probe_text(a, pr, "TYPE");
	if (s->type) {
		s->usage = probe_text(a, pr, "USAGE");
		s->label = probe_text(a, pr, "LABEL");
		s->uuid = probe_text(a, pr, "UUID");
	} else {
		s->type = probe_text(a, pr, "PTTYPE");
		s->usage = "table";
		s->uuid = probe_text(a, pr, "PTUUID");
	}
	if (!s->usage)
		s->usage = "other";
	return s->type ? s : NULL;
}

static void probe_all(struct arena *a, blkid_probe pr, const char *on, struct list *found)
{
	size_t len, rounds = 0;

	blkid_probe_enable_superblocks(pr, 1);
	blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_TYPE |
					  BLKID_SUBLKS_USAGE | BLKID_SUBLKS_LABEL |
					  BLKID_SUBLKS_UUID | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(pr, 1);
	blkid_probe_set_partitions_flags(pr, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
	while (found->n < MOST_SIGS && rounds++ < 2 * MOST_SIGS && blkid_do_probe(pr) == 0) {
		struct sig *s = probe_sig(a, pr, on, &len);

		if (!s)
			continue;
		list_add(a, found, s);
		if (len) {
			blkid_probe_hide_range(pr, s->offset, len);
			blkid_probe_step_back(pr);
		}
	}
}

static bool has_at(const struct list *found, uint64_t offset)
{
	size_t i;

	for (i = 0; i < found->n; i++) {
		if (((struct sig *)found->at[i])->offset == offset)
			return true;
	}
	return false;
}

/* libblkid looks for a backup GPT only where the first sectors still speak of one. */
static void backup_gpt(struct arena *a, int fd, uint64_t bytes, const char *on,
		       struct list *found)
{
	static const uint64_t sizes[] = { 512, 4096 };
	char magic[8];
	size_t i;

	for (i = 0; i < 2; i++) {
		struct sig *s;
		uint64_t at = bytes - sizes[i];

		if (bytes < 2 * sizes[i] || has_at(found, at) ||
		    pread(fd, magic, 8, (off_t)at) != 8 || memcmp(magic, "EFI PART", 8))
			continue;
		s = arena_alloc(a, sizeof(*s));
		*s = (struct sig){ .type = "gpt", .usage = "table", .offset = at, .on = on };
		list_add(a, found, s);
	}
}

/* libblkid has no label for a physical volume: the name of its group is what people know. */
static void name_groups(struct arena *a, int fd, struct list *found)
{
	size_t i;

	for (i = 0; i < found->n; i++) {
		struct sig *s = found->at[i];

		if (!strcmp(s->type, "LVM2_member") && !s->label)
			s->label = lvm_group_name(a, fd);
	}
}

static int sig_order(const void *x, const void *y)
{
	const struct sig *a = x, *b = y;
	int names = name_compare(a->on, b->on);

	if (names)
		return names;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return strcmp(a->type, b->type);
}

static void sigs_put(struct arena *a, const struct list *found, struct sig **sigs, size_t *n)
{
	size_t i;

	*n = found->n;
	*sigs = found->n ? arena_array(a, found->n, sizeof(**sigs)) : NULL;
	for (i = 0; i < found->n; i++)
		(*sigs)[i] = *(struct sig *)found->at[i];
	if (found->n)
		qsort(*sigs, found->n, sizeof(**sigs), sig_order);
}

static int device_bytes(int fd, uint64_t *bytes)
{
	off_t end;

	if (ioctl(fd, BLKGETSIZE64, bytes) == 0)
		return 0;
	end = lseek(fd, 0, SEEK_END);
	if (end < 0)
		return -1;
	*bytes = (uint64_t)end;
	return 0;
}

/* A disk that answers no read must not pass for a blank one: read its first sector. */
static int sig_probe(struct arena *a, const char *dev, const char *on, struct list *found,
		     struct err *e)
{
	int fd = open(dev, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	blkid_probe pr = NULL;
	uint64_t bytes = 0;
	char sector[4096];
	int rc = -1;

	if (fd < 0)
		return err_sys(e, "%s cannot be opened", dev);
	if (device_bytes(fd, &bytes)) {
		err_sys(e, "%s has no size", dev);
		goto out;
	}
	if (bytes && (pread(fd, sector, bytes < 4096 ? bytes : 4096, 0) < 0 ||
		      pread(fd, sector, 512, (off_t)(bytes < 512 ? 0 : bytes - 512)) < 0)) {
		err_sys(e, "%s cannot be read", dev);
		goto out;
	}
	pr = blkid_new_probe();
	if (!pr)
		die("no memory");
	if (bytes && blkid_probe_set_device(pr, fd, 0, 0)) {
		err_sys(e, "%s cannot be probed", dev);
		goto out;
	}
	if (bytes) {
		probe_all(a, pr, on, found);
		backup_gpt(a, fd, bytes, on, found);
		name_groups(a, fd, found);
	}
	rc = 0;
out:
	blkid_free_probe(pr);
	close(fd);
	return rc;
}

int sig_read(struct arena *a, const char *dev, struct sig **sigs, size_t *n, struct err *e)
{
	const char *slash = strrchr(dev, '/');
	struct list found = { 0 };

	if (sig_probe(a, dev, arena_strdup(a, slash ? slash + 1 : dev), &found, e))
		return -1;
	sigs_put(a, &found, sigs, n);
	return 0;
}

/* Where usage was not recorded (wipefs does not tell), it follows from the type. */
static const char *usage_of(const char *type)
{
	static const struct {
		const char *type, *usage;
	} rows[] = {
		{ "gpt", "table" }, { "dos", "table" }, { "PMBR", "table" }, { "mac", "table" },
		{ "bsd", "table" }, { "sun", "table" }, { "atari", "table" },
		{ "LVM2_member", "raid" }, { "LVM1_member", "raid" }, { "bcache", "other" },
		{ "swap", "other" }, { "crypto_LUKS", "crypto" }, { "DM_integrity", "crypto" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!strcmp(type, rows[i].type))
			return rows[i].usage;
	}
	return strstr(type, "raid_member") ? "raid" : "filesystem";
}

/* <root>/naslab/signatures: "on type usage offset label uuid", "-" for nothing. */
void machine_read_recorded(struct machine *m)
{
	struct sbuf path = { 0 }, text = { 0 };
	const char *s;

	sbuf_addf(&path, "%s/naslab/signatures", m->root);
	m->has_recorded = file_read(path.text, 16 << 20, &text) == 0;
	for (s = sbuf_str(&text); *s; s += *s == '\n') {
		const char *word[6] = { 0 };
		size_t n = 0, len;

		while (*s && *s != '\n') {
			s += strspn(s, " \t");
			len = strcspn(s, " \t\n");
			if (len && n < 6)
				word[n++] = percent_decode(m->a, s, len);
			s += len;
		}
		if (n >= 4 && *word[0] != '#') {
			struct sig *sig = arena_alloc(m->a, sizeof(*sig));

			*sig = (struct sig){ .on = word[0], .type = word[1],
				.usage = strcmp(word[2], "-") ? word[2] : usage_of(word[1]),
				.offset = strtoull(word[3], NULL, 0),
				.label = word[4] && strcmp(word[4], "-") ? word[4] : NULL,
				.uuid = word[5] && strcmp(word[5], "-") ? word[5] : NULL };
			list_add(m->a, &m->recorded, sig);
		}
	}
	sbuf_done(&path);
	sbuf_done(&text);
}

static void recorded_of(const struct machine *m, const char *name, struct list *found)
{
	size_t i;

	for (i = 0; i < m->recorded.n; i++) {
		struct sig *s = m->recorded.at[i];

		if (!strcmp(s->on, name))
			list_add(m->a, found, s);
	}
}

/* What udev saw, for somebody who may not read the device: no offset, one type at most. */
static void udev_sig(const struct machine *m, const struct node *n, struct list *found)
{
	struct udev_db db = { 0 };
	const char *type, *table;
	struct sig *s;

	udev_db_read(m, n, &db);
	type = udev_db_get(&db, "ID_FS_TYPE");
	table = udev_db_get(&db, "ID_PART_TABLE_TYPE");
	if (type && *type) {
		const char *usage = udev_db_get(&db, "ID_FS_USAGE");

		s = arena_alloc(m->a, sizeof(*s));
		*s = (struct sig){ .on = n->name, .type = type,
			.usage = usage && *usage ? usage : usage_of(type),
			.label = text_trim(m->a, udev_db_get(&db, "ID_FS_LABEL")),
			.uuid = text_trim(m->a, udev_db_get(&db, "ID_FS_UUID")) };
		list_add(m->a, found, s);
	}
	if (table && *table && !n->parent) {
		s = arena_alloc(m->a, sizeof(*s));
		*s = (struct sig){ .on = n->name, .type = table, .usage = "table",
			.uuid = text_trim(m->a, udev_db_get(&db, "ID_PART_TABLE_UUID")) };
		list_add(m->a, found, s);
	}
}

static void sigs_of(const struct machine *m, const struct node *n, struct disk *d,
		    struct list *found)
{
	struct err e = { 0 };
	size_t i;

	if (m->live) {
		char *dev = arena_printf(m->a, "/dev/%s", n->name);

		for (i = 0; dev[i]; i++) {
			if (dev[i] == '!')
				dev[i] = '/';
		}
		if (sig_probe(m->a, dev, n->name, found, &e)) {
			d->unread = true;
			if (!d->why)
				d->why = arena_strdup(m->a, e.text);
			udev_sig(m, n, found);
		}
	} else if (m->has_recorded) {
		recorded_of(m, n->name, found);
	} else {
		d->unread = true;
		d->why = "the recording has no signatures";
		udev_sig(m, n, found);
	}
	for (i = 0; i < n->kids.n; i++)
		sigs_of(m, n->kids.at[i], d, found);
}

void disk_read_sigs(const struct machine *m, const struct node *n, struct disk *d)
{
	struct list found = { 0 };

	sigs_of(m, n, d, &found);
	sigs_put(m->a, &found, &d->sigs, &d->n_sigs);
}
