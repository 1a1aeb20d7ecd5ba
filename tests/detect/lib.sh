# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the machines of this folder are written with: the parts of sysfs, the udev database
# and /proc that naslab reads, laid out as Linux lays them out (real folders below
# /sys/devices, links in /sys/block and /sys/class/block). $root is where.

put() { mkdir -p "$root$(dirname "$1")"; printf '%s\n' "$2" >"$root$1"; }

# number NAME: the kernel's major:minor of sdX
number() {
	_i=0 _s=${1#sd}
	while [ -n "$_s" ]; do
		_c=${_s%"${_s#?}"}
		_s=${_s#?}
		_i=$((_i * 26 + $(printf '%d' "'$_c") - 96))
	done
	_i=$((_i - 1))
	if [ "$_i" -lt 16 ]; then
		echo "8:$((_i * 16))"
	else
		echo "$((64 + _i / 16)):$((_i % 16 * 16))"
	fi
}

# block NAME MAJ:MIN BYTES FOLDER: a whole device in /sys/devices/FOLDER/NAME
block() {
	_d=/sys/devices/$4/$1
	mkdir -p "$root$_d/holders" "$root$_d/slaves" "$root/sys/block" "$root/sys/class/block"
	ln -s "../devices/$4/$1" "$root/sys/block/$1"
	ln -s "../../devices/$4/$1" "$root/sys/class/block/$1"
	put "$_d/dev" "$2"
	put "$_d/size" $(($3 / 512))
	put "$_d/removable" 0
	put "$_d/ro" 0
	put "$_d/hidden" 0
	put "$_d/queue/rotational" 0
	put "$_d/queue/logical_block_size" 512
	put "$_d/queue/physical_block_size" 512
	put "$_d/queue/zoned" none
}

set_in() { put "$(readlink "$root/sys/block/$1" | sed 's,^\.\.,/sys,')/$2" "$3"; }

# part DISK NUMBER MAJ:MIN START BYTES
part() {
	case $1 in *[0-9]) _p=$1p$2 ;; *) _p=$1$2 ;; esac
	_d=$(readlink "$root/sys/block/$1" | sed 's,^\.\.,/sys,')
	mkdir -p "$root$_d/$_p/holders"
	ln -s "../..${_d#/sys}/$_p" "$root/sys/class/block/$_p"
	put "$_d/$_p/partition" "$2"
	put "$_d/$_p/dev" "$3"
	put "$_d/$_p/start" $(($4 / 512))
	put "$_d/$_p/size" $(($5 / 512))
	put "$_d/$_p/ro" 0
}

# folder DEVICE: its own folder below the root, also of a partition
folder() { readlink -f "$root/sys/class/block/$1"; }

# holds HOLDER DEVICE...: the links the kernel makes both ways
holds() {
	_h=$1
	shift
	for _x; do
		ln -s "$(folder "$_h")" "$(folder "$_x")/holders/$_h"
		ln -s "$(folder "$_x")" "$(folder "$_h")/slaves/$_x"
	done
}

udev() { mkdir -p "$root/run/udev/data"; printf '%s\n' "$2" >>"$root/run/udev/data/b$1"; }

