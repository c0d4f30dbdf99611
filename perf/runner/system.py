"""System benchmarks: one kind of work for every program of a line-up, interleaved."""

import json
import subprocess
import time
from dataclasses import dataclass

from runner.cpu import Meter
from runner.programs import median

HELD = {"memory": (100, 1000), "memory-9000": (9000,)}


@dataclass(frozen=True)
class Benchmark:
    """kind and words go to socks_load; cost is CPU x scale / result[per]."""

    kind: str
    words: tuple
    per: str
    scale: float
    unit: str
    bare: tuple


NS, US = 1e9, 1e6
BENCHMARKS = {
    "relay-download": Benchmark("download", (), "bytes", NS, "ns/byte", ("splice", "copy")),
    "relay-upload": Benchmark("upload", (), "bytes", NS, "ns/byte", ("splice", "copy")),
    "relay-8": Benchmark("download", ("--flows", 8), "bytes", NS, "ns/byte", ("splice", "copy")),
    "connections": Benchmark("connections", ("--flows", 4, "--count", 4000), "connections", US,
                             "us/connection", ("splice", "copy")),
    "udp-64": Benchmark("udp", ("--flows", 4, "--count", 64, "--window", 16), "packets", US,
                        "us/packet", ("udp",)),
    "udp-1200": Benchmark("udp", ("--flows", 4, "--count", 1200, "--window", 16), "packets", US,
                          "us/packet", ("udp",)),
    # Bare has no offload: what UDP_SEGMENT and UDP_GRO save is the difference.
    "udp-bulk": Benchmark("udp-bulk", ("--flows", 2, "--count", 1200, "--window", 128), "packets",
                          US, "us/packet", ("udp",)),
    "udp-64-w1": Benchmark("udp", ("--flows", 4, "--count", 64, "--window", 1), "packets", US,
                           "us/packet", ("udp",)),
}


def bare_kinds(name):
    return BENCHMARKS[name].bare if name in BENCHMARKS else ("splice", "copy")


def run(name, lineup, options):
    """Rows: median CPU for each unit, its ratio to the cheapest bare row, ksoftirqd, rate."""
    benchmark = BENCHMARKS[name]
    samples = {program.name: [] for program in lineup.programs}
    for turn in range(-1, options.rounds):
        for program in lineup.programs:
            sample = _once(benchmark, lineup, program, options.seconds if turn >= 0 else 0.5)
            if turn >= 0:  # the first round warms up
                samples[program.name].append(sample)
    rows = [{"program": program, **_summary(benchmark, found)}
            for program, found in samples.items()]
    floor = min(row[benchmark.unit] for row in rows if row["program"].startswith("bare"))
    for row in rows:
        row["x bare"] = row[benchmark.unit] / floor
    return rows


def _once(benchmark, lineup, program, seconds):
    command = lineup.load_command(
        benchmark.kind, program, *benchmark.words, "--seconds", seconds
    )
    with Meter(program.pids()) as meter:
        output = lineup.ns.run(*command, limit=120).stdout
    result = json.loads(output)
    units = result[benchmark.per]
    return {
        "cost": meter.used * benchmark.scale / units,
        "softirq": meter.softirq * benchmark.scale / units,
        "rate": units / result["seconds"],
        "lost": result.get("lost", 0),
    }


def _summary(benchmark, samples):
    row = {
        benchmark.unit: median(sample["cost"] for sample in samples),
        "ksoftirqd": median(sample["softirq"] for sample in samples),
        "spread": max(s["cost"] for s in samples) - min(s["cost"] for s in samples),
    }
    rate = median(sample["rate"] for sample in samples)
    if benchmark.per == "bytes":
        row["Gbit/s"] = rate * 8 / 1e9
    else:
        row[f"{benchmark.per}/s"] = rate
    if benchmark.per == "packets":
        row["lost"] = sum(sample["lost"] for sample in samples)
    return row


def memory(name, lineup, options):
    """Rows for each program: idle, with held flows, and some time after they closed."""
    rows = []
    for program in lineup.programs:
        idle = program.memory()
        rows.append(_memory_row(program, "idle", idle))
        for count in HELD[name]:
            held = _held(lineup, program, count)
            row = _memory_row(program, f"{count} held", held)
            for key in ("private", "anonymous"):
                row[f"{key} KiB/flow"] = (held[key] - idle[key]) / count / 1024
            rows.append(row)
        time.sleep(options.after_close)
        rows.append(_memory_row(program, f"{options.after_close:.0f} s after", program.memory()))
    return rows


def _held(lineup, program, count):
    command = lineup.load_command("hold", program, "--count", count)
    load = subprocess.Popen(
        lineup.ns.wrap(["prlimit", "--nofile=20000:20000", *command]),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )
    try:
        assert json.loads(load.stdout.readline())["held"] == count
        time.sleep(1)
        return program.memory()
    finally:
        load.communicate("close\n", timeout=60)


def _memory_row(program, when, sizes):
    mib = 1 << 20
    return {
        "program": program.name, "when": when, "processes": sizes["processes"],
        "RSS MiB": sizes["rss"] / mib, "PSS MiB": sizes["pss"] / mib, "anonymous MiB": sizes["anonymous"] / mib,
        "private MiB": sizes["private"] / mib,
    }
