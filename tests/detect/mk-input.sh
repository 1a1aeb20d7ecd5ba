#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mk-input.sh NAME - records this machine's disks as NAME.tar.xz, so that naslab can be
# tested on it elsewhere. Run it as root (signatures can only be read by root). Copied are
# the block devices' parts of sysfs, the udev database of block devices, the mount table,
# swaps and memory; nothing of what lies in the file systems. Serial numbers, labels and
# mount points are in it: look before you hand it on.
set -eu
[ $# = 1 ] || { echo "usage: mk-input.sh NAME" >&2; exit 2; }
name=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

copy() {	# one file, link or whole small folder of attributes, under the same path
	[ -e "$1" ] || [ -L "$1" ] || return 0
	mkdir -p "$dir$(dirname "$1")"
	if [ -L "$1" ]; then
		cp -P "$1" "$dir$1"
	elif [ -f "$1" ]; then
		cat "$1" >"$dir$1" 2>/dev/null || rm -f "$dir$1"
	fi
}

# device FOLDER: a disk or a partition as far as naslab reads it
device() {
	mkdir -p "$dir$1/holders" "$dir$1/slaves"
	for f in dev size removable ro hidden partition start serial wwid nsid device \
		queue/rotational queue/logical_block_size queue/physical_block_size \
		queue/zoned dm/name dm/uuid md/level loop/backing_file bcache/set; do
		copy "$1/$f"
	done
	for f in "$1"/holders/* "$1"/slaves/*; do copy "$f"; done
	[ ! -d "$1/device/" ] || {
		d=$(readlink -f "$1/device")
		for f in vendor model type serial wwid name vpd_pg80; do copy "$d/$f"; done
		for f in "$d"/enclosure_device:*; do copy "$f"; done
	}
}

for b in /sys/block/*; do
	copy "$b"
	real=$(readlink -f "$b")
	device "$real"
	copy "/sys/class/block/$(basename "$b")"
	for p in "$real"/*/partition; do
		[ -e "$p" ] || continue
		device "$(dirname "$p")"
		copy "/sys/class/block/$(basename "$(dirname "$p")")"
	done
done
for f in /sys/fs/btrfs/*/label /sys/fs/btrfs/*/devices/* /run/udev/data/b* \
	/run/naslab/disks /proc/self/mountinfo /proc/swaps /proc/meminfo; do
	copy "$f"
done

# "on type usage offset label uuid"; the usage follows from the type
mkdir -p "$dir/naslab"
: >"$dir/naslab/signatures"
for b in /sys/class/block/*; do
	n=$(basename "$b")
	case $n in mmcblk*boot* | mmcblk*rpmb | sr* | fd* | ram* | loop* | zram* | dm-* | md*) continue ;; esac
	if [ ! -b "/dev/$n" ] || [ "$(cat "$b/size")" = 0 ]; then
		continue
	fi
	if ! wipefs -p -n "/dev/$n" >"$dir/sigs"; then
		echo "$n unreadable other 0 - -" >>"$dir/naslab/signatures"
		continue
	fi
	awk -F, -v on="$n" '!/^#/ {
		gsub(/%/, "%25", $3); gsub(/ /, "%20", $3)
		print on, $4, "-", $1, $3 == "" ? "-" : $3, $2 == "" ? "-" : $2
	}' "$dir/sigs" >>"$dir/naslab/signatures"
done
rm -f "$dir/sigs"
tar -C "$dir" -cJf "$name.tar.xz" .
echo "$name.tar.xz: now write $name.json with what naslab disks --json has to say"
