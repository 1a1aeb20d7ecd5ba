/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * virtual - disks that do not exist: "6xhdd:4T,sector=4096".
 *
 * The maker's "10T" becomes the sector count a disk sold under that name really has, so
 * that a capacity planned at home is the one of the shop's disk.
 */
#include "disk/room.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GB 1000000000ull
#define MOST_BYTES (1000000 * GB)	/* one petabyte: sums over all disks stay far below 2^63 */

enum { MOST_DISKS = 1000 };

static const char *const kinds[] = { "hdd", "ssd", "nvme", "usb" };

uint64_t maker_bytes(uint64_t nominal, bool flash)
{
	unsigned __int128 sectors;

	if (nominal < 50 * GB)
		return round_down(nominal, 4096);
	if (!flash && nominal > 8000 * GB)
		return round_up(div_up(nominal, 512), 1ull << 21) * 512;
	/* IDEMA LBA1-03: 97696368 sectors for 50 GB, 1953504 for each GB above */
	sectors = 97696368 + (unsigned __int128)(nominal - 50 * GB) * 1953504 / GB;
	return round_down((uint64_t)sectors * 512, 4096);
}

/* What stands before the colon: "hdd", "6xhdd"; a path or a name has none such. */
bool disk_spec_is_virtual(const char *word)
{
	size_t len = strcspn(word, ":");
	size_t i;

	if (!len || !word[len])
		return false;
	for (i = 0; i < len; i++) {
		if (!isalnum((unsigned char)word[i]))
			return false;
	}
	return true;
}

struct spec {
	struct inventory *inv;
	const char *text;
	uint64_t count;
	const char *size;	/* as written */
	const char *name, *serial;
	struct disk d;
};

static int option_unknown(const struct spec *s, const char *key, struct err *e)
{
	static const char *const words[] = { "sector", "model", "serial", "wwn", "name", "rate",
					     "seek", "rotational" };
	const char *near = nearest_word(key, words, sizeof(words) / sizeof(words[0]));

	if (near)
		return err_set(e, ERR_USAGE, "disk %s: there is no option %s; did you mean %s?",
			       s->text, key, near);
	return err_set(e, ERR_USAGE, "disk %s: there is no option %s (there are sector, model,"
		       " serial, wwn, name, rate, seek, rotational)", s->text, key);
}

static int name_check(const struct spec *s, const char *name, struct err *e)
{
	size_t i;

	for (i = 0; name[i]; i++) {
		if (!isalnum((unsigned char)name[i]) && !strchr("-_.!", name[i]))
			break;
	}
	if (!i || i > 31 || name[i] || !isalpha((unsigned char)name[0]))
		return err_set(e, ERR_USAGE, "disk %s: a disk's name has up to 31 letters and"
			       " digits, first a letter", s->text);
	return 0;
}

/* "8ms", "100us", "5000000" (ns). */
static int time_parse(const struct spec *s, const char *text, uint64_t *ns, struct err *e)
{
	static const struct {
		const char *unit;
		double factor;
	} rows[] = { { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 }, { "", 1 }, { "s", 1e9 } };
	char *end;
	double value;
	size_t i;

	if (!isdigit((unsigned char)*text) || text[1] == 'x')
		goto bad;
	value = strtod(text, &end);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(end, rows[i].unit))
			continue;
		value *= rows[i].factor;
		if (!(value <= 10e9))
			break;
		*ns = (uint64_t)(value + 0.5);
		return 0;
	}
bad:
	return err_set(e, ERR_USAGE, "disk %s: seek=%s is no time like 8ms (at most 10 s)",
		       s->text, text);
}

