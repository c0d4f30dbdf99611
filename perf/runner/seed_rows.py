"""Rows of the list of known figures, beside the benchmarks that do the same work.

Each: benchmark -> (row, what was measured there, its figure, where). Machines differ: a figure from another one says
what order to expect, not who is faster.
"""

M1, M2, M3, M4 = "5900X, Linux", "5900X", "5825U", "5825U, a quarter of one CPU"

ROWS = {
    "flow-life/life/tcp": [
        (49, "TCP tracker, life", "575 -> 258 ns, 8 -> 3 allocs", M2),
        (37, "default TCP tracker", "308 -> 295 ns, 3 allocs", M2),
        (29, "TCP tracker with traffic control", "2468 -> 850 ns, 18 -> 9 allocs", M2),
    ],
    "flow-life/counter_update": [(48, "upload counter, increment", "3.56 -> 1.74 ns", M2)],
    "flow-life/deadline_refresh": [(28, "deadline, refresh", "172 -> 61.6 ns, 2 -> 0 allocs", M2)],
    "flow-life/disabled_log": [
        (58, "disabled debug log", "206 | 2.13 ns", M2),
        (68, "disabled debug log", "228 | 2.25 ns", M3),
        (74, "disabled debug log", "854 | 8.05 ns", M4),
        (93, "disabled debug log", "455 | 2.27 ns", M2),
    ],
    "nat-clients/insert/1000": [
        (53, "insert 1,000 UDP mappings", "348 -> 331 us, 616 KB", M2),
        (65, "insert 1,000 UDP-association mappings", "41.3 ms, 46.4 MB | 486 us, 543 KiB", M2),
    ],
    "nat-clients/known_client/1": [
        (51, "UDP handlePacket", "300 -> 187 ns, 8 -> 2 allocs", M2),
        (57, "UDP metadata", "54.4 | 12.2 ns", M2),
    ],
    "nat-clients/known_client/full/8192": [
        (67, "UDP packet metadata", "70.0 | 12.9 ns", M3),
        (73, "UDP packet metadata", "252 | 48.0 ns", M4),
        (81, "peak RSS, UDP metadata", "53.0 | 53.4 MiB", M4),
        (92, "UDP packet metadata", "152 | 11.9 ns", M2),
    ],
    "nat-clients/lookup/1": [(44, "UDP WriteBack target update", "7.52 -> 3.92 ns", M2)],
    "nat-clients/lookup/1000": [
        (32, "UDP destination lookup", "24.9 -> 17.0 ns", M2),
        (43, "existing NAT flow lookup", "64.3 -> 11.7 ns", M2),
    ],
    "nat-clients/new_client/full": [
        (31, "single-destination UDP mapping", "932 -> 548 ns, 11 -> 7 allocs", M2),
    ],
    "nat-clients/socks/known": [(33, "SOCKS UDP handling", "287 -> 222 ns, 6 -> 3 allocs", M2)],
    "relay/slices/32768/manual_time": [
        (14, "relay 32 KiB", "4.30 -> 4.25 us", M1),
        (55, "shared relay 32 KiB", "3.77 -> 3.96 us", M2),
        (61, "shared relay 32 KiB", "4.04 | 3.92 us", M2),
        (98, "relay 32 KiB, comparison", "10.8 -> 9.33 us", M2),
    ],
    "relay/splice/32768/manual_time": [
        (56, "tunnel TCP relay", "3.90 -> 4.02 us", M2),
        (62, "tunnel TCP relay 32 KiB", "4.08 | 4.02 us", M2),
        (72, "TCP relay 32 KiB", "4.55 | 4.45 us", M3),
        (77, "TCP relay 32 KiB", "17.6 | 16.8 us", M4),
        (97, "TCP relay 32 KiB", "10.0 | 11.4 us", M2),
    ],
    "rule-files/export_prefixes/10000": [(36, "CIDR export 10k", "230 -> 53.9 us", M2)],
    "rule-index/short_name/100000": [(45, "domain set, short name", "167 -> 56.3 ns", M2)],
    "rule-index/touching_miss/100000": [(46, "miss in 100k merged CIDRs", "84.6 -> 12.9 ns", M2)],
    "rule-match/default_rule": [(50, "default-rule match", "23.0 -> 20.1 ns", M2)],
    "rule-index/address_lookup/v4_miss/100000": [
        (64, "miss in 100k disjoint CIDRs", "2.385 ms -> 115 ns", M2),
    ],
}


def beside(benchmark):
    """One text for a benchmark's row of the report, or None."""
    rows = ROWS.get(benchmark)
    if rows is None:
        return None
    return "; ".join(f"{number}: {what} {figure} ({where})" for number, what, figure, where in rows)
