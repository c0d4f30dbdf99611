"""Flows that are looked at before their rules: real clients, through TPROXY and the proxy ports.

    lan client -- lan0 [tproxy] router -- wan0 -- wan 203.0.113.2   what clients dial
                                                      192.0.2.50    where hosts: sends moved.test
"""

import hashlib
import ssl
import struct
import subprocess
import time
from pathlib import Path

import pytest

from support import config as cfg
from support import lab as net
from support.servers import Origin, Scripted, Server, TcpSink, UdpEcho
from support.socks import connect5
from support.traffic import chunks, pattern_digest, receive_all, receive_exactly
from support.user_rules import tproxy_to
from support.ways import open_tcp

TLS, HTTP, OTHER, QUIC = 8443, 8080, 9000, 8443
CAPTURES = Path(__file__).parents[1] / "golden" / "sniff"
SNIFF = {
    "HTTP": {"ports": ["80", f"{HTTP}-{HTTP + 10}"]},
    "TLS": {"ports": [443, TLS]},
    "QUIC": {"ports": [QUIC]},
}
RULES = ["DOMAIN-SUFFIX,blocked.test,REJECT", "MATCH,DIRECT"]


def sniffing(rules=RULES, **keys):
    sniffer = {"enable": True, "sniff": SNIFF, "override-destination": False}
    sniffer.update({key.replace("_", "-"): value for key, value in keys.items()})
    config = cfg.base(rules, sniffer=sniffer, hosts={"moved.test": net.FAR4})
    return {**config, "tproxy-port": cfg.TPROXY, "allow-lan": True}


def captured(name):
    """What a real client sent: its datagrams."""
    data, out = (CAPTURES / name).read_bytes(), []
    while data:
        size = struct.unpack("!H", data[:2])[0]
        out.append(data[2 : 2 + size])
        data = data[2 + size :]
    return out


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    key, chain = folder / "key.pem", folder / "chain.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", key, "-out", chain, "-days", "30", "-subj", "/CN=any.test"],
        check=True, capture_output=True,
    )
    return chain, key


class TlsHello(Server):
    """Ends a TLS handshake, reads a request and greets; `asked` are the server names."""

    def __init__(self, listener, certificate):
        self.asked = []
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(*certificate)
        self.context.sni_callback = lambda _sock, name, _context: self.asked.append(name)
        super().__init__(listener)

    def serve(self, sock):
        try:
            with self.context.wrap_socket(sock, server_side=True) as tls:
                tls.recv(4096)
                tls.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
        except ssl.SSLError:
            pass


def curl(namespace, host, port, address, *more, scheme="https"):
    """GET of a host whose address is written: the flow itself carries only that."""
    return namespace.run(
        "curl", "-sSk", "--max-time", "15", "--resolve", f"{host}:{port}:{address}", *more,
        f"{scheme}://{host}:{port}/", check=False,
    )


def by_tproxy(lab, start, config):
    tproxy_to(lab.router, cfg.TPROXY)
    return start(lab.router, config, captures=False)  # the word stands in a host's name


def test_rules_by_name_decide_tls_of_a_bare_address(lab, start, certificate):
    router = by_tproxy(lab, start, sniffing())
    with TlsHello(lab.wan.listen(net.WAN4, TLS), certificate) as server:
        assert curl(lab.lan, "open.test", TLS, net.WAN4).stdout == "hi"
        refused = curl(lab.lan, "www.blocked.test", TLS, net.WAN4)
        assert refused.returncode != 0 and refused.stdout == ""
        assert server.asked == ["open.test"]
        # A client of another kind; it stays, so that its record can be read.
        lab.lan.popen("openssl", "s_client", "-connect", f"{net.WAN4}:{TLS}", "-servername",
                      "held.test", stdin=subprocess.PIPE)
        until = time.monotonic() + 5
        while not (flows := router.flows(sniffHost="held.test")) and time.monotonic() < until:
            time.sleep(0.05)
        metadata = flows[0]["metadata"]
        assert metadata["destinationIP"] == net.WAN4 and metadata["host"] == ""
        assert flows[0]["rule"] == "Match"


def test_rules_by_name_decide_http_and_h2c(lab, start):
    by_tproxy(lab, start, sniffing())
    with Origin(lab.wan.listen(net.WAN4, HTTP)) as origin:
        assert curl(lab.lan, "open.test", HTTP, net.WAN4, scheme="http").returncode == 0
        for more in ([], ["--http2-prior-knowledge"]):
            blocked = curl(lab.lan, "www.blocked.test", HTTP, net.WAN4, *more, scheme="http")
            assert blocked.returncode != 0
        assert [request[2] for request in origin.requests] == [f"open.test:{HTTP}"]


