#!/usr/bin/env python3
"""Prints "TEST TARGET-FILE" for the unit tests of a build folder whose name holds a word.

usage: meson_tests.py BUILD-FOLDER 'WORD|WORD'. Fuzz tests are left out. Exits 1 when none is left.
"""

import json
import os
import re
import subprocess
import sys


def main(build, pattern):
    shown = subprocess.run(["meson", "introspect", build, "--tests"], capture_output=True, check=True)
    chosen = [
        (test["name"], os.path.relpath(test["cmd"][0], os.path.abspath(build)))
        for test in json.loads(shown.stdout)
        if re.search(pattern, test["name"]) and not test["name"].startswith("fuzz-")
    ]
    for name, target in chosen:
        print(name, target)
    return 0 if chosen else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
