#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the files of the classes are like, asked of gzip and find: text compresses three to
# five times, the rest not at all; no two files are the same; sizes are what was asked for.
set -euo pipefail
src=${srcdir:-.}
export NASLAB_WORKLOADS=$src/workloads
bad=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# true when $1 <= $2 <= $3
between() { awk -v a="$1" -v x="$2" -v b="$3" 'BEGIN { exit !(a <= x && x <= b) }'; }
check() {
	if between "$2" "$3" "$4"; then
		echo "ok $1: $3"
	else
		echo "not ok $1: $3 is not from $2 to $4"
		bad=1
	fi
}

# CLASS SCALE BYTES LEAST-RATIO MOST-RATIO
try() {
	local dir=$tmp/$1 bytes packed
	mkdir "$dir"
	tests/bench/corpus "$1" "$2" "$dir"
	bytes=$(find "$dir" -type f -print0 | xargs -0 cat | wc -c)
	packed=$(find "$dir" -type f -print0 | sort -z | xargs -0 cat | gzip -c | wc -c)
	check "$1 bytes" "$3" "$bytes" "$3"
	check "$1 gzip ratio" "$4" "$(awk -v a="$bytes" -v b="$packed" 'BEGIN { print a / b }')" "$5"
	check "$1 files that are the same" 0 \
		"$(find "$dir" -type f -size +0 -print0 | xargs -0 md5sum | cut -c1-32 | sort |
			uniq -d | wc -l)" 0
	check "$1 files of 2 MB or more" 0 \
		"$(find "$dir" -type f -size +1999999c | wc -l)" "$6"
}
try small-text 0.02 10000000 3 5 0
try small-photo 0.02 10000000 0.99 1.001 0
try 500M 0.02 10000000 0.99 1.001 1

# A stated ratio, in the pieces of 128 KiB that btrfs and ZFS look at.
mkdir "$tmp/workloads"
for r in 1 1.5 2.5 5; do
	printf 'fileset size=8M data=ratio:%s\nop write\n' "$r" >"$tmp/workloads/r.workload"
	mkdir "$tmp/r$r"
	NASLAB_WORKLOADS=$tmp/workloads tests/bench/corpus r 1 "$tmp/r$r"
	got=$(split -b 128K --filter='gzip -c' "$tmp/r$r/f0000000.bin" | wc -c)
	check "ratio $r by gzip" "$(awk -v r="$r" 'BEGIN { print r * 0.93 }')" \
		"$(awk -v p="$got" 'BEGIN { print 8388608 / p }')" \
		"$(awk -v r="$r" 'BEGIN { print r * 1.07 }')"
done

# The same seed gives the same files; a smaller scale gives the first of them.
mkdir "$tmp/again" "$tmp/less"
tests/bench/corpus small-text 0.02 "$tmp/again"
if diff -rq "$tmp/small-text" "$tmp/again"; then echo "ok made again"; else bad=1; fi
tests/bench/corpus small-text 0.01 "$tmp/less"
first=$(cd "$tmp/less" && find . -type f | sort | awk 'NR <= 100')
for f in $first; do
	cmp "$tmp/less/$f" "$tmp/again/$f" || bad=1
done
exit $bad
