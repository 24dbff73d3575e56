#!/bin/bash
# SPDX-License-Identifier: MIT
# The bash completion, by asking it; the others by their syntax where the shell is there.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
ktctl completion bash > "$TMP/bash"
ktctl completion zsh > "$TMP/zsh"
ktctl completion fish > "$TMP/fish"
# shellcheck disable=SC1091
. "$TMP/bash"

# complete WORD...: what the last word may become
completed()
{
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_ktctl
	echo "${COMPREPLY[*]}"
}
gives() { local want=$1 got; shift; got=$(completed "$@"); echo "got: $got"; [ "$got" = "$want" ]; }
contains() { local want=$1 got; shift; got=" $(completed "$@") "; echo "got:$got"; [[ $got == *" $want "* ]]; }
lacks() { ! contains "$@"; }

check "commands by their beginning" gives "verify" ktctl ver
check "every command" contains "submit" ktctl ""
check "rules of explain" gives "R9" ktctl explain R9
check "options of the command" contains "--check" ktctl submit --ch
check "global options too" contains "--json" ktctl submit --
check "no option of another command" lacks "--edges" ktctl submit --
check "values of a global option" gives "always" ktctl verify --color al
check "values of a command's option" gives "nearest" ktctl emit x.json --elect n
check "the command behind options" contains "--stick" ktctl -j verify --st
check "files as operands" contains "examples" ktctl verify exampl
check "files of an option" contains "examples" ktctl compile x -o exampl
check "zsh names every command" bash -c "for c in verify submit draw; do grep -q \"'\$c:\" '$TMP/zsh' || exit 1; done"
check "zsh starts with its tag" bash -c "head -n 1 '$TMP/zsh' | grep -qx '#compdef ktctl'"
check "fish completes values" grep -q -- "-l color -x -a 'auto always never'" "$TMP/fish"
check "fish knows the rules" grep -q "__fish_seen_subcommand_from explain' -a '.*R14.*K13" "$TMP/fish"
check "quotes are balanced in all" bash -c "for f in bash zsh fish; do (( \$(tr -cd \"'\" < '$TMP/'\$f | wc -c) % 2 == 0 )) || exit 1; done"
plan
