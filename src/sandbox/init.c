/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * init - the first process inside the sandbox.
 *
 * The root file system is this machine's, read with the rights of the user who started
 * the sandbox. Here a writable one is put over it (an overlay whose upper layer is
 * memory), the kernel's file systems are mounted, LVM and mdadm are told that they are on
 * another machine, the virtual disks get their nature, then the command runs. It is one
 * static program because starting a process costs 14 times what it does outside.
 */
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/init.h"

#define ROOT "/tmp/root"
#define JOB "/run/job"

static const char lvm_plain[] =
	"devices { obtain_device_list_from_udev=0 external_device_info_source=\"none\" "
	"use_devicesfile=0 }\n"
	"activation { udev_sync=0 udev_rules=0 verify_udev_operations=0 monitoring=0 }\n"
	"backup { backup=0 archive=0 }\n"
	"global { event_activation=0 }\n";

static const char lvm_udev[] =
	"devices { use_devicesfile=0 }\n"
	"activation { monitoring=0 }\n"
	"backup { backup=0 archive=0 }\n"
	"global { event_activation=1 }\n";

/* udev knows no bus of these disks, so it makes them no name by serial number. */
static const char udev_rules[] =
	"SUBSYSTEM!=\"block\", GOTO=\"naslab_end\"\n"
	"KERNEL!=\"ubd*\", GOTO=\"naslab_end\"\n"
	"ATTRS{serial}==\"?*\", ENV{ID_SERIAL}=\"$attr{serial}\"\n"
	"ENV{DEVTYPE}==\"disk\", ENV{ID_SERIAL}==\"?*\", "
	"SYMLINK+=\"disk/by-id/virtual-$env{ID_SERIAL}\"\n"
	"ENV{DEVTYPE}==\"partition\", ENV{ID_SERIAL}==\"?*\", "
	"SYMLINK+=\"disk/by-id/virtual-$env{ID_SERIAL}-part%n\"\n"
	"LABEL=\"naslab_end\"\n";

static void power_off(int status)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", status);
	put("/proc/exitcode", text);
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

void must(long result, const char *what)
{
	if (result >= 0)
		return;
	printf("naslab-init: %s: %s\n", what, strerror(errno));
	fflush(stdout);
	power_off(125);
}

void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		printf("naslab-init: %s: %s\n", path, strerror(errno));
	close(fd);
}

/* The overlay driver is a module, and no modprobe can find it yet. */
static void load_overlay(void)
{
	struct utsname u;
	char path[256];
	int fd;

	uname(&u);
	snprintf(path, sizeof(path), "/usr/lib/uml/modules/%s/kernel/fs/overlayfs/overlay.ko",
		 u.release);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;		/* built in; the mount will say when it is not */
	if (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST)
		printf("naslab-init: %s: %s\n", path, strerror(errno));
	close(fd);
}

static void make_root(const char *job)
{
	static const struct row {
		const char *type, *at, *data;
	} rows[] = {
		{ "proc", ROOT "/proc", NULL },
		{ "sysfs", ROOT "/sys", NULL },
		{ "devtmpfs", ROOT "/dev", "mode=755" },
		{ "devpts", ROOT "/dev/pts", "gid=5,mode=620,ptmxmode=666" },
		{ "tmpfs", ROOT "/dev/shm", "mode=1777" },
		{ "tmpfs", ROOT "/run", "mode=755" },
		{ "tmpfs", ROOT "/tmp", "mode=1777" },
		{ "tmpfs", ROOT "/root", "mode=700" },
	};
	size_t i;

	must(mount("tmp", "/tmp", "tmpfs", 0, "size=75%,mode=1777"), "tmpfs on /tmp");
	mkdir("/tmp/up", 0755);
	mkdir("/tmp/wk", 0755);
	mkdir(ROOT, 0755);
	load_overlay();
	must(mount("overlay", ROOT, "overlay", 0, "lowerdir=/,upperdir=/tmp/up,workdir=/tmp/wk"),
	     "overlay over the root file system");
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		mkdir(rows[i].at, 0755);
		must(mount(rows[i].type, rows[i].at, rows[i].type, 0, rows[i].data), rows[i].at);
	}
	mkdir(ROOT JOB, 0755);
	must(mount("none", ROOT JOB, "hostfs", 0, job), "the job folder");
	must(chdir(ROOT), ROOT);
	must(chroot("."), ROOT);
}

/* Device nodes whose first use loads the module behind them (fuse, loop, dm). */
static void make_nodes(const char *release)
{
	char path[256], name[64], type;
	unsigned major, minor;
	FILE *f;

	snprintf(path, sizeof(path), "/lib/modules/%s/modules.devname", release);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(path, sizeof(path), f)) {
		char node[80];

		if (sscanf(path, "%*s %63s %c%u:%u", name, &type, &major, &minor) != 4)
			continue;
		snprintf(node, sizeof(node), "/dev/%s", name);
		if (strchr(name, '/')) {
			*strrchr(node, '/') = 0;
			mkdir(node, 0755);
			snprintf(node, sizeof(node), "/dev/%s", name);
		}
		mknod(node, (type == 'c' ? S_IFCHR : S_IFBLK) | 0600, makedev(major, minor));
	}
	fclose(f);
}

