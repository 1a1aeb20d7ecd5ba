# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A laptop whose root is LUKS on nvme0n1p3, and a btrfs over three disks of which the
# mount table names only one (case C38). md holds old arrays that nobody mounted (C37), a
# BIOS RAID pair is mapped (C34), sdh has four kinds of users on its partitions (C40), sdi
# carries the atari false match (C35). An eMMC has areas that must not be opened (C45).
MIB=1048576
nvme 0 1 0 512110190592 'SSD 980' NLX000001 eui.0002000000000001
part nvme0n1 1 259:1 $MIB 536870912
part nvme0n1 2 259:2 537919488 1073741824
part nvme0n1 3 259:3 1611661312 500000000000
gpt nvme0n1 512110190592
sig nvme0n1p1 vfat filesystem 54 '' 5E5E-0001
sig nvme0n1p2 ext4 filesystem 1080 boot 44444444-0000-4000-8000-000000000002
sig nvme0n1p3 crypto_LUKS crypto 0 '' 44444444-0000-4000-8000-000000000003
dm 0 499983222784 luks-root CRYPT-LUKS2-44444444000040008000000000000003-luks-root
holds dm-0 nvme0n1p3
mount 254:0 / ext4 /dev/mapper/luks-root
mount 259:2 /boot ext4 /dev/nvme0n1p2

sata sdd 1 10000831348736 1 GENERIC-HDD NLSER0096 0x5000c50000000096
sata sdf 2 18000207937536 1 GENERIC-HDD NLSER0097 0x5000c50000000097
sata sdg 3 16000900661248 1 GENERIC-HDD NLSER0098 0x5000c50000000098
for d in sdd:8:49 sdf:8:81 sdg:8:97; do
	part "${d%%:*}" 1 "${d#*:}" $MIB 9000000000000
	sig "${d%%:*}1" btrfs filesystem 65600 storage 55555555-0000-4000-8000-000000000001
done
gpt sdd 10000831348736
gpt sdf 18000207937536
gpt sdg 16000900661248
btrfs 55555555-0000-4000-8000-000000000001 storage sdd1 sdf1 sdg1
mount 0:52 /srv/storage btrfs /dev/sdd1

sata sda 4 4000787030016 1 GENERIC-HDD NLSER0094 0x5000c50000000094
sata sdb 5 4000787030016 1 GENERIC-HDD NLSER0095 0x5000c50000000095
part sda 1 8:1 $MIB 46000000000
part sdb 1 8:17 $MIB 46000000000
virtual md127 9:127 46000000000
put /sys/devices/virtual/block/md127/md/level raid1
holds md127 sda1 sdb1
sig sda1 linux_raid_member raid 4096 old:0 66666666-0000-4000-8000-000000000001
sig sdb1 linux_raid_member raid 4096 old:0 66666666-0000-4000-8000-000000000001

sata sdj 6 1000204886016 1 GENERIC-HDD NLSER0089 0x5000c50000000089
sata sdk 7 1000204886016 1 GENERIC-HDD NLSER0090 0x5000c50000000090
sata sdl 8 1000204886016 1 GENERIC-HDD NLSER0091 0x5000c50000000091
dm 1 950000000000 isw_volume DMRAID-isw_volume
holds dm-1 sdj sdk
sig sdj isw_raid_member raid 1000204884992
sig sdk isw_raid_member raid 1000204884992
sig sdl ddf_raid_member raid 1000204885504

sata sdh 9 4000787030016 1 GENERIC-HDD NLSER0101 0x5000c50000000101
part sdh 1 8:113 $MIB 1073741824
part sdh 4 8:116 2147483648 8589934592
part sdh 6 8:118 10737418240 107374182400
part sdh 8 8:120 118111600640 107374182400
gpt sdh 4000787030016
mount 8:113 /var/mnt ext4 /dev/sdh1
swap /dev/sdh4 partition
dm 2 107374182400 scratch ''
holds dm-2 sdh6
virtual md126 9:126 107374182400
put /sys/devices/virtual/block/md126/md/level raid1
holds md126 sdh8

sata sdi 10 4000787030016 0 GENERIC-SSD NLSER0092 0x5000c50000000092
sig sdi atari table 454

# a disk whose only user is a loop device on it, and one with a file behind another loop
sata sdm 11 2000398934016 1 GENERIC-HDD NLSER0210 0x5000c50000000210
sata sdn 12 2000398934016 1 GENERIC-HDD NLSER0211 0x5000c50000000211
virtual loop0 7:0 2000398934016
put /sys/devices/virtual/block/loop0/loop/backing_file /dev/sdm
virtual loop1 7:1 1000000000
put /sys/devices/virtual/block/loop1/loop/backing_file /srv/images/vm.img
sig sdn xfs filesystem 0 images 77777777-0000-4000-8000-000000000001
mount 8:208 /srv/images xfs /dev/sdn
swap /srv/images/swapfile file

# a bcache pair: the cache device has no holder of its own
sata sdo 13 4000787030016 1 GENERIC-HDD NLSER0212 0x5000c50000000212
sata sdp 14 500107862016 0 GENERIC-SSD NLSER0213 0x5000c50000000213
virtual bcache0 252:0 4000787021824
holds bcache0 sdo
mkdir -p "$root/sys/block/sdp/bcache/set"
sig sdo bcache other 4120 '' 88888888-0000-4000-8000-000000000001
sig sdp bcache other 4120 '' 88888888-0000-4000-8000-000000000002
mount 252:0 /srv/cached xfs /dev/bcache0

virtual zram0 251:0 8000000000
swap /dev/zram0 partition
mmc='platform/soc/fe320000.mmc/mmc_host/mmc0/mmc0:0001/block'
block mmcblk0 179:0 31268536320 "$mmc"
put "/sys/devices/${mmc%/block}/name" EMMC32G
put "/sys/devices/${mmc%/block}/serial" 0x0109abcd
ln -s ../../../mmc0:0001 "$root/sys/devices/$mmc/mmcblk0/device"
for area in boot0:32 boot1:64 rpmb:96; do
	block "mmcblk0${area%:*}" "179:${area#*:}" 4194304 "$mmc/mmcblk0"
done
ram 8000000
