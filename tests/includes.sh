#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Who may include what, and who may start a process (HACKING.md, "Rooms"):
# base <- disk, layout, layers, chart <- build, bench, store, sandbox <- campaign <- cmd, ui.
# Every rule is also tried on a small tree that breaks it.
set -euo pipefail

# Print "RULE: FILE: what is wrong" for every breach below a folder.
breaches() {
	(cd "$1" && { find src ui -name '*.[ch]' 2>/dev/null || true; } | sort | while read -r f; do
		awk -v file="$f" '
			BEGIN {
				split("base 0 disk 1 layout 1 layers 1 chart 1 build 2 bench 2 " \
				      "store 2 report 2 sandbox 2 campaign 3 cmd 4 ui 4", w, " ")
				for (i = 1; i in w; i += 2)
					rank[w[i]] = w[i + 1]
				n = split(file, part, "/")
				room = part[1] == "ui" ? "ui" : n > 2 ? part[2] : "naslab"
				own = part[n]
				sub(/\.[ch]$/, "", own)
			}
			function breach(rule, text) { print rule ": " file ": " text }
			/^[ \t]*#[ \t]*include[ \t]*"/ {
				split($0, q, "\"")
				split(q[2], t, "/")
				to = t[1]
				if (room == "naslab" || q[2] == "config.h")
					next
				if (q[2] == "naslab.h") {
					if (rank[room] < 4)
						breach("naslab", "the engine includes naslab.h")
					next
				}
				if (!(to in rank)) {
					breach("form", "\"" q[2] "\" names no room")
					next
				}
				if (rank[room] == 4 && rank[to] < 4)
					breach("front", "includes \"" q[2] "\" instead of \"naslab.h\"")
				else if (rank[to] > rank[room])
					breach("direction", room " includes \"" q[2] "\"")
				if (room == "layers" && to == "layers") {
					other = t[2]
					sub(/\.h$/, "", other)
					if (own != other && index(own, other "-") != 1)
						print "layer?", file, other
				}
				next
			}
			/^[ \t]*#[ \t]*include[ \t]*</ {
				if ($0 ~ /<(n?curses[a-z\/]*|term|panel|menu|form)\.h>/ && room != "ui")
					breach("curses", "curses outside ui/")
				next
			}
			{
				code = $0
				gsub(/"([^"\\]|\\.)*"/, "", code)
				gsub(/\/\*.*\*\//, "", code)
				if (code ~ /^[ \t]*(\/\*|\*)/)
					next
				if (code ~ /(^|[^a-z_A-Z0-9>.])(fork|vfork|forkpty|clone|execv|execvp|execve|execvpe|execl|execlp|execle|fexecve|posix_spawn|posix_spawnp|system|popen|daemon)[ \t]*\(/ &&
				    file != "src/build/job.c" && room != "sandbox")
					breach("fork", "starts a process: " code)
			}' "$f"
	done | while read -r line; do
		# "layers/x.h" is another layer only when x.c defines a layer
		case $line in
		"layer? "*)
			read -r _ f other <<<"$line"
			if grep -qs '^const struct layer layer_' "src/layers/$other.c"; then
				echo "layer: $f: includes the layer $other"
			fi ;;
		*) printf '%s\n' "$line" ;;
		esac
	done)
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0

# One breach: rule, file, its text. The check has to name the rule.
must_fail() {
	local rule=$1 file=$2 text=$3 got
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/src/layers" "$tmp/tree/$(dirname "$file")"
	printf 'const struct layer layer_md = { 0 };\n' >"$tmp/tree/src/layers/md.c"
	printf '%b' "$text" >"$tmp/tree/$file"
	got=$(breaches "$tmp/tree")
	case $got in
	"$rule: $file: "*) echo "ok a breach of \"$rule\" is found: $file" ;;
	*) echo "not ok a breach of \"$rule\" is not found: $file: $text"; bad=1 ;;
	esac
}

must_fail direction src/base/x.c '#include "disk/disk.h"\n'
must_fail direction src/layout/x.c '#include "build/job.h"\n'
must_fail direction src/chart/x.h '#include "ui/ui.h"\n'
must_fail direction src/store/x.c '#include "cmd/cmd.h"\n'
must_fail direction src/chart/x.c '#include "report/report.h"\n'
must_fail direction src/report/x.c '#include "cmd/cmd.h"\n'
must_fail direction src/bench/x.c '#include "campaign/campaign.h"\n'
must_fail naslab src/campaign/x.c '#include "naslab.h"\n'
must_fail naslab src/bench/x.c '#include "naslab.h"\n'
must_fail front src/cmd/x.c '#include "layout/stack.h"\n'
must_fail front ui/x.c '#include "base/err.h"\n'
must_fail form src/disk/x.c '#include "disk.h"\n'
must_fail layer src/layers/xfs.c '#include "layers/md.h"\n'
must_fail curses src/cmd/x.c '#include <ncursesw/curses.h>\n'
must_fail curses src/chart/x.c '#include <curses.h>\n'
must_fail fork src/build/run.c 'int f(void)\n{\n\treturn fork();\n}\n'
must_fail fork ui/x.c '\tif (execvp(argv[0], argv))\n'
must_fail fork src/disk/x.c '\tsystem ("ls");\n'

# What is allowed must not be called a breach.
mkdir -p "$tmp/good/src/layers" "$tmp/good/ui" "$tmp/good/src/build"
cat >"$tmp/good/src/layers/md-levels.c" <<'EOF'
#include "layers/md.h"
#include "layout/layer.h"
/* fork() is not called here, nor is system() */
const struct layer layer_md = { .name = "exec(", .size = x->system(1), .y = my_fork(2) };
EOF
cp "$tmp/good/src/layers/md-levels.c" "$tmp/good/src/layers/md.c"
printf '#include <curses.h>\n#include "naslab.h"\n#include "cmd/cmd.h"\n#include "ui/ui.h"\n' \
	>"$tmp/good/ui/x.c"
printf '\tpid = fork();\n' >"$tmp/good/src/build/job.c"
got=$(breaches "$tmp/good")
if [ -z "$got" ]; then
	echo "ok what is allowed is not called a breach"
else
	echo "not ok what is allowed is called a breach: $got"
	bad=1
fi

got=$(breaches "${srcdir:-.}")
if [ -z "$got" ]; then
	echo "ok the tree keeps its directions"
else
	printf '%s\n' "$got" | sed 's/^/not ok /'
	bad=1
fi
exit $bad
