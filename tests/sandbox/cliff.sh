#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cliff - in 192 MB of memory and with a disk of 30 MB/s: what fits the page cache is measured
# fast and flagged, what does not is measured at the speed of the disk, and the chart shows
# both. Then, on a disk without a limit, the same cliff with a memory limit for the engine
# (control groups of the second version), which leaves no group behind.
# shellcheck source=tests/sandbox/lib.sh disable=SC2016
. "${srcdir:-.}/tests/sandbox/lib.sh"
command -v mkfs.ext4 >/dev/null || { echo "skip - mkfs.ext4 is not installed"; exit 77; }

memory=192M box --disk hdd:4G,rate=30MB --disk hdd:4G -- sh -c '
	mkdir /mnt/slow /mnt/fast
	for d in a/slow b/fast; do
		mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 -O ^has_journal /dev/ubd${d%/*} &&
		mount /dev/ubd${d%/*} /mnt/${d#*/} || exit 9
	done
	naslab bench /mnt/slow --workload 500M --workload 1G --workload 2G --workload 12G \
		--scale 0.02 --reps 1 --cache as-is || exit 8
	echo ==
	naslab results export csv
	echo ==
	for ram in "" "--ram 48M"; do
		naslab bench /mnt/fast --workload 500M --scale 0.14 --reps 1 --cache as-is $ram \
			--json || exit 7
	done
	echo ==
	find /sys/fs/cgroup -name "naslab-bench-*"
	echo ==
	naslab results show 12' </dev/null
is "it is measured" "$? $(cat "$errors")" "0 "

part() { awk -v n="$1" '/^==$/ { n--; next } n == 1' "$out"; }
# CLASS OP COLUMN of the CSV
value() {
	part 2 | tr -d '\r' | awk -F, -v class="$1" -v op="$2" -v title="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["class"] == class && $at["op"] == op { print $at[title] }'
}
between() { awk -v v="$1" -v a="$2" -v b="$3" 'BEGIN { print (v >= a && v <= b) ? "yes" : v }'; }

is "12G, 240 MB, is written near 30 MB/s" "$(between "$(value 12G write durable_bps)" 25e6 36e6)" yes
is "and read near 30 MB/s" "$(between "$(value 12G read bps)" 25e6 36e6)" yes
is "neither with a flag" "$(value 12G write flags)$(value 12G read flags)" ""
is "500M, 10 MB, is written faster than the disk" "$(between "$(value 500M write bps)" 60e6 1e12)" yes
is "and flagged" "$(value 500M write flags | tr ' ' '\n' | grep -cx cached)" 1
is "its second reading comes from memory" "$(between "$(value 500M read disk_bytes)" 0 1000000)" yes
is "and is flagged" "$(value 500M read flags | tr ' ' '\n' | grep -cx -e cached -e above)" 2
is "all is simulated" "$(value 12G write simulated)" yes
holds "the chart marks the class that fits" grep -Eq '^500M +w .*P' "$out"
is "and not the one that does not" "$(grep -E '^12G +w ' "$out" | sed 's/.* [0-9.]* //')" n

flags() { part 3 | grep '"event":"result"' | grep '"op":"read"' | sed -n "$1s/.*\"flags\":\(\[[^]]*\]\).*/\1/p"; }
is "70 MB are read from memory" "$(flags 1 | grep -c cached)" 1
is "not with 48 MiB of memory" "$(flags 2 | grep -c cached)" 0
is "no control group is left" "$(part 4)" ""
holds "the limit is said" grep -q 'memory  limited to 48.0 MiB' "$out"
holds "and in the picture" grep -q 'm in 48.0 MiB of memory' "$out"
[ $failed = 0 ] || cat "$out"
holds "nothing is left" nothing_left
finish
