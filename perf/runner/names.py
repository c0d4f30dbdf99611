"""What 100,000 names, or prefixes, cost a start and in memory, over the same router without them.

    start ── `sluice run` ──> mixed port opens ──> the first flow is decided, by the last entry

Each round starts every router twice: the first time nothing is in the cache, the second time all is.
The CPU time of all processes up to that decision tells what a busy machine hides in the time. A port
that opens before its rules are right would let the flow through: that fails the run.
"""

import shutil
import socket
import tempfile
import time
from pathlib import Path

from runner import cpu, memory, set_cases
from runner.programs import median
from support import config as cfg
from support.lab import Box
from support.netns import end_process
from support.router import STOP_LIMIT_S, Router
from support.socks import CONNECT, Refused, hello5, request5

REFUSED_BY_RULE = 2  # RFC 1928, section 6
PAUSE_S, LIMIT_S, SETTLE_S = 0.0005, 20.0, 5.0
MIB = 1 << 20
NOT_HELD = ("ms", "cpu", "peak")


def run(options):
    """A row for each kind of start: time to the first decision, memory of all processes."""
    return _rows(_sampled(set_cases.by_kind(), options.rounds))


def run_collections(options):
    """The same for three large files at once."""
    chosen = {"no set": set_cases.by_kind()["no set"], "three collections": set_cases.collections()}
    return _rows(_sampled(chosen, options.rounds))


def _sampled(chosen, rounds):
    samples = {}
    for turn in range(-1, rounds):
        for name, (config, files, probe) in chosen.items():
            found = _twice(config, files, probe)
            if turn >= 0:  # the first round warms up
                for kind, sample in found.items():
                    samples.setdefault((name, kind), []).append(sample)
    return samples


def _twice(config, files, probe):
    """The samples of a start without cache and of the next one."""
    with Box() as box:
        router = Router(box.ns, config, files=files)
        # On a router /run is memory.
        router.run_dir = Path(tempfile.mkdtemp(prefix="sluice-perf-", dir="/dev/shm"))
        router.run_dir.chmod(0o755)
        try:
            found = {"not cached": _start(router, probe)}
            end_process(router.process, STOP_LIMIT_S)
            found["cached"] = _start(router, probe)
        finally:
            router.stop()
            shutil.rmtree(router.run_dir, ignore_errors=True)
    return found


def _start(router, probe):
    began = time.monotonic()
    router.start(wait=False)
    router.ns.inside(lambda: _until_refused(probe))
    took = time.monotonic() - began
    used = cpu.group_seconds(router.pids().values())
    router.wait_ready()
    time.sleep(SETTLE_S)
    peak = memory.highest(router.pids()["controlplane"])
    return {"ms": took * 1e3, "cpu": used * 1e3, "peak": peak, **memory.of_router(router)}


def _until_refused(host):
    """Asks for `host` until the mixed port is open; then the first answer must be the rule's."""
    end = time.monotonic() + LIMIT_S
    while True:
        with socket.socket() as sock:
            sock.settimeout(LIMIT_S)
            if sock.connect_ex(("127.0.0.1", cfg.MIXED)) == 0:
                return _assert_refused(sock, host)
        assert time.monotonic() < end, "the mixed port does not open"
        time.sleep(PAUSE_S)


def _assert_refused(sock, host):
    try:
        hello5(sock)
        request5(sock, CONNECT, host, 9)
    except Refused as refused:
        assert refused.code == REFUSED_BY_RULE, f"{host} was refused with {refused.code}"
        return
    raise AssertionError(f"{host} went through before its rule was there")


def _rows(samples):
    middle = {
        key: {part: median(sample[part] for sample in found) for part in found[0]}
        for key, found in samples.items()
    }
    rows = []
    for (name, kind), parts in middle.items():
        floor = middle[next(iter(middle))[0], kind]
        row = {"what": name, "start": kind, "first decision ms": parts["ms"],
               "ms more": parts["ms"] - floor["ms"],
               "CPU ms more": parts["cpu"] - floor["cpu"], "memory MiB": _held(parts),
               "MiB more": _held(parts) - _held(floor), "compiler's peak MiB": parts["peak"] / MIB}
        row |= {part: size / MIB for part, size in parts.items() if part not in NOT_HELD}
        if name in set_cases.ELSEWHERE:
            row["elsewhere"] = set_cases.ELSEWHERE[name]
        rows.append(row)
    return rows


def _held(parts):
    return sum(size for part, size in parts.items() if part not in NOT_HELD) / MIB
