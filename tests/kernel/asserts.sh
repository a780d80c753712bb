#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lockdep_assert_held() and its like in a tree: followed for the locks of the scenario, as the tree's annotations tell.
#   asserts.sh LOCKSTEP ROOT WORK
lockstep=$(realpath "$1") root=$2 work=$3
. "$root/tests/kernel/lib.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Waits, tries, failures, downgrades, nothing nested.
rw() { # MODEL CAN-DOWNGRADE CAN-BE-KILLED
	printf 'machine { sockets 1 cores 2 preempt full }\nlock s : kernel%s\n' "$1"
	printf 'task r[2] { loop 5 { reading s { sleep 3us } reading s try { run 1us } else { } } }\n'
	printf 'task w[2] { loop 5 { writing s { sleep 2us %s } run 1us } }\n' "${2:+downgrade s  run 1us}"
	[ -z "$3" ] || printf 'task k { loop 5 { writing s killable { run 1us } else { } } }\ntask killer { sleep 10us  kill k }\n'
	printf 'run for 300ms\nexpect no finding\n'
}

ex() { # MODEL CAN-BE-INTERRUPTED
	printf 'machine { sockets 1 cores 2 preempt full }\nlock s : kernel%s\n' "$1"
	printf 'task a[3] { loop 5 { hold s { %s } hold s try { run 1us } else { } } }\n' "${2:+sleep 3us  }run 1us"
	[ -z "$2" ] || printf 'task k { loop 5 { hold s interruptible { run 1us } else { } } }\ntask signals { sleep 10us  signal k }\n'
	printf 'run for 300ms\nexpect no finding\n'
}

rw :rwsem y y >"$dir/rwsem.lks"
rw -rt:rwsem y y >"$dir/rt-rwsem.lks"
rw :percpu-rwsem | sed 's/reading s try { run 1us } else { }//' >"$dir/percpu-rwsem.lks"
ex :mutex y >"$dir/mutex.lks"
ex :rtmutex y >"$dir/rtmutex.lks"
ex -rt:spinlock >"$dir/spinlock.lks"

build() { # NAME [LOCK]
	"$lockstep" kernel build --tree "$dir/tree" --name "$1" -o "$dir" ${2:+--lock "$2"} >/dev/null || complain "$v: $1 does not build"
}

# A tree with one assertion that is wrong where it stands is found out, with file and line.
wrong() { # SCENARIO FILE FUNCTION CALL TEXT
	copy_tree "$v" "$dir/tree"
	plant "$2" "$3" "$4" "$5"
	lock=$(lock_of "$2")
	[ "$1" != rt-rwsem ] || lock=rt:rwsem
	build wrong "$lock"
	"$lockstep" test --kernel "$dir/wrong.so" "$dir/$1.lks" >"$dir/out" 2>&1
	[ $? -eq 1 ] && grep -q "$2:[0-9]*: $6" "$dir/out" || { complain "$v: $5 in $3() passes"; cat "$dir/out"; }
}

