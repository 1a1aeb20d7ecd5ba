/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYERS_JFS_H
#define LAYERS_JFS_H

#include <stdint.h>

struct err;
struct fs_size;

/* The total is exact; free and available are marked an estimate. */
int jfs_size(uint64_t device_bytes, struct fs_size *out, struct err *e);

#endif
