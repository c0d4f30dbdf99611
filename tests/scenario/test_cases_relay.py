"""Cases B077, B079, B085: ends of connections, and what is left when peers vanish."""

import socket
import threading
import time

import pytest

from support import config as cfg
from support import lab as net
from support import proc
from support.mock_dns import DnsUpstream
from support.servers import Scripted, TcpEcho, TcpSink, UdpEcho, shut
from support.socks import Association, MockSocks5, connect5
from support.traffic import (
    assert_downloads, assert_echoes, pattern_digest, receive_all, receive_digest, send_pattern,
)
from support.wait import wait_until
from support.ways import open_tcp

SIZE = 5_000_000
PAUSE_S = 10
HALF_CLOSED_S = 20  # sluice.timeouts.tcp-half-closed; 240 by default


def late_source(sock):
    """Reads to the end, waits, then answers with the pattern."""
    receive_all(sock)
    time.sleep(PAUSE_S)
    send_pattern(sock, SIZE)


def client_ends_first(sock):
    sock.settimeout(PAUSE_S + 20)
    sock.sendall(b"request")
    sock.shutdown(socket.SHUT_WR)
    assert_downloads(sock, SIZE)


def server_ends_first(sock):
    """The mirror: the server sends, ends, and takes an upload afterwards."""
    sock.settimeout(PAUSE_S + 20)
    assert receive_all(sock) == b"greeting"
    time.sleep(PAUSE_S)
    send_pattern(sock, SIZE)
    sock.shutdown(socket.SHUT_WR)


class _Mirror:
    """Server of the mirror case; `digest` is what it got after its own end."""

    def __init__(self):
        self.digest = None

    def __call__(self, sock):
        sock.sendall(b"greeting")
        sock.shutdown(socket.SHUT_WR)
        self.digest = receive_digest(sock)


def test_b077_half_close_through_socks(box, start):
    start(box.ns, cfg.base())
    with Scripted(box.ns.listen("127.0.0.1"), late_source) as late:
        client_ends_first(open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", late.port))
    mirror = _Mirror()
    with Scripted(box.ns.listen("127.0.0.1"), mirror) as server:
        server_ends_first(open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", server.port))
        wait_until(lambda: mirror.digest, 10, "the upload ends")
    assert mirror.digest == (SIZE, pattern_digest(SIZE))


def test_b077_half_close_through_tproxy(lab, start):
    with DnsUpstream(lab.wan, net.UPSTREAM4):
        start(lab.router, cfg.gateway(net.UPSTREAM4))
        with Scripted(lab.wan.listen(net.WAN4), late_source) as late:
            client_ends_first(lab.lan.connect(net.WAN4, late.port))
        mirror = _Mirror()
        with Scripted(lab.wan.listen(net.WAN6), mirror) as server:
            server_ends_first(lab.lan.connect(net.WAN6, server.port))
            wait_until(lambda: mirror.digest, 10, "the upload ends")
        assert mirror.digest == (SIZE, pattern_digest(SIZE))


def test_b077_half_close_through_a_proxy_chain(box, start):
    """The same through a SOCKS5 node, where our upstream is a proxy."""
    with MockSocks5(box.ns, "127.0.0.2") as node, TcpSink(box.ns.listen("127.0.0.1")) as sink:
        start(box.ns, cfg.base(["MATCH,node"],
                               proxies=[cfg.socks_node("node", "127.0.0.2", node.port)]))
        with open_tcp("http", box.ns, cfg.MIXED, "127.0.0.1", sink.port) as sock:
            send_pattern(sock, SIZE)
            sock.shutdown(socket.SHUT_WR)
            assert receive_all(sock).decode() == pattern_digest(SIZE)


@pytest.mark.limit(200)
def test_b079_vanished_clients_leave_no_descriptor_behind(lab, start):
    """B079: 500 times the server closes at once while the client's packets are dropped."""
    limit = {"timeouts": {"tcp-half-closed": HALF_CLOSED_S}}
    router = start(lab.router, cfg.base(allow_lan=True, sluice=limit))
    dataplane = router.pid("dataplane")
    with Scripted(lab.wan.listen(net.WAN4), lambda sock: None) as server:
        with connect5(lab.lan.connect(net.GATEWAY4, cfg.MIXED), net.WAN4, server.port):
            pass  # warms up what stays open
        wait_until(lambda: not router.flows(), 5, "the first flow ends")
        before = len(proc.open_files(dataplane))
        clients = []
        for _ in range(500):
            sock = lab.lan.connect(net.GATEWAY4, cfg.MIXED)
            connect5(sock, net.WAN4, server.port)
            clients.append(sock)
        lab.lan.nft("table inet gone {\n chain out {\n type filter hook output priority 0; "
                    f"ip daddr {net.GATEWAY4} drop;\n }}\n}}\n")
        for sock in clients:
            shut(sock)
        wait_until(lambda: len(proc.open_files(dataplane)) <= before + 2, HALF_CLOSED_S + 10,
                   "descriptors return to the start value", every=0.5)
        lab.lan.run("nft", "delete", "table", "inet", "gone")
    waiting = lab.router.run("ss", "-Htan", "state", "close-wait").stdout
    assert waiting == ""


@pytest.mark.limit(150)
def test_b085_a_udp_flood_beyond_the_descriptors_harms_nothing_else(box, start):
    """B085: 128 descriptors, 500 UDP sources; TCP and DNS go on, new flows work again later."""
    with DnsUpstream(box.ns, "127.0.0.1", 15353, default={"A": ["127.0.0.1"]}):
        router = start(box.ns, cfg.base(dns=cfg.dns("127.0.0.1:15353")),
                       wrap=["prlimit", "--nofile=128:128"])
        with UdpEcho(box.ns.udp("127.0.0.1")) as echo, TcpEcho(box.ns.listen("127.0.0.1")) as tcp:
            flood = _Flood(box.ns, echo.port, 500)
            try:
                for _ in range(10):
                    with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", tcp.port) as sock:
                        assert_echoes(sock)
                    box.ns.run("dig", "+time=2", "+tries=1", "@127.0.0.1", "-p", str(cfg.DNS),
                               "some.test")
            finally:
                flood.stop()
            lines = [line for line in router.log().splitlines() if "warn" in line.lower()]
            assert len(lines) < 50, "a flood must not flood the log"
            with Association(box.ns, "127.0.0.1", cfg.MIXED) as client:
                client.send("127.0.0.1", echo.port, b"again")
                assert client.receive()[1] == b"again"


class _Flood:
    """Opens associations as fast as it can, each with its own source, until stopped."""

    def __init__(self, namespace, echo_port, count):
        self.namespace, self.port, self.count = namespace, echo_port, count
        self.open, self._stop = [], threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while len(self.open) < self.count and not self._stop.is_set():
            try:
                client = Association(self.namespace, "127.0.0.1", cfg.MIXED, limit=0.2)
                client.send("127.0.0.1", self.port, b"flood")
                self.open.append(client)
            except Exception:
                time.sleep(0.01)  # refused: that is what the limit is for

    def stop(self):
        self._stop.set()
        self._thread.join(10)
        for client in self.open:
            client.__exit__()
