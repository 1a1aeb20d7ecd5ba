/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * luks - encryption of a device with a passphrase, and with integrity= a keyed checksum for
 * every sector, so that what was changed or rotted is an error and not wrong data.
 *
 * The passphrase is no part of a layout: the executor gets it with the order and hands it
 * to cryptsetup on its standard input, so it stands in no plan, command line or journal.
 * The data offset is asked for, not left to cryptsetup (CAPACITY rules 1.3).
 */
#include "layers/luks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "layers/dm-integrity.h"
#include "layers/layers.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

enum { SECTOR = 512 };

uint64_t luks_offset(unsigned type, uint32_t io_min, uint32_t io_opt)
{
	uint64_t align = io_min ? io_min : SECTOR;

	if (io_opt > align && io_opt % align == 0 && io_opt % 4096 == 0)
		align = io_opt;
	if (MIB % align == 0)
		align = MIB;
	/* LUKS1: the header and eight slots of a 512-bit key */
	return round_up(type == 1 ? 2068480 : 16 * MIB, align);
}

/* Bytes of a checksum, by the word of the option; none of the words is 0. */
static unsigned tag_of(const char *integrity)
{
	return !strcmp(integrity, "hmac-sha256") ? 32 : !strcmp(integrity, "hmac-sha512") ? 64 : 0;
}

static const struct option luks_options[] = {
	{ .name = "type", .type = OPTION_WORD, .words = "luks2 luks1", .def = "luks2",
	  .help = "the format of the header; luks1 for systems that know no other" },
	{ .name = "sector", .type = OPTION_WORD, .words = "512 4096",
	  .help = "luks2: bytes that are encrypted at once, and the sector of what is opened; without it "
		  "that of the device. 4096 costs less time" },
	{ .name = "integrity", .type = OPTION_WORD, .words = "no hmac-sha256 hmac-sha512", .def = "no",
	  .help = "luks2: a keyed checksum for every sector: what was changed or rotted cannot be read, "
		  "and making it writes the whole device once" },
	{ .name = NULL }
};

static int luks_check(const struct stmt *st, struct err *e)
{
	const char *type = stmt_value(st, "type"), *integrity = stmt_value(st, "integrity");

	if (!type || strcmp(type, "luks1"))
		return 0;
	if (stmt_value(st, "sector"))
		return err_set(e, ERR_USAGE, "sector= is for type=luks2; luks1 encrypts 512-byte sectors");
	if (integrity && tag_of(integrity))
		return err_set(e, ERR_USAGE, "integrity= is for type=luks2; below luks1 the layer integrity "
			       "keeps checksums");
	return 0;
}

static uint32_t sector_of(const struct node *n)
{
	const char *word = node_word(n, "sector");

	return word ? (uint32_t)strtoul(word, NULL, 10) : n->kids[0]->lsec;
}

/* What is left behind the header. */
static uint64_t mapped(const struct node *n, uint64_t offset, uint32_t sector)
{
	uint64_t bytes = n->kids[0]->bytes;
	struct integrity_shape in = {
		.sectors = bytes / SECTOR, .block = sector, .tag = tag_of(node_word(n, "integrity")),
		.start = offset / SECTOR,
	};

	if (bytes < offset + MIB)
		return 0;
	return in.tag ? integrity_data_sectors(&in) * SECTOR : bytes - offset;
}

