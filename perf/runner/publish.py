"""What workers notice of a new snapshot: 100,000 rules, applied again and again under traffic.

    load: one byte there and back on one flow, flows opened beside it    \\
    `config apply` of two files in turn, or nothing                      / -> the workers' longest turn

A turn is what a worker's loop does between two waits; its CPU time, and its time without waits for a
CPU (locks and pages included), come from libturn_meter.so in the data plane. Both leave out that load,
compiler and workers share few CPUs; the longest round trip does not, and is shown as what it is.
"""

import json
import mmap
import shutil
import struct
import tempfile
import threading
from pathlib import Path
from random import Random

from runner.programs import LOAD, median
from support import config as cfg
from support import proc
from support.lab import Box
from support.paths import TURN_METER
from support.router import Router

RULES = 100_000
SLOT, SLOTS = struct.Struct("=qQqq"), 64
APPLY_LIMIT_S = 120
US = 1e3


def config(version):
    """As people's: names, prefixes and ports; the versions differ in their first line."""
    random = Random(7)
    lines = [f"DOMAIN,version{version}.test,DIRECT"]
    for number in range(RULES - 2):
        kind = number % 10
        if kind < 7:
            lines.append(f"DOMAIN-SUFFIX,s{random.randrange(1 << 40):x}.com,DIRECT")
        elif kind < 9:
            lines.append(f"IP-CIDR,{random.randrange(1, 127)}.{number >> 8 & 255}.{number & 255}.0/24,"
                         "DIRECT,no-resolve")
        else:
            lines.append(f"DST-PORT,{20000 + number % 40000},DIRECT")
    return cfg.base([*lines, "MATCH,DIRECT"])


class TurnMeter:
    """The longest turns of the data plane's workers since the last look."""

    def __init__(self, folder, pid):
        with (folder / f"{pid}.turns").open("r+b") as file:
            self._slots = mmap.mmap(file.fileno(), SLOT.size * SLOTS)
        self._workers = {
            int(task.name) for task in Path(f"/proc/{pid}/task").iterdir()
            if (task / "comm").read_text().startswith("worker-")
        }

    def take(self):
        """(turns, longest CPU ns, longest own ns) over all workers; starts anew."""
        turns, cpu, own = 0, 0, 0
        for at in range(0, SLOT.size * SLOTS, SLOT.size):
            thread, count, longest_cpu, longest_own = SLOT.unpack_from(self._slots, at)
            if thread in self._workers:
                turns, cpu, own = turns + count, max(cpu, longest_cpu), max(own, longest_own)
                SLOT.pack_into(self._slots, at, thread, 0, 0, 0)
        return turns, cpu, own


def run(options):
    """A row without and one with publishing; medians and worst of the interleaved rounds."""
    folder = Path(tempfile.mkdtemp(prefix="sluice-turns-"))
    folder.chmod(0o777)  # every user's process makes its own file
    env = {"LD_PRELOAD": str(TURN_METER), "TURN_METER_FOLDER": str(folder)}
    samples = {"no publishing": [], f"publishing {RULES:,} rules": []}
    with Box() as box:
        router = Router(box.ns, config(0), env=env)
        files = [router.write(f"{version}.yaml", config(version)) for version in (1, 2)]
        try:
            router.start()
            meter = TurnMeter(folder, router.pid("dataplane"))
            for turn in range(-1, options.rounds):
                for (what, found), applied in zip(samples.items(), ([], files)):
                    sample = _once(router, meter, applied, options.seconds)
                    if turn >= 0:  # the first round warms up
                        found.append(sample)
        finally:
            router.stop()
            shutil.rmtree(folder, ignore_errors=True)
    return [{"what": what, **_summary(found)} for what, found in samples.items()]


def _once(router, meter, files, seconds):
    """Load for at least `seconds`, and until each of the files was applied."""
    applied = threading.Event()
    thread = threading.Thread(target=_apply, args=(router, files, applied))
    sample = {"published": len(files), "round trips": 0, "flows": 0, "turns": 0, "cpu": 0, "own": 0,
              "gap": 0}
    meter.take()
    thread.start()
    while sample["round trips"] == 0 or not applied.is_set():
        load = json.loads(router.ns.run(LOAD, "ping", "--proxy", cfg.MIXED, "--seconds", seconds).stdout)
        turns, cpu, own = meter.take()
        sample["round trips"] += load["round_trips"]
        sample["flows"] += load["opened"]
        sample["turns"] += turns
        for key, value in (("cpu", cpu), ("own", own), ("gap", load["longest_us"])):
            sample[key] = max(sample[key], value)
    thread.join()
    return sample


def _apply(router, files, done):
    try:
        for file in files:
            router.cli("config", "apply", file, limit=APPLY_LIMIT_S)
    finally:
        done.set()


def _summary(samples):
    row = {key: sum(sample[key] for sample in samples)
           for key in ("published", "flows", "round trips", "turns")}
    for key, name in (("cpu", "longest turn, CPU us"), ("own", "longest turn without CPU waits, us")):
        row[name] = median(sample[key] for sample in samples) / US
        row[f"worst, {key} us"] = max(sample[key] for sample in samples) / US
    row["longest round trip us"] = median(sample["gap"] for sample in samples)
    return row
