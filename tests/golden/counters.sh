#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every event counter that a model declares is reached by some scenario, under the scenario's model or in a compare block.
# counters.txt lists those that no scenario can reach, with the reason; one that is reached must not be in it.
#   counters.sh LOCKSTEP ROOT
lockstep=$(realpath "$1") || exit 99
cd "$2" || exit 99
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C lockstep

find scenarios -name '*.lks' ! -path '*/results/*' ! -path '*/analytic/*' | sort | xargs -P 2 -n 1 sh -c '"$lockstep" run --json "$1" 2>/dev/null | awk "
	/^ *\"model\": / { model = \$2; gsub(/[\",]/, \"\", model) }
	/^ *\"events\": \{/ { inside = 1; next }
	inside && /\}/ { inside = 0 }
	inside && \$2 + 0 { name = \$1; gsub(/[\":]/, \"\", name); print model, name }"' run |
	sort -u >"$dir/reached"
"$lockstep" list events | awk '{ print $1, $2 }' | sort -u >"$dir/declared"
sed -n 's/^\([^#: ]* [^#: ]*\): .*/\1/p' tests/golden/counters.txt | sort -u >"$dir/excused"

[ -s "$dir/reached" ] || { echo "no scenario reached any counter"; exit 1; }
failed=0
comm -23 "$dir/declared" "$dir/reached" | comm -23 - "$dir/excused" >"$dir/missing"
comm -12 "$dir/excused" "$dir/reached" >"$dir/stale"
comm -23 "$dir/excused" "$dir/declared" >"$dir/unknown"
[ -s "$dir/missing" ] && { echo "reached by no scenario:"; sed 's/^/    /' "$dir/missing"; failed=1; }
[ -s "$dir/stale" ] && { echo "in counters.txt although a scenario reaches it:"; sed 's/^/    /' "$dir/stale"; failed=1; }
[ -s "$dir/unknown" ] && { echo "in counters.txt although no model declares it:"; sed 's/^/    /' "$dir/unknown"; failed=1; }
exit $failed
