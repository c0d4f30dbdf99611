"""Google Benchmark programs under build/perf/micro."""

import json
import subprocess

from support.paths import BUILD

# The same work elsewhere: row of the list of known figures, what it costs there, and on which machine. Machines
# differ: a figure from another one says what order to expect, not who is faster.
ELSEWHERE = {
    "rule-files/export_prefixes/10000": "36: 230 -> 53.9 us (5900X)",
    "rule-index/short_name/100000": "45: 167 -> 56.3 ns (5900X)",
    "rule-index/touching_miss/100000": "46: 84.6 -> 12.9 ns (5900X)",
    "rule-match/default_rule": "50: 23.0 -> 20.1 ns (5900X)",
    "rule-index/address_lookup/v4_miss/100000": "64: 2.385 ms -> 115 ns (5900X)",
}


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
    elsewhere = ELSEWHERE.get(f"{row['program']}/{row['benchmark']}")
    if elsewhere:
        row["elsewhere"] = elsewhere
    return row
