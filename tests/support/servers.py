"""Mock servers as threads of the test: HTTP origin, UDP echo, TCP by script.

Each takes a socket (of whatever namespace), starts at once and ends with close() or its `with`.
"""

import http.server
import queue
import socket
import threading

from support.traffic import receive_digest, send_pattern


class Server:
    """A thread per connection on a listening socket; a subclass says what a connection does."""

    def __init__(self, listener):
        self.listener = listener
        self.address, self.port = listener.getsockname()[:2]
        self.peers = []  # source addresses in order of arrival
        self.errors = queue.Queue()
        self._open = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        shut(self.listener)
        for sock in list(self._open):
            shut(sock)

    def serve(self, sock):
        raise NotImplementedError

    def _accept(self):
        while True:
            try:
                sock, peer = self.listener.accept()
            except OSError:
                return
            self.peers.append(peer[0])
            self._open.add(sock)
            threading.Thread(target=self._run, args=(sock,), daemon=True).start()

    def _run(self, sock):
        try:
            self.serve(sock)
        except OSError as error:
            self.errors.put(error)
        finally:
            self._open.discard(sock)
            sock.close()


class Scripted(Server):
    """Each connection runs function(socket)."""

    def __init__(self, listener, function):
        self.serve = function
        super().__init__(listener)


class TcpEcho(Server):
    """Sends back what arrives; passes the end of sending on."""

    def serve(self, sock):
        while data := sock.recv(65536):
            sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)


class TcpSink(Server):
    """Reads to the end and answers with the hex sha256 of what arrived."""

    def serve(self, sock):
        sock.sendall(receive_digest(sock)[1].encode())


class TcpSource(Server):
    """Sends `size` bytes of the pattern and ends."""

    def __init__(self, listener, size):
        self.size = size
        super().__init__(listener)

    def serve(self, sock):
        send_pattern(sock, self.size)
        sock.shutdown(socket.SHUT_WR)
        sock.recv(1)


class DatagramServer:
    """Calls receive(data, peer) for every datagram until close()."""

    def __init__(self, sock):
        sock.settimeout(None)
        self.sock = sock
        self.address, self.port = sock.getsockname()[:2]
        threading.Thread(target=self._run, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        shut(self.sock)

    def receive(self, data, peer):
        raise NotImplementedError

    def _run(self):
        while True:
            try:
                data, peer = self.sock.recvfrom(65536)
                if peer is None:  # shut down
                    return
                self.receive(data, peer)
            except OSError:
                if self.sock.fileno() < 0:
                    return


class UdpEcho(DatagramServer):
    """Sends every datagram back to its sender; `seen` holds (payload, source)."""

    def __init__(self, sock, answer=True):
        self.answer, self.seen = answer, []
        super().__init__(sock)

    def receive(self, data, peer):
        self.seen.append((data, peer))
        if self.answer:
            self.sock.sendto(data, peer)


class UdpMirror(DatagramServer):
    """Sends every datagram back and remembers none: for bulk."""

    def receive(self, data, peer):
        self.sock.sendto(data, peer)


class Origin:
    """HTTP/1.1 origin. GET /N answers status N, POST echoes the body, any other path greets.

    `requests` holds (method, path, Host header, source address) in order.
    """

    def __init__(self, listener):
        self.requests = []
        listener.settimeout(None)
        self._server = _OriginServer(listener, self.requests)
        self.address, self.port = listener.getsockname()[:2]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._server.shutdown()
        self._server.socket.close()


class _OriginServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, listener, requests):
        self.requests = requests
        http.server.HTTPServer.__init__(
            self, listener.getsockname()[:2], _OriginHandler, bind_and_activate=False
        )
        self.socket.close()
        self.socket = listener

    def handle_error(self, _request, _client):
        """A client that goes away is part of many tests."""


class _OriginHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _note(self):
        self.server.requests.append(
            (self.command, self.path, self.headers.get("Host"), self.client_address[0])
        )

    def _answer(self, body, status=200):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self._note()
        number = self.path[1:]
        if number.isdigit() and 200 <= int(number) <= 599 and int(number) not in (204, 304):
            self._answer(f"status {number}\n".encode(), int(number))
        else:
            self._answer(f"hello from {self.headers.get('Host')}\n".encode())

    def do_POST(self):
        self._note()
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def log_message(self, *_):
        """Requests are kept in `requests`, not printed."""


def shut(sock):
    """Closes a socket and wakes whoever waits on it."""
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    sock.close()
