"""gRPC by hand over a Unix socket, to send what no honest client would.

HTTP/2 frames (RFC 9113 section 4.1): length(3) type(1) flags(1) stream(4); headers are HPACK literals
without indexing (RFC 7541 section 6.2.2); a gRPC message is compressed(1) length(4) bytes.
"""

import os
import pwd
import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS = 0, 1, 4
END_STREAM, END_HEADERS = 1, 4
MAX_FRAME = 16384


def connect_as(user, path):
    """A connected Unix stream socket whose peer credentials are those of `user`.

    The kernel notes the credentials at connect, so a child connects and hands the socket over.
    """
    entry = pwd.getpwnam(user)
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setgroups([])
            os.setresgid(entry.pw_gid, entry.pw_gid, entry.pw_gid)
            os.setresuid(entry.pw_uid, entry.pw_uid, entry.pw_uid)
            with socket.socket(socket.AF_UNIX) as sock:
                sock.connect(str(path))
                socket.send_fds(there, [b"x"], [sock.fileno()])
            code = 0
        finally:
            os._exit(code)
    there.close()
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, f"{user} could not connect to {path}"
    _, descriptors, _, _ = socket.recv_fds(here, 1, 1)
    here.close()
    sock = socket.socket(fileno=descriptors[0])
    sock.settimeout(5)
    return sock


def frame(kind, flags, stream, body):
    return struct.pack("!I", len(body))[1:] + struct.pack("!BBI", kind, flags, stream) + body


def _literal(name, value):
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


def request_head(method):
    fields = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", method.encode()),
              (b":authority", b"localhost"), (b"te", b"trailers"),
              (b"content-type", b"application/grpc")]
    return PREFACE + frame(SETTINGS, 0, 0, b"") + frame(
        HEADERS, END_HEADERS, 1, b"".join(_literal(*field) for field in fields))


def message(body):
    """One gRPC message in DATA frames."""
    wire = b"\x00" + struct.pack("!I", len(body)) + body
    pieces = [wire[i : i + MAX_FRAME] for i in range(0, len(wire), MAX_FRAME)]
    return b"".join(frame(DATA, 0, 1, piece) for piece in pieces)


def end_of_stream():
    return frame(DATA, END_STREAM, 1, b"")


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number_field(field, value):
    """A protobuf varint field."""
    return varint(field << 3) + varint(value)


def bytes_field(field, value):
    """A protobuf length-delimited field."""
    return varint(field << 3 | 2) + varint(len(value)) + value
