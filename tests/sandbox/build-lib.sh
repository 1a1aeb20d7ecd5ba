# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2016,SC2034
# build-lib - what the tests of build, destroy and recover share. Sourced by them.
#
# sandbox_run OPTION... <<'END' runs a script inside, after the functions of $prelude; its
# exit status is 0 when every check in it held.

command -v linux.uml >/dev/null || { echo "skip - linux.uml is not installed"; exit 77; }
top=$(pwd)
# two arrays in one volume, with as few steps as that takes
four='--disk hdd:600MiB --disk hdd:600MiB --disk hdd:900MiB --disk hdd:900MiB'

prelude='
failed=0
# The first sync is not what is tested, and two fifths of the processor time of a build. Not
# where it is waited for.
slow_sync() { modprobe md-mod && echo 1000 >/proc/sys/dev/raid/speed_limit_max; }
report() {
	if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; failed=1; fi
}
# check WHAT COMMAND...: it must succeed.
check() {
	what=$1; shift
	"$@" >/tmp/check.log 2>&1 </dev/null
	rc=$?
	[ "$rc" = 0 ] || { echo "status $rc of: $*"; tail -n 40 /tmp/check.log; }
	report "$rc" "$what"
}
# says WHAT STATUS TEXT COMMAND...: it must end so and say that.
says() {
	what=$1 want=$2 text=$3; shift 3
	"$@" >/tmp/check.log 2>&1 </dev/null
	rc=$? bad=0
	cp /tmp/check.log /tmp/said
	[ "$rc" = "$want" ] && grep -qF -- "$text" /tmp/check.log || bad=1
	[ "$bad" = 0 ] || { echo "status $rc, wanted $want and \"$text\" of: $*"; tail -n 20 /tmp/check.log; }
	report "$bad" "$what"
}
# The words of util-linux, not ours, on whether disks are blank.
blank() {
	for disk; do
		left=$(wipefs --noheadings "$disk"; blkid -p "$disk" || true; ls "$disk"[0-9]* 2>/dev/null || true)
		[ -z "$left" ] || { echo "$disk is not blank: $left"; return 1; }
	done
	[ -z "$(grep ^md /proc/mdstat 2>/dev/null)" ] || { cat /proc/mdstat; return 1; }
	[ -z "$(dmsetup ls 2>/dev/null | grep -v "^No devices")" ] || { dmsetup ls; return 1; }
}
# until_true SECONDS COMMAND...
until_true() {
	tries=$(($1 * 5)); shift
	while ! "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.2
	done
}
all_disks=$(echo /dev/ubd[a-z])
db=/var/lib/naslab/naslab.db
state_of() { naslab status --json | tr -d "\n" | sed "s/},/}\n/g" | grep "\"$1\"" | tail -n 1 | sed "s/.*\"state\": \"\([a-z]*\)\".*/\1/"; }
is_state() { [ "$(state_of "$1")" = "$2" ]; }
'

sandbox_run() {
	script=$(cat)
	timeout "${limit:-600}" "$top/naslab" sandbox "$@" -- sh -c "$prelude
$script
exit \$failed" </dev/null
}