static int read_option(struct spec *s, const char *key, const char *value, struct err *e)
{
	bool maker;

	if (!*value)
		return err_set(e, ERR_USAGE, "disk %s: %s= has no value", s->text, key);
	if (!strcmp(key, "sector"))
		return sectors_from_word(value, &s->d.lsec, &s->d.psec, e) ?
			err_in(e, "disk %s", s->text) : 0;
	if (!strcmp(key, "rate")) {
		if (size_parse_maker(value, &s->d.rate_bps, &maker, e))
			return err_in(e, "disk %s: rate", s->text);
		if (!s->d.rate_bps)
			return err_set(e, ERR_USAGE, "disk %s: the rate is 0", s->text);
		return 0;
	}
	if (!strcmp(key, "seek"))
		return time_parse(s, value, &s->d.seek_ns, e);
	if (!strcmp(key, "rotational")) {
		if (strcmp(value, "yes") && strcmp(value, "no"))
			return err_set(e, ERR_USAGE, "disk %s: rotational=yes or rotational=no",
				       s->text);
		s->d.rotational = !strcmp(value, "yes");
		return 0;
	}
	if (!strcmp(key, "model"))
		s->d.model = text_trim(s->inv->arena, value);
	else if (!strcmp(key, "serial"))
		s->serial = text_trim(s->inv->arena, value);
	else if (!strcmp(key, "wwn"))
		s->d.wwn = text_trim(s->inv->arena, value);
	else if (!strcmp(key, "name"))
		s->name = value;
	else
		return option_unknown(s, key, e);
	return s->name ? name_check(s, s->name, e) : 0;
}

static int read_kind(struct spec *s, const char **rest, struct err *e)
{
	struct arena *a = s->inv->arena;
	size_t digits = strspn(s->text, "0123456789");
	const char *word = s->text;
	const char *kind, *near;
	size_t i;

	s->count = 1;
	if (digits && s->text[digits] == 'x') {
		if (count_parse("the number of disks", arena_strndup(a, s->text, digits), 1,
				MOST_DISKS, &s->count, e))
			return err_in(e, "disk %s", s->text);
		word += digits + 1;
	}
	kind = arena_strndup(a, word, strcspn(word, ":"));
	*rest = word + strlen(kind);
	if (**rest != ':')
		return err_set(e, ERR_USAGE, "disk %s: a virtual disk is written hdd:4T", s->text);
	++*rest;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(kind, kinds[i]))
			break;
	}
	if (i < sizeof(kinds) / sizeof(kinds[0])) {
		kind_from_word(kind, &s->d.kind);
		return 0;
	}
	near = nearest_word(kind, kinds, sizeof(kinds) / sizeof(kinds[0]));
	if (near)
		return err_set(e, ERR_USAGE, "disk %s: there is no kind \"%s\"; did you mean"
			       " \"%s\"?", s->text, kind, near);
	return err_set(e, ERR_USAGE, "disk %s: there is no kind \"%s\" (there are hdd, ssd,"
		       " nvme, usb)", s->text, kind);
}

static int read_size(struct spec *s, struct err *e)
{
	uint64_t bytes;
	bool maker;

	if (size_parse_maker(s->size, &bytes, &maker, e))
		return err_in(e, "disk %s", s->text);
	if (bytes > MOST_BYTES)
		return err_set(e, ERR_USAGE, "disk %s: larger than 1000 TB", s->text);
	if (maker)
		bytes = maker_bytes(bytes, disk_is_flash(&s->d));
	if (bytes < DISK_LEAST_BYTES)
		return err_set(e, ERR_USAGE, "disk %s: too small, the least is 16 MiB", s->text);
	if (bytes % s->d.lsec)
		return err_set(e, ERR_USAGE, "disk %s: %" PRIu64 " bytes are no multiple of the"
			       " sector of %u", s->text, bytes, s->d.lsec);
	s->d.bytes = bytes;
	return 0;
}

