/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYERS_LAYERS_H
#define LAYERS_LAYERS_H

#include "layout/layer.h"

/* Every driver; layers.c puts them in the order people meet them. */
extern const struct layer layer_slice, layer_part;
extern const struct layer layer_md;
extern const struct layer layer_lvm;
extern const struct layer layer_lvmcache, layer_writecache, layer_bcache;
extern const struct layer layer_luks, layer_integrity;
extern const struct layer layer_ext4, layer_xfs, layer_jfs, layer_btrfs, layer_reiserfs, layer_zfs;
extern const struct layer layer_mergerfs;

#endif
