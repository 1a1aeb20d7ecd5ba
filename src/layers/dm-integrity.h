/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAYERS_DM_INTEGRITY_H
#define LAYERS_DM_INTEGRITY_H

#include <stdbool.h>
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

/* How long it takes to write every checksum once; a rule of thumb: data and checksums twice
 * (journal) at 150 MB/s a hard disk, 400 an SSD. */
uint64_t integrity_wipe_ns(uint64_t device_bytes, bool rotational);

#endif
