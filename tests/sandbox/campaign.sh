#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A campaign of 2 layouts x 2 workloads: the power fails while the first layout is built,
# naslab is killed while it measures, and it is started again. At the end every cell is
# done exactly once, its results are there exactly once, and the disks are blank; and what
# was measured before the kill was not measured again.
set -u
# shellcheck source=tests/sandbox/build-lib.sh
. "${srcdir:-.}/tests/sandbox/build-lib.sh"
folder=$(mktemp -d /var/tmp/naslab-campaign-XXXXXX)
keep=$folder/keep
chmod 755 "$folder"
[ "$(id -u)" != 0 ] || chmod 777 "$folder"
box=
plug=
# shellcheck disable=SC2317
clean_up() {
	[ -z "$plug" ] || kill -KILL "$plug" 2>/dev/null
	[ -z "$box" ] || kill "$box" 2>/dev/null
	rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
mkfifo "$folder/lines"
cat >"$folder/trial.campaign" <<'END'
name      trial
disks     /dev/ubda /dev/ubdb /dev/ubdc
layout    md level=raid1 | ext4
layout    md level=raid5 chunk=64K consistency=ppl | xfs
workload  small-text small-photo
reps      2
scale     0.01
END
bad=0

# The power cut: after an event is seen, the kernel goes.
timeout 300 "$top/naslab" sandbox --keep "$keep" --disk 3xhdd:600MiB -- \
	naslab campaign "$folder/trial.campaign" --yes --json >"$folder/lines" 2>&1 </dev/null &
box=$!
seen=1
while IFS= read -r line; do
	case $line in
	*'"event":"step"'*'"n":2,'*'"state":"done"'*) seen=0; break ;;
	*'"event":"end"'*) echo "$line"; break ;;
	esac
done <"$folder/lines"
plug=$(pgrep -P $box | head -n 1)
kill -KILL "$plug" 2>/dev/null
wait $box 2>/dev/null
box=
plug=
tries=100
while pgrep -f "$keep" >/dev/null && [ $tries -gt 0 ]; do
	tries=$((tries - 1))
	sleep 0.1
done
if [ $seen = 0 ]; then
	echo "ok - the power was cut while the first layout was built"
else
	echo "not ok - the campaign never came to its second step"
	exit 1
fi

{ echo "file=$folder/trial.campaign"; cat <<'END'; } | sandbox_run --keep "$keep" || bad=1
cells() { naslab campaign $file --forecast --json | sed 's/"n":/\n&/g' | grep -c "\"state\":\"$1\""; }
has() { [ "$(cells "$1")" = "$2" ] || { echo "$(cells "$1") cells are $1, wanted $2"; return 1; }; }
check "the cells are known: all still to be done" has done 0
naslab campaign $file --yes --json >/tmp/second 2>&1 </dev/null &
campaign=$!
check "it measures, so that a whole repetition is there" until_true 150 sh -c '[ "$(grep -c "\"event\":\"run\"" /tmp/second)" -ge 3 ]'
check "the database says who works on it" sh -c 'naslab campaigns | grep -q "trial  *running"'
says "a second naslab is refused meanwhile" 3 "is being run by another naslab" naslab campaign $file --yes
kill -KILL $campaign
wait $campaign 2>/dev/null
check "what the power cut left was taken back" grep -q '"phase":"recover"' /tmp/second
check "it goes on to its end" naslab campaign $file --yes --json
cp /tmp/check.log /tmp/third
check "and took back what the kill had left" grep -q '"phase":"recover"' /tmp/third
check "every cell is done" has done 4
# the log of a RAID 5 with PPL is full of copies of what an XFS logged
check "the disks are blank" blank /dev/ubda /dev/ubdb /dev/ubdc
check "and the database that nobody does" sh -c 'naslab campaigns | grep -q "trial  *done, 4 of 4"'
says "once more there is nothing to do" 0 "small-photo" naslab campaign $file --yes
check "and nothing was done" has done 4
# a result for each cell and operation, each once; those of the killed start are marked
naslab results --json | sed 's/"event":"result"/\n&/g' >/tmp/results
grep '"campaign":"trial"' /tmp/results | sed 's/.*"op":"\([a-z]*\)".*/\1/' >/tmp/ops
check "4 cells gave 4 results written and 4 read" sh -c '[ "$(grep -c write /tmp/ops) $(grep -c read /tmp/ops)" = "4 4" ]'
check "those of the killed start are marked" sh -c '! grep -v "\"campaign\":\"trial\"" /tmp/results | grep "\"event\"" | grep -v "\"partial\""'
# 4 cells x 2 operations x 2 repetitions: what the killed start had whole counts, the rest was made
grep '"campaign":"trial"' /tmp/results | grep -v '"class":"\(format\|usable\|idle\)"' >/tmp/of_cells
sum() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" /tmp/of_cells | awk '{ n += $1 } END { print n + 0 }'; }
total=$(sum runs)
kept=$(sum earlier_runs)
made=$(grep -c '"event":"run"' /tmp/third)
check "every repetition of a cell is there once" [ "$total" = 16 ]
check "those before the kill count" [ "$kept" -ge 2 ]
check "and only the missing ones were made" [ "$made" = $((16 - kept)) ]
check "they say their layout, seed and cell" sh -c 'grep "\"campaign\"" /tmp/results | grep "\"cell\"" | grep "\"seed\"" | grep -q "\"layout\":\"md level=raid1 | ext4\""'
check "and how long each build took, which is simulated" sh -c '[ "$(grep "\"class\":\"usable\"" /tmp/results | grep "\"campaign\":\"trial\"" | grep -c "\"simulated\":true")" -ge 2 ]'
END
exit $bad
