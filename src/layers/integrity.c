/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * integrity - a checksum for every block of a device (dm-integrity, standalone).
 *
 * Rotten blocks become read errors, which an array above repairs from its other members.
 */
#include "layers/dm-integrity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "layers/layers.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

enum { SECTOR = 512 };

static const struct algorithm {
	const char *name;
	unsigned tag;
} algorithms[] = {
	{ "crc32c", 4 }, { "xxhash64", 8 }, { "sha1", 20 }, { "sha256", 32 },
};

static const struct option integrity_options[] = {
	{ .name = "algorithm", .type = OPTION_WORD, .words = "crc32c xxhash64 sha1 sha256",
	  .def = "crc32c", .help = "the checksum: crc32c takes 4 bytes a block, sha256 32" },
	{ .name = "block", .type = OPTION_WORD, .words = "512 1024 2048 4096", .def = "512",
	  .help = "bytes that share a checksum; more is faster, and becomes the sector of the device" },
	{ .name = "journal", .type = OPTION_SIZE, .min = 64 * KIB, .max = 16 * GIB,
	  .help = "every write goes there first; without it 1/128 of the device, 64M at most" },
	{ .name = "mode", .type = OPTION_WORD, .words = "journal bitmap", .def = "journal",
	  .help = "journal: data and checksum change together; bitmap: written once and so faster, but "
		  "after a crash the last written regions get new checksums of whatever is there" },
	{ .name = NULL }
};

static int integrity_size(struct stack *s, struct node *n, struct err *e)
{
	const struct node *kid = n->kids[0];
	uint32_t block = (uint32_t)strtoul(node_word(n, "block"), NULL, 10);
	struct integrity_shape in = {
		.sectors = kid->bytes / SECTOR, .journal = node_size(n, "journal") / SECTOR,
	};
	char time[SIZE_TEXT];
	size_t i;

	in.block = block > kid->lsec ? block : kid->lsec;
	for (i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
		if (!strcmp(algorithms[i].name, node_word(n, "algorithm")))
			in.tag = algorithms[i].tag;
	}
	n->bytes = integrity_data_sectors(&in) * SECTOR;
	if (!n->bytes)
		return err_set(e, ERR_USAGE, "%s (%" PRIu64 " bytes) has no room for a journal and checksums",
			       kid->name, kid->bytes);
	if (in.block > SECTOR) {
		n->lsec = in.block;
		if (n->psec < in.block)
			n->psec = in.block;
		/* in place of what lies below (dm_integrity_io_hints, kernel 6.1) */
		n->io_min = in.block > n->psec ? in.block : n->psec;
	}
	n->name = stack_label(s, n);
	n->dm_name = arena_printf(s->arena, "%s-%s-integrity", s->name, n->name);
	n->dev = arena_printf(s->arena, "/dev/mapper/%s", n->dm_name);
	n->note = arena_printf(s->arena, "making it writes all of it once: about %s",
			       duration_text(time, integrity_wipe_ns(kid->bytes, kid->rotational)));
	return 0;
}

/* The place of the journal is kept and holds the bitmap: no size differs (measured). */
static void plan_mode(const struct node *n, struct plan *p, struct step *st)
{
	if (!strcmp(node_word(n, "mode"), "bitmap"))
		step_args(p, st, "--integrity-bitmap-mode", NULL);
}

static int integrity_plan(const struct node *n, struct plan *p, struct err *e)
{
	const struct node *kid = n->kids[0];
	const char *algorithm = node_word(n, "algorithm");
	struct step *st;

	(void)e;
	/* it has to write everything: a block without its checksum cannot be read */
	st = plan_step(p, "integrity", "make checksums for all of %s", kid->name);
	step_args(p, st, "integritysetup", "format", "--batch-mode", "--integrity", algorithm,
		  "--sector-size", NULL);
	step_argf(p, st, "%u", n->lsec);
	if (node_word(n, "journal")) {
		step_args(p, st, "--journal-size", NULL);
		step_argf(p, st, "%" PRIu64, node_size(n, "journal"));
	}
	plan_mode(n, p, st);
	step_args(p, st, kid->dev, NULL);
	step_writes(p, st, kid);
	step_undo(p, st, "wipefs", "--all", "--force", "--quiet", kid->dev, NULL);

	st = plan_step(p, "integrity", "open it as %s", n->dm_name);
	step_args(p, st, "integritysetup", "open", "--integrity", algorithm, NULL);
	plan_mode(n, p, st);
	step_args(p, st, kid->dev, n->dm_name, NULL);
	step_writes(p, st, kid);
	step_makes(p, st, n->dev, n->bytes);
	st->again = true;
	step_undo(p, st, "integritysetup", "close", n->dm_name, NULL);
	plan_wipe(p, "integrity", n->dev, n);
	return 0;
}

static const char *const integrity_tools[] = { "integritysetup", NULL };
static const char *const integrity_packages[] = { "cryptsetup-bin", NULL };

const struct layer layer_integrity = {
	.name = "integrity", .title = "Checksums (dm-integrity)",
	.about = "Keeps a checksum for every block, so that bit rot becomes a read error, which the array "
		 "above repairs. Every write goes through a journal first, or is noted in a bitmap.",
	.by_hand = true,
	.kind = LAYER_MAP, .takes = THING_BLOCK, .gives = THING_BLOCK,
	.signature = "DM_integrity", .tools = integrity_tools, .packages = integrity_packages,
	.options = integrity_options, .size = integrity_size, .plan = integrity_plan,
};
