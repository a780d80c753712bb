#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The scenarios under the kernel's own locks: expectations met, elided and polled alike, two trees side by side.
#   run.sh LOCKSTEP ROOT WORK
lockstep=$(realpath "$1") root=$2 work=$3
. "$root/tests/kernel/lib.sh"
cd "$root" || exit 99

# "--set bus=v6.1:rtmutex" for every lock of the scenario $2 that the plug-in $1 has too
sets() {
	awk -v make="$1" '$1 == "lock" && $3 == ":" && $4 ~ /^(mutex|rwsem|rtmutex|semaphore|osq|qspinlock)$/ {
		sub(/\[.*/, "", $2)
		printf "--set %s=%s:%s ", $2, make, $4
	}' "$2"
}

# Scenarios that ask for counters of Lockstep's models, or for what the kernel has no door for: a deadlock that rt_mutex_lock()
# runs into is a WARN of the tree, and so a finding. Proxy execution is none of the trees', the window between count and owner
# is closed in them, and no boost passes between a tree's lock and a model of ours.
asks_for_more() {
	grep -q "^expect event\|^expect steps" "$1" && return 0
	case $1 in
	scenarios/pi/proxy/* | scenarios/counters/* | scenarios/oracles/owner-window-* | scenarios/pi/ltp/testpi-5.lks | \
	scenarios/pi/ceiling/over-kinds*) return 0 ;;
	esac
	return 1
}

ran=0
for v in $have; do
	for file in $(find scenarios -name '*.lks' | LC_ALL=C sort); do
		set=$(sets "v$v" "$file")
		[ -n "$set" ] || continue
		asks_for_more "$file" && continue
		ran=$((ran + 1))
		# shellcheck disable=SC2086
		"$lockstep" test -q --no-compare --kernel "$work/v$v.so" $set "$file" >"$work/out.$$" 2>&1 ||
			{ complain "$file under v$v"; cat "$work/out.$$"; }
		# that nobody will ever stop spinning is found at once, or at the end of a run that polls
		grep -q "^expect deadlock" "$file" && continue
		# shellcheck disable=SC2086
		elided=$("$lockstep" test --digest --first 2ms --no-compare --kernel "$work/v$v.so" $set "$file" | grep digest)
		# shellcheck disable=SC2086
		polled=$("$lockstep" test --digest --first 2ms --no-compare --spin=poll --kernel "$work/v$v.so" $set "$file" |
			grep digest)
		[ "$elided" = "$polled" ] || complain "$file under v$v: elided and polled runs differ"
	done
done
rm -f "$work/out.$$"
[ $ran -ge 30 ] || complain "only $ran scenarios ran"

# statics and per-CPU data are as new in every run: one process, the same scenario over and over
cat >"$work/again.$$.lks" <<'END'
machine { sockets 2 cores 2 costs uniform preempt full }
lock m : kernel:mutex
lock p : kernel:percpu-rwsem
lock q : kernel:qrwlock
lock s : kernel-rt:spinlock
lock r : kernel-rt:rwsem
lock d : kernel:ww-mutex
task w[6] { loop 20 {
    hold m { run exp(1us) }
    choose { 80%: { reading p { run 1us } } 20%: { writing p { run 1us } } }
    choose { 80%: { reading q { run 1us } } 20%: { writing q { run 1us } } }
    choose { 80%: { reading r { run 1us } } 20%: { writing r { run 1us } } }
    hold s { run exp(500ns) }
    hold d { run exp(500ns) } else { }
} }
run until done limit 10s
expect no finding
END
# shellcheck disable=SC2086
set -- $have
"$lockstep" test -j1 --digest --kernel "$work/v$1.so" "$work/again.$$.lks" "$work/again.$$.lks" | grep digest >"$work/digests.$$"
[ "$(wc -l <"$work/digests.$$")" -eq 2 ] || complain "two runs, but not two digests"
[ "$(sort -u "$work/digests.$$" | wc -l)" -eq 1 ] || complain "a second run in the same process differs"

# two names for one file are two locks; two trees at once
"$lockstep" check --kernel "one=$work/v$1.so" --kernel "two=$work/v$1.so" --set m=one:mutex --set q=two:qrwlock \
	"$work/again.$$.lks" || complain "two plug-ins at once"
"$lockstep" check --kernel "one=$work/v$1.so" --set m=nowhere:mutex "$work/again.$$.lks" 2>/dev/null &&
	complain "an unknown plug-in is taken"
rm -f "$work/again.$$.lks" "$work/digests.$$"
finish
