# SPDX-License-Identifier: Apache-2.0
# Completion of rdmactl for bash: all words come from `rdmactl complete`.
# shellcheck shell=bash

# What came from the program is inserted as it is: it gives out no word that a shell could read otherwise.
_rdmactl() {
	local line=${COMP_LINE:0:COMP_POINT} words=() word blanks lead i

	# Readline also cuts at = and :, a shell does not: what nothing stands between is one word.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		blanks=${line%%[![:space:]]*}
		line=${line#"$blanks"}
		word=${COMP_WORDS[i]}
		[ "$i" -lt "$COMP_CWORD" ] || word=$line
		line=${line#"$word"}
		if [ "$i" -gt 0 ] && [ -z "$blanks" ]; then
			words[${#words[@]} - 1]+=$word
		else
			words+=("$word")
		fi
	done
	for i in "${!words[@]}"; do
		words[i]=${words[i]//[\"\'\\]/}
		# shellcheck disable=SC2088	# a tilde as it was typed
		[[ ${words[i]} != '~/'* ]] || words[i]=$HOME/${words[i]#*/}
	done
	word=${words[${#words[@]} - 1]}
	lead=${word%"${word##*[=:]}"}
	COMPREPLY=()
	while IFS=$'\t' read -r word _; do
		case $word in
		:files) compopt -o default ;;
		:directories) compopt -o dirnames ;;
		:open) compopt -o nospace ;;
		*) COMPREPLY+=("${word#"$lead"}") ;;
		esac
	done < <("$1" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _rdmactl rdmactl
