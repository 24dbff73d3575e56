#!/bin/bash
# SPDX-License-Identifier: MIT
# Documentation/hardware-questions.rst: twenty questions, each with a section that exists
# and tests whose descriptions stand in tests/qtest.
set -u
doc=Documentation/hardware-questions.rst
manual=Documentation/hardware.rst
n=0
bad=0

check() {
	n=$((n + 1))
	if "${@:2}"; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		bad=1
	fi
}

count() {
	[ "$(grep -cE "$1" $doc)" -eq "$2" ]
}

in_order() {
	[ "$(grep -oE '^[0-9]+\. ' $doc | tr -d '. ' | tr '\n' ' ')" = "$(seq -s ' ' 20) " ]
}

# Every question is followed by its section and at least one test.
complete() {
	awk '/^[0-9]+\. /{if (q && (!s || !t)) exit 1; q = 1; s = t = 0}
	     /^ +Section: /{s++} /^ +Test: /{t++}
	     END{exit !(s == 1 && t)}' $doc
}

check "twenty questions in order" in_order
check "a section each" count '^ +Section: ' 20
check "and at least one test each" complete
while IFS= read -r line; do
	title=${line#*Section: }
	check "section '${title%.}' stands in the manual" grep -qxF "${title%.}" $manual
done < <(grep -E '^ +Section: ' $doc | sort -u)
while IFS= read -r line; do
	file=${line#*Test: }
	text=${file#*, \"}
	file=tests/qtest/${file%%,*}
	check "$file has \"${text%\"}\"" grep -qF "\"${text%\"}\"" "$file"
done < <(grep -E '^ +Test: ' $doc)
echo "1..$n"
exit $bad
