/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udev - one record of the udev database, read as the text file it is, so that a recorded
 * machine can be read too. Lines used: "E:KEY=value" and "S:disk/by-id/...".
 */
#include "disk/room.h"

#include <string.h>

void udev_db_read(const struct machine *m, const struct node *n, struct udev_db *db)
{
	struct sbuf path = { 0 }, text = { 0 };
	const char *s;

	sbuf_addf(&path, "%s/run/udev/data/b%u:%u", m->root, n->major, n->minor);
	file_read(path.text, 1 << 20, &text);
	for (s = sbuf_str(&text); *s; s += strcspn(s, "\n"), s += *s == '\n') {
		size_t len = strcspn(s, "\n");
		const char *eq = memchr(s, '=', len);

		if (!strncmp(s, "E:", 2) && eq) {
			list_add(m->a, &db->keys, arena_strndup(m->a, s + 2, (size_t)(eq - s - 2)));
			list_add(m->a, &db->values,
				 arena_strndup(m->a, eq + 1, len - (size_t)(eq + 1 - s)));
		} else if (!strncmp(s, "S:", 2)) {
			list_add(m->a, &db->links, arena_strndup(m->a, s + 2, len - 2));
		}
	}
	sbuf_done(&path);
	sbuf_done(&text);
}

const char *udev_db_get(const struct udev_db *db, const char *key)
{
	size_t i;

	for (i = 0; i < db->keys.n; i++) {
		if (!strcmp(db->keys.at[i], key))
			return db->values.at[i];
	}
	return NULL;
}
