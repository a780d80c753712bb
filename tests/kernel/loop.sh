#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a kernel developer does all day: edit, build, test; and git bisect run over a small history.
#   loop.sh LOCKSTEP ROOT WORK
lockstep=$(realpath "$1") root=$2 work=$3
. "$root/tests/kernel/lib.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
v=${have%% *}
export lockstep dir
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a \
	GIT_COMMITTER_EMAIL=a@b GIT_AUTHOR_DATE="2020-01-01T00:00:00Z" GIT_COMMITTER_DATE="2020-01-01T00:00:00Z"

cat >"$dir/starves.lks" <<'END'
machine zero { sockets 1 cores 2 preempt full }
lock s : kernel:rwsem
task reader { loop 3 { reading s { sleep 20us }  sleep 3us } }
task writer { at 5us loop 3 { writing s { run 5us }  sleep 2us } }
run for 10ms
expect no finding
END

# -- edit, build, test ------------------------------------------------------------------------------
copy_tree "$v" "$dir/linux"
cd "$dir/linux" || exit 99
begin=$(date +%s)
"$lockstep" kernel build --name mine -o "$dir" >/dev/null || complain "the tree does not build"
[ $(($(date +%s) - begin)) -lt 20 ] || complain "a build takes 20 s or more"
"$lockstep" test -q --kernel "$dir/mine.so" "$dir/starves.lks" || complain "the tree as it is fails"
sed -i 's/^\([[:space:]]*\)\(adjustment = RWSEM_READER_BIAS;\)/\1\2 adjustment += RWSEM_READER_BIAS;/' kernel/locking/rwsem.c
cmp -s kernel/locking/rwsem.c "$work/tree-$v/kernel/locking/rwsem.c" && complain "nothing was edited"
"$lockstep" kernel build --name mine -o "$dir" >/dev/null || complain "the edited tree does not build"
"$lockstep" twin --kernel "$dir/mine.so" --random 300 --lock rwsem >"$dir/out" && complain "the edit makes no difference"
cp "$work/tree-$v/kernel/locking/rwsem.c" kernel/locking/rwsem.c

# -- a history: 8 commits, the 4th does not build, the 6th loses a wake-up ---------------------------------
command -v git >/dev/null || { echo "skipped the history: there is no git"; finish; }
git init -q . && git add -A && git commit -qm "1: as released" || exit 99
commit() { # FILE TEXT SUBJECT
	printf '%s\n' "$2" >>"kernel/locking/$1"
	git commit -qam "$3"
}
commit rwsem.c '/* readers and writers */' "2: rwsem: say what it is"
commit mutex.c 'static inline void mutex_nop(void) { }' "3: mutex: add a helper"
commit semaphore.c 'void sema_later(void) { word_of_the_next_release(1); }' "4: semaphore: use a word that comes later"
broken=$(git rev-parse HEAD)
sed -i '$d' kernel/locking/semaphore.c && git commit -qam "5: semaphore: do not"
line=$(awk '/^static .*rwsem_mark_wake\(/ { inside = 1 } inside && /wake_q_add\(/ { print NR; exit }' kernel/locking/rwsem.c)
sed -i "${line}s/.*/;/" kernel/locking/rwsem.c && git commit -qam "6: rwsem: simplify waking"
bad=$(git rev-parse HEAD)
commit rwsem.c '/* … and nobody else */' "7: rwsem: say more"
commit osq_lock.c '/* spinners */' "8: osq: say what it is"

cat >"$dir/verdict" <<'END'
"$lockstep" kernel build --bisect --name b -o "$dir" || exit 125
"$lockstep" test --bisect --kernel "$dir/b.so" "$dir/starves.lks"
END
git checkout -q "$broken"
sh "$dir/verdict" >"$dir/out" 2>&1
[ $? -eq 125 ] || complain "a commit that does not build is not skipped"
grep -q "semaphore.c:[0-9]*:.*word_of_the_next_release" "$dir/out" || { complain "the missing word is not named"; cat "$dir/out"; }
git checkout -q "$bad"
sh "$dir/verdict" >"$dir/out" 2>&1
[ $? -eq 1 ] || complain "the bad commit is not bad"
git checkout -q master 2>/dev/null || git checkout -q main
git bisect start HEAD "$(git rev-list HEAD | tail -1)" >/dev/null || complain "git bisect start"
git bisect run sh "$dir/verdict" >"$dir/out" 2>&1 || complain "git bisect run"
grep -q "^$bad is the first bad commit" "$dir/out" || { complain "git bisect run does not find the 6th commit"; cat "$dir/out"; }
finish
