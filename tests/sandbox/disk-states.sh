#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# naslab disks on a real kernel: partitions, md, LVM and its idle physical volume, LUKS and
# bcache are built by their own tools, and each disk has to be called what it is, busy
# while it is used and data afterwards.
export LC_ALL=C
command -v linux.uml >/dev/null || { echo "skip - linux.uml is not installed"; exit 77; }
for tool in sfdisk mkfs.ext4 mdadm pvcreate make-bcache cryptsetup; do
	PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null || { echo "skip - no $tool"; exit 77; }
done
# shellcheck disable=SC2016
./naslab sandbox --disk hdd:1G,model=WD%20RED,serial=WX1 --disk 2xhdd:2G --disk hdd:3G \
	--disk ssd:500MiB --disk 2xhdd:1GiB -- /bin/sh -c '
PATH=$PATH:/usr/sbin:/sbin
failed=0
# is DISK STATE WORDS: the row of the table
is() {
	row=$(naslab disks | grep "^$1 ")
	case "$row " in
	*" $2 "*"$3"*) echo "ok - $1 is $2: $3" ;;
	*) echo "not ok - $1 is not $2: $3"; echo "$row"; failed=1 ;;
	esac
}
run() { "$@" >/tmp/out 2>&1 </dev/null || { echo "not ok - $*"; cat /tmp/out; failed=1; }; }

is ubda hdd "WD RED"
is ubda WX1 "free  nothing"
is ubde ssd "free  nothing"
printf "label: gpt\n,100M\n,100M\n" | sfdisk -q /dev/ubda
is ubda data "2 partitions, no content recognised"
run mkfs.ext4 -q -L inner /dev/ubda1
is ubda data "ext4 \"inner\" on ubda1"
run mount /dev/ubda1 /mnt
is ubda busy "ubda1 mounted on /mnt"
run umount /mnt

run mdadm --create --run --homehost=any --metadata=1.2 /dev/md/x --name=x --level=1 \
	--raid-devices=2 --assume-clean --bitmap=none /dev/ubdb /dev/ubdc
run pvcreate -ff -y /dev/md/x /dev/ubdd
run vgcreate vg-0 /dev/md/x /dev/ubdd
is ubdd data "LVM physical volume \"vg-0\""
run lvcreate -y -Wn -l 10 -n home vg-0 /dev/md/x
run mkfs.ext4 -q /dev/vg-0/home
is ubdb busy "member of md"
run mount /dev/vg-0/home /mnt
is ubdb busy ", holds /mnt"
is ubdc busy ", holds /mnt"
is ubdd busy "LVM vg-0, nothing on this part of it"
run umount /mnt
run vgchange -an vg-0
run mdadm --stop /dev/md/x
is ubdc data "md member \"any:x\""

modprobe bcache 2>/dev/null
if [ -e /sys/fs/bcache/register ]; then
	run make-bcache -C /dev/ubde -B /dev/ubdf
	for d in ubde ubdf; do echo /dev/$d >/sys/fs/bcache/register; done 2>/dev/null
	is ubde busy bcache
	is ubdf busy bcache0
else
	echo "skip - no bcache in this kernel"
fi

echo secret | cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \
	/dev/ubdg - || failed=1
is ubdg data LUKS
if echo secret | cryptsetup open --key-file - /dev/ubdg hidden 2>/dev/null; then
	is ubdg busy "LUKS hidden, not mounted"
	run cryptsetup close hidden
else
	echo "skip - LUKS cannot be opened here"
fi
exit $failed'
