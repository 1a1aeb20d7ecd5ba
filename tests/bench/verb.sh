#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# naslab bench and results as a user meets them: what is said, the exit status, what is
# kept, and above all that no file is left in the target, whatever ends the run.
# shellcheck disable=SC2317	# the functions are called by check()
set -uo pipefail
src=${srcdir:-.}
export NASLAB_WORKLOADS=$src/workloads
# shellcheck source=tests/bench/lib.sh
. "${srcdir:-.}/tests/bench/lib.sh"
tmp=$(mktemp -d)
trap 'end_background; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
export NASLAB_DB=$tmp/naslab.db
dir=$tmp/target
mkdir "$dir"

empty() { [ -z "$(ls -A "$dir")" ]; }
# STATUS SENTENCE WORD...: this fails so
refuses() {
	local want=$1 says=$2 got
	shift 2
	./naslab "$@" >"$tmp/out" 2>&1
	got=$?
	[ "$got" = "$want" ] && grep -qF -- "$says" "$tmp/out"
}
left_something() { ! empty; }
draws() {
	./naslab bench "$dir" --workload 500M --scale 0.002 --reps 2 >"$tmp/out" 2>&1 &&
		grep -q '^500M  *w .* [0-9.]*[kM]*-[0-9.]*[kM]*' "$tmp/out"
}
exports() {
	./naslab results export csv --out "$tmp/runs.csv" && grep -q felt_ns "$tmp/runs.csv"
}
shows() { ./naslab results show 1 >"$tmp/out" && grep -q small- "$tmp/out"; }
bad_file() {
	NASLAB_WORKLOADS="$tmp/bad" refuses 2 'x.workload line 2: fileset has no "sise"; did you mean "size"?' \
		bench "$dir" --workload x
}
gone() { ! kill -0 "$1" 2>/dev/null; }
one_is_done() { grep -q '"event":"run"' "$tmp/events"; }
# Start what lasts; its process is $verb, its executor $executor, and one run is done.
start() {
	: >"$tmp/events"
	./naslab bench "$dir" --workload 2G --scale 0.05 --reps 1000 --json >"$tmp/events" 2>"$tmp/out" &
	verb=$!
	until_true one_is_done || return 1
	executor=$(sed 's/.*"pid":\([0-9]*\).*/\1/' "$dir"/.naslab-bench-*/manifest)
}
one_run() {
	./naslab bench "$dir" --workload 500M --scale 0.002 --reps 1 --json >"$tmp/out" 2>&1
}

# A run to its end.
./naslab bench "$dir" --workload small-photo --workload small-text --scale 0.005 --reps 2 \
	--json >"$tmp/events" 2>"$tmp/out"
check "measures" [ $? = 0 ]
check "one result for each class and operation" \
	[ "$(grep -c '"event":"result"' "$tmp/events")" = 4 ]
check "one run for each repetition" [ "$(grep -c '"event":"run"' "$tmp/events")" = 8 ]
check "few runs are flagged" [ "$(grep '"event":"result"' "$tmp/events" | grep -c '"few"')" = 4 ]
check "what was read first is compared" [ "$(grep -c '"verified":true' "$tmp/events")" = 2 ]
check "ends" grep -q '"event":"end".*"ok":true' "$tmp/events"
check "leaves nothing" empty
check "draws bars" draws
check "lists results" [ "$(./naslab results list --json | tr '}' '\n' | grep -c '"median_bps"')" = 6 ]
check "shows a result" shows
check "exports a line for each run" [ "$(./naslab results export csv | grep -c '^[0-9]')" = 12 ]
check "exports to a file" exports

# Bad input: one sentence, the right status, nothing left.
check "no directory" refuses 1 "is not a directory" bench /proc/version
check "no such directory" refuses 1 "cannot find ./nosuch" bench ./nosuch
check "what a name holds does not reach the terminal" refuses 1 'cannot find ./a\x1b[31mb' \
	bench $'./a\e[31mb'
check "no such build" refuses 2 'nothing is built under the name "nosuch"' bench nosuch
check "no such class" refuses 2 'did you mean "500M"' bench "$dir" --workload 500N
check "too large" refuses 3 "is free; a smaller --scale needs less" bench "$dir" --workload 12G \
	--scale 1000
check "no repetitions" refuses 2 "from 1 to 1000" bench "$dir" --reps 0
check "no scale" refuses 2 "--scale is a number" bench "$dir" --scale 0
check "no cache state" refuses 2 "cold:export, warm or as-is" bench "$dir" --cache hot
check "a directory is not unmounted" refuses 3 "cold:" bench "$dir" --cache cold:remount
check "no operation" refuses 2 "--op is write or read" bench "$dir" --op copy
check "no result" refuses 1 "there is no result 99" results show 99
check "refusals leave nothing" empty
mkdir "$tmp/bad"
printf 'op copy-in\nfileset size=1M sise=1\n' >"$tmp/bad/x.workload"
check "a bad workload file names its line" bad_file

