/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext4 - the file system as a layer, and what it leaves for data.
 *
 * The sizes follow mke2fs.c, lib/ext2fs/initialize.c and mkjournal.c of e2fsprogs 1.47
 * and ext4/super.c of kernel 6.1; tests/data/capacity/ext4.tsv has what was measured.
 */
#include "layers/ext4.h"

#include <stdbool.h>

#include "base/err.h"
#include "base/units.h"
#include "layers/layers.h"
#include "layout/mount.h"
#include "layout/plan.h"
#include "layout/recipe.h"
#include "layout/stack.h"

#define INODE_BYTES 256u
#define MIN_BYTES (64 * MIB)

/* Blocks of the journal, by blocks of the file system. */
static uint64_t journal_blocks(uint64_t blocks)
{
	static const struct { uint64_t below, journal; } steps[] = {
		{ 1 << 15, 1024 }, { 1 << 18, 4096 }, { 1 << 19, 8192 }, { 1 << 22, 16384 },
		{ 1 << 23, 32768 }, { 1 << 24, 65536 }, { 1 << 25, 131072 },
	};
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (blocks < steps[i].below)
			return steps[i].journal;
	return 262144;
}

static bool is_power_of(uint64_t x, uint64_t base)
{
	while (x > 1 && x % base == 0)
		x /= base;
	return x == 1;
}

/* sparse_super: does this group hold a copy of the superblock? */
static bool has_copy(uint64_t group)
{
	return group <= 1 || is_power_of(group, 3) || is_power_of(group, 5) ||
	       is_power_of(group, 7);
}

static uint64_t count_copies(uint64_t groups)
{
	static const unsigned bases[] = { 3, 5, 7 };
	uint64_t n = groups < 2 ? groups : 2, g;
	size_t i;

	for (i = 0; i < 3; i++)
		for (g = bases[i]; g < groups; g *= bases[i])
			n++;
	return n;
}

/* What the geometry costs: descriptor blocks, blocks reserved for more of them, inode tables. */
struct cost {
	uint64_t first, desc, reserved, itable;
};

static struct cost cost_of(const struct ext4_geometry *g)
{
	uint64_t bpg = 8ull * g->block;
	struct cost c = { .first = g->block == 1024 };
	uint64_t most = 1024 * g->blocks, want;

	c.desc = div_up(g->groups * 64, g->block);
	c.itable = div_up((uint64_t)g->inodes_per_group * INODE_BYTES, g->block);
	if (g->resize_inode) {
		if (most > UINT32_MAX)
			most = UINT32_MAX;
		want = div_up(div_up(most - c.first, bpg) * 64, g->block) - c.desc;
		c.reserved = want < g->block / 4 ? want : g->block / 4;
	}
	return c;
}

/* Inodes of a group fill whole blocks and are then cut to a multiple of 8, at least 8. */
static uint32_t inodes_per_group(uint64_t inodes, uint64_t groups, uint32_t block)
{
	uint64_t ipg = div_up(inodes, groups), got;

	for (;; ipg--) {
		got = div_up(ipg * INODE_BYTES, block) * block / INODE_BYTES / 8 * 8;
		if (!got)
			got = 8;
		if (got * groups <= UINT32_MAX)
			return (uint32_t)got;
	}
}

int ext4_geometry(const struct ext4_input *in, struct ext4_geometry *out, struct err *e)
{
	uint64_t bytes = round_down(in->bytes, 4096), inodes, last, need;
	struct ext4_geometry g = { .block = bytes < 512 * MIB ? 1024 : 4096 };
	struct cost c;

	if (bytes < MIN_BYTES)
		return err_set(e, ERR_USAGE, "needs at least 64 MiB, the device has %llu bytes; jfs takes "
			       "16 MiB",
			       (unsigned long long)in->bytes);
	g.inode_ratio = in->ratio ? in->ratio : bytes < 512 * MIB ? 4096 : bytes < 4 * TIB ? 16384 :
			bytes < 16 * TIB ? 32768 : 65536;
	g.blocks = bytes / g.block;
	inodes = bytes / g.inode_ratio;
	if (inodes > UINT32_MAX)
		inodes = UINT32_MAX;
	g.resize_inode = g.blocks < 1ull << 32;
	for (;;) {
		g.groups = div_up(g.blocks - (g.block == 1024), 8ull * g.block);
		g.inodes_per_group = inodes_per_group(inodes, g.groups, g.block);
		c = cost_of(&g);
		last = (g.blocks - c.first) % (8ull * g.block);
		need = 2 + c.itable + 50;
		if (has_copy(g.groups - 1))
			need += 1 + c.desc + c.reserved;
		if (!last || last >= need)
			break;
		g.blocks -= last;
		g.dropped += last;
	}
	g.journal = journal_blocks(g.blocks);
	*out = g;
	return 0;
}