static int luks_size(struct stack *s, struct node *n, struct err *e)
{
	const struct node *kid = n->kids[0];
	unsigned type = strcmp(node_word(n, "type"), "luks1") ? 2 : 1;
	uint64_t offset = luks_offset(type, kid->io_min, kid->io_opt);
	uint32_t sector = sector_of(n);
	char time[SIZE_TEXT];

	if (type == 1 && kid->lsec > SECTOR)
		return err_set(e, ERR_USAGE, "luks1 encrypts 512-byte sectors, %s has %u: type=luks2", kid->name,
			       kid->lsec);
	if (sector < kid->lsec)
		return err_set(e, ERR_USAGE, "sector=%u is less than the %u of %s; without sector= it is right",
			       sector, kid->lsec, kid->name);
	n->bytes = mapped(n, offset, sector);
	if (!n->bytes)
		return err_set(e, ERR_USAGE, "%s (%" PRIu64 " bytes) is too small: the header takes %" PRIu64,
			       kid->name, kid->bytes, offset);
	if (kid->bytes % sector)
		return err_set(e, ERR_USAGE, "%s (%" PRIu64 " bytes) does not end on a sector of %u: sector=512, "
			       "or part below it", kid->name, kid->bytes, sector);
	if (sector > n->lsec)
		n->lsec = sector;
	if (n->psec < sector)
		n->psec = sector;
	if (n->io_min < sector)
		n->io_min = sector;
	n->name = stack_label(s, n);
	n->dm_name = arena_printf(s->arena, "%s-%s-luks", s->name, n->name);
	n->dev = arena_printf(s->arena, "/dev/mapper/%s", n->dm_name);
	node_fact_u64(s, n, "data_offset", offset);
	if (!tag_of(node_word(n, "integrity")))
		return 0;
	node_fact_str(s, n, "integrity", node_word(n, "integrity"));
	n->note = arena_printf(s->arena, "making it writes all of it once: about %s",
			       duration_text(time, integrity_wipe_ns(kid->bytes, kid->rotational)));
	return 0;
}

static int luks_plan(const struct node *n, struct plan *p, struct err *e)
{
	const struct node *kid = n->kids[0];
	const char *type = node_word(n, "type"), *integrity = node_word(n, "integrity");
	struct step *st;

	(void)e;
	/* with checksums it writes everything: a sector without its own cannot be read */
	st = plan_step(p, "luks", "encrypt %s%s", kid->name,
		       tag_of(integrity) ? " and make checksums for all of it" : "");
	step_args(p, st, "cryptsetup", "luksFormat", "--batch-mode", "--type", type,
		  "--cipher", "aes-xts-plain64", "--key-size", "512", "--hash", "sha256",
		  "--use-urandom", NULL);
	if (strcmp(type, "luks1")) {
		step_args(p, st, "--pbkdf", "argon2id", "--sector-size", NULL);
		step_argf(p, st, "%u", sector_of(n));
	}
	if (tag_of(integrity))
		step_args(p, st, "--integrity", integrity, NULL);
	step_args(p, st, "--offset", NULL);
	step_argf(p, st, "%" PRIu64, luks_offset(strcmp(type, "luks1") ? 2 : 1, kid->io_min, kid->io_opt) /
		  SECTOR);
	step_args(p, st, "--key-file", "-", kid->dev, NULL);
	st->secret = true;
	step_writes(p, st, kid);
	/* first the keys, then what says that there was anything */
	step_undo(p, st, "cryptsetup", "erase", "--batch-mode", kid->dev, NULL);
	step_undo(p, st, "wipefs", "--all", "--force", "--quiet", kid->dev, NULL);

	st = plan_step(p, "luks", "open it as %s", n->dm_name);
	step_args(p, st, "cryptsetup", "open", "--type", "luks", "--key-file", "-", kid->dev,
		  n->dm_name, NULL);
	st->secret = true;
	step_writes(p, st, kid);
	step_makes(p, st, n->dev, n->bytes);
	st->again = true;
	step_undo(p, st, "cryptsetup", "close", n->dm_name, NULL);
	plan_wipe(p, "luks", n->dev, n);
	return 0;
}

static const char *const luks_tools[] = { "cryptsetup", NULL };
static const char *const luks_packages[] = { "cryptsetup-bin", NULL };

const struct layer layer_luks = {
	.name = "luks", .title = "Encryption (LUKS)",
	.about = "Encrypts what is written to the device below with a passphrase, asked for when it is "
		 "built and at every start. Without it nobody reads the disks, their owner included.",
	.kind = LAYER_MAP, .takes = THING_BLOCK, .gives = THING_BLOCK,
	.by_hand = true, .signature = "crypto_LUKS", .tools = luks_tools, .packages = luks_packages,
	.options = luks_options, .check = luks_check, .size = luks_size, .plan = luks_plan,
};
