/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Virtual disks, lists of them, names, identity. */
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "disk/room.h"

/* One row of the public collection: see the head of disks.tsv. */
struct sold {
	char kind[8], maker[64], model[128], rule[16];
	double tb;
	uint64_t bytes, sectors;
};

static FILE *open_data(const char *name)
{
	const char *dir = getenv("srcdir");
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/data/%s", dir ? dir : ".", name);
	f = fopen(path, "r");
	assert_non_null(f);
	return f;
}

static bool read_sold(FILE *f, struct sold *s)
{
	char line[1024], *field[13], *rest;
	size_t n;

	while (fgets(line, sizeof(line), f)) {
		if (*line == '#' || !strncmp(line, "kind\t", 5))
			continue;
		rest = line;
		for (n = 0; n < 13 && rest; n++)
			field[n] = strsep(&rest, "\t");
		assert_int_equal(n, 13);
		snprintf(s->kind, sizeof(s->kind), "%s", field[0]);
		snprintf(s->model, sizeof(s->model), "%s", field[2]);
		snprintf(s->rule, sizeof(s->rule), "%s", field[10]);
		s->tb = strtod(field[3], NULL);
		s->bytes = strtoull(field[4], NULL, 10);
		s->sectors = strtoull(field[5], NULL, 10);
		return true;
	}
	return false;
}

static uint64_t virtual_bytes(const char *kind, uint64_t nominal_gb)
{
	struct inventory *inv = inventory_new();
	struct err e = { 0 };
	char spec[64];
	uint64_t bytes;

	snprintf(spec, sizeof(spec), "%s:%" PRIu64 "G", kind, nominal_gb);
	assert_int_equal(inventory_add_virtual(inv, spec, &e), 1);
	bytes = inv->disks[0].bytes;
	inventory_free(inv);
	return bytes;
}

/*
 * The size class of a row is what its maker prints; nominal_tb rounds it for some, so the
 * class is taken from the bytes: IDEMA counts one GB for 1953504 sectors.
 */
static uint64_t class_gb(const struct sold *s)
{
	return 50 + (s->sectors - 97696368 + 1953504 / 2) / 1953504;
}

static void sizes_are_those_of_the_shop(void **state)
{
	FILE *f = open_data("capacity/disks.tsv");
	unsigned rows = 0, idema = 0, large = 0, large_flash = 0, none = 0;
	struct sold s;

	(void)state;
	for (; read_sold(f, &s); rows++) {
		uint64_t gb = (uint64_t)(s.tb * 1000 + 0.5);
		const char *kind = strcmp(s.kind, "hdd") ? "ssd" : "hdd";

		if (!strcmp(s.rule, "idema")) {
			idema++;
			assert_true(class_gb(&s) * 10 >= gb * 9 && class_gb(&s) * 9 <= gb * 10);
			assert_int_equal(virtual_bytes(kind, class_gb(&s)), s.bytes);
			/* spinning disks are sold under exactly their class */
			if (!strcmp(s.kind, "hdd"))
				assert_int_equal(virtual_bytes(kind, gb), s.bytes);
		} else if (!strcmp(s.rule, "2^21") && !strcmp(s.kind, "hdd")) {
			large++;
			assert_int_equal(virtual_bytes("hdd", gb), s.bytes);
		} else if (!strcmp(s.rule, "2^21")) {
			/* the other school of large SSDs: needs its bytes given, 12.8T does not */
			large_flash++;
			assert_int_not_equal(virtual_bytes("ssd", gb), s.bytes);
		} else {
			none++;
			assert_string_equal(s.rule, "none");
			assert_int_not_equal(virtual_bytes(kind, gb), s.bytes);
		}
	}
	fclose(f);
	assert_int_equal(rows, 274);
	assert_int_equal(idema, 121);
	assert_int_equal(large, 117);
	assert_int_equal(large_flash, 4);
	assert_int_equal(none, 32);
}

