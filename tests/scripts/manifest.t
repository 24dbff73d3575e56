#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Run everything tests/manifest.tsv names and compare with what it says. TAP.

Usage: tests/scripts/manifest.t [--update] [-d DEVICE]

A line is an example, its bad twin or a geometry: what it is made of, how it must end
("ok", the rule that refuses it, or "check" when only --check catches it) and the counters
of its run. Every good line runs with barrier and per-tile synchronisation.
--update writes the counters and verdicts that this build gives; read the diff.
"""
import json
import os
import subprocess
import sys

KTCTL = os.environ.get("KTCTL", os.path.join(os.environ.get("BUILD", "build"), "ktctl"))
MANIFEST = "tests/manifest.tsv"
COUNTERS = ["transfers", "injections", "bytes_delivered", "remote_bytes", "injected_bytes",
            "cycles"]
COLUMNS = ["file", "op", "dtype", "verdict"] + COUNTERS
device = sys.argv[sys.argv.index("-d") + 1] if "-d" in sys.argv else "soft"


def submit(path, *more):
    run = subprocess.run([KTCTL, "-j", "-d", device, "submit", path, "--check", *more],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return run.returncode, json.loads(run.stdout)


def verdict(code, doc):
    if code == 0 and doc["ok"]:
        return "ok"
    rules = sorted({d["rule"] for d in doc.get("diagnostics", []) if d["severity"] == "error"})
    if code == 1 and rules:
        return ",".join(rules)
    return "check" if code == 1 and doc.get("mismatches", 0) > 0 else f"exit {code}"


def counters(doc):
    return [str(doc[k]) for k in COUNTERS]


with open(MANIFEST, encoding="utf-8") as f:
    lines = [l.rstrip("\n").split("\t") for l in f]
head, rows = lines[0], lines[1:]
assert head == COLUMNS, "columns of the manifest"

if "--update" in sys.argv:
    with open(MANIFEST, "w", encoding="utf-8") as f:
        f.write("\t".join(COLUMNS) + "\n")
        for row in rows:
            code, doc = submit(row[0])
            how = verdict(code, doc)
            numbers = counters(doc) if how == "ok" else ["-"] * len(COUNTERS)
            f.write("\t".join(row[:3] + [how] + numbers) + "\n")
    sys.exit()

n, bad = 0, 0


def ok(good, what, *notes):
    global n, bad
    n += 1
    bad += not good
    print(f"{'ok' if good else 'not ok'} {n} - {what}")
    for note in notes if not good else ():
        print(f"#   {note}")


for row in rows:
    path, want, numbers = row[0], row[3], row[4:]
    code, doc = submit(path)
    ok(verdict(code, doc) == want, f"{path}: {want}", verdict(code, doc), doc)
    if want != "ok":
        continue
    ok(counters(doc) == numbers and doc["host_bytes"] == 0, f"{path}: counters",
       f"{counters(doc)} not {numbers}")
    code, doc = submit(path, "--per-tile")
    ok(verdict(code, doc) == "ok" and doc["sync"] == "per-tile" and counters(doc) == numbers,
       f"{path}: per tile", doc)
here = {os.path.join(d, f) for d in ("examples", "examples/bad") for f in os.listdir(d)
        if f.endswith(".mlir")} | {os.path.join("tests/data/relayouts", f) for f in
                                   os.listdir("tests/data/relayouts") if f.endswith(".json")}
ok(here == {r[0] for r in rows}, "the manifest names every example and geometry",
   here ^ {r[0] for r in rows})
print(f"1..{n}")
sys.exit(bool(bad))
