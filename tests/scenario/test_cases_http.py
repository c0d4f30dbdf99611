"""Cases B070, B071, B073, B074: HTTP clients, well behaved and not."""

import base64
import time

import pytest

from support import config as cfg
from support import proc
from support.paths import CASES
from support.servers import Origin, TcpEcho
from support.traffic import assert_echoes, receive_all, receive_exactly, receive_until
from support.ways import open_tcp

HEADER_TIMEOUT_S = 30  # the longest a client may take for its first request


def garbage():
    """The case's files, and 64 KiB of header without an end."""
    for path in sorted(CASES.glob("B070-*.bin")):
        yield path.stem, path.read_bytes()
    yield "B070-endless", b"GET http://127.0.0.1/ HTTP/1.1\r\nX: " + b"a" * 65536


@pytest.mark.limit(150)
@pytest.mark.parametrize("name, data", garbage(), ids=[name for name, _ in garbage()])
def test_b070_bad_first_bytes_end_within_the_header_timeout(box, start, name, data):
    router = start(box.ns, cfg.base())
    before = proc.rollup(router.pid("dataplane"))["Anonymous"]
    with box.ns.connect("127.0.0.1", cfg.MIXED, limit=HEADER_TIMEOUT_S + 5) as sock:
        began = time.monotonic()
        try:
            sock.sendall(data)
            answer = receive_all(sock)
        except (ConnectionResetError, BrokenPipeError):
            answer = b""
        assert time.monotonic() - began <= HEADER_TIMEOUT_S + 2
        assert answer == b"" or answer.startswith((b"HTTP/1.1 4", b"\x05\xff"))
    assert proc.rollup(router.pid("dataplane"))["Anonymous"] - before < 1 << 20
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        for way in ("http", "socks5"):
            with open_tcp(way, box.ns, cfg.MIXED, "127.0.0.1", echo.port) as sock:
                assert_echoes(sock)


def test_b071_100_continue_is_relayed_and_the_connection_is_used_again(box, start):
    start(box.ns, cfg.base())
    with Origin(box.ns.listen("127.0.0.1")) as origin:
        host = f"127.0.0.1:{origin.port}"
        with box.ns.connect("127.0.0.1", cfg.MIXED) as sock:
            sock.sendall(f"POST http://{host}/post HTTP/1.1\r\nHost: {host}\r\n"
                         "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n".encode())
            assert receive_until(sock, b"\r\n\r\n").startswith(b"HTTP/1.1 100")
            sock.sendall(b"hello")
            head = receive_until(sock, b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200")
            assert receive_exactly(sock, 5) == b"hello"
            sock.sendall(f"GET http://{host}/200 HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            assert receive_until(sock, b"\r\n\r\n").startswith(b"HTTP/1.1 200")
        assert [(r[0], r[1]) for r in origin.requests] == [("POST", "/post"), ("GET", "/200")]


def test_b071_curl_reuses_its_proxy_connection(box, start, tmp_path):
    start(box.ns, cfg.base())
    body = tmp_path / "body"
    body.write_bytes(b"b" * 4096)
    with Origin(box.ns.listen("127.0.0.1")) as origin:
        url = f"http://127.0.0.1:{origin.port}"
        proxy = ["-x", f"http://127.0.0.1:{cfg.MIXED}", "--max-time", "10"]
        result = box.ns.run(
            "curl", "-sSv", *proxy, "-H", "Expect: 100-continue", "--data-binary", f"@{body}",
            f"{url}/post", "--next", "-sSv", *proxy, f"{url}/201",
        )
        assert "HTTP/1.1 100" in result.stderr
        assert "Re-using existing connection" in result.stderr
        assert result.stdout.endswith("status 201\n")


def test_b073_407_keeps_the_connection_for_a_second_try(box, start):
    text = (CASES / "B073.yaml").read_text()
    start(box.ns, text)
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        for user, password in (("u", "p:w"), ("jörg", "pässwort")):
            with box.ns.connect("127.0.0.1", cfg.MIXED) as sock:
                head = f"CONNECT 127.0.0.1:{echo.port} HTTP/1.1\r\nHost: x\r\n"
                sock.sendall(f"{head}\r\n".encode())
                refused = receive_until(sock, b"\r\n\r\n").decode().lower()
                assert refused.startswith("http/1.1 407")
                assert "proxy-authenticate: basic realm=" in refused
                assert "content-length: 0" in refused
                token = base64.b64encode(f"{user}:{password}".encode()).decode()
                sock.sendall(f"{head}Proxy-Authorization: Basic {token}\r\n\r\n".encode())
                assert receive_until(sock, b"\r\n\r\n").startswith(b"HTTP/1.1 200")
                assert_echoes(sock)


def test_b073_curl_answers_the_challenge_and_exempt_sources_need_none(box, start):
    start(box.ns, (CASES / "B073.yaml").read_text())
    with Origin(box.ns.listen("127.0.0.1")) as origin:
        words = ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "10",
                 "-x", f"http://127.0.0.1:{cfg.MIXED}", f"http://127.0.0.1:{origin.port}/200"]
        assert box.ns.run(*words, "--proxy-anyauth", "-U", "u:p:w").stdout == "200"
        assert box.ns.run(*words, "--proxy-anyauth", "-U", "u:p").stdout == "407"
        assert box.ns.run(*words, "--interface", "127.0.0.8").stdout == "200"
        assert box.ns.run(*words, "--interface", "127.0.0.9").stdout == "407"


def test_b074_the_request_line_beats_the_host_header(box, start):
    """B074: dials and matches the authority of the request line; sends it on as Host."""
    router = start(box.ns, cfg.base(["DOMAIN,other.test,REJECT", "MATCH,DIRECT"]))
    with Origin(box.ns.listen("127.0.0.1")) as origin:
        url = f"http://127.0.0.1:{origin.port}/200"
        page = box.ns.run("curl", "-sS", "--max-time", "10", "-x",
                          f"http://127.0.0.1:{cfg.MIXED}", "-H", "Host: other.test", url)
        assert page.stdout == "status 200\n"
        assert origin.requests[0][2] == f"127.0.0.1:{origin.port}"
    assert router.explain(f"127.0.0.1:{origin.port}")["rule"] == "Match"
