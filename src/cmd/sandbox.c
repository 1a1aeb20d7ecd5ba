/* SPDX-License-Identifier: GPL-2.0-or-later */
/* naslab sandbox - a command, or the screens, on a real kernel with virtual disks. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "naslab.h"

/* The practice lab: three sizes of pairs, as they come together over the years, and an SSD. */
static const char *const practice[] = { "2xhdd:3T", "2xhdd:5T", "2xhdd:10T", "ssd:500G" };

static int add_practice(struct inventory *inv, struct err *e)
{
	size_t i;

	for (i = 0; i < sizeof(practice) / sizeof(*practice); i++) {
		if (inventory_add_virtual(inv, practice[i], e) < 0)
			return -1;
	}
	return 0;
}

/* The disks asked for; else those of the --keep folder; else the practice lab. */
static int choose_disks(const char *keep, struct inventory **out, struct err *e)
{
	struct sbuf list = { 0 };
	size_t i, n = option_count("disk");
	bool kept;
	int rc = 0;

	if (keep)
		sbuf_addf(&list, "%s/disks.list", keep);
	kept = keep && access(list.text, F_OK) == 0;
	if (kept && n) {
		rc = err_set(e, ERR_USAGE, "sandbox: --keep %s has its disks already: leave --disk "
			     "away, or name another folder", keep);
	} else if (kept) {
		rc = inventory_load(list.text, out, e);
	} else {
		*out = inventory_new();
		for (i = 0; i < n && rc == 0; i++) {
			if (inventory_add_virtual(*out, option_at("disk", i), e) < 0)
				rc = -1;
		}
		if (!n)
			rc = add_practice(*out, e);
	}
	sbuf_done(&list);
	return rc;
}

static int sandbox_verb(int argc, char **argv)
{
	struct inventory *disks = NULL;
	struct sandbox s = { .keep = option("keep"), .udev = option("udev") != NULL };
	struct err e = { 0 };
	int status = 1, rc;

	if (option("memory") && size_parse(option("memory"), &s.memory, &e) < 0)
		return usage_error("--memory %s: %s", option("memory"), e.text);
	rc = sandbox_available(&e);
	if (rc == 0)
		rc = choose_disks(s.keep, &disks, &e);
	if (rc == 0) {
		s.disks = disks;
		s.command = argc ? argv : NULL;
		s.tty = isatty(0) && isatty(1);
		if (s.command == NULL && !s.tty)
			rc = err_set(&e, ERR_USAGE, "sandbox: without a COMMAND it shows the screens, "
				     "and those need a terminal");
		else
			rc = sandbox_run(&s, &status, &e);
	}
	inventory_free(disks);
	return rc < 0 ? fail(&e) : status;
}

static const struct verb_option sandbox_options[] = {
	{ .name = "disk", .value = "SPEC", .many = true,
	  .help = "a virtual disk: hdd:10T, 6xhdd:4T, ssd:500G,model=X; with rate=150MB,seek=8ms it is "
		  "as slow as one" },
	{ .name = "memory", .value = "SIZE", .help = "of the machine inside (1G)" },
	{ .name = "keep", .value = "DIR", .help = "keep disks and database there for the next time" },
	{ .name = "udev", .help = "run udev inside, as a real machine does" },
	{ .name = NULL }
};

const struct verb verb_sandbox = {
	.name = "sandbox",
	.usage = "[--disk SPEC]... [--memory SIZE] [--keep DIR] [--udev] [-- COMMAND...]",
	.help = "a real kernel in user mode with virtual disks, no root needed",
	.about = "Start a real Linux kernel as a plain process, with virtual disks of their true\n"
		 "size (sparse files), and run COMMAND in it as root; naslab is on its PATH.\n"
		 "Without COMMAND the screens are shown. The machine's own files are seen inside,\n"
		 "what is written to them is forgotten. The exit status is COMMAND's.\n"
		 "\n"
		 "rate= holds reading and writing to so many bytes a second each, seek= is the mean\n"
		 "time of a jump, disk by disk: a plausible disk, without a cache or reordering of\n"
		 "its own. What is measured inside is marked as simulated.\n"
		 "\n"
		 "Without --disk there is a practice lab: 2x3T, 2x5T, 2x10T and an SSD of 500G.\n"
		 "Started as root it acts as the user who called sudo, else as nobody.\n"
		 "Images are made in $TMPDIR, /var/tmp, /tmp or /dev/shm and removed at the end.",
	.options = sandbox_options,
	.rest = true,
	.run = sandbox_verb,
};
