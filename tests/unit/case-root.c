/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * case-root - from the disks of a case to a recorded machine, laid out as Linux lays sysfs
 * out: real folders below /sys/devices, links in /sys/block and /sys/class/block. What a
 * disk is and does is written as a kernel would show it; naslab has to find it out.
 */
#include "test.h"

#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/json.h"
#include "case-root.h"

static struct {
	struct arena *a;
	const char *path;
	unsigned maps;		/* device mapper devices made so far */
	unsigned mounts;
} root;

static void make_folder(char *path)
{
	char *s;

	for (s = path + 1; *s; s++) {
		if (*s != '/')
			continue;
		*s = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			fail_msg("%s cannot be made", path);
		*s = '/';
	}
	if (mkdir(path, 0755) && errno != EEXIST)
		fail_msg("%s cannot be made", path);
}

static void folder(const char *path)
{
	make_folder(arena_printf(root.a, "%s%s", root.path, path));
}

static void append(const char *path, const char *text)
{
	char *full = arena_printf(root.a, "%s%s", root.path, path), *slash = strrchr(full, '/');
	FILE *f;

	*slash = '\0';
	make_folder(full);
	*slash = '/';
	f = fopen(full, "a");
	if (!f)
		fail_msg("%s cannot be written", full);
	fprintf(f, "%s\n", text);
	fclose(f);
}

static void put(const char *dir, const char *name, const char *text)
{
	append(arena_printf(root.a, "%s/%s", dir, name), text);
}

static void put_u64(const char *dir, const char *name, uint64_t value)
{
	put(dir, name, arena_printf(root.a, "%llu", (unsigned long long)value));
}

static void link_to(const char *to, const char *path)
{
	char *full = arena_printf(root.a, "%s%s", root.path, path), *slash = strrchr(full, '/');

	*slash = '\0';
	make_folder(full);
	*slash = '/';
	if (symlink(to, full) && errno != EEXIST)
		fail_msg("%s cannot be linked", full);
}

/* --- devices ------------------------------------------------------------------------ */

static unsigned major_of(const char *name)
{
	static const struct {
		const char *head;
		unsigned major;
	} rows[] = {
		{ "sr", 11 }, { "sd", 8 }, { "fd", 2 }, { "nbd", 43 }, { "zram", 251 },
		{ "drbd", 147 },
		{ "vd", 252 }, { "xvd", 202 }, { "nvme", 259 }, { "mmcblk", 179 }, { "loop", 7 },
		{ "md", 9 }, { "dm", 254 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!strncmp(name, rows[i].head, strlen(rows[i].head)))
			return rows[i].major;
	}
	fail_msg("%s: no major number", name);
	return 0;
}

/* Where the kernel puts a device of this kind; n is its place in the case. */
static const char *place(const json_t *d, unsigned n)
{
	const char *name = json_str(d, "name"), *transport = json_str(d, "transport");
	const char *scsi = arena_printf(root.a, "host%u/target%u:0:0/%u:0:0:0/block", n, n, n);
	const char *pci = "pci0000:00/0000:00:17.0";

	if (!strncmp(name, "nvme", 4))
		return arena_printf(root.a, "pci0000:00/0000:00:1d.0/0000:%02u:00.0/nvme/nvme%c",
				    n + 3, name[4]);
	if (!strncmp(name, "mmcblk", 6) && strlen(name) > 7)
		return arena_printf(root.a, "platform/soc/mmc_host/mmc0/mmc0:0001/block/mmcblk%c",
				    name[6]);
	if (!strncmp(name, "mmcblk", 6))
		return "platform/soc/mmc_host/mmc0/mmc0:0001/block";
	if (!transport || !strcmp(name, "fd0"))
		return "virtual/block";
	if (!strcmp(transport, "usb"))
		return arena_printf(root.a, "pci0000:00/0000:00:14.0/usb2/2-%u/2-%u:1.0/%s", n, n,
				    scsi);
	if (!strcmp(transport, "virtio"))
		return arena_printf(root.a, "pci0000:00/0000:00:0%u.0/virtio%u/block", n, n);
	if (!strcmp(transport, "iscsi"))
		return arena_printf(root.a, "platform/host%u/session1/target%u:0:0/%u:0:0:0/block",
				    n, n, n);
	if (!strcmp(transport, "sas"))
		return arena_printf(root.a, "%s/host%u/port-%u:0/end_device-%u:0/target%u:0:0/"
				    "%u:0:0:0/block", pci, n, n, n, n, n);
	if (!strcmp(transport, "spi"))
		return arena_printf(root.a, "%s/%s", pci, scsi);
	return arena_printf(root.a, "%s/ata%u/%s", pci, n, scsi);
}