/* The parts behind the colon: the size, then key=value. */
static int read_spec(struct spec *s, struct err *e)
{
	struct arena *a = s->inv->arena;
	const char *rest = "";
	size_t len;

	if (read_kind(s, &rest, e))
		return -1;
	s->d.lsec = 512;
	s->d.psec = 4096;
	s->d.rotational = s->d.kind == DISK_HDD || s->d.kind == DISK_USB;
	len = strcspn(rest, ",");
	s->size = arena_strndup(a, rest, len);
	for (rest += len; *rest == ','; rest += len) {
		size_t key;

		rest++;
		len = strcspn(rest, ",");
		key = strcspn(rest, "=,");
		if (key >= len)
			return err_set(e, ERR_USAGE, "disk %s: \"%.*s\" is no option like"
				       " sector=4096", s->text, (int)len, rest);
		if (read_option(s, arena_strndup(a, rest, key),
				percent_decode(a, rest + key + 1, len - key - 1), e))
			return -1;
	}
	return read_size(s, e);
}

static const struct disk *by_name(const struct inventory *inv, const char *name)
{
	size_t i;

	for (i = 0; i < inv->n_disks; i++) {
		if (!strcmp(inv->disks[i].name, name))
			return &inv->disks[i];
	}
	return NULL;
}

static const struct disk *by_serial(const struct inventory *inv, const char *serial)
{
	size_t i;

	for (i = 0; i < inv->n_disks; i++) {
		if (inv->disks[i].serial && !strcmp(inv->disks[i].serial, serial))
			return &inv->disks[i];
	}
	return NULL;
}

/* "hdd3" for the third virtual one of its kind, past names that were given by hand. */
static const char *next_name(struct inventory *inv, enum disk_kind kind)
{
	size_t i, number = 1;
	const char *name;

	for (i = 0; i < inv->n_disks; i++)
		number += inv->disks[i].is_virtual && inv->disks[i].kind == kind;
	do {
		name = arena_printf(inv->arena, "%s%zu", disk_kind_word(kind), number++);
	} while (by_name(inv, name));
	return name;
}

static const char *next_serial(struct inventory *inv)
{
	size_t number = inv->n_disks + 1;
	const char *serial;

	do {
		serial = arena_printf(inv->arena, "V%07zu", number++);
	} while (by_serial(inv, serial));
	return serial;
}

static int check_unique(const struct spec *s, struct err *e)
{
	const struct disk *other;

	if (s->count > 1 && (s->name || s->serial))
		return err_set(e, ERR_USAGE, "disk %s: %" PRIu64 " disks cannot all have the same %s",
			       s->text, s->count, s->name ? "name" : "serial");
	other = s->name ? by_name(s->inv, s->name) : NULL;
	if (other)
		return err_set(e, ERR_USAGE, "disk %s: the name %s was given twice", s->text, s->name);
	other = s->serial ? by_serial(s->inv, s->serial) : NULL;
	if (other)
		return err_set(e, ERR_USAGE, "disk %s: serial %s is already that of %s; two disks"
			       " never have the same", s->name ? s->name : s->text, s->serial,
			       other->name);
	if (s->inv->n_disks + s->count > MOST_DISKS)
		return err_set(e, ERR_USAGE, "disk %s: more than %d disks", s->text, MOST_DISKS);
	return 0;
}

int inventory_add_virtual(struct inventory *inv, const char *spec, struct err *e)
{
	struct spec s = { .inv = inv, .text = arena_strdup(inv->arena, spec) };
	const char *kind;
	uint64_t i;

	if (read_spec(&s, e) || check_unique(&s, e))
		return -1;
	kind = disk_kind_word(s.d.kind);
	for (i = 0; i < s.count; i++) {
		struct disk d = s.d;

		d.name = s.name ? s.name : next_name(inv, s.d.kind);
		d.serial = s.serial ? s.serial : next_serial(inv);
		d.path = arena_printf(inv->arena, "/dev/%s", d.name);
		if (!d.model)
			d.model = arena_printf(inv->arena, "virtual %s", kind);
		d.is_virtual = true;
		d.state = DISK_FREE;
		d.why = "nothing";
		disk_add(inv, &d);
	}
	return (int)s.count;
}
