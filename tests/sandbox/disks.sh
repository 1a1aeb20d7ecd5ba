#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# disks - virtual disks keep size, kind, model and serial inside; specs that cannot be.
# shellcheck source=tests/sandbox/lib.sh disable=SC2016,SC2086
. "${srcdir:-.}/tests/sandbox/lib.sh"

set -- --disk 'hdd:3TiB,model=WDC WD30EFRX,serial=WD-1%2' --disk 2xssd:1GiB
i=4
while [ $i -le 15 ]; do
	set -- "$@" --disk "hdd:$((i * 16777216)),serial=S$i"
	i=$((i + 1))
done
box "$@" -- sh -c 'cd /sys/block; for d in ubd*; do
	echo $d $(($(cat $d/size) * 512)) $(cat $d/queue/rotational); done; naslab disks' </dev/null
is "15 disks" $? 0
want=$(echo ubda 3298534883328 1; echo ubdb 1073741824 0; echo ubdc 1073741824 0
	i=4
	while [ $i -le 15 ]; do
		echo "ubd$(echo abcdefghijklmno | cut -c $i) $((i * 16777216)) 1"
		i=$((i + 1))
	done)
is "the kernel sees their sizes and which of them turn" "$(grep '^ubd. [0-9]* [01]$' "$out")" "$want"
holds "model and serial as they were given" grep -q '^ubda .*WDC WD30EFRX.*WD-1%2' "$out"
is "all serials" "$(grep -c 'S[0-9][0-9]* .*free' "$out")" 12

set -- "$@" --disk hdd:1G
box "$@" -- true </dev/null
is "16 disks" "$? $(cat "$errors")" "2 naslab: sandbox: it can have 15 disks, 16 were asked for"

box --disk hdd:400M,rate=20M -- sh -c '
	dd if=/dev/zero of=/dev/ubda bs=1M count=60 oflag=direct 2>&1 | sed -n "s/.* \([0-9.]*\) s, .*/\1/p"' </dev/null
is "60 MiB at rate=20M take 2.5 to 6 s" \
	"$(awk '{ print ($1 > 2.5 && $1 < 6) ? "yes" : $1 }' "$out")" yes

for row in 'hdd 2' 'hdd: 2' 'floppy:1G 2' 'hdd:1G,colour=red 2' '99xhdd:1G 2'; do
	box --disk "${row% *}" -- true </dev/null
	is "--disk ${row% *}" $? "${row#* }"
	is "in one sentence" "$(grep -c '^naslab' "$errors") $(wc -l <"$errors")" "1 1"
done
memory=64M box --disk hdd:1G -- true </dev/null
is "--memory 64M" "$? $(cat "$errors")" \
	"2 naslab: sandbox: 64.0 MiB of memory is too little, it needs 128 MiB"
memory=lots box -- true </dev/null
is "--memory lots" $? 2
memory=900T box -- true </dev/null
is "--memory 900T" $? 1
holds "says where it was looked for" grep -q 'can hold .* of memory' "$errors"
holds "nothing is left" nothing_left
finish