/* Its folder: the same as /sys/class/block/NAME leads to. */
static const char *folder_of(const char *name)
{
	char *path = arena_printf(root.a, "%s/sys/class/block/%s", root.path, name);
	char *real = realpath(path, NULL);
	const char *dir;

	if (!real)
		fail_msg("%s is no device of the case", name);
	dir = arena_strdup(root.a, real + strlen(root.path));
	free(real);
	return dir;
}

static bool has_device(const char *name)
{
	return !access(arena_printf(root.a, "%s/sys/class/block/%s", root.path, name), F_OK);
}

static const char *whole(const char *name, const char *where, unsigned minor, uint64_t bytes)
{
	const char *dir = arena_printf(root.a, "/sys/devices/%s/%s", where, name);

	folder(arena_printf(root.a, "%s/holders", dir));
	folder(arena_printf(root.a, "%s/slaves", dir));
	link_to(arena_printf(root.a, "../devices/%s/%s", where, name),
		arena_printf(root.a, "/sys/block/%s", name));
	link_to(arena_printf(root.a, "../../devices/%s/%s", where, name),
		arena_printf(root.a, "/sys/class/block/%s", name));
	put(dir, "dev", arena_printf(root.a, "%u:%u", major_of(name), minor));
	put_u64(dir, "size", bytes / 512);
	put(dir, "hidden", "0");
	return dir;
}

static const char *part_disk(const char *part)
{
	size_t len = strlen(part);
	const char *disk;

	while (len && part[len - 1] >= '0' && part[len - 1] <= '9')
		len--;
	disk = arena_strndup(root.a, part, len);
	if (!has_device(disk) && len && part[len - 1] == 'p')
		disk = arena_strndup(root.a, part, len - 1);
	return disk;
}

static void add_part(const char *name, uint64_t start, uint64_t bytes)
{
	const char *disk = part_disk(name), *of = folder_of(disk), *dir;
	unsigned number = (unsigned)strtoul(name + strcspn(name, "0123456789"), NULL, 10);
	char *dev;
	unsigned major = 0, minor = 0;
	FILE *f;

	if (has_device(name))
		return;
	dev = arena_printf(root.a, "%s%s/dev", root.path, of);
	f = fopen(dev, "r");
	if (!f || fscanf(f, "%u:%u", &major, &minor) != 2)
		fail_msg("%s cannot be read", dev);
	fclose(f);
	dir = arena_printf(root.a, "%s/%s", of, name);
	folder(arena_printf(root.a, "%s/holders", dir));
	link_to(arena_printf(root.a, "../..%s/%s", of + strlen("/sys"), name),
		arena_printf(root.a, "/sys/class/block/%s", name));
	put_u64(dir, "partition", number);
	put(dir, "dev", arena_printf(root.a, "%u:%u", major, minor + number));
	put_u64(dir, "start", start / 512);
	put_u64(dir, "size", bytes / 512);
	put(dir, "ro", "0");
}

/* --- who uses them ------------------------------------------------------------------ */

static void holds(const char *holder, const char *name)
{
	const char *up = folder_of(holder), *down = folder_of(name);

	link_to(arena_printf(root.a, "%s%s", root.path, up),
		arena_printf(root.a, "%s/holders/%s", down, holder));
	link_to(arena_printf(root.a, "%s%s", root.path, down),
		arena_printf(root.a, "%s/slaves/%s", up, name));
}

static void mount_at(const char *name, const char *where, const char *type)
{
	const char *dev = arena_printf(root.a, "%s%s/dev", root.path, folder_of(name));
	char number[32] = "";
	FILE *f = fopen(dev, "r");

	if (!f || !fgets(number, sizeof(number), f))
		fail_msg("%s cannot be read", dev);
	fclose(f);
	number[strcspn(number, "\n")] = '\0';
	append("/proc/self/mountinfo", arena_printf(root.a,
						    "%u 28 %s / %s rw shared:1 - %s /dev/%s rw",
						    30 + ++root.mounts,
						    strcmp(type, "btrfs") ? number : "0:48", where,
						    type, name));
}

