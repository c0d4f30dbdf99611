"""Every proxy port, as a general key and as a `listeners:` entry, with every protocol it speaks.

    client -- 127.0.0.1:port -- router -- 127.0.0.1 or ::1 echo        (one namespace)
"""

import pytest

from support import config as cfg
from support.router import Router
from support.servers import Origin, TcpEcho, UdpEcho
from support.socks import Association, Refused
from support.traffic import assert_echoes, receive_all, receive_until
from support.ways import HttpRefused, connect_http, open_tcp

HOSTS = {"four.test": "127.0.0.1", "six.test": "::1"}
PORTS = {"http": cfg.HTTP, "socks": cfg.SOCKS, "mixed": cfg.MIXED}
SPEAKS = {"http": ["http"], "socks": ["socks4", "socks5"], "mixed": ["http", "socks4", "socks5"]}
TARGETS = {"v4": "127.0.0.1", "v6": "::1", "name-v4": "four.test", "name-v6": "six.test"}
TCP_CASES = [
    (kind, way, family)
    for kind, ways in SPEAKS.items()
    for way in ways
    for family in TARGETS
    if not (way == "socks4" and family == "v6")  # SOCKS4 has no IPv6 address form
]


def inbound_config(shape, kind, rules=("MATCH,DIRECT",)):
    config = {"mode": "rule", "ipv6": True, "hosts": HOSTS, "rules": list(rules)}
    if shape == "key":
        config["port" if kind == "http" else f"{kind}-port"] = PORTS[kind]
    else:
        config["listeners"] = [
            {"name": "in", "type": kind, "listen": "127.0.0.1", "port": PORTS[kind], "udp": True}
        ]
    return config


@pytest.mark.parametrize("shape", ["key", "listener"])
@pytest.mark.parametrize("kind", list(PORTS))
def test_every_protocol_of_a_port_reaches_every_kind_of_target(box, start, shape, kind):
    start(box.ns, inbound_config(shape, kind))
    with TcpEcho(box.ns.listen("127.0.0.1")) as four, TcpEcho(box.ns.listen("::1")) as six:
        for _, way, family in (case for case in TCP_CASES if case[0] == kind):
            port = four.port if family.endswith("v4") else six.port
            with open_tcp(way, box.ns, PORTS[kind], TARGETS[family], port) as sock:
                assert_echoes(sock, f"{way} {family}".encode())


@pytest.mark.parametrize("shape", ["key", "listener"])
@pytest.mark.parametrize("kind", ["socks", "mixed"])
def test_udp_associate_reaches_every_kind_of_target(box, start, shape, kind):
    start(box.ns, inbound_config(shape, kind))
    with UdpEcho(box.ns.udp("127.0.0.1")) as four, UdpEcho(box.ns.udp("::1")) as six:
        with Association(box.ns, "127.0.0.1", PORTS[kind]) as client:
            for family, target in TARGETS.items():
                port = four.port if family.endswith("v4") else six.port
                client.send(target, port, family.encode())
                source, data = client.receive()
                assert data == family.encode()
                assert source[1] == port


def test_http_port_forwards_absolute_form_requests_over_one_connection(box, start):
    start(box.ns, inbound_config("key", "http"))
    with Origin(box.ns.listen("127.0.0.1")) as origin:
        with box.ns.connect("127.0.0.1", cfg.HTTP) as sock:
            request = f"GET http://four.test:{origin.port}/201 HTTP/1.1\r\nHost: x\r\n"
            sock.sendall(f"{request}\r\n".encode())
            assert receive_until(sock, b"status 201\n").startswith(b"HTTP/1.1 201")
            sock.sendall(f"{request}Connection: close\r\n\r\n".encode())
            assert receive_all(sock).startswith(b"HTTP/1.1 201")
        assert [r[1] for r in origin.requests] == ["/201", "/201"]


@pytest.mark.parametrize("policy", ["REJECT", "REJECT-DROP"])
def test_a_rejected_target_is_never_dialled(box, start, policy):
    start(box.ns, inbound_config("key", "mixed", [f"MATCH,{policy}"]))
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        for way in SPEAKS["mixed"]:
            try:
                with open_tcp(way, box.ns, cfg.MIXED, "127.0.0.1", echo.port, limit=1.5) as sock:
                    assert sock.recv(1) == b""
            except (OSError, HttpRefused, Refused):
                continue  # refused in the protocol, closed, or held without an answer
        assert echo.peers == []


def test_a_listeners_own_rules_decide_what_comes_by_it(box, start):
    config = inbound_config("listener", "mixed", rules=["MATCH,REJECT"])
    guests = dict(config["listeners"][0], name="guests", port=cfg.SOCKS, rule="friendly")
    config["listeners"].append(guests)
    config["sub-rules"] = {"friendly": ["DST-PORT,1,REJECT", "MATCH,DIRECT"]}
    router = start(box.ns, config)
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo, UdpEcho(box.ns.udp("127.0.0.1")) as datagrams:
        with open_tcp("socks5", box.ns, cfg.SOCKS, "127.0.0.1", echo.port) as sock:
            assert_echoes(sock)
            flow = router.flows(sourcePort=sock.getsockname()[1])[0]
            assert (flow["rule"], flow["metadata"]["inboundName"]) == ("Match", "guests")
        with Association(box.ns, "127.0.0.1", cfg.SOCKS) as association:
            association.send("127.0.0.1", datagrams.port, b"datagram")
            assert association.receive()[1] == b"datagram"
        with pytest.raises(Refused):
            open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port)
        target = f"127.0.0.1:{echo.port}"
        told = router.json("explain", target, "--listener", "guests")
        assert (told["list"], told["index"], told["chains"]) == ("friendly", 1, ["DIRECT"])
        assert router.json("explain", target, "--listener", "in")["chains"] == ["REJECT"]


def test_without_allow_lan_the_port_is_on_loopback_only(lab, start):
    start(lab.router, inbound_config("key", "mixed"))
    with pytest.raises(OSError):
        lab.lan.connect("192.168.77.1", cfg.MIXED, limit=2)


def test_with_allow_lan_a_lan_client_is_served_in_both_families(lab, start):
    start(lab.router, {**inbound_config("key", "mixed"), "allow-lan": True})
    for gateway, target in (("192.168.77.1", "203.0.113.2"), ("fd77::1", "2001:db8:203::2")):
        with TcpEcho(lab.wan.listen(target)) as echo:
            with connect_http(lab.lan.connect(gateway, cfg.MIXED), target, echo.port) as sock:
                assert_echoes(sock)


def test_two_routers_cannot_share_a_port(box, start):
    start(box.ns, inbound_config("key", "mixed"), name="first")
    second = Router(box.ns, inbound_config("key", "mixed"), name="second")
    try:
        second.start(wait=False)
        second.process.wait(15)
        assert second.process.returncode != 0
        assert str(cfg.MIXED) in second.log()
    finally:
        second.stop(clean=False)
