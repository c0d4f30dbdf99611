"""Cases B067, B068, B076, B088: SOCKS5 UDP as clients of the field send it."""

import pytest

from support import config as cfg
from support import lab as net
from support import proc
from support.paths import read_hex
from support.servers import DatagramServer, UdpEcho
from support.socks import ASSOCIATE, Association, MockSocks5, connect5, hello5, read_address
from support.traffic import receive_exactly
from support.wait import wait_until

ECHO_PORT = 19001  # the address inside the case files is 127.0.0.1:19001


def test_b067_associate_names_an_address_the_client_can_reach(lab, start):
    """B067 from another host: BND.ADDR is where the TCP connection came in."""
    start(lab.router, cfg.base(allow_lan=True))
    for gateway, target in ((net.GATEWAY4, net.WAN4), (net.GATEWAY6, net.WAN6)):
        with UdpEcho(lab.wan.udp(target)) as echo:
            with Association(lab.lan, gateway, cfg.MIXED) as client:
                assert client.relay[0] == gateway
                assert client.relay[1] != 0
                client.send(target, echo.port, b"probe")
                assert client.receive() == ((target, echo.port), b"probe")


def test_b067_the_first_datagram_fixes_the_port_and_other_hosts_are_dropped(box, start):
    """B067 with the case's own bytes, from 127.0.0.3; a stranger on 127.0.0.4 gets nothing."""
    start(box.ns, cfg.base())
    greeting, associate, datagram = read_hex("B067.hex")
    with UdpEcho(box.ns.udp("127.0.0.1", ECHO_PORT)) as echo:
        control = box.ns.connect("127.0.0.1", cfg.MIXED, source="127.0.0.3")
        control.sendall(greeting)
        assert receive_exactly(control, 2) == b"\x05\x00"
        control.sendall(associate)
        assert receive_exactly(control, 3) == b"\x05\x00\x00"
        relay = read_address(control)
        assert relay[0] == "127.0.0.1" and relay[1] != 0
        stranger, client = box.ns.udp("127.0.0.4", limit=0.5), box.ns.udp("127.0.0.3")
        stranger.sendto(datagram, relay)
        client.sendto(datagram, relay)
        assert client.recv(100) == datagram  # a reply carries the echo's address: the same bytes
        late = box.ns.udp("127.0.0.3", limit=0.5)  # same host, other port
        late.sendto(datagram, relay)
        for sock in (stranger, late):
            with pytest.raises(OSError):
                sock.recv(100)
        assert [data for data, _ in echo.seen] == [b"probe"]


def test_b068_a_node_that_answers_0_0_0_0_is_sent_datagrams_at_its_own_address(box, start):
    """B068: RFC 1928 leaves it open; the node's address is the only sensible reading."""
    with MockSocks5(box.ns, "127.0.0.2") as node:
        node.associate_reply = "0.0.0.0"
        start(box.ns, cfg.base(["MATCH,node"],
                               proxies=[cfg.socks_node("node", "127.0.0.2", node.port)]))
        with UdpEcho(box.ns.udp("127.0.0.1")) as echo:
            with Association(box.ns, "127.0.0.1", cfg.MIXED) as client:
                client.send("127.0.0.1", echo.port, b"through the node")
                assert client.receive() == (("127.0.0.1", echo.port), b"through the node")
        assert len(node.datagrams) == 1


@pytest.mark.parametrize("name, payload", [("zero", b"\x00\x00\x01\x02"), ("empty", b"")])
def test_b076_odd_payloads_arrive_unchanged(box, start, name, payload):
    start(box.ns, cfg.base())
    with UdpEcho(box.ns.udp("127.0.0.1", ECHO_PORT)) as echo:
        with Association(box.ns, "127.0.0.1", cfg.MIXED) as client:
            client.send_raw(read_hex(f"B076-{name}.hex")[0])
            assert client.receive() == (("127.0.0.1", ECHO_PORT), payload)
        assert [data for data, _ in echo.seen] == [payload]


