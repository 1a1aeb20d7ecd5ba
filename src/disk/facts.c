/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts - what a disk is: size, sectors, class, model, serial, WWN, how it is connected.
 *
 * From the udev database where it has better words (whole model names, the serial behind
 * a SAS target), else from sysfs alone, which is all a small system or the sandbox has.
 * The class comes from the type of device first, then from the rotational flag: newer
 * kernels call a DVD drive "not rotating".
 */
#include "disk/room.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAJOR_RAM = 1, MAJOR_FLOPPY = 2, MAJOR_LOOP = 7, MAJOR_SR = 11, MAJOR_MTD = 31,
       MAJOR_NBD = 43, MAJOR_DRBD = 147, MAJOR_ZVOL = 230, SCSI_TYPE_ROM = 5 };

/* \x20 of udev's *_ENC values. */
static const char *unescape(struct arena *a, const char *s)
{
	struct sbuf b = { 0 };
	const char *text;

	if (!s)
		return NULL;
	for (; *s; s++) {
		char hex[3] = { 0 };

		if (s[0] == '\\' && s[1] == 'x' && isxdigit((unsigned char)s[2]) &&
		    isxdigit((unsigned char)s[3])) {
			hex[0] = s[2];
			hex[1] = s[3];
			if (strtoul(hex, NULL, 16))
				sbuf_addc(&b, (char)strtoul(hex, NULL, 16));
			s += 3;
		} else {
			sbuf_addc(&b, *s);
		}
	}
	text = text_trim(a, sbuf_str(&b));
	sbuf_done(&b);
	return text;
}

/* The unit serial number page of a SCSI device: four bytes of header, then text. */
static const char *vpd_serial(const struct machine *m, const struct node *n)
{
	struct sbuf path = { 0 }, page = { 0 };
	const char *serial = NULL;

	sbuf_addf(&path, "%s%s/device/vpd_pg80", m->root, n->dir);
	if (file_read(path.text, 4096, &page) == 0 && page.len > 4)
		serial = text_trim(m->a, arena_strndup(m->a, page.text + 4, page.len - 4));
	sbuf_done(&path);
	sbuf_done(&page);
	return serial;
}

static const char *first_line(const struct machine *m, const struct node *n,
			      const char *const *names)
{
	const char *text = NULL;

	for (; *names && !text; names++)
		text = text_trim(m->a, file_line(m->a, m->root, "%s/%s", n->dir, *names));
	return text;
}

/* "naa.5001", "0x5001" and "5001" are one name. */
static const char *wwn_text(struct arena *a, const char *wwn)
{
	wwn = text_trim(a, wwn);
	if (!wwn || strncmp(wwn, "naa.", 4))
		return wwn && !strncmp(wwn, "t10.", 4) ? NULL : wwn;
	return arena_printf(a, "0x%s", wwn + 4);
}

static const char *read_wwn(const struct machine *m, const struct node *n,
			    const struct udev_db *db)
{
	static const char *const names[] = { "wwid", "device/wwid", NULL };
	const char *wwn = udev_db_get(db, "ID_WWN_WITH_EXTENSION");

	if (!wwn || !*wwn)
		wwn = udev_db_get(db, "ID_WWN");
	if (!wwn || !*wwn)
		wwn = first_line(m, n, names);
	return wwn_text(m->a, wwn);
}

/*
 * udev's ID_SERIAL_SHORT is the WWN for SAS disks; the page 0x80 serial that is printed
 * on the label stands in ID_SCSI_SERIAL then.
 */
static const char *read_serial(const struct machine *m, const struct node *n,
			       const struct udev_db *db)
{
	static const char *const keys[] = { "ID_SCSI_SERIAL", "SCSI_IDENT_SERIAL",
					    "ID_SERIAL_SHORT", NULL };
	static const char *const names[] = { "serial", "device/serial", NULL };
	const char *serial = NULL;
	size_t i;

	for (i = 0; keys[i] && !serial; i++)
		serial = text_trim(m->a, udev_db_get(db, keys[i]));
	if (!serial)
		serial = first_line(m, n, names);
	return serial ? serial : vpd_serial(m, n);
}

