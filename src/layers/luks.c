/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * luks - encryption of a device with a passphrase.
 *
 * The passphrase is no part of a layout: the executor gets it with the order and hands it
 * to cryptsetup on its standard input, so it stands in no plan, command line or journal.
 * The data offset is asked for, not left to cryptsetup (CAPACITY rules 1.3).
 */
#include "layers/luks.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
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

static const struct option luks_options[] = {
	{ .name = "type", .type = OPTION_WORD, .words = "luks2 luks1", .def = "luks2",
	  .help = "the format of the header; luks1 for systems that know no other" },
	{ .name = NULL }
};

static int luks_size(struct stack *s, struct node *n, struct err *e)
{
	const struct node *kid = n->kids[0];
	unsigned type = strcmp(node_word(n, "type"), "luks1") ? 2 : 1;
	uint64_t offset = luks_offset(type, kid->io_min, kid->io_opt);

	if (type == 1 && kid->lsec > SECTOR)
		return err_set(e, ERR_USAGE, "luks1 encrypts 512-byte sectors, %s has %u: type=luks2", kid->name,
			       kid->lsec);
	if (kid->bytes < offset + MIB)
		return err_set(e, ERR_USAGE, "%s (%" PRIu64 " bytes) is too small: the header takes %" PRIu64,
			       kid->name, kid->bytes, offset);
	n->bytes = kid->bytes - offset;
	n->name = stack_label(s, n);
	n->dm_name = arena_printf(s->arena, "%s-%s-luks", s->name, n->name);
	n->dev = arena_printf(s->arena, "/dev/mapper/%s", n->dm_name);
	node_fact_u64(s, n, "data_offset", offset);
	return 0;
}

static int luks_plan(const struct node *n, struct plan *p, struct err *e)
{
	const struct node *kid = n->kids[0];
	const char *type = node_word(n, "type");
	struct step *st;

	(void)e;
	st = plan_step(p, "luks", "encrypt %s", kid->name);
	step_args(p, st, "cryptsetup", "luksFormat", "--batch-mode", "--type", type,
		  "--cipher", "aes-xts-plain64", "--key-size", "512", "--hash", "sha256",
		  "--use-urandom", NULL);
	if (strcmp(type, "luks1")) {
		step_args(p, st, "--pbkdf", "argon2id", "--sector-size", NULL);
		step_argf(p, st, "%u", kid->lsec);
	}
	step_args(p, st, "--offset", NULL);
	step_argf(p, st, "%" PRIu64, (kid->bytes - n->bytes) / SECTOR);
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
	.signature = "crypto_LUKS", .tools = luks_tools, .packages = luks_packages,
	.options = luks_options, .size = luks_size, .plan = luks_plan,
};
