#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The power fails in the middle of a build: the sandbox is killed, its disks and database
# are booted again, and recover takes back what had been begun. Without udevd nothing is
# assembled then; with it arrays stand under other names.
set -u
# shellcheck source=tests/sandbox/build-lib.sh
. "${srcdir:-.}/tests/sandbox/build-lib.sh"
folder=$(mktemp -d)
keep=$folder/keep
chmod 755 "$folder"
[ "$(id -u)" != 0 ] || chmod 777 "$folder"
trap 'rm -rf "$folder"' EXIT INT TERM
mkfifo "$folder/lines"
bad=0

# cut_at LINE: build until a line of that kind is printed, then pull the plug.
cut_at() {
	rm -rf "$keep"
	# shellcheck disable=SC2086
	timeout 300 "$top/naslab" sandbox --keep "$keep" $four -- \
		naslab build "slice | md redundancy=1 | lvm | xfs" all --name t --yes >"$folder/lines" 2>&1 </dev/null &
	box=$!
	seen=1
	while IFS= read -r line; do
		case $line in *"$1"*) seen=0; break;; esac
	done <"$folder/lines"
	plug=$(pgrep -P $box | head -n 1)
	kill -KILL "$plug" 2>/dev/null
	wait $box 2>/dev/null
	tries=100
	while pgrep -f "$keep" >/dev/null && [ $tries -gt 0 ]; do
		tries=$((tries - 1))
		sleep 0.1
	done
	[ $seen = 0 ] || { echo "not ok - the build never came to \"$1\""; exit 1; }
}

# again OPTION...: the next boot.
again() {
	sandbox_run --keep "$keep" "$@" <<'END'
slow_sync
says "the cut is known" 0 "t was cut short while it was being built" naslab status
check "recover" naslab recover --yes
check "leaves blank disks" blank $all_disks
check "the same is built again on them" naslab build "slice | md redundancy=1 | lvm | xfs" all --name t --yes
check "as planned" sh -c 'naslab status t --json | grep -q "\"agrees\": true"'
check "the file system is empty" sh -c '[ -z "$(ls -A /srv/t)" ]'
check "and destroyed" naslab destroy t --yes
check "to blank disks" blank $all_disks
END
}

for line in "join 4 members" "make the mount point"; do
	echo "# cut after: $line"
	cut_at "$line"
	again || bad=1
done
echo "# cut after: make the mount point, udevd in the next boot"
cut_at "make the mount point"
again --udev || bad=1
exit $bad