static void specs_are_read(void **state)
{
	static const struct {
		const char *spec;
		int count;
		enum disk_kind kind;
		uint64_t bytes;
		uint32_t lsec, psec;
		bool rotational;
		uint64_t rate, seek;
	} cases[] = {
		/* IDEMA: 1 TB is 1953525168 sectors, 4 TB 7814037168, 8 TB 15628053168 */
		{ "hdd:1T", 1, DISK_HDD, 1953525168ull * 512, 512, 4096, true, 0, 0 },
		{ "6xhdd:4T", 6, DISK_HDD, 7814037168ull * 512, 512, 4096, true, 0, 0 },
		{ "usb:8TB", 1, DISK_USB, 15628053168ull * 512, 512, 4096, true, 0, 0 },
		{ "hdd:10T", 1, DISK_HDD, 19532873728ull * 512, 512, 4096, true, 0, 0 },
		{ "ssd:500G,sector=4096", 1, DISK_SSD, 500107862016, 4096, 4096, false, 0, 0 },
		{ "nvme:1.5T,sector=512", 1, DISK_NVME, 1500301910016, 512, 512, false, 0, 0 },
		{ "hdd:10TiB", 1, DISK_HDD, 10 * TIB, 512, 4096, true, 0, 0 },
		{ "hdd:3000592982016", 1, DISK_HDD, 3000592982016, 512, 4096, true, 0, 0 },
		{ "hdd:300MiB", 1, DISK_HDD, 314572800, 512, 4096, true, 0, 0 },
		{ "hdd:1G", 1, DISK_HDD, 999997440, 512, 4096, true, 0, 0 },
		{ "1000xssd:16MiB", 1000, DISK_SSD, 16 * MIB, 512, 4096, false, 0, 0 },
		{ "hdd:4T,rate=180M,seek=8ms", 1, DISK_HDD, 7814037168ull * 512, 512, 4096, true,
		  180000000, 8000000 },
		{ "usb:1T,rotational=no,sector=512/16384", 1, DISK_USB, 1953525168ull * 512, 512,
		  16384, false, 0, 0 },
	};
	size_t i;
	int k;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct inventory *inv = inventory_new();
		struct err e = { 0 };

		assert_int_equal(inventory_add_virtual(inv, cases[i].spec, &e), cases[i].count);
		assert_int_equal(inv->n_disks, cases[i].count);
		for (k = 0; k < cases[i].count; k++) {
			const struct disk *d = &inv->disks[k];

			assert_int_equal(d->kind, cases[i].kind);
			assert_int_equal(d->bytes, cases[i].bytes);
			assert_int_equal(d->lsec, cases[i].lsec);
			assert_int_equal(d->psec, cases[i].psec);
			assert_int_equal(d->rotational, cases[i].rotational);
			assert_int_equal(d->rate_bps, cases[i].rate);
			assert_int_equal(d->seek_ns, cases[i].seek);
			assert_int_equal(d->state, DISK_FREE);
			assert_true(d->is_virtual);
			assert_ptr_equal(inventory_find(inv, d->serial), d);
			assert_ptr_equal(inventory_find(inv, d->path), d);
		}
		inventory_free(inv);
	}
}

static void names_count_each_kind(void **state)
{
	static const char *const specs[] = { "2xhdd:4T", "ssd:500G,name=hdd4,serial=V0000005",
					     "2xhdd:1T" };
	static const char *const names[] = { "hdd1", "hdd2", "hdd4", "hdd3", "hdd5" };
	struct inventory *inv = inventory_new();
	struct err e = { 0 };
	size_t i, k;

	(void)state;
	for (i = 0; i < 3; i++)
		assert_true(inventory_add_virtual(inv, specs[i], &e) > 0);
	assert_int_equal(inv->n_disks, 5);
	for (i = 0; i < 5; i++) {
		assert_non_null(inventory_find(inv, names[i]));
		for (k = 0; k < i; k++)
			assert_string_not_equal(inv->disks[i].serial, inv->disks[k].serial);
	}
	inventory_free(inv);
}

