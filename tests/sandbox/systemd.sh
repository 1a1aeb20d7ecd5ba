#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# systemd - the units a build leaves, read by the systemd of this machine: started as the
# first process of a namespace inside the sandbox, it mounts what they say, the branches
# before what joins them, and a unit whose disk is not there keeps nobody waiting.
# shellcheck source=tests/sandbox/lib.sh disable=SC2016
. "${srcdir:-.}/tests/sandbox/lib.sh"
for tool in mkfs.ext4 mergerfs nsenter unshare; do
	PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null || { echo "skip - no $tool"; exit 77; }
done
[ -x /lib/systemd/systemd ] || { echo "skip - systemd is not installed"; exit 77; }
memory=768M

box --udev --disk 2xhdd:400MiB -- sh -c '
	PATH=$PATH:/usr/sbin:/sbin
	naslab build "part | ext4 mount=noatime | mergerfs" all --name p --yes >/dev/null || exit 1
	echo kept >/srv/p/file
	umount /srv/p /srv/p-branches/*
	units=/etc/systemd/system
	sed -e "s,by-uuid/.*,by-uuid/00000000-0000-0000-0000-000000000000," -e "s,/srv/p,/srv/gone,g" \
		"$units/srv-p\x2dbranches-ubda1.mount" >"$units/srv-gone\x2dbranches-ubda1.mount"
	ln -s "$units/srv-gone\x2dbranches-ubda1.mount" $units/local-fs.target.wants/
	mkdir -p /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup
	unshare --fork --pid --mount --mount-proc env container=naslab /lib/systemd/systemd --system \
		--unit=local-fs.target --show-status=0 >/tmp/log 2>&1 &
	for i in $(seq 120); do
		first=$(pgrep -x systemd | head -n 1)
		[ -n "$first" ] && grep -q "mergerfs" "/proc/$first/mounts" && break
		sleep 0.5
	done
	grep /srv "/proc/$first/mounts"
	cat "/proc/$first/root/srv/p/file"
	kill -9 "$first"
	[ -s /tmp/log ] && cat /tmp/log
	true' </dev/null
is "systemd starts inside" "$? $(cat "$errors")" "0 "
is "it mounts the branches by their UUID, with their options" \
	"$(grep -c '^/dev/ubd[ab]1 /srv/p-branches/ubd[ab]1 ext4 rw,noatime' "$out")" 2
holds "and what joins them" grep -q '^p /srv/p fuse.mergerfs ' "$out"
is "what joins them comes last" "$(grep -n 'srv/p' "$out" | tail -n 1 | grep -c mergerfs)" 1
holds "the files are there" grep -qx kept "$out"
[ $failed = 0 ] || cat "$out"
finish
