#!/usr/bin/env python3
"""Runs clang-tidy-19 over the product's sources, one process for each core.

usage: run_tidy.py BUILD-FOLDER [FILE...]. Without files: every source of the compile commands outside
tests/unit. Headers are seen through the sources that include them. Fails on any finding.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("proto/", "dataplane/", "controlplane/", "ui/", "perf/", "tests/fuzz/")
TIDY = ["clang-tidy-19", "--quiet", "--extra-arg=-Wno-unknown-warning-option"]


def generated_headers(build):
    """Targets that must exist before any source can be read."""
    shown = subprocess.run(
        ["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True
    )
    names = (line.split(": ")[0] for line in shown.stdout.splitlines())
    return sorted({name for name in names if name.endswith(".pb.h")})


def sources(build):
    commands = json.loads((Path(build) / "compile_commands.json").read_text())
    found = set()
    for command in commands:
        path = (Path(command["directory"]) / command["file"]).resolve()
        name = os.path.relpath(path, ROOT)
        if name.startswith(ROOMS) and name.endswith(".cc"):
            found.add(name)
    return sorted(found)


def tidy(build, name):
    result = subprocess.run(
        [*TIDY, "-p", build, name], capture_output=True, text=True, cwd=ROOT, timeout=900
    )
    return name, result.returncode, result.stdout + (result.stderr if result.returncode else "")


def main(build, *files):
    build = os.path.abspath(build)
    headers = generated_headers(build)
    if headers:
        subprocess.run(["ninja", "-C", build, *headers], stdout=subprocess.DEVNULL, check=True)
    names = list(files) or sources(build)
    faults, done, began, told = 0, 0, time.monotonic(), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, code, text in pool.map(lambda name: tidy(build, name), names):
            done += 1
            if code != 0:
                faults += 1
                print(text, flush=True)
            if time.monotonic() - told > 30:
                told = time.monotonic()
                print(f"  {done} of {len(names)} files", flush=True)
    print(f"clang-tidy: {len(names)} files, {faults} with findings, "
          f"{time.monotonic() - began:.0f} s")
    return 1 if faults or not names else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
