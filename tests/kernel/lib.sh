#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# For the tests of kernel plug-ins: trees unpacked outside of the checkout, plug-ins of them.
#   . lib.sh, with $lockstep, $root and $work set. Skips (77) where there is no package.
failed=0

complain() {
	echo "FAILED: $*"
	failed=1
}

finish() {
	[ $failed -eq 0 ] && echo "all as expected"
	exit $failed
}

# Which of the packages are here: "6.1 6.12"
versions() {
	for v in 6.1 6.12; do
		[ -f "/usr/src/linux-source-$v.tar.xz" ] && printf '%s ' "$v"
	done
}

# Packages of further versions that happen to be here.
others() {
	for file in /usr/src/linux-source-*.tar.xz; do
		v=${file#/usr/src/linux-source-}
		v=${v%.tar.xz}
		case $v in
		6.1 | 6.12 | '*') ;;
		*) printf '%s ' "$v" ;;
		esac
	done
}

# Unpacks the files that are needed, once; other tests wait meanwhile.
unpack() {
	(
		flock 9
		if [ ! -f "$work/tree-$1/Makefile" ]; then
			rm -rf "$work/tree-$1" && mkdir -p "$work/tree-$1" &&
				tar -xf "/usr/src/linux-source-$1.tar.xz" -C "$work/tree-$1" --strip-components=1 \
					"linux-source-$1/Makefile" "linux-source-$1/kernel/locking" \
					"linux-source-$1/include/linux" "linux-source-$1/include/asm-generic"
		fi
	) 9>"$work/lock-$1"
}

# A tree like that of VERSION in DIR, whose kernel/locking is one's own; the headers are shared.
copy_tree() { # VERSION DIR
	rm -rf "$2" && mkdir -p "$2/kernel" && cp -r "$work/tree-$1/kernel/locking" "$2/kernel/" &&
		cp "$work/tree-$1/Makefile" "$2/" && ln -s "$work/tree-$1/include" "$2/include"
}

# In $dir/tree, the last line of FUNCTION in FILE that has CALL becomes TEXT.
plant() { # FILE FUNCTION CALL [TEXT]
	awk -v fn="$2" -v call="$3" -v instead="${4:-;}" '
		{ text[NR] = $0 }
		/^[a-z_].*\(/ { inside = index($0, fn "(") > 0 }
		inside && index($0, call) { last = NR }
		END { for (i = 1; i <= NR; i++) print i == last ? "\t" instead : text[i]; if (!last) exit 1 }
	' "$dir/tree/kernel/locking/$1" >"$dir/planted" || complain "$v: $1 has no $3 in $2()"
	mv "$dir/planted" "$dir/tree/kernel/locking/$1"
}

# The lock that is made of FILE, for `kernel build --lock`.
lock_of() { # FILE
	case $1 in
	ww_mutex.h) echo ww-mutex ;;
	rtmutex_api.c) echo rtmutex ;;
	rwbase_rt.c) echo rt:rwsem ;;
	spinlock_rt.c) echo rt:spinlock ;;
	*) echo "${1%.c}" ;;
	esac
}

# A plug-in of an unpacked tree: $work/vX.so, newer than the program.
plugin() {
	(
		flock 9
		if [ ! -f "$work/v$1.so" ] || [ "$lockstep" -nt "$work/v$1.so" ]; then
			"$lockstep" kernel build --tree "$work/tree-$1" --name "v$1" -o "$work" >/dev/null
		fi
	) 9>"$work/lock-$1"
}

have=$(versions)
if [ -z "$have" ]; then
	echo "skipped: neither linux-source-6.1 nor linux-source-6.12 is installed"
	exit 77
fi
mkdir -p "$work"
for v in $have; do
	if ! unpack "$v"; then
		echo "/usr/src/linux-source-$v.tar.xz cannot be unpacked"
		exit 99
	fi
	plugin "$v" || { echo "linux-source-$v does not build"; exit 1; }
done
