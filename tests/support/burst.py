"""Very many short connections through a SOCKS5 port at once, as a program of its own in a namespace.

Arguments: PROXY-PORT COUNT AT-ONCE. Each client asks for this program's own echo port, sends one byte
and closes when it is back. Prints {"done", "failed", "seconds"} as JSON.
"""

import json
import resource
import selectors
import socket
import struct
import sys
import time

GREETING, METHOD_SIZE, REPLY_SIZE = b"\x05\x01\x00", 2, 10
LIMIT_S = 60
FILES = 20_000


class Burst:
    def __init__(self, proxy, count, at_once):
        self.proxy, self.left, self.at_once = proxy, count, at_once
        self.done = self.failed = self.open = 0
        self.poll = selectors.EpollSelector()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.listener.setblocking(False)
        self.poll.register(self.listener, selectors.EVENT_READ, self.accept)
        self.request = b"\x05\x01\x00\x01\x7f\x00\x00\x01" + struct.pack(
            "!H", self.listener.getsockname()[1])

    def run(self):
        end = time.monotonic() + LIMIT_S
        while (self.left or self.open) and time.monotonic() < end:
            while self.left and self.open < self.at_once:
                self.start()
            for key, _ in self.poll.select(0.1):
                key.data()
        self.failed += self.open + self.left

    def start(self):
        self.left -= 1
        self.open += 1
        sock = socket.socket()
        sock.setblocking(False)
        sock.connect_ex(("127.0.0.1", self.proxy))
        steps = self.client(sock)
        next(steps)
        self.poll.register(sock, selectors.EVENT_WRITE, lambda: self.advance(sock, steps))

    def client(self, sock):
        """Yields the event to wait for; ends when the echo is back."""
        yield
        for text, answer in ((GREETING, METHOD_SIZE), (self.request, REPLY_SIZE), (b"x", 1)):
            sock.sendall(text)
            got = 0
            while got < answer:
                yield selectors.EVENT_READ
                piece = sock.recv(answer - got)
                if not piece:
                    raise ConnectionError("closed early")
                got += len(piece)

    def advance(self, sock, steps):
        try:
            self.poll.modify(sock, next(steps), lambda: self.advance(sock, steps))
            return
        except StopIteration:
            self.done += 1
        except OSError:
            self.failed += 1
        self.open -= 1
        self.poll.unregister(sock)
        sock.close()

    def accept(self):
        for _ in range(64):
            try:
                sock, _ = self.listener.accept()
            except BlockingIOError:
                return
            sock.setblocking(False)
            self.poll.register(sock, selectors.EVENT_READ, lambda sock=sock: self.echo(sock))

    def echo(self, sock):
        try:
            data = sock.recv(4096)
            if data:
                sock.send(data)
                return
        except OSError:
            pass
        self.poll.unregister(sock)
        sock.close()


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    burst = Burst(*map(int, sys.argv[1:4]))
    begun = time.monotonic()
    burst.run()
    print(json.dumps({"done": burst.done, "failed": burst.failed,
                      "seconds": time.monotonic() - begun}))


if __name__ == "__main__":
    main()
