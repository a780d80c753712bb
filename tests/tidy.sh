#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Style as a test: what must not be in the tree, and, as warnings, what is too long.
#   tidy.sh [ROOT]
root=${1:-$(dirname "$0")/..}
cd "$root" || exit 99
LC_ALL=C
export LC_ALL

sources=$(find sim models tests \( -name '*.[chS]' -o -name '*.def' \) | sort)
scripts=$(find tests quickstart quicktest .ci \( -name '*.sh' -o -name quickstart -o -name quicktest -o -name run \) -type f | sort)
texts=$(find . \( -name build\* -o -name .git \) -prune -o \( -name '*.md' -o -name '*.lks' -o -name '*.scd' -o \
	-name meson.build -o -name '*.txt' \) -type f -print | grep -v '^./tests/bad/' | sort)

# Every text: no blanks at the end of a line, no carriage returns.
# shellcheck disable=SC2086
blanks=$(grep -nE '[[:blank:]]+$' $sources $scripts $texts /dev/null; grep -n "$(printf '\r')" $sources $scripts $texts /dev/null)

# shellcheck disable=SC2086
awk '
function complain(what) {
	print FILENAME ":" FNR ": " what
	bad++
}

# Code without comments and strings, so that words in them are free. Keeps block comments open over lines.
function code_of(line,    out, i, c, two, quote) {
	out = ""
	quote = ""
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		two = substr(line, i, 2)
		if (comment) {
			if (two == "*/") { comment = 0; i++ }
		} else if (quote != "") {
			if (c == "\\") i++
			else if (c == quote) { quote = ""; out = out c }
		} else if (two == "/*") { comment = 1; i++ }
		else if (two == "//") break
		else {
			if (c == "\"" || c == "\047") quote = c
			out = out c
		}
	}
	return out
}

function ban(code, pattern, why) {
	# a pattern that ends in "(" is a call, else it must end as a word
	if ((" " code " ") ~ ("[^A-Za-z0-9_>.](" pattern ")" (pattern ~ /\($/ ? "" : "[^A-Za-z0-9_]")))
		complain(why)
}

FNR == 1 {
	comment = 0
	if ($0 !~ /SPDX-License-Identifier: GPL-2\.0-or-later/)
		complain("the first line is not the SPDX licence line")
	engine = FILENAME ~ /^sim\/(core|machine|kernel|scenario|run|report)\// || FILENAME ~ /^models\//
	ours = FILENAME ~ /^(sim|models)\//
	assembly = FILENAME ~ /\.S$/
	start = 0
}

{
	lines[FILENAME] = FNR
	if (assembly)
		next
	width = 0
	for (i = 1; i <= length($0); i++)
		width += substr($0, i, 1) == "\t" ? 8 - width % 8 : 1
	if (width > 120)
		wide++
	code = code_of($0)
	if (ours) {
		ban(code, "(rand|srand|random|srandom|drand48|rand_r)[ ]?\\(", "the host has no say: use sim/core/prng.h")
		ban(code, "g_random_[a-z_]+|g_rand_[a-z_]+", "the host has no say: use sim/core/prng.h")
		if (FILENAME !~ /sim\/cli\/native_run\.c$/) # the one whose matter that clock is
			ban(code, "gettimeofday|clock_gettime|localtime|gmtime|strftime|g_get_monotonic_time|g_get_real_time", "no host clock")
		if ((" " code) ~ /[^A-Za-z0-9_>.](time|clock)[ ]?\((NULL|0|&[a-z]+|\))/)
			complain("no host clock")
		ban(code, "setlocale|strcoll|g_utf8_collate", "no locale")
		ban(code, "g_hash_table_iter_[a-z]+|g_hash_table_foreach|g_hash_table_get_keys|g_hash_table_get_values", "the order of a hash table is no order: iterate an array")
		ban(code, "GTree|GSequence", "too slow for a queue: see sim/core/evq.h")
		ban(code, "strcat|sprintf|gets|alloca", "writes without knowing the room")
		if ($0 ~ /printf[^"]*"[^"]*%p/)
			complain("a host address in output")
	}
	if (engine)
		ban(code, "float|double|strtod|atof", "no floating point in what decides or prints")
	# kernel style: a function body is between a line "{" and a line "}"
	if ($0 == "{")
		start = FNR
	else if ($0 == "}" && start) {
		if (FNR - start - 1 > 70)
			printf "warning: %s:%d: a function of %d lines (70 at most)\n", FILENAME, start, FNR - start - 1
		start = 0
	}
}

END {
	for (f in lines) {
		n++
		if (f ~ /\.c$/ && lines[f] > 500)
			printf "warning: %s: %d lines (400 is long)\n", f, lines[f]
	}
	if (wide)
		printf "warning: %d lines wider than 120 columns\n", wide
	if (n < 10)
		bad++
	printf "%d files looked at\n", n
	exit bad > 0
}' $sources
status=$?

for script in $scripts; do
	if ! sed -n 2p "$script" | grep -q 'SPDX-License-Identifier: GPL-2.0-or-later'; then
		echo "$script: the second line is not the SPDX licence line"
		status=1
	fi
done
# A test that nobody builds cannot fail.
for test in $(find tests/unit -name '*.c' | sort); do
	name=$(basename "$test" .c)
	if ! grep -qE "'(test_)?${name#test_}(\.c)?'" "$(dirname "$test")/meson.build"; then
		echo "$test: its meson.build does not name it"
		status=1
	fi
done
if [ -n "$blanks" ]; then
	echo "$blanks"
	echo "blanks at the end of these lines"
	status=1
fi
exit $status
