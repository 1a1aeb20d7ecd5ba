#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make bench: naslab beside its peers on the same files, taking turns in random order; the
# ratio of what they took round by round with its 95 % interval, processor seconds a GB, and
# at the end the goals beside what was measured. It shows, it asserts nothing: a busy machine
# gives other numbers.
# N=15 rounds; BENCH_DIR=/dev/shm, a place in memory with about 1.5 GB of room; DISK_DIR=/var/tmp,
# a place on a disk with 3 GB; PARTS="file tree ..." only these (file tree durable agree engine
# plan plot sandbox).
set -euo pipefail
src=${srcdir:-.}
n=${N:-15}
parts=${PARTS:-file tree durable agree engine plan plot sandbox}
top=$(mktemp -d -p "${BENCH_DIR:-/dev/shm}" naslab-bench.XXXXXX)
disk=$(mktemp -d -p "${DISK_DIR:-/var/tmp}" naslab-bench.XXXXXX)	# /dev/shm is not seen by a kernel that boots
goals=$disk/goals
loop=
clean() {
	! mountpoint -q "$disk/mnt" || umount "$disk/mnt"
	[ -z "$loop" ] || losetup -d "$loop"
	rm -rf "$top" "$disk"
}
trap clean EXIT
trap 'exit 1' INT TERM
export NASLAB_WORKLOADS=${NASLAB_WORKLOADS:-$src/workloads} LC_ALL=C
touch "$goals"
have() { command -v "$1" >/dev/null; }
wanted() { [[ " $parts " == *" $1 "* ]]; }
goal() { printf '%s\t%s\t%s\t%s\n' "$@" >>"$goals"; }

# The commands that take turns: name after name, and the words of each. A program that is
# not there does not take part. naslab's engine says by its own clock what it took, as it does
# in a measurement: what comes before (looking at the source, holding it in memory where there
# is room) is outside of it. Other programs are timed from outside.
names=()
declare -A commands
peer() {
	local name=$1
	shift
	have "$1" || return 0
	names+=("$name")
	commands[$name]=$(printf '%q ' "$@")
}

# rounds TO: n rounds of all peers in random order; what they made at TO is removed outside
# the clock.
rounds() {
	local i name to=$1 took words
	for ((i = 0; i < n; i++)); do
		while read -r name; do
			eval "words=(${commands[$name]})"
			case $name in
			naslab*) took=$("${words[@]}") && echo "$name $took" ;;
			*) tests/bench/timed "$name" "${words[@]}" ;;
			esac || return 1
			rm -rf "$to"
		done < <(printf '%s\n' "${names[@]}" | shuf)
	done
}
ratios() { tests/bench/ratios "$goals" "$@"; }

# Two halves of a pipe, as people type it.
# shellcheck disable=SC2016	# expanded by that shell
pipe='mkdir "$2" && tar -C "$1" -cf - . | tar -C "$2" -xf -'
# The command, and then all of it on the disk.
# shellcheck disable=SC2016
durable='to=$1; shift; "$@" && sync -f "$to"'

# What copies a tree. naslab makes files with their content, as cp -r and rsync -r do; those
# with -a keep owners and times too.
trees() {	# FROM TO OPTIONS-OF-NASLAB [WORDS that come before the others]
	local from=$1 to=$2 options=$3
	shift 3
	names=()
	# shellcheck disable=SC2086	# words
	peer naslab tests/bench/copy $options "$from" "$to"
	# shellcheck disable=SC2086
	peer naslab-reading tests/bench/copy $options -r "$from" "$to"
	# shellcheck disable=SC2086
	peer naslab-2-streams tests/bench/copy $options -s 2 "$from" "$to"
	peer cp-r "$@" cp -r "$from" "$to"
	peer cp-a "$@" cp -a "$from" "$to"
	! have rsync || peer rsync-r "$@" rsync -r "$from/" "$to/"
	! have rsync || peer rsync-a "$@" rsync -a "$from/" "$to/"
	! have rsync || peer rsync-aW "$@" rsync -aW --inplace "$from/" "$to/"
	peer tar "$@" sh -c "$pipe" tar "$from" "$to"
}

echo "naslab beside its peers: n = $n, $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg), in ${top%/*} and ${disk%/*}"

if wanted file; then
	echo "one file of 256 MiB, memory to memory"
	head -c 268435456 /dev/urandom >"$top/file"
	mkdir "$top/one"
	ln "$top/file" "$top/one/file"
	names=()
	peer naslab tests/bench/copy "$top/one" "$top/to"
	peer naslab-reading tests/bench/copy -r "$top/one" "$top/to"
	peer splice tests/bench/splice "$top/file" "$top/to"
	peer cp cp "$top/file" "$top/to"
	peer dd dd if="$top/file" of="$top/to" bs=1M status=none
	peer rsync-a rsync -a "$top/file" "$top/to"
	peer rsync-aW rsync -aW --inplace "$top/file" "$top/to"
	peer tar sh -c "$pipe" tar "$top/one" "$top/to"
	rounds "$top/to" | ratios naslab 268435456 \
		"splice,wall,0.97,one file in memory: speed against splice" \
		"cp,wall,0.91,one file in memory: speed against cp" \
		"dd,wall,0.91,one file in memory: speed against dd" \
		"rsync-aW,cpu,4,one file: processor time of rsync -aW --inplace against ours"
	rm -r "$top/file" "$top/one"
