#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Trees with bugs made on purpose: `test` and `twin` must say so.
#   bugs.sh LOCKSTEP ROOT WORK
lockstep=$(realpath "$1") root=$2 work=$3
. "$root/tests/kernel/lib.sh"
case " $have" in
*" 6.1 "*) ;;
*) echo "skipped: linux-source-6.1 is not installed"; exit 77 ;;
esac
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# A copy of the tree in which FUNCTION of FILE has lost its last line with CALL, and its plug-in.
break_tree() { # NAME FILE FUNCTION CALL
	rm -rf "$dir/tree" && cp -r "$work/tree-6.1" "$dir/tree"
	awk -v fn="$3" -v call="$4" '
		{ text[NR] = $0 }
		/^[a-z].*\(/ { inside = index($0, fn "(") > 0 }
		inside && index($0, call) { last = NR }
		END { for (i = 1; i <= NR; i++) print i == last ? ";" : text[i]; if (!last) exit 1 }
	' "$work/tree-6.1/kernel/locking/$2" >"$dir/tree/kernel/locking/$2" || complain "$2 has no $4 in $3()"
	"$lockstep" kernel build --tree "$dir/tree" --name "$1" -o "$dir" >/dev/null || complain "$1 does not build"
}

finds() { # NAME FINDING SCENARIO
	"$lockstep" run --no-compare --kernel "$dir/$1.so" "$3" >"$dir/out" 2>&1
	grep -q "$2" "$dir/out" || { complain "test does not see the bug of $1"; cat "$dir/out"; }
}

parts() { # NAME LOCK
	"$lockstep" twin --kernel "$dir/$1.so" --random 300 --lock "$2" >"$dir/out" 2>&1
	[ $? -eq 1 ] || complain "twin does not see the bug of $1"
	grep -q "^scenario" "$dir/out" || { complain "twin tells no program for $1"; cat "$dir/out"; }
}

# a lost wake-up: the writer at the head of the queue is not put on the list of those to wake
break_tree lostwake rwsem.c rwsem_mark_wake 'wake_q_add('
cat >"$dir/rw.lks" <<'END'
machine zero { sockets 1 cores 2 preempt full }
lock s : kernel:rwsem
task reader { loop 3 { reading s { sleep 20us }  sleep 3us } }
task writer { at 5us loop 3 { writing s { run 5us }  sleep 2us } }
run for 10ms
END
finds lostwake "lost-wakeup" "$dir/rw.lks"
parts lostwake rwsem

# a hand-off left out: the first waiter asks for it and never gets it
break_tree nohandoff mutex.c __mutex_unlock_slowpath '__mutex_handoff('
cat >"$dir/mutex.lks" <<'END'
machine zero { sockets 1 cores 4 preempt full }
lock m : kernel:mutex
task hog[3] { loop 200 { hold m { run 10us }  run 1us } }
task meek nice 5 { at 3us loop 20 { hold m { run 5us }  sleep 30us } }
run for 50ms
END
finds nohandoff "lost-wakeup\|stuck-spinner\|deadlock\|broken" "$dir/mutex.lks"
parts nohandoff mutex

# a deboost forgotten: the owner keeps what it inherited
break_tree noboost rtmutex.c mark_wakeup_next_waiter 'rt_mutex_adjust_prio('
cat >"$dir/rt.lks" <<'END'
machine zero { sockets 1 cores 1 preempt full }
lock b : kernel:rtmutex
task low  fifo 1 { loop 3 { hold b { run 10us }  run 10us } }
task mid  fifo 5 { at 4us loop 3 { run 5us  sleep 9us } }
task high fifo 9 { at 5us loop 3 { hold b { run 1us }  sleep 20us } }
run for 1ms
END
finds noboost "pi-integrity" "$dir/rt.lks"
parts noboost rtmutex

# and none of it in the tree as it is
for file in rw mutex rt; do
	"$lockstep" run -q --kernel "$work/v6.1.so" "$dir/$file.lks" >"$dir/out" 2>&1 ||
		{ complain "$file.lks finds something in a sane tree"; cat "$dir/out"; }
done
finish
