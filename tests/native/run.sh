#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lockstep native: what it refuses; that it ends, whatever happens; and, where real-time threads are allowed,
# that the kernel at hand agrees with the simulation, and does not with a wrong one. 77: not allowed here, or too busy.
#   run.sh LOCKSTEP FOLDER SCENARIOS
lockstep=$(realpath "$1") || exit 99
scenarios=$(realpath "$3") || exit 99
cd "$2" || exit 99
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
failed=0

# status WANTED COMMAND...
status()
{
	want=$1
	shift
	"$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ $got -eq "$want" ] || { echo "status $got instead of $want: $*"; head -n 20 "$dir/out" "$dir/err"; failed=1; }
}

for f in bad-*.lks; do
	status 2 "$lockstep" native "$f"
	[ -n "${LOCKSTEP_UPDATE_GOLDEN-}" ] && cp "$dir/err" "$f.err"
	diff "$f.err" "$dir/err" || { echo "not as in $f.err"; failed=1; }
done
status 2 "$lockstep" native unclear.lks
grep -q "share a CPU" "$dir/err" || { echo "unclear.lks: no reason"; failed=1; }
status 2 "$lockstep" native unclear-wake.lks
grep -q "share a CPU" "$dir/err" || { echo "unclear-wake.lks: no reason"; failed=1; }
status 2 "$lockstep" native
status 2 "$lockstep" native --scale 0 unclear.lks
status 2 "$lockstep" native --within 1 unclear.lks
status 3 "$lockstep" native nowhere.lks
status 3 "$lockstep" native --within 1ms "$scenarios/chain-2.lks"
grep -q "within" "$dir/err" || { echo "no word of --within"; failed=1; }
# as many CPUs as no machine has that runs this
sed 's/cores 1/cores 4000/' "$scenarios/chain-2.lks" >"$dir/large.lks"
status 3 "$lockstep" native "$dir/large.lks"
grep -q "skipped" "$dir/err" || { echo "4000 CPUs, and not skipped"; failed=1; }

# without the right to it: skipped, with the reason
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$dir" # the build may lie where others cannot look
	cp "$lockstep" "$dir/lockstep"
	cp "$scenarios/chain-2.lks" "$dir/chain-2.lks"
	status 3 setpriv --bounding-set -all --inh-caps -all --reuid 65534 --regid 65534 --clear-groups "$dir/lockstep" native "$dir/chain-2.lks"
	grep -q "skipped: SCHED_FIFO" "$dir/err" || { echo "not allowed, and not told"; cat "$dir/err"; failed=1; }
fi
[ $failed -eq 0 ] || exit 1

"$lockstep" native "$scenarios/chain-2.lks" >"$dir/out" 2>"$dir/err"
if [ $? -eq 3 ]; then
	cat "$dir/out" "$dir/err"
	exit 77
fi

agreed=0
silent=0
for f in "$scenarios"/*.lks; do
	"$lockstep" native --attempts 5 "$f" >"$dir/out" 2>&1
	case $? in
	0) agreed=$((agreed + 1)) ;;
	3) silent=$((silent + 1)); cat "$dir/out" ;;
	*) cat "$dir/out"; failed=1 ;;
	esac
done
echo "$agreed agree, $silent without a verdict"

status 0 "$lockstep" native --json --attempts 5 "$scenarios/timeout-boost.lks"
grep -q '"verdict": "agrees"' "$dir/out" || { echo "--json has no verdict"; failed=1; }
# a model that keeps its boosts is noticed
cat >"$dir/wrong.lks" <<'L'
machine { sockets 1 cores 1 costs zero preempt full hz 1000 }
lock m : busted-pi
task low  fifo 10 { lock m  run 4ms  unlock m  run 4ms }
task high fifo 30 { at 2ms  lock m  run 2ms  unlock m }
run for 20ms
expect finding pi-integrity
L
"$lockstep" native --attempts 1 "$dir/wrong.lks" >"$dir/out" 2>&1
grep -q "^differs: low had fifo 10" "$dir/out" || { echo "a boost that stays is not noticed:"; cat "$dir/out"; failed=1; }

# interrupted: over at once, with all its threads
"$lockstep" native --scale 1000 --within 100s "$scenarios/chain-2.lks" >"$dir/out" 2>&1 &
pid=$!
sleep 1
before=$(date +%s)
kill -INT $pid
wait $pid
got=$?
[ $got -eq 130 ] || { echo "SIGINT: status $got"; cat "$dir/out"; failed=1; }
[ $(($(date +%s) - before)) -lt 5 ] || { echo "SIGINT: not at once"; failed=1; }
[ -z "$(ps -o pid= --ppid $pid 2>/dev/null)" ] || { echo "SIGINT: the child is left"; failed=1; }
[ $failed -eq 0 ] || exit 1
[ $agreed -ge 20 ] || exit 77
