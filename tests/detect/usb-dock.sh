# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A chassis of 30 disks, sda to sdad, with the system on sdac (case C54), and a dock with
# two USB bridges of the same serial and WWN (C50), one of which shows sectors of 4096
# (C26); a card reader without a card (C44), an optical drive that does not rotate and has
# a disc in it (C43), a disk without (C51) and one with a blank serial, a read-only disk
# (C48), a host-managed one (C47), a SAS disk whose udev serial is its WWN (C52), an iSCSI
# LUN and DRBD (C93), nbd, floppy and loop (C42).
MIB=1048576
i=0
for a in '' a; do
	for b in a b c d e f g h i j k l m n o p q r s t u v w x y z; do
		[ $i -lt 30 ] || break
		i=$((i + 1))
		sata "sd$a$b" $i 4000787030016 1 GENERIC-HDD "NLSER0$((122 + i))" \
			"0x5000c50000000$((122 + i))"
	done
done
part sdac 1 65:193 $MIB 1073741824
gpt sdac 4000787030016
sig sdac1 ext4 filesystem 1080 '' 33333333-0000-4000-8000-000000000001
mount 65:193 / ext4 /dev/sdac1

usb sdae 2-1 1000204886016 0 ASMT ASM236X 0000000000CA 0x5000000000000001
usb sdaf 2-2 1000204886016 0 ASMT ASM236X 0000000000CA 0x5000000000000001
set_in sdaf queue/logical_block_size 4096
usb sdag 2-3 0 1 Generic CARD-READER 000000000001 ''
set_in sdag removable 1
optical sr0 40 BD-RE 11:0 4700372992

sata sdah 41 21474836480 1 VIRTUAL-DISK '' 0x
rm "$root/run/udev/data/b$(number sdah)" "$root/sys/block/sdah/device/wwid"
sata sdai 42 21474836480 1 VIRTUAL-DISK '   ' 0x
printf '%s\n' 'E:ID_SERIAL_SHORT=   ' >"$root/run/udev/data/b$(number sdai)"
rm "$root/sys/block/sdai/device/wwid"
sata sdaj 43 4000787030016 1 GENERIC-HDD NLSER0201 0x5000c50000000201
set_in sdaj ro 1
sata sdak 44 14000519643136 1 ZBC-HDD NLSER0202 0x5000c50000000202
set_in sdak queue/zoned host-managed

block sdal 66:80 8001563222016 'pci0000:00/0000:00:1c.0/0000:05:00.0/host60/port-60:0/end_device-60:0/target60:0:0/60:0:0:0/block'
set_in sdal queue/rotational 1
scsi sdal HGST HUS728T8TAL 0
udev 66:80 'S:disk/by-id/scsi-35000cca000000001
S:disk/by-id/wwn-0x5000cca000000001
E:ID_SERIAL_SHORT=5000cca000000001
E:ID_SCSI_SERIAL=NLHGST01
E:ID_MODEL_ENC=HUS728T8TAL\x20\x20\x20\x20\x20
E:ID_WWN=0x5000cca000000001'
mkdir -p "$root/sys/block/sdal/device/enclosure_device:SLOT 12"

block sdam 66:96 4000787030016 'platform/host61/session1/target61:0:0/61:0:0:0/block'
set_in sdam queue/rotational 1
scsi sdam LIO-ORG IBLOCK 0
udev 66:96 'E:ID_SERIAL_SHORT=NLISCSI1'

virtual nbd0 43:0 0
virtual drbd0 147:0 4000787030016
block fd0 2:0 4096 platform/floppy.0/block
virtual loop0 7:0 68157440
put /sys/devices/virtual/block/loop0/loop/backing_file /var/lib/core.squashfs
mount 7:0 /snap/core squashfs /dev/loop0
virtual loop1 7:1 0
ram 65536000
