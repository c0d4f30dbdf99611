"""Datagrams at the edges of UDP: empty, as large as IP allows, in fragments; and none cut short.

    client -- SOCKS5 | TPROXY | SOCKS5 and a Shadowsocks node -- router -- wan: echo
"""

import pytest

from interop.peers import PASSWORD, ss_server
from support import config as cfg
from support import lab as net
from support.servers import DatagramServer, UdpEcho
from support.socks import Association
from support.wait import wait_until

MOST4, MOST6 = 65535 - 20 - 8, 65535 - 8
HEAD4, HEAD6 = 10, 22  # SOCKS5 heads
SS_PORT, CIPHER = 18388, "aes-128-gcm"
SS_ANSWER = 1300  # ss-server sends with DF and drops answers that the link does not take
SS_MOST = 2 * 1397 - 40  # its buffer, less salt, address and tag


def payload(size):
    return bytes((index * 7 + size) & 0xFF for index in range(size))


class _Sender(DatagramServer):
    """Answers a decimal number with a datagram of that size."""

    def receive(self, data, peer):
        self.sock.sendto(payload(int(data)), peer)


@pytest.mark.parametrize("family, most", [("v4", MOST4 - HEAD4), ("v6", MOST6 - HEAD6)])
def test_every_size_crosses_socks5_whole(lab, start, family, most):
    gateway, target = {"v4": (net.GATEWAY4, net.WAN4), "v6": (net.GATEWAY6, net.WAN6)}[family]
    start(lab.router, cfg.base(allow_lan=True))
    with UdpEcho(lab.wan.udp(target)) as echo:
        with Association(lab.lan, gateway, cfg.MIXED) as client:
            for size in (0, 1, 1472, 1473, 4000, 30_000, most):
                client.send(target, echo.port, payload(size))
                assert client.receive() == ((target, echo.port), payload(size)), size


@pytest.mark.parametrize("family, most", [("v4", MOST4), ("v6", MOST6)])
def test_every_size_crosses_capture_whole(lab, start, family, most):
    target, source = {"v4": (net.WAN4, net.CLIENT4), "v6": (net.WAN6, net.CLIENT6)}[family]
    start(lab.router, cfg.base(sluice=cfg.capture()))
    with UdpEcho(lab.wan.udp(target)) as echo:
        client = lab.lan.udp(source)
        for size in (0, 1, 1472, 1473, 4000, 30_000, most):
            client.sendto(payload(size), (target, echo.port))
            data, peer = client.recvfrom(70_000)
            assert (data, peer[:2]) == (payload(size), (target, echo.port)), size


def test_what_the_server_takes_crosses_shadowsocks_whole(lab, start):
    ss_server(lab.wan, net.UPSTREAM4, SS_PORT, CIPHER)
    node = cfg.ss_node("node", net.UPSTREAM4, SS_PORT, CIPHER, PASSWORD)
    start(lab.router, cfg.base(["MATCH,node"], allow_lan=True, proxies=[node]))
    sizes = (0, 1, SS_ANSWER, 1473, SS_MOST)
    with UdpEcho(lab.wan.udp(net.WAN4)) as echo:
        with Association(lab.lan, net.GATEWAY4, cfg.MIXED) as client:
            for size in sizes:
                client.send(net.WAN4, echo.port, payload(size))
                if size <= SS_ANSWER:
                    assert client.receive() == ((net.WAN4, echo.port), payload(size)), size
            wait_until(lambda: len(echo.seen) == len(sizes), 3, "all sizes arrive")
            assert [data for data, _ in echo.seen] == [payload(size) for size in sizes]


def test_what_no_head_fits_before_is_dropped_not_cut(lab, start):
    """65,507 bytes come back for a client whose protocol needs ten more."""
    router = start(lab.router, cfg.base(allow_lan=True))
    with _Sender(lab.wan.udp(net.WAN4)) as sender:
        with Association(lab.lan, net.GATEWAY4, cfg.MIXED) as client:
            client.send(net.WAN4, sender.port, str(MOST4).encode())
            client.send(net.WAN4, sender.port, str(MOST4 - HEAD4).encode())
            client.send(net.WAN4, sender.port, b"5")
            assert len(client.receive()[1]) == MOST4 - HEAD4
            assert len(client.receive()[1]) == 5
        wait_until(lambda: router.status()["udpDropped"] == 1, 3, "the drop is counted")