fi

# The tree that was measured before: 10,000 files, 100 to a directory, mean 47 KB.
make_tree() {	# COUNT
	mkdir -p "$top/workloads" "$top/tree"
	cat >"$top/workloads/tree.workload" <<-END
		title tree
		fileset count=$1 size=lognormal median=16KB mean=47KB max=2MB width=100 data=random seed=5
		op copy-in
	END
	NASLAB_WORKLOADS=$top/workloads tests/bench/corpus tree 1 "$top/tree"
	tree_bytes=$(du -sb --apparent-size "$top/tree" | cut -f1)
}

if wanted tree; then
	echo "a tree of 10,000 files, mean 47 KB, memory to memory"
	make_tree 10000
	trees "$top/tree" "$top/to" ""
	rounds "$top/to" >"$disk/rounds"
	ratios naslab "$tree_bytes" \
		"rsync-a,wall,3.5,tree in memory: speed against rsync -a" \
		"rsync-a,cpu,4,tree in memory: processor time of rsync -a against ours" \
		"cp-a,wall,1.2,tree in memory: speed against cp -a" <"$disk/rounds"
	ratios naslab-2-streams "$tree_bytes" >/dev/null <"$disk/rounds" \
		"rsync-a,wall,3.5,tree in memory: two streams against rsync -a (three processes)"
	rm -r "$top/tree"
fi

if wanted durable && [ "$(id -u)" = 0 ] && have mkfs.ext4 && truncate -s 2G "$disk/image" &&
   loop=$(losetup -f --show "$disk/image" 2>/dev/null); then
	echo "a tree of 1000 files, memory to ext4 on a loop device, durable"
	mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$loop"
	mkdir "$disk/mnt"
	mount "$loop" "$disk/mnt"
	make_tree 1000
	trees "$top/tree" "$disk/mnt/to" -d sh -c "$durable" durable "$disk/mnt"
	rounds "$disk/mnt/to" | ratios naslab "$tree_bytes" \
		"rsync-a,wall,1.4,tree durable on ext4: speed against rsync -a" \
		"cp-a,wall,1,tree durable on ext4: speed against cp -a" \
		"rsync-a,cpu,4,tree durable on ext4: processor time of rsync -a against ours"
	rm -r "$top/tree"
fi

# Do we say what others say of the same disk? Each tells its own time for one file of 512 MB
# until it is durable; dd is timed from outside.
agree_naslab() {
	./naslab bench "$disk/agree" --db "$disk/agree.db" --workload 1G --scale 0.5 --op write \
		--reps 1 --json --no-wait | sed -n '/"event":"run"/s/.*"durable_ns":\([0-9]*\).*"cpu_ns":\([0-9]*\).*/naslab \1 \2/p'
}
agree_fio() {
	fio --name=agree --directory="$disk/agree" --rw=write --bs=1M --size=500000000 --ioengine=psync \
		--end_fsync=1 --refill_buffers --fallocate=none --thread --output-format=json |
		awk '/"write" :/ { w = 1 } w && /"runtime" :/ && !ms { ms = $3 + 0 }
			/"(usr|sys)_cpu" :/ { cpu += $3 }
			END { printf "fio %.0f %.0f\n", ms * 1e6, ms * 1e4 * cpu }'
	rm -f "$disk"/agree/agree.*
}
agree_dd() {
	tests/bench/timed dd dd if="$top/file" of="$disk/agree/dd" bs=1M conv=fsync status=none
	rm "$disk/agree/dd"
}
if wanted agree && have fio; then
	echo "one file of 500 MB on the disk, durable (goal: the three agree within 3 %)"
	mkdir "$disk/agree"
	head -c 500000000 /dev/urandom >"$top/file"
	for ((i = 0; i < n; i++)); do
		for name in $(printf '%s\n' naslab fio dd | shuf); do
			"agree_$name"
		done
	done | ratios naslab 500000000 "fio,wall,0.98,one file durable: speed against fio psync" \
		"dd,wall,0.97,one file durable: speed against dd"
	rm "$top/file"
fi

holds() { awk "BEGIN { print ($1) ? \"yes\" : \"no\" }"; }

# Lines "NAME VALUE" to "MEDIAN (LOWEST to HIGHEST)" of one name.
middle() {
	awk -v name="$1" '$1 == name { print $2 }' "$2" | sort -n | awk '{ v[NR] = $1 }
		END { printf "%.1f (%.1f to %.1f)\n", v[int((NR + 1) / 2)], v[1], v[NR] }'
}

