/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest - inside the sandbox a virtual disk has a size and a serial, no model and no class.
 * The sandbox passes them in <root>/run/naslab/disks, one line a disk:
 *
 *	ubda kind=hdd model=WDC%20WD40EFRX serial=V0000001 wwn=0x5 sector=512/4096 rate=180000000
 *
 * Also rotational=yes|no, behind kind (a USB disk may be either). rate is in bytes a second, seek in nanoseconds, values are percent-encoded. What is not
 * in a line stays as the kernel says; the logical sector always does.
 */
#include "disk/room.h"

#include <string.h>

static void guest_fact(const struct machine *m, struct disk *d, const char *key,
		       const char *value)
{
	struct err ignored = { 0 };
	uint32_t lsec, psec;
	uint64_t number;

	if (!strcmp(key, "kind") && kind_from_word(value, &d->kind)) {
		/* the flag in sysfs does not last: ubd sets it anew when opened to write */
		d->rotational = d->kind == DISK_HDD || d->kind == DISK_USB;
	} else if (!strcmp(key, "rotational")) {
		d->rotational = !strcmp(value, "yes");
	} else if (!strcmp(key, "model")) {
		d->model = text_trim(m->a, value);
	} else if (!strcmp(key, "serial")) {
		d->serial = text_trim(m->a, value);
	} else if (!strcmp(key, "wwn")) {
		d->wwn = text_trim(m->a, value);
	} else if (!strcmp(key, "sector")) {
		if (sectors_from_word(value, &lsec, &psec, &ignored) == 0)
			d->psec = psec;
	} else if (!strcmp(key, "rate")) {
		if (size_parse(value, &number, &ignored) == 0)
			d->rate_bps = number;
	} else if (!strcmp(key, "seek")) {
		if (size_parse(value, &number, &ignored) == 0)
			d->seek_ns = number;
	}
}

void guest_read_facts(const struct machine *m, struct disk *d)
{
	struct sbuf path = { 0 }, text = { 0 };
	const char *s;

	sbuf_addf(&path, "%s/run/naslab/disks", m->root);
	file_read(path.text, 1 << 20, &text);
	for (s = sbuf_str(&text); *s; s += strcspn(s, "\n"), s += *s == '\n') {
		size_t word = strcspn(s, " \n");
		bool mine = word == strlen(d->name) && !strncmp(s, d->name, word);

		for (s += word; *s == ' '; s += word) {
			size_t key;

			s += strspn(s, " ");
			word = strcspn(s, " \n");
			key = strcspn(s, "= \n");
			if (mine && key < word)
				guest_fact(m, d, arena_strndup(m->a, s, key),
					   percent_decode(m->a, s + key + 1, word - key - 1));
		}
	}
	sbuf_done(&path);
	sbuf_done(&text);
}
