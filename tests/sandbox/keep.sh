#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# keep - --keep DIR: disks and database are there again at the next boot, and what was
# committed and synced is there after a power cut (the kernel's group is killed).
# shellcheck source=tests/sandbox/lib.sh disable=SC2016
. "${srcdir:-.}/tests/sandbox/lib.sh"

keep=$work/keep
mkdir -m 777 "$keep"
db=/var/lib/naslab/naslab.db

box --keep "$keep" --disk hdd:400M,serial=ONE --disk ssd:500M,model=TWO -- sh -c \
	'mkfs.ext4 -q /dev/ubda && mount /dev/ubda /mnt && echo kept >/mnt/file' </dev/null
is "a first boot writes a disk, and leaves it mounted" "$? $(cat "$errors")" "0 "
box --keep "$keep" -- sh -c 'naslab disks; e2fsck -fn /dev/ubda >/dev/null 2>&1; echo fsck $?
	mount -o ro /dev/ubda /mnt && cat /mnt/file' </dev/null
is "a second boot finds a clean file system" "$? $(tail -n 2 "$out" | tr '\n' ' ')" "0 fsck 0 kept "
holds "and the same disks: the hdd" grep -q 'ubda.*hdd.*ONE' "$out"
holds "and the ssd" grep -q 'ubdb.*ssd.*TWO' "$out"
box --keep "$keep" --disk hdd:1G -- true </dev/null
is "--disk together with disks that are kept" $? 2
holds "is explained" grep -q 'has its disks already' "$errors"
holds "a temporary folder does not stay" nothing_left

# each number is said only when it is committed: a power cut must not take it back
writer='sqlite3 '$db' "create table if not exists t (n integer)"
	n=$(sqlite3 '$db' "select coalesce(max(n), 0) from t")
	echo ready
	while :; do
		n=$((n + 1))
		sqlite3 '$db' "pragma synchronous=full; insert into t values ($n)" || exit 1
		echo "$n"
	done'
if command -v sqlite3 >/dev/null; then
	for round in 1 2 3; do
		start --keep "$keep" -- sh -c "$writer"
		until_true 30 sh -c "[ \$(wc -l <'$out') -gt 8 ]"
		kill -s KILL -- "-$kernel"
		wait "$launcher"
		launcher=
		kernel=
		said=$(tail -n 1 "$out")
		box --keep "$keep" -- sqlite3 $db 'pragma integrity_check; select max(n) from t;
			select count(*) = max(n) from t' </dev/null
		got=$(sed -n 2p "$out")
		is "power cut $round: the database is whole" "$(sed -n '1p;3p' "$out" | tr '\n' ' ')" "ok 1 "
		holds "power cut $round: $said was said, $got is there" \
			[ "${got:-0}" -ge "$said" ]
	done
else
	echo "skip - sqlite3 is not installed: the database after a power cut"
fi
holds "the database is in the folder" [ -s "$keep/db/naslab.db" ]

box --keep "$work/no/such/folder" -- true </dev/null
is "a --keep folder that cannot be made" "$? $(cat "$errors")" \
	"1 naslab: sandbox: --keep $work/no/such/folder: No such file or directory"
finish
