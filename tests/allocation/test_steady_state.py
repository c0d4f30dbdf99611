"""No allocation per chunk or datagram once a flow runs: counted in the data plane, not believed.

The counter (perf/system/malloc_count.cc) is preloaded into everything that `sluice run` starts; each
process writes its counts into a file of its own, which is read here before and after the load.
"""

import shutil
import struct
import tempfile
import threading
import time
from pathlib import Path

import pytest

from interop.peers import PASSWORD, ss_server
from support import config as cfg
from support.paths import MALLOC_COUNT
from support.servers import Scripted, UdpEcho
from support.socks import Association
from support.traffic import CHUNK, chunks
from support.wait import wait_until
from support.ways import open_tcp

WARM_UP_S = 1.5
LOAD_S = 3.0
WINDOWS = 3
# What a data plane allocates now and then beside the packets: heartbeats and the counters of running
# flows travel over gRPC each second, which allocates for each message, however much was moved. The
# same flow at a trickle measures that, and it is subtracted.
TRICKLE_S = 0.25  # several units in each interval in which counters are reported
SLACK = 20


class Counter:
    """Allocations so far in one process."""

    def __init__(self, folder, pid):
        self._path = folder / f"{pid}.count"
        wait_until(self._path.exists, 2, f"{self._path.name} is there")

    def read(self):
        return struct.unpack("=Q", self._path.read_bytes()[:8])[0]

    def over(self, seconds):
        before = self.read()
        time.sleep(seconds)
        return self.read() - before


@pytest.fixture
def counted(box, start):
    """counted(config) -> (router, counter of the data plane)."""
    folder = Path(tempfile.mkdtemp(prefix="sluice-counts-"))
    folder.chmod(0o777)  # every user's process makes its own file

    def run(config):
        router = start(box.ns, config, env={"LD_PRELOAD": str(MALLOC_COUNT),
                                            "MALLOC_COUNT_FOLDER": str(folder)})
        return router, Counter(folder, router.pid("dataplane"))

    yield run
    shutil.rmtree(folder)


def steady(counter, load):
    """(allocations beyond those of a trickle, units moved) during LOAD_S of a load at full speed.

    What a chunk allocates shows in every window; what happens once (a call to the control plane that
    came late on a busy machine and is opened anew) does not. So a window above SLACK is looked at
    again.
    """
    load.start()
    time.sleep(WARM_UP_S)
    load.pause = TRICKLE_S
    time.sleep(WARM_UP_S)
    trickle = counter.over(LOAD_S)
    load.pause = 0
    time.sleep(WARM_UP_S)
    for _ in range(WINDOWS):
        before = load.moved
        extra = counter.over(LOAD_S) - trickle
        moved = load.moved - before
        if extra <= SLACK:
            break
    load.stop()
    return extra, moved


class Load:
    """A thread that calls move() until stopped; move() returns how many units it moved."""

    def __init__(self, move):
        self._move, self.moved = move, 0
        self.pause = 0  # seconds between two calls
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        self._thread.start()

    def _run(self):
        while not self._stop.wait(self.pause):
            self.moved += self._move()

    def stop(self):
        self._stop.set()
        self._thread.join(10)


def endless_source(sock):
    while True:
        for piece in chunks(64 * CHUNK):
            sock.sendall(piece)


def relay_load(sock):
    room = bytearray(CHUNK)

    def move():
        return sock.recv_into(room)

    return Load(move)


@pytest.mark.parametrize("way", ["socks5", "http"])
def test_relay_between_bare_sockets(box, counted, way):
    _, counter = counted(cfg.base())
    with Scripted(box.ns.listen("127.0.0.1"), endless_source) as source:
        with open_tcp(way, box.ns, cfg.MIXED, "127.0.0.1", source.port) as sock:
            extra, moved = steady(counter, relay_load(sock))
    assert moved > 100 * CHUNK, "the load was real"
    assert extra <= SLACK, f"{extra} allocations for {moved} bytes"


@pytest.mark.parametrize("cipher", cfg.NODE_CIPHERS)
def test_relay_through_shadowsocks(box, counted, cipher):
    ss_server(box.ns, "127.0.0.2", 18388, cipher)
    node = cfg.ss_node("node", "127.0.0.2", 18388, cipher, PASSWORD)
    _, counter = counted(cfg.base(["MATCH,node"], proxies=[node]))
    with Scripted(box.ns.listen("127.0.0.1"), endless_source) as source:
        with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", source.port) as sock:
            extra, moved = steady(counter, relay_load(sock))
    assert moved > 50 * CHUNK
    assert extra <= SLACK, f"{extra} allocations for {moved} bytes"


@pytest.mark.parametrize("policy", ["DIRECT", "node"])
def test_datagrams(box, counted, policy):
    ss_server(box.ns, "127.0.0.2", 18388, "aes-128-gcm")
    node = cfg.ss_node("node", "127.0.0.2", 18388, "aes-128-gcm", PASSWORD)
    _, counter = counted(cfg.base([f"MATCH,{policy}"], proxies=[node]))
    with UdpEcho(box.ns.udp("127.0.0.1")) as echo:
        with Association(box.ns, "127.0.0.1", cfg.MIXED) as client:

            def move():
                client.send("127.0.0.1", echo.port, b"x" * 1000)
                client.receive()
                return 1

            extra, moved = steady(counter, Load(move))
    assert moved > 1000
    assert extra <= SLACK, f"{extra} allocations for {moved} datagrams"


def test_the_counter_counts(box, counted):
    """New flows do allocate; a counter that stays at rest would prove nothing."""
    _, counter = counted(cfg.base())
    before = counter.read()
    with UdpEcho(box.ns.udp("127.0.0.1")) as echo:
        for _ in range(50):
            with Association(box.ns, "127.0.0.1", cfg.MIXED) as client:
                client.send("127.0.0.1", echo.port, b"x")
                client.receive()
    assert counter.read() - before > 50
