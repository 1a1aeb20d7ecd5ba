#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The recorded machines: each is written (NAME.sh) or unpacked (NAME.tar.xz), read with
# naslab disks --root, and compared with what somebody reviewed (NAME.json). Needs no root.
here=${srcdir:-.}/tests/detect
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
unset NASLAB_LOOP
failed=0

say() {
	if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; failed=1; fi
}

for want in "$here"/*.json; do
	name=$(basename "$want" .json)
	root=$dir/$name
	mkdir "$root"
	if [ -e "$here/$name.tar.xz" ]; then
		tar -xJf "$here/$name.tar.xz" -C "$root" || exit 99
	else
		# shellcheck disable=SC1090,SC1091
		(set -e; . "$here/lib.sh"; . "$here/$name.sh") || exit 99
	fi
	./naslab disks --root "$root" --json >"$dir/$name.got"
	say $? "$name is read"
	tests/detect/has "$want" "$dir/$name.got"
	say $? "$name is what it is"
	./naslab disks --root "$root" >"$dir/$name.table"
	say $? "$name as a table"
	wide=$(awk 'length > 100' "$dir/$name.table" | wc -l)
	[ "$wide" = 0 ]
	say $? "$name fits in 100 columns"
done

# what can be used is saved, with its exact size, and comes back under its name
root=$dir/nas-ref
./naslab disks --root "$root" --save "$dir/list" &&
	./naslab disks --disks "$dir/list" --json >"$dir/list.json" &&
	grep -q '"name":"sde","path":"/dev/sde","by_id":null,"kind":"hdd","bytes":3000592982016,' \
		"$dir/list.json"
say $? "a saved list has the disks of the machine"
grep -q '^# busy (.*/srv/media): hdd:4000787030016,name=sdh,' "$dir/list" &&
	! grep -q '"name":"sdh"' "$dir/list.json"
say $? "a busy disk is saved as a comment"

# without signatures in the recording nothing may be called blank
rm "$root/naslab/signatures"
./naslab disks --root "$root" | grep -q '^sda .* data  *content unknown'
say $? "an unread disk is not called free"

# numbers and links that make no sense do no harm
printf 'E:ID_MODEL_ENC=\\x1b[2J\\xff\\x00x\nE:ID_SERIAL_SHORT=\033]0;x\007\nS:\nE:\n=\n' \
	>"$root/run/udev/data/b8:0"
printf '%s\n' 99999999999999999999 >"$root/sys/block/sdb/size"
printf 'x' >"$root/sys/block/sdc/dev"
printf '1 2 3\n\n36 28 8:1 / \n' >>"$root/proc/self/mountinfo"
./naslab disks --root "$root" >"$dir/bad" && ! grep -q "$(printf '\033')" "$dir/bad" &&
	grep -q '^sdb .* hidden' "$dir/bad"
say $? "hostile text stays text"

./naslab disks --root "$dir/nowhere" 2>"$dir/err"
[ $? = 1 ] && grep -q "the disks cannot be listed" "$dir/err"
say $? "a root that is none is said so"
exit $failed
