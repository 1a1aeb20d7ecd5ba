/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prepare - the job folder: the program and its data, what the first process inside is
 * told, and the sparse images of the disks. Done by the keeper, as the user who runs the
 * kernel, so that every file belongs to that user and what it may not do fails here.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "disk/disk.h"
#include "sandbox/launch.h"
#include "sandbox/sandbox.h"

const char *job_disk_name(char buf[8], unsigned i)
{
	snprintf(buf, 8, "ubd%c", 'a' + (int)(i % 16));
	return buf;
}

static uint64_t free_bytes(const char *dir)
{
	struct statvfs v;

	return statvfs(dir, &v) < 0 ? 0 : (uint64_t)v.f_bavail * v.f_frsize;
}

static bool is_noexec(const char *dir)
{
	struct statvfs v;

	return statvfs(dir, &v) == 0 && (v.f_flag & ST_NOEXEC);
}

/* Only these pass through the kernel's command line, where ',' and ':' divide and a blank
 * ends a word. */
static bool is_plain_path(const char *p)
{
	return *p == '/' && p[strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789-_./+@~")] == 0;
}

static uint64_t largest_disk(const struct job *j)
{
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < j->s->disks->n_disks; i++) {
		if (j->s->disks->disks[i].bytes > most)
			most = j->s->disks->disks[i].bytes;
	}
	return most;
}

/* What a sparse image may come to: file systems of disks this big write their logs and
 * tables only (2.5 GB for 31 TB were measured), small disks may be filled. */
static uint64_t wanted_bytes(const struct job *j)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < j->s->disks->n_disks; i++) {
		uint64_t bytes = j->s->disks->disks[i].bytes;

		sum += bytes < 256 * MIB ? bytes : 256 * MIB;
	}
	return sum + 64 * MIB;
}

/* Make a file of that size and forget it again: can the file system hold it? */
static int can_hold(const char *dir, uint64_t bytes, struct err *e)
{
	char size[SIZE_TEXT];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	int rc;

	if (fd < 0)
		return 0;	/* not every file system can; making the image will tell */
	rc = ftruncate(fd, (off_t)bytes);
	if (rc < 0)
		err_set(e, ERR_FAIL, "sandbox: the file system of %s cannot hold a file of %s "
			"(ext4 ends at 16 TiB); let TMPDIR name a folder on xfs, btrfs or tmpfs",
			dir, size_text(size, bytes, SIZE_SI));
	close(fd);
	return rc;
}

/* May the job live in this folder? The sentence says why not. */
static int place_check(const struct job *j, const char *dir, struct err *e)
{
	char has[SIZE_TEXT], wants[SIZE_TEXT];
	uint64_t need = 64 * MIB + (j->keep ? 0 : wanted_bytes(j));

	if (!is_plain_path(dir))
		return err_set(e, ERR_FAIL, "sandbox: the path \"%s\" has a character that the "
			       "kernel's command line cannot carry", dir);
	if (access(dir, W_OK | X_OK) < 0)
		return err_set(e, ERR_FAIL, "sandbox: user %s cannot write to %s: %s", j->user,
			       dir, strerror(errno));
	if (is_noexec(dir))
		return err_set(e, ERR_FAIL, "sandbox: %s is mounted noexec", dir);
	if (free_bytes(dir) < need)
		return err_set(e, ERR_FAIL, "sandbox: %s has %s free, the disks may need %s", dir,
			       size_text(has, free_bytes(dir), SIZE_SI),
			       size_text(wants, need, SIZE_SI));
	return j->keep ? 0 : can_hold(dir, largest_disk(j), e);
}

static int make_dir(struct job *j, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	const char *const places[] = { tmp && *tmp ? tmp : "/var/tmp", "/var/tmp", "/tmp",
				       "/dev/shm" };
	struct err first = { 0 };
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct err why = { 0 };

		if (place_check(j, places[i], first.kind ? &why : &first) < 0)
			continue;
		j->dir = arena_printf(j->arena, "%s/naslab-XXXXXX", places[i]);
		if (mkdtemp(j->dir))
			return 0;
		j->dir = NULL;
		err_sys(first.kind ? &why : &first, "sandbox: user %s cannot make a folder in %s",
			j->user, places[i]);
	}
	*e = first;
	return -1;
}

