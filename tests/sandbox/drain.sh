#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# drain - over a write-back cache what was written is read twice: at once, while the cache is
# dirty, and marked so; and when the cache has emptied, without that mark. The same layout
# without a cache is read once.
# shellcheck source=tests/sandbox/lib.sh disable=SC2016
. "${srcdir:-.}/tests/sandbox/lib.sh"
for tool in mkfs.xfs lvcreate cache_check; do
	command -v $tool >/dev/null || { echo "skip - $tool is not installed"; exit 77; }
done

box --disk hdd:1G,rate=40MB --disk hdd:1G,rate=40MB --disk ssd:600M -- sh -c '
	bench() { naslab bench t --workload small-photo --scale 0.05 --reps 1 --json; }
	naslab build "lvm | lvmcache mode=writeback | xfs" ubda ubdb --cache ubdc --name t --yes \
		>/dev/null && bench && naslab destroy t --yes >/dev/null || exit 9
	echo ==
	naslab build "lvm | xfs" ubda ubdb --name t --yes >/dev/null && bench' </dev/null
is "it is measured" "$? $(cat "$errors")" "0 "

part() { awk -v n="$1" '/^==$/ { n--; next } n == 1' "$out" | grep '"event":"run"'; }
ops() { part "$1" | sed 's/.*"op":"\([a-z-]*\)".*/\1/' | tr '\n' ' '; }
marked() { part 1 | grep "\"op\":\"$1\"" | grep -c '"cachefull"'; }

is "written, read dirty, read" "$(ops 1)" "write read-dirty read "
is "the dirty reading is marked" "$(marked read-dirty)" 1
is "the other is not" "$(marked read)" 0
is "without a cache it is read once" "$(ops 2)" "write read "
finish
