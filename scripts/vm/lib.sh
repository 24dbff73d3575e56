# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # used by the scripts that source this
# Shared by the scripts of this directory: cache, locks, time keeping.

vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$vm_dir/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ktdev
me=scripts/vm/$(basename "$0")

# The build of QEMU breaks when another python comes first.
clean_path=/usr/sbin:/usr/bin:/sbin:/bin

say() {
	printf '%s: %s\n' "$(basename "$0")" "$*" >&2
}

die() {
	printf '%s: %s\n' "$me" "$*" >&2
	exit 1
}

bad_usage() {
	printf '%s: %s (see --help)\n' "$me" "$*" >&2
	exit 2
}

# step TEXT COMMAND...: run it with its output in a log, say how long it took,
# show the end of the log when it fails. The caller decides what failing means.
step() {
	local text=$1 log rc=0 t0=$EPOCHREALTIME t1

	shift
	log=$(mktemp)
	"$@" >"$log" 2>&1 || rc=$?
	t1=$EPOCHREALTIME
	if [ $rc = 0 ]; then
		say "$text: $(seconds_between "$t0" "$t1") s"
	else
		tail -n 40 "$log" | cut -c 1-300 >&2
		say "$text: failed with $rc after $(seconds_between "$t0" "$t1") s"
	fi
	rm -f "$log"
	return $rc
}

seconds_between() {
	local us=$((${2/[.,]/} - ${1/[.,]/}))

	printf '%d.%d' $((us / 1000000)) $((us % 1000000 / 100000))
}

# hash_of: 16 hex digits of what comes on standard input
hash_of() {
	sha256sum | cut -c 1-16
}

# hash_files FILE...: names (without directories) and contents
hash_files() {
	local f

	for f; do
		printf '%s\n' "${f##*/}"
		sha256sum <"$f"
	done | hash_of
}

# lock NAME: hold cache/NAME.lock until this script ends
lock() {
	mkdir -p "$cache"
	exec {lock_fd}>"$cache/$1.lock"
	if ! flock -n "$lock_fd"; then
		say "waiting for another process that builds $1"
		flock -w "${VM_LOCK_TIMEOUT:-3600}" "$lock_fd" || die "no lock on $1 in time"
	fi
}

# package_version NAME: of the installed package, nothing when there is none
package_version() {
	dpkg-query -W -f '${Version}' "$1" 2>/dev/null || true
}

# keep_newest DIR N [PATTERN]: remove all but the N entries of DIR used last
keep_newest() {
	local name

	find "$1" -mindepth 1 -maxdepth 1 -name "${3:-*}" -printf '%T@ %f\n' | sort -rn | tail -n +$(($2 + 1)) |
		while read -r _ name; do
			rm -rf "${1:?}/$name"
		done
}
