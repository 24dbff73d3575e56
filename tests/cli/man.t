#!/bin/bash
# SPDX-License-Identifier: MIT
# The man pages: all there, without a warning of groff, and their examples run.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
man=$BUILD/man

clean() { local w; w=$(groff -man -Tutf8 -ww -z "$1" 2>&1); echo "$w"; [ -z "$w" ]; }
has_option() { grep -qF -- "\\-\\-${2//-/\\-}" "$man/man1/$1.1"; }
# Example lines start with "$ " between .EX and .EE; a bad exit is a failure.
example() { bash -c "set -o pipefail; $1"; }
examples() { sed -n '/^\.EX/,/^\.EE/s/^\$ //p' "$1" | sed 's/\\-/-/g; s/\\(aq/'"'"'/g'; }

check "pages are made" make -s BUILD="$BUILD" man
for name in $(ktctl help -j | python3 -c 'import json,sys
for c in json.load(sys.stdin)["commands"]: print(c["name"])'); do
	check "ktctl-$name(1) is there" test -s "$man/man1/ktctl-$name.1"
done
for name in $(grep -ohE '^KTDEV_API [^;]*\bktdev_[a-z_0-9]+\(' lib/ktdev.h | grep -oE 'ktdev_[a-z_0-9]+\($' | tr -d '('); do
	check "$name(3) is there" test -s "$man/man3/$name.3"
done
for page in "$man"/man?/*.?; do
	check "$(basename "$page"): groff is content" clean "$page"
done
for page in "$man"/man1/*.1; do
	while IFS= read -r line; do
		check "$(basename "$page"): $line" example "$line"
	done < <(examples "$page")
done
plan
