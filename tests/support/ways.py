"""Ways into a router's proxy ports: one function opens a TCP connection through any of them."""

import base64

from support.netns import bracketed
from support.socks import connect4, connect5
from support.traffic import receive_until


class HttpRefused(Exception):
    """The status line of a CONNECT that was not 200."""


def connect_http(sock, host, port, login=None):
    """HTTP CONNECT, RFC 9110 section 9.3.6."""
    target = f"{bracketed(host)}:{port}"
    head = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n"
    if login:
        token = base64.b64encode(":".join(login).encode()).decode()
        head += f"Proxy-Authorization: Basic {token}\r\n"
    sock.sendall(f"{head}\r\n".encode())
    reply = receive_until(sock, b"\r\n\r\n").decode()
    if reply.split()[1] != "200":
        raise HttpRefused(reply.splitlines()[0])
    return sock


WAYS = {"http": connect_http, "socks4": connect4, "socks5": connect5}


def open_tcp(way, namespace, port, host, target_port, server="127.0.0.1", limit=10.0):
    """A TCP connection from `namespace` to host:target_port through the proxy port."""
    return WAYS[way](namespace.connect(server, port, limit), host, target_port)