static const char *read_model(const struct machine *m, const struct node *n,
			      const struct udev_db *db, enum disk_kind kind)
{
	static const char *const names[] = { "device/model", "device/name", NULL };
	static const char *const vendors[] = { "device/vendor", NULL };
	const char *model = unescape(m->a, udev_db_get(db, "ID_MODEL_ENC"));
	const char *vendor;

	if (!model)
		model = text_trim(m->a, udev_db_get(db, "ID_MODEL"));
	if (!model)
		model = first_line(m, n, names);
	if (kind != DISK_USB || !model)
		return model;
	vendor = unescape(m->a, udev_db_get(db, "ID_VENDOR_ENC"));
	if (!vendor)
		vendor = first_line(m, n, vendors);
	if (!vendor || !strncmp(model, vendor, strlen(vendor)) || !strcmp(vendor, "ATA"))
		return model;
	return arena_printf(m->a, "%s %s", vendor, model);
}

static int link_rank(const char *link, enum disk_kind kind)
{
	static const char *const good[] = { "ata-", "scsi-", "usb-", "mmc-", "virtio-", "nvme-" };
	size_t i;

	link += strlen("disk/by-id/");
	if (kind == DISK_NVME) {
		/* A name of model and serial alone jumps between the namespaces of a drive. */
		const char *tail = strrchr(link, '_');

		if (!strncmp(link, "nvme-eui.", 9) || !strncmp(link, "nvme-uuid.", 10) ||
		    !strncmp(link, "nvme-nvme.", 10) || !strncmp(link, "nvme-nguid.", 11))
			return 3;
		if (!strncmp(link, "nvme-", 5) && tail && strlen(tail) < 4 &&
		    strspn(tail + 1, "0123456789") == strlen(tail + 1))
			return 2;
		return 0;
	}
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (!strncmp(link, good[i], strlen(good[i])))
			return 3;
	}
	return !strncmp(link, "wwn-", 4) ? 2 : 1;
}

static const char *link_below(struct arena *a, const struct udev_db *db, const char *below,
			      enum disk_kind kind)
{
	const char *best = NULL;
	int best_rank = 0;
	size_t i;

	for (i = 0; i < db->links.n; i++) {
		const char *link = db->links.at[i];
		int rank;

		if (strncmp(link, below, strlen(below)))
			continue;
		rank = !strcmp(below, "disk/by-id/") ? link_rank(link, kind) : 1;
		if (rank > best_rank || (rank == best_rank && best && strcmp(link, best) < 0)) {
			best = link;
			best_rank = rank;
		}
	}
	return best ? arena_printf(a, "/dev/%s", best) : NULL;
}

/* Is there a component of the path that starts so? "ata5" gives its start. */
static const char *component(const char *link, const char *head)
{
	size_t len = strlen(head);
	const char *s, *found = NULL;

	for (s = link; s; s = strchr(s, '/')) {
		s += *s == '/';
		if (!strncmp(s, head, len))
			found = s;
	}
	return found;
}

static const char *read_transport(const struct machine *m, const struct node *n)
{
	static const struct {
		const char *head, *word;
	} rows[] = {
		{ "usb", "usb" }, { "nvme", "nvme" }, { "mmc", "mmc" }, { "virtio", "virtio" },
		{ "session", "iscsi" }, { "rport-", "fc" }, { "ata", "sata" },
		{ "end_device-", "sas" }, { "uml-blkdev", "ubd" }, { "nbd", "nbd" },
		{ "rbd", "rbd" }, { "vbd-", "xen" },
	};
	const char *vendor;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!component(n->link, rows[i].head))
			continue;
		vendor = file_line(m->a, m->root, "%s/device/vendor", n->dir);
		if (!strcmp(rows[i].word, "sas") && vendor && !strcmp(vendor, "ATA"))
			return "sata";
		return rows[i].word;
	}
	return component(n->link, "target") ? "scsi" : NULL;
}

