"""Tables for people, JSON for programs."""

import json
import os
import platform
import subprocess
import time

ROUND = 3


def show(name, rows):
    """An aligned table; numbers to three significant places."""
    print(f"\n{name}")
    if not rows:
        print("  nothing to run")
        return
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = [columns] + [[_text(row.get(column, "")) for column in columns] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    for line in lines:
        first, *rest = (text.ljust(width) if i == 0 else text.rjust(width)
                        for i, (text, width) in enumerate(zip(line, widths)))
        print("  " + "  ".join([first, *rest]))


def _text(value):
    if not isinstance(value, float):
        return str(value)
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.{ROUND}g}"


def save(folder, name, rows, options):
    """One file for each benchmark, with the machine and how it was run."""
    folder.mkdir(exist_ok=True)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            cwd=folder)
    document = {
        "benchmark": name,
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": commit.stdout.strip(),
        "machine": {"kernel": platform.release(), "cpus": os.cpu_count(), "model": _cpu_model()},
        "rounds": options.rounds,
        "pinned": options.pin,
        "constrained": options.constrained,
        "rows": rows,
    }
    (folder / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n")


def _cpu_model():
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()
