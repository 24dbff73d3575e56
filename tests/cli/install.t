#!/bin/bash
# SPDX-License-Identifier: MIT
# make install into an empty root; a program builds against it in both ways.
set -u
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
root=$TMP/root
export PKG_CONFIG_PATH=$root/opt/kt/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root

cat > "$TMP/prog.c" <<'EOC'
#include <ktdev.h>
#include <stdio.h>
int main(void) { return puts(ktdev_version()) < 0; }
EOC
shared()
{
	# shellcheck disable=SC2046
	gcc -o "$TMP/shared" "$TMP/prog.c" $(pkg-config --cflags --libs libktdev) &&
	LD_LIBRARY_PATH=$root/opt/kt/lib "$TMP/shared" | grep -x "$(cat VERSION)"
}
static()
{
	# shellcheck disable=SC2046
	gcc -o "$TMP/static" "$TMP/prog.c" $(pkg-config --cflags libktdev) \
		"$root/opt/kt/lib/libktdev.a" -ljansson -lm -pthread &&
	"$TMP/static" | grep -x "$(cat VERSION)"
}
nothing_left() { local left; left=$(find "$root" ! -type d); echo "$left"; [ -z "$left" ]; }

check "install" make -s BUILD="$BUILD" DESTDIR="$root" PREFIX=/opt/kt install
for f in bin/ktctl include/ktdev.h lib/libktdev.a lib/libktdev.so.0 lib/libktdev.so \
	 lib/pkgconfig/libktdev.pc share/man/man1/ktctl-verify.1 share/man/man3/ktdev_verify.3 \
	 share/man/man7/ktdev-rules.7 share/ktdev/schemas/ktctl.report-1.json \
	 share/bash-completion/completions/ktctl share/zsh/site-functions/_ktctl \
	 share/fish/vendor_completions.d/ktctl.fish; do
	check "$f" test -s "$root/opt/kt/$f"
done
check "pkg-config says the version" test "$(pkg-config --modversion libktdev)" = "$(cat VERSION)"
check "a program links to the shared library" shared
check "a program links to the static library" static
check "no path of the build is installed" sh -c "! grep -rl --include=*.pc '$root\|$BUILD' '$root'"
check "uninstall" make -s BUILD="$BUILD" DESTDIR="$root" PREFIX=/opt/kt uninstall
check "nothing is left" nothing_left
plan