@pytest.mark.parametrize("override, dialled", [(False, net.WAN4), (True, net.FAR4)])
def test_with_override_the_sniffed_host_is_dialled(lab, start, certificate, override, dialled):
    router = by_tproxy(lab, start, sniffing(override_destination=override))
    with TlsHello(lab.wan.listen(net.WAN4, TLS), certificate) as near:
        with TlsHello(lab.wan.listen(net.FAR4, TLS), certificate) as far:
            assert curl(lab.lan, "moved.test", TLS, net.WAN4).stdout == "hi"
            assert (near.asked, far.asked) == ((["moved.test"], []) if dialled == net.WAN4
                                               else ([], ["moved.test"]))
    steps = router.json("explain", f"{net.WAN4}:{TLS}", "--inbound", "tproxy",
                        "--sniffed-host", "moved.test")["steps"]
    said = next(step["detail"] for step in steps if step["what"] == "sniff")
    assert "tls, moved.test" in said and ("dialled" in said) == override


def test_explain_says_what_the_flow_met(lab, start):
    router = by_tproxy(lab, start, sniffing())

    def rule(*words):
        return router.json("explain", f"{net.WAN4}:{TLS}", "--inbound", "tproxy", *words)["rule"]

    assert rule("--sniffed-host", "www.blocked.test") == "DomainSuffix"
    assert rule("--sniffed-host", "www.blocked.test", "--protocol", "http") == "Match"
    assert rule() == "Match"


@pytest.mark.parametrize("way", ["socks5", "socks4", "http"])
def test_a_client_of_a_proxy_port_is_told_before_it_is_looked_at(box, start, certificate, way):
    start(box.ns, sniffing())
    with TlsHello(box.ns.listen("127.0.0.1", TLS), certificate) as server:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        sock = open_tcp(way, box.ns, cfg.MIXED, "127.0.0.1", TLS)
        with context.wrap_socket(sock, server_hostname="open.test") as tls:
            tls.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert tls.recv(100).startswith(b"HTTP/1.1 200")
        # The rule refuses what was called open: all that is left is to end it.
        sock = open_tcp(way, box.ns, cfg.MIXED, "127.0.0.1", TLS)
        with pytest.raises((ssl.SSLError, ConnectionError)):
            context.wrap_socket(sock, server_hostname="www.blocked.test")
        assert server.asked == ["open.test"]


def test_a_server_that_speaks_first_costs_one_wait_and_after_six_none(box, start):
    def banner(sock):
        sock.sendall(b"SSH-2.0-test\r\n")
        assert receive_exactly(sock, 4) == b"name"
        sock.sendall(b"welcome")

    start(box.ns, sniffing())
    with Scripted(box.ns.listen("127.0.0.1", TLS), banner):

        def visit():
            before = time.monotonic()
            with connect5(box.ns.connect("127.0.0.1", cfg.MIXED), "127.0.0.1", TLS) as sock:
                assert receive_exactly(sock, 14) == b"SSH-2.0-test\r\n"
                took = time.monotonic() - before
                sock.sendall(b"name")
                assert receive_exactly(sock, 7) == b"welcome"
            return took

        # Each worker counts for itself, and there are as many as cores.
        waits = [visit()]
        while waits[-1] > 0.5 and len(waits) < 30:
            waits.append(visit())
        assert len(waits) > 6 and all(0.9 < wait < 2.5 for wait in waits[:-1]), waits
        assert waits[-1] < 0.5, waits


def test_only_flows_of_sniffed_ports_wait(box, start):
    start(box.ns, sniffing())
    with Scripted(box.ns.listen("127.0.0.1", OTHER), lambda sock: sock.sendall(b"hello")):
        before = time.monotonic()
        with connect5(box.ns.connect("127.0.0.1", cfg.MIXED), "127.0.0.1", OTHER) as sock:
            assert receive_exactly(sock, 5) == b"hello"
        assert time.monotonic() - before < 0.5


@pytest.mark.parametrize("port", [TLS, HTTP, OTHER])
def test_b082_bytes_behind_the_head_of_connect_go_first_and_once(box, start, port):
    size = 50 << 20
    start(box.ns, sniffing())
    with TcpSink(box.ns.listen("127.0.0.1", port)):
        sock = box.ns.connect("127.0.0.1", cfg.MIXED)
        pieces = list(chunks(size))
        head = f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
        sock.sendall(head + bytes(pieces[0][:3000]))
        assert b" 200 " in sock.recv(4096)
        sock.sendall(pieces[0][3000:])
        for piece in pieces[1:]:
            sock.sendall(piece)
        sock.shutdown(1)
        assert receive_all(sock).decode() == pattern_digest(size)


