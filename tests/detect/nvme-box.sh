# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A small box with NVMe only. The first drive has two namespaces of one serial (case C53):
# nvme0n1 has root, swap and the first half of vg-data; nvme0n2 is blank. nvme1n1 is the
# second half of the same volume group (case C39), with a hyphen in its name, and nvme2n1
# was a whole btrfs made over an old GPT (case C36). nvme3n1 is broken and says 32 KiB (C46).
MIB=1048576
nvme 0 1 0 480103981056 'NVME MULTI NS' NLNVME01 eui.0001000000000001
nvme 0 2 8 480103981056 'NVME MULTI NS' NLNVME01 eui.0001000000000002
nvme 1 1 16 512110190592 'SSD 980' NLX000001 eui.0002000000000001
nvme 2 1 24 4000787030016 'SSD 990' NLX000002 eui.0002000000000002
nvme 3 1 32 32768 'BROKEN SSD' NLX000003 eui.0002000000000003

part nvme0n1 1 259:1 $MIB 1073741824
part nvme0n1 2 259:2 1074790400 100000000000
part nvme0n1 3 259:3 101074796544 8589934592
part nvme0n1 4 259:4 109664731136 300000000000
gpt nvme0n1 480103981056
sig nvme0n1p1 vfat filesystem 54 '' 5E5E-0001
sig nvme0n1p2 xfs filesystem 0 root 11111111-0000-4000-8000-000000000002
sig nvme0n1p3 swap other 4086 '' 11111111-0000-4000-8000-000000000003
sig nvme0n1p4 LVM2_member raid 536 '' aaaaaa-0000-0000-0000-0000-0000-000001
mount 259:2 / xfs /dev/nvme0n1p2
mount 259:1 /boot vfat /dev/nvme0n1p1
swap /dev/nvme0n1p3 partition

part nvme1n1 1 259:17 $MIB $((512110190592 - 2 * MIB))
gpt nvme1n1 512110190592
sig nvme1n1p1 LVM2_member raid 536 '' aaaaaa-0000-0000-0000-0000-0000-000002
dm 0 700000000000 vg--data-home LVM-aaaaaahome
dm 1 1000000000 vg--data-my--scratch LVM-aaaaaascratch
holds dm-0 nvme0n1p4 nvme1n1p1
holds dm-1 nvme1n1p1
mount 254:0 /home xfs /dev/mapper/vg--data-home

# a third part of vg-data with no volume on it: no holder shows it; and a group not active
nvme 4 1 40 1000204886016 'SSD 970' NLX000004 eui.0002000000000004
sig nvme4n1 LVM2_member raid 536 vg-data aaaaaa-0000-0000-0000-0000-0000-000003
nvme 5 1 48 1000204886016 'SSD 970' NLX000005 eui.0002000000000005
sig nvme5n1 LVM2_member raid 536 vg bbbbbb-0000-0000-0000-0000-0000-000001

part nvme2n1 1 259:25 $MIB 2147482599424
part nvme2n1 2 259:26 2147483648000 8589934592
gpt nvme2n1 4000787030016
sig nvme2n1 btrfs filesystem 65600 '' 22222222-0000-4000-8000-000000000001
sig nvme2n1p1 ext4 filesystem 1080 old 22222222-0000-4000-8000-000000000002
sig nvme2n1p2 swap other 4086 '' 22222222-0000-4000-8000-000000000003
ram 16384000
