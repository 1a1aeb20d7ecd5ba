#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# naslab selftest: its lines with numbers in them, nothing left behind, and one sentence for
# a place that is none.
set -uo pipefail
export NASLAB_WORKLOADS=${srcdir:-.}/workloads LC_ALL=C
bad=0
check() {
	local name=$1
	shift
	if "$@"; then echo "ok $name"; else echo "not ok $name"; bad=1; fi
}
tmp=$(mktemp -d -p /var/tmp)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/dir"
./naslab selftest "$tmp/dir" >"$tmp/out" 2>"$tmp/err"
rc=$?
check "it ends well $(cat "$tmp/err")" test "$rc$(wc -c <"$tmp/err")" = 00
check "the clock" grep -Eq '^clock     smallest step [0-9.]+ [nu]s, one look [0-9.]+ [nu]s$' "$tmp/out"
check "the engine" grep -Eq '^engine    (15 repeats of 50 MB into memory: median [0-9.]+[kM]? MB/s, spread \(CV\) [0-9.]+ %|no /dev/shm)' "$tmp/out"
check "the counters" grep -Eq '^counters  (50\.0 MB of files in .*: [0-9.]+ MB at the disks|.* lies on no disk)' "$tmp/out"
check "the machine" grep -Eq '^machine   (yes|no ) md arrays$' "$tmp/out"
check "nothing is left" test -z "$(ls -A "$tmp/dir")"
./naslab selftest "$tmp/none" >"$tmp/out" 2>"$tmp/err"
rc=$?
check "no such directory fails" test "$rc" = 1
check "in one sentence" test "$(wc -l <"$tmp/err")" = 1
# shellcheck disable=SC2317	# check calls it
# COUNT KEY: so many numbers of that name in the JSON
numbers() { [ "$(grep -Eo "\"$2\":-?[0-9.e-]+" "$tmp/out" | wc -l)" = "$1" ]; }
./naslab selftest --json "$tmp/dir" >"$tmp/out" 2>"$tmp/err"
rc=$?
check "as JSON it ends well $(cat "$tmp/err")" test "$rc$(wc -c <"$tmp/err")$(wc -l <"$tmp/out")" = 001
check "with the clock" numbers 1 step_ns
check "with what files and disks moved" numbers 1 file_bytes
check "and the end" grep -q '"ok":true}$' "$tmp/out"
./naslab selftest --observer --pairs 2 --json >"$tmp/out" 2>"$tmp/err"
rc=$?
check "the live plot is compared $(cat "$tmp/err")" test "$rc" = 0
check "in pairs" grep -q '"pairs":2,' "$tmp/out"
check "with a ratio and what it took" eval 'numbers 1 ratio && numbers 1 cpu_share'
check "two pairs have no interval of 95 %" numbers 0 low
./naslab selftest --pairs 2 >/dev/null 2>&1
check "pairs without an observer" test $? = 2
./naslab selftest one two >/dev/null 2>&1
rc=$?
check "two directories are one too many" test "$rc" = 2
exit $bad
