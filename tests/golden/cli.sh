#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line as a script sees it: exit statuses, what goes to stdout and what to stderr, and
# that output depends on nothing of the host.
#   cli.sh LOCKSTEP ROOT
lockstep=$(realpath "$1") || exit 99
root=$2
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
failed=0

# expect STATUS WHAT... : the command's status; its output is in out and err
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
		sed 's/^/    /' "$1" | head -n 20
		failed=1
	fi
}

# empty FILE
empty()
{
	[ -s "$1" ] && { echo "$1 of the last command is not empty:"; sed 's/^/    /' "$1" | head; failed=1; }
	return 0
}

# same A B
same()
{
	cmp -s "$1" "$2" || { echo "$3"; diff "$1" "$2" | head -n 10; failed=1; }
}

cat >good.lks <<'X'
scenario "good"
machine { sockets 1 cores 2 costs zero preempt full hz 1000 }
lock l : mutex
task a[2] fifo 5 { loop 10 { lock l run 1ms unlock l run exp(1ms) } }
run until done
expect no deadlock
X
sed 's/expect no deadlock/expect finish a[0] <= 1ms/' good.lks >missed.lks
sed 's/lock l run/lock k run/' good.lks >wrong.lks
cat >dead.lks <<'X'
scenario "dead"
machine { sockets 1 cores 1 costs zero preempt full hz 1000 }
lock l : mutex
lock k : mutex
task a fifo 1 { lock l run 2ms lock k unlock k unlock l }
task b fifo 2 { at 1ms lock k lock l unlock l unlock k }
run for 1s
X
cat >long.lks <<'X'
scenario "long"
machine { sockets 1 cores 1 costs zero preempt full hz 1000 }
lock l : mutex
task a fifo 1 { loop { lock l run 1us unlock l } }
run for 100000s
X

# statuses and streams
expect 0 "$lockstep" run good.lks
has out "Scenario good"
empty err
expect 1 "$lockstep" run missed.lks
has out "FAIL"
expect 1 "$lockstep" run dead.lks
has out "deadlock"
expect 2 "$lockstep" run wrong.lks
has err "wrong.lks:4:"
has err "error[LS-"
empty out
expect 2 "$lockstep" run
expect 2 "$lockstep" run good.lks good.lks
expect 3 "$lockstep" run nowhere.lks
has err "nowhere.lks"
expect 3 "$lockstep" run --max-steps 5 good.lks
expect 125 "$lockstep" run --bisect wrong.lks
expect 125 "$lockstep" run --bisect --max-steps 5 good.lks
expect 1 "$lockstep" run --bisect missed.lks
expect 3 "$lockstep" run --trace nodir/x good.lks
has err "nodir/x"
[ -c /dev/full ] && {
	expect 3 "$lockstep" run --trace /dev/full good.lks
	has err "/dev/full"
	expect 3 sh -c '"$1" run good.lks >/dev/full' sh "$lockstep"
	has err "stdout"
}
# a stream that is closed is no place for the files of the program
for verb in "run" "test" "test -j2" "test --tap -j2" "list models" "explain" "compare --lock l=rtmutex --no-bill -j2"; do
	case $verb in list*) file= ;; *) file=good.lks ;; esac
	expect 3 sh -c '"$1" $2 $3 >&-' sh "$lockstep" "$verb" $file
	[ "$(wc -l <err)" -eq 1 ] || { echo "$verb: not one line on stderr"; cat err; failed=1; }
	has err "stdout: "
	expect 0 sh -c '"$1" $2 $3 2>&- <&-' sh "$lockstep" "$verb" $file
done
[ -c /dev/full ] && {
	expect 3 sh -c '"$1" test good.lks good.lks missed.lks >/dev/full' sh "$lockstep"
	[ "$(wc -l <err)" -eq 1 ] || { echo "a lost report is told more than once"; failed=1; }
}
[ -c /dev/full ] && for form in --tap --ktap --quiet; do
	expect 3 sh -c '"$1" test $2 good.lks missed.lks >/dev/full' sh "$lockstep" $form
	has err "stdout"
done
for to in "run --timeline=nodir/x.svg" "graph -o nodir/x.dot" "compare --lock l=rtmutex --save nodir/x"; do
	expect 3 "$lockstep" $to good.lks
	has err "nodir/x"
	grep -q "No such file" err || { echo "no reason for $to"; failed=1; }
done
# what stands there is written to, not replaced
for to in "graph -o out.gv" "compare --lock l=rtmutex --save out.gv"; do
	ln -sf real out.gv
	expect 0 "$lockstep" $to good.lks
	[ -L out.gv ] || { echo "$to replaces a link"; failed=1; }
