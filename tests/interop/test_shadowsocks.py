"""Our Shadowsocks client against shadowsocks-libev's ss-server: three ciphers, TCP and UDP."""

import socket

import pytest

from interop.peers import PASSWORD, ss_server
from support import config as cfg
from support import lab as net
from support.mock_dns import DnsUpstream, resolve
from support.servers import Scripted, TcpEcho, TcpSource, UdpEcho
from support.socks import Association
from support.traffic import (
    assert_downloads,
    assert_echoes,
    pattern_digest,
    receive_digest,
    receive_exactly,
    send_pattern,
)
from support.ways import open_tcp

SIZE = 50_000_000
SERVER_PORT = 18388


@pytest.fixture(params=cfg.NODE_CIPHERS)
def router(request, box, start):
    ss_server(box.ns, "127.0.0.2", SERVER_PORT, request.param)
    node = cfg.ss_node("node", "127.0.0.2", SERVER_PORT, request.param, PASSWORD)
    return start(box.ns, cfg.base(["MATCH,node"], proxies=[node]))


def test_tcp_both_ways(router, box):
    with TcpSource(box.ns.listen("127.0.0.1"), SIZE) as source:
        assert_downloads(open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", source.port), SIZE)

    def answer_when_complete(sock):
        sock.sendall(receive_digest(sock, SIZE)[1].encode())

    # ss-server closes both sides when its client ends one, so the end of sending comes last here.
    with Scripted(box.ns.listen("127.0.0.1"), answer_when_complete) as sink:
        with open_tcp("http", box.ns, cfg.MIXED, "127.0.0.1", sink.port) as sock:
            send_pattern(sock, SIZE)
            assert receive_exactly(sock, 64).decode() == pattern_digest(SIZE)
            sock.shutdown(socket.SHUT_WR)
            assert sock.recv(1) == b"", "the end of sending reached the server"


def test_udp_of_every_size_up_to_the_limit(router, box):
    with UdpEcho(box.ns.udp("127.0.0.1")) as echo:
        with Association(box.ns, "127.0.0.1", cfg.MIXED) as client:
            for size in (0, 1, 100, 1200, 1400):
                client.send("127.0.0.1", echo.port, bytes(size))
                assert client.receive() == (("127.0.0.1", echo.port), bytes(size))


def test_ipv6_and_name_targets_reach_the_server_as_they_are(router, box):
    with TcpEcho(box.ns.listen("::1")) as six, TcpEcho(box.ns.listen("127.0.0.1")) as four:
        for host, port in (("::1", six.port), ("localhost", four.port)):
            with open_tcp("socks5", box.ns, cfg.MIXED, host, port) as sock:
                assert_echoes(sock)


def test_a_wrong_password_gives_the_client_an_end_not_a_hang(box, start):
    ss_server(box.ns, "127.0.0.2", SERVER_PORT, "aes-128-gcm")
    node = cfg.ss_node("node", "127.0.0.2", SERVER_PORT, "aes-128-gcm", "another")
    start(box.ns, cfg.base(["MATCH,node"], proxies=[node]))
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        sock = open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port, limit=70)
        sock.sendall(b"hello")
        sock.shutdown(socket.SHUT_WR)
        try:
            assert sock.recv(1) == b""
        except ConnectionResetError:
            pass
        assert echo.peers == []


def test_captured_lan_traffic_goes_through_the_server_by_name(lab, start):
    """LAN client by fake address; the name travels to the server, which resolves it."""
    ss_server(lab.wan, net.WAN4, SERVER_PORT, "chacha20-ietf-poly1305")
    zone = {"page.test": {"A": [net.FAR4]}}
    with DnsUpstream(lab.wan, net.UPSTREAM4, zone=zone):
        node = cfg.ss_node("node", net.WAN4, SERVER_PORT, "chacha20-ietf-poly1305", PASSWORD)
        router = start(lab.router, cfg.gateway(net.UPSTREAM4, ["DOMAIN,page.test,node",
                                                               "MATCH,REJECT"], proxies=[node]))
        fake = resolve(lab.lan, net.GATEWAY4, "page.test")
        with TcpEcho(lab.wan.listen(net.FAR4)) as echo, UdpEcho(lab.wan.udp(net.FAR4)) as dgram:
            with lab.lan.connect(fake, echo.port) as sock:
                assert_echoes(sock)
                assert router.flows(host="page.test")[0]["chains"] == ["node"]
            client = lab.lan.udp()
            client.connect((fake, dgram.port))
            client.send(b"datagram")
            assert client.recv(100) == b"datagram"
            assert net.ROUTER4 not in echo.peers
