"""Fail-closed: while we are away not one packet of the LAN reaches the WAN.

    lan client: ping and a UDP stream -- lan0 router (when-down: closed) wan0 -- wan counts
"""

import signal
import threading

import pytest

from support import config as cfg
from support import lab as net
from support import proc
from support.mock_dns import DnsUpstream
from support.netns import kill
from support.router import STOP_LIMIT_S
from support.servers import TcpEcho, UdpEcho
from support.traffic import assert_echoes
from support.wait import wait_until
from support.watch import PacketCount

FROM_LAN4 = f"ip saddr {net.LAN_NET4}"
FROM_LAN6 = f"ip6 saddr {net.LAN_NET6}"


def tables(lab):
    return sorted(lab.router.run("nft", "list", "tables").stdout.split("\n")[:-1])


def closed_gateway():
    return cfg.gateway(net.UPSTREAM4, capture_keys={"when_down": "closed"})


class Stream:
    """A running ping and UDP stream to the WAN, v4 and v6, from before the fault to after it."""

    def __init__(self, lab, port):
        self.lab, self._stop, self.sent = lab, threading.Event(), 0
        self._pings = [
            lab.lan.popen("ping", "-n", "-i", "0.05", address) for address in (net.WAN4, net.WAN6)
        ]
        self._socks = [lab.lan.udp("0.0.0.0"), lab.lan.udp("::")]
        self._port = port
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stop.wait(0.005):
            for sock, address in zip(self._socks, (net.WAN4, net.WAN6)):
                try:
                    sock.sendto(b"stream", (address, self._port))
                    self.sent += 1
                except OSError:
                    continue  # an ICMP error for an earlier datagram

    def stop(self):
        self._stop.set()
        self._thread.join(5)
        for ping in self._pings:
            ping.terminate()


@pytest.fixture
def world(lab):
    with DnsUpstream(lab.wan, net.UPSTREAM4), UdpEcho(lab.wan.udp(net.WAN4)) as echo:
        with UdpEcho(lab.wan.udp(net.WAN6, echo.port)):
            lab.stream_port = echo.port
            yield lab


@pytest.mark.parametrize("victim", ["dataplane", "nft"])
def test_nothing_of_a_running_stream_leaks_while_we_are_away(world, start, victim):
    router = start(world.router, closed_gateway())
    stream = Stream(world, world.stream_port)
    try:
        wait_until(lambda: stream.sent > 200, 10, "the stream runs")
        router.signal("supervisor", signal.SIGSTOP)
        if victim == "nft":
            router.signal("dataplane", signal.SIGSTOP)  # nobody starts the helper again meanwhile
        with PacketCount(world.wan, f"{FROM_LAN4} meta l4proto udp") as udp4, \
                PacketCount(world.wan, f"{FROM_LAN6} meta l4proto udp") as udp6:
            router.kill(victim)
            wait_until(lambda: tables(world) == ["table inet sluice_guard"], 1, "only the guard")
            # Pings passed plainly, marked, until that moment; from now on nothing does.
            with PacketCount(world.wan, FROM_LAN4) as all4, \
                    PacketCount(world.wan, FROM_LAN6) as all6:
                before = stream.sent
                wait_until(lambda: stream.sent > before + 300, 10, "the stream goes on")
                assert all4.packets() == 0 and all6.packets() == 0
            assert udp4.packets() == 0 and udp6.packets() == 0
        if victim == "nft":
            router.signal("dataplane", signal.SIGCONT)
        router.signal("supervisor", signal.SIGCONT)
        router.wait_ready()
    finally:
        stream.stop()
    with TcpEcho(world.wan.listen(net.WAN4)) as echo:
        with world.lan.connect(net.WAN4, echo.port) as sock:
            assert_echoes(sock)


def test_capture_open_lifts_the_guard_while_the_data_plane_is_away(world, start):
    router = start(world.router, closed_gateway())
    router.signal("supervisor", signal.SIGSTOP)
    router.kill("dataplane")
    # Until it has ended, its listener still takes connections, which lead nowhere.
    wait_until(lambda: tables(world) == ["table inet sluice_guard"], 1, "only the guard")
    with TcpEcho(world.wan.listen(net.WAN4)) as echo:
        with pytest.raises(OSError):
            world.lan.connect(net.WAN4, echo.port, limit=1)
        router.cli("capture", "open")
        with world.lan.connect(net.WAN4, echo.port) as sock:
            assert_echoes(sock)
        assert echo.peers[-1] == net.CLIENT4
    router.signal("supervisor", signal.SIGCONT)


def test_the_guard_outlives_a_killed_router_and_says_how_to_lift_it(world, start):
    router = start(world.router, closed_gateway())
    pids = router.pids()
    for role in ("supervisor", "controlplane", "dataplane"):
        kill(pids[role])
    wait_until(lambda: not proc.alive(pids["nft"]), 3, "the helper ended")
    assert tables(world) == ["table inet sluice_guard"]
    assert "capture open" in router.log(), "the log says how the guard is lifted"
    router.cli("capture", "open")
    assert tables(world) == []
    router.stop(clean=False)  # nobody was left to take the policy rules away
    again = start(world.router, closed_gateway(), name="again")
    again.stop(clean=False)  # it would compare with what it found, and that was not clean
    rules = world.router.ip("-4", "rule") + world.router.ip("-6", "rule")
    assert "fwmark" not in rules, "the next start cleaned up"
    assert tables(world) == []


def test_a_stop_while_the_data_plane_is_away_leaves_nothing(world, start):
    """A stop that the supervisor sees together with the death: nobody was left to clean up."""
    router = start(world.router, closed_gateway())
    router.signal("supervisor", signal.SIGSTOP)
    router.kill("dataplane")
    wait_until(lambda: tables(world) == ["table inet sluice_guard"], 1, "only the guard")
    router.signal("supervisor", signal.SIGTERM)
    router.signal("supervisor", signal.SIGCONT)
    router.process.wait(STOP_LIMIT_S)
    router.stop()


def test_a_stop_during_the_restart_of_a_killed_data_plane_leaves_nothing(world, start):
    """The new one has captured nothing yet; what it follows must go all the same."""
    router = start(world.router, closed_gateway())
    dead = router.kill("dataplane")
    router.wait_restarted("dataplane", dead)
    router.stop()


def test_a_start_without_capture_lifts_the_guard_of_a_killed_router(world, start):
    router = start(world.router, closed_gateway())
    pids = router.pids()
    for role in ("supervisor", "controlplane", "dataplane"):
        kill(pids[role])
    wait_until(lambda: tables(world) == ["table inet sluice_guard"], 3, "only the guard")
    router.stop(clean=False)
    start(world.router, cfg.base(), name="again").stop(clean=False)
    assert tables(world) == []
    rules = world.router.ip("-4", "rule") + world.router.ip("-6", "rule")
    assert "fwmark" not in rules


def test_replies_and_other_protocols_pass_while_everything_runs(world, start):
    start(world.router, closed_gateway())
    world.lan.run("ping", "-c", "2", "-W", "2", net.WAN4)
    with UdpEcho(world.lan.udp(net.CLIENT4)) as service:
        caller = world.wan.udp(net.WAN4)
        caller.sendto(b"in", (net.CLIENT4, service.port))
        assert caller.recv(10) == b"in"
    assert "table inet sluice_guard" in tables(world)
