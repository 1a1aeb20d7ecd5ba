#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Plays every *.keys of this folder and compares the screens with *.screen. A script named
# *-ascii is played with --ascii; the machine is the recorded nas-ref. `run.sh --update`
# writes the goldens: look at every change before it is kept.
here=${srcdir:-.}/tests/screens
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
root=$dir/nas-ref
mkdir "$root"
# shellcheck disable=SC1091
(set -e; . "$here/../detect/lib.sh"; . "$here/../detect/nas-ref.sh") || exit 99
for locale in C.UTF-8 C.utf8 en_US.UTF-8; do
	if [ "$(LC_ALL=$locale locale charmap 2>/dev/null)" = UTF-8 ]; then break; fi
	locale=
done
if [ -z "$locale" ]; then echo "no UTF-8 locale"; exit 77; fi
LC_ALL=$locale TERM=xterm TZ=UTC HOME=$dir XDG_DATA_HOME=$dir NO_COLOR=
NASLAB_LAYOUTS=$here/layouts NASLAB_WORKLOADS=${srcdir:-.}/workloads
NASLAB_CAMPAIGNS=$here
export LC_ALL TERM TZ HOME XDG_DATA_HOME NO_COLOR NASLAB_LAYOUTS NASLAB_WORKLOADS NASLAB_CAMPAIGNS
unset NASLAB_DB NASLAB_LOOP
./naslab results --db "$dir/results.db" import "$here/results.csv" >/dev/null || exit 99
failed=0
for keys in "$here"/*.keys; do
	name=$(basename "$keys" .keys)
	case $name in *-ascii) how=--ascii ;; *) how= ;; esac
	case $name in
	results*) how="$how --db $dir/results.db" ;;
	campaign*) how="$how --db $dir/$name.db" ;;
	esac
	# shellcheck disable=SC2086
	if ! tests/screens/play $how --root "$root" "$keys" >"$dir/got"; then
		echo "not ok - $name cannot be played"
		failed=1
	elif [ "$1" = --update ]; then
		cp "$dir/got" "$here/$name.screen"
	elif diff -u "$here/$name.screen" "$dir/got"; then
		echo "ok - $name"
	else
		echo "not ok - $name"
		failed=1
	fi
done
exit $failed