int ext4_size(const struct ext4_input *in, struct fs_size *out, struct err *e)
{
	struct ext4_geometry g;
	uint64_t total, avail, kept, root;
	struct cost c;

	if (ext4_geometry(in, &g, e) < 0)
		return -1;
	c = cost_of(&g);
	total = g.blocks - c.first - g.groups * (2 + c.itable) -
		count_copies(g.groups) * (1 + c.desc + c.reserved) - g.journal;
	avail = total - 1 - (g.block == 1024 ? 12 : 4) - (g.resize_inode ? 1 : 0) -
		(g.journal == 262144 ? 1 : 0);
	*out = (struct fs_size){ .total = total * g.block, .free = avail * g.block,
				 .known = true };
	root = (g.blocks + g.dropped) * in->reserved / 100;	/* asked of the whole device */
	if (g.dropped)					/* and scaled when a group was dropped */
		root = (uint64_t)((long double)root * g.blocks / (g.blocks + g.dropped));
	kept = g.blocks / 50 < 4096 ? g.blocks / 50 : 4096;
	out->avail = avail > root + kept ? (avail - root - kept) * g.block : 0;
	return 0;
}

/* --- the layer */

static const struct option ext4_options[] = {
	{ .name = "reserved", .type = OPTION_COUNT, .min = 0, .max = 50, .def = "5",
	  .help = "percent that only root may fill; 0 or 1 on volumes that hold nothing but files" },
	{ .name = "ratio", .type = OPTION_SIZE, .min = 4 * KIB, .max = 4 * MIB,
	  .help = "bytes to one inode, a power of two: 1M for large files; without it 16K, from 4 TiB on "
		  "32K, from 16 TiB on 64K" },
	{ .name = "lazy", .type = OPTION_YESNO, .def = "yes",
	  .help = "inode tables are zeroed in the background after it is mounted; no: while it is made" },
	OPTION_SU, OPTION_SW,
	{ .name = "mount", .type = OPTION_MOUNT,
	  .help = "mount options, like noatime,commit=30" },
	OPTION_BOOT,
	{ .name = NULL }
};

static const struct mount_word ext4_words[] = {
	{ .name = "commit", .kind = MOUNT_NUMBER, .min = 1, .max = 900 },
	{ .name = "barrier", .kind = MOUNT_NUMBER, .min = 0, .max = 1 },
	{ .name = "nobarrier" },
	{ .name = "data", .kind = MOUNT_WORD, .words = "ordered writeback journal" },
	{ .name = "errors", .kind = MOUNT_WORD, .words = "continue remount-ro panic" },
	{ .name = "acl" }, { .name = "noacl" },
	{ .name = "delalloc" }, { .name = "nodelalloc" },
	{ .name = "auto_da_alloc" }, { .name = "noauto_da_alloc" },
	{ .name = "discard" }, { .name = "nodiscard" },
	{ .name = "journal_async_commit" },
	{ .name = "init_itable", .kind = MOUNT_NUMBER, .min = 0, .max = 1000 },
	{ .name = "noinit_itable" },
	{ .name = NULL }
};

static int ext4_check(const struct stmt *st, struct err *e)
{
	const char *ratio = stmt_value(st, "ratio");
	uint64_t bytes = 0;

	if (ratio && size_parse(ratio, &bytes, e))
		return -1;
	if (ratio && (bytes & (bytes - 1)))
		return err_set(e, ERR_USAGE, "ratio is a power of two, like 64K or 1M; not %s", ratio);
	return stripe_check(st, e) ? -1 : mount_check(st, ext4_words, e);
}

static struct ext4_input input_of(const struct node *n)
{
	return (struct ext4_input){
		.bytes = n->kids[0]->bytes, .ratio = (uint32_t)node_size(n, "ratio"),
		.reserved = (unsigned)node_count(n, "reserved"),
	};
}

