"""Case B086 and the bounds of the UDP NAT, by SOCKS5 and through capture.

    client -- SOCKS5 or TPROXY -- router (one mapping for each client port) -- wan: servers
"""

import time

import pytest

from support import config as cfg
from support import lab as net
from support.servers import DatagramServer, UdpEcho
from support.socks import Association
from support.wait import wait_until

IDLE_S = 1  # sluice.timeouts.udp-idle; 60 by default
LONG_S = 4 * IDLE_S  # kept this long, a mapping was renewed several times
EVERY_S = 0.4 * IDLE_S


class _Sources(DatagramServer):
    """Remembers from which ports datagrams came."""

    def __init__(self, sock):
        self.peers = []
        super().__init__(sock)

    def receive(self, data, peer):
        self.peers.append(peer)


def _limits(**udp):
    keys = {key.replace("_", "-"): value for key, value in udp.items()}
    return {"timeouts": {"udp-idle": IDLE_S}, "udp": keys}


def test_b086_datagrams_of_the_client_alone_keep_the_mapping(box, start):
    start(box.ns, cfg.base(sluice=_limits()))
    with _Sources(box.ns.udp("127.0.0.1")) as server:
        with Association(box.ns, "127.0.0.1", cfg.MIXED) as client:
            end = time.monotonic() + LONG_S
            while time.monotonic() < end:
                client.send("127.0.0.1", server.port, b"up")
                time.sleep(EVERY_S)
            wait_until(lambda: len(server.peers) > 5, 2, "datagrams arrive")
            assert len(set(server.peers)) == 1


def test_b086_datagrams_of_the_server_alone_keep_the_mapping(box, start):
    start(box.ns, cfg.base(sluice=_limits()))
    with _Sources(box.ns.udp("127.0.0.1")) as server:
        with Association(box.ns, "127.0.0.1", cfg.MIXED, limit=2 * IDLE_S) as client:
            client.send("127.0.0.1", server.port, b"up")
            wait_until(lambda: server.peers, 2, "the datagram arrives")
            end = time.monotonic() + LONG_S
            while time.monotonic() < end:
                server.sock.sendto(b"down", server.peers[0])
                assert client.receive()[1] == b"down"
                time.sleep(EVERY_S)
            client.send("127.0.0.1", server.port, b"up")
            wait_until(lambda: len(server.peers) == 2, 2, "the second datagram arrives")
            assert len(set(server.peers)) == 1


def test_a_silent_mapping_ends_and_one_that_only_asked_ends_sooner(box, start):
    router = start(box.ns, cfg.base(sluice={"timeouts": {"udp-idle": 5 * IDLE_S},
                                            "udp": {"dns-timeout": IDLE_S}}))
    with UdpEcho(box.ns.udp("127.0.0.1")) as other, UdpEcho(box.ns.udp("127.0.0.1", 53)) as dns:
        with Association(box.ns, "127.0.0.1", cfg.MIXED) as asks, \
                Association(box.ns, "127.0.0.1", cfg.MIXED) as talks:
            for client, server in ((asks, dns), (talks, other)):
                client.send("127.0.0.1", server.port, b"x")
                assert client.receive()[1] == b"x"
            wait_until(lambda: router.status()["udpMappings"] == 2, 3, "both are counted")
            wait_until(lambda: router.status()["udpMappings"] == 1, 4 * IDLE_S, "one ends")
            client.send("127.0.0.1", other.port, b"x")  # still the first mapping
            assert client.receive()[1] == b"x"
            assert len({peer for _, peer in other.seen}) == 1
            wait_until(lambda: router.status()["udpMappings"] == 0, 10 * IDLE_S, "silence ends it")


