"""Capture by the router's own table: LAN clients that know nothing of a proxy.

    lan client -- lan0 router (capture, fake-IP DNS) wan0 -- wan: echo, DNS upstream 203.0.113.53
"""

import pytest

from support import config as cfg
from support import lab as net
from support.mock_dns import DnsUpstream, addresses, ask, resolve
from support.servers import Origin, TcpEcho, UdpEcho
from support.traffic import assert_echoes
from support.wait import wait_until

ZONE = {
    "direct.test": {"A": [net.WAN4], "AAAA": [net.WAN6]},
    "four.test": {"A": [net.WAN4]},
    "six.test": {"AAAA": [net.WAN6]},
    "refused.test": {"A": [net.WAN4]},
}
RULES = ("DOMAIN,refused.test,REJECT", "MATCH,DIRECT")


@pytest.fixture
def upstream(lab):
    with DnsUpstream(lab.wan, net.UPSTREAM4, zone=ZONE) as server:
        yield server


def fake(address):
    return address.startswith(("198.18.", "fdfe:dcba:9876:"))


@pytest.mark.parametrize("mode", ["tproxy", "redirect"])
def test_tcp_by_name_in_both_families(lab, start, upstream, mode):
    start(lab.router, cfg.gateway(net.UPSTREAM4, RULES, mode))
    for name, kind, target, seen_from in (
        ("four.test", "A", net.WAN4, net.ROUTER4),
        ("six.test", "AAAA", net.WAN6, net.ROUTER6),
    ):
        address = resolve(lab.lan, net.GATEWAY4, name, kind)
        assert fake(address)
        with TcpEcho(lab.wan.listen(target)) as echo:
            with lab.lan.connect(address, echo.port) as sock:
                assert_echoes(sock)
            assert echo.peers == [seen_from]


@pytest.mark.parametrize("family", ["v4", "v6"])
def test_udp_by_name_and_by_address(lab, start, upstream, family):
    start(lab.router, cfg.gateway(net.UPSTREAM4, RULES))
    name, kind, target = {
        "v4": ("four.test", "A", net.WAN4), "v6": ("six.test", "AAAA", net.WAN6),
    }[family]
    with UdpEcho(lab.wan.udp(target)) as echo:
        for address in (resolve(lab.lan, net.GATEWAY4, name, kind), target):
            client = lab.lan.udp("::" if family == "v6" else "0.0.0.0")
            client.connect((address, echo.port))
            client.send(b"datagram")
            assert client.recv(100) == b"datagram"


def test_router_address_and_dns_over_tcp_and_ipv6_are_served(lab, start, upstream):
    start(lab.router, cfg.gateway(net.UPSTREAM4, RULES))
    for server in (net.GATEWAY4, net.GATEWAY6, net.FAR_DNS4):
        for tcp in (False, True):
            reply = ask(lab.lan, server, "four.test", tcp=tcp)
            assert fake(addresses(reply)[0]), (server, tcp)


def test_a_refused_name_never_reaches_the_wan(lab, start, upstream):
    start(lab.router, cfg.gateway(net.UPSTREAM4, RULES))
    with TcpEcho(lab.wan.listen(net.WAN4)) as echo:
        address = resolve(lab.lan, net.GATEWAY4, "refused.test")
        with pytest.raises(OSError):
            with lab.lan.connect(address, echo.port) as sock:
                assert_echoes(sock)
        assert echo.peers == []


def counted(router, size):
    """The flow to four.test once `size` bytes are shown each way."""
    for flow in router.flows(host="four.test"):
        if flow["upload"] == size and flow["download"] == size:
            return flow
    return None


def test_flows_and_explain_tell_the_same_rule(lab, start, upstream):
    router = start(lab.router, cfg.gateway(net.UPSTREAM4, ("DOMAIN-SUFFIX,four.test,DIRECT",
                                                           "MATCH,REJECT")))
    address = resolve(lab.lan, net.GATEWAY4, "four.test")
    with TcpEcho(lab.wan.listen(net.WAN4)) as echo:
        with lab.lan.connect(address, echo.port) as sock:
            assert_echoes(sock, b"x" * 1000)
            flow = wait_until(lambda: counted(router, 1000), 3, "the bytes are listed")
    meta = flow["metadata"]
    assert (meta["sourceIP"], meta["type"], meta["network"]) == (net.CLIENT4, "TProxy", "tcp")
    assert (flow["rule"], flow["rulePayload"]) == ("DomainSuffix", "four.test")
    assert flow["chains"] == ["DIRECT"]
    assert flow["start"].startswith("20")
    told = router.explain(f"four.test:{echo.port}", source=net.CLIENT4)
    assert (told["rule"], told["rulePayload"], told["chains"]) == (
        flow["rule"], flow["rulePayload"], flow["chains"],
    )
    assert told["index"] == 0 and told["steps"]
    by_address = router.explain(f"{address}:{echo.port}")
    assert by_address["rule"] == "DomainSuffix"


