"""Case B089: UDP to fake addresses, and to pool addresses that nobody was given."""

import pytest

from support import config as cfg
from support import lab as net
from support.mock_dns import DnsUpstream, resolve
from support.servers import UdpEcho
from support.socks import Association
from support.watch import PacketCount

UNALLOTTED = "198.18.200.200"
ZONE = {"u.test": {"A": [net.WAN4]}}


def test_b089_tproxy_replies_come_from_the_fake_address(lab, start):
    with DnsUpstream(lab.wan, net.UPSTREAM4, zone=ZONE), UdpEcho(lab.wan.udp(net.WAN4)) as echo:
        start(lab.router, cfg.gateway(net.UPSTREAM4))
        fake = resolve(lab.lan, net.GATEWAY4, "u.test")
        client = lab.lan.udp()
        client.connect((fake, echo.port))  # the kernel drops replies from any other address
        for number in range(20):
            client.send(bytes([number]))
            assert client.recv(100) == bytes([number])


def test_b089_tproxy_drops_unallotted_addresses_without_a_trace(lab, start):
    with DnsUpstream(lab.wan, net.UPSTREAM4, zone=ZONE) as upstream:
        start(lab.router, cfg.gateway(net.UPSTREAM4))
        resolve(lab.lan, net.GATEWAY4, "u.test")
        asked = len(upstream.queries)
        with PacketCount(lab.wan, "ip daddr 198.18.0.0/15") as watch:
            client = lab.lan.udp(limit=1)
            client.connect((UNALLOTTED, 9))
            client.send(b"lost")
            with pytest.raises(OSError):
                client.recv(100)
            assert watch.packets() == 0
        assert len(upstream.queries) == asked


def test_b089_socks_by_fake_address(box, start):
    zone = {"u.test": {"A": ["127.0.0.1"]}}
    with DnsUpstream(box.ns, "127.0.0.1", 15353, zone=zone) as upstream:
        start(box.ns, cfg.base(dns=cfg.dns("127.0.0.1:15353")))
        fake = resolve(box.ns, "127.0.0.1", "u.test", port=cfg.DNS)
        with UdpEcho(box.ns.udp("127.0.0.1")) as echo:
            with Association(box.ns, "127.0.0.1", cfg.MIXED, limit=2) as client:
                client.send(fake, echo.port, b"by address")
                assert client.receive() == ((fake, echo.port), b"by address")
                asked = len(upstream.queries)
                client.send(UNALLOTTED, echo.port, b"lost")
                with pytest.raises(OSError):
                    client.receive()
                assert len(upstream.queries) == asked
                assert [data for data, _ in echo.seen] == [b"by address"]
