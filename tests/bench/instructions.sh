#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How many instructions the core takes, by callgrind: unlike times they are the same on a busy machine, and do not
# depend on its caches. A switch is half of a resume and a yield.
#   instructions.sh BENCH_CORE
bench=$1
valgrind --version >/dev/null 2>&1 || { echo "no valgrind here: not counted"; exit 77; }

out=$(mktemp) || exit 99
trap 'rm -f "$out"' EXIT

# Of one operation: what more of them take. count N WHAT...
count()
{
	n=$1
	shift
	few=$(collected "$@" 1000) || exit 1
	many=$(collected "$@" $((n + 1000))) || exit 1
	echo $(((many - few) / n))
}

collected()
{
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" "$@" 2>&1 |
		awk '/Collected/ { print $4; found = 1 } END { exit !found }'
}

# What is spent in the fibers' own files, and not in the loop around them.
switches=100000
valgrind --tool=callgrind --callgrind-out-file="$out" "$bench" switch $switches >/dev/null 2>&1 || exit 1
callgrind_annotate --auto=no "$out" | awk -v n=$switches '
	/core\/fiber/ { gsub(",", "", $1); sum += $1 }
	END { printf "fiber switch: %.1f instructions, with its checks (target 25)\n", sum / n / 2; exit !sum }' || exit 1
last=
for pending in 100 1000 10000 100000 1000000; do
	is=$(count 50000 hold $pending) || exit 1
	[ -n "$last" ] && more=", $((is - last)) more for ten times as many" || more=
	printf 'event popped and pushed again, %7d pending: %4d instructions%s\n' $pending "$is" "$more"
	last=$is
done
echo "(target: no faster than the logarithm, that is, the same number more every time)"
