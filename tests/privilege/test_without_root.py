"""Without root everything that needs none works, and what does not is said once, clearly."""

import os
import stat

import pytest

from support import config as cfg
from support import lab as net
from support import proc
from support.mock_dns import DnsUpstream, resolve
from support.servers import TcpEcho, UdpEcho
from support.socks import Association
from support.traffic import assert_echoes
from support.ways import open_tcp

UID = 64322  # nobody's


def test_proxy_ports_dns_and_the_command_line_work(box, start):
    zone = {"page.test": {"A": ["127.0.0.1"]}}
    with DnsUpstream(box.ns, "127.0.0.1", 15353, zone=zone):
        router = start(box.ns, cfg.base(dns=cfg.dns("127.0.0.1:15353")), uid=UID)
        assert resolve(box.ns, "127.0.0.1", "page.test", port=cfg.DNS).startswith("198.18.")
        with TcpEcho(box.ns.listen("127.0.0.1")) as echo, UdpEcho(box.ns.udp("127.0.0.1")) as udp:
            for way in ("http", "socks5"):
                with open_tcp(way, box.ns, cfg.MIXED, "page.test", echo.port) as sock:
                    assert_echoes(sock)
            with Association(box.ns, "127.0.0.1", cfg.MIXED) as client:
                client.send("page.test", udp.port, b"datagram")
                assert client.receive()[1] == b"datagram"
        assert router.status()["generation"] > 0


@pytest.mark.parametrize("role", ["dataplane", "controlplane"])
def test_the_processes_have_no_capability_and_are_filtered(box, start, role):
    router = start(box.ns, cfg.base(), uid=UID)
    status = proc.status(router.pid(role))
    assert status["Uid"].split() == [str(UID)] * 4
    assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 0
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")


def test_its_sockets_are_its_own(box, start):
    router = start(box.ns, cfg.base(), uid=UID)
    for path in router.run_dir.rglob("*.sock"):
        assert os.stat(path).st_uid == UID
        assert not stat.S_IMODE(os.stat(path).st_mode) & 0o006, path


def test_capture_without_root_is_said_once_and_the_rest_works(lab, start):
    config = {**cfg.gateway(net.UPSTREAM4), "allow-lan": True}
    with DnsUpstream(lab.wan, net.UPSTREAM4):
        router = start(lab.router, config, uid=UID, captures=False)
        said = [line for line in router.log().splitlines() if "capture" in line.lower()]
        assert len(said) == 1 and "root" in said[0], said
        assert router.status()["capture"] != "on"
        with TcpEcho(lab.wan.listen(net.WAN4)) as echo:
            with open_tcp("http", lab.lan, cfg.MIXED, net.WAN4, echo.port,
                          server=net.GATEWAY4) as sock:
                assert_echoes(sock)
            with lab.lan.connect(net.WAN4, echo.port) as sock:
                assert_echoes(sock)
            assert echo.peers == [net.ROUTER4, net.CLIENT4]
