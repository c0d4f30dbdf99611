"""Every kind of traffic at once while rules change: sums are equal, memory is flat, nothing leaks."""

import time

import pytest

from support.mixed import MixedTraffic, equal_sums, grown

MIB = 1 << 20
RELOADS, EVERY_S = 7, 10
REST_S = 4  # idle pages and pipes go back once a second
FLAT = 4 * MIB


@pytest.mark.limit(180)
def test_mixed_traffic_with_a_reload_each_ten_seconds(box):
    with MixedTraffic(box.ns) as traffic:
        time.sleep(REST_S)
        before, samples = traffic.sample(), []
        traffic.begin()
        for _ in range(RELOADS):
            time.sleep(EVERY_S)
            traffic.reload()
            samples.append(traffic.sample())
        counted = traffic.end()
        traffic.wait_closed()
        totals = traffic.totals()
        time.sleep(REST_S)
        after = traffic.sample()
    assert all(counted["done"][kind] > 0 for kind in ("bulk", "short", "reset", "idle", "datagrams"))
    assert not equal_sums(counted, totals)
    for role in before["roles"]:
        assert grown(samples[1], samples[-1], role, "anonymous") <= FLAT, role
        assert grown(before, after, role, "descriptors") == 0, role
        # Two small pipes may be kept for the next bulk flow.
        assert grown(before, after, role, "pipe_bytes") <= MIB, role
