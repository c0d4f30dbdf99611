"""SOCKS: clients written out byte by byte, and a mock SOCKS5 server.

The clients hold the wire forms in plain sight (RFC 1928, RFC 1929, SOCKS4a), so that a test says
exactly what was sent.
"""

import ipaddress
import socket
import struct
import threading

from support.servers import DatagramServer, Server, shut
from support.traffic import receive_exactly

CONNECT, ASSOCIATE = 1, 3


class Refused(Exception):
    """The server's reply code."""

    def __init__(self, code):
        super().__init__(f"SOCKS reply {code}")
        self.code = code


def pack_address(host, port):
    """ATYP, address, port. A host that is no address literal goes as a name."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        name = host.encode()
        return bytes([3, len(name)]) + name + struct.pack("!H", port)
    return bytes([1 if address.version == 4 else 4]) + address.packed + struct.pack("!H", port)


def unpack_address(data):
    """((host, port), bytes used)"""
    kind = data[0]
    if kind == 3:
        end = 2 + data[1]
        return (data[2:end].decode(), struct.unpack("!H", data[end : end + 2])[0]), end + 2
    size = 4 if kind == 1 else 16
    host = str(ipaddress.ip_address(data[1 : 1 + size]))
    return (host, struct.unpack("!H", data[1 + size : 3 + size])[0]), 3 + size


def read_address(sock):
    head = receive_exactly(sock, 1)
    if head == b"\x03":
        head += receive_exactly(sock, 1)
        head += receive_exactly(sock, head[1] + 2)
    else:
        head += receive_exactly(sock, 6 if head == b"\x01" else 18)
    return unpack_address(head)[0]


def hello5(sock, login=None):
    """Method choice and, with login=(user, password), RFC 1929."""
    sock.sendall(b"\x05\x01\x02" if login else b"\x05\x01\x00")
    version, method = receive_exactly(sock, 2)
    assert version == 5
    if method == 0xFF:
        raise Refused(method)
    if method == 2:
        user, password = (text.encode() for text in login)
        sock.sendall(
            bytes([1, len(user)]) + user + bytes([len(password)]) + password
        )
        if receive_exactly(sock, 2)[1] != 0:
            raise Refused(1)


def request5(sock, command, host, port):
    """Sends one request; returns the bound address of the reply."""
    sock.sendall(bytes([5, command, 0]) + pack_address(host, port))
    version, code, _reserved = receive_exactly(sock, 3)
    assert version == 5
    bound = read_address(sock)
    if code != 0:
        raise Refused(code)
    return bound


def connect5(sock, host, port, login=None):
    hello5(sock, login)
    request5(sock, CONNECT, host, port)
    return sock


def connect4(sock, host, port, user=b""):
    """SOCKS4 with an address, SOCKS4a with a name."""
    try:
        address, name = ipaddress.IPv4Address(host).packed, b""
    except ValueError:
        address, name = b"\x00\x00\x00\x01", host.encode() + b"\x00"
    sock.sendall(b"\x04\x01" + struct.pack("!H", port) + address + user + b"\x00" + name)
    reply = receive_exactly(sock, 8)
    assert reply[0] == 0
    if reply[1] != 90:
        raise Refused(reply[1])
    return sock


class Association:
    """UDP ASSOCIATE: send(host, port, data) and receive() -> ((host, port), data)."""

    def __init__(self, namespace, server, port, login=None, claim=("0.0.0.0", 0), limit=5.0):
        self.control = namespace.connect(server, port, limit)
        hello5(self.control, login)
        self.relay = request5(self.control, ASSOCIATE, *claim)
        self.sock = namespace.udp("::" if ":" in server else "0.0.0.0", limit=limit)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.control.close()
        self.sock.close()

    def send(self, host, port, data):
        self.send_raw(b"\x00\x00\x00" + pack_address(host, port) + data)

    def send_raw(self, datagram):
        self.sock.sendto(datagram, self.relay)

    def receive(self):
        data = self.sock.recv(65536)
        assert data[:3] == b"\x00\x00\x00"
        source, used = unpack_address(data[3:])
        return source, data[3 + used :]


class MockSocks5(Server):
    """A SOCKS5 server for one test: records every request, relays TCP and UDP for real.

    requests: (command, host, port). associate_reply: the address that ASSOCIATE answers with;
    None means the relay's own. datagrams: raw datagrams that arrived. routes: host -> address to
    dial in its place (names, documentation addresses).
    """

    def __init__(self, namespace, address, port=0, login=None, routes=None):
        self.namespace, self.login, self.routes = namespace, login, routes or {}
        self.requests, self.datagrams, self.logins = [], [], []
        self.associate_reply = None
        super().__init__(namespace.listen(address, port))

    def serve(self, sock):
        methods = receive_exactly(sock, receive_exactly(sock, 2)[1])
        if self.login:
            if 2 not in methods:
                sock.sendall(b"\x05\xff")
                return
            sock.sendall(b"\x05\x02")
            if not self._check_login(sock):
                return
        else:
            sock.sendall(b"\x05\x00")
        _version, command, _reserved = receive_exactly(sock, 3)
        host, port = read_address(sock)
        self.requests.append((command, host, port))
        if command == CONNECT:
            self._connect(sock, host, port)
        else:
            self._associate(sock)

    def _check_login(self, sock):
        user = receive_exactly(sock, receive_exactly(sock, 2)[1]).decode()
        password = receive_exactly(sock, receive_exactly(sock, 1)[0]).decode()
        self.logins.append((user, password))
        good = (user, password) == self.login
        sock.sendall(b"\x01\x00" if good else b"\x01\x01")
        return good

    def _connect(self, sock, host, port):
        try:
            upstream = self.namespace.connect(self.routes.get(host, host), port)
        except OSError:
            sock.sendall(b"\x05\x05\x00\x01" + bytes(6))
            return
        sock.sendall(b"\x05\x00\x00\x01" + bytes(6))
        upstream.settimeout(None)
        back = threading.Thread(target=pump, args=(upstream, sock), daemon=True)
        back.start()
        pump(sock, upstream)
        back.join()
        upstream.close()

    def _associate(self, sock):
        with _Relay(self) as relay:
            reply = self.associate_reply or self.address
            sock.sendall(b"\x05\x00\x00" + pack_address(reply, relay.port))
            while sock.recv(1024):
                pass


class _Relay(DatagramServer):
    """One client's mapping: datagrams go out by their header, replies come back behind one."""

    def __init__(self, server):
        self.server, self.client = server, None
        wildcard = "::" if ":" in server.address else "0.0.0.0"
        self.out = _Replies(server.namespace.udp(wildcard), self)
        super().__init__(server.namespace.udp(server.address))

    def close(self):
        super().close()
        self.out.close()

    def receive(self, data, peer):
        self.client = peer
        self.server.datagrams.append(data)
        (host, port), used = unpack_address(data[3:])
        self.out.sock.sendto(data[3 + used :], (self.server.routes.get(host, host), port))


class _Replies(DatagramServer):
    def __init__(self, sock, relay):
        self.relay = relay
        super().__init__(sock)

    def receive(self, data, peer):
        head = b"\x00\x00\x00" + pack_address(*peer[:2])
        self.relay.sock.sendto(head + data, self.relay.client)


def pump(source, sink):
    """Copies one direction to its end and passes the end on."""
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        shut(source)
        shut(sink)
