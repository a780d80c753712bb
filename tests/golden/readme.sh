#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The outputs in README.md are those that the program prints. LOCKSTEP_UPDATE_GOLDEN=1 writes them anew.
#   readme.sh LOCKSTEP ROOT
lockstep=$(realpath "$1") || exit 99
cd "$2" || exit 99
new=$(mktemp -d) || exit 99
trap 'rm -rf "$new"' EXIT

"$lockstep" run scenarios/pi/pathfinder.lks >"$new/report" || exit 1
"$lockstep" compare --seeds 5 --no-bill scenarios/results/reader-steal.lks >"$new/compare" || exit 1
awk -v from="$new" '
/^<!-- [a-z]*: begin/ {
	print
	print ""
	file = from "/" substr($2, 1, length($2) - 1)
	while ((getline line < file) > 0)
		print line == "" ? "" : "    " line
	print ""
	skip = 1
	next
}
/^<!-- [a-z]*: end/ { skip = 0 }
!skip { print }
' README.md >"$new/page"
if [ -n "${LOCKSTEP_UPDATE_GOLDEN-}" ]; then
	cp "$new/page" README.md && echo "wrote README.md"
	exit
fi
for verb in $("$lockstep" help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
	grep -q "lockstep $verb" README.md || { echo "README.md does not tell of lockstep $verb"; exit 1; }
done
diff -u README.md "$new/page" && exit 0
echo "LOCKSTEP_UPDATE_GOLDEN=1 meson test -C build readme writes it anew"
exit 1
