"""Users who bring their own nft rules for redir-port and tproxy-port.

    lan client -- lan0 [user's nft rules] router -- wan0 -- wan echo
"""

import pytest

from support import config as cfg
from support import lab as net
from support.servers import TcpEcho, UdpEcho
from support.traffic import assert_echoes
from support.user_rules import redirect_to, tproxy_to

FAMILIES = {"v4": (net.WAN4, net.ROUTER4), "v6": (net.WAN6, net.ROUTER6)}


def inbound_config(kind, shape):
    port = {"redir": cfg.REDIR, "tproxy": cfg.TPROXY}[kind]
    config = {"mode": "rule", "ipv6": True, "allow-lan": True, "rules": ["MATCH,DIRECT"]}
    if shape == "key":
        config[f"{kind}-port"] = port
    else:
        config["listeners"] = [
            {"name": "mine", "type": kind, "listen": "::", "port": port, "udp": True}
        ]
    return config, port


@pytest.mark.parametrize("shape", ["key", "listener"])
@pytest.mark.parametrize("family", FAMILIES)
def test_redirected_tcp_reaches_its_original_destination(lab, start, shape, family):
    config, port = inbound_config("redir", shape)
    redirect_to(lab.router, port)
    router = start(lab.router, config)
    target, seen_from = FAMILIES[family]
    with TcpEcho(lab.wan.listen(target)) as echo:
        with lab.lan.connect(target, echo.port) as sock:
            assert_echoes(sock)
            flow = router.flows(destinationIP=target)[0]
            assert flow["metadata"]["type"] == "Redir"
        assert echo.peers == [seen_from]


@pytest.mark.parametrize("shape", ["key", "listener"])
@pytest.mark.parametrize("family", FAMILIES)
def test_tproxied_tcp_and_udp_reach_their_original_destination(lab, start, shape, family):
    config, port = inbound_config("tproxy", shape)
    tproxy_to(lab.router, port)
    router = start(lab.router, config)
    target, seen_from = FAMILIES[family]
    with TcpEcho(lab.wan.listen(target)) as echo, UdpEcho(lab.wan.udp(target)) as datagrams:
        with lab.lan.connect(target, echo.port) as sock:
            assert_echoes(sock)
            assert router.flows(destinationIP=target, network="tcp")[0]["metadata"]["type"] == "TProxy"
        client = lab.lan.udp("::" if family == "v6" else "0.0.0.0")
        client.connect((target, datagrams.port))  # takes replies of exactly this peer
        client.send(b"datagram")
        assert client.recv(100) == b"datagram"
        assert echo.peers == [seen_from]
        assert datagrams.seen[0][1][0] == seen_from


def tproxy_listener(general=None, **keys):
    listener = {"name": "mine", "type": "tproxy", "listen": "::", "port": cfg.TPROXY}
    config, _ = inbound_config("tproxy", "listener")
    return {**config, "listeners": [{**listener, **keys}], **(general or {})}


def is_answered(client, target, port):
    client.sendto(b"datagram", (target, port))
    try:
        return client.recv(100) == b"datagram"
    except TimeoutError:
        return False


def test_a_tproxy_listeners_proxy_takes_its_datagrams_too(lab, start):
    tproxy_to(lab.router, cfg.TPROXY)
    router = start(lab.router, tproxy_listener(proxy="REJECT"))
    with UdpEcho(lab.wan.udp(net.WAN4)) as near, UdpEcho(lab.wan.udp(net.FAR4)) as far:
        client = lab.lan.udp(limit=1)
        assert not is_answered(client, net.WAN4, near.port)
        assert near.seen == []
        router.apply(tproxy_listener())
        assert is_answered(client, net.FAR4, far.port), "the client's next destination"
        assert is_answered(lab.lan.udp(limit=3), net.WAN4, near.port)
        router.apply(tproxy_listener(proxy="REJECT"))
        assert not is_answered(lab.lan.udp(limit=1), net.WAN4, near.port)
        assert len(near.seen) == 1


def test_datagrams_of_sources_that_may_not_use_a_tproxy_listener_are_dropped(lab, start):
    tproxy_to(lab.router, cfg.TPROXY)
    start(lab.router, tproxy_listener({"lan-disallowed-ips": [f"{net.SECOND4}/32"]}))
    with UdpEcho(lab.wan.udp(net.WAN4)) as echo:
        assert not is_answered(lab.lan.udp(net.SECOND4, limit=1), net.WAN4, echo.port)
        assert is_answered(lab.lan.udp(net.CLIENT4, limit=3), net.WAN4, echo.port)
        assert len(echo.seen) == 1


def test_a_connection_to_the_redirect_port_itself_is_closed(lab, start):
    config, port = inbound_config("redir", "key")
    start(lab.router, config)
    with lab.lan.connect(net.GATEWAY4, port) as sock:
        sock.sendall(b"not redirected")
        try:
            assert sock.recv(1) == b""
        except ConnectionResetError:
            pass  # closed with bytes unread


def test_b091_a_service_on_the_wildcard_does_not_shield_its_port(lab, start):
    """B091: only a socket bound exactly to the packet's destination is left alone."""
    config, port = inbound_config("tproxy", "key")
    config["rules"] = [f"IP-CIDR,{net.FAR4}/32,REJECT", "MATCH,DIRECT"]
    tproxy_to(lab.router, port)
    lab.router.popen("socat", "-u", "UDP4-RECVFROM:5000,fork", "OPEN:/dev/null")
    lab.router.popen("dnsmasq", "-k", "--conf-file=/dev/null", "--port=53", "--no-resolv",
                     "--no-hosts", "--pid-file=")
    start(lab.router, config)
    with UdpEcho(lab.wan.udp(net.FAR4, 5000)) as plain, UdpEcho(lab.wan.udp(net.FAR4, 53)) as dns:
        client = lab.lan.udp(limit=1)
        for port in (5000, 53):
            client.sendto(b"probe", (net.FAR4, port))
            with pytest.raises(OSError):
                client.recv(100)
        assert plain.seen == [] and dns.seen == []
