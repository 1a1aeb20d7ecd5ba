#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# plain - the main job by key names on standard input and lines on standard output: build,
# measure and destroy, each followed to its end; every step and every result has its line.
# shellcheck source=tests/sandbox/lib.sh disable=SC2016
. "${srcdir:-.}/tests/sandbox/lib.sh"
memory=512M
box --disk 2xhdd:300MiB -- sh -c '
	printf "%s\n" m a "2 Esc t" "type md level=raid1 | ext4" "Enter 4" Enter "type lab1" Enter |
		naslab --plain --follow >/tmp/build
	printf "%s\n" "o Enter" 5 D "type lab2" Enter Esc | naslab --plain >/tmp/wrong
	naslab status | grep lab1
	printf "%s\n" "o Enter" 5 D "type lab1" Enter | naslab --plain --follow >/tmp/destroy
	naslab status
	echo "== build"; cat /tmp/build; echo "== wrong"; cat /tmp/wrong; echo "== destroy"; cat /tmp/destroy' </dev/null
is "three sessions without a terminal" "$? $(cat "$errors")" "0 "
holds "a step is said when it is done" grep -q '^step 1 of [0-9]*: join 2 members into data, raid1, done$' "$out"
holds "the end is said" grep -q '^end: lab1 is built: .* at /srv/lab1$' "$out"
holds "a wrong name destroys nothing" grep -q '^lab1  *built ' "$out"
holds "and is told so" grep -q 'message: .*"lab2" is not the name lab1' "$out"
holds "the right one does" grep -qx 'no builds' "$out"
holds "and the disks are blank" grep -q '^end: lab1 is destroyed: all 2 disks are blank (ubda, ubdb)$' "$out"
is "what goes on by itself is said once" "$(grep -c '^step 1 of [0-9]*: join 2 members into data, raid1, done$' "$out")" 1
[ $failed = 0 ] || cat "$out"
finish
