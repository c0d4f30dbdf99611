"""Bulk bytes whose order and completeness can be checked.

The pattern never repeats a chunk within 4 GiB, so lost, doubled or swapped bytes change the digest.
"""

import hashlib
import random
import socket
import threading

CHUNK = 1 << 20
_STRIDE = 4099  # prime, so that each chunk starts at another place of the block
_block = memoryview(random.Random(7).randbytes(CHUNK) * 2)
GIB = 1 << 30


def _chunk(index, size):
    start = (index * _STRIDE) % CHUNK
    return _block[start : start + size]


def chunks(size):
    """The pattern of `size` bytes, piece by piece."""
    for index in range((size + CHUNK - 1) // CHUNK):
        yield _chunk(index, min(CHUNK, size - index * CHUNK))


def pattern_digest(size):
    digest = hashlib.sha256()
    for piece in chunks(size):
        digest.update(piece)
    return digest.hexdigest()


def send_pattern(sock, size):
    for piece in chunks(size):
        sock.sendall(piece)


def receive_digest(sock, size=None):
    """Reads to the end of stream, or `size` bytes: (bytes, hex sha256)."""
    digest, total, room = hashlib.sha256(), 0, bytearray(CHUNK)
    view = memoryview(room)
    while size is None or total < size:
        count = sock.recv_into(view if size is None else view[: size - total])
        if count == 0:
            break
        digest.update(view[:count])
        total += count
    return total, digest.hexdigest()


def receive_all(sock):
    pieces = []
    while piece := sock.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)


def receive_exactly(sock, size):
    """`size` bytes; ConnectionError when the stream ends before."""
    data = b""
    while len(data) < size:
        piece = sock.recv(size - len(data))
        if not piece:
            raise ConnectionError(f"end of stream after {len(data)} of {size} bytes")
        data += piece
    return data


def receive_until(sock, mark):
    """Up to and including `mark`, byte by byte so that nothing behind it is taken."""
    data = b""
    while not data.endswith(mark):
        data += receive_exactly(sock, 1)
    return data


def assert_downloads(sock, size):
    """The peer of `sock` sends the pattern (TcpSource)."""
    total, digest = receive_digest(sock)
    assert total == size
    assert digest == pattern_digest(size)


def assert_uploads(sock, size):
    """The peer of `sock` digests what it gets (TcpSink); needs half-close end to end."""
    send_pattern(sock, size)
    sock.shutdown(socket.SHUT_WR)
    assert receive_all(sock).decode() == pattern_digest(size)


def assert_echoes(sock, data=b"sluice"):
    sock.sendall(data)
    assert receive_exactly(sock, len(data)) == data


def assert_datagrams_echo(send, receive, size, total, window=8):
    """`total` bytes in numbered datagrams of `size`, `window` in flight: each comes back whole.

    A session that is still opening keeps eight datagrams, no more.
    """

    def datagram(number):
        return number.to_bytes(8, "big") + _chunk(number % CHUNK, size - 8)

    count, awaited = total // size, set()
    for number in range(count + window):
        if number < count:
            send(datagram(number))
            awaited.add(number)
        if len(awaited) >= window or number >= count:
            data = receive()
            came = int.from_bytes(data[:8], "big")
            assert came in awaited, f"datagram {came} came twice, or was never sent"
            assert data == datagram(came)
            awaited.remove(came)
        if not awaited:
            break
    assert not awaited, f"{len(awaited)} datagrams were lost"


class Trickle:
    """Echoes numbered blocks on an open connection until finish(): did it live, were bytes kept?

    Several share threads: one thread drives all sockets in turn, `pause` seconds apart.
    """

    def __init__(self, socks, pause=0.05):
        self.socks, self.pause = socks, pause
        self.rounds, self.failures = 0, {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stop.is_set():
            data = self.rounds.to_bytes(8, "big") * 64
            for index, sock in enumerate(self.socks):
                if index in self.failures:
                    continue
                try:
                    assert_echoes(sock, data)
                except (OSError, AssertionError) as error:
                    self.failures[index] = repr(error)
            self.rounds += 1
            self._stop.wait(self.pause)

    def finish(self):
        """Stops and fails if any connection broke or a byte was wrong."""
        self._stop.set()
        self._thread.join(30)
        assert not self._thread.is_alive(), "the connections stopped moving"
        assert not self.failures, self.failures
        assert self.rounds > 0
