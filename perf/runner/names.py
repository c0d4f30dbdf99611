"""What 100,000 names, or prefixes, cost a start and in memory, over the same router without them.

    start ── `sluice run` ──> mixed port opens ──> the first flow is decided, by the last entry

Each round starts every router twice: the first time nothing is in the cache, the second time all is.
A port that opens before its rules are right would let the flow through: that fails the run.
"""

import shutil
import socket
import tempfile
import time
from pathlib import Path
from random import Random
from string import ascii_lowercase

from runner import memory
from runner.programs import median
from support import config as cfg
from support.lab import Box
from support.netns import end_process
from support.router import STOP_LIMIT_S, Router
from support.socks import CONNECT, Refused, hello5, request5

COUNT = 100_000
PROBE_NAME, PROBE_ADDRESS = "a.probe.test", "127.9.9.9"
REFUSED_BY_RULE = 2  # RFC 1928, section 6
PAUSE_S, LIMIT_S, SETTLE_S = 0.0005, 20.0, 5.0
MIB = 1 << 20


def names():
    """Names in the shape of perf/micro: "kqwzrt.com", 13 bytes in the middle."""
    random = Random(7)
    tops = ("com", "net", "org", "test", "co.example", "io")
    found = {"probe.test": None}
    while len(found) < COUNT:
        label = "".join(random.choices(ascii_lowercase, k=random.randint(4, 12)))
        found[f"{label}.{random.choice(tops)}"] = None
    return "".join(f"+.{name}\n" for name in reversed(found))


def prefixes():
    """Disjoint v4 networks of 16 to 256 addresses, none beside its neighbour."""
    lines, at = [], 0x01000000
    for number in range(COUNT - 1):
        length = 24 + number * 7 % 5
        lines.append(f"{at >> 24}.{at >> 16 & 255}.{at >> 8 & 255}.{at & 255}/{length}")
        at += 0x400 if at >> 24 != 126 else 0x03000000  # not 127/8
    return "\n".join([*lines, f"{PROBE_ADDRESS}/32", ""])


def _with_set(behavior):
    provider = {"type": "file", "behavior": behavior, "format": "text", "path": "set.txt"}
    return cfg.base(["RULE-SET,set,REJECT,no-resolve", "MATCH,DIRECT"],
                    **{"rule-providers": {"set": provider}})


def _without(line):
    return cfg.base([line, "MATCH,DIRECT"])


def run(options):
    """A row for each kind of start: time to the first decision, memory of all processes."""
    text = {"domain": names(), "ipcidr": prefixes()}
    cases = {
        "no names": (_without("DOMAIN-SUFFIX,probe.test,REJECT"), {}, PROBE_NAME),
        f"{COUNT:,} names": (_with_set("domain"), {"set.txt": text["domain"]}, PROBE_NAME),
        f"{COUNT:,} v4 prefixes": (_with_set("ipcidr"), {"set.txt": text["ipcidr"]}, PROBE_ADDRESS),
    }
    samples = {}
    for turn in range(-1, options.rounds):
        for name, (config, files, probe) in cases.items():
            found = _twice(config, files, probe)
            if turn >= 0:  # the first round warms up
                for kind, sample in found.items():
                    samples.setdefault((name, kind), []).append(sample)
    return _rows(samples)


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
    router.wait_ready()
    time.sleep(SETTLE_S)
    return {"ms": took * 1e3, **memory.of_router(router)}


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
        held = {part: size / MIB for part, size in parts.items() if part != "ms"}
        row = {"what": name, "start": kind, "first decision ms": parts["ms"],
               "ms more": parts["ms"] - floor["ms"], "memory MiB": sum(held.values())}
        row["MiB more"] = row["memory MiB"] - sum(v for p, v in floor.items() if p != "ms") / MIB
        rows.append({**row, **held})
    return rows
