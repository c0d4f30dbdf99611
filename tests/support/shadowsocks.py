"""A Shadowsocks server (AEAD edition, aes-128-gcm, TCP) that keeps half-close.

The packaged servers close both ways when their client ends one.
"""

import hashlib
import os
import socket
import struct
import threading

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from support.servers import Server
from support.socks import unpack_address
from support.traffic import receive_exactly

CIPHER = "aes-128-gcm"
_KEY = 16
_TAG = 16
_CHUNK = 0x3FFF


class _Direction:
    """One direction's key and its nonce, counted up by each record."""

    def __init__(self, password, salt):
        master = hashlib.md5(password.encode()).digest()  # EVP_BytesToKey: one block is the key
        subkey = HKDF(SHA1(), _KEY, salt, b"ss-subkey").derive(master)
        self._cipher, self._count = AESGCM(subkey), 0

    def _nonce(self):
        self._count += 1
        return (self._count - 1).to_bytes(12, "little")

    def seal(self, data):
        size = self._cipher.encrypt(self._nonce(), struct.pack("!H", len(data)), None)
        return size + self._cipher.encrypt(self._nonce(), data, None)

    def open(self, data):
        return self._cipher.decrypt(self._nonce(), data, None)


class MockShadowsocks(Server):
    """Dials what its clients ask for from `namespace`; each direction ends alone."""

    def __init__(self, namespace, listener, password):
        self._namespace, self._password = namespace, password
        super().__init__(listener)

    def serve(self, sock):
        opener = _Direction(self._password, receive_exactly(sock, _KEY))
        head = self._record(sock, opener)
        (host, port), used = unpack_address(head)
        with self._namespace.connect(host, port) as target:
            back = threading.Thread(target=self._answer, args=(target, sock), daemon=True)
            back.start()
            target.sendall(head[used:])
            while data := self._record(sock, opener):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
            back.join()

    @staticmethod
    def _record(sock, opener):
        """One record's payload; empty at the end of the stream, which lies between two records."""
        first = sock.recv(1)
        if not first:
            return b""
        (size,) = struct.unpack("!H", opener.open(first + receive_exactly(sock, 1 + _TAG)))
        return opener.open(receive_exactly(sock, size + _TAG))

    def _answer(self, target, sock):
        salt = os.urandom(_KEY)
        sealer = _Direction(self._password, salt)
        while data := target.recv(_CHUNK):
            sock.sendall(salt + sealer.seal(data))
            salt = b""
        sock.shutdown(socket.SHUT_WR)