def test_a_request_in_single_bytes_arrives_whole(box, start):
    start(box.ns, sniffing())
    request = b"GET / HTTP/1.1\r\nHost: open.test\r\n\r\n"
    with TcpSink(box.ns.listen("127.0.0.1", HTTP)) as sink:
        sock = connect5(box.ns.connect("127.0.0.1", cfg.MIXED), "127.0.0.1", HTTP)
        for byte in request:
            sock.sendall(bytes([byte]))
        sock.shutdown(1)
        assert receive_all(sock).decode() == hashlib.sha256(request).hexdigest()
        assert sink.peers


@pytest.mark.parametrize("rule, open_for", [
    ("PROTOCOL,http,REJECT", {"tls"}),
    ("PROTOCOL,TLS/quic,REJECT", {"http"}),
    ("PROTOCOL,bittorrent,REJECT", {"http", "tls"}),
])
def test_rules_by_protocol_need_no_sniffer(box, start, certificate, rule, open_for):
    router = start(box.ns, sniffing([rule, "MATCH,DIRECT"], enable=False))
    with Origin(box.ns.listen("127.0.0.1", OTHER)):
        through = ["-x", f"socks5://127.0.0.1:{cfg.MIXED}"]
        plain = box.ns.run("curl", "-sS", *through, f"http://127.0.0.1:{OTHER}/", check=False)
        assert (plain.returncode == 0) == ("http" in open_for)
    with TlsHello(box.ns.listen("127.0.0.1", TLS), certificate):
        secure = box.ns.run("curl", "-sSk", *through, f"https://127.0.0.1:{TLS}/", check=False)
        assert (secure.returncode == 0) == ("tls" in open_for)
    for protocol in ("http", "tls"):
        found = router.json("explain", f"127.0.0.1:{TLS}", "--protocol", protocol)
        assert (found["rule"] == "Match") == (protocol in open_for)


def test_datagrams_are_kept_until_quic_names_its_host(lab, start):
    router = by_tproxy(lab, start, sniffing(["DOMAIN,other.test,REJECT", "MATCH,DIRECT"]))
    hello = captured("quic-chromium")
    assert len(hello) == 2
    with UdpEcho(lab.wan.udp(net.WAN4, QUIC)) as echo:
        client = lab.lan.udp()
        client.connect((net.WAN4, QUIC))
        client.send(hello[1])  # the host's name lies in the other one
        client.settimeout(0.5)
        with pytest.raises(TimeoutError):
            client.recv(4096)
        client.send(hello[0])
        client.settimeout(5)
        assert [client.recv(4096), client.recv(4096)] == [hello[1], hello[0]]
        assert [payload for payload, _ in echo.seen] == [hello[1], hello[0]]
        flow = router.flows(network="udp", destinationIP=net.WAN4)[0]
        assert flow["metadata"]["sniffHost"] == "capture.test"


def test_rules_refuse_quic_by_its_host_and_other_datagrams_by_protocol(lab, start):
    by_tproxy(lab, start, sniffing(
        ["DOMAIN,capture.test,REJECT", "PROTOCOL,stun/dtls,REJECT", "MATCH,DIRECT"]))

    def passes(name, port):
        client = lab.lan.udp(limit=1.0)
        client.connect((net.WAN4, port))
        sent = captured(name)[0]
        client.send(sent)
        try:
            return client.recv(4096) == sent
        except TimeoutError:
            return False

    with UdpEcho(lab.wan.udp(net.WAN4, QUIC)), UdpEcho(lab.wan.udp(net.WAN4, OTHER)):
        assert not passes("quic-aioquic-v1", QUIC)
        assert passes("quic-aioquic-v1", OTHER)  # no sniffed port
        assert not passes("stun-aioice", OTHER)
        assert not passes("dtls-openssl", OTHER)
        assert passes("utp-libtorrent", OTHER)


def test_switching_it_changes_new_flows_only(box, start, certificate):
    router = start(box.ns, sniffing(enable=False))
    through = ["-x", f"socks5://127.0.0.1:{cfg.MIXED}"]
    with TlsHello(box.ns.listen("127.0.0.1", TLS), certificate) as server:
        held = connect5(box.ns.connect("127.0.0.1", cfg.MIXED), "127.0.0.1", TLS)

        def is_open():
            return curl(box.ns, "www.blocked.test", TLS, "127.0.0.1", *through).stdout == "hi"

        assert is_open()
        router.apply(sniffing())
        assert not is_open()
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with context.wrap_socket(held, server_hostname="www.blocked.test") as tls:
            tls.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert tls.recv(100).startswith(b"HTTP/1.1 200")
        router.apply(sniffing(skip_domain=["+.blocked.test"]))
        assert is_open()
        assert len(server.asked) == 3
