#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Lockstep's models and the files they mirror do the same, to the picosecond.
#   twin.sh LOCKSTEP ROOT WORK [PROGRAMS [SEED]]
lockstep=$(realpath "$1") root=$2 work=$3 programs=${4:-500} seed=${5:-1}
. "$root/tests/kernel/lib.sh"
case " $have" in
*" 6.1 "*) ;;
*) echo "skipped: the models mirror 6.1, and linux-source-6.1 is not installed"; exit 77 ;;
esac

"$lockstep" twin -v --kernel "$work/v6.1.so" --random "$programs" --seed "$seed" >"$work/cover.$$" ||
	complain "random programs diverge"
cat "$work/cover.$$"

# what the generator is there for really happens: WORDS at least once in the programs of each of LOCKS
happens() { # LOCKS WORDS
	for lock in $1; do
		grep -q "^$lock: $programs random programs, all the same" "$work/cover.$$" || complain "$lock was not compared"
		for word in $2; do
			grep "^  $lock \(happened\|programs\):" "$work/cover.$$" | grep -q " $word [1-9]" ||
				complain "no $word in $programs programs of $lock"
		done
	done
}
sleeping="mutex rwsem rtmutex semaphore ww-mutex rt:mutex rt:rtmutex rt:rwsem"
others="osq qspinlock qrwlock percpu-rwsem rt:spinlock rt:rwlock"
happens "$sleeping $others" "write waited tried busy signal setsched preempt migrate \
	none voluntary full rt lazy 1x1 1x2 1x4 2x2 2x4 1x8"
happens "$sleeping" "slept interrupted killed"
happens "percpu-rwsem rt:spinlock rt:rwlock" slept
happens "rwsem qrwlock percpu-rwsem rt:rwsem rt:rwlock" read
happens "rwsem rt:rwsem" downgrade
happens "rtmutex semaphore rt:rtmutex" timeout
happens "rtmutex rt:rtmutex ww-mutex" deadlk
happens "rtmutex rt:mutex rt:rtmutex rt:rwsem rt:spinlock rt:rwlock" boost
happens ww-mutex already
happens qrwlock irq
rm -f "$work/cover.$$"

# where layouts may differ decisions are compared, and accesses told by line
cat >"$work/layout.$$.lks" <<'X'
machine westmere-ex-8s { sockets 2 cores 4 threads 1 preempt full hz 1000 }
lock m : mutex
task t[6] nice 0 spread { loop 50 { run exp(3us) hold m { run exp(2us) } } }
run until done
X
"$lockstep" twin --kernel "$work/v6.1.so" "$work/layout.$$.lks" >"$work/twin.$$" 2>&1 || complain "priced: another order"
grep -q "the same, by its grants" "$work/twin.$$" || complain "priced: not by its grants"
grep -q "m line 0: accesses (of them misses) per acquisition .* in mutex, .* in kernel:mutex" "$work/twin.$$" ||
	{ complain "priced: no accesses by line"; cat "$work/twin.$$"; }
# on one socket nothing of percpu-rwsem lies elsewhere
cat >"$work/layout.$$.lks" <<'X'
machine westmere-ex-8s { sockets 1 cores 8 threads 1 preempt full hz 1000 }
lock l : percpu-rwsem
task t[8] nice 0 spread { loop 50 { run exp(3us) choose { 90%: { reading l { run exp(2us) } } 10%: { writing l { run exp(1us) } } } } }
run until done limit 100ms
X
"$lockstep" twin --kernel "$work/v6.1.so" "$work/layout.$$.lks" >"$work/twin.$$" 2>&1 && ! grep -q "l line [01]:" "$work/twin.$$" ||
	{ complain "priced: percpu-rwsem in another order, or on other lines"; cat "$work/twin.$$"; }
rm -f "$work/layout.$$.lks"

# a tree in between: 6.1 with the rule of 6.4 for readers under PREEMPT_RT. Its twins are rwbase-6.4 and rtrwlock-6.4
copy_tree 6.1 "$work/between.$$"
sed -i '/if (atomic_read(&rwb->readers) != WRITER_BIAS) {/,/^\t}/d' "$work/between.$$/kernel/locking/rwbase_rt.c"
"$lockstep" kernel build --tree "$work/between.$$" --name between.$$ -o "$work" >/dev/null || complain "the tree in between does not build"
for lock in rwsem rwlock; do
	"$lockstep" twin --kernel "$work/between.$$.so" --random "$programs" --seed "$seed" --lock rt:$lock ||
		complain "the queueing form of rt:$lock diverges"
done
rm -rf "$work/between.$$" "$work/between.$$.so"

# the files that 6.12 left as they are
case " $have" in
*" 6.12 "*)
	for lock in percpu-rwsem qrwlock semaphore osq qspinlock; do
		"$lockstep" twin --kernel "$work/v6.12.so" --random 200 --lock $lock || complain "6.12's $lock diverges"
	done
	;;
esac

# spinners that are parked do what polling ones do
"$lockstep" twin --kernel "$work/v6.1.so" --from v6.1 --polled --random $((programs / 5)) --seed "$seed" || complain "elided and polled differ"
cat >"$work/priced.$$.lks" <<'END'
machine westmere-ex-8s { preempt none }
lock m : kernel:mutex
lock s : kernel:rwsem
task w[40] { loop {
    hold m { run exp(1us) }
    choose { 80%: { reading s { run exp(2us) } } 20%: { writing s { run exp(1us) } } }
    run exp(2us)
} }
run for 1ms
END
"$lockstep" twin --kernel "$work/v6.1.so" --from v6.1 --polled "$work/priced.$$.lks" || complain "priced: elided and polled differ"
rm -f "$work/priced.$$.lks"

# whole scenarios: those without costs exactly, and two sides that are known to differ
for file in "$root"/scenarios/pi/*.lks; do
	"$lockstep" twin --kernel "$work/v6.1.so" "$file" >"$work/twin.$$" 2>&1 ||
		grep -q "no lock of it has a model on both sides" "$work/twin.$$" || { complain "$file"; cat "$work/twin.$$"; }
done
# programs of campaigns in which the sides once parted
for file in "$root"/tests/kernel/twins/*.lks; do
	"$lockstep" twin --kernel "$work/v6.1.so" "$file" >"$work/twin.$$" 2>&1 || { complain "$file"; cat "$work/twin.$$"; }
	"$lockstep" twin --kernel "$work/v6.1.so" --from v6.1 --polled "$file" >"$work/twin.$$" 2>&1 ||
		{ complain "$file, polled"; cat "$work/twin.$$"; }
done
cat >"$work/two.$$.lks" <<'END'
machine zero { sockets 1 cores 2 preempt full }
lock m : mutex
task a { loop 3 { hold m { run 5us } } }
task b { loop 3 { hold m { run 5us } } }
run until done
END
"$lockstep" twin --kernel "$work/v6.1.so" "$work/two.$$.lks" | grep -q "the same, to the picosecond" ||
	complain "a small scenario is not the same"
"$lockstep" twin --kernel "$work/v6.1.so" --with nobody "$work/two.$$.lks" 2>/dev/null
[ $? -eq 2 ] || complain "a side that is not there is taken"
rm -f "$work/twin.$$" "$work/two.$$.lks"
finish
