#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The report in README.md is the one that the program prints. LOCKSTEP_UPDATE_GOLDEN=1 writes it anew.
#   readme.sh LOCKSTEP ROOT
lockstep=$(realpath "$1") || exit 99
cd "$2" || exit 99
new=$(mktemp) || exit 99
trap 'rm -f "$new" "$new.report"' EXIT

"$lockstep" run scenarios/pi/pathfinder.lks >"$new.report" || exit 1
awk -v report="$new.report" '
/^<!-- report: begin/ {
	print
	print ""
	while ((getline line < report) > 0)
		print line == "" ? "" : "    " line
	print ""
	skip = 1
}
/^<!-- report: end/ { skip = 0 }
!skip && !/^<!-- report: begin/ { print }
' README.md >"$new"
if [ -n "${LOCKSTEP_UPDATE_GOLDEN-}" ]; then
	cp "$new" README.md && echo "wrote README.md"
	exit
fi
diff -u README.md "$new" && exit 0
echo "LOCKSTEP_UPDATE_GOLDEN=1 meson test -C build readme writes it anew"
exit 1
