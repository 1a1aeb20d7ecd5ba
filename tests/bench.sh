#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make bench: naslab beside its peers, taking turns in random order, and the ratio of the
# medians with its spread. It shows, it asserts nothing: a busy machine gives other numbers.
# N=15 rounds; BENCH_DIR=/dev/shm, a place in memory with about 1.5 GB of room.
# shellcheck disable=SC2317	# the functions are called by their names
set -euo pipefail
n=${N:-15}
top=$(mktemp -d -p "${BENCH_DIR:-/dev/shm}" naslab-bench.XXXXXX)
bare=$(mktemp -d -p /var/tmp naslab-bench.XXXXXX)	# /dev/shm is not seen by a kernel that boots
trap 'rm -rf "$top" "$bare"' EXIT INT TERM
export NASLAB_WORKLOADS=${NASLAB_WORKLOADS:-${srcdir:-.}/workloads} LC_ALL=C
have() { command -v "$1" >/dev/null; }
now() { date +%s%N; }

# One command as one line "NAME nanoseconds", with what it made removed outside the clock.
once() {
	local name=$1 begin end
	shift
	begin=$(now)
	"$@" >/dev/null 2>&1 || { echo "$name failed: $*" >&2; return 1; }
	end=$(now)
	rm -rf "$top/to"
	echo "$name $((end - begin))"
}

# Rounds of all commands of the table (NAME=function ...) in random order.
rounds() {
	local i name
	for ((i = 0; i < n; i++)); do
		for name in $(printf '%s\n' "$@" | shuf); do
			once "$name" "run_$name"
		done
	done
}

# Lines "NAME ns" to a table: median, lowest, highest, and the others to the first name.
# The interval of the ratio is that of its median over the rounds: in each, both were run.
table() {
	sort -s -k1,1 | awk -v first="$1" '
		{ count[$1]++; v[$1, count[$1]] = $2; names[$1] = 1 }
		function sorted(name, out,   i, k, t) {
			for (i = 1; i <= count[name]; i++) {
				t = v[name, i]
				for (k = i - 1; k >= 1 && out[k] > t; k--)
					out[k + 1] = out[k]
				out[k + 1] = t
			}
			return count[name]
		}
		function ratios(name, out,   i, k, t) {
			for (i = 1; i <= count[name]; i++) {
				t = v[name, i] / v[first, i]
				for (k = i - 1; k >= 1 && out[k] > t; k--)
					out[k + 1] = out[k]
				out[k + 1] = t
			}
			return count[name]
		}
		function middle(s, k) { return k % 2 ? s[(k + 1) / 2] : (s[k / 2] + s[k / 2 + 1]) / 2 }
		END {
			printf "  %-14s %9s %9s %9s   %s\n", "", "median", "lowest", "highest",
			       "time of it / time of " first " (middle half of the rounds)"
			for (name in names) {
				delete s; delete r
				k = sorted(name, s)
				ratios(name, r)
				low = int((k + 3) / 4); high = k + 1 - low
				printf "  %-14s %7.1f ms %6.1f ms %6.1f ms   %.2f (%.2f to %.2f)\n",
				       name, middle(s, k) / 1e6, s[1] / 1e6, s[k] / 1e6,
				       middle(r, k), r[low], r[high]
			}
		}' | sort
}

echo "naslab beside its peers: n = $n, $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg), in ${top%/*}"

echo "one file of 256 MiB (goal: at most 1.10 of the fastest, so every ratio at least 0.91)"
head -c 268435456 /dev/urandom >"$top/file"
run_naslab() { tests/bench/copy "$top/file" "$top/to"; }
run_cp() { cp "$top/file" "$top/to"; }
run_dd() { dd if="$top/file" of="$top/to" bs=1M; }
run_splice() { tests/bench/splice "$top/file" "$top/to"; }
rounds naslab cp dd splice | table naslab
rm "$top/file"

