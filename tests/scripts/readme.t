#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""README's console blocks print what they say they print. TAP on standard output."""
import os
import re
import subprocess
import sys

build = os.path.abspath(os.environ.get("BUILD", "build"))
env = dict(os.environ, PATH=build + os.pathsep + os.environ["PATH"], NO_COLOR="1")
text = open("README.md", encoding="utf-8").read()
cases = []
for block in re.findall(r"^```console\n(.*?)^```$", text, re.S | re.M):
    for part in re.split(r"(?m)^\$ ", block)[1:]:
        command, _, output = part.partition("\n")
        cases.append((command, output.strip("\n")))

bad = 0
print(f"1..{len(cases)}")
for i, (command, want) in enumerate(cases, 1):
    run = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, env=env, text=True, check=False)
    got = run.stdout.strip("\n")
    same = got == want
    bad += not same
    print(f"{'ok' if same else 'not ok'} {i} - {command}")
    if not same:
        for line in got.split("\n"):
            print("#   " + line)
sys.exit(bool(bad) or not cases)
