/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYERS_LVM_H
#define LAYERS_LVM_H

#include <stdint.h>

#define LVM_EXTENT (4ull << 20)

/* Where the first extent of a physical volume begins, bytes; io_opt of its queue. */
uint64_t lvm_pe_start(uint32_t io_opt);

/* How many 4 MiB extents a physical volume has. */
uint64_t lvm_extents(uint64_t pv_bytes, uint32_t io_opt);

#endif
