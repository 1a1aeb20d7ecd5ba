/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advice-disk - rules about the disks themselves: how they hang on the machine, their
 * sizes and sectors, and what of them stays unused. */
#include "layout/advice.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "disk/disk.h"
#include "layout/ptable.h"
#include "layout/recipe.h"

static const struct node *disk_at(const struct stack *s, size_t i)
{
	return s->nodes.at[i];
}

/* From i on; what count= leaves out is nothing to give advice on. */
static size_t next_disk(const struct stack *s, size_t i)
{
	while (i < s->n_disks && disk_at(s, i)->left_out)
		i++;
	return i;
}

#define EACH_DISK(s, i, end) for (i = next_disk(s, 0); i < (end); i = next_disk(s, i + 1))

static size_t data_disks(const struct stack *s)
{
	size_t i, n = 0;

	EACH_DISK(s, i, s->n_disks)
		n += disk_at(s, i)->role == ROLE_DATA;
	return n;
}

const char *advice_usb_member(const struct stack *s, struct arena *a)
{
	size_t i;

	EACH_DISK(s, i, s->n_disks) {
		const struct node *n = disk_at(s, i);

		if (n->disk->kind == DISK_USB && s->n_disks > 1)
			return arena_printf(a, "%s hangs on USB: a cable that is pulled, or a "
					    "bridge that resets, fails it", n->name);
	}
	return NULL;
}

/* CASES C26: the bridge invents the sector size, so the disk cannot be read without it. */
const char *advice_usb_sector(const struct stack *s, struct arena *a)
{
	size_t i;

	EACH_DISK(s, i, s->n_disks) {
		const struct node *n = disk_at(s, i);

		if (n->disk->kind == DISK_USB && n->disk->lsec == 4096)
			return arena_printf(a, "%s has 4096-byte sectors behind USB: many bridges "
					    "make them up, and the partitions cannot be read on "
					    "another connection", n->name);
	}
	return NULL;
}

const char *advice_network(const struct stack *s, struct arena *a)
{
	size_t i;

	EACH_DISK(s, i, s->n_disks) {
		const struct node *n = disk_at(s, i);

		if (disk_is_network(n->disk))
			return arena_printf(a, "%s lies behind a network (%s): when that stops, "
					    "the disk is gone; \"all\" never means it", n->name,
					    n->disk->transport);
	}
	return NULL;
}

static bool same_text(const char *x, const char *y)
{
	return x && y && !strcmp(x, y);
}

/* CASES C53: namespaces of one NVMe device have its serial and an identity of their own. */
const char *advice_same_device(const struct stack *s, struct arena *a)
{
	size_t i, k;

	EACH_DISK(s, i, s->n_disks) {
		const struct disk *x = disk_at(s, i)->disk;

		EACH_DISK(s, k, i) {
			const struct disk *y = disk_at(s, k)->disk;

			if (x->kind != DISK_NVME || y->kind != DISK_NVME || x->is_virtual ||
			    !same_text(x->serial, y->serial) || same_text(x->wwn, y->wwn))
				continue;
			return arena_printf(a, "%s and %s are two namespaces of one device "
					    "(serial %s): they die together, whatever the layout "
					    "says of any one disk", y->name, x->name,
					    x->serial);
		}
	}
	return NULL;
}

/* CASES C50: two boxes with one serial and one WWN. */
const char *advice_twin_serial(const struct stack *s, struct arena *a)
{
	size_t i, k;

	EACH_DISK(s, i, s->n_disks) {
		const struct disk *x = disk_at(s, i)->disk;

		EACH_DISK(s, k, i) {
			const struct disk *y = disk_at(s, k)->disk;

			if (x->is_virtual || !same_text(x->serial, y->serial) ||
			    (x->wwn && !same_text(x->wwn, y->wwn)))
				continue;
			return arena_printf(a, "%s and %s both say serial %s: they are told apart "
					    "by where they hang, so leave each in its place",
					    y->name, x->name, x->serial);
		}
	}
	return NULL;
}

