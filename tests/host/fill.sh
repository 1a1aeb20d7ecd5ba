#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fill.sh - what the plan says can be written really can, on the kernel this runs on.
#
# Unequal sets of sparse files become loop devices, naslab builds btrfs or mergerfs on them,
# and files are allocated until nothing more fits. The sum must be within 1 % of what the plan
# said, never counting on statvfs. Then it is destroyed, and the devices are blank. Skipped
# where loop devices or a file system are missing. Detaches exactly what it attached.
set -u
PATH=$PATH:/usr/sbin:/sbin
[ "$(id -u)" = 0 ] || { echo "skip - needs root"; exit 77; }
for tool in losetup fallocate mkfs.btrfs btrfs jq; do
	command -v $tool >/dev/null || { echo "skip - $tool is not installed"; exit 77; }
done
dir=$(mktemp -d) || exit 99
export NASLAB_LOOP=1 NASLAB_DB=$dir/naslab.db LC_ALL=C
loops=() built='' failed=0 done=0 n=0

# shellcheck disable=SC2317	# called by trap
clean() {
	[ -z "$built" ] || ./naslab destroy "$built" --yes >/dev/null 2>&1 </dev/null
	for l in "${loops[@]}"; do losetup -d "$l"; done
	rm -rf "$dir"
}
trap clean EXIT
trap 'exit 1' INT TERM HUP

# attach MIB...: one loop device each, in $loops
attach() {
	local size loop
	for size; do
		n=$((n + 1))
		truncate -s "${size}M" "$dir/$n" || return 1
		loop=$(losetup -f --show "$dir/$n" 2>&1) ||
			{ echo "skip - no loop device: $loop"; exit 77; }
		loops+=("$loop")
	done
}

detach() {
	local l
	for l in "${loops[@]}"; do losetup -d "$l"; done
	loops=()
	rm -f "$dir"/[0-9]*
}

# fill FOLDER MIB: files of that size, then ever smaller ones, until none of 1 MiB fits;
# prints the bytes that they have
fill() {
	local size=$2 i=0
	while [ "$size" -ge 1 ]; do
		while fallocate -l "${size}M" "$1/f$i" 2>/dev/null; do i=$((i + 1)); done
		rm -f "$1/f$i"
		size=$((size / 4))
	done
	stat -c %s "$1"/f* | awk '{ s += $1 } END { printf "%.0f\n", s }'
}

# try LAYOUT FIELD MIB...: FIELD of the plan is what can be written
try() {
	local layout=$1 field=$2 name said filled
	shift 2
	attach "$@"
	name=fill$n
	said=$(./naslab plan "$layout" "${loops[@]}" --name "$name" --json | jq "$field") || said=0
	built=$name
	if ! ./naslab build "$layout" "${loops[@]}" --name "$name" --yes >"$dir/out" 2>&1 </dev/null; then
		built=
		echo "not ok - $layout over $* MiB is not built: $(tail -1 "$dir/out")"
		failed=1
		detach
		return
	fi
	filled=$(fill "/srv/$name" 1024)
	if awk -v s="$said" -v f="$filled" \
		'BEGIN { d = (f - s) / s * 100; printf "%+.2f %% ", d; exit !(d <= 1 && d >= -1) }'; then
		echo "ok - $layout over $* MiB: said $said, filled $filled"
	else
		echo "not ok - $layout over $* MiB: said $said, filled $filled"
		failed=1
	fi
	done=$((done + 1))
	rm -f "/srv/$name"/f*
	if ! ./naslab destroy "$name" --yes >"$dir/out" 2>&1 </dev/null || ! grep -q 'are blank\|is blank' "$dir/out"; then
		echo "not ok - $layout over $* MiB is not destroyed: $(tail -1 "$dir/out")"
		failed=1
	fi
	built=
	detach
}

modprobe -q btrfs 2>/dev/null
if grep -qw btrfs /proc/filesystems; then
	try 'btrfs data=raid0 metadata=raid1' .usable_bytes 2048 6144
	try 'btrfs data=raid1 metadata=raid1' .usable_bytes 8192 4096
	try 'btrfs data=raid1 metadata=raid1' .usable_bytes 14336 14336 12288
	try 'btrfs data=raid1 metadata=raid1' .usable_bytes 8192 4096 2048 2048
	try 'btrfs data=raid10 metadata=raid1' .usable_bytes 8192 4096 2048 2048
	try 'btrfs data=raid5 metadata=raid1' .usable_bytes 3072 3072 5120 5120 10240 10240
	try 'btrfs data=raid6 metadata=raid1c3' .usable_bytes 3072 3072 5120 5120 10240 10240
	try 'btrfs data=raid1c3 metadata=raid1c3' .usable_bytes 8192 8192 6144 3072
	try 'btrfs data=single metadata=raid1' .usable_bytes 2048 7168
else
	echo "skip - the kernel knows no btrfs"
fi
modprobe -q fuse 2>/dev/null
modprobe -q xfs 2>/dev/null
if command -v mergerfs >/dev/null && command -v mkfs.xfs >/dev/null &&
   grep -qw xfs /proc/filesystems && [ -c /dev/fuse ]; then
	top='[.filesystems[] | select(.type == "mergerfs")][0].avail_bytes'
	try 'xfs | mergerfs minfreespace=1M' "$top" 2048 4096 1024
	try 'xfs | mergerfs minfreespace=1M create=ff' "$top" 1536 3072
else
	echo "skip - mergerfs or xfs is missing"
fi
[ "$done" -gt 0 ] || { echo "skip - nothing to fill here"; exit 77; }
exit $failed
