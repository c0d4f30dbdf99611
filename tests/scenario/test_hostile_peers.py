"""Peers that are slow, deaf, silent or very many: memory is bounded, others are served meanwhile, and
everything comes back."""

import json
import socket
import struct
import sys
import threading
import time
from pathlib import Path

import pytest

from support import config as cfg
from support import proc
from support.servers import Scripted, TcpEcho, TcpSource
from support.socks import CONNECT, pack_address
from support.traffic import GIB, assert_echoes, receive_exactly
from support.wait import wait_until
from support.ways import open_tcp

BURST = Path(__file__).parents[1] / "support/burst.py"
MIB = 1 << 20
DEAF = 40
# Both out-queues of a flow hold about one read, 128 KiB: 40 flows each way. Sockets' own buffers are
# the kernel's.
DEAF_BOUND = 24 * MIB
HANDSHAKE_S = 10  # docs: a client that has not said what it wants by then is closed
SILENT = 400
SYNS = 3000
MANY, AT_ONCE = 10_000, 3_000
# A ping-pong flow beside all those, on a machine that has two cores for both ends and the router.
PING_P99_S, PING_WORST_S = 0.3, 1.5
FEWEST_PINGS = 100


def files(router):
    return len(proc.open_files(router.pid("dataplane")))


def resident(router):
    return proc.rollup(router.pid("dataplane"))["Rss"]


def expect_files(router, count, seconds=15):
    wait_until(lambda: files(router) == count, seconds, f"{count} descriptors as at the start", every=0.2)


class PingPong:
    """One byte to and fro until finish(); how long each turn took."""

    def __init__(self, sock):
        self.sock, self.times = sock, []
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stop.wait(0.005):
            begun = time.monotonic()
            assert_echoes(self.sock, b"p")
            self.times.append(time.monotonic() - begun)

    def finish(self):
        wait_until(lambda: len(self.times) >= FEWEST_PINGS, 15, "the flow moves")
        self._stop.set()
        self._thread.join(15)
        assert not self._thread.is_alive(), "the flow stopped moving"
        return sorted(self.times)


def assert_prompt(times):
    p99 = times[len(times) * 99 // 100]
    assert p99 <= PING_P99_S and times[-1] <= PING_WORST_S, f"p99 {p99:.3f} s, worst {times[-1]:.3f} s"


def test_one_byte_at_a_time_both_ways(box, start):
    start(box.ns, cfg.base())
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        with box.ns.connect("127.0.0.1", cfg.MIXED) as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            target = pack_address("127.0.0.1", echo.port)
            for text, answer in ((b"\x05\x01\x00", 2), (bytes([5, CONNECT, 0]) + target, 10)):
                for byte in text:
                    sock.sendall(bytes([byte]))
                    time.sleep(0.005)
                receive_exactly(sock, answer)
            for byte in bytes(range(256)) * 2:
                assert_echoes(sock, bytes([byte]))


@pytest.mark.parametrize("deaf", ["clients", "servers"])
def test_those_who_never_read_hold_little_memory(box, start, deaf):
    router = start(box.ns, cfg.base())
    let_go = threading.Event()
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo, \
            TcpSource(box.ns.listen("127.0.0.1"), GIB) as source, \
            Scripted(box.ns.listen("127.0.0.1"), lambda _sock: let_go.wait()) as sink:
        open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port).close()
        time.sleep(1.5)
        before, memory = files(router), resident(router)
        port = source.port if deaf == "clients" else sink.port
        flows = [open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", port) for _ in range(DEAF)]
        for sock in flows if deaf == "servers" else []:
            sock.setblocking(False)
            fill(sock)
        with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port) as other:
            ping = PingPong(other)
            time.sleep(3)
            held = resident(router) - memory
            assert held <= DEAF_BOUND, f"{held / MIB:.1f} MiB for {DEAF} flows"
            assert_prompt(ping.finish())
        for sock in flows:
            sock.close()
        let_go.set()
        expect_files(router, before)
        wait_until(lambda: resident(router) - memory <= 4 * MIB, 10, "memory comes back", every=0.2)


def fill(sock):
    """Writes until the socket has taken nothing for a while."""
    block, quiet = bytes(256 * 1024), 0
    while quiet < 5:
        try:
            sock.send(block)
            quiet = 0
        except BlockingIOError:
            quiet += 1
            time.sleep(0.01)


def test_silent_clients_are_closed_and_disturb_nobody(box, start):
    router = start(box.ns, cfg.base())
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port) as sock:
            before = files(router)
            ping = PingPong(sock)
            begun = time.monotonic()
            silent = [box.ns.connect("127.0.0.1", cfg.MIXED, limit=HANDSHAKE_S + 10)
                      for _ in range(SILENT)]
            for index, client in enumerate(silent):
                if index % 2:
                    client.sendall(b"\x05")  # and no more
            wait_until(lambda: files(router) >= before + SILENT, 5, "all are in")
            assert all(client.recv(1) == b"" for client in silent)
            assert HANDSHAKE_S - 1 <= time.monotonic() - begun <= HANDSHAKE_S + 5
            expect_files(router, before)
            assert_prompt(ping.finish())


def syn(source, port):
    """A SYN from `source` to 127.0.0.1 as a raw IPv4 packet; the kernel fills in IP's own checksum."""
    pseudo = socket.inet_aton(source) + socket.inet_aton("127.0.0.1") + struct.pack("!BBH", 0, 6, 20)
    head = struct.pack("!HHIIBBHHH", 1024 + hash(source) % 60000, port, 1, 0, 5 << 4, 2, 64240, 0, 0)
    words = struct.unpack("!16H", pseudo + head)
    total = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    tcp = head[:16] + struct.pack("!H", ~total & 0xFFFF) + head[18:]
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40, 0, 0, 64, 6, 0,
                     socket.inet_aton(source), socket.inet_aton("127.0.0.1"))
    return ip + tcp


def test_half_open_connections_cost_the_router_nothing(box, start):
    """SYNs whose answers nobody takes: the kernel's table, and cookies when that is full."""
    router = start(box.ns, cfg.base())
    box.ns.ip("route", "add", "10.9.0.0/16", "dev", "lo")
    raw = box.ns.inside(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW))
    with raw, TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port) as sock:
            before, ping = files(router), PingPong(sock)
            for i in range(SYNS):
                raw.sendto(syn(f"10.9.{i // 250}.{i % 250 + 1}", cfg.MIXED), ("127.0.0.1", 0))
            waiting = box.ns.run("ss", "-Htan", "state", "syn-recv").stdout.splitlines()
            assert len(waiting) > 100, "the packets arrived"
            begun = time.monotonic()
            with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port) as late:
                assert_echoes(late)
            assert time.monotonic() - begun < 5, "who means it gets in"
            expect_files(router, before)
            assert_prompt(ping.finish())


@pytest.mark.limit(120)
def test_ten_thousand_connections_at_once(box, start):
    router = start(box.ns, cfg.base())
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port) as sock:
            time.sleep(1.5)
            before, memory, ping = files(router), resident(router), PingPong(sock)
            told = json.loads(box.ns.run(sys.executable, "-B", BURST, cfg.MIXED, MANY, AT_ONCE,
                                         limit=90).stdout)
            assert (told["done"], told["failed"]) == (MANY, 0), told
            print(f"{MANY / told['seconds']:.0f} connections/s")
            assert_prompt(ping.finish())
            expect_files(router, before)
            wait_until(lambda: resident(router) - memory <= 8 * MIB, 15, "memory comes back", every=0.2)
    wait_until(lambda: not router.flows(), 5, "no flow is left")
