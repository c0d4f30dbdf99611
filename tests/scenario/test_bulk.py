"""1 GiB through each path arrives intact, both ways, v4 and v6."""

import pytest

from support import config as cfg
from support import lab as net
from support.mock_dns import DnsUpstream, resolve
from support.servers import TcpSink, TcpSource, UdpMirror
from support.socks import Association
from support.traffic import GIB, assert_datagrams_echo, assert_downloads, assert_uploads
from support.ways import open_tcp

ZONE = {
    "bulk.test": {"A": [net.WAN4], "AAAA": [net.WAN6]},
    "four.test": {"A": [net.WAN4]},
    "six.test": {"AAAA": [net.WAN6]},
}
UDP_SIZE = 1400


def both_ways(server, address, connect):
    """connect(port) -> a socket that reaches address:port by the path under test."""
    with TcpSource(server.listen(address), GIB) as source:
        with connect(source.port) as sock:
            assert_downloads(sock, GIB)
    with TcpSink(server.listen(address)) as sink:
        with connect(sink.port) as sock:
            assert_uploads(sock, GIB)


@pytest.mark.limit(180)
@pytest.mark.parametrize("target", ["127.0.0.1", "::1"])
@pytest.mark.parametrize("way", ["socks5", "http"])
def test_proxy_port(box, start, way, target):
    start(box.ns, cfg.base())
    both_ways(box.ns, target,
              lambda port: open_tcp(way, box.ns, cfg.MIXED, target, port, limit=60))


@pytest.mark.limit(180)
@pytest.mark.parametrize("mode", ["tproxy", "redirect"])
@pytest.mark.parametrize("kind, target", [("A", net.WAN4), ("AAAA", net.WAN6)])
def test_captured_lan_client(lab, start, mode, kind, target):
    with DnsUpstream(lab.wan, net.UPSTREAM4, zone=ZONE):
        start(lab.router, cfg.gateway(net.UPSTREAM4, mode=mode))
        fake = resolve(lab.lan, net.GATEWAY4, "bulk.test", kind)
        both_ways(lab.wan, target, lambda port: lab.lan.connect(fake, port, limit=60))


@pytest.mark.limit(180)
@pytest.mark.parametrize("target", ["127.0.0.1", "::1"])
def test_udp_associate(box, start, target):
    start(box.ns, cfg.base())
    with UdpMirror(box.ns.udp(target)) as mirror:
        with Association(box.ns, "127.0.0.1", cfg.MIXED) as client:
            assert_datagrams_echo(lambda data: client.send(target, mirror.port, data),
                                  lambda: client.receive()[1], UDP_SIZE, GIB)


@pytest.mark.limit(180)
@pytest.mark.parametrize("name, kind, target",
                         [("four.test", "A", net.WAN4), ("six.test", "AAAA", net.WAN6)])
def test_captured_lan_client_udp(lab, start, name, kind, target):
    with DnsUpstream(lab.wan, net.UPSTREAM4, zone=ZONE), UdpMirror(lab.wan.udp(target)) as mirror:
        start(lab.router, cfg.gateway(net.UPSTREAM4))
        fake = resolve(lab.lan, net.GATEWAY4, name, kind)
        client = lab.lan.udp("::" if kind == "AAAA" else "0.0.0.0")
        client.connect((fake, mirror.port))
        assert_datagrams_echo(client.send, lambda: client.recv(65536), UDP_SIZE, GIB)