if wanted engine; then
	echo "the engine: 256 MiB written and read in memory, with and without comparing it"
	mkdir "$top/engine"
	tests/bench/engine "$top/engine" "$n" 2>"$disk/made" | ratios verified 536870912 \
		"copy,cpu,0.95,processor time of a copy against a verified one"
	echo "  text is made at $(middle text "$disk/made") GB/s of one core"
	made=$(middle random "$disk/made")
	goal "making incompressible data, GB/s of one core" ">= 8" "$made" \
		"$(holds "${made%% *} >= 8")"
fi

# CPU of one command in milliseconds, the median of n.
cpu() {
	local i
	for ((i = 0; i < n; i++)); do
		{ TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>&1; } 2>&1
	done | awk '{ print ($1 + $2) * 1000 }' | sort -n | awk '{ s[NR] = $1 }
		END { printf "%.0f ms (%.0f to %.0f)\n", s[int((NR + 1) / 2)], s[1], s[NR] }'
}
if wanted plan; then
	echo "CPU of a plan, the whole program (goal: 24 disks 5 ms, 1000 disks 100 ms)"
	printf '  %-28s %s\n' "naslab --version" "$(cpu ./naslab --version)"
	# shellcheck disable=SC1090,SC1091,SC2034	# root is where the machine is written to
	(root=$disk/usb-dock && mkdir "$root" && . "$src/tests/detect/lib.sh" && . "$src/tests/detect/usb-dock.sh")
	printf '  %-28s %s\n' "disks, 44 devices" "$(cpu ./naslab disks --root "$disk/usb-dock")"
	disks=(4xhdd:4T 4xhdd:6T 4xhdd:8T 4xhdd:10T 4xhdd:12T 4xhdd:16T)
	for file in "$src"/layouts/*.layout; do
		name=$(basename "$file" .layout)
		./naslab plan "$file" "${disks[@]}" >/dev/null 2>&1 || continue
		printf '  %-28s %s\n' "$name, 24 disks" "$(cpu ./naslab plan "$file" "${disks[@]}")"
	done
	recipe='slice | md redundancy=1 | lvm | xfs'
	if ./naslab plan "$recipe" 500xhdd:4T 500xhdd:8T >/dev/null 2>&1; then
		printf '  %-28s %s\n' "$recipe, 1000" "$(cpu ./naslab plan "$recipe" 500xhdd:4T 500xhdd:8T)"
	fi
fi

if wanted plot; then
	echo "the live plot on a terminal of 80x24"
	tests/bench/plot 20 | tee "$disk/plot" | sed 's/^/  /'
	load=$(sed -n 's/.*: \([0-9.]*\) % of a core.*/\1/p' "$disk/plot")
	goal "live plot at 10 Hz, % of a core" "<= 0.1" "$load" \
		"$(holds "$load <= 0.1")"
fi

# The same kernel with the same first process and command, started by hand: what a sandbox
# leaves in its folder is kept and booted again without the launcher.
bare_folder() {
	local launcher folder=$disk/box
	mkdir -m 1777 "$folder"
	chmod 755 "$disk"
	TMPDIR=$folder ./naslab sandbox --disk hdd:1G -- sleep 60 </dev/null >/dev/null 2>&1 &
	launcher=$!
	until compgen -G "$folder/naslab-*/uml/vm/pid" >/dev/null; do
		kill -0 "$launcher" 2>/dev/null || return 1
		sleep 0.1
	done
	cp -a "$folder"/naslab-* "$disk/job"
	kill "$launcher"
	wait "$launcher" || true
	rm -rf "$disk/job/uml"
	sed -i -z -e 's/^arg=sleep$/arg=true/' -e '/^arg=60$/d' -e "s|^db=.*|db=$disk/job/db|" "$disk/job/boot"
}

run_bare() {
	linux.uml mem=1024M "uml_dir=$disk/job/uml" umid=vm root=/dev/root rootfstype=hostfs \
		rootflags=/ ro quiet con=null con0=null,fd:1 con1=fd:3,fd:4 \
		"init=$disk/job/bin/naslab-init" "NASLAB_JOB=$disk/job" \
		"ubdat=$disk/job/disks/ubda.img,,V0000001" 3</dev/zero 4>/dev/null
}

if wanted sandbox && have linux.uml; then
	echo "naslab sandbox -- true beside a bare boot"
	if ./naslab sandbox --disk hdd:1G -- true >/dev/null 2>&1 && bare_folder; then
		export -f run_bare
		export disk
		names=()
	peer sandbox ./naslab sandbox --disk hdd:1G -- true
		peer bare bash -c run_bare
		n=$(((n + 2) / 3))
		rounds "$disk/to" | ratios sandbox 0 \
			"bare,wall,0.77,sandbox: a bare boot against naslab sandbox -- true"
	else
		echo "  it does not start here"
	fi
fi

echo
echo "goals (>= is how many times of ours the other took, median of the rounds and its 95 % interval)"
awk -F'\t' '{ printf "  %-58s %-8s %-28s %s\n", $1, $2, $3, $4 }' "$goals"
