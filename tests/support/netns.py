"""A network namespace: commands, sockets and cleaning up.

Sockets are made in a thread that has entered the namespace; a socket stays in the namespace where it
was made, so a mock server can live in this process and still stand in the WAN.
"""

import ctypes
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
from pathlib import Path

CLONE_NEWNET = 0x40000000
COMMAND_LIMIT_S = 60
_libc = ctypes.CDLL(None, use_errno=True)
_numbers = itertools.count(1)


class Namespace:
    """Owns one namespace and every process started in it."""

    def __init__(self, role):
        self.name = f"slt{os.getpid()}-{next(_numbers)}-{role}"
        self._processes = []
        self._sockets = []
        command("ip", "netns", "add", self.name)
        self.ip("link", "set", "lo", "up")
        # Links made later use their addresses at once instead of looking for duplicates first.
        self.run("sysctl", "-qw", "net.ipv6.conf.all.accept_dad=0",
                 "net.ipv6.conf.default.accept_dad=0")

    def close(self):
        for process in reversed(self._processes):
            end_process(process)
        for sock in self._sockets:
            sock.close()
        for pid in self.pids():
            kill(pid)
        shutil.rmtree(self._etc, ignore_errors=True)
        subprocess.run(["ip", "netns", "del", self.name], check=False)

    @property
    def _etc(self):
        return Path("/etc/netns") / self.name

    def set_resolver(self, *addresses):
        """Programs run here read these servers from /etc/resolv.conf."""
        self._etc.mkdir(parents=True, exist_ok=True)
        lines = [f"nameserver {address}\n" for address in addresses]
        (self._etc / "resolv.conf").write_text("".join(lines) + "options timeout:1 attempts:2\n")

    def ip(self, *words):
        """`ip WORDS` in this namespace; returns its output."""
        return command("ip", "-n", self.name, *words)

    def ip_json(self, *words):
        return json.loads(command("ip", "-n", self.name, "-j", *words) or "[]")

    def wrap(self, words):
        return ["ip", "netns", "exec", self.name, *map(str, words)]

    def run(self, *words, check=True, limit=COMMAND_LIMIT_S, **options):
        """Runs a command to its end; output is text. Fails on a non-zero exit while `check`."""
        result = subprocess.run(
            self.wrap(words), capture_output=True, text=True, timeout=limit, **options
        )
        if check and result.returncode != 0:
            raise AssertionError(
                f"{' '.join(map(str, words))}: exit {result.returncode}\n"
                f"{result.stdout}{result.stderr}"
            )
        return result

    def popen(self, *words, **options):
        """Starts a command; it is ended when the namespace closes."""
        options.setdefault("stdout", subprocess.DEVNULL)
        options.setdefault("stderr", subprocess.DEVNULL)
        process = subprocess.Popen(self.wrap(words), **options)
        self._processes.append(process)
        return process

    def nft(self, text):
        """Loads nft rules from text."""
        self.run("nft", "-f", "-", input=text)

    def pids(self):
        return [int(pid) for pid in command("ip", "netns", "pids", self.name).split()]

    def inside(self, function):
        """Calls function() in a thread that stands in this namespace."""
        outcome = {}

        def work():
            try:
                with open(f"/run/netns/{self.name}") as handle:
                    if _libc.setns(handle.fileno(), CLONE_NEWNET) != 0:
                        raise OSError(ctypes.get_errno(), "setns")
                outcome["value"] = function()
            except BaseException as error:  # handed to the caller below
                outcome["error"] = error

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        if "error" in outcome:
            raise outcome["error"]
        return outcome["value"]

    def socket(self, family=socket.AF_INET, kind=socket.SOCK_STREAM, limit=10.0):
        """A socket of this namespace with a time limit on every call."""
        sock = self.inside(lambda: socket.socket(family, kind))
        sock.settimeout(limit)
        self._sockets.append(sock)
        return sock

    def udp(self, address="0.0.0.0", port=0, limit=5.0):
        """A bound UDP socket."""
        sock = self.socket(family_of(address), socket.SOCK_DGRAM, limit)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((address, port))
        return sock

    def listen(self, address="0.0.0.0", port=0, backlog=512):
        """A listening TCP socket; port 0 lets the kernel choose."""
        sock = self.socket(family_of(address), limit=None)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if sock.family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind((address, port))
        sock.listen(backlog)
        return sock

    def connect(self, address, port, limit=10.0, source=None):
        """A connected TCP socket."""
        sock = self.socket(family_of(address), limit=limit)
        if source:
            sock.bind((source, 0))
        sock.connect((address, port))
        return sock


def family_of(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def bracketed(address):
    """The form that URLs and HOST:PORT texts use."""
    return f"[{address}]" if ":" in address else address


def command(*words):
    """Runs a command of this machine; fails with its error text."""
    result = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, timeout=COMMAND_LIMIT_S
    )
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: {result.stderr.strip()}")
    return result.stdout


def end_process(process, limit=5.0):
    """Asks a process to end, then makes it."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