# Suites: taken like a class, their rule below what is said beside.
cp -r "$NASLAB_WORKLOADS" "$tmp/own"
printf 'title Two\nworkload 500M small-photo\nreps 1\nscale 0.002\n' >"$tmp/own/two.suite"
suite() { NASLAB_WORKLOADS="$tmp/own" ./naslab bench "$dir" --workload two --json "$@" >"$tmp/out" 2>&1; }
check "a suite is measured" suite
check "with its repetitions" [ "$(grep -c '"event":"run"' "$tmp/out")" = 4 ]
check "and its name is kept" [ "$(grep '"event":"result"' "$tmp/out" | grep -c '"suite":"two"')" = 4 ]
check "what is said goes before its rule" suite --reps 2 --op write
check "so two runs a class" [ "$(grep -c '"event":"run"' "$tmp/out")" = 4 ]
printf 'workload 500M\nworkload ring\n' >"$tmp/own/ring.suite"
ring() { NASLAB_WORKLOADS="$tmp/own" refuses 2 "ring.suite line 2: ring names itself" "$@"; }
check "a ring of suites is one sentence" ring bench "$dir" --workload ring
check "in the list too" ring workloads
rm "$tmp/own/ring.suite"
lists() {
	NASLAB_WORKLOADS="$tmp/own" ./naslab workloads --json >"$tmp/out" &&
		grep -q '"name": *"two"' "$tmp/out" && grep -q '"name": *"small-text"' "$tmp/out"
}
check "suites and classes are listed" lists

# The other engine: said in every result, never compared with ours.
if command -v rsync >/dev/null && [ -w /dev/shm ]; then
	shm() { find /dev/shm -maxdepth 1 -name '.naslab-bench-*' | wc -l; }
	before=$(shm)
	rsync_copies() {
		./naslab bench "$dir" --workload small-photo --scale 0.005 --reps 1 --engine rsync \
			--json >"$tmp/out" 2>&1
	}
	apart() {
		./naslab bench "$dir" --workload small-photo --scale 0.005 --reps 1 >/dev/null &&
			./naslab results list --json | tr '{' '\n' | grep '"small-photo"' | grep '"op":"read"' |
			sed 's/.*"id":\([0-9]*\).*/\1/' | tail -n 2 >"$tmp/ids" &&
			xargs ./naslab results compare <"$tmp/ids" >"$tmp/out" && grep -q "other engine" "$tmp/out"
	}
	check "rsync copies" rsync_copies
	check "which every result says" [ "$(grep -c '"event":"result".*"engine":"rsync"' "$tmp/out")" = 2 ]
	check "what it copied is compared" grep -q '"op":"read".*"verified":true' "$tmp/out"
	check "it leaves nothing" empty
	check "nor in memory" [ "$(shm)" = "$before" ]
	check "and has no ratio to ours" apart
	rsync_killed() {
		: >"$tmp/events"
		./naslab bench "$dir" --workload 2G --scale 0.05 --reps 1000 --engine rsync --json \
			>"$tmp/events" 2>"$tmp/out" &
		verb=$!
		until_true one_is_done || return 1
		executor=$(sed 's/.*"pid":\([0-9]*\).*/\1/' "$dir"/.naslab-bench-*/manifest)
		kill -KILL "$executor"
		wait "$verb"
		[ "$(shm)" -gt "$before" ]
	}
	check "killed, it leaves its files in memory" rsync_killed
	check "the next run is one of naslab's" one_run
	check "which clears them" [ "$(shm)" = "$before" ]
	check "and the target" empty
	check "it does nothing else" refuses 2 "rsync only copies, it cannot rewrite" \
		bench "$dir" --workload block-4k --engine rsync
fi
check "no such engine" refuses 2 'the engine is naslab or rsync, not "tar"' bench "$dir" --engine tar

# Whatever ends it. Under nohup SIGHUP is meant to end nothing.
signals="INT TERM HUP"
case $(sed -n 's/^SigIgn:.*\(.\)$/\1/p' /proc/$$/status) in
[13579bdf])
	echo "skip - SIGHUP is ignored here"
	signals="INT TERM"
	;;
esac
for signal in $signals; do
	start
	kill -"$signal" "$verb"
	wait "$verb"
	check "SIG$signal ends with 1" [ $? = 1 ]
	check "SIG$signal is said" grep -q "naslab: stopped" "$tmp/out"
	check "SIG$signal leaves nothing" empty
	check "SIG$signal keeps what was measured" grep -q '"partial"' "$tmp/events"
done

# Who reads a pipe leaves.
./naslab bench "$dir" --workload 2G --scale 0.05 --reps 1000 --json 2>"$tmp/out" | {
	grep -m 1 '"event":"run"' >/dev/null
	sed 's/.*"pid":\([0-9]*\).*/\1/' "$dir"/.naslab-bench-*/manifest >"$tmp/pid"
}
executor=$(cat "$tmp/pid")
check "without a reader it ends" until_true gone "$executor"
check "and leaves nothing" empty

start
kill -KILL "$executor"
wait "$verb"
check "a killed executor fails" [ $? = 1 ]
check "and it is said what becomes of its files" \
	grep -q "ended by signal 9; the next measurement there removes what it left" "$tmp/out"
check "a killed executor leaves its directory" left_something
check "the next run works" one_run
check "the next run removes it" empty
rm -f "$tmp/out"

start
kill -KILL "$verb"
wait "$verb" 2>/dev/null
check "an executor whose screen is gone ends" until_true gone "$executor"
check "and leaves nothing" empty
exit $bad