/* CASES C51: blank is unknown, and unknown disks are not equal. */
const char *advice_no_serial(const struct stack *s, struct arena *a)
{
	const struct node *first = NULL;
	size_t i, n = 0;

	EACH_DISK(s, i, s->n_disks) {
		const struct node *d = disk_at(s, i);

		const char *serial = d->disk->serial;

		if (d->disk->is_virtual || (serial && serial[strspn(serial, " ")]))
			continue;
		if (!n++)
			first = d;
	}
	if (!n)
		return NULL;
	if (n == 1)
		return arena_printf(a, "%s has no serial: it is known by where it hangs; put a "
				    "label on its bay",
				    first->name);
	return arena_printf(a, "%zu disks have no serial (%s is one): they are known by where "
			    "they hang; put labels on their bays", n, first->name);
}

/*
 * Shingled disks sold for desktops and home NAS, by the beginning of the model: what Western
 * Digital and Seagate published in 2020. The larger WD Red (80EFAX on) are not shingled.
 */
static const char *const smr_models[] = {
	"WD20EFAX", "WD30EFAX", "WD40EFAX", "WD60EFAX", "WD20EZAZ", "WD60EZAZ",
	"ST2000DM008", "ST4000DM004", "ST6000DM003", "ST8000DM004", "ST8000AS0002",
};

static const char *smr_model(const struct disk *d)
{
	size_t i;

	for (i = 0; d->model && i < sizeof(smr_models) / sizeof(smr_models[0]); i++) {
		if (strstr(d->model, smr_models[i]))
			return smr_models[i];
	}
	return NULL;
}

const char *advice_smr(const struct stack *s, struct arena *a)
{
	size_t i;

	EACH_DISK(s, i, s->n_disks) {
		const struct node *n = disk_at(s, i);

		if (n->disk->zoned && !strcmp(n->disk->zoned, "host-aware"))
			return arena_printf(a, "%s is shingled (host-aware): writes that are not "
					    "in order slow down to a few MB/s, and a rebuild may "
					    "take weeks", n->name);
		if (smr_model(n->disk))
			return arena_printf(a, "%s (%s) is shingled: once its cache is full, "
					    "writes slow down to a few MB/s, and arrays have "
					    "thrown such disks out during a rebuild", n->name,
					    smr_model(n->disk));
	}
	return NULL;
}

/* --- sizes -------------------------------------------------------------------------- */

/* Does some layer count what it joins as equal? */
static bool cuts_to_the_smallest(const struct stack *s)
{
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (advice_redundant(n))
			return true;
		if (advice_is(n, "lvm") && n->chunk && strcmp(n->level, "thin") &&
		    !node_count(n, "stripes"))
			return true;
		if (advice_is(n, "zfs") && n->level && strcmp(n->level, "stripe"))
			return true;
	}
	return false;
}

/* Disks of one class that differ by less than 1 %, where the difference is really lost. */
const char *advice_near_equal(const struct stack *s, struct arena *a)
{
	char diff[SIZE_TEXT];
	size_t i, k;

	if (!cuts_to_the_smallest(s))
		return NULL;
	EACH_DISK(s, i, s->n_disks) {
		const struct node *x = disk_at(s, i);

		EACH_DISK(s, k, i) {
			const struct node *y = disk_at(s, k);
			const struct node *larger = x->bytes > y->bytes ? x : y;
			const struct node *smaller = larger == x ? y : x;
			uint64_t more = larger->bytes - smaller->bytes;

			if (!more || more > x->bytes / 100 ||
			    x->disk->is_virtual != y->disk->is_virtual ||
			    x->role != y->role || x->role == ROLE_CACHE)
				continue;
			if (more > 64 * MIB && larger->split.unused < more / 2)
				continue;
			return arena_printf(a, "%s and %s differ by %s: the larger one is cut to "
					    "the smaller",
					    x->name, y->name, size_text(diff, more, SIZE_SI));
		}
	}
	return NULL;
}

