#!/bin/bash
# SPDX-License-Identifier: MIT
# The shared library keeps the binary interface recorded in tests/data/libktdev.abi.
#
# Usage: tests/scripts/abi.t [--update]    (--update records the library that is built)
set -u
build=${BUILD:-build}
abi=tests/data/libktdev.abi
tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
if [ "${1-}" = --update ]; then
	abidw --no-corpus-path --no-comp-dir-path --short-locs --header-file lib/ktdev.h --drop-private-types \
		--out-file "$abi" "$build/libktdev.so.0"
	exit
fi
echo 1..2
# Additions are fine: 4 is "changed", 8 "changed incompatibly".
if abidiff --no-added-syms --hf2 lib/ktdev.h --drop-private-types "$abi" "$build/libktdev.so.0" >"$tmp" 2>&1; then
	echo "ok 1 - nothing removed or changed"
else
	echo "not ok 1 - nothing removed or changed"
	sed 's/^/# /' "$tmp"
fi
# Every function of the header is exported, and nothing else.
grep -oE '\bktdev_[a-z0-9_]+\(' lib/ktdev.h | tr -d '(' | sort -u >"$tmp.h"
nm -D --defined-only "$build/libktdev.so.0" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$tmp.so"
if missing=$(comm -13 "$tmp.h" "$tmp.so") && [ -z "$missing" ]; then
	echo "ok 2 - every exported function is in ktdev.h"
else
	echo "not ok 2 - exported but not in ktdev.h: ${missing//$'\n'/ }"
fi
rm -f "$tmp.h" "$tmp.so"
