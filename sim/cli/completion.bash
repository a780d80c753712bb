# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for lockstep: asks the program for its verbs and options.
_lockstep()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" --list-verbs 2>/dev/null) --help --version" -- "$word")
		return
	fi
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" "$verb" --list-options 2>/dev/null)" -- "$word")
		return
	fi
	case $previous in
	--spin) mapfile -t COMPREPLY < <(compgen -W "elide poll" -- "$word"); return ;;
	--choice) mapfile -t COMPREPLY < <(compgen -W "fixed seed: replay:" -- "$word"); return ;;
	--color) mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$word"); return ;;
	--class) mapfile -t COMPREPLY < <(compgen -W "sched lock task sum lines access" -- "$word"); return ;;
	esac
	case $verb in
	help) mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" --list-verbs 2>/dev/null)" -- "$word") ;;
	list) mapfile -t COMPREPLY < <(compgen -W "models presets costs events findings codes" -- "$word") ;;
	explain)
		mapfile -t COMPREPLY < <(compgen -f -- "$word"; compgen -W "$("${COMP_WORDS[0]}" list codes 2>/dev/null | cut -d' ' -f1)" -- "$word") ;;
	*) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	esac
}
complete -o filenames -F _lockstep lockstep