done
expect 2 "$lockstep"
expect 2 "$lockstep" rnu good.lks
has err 'did you mean "run"?'
expect 2 "$lockstep" run --jsonn good.lks
has err "did you mean --json?"
expect 2 "$lockstep" run --seed x good.lks
expect 2 "$lockstep" run --first 5 good.lks
expect 2 "$lockstep" run --spin=fast good.lks
expect 2 "$lockstep" run --color=maybe good.lks
# two generations of rt_mutex in one chain would read each other's records
cat >forms.lks <<'E'
lock a : rtmutex
lock b : mutex
task t fifo 1 { hold a { hold b { } } }
run until done
E
expect 3 "$lockstep" run --set b=rtmutex-2.6.31 forms.lks
has err "a is a rtmutex and b a rtmutex-2.6.31"
expect 0 "$lockstep" run --set a=rtmutex-2.6.31 --set b=rtmutex-2.6.31 forms.lks
expect 0 "$lockstep" --version
expect 0 "$lockstep" help
has out "trace"
for verb in run test check list explain graph trace help; do
	expect 0 "$lockstep" help $verb
	has out "lockstep $verb"
	expect 0 "$lockstep" $verb --help
done

# check, list, explain
expect 0 "$lockstep" check good.lks missed.lks
has out "good.lks: fine"
expect 2 "$lockstep" check good.lks wrong.lks
for what in models presets costs events codes; do
	expect 0 "$lockstep" list $what
	[ -s out ] || { echo "list $what is empty"; failed=1; }
	expect 0 "$lockstep" list --json $what
	has out '"lockstep": 1'
done
expect 2 "$lockstep" list nothing
expect 0 "$lockstep" explain LS-100
has out "LS-100"
expect 2 "$lockstep" explain LS-999

# options change what they should
expect 0 "$lockstep" run --set l=rtmutex good.lks
has out "rtmutex"
expect 2 "$lockstep" run --set l=nothing good.lks
expect 0 "$lockstep" run --json good.lks
has out '"lockstep": 1'
expect 0 "$lockstep" run --quiet good.lks
empty out
expect 0 "$lockstep" run --seed 1 good.lks
mv out one
expect 0 "$lockstep" run --seed 2 good.lks
cmp -s one out && { echo "the seed changes nothing"; failed=1; }

# a host without room is no crash
(ulimit -v 4000000 && exec "$lockstep" run good.lks) >out 2>err
got=$?
# (a sanitizer's own tables do not fit either, and say so in their own way)
if ! grep -q Sanitizer err; then
	[ $got -eq 3 ] || { echo "status $got instead of 3 without address space"; failed=1; }
	has err "for fiber stacks: "
fi

# open orders: what a seed finds comes back by its schedule, from the command line or from a file
sed 's/expect/# expect/' "$root/scenarios/oracles/race.lks" >race.lks
expect 0 "$lockstep" run --choice fixed race.lks
expect 1 "$lockstep" run --choice seed:8 race.lks
has out "orders "
schedule=$(sed -n 's/^    replay: .* --choice //p' out)
grep -v '^  again' out >seeded
expect 1 "$lockstep" run --choice "$schedule" race.lks
grep -v '^  again' out >replayed
same seeded replayed "the schedule of a finding does not bring it back"
echo "${schedule#replay:}" >schedule
sed 's/busted-race/mutex/; s/^task a/param d = 1ms\n&/; s/lock l  run 1ms/lock l  run d/' race.lks >given.lks
expect 1 "$lockstep" run --choice replay:@schedule race.lks
grep -v '^  again' out >replayed
same seeded replayed "a schedule in a file is not the same as on the command line"
expect 1 "$lockstep" run --json --choice seed:8 race.lks
has out '"schedule": "'
expect 0 "$lockstep" run --json good.lks
has out '"choice": null'
expect 0 "$lockstep" run --choice replay:7,7,7 good.lks
has out "does not fit at its decision 1,"
# the command of a finding repeats what else was said, quoted where a shell would stumble
expect 1 "$lockstep" run --set "l=busted-race" --set "d=1ms + 1us" --limit tasks=9 --choice seed:8 given.lks
has out "replay: lockstep run given.lks --seed 1 --set l=busted-race --set 'd=1ms + 1us' --limit tasks=9 --choice replay:"
sed 's/^  again.*//' out >given
again=$(sed -n 's/^    replay: lockstep//p' out)
eval "expect 1 '$lockstep' $again"
sed 's/^  again.*//' out >replayed
same given replayed "the command of a finding does not bring it back"
# a schedule of another scenario says where it parts, also when the value taken there would do
sed '/^task b/p; s/^task b\(.*\) cpu 1/task c\1 cpu 2/; s/cores 2/cores 3/' race.lks >other.lks
expect 0 "$lockstep" run --choice "$schedule" other.lks
has out "it chose among 2, here are 3;"
for wrong in seed seed: seed:x seed:-1 seed:99999999999999999999 replay replay:1,,2 replay:x other ''; do
	expect 2 "$lockstep" run --choice "$wrong" good.lks
	has err "--choice"
