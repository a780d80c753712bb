#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# compare, sweep, report and validate as a script sees them: figures worked out by hand, exit statuses,
# baselines, and sweeps that are killed and go on.
#   verbs.sh LOCKSTEP ROOT
lockstep=$(realpath "$1") || exit 99
root=$(realpath "$2")
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
failed=0

# expect STATUS COMMAND... : its output is in out and err
expect()
{
	want=$1
	shift
	"$@" >out 2>err
	got=$?
	if [ $got -ne "$want" ]; then
		echo "status $got instead of $want: $*"
		sed 's/^/    /' out err | head -n 20
		failed=1
	fi
}

# has FILE TEXT
has()
{
	if ! grep -qF -- "$2" "$1"; then
		echo "\"$2\" is not in $1 of the last command:"
		sed 's/^/    /' "$1" | head -n 60
		failed=1
	fi
}

# same A B WHAT
same()
{
	cmp -s "$1" "$2" || { echo "$3"; diff "$1" "$2" | head -n 10; failed=1; }
}

# Two CPUs take turns, never at once: every acquisition moves one line for 50 ns, holds it for 1 us, and
# the two CPUs idle for the rest: 2 x 100 us - 10 x 50 ns - 10 x 1 us = 189.5 us.
cat >turns.lks <<'E'
scenario "turns"
machine zero { sockets 1  cores 2  preempt none  hz 1000  cost line 50ns  cost hit 0ns }
lock l : ticket
task a nice 0 cpu 0 { loop 5 { lock l  run 1us  unlock l  sleep 19us } }
task b nice 0 cpu 1 { at 10us  loop 5 { lock l  run 1us  unlock l  sleep 19us } }
run for 100us
E
# A queue: contended, with draws.
cat >queue.lks <<'E'
scenario "queue"
param n = 8
machine westmere-ex-8s { preempt none  hz 1000 }
lock l : ticket
task t[n] nice 0 spread pin { loop { run exp(2us)  lock l  run exp(1us)  unlock l  done } }
run for 2ms
expect no finding
E
cat >blocks.lks <<'E'
include "queue.lks"
compare l : mcs { expect throughput ratio 0.5..2 }
compare l : mutex { expect throughput ratio 0.001..0.002 }
E

