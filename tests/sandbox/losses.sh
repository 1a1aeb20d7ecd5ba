#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What `plan --lose` says to do next is done, word by word, on the sandbox's kernel: a layout
# is built and filled, a disk is taken from it and emptied, the printed commands run, and what
# was written is read back. With --all every layer, else those that take seconds.
set -uo pipefail
top=$(pwd)
command -v linux.uml >/dev/null || { echo "skip - linux.uml is not installed"; exit 77; }

# shellcheck disable=SC2016	# expanded inside
inside='
set -u
export NASLAB_DB=/tmp/db
head -c 24 /dev/urandom | od -An -tx1 | tr -d " \n" >/tmp/KEYFILE
cd /tmp
# as on a real machine, LVM keeps what its metadata was
mkdir -p /etc/lvm/archive
sed -i "s/^backup .*/backup { backup=0 archive=1 }/" /etc/lvm/lvmlocal.conf
stop() { echo "not ok - $layout without $lost: $*"; failed=1; }
# lose LAYOUT LOST WANT DISKS...: WANT "all": what was written must be there
lose() {
	layout=$1 lost=$2 want=$3
	shift 3
	naslab plan "$layout" "$@" --name t --lose "${lost#/dev/}" | sed -n "s/^      //p" >/tmp/commands
	naslab build "$layout" "$@" --key-file /tmp/KEYFILE --name t --yes >/tmp/out 2>&1 ||
		{ tail -n 3 /tmp/out; stop "not built"; return; }
	dd if=/dev/urandom of=/srv/t/file bs=1M count=16 status=none
	sum=$(sha256sum </srv/t/file)
	sync
	# a volume that is still made equal cannot do without a member
	while lvs --all --noheadings --select "segtype=~raid" -o sync_percent t 2>/dev/null |
	      grep -qv -e "100.00" -e "^ *$"; do
		sleep 0.2
	done
	case $layout in
	*md*)	members=$(sed -n "s/.*mdadm --manage .* --add[a-z-]* //p" /tmp/commands)
		md=$(sed -n "s/.*mdadm --manage \([^ ]*\) --add.*/\1/p" /tmp/commands)
		mdadm --wait "$md" >/dev/null 2>&1
		mdadm --quiet --manage "$md" --fail "$members"
		mdadm --quiet --manage "$md" --remove "$members"
		case $members in *-integrity | *-luks) cryptsetup close "${members##*/}" ;; esac ;;
	*lvm*)	umount /srv/t; vgchange --quiet -an t >/dev/null ;;
	*btrfs*) umount /srv/t; btrfs device scan --forget ;;
	esac
	wipefs --all --force --quiet "$lost"[0-9]* "$lost" 2>/dev/null
	dd if=/dev/zero of="$lost" bs=1M status=none 2>/dev/null
	blockdev --rereadpt "$lost"
	case $layout in
	*lvmcache*|*writecache*) ;;
	*lvm*)	vgchange --quiet -ay t >/dev/null ;;
	esac
	while read -r command; do
		# a look at what may be torn may find it torn
		sh -c "$command" >/tmp/out 2>&1 </dev/null || case $command in
		e2fsck*|xfs_repair*|btrfs\ check*) ;;
		*)	cat /tmp/out; stop "$command" ;;
		esac
	done </tmp/commands
	case $layout in *lvm*) mount "/dev/t/data" /srv/t || [ "$want" != all ] || stop "not mounted" ;; esac
	[ "$want" != all ] || [ "$(sha256sum </srv/t/file)" = "$sum" ] || stop "what was written is not there"
	case $layout in *md*) mdadm --wait "$md" >/dev/null 2>&1; mdadm --detail "$md" | grep -q "State : .*degraded" && stop "still degraded" ;; esac
	umount /srv/t 2>/dev/null
	vgchange --quiet -an t >/dev/null 2>&1
	mdadm --stop --scan 2>/dev/null
	case $layout in *btrfs*) btrfs device scan --forget ;; esac
	for name in $(dmsetup ls | sed -n "s/^\(t-[^ \t]*\).*/\1/p"); do dmsetup remove --force "$name"; done
	for disk in "$@"; do
		case $disk in ubd*) dd if=/dev/zero of=/dev/$disk bs=1M status=none 2>/dev/null; blockdev --rereadpt /dev/$disk ;; esac
	done
	rm -rf /tmp/db /srv/t /etc/systemd/system/srv-t*
	[ "$failed" != 0 ] || echo "ok - $layout without $lost"
}
failed=0
'
# shellcheck disable=SC2016
quick='
lose "slice | md redundancy=1 | ext4" /dev/ubdc all ubda ubdb ubdc
lose "lvm type=raid5 | ext4" /dev/ubdb all ubda ubdb ubdc
lose "btrfs data=raid1 metadata=raid1" /dev/ubdb all ubda ubdb ubdc
lose "lvm | lvmcache mode=writethrough | ext4" /dev/ubdd all ubda --cache ubdd
'
more='
lose "part | integrity | md level=raid5 | ext4" /dev/ubdc all ubda ubdb ubdc
lose "part | luks | md level=raid1 | ext4" /dev/ubdb all ubda ubdb
lose "md level=raid5 consistency=journal journal=64M | ext4" /dev/ubdd all ubda ubdb ubdc --cache ubdd
lose "lvm type=raid1 integrity=yes | ext4" /dev/ubdb all ubda ubdb
lose "lvm type=raid5 | lvmcache mode=writeback | ext4" /dev/ubdb all ubda ubdb ubdc --cache ubdd
lose "lvm type=raid1 | lvmcache pool=yes mode=writethrough | ext4" /dev/ubdb all ubda ubdb --cache ubdd
lose "lvm | lvmcache mode=writeback | ext4" /dev/ubdd some ubda --cache ubdd
lose "lvm | lvmcache pool=yes mode=writeback | ext4" /dev/ubdd some ubda --cache ubdd
lose "lvm | writecache block=512 | ext4" /dev/ubdd some ubda --cache ubdd
lose "btrfs data=raid5 metadata=raid1" /dev/ubda all ubda ubdb ubdc
'
# shellcheck disable=SC2016
end='exit $failed'
[ "${1-}" = --all ] || more=
timeout -k 30 900 "$top/naslab" sandbox --memory 512M --disk hdd:160MiB --disk hdd:160MiB --disk hdd:160MiB \
	--disk ssd:120MiB -- bash -c "$inside$quick$more$end" </dev/null
status=$?
[ "$status" = 0 ] || { echo "not ok - exit status $status"; exit 1; }
