#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Holds tests/layers.txt: fails on any include that the table does not allow.
#   layers.sh [ROOT]
root=${1:-$(dirname "$0")/..}
cd "$root" || exit 99

find sim models -name '*.[ch]' -o -path 'sim/*' -name '*.def' | LC_ALL=C sort | xargs awk '
BEGIN {
	while ((getline line < "tests/layers.txt") > 0) {
		sub(/#.*/, "", line)
		n = split(line, word, /[ \t]+/)
		if (n && word[n] == "")
			n--
		if (n < 2)
			continue
		if (word[1] == "never") {
			nnever++
			never_from[nnever] = word[2]
			never_what[nnever] = word[3]
			continue
		}
		left[++nleft] = word[1]
		right[nleft] = ""
		for (i = 2; i <= n; i++)
			right[nleft] = right[nleft] " " word[i]
	}
	if (!nleft) {
		print "tests/layers.txt: no rule"
		bad++
	}
}

# "dir/*.h" fits headers of that folder, "dir/" all below it, else the path itself
function fits(path, pattern,    dir) {
	if (pattern ~ /\*\.h$/) {
		dir = substr(pattern, 1, length(pattern) - 3)
		return index(path, dir) == 1 && path ~ /\.h$/
	}
	if (pattern ~ /\/$/)
		return index(path, pattern) == 1
	return path == pattern
}

function rule_of(path,    i, best) {
	best = 0
	for (i = 1; i <= nleft; i++)
		if (fits(path, left[i]) && (!best || length(left[i]) > length(left[best])))
			best = i
	return best
}

function allowed(path, what,    r, n, word, i) {
	r = rule_of(path)
	n = split(right[r], word, " ")
	for (i = 1; i <= n; i++)
		if (word[i] == what || fits(what, word[i]))
			return 1
	return 0
}

FNR == 1 {
	files++
	if (!rule_of(FILENAME)) {
		print FILENAME ": no rule in tests/layers.txt"
		bad++
	}
}

/^[ \t]*#[ \t]*include/ {
	what = $0
	sub(/^[ \t]*#[ \t]*include[ \t]*/, "", what)
	if (what ~ /^</) {
		sub(/^</, "", what)
		sub(/>.*/, "", what)
		kind = what ~ /^(glib|gio|gmodule|gobject)/ ? "glib" : "libc"
	} else if (what ~ /^TREE_/) { # a file of a kernel tree
		kind = "tree"
	} else {
		gsub(/"/, "", what)
		sub(/[ \t].*/, "", what)
		kind = what
		edge[FILENAME] = edge[FILENAME] " " what
	}
	if (!allowed(FILENAME, kind)) {
		print FILENAME ":" FNR ": may not include " what
		bad++
	}
}

# Marks all that is reached from path; says so when it fits what.
function walk(start, path, what, trail,    n, word, i) {
	if ((start, what, path) in seen)
		return
	seen[start, what, path] = 1
	n = split(edge[path], word, " ")
	for (i = 1; i <= n; i++) {
		if (fits(word[i], what)) {
			print start ": reaches " word[i] " through" trail " " path
			bad++
			return
		}
		walk(start, word[i], what, trail " " path)
	}
}

END {
	for (f in edge)
		for (i = 1; i <= nnever; i++)
			if (fits(f, never_from[i]))
				walk(f, f, never_what[i], "")
	if (files < 10) {
		print "only " files " files were seen"
		bad++
	}
	if (bad) {
		print bad " edges that tests/layers.txt does not allow"
		exit 1
	}
	print files " files, every include allowed"
}'