scsi() {	# NAME VENDOR MODEL TYPE
	_d=$(readlink "$root/sys/block/$1" | sed 's,^\.\.,/sys,')
	put "${_d%/block/*}/vendor" "$(printf '%-8s' "$2")"
	put "${_d%/block/*}/model" "$(printf '%-16.16s' "$3")"
	put "${_d%/block/*}/type" "$4"
	ln -s "../../../$(basename "${_d%/block/*}")" "$root$_d/device"
}

# sata NAME PORT BYTES ROTATIONAL MODEL SERIAL WWN
sata() {
	_n=$(number "$1") _host=$(($2 - 1))
	block "$1" "$_n" "$3" \
	  "pci0000:00/0000:00:17.0/ata$2/host$_host/target$_host:0:0/$_host:0:0:0/block"
	set_in "$1" queue/rotational "$4"
	set_in "$1" queue/physical_block_size 4096
	scsi "$1" ATA "$5" 0
	_d=$(readlink "$root/sys/block/$1" | sed 's,^\.\.,/sys,')
	put "${_d%/block/*}/wwid" "naa.${7#0x}"
	printf '\000\200\000\024%20s' "$6" >"$root${_d%/block/*}/vpd_pg80"
	_u=$(echo "$5" | tr ' ' _)
	udev "$_n" "S:disk/by-id/wwn-$7
S:disk/by-id/ata-${_u}_$6
S:disk/by-path/pci-0000:00:17.0-ata-$2
E:ID_ATA=1
E:ID_TYPE=disk
E:ID_BUS=ata
E:ID_MODEL=$_u
E:ID_MODEL_ENC=$(echo "$5" | sed 's/ /\\x20/g')\\x20\\x20\\x20
E:ID_SERIAL=${_u}_$6
E:ID_SERIAL_SHORT=$6
E:ID_WWN=$7
E:ID_WWN_WITH_EXTENSION=$7"
}

# usb NAME PORT BYTES ROTATIONAL VENDOR MODEL SERIAL WWN; serial and WWN may be empty
usb() {
	_n=$(number "$1")
	block "$1" "$_n" "$3" "pci0000:00/0000:00:14.0/usb2/$2/$2:1.0/host9${2#*-}/target9:0:0/9:0:0:0/block"
	set_in "$1" queue/rotational "$4"
	set_in "$1" queue/physical_block_size 4096
	scsi "$1" "$5" "$6" 0
	udev "$_n" "S:disk/by-path/pci-0000:00:14.0-usb-0:${2#*-}:1.0-scsi-0:0:0:0
E:ID_TYPE=disk
E:ID_BUS=usb
E:ID_VENDOR_ENC=$(printf '%-8s' "$5" | sed 's/ /\\x20/g')
E:ID_MODEL_ENC=$(printf '%-16s' "$6" | sed 's/ /\\x20/g')"
	[ -z "$7" ] || udev "$_n" "S:disk/by-id/usb-${5}_$(echo "$6" | tr ' ' _)_$7-0:0
E:ID_SERIAL_SHORT=$7
E:ID_USB_SERIAL_SHORT=$7"
	[ -z "$8" ] || udev "$_n" "S:disk/by-id/wwn-$8
E:ID_WWN=$8"
}

# nvme CONTROLLER NAMESPACE MINOR BYTES MODEL SERIAL WWID
nvme() {
	_n=nvme$1n$2 _c=pci0000:00/0000:00:1d.0/0000:0$(($1 + 3)):00.0/nvme/nvme$1
	block "$_n" "259:$3" "$4" "$_c"
	put "/sys/devices/$_c/model" "$(printf '%-40s' "$5")"
	put "/sys/devices/$_c/serial" "$(printf '%20s' "$6")"
	put "/sys/devices/$_c/$_n/wwid" "$7"
	put "/sys/devices/$_c/$_n/nsid" "$2"
	ln -s "../../nvme$1" "$root/sys/devices/$_c/$_n/device"
	_u=$(echo "$5" | tr ' ' _)
	udev "259:$3" "S:disk/by-id/nvme-${_u}_$6
S:disk/by-id/nvme-${_u}_$6_$2
S:disk/by-id/nvme-$7
S:disk/by-path/pci-0000:0$(($1 + 3)):00.0-nvme-$2
E:ID_MODEL=$5
E:ID_SERIAL_SHORT=$6
E:ID_WWN=$7"
}

# optical NAME PORT MODEL MAJ:MIN SIZE
optical() {
	_host=$(($2 - 1))
	block "$1" "$4" "$5" \
	  "pci0000:00/0000:00:17.0/ata$2/host$_host/target$_host:0:0/$_host:0:0:0/block"
	set_in "$1" removable 1
	set_in "$1" queue/logical_block_size 2048
	set_in "$1" queue/physical_block_size 2048
	scsi "$1" HL-DT-ST "$3" 5
}

virtual() { block "$1" "$2" "$3" virtual/block; }	# NAME MAJ:MIN BYTES

# dm NUMBER BYTES NAME UUID
dm() {
	virtual "dm-$1" "254:$1" "$2"
	put "/sys/devices/virtual/block/dm-$1/dm/name" "$3"
	put "/sys/devices/virtual/block/dm-$1/dm/uuid" "$4"
	put "/sys/devices/virtual/block/dm-$1/dm/suspended" 0
}

# btrfs UUID LABEL DEVICE...
btrfs() {
	_f=/sys/fs/btrfs/$1
	put "$_f/label" "$2"
	shift 2
	mkdir -p "$root$_f/devices"
	for _x; do ln -s "$(folder "$_x")" "$root$_f/devices/$_x"; done
}

# mount MAJ:MIN PLACE TYPE SOURCE [ROOT]
mount_id=30
mount() {
	mount_id=$((mount_id + 1))
	mkdir -p "$root/proc/self"
	printf '%s\n' "$mount_id 28 $1 ${5:-/} $2 rw,relatime shared:1 - $3 $4 rw" \
		>>"$root/proc/self/mountinfo"
}

swap() {
	[ -e "$root/proc/swaps" ] || put /proc/swaps \
		'Filename				Type		Size		Used		Priority'
	printf '%-40s%-16s%s\t\t0\t\t-2\n' "$1" "$2" 8388604 >>"$root/proc/swaps"
}

ram() { put /proc/meminfo "MemTotal:       $(printf '%8d' "$1") kB"; }

# sig ON TYPE USAGE OFFSET LABEL UUID
sig() {
	mkdir -p "$root/naslab"
	printf '%s %s %s %s %s %s\n' "$1" "$2" "$3" "$4" "${5:--}" "${6:--}" >>"$root/naslab/signatures"
}

# gpt DISK BYTES: both tables and the protective MBR
gpt() {
	sig "$1" PMBR table 510
	sig "$1" gpt table 512 "" "${3:-}"
	sig "$1" gpt table $(($2 - 512)) "" "${3:-}"
}