/* Folders that tools expect, modules where modprobe looks for them, and nothing that
 * describes the machine outside. */
static void furnish(const struct boot *b)
{
	static const char *const folders[] = {
		"/run/lock", "/run/lvm", "/run/lock/lvm", "/run/mdadm", "/run/blkid",
		"/run/cryptsetup", "/run/naslab", "/lib/modules", "/var/lib/naslab", "/mnt",
	};
	static const char *const own[] = {
		"/etc/lvm/archive", "/etc/lvm/backup", "/etc/lvm/cache", "/etc/lvm/devices",
	};
	struct utsname u;
	char from[128], to[128];
	size_t i;

	for (i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		mkdir(folders[i], 0755);
	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		mount("lvm", own[i], "tmpfs", 0, "mode=700");
	must(mount("none", "/var/lib/naslab", "hostfs", 0, b->db), "the database folder");
	uname(&u);
	snprintf(from, sizeof(from), "/usr/lib/uml/modules/%s", u.release);
	snprintf(to, sizeof(to), "/lib/modules/%s", u.release);
	if (symlink(from, to) < 0 && errno != EEXIST)
		printf("naslab-init: %s: %s\n", to, strerror(errno));
	make_nodes(u.release);
	if (access("/etc/lvm", F_OK) == 0)
		put("/etc/lvm/lvmlocal.conf", b->udev ? lvm_udev : lvm_plain);
	unlink("/etc/mdadm/mdadm.conf");
	unlink("/etc/mdadm.conf");
	unlink("/etc/crypttab");
	put("/etc/fstab", "");
	must(sethostname("sandbox", 7), "host name");
	put("/etc/hostname", "sandbox\n");
	put("/run/naslab/sandbox", "");
	/* the second version beside it, for memory limits: as systemd's hybrid set-up */
	mount("cgroup", "/sys/fs/cgroup", "tmpfs", 0, "mode=755");
	mkdir("/sys/fs/cgroup/unified", 0755);
	mount("cgroup2", "/sys/fs/cgroup/unified", "cgroup2", 0, NULL);
	symlink("/proc/self/fd", "/dev/fd");
	symlink("fd/0", "/dev/stdin");
	symlink("fd/1", "/dev/stdout");
	symlink("fd/2", "/dev/stderr");
}

/* All disks of this kernel share one socket to the thread that does their work, and it holds
 * 278 requests (the host's wmem_default). One more, of a disk that has nothing in flight, is
 * put aside and never looked at again: the driver relies on that disk's next completion. */
enum { MOST_IN_FLIGHT = 240 };

/* One "queue=NAME ROTATIONAL RATE" record: whether it turns, and how fast it may be. The
 * limit is set on the root group of the first cgroup version: the second one's io.max
 * does not hold for the kernel threads that write for md and file systems. */
static void set_queue(const char *record, unsigned disks)
{
	char name[32], path[96], text[64];
	unsigned rotational, major, minor;
	unsigned long long rate;
	FILE *f;

	if (sscanf(record, "%31s %u %llu", name, &rotational, &rate) != 3)
		return;
	snprintf(path, sizeof(path), "/sys/block/%s/queue/rotational", name);
	put(path, rotational ? "1" : "0");
	snprintf(path, sizeof(path), "/sys/block/%s/queue/nr_requests", name);
	snprintf(text, sizeof(text), "%u", disks < 4 ? 64 : MOST_IN_FLIGHT / disks);
	put(path, text);
	if (!rate)
		return;
	snprintf(path, sizeof(path), "/sys/block/%s/dev", name);
	f = fopen(path, "re");
	if (!f)
		return;
	if (fscanf(f, "%u:%u", &major, &minor) == 2) {
		if (access("/sys/fs/cgroup/blkio", F_OK) != 0) {
			mkdir("/sys/fs/cgroup/blkio", 0755);
			must(mount("cgroup", "/sys/fs/cgroup/blkio", "cgroup", 0, "blkio"),
			     "the disk speed limits");
		}
		snprintf(text, sizeof(text), "%u:%u %llu", major, minor, rate);
		put("/sys/fs/cgroup/blkio/blkio.throttle.read_bps_device", text);
		put("/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device", text);
	}
	fclose(f);
}

/* Sort the records of the boot file. Lists hold at most as many words as the file has
 * records. */
static void read_boot(const char *path, struct boot *b)
{
	size_t records = 0, n_arg = 0, n_env = 0, n_queue = 0, i;
	struct stat st;
	char *at;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	must(fd, path);
	must(fstat(fd, &st), path);
	b->text = calloc(1, (size_t)st.st_size + 1);
	must(b->text ? 0 : -1, "memory");
	must(read(fd, b->text, (size_t)st.st_size) == st.st_size ? 0 : -1, path);
	close(fd);
	for (i = 0; i < (size_t)st.st_size; i++)
		records += b->text[i] == 0;
	b->argv = calloc(records + 1, sizeof(char *));
	b->envp = calloc(records + 1, sizeof(char *));
	b->queues = calloc(records + 1, sizeof(char *));
	must(b->argv && b->envp && b->queues ? 0 : -1, "memory");
	for (at = b->text; at < b->text + st.st_size; at += strlen(at) + 1) {
		char *value = strchr(at, '=');

		if (!value++)
			continue;
		if (!strncmp(at, "arg=", 4))
			b->argv[n_arg++] = value;
		else if (!strncmp(at, "env=", 4))
			b->envp[n_env++] = value;
		else if (!strncmp(at, "queue=", 6))
			b->queues[n_queue++] = value;
		else if (!strncmp(at, "disks=", 6))
			b->disks = value;
		else if (!strncmp(at, "cwd=", 4))
			b->cwd = value;
		else if (!strncmp(at, "db=", 3))
			b->db = value;
		else if (!strncmp(at, "udev=", 5))
			b->udev = *value == '1';
		else if (!strncmp(at, "tty=", 4))
			b->tty = *value == '1';
		else if (!strncmp(at, "error=", 6))
			b->error_pipe = *value == '1';
		else if (!strncmp(at, "size=", 5))
			sscanf(value, "%u %u", &b->rows, &b->cols);
	}
}

/* Run a program of the system to its end, its words on the log. */
static void run(const char *const *argv)
{
	static const char *const env[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL };
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execvpe(argv[0], (char *const *)argv, (char *const *)env);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0 || status != 0)
		printf("naslab-init: %s: status %d\n", argv[0], pid < 0 ? -1 : status);
}

