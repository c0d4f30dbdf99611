"""A DNS upstream that counts, delays and answers as told (UDP and TCP)."""

import socket
import struct
import threading
import time

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

from support.servers import DatagramServer, Server
from support.traffic import receive_exactly


class DnsUpstream:
    """Answers from `zone`: name -> {"A": [...], "AAAA": [...]}; unknown names get NXDOMAIN.

    default: records for names that the zone does not hold. delay, rcode, silent: for every answer.
    queries: (name, type, transport) in order of arrival. Names carry no trailing dot.
    """

    def __init__(self, namespace, address, port=53, zone=None, default=None, ttl=60):
        self.zone, self.default, self.ttl = dict(zone or {}), default, ttl
        self.delay, self.rcode, self.silent = 0.0, None, False
        self.queries = []
        self.address = address
        self._udp = _UdpSide(namespace.udp(address, port, limit=None), self)
        self.port = self._udp.port
        self._tcp = _TcpSide(namespace.listen(address, self.port), self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._udp.close()
        self._tcp.close()

    def count(self, name, kind=None):
        """How often `name` was asked, of one type or of any."""
        return sum(1 for n, k, _ in self.queries if n == name and kind in (None, k))

    def answer(self, wire, transport):
        """The reply's bytes, or None for silence."""
        query = dns.message.from_wire(wire)
        question = query.question[0]
        name = question.name.to_text(omit_final_dot=True).lower()
        kind = dns.rdatatype.to_text(question.rdtype)
        self.queries.append((name, kind, transport))
        if self.delay:
            time.sleep(self.delay)
        if self.silent:
            return None
        reply = dns.message.make_response(query)
        reply.flags |= dns.flags.RA
        records = self.zone.get(name, self.default)
        if self.rcode is not None:
            reply.set_rcode(self.rcode)
        elif records is None:
            reply.set_rcode(dns.rcode.NXDOMAIN)
        elif records.get(kind):
            reply.answer.append(
                dns.rrset.from_text(question.name, self.ttl, "IN", kind, *records[kind])
            )
        return reply.to_wire()


class _UdpSide(DatagramServer):
    """A thread for each query, so that one delayed answer holds up no other."""

    def __init__(self, sock, upstream):
        self.upstream = upstream
        super().__init__(sock)

    def receive(self, data, peer):
        threading.Thread(target=self._reply, args=(data, peer), daemon=True).start()

    def _reply(self, data, peer):
        reply = self.upstream.answer(data, "udp")
        if reply is not None and self.sock.fileno() >= 0:
            self.sock.sendto(reply, peer)


class _TcpSide(Server):
    def __init__(self, listener, upstream):
        self.upstream = upstream
        super().__init__(listener)

    def serve(self, sock):
        while True:
            try:
                size = struct.unpack("!H", receive_exactly(sock, 2))[0]
            except ConnectionError:
                return
            reply = self.upstream.answer(receive_exactly(sock, size), "tcp")
            if reply is not None:
                sock.sendall(struct.pack("!H", len(reply)) + reply)


def ask(namespace, server, name, kind="A", port=53, limit=3.0, tcp=False, sock=None):
    """One query from `namespace`: the parsed reply. Errors: TimeoutError, OSError."""
    query = dns.message.make_query(name, kind)
    wire = query.to_wire()
    if tcp:
        with namespace.connect(server, port, limit) as stream:
            stream.sendall(struct.pack("!H", len(wire)) + wire)
            size = struct.unpack("!H", receive_exactly(stream, 2))[0]
            return dns.message.from_wire(receive_exactly(stream, size))
    own = sock or namespace.udp("::" if ":" in server else "0.0.0.0", limit=limit)
    try:
        own.settimeout(limit)
        own.sendto(wire, (server, port))
        while True:
            reply = dns.message.from_wire(own.recv(65536))
            if reply.id == query.id:
                return reply
    except socket.timeout:
        raise TimeoutError(f"no answer for {name} {kind} from {server}") from None
    finally:
        if sock is None:
            own.close()


def addresses(reply):
    """The A and AAAA records of a reply as texts."""
    return [
        record.address
        for rrset in reply.answer
        for record in rrset
        if rrset.rdtype in (dns.rdatatype.A, dns.rdatatype.AAAA)
    ]


def resolve(namespace, server, name, kind="A", **options):
    """The first address of `name`; fails when there is none."""
    found = addresses(ask(namespace, server, name, kind, **options))
    assert found, f"{name} {kind}: no address"
    return found[0]