static void held_by_md(const char *name, const char *array)
{
	if (!has_device(array))
		put(whole(array, "virtual/block", 127, 46ull << 30), "md/array_state", "inactive");
	holds(array, name);
}

/* A device mapper device over it; several disks may share one of the same name. */
static const char *held_by_dm(const char *name, const char *map, const char *uuid)
{
	const char *dev = NULL;
	unsigned i;

	for (i = 0; i < root.maps && !dev; i++) {
		const char *at = arena_printf(root.a, "%s/sys/block/dm-%u/dm/name", root.path, i);
		char line[80] = "";
		FILE *f = fopen(at, "r");

		if (f && fgets(line, sizeof(line), f) && !strncmp(line, map, strlen(map)))
			dev = arena_printf(root.a, "dm-%u", i);
		if (f)
			fclose(f);
	}
	if (!dev) {
		const char *dir;

		dev = arena_printf(root.a, "dm-%u", root.maps);
		dir = whole(dev, "virtual/block", root.maps++, 100ull << 30);
		put(dir, "dm/name", map);
		put(dir, "dm/uuid", uuid);
	}
	holds(dev, name);
	return dev;
}

static void held_by_btrfs(const char *name)
{
	const char *dir = "/sys/fs/btrfs/6f0b7f43-4c8c-4d6a-b0f7-000000000003";

	if (access(arena_printf(root.a, "%s%s/label", root.path, dir), F_OK))
		put(dir, "label", "storage");
	link_to(arena_printf(root.a, "%s%s", root.path, folder_of(name)),
		arena_printf(root.a, "%s/devices/%s", dir, name));
}

/* The words of in_use_by, on the device they are about. */
static void used(const char *name, const char *use, const char *type)
{
	const char *word = strchr(use, ':');

	word = word ? arena_strndup(root.a, word + 1, strcspn(word + 1, " ")) : use;
	if (!strncmp(use, "md", 2)) {
		held_by_md(name, word);
	} else if (!strncmp(use, "dm:", 3)) {
		held_by_dm(name, word, "DMRAID-isw_volume");
	} else if (!strncmp(use, "dm-", 3)) {
		held_by_dm(name, "old", "CRYPT-LUKS2-old");
	} else if (!strncmp(use, "lvm:", 4)) {
		const char *home = held_by_dm(name, arena_printf(root.a, "%s-home", word),
					      "LVM-sysvghome");

		if (strstr(use, "/,"))
			mount_at(held_by_dm(name, arena_printf(root.a, "%s-root", word),
					    "LVM-sysvgroot"), "/",
				 "ext4");
		if (!root.mounts || strstr(use, "spans"))
			mount_at(home, "/home", "ext4");
	} else if (!strcmp(use, "swap")) {
		append("/proc/swaps", arena_printf(root.a,
						   "/dev/%-35spartition\t8388604\t\t0\t\t-2",
						   name));
	} else if (!strncmp(use, "btrfs-member", 12)) {
		held_by_btrfs(name);
	} else if (!strncmp(use, "mount:", 6)) {
		if (!strcmp(type, "btrfs"))
			held_by_btrfs(name);
		mount_at(name, word, type);
	} else {
		fail_msg("%s: \"%s\" is no use that is known", name, use);
	}
}

/* --- one disk ----------------------------------------------------------------------- */

static void add_udev(const json_t *d, const char *number, unsigned n)
{
	const char *file = arena_printf(root.a, "/run/udev/data/b%s", number);
	const char *serial = json_str(d, "serial"), *path = json_str(d, "path");
	const char *wwn = json_str(d, "wwn") ? json_str(d, "wwn") : json_str(d, "eui");
	const json_t *more = json_object_get(d, "udev"), *value;
	const char *key;

	append(file, arena_printf(root.a, "S:disk/by-path/%s",
				  path ? path : arena_printf(root.a, "pci-0000:00:17.0-%u", n)));
	if (json_str(d, "model"))
		append(file, arena_printf(root.a, "E:ID_MODEL=%s", json_str(d, "model")));
	if (serial && !json_object_get(more, "ID_SERIAL_SHORT"))
		append(file, arena_printf(root.a, "E:ID_SERIAL_SHORT=%s", serial));
	if (wwn)
		append(file, arena_printf(root.a, "E:ID_WWN=%s", wwn));
	json_object_foreach((json_t *)more, key, value)
		append(file, arena_printf(root.a, "E:%s=%s", key, json_string_value(value)));
}

