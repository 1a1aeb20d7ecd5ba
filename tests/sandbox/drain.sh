#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# drain - over a write-back cache what was written is read twice: at once, while the cache is
# dirty, and marked so; and when the cache has emptied, without that mark. The same layout
# without a cache is read once. There it is also read cold by unmounting it, which a folder that
# naslab did not mount, and one that is in use, are spared.
# shellcheck source=tests/sandbox/lib.sh disable=SC2016
. "${srcdir:-.}/tests/sandbox/lib.sh"
for tool in mkfs.xfs lvcreate cache_check; do
	command -v $tool >/dev/null || { echo "skip - $tool is not installed"; exit 77; }
done

limit=240 box --disk hdd:1G,rate=40MB --disk hdd:1G,rate=40MB --disk ssd:600M -- sh -c '
	bench() { naslab bench t --workload small-photo --scale 0.05 --reps 1 --json "$@"; }
	naslab build "lvm | lvmcache mode=writeback | xfs" ubda ubdb --cache ubdc --name t --yes \
		>/dev/null && bench && naslab destroy t --yes >/dev/null || exit 9
	echo ==
	naslab build "lvm | xfs" ubda ubdb --name t --yes >/dev/null && bench || exit 8
	grep " /srv/t " /proc/self/mountinfo | cut -d" " -f5- >/tmp/before
	echo ==
	bench --cache cold:remount || exit 7
	grep " /srv/t " /proc/self/mountinfo | cut -d" " -f5- | diff /tmp/before - || exit 6
	echo ==
	naslab bench /srv/t/ --workload small-photo --scale 0.05 --reps 1 --cache cold:export 2>&1
	echo "$?"
	mkdir /srv/other && mount -t tmpfs none /srv/other
	naslab bench /srv/other/ --workload small-photo --scale 0.05 --reps 1 --cache cold:remount 2>&1
	echo "$?"
	cd /srv/t && bench --cache cold:remount 2>&1 >/dev/null
	echo "$?"
	find /srv/t /srv/other -mindepth 1' </dev/null
is "it is measured" "$? $(cat "$errors")" "0 "

part() { awk -v n="$1" '/^==$/ { n--; next } n == 1' "$out" | grep '"event":"run"'; }
ops() { part "$1" | sed 's/.*"op":"\([a-z-]*\)".*/\1/' | tr '\n' ' '; }
marked() { part 1 | grep "\"op\":\"$1\"" | grep -c '"cachefull"'; }

is "written, read dirty, read" "$(ops 1)" "write read-dirty read "
is "the dirty reading is marked" "$(marked read-dirty)" 1
is "the other is not" "$(marked read)" 0
is "without a cache it is read once" "$(ops 2)" "write read "

number() { part 3 | grep '"op":"read"' | sed "s/.*\"$1\":\([0-9]*\).*/\1/"; }
is "a reading says that it was cold by a mount" "$(part 3 | grep -c '"op":"read".*"cache":"cold:remount"')" 1
is "and the disks moved all of it" "$(($(number disk_read_bytes) >= $(number bytes)))" 1
part() { awk -v n="$1" '/^==$/ { n--; next } n == 1' "$out"; }
is "reading twice was said before" "$(part 1 | sed -n '/"event":"begin"/s/.*"runs":\([0-9]*\).*/\1/p')" 3
is "with its bytes" "$(part 1 | awk -F'"(write|read)_bytes":' '/"event":"begin"/ { print ($3 + 0) / ($2 + 0) }')" 2
is "what is no pool is not exported" "$(part 4 | sed -n 1,2p)" \
	"naslab: /srv/t: cold:export exports a pool of ZFS, and this is none; cold or cold:remount does
3"
is "what naslab did not mount stays" "$(part 4 | sed -n 3,4p)" \
	"naslab: /srv/other: cold:remount takes away only what naslab mounted as a build of one file system, and none on /srv/other is not; cold leaves it where it is
3"
holds "what is in use stays" grep -q 'naslab: /srv/t for a cold reading: .*busy' "$out"
is "with its status, and nothing is left" "$(part 4 | tail -n +6)" 1
finish