/* The kernel maps its memory from a file: memory-backed when that has the space. */
static int choose_memory(struct job *j, struct err *e)
{
	char has[SIZE_TEXT], wants[SIZE_TEXT];
	const char *const places[] = { "/dev/shm", j->dir };
	size_t i;

	for (i = 0; i < 2; i++) {
		if (access(places[i], W_OK) == 0 && !is_noexec(places[i]) &&
		    free_bytes(places[i]) > j->memory + j->memory / 16) {
			j->mem = arena_strdup(j->arena, places[i]);
			return 0;
		}
	}
	return err_set(e, ERR_FAIL, "sandbox: neither /dev/shm (%s free) nor %s can hold %s of "
		       "memory; give less with --memory, or let TMPDIR name a folder with space",
		       size_text(has, free_bytes("/dev/shm"), SIZE_SI), j->dir,
		       size_text(wants, j->memory, SIZE_SI));
}

static int write_file(const char *path, const struct sbuf *text, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int rc = 0;

	if (fd < 0)
		return err_sys(e, "sandbox: %s", path);
	if (text->len && write(fd, text->text, text->len) != (ssize_t)text->len)
		rc = err_sys(e, "sandbox: %s", path);
	close(fd);
	return rc;
}

static int copy_items(const struct job *j, struct err *e)
{
	size_t i;

	for (i = 0; i < j->items.n; i++) {
		const struct item *it = j->items.at[i];
		char *path = arena_printf(j->arena, "%s/%s", j->dir, it->to);
		off_t at = 0;
		ssize_t n;
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, it->mode);

		if (fd < 0)
			return err_sys(e, "sandbox: %s", path);
		while ((n = sendfile(fd, it->fd, &at, 1 << 24)) > 0)
			;
		close(fd);
		if (n < 0)
			return err_sys(e, "sandbox: %s", path);
	}
	return 0;
}

/* Anything but plain letters as %XX, so that a value is one word. */
static void add_encoded(struct sbuf *b, const char *key, const char *value)
{
	if (!value)
		return;
	sbuf_addf(b, " %s=", key);
	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;

		if (c > ' ' && c < 0x7f && c != '%' && c != '=')
			sbuf_addc(b, (char)c);
		else
			sbuf_addf(b, "%%%02X", c);
	}
}

static void add_record(struct sbuf *b, const char *key, const char *value)
{
	sbuf_add(b, key);
	sbuf_addc(b, '=');
	sbuf_add(b, value);
	sbuf_addc(b, 0);
}

/* What inside is the same as outside: the terminal's kind, the language, our own switches,
 * but not where our files are. */
static void add_environment(struct sbuf *b)
{
	static const char *const passed[] = {
		"TERM=", "LANG=", "LANGUAGE=", "LC_", "NO_COLOR=", "COLORTERM=", "TZ=", "NASLAB_",
		"ESCDELAY=", "NCURSES_",
	};
	static const char *const own[] = { "NASLAB_DB=", "NASLAB_LAYOUTS=", "NASLAB_WORKLOADS=" };
	size_t i;
	char **v;

	add_record(b, "env", "PATH=/run/job/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:"
		   "/usr/bin:/sbin:/bin");
	add_record(b, "env", "HOME=/root");
	add_record(b, "env", "USER=root");
	add_record(b, "env", "LOGNAME=root");
	add_record(b, "env", "SHELL=/bin/sh");
	for (v = environ; *v; v++) {
		bool take = false;

		for (i = 0; i < sizeof(passed) / sizeof(*passed); i++)
			take |= !strncmp(*v, passed[i], strlen(passed[i]));
		for (i = 0; i < sizeof(own) / sizeof(*own); i++)
			take &= strncmp(*v, own[i], strlen(own[i])) != 0;
		if (take)
			add_record(b, "env", *v);
	}
}

