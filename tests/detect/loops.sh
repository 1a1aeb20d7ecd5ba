#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The live machine: loop devices with real file systems, as disks (NASLAB_LOOP=1). Blank is
# free, content is data, a mount is busy, the second device of a mounted btrfs is busy, and
# what only another mount namespace knows is found by opening exclusively.
# Skipped where loop devices cannot be set up. Detaches exactly what it attached.
PATH=$PATH:/usr/sbin:/sbin
[ "$(id -u)" = 0 ] || { echo "skip - needs root"; exit 77; }
dir=$(mktemp -d) || exit 99
failed=0 loops=() holder=

# shellcheck disable=SC2317	# called by trap
clean() {
	[ -z "$holder" ] || { echo >&9; wait "$holder"; }
	for m in "$dir"/m*; do
		[ ! -d "$m" ] || { umount "$m" 2>/dev/null; }
	done
	for l in "${loops[@]}"; do losetup -d "$l"; done
	rm -rf "$dir"
}
trap clean EXIT

attach() {
	truncate -s "$2" "$dir/$1"
	loop=$(losetup -P -f --show "$dir/$1" 2>&1) || { echo "skip - no loop device: $loop"; exit 77; }
	loops+=("$loop")
}

# fact DEVICE FACT...: its object in the JSON has every one of these
fact() {
	NASLAB_LOOP=1 ./naslab disks --json >"$dir/got" || return 1
	local one f
	one=$(sed 's/{"name":"loop/\n&/g' "$dir/got" | grep -F "{\"name\":\"${1#/dev/}\",\"path\"")
	shift
	for f; do
		[[ $one == *"$f"* ]] || { echo "  no $f in: $one"; return 1; }
	done
}

say() {
	if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; failed=1; fi
}

attach a 300M
a=$loop
dd if="$a" of=/dev/null bs=4k count=1 status=none 2>/dev/null ||
	{ echo "skip - loop devices cannot be read here"; exit 77; }
fact "$a" '"state":"free"' '"bytes":314572800' '"signatures":[]' '"why":"nothing"'
say $? "a blank disk is free"
unset NASLAB_LOOP
./naslab disks | grep -q "^${a#/dev/} .*hidden.*loop device"
say $? "without NASLAB_LOOP a loop device is hidden"

if command -v mkfs.ext4 >/dev/null; then
	mkfs.ext4 -q -L backup "$a"
	fact "$a" '"state":"data"' '"type":"ext4"' '"offset":1080' '"label":"backup"'
	say $? "an unmounted file system is data"
	mkdir "$dir/m1"
	if mount "$a" "$dir/m1"; then
		fact "$a" '"state":"busy"' "\"kind\":\"mount\",\"what\":\"$dir/m1\"" '"system":false'
		say $? "a mounted one is busy, and says where"
		umount "$dir/m1"
	fi
	mkfifo "$dir/go" "$dir/there"
	exec 9<>"$dir/go"
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount "$1" "$2" && echo yes >"$3"; read -r _ <"$4"; umount "$2"' - \
		"$a" "$dir/m1" "$dir/there" "$dir/go" 2>/dev/null &
	holder=$!
	if read -r -t 10 _ <>"$dir/there"; then
		fact "$a" '"state":"busy"' '"kind":"open"'
		say $? "a mount in another namespace is found by the exclusive open"
	else
		echo "skip - no second mount namespace here"
	fi
	echo >&9
	wait "$holder"
	holder=
	fact "$a" '"state":"data"'
	say $? "and is data again afterwards"
fi

if command -v sfdisk >/dev/null && command -v mkfs.ext4 >/dev/null; then
	attach b 300M
	b=$loop
	printf 'label: gpt\n,100M\n,100M\n' | sfdisk -q "$b" 2>/dev/null
	fact "$b" '"state":"data"' '"type":"gpt"' '"offset":314572288'
	say $? "a partition table is data"
	if [ -b "${b}p1" ]; then
		mkfs.ext4 -q -L inner "${b}p1"
		fact "$b" "\"name\":\"${b#/dev/}p1\",\"number\":1,\"start\":1048576,\"bytes\":104857600" \
			"\"on\":\"${b#/dev/}p1\",\"type\":\"ext4\"" '"label":"inner"'
		say $? "what is on its partitions is seen"
		mkdir "$dir/m2"
		if mount "${b}p1" "$dir/m2"; then
			fact "$b" '"state":"busy"' "\"on\":\"${b#/dev/}p1\",\"kind\":\"mount\""
			say $? "a mounted partition makes the disk busy"
			umount "$dir/m2"
		fi
	else
		echo "skip - the kernel shows no partitions of loop devices"
	fi
fi

if command -v mkfs.btrfs >/dev/null; then
	attach c 300M
	c=$loop
	attach d 300M
	d=$loop
	mkfs.btrfs -q -f -L pair "$c" "$d" >/dev/null
	mkdir "$dir/m3"
	if mount -t btrfs -o device="$d" "$c" "$dir/m3" 2>/dev/null; then
		fact "$c" '"state":"busy"' && fact "$d" '"state":"busy"' && {
			fact "$c" '"kind":"btrfs"' || fact "$d" '"kind":"btrfs"'; } >/dev/null
		say $? "both devices of a mounted btrfs are busy (C38)"
		umount "$dir/m3"
	else
		echo "skip - btrfs cannot be mounted here"
	fi
fi

if command -v mkswap >/dev/null; then
	attach e 64M
	mkswap -q "$loop" 2>/dev/null
	if swapon "$loop" 2>/dev/null; then
		fact "$loop" '"state":"busy"' '"kind":"swap"' '"system":true'
		say $? "swap is busy and the system's"
		swapoff "$loop"
	else
		echo "skip - swap cannot be used here"
	fi
fi
if command -v wipefs >/dev/null && command -v xz >/dev/null; then
	"${srcdir:-.}/tests/detect/mk-input.sh" "$dir/here" >/dev/null 2>&1 && mkdir "$dir/root" &&
		tar -xJf "$dir/here.tar.xz" -C "$dir/root" &&
		./naslab disks --root "$dir/root" | sed '$d' | awk '!/^loop/ { print $1 }' >"$dir/recorded" &&
		./naslab disks | sed '$d' | awk '!/^loop/ { print $1 }' | diff "$dir/recorded" -
	say $? "a recording of this machine has its disks"
fi
exit $failed
