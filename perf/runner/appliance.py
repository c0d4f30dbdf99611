"""The whole appliance at rest: capture on, fake-IP on, 1,000 rules, supervisor and helpers included."""

import time

from runner import memory
from support import config as cfg
from support import lab as net
from support import proc
from support.mock_dns import DnsUpstream
from support.paths import CONTROLPLANE, DATAPLANE, NFT_HELPER, SLUICE, SUPERVISOR
from support.router import Router

RULES = 1000
SETTLE_S = 5
MIB = 1 << 20


def rules():
    """60 % names, 20 % prefixes, the rest keywords and ports, as people have them."""
    lines = []
    for number in range(RULES - 1):
        kind = number % 10
        if kind < 6:
            lines.append(f"DOMAIN-SUFFIX,site{number}.test,DIRECT")
        elif kind < 8:
            lines.append(f"IP-CIDR,10.{number // 250}.{number % 250}.0/24,DIRECT,no-resolve")
        elif kind == 8:
            lines.append(f"DOMAIN-KEYWORD,word{number},DIRECT")
        else:
            lines.append(f"DST-PORT,{20000 + number},DIRECT")
    return [*lines, "MATCH,DIRECT"]


def run():
    """One row for each process, one for all, one for the run directory, one for the programs."""
    with net.Lab() as lab, DnsUpstream(lab.wan, net.UPSTREAM4):
        router = Router(lab.router, cfg.gateway(net.UPSTREAM4, rules()))
        try:
            router.start()
            time.sleep(SETTLE_S)
            rows = [_row(role, pid, router.run_dir) for role, pid in router.pids().items()]
            files = memory.of_files(router.run_dir)
        finally:
            router.stop()
    rows.append(_total("all processes", rows))
    rows.append({"what": "files in the run directory", "memory MiB": files / MIB})
    programs = (SLUICE, SUPERVISOR, DATAPLANE, CONTROLPLANE, NFT_HELPER)
    rows.append({"what": "programs on disk", "size MiB": sum(p.stat().st_size for p in programs) / MIB})
    return rows


def _row(role, pid, run_dir):
    return {
        "what": role,
        "PSS MiB": proc.rollup(pid)["Pss"] / MIB,
        "memory MiB": memory.of_process(pid, run_dir) / MIB,
        "threads": int(proc.status(pid)["Threads"]),
    }


def _total(what, rows):
    total = {"what": what}
    for key in ("PSS MiB", "memory MiB", "threads"):
        total[key] = sum(row[key] for row in rows)
    return total

