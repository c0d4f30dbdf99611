"""The programs of one run: bare ones, Sluice, peers; all on loopback of one namespace."""

import os
import shlex
import statistics

from runner import cpu
from support import config as cfg
from support import proc
from support.lab import Box
from support.paths import BUILD
from support.router import Router
from support.wait import wait_until

BARE = BUILD / "perf/system/bare"
LOAD = BUILD / "perf/system/socks_load"
FIRST_BARE_PORT = 17800
PROGRAM_CPU, LOAD_CPU = 0, (os.cpu_count() or 1) - 1


class Program:
    """A proxy under load: its port and how to find its processes."""

    def __init__(self, name, port, root_pid):
        self.name, self.port, self._root = name, port, root_pid

    def pids(self):
        return cpu.tree(self._root)

    def memory(self):
        """Sums over all processes, in bytes: Rss, Pss, Anonymous, private pages."""
        sizes = [proc.rollup(pid) for pid in self.pids()]
        return {
            "rss": sum(size["Rss"] for size in sizes),
            "pss": sum(size["Pss"] for size in sizes),
            "anonymous": sum(size["Anonymous"] for size in sizes),
            "private": sum(size["Private_Dirty"] + size["Private_Clean"] for size in sizes),
            "processes": len(sizes),
        }


class Lineup:
    """Starts everything, keeps it for the block, stops it."""

    def __init__(self, peers, bare_kinds, pin, words=()):
        """`words` go in front of each program: the limits it runs under. They pin it, too."""
        self._peers, self._bare, self._pin, self._words = peers, bare_kinds, pin or words, words
        self._box, self._router = Box(), None
        self.programs = []

    def __enter__(self):
        self.ns = self._box.__enter__().ns
        try:
            for index, kind in enumerate(self._bare):
                port = FIRST_BARE_PORT + index
                self._start(f"bare {kind}", [BARE, kind, "--port", port], port)
            self._start_sluice()
            for name, command, port in self._peers:
                self._start(name, shlex.split(command), port)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self._router is not None:
            self._router.stop()
        self._box.__exit__()

    def _pinned(self):
        return self._words or (["taskset", "-c", PROGRAM_CPU] if self._pin else [])

    def _start(self, name, command, port):
        process = self.ns.popen(*self._pinned(), *command)
        self._add(name, port, process.pid)

    def _start_sluice(self):
        self._router = Router(self.ns, cfg.base(), wrap=map(str, self._pinned()))
        self._router.start()
        self._add("sluice", cfg.MIXED, self._router.process.pid)

    def _add(self, name, port, pid):
        def listening():
            return self.ns.run("ss", "-Hltn", f"sport = :{port}").stdout.strip()

        wait_until(listening, 15, f"{name} listens on {port}")
        self.programs.append(Program(name, port, pid))

    def load_command(self, kind, program, *words):
        pin = ["--cpu", LOAD_CPU] if self._pin else []
        return [LOAD, kind, "--proxy", program.port, *words, *pin]


def median(values):
    return statistics.median(values)
