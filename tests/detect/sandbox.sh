# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Inside the sandbox: ubd disks have a size and a serial; class, model and sectors come
# from the list the sandbox writes. Lines for other disks and words unknown do no harm.
for d in a:0 b:16 c:32 d:48; do
	block "ubd${d%:*}" "98:${d#*:}" 10000831348736 platform/uml-blkdev.0/block
done
put /sys/devices/platform/uml-blkdev.0/block/ubda/serial V0000001
put /sys/devices/platform/uml-blkdev.0/block/ubdd/serial OWN4
put /run/naslab/disks 'ubda kind=hdd model=WDC%20WD100EFAX serial=V0000001 wwn=0x5000 sector=512/4096 rate=180000000 seek=8000000
ubdb kind=ssd model=%1B[2J serial=V0000002 sector=512/512 rate=0 seek=0
ubdc kind=usb rotational=no colour=red sector=9 rate=x model=
ubdz kind=hdd serial=OWN4

ubd kind=hdd serial=short
ubdaa kind=hdd serial=long'
sig ubdb xfs filesystem 0
mount 98:16 /mnt/b xfs /dev/ubdb
ram 1000000
