/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proof - the circumstances of a run, from sysfs and procfs. */
#include "bench/proof.h"

#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <linux/fiemap.h>
#include <linux/fs.h>

#include "base/sbuf.h"
#include "base/text.h"

/* The first file that matches, as a number; false when there is none. */
static bool first_number(struct arena *a, const char *pattern, int64_t *out)
{
	const char *line;
	glob_t found;
	bool any;

	if (glob(pattern, 0, NULL, &found) != 0)
		return false;
	line = file_line(a, "", "%s", found.gl_pathv[0]);
	any = line && *line;
	*out = any ? strtoll(line, NULL, 10) : 0;
	globfree(&found);
	return any;
}

/* drivetemp is a child of the SCSI device, an NVMe controller has its own. */
static void read_heat(const char *root, struct arena *a, const char *disk, struct proof *out)
{
	static const char *const places[] = { "hwmon/hwmon*", "hwmon*", "device/hwmon*" };
	const char *dir = arena_printf(a, "%s/sys/class/block/%s/device", root, disk);
	int64_t now, most;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *at = arena_printf(a, "%s/%s", dir, places[i]);

		if (!first_number(a, arena_printf(a, "%s/temp1_input", at), &now))
			continue;
		if (now > out->hottest_mc)
			out->hottest_mc = (int)now;
		if (first_number(a, arena_printf(a, "%s/temp1_max", at), &most) && most > 0 &&
		    now >= most)
			out->hot = true;
		return;
	}
}

/* The kernel counts in steps of two seconds: a shorter run may see none of its own. */
static uint64_t stalled_us(const char *root, struct arena *a, const char *what)
{
	const char *line = file_line(a, root, "/proc/pressure/%s", what);	/* "some" is first */
	const char *at = line ? strstr(line, "total=") : NULL;

	return at ? strtoull(at + strlen("total="), NULL, 10) : 0;
}

double proof_pressure(const char *root, struct arena *a, const char *what)
{
	const char *line = file_line(a, root, "/proc/pressure/%s", what);
	const char *at = line ? strstr(line, "avg10=") : NULL;

	return at ? strtod(at + strlen("avg10="), NULL) / 100 : 0;
}

bool proof_position(int fd, uint64_t *out)
{
	union {
		struct fiemap map;
		char room[sizeof(struct fiemap) + sizeof(struct fiemap_extent)];
	} u = { .map = { .fm_length = UINT64_MAX, .fm_extent_count = 1 } };

	if (ioctl(fd, FS_IOC_FIEMAP, &u.map) < 0 || !u.map.fm_mapped_extents ||
	    u.map.fm_extents[0].fe_flags & (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DATA_INLINE))
		return false;
	*out = u.map.fm_extents[0].fe_physical;
	return true;
}

static uint64_t throttled(const char *root, struct arena *a)
{
	glob_t found;
	uint64_t sum = 0;
	size_t i;

	if (glob(arena_printf(a, "%s/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/"
			      "core_throttle_count", root), 0, NULL, &found) != 0)
		return 0;
	for (i = 0; i < found.gl_pathc; i++)
		sum += file_u64(0, "", "%s", found.gl_pathv[i]);
	globfree(&found);
	return sum;
}

void proof_read(const char *root, struct arena *a, const struct list *disks, struct proof *out)
{
	size_t i;

	*out = (struct proof){ .hottest_mc = PROOF_NO_HEAT };
	for (i = 0; i < disks->n; i++)
		read_heat(root, a, disks->at[i], out);
	out->cpu_stall_us = stalled_us(root, a, "cpu");
	out->io_stall_us = stalled_us(root, a, "io");
	out->memory_stall_us = stalled_us(root, a, "memory");
	out->throttles = throttled(root, a);
}

/* The rate the sandbox gave the disk: "ubda kind=hdd rate=30000000". */
static uint64_t emulated_bps(const char *root, struct arena *a, const char *disk)
{
	struct sbuf text = { 0 };
	const char *want = arena_printf(a, "\n%s ", disk), *line, *rate;
	uint64_t bps = 0;
	char *all;

	if (file_read(arena_printf(a, "%s/run/naslab/disks", root), 1 << 20, &text) == 0) {
		all = arena_printf(a, "\n%s", sbuf_str(&text));
		line = strstr(all, want);
		if (line) {
			line += strlen(want);
			rate = strstr(line, "rate=");
			if (rate && (size_t)(rate - line) < strcspn(line, "\n"))
				bps = strtoull(rate + strlen("rate="), NULL, 10);
		}
	}
	sbuf_done(&text);
	return bps;
}

static uint64_t sata_bps(const char *root, struct arena *a, const char *real)
{
	const char *at = strstr(real, "/ata"), *speed;
	double gbps;

	if (!at)
		return 0;
	speed = file_line(a, root, "/sys/class/ata_link/link%u/sata_spd",
			  (unsigned)strtoul(at + strlen("/ata"), NULL, 10));
	if (!speed || sscanf(speed, "%lf Gbps", &gbps) != 1)
		return 0;
	return (uint64_t)(gbps * 1e8);		/* 8b/10b: ten bits a byte */
}

static uint64_t pci_bps(const char *root, struct arena *a, const char *disk)
{
	const char *speed = file_line(a, root, "/sys/class/block/%s/device/device/"
				      "current_link_speed", disk);
	uint64_t width = file_u64(0, root, "/sys/class/block/%s/device/device/"
				  "current_link_width", disk);
	double gt;

	if (!speed || !width || sscanf(speed, "%lf GT/s", &gt) != 1)
		return 0;
	/* up to 5 GT/s 8b/10b, above 128b/130b */
	return (uint64_t)(gt * 1e9 / 8 * (gt > 5 ? 128.0 / 130 : 0.8)) * width;
}

uint64_t proof_link_bps(const char *root, struct arena *a, const char *disk)
{
	char real[PATH_MAX];
	uint64_t bps = emulated_bps(root, a, disk);

	if (!bps && !strncmp(disk, "nvme", 4))
		bps = pci_bps(root, a, disk);
	if (!bps && realpath(arena_printf(a, "%s/sys/class/block/%s", root, disk), real))
		bps = sata_bps(root, a, real);
	return bps;
}

uint64_t proof_limit_bps(const char *root, struct arena *a, const struct list *disks)
{
	uint64_t sum = 0, one;
	size_t i;

	for (i = 0; i < disks->n; i++) {
		one = proof_link_bps(root, a, disks->at[i]);
		if (!one)
			return 0;
		sum += one;
	}
	return sum;
}

uint64_t proof_dirty_limit(const char *root, struct arena *a)
{
	struct sbuf text = { 0 };
	const char *at;
	uint64_t pages = 0;

	if (file_read(arena_printf(a, "%s/proc/vmstat", root), 1 << 20, &text) == 0) {
		at = strstr(sbuf_str(&text), "\nnr_dirty_threshold ");
		pages = at ? strtoull(at + strlen("\nnr_dirty_threshold "), NULL, 10) : 0;
	}
	sbuf_done(&text);
	return pages * 4096;
}
