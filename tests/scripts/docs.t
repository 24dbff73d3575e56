#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Console blocks of README and Documentation print what they say they print. TAP.

Usage: tests/scripts/docs.t [--update]
"""
import glob
import os
import re
import subprocess
import sys

build = os.path.abspath(os.environ.get("BUILD", "build"))
env = dict(os.environ, PATH=build + os.pathsep + os.environ["PATH"], NO_COLOR="1")
# A fenced block of Markdown, or an indented one of reStructuredText.
BLOCKS = {".md": re.compile(r"^(```console\n)(.*?)(?=^```$)", re.S | re.M),
          ".rst": re.compile(r"^(\.\. code-block:: console\n\n)((?:\t[^\n]*\n|\n)+)", re.M)}


def run(command):
    return subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=env, text=True, check=False).stdout


def fresh(match):
    """The block as its commands print it now."""
    opening, body = match.groups()
    indent = "" if opening.startswith("`") else "\t"
    plain = "\n".join(l[len(indent):] for l in body.split("\n"))
    parts = []
    for part in re.split(r"(?m)^\$ ", plain)[1:]:
        command = part.partition("\n")[0]
        want = part.partition("\n")[2].strip("\n")
        got = "\n".join(l.rstrip() for l in run(command).strip("\n").split("\n"))
        cases.append((command, want == got, got))
        parts.append("$ " + command + ("\n" + got if got else ""))
    text = "\n\n".join(parts)
    text = "\n".join(indent + l if l else "" for l in text.split("\n"))
    return opening + text + ("\n" if not indent else "\n\n")


cases = []
for path in ["README.md"] + sorted(glob.glob("Documentation/*.rst")):
    with open(path, encoding="utf-8") as f:
        before = f.read()
    after = BLOCKS[os.path.splitext(path)[1]].sub(fresh, before)
    if "--update" in sys.argv and after != before:
        with open(path, "w", encoding="utf-8") as f:
            f.write(after)

# Pictures of geometries are what ktctl draws.
for path in sorted(glob.glob("Documentation/pictures/*.svg")):
    name = os.path.splitext(os.path.basename(path))[0]
    command = f"ktctl draw tests/data/relayouts/{name}.json --format=svg"
    svg = run(command)
    if "--update" in sys.argv:
        with open(path, "w", encoding="utf-8") as f:
            f.write(svg)
    with open(path, encoding="utf-8") as f:
        cases.append((f"{path}: {command}", f.read() == svg, ""))

print(f"1..{len(cases)}")
for n, (command, same, got) in enumerate(cases, 1):
    print(f"{'ok' if same else 'not ok'} {n} - {command}")
    if not same:
        for line in got.split("\n"):
            print("#   " + line)
sys.exit(not cases or not all(same for _, same, _ in cases))
