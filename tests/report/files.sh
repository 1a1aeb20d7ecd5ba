#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Results in and out: a CSV with known rates is read in, and what the charts, comparisons
# and files say is computed again here from that CSV.
# shellcheck disable=SC2317	# the functions are called by check()
set -uo pipefail
src=${srcdir:-.}
# shellcheck source=tests/bench/lib.sh
. "${srcdir:-.}/tests/bench/lib.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export NASLAB_DB=$tmp/naslab.db LC_ALL=C.UTF-8
# What fontconfig keeps to itself is no leak of ours, when built with a sanitizer.
echo "leak:libfontconfig" >"$tmp/lsan"
export LSAN_OPTIONS=suppressions=$tmp/lsan:print_suppressions=0

# STATUS SENTENCE WORD...: this fails so, in one line
refuses() {
	local want=$1 says=$2 got
	shift 2
	./naslab "$@" >"$tmp/out" 2>&1
	got=$?
	[ "$got" = "$want" ] && grep -qF -- "$says" "$tmp/out" && [ "$(wc -l <"$tmp/out")" = 1 ]
}
imports() { ./naslab results import "$1" >"$tmp/out" 2>&1; }
says() { grep -qF -- "$1" "$tmp/out"; }

# Three layouts in one class, 7 runs each of 1 GB; the rates are the numbers below in MB/s.
layouts='1|one HDD & <xfs>|170 178 172 181 175 180 176
2|md raid5 | xfs|440 455 447 461 436 470 452
3|md raid5 ppl | xfs|17.4 16.1 18.9 17 17.6 17.2 18.1'
{
	echo "result,label,class,op,scale,rep,at_ns,bytes,files,felt_ns,durable_ns,disk_bytes,flags,kernel,memory_bytes,host,cache"
	while IFS= read -r line; do
		id=${line%%|*}
		rates=${line##*|}
		label=${line#*|}
		label=${label%|*}
		rep=0
		for rate in $rates; do
			rep=$((rep + 1))
			ns=$(awk -v r="$rate" 'BEGIN { printf "%.0f", 1e12 / r }')
			echo "$id,$label,1G,write,1,$rep,17900000000000000$id$rep,1000000000,1,$ns,$((ns * 2)),1000000000,,6.1.0,4294967296,nas,as-is"
		done
	done <<<"$layouts"
} >"$tmp/known.csv"
# RESULT: its lowest, median and highest in MB/s, from the table above
known() { awk -F'|' -v id="$1" '$1 == id { n = split($NF, v, " "); for (i = 2; i <= n; i++)
	for (k = i; k > 1 && v[k - 1] + 0 > v[k] + 0; k--) { t = v[k]; v[k] = v[k - 1]; v[k - 1] = t }
	print v[1], v[(n + 1) / 2], v[n] }' <<<"$layouts"; }

check "naslab's CSV is read in" imports "$tmp/known.csv"
check "the same file twice is refused" refuses 1 "was read in before, as result 1 and on" \
	results import "$tmp/known.csv"

# Out again, and in again into another database: nothing is lost on the way.
round_trip() {
	local format=$1
	./naslab results export "$format" --out "$tmp/again.$format" &&
		NASLAB_DB=$tmp/$format.db imports "$tmp/again.$format" &&
		NASLAB_DB=$tmp/$format.db ./naslab results export csv >"$tmp/two.csv" &&
		./naslab results export csv >"$tmp/one.csv" &&
		cmp "$tmp/one.csv" "$tmp/two.csv" >"$tmp/out" 2>&1
}
check "CSV goes round" round_trip csv
check "JSON goes round" round_trip json
check "a line a repetition, with the kernel" [ "$(grep -c ',6\.1\.0,4294967296,nas,' "$tmp/one.csv")" = 21 ]

# The list is narrowed like the charts; a class that is nowhere is no empty list.
./naslab results --class 1G --op write >"$tmp/out" 2>&1
check "the list holds one class" [ "$(grep -c ' 1G  *write ' "$tmp/out")" = "$(($(wc -l <"$tmp/out") - 1))" ]
check "a class that is nowhere is refused" refuses 1 "nothing was measured of that class" \
	results --class nowhere

# Columns are cells: wc -L counts an umlaut as one, 写 as two.
sed 's/,1G,write,/,写真,write,/; s/^\([23]\),\([^,]*\),写真,/\1,\2,grün,/' "$tmp/known.csv" >"$tmp/cells.csv"
in_line() {
	NASLAB_DB=$tmp/cells.db imports "$tmp/cells.csv" &&
		NASLAB_DB=$tmp/cells.db ./naslab results >"$tmp/out" 2>&1 &&
		says " 写真 " && says " grün " && [ "$(sed -n 's/ \(op\|write\) .*//p' "$tmp/out" |
			while IFS= read -r line; do wc -L <<<"$line"; done | sort -u | wc -l)" = 1 ]
}
check "classes of wide characters and umlauts stand in line" in_line

# On the terminal: 80 columns at most, every median, both tiers.
./naslab results chart --class 1G >"$tmp/out" 2>&1
for id in 1 2 3; do
	read -r _ median _ <<<"$(known $id)"
	check "the chart has the median $median" says " $median "
done
narrow() { [ "$(wc -L <"$tmp/out")" -le 80 ]; }
check "it fits 80 columns" narrow
check "bars of blocks" says "█"
./naslab results chart --class 1G --ascii >"$tmp/out" 2>&1
ascii() { ! LC_ALL=C grep -q '[^ -~]' "$tmp/out" && says "#"; }
check "bars of ASCII" ascii
./naslab results chart --class 1G --durable >"$tmp/out" 2>&1
check "durable is half as fast" says " 226 "	# 452 / 2
./naslab results show 2 >"$tmp/out" 2>&1
check "a result says how sure its range is" says "98.4 %"

# Compared.
./naslab results compare "one HDD" "md raid5 | xfs" >"$tmp/out" 2>&1
check "ratio of medians" says "B is 2.57 times A"	# 452 / 176
check "the least p of 7 and 7" says "real, p = 0.0006: no run of one reaches a run of the other"
sed 's/^1,one HDD/1,other HDD/; s/4294967296/17179869184/' "$tmp/known.csv" | sed -n '1p;/other HDD/p' \
	>"$tmp/other.csv"
imports "$tmp/other.csv"
./naslab results compare "one HDD" "other HDD" >"$tmp/out" 2>&1
check "other memory has no ratio" says "1G write: other memory: no ratio"
no_number() { ./naslab results compare 1 4 --json | grep -q '"why":"other memory","ratio":null'; }
check "nor in JSON" no_number

# SVG: positions are computed from the axis and the known rates.
./naslab results export svg 1 2 3 --out "$tmp/x.svg"
if command -v xmllint >/dev/null; then
	check "SVG is well-formed" xmllint --noout "$tmp/x.svg"
else
	echo "skip SVG is well-formed: no xmllint here"
fi
attribute() { sed -n "s/.*<rect class=\"$2\" data-result=\"$1\".*[ ]$3=\"\([0-9.]*\)\".*/\1/p" "$tmp/x.svg"; }
sed -n 's/.*<text class="tick" x="\([0-9.]*\)".*>\([0-9.]*\)<.*/\2 \1/p' "$tmp/x.svg" >"$tmp/ticks"
# VALUE: where the axis puts it, by its first and last tick
place() { awk -v v="$1" 'NR == 1 { v0 = $1; x0 = $2 } { v1 = $1; x1 = $2 }
	END { printf "%.3f", x0 + (v - v0) * (x1 - x0) / (v1 - v0) }' "$tmp/ticks"; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a - b < 0.02 && b - a < 0.02) }'; }
check "an axis of several ticks" [ "$(wc -l <"$tmp/ticks")" -ge 3 ]
check "a bar for each result" [ "$(grep -c '<rect class="range"' "$tmp/x.svg")" = 3 ]
check "a median for each result" [ "$(grep -c '<rect class="median"' "$tmp/x.svg")" = 3 ]
for id in 1 2 3; do
	read -r low median high <<<"$(known $id)"
	x=$(attribute $id range x)
	width=$(attribute $id range width)
	mid=$(attribute $id median x)
	half=$(attribute $id median width)
	check "bar $id begins at $low" near "$x" "$(place "$low")"
	check "bar $id ends at $high" near "$(awk -v x="$x" -v w="$width" 'BEGIN { print x + w }')" \
		"$(place "$high")"
	check "bar $id has its mark at $median" \
		near "$(awk -v x="$mid" -v w="$half" 'BEGIN { print x + w / 2 }')" "$(place "$median")"
done
check "names are escaped" grep -qF 'one HDD &amp; &lt;xfs&gt;' "$tmp/x.svg"
check "scale, runs, machine, kernel and date are printed" \
	grep -q 'n 7, scale 1, on nas, kernel 6.1.0, RAM 4.00 GiB, 2026-' "$tmp/x.svg"

# PDF and XLSX, where they are built in; where not, a sentence.
if ./naslab results export pdf --out "$tmp/x.pdf" 2>"$tmp/out"; then
	pdf() { [ "$(head -c 5 "$tmp/x.pdf")" = "%PDF-" ] && tail -c 8 "$tmp/x.pdf" | grep -q '%%EOF'; }
	check "PDF is one" pdf
	if command -v pdftotext >/dev/null; then
		pdftotext -layout "$tmp/x.pdf" "$tmp/out"
		check "PDF says the median" says "452"
	fi
else
	check "without cairo a sentence" says "was built without cairo"
fi
if ! ./naslab results export xlsx 1 2 3 --out "$tmp/x.xlsx" 2>"$tmp/out"; then
	check "without libxlsxwriter a sentence" says "was built without libxlsxwriter"
elif ! command -v unzip >/dev/null; then
	echo "skip XLSX is looked into: no unzip here"
else
	unzip -q -d "$tmp/x" "$tmp/x.xlsx"
	check "XLSX has a chart" grep -q '<c:barChart>' "$tmp/x/xl/charts/chart1.xml"
	check "XLSX has one chart for the class" [ "$(find "$tmp/x/xl/charts" -name 'chart*.xml' | wc -l)" = 1 ]
	# shellcheck disable=SC2016	# cells, no variables
	check "the chart is drawn from the sheet" \
		grep -qF 'pictures!$E$5:$E$7' "$tmp/x/xl/charts/chart1.xml"
	check "every run is in it" [ "$(grep -o '<row ' "$tmp/x/xl/worksheets/sheet3.xml" | wc -l)" = 22 ]
	# the lowest of result 2 in the column of the lowest; rates come back from whole ns
	lowest() { grep -o '<c r="B6"[^>]*><v>[0-9.]*' "$tmp/x/xl/worksheets/sheet1.xml" | sed 's/.*>//'; }
	check "the sheet has the numbers" near "$(lowest)" "$(known 2 | cut -d' ' -f1)"
fi

# One layout over its classes: a picture for each layout.
./naslab results export svg 1 2 3 --layouts --out "$tmp/turned.svg"
check "turned, each layout is a picture" [ "$(grep -c '<text class="title"' "$tmp/turned.svg")" = 3 ]
check "and its class a bar" [ "$(grep -c '<text class="label".*1G, write<' "$tmp/turned.svg")" = 3 ]

# Others' numbers.
for map in "$src"/data/reference/*.map; do
	check "$(basename "$map") is read in" imports "$map"
done
./naslab results chart --class trees-scan >"$tmp/out" 2>&1
check "published numbers say so" says "p published"
check "730 000 files in 99 to 124 s are files a second" says " 5.89-7.37k "
check "and not bytes" [ "$(grep -c 'files/s' "$tmp/out")" = 1 ]
./naslab results export csv --out "$tmp/all.csv" && NASLAB_DB=$tmp/counts.db ./naslab results import \
	"$tmp/all.csv" >/dev/null && NASLAB_DB=$tmp/counts.db ./naslab results chart --op seek >"$tmp/out" 2>&1
check "what counts goes round as CSV" says " 613 "
check "a range without runs is drawn" grep -q '▒.*0-20' <(./naslab results chart --class 12G)
cat >"$tmp/fio.json" <<'END'
{"fio version":"fio-3.33","timestamp":1700000000,"global options":{"directory":"/mnt"},"jobs":[
 {"jobname":"seq","groupid":0,"error":0,"job options":{"bs":"1M"},
  "write":{"io_bytes":4000000000,"bw_bytes":200000000,"runtime":20000,"total_ios":3815},"read":{"io_bytes":0}}]}
END
check "fio's JSON is read in" imports "$tmp/fio.json"
./naslab results chart --class seq >"$tmp/out" 2>&1
check "at 200 MB/s" says " 200 "
if command -v fio >/dev/null && mkdir "$tmp/d" &&
	fio --name=real --directory="$tmp/d" --size=4M --rw=write --output-format=json \
		--output="$tmp/real.json" >/dev/null 2>&1; then
	check "what fio writes today is read in" imports "$tmp/real.json"
else
	echo "skip what fio writes today: no fio here"
fi

# Bad input: one sentence, the right status, nothing stored.
before=$(./naslab results list | wc -l)
head -c 300 "$tmp/known.csv" >"$tmp/cut.csv"
head -c 100000 ./naslab >"$tmp/noise"	# a program is no table
{ printf 'result,class,op,bytes,felt_ns\n'; head -c 5000 /dev/zero; } >"$tmp/zero.csv"
check "a cut CSV" refuses 1 "fields, the first line 17" results import "$tmp/cut.csv"
check "noise" refuses 2 "neither a CSV of naslab" results import "$tmp/noise"
check "NUL bytes" refuses 1 "NUL byte" results import "$tmp/zero.csv"
check "no file" refuses 1 "cannot read" results import "$tmp/none"
check "a directory" refuses 1 "cannot read" results import "$tmp"
check "no such kind" refuses 2 "as naslab, fio or published" results import "$tmp/fio.json" --as zip
check "no such format" refuses 2 "csv, json, xlsx, svg or pdf" results export gif
check "no such class" refuses 2 'did you mean "1G"' results chart --class 1H
check "no such result" refuses 1 "there is no result 999" results export svg 999
check "a place that is not there" refuses 1 "/none/x" results export svg --out /none/x
check "nothing was stored" [ "$(./naslab results list | wc -l)" = "$before" ]
exit $bad
