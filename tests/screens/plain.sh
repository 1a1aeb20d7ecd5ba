#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# plain - the screens as lines, on the recorded NAS: what is known of that machine is there
# in words, no box and no bar is, keys and typed words do what they do on a terminal.
here=${srcdir:-.}/tests/screens
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
root=$dir/nas-ref
mkdir "$root"
# shellcheck disable=SC1091
(set -e; . "$here/../detect/lib.sh"; . "$here/../detect/nas-ref.sh") || exit 99
HOME=$dir XDG_DATA_HOME=$dir NASLAB_LAYOUTS=$here/layouts NASLAB_WORKLOADS=${srcdir:-.}/workloads
export HOME XDG_DATA_HOME NASLAB_LAYOUTS NASLAB_WORKLOADS
LC_ALL=$(locale -a 2>/dev/null | grep -i -m 1 'utf-*8') || { echo "skip - no UTF-8 locale"; exit 77; }
export LC_ALL
unset NASLAB_DB
failed=0
out=$dir/out

# says WHAT LINE: it is one of the lines
says() {
	if grep -qxF -- "$2" "$out"; then echo "ok - $1"; else
		echo "not ok - $1: no line \"$2\""
		failed=1
	fi
}

printf '%s\n' m a '2 Esc t' 'type md redundancy=1 | xfs' Enter 4 nokey |
	timeout 60 ./naslab --plain --root "$root" --db "$dir/no.db" >"$out" 2>&1
rc=$?
if [ $rc = 0 ]; then echo "ok - it ends with its input"; else
	echo "not ok - status $rc"
	failed=1
fi
says "a disk that holds data" 'sdd: data, hdd, 5.00 TB, WDC WD50EFRX-68MYMN1, serial WD-WX31D5XC7K02, md member "nas:data"'
says "a disk in use" 'sdh: busy, hdd, 4.00 TB, ST4000VN008-2DR166, serial ZDH7RW5K, mounted on /srv/media'
says "a mark" 'sda: marked as data, free, hdd, 10.0 TB, WDC WD100EFAX-68LHPN0, serial JEK4L2ZN, nothing'
says "a typed layout" 'layer 1: md redundancy=1'
says "what it survives" 'may fail: any 1 disk'
says "a step" 'step 1: join 3 members into data, raid5'
says "the way on" 'keys: ↑↓ steps, d command, w script, f failures, Tab stack, z zoom, b units, ? help'
if grep -q 'no key nokey' "$out"; then echo "ok - a word that is no key"; else
	echo "not ok - a word that is no key"
	failed=1
fi
if grep -q '[─│┌┐└┘├┤█▒░▁▂▃▄▅▆▇▶]' "$out"; then
	echo "not ok - there are boxes or bars in it"
	grep -m 3 '[─│┌┐└┘├┤█▒░▁▂▃▄▅▆▇▶]' "$out"
	failed=1
else
	echo "ok - no box and no bar"
fi
[ $failed = 0 ] || cat "$out"
exit $failed
