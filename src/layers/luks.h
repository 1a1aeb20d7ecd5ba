/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYERS_LUKS_H
#define LAYERS_LUKS_H

#include <stdint.h>

/* Where the data of a LUKS device begins, bytes (cryptsetup 2.6.1): type 1 or 2, and the
 * limits of the queue below. */
uint64_t luks_offset(unsigned type, uint32_t io_min, uint32_t io_opt);

#endif
