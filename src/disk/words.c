/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words - names, words and JSON of disks: everything that turns them into text and back. */
#include "disk/room.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

static const char *const kind_words[] = {
	[DISK_HDD] = "hdd", [DISK_SSD] = "ssd", [DISK_NVME] = "nvme",
	[DISK_USB] = "usb", [DISK_MMC] = "mmc", [DISK_OTHER] = "other",
};

static const char *const state_words[] = {
	[DISK_FREE] = "free", [DISK_DATA] = "data", [DISK_BUSY] = "busy", [DISK_HIDDEN] = "hidden",
};

const char *disk_kind_word(enum disk_kind kind)
{
	return kind_words[kind];
}

const char *disk_state_word(enum disk_state state)
{
	return state_words[state];
}

bool kind_from_word(const char *word, enum disk_kind *kind)
{
	unsigned i;

	for (i = 0; i < sizeof(kind_words) / sizeof(kind_words[0]); i++) {
		if (!strcmp(word, kind_words[i])) {
			*kind = (enum disk_kind)i;
			return true;
		}
	}
	return false;
}

bool disk_is_flash(const struct disk *d)
{
	return d->kind == DISK_SSD || d->kind == DISK_NVME || d->kind == DISK_MMC ||
	       (d->kind == DISK_USB && !d->rotational);
}

bool disk_is_network(const struct disk *d)
{
	static const char *const words[] = { "iscsi", "nbd", "rbd" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (d->transport && !strcmp(d->transport, words[i]))
			return true;
	}
	return false;
}

const char *disk_part_name(struct arena *a, const char *disk_name, unsigned n)
{
	size_t len = strlen(disk_name);
	bool digit = len && isdigit((unsigned char)disk_name[len - 1]);

	return arena_printf(a, "%s%s%u", disk_name, digit ? "p" : "", n);
}

/* Letters end where a digit begins: shorter words first, so that sdz is before sdaa. */
static size_t run_length(const char *s, bool digits)
{
	size_t n = 0;

	while (s[n] && !!isdigit((unsigned char)s[n]) == digits)
		n++;
	return n;
}

/* The part that names the driver ("sd", "nvme") is compared before the length counts. */
static int letters_compare(const char *a, size_t na, const char *b, size_t nb)
{
	int first = strncmp(a, b, 2);

	if (na >= 2 && nb >= 2 && first == 0 && na != nb)
		return na < nb ? -1 : 1;
	first = strncmp(a, b, na < nb ? na : nb);
	if (first)
		return first;
	return na < nb ? -1 : na > nb;
}

static int digits_compare(const char *a, size_t na, const char *b, size_t nb)
{
	while (na > 1 && *a == '0') {
		a++;
		na--;
	}
	while (nb > 1 && *b == '0') {
		b++;
		nb--;
	}
	if (na != nb)
		return na < nb ? -1 : 1;
	return strncmp(a, b, na);
}

int name_compare(const char *a, const char *b)
{
	bool digits = false;

	while (*a || *b) {
		size_t na = run_length(a, digits), nb = run_length(b, digits);
		int order = digits ? digits_compare(a, na, b, nb) : letters_compare(a, na, b, nb);

		if (order)
			return order;
		a += na;
		b += nb;
		digits = !digits;
	}
	return 0;
}

char *percent_decode(struct arena *a, const char *s, size_t n)
{
	char *out = arena_alloc(a, n + 1);
	size_t i, len = 0;

	for (i = 0; i < n; i++) {
		char hex[3] = { 0 };

		if (s[i] == '%' && i + 2 < n && isxdigit((unsigned char)s[i + 1]) &&
		    isxdigit((unsigned char)s[i + 2])) {
			hex[0] = s[i + 1];
			hex[1] = s[i + 2];
			out[len] = (char)strtoul(hex, NULL, 16);
			i += 2;
		} else {
			out[len] = s[i];
		}
		if (out[len])		/* an encoded NUL would cut the text short */
			len++;
	}
	out[len] = '\0';
	return out;
}

void percent_encode(struct sbuf *b, const char *s)
{
	for (; *s; s++) {
		if (isalnum((unsigned char)*s) || strchr("-_.:/+@", *s))
			sbuf_addc(b, *s);
		else
			sbuf_addf(b, "%%%02X", (unsigned)(unsigned char)*s);
	}
}

const char *text_trim(struct arena *a, const char *s)
{
	size_t n;

	if (!s)
		return NULL;
	while (isspace((unsigned char)*s))
		s++;
	n = strlen(s);
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	return n ? arena_strndup(a, s, n) : NULL;
}

