#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Trees with bugs made on purpose: `test` and `twin` must say so, and name the place.
#   bugs.sh LOCKSTEP ROOT WORK
lockstep=$(realpath "$1") root=$2 work=$3
. "$root/tests/kernel/lib.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# A copy of the tree in which FUNCTION of FILE has lost its last line with CALL, or has TEXT there, and its plug-in.
break_tree() { # NAME FILE FUNCTION CALL [TEXT]
	copy_tree "$v" "$dir/tree"
	plant "$2" "$3" "$4" "$5"
	"$lockstep" kernel build --tree "$dir/tree" --name "$1" -o "$dir" --lock "$(lock_of "$2")" >/dev/null ||
		complain "$v: $1 does not build"
}

# A story names the place where it shows FUNCTION and a line of the file
names() { # NAME FUNCTION VERB
	grep -q "went through.*$2() [a-z_-]*\.[ch]:[0-9]\|come through.*$2() [a-z_-]*\.[ch]:[0-9]" "$dir/out" ||
		{ complain "$v: $3 does not name $2() for the bug of $1"; cat "$dir/out"; }
}

finds() { # NAME FINDING SCENARIO FUNCTION
	"$lockstep" test --no-compare --kernel "$dir/$1.so" "$3" >"$dir/out" 2>&1
	[ $? -eq 1 ] || complain "$v: test passes with the bug of $1"
	grep -q "$2" "$dir/out" || { complain "$v: test does not see the bug of $1"; cat "$dir/out"; }
	names "$1" "$4" test
	# and nothing in the tree as it is
	"$lockstep" test -q --no-compare --kernel "$work/v$v.so" "$3" >"$dir/out" 2>&1 ||
		{ complain "$v: there is something in the tree as it is"; cat "$dir/out"; }
}

parts() { # NAME LOCK FUNCTION
	"$lockstep" twin --kernel "$work/v$v.so" --kernel "$dir/$1.so" --from "v$v" --with "$1" --random 400 --lock "$2" \
		>"$dir/out" 2>&1
	[ $? -eq 1 ] || complain "$v: twin does not see the bug of $1"
	grep -q "^scenario" "$dir/out" || { complain "$v: twin tells no program for $1"; cat "$dir/out"; }
	names "$1" "$3" twin
}

cat >"$dir/rw.lks" <<'END'
machine zero { sockets 1 cores 2 preempt full }
lock s : kernel:rwsem
task reader { loop 3 { reading s { sleep 20us }  sleep 3us } }
task writer { at 5us loop 3 { writing s { run 5us }  sleep 2us } }
run for 10ms
expect no finding
END
cat >"$dir/mutex.lks" <<'END'
machine zero { sockets 1 cores 4 preempt full }
lock m : kernel:mutex
task hog[3] { loop 40 { hold m { run 5us  sleep 10us  run 5us } } }
task meek nice 5 { at 3us loop 20 { hold m { run 5us  sleep 1us }  sleep 3us } }
run for 50ms
expect no finding
END
cat >"$dir/rt.lks" <<'END'
machine zero { sockets 1 cores 1 preempt full }
lock b : kernel:rtmutex
task low  fifo 1 { loop 3 { hold b { run 10us }  run 10us } }
task mid  fifo 5 { at 4us loop 3 { run 5us  sleep 9us } }
task high fifo 9 { at 5us loop 3 { hold b { run 1us }  sleep 20us } }
run for 1ms
expect no finding
END
cat >"$dir/late.lks" <<'END'
machine zero { sockets 1 cores 1 preempt full }
lock b : kernel:rtmutex
task low  fifo 1 { hold b { sleep 20us run 10us } run 10us }
task high fifo 9 { at 5us hold b timeout 8us { run 1us } else { } }
run for 1ms
expect no finding
END
cat >"$dir/try.lks" <<'END'
machine zero { sockets 1 cores 1 preempt full }
lock s : kernel:rwsem
task r { loop 2 { reading s try { run 1us } else { } } }
run for 1ms
expect no finding
END
cat >"$dir/spin.lks" <<'END'
machine zero { sockets 1 cores 3 preempt full }
lock q : kernel:qspinlock
task w[3] { loop 20 { hold q { run 2us }  run 100ns } }
run until done limit 10ms
expect no finding
END

