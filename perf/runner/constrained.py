"""A small router on a big machine: one CPU, a quarter of its time, 512 MiB, no swap.

Control groups of version 2 where they carry cpu and memory, else of version 1. What runs under `words` is
moved into the group before it starts; the load stays outside, on another CPU.
"""

import os
import time
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
CPU = "0"
PERIOD_US, QUOTA_US = 100_000, 25_000
MEMORY = 512 << 20
# The group joins, then becomes the program: all that it starts belongs to it.
JOIN = 'for file in $JOIN; do echo $$ > "$file"; done; exec taskset -c ' + CPU + ' "$@"'


class Group:
    """Makes the group and removes it; `words` go in front of a command."""

    def __init__(self):
        name = f"sluice-perf-{os.getpid()}"
        unified = _controllers(ROOT)
        if {"cpu", "memory"} <= unified:
            self._folders = [ROOT / name]
            self._limits = [("cpu.max", f"{QUOTA_US} {PERIOD_US}"), ("memory.max", MEMORY),
                            ("memory.swap.max", 0)]
        else:
            self._folders = [ROOT / controller / name for controller in ("cpu", "memory")]
            self._limits = [("cpu.cfs_period_us", PERIOD_US), ("cpu.cfs_quota_us", QUOTA_US),
                            ("memory.limit_in_bytes", MEMORY), ("memory.memsw.limit_in_bytes", MEMORY)]

    def __enter__(self):
        for folder in self._folders:
            folder.mkdir()
        for file, value in self._limits:
            self._write(file, value)
        joins = " ".join(str(folder / "cgroup.procs") for folder in self._folders)
        self.words = ["env", f"JOIN={joins}", "sh", "-c", JOIN, "sh"]
        return self

    def _write(self, file, value):
        """Each limit lies in the one folder whose controller has it; swap accounting may be absent."""
        found = [folder / file for folder in self._folders if (folder / file).exists()]
        if found:
            found[0].write_text(str(value))
        elif "sw" not in file:
            raise FileNotFoundError(f"no control group offers {file}")

    def __exit__(self, *_):
        for folder in self._folders:
            for _attempt in range(50):
                if not (folder / "cgroup.procs").read_text().strip():
                    break
                time.sleep(0.1)
            folder.rmdir()


def _controllers(folder):
    file = folder / "cgroup.controllers"
    return set(file.read_text().split()) if file.exists() else set()
