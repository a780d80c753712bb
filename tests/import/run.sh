#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The importers: what they print, that `check` takes it, that scripts run directly, and what they say of mistakes.
# LOCKSTEP_UPDATE_GOLDEN=1 writes the expected texts anew.
#   run.sh LOCKSTEP FOLDER
lockstep=$(realpath "$1") || exit 99
cd "$2" || exit 99
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
failed=0

# same GOT WANTED
same()
{
	[ -n "${LOCKSTEP_UPDATE_GOLDEN-}" ] && cp "$1" "$2"
	cmp -s "$1" "$2" || { echo "not as in $2:"; diff "$2" "$1" | head -n 20; failed=1; }
}

# status WANTED COMMAND...
status()
{
	want=$1
	shift
	"$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ $got -eq "$want" ] || { echo "status $got instead of $want: $*"; head -n 20 "$dir/out" "$dir/err"; failed=1; }
}

for f in *.tst *.json *.xml *.xmlv3; do
	case $f in
	bad-*)
		status 2 "$lockstep" import "$f"
		same "$dir/err" "$f.err"
		[ -s "$dir/out" ] && { echo "$f: wrong, and something is printed"; failed=1; }
		;;
	*)
		status 0 "$lockstep" import "$f" -o "$dir/x.lks"
		same "$dir/x.lks" "$f.lks"
		status 0 "$lockstep" check "$dir/x.lks"
		;;
	esac
done
status 0 "$lockstep" test every-word.tst steal.tst bkl.tst
status 0 "$lockstep" test token.json.lks lock-order.json.lks typed-order.json.lks every-event.json.lks order-of-taking.json.lks
# by hand: the bell at 110 us and the alarm at 160 us wake the guest at the door, the last bell at 920 us the ringer
(cat signal-target.json.lks; printf 'expect finish guest >= 170us\nexpect finish guest < 172us\nexpect finish ringer >= 920us\nexpect finish ringer < 922us\n') >"$dir/x.lks"
status 0 "$lockstep" test "$dir/x.lks"
status 2 "$lockstep" test bad-words.tst
# a hang is a verdict, with the script's line; what stands behind it is not reached
status 1 "$lockstep" run --quiet hang.tst
grep -q "hang.tst:4: await T1 holds L\[0\]" "$dir/out" || { echo "the hang has no line"; cat "$dir/out"; failed=1; }
status 0 "$lockstep" import --generation pending steal.tst
grep -q "lock L\[1\] : rtmutex-2.6.31" "$dir/out" || { echo "--generation pending does not choose the model"; failed=1; }
# by hand: the call at 110 us finds the keeper suspended, who computes 20 us and resumes the caller, who computes 5 us
(cat shared-name.json.lks; printf 'expect finish caller >= 135us\nexpect finish caller < 137us\nexpect finish keeper >= 138us\nexpect finish keeper < 141us\n') >"$dir/x.lks"
status 0 "$lockstep" test "$dir/x.lks"
# by hand: turns begin 0, 100 and 200 us after the thread, and the last computation is what finishes; "over" is late at 150 us,
# and its next turn counted from there
(cat timer-start.json.lks; printf 'expect finish walker >= 230us\nexpect finish walker < 231us\nexpect finish late >= 750us\nexpect finish late < 751us\nexpect finish over >= 257us\nexpect finish over < 258us\n') >"$dir/x.lks"
status 0 "$lockstep" test "$dir/x.lks"
# models of others: the scheduler and the protocol can be chosen, and what comes out runs
for more in "--scheduler edf" "--scheduler edf --protocol ipcp" "--scheduler dm --protocol pcp" "--protocol ipcp --cores 2" "--protocol none" "--scheduler given"; do
	# shellcheck disable=SC2086
	status 0 "$lockstep" import $more mcrtsim.xml -o "$dir/x.lks"
	[ "$more" = "--scheduler given" ] || status 0 "$lockstep" run --quiet "$dir/x.lks"
done
status 0 "$lockstep" run --quiet cheddar-old.xml.lks
status 0 "$lockstep" run --quiet cheddar-new.xmlv3.lks
# by hand: at 90 ms weather takes the buffer; distribution asks at 110 ms and has 13 ms of it to wait for
(cat cheddar-old.xml.lks; echo "expect wait distribution buffer max = 13ms") >"$dir/x.lks"
status 0 "$lockstep" test "$dir/x.lks"
# by hand: slow holds the resource from 0 to 4 ms, fast asks at 1 ms; T2 computes in R1 until 3.75 ms, T1 asks at 1.75 ms
(cat cheddar-plain.xmlv3.lks; echo "expect wait the_only_board_partition_of_control_thread_fast the_only_board_partition_of_control_shared max = 3ms") >"$dir/x.lks"
status 0 "$lockstep" test "$dir/x.lks"
(cat mcrtsim-old.xml.lks; echo "expect wait T1 R1 max = 2ms") >"$dir/x.lks"
status 0 "$lockstep" test "$dir/x.lks"
status 2 "$lockstep" import --protocol srp mcrtsim.xml
status 2 "$lockstep" import --scheduler fifo mcrtsim.xml
status 2 "$lockstep" import --cores 0 mcrtsim.xml
status 2 "$lockstep" import --generation other steal.tst
status 2 "$lockstep" import run.sh
status 3 "$lockstep" import nowhere.tst
status 3 "$lockstep" run nowhere.tst
[ $failed -eq 0 ] && echo "all as expected"
exit $failed