# A first waiter that was woken is 20 us on its way, and another one spins: whoever is not promised anything is always late.
cat >"$dir/mlate.lks" <<'END'
machine zero { sockets 1 cores 4 hz 1000 preempt full cost context_switch 20us }
lock m : kernel:mutex
task thief[2] nice 0 cpu $i { hold m { sleep 50us } loop { hold m { run 10us } } }
task sleeper nice 0 cpu 3 { at 10us loop { hold m { run 1us } sleep 1us } }
run for 20ms
expect no finding
END
sed 's/lock m : kernel:mutex/lock m : kernel:rwsem/; s/hold m/writing m/g' "$dir/mlate.lks" >"$dir/slate.lks"
# Interrupts come between the release and the wake-up, and a spinner is there first.
# Five times, since the mistake needs several in a row.
{
	cat <<'END'
machine sandybridge-ep-2s { sockets 1 cores 15 threads 1 preempt none hz 1000
	cost idle_exit 0ns  cost context_switch 100ns  cost ipi 100ns }
lock s[5] : kernel:rwsem
task thief[10] nice 0 cpu $i { loop { writing s[$i / 2] { run uniform(30us, 50us) } } }
task reader[10] nice 0 cpu 10 + $i / 2 { loop { reading s[$i / 2] { }  run uniform(5us, 20us) } }
END
	for c in 0 1 2 3 4 5 6 7 8 9; do
		echo "interrupt dev$c cpu $c every 3045ns from $((c % 2 * 1500))ns { run 2500ns }"
	done
	echo "run for 1s"
	echo "expect no finding"
} >"$dir/rlate.lks"

