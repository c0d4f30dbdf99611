"""A small flow beside bulk: does it still get its turn?"""

import json

from runner.programs import median

BULK = (0, 8)


def run(lineup, options):
    """For each program a row without and one with bulk flows beside; medians of the interleaved rounds."""
    samples = {(program.name, bulk): [] for program in lineup.programs for bulk in BULK}
    for _ in range(options.rounds):
        for program in lineup.programs:
            for bulk in BULK:
                command = lineup.load_command(
                    "latency", program, "--flows", bulk, "--seconds", options.seconds
                )
                samples[program.name, bulk].append(json.loads(lineup.ns.run(*command, limit=120).stdout))
    rows = []
    for (name, bulk), found in samples.items():
        row = {"program": name, "bulk flows": bulk}
        for key in ("p50_us", "p99_us"):
            row[key.replace("_us", " us")] = median(sample[key] for sample in found)
        alone = next((r for r in rows if r["program"] == name), row)
        row["p99 x alone"] = row["p99 us"] / alone["p99 us"]
        rows.append(row)
    return rows
