#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# user - the kernel never runs as root: started as root it runs as the user who called sudo
# or as nobody, also from a folder that user cannot look into; started by a user, as that.
# shellcheck source=tests/sandbox/lib.sh disable=SC2016
. "${srcdir:-.}/tests/sandbox/lib.sh"

runs_as() { ps -o user= -p "$kernel" | tr -d ' '; }

# user WHAT WANT: who runs the kernel of the sandbox that was started
user() {
	is "$1: the kernel runs as $2" "$(runs_as)" "$2"
	kill -TERM "$launcher"
	wait "$launcher"
	launcher=
	kernel=
	holds "$1: nothing is left" nothing_left
}

if [ "$(id -u)" != 0 ]; then
	start --disk hdd:1G -- sh -c 'echo ready; sleep 100'
	user "a user" "$(id -un)"
	echo "skip - not root: the cases of root"
	finish
fi

start --disk hdd:1G -- sh -c 'echo ready; sleep 100'
user root nobody
SUDO_UID=1 SUDO_GID=1
export SUDO_UID SUDO_GID
start --disk hdd:1G -- sh -c 'echo ready; sleep 100'
user "root by sudo" "$(id -un 1)"
unset SUDO_UID SUDO_GID

box -- sh -c 'test -x "$(dirname "$(command -v naslab)")/naslab-report"' </dev/null
is "what writes PDF and XLSX is inside too" "$?" 0

mkdir -m 700 "$work/home"
cp "$naslab" "$top/naslab-init" "$work/home/"
(cd "$work/home" && timeout 60 ./naslab sandbox --memory 256M --disk hdd:1G -- naslab --version \
	</dev/null >"$out" 2>"$errors")
is "root in a folder of mode 700" "$? $(cat "$out" "$errors")" "0 $("$naslab" --version)"

# a user who is not root, from a folder it may read
mkdir -m 755 "$work/public"
cp "$naslab" "$top/naslab-init" "$work/public/"
(cd / && timeout 60 setpriv --reuid 65534 --regid 65534 --clear-groups \
	"$work/public/naslab" sandbox --memory 256M --disk hdd:1G -- \
	sh -c 'id -u; mkfs.ext4 -q /dev/ubda && mount /dev/ubda /mnt && df -h /mnt | wc -l' \
	</dev/null >"$out" 2>"$errors")
is "an ordinary user is root inside" "$? $(tr '\n' ' ' <"$out")" "0 0 2 "
holds "nothing is left of both" nothing_left

mkdir -m 700 "$work/private"
box --keep "$work/private" -- true </dev/null
is "root and a --keep folder nobody may write to" $? 1
holds "is said with the user's name" grep -q nobody "$errors"

if unshare -m true 2>/dev/null; then
	unshare -m sh -c 'mount --bind /dev/null /usr/bin/linux.uml && exec "$0" sandbox -- true' \
		"$naslab" </dev/null >"$out" 2>"$errors"
	is "without the kernel" "$? $(cat "$errors")" "1 naslab: sandbox: it needs the package \
user-mode-linux, which is not installed: apt install user-mode-linux"
else
	echo "skip - no name space of mounts may be made: without the kernel"
fi
finish