@pytest.mark.parametrize("name", ["frag", "rsv", "runt", "domlen"])
def test_b076_bad_headers_are_dropped_and_the_association_goes_on(box, start, name):
    start(box.ns, cfg.base())
    with UdpEcho(box.ns.udp("127.0.0.1", ECHO_PORT)) as echo:
        with Association(box.ns, "127.0.0.1", cfg.MIXED) as client:
            client.send_raw(read_hex(f"B076-{name}.hex")[0])
            client.send("127.0.0.1", ECHO_PORT, b"after")
            assert client.receive()[1] == b"after"
        assert [data for data, _ in echo.seen] == [b"after"]


@pytest.mark.parametrize("policy", ["DIRECT", "node"])
def test_b088_one_client_port_is_one_mapping_for_500_destinations(box, start, policy):
    """B088: a few sockets or one ASSOCIATE; each reply names its own source."""
    count = 500
    with MockSocks5(box.ns, "127.0.0.2") as node, _EchoOnManyAddresses(box.ns, count) as echo:
        router = start(box.ns, cfg.base([f"MATCH,{policy}"],
                                        proxies=[cfg.socks_node("node", "127.0.0.2", node.port)]))
        dataplane = router.pid("dataplane")
        with Association(box.ns, "127.0.0.1", cfg.MIXED) as client:
            before = len(proc.open_files(dataplane))
            sources = set()
            for host in echo.hosts:
                client.send(host, echo.port, host.encode())
                source, data = client.receive()
                assert data == host.encode() and source == (host, echo.port)
                sources.add(source)
            assert len(sources) == count
            assert len(proc.open_files(dataplane)) - before <= 5
        if policy == "node":
            assert [request[0] for request in node.requests] == [ASSOCIATE]
            assert len(node.datagrams) == count


class _EchoOnManyAddresses(DatagramServer):
    """One echo port on 127.1.0.0/16 that answers from the address that was asked."""

    IP_PKTINFO = 8

    def __init__(self, namespace, count):
        self.hosts = [f"127.1.{index // 250}.{index % 250 + 1}" for index in range(count)]
        sock = namespace.udp("0.0.0.0")
        sock.setsockopt(0, self.IP_PKTINFO, 1)
        super().__init__(sock)

    def _run(self):
        while True:
            try:
                data, control, _flags, peer = self.sock.recvmsg(2048, 128)
            except OSError:
                return
            if not control:
                return
            # struct in_pktinfo: ifindex(4) local address(4) header address(4)
            info = control[0][2]
            reply = bytes(4) + info[8:12] + bytes(4)
            self.sock.sendmsg([data], [(0, self.IP_PKTINFO, reply)], 0, peer)


def test_b088_closing_the_control_connection_ends_the_mapping(box, start):
    router = start(box.ns, cfg.base())
    with UdpEcho(box.ns.udp("127.0.0.1")) as echo:
        with Association(box.ns, "127.0.0.1", cfg.MIXED) as client:
            client.send("127.0.0.1", echo.port, b"x")
            client.receive()
            assert router.flows(network="udp")
        wait_until(lambda: not router.flows(network="udp"), 3, "the association ends")


def test_a_wrong_password_is_refused_and_a_right_one_served(box, start):
    router = start(box.ns, cfg.base(authentication=["user:pass"]))
    with UdpEcho(box.ns.udp("127.0.0.1")) as echo:
        with Association(box.ns, "127.0.0.1", cfg.MIXED, login=("user", "pass")) as client:
            client.send("127.0.0.1", echo.port, b"x")
            assert client.receive()[1] == b"x"
        for login in (("user", "wrong"), ("other", "pass")):
            with pytest.raises(Exception, match="SOCKS reply"):
                hello5(box.ns.connect("127.0.0.1", cfg.MIXED), login)
        with pytest.raises(Exception, match="SOCKS reply|end of stream"):
            connect5(box.ns.connect("127.0.0.1", cfg.MIXED), "127.0.0.1", 9)
    assert router.flows() == []