static void bad_specs_say_why(void **state)
{
	static const struct {
		const char *spec, *says;
	} cases[] = {
		{ "hd:4T", "did you mean \"hdd\"" },
		{ "sdd:4T", "did you mean" },
		{ "floppy:4T", "hdd, ssd, nvme, usb" },
		{ "hdd:4T,sektor=4096", "did you mean sector" },
		{ "hdd:4T,sector=520", "512, 4096 or 512/4096" },
		{ "hdd:4T,sector=512/0", "512, 4096 or 512/4096" },
		{ "hdd:4T,model", "\"model\" is no option" },
		{ "hdd:4T,model=", "has no value" },
		{ "hdd:4T,", "is no option" },
		{ "hdd:", "is not a size" },
		{ "hdd:0", "too small" },
		{ "hdd:12345", "too small" },
		{ "hdd:20000001", "no multiple" },
		{ "hdd:9999999P", "is too large" },
		{ "hdd:2000T", "larger than 1000 TB" },
		{ "0xhdd:4T", "1 to 1000" },
		{ "1001xhdd:4T", "1 to 1000" },
		{ "99999999999999999999xhdd:4T", "1 to 1000" },
		{ "2xhdd:4T,serial=A", "cannot all have the same serial" },
		{ "2xhdd:4T,name=a", "cannot all have the same name" },
		{ "hdd:4T,name=a/b", "letters and digits" },
		{ "hdd:4T,rate=0", "rate is 0" },
		{ "hdd:4T,seek=soon", "is no time" },
		{ "hdd:4T,seek=100s", "is no time" },
		{ "hdd:4T,rotational=maybe", "rotational=yes" },
	};
	struct inventory *inv = inventory_new();
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = { 0 };

		assert_int_equal(inventory_add_virtual(inv, cases[i].spec, &e), -1);
		if (!strstr(e.text, cases[i].says))
			fail_msg("%s: said \"%s\", not \"%s\"", cases[i].spec, e.text, cases[i].says);
		assert_int_equal(e.kind, ERR_USAGE);
		assert_int_equal(inv->n_disks, 0);
	}
	inventory_free(inv);
}

static void two_disks_never_share_a_serial(void **state)
{
	struct inventory *inv = inventory_new();
	struct err e = { 0 };

	(void)state;
	assert_int_equal(inventory_add_virtual(inv, "hdd:4T,name=left,serial=X1", &e), 1);
	assert_int_equal(inventory_add_virtual(inv, "hdd:4T,name=right,serial=X1", &e), -1);
	assert_non_null(strstr(e.text, "right"));
	assert_non_null(strstr(e.text, "left"));
	assert_int_equal(inv->n_disks, 1);
	inventory_free(inv);
}

static void words_and_paths_are_told_apart(void **state)
{
	(void)state;
	assert_true(disk_spec_is_virtual("hdd:4T"));
	assert_true(disk_spec_is_virtual("6xhdd:4T"));
	assert_true(disk_spec_is_virtual("hd:4T"));	/* a mistake, to be said as one */
	assert_false(disk_spec_is_virtual("/dev/sda"));
	assert_false(disk_spec_is_virtual("sda"));
	assert_false(disk_spec_is_virtual("/dev/disk/by-path/pci-0000:00:1f.2-ata-1"));
	assert_false(disk_spec_is_virtual(":4T"));
}

static void names_are_in_natural_order(void **state)
{
	static const char *const order[] = { "nvme0n1", "nvme0n2", "nvme2n1", "nvme10n1", "sda",
					     "sda1", "sda2", "sda10", "sdb", "sdz", "sdaa", "sdab",
					     "sdba", "sdaaa", "sr0", "vda", "zram0" };
	size_t i, k, n = sizeof(order) / sizeof(order[0]);

	(void)state;
	for (i = 0; i < n; i++) {
		for (k = 0; k < n; k++) {
			int got = name_compare(order[i], order[k]);

			assert_true(i < k ? got < 0 : i > k ? got > 0 : got == 0);
		}
	}
}