static void start_udev(void)
{
	put("/etc/udev/rules.d/61-naslab.rules", udev_rules);
	run((const char *const[]){ "/lib/systemd/systemd-udevd", "--daemon", NULL });
	run((const char *const[]){ "udevadm", "trigger", "--action=add", "--type=subsystems", NULL });
	run((const char *const[]){ "udevadm", "trigger", "--action=add", "--type=devices", NULL });
	run((const char *const[]){ "udevadm", "settle", "--timeout=120", NULL });
}

/* The second console, so that not a byte on it is changed. */
static int open_console(void)
{
	struct termios t;
	int fd = open("/dev/tty1", O_RDWR | O_NOCTTY | O_CLOEXEC);

	must(fd, "/dev/tty1");
	must(tcgetattr(fd, &t), "/dev/tty1");
	cfmakeraw(&t);
	must(tcsetattr(fd, TCSANOW, &t), "/dev/tty1");
	return fd;
}

/* Take down what is mounted, newest first, so that --keep finds clean file systems. The
 * kernel itself marks arrays clean when it goes down. */
static void unmount_disks(void)
{
	char *at[256];
	struct mntent *m;
	size_t n = 0;
	FILE *f = setmntent("/proc/self/mounts", "re");

	if (!f)
		return;
	while ((m = getmntent(f)) && n < 256) {
		if (!strncmp(m->mnt_fsname, "/dev/", 5) || !strncmp(m->mnt_type, "fuse", 4))
			at[n++] = strdup(m->mnt_dir);
	}
	endmntent(f);
	while (n--) {
		if (at[n] && umount2(at[n], 0) < 0)
			umount2(at[n], MNT_DETACH);
	}
}

/* End what the command left running: two seconds to do it by itself. */
static void end_processes(void)
{
	struct timespec tick = { .tv_nsec = 20 * 1000 * 1000 };
	int i;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
		return;
	kill(-1, SIGTERM);
	kill(-1, SIGCONT);
	for (i = 0; i < 100; i++) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
			return;
		nanosleep(&tick, NULL);
	}
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

int main(void)
{
	const char *job = getenv("NASLAB_JOB");
	struct boot b = { 0 };
	char text[16];
	int console, status;
	unsigned disks = 0, i;

	umask(022);
	must(mount("proc", "/proc", "proc", 0, NULL) < 0 && errno != EBUSY ? -1 : 0, "/proc");
	must(job ? 0 : -1, "NASLAB_JOB");
	make_root(job);
	read_boot(JOB "/boot", &b);
	furnish(&b);
	while (b.queues[disks])
		disks++;
	for (i = 0; i < disks; i++)
		set_queue(b.queues[i], disks);
	put("/run/naslab/disks", b.disks ? b.disks : "");
	if (b.udev)
		start_udev();
	console = open_console();
	status = run_command(&b, console);
	snprintf(text, sizeof(text), "%d\n", status);
	put(JOB "/rc", text);
	end_processes();
	unmount_disks();
	power_off(status);
}
