"""Cases B080, B082, B083: idle limits, bytes that come with the request, half-close through a layer."""

import socket
import threading
import time

import pytest

from interop.peers import PASSWORD, ss_server
from support import config as cfg
from support.netns import bracketed
from support.servers import Scripted, TcpSink
from support.shadowsocks import CIPHER, MockShadowsocks
from support.socks import pack_address
from support.traffic import (
    chunks, pattern_digest, receive_all, receive_digest, receive_exactly, receive_until, send_pattern,
)
from support.wait import wait_until
from support.ways import open_tcp

IDLE_S = 10  # sluice.timeouts.tcp-idle; 7440 by default
STEP_S = IDLE_S / 4
SPAN_S = 3 * IDLE_S
SIZE = 50_000_000
FIRST = 3000  # bytes of payload that come with the request
UPLOAD = 5_000_000
RUNS = 50
SS_PORT = 18388


class _Quiet:
    """A server that says nothing; keeps its connections for the test to use."""

    def __init__(self):
        self.socks, self._ended = [], threading.Event()

    def __call__(self, sock):
        self.socks.append(sock)
        self._ended.wait(SPAN_S + 3 * IDLE_S)

    def end(self):
        self._ended.set()


def _trickle(sock, seconds):
    """A byte each STEP_S; the moment of the last one."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        sock.sendall(b".")
        last = time.monotonic()
        time.sleep(STEP_S)
    return last


@pytest.mark.limit(120)
def test_b080_traffic_of_either_side_alone_renews_the_idle_limit(box, start):
    start(box.ns, cfg.base(sluice={"timeouts": {"tcp-idle": IDLE_S}}))
    quiet = _Quiet()
    with Scripted(box.ns.listen("127.0.0.1"), quiet) as server:

        def connect():
            """Both ends of a flow."""
            before = len(quiet.socks)
            sock = open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", server.port, limit=SPAN_S)
            wait_until(lambda: len(quiet.socks) > before, 5, "the server has the connection")
            return sock, quiet.socks[-1]

        lived = {}

        def drive(name, speaker, listener):
            last = _trickle(speaker, SPAN_S)
            listener.settimeout(2 * IDLE_S)
            heard = _count_to_the_end(listener)
            lived[name] = (time.monotonic() - last, heard)

        client, server_end = connect()
        listener, speaker = connect()
        drivers = [
            threading.Thread(target=drive, args=("client", client, server_end)),
            threading.Thread(target=drive, args=("server", speaker, listener)),
        ]
        for driver in drivers:
            driver.start()
        for driver in drivers:
            driver.join()
        quiet.end()
    for name, (silence, heard) in lived.items():
        assert heard >= SPAN_S // STEP_S - 1, f"{name}: bytes were lost"
        assert IDLE_S - 0.5 <= silence <= IDLE_S + 2.5, f"{name}: ended after {silence:.1f} s"


def _count_to_the_end(sock):
    """How many bytes came before the end, whether it was said in order or by a reset."""
    count = 0
    try:
        while data := sock.recv(4096):
            count += len(data)
    except ConnectionResetError:
        pass
    return count


def _request(way, host, port):
    """A whole request in one piece, and what is to be read before the server's bytes."""
    if way == "http":
        target = f"{bracketed(host)}:{port}"
        head = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode()
        return head, lambda sock: receive_until(sock, b"\r\n\r\n")
    head = b"\x05\x01\x00" + b"\x05\x01\x00" + pack_address(host, port)
    return head, lambda sock: receive_exactly(sock, 2 + 10)


@pytest.mark.parametrize("way", ["http", "socks5"])
@pytest.mark.parametrize("node", ["DIRECT", "node"])
def test_b082_bytes_that_come_with_the_request_go_first_and_once(box, start, way, node):
    ss_server(box.ns, "127.0.0.2", SS_PORT, CIPHER)
    start(box.ns, cfg.base([f"MATCH,{node}"],
                           proxies=[cfg.ss_node("node", "127.0.0.2", SS_PORT, CIPHER, PASSWORD)]))

    def answer_when_complete(sock):
        sock.sendall(receive_digest(sock, SIZE)[1].encode())

    with Scripted(box.ns.listen("127.0.0.1"), answer_when_complete) as server:
        head, read_reply = _request(way, "127.0.0.1", server.port)
        with box.ns.connect("127.0.0.1", cfg.MIXED, 60) as sock:
            pieces = chunks(SIZE)
            first = next(pieces)
            sock.sendall(head + bytes(first[:FIRST]))
            read_reply(sock)
            sock.sendall(first[FIRST:])
            for piece in pieces:
                sock.sendall(piece)
            assert receive_exactly(sock, 64).decode() == pattern_digest(SIZE)


def _upload_and_hear(box, port):
    with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", port, limit=30) as sock:
        send_pattern(sock, UPLOAD)
        sock.shutdown(socket.SHUT_WR)
        return receive_all(sock).decode()


@pytest.mark.limit(240)
@pytest.mark.parametrize("node", ["DIRECT", "node"])
def test_b083_the_answer_comes_after_the_end_of_sending(box, start, node):
    with MockShadowsocks(box.ns, box.ns.listen("127.0.0.2"), PASSWORD) as server:
        start(box.ns, cfg.base([f"MATCH,{node}"],
                               proxies=[cfg.ss_node("node", "127.0.0.2", server.port, CIPHER,
                                                    PASSWORD)]))
        with TcpSink(box.ns.listen("127.0.0.1")) as sink:
            for _ in range(RUNS):
                assert _upload_and_hear(box, sink.port) == pattern_digest(UPLOAD)
        assert server.errors.empty(), "a direction ended as a reset"
