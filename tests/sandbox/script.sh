#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The script that `plan --script` prints builds the same without naslab: it is run on the
# sandbox's kernel, every size that it checks is its own, and what statvfs then says is what
# the plan said. With --all one layout of every kind, else two.
set -uo pipefail
top=$(pwd)
command -v linux.uml >/dev/null || { echo "skip - linux.uml is not installed"; exit 77; }

# shellcheck disable=SC2016	# expanded inside
inside='
set -u
echo a passphrase for tests >/tmp/key
export NASLAB_KEY=/tmp/key NASLAB_DB=/tmp/db
failed=0
bad() { echo "not ok - $layout: $*"; failed=1; }
blank() {
	umount /srv/t /srv/t-branches/* 2>/dev/null
	btrfs device scan --forget 2>/dev/null
	vgchange --quiet -an >/dev/null 2>&1
	for set in /sys/fs/bcache/*-*; do
		[ ! -e "$set" ] || { echo 1 >"$set/stop"; while [ -e "$set" ]; do sleep 0.1; done; }
	done
	dmsetup remove_all --force >/dev/null 2>&1
	mdadm --quiet --stop --scan
	for disk in /dev/ubd[a-d]; do
		wipefs --all --force --quiet "$disk"[0-9]* "$disk" 2>/dev/null
		dd if=/dev/zero of="$disk" bs=1M count=20 status=none
		blockdev --rereadpt "$disk"
	done
	rm -rf /srv/t /srv/t-branches /etc/systemd/system/srv-t*
}
number() { grep "\"$1\": [0-9]" /tmp/plan | tail -n 1 | tr -dc 0-9; }
# script LAYOUT DISKS...
script() {
	layout=$1
	shift
	naslab plan "$layout" "$@" --name t --json >/tmp/plan
	naslab plan "$layout" "$@" --name t --script >/tmp/script
	if ! sh /tmp/script >/tmp/out 2>&1; then
		tail -n 3 /tmp/out
		bad "the script failed"
	else
		total=$(($(stat -f -c "%b * %S" /srv/t))) avail=$(($(stat -f -c "%a * %S" /srv/t)))
		[ "$total $avail" = "$(number total_bytes) $(number avail_bytes)" ] ||
			bad "has $total, $avail; planned $(number total_bytes), $(number avail_bytes)"
	fi
	blank
	[ "$failed" != 0 ] || echo "ok - $layout: the script built it as planned"
}
'
# shellcheck disable=SC2016
quick='
script "slice | md redundancy=1 | lvm | xfs" ubda ubdb ubdc
script "slice | md redundancy=1 | bcache mode=writeback cutoff=0 | btrfs" ubda ubdb ubdc --cache ubdd
'
more='
script "md level=raid5 consistency=ppl chunk=1M | ext4 reserved=1 ratio=64K" ubda ubdb ubdc
script "btrfs data=raid1" ubda ubdb ubdc
script "slice | md redundancy=1 | xfs | mergerfs" ubda ubdb ubdc
script "lvm type=raid5 | lvmcache mode=writeback pool=yes | ext4" ubda ubdb ubdc --cache ubdd
script "lvm | writecache block=512 | ext4" ubda --cache ubdd
script "lvm type=thin | ext4 lazy=no" ubda ubdb
script "part | luks sector=4096 | md level=raid1 | xfs" ubda ubdb
script "md level=raid1 missing=1 | luks | ext4" ubda
script "part | integrity journal=1M | md level=raid1 | ext4" ubda ubdb
script "md level=raid10 layout=f2 chunk=64K | xfs su=64K sw=3" ubda ubdb ubdc
script "md level=raid5 consistency=journal journal=64M | reiserfs" ubda ubdb ubdc --cache ubdd
'
# shellcheck disable=SC2016
end='exit $failed'
[ "${1-}" = --all ] || more=
timeout -k 30 900 "$top/naslab" sandbox --memory 512M --disk hdd:420MiB --disk hdd:420MiB --disk hdd:900MiB \
	--disk ssd:300MiB -- sh -c "$inside$quick$more$end" </dev/null
status=$?
[ "$status" = 0 ] || { echo "not ok - exit status $status"; exit 1; }