struct bay {
	struct arena *a;
	const char *text;
};

static void bay_name(void *ctx, const char *name)
{
	struct bay *b = ctx;

	if (!strncmp(name, "enclosure_device:", 17))
		b->text = arena_printf(b->a, "bay %s", name + 17);
}

/* Where to look for it: the enclosure's bay, the port, the slot. */
static const char *read_where(const struct machine *m, const struct node *n,
			      const char *transport)
{
	struct bay bay = { .a = m->a };
	const char *s, *last = NULL;

	root_each(m, arena_printf(m->a, "%s/device", n->dir), bay_name, &bay);
	if (bay.text)
		return bay.text;
	s = component(n->link, "ata");
	if (s && isdigit((unsigned char)s[3]))
		return arena_printf(m->a, "ata-%.*s", (int)strspn(s + 3, "0123456789"), s + 3);
	for (s = n->link; s; s = strchr(s, '/')) {
		size_t len;

		s += *s == '/';
		len = strcspn(s, "/");
		if (transport && !strcmp(transport, "usb") && isdigit((unsigned char)*s) &&
		    memchr(s, '-', len) && !memchr(s, ':', len))
			last = arena_printf(m->a, "usb %.*s", (int)len, s);
		if (transport && !strcmp(transport, "nvme") && len == 12 && s[4] == ':' &&
		    s[7] == ':' && s[10] == '.')
			last = arena_printf(m->a, "pci %.*s", (int)len, s);
	}
	return last;
}

static enum disk_kind read_kind(const struct machine *m, const struct node *n,
				const struct disk *d)
{
	const char *t = d->transport ? d->transport : "";

	if (n->major == MAJOR_SR || n->major == MAJOR_FLOPPY || n->major == MAJOR_RAM ||
	    n->major == MAJOR_MTD || !strncmp(n->name, "zram", 4) ||
	    file_u64(0, m->root, "%s/device/type", n->dir) == SCSI_TYPE_ROM)
		return DISK_OTHER;
	if (!strcmp(t, "nvme"))
		return DISK_NVME;
	if (!strcmp(t, "usb"))
		return DISK_USB;
	if (!strcmp(t, "mmc"))
		return DISK_MMC;
	return d->rotational ? DISK_HDD : DISK_SSD;
}

static void read_parts(const struct machine *m, const struct node *n, struct disk *d)
{
	size_t i;

	d->n_parts = n->kids.n;
	d->parts = arena_array(m->a, n->kids.n, sizeof(*d->parts));
	for (i = 0; i < n->kids.n; i++) {
		const struct node *p = n->kids.at[i];

		d->parts[i] = (struct part){
			.name = p->name,
			.number = (unsigned)file_u64(0, m->root, "%s/partition", p->dir),
			.start = file_u64(0, m->root, "%s/start", p->dir) * 512,
			.bytes = file_u64(0, m->root, "%s/size", p->dir) * 512,
		};
	}
}