static void partitions_are_named_as_the_kernel_does(void **state)
{
	static const struct {
		const char *disk, *part;
		unsigned number;
	} cases[] = {	/* case C55: a name that ends in a digit takes a p */
		{ "sda", "sda1", 1 }, { "nvme0n1", "nvme0n1p3", 3 }, { "mmcblk1", "mmcblk1p1", 1 },
		{ "loop7", "loop7p1", 1 }, { "hdd1", "hdd1p2", 2 }, { "ubda", "ubda1", 1 },
	};
	struct arena *a = arena_new();
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(disk_part_name(a, cases[i].disk, cases[i].number),
				    cases[i].part);
	arena_free(a);
}

static struct inventory *save_and_load(const struct inventory *inv)
{
	char path[] = "/tmp/naslab-disk-XXXXXX";
	struct inventory *back = NULL;
	struct err e = { 0 };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(inventory_save(inv, path, &e), 0);
	assert_int_equal(inventory_load(path, &back, &e), 0);
	unlink(path);
	return back;
}

static void a_saved_list_is_the_same_list(void **state)
{
	static const char *const specs[] = {
		"3xhdd:10T", "ssd:500G,sector=512,model=WDC WDS500G2B0A%2C rev. 2 = 100%25",
		"nvme:1T,sector=4096,serial=S340 NX0,wwn=eui.0025385",
		"usb:8001563222016,name=sdj,rotational=no,rate=100M,seek=123us",
	};
	struct inventory *inv = inventory_new(), *back;
	struct err e = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++)
		assert_true(inventory_add_virtual(inv, specs[i], &e) > 0);
	inv->disks[1].state = DISK_BUSY;	/* a comment then */
	inv->disks[1].why = "mounted on /a\nhdd:4T";
	inv->disks[2].state = DISK_DATA;
	back = save_and_load(inv);
	assert_int_equal(back->n_disks, inv->n_disks - 1);
	for (i = 0; i < back->n_disks; i++) {
		const struct disk *d = &back->disks[i], *o = &inv->disks[i ? i + 1 : 0];

		assert_string_equal(d->name, o->name);
		assert_string_equal(d->path, o->path);
		assert_string_equal(d->model, o->model);
		assert_string_equal(d->serial, o->serial);
		assert_true(d->wwn == o->wwn || !strcmp(d->wwn, o->wwn));
		assert_int_equal(d->kind, o->kind);
		assert_int_equal(d->bytes, o->bytes);
		assert_int_equal(d->lsec, o->lsec);
		assert_int_equal(d->psec, o->psec);
		assert_int_equal(d->rotational, o->rotational);
		assert_int_equal(d->rate_bps, o->rate_bps);
		assert_int_equal(d->seek_ns, o->seek_ns);
		assert_int_equal(d->state, DISK_FREE);
	}
	inventory_free(back);
	inventory_free(inv);
}

static void a_bad_list_names_its_line(void **state)
{
	char path[] = "/tmp/naslab-disk-XXXXXX";
	struct inventory *inv = NULL;
	struct err e = { 0 };
	FILE *f = fdopen(mkstemp(path), "w");

	(void)state;
	fputs("# two good lines, then a bad one\n\n  hdd:4T  \nhdd:4X\n", f);
	fclose(f);
	assert_int_equal(inventory_load(path, &inv, &e), -1);
	assert_null(inv);
	assert_non_null(strstr(e.text, "line 4"));
	unlink(path);
	assert_int_equal(inventory_load(path, &inv, &e), -1);
}

static void outside_text_stays_text(void **state)
{
	struct inventory *inv = inventory_new();
	struct err e = { 0 };
	json_t *o;
	char *line;

	(void)state;
	assert_int_equal(inventory_add_virtual(inv, "hdd:4T,model=%1b%5b2J%ff%00x", &e), 1);
	o = inventory_json(inv);
	line = json_line(o);
	assert_null(strchr(line, 0x1b));
	assert_null(strchr(line, '\xff'));
	free(line);
	json_decref(o);
	inventory_free(inv);
}

