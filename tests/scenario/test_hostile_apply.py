"""Hostile Apply messages from the control plane's own user: refused whole, nothing changes.

The contract's messages are written by hand (support/grpc_raw.py); field numbers are those of
proto/sluice/v1/dataplane.proto: ApplyPart {head 1, manifest 2, blob 3}, ApplyHead {manifest_size 1,
blobs 2}, BlobHead {digest 1, size 2}.
"""

import random
import struct

import pytest

from support import config as cfg
from support import grpc_raw as raw
from support import proc
from support.servers import TcpEcho
from support.traffic import Trickle, assert_echoes
from support.ways import open_tcp

APPLY = "/sluice.v1.DataPlane/Apply"
MIB = 1 << 20


def head(manifest_size, blobs=()):
    inner = raw.number_field(1, manifest_size)
    for digest, size in blobs:
        inner += raw.bytes_field(2, raw.bytes_field(1, digest) + raw.number_field(2, size))
    return raw.message(raw.bytes_field(1, inner))


def manifest(piece):
    return raw.message(raw.bytes_field(2, piece))


def blob(piece):
    return raw.message(raw.bytes_field(3, piece))


def noise(size):
    return random.Random(size).randbytes(size)


HOSTILE = {
    "noise as a part": raw.message(noise(1000)),
    "no head": manifest(b"x" * 100),
    "two heads": head(10) + head(10),
    "a manifest beyond every bound": head(65 * MIB),
    "blobs beyond every bound": head(10, [(b"d" * 32, 1 << 62)]),
    "more bytes than the head said": head(10) + manifest(b"x" * 20),
    "fewer bytes than the head said": head(1000) + manifest(b"x" * 20),
    "an empty manifest": head(0),
    "noise as a manifest": head(1000) + manifest(noise(1000)),
    "a manifest of nothing but its mode": head(2) + manifest(raw.number_field(1, 7)),
    "an index beyond the outbounds": head(4) + manifest(raw.number_field(7, 1 << 20)),
    "a blob that is not its digest": head(0, [(b"d" * 32, 100)]) + blob(noise(100)),
    "a digest of one byte": head(0, [(b"d", 10)]) + blob(b"x" * 10),
    "an oversized piece": head(MIB) + manifest(noise(MIB)),
    "many tiny pieces": head(MIB) + manifest(b"x") * 20000,
    "a message length of 4 GiB": raw.frame(raw.DATA, 0, 1, b"\x00" + struct.pack("!I", 0xFFFFFFFF)),
    "a compressed message": raw.frame(raw.DATA, 0, 1, b"\x01" + struct.pack("!I", 4) + b"abcd"),
    "frames of another protocol": noise(5000),
}


@pytest.fixture
def router(box, start):
    return start(box.ns, cfg.base())


def send_hostile(router, body):
    """Sends everything and reads what comes back; a reset is an answer too."""
    with raw.connect_as("sluice", router.run_dir / "dp/contract.sock") as sock:
        answer = b""
        try:
            sock.sendall(raw.request_head(APPLY) + body + raw.end_of_stream())
            sock.settimeout(2)
            while piece := sock.recv(65536):
                answer += piece
        except OSError:
            pass
        return answer


@pytest.mark.parametrize("name", list(HOSTILE))
def test_it_is_refused_and_nothing_changes(box, router, name):
    pid, generation = router.pid("dataplane"), router.status()["generation"]
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        running = Trickle([open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port)])
        send_hostile(router, HOSTILE[name])
        running.finish()
        with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port) as sock:
            assert_echoes(sock)
    assert router.pid("dataplane") == pid
    assert router.status()["generation"] == generation
    router.apply(cfg.base(["MATCH,REJECT"]))
    assert router.status()["generation"] > generation, "an honest Apply still works"


def test_memory_stays_bounded_under_many_half_sent_applies(box, router):
    before = proc.rollup(router.pid("dataplane"))["Anonymous"]
    held = []
    for _ in range(32):
        sock = raw.connect_as("sluice", router.run_dir / "dp/contract.sock")
        held.append(sock)
        try:
            sock.sendall(raw.request_head(APPLY) + head(60 * MIB) + manifest(noise(100_000)))
        except OSError:
            continue  # the data plane may take one at a time and close the rest
    assert proc.rollup(router.pid("dataplane"))["Anonymous"] - before < 32 * MIB
    for sock in held:
        sock.close()
    assert router.try_status()