static void add_disks(const struct job *j, struct sbuf *b)
{
	struct sbuf text = { 0 };
	char name[8];
	size_t i;

	for (i = 0; i < j->s->disks->n_disks; i++) {
		const struct disk *d = &j->s->disks->disks[i];

		job_disk_name(name, (unsigned)i);
		sbuf_addf(&text, "%s kind=%s", name, disk_kind_word(d->kind));
		add_encoded(&text, "model", d->model);
		add_encoded(&text, "serial", d->serial);
		add_encoded(&text, "wwn", d->wwn);
		sbuf_addf(&text, " sector=%u/%u rate=%llu seek=%llu\n", d->lsec, d->psec,
			  (unsigned long long)d->rate_bps, (unsigned long long)d->seek_ns);
		sbuf_addf(b, "queue=%s %d %llu", name, d->rotational,
			  (unsigned long long)d->rate_bps);
		sbuf_addc(b, 0);
	}
	add_record(b, "disks", sbuf_str(&text));
	sbuf_done(&text);
}

static int write_boot(const struct job *j, const char *db, struct err *e)
{
	static const char *const screens[] = { "naslab", NULL };
	const char *const *arg = j->s->command ? (const char *const *)j->s->command : screens;
	struct sbuf b = { 0 };
	char size[32];
	int rc;

	for (; *arg; arg++)
		add_record(&b, "arg", *arg);
	add_environment(&b);
	add_disks(j, &b);
	add_record(&b, "db", db);
	if (j->cwd)
		add_record(&b, "cwd", j->cwd);
	add_record(&b, "udev", j->s->udev ? "1" : "0");
	if (!j->s->udev)
		add_record(&b, "env", "DM_DISABLE_UDEV=1");
	add_record(&b, "tty", j->s->tty ? "1" : "0");
	add_record(&b, "error", j->error_pipe ? "1" : "0");
	snprintf(size, sizeof(size), "%u %u", j->rows, j->cols);
	add_record(&b, "size", size);
	rc = write_file(arena_printf(j->arena, "%s/boot", j->dir), &b, e);
	sbuf_done(&b);
	return rc;
}

static int make_image(const char *path, const struct disk *d, struct err *e)
{
	char size[SIZE_TEXT];
	struct stat st;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	int rc = 0;

	if (fd < 0)
		return err_sys(e, "sandbox: %s", path);
	if (fstat(fd, &st) < 0)
		rc = err_sys(e, "sandbox: %s", path);
	else if ((uint64_t)st.st_size != d->bytes && ftruncate(fd, (off_t)d->bytes) < 0)
		rc = err_set(e, ERR_FAIL, "sandbox: %s cannot have %s: %s%s", path,
			     size_text(size, d->bytes, SIZE_SI), strerror(errno),
			     errno == EFBIG ? " (ext4 ends at 16 TiB)" : "");
	close(fd);
	return rc;
}

int job_prepare(struct job *j, struct err *e)
{
	static const char *const folders[] = {
		"bin", "bin/layouts", "bin/workloads", "bin/campaigns", "bin/data", "bin/data/reference", "uml",
		"disks", "db",
	};
	const char *home;
	char name[8], *db;
	size_t i;

	umask(022);
	if (make_dir(j, e) < 0 || choose_memory(j, e) < 0)
		return -1;
	for (i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		mkdir(arena_printf(j->arena, "%s/%s", j->dir, folders[i]), 0755);
	home = j->keep ? j->keep : j->dir;
	j->disks = arena_printf(j->arena, "%s/disks", home);
	db = arena_printf(j->arena, "%s/db", home);
	if ((mkdir(j->disks, 0755) < 0 && errno != EEXIST) ||
	    (mkdir(db, 0755) < 0 && errno != EEXIST))
		return err_sys(e, "sandbox: user %s cannot make a folder in %s", j->user, home);
	if (j->keep && inventory_save(j->s->disks,
				      arena_printf(j->arena, "%s/disks.list", home), e) < 0)
		return -1;
	j->log = open(arena_printf(j->arena, "%s/log", j->dir),
		      O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (j->log < 0)
		return err_sys(e, "sandbox: %s/log", j->dir);
	for (i = 0; i < j->s->disks->n_disks; i++) {
		char *path = arena_printf(j->arena, "%s/%s.img", j->disks,
					  job_disk_name(name, (unsigned)i));

		if (make_image(path, &j->s->disks->disks[i], e) < 0)
			return -1;
	}
	if (copy_items(j, e) < 0)
		return -1;
	return write_boot(j, db, e);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void job_remove(const struct job *j)
{
	if (j->dir)
		nftw(j->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
