#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The JSON Schemas are valid, and there is one for every document the tool can print."""
import glob
import json
import os
import re

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
count = 0


def check(name, ok, why=""):
    global count
    count += 1
    print("%sok %d - %s" % ("" if ok else "not ", count, name))
    if not ok and why:
        print("# " + why)


schemas = {}
for path in sorted(glob.glob(os.path.join(ROOT, "tools/schemas/*.json"))):
    with open(path) as f:
        schema = json.load(f)
    name = schema["properties"]["schema"]["const"]
    schemas[name] = schema
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
        check("%s is a schema" % name, True)
    except jsonschema.SchemaError as e:
        check("%s is a schema" % name, False, e.message)
    check("%s: file name" % name, os.path.basename(path) == name.replace("/", "-") + ".json")
    # a plan is a file, not an answer
    want = ["schema"] if name == "ktctl.plan/1" else ["schema", "ok"]
    check("%s: asks for %s" % (name, " and ".join(want)), schema["required"][:len(want)] == want)
    check("%s: refuses another document" % name,
          not jsonschema.Draft202012Validator(schema).is_valid({"schema": "x", "ok": True}))

used = set()
for path in glob.glob(os.path.join(ROOT, "tools/*.c")) + glob.glob(os.path.join(ROOT, "lib/*.c")):
    with open(path) as f:
        used |= set(re.findall(r'"(ktctl\.[a-z_]+/\d+)\\?"', f.read()))
for name in sorted(used):
    check("%s has a schema" % name, name in schemas)
for name in sorted(set(schemas) - used):
    check("%s is used" % name, False)
print("1..%d" % count)
