#!/bin/bash
# SPDX-License-Identifier: MIT
# The public header compiles alone, in C99 and C++17, pedantically; the static library links.
set -u
build=${BUILD:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
ok() { n=$((n + 1)); if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' "$tmp/log"; fi; }

echo '#include "lib/ktdev.h"' > "$tmp/a.c"
cp "$tmp/a.c" "$tmp/a.cc"
gcc -std=c99 -pedantic -Wall -Wextra -Werror -I. -fsyntax-only "$tmp/a.c" 2>"$tmp/log"
ok $? "ktdev.h alone in C99"
g++ -std=c++17 -pedantic -Wall -Wextra -Werror -I. -fsyntax-only "$tmp/a.cc" 2>"$tmp/log"
ok $? "ktdev.h alone in C++17"
# Bodies are included several times, by sources that define what they vary in.
for h in engine/*.h lib/*.h; do
	case $h in *_body.h) continue ;; esac
	echo "#include \"$h\"" > "$tmp/b.c"
	gcc -std=gnu11 -Wall -Wextra -Werror -I. -Iengine -Ilib -Iuapi -fsyntax-only "$tmp/b.c" 2>"$tmp/log"
	ok $? "$h alone"
done
cat > "$tmp/c.c" <<'EOF'
#include <stdio.h>
#include <string.h>
#include "lib/ktdev.h"
int main(void) { puts(ktdev_version()); return strcmp(ktdev_version(), EXPECTED) != 0; }
EOF
gcc -std=c99 -I. -DEXPECTED="\"$(cat VERSION)\"" -o "$tmp/c" "$tmp/c.c" "$build/libktdev.a" -ljansson -lm -pthread 2>"$tmp/log" && "$tmp/c" >"$tmp/log"
ok $? "static link and version"
gcc -std=c99 -I. -DEXPECTED="\"$(cat VERSION)\"" -o "$tmp/d" "$tmp/c.c" -L"$build" -lktdev 2>"$tmp/log" && LD_LIBRARY_PATH=$build "$tmp/d" >"$tmp/log"
ok $? "shared link and version"
nm -D --defined-only "$build/libktdev.so" | awk '$2 ~ /[TDBR]/ && $3 !~ /^ktdev_/ && $3 !~ /^KTDEV_/' > "$tmp/log"
[ ! -s "$tmp/log" ]
ok $? "only ktdev_ symbols are exported"
echo "1..$n"