def test_mappings_of_one_client_are_bounded_counted_and_told_once(lab, start):
    """One client opens more ports than it may; another one keeps its own."""
    bound, ports = 16, 64
    router = start(lab.router, cfg.base(sluice={
        **cfg.capture(), "udp": {"max-mappings-per-client": bound}}))
    with UdpEcho(lab.wan.udp(net.WAN4)) as echo:
        calm = lab.lan.udp(net.SECOND4)
        calm.sendto(b"x", (net.WAN4, echo.port))
        assert calm.recv(10) == b"x"
        for _ in range(ports):
            one = lab.lan.udp(net.CLIENT4)
            one.sendto(b"x", (net.WAN4, echo.port))
            assert one.recv(10) == b"x", "a new port is served, the oldest makes room"
        calm.sendto(b"x", (net.WAN4, echo.port))
        assert calm.recv(10) == b"x"
        assert len({peer for _, peer in echo.seen[:1] + echo.seen[-1:]}) == 1
        wait_until(lambda: router.status()["udpEvicted"] > 0, 3, "the count arrives")
        # Each worker has its even part of the bound.
        assert router.status()["udpEvicted"] >= ports - 2 * bound
    told = [line for line in router.log().splitlines() if "UDP mappings" in line]
    assert 1 <= len(told) <= 8, "once for each worker and ten seconds"


@pytest.mark.parametrize("client, servers", [
    (net.CLIENT4, (net.WAN4, net.FAR4)),
    (net.CLIENT6, (net.WAN6, net.FAR6)),
])
def test_one_captured_client_port_meets_one_mapping(lab, start, client, servers):
    """Whatever worker the kernel chooses, it is the same for all destinations of a client port."""
    router = start(lab.router, cfg.base(sluice=cfg.capture()))
    echoes = [UdpEcho(lab.wan.udp(address)) for address in servers for _ in range(3)]
    try:
        clients = [lab.lan.udp(client) for _ in range(32)]
        for sock in clients:
            for echo in echoes:
                sock.sendto(sock.getsockname()[1].to_bytes(2, "big"), (echo.address, echo.port))
        for sock in clients:
            sources = {sock.recvfrom(10)[1][:2] for _ in echoes}
            assert sources == {(echo.address, echo.port) for echo in echoes}
        mapped = {}
        for echo in echoes:
            for data, peer in echo.seen:
                mapped.setdefault(data, set()).add(peer[:2])
        assert len(mapped) == len(clients)
        assert all(len(seen) == 1 for seen in mapped.values())
        wait_until(lambda: router.status()["udpMappings"] == len(clients), 3, "the count arrives")
    finally:
        for echo in echoes:
            echo.close()


@pytest.mark.parametrize("client, servers", [
    (net.CLIENT4, (net.WAN4, net.FAR4)),
    (net.CLIENT6, (net.WAN6, net.FAR6)),
])
def test_a_closed_port_refuses_the_captured_clients_socket(lab, start, client, servers):
    """By ICMP from the address that was written to, as without us; the mapping goes on."""
    start(lab.router, cfg.base(sluice=cfg.capture()))
    with UdpEcho(lab.wan.udp(servers[1])) as echo:
        vacant = lab.wan.udp(servers[0])
        port = vacant.getsockname()[1]
        vacant.close()
        refused = lab.lan.udp(client)
        refused.connect((servers[0], port))
        refused.send(b"anybody?")
        with pytest.raises(ConnectionRefusedError):
            refused.recv(10)
        # One client port that talks to both: the answer of the one is not hurt by the other.
        both = lab.lan.udp(client)
        for _ in range(3):
            both.sendto(b"void", (servers[0], port))
            both.sendto(b"x", (servers[1], echo.port))
            assert both.recvfrom(10)[1][:2] == (servers[1], echo.port)
        assert len({peer for _, peer in echo.seen}) == 1


def test_a_closed_port_behind_socks_leaves_the_association_alone(box, start):
    start(box.ns, cfg.base())
    with UdpEcho(box.ns.udp("127.0.0.1")) as echo:
        vacant = box.ns.udp("127.0.0.1")
        port = vacant.getsockname()[1]
        vacant.close()
        with Association(box.ns, "127.0.0.1", cfg.MIXED) as client:
            for _ in range(3):
                client.send("127.0.0.1", port, b"void")
                client.send("127.0.0.1", echo.port, b"x")
                assert client.receive() == (("127.0.0.1", echo.port), b"x")
