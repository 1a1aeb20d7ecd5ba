/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYERS_REISERFS_H
#define LAYERS_REISERFS_H

#include <stdint.h>

struct err;
struct fs_size;

int reiserfs_size(uint64_t device_bytes, struct fs_size *out, struct err *e);

#endif
