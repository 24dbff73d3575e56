#!/bin/bash
# SPDX-License-Identifier: MIT
# The test machine has the modelled device behind its root port, as the manual says. TAP.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/look" <<'EOF'
#!/bin/sh
for d in /sys/bus/pci/devices/*; do
	[ "$(cat "$d/vendor") $(cat "$d/device")" = "0x1234 0x4b54" ] || continue
	echo "class $(cat "$d/class")"
	echo "revision $(cat "$d/revision")"
	echo "bar0 $(sed -n 1p "$d/resource" | while read -r a b c; do echo $((b - a + 1)) "$c"; done)"
	echo "reset $(cat "$d/reset_method" 2>/dev/null)"
	echo 1 > "$d/enable"
	echo "enabled $(cat "$d/enable")"
done
EOF
scripts/vm/run "$work/look" >"$work/out" 2>"$work/err"
status=$?
n=0
check() {
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1: '$2', not '$3'"
		sed 's/^/# /' "$work/out" "$work/err"
	fi
}
field() { sed -n "s/^$1 //p" "$work/out" | tr -d '\r'; }
check "the machine boots and the script succeeds" "$status" 0
check "processing accelerator" "$(field class)" 0x120000
check "revision" "$(field revision)" 0x01
check "register BAR of 16 slots" "$(field bar0 | cut -d' ' -f1)" 131072
case $(field reset) in *flr*) flr=yes ;; *) flr=no ;; esac
check "function level reset" "$flr" yes
check "memory decoding can be enabled" "$(field enabled)" 1
echo "1..$n"
