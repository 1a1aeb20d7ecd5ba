#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# signals - however a sandbox ends, no process, no lock on an image and no file stays.
# shellcheck source=tests/sandbox/lib.sh disable=SC2016
. "${srcdir:-.}/tests/sandbox/lib.sh"

command='trap "echo got TERM; exit 9" TERM; trap "echo got INT; exit 10" INT;
	trap "echo got HUP; exit 11" HUP; echo ready; while :; do sleep 0.1; done'

# ended WHAT STATUS: the launcher ends, with that status unless it is empty; nothing stays.
ended() {
	wait "$launcher"
	status=$?
	[ -z "$2" ] || is "$1: exit status" $status "$2"
	launcher=
	holds "$1: no process is left" until_true 10 group_is_gone "$kernel"
	holds "$1: no file is left" until_true 10 nothing_left
	kernel=
}

for row in TERM:9 INT:10 HUP:11; do
	start --disk hdd:1G -- sh -c "$command"
	kill -"${row%:*}" "$launcher"
	ended "SIG${row%:*}" "${row#*:}"
	holds "SIG${row%:*}: the command got it" grep -q "got ${row%:*}" "$out"
done

start --disk hdd:1G -- sh -c 'trap "" TERM; echo ready; while :; do sleep 0.1; done'
kill -TERM "$launcher"
ended "SIGTERM to a command that does not mind" 143

start --disk hdd:1G -- sh -c 'trap "" TERM; echo ready; while :; do sleep 0.1; done'
kill -TERM "$launcher"
sleep 0.3
kill -TERM "$launcher"
ended "SIGTERM twice" 143

start --disk hdd:1G -- sh -c "$command"
kill -KILL "$launcher"
ended "SIGKILL of the launcher" 137

start --disk hdd:1G -- sh -c "$command"
kill -KILL "$(ps -o ppid= -p "$kernel")"
ended "SIGKILL of the keeper" 1
holds "and it is said" grep -q 'its keeper was killed' "$errors"

start --disk hdd:1G -- sh -c "$command"
kill -KILL "$launcher" "$(ps -o ppid= -p "$kernel" | tr -d ' ')"
ended "SIGKILL of launcher and keeper" 137

start --disk hdd:1G -- sh -c "$command"
kill -KILL "$kernel"
ended "SIGKILL of the kernel's first process" 1
holds "and it is said" grep -q 'its kernel was ended by signal 9' "$errors"

start --disk hdd:1G -- sh -c "$command"
kill -s KILL -- "-$kernel"
ended "SIGKILL of the kernel's group" 1

start --disk hdd:1G -- sh -c 'echo ready; sleep 2; echo c >/proc/sysrq-trigger'
ended "a crash of its kernel" 1

# the locks: the same images at once again
mkdir -m 777 "$work/keep"
start --keep "$work/keep" --disk hdd:1G -- sh -c "$command"
"$naslab" sandbox --memory 256M --keep "$work/keep" -- true </dev/null >"$work/second" 2>&1
is "the same --keep folder twice at once" "$? $(cat "$work/second")" \
	"1 naslab: sandbox: --keep $work/keep is in use by another sandbox"
kill -KILL "$launcher"
ended "SIGKILL of the launcher with --keep" 137
box --keep "$work/keep" -- sh -c 'head -c 512 /dev/ubda | wc -c' </dev/null
is "its images are free again" "$? $(cat "$out")" "0 512"
finish