void disk_read_facts(const struct machine *m, const struct node *n, struct disk *d)
{
	struct udev_db db = { 0 };
	const char *path = arena_printf(m->a, "/dev/%s", n->name);
	uint64_t sectors = file_u64(0, m->root, "%s/size", n->dir);

	for (char *s = (char *)(uintptr_t)path; *s; s++) {
		if (*s == '!')		/* sysfs writes cciss/c0d0 so */
			*s = '/';
	}
	udev_db_read(m, n, &db);
	d->name = n->name;
	d->path = path;
	d->bytes = sectors > INT64_MAX / 512 ? 0 : sectors * 512;
	d->lsec = (uint32_t)file_u64(512, m->root, "%s/queue/logical_block_size", n->dir);
	d->psec = (uint32_t)file_u64(d->lsec, m->root, "%s/queue/physical_block_size", n->dir);
	d->rotational = file_u64(0, m->root, "%s/queue/rotational", n->dir) == 1;
	d->removable = file_u64(0, m->root, "%s/removable", n->dir) == 1;
	d->read_only = file_u64(0, m->root, "%s/ro", n->dir) == 1;
	d->zoned = file_line(m->a, m->root, "%s/queue/zoned", n->dir);
	if (d->zoned && (!*d->zoned || !strcmp(d->zoned, "none")))
		d->zoned = NULL;
	d->transport = read_transport(m, n);
	d->where = read_where(m, n, d->transport);
	d->kind = read_kind(m, n, d);
	d->model = read_model(m, n, &db, d->kind);
	d->serial = read_serial(m, n, &db);
	d->wwn = read_wwn(m, n, &db);
	d->by_id = link_below(m->a, &db, "disk/by-id/", d->kind);
	read_parts(m, n, d);
}

const char *disk_by_path(const struct machine *m, const struct node *n)
{
	struct udev_db db = { 0 };

	udev_db_read(m, n, &db);
	return link_below(m->a, &db, "disk/by-path/", DISK_OTHER);
}

/* The boot areas and the RPMB of an eMMC: reading the latter hangs for minutes. */
bool disk_is_emmc_area(const char *name)
{
	size_t len;

	if (strncmp(name, "mmcblk", 6))
		return false;
	len = 6 + strspn(name + 6, "0123456789");
	return !strncmp(name + len, "boot", 4) || !strncmp(name + len, "rpmb", 4);
}

static const char *driver_hidden_why(const struct machine *m, const struct node *n)
{
	const char *loop = getenv("NASLAB_LOOP");

	switch (n->major) {
	case MAJOR_RAM:
		return "RAM disk";
	case MAJOR_FLOPPY:
		return "floppy drive";
	case MAJOR_SR:
		return "optical drive";
	case MAJOR_MTD:
		return "flash memory of the board";
	case MAJOR_DRBD:
		return "DRBD device: copied over the network";
	case MAJOR_ZVOL:
		return "volume of a zfs pool";
	case MAJOR_LOOP:
		if (!file_line(m->a, m->root, "%s/loop/backing_file", n->dir))
			return "loop device without a file";
		return loop && !strcmp(loop, "1") ? NULL : "loop device";
	}
	if (disk_is_emmc_area(n->name))
		return "boot area of the eMMC, never opened";
	if (!strncmp(n->name, "zram", 4))
		return "compressed RAM, no disk";
	if (file_u64(0, m->root, "%s/device/type", n->dir) == SCSI_TYPE_ROM &&
	    !root_has(m, "%s/device/nsid", n->dir))
		return "optical drive";
	if (file_u64(0, m->root, "%s/hidden", n->dir) == 1)
		return "one path of a multipath NVMe disk";
	if (strstr(n->link, "devices/virtual/block/") && n->major != MAJOR_NBD &&
	    strncmp(n->name, "rbd", 3))
		return "virtual block device, no disk";
	return NULL;
}

const char *disk_hidden_why(const struct machine *m, const struct node *n, const struct disk *d)
{
	const char *why = driver_hidden_why(m, n);
	char size[SIZE_TEXT];

	if (why)
		return why;
	if (n->major == MAJOR_NBD && !d->bytes)
		return "network block device that is not connected";
	if (!d->bytes)
		return d->removable ? "no medium in it" : "size 0: no medium, or not ready";
	if (d->bytes < DISK_LEAST_BYTES)
		return arena_printf(m->a, "too small: %s, the least is 16 MiB",
				    size_text(size, d->bytes, SIZE_SI));
	if (d->zoned && !strcmp(d->zoned, "host-managed"))
		return "host-managed zones: cannot be written at random";
	if (d->read_only)
		return "read-only";
	return NULL;
}
