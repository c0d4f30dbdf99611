"""NAT behaviour as RFC 5780 discovers it (sections 4.3 and 4.4), by every way through the router.

    client -- SOCKS5 | TPROXY | SOCKS5 and a Shadowsocks node -- servers: two addresses x two ports

Mapping is endpoint-independent when all four servers see one source port; filtering is when an
answer arrives from an address and a port that the client never wrote to.
"""

import socket
import struct

import pytest

from interop.peers import PASSWORD, ss_server
from support import config as cfg
from support import lab as net
from support.servers import DatagramServer
from support.socks import Association

MAPPED, CHANGED = 1, 2  # requests: say whom you see; let the opposite server answer
SS_PORT, CIPHER = 18388, "aes-128-gcm"
FAMILIES = {"v4": (net.CLIENT4, net.GATEWAY4, net.WAN4, net.FAR4),
            "v6": (net.CLIENT6, net.GATEWAY6, net.WAN6, net.FAR6)}


class _Servers:
    """Four sockets; `opposite` shares neither address nor port with the one that was asked."""

    PORTS = (23478, 23479)

    def __init__(self, namespace, first, second):
        self.at = [(address, port) for address in (first, second) for port in self.PORTS]
        self.servers = [_One(namespace.udp(address, port), self, index)
                        for index, (address, port) in enumerate(self.at)]

    def opposite(self, index):
        return self.servers[3 - index]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.close()


class _One(DatagramServer):
    def __init__(self, sock, group, index):
        self.group, self.index = group, index
        super().__init__(sock)

    def receive(self, data, peer):
        sender = self.group.opposite(self.index) if data[0] == CHANGED else self
        answer = socket.inet_pton(self.sock.family, peer[0]) + struct.pack("!H", peer[1])
        sender.sock.sendto(answer, peer)


class _Captured:
    """A client that knows of no proxy, with the calls of Association."""

    def __init__(self, namespace, address):
        self.sock = namespace.udp(address)

    def send(self, host, port, data):
        self.sock.sendto(data, (host, port))

    def receive(self):
        data, source = self.sock.recvfrom(100)
        return source[:2], data


@pytest.fixture(params=["socks5", "tproxy", "shadowsocks"])
def way(request):
    return request.param


def _start(way, lab, start):
    if way == "tproxy":
        start(lab.router, cfg.base(sluice=cfg.capture()))
    elif way == "shadowsocks":
        ss_server(lab.wan, net.UPSTREAM4, SS_PORT, CIPHER)
        node = cfg.ss_node("node", net.UPSTREAM4, SS_PORT, CIPHER, PASSWORD)
        start(lab.router, cfg.base(["MATCH,node"], allow_lan=True, proxies=[node]))
    else:
        start(lab.router, cfg.base(allow_lan=True))


def _client(way, lab, family):
    address, gateway, *_ = FAMILIES[family]
    if way == "tproxy":
        return _Captured(lab.lan, address)
    return Association(lab.lan, gateway, cfg.MIXED)


@pytest.mark.parametrize("family", FAMILIES)
def test_mapping_and_filtering_are_endpoint_independent(lab, start, way, family):
    _start(way, lab, start)
    with _Servers(lab.wan, *FAMILIES[family][2:]) as servers:
        client = _client(way, lab, family)
        mapped = set()
        for host, port in servers.at:
            client.send(host, port, bytes([MAPPED]))
            source, answer = client.receive()
            assert source == (host, port)
            # The node shares its host with the servers, so that its address follows theirs.
            mapped.add(answer if way != "shadowsocks" else answer[-2:])
        assert len(mapped) == 1, "one source address and port, whoever is asked"
        # Section 4.4, test II, by a client that has written to this server only.
        fresh = _client(way, lab, family)
        host, port = servers.at[0]
        fresh.send(host, port, bytes([CHANGED]))
        assert fresh.receive()[0] == servers.at[3], "an answer from anywhere arrives"
