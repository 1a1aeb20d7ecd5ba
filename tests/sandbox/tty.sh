#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tty - a terminal handed into the sandbox: its size at the start and after a resize, Ctrl-C
# and Ctrl-Z for the program inside, single keys, and the terminal as it was afterwards.
# shellcheck source=tests/sandbox/lib.sh disable=SC2016,SC2317
. "${srcdir:-.}/tests/sandbox/lib.sh"

command -v tmux >/dev/null || { echo "skip - tmux is not installed"; exit 77; }
T="tmux -S $work/socket"
trap '$T kill-server 2>/dev/null; clean_up' EXIT

screen() { $T capture-pane -p; }
shows() { [ "$(screen | grep -c -- "$1")" -ge "${2-1}" ]; }
# waits WHAT PATTERN [TIMES]: until so many lines of the screen have it
waits() {
	if until_true 60 shows "$2" "${3-1}"; then
		ok "$1"
	else
		not_ok "$1"
		screen | sed '/^$/d; s/^/  | /'
	fi
}
type_line() { $T send-keys "$1" Enter; }

$T -f /dev/null new-session -d -x 80 -y 24 "PS1='outside> ' sh" || exit 99
until_true 10 shows 'outside>'
# in one line: typed while stty runs, the second would be echoed before the prompt
type_line "stty -a >$work/before; TERM=xterm $naslab sandbox --memory 256M --disk hdd:1G -- sh"
waits "a shell in it says its prompt" '^#'
type_line 'echo "<$(stty size) $TERM $(tput cols)>"'
waits "size and kind of the terminal" '<24 80 xterm 80>'
$T resize-window -x 200 -y 50
type_line 'echo "<$(stty size)>"'
waits "a resize gets through" '<50 200>'
$T resize-window -x 80 -y 24
type_line 'trap "echo WINCH" WINCH; echo set''up'
waits "a trap for the next one" '^setup'
$T resize-window -x 100 -y 30
waits "and is a signal for the program" WINCH
type_line 'clear; echo going; sleep 1000; echo "<$?>"'
waits "a program runs" '^going'
$T send-keys C-c
type_line 'echo "after <$?>"'
waits "Ctrl-C ends it, not the sandbox" 'after <130>'
type_line 'clear; printf "key: "; stty -icanon -echo; dd bs=1 count=1 2>/dev/null | od -An -c; stty sane'
waits "a program waits for a key" 'key:'
$T send-keys x
waits "one key without Enter" 'key:  *x'
type_line 'exit 5'
waits "it ends" 'outside>'
type_line "echo \"rc <\$?>\"; stty -a >$work/after"
waits "with its exit status" 'rc <5>'
until_true 10 test -s "$work/after"
sed 's/rows [0-9]*; columns [0-9]*//' "$work/before" >"$work/b"
sed 's/rows [0-9]*; columns [0-9]*//' "$work/after" >"$work/a"
holds "the terminal is as it was" cmp "$work/a" "$work/b"

# a program that is stopped takes the launcher with it, and comes back with it
type_line "clear; set -m; $naslab sandbox --memory 256M --disk hdd:1G -- sh -c 'echo up; exec cat'"
waits "a program without a shell" '^up'
$T send-keys C-z
waits "Ctrl-Z gives the shell outside back" 'outside>'
type_line 'echo "<$(stty -a | grep -c " icanon")>"'
waits "with its terminal in order" '<1>'
type_line fg
type_line 'still here'
waits "fg goes on with it" '^still here' 2
$T send-keys C-d
until_true 20 nothing_left

# a terminal that does not control the session, as after su -c: keys get through all the same
type_line "clear; setsid -w $naslab sandbox --memory 256M --disk hdd:1G -- sh -c 'echo up; read a; echo said \$a'"
waits "a program in a session of its own" '^up'
type_line 'hello'
waits "it gets what is typed" 'said hello'
until_true 20 nothing_left

# the window is closed
type_line "clear; $naslab sandbox --memory 256M --disk hdd:1G -- sh -c 'echo up; exec cat'"
waits "once more" '^up'
kernel=$(cat "$TMPDIR"/naslab-*/uml/vm/pid)
$T kill-server
holds "a closed window ends it" until_true 20 group_is_gone "$kernel"
holds "and nothing is left" until_true 20 nothing_left
kernel=
finish
