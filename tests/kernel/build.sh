#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lockstep kernel build: what it makes, what it says when a tree lacks something.
#   build.sh LOCKSTEP ROOT WORK
lockstep=$(realpath "$1") root=$2 work=$3
. "$root/tests/kernel/lib.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

status() { # status WANTED ARGUMENT... leaves $dir/out and $dir/err
	want=$1
	shift
	"$lockstep" "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ $got -eq "$want" ] || { complain "lockstep $* gives $got, not $want"; cat "$dir/out" "$dir/err"; }
}

for v in $have; do
	status 0 kernel build --tree "$work/tree-$v" --name some -o "$dir"
	for lock in mutex osq percpu-rwsem qrwlock qspinlock rtmutex rwsem semaphore; do
		grep -q "some: .*$lock" "$dir/out" || complain "$v: no $lock"
	done
	for lock in rtmutex mutex rwsem spinlock rwlock ww-mutex; do
		grep -q "some-rt: .*$lock" "$dir/out" || complain "$v: no $lock of PREEMPT_RT"
	done
	[ -f "$dir/some.so" ] || complain "$v: no some.so"
	# reproducible
	cp "$dir/some.so" "$dir/first.so"
	status 0 kernel build --tree "$work/tree-$v" --name some -o "$dir"
	cmp -s "$dir/some.so" "$dir/first.so" || complain "$v: two builds differ"

	# a file that is not there is said, and the rest is built
	copy_tree "$v" "$dir/tree"
	rm "$dir/tree/kernel/locking/rwsem.c"
	status 0 kernel build --tree "$dir/tree" --name less -o "$dir"
	grep -q "rwsem: left out, the tree has no kernel/locking/rwsem.c" "$dir/err" || complain "$v: silent about rwsem.c"
	grep -q "less: .*mutex" "$dir/out" || complain "$v: the rest was not built"

	# a word that is missing is named with file and line; what was there before stays
	cp "$dir/some.so" "$dir/bad.so"
	printf '\nvoid wants(void)\n{\n\tno_such_word(1);\n}\n' >>"$dir/tree/kernel/locking/mutex.c"
	line=$(wc -l <"$dir/tree/kernel/locking/mutex.c")
	status 3 kernel build --tree "$dir/tree" --name bad -o "$dir"
	grep -q "kernel/locking/mutex.c:$((line - 1)):.*no_such_word" "$dir/err" || complain "$v: no_such_word is not named"
	cmp -s "$dir/bad.so" "$dir/first.so" || complain "$v: the plug-in of before is gone"
	status 125 kernel build --bisect --tree "$dir/tree" --name bad -o "$dir"
	status 0 kernel build -k --tree "$dir/tree" --name bad -o "$dir"
	grep -q "bad: .*semaphore" "$dir/out" || complain "$v: -k does not keep going"
done

# what others are made of does not compile: they go with it
copy_tree "$v" "$dir/tree"
printf '\nvoid wants(void)\n{\n\tno_such_word(1);\n}\n' >>"$dir/tree/kernel/locking/osq_lock.c"
status 0 kernel build -k --tree "$dir/tree" --name few -o "$dir"
grep -q "few: .*semaphore" "$dir/out" || complain "-k leaves out too much"
grep -q "few: .* rwsem" "$dir/out" && complain "-k keeps an rwsem without its osq"
grep -q "rwsem: left out, it is made of osq" "$dir/err" || complain "-k is silent about what goes along"

# one lock and what it is made of
status 0 kernel build --tree "$work/tree-$v" --name one -o "$dir" --lock rwsem --lock rt:mutex
grep -q "one: *osq, rwsem$" "$dir/out" && grep -q "one-rt: rtmutex and mutex$" "$dir/out" || complain "--lock builds something else"
status 2 kernel build --tree "$work/tree-$v" --lock nosuch

# trees of other versions, where they are installed: what is there builds and runs
cat >"$dir/other.lks" <<'END'
machine cascadelake-2s { preempt full }
lock m : kernel:mutex
lock s : kernel:rwsem
task a[20] nice 0 spread { loop { hold m { run 500ns } run 300ns } }
task r[10] nice 0 { loop { reading s { run 400ns } run 2us } }
task w[4] nice 0 { loop { writing s interruptible { run 400ns } else { } writing s { run 100ns downgrade s run 100ns } run 2us } }
run for 10ms
expect no finding
END
for v in $(others); do
	unpack "$v" || complain "linux-source-$v cannot be unpacked"
	status 0 kernel build --tree "$work/tree-$v" --name other -o "$dir"
	status 0 test --kernel "$dir/other.so" "$dir/other.lks"
done

# of no known version, and nothing but what is needed: what it can do is found in its files
set -- $have
v=$1
copy_tree "$v" "$dir/tree" && rm "$dir/tree/Makefile"
status 0 kernel build --tree "$dir/tree" -o "$dir"
grep -q "tree.so: Linux unknown" "$dir/out" || complain "a tree without a Makefile has a version"
status 0 kernel build --tree "$dir/tree" --name "v$v" -o "$dir"
"$lockstep" twin --kernel "$dir/v$v.so" --kernel "orig=$work/v$v.so" --from "v$v" --with orig --random 5 >"$dir/out" ||
	{ complain "without its Makefile a tree is another"; cat "$dir/out"; }

# one that is declared and nowhere defined
copy_tree "$v" "$dir/tree"
printf '\nextern void no_such_function(void);\nvoid wants(void)\n{\n\tno_such_function();\n}\n' \
	>>"$dir/tree/kernel/locking/semaphore.c"
status 3 kernel build --tree "$dir/tree" --name bad -o "$dir"
grep -q "kernel/locking/semaphore.c:[0-9]*: wants no_such_function" "$dir/err" || complain "no_such_function is not named"

status 3 kernel build --tree "$dir" -o "$dir"
grep -q "no kernel tree" "$dir/err" || complain "any folder is a tree"
CC=no-such-cc
export CC
status 3 kernel build --tree "$work/tree-$v" -o "$dir"
grep -q "no-such-cc is not installed" "$dir/err" && [ "$(wc -l <"$dir/err")" -eq 1 ] || complain "no compiler, and that is not all it says"
unset CC
status 2 kernel
status 2 kernel build --name 'A:B' --tree "$work/tree-$v"
status 3 run --kernel "$dir/nothing.so" "$root/scenarios/pi/pathfinder.lks"
printf 'no plug-in' >"$dir/text.so"
status 3 run --kernel "$dir/text.so" "$root/scenarios/pi/pathfinder.lks"
finish
