# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by quickstart and quicktest: packages, building, counting. Sourced from the root of the tree.

# What a build and its tests need on Debian 12; what --full needs beside.
packages_base="gcc libc6-dev binutils meson ninja-build pkg-config libglib2.0-dev libsqlite3-dev check scdoc"
packages_full="clang libclang-rt-14-dev valgrind graphviz"

# Says what comes next, and how long it took to get here.
say()
{
	printf '== %s  [%d:%02d]\n' "$*" $((SECONDS / 60)) $((SECONDS % 60))
}

die()
{
	printf '%s: %s\n' "$(basename "$0")" "$*" >&2
	exit 2
}

missing_packages()
{
	local package

	for package in "$@"; do
		if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed'; then
			printf ' %s' "$package"
		fi
	done
}

# Installs what is missing, when root; else prints the command and stops.
need_packages()
{
	local missing

	if ! command -v dpkg-query >/dev/null 2>&1; then
		command -v meson >/dev/null 2>&1 || die "not a Debian system: please install the equivalents of: $*"
		return 0
	fi
	missing=$(missing_packages "$@")
	if [ -z "$missing" ]; then
		say "all packages are installed"
		return 0
	fi
	if [ "$(id -u)" -ne 0 ]; then
		printf 'Some packages are missing. Please run this and start again:\n\n' >&2
		printf '    sudo apt-get update && sudo apt-get install --no-install-recommends%s\n\n' "$missing" >&2
		exit 2
	fi
	say "installing:$missing"
	# the lists of a fresh system are empty, so fetch them
	apt-get update -qq || die "apt-get update failed"
	# shellcheck disable=SC2086
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
		die "apt-get install failed"
}

# build_into DIR [MESON OPTION...]: sets up once, builds what is out of date.
build_into()
{
	local dir=$1

	shift
	if [ ! -f "$dir/build.ninja" ]; then
		rm -rf "$dir"
		meson setup "$dir" "$@" >"$dir.log" 2>&1 || { cat "$dir.log" >&2; rm -f "$dir.log"; return 1; }
		rm -f "$dir.log"
	fi
	if ! ninja -C "$dir" --quiet >"$dir/build.log" 2>&1; then
		cat "$dir/build.log" >&2
		return 1
	fi
}
