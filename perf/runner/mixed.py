"""Mixed traffic for minutes or hours, a reload each minute: is memory flat, does anything leak?"""

import time

from support.lab import Box
from support.mixed import MixedTraffic, equal_sums

MIB = 1 << 20
REST_S = 15  # after the last flow: idle memory goes back once a second
# Memory in the middle and at the end, against one sixth of the run.
BOUND_MIB = 4.0


def run(minutes, every):
    """Prints a line for each reload; returns rows: the marks of the run, and what added up."""
    with Box() as box, MixedTraffic(box.ns) as traffic:
        time.sleep(REST_S)
        before = traffic.sample()
        traffic.begin()
        begun, samples = time.monotonic(), []
        _head(before)
        while time.monotonic() - begun < minutes * 60:
            time.sleep(max(0.0, begun + (len(samples) + 1) * every - time.monotonic()))
            traffic.reload()
            samples.append(traffic.sample())
            _line(samples[-1], begun)
        counted = traffic.end()
        traffic.wait_closed()
        totals = traffic.totals()
        time.sleep(REST_S)
        after = traffic.sample()
    print(f"  done: {counted['done']}\n  bytes: {counted['clients']}")
    return _rows(before, samples, after) + _verdict(before, samples, after, counted, totals)


def _head(sample):
    roles = "  ".join(f"{role:>24}" for role in sample["roles"])
    print(f"  min  flows  pipes KiB  {roles}   (RSS/PSS/anonymous MiB, descriptors)")


def _line(sample, begun):
    cells = []
    for sizes in sample["roles"].values():
        memory = "/".join(f"{sizes[key] / MIB:.1f}" for key in ("rss", "pss", "anonymous"))
        cells.append(f"{memory} {sizes['descriptors']}".rjust(24))
    minute = (sample["when"] - begun) / 60
    print(f"{minute:5.1f}  {sample['flows']:5}  {_pipes(sample) // 1024:9}  {'  '.join(cells)}", flush=True)


def _pipes(sample):
    return sum(sizes["pipe_bytes"] for sizes in sample["roles"].values())


def _sum(sample, key):
    return sum(sizes[key] for sizes in sample["roles"].values())


def _rows(before, samples, after):
    marks = {"before": before, "1/6": samples[(len(samples) - 1) // 6],
             "1/2": samples[(len(samples) - 1) // 2], "end": samples[-1], "closed": after}
    return [
        {"when": name, "flows": s["flows"], "PSS MiB": _sum(s, "pss") / MIB,
         "anonymous MiB": _sum(s, "anonymous") / MIB, "descriptors": _sum(s, "descriptors"),
         "pipes KiB": _pipes(s) // 1024}
        for name, s in marks.items()
    ]


def _verdict(before, samples, after, counted, totals):
    """One row for each claim, with "yes" or what is wrong."""
    early = _sum(samples[(len(samples) - 1) // 6], "anonymous")
    growth = max(_sum(samples[(len(samples) - 1) // 2], "anonymous"),
                 _sum(samples[-1], "anonymous")) - early
    leaks = [f"{role} {after['roles'][role]['descriptors'] - sizes['descriptors']:+}"
             for role, sizes in before["roles"].items()
             if after["roles"][role]["descriptors"] != sizes["descriptors"]]
    sums = equal_sums(counted, totals)
    flat = growth <= BOUND_MIB * MIB
    return [
        {"when": f"flat within {BOUND_MIB:.0f} MiB", "result": "yes" if flat else f"{growth / MIB:.1f} MiB"},
        {"when": "no descriptor left", "result": ", ".join(leaks) or "yes"},
        {"when": "sums equal", "result": "; ".join(sums) or "yes"},
    ]
