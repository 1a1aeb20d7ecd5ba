#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mount - what a build leaves for the next start: a systemd unit by UUID, whose name and
# text systemd's own tools accept, gone after destroy, and nobody else's file is touched.
# After a restart without systemd status says what is down, and naslab mount brings it up.
# shellcheck source=tests/sandbox/lib.sh disable=SC2016
. "${srcdir:-.}/tests/sandbox/lib.sh"
for tool in mdadm mkfs.xfs mkfs.ext4 pvcreate cryptsetup mergerfs; do
	PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null || { echo "skip - no $tool"; exit 77; }
done
keep=$work/keep
memory=512M
mkdir -m 777 "$keep"

box --keep "$keep" --disk 6xhdd:400MiB -- sh -c "$slow_sync"'
	PATH=$PATH:/usr/sbin:/sbin
	units=/etc/systemd/system
	tell() { echo "$1: $(shift; "$@" >/tmp/log 2>&1; echo $?) $(tail -n 1 /tmp/log)"; }
	echo "UUID=1 /srv/first ext4 defaults 0 0" >>/etc/fstab
	tell fstab naslab build ext4 /dev/ubda --name first --yes
	mkdir -p $units && echo "# of somebody else" >$units/srv-t.mount
	tell foreign naslab build ext4 /dev/ubda --name t --yes
	rm $units/srv-t.mount
	mkdir -p /srv/t && mount -t tmpfs none /srv/t
	tell mounted naslab build ext4 /dev/ubda --name t --yes
	umount /srv/t

	naslab build "md level=raid1 | lvm | xfs mount=noatime" /dev/ubda /dev/ubdb --name a-b --yes >/dev/null
	echo kept >/srv/a-b/file
	naslab build "part | ext4 | mergerfs" /dev/ubdc /dev/ubdd --name pool --yes >/dev/null
	echo kept >/srv/pool/file
	echo secret >/tmp/key
	naslab build "md level=raid1 | luks | ext4" /dev/ubde /dev/ubdf --name safe --key-file /tmp/key --yes \
		>/dev/null
	echo kept >/srv/safe/file
	file=$(ls $units/srv-a*.mount)
	echo "units: $(ls $units | grep mount)" | tr "\n" " "; echo
	[ "$(sed -n s,^What=/dev/disk/by-uuid/,,p "$file")" = "$(blkid -p -s UUID -o value /dev/a-b/data)" ] &&
		echo by UUID
	[ "$(readlink "$units/local-fs.target.wants/${file##*/}")" = "$file" ] && echo wanted
	for dir in /srv/a-b /srv/pool /srv/pool-branches/ubdc1; do
		[ -f "$units/$(systemd-escape --path --suffix=mount $dir)" ] && echo "escaped $dir"
	done
	# the device is not there for systemd, the rest of the words are checked
	systemd-analyze verify --man=no $units/srv-*.mount 2>&1 | grep -i "srv-.*\(unknown\|invalid\|ignor\|refus\|bad\)"
	echo "verified $?"' </dev/null
rc=$?
is "three builds" "$rc $(cat "$errors")" "0 "
holds "a folder of fstab is refused" grep -q '^fstab: 3 .*/etc/fstab has a line for /srv/first' "$out"
holds "a unit of somebody else is refused" grep -q '^foreign: 3 .*srv-t.mount is there already' "$out"
holds "a folder that is mounted is refused" grep -q '^mounted: 3 .*something is mounted at /srv/t' "$out"
holds "a unit for each mount, none for what a passphrase opens" grep -qF 'units: srv-a\x2db.mount srv-pool.mount srv-pool\x2dbranches-ubdc1.mount srv-pool\x2dbranches-ubdd1.mount ' "$out"
holds "by UUID" grep -qx 'by UUID' "$out"
holds "and wanted at every start" grep -qx 'wanted' "$out"
if command -v systemd-escape >/dev/null; then
	is "called as systemd calls it" "$(grep -c '^escaped' "$out")" 3
	holds "and systemd knows every word of it" grep -qx 'verified 1' "$out"
fi
[ $failed = 0 ] || cat "$out"

box --keep "$keep" -- sh -c '
	naslab status a-b | grep -c missing
	for name in a-b pool; do naslab mount $name | tail -n 1; cat /srv/$name/file; done
	naslab mount safe </dev/null; echo "no passphrase $?"
	echo wrong | naslab mount safe --key-file - >/dev/null; echo "wrong passphrase $?"
	echo secret | naslab mount safe --key-file - | tail -n 1; cat /srv/safe/file
	naslab mount a-b; echo "twice $?"
	naslab status a-b | tail -n 1
	naslab mount nobody; echo "nobody $?"
	mkdir -p /etc/systemd/system && echo "# of somebody else" >"/etc/systemd/system/srv-pool.mount"
	for name in a-b pool safe; do naslab destroy $name --yes | tail -n 1; done
	ls /etc/systemd/system | grep mount; cat /etc/systemd/system/srv-pool.mount; ls /srv' </dev/null
said=$(cat "$out" "$errors")
holds "after a restart status says what is down" grep -qx '[1-9]' "$out"
is "mount brings them up" "$(grep -c ' is up at /srv/' "$out") $(grep -cx kept "$out")" "4 3"
holds "an encrypted one wants its passphrase" grep -qx 'no passphrase 2' "$out"
holds "the right one" grep -qx 'wrong passphrase 1' "$out"
holds "what is up stays so" grep -qx 'twice 0' "$out"
holds "and is what was planned" grep -q '^predicted = actual' "$out"
holds "a build that is not there" grep -qx 'nobody 1' "$out"
is "destroy takes all of them away" "$(grep -c 'is destroyed: all 2 disks are blank' "$out")" 3
holds "and leaves somebody else's unit" grep -qx '# of somebody else' "$out"
[ $failed = 0 ] || echo "$said"

box --disk 2xhdd:400MiB -- sh -c "$slow_sync"'
	naslab build "md level=raid1 | xfs" all --name u --yes >/dev/null
	naslab destroy u --yes | tail -n 1
	ls /etc/systemd/system /etc/systemd/system/local-fs.target.wants | grep srv
	naslab plan "part | ext4 | mergerfs" all --name s --script >/tmp/s && sh /tmp/s </dev/null | tail -n 1
	ls /etc/systemd/system | grep srv; mountpoint -q /srv/s && echo script mounts' </dev/null
holds "destroy takes the unit with it" sh -c "grep -q '^u is destroyed' '$out' && ! grep -q srv-u '$out'"
holds "the script without naslab writes the same" sh -c "grep -q 'srv-s.mount' '$out' && grep -qx 'script mounts' '$out'"
[ $failed = 0 ] || cat "$out" "$errors"
finish
