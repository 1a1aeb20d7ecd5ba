# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# lib - what the tests of measuring and reporting share. Sourced by them; $tmp is their folder.
#
#	check WHAT COMMAND...	one check; what is in $tmp/out is shown when it fails
#	until_true COMMAND...	wait at most a minute until it is true
#	end_background		end what runs as $verb, so that nothing of it outlives the test

bad=0
verb=

check() {
	local name=$1
	shift
	if "$@"; then
		echo "ok $name"
	else
		echo "not ok $name"
		[ ! -s "$tmp/out" ] || sed 's/^/    /' "$tmp/out" | cut -c1-300 | tail -n 20
		bad=1
	fi
}

until_true() {
	local end=$((SECONDS + 60))
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		read -rt 0.05 <> <(:) || true
	done
}

end_background() {
	jobs -pr | grep -qx "${verb:-none}" || return 0
	kill "$verb" && wait "$verb"
}