/* The bytes that makers agreed on for so many GB: IDEMA LBA1-03, whole sectors. */
static uint64_t maker_size(uint64_t gb)
{
	return (97696368 + 1953504 * (gb - 50)) * 512;
}

/*
 * The usual size that a replacement may come in, a little below this one: the class itself
 * when the disk is larger than its class says, else for SSDs the next class of the three
 * that are sold side by side (240 250 256). 0: every replacement of the class fits.
 */
static uint64_t smaller_replacement(const struct disk *d)
{
	static const unsigned flash[] = {
		120, 125, 128, 240, 250, 256, 480, 500, 512, 960, 1000, 1024, 1920, 2000, 2048,
		3840, 4000, 4096, 7680, 8000,
	};
	uint64_t gb = d->bytes / 1000000000, least = d->bytes / 100 * 93, best = 0;
	size_t i;

	if (gb < 100 || gb > 8200)
		return 0;
	for (i = 0; disk_is_flash(d) && i < sizeof(flash) / sizeof(flash[0]); i++) {
		uint64_t size = maker_size(flash[i]);

		if (size >= least && size < d->bytes)
			best = size;
	}
	if (disk_is_flash(d))
		return best;
	/* hard disks are sold in whole and half TB, and those two fit to the sector */
	gb = (d->bytes / 500000000000ull) * 500;
	if (gb >= 500 && maker_size(gb) < d->bytes && maker_size(gb) >= least)
		best = maker_size(gb);
	return best;
}

/* What slice or part keep free at the end of a disk of so many bytes. */
static uint64_t reserved(const struct stack *s, uint64_t bytes)
{
	size_t i;

	for (i = 0; i < s->recipe->n_stmts; i++) {
		if (stmt_value(&s->recipe->stmts[i], "reserve"))
			return ptable_reserve(&s->recipe->stmts[i], bytes);
	}
	return 0;
}

/* Nothing was kept free at the end of the disks, and disks a little smaller are on sale. */
const char *advice_slack(const struct stack *s, struct arena *a)
{
	char less[SIZE_TEXT], size[SIZE_TEXT];
	const struct node *least = NULL;
	uint64_t usual;
	size_t i;

	if (!s->survives || !cuts_to_the_smallest(s))
		return NULL;
	EACH_DISK(s, i, s->n_disks) {
		const struct node *n = disk_at(s, i);

		if (n->role == ROLE_DATA && (!least || n->bytes < least->bytes))
			least = n;
	}
	usual = least ? smaller_replacement(least->disk) : 0;
	if (!usual || reserved(s, least->bytes) >= least->bytes - usual)
		return NULL;
	return arena_printf(a, "%s is %s larger than the %s (%" PRIu64 " bytes) sold "
			    "beside it, and such a disk could not replace it; %s "
			    "reserve=%" PRIu64 "M would leave room",
			    least->name,
			    size_text(less, least->bytes - usual, SIZE_SI),
			    size_text(size, usual, SIZE_SI), usual,
			    advice_first(s, "slice") ? "slice" : "part",
			    (uint64_t)div_up(least->bytes - usual, MIB));
}

/* A slice that is less than 1/200 of its smallest disk and under 16 GiB is hardly worth it. */
const char *advice_tiny_slices(const struct stack *s, struct arena *a)
{
	char height[SIZE_TEXT], gives[SIZE_TEXT];
	unsigned tiny = 0;
	const struct node *first = NULL;
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i], *part = n->n_kids ? n->kids[0] : n;

		if (n->left_out || !part->part_number || !part->n_kids ||
		    !advice_is(part, "slice") ||
		    part->bytes >= 16 * GIB || part->bytes >= part->kids[0]->bytes / 200)
			continue;
		if (!tiny++)
			first = n;
	}
	if (!tiny)
		return NULL;
	return arena_printf(a, "%s is made of slices of only %s and gives %s; slice "
			    "smallest=%" PRIu64 "M takes these disks as equal and saves %u array%s",
			    first->name,
			    size_text(height, first->kids[0]->bytes, SIZE_SI),
			    size_text(gives, first->bytes, SIZE_SI),
			    (uint64_t)div_up(first->kids[0]->bytes, MIB) + 1, tiny, tiny == 1 ? "" :
			    "s");
}

