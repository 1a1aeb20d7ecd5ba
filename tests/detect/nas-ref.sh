# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The reference NAS: unequal disks in pairs, one SSD, one disk of each state. Disk sda is
# blank, sdd was in an array, sde has an unmounted ext4, sdf two empty partitions, sdh and
# sdi are one mounted btrfs, sdk carries LVM with /home, the system is on NVMe.
MIB=1048576
sata sda 1 10000831348736 1 'WDC WD100EFAX-68LHPN0' JEK4L2ZN 0x5000cca26b0a1111
sata sdb 2 10000831348736 1 'WDC WD100EFAX-68LHPN0' JEK51Q8N 0x5000cca26b0a2222
sata sdc 3 5000981078016 1 'WDC WD50EFRX-68MYMN1' WD-WX31D5XC71PE 0x50014ee2604d0003
sata sdd 4 5000981078016 1 'WDC WD50EFRX-68MYMN1' WD-WX31D5XC7K02 0x50014ee2604d0004
sata sde 5 3000592982016 1 'WDC WD30EFRX-68EUZN0' WD-WCC4N0K0T1AA 0x50014ee2604d21aa
sata sdf 6 3000592982016 1 'WDC WD30EFRX-68EUZN0' WD-WCC4N0K0TR7C 0x50014ee2604d21ab
sata sdg 7 500107862016 0 'WDC WDS500G2B0A-00SM50' 1915A01849F2C0 0x5001b448b9f2c000
sata sdh 8 4000787030016 1 ST4000VN008-2DR166 ZDH7RW5K 0x5000c500b1110008
sata sdi 9 4000787030016 1 ST4000VN008-2DR166 ZDH7RW61 0x5000c500b1110009
usb  sdj 2-1 8001563222016 1 WD 'My Book 25EE' '' ''
sata sdk 10 2000398934016 1 'TOSHIBA HDWD120' 58LV7KAS 0x5000039fe6d1000b
nvme 0 1 0 256060514304 'SAMSUNG MZVLW256HEHP-000L7' S340NX0K904117 eui.0025385971b04117
optical sr0 11 'DVDRAM GH24NSC0' 11:0 0
virtual zram0 251:0 0
block mmcblk0 179:0 31268536320 'platform/soc/fe320000.mmc/mmc_host/mmc0/mmc0:0001/block'
block mmcblk0boot0 179:32 4194304 \
	'platform/soc/fe320000.mmc/mmc_host/mmc0/mmc0:0001/block/mmcblk0'
set_in mmcblk0boot0 ro 1

# a member of an md array that does not run here, metadata 1.2 on the whole disk
sig sdd linux_raid_member raid 4096 nas:data 2f1c6a0e-7d54-4f6e-9a4b-0c2d9e7a1b11

part sde 1 8:65 $MIB $((3000592982016 - 2 * MIB))
gpt sde 3000592982016 a1a1a1a1-0000-4000-8000-000000000001
sig sde1 ext4 filesystem 1080 backup 7a5e7f3c-1f0e-4f64-9a53-9f2f6b1d0001

part sdf 1 8:81 $MIB 1500000000000
part sdf 2 8:82 1500001927168 1500000000000
gpt sdf 3000592982016 a1a1a1a1-0000-4000-8000-000000000002

sig sdh btrfs filesystem 65600 media 6f0b7f43-4c8c-4d6a-b0f7-000000000003
sig sdi btrfs filesystem 65600 media 6f0b7f43-4c8c-4d6a-b0f7-000000000003
btrfs 6f0b7f43-4c8c-4d6a-b0f7-000000000003 media sdh sdi
mount 0:48 /srv/media btrfs /dev/sdh

part sdj 1 8:145 $MIB $((8001563222016 - 2 * MIB))
gpt sdj 8001563222016
sig sdj1 xfs filesystem 0 usb 7a5e7f3c-1f0e-4f64-9a53-9f2f6b1d0005
mount 8:145 /mnt/usb xfs /dev/sdj1

part sdk 1 8:161 $MIB $((2000398934016 - 2 * MIB))
gpt sdk 2000398934016
sig sdk1 LVM2_member raid 536 '' Zt3Q2y-0000-0000-0000-0000-0000-000006
dm 0 1000000000000 vg0-home LVM-Zt3Q2y0000home
holds dm-0 sdk1
mount 254:0 /home ext4 /dev/mapper/vg0-home

part nvme0n1 1 259:1 $MIB 536870912
part nvme0n1 2 259:2 537919488 240000000000
part nvme0n1 3 259:3 240537919488 15000000000
gpt nvme0n1 256060514304
sig nvme0n1p1 vfat filesystem 54 '' 1A2B-3C4D
sig nvme0n1p2 ext4 filesystem 1080 '' 7a5e7f3c-1f0e-4f64-9a53-9f2f6b1d0007
sig nvme0n1p3 swap other 4086 '' 7a5e7f3c-1f0e-4f64-9a53-9f2f6b1d0008
mount 259:2 / ext4 /dev/nvme0n1p2
mount 259:1 /boot/efi vfat /dev/nvme0n1p1
swap /dev/nvme0n1p3 partition
ram 4022272
