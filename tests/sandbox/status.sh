#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# status - what goes into a command in the sandbox and what comes out of it: exit status,
# every byte of both streams, the input and its end, environment and folder.
# shellcheck source=tests/sandbox/lib.sh disable=SC2016
. "${srcdir:-.}/tests/sandbox/lib.sh"

one=--disk=hdd:1G
box $one -- true </dev/null
is "true gives 0" $? 0
box $one -- sh -c 'exit 42' </dev/null
is "exit 42 gives 42" $? 42
box $one -- sh -c 'kill -TERM $$' </dev/null
is "ended by SIGTERM gives 143" $? 143
box $one -- no-such-command </dev/null
is "a missing command gives 127" $? 127
holds "and is named" grep -q 'no-such-command: there is no such command' "$errors"

# all 256 values in both streams, more than any buffer on the way holds
i=0
while [ $i -lt 256 ]; do
	# shellcheck disable=SC2059
	printf "\\$(printf %03o $i)"
	i=$((i + 1))
done >"$work/bytes"
for i in 1 2 3 4 5 6 7 8 9 10; do
	cat "$work/bytes" "$work/bytes" >"$work/twice"
	mv "$work/twice" "$work/bytes"
done
box $one -- sh -c 'tee /dev/stderr; echo end' <"$work/bytes"
is "input, output and errors at once" $? 0
echo end | cat "$work/bytes" - | cmp - "$out"
is "$(wc -c <"$work/bytes") bytes come out of standard output unchanged" $? 0
cmp "$work/bytes" "$errors"
is "and out of standard error" $? 0

box $one -- sh -c 'test -t 0 || test -t 1 || test -t 2 || echo none' </dev/null
is "no terminal where there is none outside" "$(cat "$out")" none
yes | box $one -- sh -c 'exit 3'
is "a command that does not read its input ends" $? 3
timeout 60 "$naslab" sandbox --memory 256M $one -- sh -c 'yes; echo $? >&2' \
	</dev/null 2>"$errors" | head -n 1 >"$out"
is "a reader that went away" "$(cat "$out") $(cat "$errors")" "y 141"

# A clone below a 0700 folder: started by root, the sandbox runs as nobody, who cannot go there.
here=$(pwd -P)
folder=$here
while [ "$(id -u)" = 0 ] && [ "$folder" != / ]; do
	case $(stat -c %A "$folder") in
	*x|*t) ;;
	*) here=/root ;;
	esac
	folder=$(dirname "$folder")
done
# and one that the sandbox has a folder of its own for
case $here in /tmp/*|/run/*|/dev/*) here=/root ;; esac
NASLAB_TEST=passed NASLAB_DB=/nowhere box $one -- \
	sh -c 'echo $NASLAB_TEST.$NASLAB_DB.$HOME; command -v naslab; hostname; id -u; pwd' </dev/null
is "environment, program, name, user and folder" "$(cat "$out")" "passed../root
/run/job/bin/naslab
sandbox
0
$here"
memory=300M box $one -- sh -c 'while read -r k v u; do
	[ $k != MemTotal: ] || test $v -gt 250000 -a $v -lt 307200 || echo $v; done </proc/meminfo' </dev/null
is "--memory 300M" "$?$(cat "$out")" 0
box $one -- sh -c 'echo x >/etc/naslab-test && test -e /etc/naslab-test' </dev/null
is "its root file system can be written" $? 0
holds "which nobody sees outside" [ ! -e /etc/naslab-test ]
box $one -- sh -c 'sleep 1000 & setsid sleep 1000 & exit 5' </dev/null
is "what the command leaves running does not keep it" $? 5
box $one -- naslab sandbox -- true </dev/null
is "there is no sandbox in a sandbox" "$? $(cat "$errors")" \
	"1 naslab: sandbox: this is the inside of a sandbox; there is none in it"
holds "nothing is left of all this" nothing_left
finish
