#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What build must not touch, and that it says why: in use, not blank, forgotten leftovers,
# a wrong word, a missing tool, a database that cannot be written, a forged order.
set -u
# shellcheck source=tests/sandbox/build-lib.sh
. "${srcdir:-.}/tests/sandbox/build-lib.sh"

# shellcheck disable=SC2086
sandbox_run $four <<'END'
slow_sync
r1() { naslab build "md level=raid1 | ext4" ubda ubdb --name t --yes "$@"; }

# In use.
mkfs.ext4 -q /dev/ubda && mkdir -p /mnt/x && mount /dev/ubda /mnt/x && echo precious >/mnt/x/file
says "a mounted disk" 3 "ubda cannot be used" r1
says "a mounted disk, --wipe or not" 3 "ubda cannot be used" r1 --wipe ubda
check "what was on it is still there" grep -q precious /mnt/x/file
umount /mnt/x
mkswap /dev/ubdb >/dev/null && swapon /dev/ubdb
says "swap" 3 "ubdb carries the running system and is never used" r1 --wipe ubda --wipe ubdb
swapoff /dev/ubdb && wipefs -aq /dev/ubdb

# Not in use, but not blank.
says "a disk with ext4" 3 "ubda is not blank" r1
says "naming another with --wipe" 3 "ubda is not blank" r1 --wipe ubdb
says "--wipe of a disk that is not used" 2 "names none of the disks" r1 --wipe ubda --wipe ubdd
mount /dev/ubda /mnt/x
check "nothing of it was touched" grep -q precious /mnt/x/file
umount /mnt/x
wipefs -aq /dev/ubda
echo "label: gpt" | sfdisk -q /dev/ubda
dd if=/dev/zero of=/dev/ubda bs=512 count=34 status=none && blockdev --rereadpt /dev/ubda
says "a backup GPT only" 3 "ubda is not blank" r1
wipefs -aq /dev/ubda
dd if=/dev/zero of=/dev/ubda bs=512 seek=1228766 count=34 status=none 2>/dev/null
mdadm --create /dev/md9 --run --homehost=any --metadata=1.0 --level=1 --raid-devices=2 \
	--assume-clean /dev/ubda /dev/ubdb >/dev/null 2>&1
mdadm --stop /dev/md9 >/dev/null 2>&1
says "an old md superblock" 3 "ubda is not blank" r1
mdadm --zero-superblock /dev/ubda /dev/ubdb

# Words.
says "the same disk twice" 2 "ubda" naslab build "md level=raid1 | ext4" ubda /dev/ubda --name t --yes
says "a virtual disk" 3 "does not exist" naslab build "part | ext4" hdd:4T --name t --yes
says "a disk that is not there" 2 "sdz" naslab build "part | ext4" /dev/sdz --name t --yes
says "no name" 2 "--name" naslab build "part | ext4" ubda --yes
says "a bad name" 2 "is no name for a build" naslab build "part | ext4" ubda --yes --name "a b;c"
says "no terminal and no --yes" 2 "--yes" setsid naslab build "part | ext4" ubda --name t
says "the wrong word" 1 'that was not "t"' script -qec "printf 'wrong\n' | script -qec \"naslab build 'part | ext4' ubda --name t\" /dev/null" /dev/null
check "nothing was written for any of this" blank $all_disks

# A tool that is missing is said before anything is written.
mv /usr/sbin/mdadm /usr/sbin/mdadm.away
says "no mdadm" 1 "apt install mdadm" r1
mv /usr/sbin/mdadm.away /usr/sbin/mdadm

# So is what the tool cannot do; the refusal looks at which programs are installed only.
for tool in zfs-fuse zpool zfs; do
	[ -x "/usr/sbin/$tool" ] || { echo "#!/bin/false" >"/usr/sbin/$tool" && chmod 755 "/usr/sbin/$tool"; }
done
says "lz4 with zfs-fuse" 1 "compression=gzip or off" naslab build "part | zfs type=mirror" ubda ubdb --name t --yes

# The database.
mkdir -p /tmp/small && mount -t tmpfs -o size=32k none /tmp/small
says "a database on a full disk" 1 "is full" r1 --db /tmp/small/x.db
says "a database that is a folder" 1 "is not a file" r1 --db /tmp/small
head -c 20000 /dev/urandom >/tmp/garbage.db
says "a database that is garbage" 1 "not a naslab database" r1 --db /tmp/garbage.db
check "still nothing was written" blank $all_disks

# An order: forged, or for other disks than these.
check "a build" r1
check "taken down" naslab destroy t --yes
sqlite3 $db "SELECT order_json FROM builds WHERE name = 't' LIMIT 1" >/tmp/order
order() { sed "$1" /tmp/order | naslab executor; }
says "an order with another layout than was shown" 3 "not the one that was shown" \
	order 's/level=raid1/level=raid0/'
says "an order for a disk of another serial" 3 "is not the disk it was" order 's/"serial":"[^"]*"/"serial":"FORGED"/'
says "an order for a disk of another size" 3 "is not the disk it was" order 's/"bytes":[0-9]*/"bytes":4096/'
says "an order with an unknown verb" 2 "knows no verb" order 's/"verb":"build"/"verb":"format"/'
says "an order that is no JSON" 2 "this is no order" order 's/{/(/'
mkfs.ext4 -q -F /dev/ubda
says "a disk that was blank when it was planned" 3 "it was blank" order ''
wipefs -aq /dev/ubda
check "and nothing was written" blank $all_disks

# With --wipe it is built, and a second time over what the first left behind.
mkfs.ext4 -q -F /dev/ubda
echo "label: dos" | sfdisk -q /dev/ubdb
check "named with --wipe it is built" r1 --wipe ubda --wipe /dev/ubdb
says "a build of that name is there" 3 "cannot be used" r1
check "and taken down" naslab destroy t --yes
check "to blank disks" blank $all_disks
END