for v in $have; do
	# true wherever it stands
	copy_tree "$v" "$dir/tree"
	plant rwsem.c down_read 'rwsem_acquire_read(' 'lockdep_assert_not_held(sem); lockdep_assert_none_held_once(); rwsem_acquire_read(&sem->dep_map, 0, 0, _RET_IP_); lockdep_assert_held_read(sem); WARN_ON(!lockdep_is_held_type(sem, 1) || lockdep_is_held_type(sem, 0));'
	plant rwsem.c up_read 'rwsem_release(' 'lockdep_assert_held_read(sem); rwsem_release(&sem->dep_map, _RET_IP_); lockdep_assert_not_held(sem);'
	plant rwsem.c up_write 'rwsem_release(' 'lockdep_assert_held_write(sem); rwsem_release(&sem->dep_map, _RET_IP_); lockdep_assert_not_held(sem);'
	plant rwsem.c down_write_killable 'rwsem_release(' 'lockdep_assert_held(sem); rwsem_release(&sem->dep_map, _RET_IP_); lockdep_assert_not_held(sem);'
	plant rwsem.c downgrade_write 'lock_downgrade(' 'lockdep_assert_held_write(sem); lock_downgrade(&sem->dep_map, _RET_IP_); lockdep_assert_held_read(sem);'
	plant percpu-rwsem.c percpu_down_write 'rwsem_acquire(' 'lockdep_assert_not_held(sem); rwsem_acquire(&sem->dep_map, 0, 0, _RET_IP_); percpu_rwsem_assert_held(sem);'
	plant percpu-rwsem.c percpu_up_write 'rwsem_release(' 'lockdep_assert_held_write(sem); rwsem_release(&sem->dep_map, _RET_IP_); WARN_ON(percpu_rwsem_is_held(sem));'
	plant mutex.c __mutex_lock_common 'mutex_acquire_nest(' 'lockdep_assert_not_held(lock); mutex_acquire_nest(&lock->dep_map, subclass, 0, nest_lock, ip); lockdep_assert_held_once(lock);'
	plant mutex.c __mutex_lock_common 'mutex_release(' 'lockdep_assert_held(lock); mutex_release(&lock->dep_map, ip); lockdep_assert_not_held(lock);'
	plant mutex.c __mutex_unlock_slowpath 'mutex_release(' 'lockdep_assert_held_write(lock); mutex_release(&lock->dep_map, ip); lockdep_assert_not_held(lock);'
	plant rtmutex_api.c __rt_mutex_lock_common 'mutex_acquire_nest(' 'lockdep_assert_not_held(lock); mutex_acquire_nest(&lock->dep_map, subclass, 0, nest_lock, _RET_IP_); lockdep_assert_held(lock);'
	plant rtmutex_api.c rt_mutex_unlock 'mutex_release(' 'lockdep_assert_held(lock); mutex_release(&lock->dep_map, _RET_IP_); lockdep_assert_not_held(lock);'
	plant spinlock_rt.c rt_spin_lock 'spin_acquire(' 'lockdep_assert_not_held(lock); spin_acquire(&lock->dep_map, 0, 0, _RET_IP_); lockdep_assert_held(lock);'
	plant spinlock_rt.c rt_spin_unlock 'spin_release(' 'lockdep_assert_held(lock); spin_release(&lock->dep_map, _RET_IP_); lockdep_assert_not_held(lock);'
	build right
	"$lockstep" test --kernel "$dir/right.so" "$dir"/*.lks >"$dir/out" 2>&1 || { complain "$v: true assertions are findings"; cat "$dir/out"; }

	wrong rwsem rwsem.c rwsem_mark_wake 'lockdep_assert_held(' 'lockdep_assert_held_write(sem);' 'not held for writing: sem'
	wrong rwsem rwsem.c rwsem_down_read_slowpath 'rwsem_add_waiter(' 'lockdep_assert_not_held(sem); rwsem_add_waiter(sem, &waiter);' 'held: sem'
	wrong rwsem rwsem.c rwsem_down_write_slowpath 'trace_contention_begin(' 'lockdep_assert_held_read(sem);' 'not held for reading: sem'
	wrong rt-rwsem rwsem.c up_write 'rwsem_release(' 'rwsem_release(); lockdep_assert_held(sem);' 'not held: sem'
	wrong mutex mutex.c __mutex_unlock_slowpath 'mutex_release(' 'mutex_release(); lockdep_assert_held(lock);' 'not held: lock'
	wrong mutex mutex.c __mutex_lock_common 'lock_contended(' 'lockdep_assert_none_held_once();' 'a lock is held'
	wrong rtmutex rtmutex_api.c rt_mutex_trylock 'mutex_acquire(' 'lockdep_assert_held(lock);' 'not held: lock'
	wrong percpu-rwsem percpu-rwsem.c percpu_down_write 'rwsem_acquire(' 'percpu_rwsem_assert_held(sem);' 'not held: sem'
	wrong spinlock spinlock_rt.c rt_spin_unlock 'spin_release(' 'lockdep_assert_not_held(lock);' 'held: lock'
done
finish