static int ext4_node_size(struct stack *s, struct node *n, struct err *e)
{
	struct ext4_input in = input_of(n);

	(void)s;
	n->bytes = n->data_bytes = n->kids[0]->bytes;
	if (n->kids[0]->lsec > 1024 && n->bytes < 512 * MIB)
		return err_set(e, ERR_USAGE, "below 512 MiB ext4 has blocks of 1024 bytes, and %s has sectors of "
			       "%u; xfs and btrfs take them", n->kids[0]->name, n->kids[0]->lsec);
	if (in.ratio && in.bytes / in.ratio > UINT32_MAX)
		return err_set(e, ERR_USAGE, "ratio=%uK makes more than 2^32 inodes on %s; %uK is the least",
			       in.ratio / 1024, n->kids[0]->name, in.bytes < 32 * TIB ? 8 : 16);
	return ext4_size(&in, &n->fs, e) ? err_in(e, "%s", n->kids[0]->name) : 0;
}

/*
 * Everything that decides a size is said, as Debian 12's mke2fs.conf would decide it, so
 * another e2fsprogs builds the same. By default inode tables are zeroed by the kernel later,
 * as Debian does it (on 10 TB they are 80 GB; the benchmark waits for ext4lazyinit). A stripe
 * that the queue does not tell is said: the recipe's, or that of an array below a cache. The
 * journal is zeroed now: it is 1 GiB at most, and a stale one is a risk after a crash.
 * No discard: it never ends on some virtual disks, and the build has wiped the device.
 */
static int ext4_plan(const struct node *n, struct plan *p, struct err *e)
{
	const struct node *kid = n->kids[0];
	struct ext4_input in = input_of(n);
	const char *dev = kid->dev;
	uint32_t su = (uint32_t)node_size(n, "su");
	uint32_t unit = su ? su : kid->stripe_unit;
	uint32_t width = su ? su * (uint32_t)node_count(n, "sw") : kid->stripe_set ? kid->stripe_width : 0;
	struct ext4_geometry g;
	struct step *s;

	if (ext4_geometry(&in, &g, e) < 0)
		return -1;
	s = plan_step(p, "ext4", "make an ext4 file system on %s", kid->name);
	step_args(p, s, "mkfs.ext4", "-q", "-F", NULL);
	step_args(p, s, "-b", arena_printf(p->arena, "%u", g.block), "-i",
		  arena_printf(p->arena, "%u", g.inode_ratio), "-I", "256", "-m",
		  arena_printf(p->arena, "%u", in.reserved), "-J",
		  arena_printf(p->arena, "size=%llu",
			       (unsigned long long)(g.journal * g.block / MIB)), "-O", NULL);
	step_argf(p, s, "none,has_journal,ext_attr,%sdir_index,filetype,extent,64bit,flex_bg,"
		  "sparse_super,large_file,huge_file,dir_nlink,extra_isize,metadata_csum",
		  g.resize_inode ? "resize_inode," : "");
	step_args(p, s, "-E", NULL);
	if (width)
		step_argf(p, s, "lazy_itable_init=%d,lazy_journal_init=0,nodiscard,stride=%u,stripe_width=%u",
			  node_yes(n, "lazy"), unit / g.block, width / g.block);
	else
		step_argf(p, s, "lazy_itable_init=%d,lazy_journal_init=0,nodiscard", node_yes(n, "lazy"));
	step_args(p, s, dev, NULL);
	step_writes(p, s, n->kids[0]);
	step_undo(p, s, "wipefs", "--all", "--force", "--quiet", dev, NULL);
	plan_mount(p, n, "ext4", dev, node_word(n, "mount"));
	return 0;
}

static int ext4_status(const struct node *n, const char *root, struct arena *a, struct live *out,
		       struct err *e)
{
	(void)e;
	return mount_status(n, "ext4", root, a, out);
}

static const char *const ext4_tools[] = { "mkfs.ext4", NULL };
static const char *const ext4_packages[] = { "e2fsprogs", NULL };

const struct layer layer_ext4 = {
	.name = "ext4", .title = "ext4 file system",
	.about = "The file system most Linux machines have. It can shrink, and keeps 5 % for root; "
		 "one file ends at 16 TiB.",
	.kind = LAYER_MAP, .takes = THING_BLOCK, .gives = THING_DIR,
	.tools = ext4_tools, .packages = ext4_packages, .kernel_fs = "ext4",
	.signature = "ext4",
	.options = ext4_options, .check = ext4_check, .size = ext4_node_size,
	.plan = ext4_plan, .status = ext4_status,
};
