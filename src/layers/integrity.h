/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYERS_INTEGRITY_H
#define LAYERS_INTEGRITY_H

#include <stdint.h>

struct integrity_shape {
	uint64_t sectors;	/* of the device */
	uint32_t block;		/* bytes that have one tag */
	uint32_t tag;		/* bytes of it */
	uint64_t journal;	/* sectors; 0: the default */
	uint64_t interleave;	/* sectors; 0: the default */
	uint64_t start;		/* sectors in front of it: the header of LUKS2 --integrity, 32768 */
};

/* How many sectors dm-integrity leaves for data (kernel 6.1); 0 when there is no room. */
uint64_t integrity_data_sectors(const struct integrity_shape *in);

#endif
