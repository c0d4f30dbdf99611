"""The lab itself, with nothing of ours in the middle: what the other tests build on."""

from support import lab as net
from support.mock_dns import DnsUpstream, addresses, ask
from support.netns import command
from support.servers import Origin, TcpEcho, TcpSink, TcpSource, UdpEcho
from support.socks import Association, MockSocks5, connect5
from support.traffic import assert_downloads, assert_echoes, assert_uploads


def test_lan_reaches_the_wan_plainly_in_both_families(lab):
    for target, client in ((net.WAN4, net.CLIENT4), (net.WAN6, net.CLIENT6)):
        with TcpEcho(lab.wan.listen(target)) as echo:
            with lab.lan.connect(target, echo.port) as sock:
                assert_echoes(sock)
            assert echo.peers == [client]


def test_udp_crosses_the_lab_in_both_families(lab):
    for target, client in ((net.FAR4, net.SECOND4), (net.FAR6, net.SECOND6)):
        with UdpEcho(lab.wan.udp(target)) as echo:
            sock = lab.lan.udp(client)
            sock.sendto(b"ping", (target, echo.port))
            assert sock.recv(100) == b"ping"
            assert echo.seen[0][1][0] == client


def test_programs_of_a_namespace_use_its_own_resolver(lab):
    zone = {"page.test": {"A": [net.WAN4]}}
    lab.lan.set_resolver(net.UPSTREAM4)
    with DnsUpstream(lab.wan, net.UPSTREAM4, zone=zone) as upstream:
        with Origin(lab.wan.listen(net.WAN4, 80)):
            page = lab.lan.run("curl", "-sS", "--max-time", "5", "http://page.test/").stdout
    assert page == "hello from page.test\n"
    assert upstream.count("page.test", "A") == 1


def test_mock_upstream_answers_over_tcp_and_counts(lab):
    zone = {"v6.test": {"AAAA": [net.WAN6]}}
    with DnsUpstream(lab.wan, net.UPSTREAM4, zone=zone) as upstream:
        reply = ask(lab.lan, net.UPSTREAM4, "v6.test", "AAAA", tcp=True)
        assert addresses(reply) == [net.WAN6]
        assert addresses(ask(lab.lan, net.UPSTREAM4, "v6.test", "A")) == []
        assert upstream.queries == [("v6.test", "AAAA", "tcp"), ("v6.test", "A", "udp")]


def test_mock_socks_server_relays_tcp_udp_and_half_close(box):
    size = 3_000_000
    with MockSocks5(box.ns, "127.0.0.2") as node:
        with TcpSink(box.ns.listen("127.0.0.1")) as sink:
            assert_uploads(connect5(box.ns.connect("127.0.0.2", node.port), "127.0.0.1", sink.port),
                           size)
        with TcpSource(box.ns.listen("127.0.0.1"), size) as source:
            assert_downloads(
                connect5(box.ns.connect("127.0.0.2", node.port), "127.0.0.1", source.port), size
            )
        with UdpEcho(box.ns.udp("127.0.0.1")) as echo:
            with Association(box.ns, "127.0.0.2", node.port) as client:
                client.send("127.0.0.1", echo.port, b"datagram")
                assert client.receive() == (("127.0.0.1", echo.port), b"datagram")


def test_nothing_of_the_lab_outlives_it():
    with net.Lab() as network:
        names = [network.lan.name, network.router.name, network.wan.name]
        sleeper = network.lan.popen("sleep", "100")
        network.wan.listen("0.0.0.0", 80)
    left = command("ip", "netns", "list")
    assert not any(name in left for name in names)
    assert sleeper.poll() is not None
