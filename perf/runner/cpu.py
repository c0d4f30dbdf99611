"""CPU time of processes, to the nanosecond, exited threads included."""

import os
import time
from pathlib import Path

from support import proc


def process_seconds(pid):
    """User and system time of one process: its CPU clock (clock_getcpuclockid)."""
    return time.clock_gettime(~pid << 3 | 2)


def group_seconds(pids):
    return sum(process_seconds(pid) for pid in pids)


def tree(pid):
    """A process and all below it."""
    return [pid, *proc.descendants(pid)]


def softirq_pids():
    """The kernel threads that finish network work when interrupts come thick."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if Path(f"/proc/{entry}/comm").read_text().startswith("ksoftirqd"):
                    found.append(int(entry))
            except FileNotFoundError:
                continue
    return found


class Meter:
    """CPU seconds of a set of processes, and of ksoftirqd, over a block."""

    def __init__(self, pids):
        self._pids, self._kernel = pids, softirq_pids()
        self.used = self.softirq = 0.0

    def __enter__(self):
        self._before = group_seconds(self._pids), group_seconds(self._kernel)
        return self

    def __exit__(self, *_):
        self.used = group_seconds(self._pids) - self._before[0]
        self.softirq = group_seconds(self._kernel) - self._before[1]
