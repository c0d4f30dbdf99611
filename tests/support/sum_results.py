#!/usr/bin/env python3
"""Adds up JUnit files: one line for each suite, every failure by name, then the closing line.

usage: sum_results.py FOLDER. Reads FOLDER/*.xml (meson's and pytest's reports) and FOLDER/*.failed:
texts of steps that failed before they could report. A folder without results is a failure.
"""

import sys
import xml.etree.ElementTree
from pathlib import Path


class Tally:
    def __init__(self):
        self.passed, self.failures, self.skips = 0, [], []

    def add(self, suite, case):
        name = f"{suite}: {case.get('classname', '')}.{case.get('name')}"
        failed = case.find("failure") is not None or case.find("error") is not None
        if failed:
            self.failures.append(name)
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            self.skips.append(f"{name}: {reason(case)}")
        else:
            self.passed += 1


def reason(case):
    skipped = case.find("skipped")
    return "not run" if skipped is None else (skipped.get("message") or "no reason given")


def main(folder):
    total = Tally()
    for path in sorted(Path(folder).glob("*.xml")):
        part = Tally()
        for case in xml.etree.ElementTree.parse(path).iter("testcase"):
            part.add(path.stem, case)
        print(f"{path.stem:14} {part.passed:6} passed {len(part.failures):4} failed "
              f"{len(part.skips):4} skipped")
        total.passed += part.passed
        total.failures += part.failures
        total.skips += part.skips
    for path in sorted(Path(folder).glob("*.failed")):
        total.failures.append(f"{path.stem}: {path.read_text().strip()}")
    if not total.passed and not total.failures:
        total.failures.append("no test ran")
    for line in total.skips:
        print(f"SKIPPED {line}")
    for line in total.failures:
        print(f"FAILED  {line}")
    print(f"{total.passed} passed, {len(total.failures)} failed, {len(total.skips)} skipped")
    return 1 if total.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
