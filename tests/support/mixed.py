"""Mixed traffic through a router that is reloaded meanwhile, and what the router holds.

    mixed_load.py ── mixed port ── router ──┬── DIRECT ───────────── servers (mixed_load.py)
                                            └── node ── ss-server ──┘

Which server is reached through the node changes with every reload.
"""

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from support import config as cfg
from support import proc
from support.netns import end_process
from support.router import Router
from support.wait import wait_until

PROGRAM = Path(__file__).with_name("mixed_load.py")
NODE_PORT, PASSWORD = 18388, "test-password"
FILLER_RULES = 300
# A few per cent of one core for all programs together.
MODERATE = {
    "servers": 2, "bulk_per_s": 0.5, "bulk_size": 4_000_000, "short_per_s": 12, "resets_per_s": 2,
    "idle": 40, "associations": 3,
}
F_GETPIPE_SZ = 1032


class MixedTraffic:
    """Owns the router, the node and the load, inside `namespace`."""

    def __init__(self, namespace, load=None):
        self.ns, self.reloads = namespace, 0
        self._options = {**MODERATE, "proxy": cfg.MIXED, **(load or {})}
        self.router = self._load = None

    def __enter__(self):
        self.ns.popen("ss-server", "-s", "127.0.0.1", "-p", NODE_PORT, "-k", PASSWORD,
                      "-m", "aes-128-gcm", "-u")
        self._load = subprocess.Popen(
            self.ns.wrap([sys.executable, "-B", PROGRAM, json.dumps(self._options)]),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._ports = json.loads(self._load.stdout.readline())["ports"]
        self.router = Router(self.ns, self._config())
        try:
            self.router.start()
        except BaseException:
            end_process(self._load)
            raise
        return self

    def __exit__(self, kind, *_):
        end_process(self._load)
        self.router.stop(clean=kind is None)

    def _config(self):
        """Rules of this generation: some of them new, and another server behind the node."""
        far = self._ports[self.reloads % len(self._ports)]
        filler = [f"DOMAIN-SUFFIX,host{i}.gen{self.reloads}.test,DIRECT" for i in range(FILLER_RULES)]
        node = cfg.ss_node("node", "127.0.0.1", NODE_PORT, password=PASSWORD)
        return cfg.base([*filler, f"DST-PORT,{far},node", "MATCH,DIRECT"], proxies=[node])

    def begin(self):
        self._say()

    def reload(self):
        self.reloads += 1
        self.router.apply(self._config())

    def end(self):
        """Clients finish; returns what both ends counted."""
        self._say()
        return json.loads(self._load.stdout.readline())

    def _say(self):
        self._load.stdin.write("\n")
        self._load.stdin.flush()

    def wait_closed(self, seconds=10):
        wait_until(lambda: not self.router.flows(), seconds, "every flow is closed", every=0.2)

    def totals(self):
        """What the router has counted, as its commands show it."""
        wait = 2.5  # counters reach the control plane about once a second
        time.sleep(wait)
        flows, status = self.router.json("flows"), self.router.status()
        return {
            "flows": {"up": flows["uploadTotal"], "down": flows["downloadTotal"]},
            "status": {"up": status["uploadTotal"], "down": status["downloadTotal"]},
        }

    def sample(self):
        """What every process holds now. Sizes in bytes."""
        # Before any question: the connection of one that was just answered is still being closed.
        roles = {role: _of_process(pid) for role, pid in self.router.pids().items()}
        return {"when": time.monotonic(), "flows": len(self.router.flows()), "roles": roles}


def _of_process(pid):
    sizes, files = proc.rollup(pid), proc.open_files(pid)
    return {
        "rss": sizes["Rss"], "pss": sizes["Pss"], "anonymous": sizes["Anonymous"],
        "descriptors": len(files), "pipe_bytes": _pipe_bytes(pid),
    }


def _pipe_bytes(pid):
    """Capacity of all pipes of a process, each counted once."""
    seen = {}
    for entry in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{entry}"
        try:
            target = os.readlink(path)
            if not target.startswith("pipe:") or target in seen:
                continue
            again = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            continue  # closed meanwhile
        try:
            seen[target] = fcntl.fcntl(again, F_GETPIPE_SZ)
        finally:
            os.close(again)
    return sum(seen.values())


def equal_sums(counted, totals):
    """What does not add up; empty when everything does. Datagrams may be lost, and are counted."""
    problems = []
    if counted["failed"]:
        problems.append(f"{counted['failed']} failures: {counted['failures']}")
    clients, servers = counted["clients"], counted["servers"]
    if clients != servers:
        problems.append(f"clients {clients}, servers {servers}")
    both = {way: clients["tcp"][way] + clients["udp"][way] for way in ("up", "down")}
    for name, total in totals.items():
        if total != both:
            problems.append(f"clients {both}, sluice {name} {total}")
    return problems


def grown(first, last, role, key):
    return last["roles"][role][key] - first["roles"][role][key]
