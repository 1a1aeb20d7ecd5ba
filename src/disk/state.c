/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state - may a disk be used, and the one sentence that says why not or what is on it. */
#include "disk/room.h"

#include <string.h>

/* libblkid's names in the words people know. */
static const struct {
	const char *type, *words;
} sig_names[] = {
	{ "linux_raid_member", "md member" },
	{ "LVM2_member", "LVM physical volume" },
	{ "crypto_LUKS", "LUKS" },
	{ "isw_raid_member", "BIOS RAID member (isw)" },
	{ "ddf_raid_member", "BIOS RAID member (ddf)" },
	{ "zfs_member", "zfs member" },
	{ "DM_integrity", "dm-integrity" },
};

static const char *sig_words(const char *type)
{
	size_t i;

	for (i = 0; i < sizeof(sig_names) / sizeof(sig_names[0]); i++) {
		if (!strcmp(type, sig_names[i].type))
			return sig_names[i].words;
	}
	return type;
}

/* Backups and repeated labels of one thing are said once. */
static bool said_before(const struct disk *d, size_t i)
{
	const struct sig *s = &d->sigs[i];
	size_t k;

	for (k = 0; k < i; k++) {
		const struct sig *t = &d->sigs[k];

		if (!strcmp(s->type, t->type) && !strcmp(s->on, t->on))
			return true;
	}
	return false;
}

static void add_tables(struct sbuf *b, const struct disk *d)
{
	bool gpt = false;
	size_t i;

	for (i = 0; i < d->n_sigs; i++)
		gpt |= !strcmp(d->sigs[i].type, "gpt");
	for (i = 0; i < d->n_sigs; i++) {
		const struct sig *s = &d->sigs[i];

		if (strcmp(s->usage, "table") || said_before(d, i) ||
		    (gpt && !strcmp(s->type, "PMBR")))
			continue;
		sbuf_addf(b, "%s%s partition table", b->len ? ", " : "", s->type);
		if (strcmp(s->on, d->name))
			sbuf_addf(b, " on %s", s->on);
	}
}

static const char *why_data(struct arena *a, const struct disk *d)
{
	enum { SHOWN = 4 };
	size_t i, shown = 0, more = 0;
	struct sbuf b = { 0 };
	const char *why;

	for (i = 0; i < d->n_sigs; i++) {
		const struct sig *s = &d->sigs[i];

		if (!strcmp(s->usage, "table") || said_before(d, i))
			continue;
		if (shown == SHOWN) {
			more++;
			continue;
		}
		sbuf_addf(&b, "%s%s", shown++ ? ", " : "", sig_words(s->type));
		if (s->label)
			sbuf_addf(&b, " \"%s\"", s->label);
		if (strcmp(s->on, d->name))
			sbuf_addf(&b, " on %s", s->on);
	}
	if (more)
		sbuf_addf(&b, " and %zu more", more);
	if (!shown && d->n_parts)
		sbuf_addf(&b, "%zu partition%s, no content recognised", d->n_parts,
			  d->n_parts == 1 ? "" : "s");
	else if (!shown && d->n_sigs)
		add_tables(&b, d);
	if (d->unread)
		sbuf_addf(&b, "%scontent unknown: %s", b.len ? "; " : "", d->why);
	why = arena_strdup(a, sbuf_str(&b));
	sbuf_done(&b);
	return why;
}

static const char *why_busy(struct arena *a, const struct disk *d)
{
	enum { SHOWN = 6 };
	struct sbuf b = { 0 };
	const char *why;
	size_t i;

	for (i = 0; i < d->n_uses && i < SHOWN; i++) {
		const struct use *u = &d->uses[i];
		bool mounted = !strcmp(u->kind, "mount") || !strcmp(u->kind, "root");
		bool same = i && !strcmp(u->on, d->uses[i - 1].on);

		sbuf_add(&b, i ? same ? ", " : "; " : "");
		if (strcmp(u->on, d->name) && !same)
			sbuf_addf(&b, "%s ", u->on);
		sbuf_addf(&b, "%s%s", mounted ? "mounted on " :
			  !strcmp(u->kind, "md") ? "member of " :
			  !strcmp(u->kind, "btrfs") && *u->what == '/' ? "btrfs " : "", u->what);
	}
	if (d->n_uses > SHOWN)
		sbuf_addf(&b, " and %zu more", d->n_uses - SHOWN);
	why = arena_strdup(a, sbuf_str(&b));
	sbuf_done(&b);
	return why;
}

void disk_decide(struct arena *a, struct disk *d, const char *hidden_why)
{
	if (hidden_why) {
		d->state = DISK_HIDDEN;
		d->why = hidden_why;
	} else if (d->n_uses) {
		d->state = DISK_BUSY;
		d->why = why_busy(a, d);
	} else if (d->n_sigs || d->n_parts || d->unread) {
		d->state = DISK_DATA;
		d->why = why_data(a, d);
	} else {
		d->state = DISK_FREE;
		d->why = disk_is_network(d) ? "nothing; it lies behind a network" : "nothing";
	}
}
