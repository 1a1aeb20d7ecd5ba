/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dm-integrity - how much the kernel's checksums leave of a device, as a pure function. The
 * layers integrity and luks rest on it.
 *
 * Tags lie between runs of data and a journal in front; rule: CAPACITY 1.3.
 */
#include "layers/dm-integrity.h"

#include "base/units.h"

enum { SECTOR = 512, JOURNAL_MOST = 131072, INTERLEAVE = 32768 };

/* Where sector s of the data lies on the device, from the end of the journal on. */
static uint64_t place_of(uint64_t s, uint64_t interleave, uint64_t run)
{
	return s / interleave * interleave + (s / interleave + 1) * run + s % interleave;
}

uint64_t integrity_data_sectors(const struct integrity_shape *in)
{
	uint64_t interleave = in->interleave ? in->interleave : INTERLEAVE, block = in->block / SECTOR;
	uint64_t journal = in->journal ? in->journal :
		in->sectors / 128 < JOURNAL_MOST ? in->sectors / 128 : JOURNAL_MOST;
	uint64_t section = 8 * (504 / round_up(8 + 8 * block + in->tag, 8)) * block + 8;
	uint64_t first = 8 + (journal / section ? journal / section : 1) * section;
	uint64_t run = round_up(interleave / block * in->tag, 4096) / SECTOR;
	uint64_t low = 0, high = in->sectors / 8;

	/* in eights; the last sector has to lie before the end of the device */
	while (low < high) {
		uint64_t middle = low + (high - low + 1) / 2;

		if (in->start + first + place_of(8 * middle - 1, interleave, run) < in->sectors)
			low = middle;
		else
			high = middle - 1;
	}
	return 8 * low;
}

uint64_t integrity_wipe_ns(uint64_t device_bytes, bool rotational)
{
	return device_bytes / (rotational ? 75 : 200) * 1000;
}