for v in $have; do
	# a lost wake-up: the writer at the head of the queue is not put on the list of those to wake
	break_tree lostwake rwsem.c rwsem_mark_wake 'wake_q_add('
	finds lostwake "lost-wakeup" "$dir/rw.lks" rwsem_wake
	parts lostwake rwsem rwsem_wake

	# woken readers are granted the lock, and sleep on
	break_tree lostreaders rwsem.c rwsem_mark_wake 'wake_q_add_safe('
	finds lostreaders "lost-wakeup" "$dir/rw.lks" rwsem_mark_wake
	parts lostreaders rwsem rwsem_mark_wake

	# one reader is woken, and those behind it wait: no harm, but not what was
	break_tree onereader rwsem.c rwsem_mark_wake 'MAX_READERS_WAKEUP' 'if (woken >= 1)'
	parts onereader rwsem rwsem_mark_wake

	# the bit that makes the first writer's turn come is never set: it waits as long as others are faster
	break_tree nobit rwsem.c rwsem_try_write_lock 'new |= RWSEM_FLAG_HANDOFF' 'return false;'
	finds nobit "hand-off" "$dir/slate.lks" rwsem_try_write_lock
	parts nobit rwsem rwsem_try_write_lock

	# likewise for a reader
	break_tree noreader rwsem.c rwsem_mark_wake 'if (!(oldcount & RWSEM_FLAG_HANDOFF)) {' 'if (0) {'
	finds noreader "hand-off" "$dir/rlate.lks" rwsem_mark_wake

	# it is set, and whoever spins takes the lock all the same
	break_tree nohonour rwsem.c rwsem_try_write_lock_unqueued 'RWSEM_LOCK_MASK|RWSEM_FLAG_HANDOFF' \
		'while (!(count & RWSEM_LOCK_MASK)) {'
	finds nohonour "hand-off" "$dir/slate.lks" rwsem_try_write_lock_unqueued

	# the first waiter for a mutex does not ask
	break_tree noask mutex.c __mutex_lock_common '__mutex_trylock_or_handoff(lock, first)' \
		'if (__mutex_trylock_or_handoff(lock, false))'
	finds noask "hand-off" "$dir/mlate.lks" __mutex_lock_common
	parts noask mutex __mutex_lock_common

	# checks that fail tell where they stand
	break_tree warns rwsem.c rwsem_mark_wake 'lockdep_assert_held(' 'WARN_ON(1);'
	finds warns "rwsem.c:[0-9]*: WARN_ON(1)" "$dir/rw.lks" rwsem_wake
	break_tree wrong rwsem.c rwsem_mark_wake 'lockdep_assert_held(' 'lockdep_assert_held(&current->pi_lock);'
	finds wrong "rwsem.c:[0-9]*: not held: &current->pi_lock" "$dir/rw.lks" rwsem_wake

	# a hand-off left out: the first waiter asks for it and never gets it
	break_tree nohandoff mutex.c __mutex_unlock_slowpath '__mutex_handoff('
	finds nohandoff "lost-wakeup\|stuck-spinner\|deadlock\|broken" "$dir/mutex.lks" __mutex_unlock_slowpath
	parts nohandoff mutex __mutex_unlock_slowpath

	# a deboost forgotten: the owner keeps what it inherited
	break_tree noboost rtmutex.c mark_wakeup_next_waiter 'rt_mutex_adjust_prio('
	finds noboost "pi-integrity" "$dir/rt.lks" mark_wakeup_next_waiter
	parts noboost rtmutex mark_wakeup_next_waiter

	# a boost forgotten: the waiter queues, and the owner is not told
	break_tree mute rtmutex.c task_blocks_on_rt_mutex 'rt_mutex_adjust_prio('
	finds mute "pi-integrity" "$dir/rt.lks" task_blocks_on_rt_mutex
	parts mute rtmutex task_blocks_on_rt_mutex

	# a deboost forgotten where a waiter gives up
	break_tree stays rtmutex.c remove_waiter 'rt_mutex_adjust_prio('
	finds stays "pi-integrity" "$dir/late.lks" remove_waiter
	parts stays rtmutex remove_waiter

	# preemption is switched on that was never off: a finding, and not the end of the simulator
	break_tree unbalanced rwsem.c __down_read_trylock 'preempt_disable('
	finds unbalanced "preempt_enable() without preempt_disable()" "$dir/try.lks" __down_read_trylock
	parts unbalanced rwsem __down_read_trylock

	# the pending waiter goes in without closing the door
	break_tree open qspinlock.c queued_spin_lock_slowpath 'clear_pending_set_locked('
	finds open "mutual-exclusion\|stuck-spinner\|deadlock" "$dir/spin.lks" queued_spin_lock_slowpath
	parts open qspinlock queued_spin_lock_slowpath

	# readers behind a writer that becomes a reader stay asleep
	break_tree nodown rwsem.c __downgrade_write 'rwsem_downgrade_wake('
	parts nodown rwsem __downgrade_write

	# a wounded transaction never hears of it
	break_tree nowound ww_mutex.h __ww_mutex_wound 'wounded = 1'
	parts nowound ww-mutex __mutex_lock_common

	# PREEMPT_RT: the last reader does not wake the writer
	break_tree lastreader rwbase_rt.c __rwbase_read_unlock 'rt_mutex_wake_q_add_task('
	parts lastreader rt:rwsem __rwbase_read_unlock

	# … or the writer leaves and keeps the rt_mutex below
	break_tree keeps rwbase_rt.c __rwbase_write_unlock 'rwbase_rtmutex_unlock('
	sed 's/: kernel:rwsem/: kernel-rt:rwsem/' "$dir/rw.lks" >"$dir/rt-rw.lks"
	finds keeps "lost-wakeup" "$dir/rt-rw.lks" __rwbase_write_unlock
	parts keeps rt:rwsem __rwbase_write_unlock

	# nobody tells unlock that somebody is queued; or it collects whom to wake, and wakes nobody
	break_tree noflag mutex.c __mutex_add_waiter '__mutex_set_flag('
	finds noflag "lost-wakeup\|broken" "$dir/mutex.lks" __mutex_lock_common
	break_tree nowake mutex.c __mutex_unlock_slowpath 'wake_up_q('
	finds nowake "lost-wakeup" "$dir/mutex.lks" __mutex_unlock_slowpath
	parts nowake mutex __mutex_unlock_slowpath

	# latest first
	break_tree stack mutex.c __mutex_add_waiter 'list_add_tail(' 'list_add(&waiter->list, list);'
	parts stack mutex __mutex_lock_common

	# a reader that steps back does not tell the writer that waits for it
	break_tree silent percpu-rwsem.c __percpu_down_read_trylock 'rcuwait_wake_up('
	parts silent percpu-rwsem __percpu_down_read_trylock

	# the writer leaves, and nobody looks into the queue
	break_tree nobody percpu-rwsem.c percpu_up_write '__wake_up('
	parts nobody percpu-rwsem percpu_up_write
done
finish
