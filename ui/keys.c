/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keys - names of keys, the table of those that mean the same everywhere, and the printing
 * of all tables for the manual.
 */
#include "ui/keys.h"

#include <stdbool.h>
#include <string.h>

#include "ui/ui.h"

/* Small letters look or edit a plan; a capital can lose data or work. G is the exception. */
const struct key keys_everywhere[] = {
	{ ACT_UP, "Up k", .help = "move up" },
	{ ACT_DOWN, "Down j", .help = "move down" },
	{ ACT_LEFT, "Left h", .help = "move left" },
	{ ACT_RIGHT, "Right l", .help = "move right" },
	{ ACT_PGUP, "PgUp", .help = "a page up" },
	{ ACT_PGDN, "PgDn", .help = "a page down" },
	{ ACT_TOP, "g Home", .help = "to the first" },
	{ ACT_END, "G End", .help = "to the last" },
	{ ACT_BACK, "Esc", .help = "back, close; never anything else" },
	{ ACT_STEP_1, "1", .help = "go to the first step of the way, Disks" },
	{ ACT_STEP_2, "2", .help = "go to Layout" },
	{ ACT_STEP_3, "3", .help = "go to Compare" },
	{ ACT_STEP_4, "4", .help = "go to Plan" },
	{ ACT_STEP_5, "5", .help = "go to Build" },
	{ ACT_STEP_6, "6", .help = "go to Bench" },
	{ ACT_STEP_7, "7", .help = "go to Results" },
	{ ACT_STEP_BACK, "[", .help = "the step before" },
	{ ACT_STEP_ON, "]", .help = "the next step" },
	{ ACT_HELP, "? F1", .help = "help of this screen; type to search, Enter does a line" },
	{ ACT_PALETTE, ": F2", .help = "any action by name" },
	{ ACT_MESSAGES, "!", .help = "messages, newest first" },
	{ ACT_UNITS, "b", .help = "sizes in TB, TiB or bytes" },
	{ ACT_ASCII, "^A", .help = "ASCII only, on or off" },
	{ ACT_REDRAW, "^L", .help = "draw everything again" },
	{ ACT_SUSPEND, "^Z", .help = "suspend naslab; fg brings it back" },
	{ ACT_QUIT, "q F10", .help = "back; on the first screen leave, work goes on" },
	{ 0 }
};

static const struct key_name {
	const char *name;
	uint32_t key;
} names[] = {
	{ "Up", UK_UP }, { "Down", UK_DOWN }, { "Left", UK_LEFT }, { "Right", UK_RIGHT },
	{ "PgUp", UK_PGUP }, { "PgDn", UK_PGDN }, { "Home", UK_HOME }, { "End", UK_END },
	{ "Tab", UK_TAB }, { "BackTab", UK_BTAB }, { "Enter", UK_ENTER }, { "Esc", UK_ESC },
	{ "Space", ' ' }, { "Backspace", UK_BACKSPACE }, { "Del", UK_DELETE },
	{ "F1", UK_F1 }, { "F2", UK_F2 }, { "F3", UK_F3 }, { "F5", UK_F5 }, { "F10", UK_F10 },
};

uint32_t key_number(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i].name) == len && !memcmp(names[i].name, name, len))
			return names[i].key;
	}
	if (len == 2 && name[0] == '^')
		return (uint32_t)name[1] & 0x1f;
	return len == 1 ? (uint32_t)(unsigned char)name[0] : 0;
}

const struct key *key_find(const struct key *table, uint32_t key)
{
	const char *p;
	size_t len;

	for (; table && table->act; table++) {
		for (p = table->keys; *p; p += len + (p[len] == ' ')) {
			len = strcspn(p, " ");
			if (key_number(p, len) == key)
				return table;
		}
	}
	return NULL;
}

const char *key_shown(const struct key *row, char buf[24])
{
	size_t len = strcspn(row->keys, " ");

	if (row->show)
		return row->show;
	if (len > 23)
		len = 23;
	memcpy(buf, row->keys, len);
	buf[len] = '\0';
	return buf;
}

/* Words of roff: none may be read as a request, a quote or punctuation of mdoc. */
static void add_roff(struct sbuf *out, const char *text)
{
	bool first = true;

	for (; *text; text++) {
		if (first && *text != ' ')
			sbuf_add(out, "\\&");
		first = *text == ' ';
		if (*text == '\\')
			sbuf_add(out, "\\e");
		else if (*text == '-')
			sbuf_add(out, "\\-");
		else if (*text == '^')
			sbuf_add(out, "\\(ha");
		else if (*text == '"')
			sbuf_add(out, "\\(dq");
		else
			sbuf_addc(out, *text);
	}
}

static void print_table(struct sbuf *out, int roff, const char *title, const struct key *k)
{
	if (roff)
		sbuf_addf(out, ".Ss %s\n.Bl -tag -width \"PgUp PgDn\" -compact\n", title);
	else
		sbuf_addf(out, "%s%s\n", out->len ? "\n" : "", title);
	for (; k->act; k++) {
		if (!roff) {
			sbuf_addf(out, "  %-16s %s\n", k->keys, k->help);
			continue;
		}
		sbuf_add(out, ".It Ic ");
		add_roff(out, k->keys);
		sbuf_add(out, "\n");
		add_roff(out, k->help);
		sbuf_add(out, "\n");
	}
	if (roff)
		sbuf_add(out, ".El\n");
}

void keys_print(struct sbuf *out, int roff)
{
	const struct screen *const *s;

	print_table(out, roff, "Everywhere", keys_everywhere);
	for (s = screens; *s; s++) {
		if ((*s)->keys && (*s)->keys->act)
			print_table(out, roff, (*s)->title, (*s)->keys);
	}
}
