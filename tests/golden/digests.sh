#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One digest per scenario and compare block, pinned in digests.txt: a change of behaviour must not
# go unnoticed. Scenarios that are not in the file are only named: adding one is adding a file.
# LOCKSTEP_UPDATE_GOLDEN=1 writes it anew.
#   digests.sh LOCKSTEP ROOT
lockstep=$(realpath "$1") || exit 99
root=$2
golden=$root/tests/golden/digests.txt
seen=$(mktemp) || exit 99
trap 'rm -f "$seen" "$seen.pinned"' EXIT

cd "$root" || exit 99
# the first part is enough to notice, and keeps this test short; see docs/adr/0004
"$lockstep" test --digest --first 5ms scenarios |
	awk '/^(ok|FAILED|BROKEN) /{ path = $2; if ($1 != "ok") print path, $1 } /^  digest /{ sub(/^  digest /, ""); print path, $0 }' >"$seen"
[ -s "$seen" ] || { echo "no digest was printed"; exit 1; }
if [ -n "${LOCKSTEP_UPDATE_GOLDEN-}" ]; then
	cp "$seen" "$golden" && echo "wrote $golden"
	exit
fi
awk 'NR == FNR { pinned[$1] = 1; next } $1 in pinned' "$golden" "$seen" >"$seen.pinned"
awk 'NR == FNR { pinned[$1] = 1; next } !($1 in pinned) { print "not pinned yet: " $1 }' "$golden" "$seen"
diff -u "$golden" "$seen.pinned" && exit 0
echo "If this change of behaviour is meant: LOCKSTEP_UPDATE_GOLDEN=1 meson test -C build digests"
exit 1
