"""Memory of a router: what its processes hold, and its files that live in memory.

Counted once: anonymous pages and shared memory of every process (their share of each page, PSS), and
all files of the run directory, which is a tmpfs on a router. Files that a process maps from there are
part of the latter.
"""

import subprocess
from pathlib import Path

from support import proc

BLOCK = 512


def of_process(pid, run_dir):
    """Bytes: anonymous and shared memory, without mapped files of the run directory."""
    sizes = proc.rollup(pid)
    return sizes["Pss_Anon"] + sizes["Pss_Shmem"] - _mapped_shmem(pid, run_dir)


def highest(pid):
    """Bytes: the most that was resident at once."""
    return int(proc.status(pid)["VmHWM"].split()[0]) * 1024


def of_files(run_dir):
    """Bytes that the files of the run directory take, in whole pages."""
    return sum(p.stat().st_blocks * BLOCK for p in run_dir.rglob("*") if p.is_file())


def of_router(router):
    """Bytes of each role, and of the files."""
    held = {role: of_process(pid, router.run_dir) for role, pid in router.pids().items()}
    return {**held, "files": of_files(router.run_dir)}


def _mapped_shmem(pid, run_dir):
    """Bytes of the mapped files below `run_dir`, when these are shared memory: on a tmpfs."""
    kind = subprocess.run(["stat", "-f", "-c", "%T", run_dir], capture_output=True, text=True, check=True)
    if kind.stdout.strip() != "tmpfs":
        return 0
    total, inside = 0, False
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        first = line.split(maxsplit=1)[0]
        if not first.endswith(":"):
            inside = f" {run_dir}/" in line
        elif inside and first == "Pss:":
            total += int(line.split()[1]) * 1024
    return total
