# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# TAP for shell tests: source it, call "check NAME COMMAND...", end with "plan".
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
BUILD=$(realpath "${BUILD:-build}")
KTCTL=$(realpath "${KTCTL:-$BUILD/ktctl}")
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
export BUILD KTCTL TMP LC_ALL=C.UTF-8
PATH=$(dirname "$KTCTL"):$PATH
tests=0

check()
{
	local name=$1

	shift
	tests=$((tests + 1))
	if "$@" > "$TMP/log" 2>&1; then
		echo "ok $tests - $name"
	else
		echo "not ok $tests - $name"
		sed 's/^/# /' "$TMP/log"
	fi
}

plan()
{
	echo "1..$tests"
}
