# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# The long part of quicktest: sourced by it, uses its check(), meson_tests(), count().

reference=build/digests.reference
first="--first 2ms"

# digests LOCKSTEP [OPTION...]: all that `test` says about the first part of every scenario
digests()
{
	# shellcheck disable=SC2086
	"$1" test --digest $first "${@:2}" scenarios
}

# same_digests NAME COMMAND...: what the command prints is the reference
same_digests()
{
	local name=$1

	shift
	if "$@" >build/digests.other 2>&1; cmp -s "$reference" build/digests.other; then
		count 1 0
		printf '   ok      %s\n' "$name"
	else
		count 0 1
		printf '   FAILED  %s\n' "$name"
		diff "$reference" build/digests.other | head -n 10
	fi
}

elsewhere()
{
	# the same paths, from another folder, with another environment and other garbage in fresh memory
	env -i PATH="$PATH" LC_ALL=tr_TR.UTF-8 TZ=Pacific/Apia MALLOC_PERTURB_=91 SOME="$(printf '%2000s' x)" \
		sh -c 'mkdir -p build/elsewhere && ln -sfn "$PWD/scenarios" build/elsewhere/scenarios && cd build/elsewhere &&
			exec "$@"' sh "$lockstep" test --digest --first 2ms -j2 scenarios/
}

# matrix COMPILER OPTIMISATION SANITIZERS
matrix()
{
	local name=$1-O$2 dir=build-matrix/$1-O$2 binary options=() without=native

	if [ "$3" != none ]; then
		name=$name-sanitized
		dir=$dir-sanitized
		# what only repeats itself runs in the sanitized builds that are optimised
		without=none
		[ "$2" -gt 0 ] || without=volume
		# with sanitizers gcc warns of truncations that cannot be; the plain builds keep -Werror
		options=(-Db_sanitize="$3" -Db_lundef=false -Dwerror=false)
	fi
	mkdir -p build-matrix
	say "$name"
	if ! CC=$1 build_into "$dir" -Doptimization="$2" -Ddebug=false -Dc_args=-g1 -Dman=disabled "${options[@]}" >"$log" 2>&1; then
		count 0 1
		printf '   FAILED  %s does not build\n' "$name"
		tail -n 20 "$log"
		return
	fi
	count 1 0
	binary=$PWD/$dir/sim/cli/lockstep
	meson_tests "$dir" --timeout-multiplier 10 --no-suite long --no-suite campaign --no-suite kernel --no-suite tidy \
		--no-suite "$without"
	same_digests "$name: same digests" digests "$binary"
}

say "digests: jobs, folder, environment, polling"
digests "$lockstep" -j1 >"$reference" 2>&1
same_digests "-j2 as -j1" digests "$lockstep" -j2
same_digests "another folder and environment" elsewhere
same_digests "polled spins, first part of all" digests "$lockstep" -j2 --spin=poll
small="scenarios/pi scenarios/lang"
# shellcheck disable=SC2086
check "polled spins, whole runs of the small ones" sh -c '"$@" >build/elided && "$@" --spin=poll | diff build/elided -' \
	sh "$lockstep" test --digest $small
if command -v valgrind >/dev/null 2>&1; then
	check "valgrind is content" valgrind -q --error-exitcode=9 "$lockstep" run -q scenarios/lang/readwrite.lks
fi

# ASan's fake stacks move what spin elision compares, and fibers are not threads
export ASAN_OPTIONS=detect_stack_use_after_return=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export CK_TIMEOUT_MULTIPLIER=10
for compiler in gcc clang; do
	for optimisation in 0 3; do
		matrix $compiler $optimisation none
		matrix $compiler $optimisation address,undefined
	done
done

say "installing into a prefix"
prefix=$PWD/build/prefix
rm -rf "$prefix"
check "meson install" env DESTDIR= meson install -C build --no-rebuild --quiet --destdir "$prefix"
check "the installed program runs an installed scenario" sh -c \
	'"$(find "$1" -path "*bin/lockstep")" run --quiet "$(find "$1" -path "*/scenarios/pi/pathfinder.lks")"' sh "$prefix"
check "man pages are installed" sh -c 'test "$(find "$1" -name "lockstep*.[15]" | wc -l)" -ge 8' sh "$prefix"
