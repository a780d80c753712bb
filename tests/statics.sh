#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A model keeps no state outside the lock, the task, req->hold and its stack: its objects
# have no writable data but the pointer by which it registers itself.
#   statics.sh libmodels.a
LC_ALL=C objdump -t "$1" >/dev/null || exit 99
LC_ALL=C objdump -t "$1" | awk '
/file format/ { object = $1; sub(/:$/, "", object); objects++ }
# VALUE FLAGS SECTION SIZE NAME; section symbols (d) and empty ones do not count
NF >= 5 {
	section = $(NF - 2); name = $NF; size = $(NF - 1)
	if (section == "lock_models") {
		registered++
		next
	}
	if ($0 ~ /[ ]d[ ]/ || size ~ /^0+$/)
		next
	if (section == "*COM*" || section ~ /^\.(data|bss|tdata|tbss)/ && section !~ /^\.data\.rel\.ro/) {
		print object ": " name " is writable (" section ")"
		bad++
	}
}
END {
	if (!objects || !registered) {
		print "no model was seen in the library"
		exit 99
	}
	if (bad)
		exit 1
	print objects " objects, no writable data"
}'