static void add_sigs(const json_t *d)
{
	const json_t *sigs = json_object_get(d, "signatures"), *sig;
	const char *name = json_str(d, "name");
	size_t i;

	json_array_foreach(sigs, i, sig) {
		const char *on = json_str(sig, "on");

		if (!strcmp(on, "disk"))
			on = name;
		else
			add_part(on, 1048576 * (i + 1), 1048576);
		append("/naslab/signatures", arena_printf(root.a, "%s %s - %llu - -", on,
							  json_str(sig, "type"),
							  (unsigned long long)json_u64(sig,
										       "offset",
										       0)));
	}
}

static void add_parts(const json_t *d)
{
	const json_t *parts = json_object_get(d, "partitions"), *part;
	size_t i;

	json_array_foreach(parts, i, part)
		add_part(json_str(part, "name"), json_u64(part, "start", 0),
			 json_u64(part, "size_bytes", 0));
}

/* Use is on the partition that carries something, else on the disk. */
static void add_uses(const json_t *d)
{
	const json_t *parts = json_object_get(d, "partitions"), *part;
	const json_t *sigs = json_object_get(d, "signatures"), *sig;
	const char *use = json_str(d, "in_use_by"), *name = json_str(d, "name"), *type = "ext4";
	size_t i;

	json_array_foreach(parts, i, part) {
		if (json_str(part, "in_use_by"))
			used(json_str(part, "name"), json_str(part, "in_use_by"), type);
	}
	if (!use || !strcmp(use, "multiple"))
		return;
	json_array_foreach(sigs, i, sig) {
		if (strcmp(json_str(sig, "on"), "disk")) {
			name = json_str(sig, "on");
			type = json_str(sig, "type");
		}
	}
	if (strstr(use, "(sda1)")) {
		add_part("sda1", 1048576, 1048576);
		name = "sda1";
		type = "ext4";
	}
	used(name, use, type);
}

static void add_disk(const json_t *d, unsigned n)
{
	const char *name = json_str(d, "name"), *zoned = json_str(d, "zoned");
	const char *type = json_str(d, "type");
	unsigned minor = !strcmp(name, "fd0") ? 0 : n * 16;
	const char *dir = whole(name, place(d, n), minor, json_u64(d, "size_bytes", 0));

	put_u64(dir, "removable", json_is_true(json_object_get(d, "removable")));
	put_u64(dir, "ro", json_is_true(json_object_get(d, "ro")));
	put_u64(dir, "queue/rotational", json_is_true(json_object_get(d, "rotational")));
	put_u64(dir, "queue/logical_block_size", json_u64(d, "logical_sector", 512));
	put_u64(dir, "queue/physical_block_size", json_u64(d, "physical_sector", 512));
	put(dir, "queue/zoned", zoned ? zoned : "none");
	if (type && !strcmp(type, "rom"))
		put(dir, "device/type", "5");
	if (!strncmp(name, "loop", 4))
		put(dir, "loop/backing_file", "/var/lib/core.img");
	if (json_u64(d, "nsid", 0))
		put_u64(dir, "nsid", json_u64(d, "nsid", 0));
	add_udev(d, arena_printf(root.a, "%u:%u", major_of(name), minor), n);
}

const char *case_root(struct arena *a, const json_t *disks)
{
	char *path = arena_strdup(a, "/tmp/naslab-case-XXXXXX");
	const json_t *d;
	size_t i;

	memset(&root, 0, sizeof(root));
	root.a = a;
	root.path = mkdtemp(path);
	if (!root.path)
		fail_msg("no temporary folder");
	append("/naslab/signatures", "# of the case");
	append("/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority");
	json_array_foreach(disks, i, d)
		add_disk(d, (unsigned)i + 1);
	json_array_foreach(disks, i, d) {
		add_parts(d);
		add_sigs(d);
	}
	json_array_foreach(disks, i, d)
		add_uses(d);
	return root.path;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void case_root_remove(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