echo "a tree of small text files, 300 MB (goal: rsync at least 2)"
mkdir "$top/tree"
tests/bench/corpus small-text 0.6 "$top/tree"
run_naslab() { tests/bench/copy "$top/tree" "$top/to"; }
run_naslab2() { tests/bench/copy "$top/tree" "$top/to" 2; }
run_cpa() { cp -a "$top/tree" "$top/to"; }
run_rsync() { rsync -a "$top/tree/" "$top/to/"; }
peers=(naslab naslab2 cpa)
! have rsync || peers+=(rsync)
rounds "${peers[@]}" | table naslab
rm -r "$top/tree"

# CPU of one command in milliseconds, the median of n.
cpu() {
	local i
	for ((i = 0; i < n; i++)); do
		{ TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>&1; } 2>&1
	done | awk '{ print ($1 + $2) * 1000 }' | sort -n | awk '{ s[NR] = $1 }
		END { printf "%.0f ms (%.0f to %.0f)\n", s[int((NR + 1) / 2)], s[1], s[NR] }'
}
if ./naslab plan --help >/dev/null 2>&1; then
	echo "CPU of a plan, the whole program (goal: 24 disks 5 ms, 1000 disks 100 ms)"
	printf '  %-28s %s\n' "naslab --version" "$(cpu ./naslab --version)"
	disks=(4xhdd:4T 4xhdd:6T 4xhdd:8T 4xhdd:10T 4xhdd:12T 4xhdd:16T)
	for file in "${srcdir:-.}"/layouts/*.layout; do
		name=$(basename "$file" .layout)
		./naslab plan "$file" "${disks[@]}" >/dev/null 2>&1 || continue
		printf '  %-28s %s\n' "$name, 24 disks" "$(cpu ./naslab plan "$file" "${disks[@]}")"
	done
	recipe='slice | md redundancy=1 | lvm | xfs'
	if ./naslab plan "$recipe" 500xhdd:4T 500xhdd:8T >/dev/null 2>&1; then
		printf '  %-28s %s\n' "$recipe, 1000" "$(cpu ./naslab plan "$recipe" 500xhdd:4T 500xhdd:8T)"
	fi
fi

echo "the live plot on a terminal of 80x24 (goal: 0.5 % of a core)"
tests/bench/plot 20 | sed 's/^/  /'

# The same kernel with the same first process and command, started by hand: what a sandbox
# leaves in its folder is kept and booted again without the launcher.
bare_folder() {
	local launcher folder=$bare/box
	mkdir -m 1777 "$folder"
	chmod 755 "$bare"
	TMPDIR=$folder ./naslab sandbox --disk hdd:1G -- sleep 60 </dev/null >/dev/null 2>&1 &
	launcher=$!
	until compgen -G "$folder/naslab-*/uml/vm/pid" >/dev/null; do
		kill -0 "$launcher" 2>/dev/null || return 1
		sleep 0.1
	done
	cp -a "$folder"/naslab-* "$bare/job"
	kill "$launcher"
	wait "$launcher" || true
	rm -rf "$bare/job/uml"
	sed -i -z -e 's/^arg=sleep$/arg=true/' -e '/^arg=60$/d' -e "s|^db=.*|db=$bare/job/db|" "$bare/job/boot"
}

run_bare() {
	linux.uml mem=1024M "uml_dir=$bare/job/uml" umid=vm root=/dev/root rootfstype=hostfs \
		rootflags=/ ro quiet con=null con0=null,fd:1 con1=fd:3,fd:4 \
		"init=$bare/job/bin/naslab-init" "NASLAB_JOB=$bare/job" \
		"ubdat=$bare/job/disks/ubda.img,,V0000001" 3</dev/zero 4>/dev/null
}

if ./naslab sandbox --help >/dev/null 2>&1 && have linux.uml; then
	echo "naslab sandbox -- true (goal: bare at least 0.77, that is 1.3 times a bare boot)"
	run_sandbox() { ./naslab sandbox --disk hdd:1G -- true; }
	if run_sandbox >/dev/null 2>&1 && bare_folder; then
		n=$(((n + 2) / 3))
		rounds sandbox bare | table sandbox
	else
		echo "  it does not start here"
	fi
fi
