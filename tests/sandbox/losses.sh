#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What `plan --lose` says to do next is done, word by word, on the sandbox's kernel: a layout
# is built and filled, a disk is taken from it and emptied, the printed commands run, and what
# was written is read back. With --all every layer, with a word those that have it, else
# those that take seconds.
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
stop() { echo "not ok - $layout without $lost: $*"; failed=1 bad=1; }
empty() {
	wipefs --all --force --quiet "$lost"[0-9]* "$lost" 2>/dev/null
	dd if=/dev/zero of="$lost" bs=1M status=none 2>/dev/null
	blockdev --rereadpt "$lost"
}
# a restart: every device of bcache stops, and what is still there is found again
stop_sets() {
	for set in /sys/fs/bcache/*-*; do
		[ ! -e "$set" ] || { echo 1 >"$set/stop"; while [ -e "$set" ]; do sleep 0.1; done; }
	done
	for dev in /sys/block/*/bcache /sys/block/*/*/bcache; do
		[ ! -e "$dev/stop" ] || { echo 1 >"$dev/stop"; while [ -e "$dev" ]; do sleep 0.1; done; }
	done
	rm -rf /dev/naslab
}
# The disk goes: out of a running array, else while the layout is down, as over a restart.
pull() {
	case $layout in
	*bcache*) [ -z "$(sed -n "s/.*--add //p" /tmp/commands)" ] || { pull_member; return; }
		umount /srv/t
		btrfs device scan --forget
		stop_sets
		empty
		for dev in /dev/md/t-* /dev/ubd[a-d]1; do
			[ ! -b "$dev" ] || echo "$dev" >/sys/fs/bcache/register_quiet 2>/dev/null
		done ;;
	*mergerfs*) umount "/srv/t-branches/${lost#/dev/}"; empty ;;
	*zfs*)	zpool export t
		empty
		zpool import t || { stop "not imported"; zpool import; } ;;
	*md*)	pull_member ;;
	*lvm*)	umount /srv/t
		vgchange --quiet -an t >/dev/null
		empty
		case $layout in
		*lvmcache*|*writecache*) ;;
		*)	vgchange --quiet -ay t >/dev/null ;;
		esac ;;
	*)	umount /srv/t; btrfs device scan --forget; empty ;;
	esac
}
pull_member() {
	members=$(sed -n "s/.*mdadm --manage .* --add[a-z-]* //p" /tmp/commands)
	md=$(sed -n "s/.*mdadm --manage \([^ ]*\) --add.*/\1/p" /tmp/commands)
	mdadm --wait "$md" >/dev/null 2>&1
	mdadm --quiet --manage "$md" --fail "$members"
	mdadm --quiet --manage "$md" --remove "$members"
	case $members in *-integrity | *-luks) cryptsetup close "${members##*/}" ;; esac
	empty
}
# lose LAYOUT LOST WANT DISKS...: WANT "all": what was written must be there
lose() {
	layout=$1 lost=$2 want=$3 md= bad=0 file=/srv/t/file
	shift 3
	naslab plan "$layout" "$@" --name t --lose "${lost#/dev/}" | sed -n "s/^      //p" >/tmp/commands
	naslab build "$layout" "$@" --key-file /tmp/KEYFILE --name t --yes >/tmp/out 2>&1 ||
		{ tail -n 3 /tmp/out; stop "not built"; return; }
	# the branch that is not lost
	case $layout in *mergerfs*) file=/srv/t-branches/$1/file ;; esac
	dd if=/dev/urandom of=$file bs=1M count=16 status=none
	sum=$(sha256sum <$file)
	sync
	# a volume that is still made equal cannot do without a member
	while lvs --all --noheadings --select "segtype=~raid" -o sync_percent t 2>/dev/null |
	      grep -qv -e "100.00" -e "^ *$"; do
		sleep 0.2
	done
	pull "$@"
	case $layout in
	*writecache*|*lvmcache*) ;;
	*zfs*|*lvm*) naslab status t --json >/tmp/status
		grep -q "\"state\": \"degraded\"" /tmp/status || { cat /tmp/status; stop "naslab status calls it well"; } ;;
	esac
	while read -r command; do
		# a look at what may be torn may find it torn
		sh -c "$command" >/tmp/out 2>&1 </dev/null || case $command in
		e2fsck*|xfs_repair*|btrfs\ check*) [ "$want" != all ] || stop "$command" ;;
		*)	cat /tmp/out; stop "$command" ;;
		esac
	done </tmp/commands
	case $layout in
	*mergerfs*) ! grep "${lost#/dev/}" /etc/systemd/system/srv-t.mount || stop "its unit waits for the lost branch" ;;
	*zfs*)	while zpool status t | grep -q "resilver in progress"; do sleep 0.5; done
		zpool status t | grep -q "state: ONLINE" || { zpool status t; stop "still degraded"; } ;;
	*bcache*) mountpoint -q /srv/t || [ "$want" != all ] || stop "not mounted"
		for dev in /sys/block/bcache*/bcache; do
			[ "$(cat "$dev/state")" != "no cache" ] || stop "$dev has no cache"
			mode=${layout#*mode=} mode=${mode%% *}
			grep -q "\[$mode\]" "$dev/cache_mode" || stop "$dev is not $mode"
		done ;;
	esac
	case $layout in *lvm*) mountpoint -q /srv/t || mount "/dev/t/data" /srv/t || [ "$want" != all ] || stop "not mounted" ;; esac
	[ "$want" != all ] || [ "$(sha256sum </srv/t/file)" = "$sum" ] || stop "what was written is not there"
	if [ -n "$md" ]; then
		mdadm --wait "$md" >/dev/null 2>&1
		! mdadm --detail "$md" | grep -q "State : .*degraded" || stop "still degraded"
	fi
	case $layout in *zfs*) zpool destroy -f t ;; esac
	umount /srv/t /srv/t-branches/* 2>/dev/null
	stop_sets
	vgchange --quiet -an t >/dev/null 2>&1
	mdadm --stop --scan 2>/dev/null
	case $layout in *btrfs*) btrfs device scan --forget ;; esac
	for name in $(dmsetup ls | sed -n "s/^\(t-[^ \t]*\).*/\1/p"); do dmsetup remove --force "$name"; done
	for disk in "$@"; do
		case $disk in ubd*) dd if=/dev/zero of=/dev/$disk bs=1M status=none 2>/dev/null; blockdev --rereadpt /dev/$disk ;; esac
	done
	rm -rf /tmp/db /srv/t /srv/t-branches /etc/systemd/system/srv-t*
	[ "$bad" != 0 ] || echo "ok - $layout without $lost"
}
failed=0
'
# shellcheck disable=SC2016
quick='
lose "slice | md redundancy=1 | ext4" /dev/ubdc all ubda ubdb ubdc
lose "lvm type=raid5 | ext4" /dev/ubdb all ubda ubdb ubdc
lose "btrfs data=raid1 metadata=raid1" /dev/ubdb all ubda ubdb ubdc
lose "lvm | lvmcache mode=writethrough | ext4" /dev/ubdd all ubda --cache ubdd
lose "ext4 | mergerfs" /dev/ubdc all ubda ubdb ubdc
lose "md level=raid1 | bcache mode=writethrough bucket=64K | ext4" /dev/ubdd all ubda ubdb --cache ubdd
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
lose "md level=raid1 | bcache mode=writeback bucket=64K | ext4" /dev/ubdb all ubda ubdb --cache ubdd
lose "md level=raid1 | bcache mode=writeback bucket=64K | ext4" /dev/ubdd some ubda ubdb --cache ubdd
lose "part | bcache mode=writeback bucket=64K | btrfs data=raid1 metadata=raid1" /dev/ubdb all ubda ubdb --cache ubdd
lose "part | bcache mode=writearound bucket=64K cutoff=0 | btrfs data=raid1 metadata=raid1" /dev/ubdd all ubda ubdb --cache ubdd
lose "part | zfs type=raidz1 compression=off" /dev/ubdb all ubda ubdb ubdc
lose "part | zfs type=mirror compression=off" /dev/ubdb all ubda ubdb
'
# shellcheck disable=SC2016
end='
exit $failed'
case ${1-} in
--all)	;;
"")	more= ;;
*)	more=$(grep -e "$1" <<<"$quick$more") quick= ;;
esac
case $more in *zfs*)
	if command -v zfs-fuse >/dev/null; then
		inside+=$'modprobe fuse; zfs-fuse\n'
	else
		echo "skip - losses of a pool: zfs-fuse is not installed"
		more=$(grep -v zfs <<<"$more")
	fi ;;
esac
timeout -k 30 900 "$top/naslab" sandbox --memory 512M --disk hdd:160MiB --disk hdd:160MiB --disk hdd:160MiB \
	--disk ssd:120MiB -- bash -c "$inside$quick$more$end" </dev/null
status=$?
[ "$status" = 0 ] || { echo "not ok - exit status $status"; exit 1; }
