"""Statistics are exact: their sums equal the payload that the receiving sockets accepted, whatever dies meanwhile.

    clients ── SOCKS5 ── router ── Counting server      up: bytes the server read, down: bytes the clients read
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import socket
import struct
import termios
import threading
import time

import pytest

from support import config as cfg
from support.netns import end_process
from support.paths import SLUICE
from support.router import STOP_LIMIT_S
from support.servers import Scripted, Server
from support.wait import wait_until
from support.ways import open_tcp

# A killed data plane may lose its last second (design section 4); reading and storing come on top.
STORED_WITHIN_S = 5.0
MOST_MISSING_S = 1.0


class Counting(Server):
    """Answers each stream with `reply` bytes and counts what it reads."""

    def __init__(self, listener, reply):
        self.reply, self.read, self._lock = reply, 0, threading.Lock()
        super().__init__(listener)

    def serve(self, sock):
        while data := sock.recv(65536):
            with self._lock:
                self.read += len(data)
        sock.sendall(bytes(self.reply))
        sock.shutdown(socket.SHUT_WR)


class Clients:
    """Threads that each send `size` bytes, end their stream and read to the end, again and again."""

    def __init__(self, box, port, size, count=4):
        self.read = self.flows = 0
        self._lock, self._end = threading.Lock(), threading.Event()
        self._box, self._port, self._size = box, port, size
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def _run(self):
        while not self._end.is_set():
            with open_tcp("socks5", self._box.ns, cfg.MIXED, "127.0.0.1", self._port) as sock:
                sock.sendall(bytes(self._size))
                sock.shutdown(socket.SHUT_WR)
                got = 0
                while data := sock.recv(65536):
                    got += len(data)
            with self._lock:
                self.read += got
                self.flows += 1

    def finish(self):
        self._end.set()
        for thread in self._threads:
            thread.join(20)
            assert not thread.is_alive()


def totals(router, *words):
    found = router.json("stats", *words)
    return found["upload"], found["download"], found["flows"]


def expect(router, up, down, flows):
    def equal():
        return totals(router, "--by", "outbound") == (up, down, flows)

    try:
        wait_until(equal, STORED_WITHIN_S, "the sums are equal")
    except AssertionError:
        assert totals(router, "--by", "outbound") == (up, down, flows)
    for side in ("client", "host", "rule", "user", "network", "hour"):
        assert totals(router, "--by", side) == (up, down, flows), side
    assert totals(router, "--by", "host", "--since", "2d") == (up, down, flows)


def restart(router, role, number):
    dead = router.signal(role, number)
    router.wait_restarted(role, dead)
    router.wait_ready()


@pytest.mark.limit(150)
def test_sums_equal_the_payload_across_deaths_of_the_control_plane_and_clean_restarts(box, start):
    router = start(box.ns, cfg.base())
    with Counting(box.ns.listen("127.0.0.1"), 30_000) as server:
        clients = Clients(box, server.port, 70_001)
        for _ in range(4):
            time.sleep(1.2)
            restart(router, "controlplane", signal.SIGKILL)
        restart(router, "controlplane", signal.SIGTERM)
        time.sleep(1)
        clients.finish()
        assert clients.flows > 20
        expect(router, server.read, clients.read, clients.flows)

        restart(router, "dataplane", signal.SIGTERM)
        expect(router, server.read, clients.read, clients.flows)
        more = Clients(box, server.port, 5_000)
        time.sleep(1)
        more.finish()
        # At once: what was counted last must not be lost by a stop.
        end_process(router.process, STOP_LIMIT_S)
        router.start()
        expect(router, server.read, clients.read + more.read, clients.flows + more.flows)
        assert router.json("stats")["gaps"] == []


@pytest.mark.limit(120)
def test_a_killed_data_plane_loses_at_most_a_second_and_leaves_a_gap(box, start):
    router = start(box.ns, cfg.base())
    accepted = []  # (when, bytes) as the server read them

    def read_all(sock):
        while data := sock.recv(65536):
            accepted.append((time.monotonic(), len(data)))

    with Scripted(box.ns.listen("127.0.0.1"), read_all) as server:
        with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", server.port) as sock:
            end = time.monotonic() + 4
            try:
                while time.monotonic() < end:
                    sock.sendall(bytes(10_000))
                    time.sleep(0.02)
                dead = router.kill("dataplane")
                killed = time.monotonic()
            except OSError:
                pytest.fail("the flow ended before the data plane did")
        router.wait_restarted("dataplane", dead)
        router.wait_ready()
        stored = wait_until(lambda: router.json("stats")["gaps"], STORED_WITHIN_S, "a gap")
        counted = totals(router)[0]
        total = sum(size for _, size in accepted)
        late = sum(size for at, size in accepted if at > killed - MOST_MISSING_S)
        assert total - late <= counted <= total
        assert len(stored) == 1
        assert stored[0]["from"] < stored[0]["until"]
        assert "gap: at most one second is missing" in router.cli("stats").stdout


def test_flows_are_filtered_and_memory_is_shown(box, start):
    router = start(box.ns, cfg.base(["DST-PORT,1,REJECT", "MATCH,DIRECT"]))

    def hold(sock):
        while sock.recv(65536):
            pass

    with Scripted(box.ns.listen("127.0.0.1"), hold) as server:
        with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", server.port):
            def count(*words):
                return len(router.json("flows", *words)["connections"])

            wait_until(lambda: count() == 1, 3, "the flow is there")
            assert count("--client", "127.0.0.0/8") == 1
            assert count("--client", "192.0.2.1") == 0
            assert count("--outbound", "DIRECT", "--rule", "MATCH", "--host", "127.0.0.1") == 1
            assert count("--outbound", "REJECT") == 0
            assert count("--min-rate", "1K") == 0
            pools = {(p["plane"], p["name"]): p for p in router.json("memory")["pools"]}
            assert pools["dataplane", "flow-records"]["items"] == 1
            assert pools["dataplane", "budget"]["bound"] > 0
            assert pools["controlplane", "dns-cache"]["whenFull"] == "evicts"
    table = router.cli("memory").stdout
    assert "WHEN FULL" in table and "slices" in table
    rows = router.cli("stats", "--by", "rule", "--csv").stdout.splitlines()
    assert rows[0] == "rule,upload,download,flows"


def read_to_the_end(sock):
    try:
        while sock.recv(65536):
            pass
    except OSError:
        pass  # the test is over


class Terminal:
    """`sluice top` in a pseudo-terminal of 100 x 24."""

    def __init__(self, router, *words):
        self.screen = b""
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.process = router.ns.popen(
            SLUICE, "--run-dir", router.run_dir, "top", *words, stdin=slave, stdout=slave,
            stderr=slave, start_new_session=True,
        )

    def type(self, keys):
        os.write(self.master, keys)

    def read(self):
        while select.select([self.master], [], [], 0.05)[0]:
            try:
                self.screen += os.read(self.master, 65536)
            except OSError:
                break
        return self.screen.decode(errors="replace")

    def wait_for(self, pattern, limit=6):
        return wait_until(lambda: re.search(pattern, self.read(), re.S), limit, pattern)

    def end(self, limit=3):
        status = self.process.wait(limit)
        self.read()
        assert termios.tcgetattr(self.slave)[3] == self.before[3], "the terminal is as it was"
        assert self.screen.endswith(b"\x1b[?25h\x1b[?1049l"), self.screen[-80:]
        os.close(self.slave)
        os.close(self.master)
        return status


@pytest.mark.parametrize("way", ["q", "ctrl-c", "term", "hup"])
def test_top_is_driven_by_keys_and_leaves_the_terminal_as_it_was(box, start, way):
    router = start(box.ns, cfg.base())

    def drip(sock):
        try:
            while True:
                sock.sendall(bytes(5000))
                time.sleep(0.05)
        except OSError:
            pass

    with Scripted(box.ns.listen("127.0.0.1"), drip) as server:
        with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", server.port) as sock:
            threading.Thread(target=read_to_the_end, args=(sock,), daemon=True).start()
            top = Terminal(router)
            top.wait_for(r"sluice top: 1 flow, up .*KiB/s, by rate")
            top.type(b"t")
            top.wait_for("by total")
            top.type(b"/nowhere\r")
            top.wait_for("0 flows of 1")
            top.type(b"/\x1b")
            top.type(b"p")
            top.wait_for("PAUSED")
            if way == "q":
                top.type(b"q")
            elif way == "ctrl-c":
                top.type(b"\x03")
            else:
                os.kill(top.process.pid, signal.SIGTERM if way == "term" else signal.SIGHUP)
            assert top.end() == 0
            once = json.loads(router.cli("top", "--json").stdout)
            assert len(once["connections"]) == 1
            assert "127.0.0.1" in router.cli("top", "--sort", "age").stdout
