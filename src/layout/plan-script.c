/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan-script - the plan as a POSIX shell script that needs no naslab.
 *
 * It checks before it writes, as the guard does: size and serial of every disk, nobody
 * uses it, and nothing is on it that the plan did not see. Every word is quoted.
 */
#include <inttypes.h>
#include <string.h>

#include "base/sbuf.h"
#include "disk/disk.h"
#include "layout/plan.h"
#include "layout/recipe.h"

static const char head[] =
	"set -eu\n"
	"export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin\n"
	"\n"
	"stop() { echo \"stopped: $*\" >&2; exit 3; }\n"
	"\n"
	"# check_disk DEVICE BYTES SERIAL blank|wiped\n"
	"check_disk() {\n"
	"\t[ -b \"$1\" ] || stop \"$1 is not there\"\n"
	"\t[ \"$(blockdev --getsize64 \"$1\")\" = \"$2\" ] || stop \"$1 does not have $2 bytes\"\n"
	"\tserial=$(lsblk --nodeps --noheadings --output SERIAL \"$1\" | tr -d ' ')\n"
	"\t[ -z \"$3\" ] || [ -z \"$serial\" ] || [ \"$serial\" = \"$3\" ] || stop \"$1 is not the disk with serial $3\"\n"
	"\tfor dir in \"/sys/class/block/${1##*/}\" \"/sys/class/block/${1##*/}/${1##*/}\"*; do\n"
	"\t\t[ -d \"$dir/holders\" ] || continue\n"
	"\t\t[ -z \"$(ls \"$dir/holders\")\" ] || stop \"$1 is used by $(ls \"$dir/holders\")\"\n"
	"\t\t! grep -q \"^/dev/${dir##*/} \" /proc/mounts /proc/swaps || stop \"/dev/${dir##*/} is in use\"\n"
	"\tdone\n"
	"\t[ \"$4\" = wiped ] || [ -z \"$(wipefs \"$1\")\" ] || stop \"$1 is no longer blank\"\n"
	"}\n"
	"\n"
	"# made DEVICE BYTES: it has to be there, with the planned size\n"
	"made() {\n"
	"\ttries=0\n"
	"\twhile [ ! -b \"$1\" ] && ! mountpoint -q \"$1\"; do\n"
	"\t\ttries=$((tries + 1))\n"
	"\t\t[ \"$tries\" -le 50 ] || stop \"$1 did not appear\"\n"
	"\t\tsleep 0.2\n"
	"\tdone\n"
	"\t[ \"$2\" = 0 ] || [ \"$(blockdev --getsize64 \"$1\")\" = \"$2\" ] || stop \"$1 does not have the planned $2 bytes\"\n"
	"}\n"
	"\n"
	"[ \"$(id -u)\" = 0 ] || stop \"this has to run as root\"\n";

/* What plan.h calls the commands that no tool offers. */
static const char builtins[] =
	"\n"
	"kernel_name() { basename \"$(readlink -f \"/sys/dev/block/$(mountpoint -x \"$1\")\")\"; }\n"
	"\n"
	"# until CONDITION...: waits ten seconds at most\n"
	"until_true() {\n"
	"\ttries=0\n"
	"\tuntil \"$@\"; do\n"
	"\t\ttries=$((tries + 1))\n"
	"\t\t[ \"$tries\" -le 50 ] || stop \"gave up waiting: $*\"\n"
	"\t\tsleep 0.2\n"
	"\tdone\n"
	"}\n"
	"reads() { [ \"$(cat \"$1\" 2>/dev/null)\" = \"$2\" ]; }\n"
	"one_holder() {\n"
	"\tset -- \"/sys/class/block/$(kernel_name \"$1\")/holders\"/*\n"
	"\t[ $# = 1 ] && [ -e \"$1\" ]\n"
	"}\n"
	"\n"
	"block_write() {\n"
	"\tuntil_true test -e \"/sys/class/block/$(kernel_name \"$1\")/$2\"\n"
	"\techo \"$3\" >\"/sys/class/block/$(kernel_name \"$1\")/$2\"\n"
	"}\n"
	"block_wait() { until_true reads \"/sys/class/block/$(kernel_name \"$1\")/$2\" \"$3\"; }\n"
	"block_tell() { readlink -f \"$2\" >\"$1\"; }\n"
	"block_link() {\n"
	"\tuntil_true one_holder \"$2\"\n"
	"\tmkdir -p \"${1%/*}\"\n"
	"\tset -- \"$1\" \"/sys/class/block/$(kernel_name \"$2\")/holders\"/*\n"
	"\tln -sfn \"/dev/${2##*/}\" \"$1\"\n"
	"}\n";

