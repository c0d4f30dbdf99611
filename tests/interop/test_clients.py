"""Programs people use, as clients: curl, dig, socat, iperf3."""

import hashlib
import json

import pytest

from interop.peers import iperf_server, wait_listening
from support import config as cfg
from support import lab as net
from support.mock_dns import DnsUpstream
from support.netns import bracketed
from support.servers import Origin, TcpEcho

ZONE = {"page.test": {"A": ["127.0.0.1"], "AAAA": ["::1"]}}


@pytest.fixture
def router(box, start):
    with DnsUpstream(box.ns, "127.0.0.1", 15353, zone=ZONE) as upstream:
        box.upstream = upstream
        yield start(box.ns, cfg.base(dns=cfg.dns("127.0.0.1:15353")))


@pytest.mark.parametrize("scheme", ["socks4", "socks4a", "socks5", "socks5h", "http"])
def test_curl_fetches_by_every_scheme(router, box, scheme):
    with Origin(box.ns.listen("127.0.0.1")) as origin:
        host = "page.test" if scheme in ("socks4a", "socks5h", "http") else "127.0.0.1"
        page = box.ns.run("curl", "-sS", "--max-time", "10", "-x",
                          f"{scheme}://127.0.0.1:{cfg.MIXED}", f"http://{host}:{origin.port}/200")
        assert page.stdout == "status 200\n"


@pytest.mark.parametrize("scheme", ["socks5", "http"])
def test_curl_fetches_from_ipv6(router, box, scheme):
    with Origin(box.ns.listen("::1")) as origin:
        page = box.ns.run("curl", "-sS", "--max-time", "10", "-x",
                          f"{scheme}://127.0.0.1:{cfg.MIXED}", f"http://[::1]:{origin.port}/200")
        assert page.stdout == "status 200\n"


def test_curl_with_a_tunnel_and_keep_alive(router, box):
    with Origin(box.ns.listen("127.0.0.1")) as origin:
        url = f"http://page.test:{origin.port}"
        result = box.ns.run("curl", "-sSv", "--max-time", "10", "-p", "-x",
                            f"http://127.0.0.1:{cfg.MIXED}", f"{url}/200", f"{url}/201")
        assert result.stdout == "status 200\nstatus 201\n"
        assert result.stderr.count("CONNECT page.test") == 1 or "Re-using" in result.stderr


@pytest.mark.parametrize("flags", [["+notcp"], ["+tcp"], ["+edns=0"], ["+noedns"]])
def test_dig_gets_clean_fake_answers(router, box, flags):
    result = box.ns.run("dig", "+time=3", "+tries=1", *flags, "@127.0.0.1", "-p", cfg.DNS,
                        "page.test")
    assert "status: NOERROR" in result.stdout and "198.18." in result.stdout
    assert "WARNING" not in result.stdout and "Got bad packet" not in result.stdout
    assert " ra" in next(line for line in result.stdout.splitlines() if "flags:" in line)


def test_dig_v6_pool_other_types_and_unknown_names(router, box):
    def dig(*words):
        return box.ns.run("dig", "+time=3", "+tries=1", "@127.0.0.1", "-p", cfg.DNS, *words).stdout

    assert "fdfe:dcba:9876:" in dig("page.test", "AAAA", "+short")
    assert "198.18." not in dig("page.test", "TXT")
    assert "status: NXDOMAIN" in dig("missing.test", "MX")
    assert box.upstream.count("page.test", "A") == 0, "fake answers ask nobody"


def test_socat_through_socks4a_and_http(router, box):
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        for address in (f"SOCKS4A:127.0.0.1:page.test:{echo.port},socksport={cfg.MIXED}",
                        f"PROXY:127.0.0.1:page.test:{echo.port},proxyport={cfg.MIXED}"):
            result = box.ns.run("socat", "-t", "5", "-", address, input="hello through socat")
            assert result.stdout == "hello through socat"


def test_socat_half_close_keeps_the_answer(router, box, tmp_path):
    data = b"0123456789abcdef" * 65536
    source = tmp_path / "upload"
    source.write_bytes(data)
    port = 18099
    box.ns.popen("socat", f"TCP-LISTEN:{port},bind=127.0.0.1,reuseaddr", "SYSTEM:sleep 1;sha256sum")
    wait_listening(box.ns, port, "socat")
    result = box.ns.run("sh", "-c", f"socat -t 30 - SOCKS4A:127.0.0.1:127.0.0.1:{port},"
                                    f"socksport={cfg.MIXED} < {source}")
    assert result.stdout.split()[0] == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("address", [net.WAN4, net.WAN6])
@pytest.mark.parametrize("kind", ["tcp", "tcp-reverse", "udp"])
def test_iperf3_of_a_lan_client_through_tproxy(lab, start, address, kind):
    """Bulk and datagrams of a program that knows nothing of us."""
    start(lab.router, cfg.gateway(net.UPSTREAM4))
    iperf_server(lab.wan, address, 15201)
    flags = {"tcp": [], "tcp-reverse": ["-R"], "udp": ["-u", "-b", "20M", "-l", "1200"]}[kind]
    result = lab.lan.run("iperf3", "-c", address, "-p", "15201", "-t", "2", "-J", *flags)
    end = json.loads(result.stdout)["end"]
    total = end["sum"] if kind == "udp" else end["sum_received"]
    assert total["bytes"] > 1_000_000, bracketed(address)
    if kind == "udp":
        assert total["lost_percent"] < 1