def test_capture_ports_are_closed_to_what_was_not_captured(lab, start, upstream):
    """The listeners are wildcard, on ports that the kernel chose; nobody may dial them."""
    router = start(lab.router, cfg.gateway(net.UPSTREAM4, RULES))
    lines = lab.router.run("ss", "-Hltn").stdout.splitlines()
    ports = {int(line.split()[3].rsplit(":", 1)[1]) for line in lines}
    assert ports
    for port in ports:
        for namespace, address in ((lab.lan, net.GATEWAY4), (lab.lan, net.GATEWAY6),
                                   (lab.wan, net.ROUTER4), (lab.wan, net.ROUTER6)):
            with pytest.raises(OSError):
                namespace.connect(address, port, limit=0.5)
    assert router.flows() == []


def test_b092_a_repeated_query_to_a_foreign_resolver_is_captured_each_time(lab, start, upstream):
    """B092: two queries within a second, from one socket and from two; none leaves the WAN."""
    start(lab.router, cfg.gateway(net.UPSTREAM4, RULES))
    with UdpEcho(lab.wan.udp(net.FAR_DNS4, 53), answer=False) as far:
        own = lab.lan.udp(limit=3)
        for sock in (own, own, None, None):
            assert fake(addresses(ask(lab.lan, net.FAR_DNS4, "four.test", sock=sock))[0])
        assert far.seen == []


def test_b092_repeated_datagrams_of_the_router_itself_follow_the_rules(lab, start, upstream):
    """B092 with router-traffic. The router's own queries are not hijacked (its resolver would loop)
    but captured: the second datagram of a socket is no more exempt than the first."""
    rules = (f"IP-CIDR,{net.FAR_DNS4}/32,REJECT", "MATCH,DIRECT")
    start(lab.router, cfg.gateway(net.UPSTREAM4, rules, capture_keys={"router_traffic": True}))
    with UdpEcho(lab.wan.udp(net.FAR_DNS4, 53), answer=False) as far:
        own = lab.router.udp(limit=0.5)
        for sock in (own, own, None, None):
            with pytest.raises(OSError):
                ask(lab.router, net.FAR_DNS4, "four.test", sock=sock, limit=0.5)
        assert far.seen == []
    with TcpEcho(lab.wan.listen(net.WAN4)) as good:
        with lab.router.connect(net.WAN4, good.port) as sock:
            assert_echoes(sock)


@pytest.mark.parametrize("family", ["v4", "v6"])
def test_b094_replies_of_inbound_flows_take_the_original_path(lab, start, upstream, family):
    """B094: a WAN host opens UDP to a LAN host; its replies bypass us; own flows do not."""
    client, outside = {"v4": (net.CLIENT4, net.WAN4), "v6": (net.CLIENT6, net.WAN6)}[family]
    router = start(lab.router, cfg.gateway(net.UPSTREAM4, ("MATCH,DIRECT",)))
    with UdpEcho(lab.lan.udp(client)) as service:
        caller = lab.wan.udp(outside)
        caller.sendto(b"in", (client, service.port))
        data, peer = caller.recvfrom(100)
        assert (data, peer[0]) == (b"in", client)
        assert router.flows(network="udp") == []
        service.sock.sendto(b"more", caller.getsockname())
        assert caller.recvfrom(100)[1][0] == client
        fresh = lab.lan.udp(client)
        fresh.sendto(b"own", caller.getsockname()[:2])
        assert caller.recvfrom(100)[1][0] in (net.ROUTER4, net.ROUTER6)


@pytest.mark.parametrize("chains", ["lan", "lan-and-router"])
def test_b095_connections_begun_outside_are_exempt_in_both_families(lab, start, upstream, chains):
    """B095: TCP from the WAN to a router port and to a LAN host, with both chains captured."""
    start(lab.router, cfg.gateway(net.UPSTREAM4, ("MATCH,REJECT",),
                                  capture_keys={"router_traffic": chains != "lan"}))
    for host, address in ((lab.router, net.ROUTER4), (lab.router, net.ROUTER6),
                          (lab.lan, net.CLIENT4), (lab.lan, net.CLIENT6)):
        with Origin(host.listen(address)) as origin:
            url = f"http://{'[' + address + ']' if ':' in address else address}:{origin.port}/200"
            assert lab.wan.run("curl", "-sS", "--max-time", "5", url).stdout == "status 200\n"


def test_ping_of_a_real_address_passes_unchanged(lab, start, upstream):
    start(lab.router, cfg.gateway(net.UPSTREAM4, RULES))
    for address in (net.WAN4, net.WAN6):
        lab.lan.run("ping", "-c", "1", "-W", "2", address)
