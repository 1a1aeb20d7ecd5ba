#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# absent - a build is destroyed while one of its disks is pulled out, and a stranger has
# the name it had: the stranger is left alone, what is there is cleared, the record waits
# for the disk, and when it is back (its half of a mirror running, as udev would start it)
# the same command clears it. --forget ends another one without.
# shellcheck source=tests/sandbox/lib.sh disable=SC2016
. "${srcdir:-.}/tests/sandbox/lib.sh"
for tool in sfdisk mkfs.ext4 mdadm pvcreate mkfs.xfs; do
	PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null || { echo "skip - no $tool"; exit 77; }
done

keep=$work/keep
memory=512M
mkdir -m 777 "$keep"
list=$keep/disks.list

# put_in IMAGE=SERIAL=BYTES...: these disks and no others, in that order, at the next boot
put_in() {
	letters='a b c d e'
	: >"$list"
	mkdir -p "$keep/next"
	for disk; do
		letter=${letters%% *}
		letters=${letters#* }
		serial=${disk%%=*}
		bytes=${disk#*=}
		mv "$work/shelf/$serial" "$keep/next/ubd$letter.img"
		echo "hdd:$bytes,sector=512/4096,serial=$serial" >>"$list"
	done
	rm -rf "$keep/disks"
	mv "$keep/next" "$keep/disks"
	chmod -R a+rwX "$keep/disks" "$list"
}
# take_out SERIAL...: what ubda, ubdb... were goes to the shelf
take_out() {
	letters='a b c d e'
	for serial; do
		letter=${letters%% *}
		letters=${letters#* }
		mv "$keep/disks/ubd$letter.img" "$work/shelf/$serial"
	done
}
mkdir "$work/shelf"
small=314572800
large=419430400

box --keep "$keep" --disk 2xhdd:$small --disk 2xhdd:$large -- true </dev/null
is "disks are made" $? 0
take_out A1 B2 C3 D4
truncate -s $small "$work/shelf/X9"
put_in A1=$small B2=$small C3=$large D4=$large
box --keep "$keep" -- sh -c "$slow_sync"'
	naslab build "slice | md redundancy=1 | lvm | xfs" all --name t --yes &&
	echo kept >/srv/t/file' </dev/null
is "four disks are built on" "$? $(cat "$errors")" "0 "

take_out A1 B2 C3 D4
put_in A1=$small X9=$small C3=$large D4=$large
box --keep "$keep" -- sh -c '
	PATH=$PATH:/usr/sbin:/sbin
	printf "label: gpt\n,200M\n,50M\n" | sfdisk -q /dev/ubdb && mkfs.ext4 -q /dev/ubdb1 &&
		mkfs.ext4 -q /dev/ubdb2 && mount /dev/ubdb1 /mnt && echo mine >/mnt/file && umount /mnt
	naslab status t --json | tr -d "\n " | grep -o "\"absent\":\[[^]]*\]"
	naslab destroy t --yes; echo "status $?"
	e2fsck -fn /dev/ubdb1 >/dev/null 2>&1 && e2fsck -fn /dev/ubdb2 >/dev/null 2>&1 && echo stranger whole
	for disk in a c d; do wipefs --noheadings /dev/ubd$disk; ls /dev/ubd$disk[0-9] 2>/dev/null; done
	naslab destroy t --yes; echo "again $?"
	naslab build "md level=raid1 | ext4" /dev/ubda /dev/ubdc --name t --yes; echo "same name $?"
	naslab status' </dev/null
said=$(cat "$out" "$errors")
holds "status names the absent disk" grep -qF '"absent":["ubdb"]' "$out"
holds "destroy ends with status 1" grep -qx 'status 1' "$out"
holds "and names the disk by its serial" grep -q 'destroyed on the disks that are here: all 3 disks are blank (ubda, ubdc, ubdd); not there, so not cleared: ubdb (serial B2)' "$errors"
holds "the stranger that has its name is whole" grep -qx 'stranger whole' "$out"
is "nothing is left on the others" "$(echo "$said" | grep -c '^0x\|^/dev/ubd[acd]')" 0
holds "again: it still waits" grep -q 't still waits for ubdb (serial B2)' "$errors"
holds "and its name is not free" grep -qx 'same name 3' "$out"
holds "status says so" grep -q '^t  *waiting ' "$out"
holds "and what to do" grep -q 'destroyed but for ubdb.*put it back, then naslab destroy t' "$out"
[ $failed = 0 ] || echo "$said"

take_out A1 X9 C3 D4
put_in X9=$small C3=$large B2=$small
box --keep "$keep" -- sh -c '
	PATH=$PATH:/usr/sbin:/sbin
	mdadm --assemble --run /dev/md127 /dev/ubdc1 >/dev/null 2>&1
	grep -q "^md127 : active" /proc/mdstat && echo "half runs"
	naslab recover --yes; echo "status $?"
	wipefs --noheadings /dev/ubdc; grep "^md" /proc/mdstat
	e2fsck -fn /dev/ubda1 >/dev/null 2>&1 && echo stranger whole
	naslab status
	naslab build "md level=raid1 | ext4" /dev/ubdb /dev/ubdc --name t --yes >/dev/null; echo "same name $?"' </dev/null
said=$(cat "$out" "$errors")
holds "back again, it is cleared" grep -q 't is taken back: the disk ubdc is blank' "$out"
holds "that ends with status 0" grep -qx 'status 0' "$out"
is "nothing is left on it" "$(grep -c '^0x\|^md' "$out")" 0
holds "the stranger is still whole" grep -qx 'stranger whole' "$out"
holds "no build is left" grep -qx 'no builds' "$out"
holds "and the name is free" grep -qx 'same name 0' "$out"
[ $failed = 0 ] || echo "$said"

take_out X9 C3 B2
put_in C3=$large
box --keep "$keep" -- sh -c '
	naslab destroy t --yes --forget; echo "status $?"; wipefs --noheadings /dev/ubda; naslab status' </dev/null
said=$(cat "$out" "$errors")
holds "--forget ends it without the disk" grep -qx 'status 0' "$out"
holds "and names it" grep -q 'the disk ubda is blank; not there, so not cleared: ubdc (serial B2)' "$out"
holds "nothing is waited for" grep -qx 'no builds' "$out"
[ $failed = 0 ] || echo "$said"
finish
