#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# golden.sh - what naslab prints for a plan, against reviewed text.
#
# A golden file begins with "$ naslab ARGUMENTS"; the rest is what that prints. After a
# wanted change: tests/golden.sh --update, then read the difference before committing it.
set -u
src=${srcdir:-$(dirname "$0")/..}
export LC_ALL=C.UTF-8 NASLAB_LAYOUTS="$src/layouts"
failed=0
now=$(mktemp)
trap 'rm -f "$now"' EXIT
for golden in "$src"/tests/golden/*.golden; do
	command=$(sed -n '1s/^\$ naslab //p' "$golden")
	{
		echo "\$ naslab $command"
		eval "./naslab $command" 2>&1 </dev/null
	} >"$now"
	name=$(basename "$golden" .golden)
	if [ "${1-}" = --update ]; then
		cp "$now" "$golden"
	elif diff -u "$golden" "$now"; then
		echo "ok - $name"
	else
		echo "not ok - $name"
		failed=1
	fi
done
exit $failed
