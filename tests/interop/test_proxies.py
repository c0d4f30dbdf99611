"""Real SOCKS5 servers as our upstream: dante (with UDP) and microsocks (with login)."""

import pytest

from interop.peers import danted, microsocks
from support import config as cfg
from support.servers import TcpEcho, TcpSink, TcpSource, UdpEcho
from support.socks import Association
from support.traffic import assert_downloads, assert_echoes, assert_uploads
from support.ways import open_tcp

SIZE = 50_000_000
PORT = 18081


def through(node, **keys):
    return cfg.base(["MATCH,node"], proxies=[node], **keys)


def test_dante_carries_tcp_both_ways(box, start, tmp_path):
    danted(box.ns, "127.0.0.1", PORT, tmp_path, "lo")
    start(box.ns, through(cfg.socks_node("node", "127.0.0.1", PORT)))
    with TcpSource(box.ns.listen("127.0.0.1"), SIZE) as source:
        assert_downloads(open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", source.port), SIZE)
    with TcpSink(box.ns.listen("127.0.0.1")) as sink:
        assert_uploads(open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", sink.port), SIZE)


def test_dante_carries_udp(box, start, tmp_path):
    danted(box.ns, "127.0.0.1", PORT, tmp_path, "lo")
    start(box.ns, through(cfg.socks_node("node", "127.0.0.1", PORT)))
    with UdpEcho(box.ns.udp("127.0.0.1")) as echo:
        with Association(box.ns, "127.0.0.1", cfg.MIXED) as client:
            for size in (1, 1200):
                client.send("127.0.0.1", echo.port, bytes(size))
                assert client.receive() == (("127.0.0.1", echo.port), bytes(size))


@pytest.mark.parametrize("family", ["127.0.0.1", "::1"])
def test_microsocks_with_login(box, start, family):
    microsocks(box.ns, "127.0.0.1", PORT, ("user", "pass"))
    node = cfg.socks_node("node", "127.0.0.1", PORT, username="user", password="pass")
    start(box.ns, through(node))
    with TcpEcho(box.ns.listen(family)) as echo:
        with open_tcp("http", box.ns, cfg.MIXED, family, echo.port) as sock:
            assert_echoes(sock)


def test_a_wrong_login_at_the_node_is_a_refusal(box, start):
    microsocks(box.ns, "127.0.0.1", PORT, ("user", "pass"))
    node = cfg.socks_node("node", "127.0.0.1", PORT, username="user", password="wrong")
    start(box.ns, through(node))
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        with pytest.raises(Exception, match="SOCKS reply|end of stream|reset"):
            sock = open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port)
            assert_echoes(sock)
        assert echo.peers == []


def test_our_own_http_port_as_the_upstream_of_another_router(box, start):
    """Two routers in a row: http node in, direct out."""
    start(box.ns, {"port": cfg.HTTP, "authentication": ["user:pass"], "rules": ["MATCH,DIRECT"]},
          name="second")
    node = {"name": "node", "type": "http", "server": "127.0.0.1", "port": cfg.HTTP,
            "username": "user", "password": "pass"}
    start(box.ns, through(node), name="first")
    with TcpSource(box.ns.listen("127.0.0.1"), SIZE) as source:
        assert_downloads(open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", source.port), SIZE)