/* --- sectors ------------------------------------------------------------------------ */

/* The node of a join whose kids have different sectors; NULL when there is none. */
static const struct node *mixed_node(const struct stack *s, const struct node **other)
{
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];
		unsigned k;

		for (k = 1; !n->left_out && n->layer->kind == LAYER_JOIN && k < n->n_kids; k++) {
			if (n->kids[k]->gives == THING_DIR || n->kids[k]->lsec == n->kids[0]->lsec)
				continue;
			*other = n->kids[k];
			return n;
		}
	}
	return NULL;
}

/* Arrays side by side that LVM could not take into one group, though nothing here asks it to. */
static const char *mixed_slices(const struct stack *s, struct arena *a)
{
	const struct node *small = NULL, *large = NULL;
	size_t i;

	for (i = s->n_disks; i < s->nodes.n; i++) {
		const struct node *n = s->nodes.at[i];

		if (!advice_is(n, "md") || !n->in_slice)
			continue;
		if (n->lsec == 4096)
			large = n;
		else
			small = n;
	}
	if (!small || !large)
		return "";
	return arena_printf(a, "; %s has 4096 and %s 512, which vgcreate refuses to join",
			    large->name,
			    small->name);
}

const char *advice_mixed_sectors(const struct stack *s, struct arena *a)
{
	const struct node *other, *n = mixed_node(s, &other);

	if (!n)
		return NULL;
	return arena_printf(a, "%s joins %u- and %u-byte sectors: the result has the larger, and a "
			    "file system made for 512 would not mount after a 4096-byte disk "
			    "joins%s",
			    n->name, n->kids[0]->lsec, other->lsec, mixed_slices(s, a));
}

/* --- space and safety --------------------------------------------------------------- */

const char *advice_unused(const struct stack *s, struct arena *a)
{
	const struct node *largest = NULL;
	char size[SIZE_TEXT], tail[SIZE_TEXT];
	uint64_t unused = 0, raw = 0;
	unsigned percent;
	size_t i;

	EACH_DISK(s, i, s->n_disks) {
		const struct node *n = disk_at(s, i);

		if (n->role != ROLE_DATA)
			continue;
		raw += n->disk->bytes;
		unused += n->split.unused;
		if (!largest || n->split.unused > largest->split.unused)
			largest = n;
	}
	if (!largest || unused < raw / 20)
		return NULL;
	size_text(size, unused, SIZE_SI);
	size_text(tail, largest->split.unused, SIZE_SI);
	percent = (unsigned)(100 * (unsigned __int128)unused / raw);
	if (cuts_to_the_smallest(s) && !advice_first(s, "slice"))
		return arena_printf(a, "%s of the disks stay unused (%u %%): every disk counts as "
				    "the smallest; slices would use what the larger ones have in "
				    "common", size, percent);
	return arena_printf(a, "%s of the disks stay unused (%u %%): the last %s of %s have too "
			    "few partners; more disks as large would unlock them", size, percent,
			    tail, largest->name);
}

const char *advice_no_redundancy(const struct stack *s, struct arena *a)
{
	size_t data = data_disks(s);

	if (s->survives || data < 2 || advice_hangs_on_cache(s, a))
		return NULL;
	return arena_printf(a, "%zu disks and none may fail: whichever dies first takes %s", data,
			    advice_first(s, "mergerfs") ? "its files with it" :
			    "everything with it");
}
