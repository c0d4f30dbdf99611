"""Processes as /proc shows them."""

import os
from pathlib import Path


def alive(pid):
    """True while `pid` runs; a zombie counts as ended."""
    try:
        return status(pid)["State"][0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def status(pid):
    """/proc/PID/status as a dictionary of texts."""
    text = Path(f"/proc/{pid}/status").read_text()
    return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


def name(pid):
    """The program's file name; the kernel's short name when /proc/PID/exe is closed to us."""
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")).removesuffix(" (deleted)")
    except (FileNotFoundError, PermissionError, ProcessLookupError):
        return status(pid)["Name"].strip()


def parents():
    """pid -> parent's pid, of everything that runs."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = Path(f"/proc/{entry}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        state, parent = stat.rpartition(")")[2].split()[:2]
        if state not in "ZX":
            found[int(entry)] = int(parent)
    return found


def descendants(pid):
    """Children, their children and so on; parents come before children."""
    tree = parents()
    found = []
    level = [pid]
    while level:
        level = [child for child, parent in tree.items() if parent in level]
        found += level
    return found


def open_files(pid):
    """What the descriptors of `pid` point at."""
    targets = []
    for entry in os.listdir(f"/proc/{pid}/fd"):
        try:
            targets.append(os.readlink(f"/proc/{pid}/fd/{entry}"))
        except FileNotFoundError:
            continue
    return targets


def rollup(pid):
    """/proc/PID/smaps_rollup in bytes: Pss, Anonymous, Private_Clean and so on."""
    sizes = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        key, value = line.split(":")
        sizes[key] = int(value.split()[0]) * 1024
    return sizes
