#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The manual pages: no verb, option or layer is missing, and mandoc finds nothing. What
# should be there is asked of --help and of the sources, not of what made the pages.
set -euo pipefail
src=${srcdir:-.}
page() { if [ -f "man/$1" ]; then cat "man/$1"; else cat "$src/man/$1"; fi; }
bad=0
check() {
	local name=$1
	shift
	if "$@"; then
		echo "ok $name"
	else
		echo "not ok $name"
		bad=1
	fi
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

page naslab.8 >"$tmp/naslab.8"
page naslab-layout.5 >"$tmp/naslab-layout.5"
page naslab-workload.5 >"$tmp/naslab-workload.5"
sed 's/\\-/-/g' "$tmp/naslab.8" >"$tmp/plain.8"

# Which verbs and options of --help are not in a page.
missing_verbs() {
	./naslab --help | awk '/^  [a-z]/ { print $1 }' | while read -r verb; do
		awk -v v="$verb" '/^\.S[sh] / { on = $2 == "naslab" && $3 == v } on' "$1" >"$tmp/part"
		[ -s "$tmp/part" ] || { echo "$verb"; continue; }
		./naslab "$verb" --help | sed -n 's/^  --\([a-z-]*\).*/\1/p' |
		grep -vx -e help -e db | while read -r option; do
			grep -q "^\.It Fl Fl $option\( \|$\)" "$tmp/part" || echo "$verb --$option"
		done
	done || true
}
missing_layers() {
	sed -n 's/^const struct layer layer_\([a-z0-9]*\) = {$/\1/p' "$src"/src/layers/*.c |
	while read -r layer; do
		grep -q "^\.Ss $layer " "$1" || echo "$layer"
	done
}

# Statements, keys and operations that the reader of workloads takes.
missing_words() {
	{
		sed -n 's/^\t{ { "[a-z]*", "\([a-z_]*\)", .*/\1/p' "$src/src/bench/workload-words.c"
		sed -n 's/^\t{ { "\([a-z]*\)", NULL, .*/\1/p' "$src/src/bench/workload-words.c"
		sed -n 's/^\t\t\.word = "\([a-z-]*\)".*/\1/p' "$src/src/bench/ops.c" | grep -vx compare
		sed -n 's/.* \.also = "\([a-z-]*\)".*/\1/p' "$src/src/bench/ops.c"
	} | while read -r word; do
		grep -Eq "^\.(It|Ic) (Ic|Cm)?.*\b$word\b" "$1" || echo "$word"
	done
}

got=$(missing_verbs "$tmp/plain.8")
check "every verb and option is in naslab(8) $got" test -z "$got"
check "naslab(8) has sections of verbs" grep -q '^\.Ss naslab disks ' "$tmp/plain.8"
got=$(missing_layers "$tmp/naslab-layout.5")
check "every layer is in naslab-layout(5) $got" test -z "$got"
check "naslab-layout(5) has sections of layers" grep -q '^\.Ss md ' "$tmp/naslab-layout.5"

got=$(missing_words "$tmp/naslab-workload.5")
check "every word of a workload is in naslab-workload(5) $got" test -z "$got"

# The same questions, asked of pages with something taken out.
sed '/^\.Ss naslab disks/,/^\.El/d' "$tmp/plain.8" >"$tmp/less.8"
check "a missing verb would be found" test "$(missing_verbs "$tmp/less.8")" = disks
sed '/^\.Ss naslab disks/,/^\.El/{/Fl Fl json/d}' "$tmp/plain.8" >"$tmp/less.8"
check "a missing option would be found" test "$(missing_verbs "$tmp/less.8")" = "disks --json"
sed 's/^\.Ss md /.Ss m /' "$tmp/naslab-layout.5" >"$tmp/less.5"
check "a missing layer would be found" test "$(missing_layers "$tmp/less.5")" = md
sed '/^\.It Cm read-back/d' "$tmp/naslab-workload.5" >"$tmp/less.5"
check "a missing operation would be found" test "$(missing_words "$tmp/less.5")" = read-back

if command -v mandoc >/dev/null; then
	for p in naslab.8 naslab-layout.5 naslab-workload.5; do
		got=$(mandoc -T lint -W warning "$tmp/$p" || true)
		check "mandoc finds nothing in $p $got" test -z "$got"
	done
	printf '.Dd x\n.Dt A 8\n.Os\n.Sh NAME\n.Nm a\n.Nd b\n.Bl -tag\n' >"$tmp/broken.8"
	check "mandoc would find a mistake" test -n "$(mandoc -T lint -W warning "$tmp/broken.8")"
else
	echo "skip mandoc is not installed"
fi
exit $bad