int sectors_from_word(const char *word, uint32_t *lsec, uint32_t *psec, struct err *e)
{
	static const struct {
		const char *word;
		uint32_t lsec, psec;
	} rows[] = {
		{ "512", 512, 512 }, { "512/512", 512, 512 }, { "512/4096", 512, 4096 },
		{ "512e", 512, 4096 }, { "512n", 512, 512 }, { "4096", 4096, 4096 },
		{ "4Kn", 4096, 4096 }, { "4K", 4096, 4096 }, { "4096/4096", 4096, 4096 },
	};
	char *end;
	unsigned long l, p;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!strcmp(word, rows[i].word)) {
			*lsec = rows[i].lsec;
			*psec = rows[i].psec;
			return 0;
		}
	}
	l = strtoul(word, &end, 10);
	if ((l == 512 || l == 4096) && *end == '/') {
		p = strtoul(end + 1, &end, 10);
		if (!*end && p >= l && p <= 65536 && !(p & (p - 1))) {
			*lsec = (uint32_t)l;
			*psec = (uint32_t)p;
			return 0;
		}
	}
	return err_set(e, ERR_USAGE, "sector=%s: a disk has sectors of 512, 4096 or 512/4096"
		       " (logical/physical)", word);
}

const struct disk *inventory_find(const struct inventory *inv, const char *word)
{
	const struct disk *found = NULL;
	size_t i;

	for (i = 0; i < inv->n_disks; i++) {
		const struct disk *d = &inv->disks[i];

		if (!strcmp(word, d->name) || !strcmp(word, d->path) ||
		    (d->by_id && !strcmp(word, d->by_id)))
			return d;
	}
	for (i = 0; i < inv->n_disks; i++) {
		const struct disk *d = &inv->disks[i];

		if (!d->serial || strcmp(word, d->serial))
			continue;
		if (found)
			return NULL;
		found = d;
	}
	return found;
}

static json_t *parts_json(const struct disk *d)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < d->n_parts; i++) {
		json_t *o = json_object();

		json_put_str(o, "name", d->parts[i].name);
		json_put_u64(o, "number", d->parts[i].number);
		json_put_u64(o, "start", d->parts[i].start);
		json_put_u64(o, "bytes", d->parts[i].bytes);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *sigs_json(const struct disk *d)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < d->n_sigs; i++) {
		const struct sig *s = &d->sigs[i];
		json_t *o = json_object();

		json_put_str(o, "on", s->on);
		json_put_str(o, "type", s->type);
		json_put_str(o, "usage", s->usage);
		json_put_u64(o, "offset", s->offset);
		json_put_str(o, "label", s->label);
		json_put_str(o, "uuid", s->uuid);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *uses_json(const struct disk *d)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < d->n_uses; i++) {
		json_t *o = json_object();

		json_put_str(o, "on", d->uses[i].on);
		json_put_str(o, "kind", d->uses[i].kind);
		json_put_str(o, "what", d->uses[i].what);
		json_array_append_new(list, o);
	}
	return list;
}

json_t *disk_json(const struct disk *d)
{
	json_t *o = json_object();

	json_put_str(o, "name", d->name);
	json_put_str(o, "path", d->path);
	json_put_str(o, "by_id", d->by_id);
	json_put_str(o, "kind", disk_kind_word(d->kind));
	json_put_u64(o, "bytes", d->bytes);
	json_put_str(o, "model", d->model);
	json_put_str(o, "serial", d->serial);
	json_put_str(o, "wwn", d->wwn);
	json_put_str(o, "transport", d->transport);
	json_put_str(o, "where", d->where);
	json_put_u64(o, "logical_sector", d->lsec);
	json_put_u64(o, "physical_sector", d->psec);
	json_object_set_new(o, "rotational", json_boolean(d->rotational));
	json_object_set_new(o, "removable", json_boolean(d->removable));
	json_object_set_new(o, "read_only", json_boolean(d->read_only));
	json_object_set_new(o, "virtual", json_boolean(d->is_virtual));
	json_put_str(o, "zoned", d->zoned);
	if (d->rate_bps)
		json_put_u64(o, "rate_bps", d->rate_bps);
	if (d->seek_ns)
		json_put_u64(o, "seek_ns", d->seek_ns);
	json_put_str(o, "state", disk_state_word(d->state));
	json_object_set_new(o, "system", json_boolean(d->is_system));
	json_object_set_new(o, "twin", json_boolean(d->twin));
	json_object_set_new(o, "unread", json_boolean(d->unread));
	json_put_str(o, "why", d->why);
	json_object_set_new(o, "partitions", parts_json(d));
	json_object_set_new(o, "signatures", sigs_json(d));
	json_object_set_new(o, "uses", uses_json(d));
	return o;
}

json_t *inventory_json(const struct inventory *inv)
{
	json_t *o = json_object(), *disks = json_array();
	size_t i;

	for (i = 0; i < inv->n_disks; i++)
		json_array_append_new(disks, disk_json(&inv->disks[i]));
	json_object_set_new(o, "disks", disks);
	json_put_u64(o, "ram_bytes", inv->ram_bytes);
	return o;
}