done
expect 2 "$lockstep" run --choice replay:@nowhere good.lks
has err "nowhere"

# traces: written, read back, the same as those of a run
expect 0 "$lockstep" run --trace t good.lks
expect 0 "$lockstep" trace --class sched,lock,task t
mv out from_file
expect 0 "$lockstep" trace --class sched,lock,task good.lks
same from_file out "the trace file and the run do not agree"
[ -s out ] || { echo "the trace is empty"; failed=1; }
cat >names.lks <<'X'
machine { sockets 1 cores 1 costs zero cost ipi 900ns fair eevdf }
task a fifo 1 { mark "hello" done left done right done mark "bye" }
run until done
X
expect 0 "$lockstep" run --trace names names.lks
has out "machine     1x1x1, costs zero, ipi 900ns, preempt full, 1000 Hz, fair eevdf"
for from in names names.lks; do
	expect 0 "$lockstep" trace --class task "$from"
	for record in "mark a hello" "done a left" "done a right" "done a -" "mark a bye"; do
		has out "$record"
	done
done
head -c 100 t >cut
expect 3 "$lockstep" trace cut
has err "cut"

# test: order, jobs, formats
mkdir -p d/sub
cp good.lks d/b.lks
cp missed.lks d/a.lks
cp wrong.lks d/sub/c.lks
expect 2 "$lockstep" test -j1 d
tail -n 1 out | grep -qx "1 passed, 2 failed" || { echo "the summary is wrong"; cat out; failed=1; }
mv out jobs1
expect 2 "$lockstep" test d -j2
same jobs1 out "-j1 and -j2 do not agree"
expect 0 "$lockstep" test -j2 --tap --junit junit.xml d
has out "1..3"
has out "not ok 1 - d/a.lks"
has out "ok 2 - d/b.lks"
has junit.xml '<testsuite name="lockstep" tests="3" failures="1" errors="1">'
expect 0 "$lockstep" test -j2 --ktap d
head -n 2 out | tr '\n' , | grep -qx "KTAP version 1,1..3," || { echo "the head of KTAP is wrong"; failed=1; }
has out "not ok 1 d/a.lks"
has out "ok 2 d/b.lks"
has out "not ok 3 d/sub/c.lks # ERROR"
grep -vqE '^(#|ok|not ok|1\.\.|KTAP)' out && { echo "a line that is not KTAP"; failed=1; }
expect 1 "$lockstep" test d/a.lks d/b.lks
expect 3 "$lockstep" test --junit nodir/x d/b.lks
expect 2 "$lockstep" test

# nothing of the host: folder, environment, layout of memory
expect 0 "$lockstep" run --json "$dir/good.lks"
mv out here
mkdir -p other
expect 0 sh -c 'cd other && env -i LANG=de_DE.UTF-8 LC_ALL=de_DE.UTF-8 TZ=Asia/Tokyo X="$(head -c 3000 /dev/zero | tr "\0" x)" \
	MALLOC_PERTURB_=165 "$1" run --json "$2/good.lks"' sh "$lockstep" "$dir"
same here out "folder and environment change the output"

# no colour unless it is a terminal or asked for
expect 1 "$lockstep" run missed.lks
grep -q "$(printf '\033')" out && { echo "colour in a file"; failed=1; }
expect 1 env NO_COLOR=1 "$lockstep" run --color=always missed.lks
grep -q "$(printf '\033')" out || { echo "no colour with --color=always"; failed=1; }

# SIGINT: prints what was measured, 130
"$lockstep" run long.lks >out 2>err &
pid=$!
sleep 1
kill -INT $pid
wait $pid
got=$?
[ $got -eq 130 ] || { echo "SIGINT gives $got"; failed=1; }
has out "Scenario long"
has out "interrupted"
for verb in "test" "test --tap" "explain" "compare --lock l=rtmutex"; do
	"$lockstep" $verb long.lks >out 2>err &
	pid=$!
	sleep 1
	kill -INT $pid
	wait $pid
	got=$?
	[ $got -eq 130 ] || { echo "SIGINT gives $got: $verb"; failed=1; }
done

# docs/errors.md has the table of findings that the program has
expect 0 "$lockstep" list findings
sed -E 's/^([^ ]+) +(.*)$/| `\1` | \2 |/' out >findings
sed -n '/^| kind | meaning |$/,/^$/p' "$root/docs/errors.md" | sed '1,2d;/^$/d' >documented
[ -s findings ] && same documented findings "docs/errors.md: findings"

[ $failed -eq 0 ] && echo "all as expected"
exit $failed
