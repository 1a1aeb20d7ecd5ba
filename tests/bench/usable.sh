#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How long a build took, of a real one on a loop device: out of its journal, shown by status,
# kept once as results in seconds, and held against a clock of our own.
# shellcheck disable=SC2317	# the functions are called by check() and the trap
set -uo pipefail
src=${srcdir:-.}
skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" = 0 ] || skip "needs root"
for tool in losetup mkfs.btrfs; do
	command -v $tool >/dev/null || skip "there is no $tool"
done
# shellcheck source=tests/bench/lib.sh
. "${srcdir:-.}/tests/bench/lib.sh"
tmp=$(mktemp -d -p /var/tmp)
export NASLAB_LOOP=1 NASLAB_DB=$tmp/db NASLAB_WORKLOADS=$src/workloads
build=usable$$
loop=
clean() {
	./naslab destroy "$build" --yes >/dev/null 2>&1 </dev/null
	[ -z "$loop" ] || losetup -d "$loop"
	rm -rf "$tmp"
}
trap clean EXIT
trap 'exit 1' INT TERM
truncate -s 2G "$tmp/disk"
loop=$(losetup -f --show "$tmp/disk" 2>/dev/null) || skip "no loop device is to be had"

now() { date +%s%N; }
status() { ./naslab status "$build" --json | sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p"; }
kept() { ./naslab results list --json | tr '{' '\n' | grep -c '"op":"build"'; }
w15() { ./naslab bench "$build" --workload W15 >"$tmp/out" 2>&1; }
refuses() {
	local want=$1 says=$2 got
	shift 2
	"$@" >"$tmp/out" 2>&1
	got=$?
	[ "$got" = "$want" ] && grep -qF -- "$says" "$tmp/out"
}

before=$(now)
./naslab build "btrfs data=single" "$loop" --name "$build" --yes >"$tmp/out" 2>&1 </dev/null ||
	skip "btrfs cannot be built here: $(tail -n 1 "$tmp/out")"
took=$(($(now) - before))
usable=$(status usable_ns)
format=$(status format_ns)
idle=$(status idle_ns)
echo "# the build took $took ns, usable after $usable, file systems $format, idle after $idle"
check "usable is known" [ "${usable:-0}" -gt 0 ]
check "and not longer than our clock" [ "${usable:-0}" -le "$took" ]
part() { [ "${format:-0}" -gt 0 ] && [ "$format" -le "$usable" ]; }
check "making the file system is a part of it" part
check "nothing went on afterwards" [ "${idle:-0}" -ge "$usable" ]
check "which was seen before the build said it was done" [ "${idle:-0}" -le "$took" ]
check "the suite says it" w15
check "in words" grep -q "^usable after .* making file systems; idle after " "$tmp/out"
check "three results are kept" [ "$(kept)" = 3 ]
check "asked again" w15
check "still three" [ "$(kept)" = 3 ]
seconds=$(./naslab results list --json | tr '{' '\n' | grep '"class":"usable"' |
	sed 's/.*"median_rate":\([0-9.e-]*\).*/\1/')
check "in seconds" awk -v s="$seconds" -v ns="$usable" 'BEGIN { exit !(s > ns / 1e9 * 0.999 && s < ns / 1e9 * 1.001) }'
check "a folder has no such times" refuses 2 "is no build" ./naslab bench "$tmp" --workload W15
exit $bad