# -- compare ---------------------------------------------------------------------------------------
expect 0 "$lockstep" compare --json --lock l=mcs turns.lks
awk '/"model":/ { m = $2 } /"total_ps":/ { print m, "total", $2 }
	/"[a-z]*": \{/ { item = $1 } /"time_ps":/ { print m, item, $2; sum[m] += $2 }
	END { for (m in sum) print m, "sum", sum[m] | "sort" }' out | tr -d '",:' >bill
for line in "ticket total 200000000" "ticket lines 500000" "ticket own 10000000" "ticket idle 189500000" \
	"ticket sum 200000000" "mcs lines 500000" "mcs sum 200000000"; do
	has bill "$line"
done
expect 0 "$lockstep" compare --lock l=mcs turns.lks
has out "seed 1: one run of each, so there is no confidence interval"
has out "Lock l"
has out "The bill of l: mcs against ticket"
has out "nothing moved that these runs can tell from chance"
# items of any bill sum to the whole
expect 0 "$lockstep" compare --json --lock l=mutex,rtmutex,qspinlock --seeds 2 queue.lks
awk '/"total_ps":/ { total = $2 + 0; sum = 0 } /"time_ps":/ { sum += $2 }
	/"preemptions":/ { n++; if (sum != total) { print "bill of", n, "sums to", sum, "not", total; bad = 1 } }
	END { exit bad || n != 4 }' out || { echo "a bill does not sum"; failed=1; }
cp out first
has out '"ratio_half_ppm"'
expect 0 "$lockstep" compare --json --lock l=mutex,rtmutex,qspinlock --seeds 2 queue.lks
same first out "compare printed something else the second time"
expect 0 "$lockstep" compare --no-bill --lock l=mutex --seeds 2 queue.lks
has out "seeds 1..2: means of 2 runs"
has out "Under mutex"
has out "95 % interval"
grep -q "The bill" out && { echo "--no-bill has a bill"; failed=1; }
# the same workload under the model itself: nothing differs
expect 0 "$lockstep" compare --no-bill --lock l=ticket queue.lks
awk '$NF ~ /^[0-9]+\.[0-9][0-9]$/ && $NF != "1.00" && /l|w|u/ && NR > 5 { print; bad = 1 } END { exit bad }' out ||
	{ echo "a model differs from itself"; failed=1; }
# blocks of the scenario, and their expectations
expect 1 "$lockstep" compare blocks.lks
has out "throughput ratio 0.001..0.002"
has out "Expectations: 2 met, 1 missed"
expect 1 "$lockstep" compare --bisect blocks.lks
# however many run at a time, and with one column for what is named twice
for how in -j1 -j2 -j7; do
	expect 1 "$lockstep" compare --seeds 3 $how --lock l=mcs,tas,tas blocks.lks
	cp out ./$how.out
	has out "Expectations: 6 met, 3 missed"
	[ "$(grep -c '^  Under mcs\|^  Under tas' out)" -le 2 ] || { echo "a model has two columns"; failed=1; }
	[ "$(grep -c 'The bill of l: mcs' out)" = 1 ] || { echo "not one bill of mcs"; failed=1; }
	same ./-j1.out ./$how.out "compare $how prints something else than -j1"
done
# a block that --set has made the scenario's own model has a name of its own
expect 1 "$lockstep" compare --no-bill --set l=mutex blocks.lks
has out "mutex (2)"
# … and --lock that names what is there already adds no column
expect 0 "$lockstep" compare --no-bill --lock l=mcs,mutex --set l=mutex queue.lks
grep -q "mutex (2)" out && { echo "the own model has two columns"; failed=1; }
# parameters of a model
expect 0 "$lockstep" compare --no-bill --lock 'l=mutex{spin_on_owner off},mutex' queue.lks
has out "mutex{spin_on_owner off}"
# mistakes
expect 2 "$lockstep" compare queue.lks
has err "nothing to compare"
expect 2 "$lockstep" compare --lock l=mxc queue.lks
has err 'did you mean'
expect 2 "$lockstep" compare --lock k=mcs queue.lks
expect 2 "$lockstep" compare --lock l queue.lks
expect 2 "$lockstep" compare --lock 'l=mutex{' queue.lks
expect 2 "$lockstep" compare --lock 'l=mcs{nonsense 1}' queue.lks
expect 2 "$lockstep" compare -j 5000 --lock l=mcs queue.lks
expect 2 "$lockstep" compare --seeds 0 --lock l=mcs queue.lks
expect 125 "$lockstep" compare --bisect --lock l=mxc queue.lks
expect 3 "$lockstep" compare --lock l=mcs nowhere.lks

# -- baseline --------------------------------------------------------------------------------------
expect 0 "$lockstep" compare --quiet --no-bill --lock l=mcs --save base.json queue.lks
expect 0 "$lockstep" compare --quiet --no-bill --lock l=mcs --baseline base.json queue.lks
has out "Nothing moved"
sed 's/run exp(1us)/run exp(1050ns)/' queue.lks >slower.lks
expect 1 "$lockstep" compare --quiet --no-bill --lock l=mcs --baseline base.json slower.lks
has out "l/mcs/throughput"
has out "Moved from the baseline by more than 0.0000 %"
expect 1 "$lockstep" compare --bisect --quiet --no-bill --lock l=mcs --baseline base.json slower.lks
expect 0 "$lockstep" compare --quiet --no-bill --lock l=mcs --baseline base.json --tolerance 1000% slower.lks
expect 1 "$lockstep" compare --quiet --no-bill --lock l=mutex --baseline base.json queue.lks
has out "is new"
has out "is gone"
expect 3 "$lockstep" compare --lock l=mcs --baseline nowhere.json queue.lks
echo '{"kind": "compare", "values": {"a": 1, ' >broken.json
expect 3 "$lockstep" compare --lock l=mcs --baseline broken.json queue.lks
expect 125 "$lockstep" compare --bisect --lock l=mcs --baseline broken.json queue.lks

# -- sweep -----------------------------------------------------------------------------------------
sweep()
{
	"$lockstep" sweep queue.lks --vary 'n=1..16*2' --vary l=ticket,mcs --seeds 4 "$@"
}
expect 0 sweep -o whole.sqlite -j2
has out "40 of 40 runs"
cp whole.sqlite again.sqlite
expect 0 sweep -o again.sqlite
same whole.sqlite again.sqlite "a sweep that was complete changed its file"
# killed at whatever point it was, again and again, and then finished: the same content
for after in 0.02 0.05 0.1 0.2; do
	sweep -o killed.sqlite -j2 >/dev/null 2>&1 &
	pid=$!
	sleep $after
	# the shell's child is the sweep itself or a shell around it
	kill -9 "$(cat /proc/$pid/task/$pid/children 2>/dev/null | cut -d' ' -f1)" $pid 2>/dev/null
	wait $pid 2>/dev/null
done
expect 0 sweep -o killed.sqlite
if command -v sqlite3 >/dev/null 2>&1; then
	sqlite3 whole.sqlite .dump >whole.dump
	sqlite3 killed.sqlite .dump >killed.dump
	same whole.dump killed.dump "a sweep that was killed has other content"
	[ "$(sqlite3 whole.sqlite 'SELECT count(*) FROM run')" = 40 ] || { echo "not 40 rows"; failed=1; }
fi
expect 0 "$lockstep" report --csv --measure all whole.sqlite
cp out whole.csv
expect 0 "$lockstep" report --csv --measure all killed.sqlite
same whole.csv out "reports of equal sweeps differ"
# a row is what `run` says
expect 0 "$lockstep" run --json --seed 3 --set n=4 --set l=mcs queue.lks
sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' out | head -n 1 >digest
[ -s digest ] || { echo "no digest in the report"; failed=1; }
if command -v sqlite3 >/dev/null 2>&1; then
	sqlite3 whole.sqlite "SELECT digest FROM run WHERE params = 'l=mcs n=4' AND seed = 3" >row
	same digest row "a row has another digest than the run"
fi
# another text is another scenario; both stay
expect 0 "$lockstep" sweep slower.lks --vary n=1,2 -o again.sqlite
has out "2 of 2 runs"
expect 0 "$lockstep" report again.sqlite
[ "$(grep -c version out)" = 2 ] || { echo "not two tables"; failed=1; }
expect 0 sweep -o again.sqlite --list-runs
[ "$(grep -c ' there ' out)" = 40 ] || { echo "not 40 runs there"; failed=1; }
# rows of another simulator are not taken for this one's
if command -v sqlite3 >/dev/null 2>&1; then
	sqlite3 killed.sqlite "UPDATE run SET version = '0.1.0+0'; UPDATE lock SET version = '0.1.0+0'"
	expect 0 sweep -o killed.sqlite --list-runs
	has out " missing "
	expect 0 sweep -o killed.sqlite
	has out "40 of 40 runs"
	has out "40 rows of it that another version of lockstep made"
	sqlite3 killed.sqlite "DELETE FROM run WHERE version = '0.1.0+0'; DELETE FROM lock WHERE version = '0.1.0+0'"
	sqlite3 killed.sqlite .dump >killed.dump
	same whole.dump killed.dump "a sweep beside rows of another version has other content"
fi
# an expectation that some run misses
sed 's/expect no finding/expect throughput >= 500000/' queue.lks >goal.lks
expect 1 "$lockstep" sweep goal.lks --vary n=1,8 -o goal.sqlite
has out "1 with a finding or an expectation missed"
expect 1 "$lockstep" sweep goal.lks --vary n=1,8 -o goal.sqlite
# mistakes
expect 2 "$lockstep" sweep queue.lks --vary n=1
has err "-o FILE"
expect 2 "$lockstep" sweep queue.lks --vary n=8..1*2 -o x.sqlite
expect 2 "$lockstep" sweep queue.lks --vary m=1 -o x.sqlite
expect 2 "$lockstep" sweep queue.lks --vary seed=1,2 -o x.sqlite
expect 2 "$lockstep" sweep queue.lks --vary l=mcs,nolock -o x.sqlite
expect 3 "$lockstep" sweep queue.lks -o queue.lks
expect 3 "$lockstep" sweep queue.lks -o nodir/x.sqlite

# -- report ----------------------------------------------------------------------------------------
expect 0 "$lockstep" report whole.sqlite
has out "l=mcs n=16"
expect 0 "$lockstep" report --json --lock l whole.sqlite
has out '"kind": "sweep"'
expect 2 "$lockstep" report --measure nonsense whole.sqlite
expect 2 "$lockstep" report --lock nolock whole.sqlite
expect 3 "$lockstep" report nowhere.sqlite
expect 3 "$lockstep" report queue.lks
if command -v gnuplot >/dev/null 2>&1; then
	expect 0 "$lockstep" report --csv --svg plot.svg whole.sqlite
	has plot.svg "<svg"
	has plot.svg "throughput /s"
	cp plot.svg plot1.svg
	expect 0 "$lockstep" report --csv --svg plot.svg killed.sqlite
	same plot.svg plot1.svg "pictures of equal sweeps differ"
	expect 2 "$lockstep" report --svg plot.svg -x nothing whole.sqlite
fi
expect 3 env PATH=/nonexistent "$lockstep" report --csv --svg other.svg whole.sqlite
has err "gnuplot is not installed"

# -- validate --------------------------------------------------------------------------------------
cat >targets <<'E'
[moves]
result = A
title = turns: line moves per acquisition
scenario = turns.lks
measure = lines_per
published = 1
source = by hand
tolerance = 1%
E
expect 2 "$lockstep" validate targets
has err "[moves] measure"
# 10 writes; the hold is 1 us; one model over the other is 1
cat >targets <<'E'
[writes]
result = A
title = turns: acquisitions
scenario = turns.lks
measure = writes
published = 10
source = by hand
accepted = 10..10
seeds = 2
[hold]
result = A
title = turns: hold
scenario = turns.lks
measure = write.hold_mean
lock = l
published = 0.9us..1us
source = by hand
tolerance = 1%
[ratio]
result = B
title = mcs over ticket
scenario = turns.lks
set = l=mcs
against = l=ticket
measure = acquired
published = 1
role = calibrated
source = by hand
[wrong]
result = B
title = deliberately wrong
scenario = turns.lks
measure = wait_max / writes
published = 10ns
tolerance = 10%
source = by hand: 50 ns over 10
known-miss = yes
analysis = the published figure is not the right one
seeds = 1
E
expect 0 "$lockstep" validate -j2 targets
has out "3 of 4 met, 1 known to miss"
has out "miss (known)"
has out "-50.0 %"
has out "analysis: the published figure is not the right one"
cp out one
expect 0 "$lockstep" validate targets
same one out "validate depends on the number of jobs"
expect 0 "$lockstep" validate --add-seed 7 targets
same one out "turns.lks draws nothing, and yet its figures hang on the seed"
expect 2 "$lockstep" validate --add-seed x targets
expect 2 "$lockstep" validate --add-seed 7 --check page.md targets
cat >drawn <<'F'
[drawn]
result = A
title = a draw
scenario = queue.lks
measure = throughput
published = 1
source = by hand
role = reported
F
expect 0 "$lockstep" validate drawn
cp out first
expect 0 "$lockstep" validate --add-seed 7 drawn
cmp -s first out && { echo "--add-seed adds nothing"; failed=1; }
expect 0 "$lockstep" validate --json targets
has out '"kind": "validation"'
expect 0 "$lockstep" validate --markdown targets
has out "## Result B"
cp out page.md
expect 0 "$lockstep" validate --check page.md targets
# an update runs the chosen rows and keeps the others, whatever they say; a row that the page lacks has to be chosen
sed 's/^| turns: hold | [^|]*|/| turns: hold | mine |/; s/^| mcs over ticket | [^|]*|/| mcs over ticket | old |/' page.md >older.md
expect 0 "$lockstep" validate --rows B --update older.md targets
has older.md "| turns: hold | mine |"
grep -q "| old |" older.md && { echo "an updated page has the old row"; failed=1; }
expect 0 "$lockstep" validate --rows hold --update older.md targets
same page.md older.md "an updated page is not the page"
sed -i '/^- .*`wrong`/d' older.md
expect 3 "$lockstep" validate --rows A --update older.md targets
has err "has no row wrong"
echo >>page.md
expect 1 "$lockstep" validate --check page.md targets
expect 0 "$lockstep" validate --rows A targets
has out "2 of 2 met"
sed -i '/known-miss/d' targets
expect 1 "$lockstep" validate targets
has out "MISS"
sed -i 's/^tolerance = 10%/role = reported/' targets
expect 0 "$lockstep" validate targets
has out "3 of 3 met"
has out "reported"
sed -i 's/^role = reported/&\ntolerance = 10%/' targets
expect 2 "$lockstep" validate targets
has err "only reported"
sed -i 's/^tolerance = 10%/tolerence = 10%/' targets
expect 2 "$lockstep" validate targets
has err 'did you mean "tolerance"?'
# the file of the tree is well-formed, and its page has a row for each stanza
expect 2 "$lockstep" validate --rows none-of-these "$root/scenarios/results/targets"
has err "no row of that name"
stanzas=$(grep -c '^\[' "$root/scenarios/results/targets")
rows=$(grep -c '^- \*\*' "$root/docs/validation.md")
[ "$stanzas" = "$rows" ] || { echo "docs/validation.md has $rows rows for $stanzas stanzas; make it anew"; failed=1; }

for verb in compare sweep report validate; do
	expect 0 "$lockstep" help $verb
	has out "lockstep $verb"
	grep -qx "lockstep-$verb(1)" "$root/man/lockstep-$verb.1.scd" || { echo "no man page of $verb"; failed=1; }
done
exit $failed
