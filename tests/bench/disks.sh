#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The bytes at the disks beside the bytes of the files, where the truth is known: what is
# read cold comes from the disk once, what is read warm not at all, and btrfs raid1 writes
# everything twice. On loop devices of its own, so it needs root.
# shellcheck disable=SC2317,SC2001	# clean() is called by the trap; sed reads better here
set -uo pipefail
src=${srcdir:-.}
export NASLAB_WORKLOADS=$src/workloads
skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" = 0 ] || skip "needs root"
for tool in losetup mkfs.ext4 mkfs.btrfs mount; do
	command -v $tool >/dev/null || skip "there is no $tool"
done
bad=0
tmp=$(mktemp -d -p /var/tmp)
loops=()
clean() {
	local at
	for at in over pool mnt; do
		! mountpoint -q "$tmp/$at" || umount "$tmp/$at"
	done
	[ ${#loops[@]} = 0 ] || losetup -d "${loops[@]}"
	rm -rf "$tmp"
}
trap clean EXIT
trap 'exit 1' INT TERM
mkdir "$tmp/mnt"
for i in 1 2; do
	truncate -s 400M "$tmp/disk$i"
	loop=$(losetup -f --show "$tmp/disk$i" 2>/dev/null) || skip "no loop device is to be had"
	loops+=("$loop")
done

# How often anybody has dropped the page cache since the machine started.
dropped() { sed -n 's/^drop_pagecache //p' /proc/vmstat; }

# OP CACHE LEAST MOST: the ratio of bytes at the disks to bytes of files, in percent.
try() {
	local line ratio drops turn
	# another test that reads cold drops the whole machine's cache: that run was not warm
	for turn in 1 2 3 4 5 6 7 8 9 10; do
		drops=$(dropped)
		line=$(./naslab bench "$on" --db "$tmp/db" --workload 500M --scale 0.1 --reps 1 \
			--op "$1" --cache "$2" --json | grep '"event":"run"')
		if [ "$2" != warm ] || [ "$drops" = "$(dropped)" ]; then
			break
		fi
		echo "# $fs $1 $2, turn $turn: the cache was dropped meanwhile"
	done
	ratio=$(sed 's/.*"bytes":\([0-9]*\).*"disk_bytes":\([0-9]*\).*/\1 \2/' <<<"$line" |
		awk '{ print int($2 * 100 / $1 + 0.5) }')
	if [ "${ratio:-none}" != none ] && [ "$ratio" -ge "$3" ] && [ "$ratio" -le "$4" ]; then
		echo "ok $fs $1 $2: $ratio %"
	else
		echo "not ok $fs $1 $2: ${ratio:-nothing} % is not from $3 to $4: $line"
		bad=1
	fi
	cached=$(grep -c '"cached"' <<<"$line")
}
is() {
	if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1"; bad=1; fi
}

on=$tmp/mnt
fs=ext4
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "${loops[0]}" || skip "no ext4"
mount "${loops[0]}" "$tmp/mnt" || skip "ext4 cannot be mounted"
try write as-is 100 115
try read cold 99 110
is "$fs read cold is no cache" "$cached" 0
try read warm 0 2
is "$fs read warm is flagged" "$cached" 1
is "$fs nothing is left" "$(ls "$tmp/mnt" -A)" "lost+found"

# The same disk below an overlay, and below a mergerfs.
fs=overlay
mkdir "$tmp/mnt/up" "$tmp/mnt/work" "$tmp/low" "$tmp/over"
mkdir "$tmp/mnt/branch" "$tmp/pool"
if mount -t overlay -o "lowerdir=$tmp/low,upperdir=$tmp/mnt/up,workdir=$tmp/mnt/work" overlay "$tmp/over"; then
	on=$tmp/over
	try write as-is 100 115
	umount "$tmp/over"
else
	echo "skip overlay: it cannot be mounted here"
fi
fs=mergerfs
if command -v mergerfs >/dev/null && mergerfs -o minfreespace=1M "$tmp/mnt/branch" "$tmp/pool" 2>/dev/null; then
	on=$tmp/pool
	try write as-is 100 115
	try read cold 99 110
	umount "$tmp/pool"
	mergerfs -o minfreespace=1T "$tmp/mnt/branch" "$tmp/pool"
	./naslab bench "$tmp/pool" --db "$tmp/db" --workload 500M --scale 0.1 --reps 1 >/dev/null 2>"$tmp/err"
	is "no branch with its minfreespace fails" $? 1
	is "and says so: $(cat "$tmp/err")" "$(grep -c 'has its minfreespace left, 1099511627776$' "$tmp/err")" 1
	umount "$tmp/pool"
else
	echo "skip mergerfs: it is not here"
fi
on=$tmp/mnt
umount "$tmp/mnt"

fs=btrfs-raid1
mkfs.btrfs -q -f -d raid1 -m raid1 "${loops[@]}" >/dev/null 2>&1 || skip "no btrfs"
mount "${loops[0]}" "$tmp/mnt" || skip "btrfs cannot be mounted"
try write as-is 200 230
try read cold 99 110
try read warm 0 2
is "$fs nothing is left" "$(ls "$tmp/mnt" -A)" ""
exit $bad
