#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What looks at a run: explain, graph, run --timeline. Pathfinder's story must be in each of them.
#   look.sh LOCKSTEP ROOT
lockstep=$(realpath "$1") || exit 99
root=$(realpath "$2") || exit 99
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
failed=0
mars=$root/scenarios/pi/pathfinder.lks
liu=$root/scenarios/pi/liu-8-8.lks
dead=$root/scenarios/oracles/deadlock.lks

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

has()
{
	grep -qF -- "$2" "$1" || { echo "\"$2\" is not in $1 of the last command:"; sed 's/^/    /' "$1" | head -n 30; failed=1; }
}

hasnot()
{
	if grep -qF -- "$2" "$1"; then echo "\"$2\" is in $1 of the last command"; failed=1; fi
}

same()
{
	cmp -s "$1" "$2" || { echo "$3"; diff "$1" "$2" | head -n 20; failed=1; }
}

# explain: what happened without inheritance ...
expect 0 "$lockstep" explain "$mars" --set buffer=mutex --task distribution -n 1
cat >want <<'X'
    110ms  +10ms  inversion  distribution sleeps in buffer, held by weather (fifo 1)
                             weather is runnable and does not run
                             cpu0 runs radio (fifo 4), a stranger to this wait
    120ms  +10ms  inversion  weather is runnable and does not run
                             cpu0 runs camera (fifo 3), a stranger to this wait
    130ms  +13ms  holder     weather runs on cpu0

    In all: 13ms holder, 20ms inversion.
    Not bounded: for 20ms strangers' work came first (radio 10ms, camera 10ms), which is in no critical
X
sed -n '5,13p' out >story
same story want "the story of distribution is another"
has out "The lock does not inherit priorities"
has out "radio    10ms"
# ... and with it
expect 0 "$lockstep" explain "$mars"
has out "boost    weather from fifo 1 to fifo 6, lent by distribution"
has out "unboost  weather from fifo 6 to fifo 1"
has out "Bounded: for 13ms"
hasnot out "Not bounded"
expect 0 "$lockstep" explain "$dead"
has out "the chain closes here"
expect 0 "$lockstep" explain --json "$liu"
has out '"kind": "explain"'
has out '"pieces_ps"'
expect 0 "$lockstep" explain "$liu" --lock shaded
has out "1. j1 (fifo 5) waited 5ms"
hasnot out "2. j"
expect 2 "$lockstep" explain "$liu" --lock nothing
expect 2 "$lockstep" explain "$liu" --worst 0
expect 2 "$lockstep" explain "$liu" "$liu"
expect 2 "$lockstep" explain
expect 3 "$lockstep" explain nowhere.lks
expect 0 "$lockstep" explain ls-104 unknown-lock
has out "LS-104"
expect 2 "$lockstep" explain LS-999

# a trace file tells what the run tells, but for the scenario's lines
for scenario in pi/pathfinder pi/liu-8-8 pi/rtems-spmutex01-nested-vertical pi/timeout-behind-own-boost; do
	"$lockstep" run --no-compare --trace run.trace "$root/scenarios/$scenario.lks" >/dev/null
	"$lockstep" explain "$root/scenarios/$scenario.lks" -n 20 | grep -v 'lks:' >one
	"$lockstep" explain run.trace -n 20 >two
	same one two "$scenario: its trace tells another story"
done
head -c 200 run.trace >cut.trace
expect 3 "$lockstep" explain cut.trace
has err "cut.trace"
expect 3 "$lockstep" graph cut.trace

# graph
expect 0 "$lockstep" graph "$mars" --set buffer=mutex
has out "110ms: priority inversion: distribution waits for buffer since 110ms, radio runs instead of weather"
has out "kept off cpu0 by"
has out "WAITERS"
expect 0 "$lockstep" graph "$mars" --at 115ms
has out 'lends fifo 6'
hasnot out "kept off"
cp out once
expect 0 "$lockstep" graph "$mars" --at 115ms --spin=poll
same once out "a graph depends on how spinning is simulated"
expect 0 "$lockstep" graph "$mars" --set buffer=mutex --episode
for at in 110ms 120ms 130ms 143ms; do
	has out "label=\"$at:"