static void identity_says_what_differs(void **state)
{
	static const struct {
		const char *then, *now, *says;
	} cases[] = {
		{ "hdd:4T,name=sdc,serial=X", "hdd:4T,name=sdc,serial=Y",
		  "sdc: serial was X, is now Y" },
		{ "hdd:4T,name=sdc,serial=X,model=M", "hdd:4T,name=sdc,serial=X,model=N",
		  "sdc: model was M, is now N" },
		{ "hdd:4T,name=sdc,serial=X,wwn=0x5", "hdd:4T,name=sdc,serial=X",
		  "sdc: WWN was 0x5, is now unknown" },
		{ "hdd:300MiB,name=sdc,serial=X", "hdd:400MiB,name=sdc,serial=X",
		  "sdc: size was 314572800 bytes, is now 419430400" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct inventory *a = inventory_new(), *b = inventory_new();
		struct identity then, now, same;
		struct err e = { 0 };
		json_t *o;

		assert_int_equal(inventory_add_virtual(a, cases[i].then, &e), 1);
		assert_int_equal(inventory_add_virtual(b, cases[i].now, &e), 1);
		disk_identity(&a->disks[0], a->arena, &then);
		disk_identity(&b->disks[0], b->arena, &now);
		assert_int_equal(identity_compare(&then, &now, false, &e), -1);
		assert_string_equal(e.text, cases[i].says);
		assert_int_equal(e.kind, ERR_REFUSED);
		o = identity_json(&then);
		assert_int_equal(identity_from_json(b->arena, o, &same, &e), 0);
		assert_int_equal(identity_compare(&then, &same, true, &e), 0);
		json_decref(o);
		inventory_free(a);
		inventory_free(b);
	}
}

/* What lies on it decides, not under which name the kernel has it today. */
static void content_is_part_of_identity(void **state)
{
	struct sig sigs[] = {
		{ .type = "ext4", .usage = "filesystem", .uuid = "u1", .offset = 1080, .on = "sda1" },
		{ .type = "gpt", .usage = "table", .uuid = "u2", .offset = 512, .on = "sda" },
	};
	struct sig renamed[] = { sigs[1], sigs[0] };
	struct part part = { "sda1", 1, 1048576, 1 << 30 }, renamed_part = part;
	struct disk d = { .name = "sda", .path = "/dev/sda", .bytes = 1ull << 40, .sigs = sigs,
			  .n_sigs = 2, .parts = &part, .n_parts = 1 };
	struct disk blank = { .name = "sda", .path = "/dev/sda", .bytes = 1ull << 40 };
	struct disk moved = d;
	struct identity then, now;
	struct arena *a = arena_new();
	struct err e = { 0 };

	(void)state;
	renamed[0].on = "sdb";
	renamed[1].on = renamed_part.name = "sdb1";
	moved.name = "sdb";
	moved.sigs = renamed;
	moved.parts = &renamed_part;
	disk_identity(&d, a, &then);
	disk_identity(&moved, a, &now);
	assert_int_equal(identity_compare(&then, &now, true, &e), 0);
	disk_identity(&blank, a, &now);
	assert_string_equal(now.content, "");
	assert_int_equal(identity_compare(&then, &now, false, &e), 0);
	assert_int_equal(identity_compare(&then, &now, true, &e), -1);
	assert_int_equal(identity_compare(&now, &then, true, &e), -1);
	renamed[1].uuid = "u3";
	disk_identity(&moved, a, &now);
	assert_int_equal(identity_compare(&then, &now, true, &e), -1);
	blank.unread = true;	/* unknown is not blank, and not the same as unknown either */
	disk_identity(&blank, a, &then);
	assert_int_equal(identity_compare(&then, &then, true, &e), -1);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_those_of_the_shop),
		cmocka_unit_test(specs_are_read),
		cmocka_unit_test(names_count_each_kind),
		cmocka_unit_test(bad_specs_say_why),
		cmocka_unit_test(two_disks_never_share_a_serial),
		cmocka_unit_test(words_and_paths_are_told_apart),
		cmocka_unit_test(names_are_in_natural_order),
		cmocka_unit_test(partitions_are_named_as_the_kernel_does),
		cmocka_unit_test(a_saved_list_is_the_same_list),
		cmocka_unit_test(a_bad_list_names_its_line),
		cmocka_unit_test(outside_text_stays_text),
		cmocka_unit_test(identity_says_what_differs),
		cmocka_unit_test(content_is_part_of_identity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
