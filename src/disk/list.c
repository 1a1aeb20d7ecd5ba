/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list - the disks of a machine as a text of virtual disks, one a line, to plan at home
 * with exactly the sizes of the machine that stands elsewhere.
 */
#include "disk/room.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_LIST_BYTES = 4 << 20 };

int inventory_load(const char *path, struct inventory **out, struct err *e)
{
	struct inventory *inv = inventory_new();
	struct sbuf text = { 0 };
	const char *s;
	unsigned line = 0;
	int rc = -1;

	if (file_read(path, MOST_LIST_BYTES, &text)) {
		err_sys(e, "the list of disks %s cannot be read", path);
		goto out;
	}
	if (strlen(sbuf_str(&text)) != text.len) {
		err_set(e, ERR_USAGE, "%s is no list of disks: it is no text", path);
		goto out;
	}
	for (s = sbuf_str(&text); *s; s += strcspn(s, "\n"), s += *s == '\n') {
		const char *spec = text_trim(inv->arena, arena_strndup(inv->arena, s,
								       strcspn(s, "\n")));

		line++;
		if (!spec || *spec == '#')
			continue;
		if (inventory_add_virtual(inv, spec, e) < 0) {
			err_in(e, "%s line %u", path, line);
			goto out;
		}
	}
	*out = inv;
	rc = 0;
out:
	if (rc)
		inventory_free(inv);
	sbuf_done(&text);
	return rc;
}

static void add_option(struct sbuf *b, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	sbuf_addf(b, ",%s=", key);
	percent_encode(b, value);
}

static void add_spec(struct sbuf *b, const struct disk *d, bool serial)
{
	bool spins = d->kind == DISK_HDD || d->kind == DISK_USB;

	sbuf_addf(b, "%s:%" PRIu64, disk_kind_word(d->kind == DISK_MMC || d->kind == DISK_OTHER ?
						   DISK_SSD : d->kind), d->bytes);
	add_option(b, "name", d->name);
	sbuf_addf(b, ",sector=%u/%u", d->lsec, d->psec);
	if (d->rotational != spins)
		sbuf_addf(b, ",rotational=%s", d->rotational ? "yes" : "no");
	add_option(b, "model", d->model);
	if (serial)
		add_option(b, "serial", d->serial);
	add_option(b, "wwn", d->wwn);
	if (d->rate_bps)
		sbuf_addf(b, ",rate=%" PRIu64, d->rate_bps);
	if (d->seek_ns)
		sbuf_addf(b, ",seek=%" PRIu64 "ns", d->seek_ns);
}

/* Of twins only the first keeps its serial: in a list a serial is one disk's. */
static bool serial_is_new(const struct inventory *inv, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++) {
		if (inv->disks[k].serial && inv->disks[i].serial &&
		    !strcmp(inv->disks[k].serial, inv->disks[i].serial))
			return false;
	}
	return true;
}

int inventory_save(const struct inventory *inv, const char *path, struct err *e)
{
	struct sbuf b = { 0 };
	size_t i;
	int rc;

	sbuf_add(&b, "# Disks for naslab --disks: one a line; what is in use here is a comment.\n");
	for (i = 0; i < inv->n_disks; i++) {
		const struct disk *d = &inv->disks[i];

		if (d->state == DISK_HIDDEN)
			continue;
		if (d->state == DISK_BUSY) {
			sbuf_add(&b, "# busy (");
			sbuf_add_safe(&b, d->why ? d->why : "in use");
			sbuf_add(&b, "): ");
		}
		add_spec(&b, d, serial_is_new(inv, i));
		sbuf_addc(&b, '\n');
	}
	rc = file_write_atomic(path, sbuf_str(&b), b.len, e);
	sbuf_done(&b);
	return rc;
}
