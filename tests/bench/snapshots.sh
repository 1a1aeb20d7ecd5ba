#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sending and receiving snapshots of btrfs on loop devices: the stream holds what the files
# hold, what arrives is what was written, and no subvolume is left, whatever ends it.
# shellcheck disable=SC2317	# the functions are called by check() and the trap
set -uo pipefail
src=${srcdir:-.}
export NASLAB_WORKLOADS=$src/workloads
skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" = 0 ] || skip "needs root"
for tool in losetup mkfs.btrfs btrfs setpriv; do
	command -v $tool >/dev/null || skip "there is no $tool"
done
# shellcheck source=tests/bench/lib.sh
. "${srcdir:-.}/tests/bench/lib.sh"
tmp=$(mktemp -d -p /var/tmp)
export NASLAB_DB=$tmp/db
clean() {
	end_background
	for dir in "$tmp/mnt1" "$tmp/mnt2"; do
		mountpoint -q "$dir" && umount "$dir"
	done
	rm -rf "$tmp"
}
trap clean EXIT
trap 'exit 1' INT TERM
for i in 1 2; do
	mkdir "$tmp/mnt$i"
	truncate -s 1G "$tmp/disk$i"
	mkfs.btrfs -q "$tmp/disk$i" >/dev/null 2>&1 || skip "no btrfs"
	mount -o loop "$tmp/disk$i" "$tmp/mnt$i" 2>/dev/null || skip "btrfs on a loop device cannot be mounted"
done
dir=$tmp/mnt1

bench() { ./naslab bench "$dir" --json --scale 0.001 --reps 1 "$@" >"$tmp/out" 2>&1; }
nothing_in() { [ -z "$(ls -A "$1")" ] && [ -z "$(btrfs subvolume list "$1")" ]; }
something_in() { [ -n "$(btrfs subvolume list "$1")" ]; }
# OP KEY: the number of that key of the run of that operation.
of_run() { grep '"event":"run"' "$tmp/out" | grep "\"op\":\"$1\"" | sed "s/.*\"$2\":\([0-9]*\).*/\1/"; }
# OP KEY LEAST MOST: it is in that percentage of the files' bytes.
within() {
	local files value
	files=$(grep '"event":"begin"' "$tmp/out" | sed 's/.*"classes":\[{[^}]*"bytes":\([0-9]*\).*/\1/')
	value=$(of_run "$1" "$2")
	[ -n "$value" ] && [ $((value * 100)) -ge $((files * $3)) ] && [ $((value * 100)) -le $((files * $4)) ]
}
compared() { grep '"event":"run"' "$tmp/out" | grep "\"op\":\"$1\"" | grep -q '"verified":true'; }
refuses() {
	local want=$1 says=$2 got
	shift 2
	"$@" >"$tmp/out" 2>&1
	got=$?
	[ "$got" = "$want" ] && grep -qF -- "$says" "$tmp/out"
}

check "send and receive" bench --workload snapshots --workload snap-receive
# a file of no more than 4 KiB costs its name, owner, mode and times as well
check "the stream holds the files once" within send bytes 100 103
check "and comes from the disk" within send disk_read_bytes 95 115
check "so does what is received" within receive bytes 100 103
check "what was sent arrives" compared send-receive
check "what was received is right" compared receive
check "no subvolume is left" nothing_in "$dir"

check "from another file system" bench --workload snapshots --op write --source "$tmp/mnt2"
check "arrives too" compared send-receive
check "and is written only in the target" within send-receive disk_read_bytes 0 20
check "nothing is left there" nothing_in "$dir"
check "nor in the source" nothing_in "$tmp/mnt2"

check "no btrfs" refuses 3 "the workload snapshots needs btrfs, this is ext4" \
	./naslab bench "$tmp" --workload snapshots --scale 0.001
chmod 777 "$tmp/mnt1" "$tmp"
check "not root" refuses 3 "needs root" env "HOME=$tmp" \
	setpriv --reuid 65534 --regid 65534 --clear-groups \
	./naslab bench "$dir" --db "" --workload snapshots --scale 0.001
check "too small a set" refuses 3 "too few for 5 snapshots" \
	./naslab bench "$dir" --workload snapshots --scale 0.00000001 --reps 1
check "refusals leave nothing" nothing_in "$dir"

# Killed while it receives: the next start cleans.
killed_at() {
	: >"$tmp/events"	# what the one before said is not to be waited for
	./naslab bench "$dir" --workload snapshots --op write --scale 0.005 --reps 1000 --json \
		>"$tmp/events" 2>"$tmp/out" &
	verb=$!
	until_true grep -q '"event":"sample".*"op":"send-receive"' "$tmp/events" || return 1
	executor=$(sed 's/.*"pid":\([0-9]*\).*/\1/' "$dir"/.naslab-bench-*/manifest)
	kill "-$1" "$executor" || return 1
	wait "$verb"
	[ $? = 1 ]
}
check "ends on SIGTERM" killed_at TERM
check "and leaves nothing" nothing_in "$dir"
check "killed in the middle of receiving" killed_at KILL
check "its subvolumes are left" something_in "$dir"
check "the next run works" bench --workload 500M
check "and removes them" nothing_in "$dir"

# A scrub, held back by the kernel's own limit, is waited for.
limit=/sys/fs/btrfs/$(findmnt -no UUID "$dir")/devinfo/1/scrub_speed_max
scrubs() {
	head -c 60000000 /dev/urandom >"$dir/data" && sync -f "$dir" && echo 1M >"$limit" &&
		btrfs scrub start "$dir" >"$tmp/scrub" 2>&1 || return 1
	./naslab bench "$dir" --workload 500M --scale 0.001 --reps 1 --json >"$tmp/out" 2>&1 &
	verb=$!
	until_true grep -q '"text":"waiting for the scrub of the btrfs: [0-9]* %.*"for":"sync"' "$tmp/out"
}
goes_on() { btrfs scrub cancel "$dir" >"$tmp/scrub" 2>&1; wait "$verb"; }
if [ -w "$limit" ]; then
	check "a scrub is waited for, with how far it is" scrubs
	check "and what follows is measured" goes_on
	check "without a mark" [ "$(grep -c '"flags":\[[^]]*"sync"' "$tmp/out")" = 0 ]
fi
exit $bad
