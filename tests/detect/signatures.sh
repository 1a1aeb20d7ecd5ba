#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Is everything recognised that lies on a disk? Images are made with the real tools (those
# that are installed) or by writing a superblock's magic where its format defines it. The
# offsets wanted are those of the formats; wipefs, if there, must not see more than we do.
# Needs no root and no loop device.
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
img=$dir/image
size=419430400
failed=0 checked=0
PATH=$PATH:/usr/sbin:/sbin

fresh() { rm -f "$img"; truncate -s $size "$img"; }
have() { command -v "$1" >/dev/null || { echo "skip - $1 is not installed"; return 1; }; }
# shellcheck disable=SC2059	# the text is octal for printf
at() { printf "$2" | dd of="$img" bs=1 seek="$1" conv=notrunc status=none; }

# check WHAT "OFFSET TYPE" ...: exactly these, in this order
check() {
	what=$1
	shift
	tests/detect/sigs "$img" >"$dir/got" || failed=1
	: >"$dir/want"
	for line; do echo "$line" >>"$dir/want"; done
	checked=$((checked + 1))
	if ! diff "$dir/want" "$dir/got"; then
		echo "not ok - $what"
		failed=1
	elif command -v wipefs >/dev/null && ! peer; then
		echo "not ok - $what: wipefs sees more"
		failed=1
	else
		echo "ok - $what"
	fi
}

peer() {
	wipefs -p -n "$img" | grep -v '^#' | while IFS=, read -r offset _ _ type; do
		echo "$((offset)) $type"
	done | while read -r line; do
		grep -qxF "$line" "$dir/got" || { echo "only wipefs: $line"; exit 1; }
	done
}

fresh
check "a blank disk has nothing"
at 0 'just some text'
at 1048576 'and more of it'
check "bytes that mean nothing are no signature"

if have mkfs.ext4; then
	fresh
	mkfs.ext4 -q "$img" && check "ext4" "1080 ext4"
fi
if have mkfs.xfs; then
	fresh
	mkfs.xfs -q "$img" && check "xfs" "0 xfs"
fi
if have mkswap; then
	fresh
	mkswap -q "$img" 2>/dev/null && check "swap" "4086 swap"
fi
if have cryptsetup; then
	fresh
	echo secret | cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 \
		--pbkdf-force-iterations 1000 "$img" - &&
		check "LUKS2, both headers" "0 crypto_LUKS" "16384 crypto_LUKS"
fi
if have make-bcache; then
	fresh
	make-bcache -B "$img" >/dev/null && check "bcache" "4120 bcache"
fi
if have sfdisk; then
	fresh
	printf 'label: gpt\n,100M\n,100M\n' | sfdisk -q "$img"
	check "GPT with its backup" "510 PMBR" "512 gpt" "$((size - 512)) gpt"
	dd if=/dev/zero of="$img" bs=1M count=1 conv=notrunc status=none
	check "the backup GPT of a disk whose head was zeroed (regress-C36)" "$((size - 512)) gpt"
	printf 'label: dos\n,100M\n' | sfdisk -q --wipe always "$img"
	check "DOS table over it" "510 dos" "$((size - 512)) gpt"
	if have mkfs.btrfs; then
		fresh
		printf 'label: gpt\n,100M\n' | sfdisk -q "$img"
		mkfs.btrfs -q -f "$img" >/dev/null
		printf 'label: gpt\n,100M\n' | sfdisk -q --wipe never "$img"
		check "btrfs and GPT on one disk (C36)" "510 PMBR" "512 gpt" "65600 btrfs" \
			"$((size - 512)) gpt"
	fi
fi

# the backup GPT of a disk with sectors of 4096 lies one such sector before the end
fresh
at $((size - 4096)) 'EFI PART'
check "backup GPT of a 4Kn disk" "$((size - 4096)) gpt"

# md: magic a92b4efc, little endian; 0.90 in the last whole 64 KiB but one, 1.0 in the
# last 8 KiB rounded down to 4 KiB, 1.1 at the start, 1.2 at 4 KiB. 1.x says where it is.
md1() { at "$1" '\374\116\053\251\001\000\000\000'; at $(($1 + 144)) "$2"; }
fresh
at $((size / 65536 * 65536 - 65536)) '\374\116\053\251\000\000\000\000\132\000\000\000'
check "md 0.90" "$((size / 65536 * 65536 - 65536)) linux_raid_member"
fresh
sector=$((size / 512 - 16))
octal=$(printf '\\%03o\\%03o\\%03o\\000' $((sector & 255)) $((sector >> 8 & 255)) \
	$((sector >> 16 & 255)))
md1 $((size - 8192)) "$octal"
check "md 1.0" "$((size - 8192)) linux_raid_member"
fresh
md1 0 '\000'
check "md 1.1" "0 linux_raid_member"
fresh
md1 4096 '\010'
check "md 1.2" "4096 linux_raid_member"
at $((size / 65536 * 65536 - 65536)) '\374\116\053\251\000\000\000\000\132\000\000\000'
check "md 1.2 and a forgotten 0.90" "4096 linux_raid_member" \
	"$((size / 65536 * 65536 - 65536)) linux_raid_member"

# BIOS RAID, in the last sectors (C34)
fresh
at $((size - 1024)) 'Intel Raid ISM Cfg Sig. 1.3.00'
check "Intel BIOS RAID" "$((size - 1024)) isw_raid_member"
fresh
at $((size - 512)) '\336\021\336\021'
at $((size - 512 + 32)) '01.02.00'
check "DDF BIOS RAID" "$((size - 512)) ddf_raid_member"

rm -f "$img"
tests/detect/sigs "$img" >"$dir/got" && failed=1
grep -q "cannot be opened" "$dir/got" || { echo "not ok - no device, no answer"; failed=1; }
tests/detect/sigs "$dir" >"$dir/got" && { echo "not ok - a folder is no blank disk"; failed=1; }

[ $checked -ge 9 ] || { echo "not ok - only $checked images were checked"; failed=1; }
exit $failed
