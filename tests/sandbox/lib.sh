# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034
# lib - what the tests of the sandbox itself share. Sourced by them.
#
#	box [OPTION...] -- COMMAND...	run it in a small sandbox; output in $out and $errors
#	is WHAT GOT WANT		one check
#	start [OPTION...] -- COMMAND...	the same in the background, once it has said "ready":
#					$launcher, $kernel (process group), $job (its folder)
#	finish				report and leave
#
# TMPDIR is a folder of the test's own, so that anything left behind is seen.

command -v linux.uml >/dev/null || { echo "skip - linux.uml is not installed"; exit 77; }
top=$(pwd)
naslab=$top/naslab
work=$(mktemp -d /var/tmp/sandbox-test-XXXXXX) || exit 99
chmod 755 "$work"
mkdir -m 1777 "$work/tmp"
chmod 1777 "$work/tmp"
TMPDIR=$work/tmp
export TMPDIR
out=$work/out
errors=$work/errors
failed=0
launcher=
kernel=
# The first line of a job that builds and does not wait for the sync of its arrays.
slow_sync='modprobe md-mod && echo 1000 >/proc/sys/dev/raid/speed_limit_max'

clean_up() {
	[ -z "$launcher" ] || kill -9 "$launcher" 2>/dev/null
	[ -z "$kernel" ] || kill -s KILL -- "-$kernel" 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

ok() { echo "ok - $1"; }

not_ok() {
	echo "not ok - $1"
	failed=1
}

is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1"
		printf '  got:  %s\n  want: %s\n' "$2" "$3"
	fi
}

# holds WHAT COMMAND...
holds() {
	_what=$1
	shift
	if "$@"; then ok "$_what"; else not_ok "$_what"; fi
}

# until_true SECONDS COMMAND...
until_true() {
	_tries=$(($1 * 10))
	shift
	while ! "$@" >/dev/null 2>&1; do
		_tries=$((_tries - 1))
		[ "$_tries" -gt 0 ] || return 1
		sleep 0.1
	done
}

box() {
	timeout -k 10 "${limit:-120}" "$naslab" sandbox --memory "${memory:-256M}" "$@" \
		>"$out" 2>"$errors"
}

is_ready() { grep -q '^ready$' "$out"; }

start() {
	: >"$out"
	# a shell ignores SIGINT for what it starts in the background
	env --default-signal=INT,QUIT "$naslab" sandbox --memory "${memory:-256M}" "$@" \
		</dev/null >"$out" 2>"$errors" &
	launcher=$!
	if ! until_true "${limit:-120}" is_ready; then
		not_ok "it starts: $*"
		cat "$errors"
		finish
	fi
	job=$(echo "$TMPDIR"/naslab-*)
	kernel=$(cat "$job/uml/vm/pid")
}

group_is_gone() { ! kill -s 0 -- "-$1" 2>/dev/null; }
nothing_left() { [ -z "$(ls -A "$TMPDIR")" ]; }

finish() {
	exit $failed
}
