#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds that go wrong or lose their screen: a step that fails, a size that is not the
# planned one, SIGTERM, SIGHUP, SIGKILL, and two executors that want the same disks.
set -u
# shellcheck source=tests/sandbox/build-lib.sh
. "${srcdir:-.}/tests/sandbox/build-lib.sh"

# shellcheck disable=SC2086
sandbox_run $four <<'END'
slow_sync
layout="slice | md redundancy=1 | lvm | xfs"
build() { naslab build "$layout" all --name "${1:-t}" --yes; }
shadow() { cat >/usr/local/sbin/"$1"; chmod +x /usr/local/sbin/"$1"; }
began() { sqlite3 $db "SELECT event FROM events" | grep -q "\"state\":\"run\".*$1"; }
go() { timeout 20 sh -c "echo go >/tmp/gate"; }
# A build in the background, up to the gate in its vgcreate.
build_to_gate() {
	sqlite3 $db "DELETE FROM events"
	naslab build "$layout" all --name t --yes >/tmp/out 2>&1 &
	screen=$!
	check "the build reaches the gate" until_true 120 began "volume group t"
}
executor_pid() { sqlite3 $db "SELECT executor_pid FROM builds WHERE state = 'running'"; }

# A step that fails is taken back with everything before it.
printf '#!/bin/sh\necho "no room for another group" >&2\nexit 5\n' | shadow vgcreate
says "a failing step names itself and the tool's words" 1 \
	"join them into the volume group t): vgcreate ended with status 5: no room for another group" build
check "and says that the disks are blank" grep -q "taken back: all 4 disks are blank" /tmp/said
check "and they are" blank $all_disks
check "it is failed" is_state t failed

# A device that is not what was planned.
printf '#!/bin/sh\nshift 7\nexec /usr/sbin/lvcreate --yes -Wn -Zn --extents 50%%FREE "$@"\n' | shadow lvcreate
rm /usr/local/sbin/vgcreate
says "a volume of the wrong size" 1 "planned " build
check "is taken back" blank $all_disks
rm /usr/local/sbin/lvcreate

# SIGTERM: the step ends, then all is taken back. A pipe keeps vgcreate until it was sent.
mkfifo /tmp/gate
printf '#!/bin/sh\nread x </tmp/gate\nexec /usr/sbin/vgcreate "$@"\n' | shadow vgcreate
build_to_gate
kill -TERM "$(executor_pid)"
go
wait $screen
report "$([ $? = 1 ]; echo $?)" "SIGTERM ends it with 1"
check "after the step, as was asked" grep -q "as was asked; taken back: all 4 disks are blank" /tmp/out
check "SIGTERM leaves blank disks" blank $all_disks

# SIGHUP: the screen goes, the build goes on; meanwhile nobody else gets its disks.
build_to_gate
kill -HUP $screen
wait $screen
says "a second naslab is kept off" 3 "ubda" naslab build "part | xfs" ubda --name other --yes --wipe ubda
says "destroy is kept off too" 3 "is being worked on by another naslab" naslab destroy t --yes
says "nothing to recover while it works" 0 "nothing was cut short" naslab recover --yes
go
check "without its screen it is built" until_true 60 is_state t built
check "as planned" sh -c 'naslab status t --json | grep -q "\"agrees\": true"'

# In use: destroy stops, says by whom, and can be asked again.
sh -c 'cd /srv/t && exec sleep 1000' &
user=$!
until_true 10 test -e /proc/$user/cwd
says "destroy of a folder in use names who uses it" 1 "sleep (pid $user)" naslab destroy t --yes
check "the volume is still mounted" mountpoint -q /srv/t
kill $user
wait $user 2>/dev/null
check "asked again it is destroyed" naslab destroy t --yes
check "to blank disks" blank $all_disks

# SIGKILL: the journal knows what was begun.
build_to_gate
kill -KILL "$(executor_pid)"
wait $screen
report "$([ $? = 1 ]; echo $?)" "the screen says that the executor died"
check "and what helps" grep -q "naslab recover" /tmp/out
says "status says it too" 0 "t was cut short while it was being built" naslab status
says "its disks are not blank until then" 2 "there is none" naslab build "$layout" all --name t --yes
check "recover" naslab recover --yes
check "leaves blank disks" blank $all_disks
says "and nothing to do" 0 "nothing was cut short" naslab recover --yes
rm /usr/local/sbin/vgcreate

# Locks.
mkdir -p /run/naslab
echo "build of x, pid 1" >/run/naslab/ubdc.lock
flock /run/naslab/ubdc.lock sleep 1000 &
holder=$!
until_true 10 sh -c '! flock -n /run/naslab/ubdc.lock true'
says "a locked disk" 3 "ubdc is being worked on by another naslab (build of x, pid 1)" build
pkill -P $holder
wait $holder 2>/dev/null
check "nothing was written" blank $all_disks
build a >/tmp/a 2>&1 &
a=$!
build b >/tmp/b 2>&1 &
b=$!
wait $a; a=$?
wait $b; b=$?
case "$a $b" in "0 3"|"3 0") good=0;; *) good=1; echo "$a $b"; tail -n 3 /tmp/a /tmp/b;; esac
report $good "two at once: one builds, the other is refused"
[ $a = 0 ] && name=a || name=b
check "the one that was built is destroyed" naslab destroy $name --yes
check "and the disks are blank" blank $all_disks
END