done
expect 0 "$lockstep" graph "$root/scenarios/pi/ceiling/abba.lks" --at 2ms
has out "kept out by the ceiling of what it holds\\nlends fifo 2"
expect 0 "$lockstep" graph "$dead"
has out "deadlock</i>"
[ "$(grep -c '#cc0000", penwidth=2' out)" -ge 6 ] || { echo "the circle is not red"; failed=1; }
expect 0 "$lockstep" graph "$dead" --order
has out "this order can deadlock"
expect 0 "$lockstep" graph "$liu" --order
has out "no circle"
expect 1 "$lockstep" graph "$liu" --finding
expect 2 "$lockstep" graph "$liu" --at 5
expect 2 "$lockstep" graph "$liu" --at 5ms --worst
expect 2 "$lockstep" graph "$liu" -o picture.jpg
expect 2 "$lockstep" graph
expect 3 "$lockstep" graph nowhere.lks
expect 0 "$lockstep" graph "$liu" --at 10ms -o liu.dot
[ -s liu.dot ] || { echo "no liu.dot"; failed=1; }

# an order that could have deadlocked, and one that one task makes alone
cat >lucky.lks <<'X'
scenario "lucky"
machine zero { sockets 1 cores 1 }
lock l : mutex
lock k : mutex
task a fifo 2 { lock l lock k run 1ms unlock k unlock l }
task b fifo 1 { at 10ms lock k lock l run 1ms unlock l unlock k }
run until done
expect no deadlock
X
expect 0 "$lockstep" graph lucky.lks --order
has out "this order can deadlock"
sed 's/^task a.*//; s/^task b.*/task b fifo 1 { lock k lock l unlock l unlock k lock l lock k unlock k unlock l }/' lucky.lks >alone.lks
expect 0 "$lockstep" graph alone.lks --order
has out "of one task alone"
if command -v dot >/dev/null; then
	for scenario in "$root"/scenarios/*/*.lks; do
		"$lockstep" graph "$scenario" --first 2ms >graph.dot 2>err || continue
		dot -Tcanon graph.dot >/dev/null 2>err
		[ -s err ] && { echo "dot complains about the graph of $scenario"; head -n 3 err; failed=1; }
	done
	expect 0 "$lockstep" graph "$mars" --set buffer=mutex --episode -o mars.svg
	has mars.svg "</svg>"
	expect 0 "$lockstep" graph "$dead" -o dead.png
	expect 3 "$lockstep" graph "$mars" -o nodir/mars.svg
fi

# timeline
expect 0 "$lockstep" run -q --no-compare --timeline "$liu"
cat >want <<'X'
Timeline of liu-8-8; a column is 500us

              0         5ms       10ms      15ms
              |         |         |         |
  j1  fifo 5                ==----------ss==
  j2  fifo 4            ==-------------.....bb==
  j3  fifo 3          ==........................==
  j4  fifo 2      ==ss::::::::SS----BBBS..........==
  j5  fifo 1  ==bb::::::::BB::::BBBB................==
X
head -n 9 out >liu
same liu want "the timeline of the textbook is another"
expect 1 "$lockstep" run -q --no-compare --timeline --span 105ms..145ms --set buffer=mutex "$mars"
has out "distribution  fifo 6  .....!!!!!!!!!!!!!!!!!!!!-------------bb"
has out "weather       fifo 1  :::::::::::::::::::::::::bbbbbbbbbbbbb.."
expect 0 "$lockstep" run -q --no-compare "--timeline=mars.svg" "$mars"
has mars.svg "fifo 6</text>"
hasnot mars.svg ">priority inversion</text>"
expect 1 "$lockstep" run -q --no-compare "--timeline=mars.svg" --span 90ms..180ms --set buffer=mutex "$mars"
has mars.svg ">priority inversion</text>"
expect 0 "$lockstep" run -q --timeline=mars.svg --json --no-compare "$mars"
expect 2 "$lockstep" run --timeline --json "$mars"
expect 2 "$lockstep" run --timeline=mars.gif "$mars"
expect 2 "$lockstep" run --span 1ms..2ms "$mars"
expect 2 "$lockstep" run --timeline --span 2ms..1ms "$mars"
expect 3 "$lockstep" run -q --timeline=nodir/mars.svg "$liu"

# what is drawn does not change the run
"$lockstep" run --no-compare "$mars" | grep digest >one
"$lockstep" run --no-compare --timeline "$mars" | grep digest >two
same one two "drawing changed the run"
exit $failed