static const char units[] =
	"\n"
	"# unit_write FILE DEVICE: standard input is the unit\n"
	"unit_write() {\n"
	"\t[ ! -e \"$1\" ] || stop \"$1 is there already\"\n"
	"\tuuid=none\n"
	"\t[ \"$2\" = none ] || uuid=$(blkid -p -s UUID -o value \"$2\") || stop \"$2 has no UUID\"\n"
	"\tmkdir -p \"${1%/*}/local-fs.target.wants\"\n"
	"\tsed \"s|^What=/dev/disk/by-uuid/UUID$|What=/dev/disk/by-uuid/$uuid|\" >\"$1\"\n"
	"\tln -sfn \"$1\" \"${1%/*}/local-fs.target.wants/${1##*/}\"\n"
	"}\n";

static const char secret[] =
	"\n"
	"# the passphrase is the first line of this file\n"
	"[ -r \"${NASLAB_KEY:-}\" ] || stop \"NASLAB_KEY has to name a file with the passphrase\"\n"
	"passphrase() { head -n 1 \"$NASLAB_KEY\" | tr -d '\\n'; }\n";

/* A comment is one line, whatever the text holds. */
static void comment(struct sbuf *out, const char *text)
{
	struct sbuf safe = { 0 };

	sbuf_add_safe(&safe, text);
	sbuf_addf(out, "# %s\n", sbuf_str(&safe));
	sbuf_done(&safe);
}

static void check_disks(const struct stack *s, struct sbuf *out)
{
	size_t i;

	for (i = 0; i < s->n_disks; i++) {
		const struct node *n = s->nodes.at[i];
		const struct disk *d = n->disk;

		if (!node_is_used(n))
			continue;
		sbuf_add(out, "check_disk ");
		sbuf_add_shell(out, d->path);
		sbuf_addf(out, " %" PRIu64 " ", d->bytes);
		sbuf_add_shell(out, d->serial && !d->is_virtual ? d->serial : "");
		sbuf_addf(out, " %s\n", d->n_sigs || d->n_parts ? "wiped" : "blank");
	}
}

static void print_step(const struct step *s, struct sbuf *out)
{
	size_t i;

	sbuf_addc(out, '\n');
	sbuf_addf(out, "# %u: ", s->n);
	sbuf_add_safe(out, s->why);
	sbuf_addc(out, '\n');
	if (s->secret)
		sbuf_add(out, "passphrase | ");
	argv_print(&s->argv, out);
	if (s->secret)
		sbuf_addc(out, '\n');
	else if (s->input)
		sbuf_addf(out, " <<'INPUT'\n%sINPUT\n", s->input);
	else
		sbuf_add(out, " </dev/null\n");
	for (i = s->makes.n; i-- > 0;) {
		const struct effect *made = s->makes.at[i];

		sbuf_add(out, "made ");
		sbuf_add_shell(out, made->dev);
		sbuf_addf(out, " %" PRIu64 "\n", made->bytes);
	}
}

/* Is there a step whose command begins so? */
static bool has_command(const struct plan *p, const char *begin)
{
	size_t i;

	for (i = 0; i < p->steps.n; i++) {
		if (!strncmp(((const struct step *)p->steps.at[i])->argv.at[0], begin, strlen(begin)))
			return true;
	}
	return false;
}

void plan_script(const struct plan *p, struct sbuf *out)
{
	struct sbuf line = { 0 };
	size_t i;

	sbuf_add(out, "#!/bin/sh\n");
	recipe_line(p->stack->recipe, &line);
	comment(out, sbuf_str(&line));
	sbuf_done(&line);
	sbuf_addf(out, "# Builds %s. It overwrites the disks named below.\n", p->stack->name);
	sbuf_add(out, head);
	if (has_command(p, "block_"))
		sbuf_add(out, builtins);
	if (has_command(p, "unit_"))
		sbuf_add(out, units);
	if (plan_needs_secret(p))
		sbuf_add(out, secret);
	check_disks(p->stack, out);
	for (i = 0; i < p->steps.n; i++)
		print_step(p->steps.at[i], out);
	sbuf_addf(out, "\necho '%s is built'\n", p->stack->name);
}
