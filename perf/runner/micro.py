"""Google Benchmark programs under build/perf/micro."""

import json
import os
import subprocess

from runner import seed_rows
from support.paths import BUILD


def run(options, words=()):
    """One row for each benchmark: the median of the repetitions. `words` go in front of each program."""
    programs = sorted((BUILD / "perf/micro").glob("bench-*"))
    rows = []
    for program in (p for p in programs if p.is_file()):
        output, peak = _output(
            [*words, program, "--benchmark_format=json", f"--benchmark_repetitions={options.rounds}",
             "--benchmark_report_aggregates_only=true"]
        )
        for found in json.loads(output)["benchmarks"]:
            if found.get("aggregate_name") == "median":
                rows.append({**_row(program.name, found), "peak RSS MiB": peak})
    return rows


def _output(command):
    """What a program prints, and the most it had resident, in MiB."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return output, usage.ru_maxrss / 1024


def _row(program, found):
    row = {"program": program.removeprefix("bench-"), "benchmark": found["run_name"],
           "time": found["cpu_time"], "unit": found["time_unit"]}
    known = {"cpu_time", "real_time", "iterations", "repetitions", "threads", "family_index",
             "per_family_instance_index", "repetition_index"}
    for key, value in found.items():
        if isinstance(value, (int, float)) and key not in known:
            row[key] = value
    elsewhere = seed_rows.beside(f"{row['program']}/{row['benchmark']}")
    if elsewhere:
        row["elsewhere"] = elsewhere
    return row
