/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * identity - is it still the disk the plan was made for, and does it hold the same?
 *
 * The content is a digest of all signatures and partitions. A partition goes in by its
 * number, not by its name: sdc may be sdd after a boot and hold the same.
 */
#include "disk/room.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/json.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static unsigned part_number(const struct disk *d, const char *on)
{
	size_t i;

	for (i = 0; i < d->n_parts; i++) {
		if (!strcmp(d->parts[i].name, on))
			return d->parts[i].number;
	}
	return 0;
}

static const char *content_digest(struct arena *a, const struct disk *d)
{
	size_t i, n = d->n_sigs + d->n_parts;
	char **lines = arena_array(a, n + 1, sizeof(*lines));
	struct sbuf b = { 0 };
	uint64_t hash;

	if (d->unread)
		return "unread";
	if (!n)
		return "";
	for (i = 0; i < d->n_sigs; i++) {
		const struct sig *s = &d->sigs[i];

		lines[i] = arena_printf(a, "sig %s %" PRIu64 " %u %s\n", s->type, s->offset,
					part_number(d, s->on), s->uuid ? s->uuid : "");
	}
	for (i = 0; i < d->n_parts; i++)
		lines[d->n_sigs + i] = arena_printf(a, "part %u %" PRIu64 " %" PRIu64 "\n",
						    d->parts[i].number, d->parts[i].start,
						    d->parts[i].bytes);
	qsort(lines, n, sizeof(*lines), by_text);
	for (i = 0; i < n; i++)
		sbuf_add(&b, lines[i]);
	hash = XXH3_64bits(sbuf_str(&b), b.len);
	sbuf_done(&b);
	return arena_printf(a, "%016" PRIx64, hash);
}

void disk_identity(const struct disk *d, struct arena *a, struct identity *out)
{
	*out = (struct identity){
		.path = arena_strdup(a, d->path), .name = arena_strdup(a, d->name),
		.serial = arena_strdup(a, d->serial), .wwn = arena_strdup(a, d->wwn),
		.model = arena_strdup(a, d->model), .bytes = d->bytes,
		.content = content_digest(a, d),
	};
}

json_t *identity_json(const struct identity *id)
{
	json_t *o = json_object();

	json_put_str(o, "path", id->path);
	json_put_str(o, "name", id->name);
	json_put_str(o, "serial", id->serial);
	json_put_str(o, "wwn", id->wwn);
	json_put_str(o, "model", id->model);
	json_put_u64(o, "bytes", id->bytes);
	json_put_str(o, "content", id->content);
	return o;
}

int identity_from_json(struct arena *a, const json_t *json, struct identity *out, struct err *e)
{
	struct identity id = {
		.path = arena_strdup(a, json_str(json, "path")),
		.name = arena_strdup(a, json_str(json, "name")),
		.serial = arena_strdup(a, json_str(json, "serial")),
		.wwn = arena_strdup(a, json_str(json, "wwn")),
		.model = arena_strdup(a, json_str(json, "model")),
		.bytes = json_u64(json, "bytes", 0),
		.content = arena_strdup(a, json_str(json, "content")),
	};

	if (!id.path || !id.name || !id.bytes || !id.content)
		return err_set(e, ERR_USAGE, "the identity of a disk needs path, name, bytes"
			       " and content");
	if (strncmp(id.path, "/dev/", 5) || strstr(id.path, "/../"))
		return err_set(e, ERR_USAGE, "the identity of a disk needs a path below /dev");
	*out = id;
	return 0;
}

static const char *or_none(const char *s)
{
	return s && *s ? s : "unknown";
}

static bool differs(const char *then, const char *now)
{
	return strcmp(then ? then : "", now ? now : "") != 0;
}

int identity_compare(const struct identity *then, const struct identity *now, bool with_content,
		     struct err *e)
{
	const struct {
		const char *what, *then, *now;
	} rows[] = {
		{ "serial", then->serial, now->serial },
		{ "WWN", then->wwn, now->wwn },
		{ "model", then->model, now->model },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (differs(rows[i].then, rows[i].now))
			return err_set(e, ERR_REFUSED, "%s: %s was %s, is now %s", now->name,
				       rows[i].what, or_none(rows[i].then), or_none(rows[i].now));
	}
	if (then->bytes != now->bytes)
		return err_set(e, ERR_REFUSED, "%s: size was %" PRIu64 " bytes, is now %" PRIu64,
			       now->name, then->bytes, now->bytes);
	if (!with_content)
		return 0;
	if (!strcmp(now->content, "unread"))
		return err_set(e, ERR_REFUSED, "%s: what it holds cannot be read", now->name);
	if (!differs(then->content, now->content))
		return 0;
	if (!*then->content)
		return err_set(e, ERR_REFUSED, "%s: it was blank, now something is recognised on it",
			       now->name);
	if (!*now->content)
		return err_set(e, ERR_REFUSED, "%s: it held something, now it is blank", now->name);
	return err_set(e, ERR_REFUSED, "%s: it does not hold the same as when the plan was made",
		       now->name);
}
