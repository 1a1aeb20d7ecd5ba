/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvm - the name of the volume group a physical volume belongs to.
 *
 * A physical volume without a volume on it has no holder and is nobody's by the kernel's
 * word, yet wiping it breaks its group. Only the metadata on the disk names the group:
 * label header (LABELONE) -> header of the physical volume -> its metadata area -> text,
 * whose first word is the name [lib/format_text/layout.h of lvm2].
 */
#include "disk/room.h"

#include <endian.h>
#include <string.h>
#include <unistd.h>

enum { SECTOR = 512, LABEL_SECTORS = 4, MDA_MAGIC_AT = 4, NAME_MOST = 128 };

static const char mda_magic[16] = " LVM2 x[5A%r0N*>";

static uint64_t le64_at(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

static uint32_t le32_at(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static bool read_at(int fd, char *buf, size_t n, uint64_t at)
{
	return at < INT64_MAX - n && pread(fd, buf, n, (off_t)at) == (ssize_t)n;
}

/* A metadata area: its ring of texts begins at `at`; the first location is the current. */
static const char *name_in_area(struct arena *a, int fd, uint64_t at)
{
	char head[SECTOR], text[NAME_MOST + 1] = { 0 };
	size_t len;

	if (!read_at(fd, head, sizeof(head), at) ||
	    memcmp(head + MDA_MAGIC_AT, mda_magic, sizeof(mda_magic)))
		return NULL;
	if (!le64_at(head + 40) || !read_at(fd, text, NAME_MOST, at + le64_at(head + 40)))
		return NULL;
	len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			   "0123456789._+-");
	if (!len || strncmp(text + len, " {", 2))
		return NULL;
	return arena_strndup(a, text, len);
}

/* Two lists of (offset, size) follow the header, each ended by zeros: data, metadata. */
static const char *name_by_label(struct arena *a, int fd, const char *sector)
{
	uint32_t at = le32_at(sector + 20);
	unsigned list = 0;

	for (at += 32 + 8; at + 16 <= SECTOR; at += 16) {
		uint64_t where = le64_at(sector + at);
		const char *name;

		if (!where && ++list == 2)
			return NULL;
		name = list == 1 && where ? name_in_area(a, fd, where) : NULL;
		if (name)
			return name;
	}
	return NULL;
}

const char *lvm_group_name(struct arena *a, int fd)
{
	char sector[SECTOR];
	unsigned i;

	for (i = 0; i < LABEL_SECTORS; i++) {
		if (read_at(fd, sector, SECTOR, (uint64_t)i * SECTOR) &&
		    !memcmp(sector, "LABELONE", 8) && !memcmp(sector + 24, "LVM2 001", 8) &&
		    le32_at(sector + 20) < SECTOR)
			return name_by_label(a, fd, sector);
	}
	return NULL;
}
