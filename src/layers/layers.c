/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layers - the table of drivers. A new layer is one file and one row here. */
#include "layers/layers.h"

#include <string.h>

const struct layer *const layers[] = {
	&layer_slice,
	&layer_part,
	&layer_md,
	&layer_lvm,
	&layer_lvmcache,
	&layer_writecache,
	&layer_bcache,
	&layer_luks,
	&layer_integrity,
	&layer_ext4,
	&layer_xfs,
	&layer_jfs,
	&layer_btrfs,
	&layer_reiserfs,
	&layer_zfs,
	&layer_mergerfs,
	NULL
};

const struct layer *layer_find(const char *name)
{
	const struct layer *const *l;

	for (l = layers; *l; l++) {
		if (!strcmp((*l)->name, name))
			return *l;
	}
	return NULL;
}

const struct option *layer_option(const struct layer *l, const char *name)
{
	const struct option *o;

	for (o = l->options; o && o->name; o++) {
		if (!strcmp(o->name, name))
			return o;
	}
	return NULL;
}
