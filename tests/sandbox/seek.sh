#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# seek - disks with an arm: what jumps takes seek= on the average, what goes on takes rate=
# alone, and two disks move at the same time. fio measures it, not we.
# shellcheck source=tests/sandbox/lib.sh disable=SC2016
. "${srcdir:-.}/tests/sandbox/lib.sh"
command -v fio >/dev/null || { echo "skip - fio is not installed"; exit 77; }

box --disk hdd:8G,seek=8ms,rate=60MB --disk hdd:8G,seek=8ms --disk ssd:8G -- sh -c '
	f() { fio --direct=1 --runtime=4 --time_based --ioengine=psync --output-format=terse \
		--terse-version=3 --thread --gtod_reduce=1 "$@" | grep "^3;"; }
	for d in a b c; do f --name=jump-$d --filename=/dev/ubd$d --rw=randread --bs=4k; done
	f --name=on-a --filename=/dev/ubda --rw=read --bs=1M
	f --name=both-a --filename=/dev/ubda --rw=randread --bs=4k \
		--name=both-b --filename=/dev/ubdb --rw=randread --bs=4k' </dev/null
is "fio ran" "$? $(cat "$errors")" "0 "
# NAME FIELD: 7 is KiB/s read, 8 reads a second
field() { awk -F';' -v name="$1" -v at="$2" '$3 == name { print $at }' "$out"; }
between() { awk -v v="$1" -v a="$2" -v b="$3" 'BEGIN { print (v >= a && v <= b) ? "yes" : v }'; }

# a busy host wakes the kernel late, so there may be fewer, but not more
is "8 ms a jump are 125 a second at most" "$(between "$(field jump-a 8)" 40 130)" yes
is "on the other one too" "$(between "$(field jump-b 8)" 40 130)" yes
is "without an arm there are far more" "$(between "$(field jump-c 8)" 400 1e9)" yes
# 8 ms before each 127 KiB, the most this kernel asks for at once, would be 15 MB/s
is "what goes on is read at up to 60 MB/s" "$(between "$(field on-a 7)" 20000 66000)" yes
is "two arms move at the same time" \
	"$(between "$((100 * ($(field both-a 8) + $(field both-b 8)) / $(field jump-a 8)))" 130 330)" yes
[ $failed = 0 ] || cut -d';' -f3,7,8 "$out"
holds "nothing is left" nothing_left
finish
