"""Google Benchmark programs under build/perf/micro."""

import json
import subprocess

from support.paths import BUILD


def run(options):
    """One row for each benchmark: the median of the repetitions."""
    programs = sorted((BUILD / "perf/micro").glob("bench-*"))
    rows = []
    for program in (p for p in programs if p.is_file()):
        result = subprocess.run(
            [program, "--benchmark_format=json", f"--benchmark_repetitions={options.rounds}",
             "--benchmark_report_aggregates_only=true"],
            capture_output=True, text=True, check=True, timeout=900,
        )
        for found in json.loads(result.stdout)["benchmarks"]:
            if found.get("aggregate_name") == "median":
                rows.append(_row(program.name, found))
    return rows


def _row(program, found):
    row = {"program": program.removeprefix("bench-"), "benchmark": found["run_name"],
           "time": found["cpu_time"], "unit": found["time_unit"]}
    known = {"cpu_time", "real_time", "iterations", "repetitions", "threads", "family_index",
             "per_family_instance_index", "repetition_index"}
    for key, value in found.items():
        if isinstance(value, (int, float)) and key not in known:
            row[key] = value
    return row
