"""A scan from the WAN, all ports, TCP and UDP, v4 and v6: nothing is open."""

import errno
import selectors
import socket

import pytest

from support import config as cfg
from support import lab as net
from support.mock_dns import DnsUpstream

FAMILIES = {"v4": net.ROUTER4, "v6": net.ROUTER6}
BATCH = 512


@pytest.fixture
def lab_with_router(lab, start):
    with DnsUpstream(lab.wan, net.UPSTREAM4):
        start(lab.router, cfg.gateway(net.UPSTREAM4))
        yield lab


def open_tcp_ports(namespace, address, ports):
    """The ports that accept, by connecting to all of them a batch at a time."""
    found = []
    for begin in range(0, len(ports), BATCH):
        found += namespace.inside(lambda: _connect_batch(address, ports[begin : begin + BATCH]))
    return found


def _connect_batch(address, ports):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    found = []
    with selectors.DefaultSelector() as waiting:
        for port in ports:
            sock = socket.socket(family, socket.SOCK_STREAM)
            sock.setblocking(False)
            if sock.connect_ex((address, port)) == 0:
                found.append(port)
            waiting.register(sock, selectors.EVENT_WRITE, port)
        # A refusal comes at once; a port whose packets are dropped never answers.
        while waiting.get_map():
            ready = waiting.select(0.3)
            if not ready:
                break
            for key, _ in ready:
                if key.fileobj.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
                    found.append(key.data)
                waiting.unregister(key.fileobj)
                key.fileobj.close()
        for key in list(waiting.get_map().values()):
            key.fileobj.close()
    return found


def answering_udp_ports(namespace, address, ports):
    """The ports that answer a DNS query or a SOCKS datagram from the WAN."""
    query = bytes.fromhex("1234010000010000000000000470616765047465737400" "00010001")

    def probe():
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        found = []
        with socket.socket(family, socket.SOCK_DGRAM) as sock:
            sock.setblocking(False)
            for port in ports:
                try:
                    sock.sendto(query, (address, port))
                except OSError as error:
                    assert error.errno in (errno.ECONNREFUSED, errno.EAGAIN)
            sock.settimeout(1)
            try:
                while True:
                    found.append(sock.recvfrom(2048)[1][1])
            except OSError:
                return found

    return namespace.inside(probe)


@pytest.mark.parametrize("family", FAMILIES)
def test_no_tcp_port_is_open_to_the_wan(lab_with_router, family):
    ports = list(range(1, 65536))
    assert open_tcp_ports(lab_with_router.wan, FAMILIES[family], ports) == []


@pytest.mark.parametrize("family", FAMILIES)
def test_no_udp_port_answers_the_wan(lab_with_router, family):
    ports = list(range(1, 65536))
    for begin in range(0, len(ports), 4096):
        assert answering_udp_ports(
            lab_with_router.wan, FAMILIES[family], ports[begin : begin + 4096]
        ) == []


@pytest.mark.parametrize("family", FAMILIES)
def test_the_scan_itself_finds_an_open_port(lab, family):
    """A scan that cannot find anything proves nothing."""
    listener = lab.router.listen(FAMILIES[family])
    port = listener.getsockname()[1]
    assert open_tcp_ports(lab.wan, FAMILIES[family], [port - 1, port, port + 1]) == [port]
