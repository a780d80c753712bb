#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every model has a row of its name in models/README.md, a file that says what it mirrors and how it deviates, and a unit test that names it.
# The last column of the row is what the model can do, no less and no more: "try (4.15)" is of the one whose name ends so,
# "try (not -x)" of all in the row but that one; any other remark in brackets is just said.
# The deliberately wrong ones are one row and one file.
#   models.sh LOCKSTEP ROOT
lockstep=$(realpath "$1") || exit 99
cd "$2" || exit 99
export LC_ALL=C
failed=0
miss() { echo "$1: $2"; failed=1; }

list=$(mktemp) || exit 99
trap 'rm -f "$list"' EXIT
"$lockstep" list models | sed -n 's/^\([a-z][^ :]*\): .*/\1/p' | grep -v '^busted-' >"$list"
[ -s "$list" ] || { echo "no models"; exit 1; }
while read -r model; do
	grep -q "^| [^|]*\`$model\`" models/README.md || miss "$model" "no row of this name in models/README.md"
	symbol=lock_model_$(echo "$model" | tr .- __)
	grep -rqE "\"$model\"|\b$symbol\b" tests/unit/models || miss "$model" "no test in tests/unit/models names it"
	file=$(grep -lF -e "\"$model\"" -e "LOCK_MODEL(${symbol#lock_model_})" models/*.c | head -1)
	[ -n "$file" ] || { miss "$model" "no file in models/ has its name"; continue; }
	grep -q "Mirrors:" "$file" || miss "$model" "$file does not say what it mirrors"
	grep -qE "Deviations|Mirrors: nothing" "$file" || miss "$model" "$file does not say how it deviates"
done <"$list"

"$lockstep" list models | awk '
	function ends(name, end) { return length(name) >= length(end) && substr(name, length(name) - length(end) + 1) == end }
	FNR == NR && /^[a-z]/ { name = $1; sub(/:$/, "", name); can[name] = " " }
	FNR == NR && /^ +can: / { sub(/^ +can: /, ""); can[name] = " " $0 " " }
	FNR != NR && /^\| `/ && !/busted/ {
		ncells = split($0, cell, / *\| */)
		ncaps = split(tolower(cell[ncells - 1]), said, /, */)
		nnames = split(cell[2], names, /, */)
		for (i = 1; i <= nnames; i++) gsub(/`/, "", names[i])
		for (i = 1; i <= nnames; i++) {
			told = " "
			for (j = 1; j <= ncaps; j++) {
				word = remark = said[j]
				sub(/ *\(.*/, "", word)
				if (!sub(/.*\(/, "", remark)) remark = ""
				sub(/\).*/, "", remark)
				if (word == "user mode") word = "user"
				only = 0
				for (k = 1; k <= nnames; k++) only += remark != "" && ends(names[k], remark)
				if (only && !ends(names[i], remark)) continue
				if (remark ~ /^not / && ends(names[i], substr(remark, 5))) continue
				told = told word " "
				if (!index(can[names[i]], " " word " ")) { print names[i] ": models/README.md says that it can " word; bad = 1 }
			}
			n = split(can[names[i]], has, " ")
			for (j = 1; j <= n; j++)
				if (!index(told, " " has[j] " ")) { print names[i] ": models/README.md does not say that it can " has[j]; bad = 1 }
			rows++
		}
	}
	END { if (!rows) print "no rows in models/README.md"; exit bad || !rows }' - models/README.md || failed=1
exit $failed
