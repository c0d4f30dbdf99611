"""1 GiB through each path arrives intact, both ways, v4 and v6."""

import json

import pytest

from support import config as cfg
from support import lab as net
from support.mock_dns import DnsUpstream, resolve
from support.paths import BUILD
from support.servers import TcpSink, TcpSource
from support.traffic import GIB, assert_downloads, assert_uploads
from support.ways import open_tcp

ZONE = {"bulk.test": {"A": [net.WAN4], "AAAA": [net.WAN6]}}
UDP_BYTES, UDP_SIZE = GIB, 1200


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
def test_udp_associate(box, start):
    """1 GiB of datagrams with eight in flight: every one comes back, compared byte by byte."""
    start(box.ns, cfg.base())
    received = 0
    while received * UDP_SIZE < UDP_BYTES:
        output = box.ns.run(
            BUILD / "perf/system/socks_load", "udp", "--proxy", cfg.MIXED, "--flows", 2,
            "--count", UDP_SIZE, "--window", 8, "--seconds", 5,
        ).stdout
        result = json.loads(output)
        assert result["lost"] == 0
        received += result["packets"]
