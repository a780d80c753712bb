#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs every ```lks block of a document with the real models: each must exit 0.
#   docs_run.sh LOCKSTEP DOCUMENT
set -u
lockstep=$1
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

awk -v work="$work" '
/^```lks$/ { file = sprintf("%s/%02d.lks", work, ++n); next }
/^```/ { file = "" }
file != "" { print > file }
' "$2"

failed=0
count=0
for file in "$work"/*.lks; do
	count=$((count + 1))
	if ! "$lockstep" run "$file" >"$work/out" 2>&1; then
		echo "example $(basename "$file" .lks) of $2:"
		cat "$file" "$work/out"
		failed=1
	fi
done
echo "$count examples run"
[ "$count" -ge 10 ] || failed=1
exit $failed
