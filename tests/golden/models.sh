#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every model has a row of its name in models/README.md, a file that says what it mirrors and how it deviates, and a unit test that names it.
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
exit $failed
