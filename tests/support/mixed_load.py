"""Both ends of mixed traffic, as a program of its own inside a namespace: servers, and clients that
reach them through a proxy port. Every byte is counted at both ends.

    clients ──SOCKS5, HTTP──> proxy ──DIRECT──> servers of pair "left" and "right"
                                    └──node──>

A conversation: the client says how much it will send and how much it wants, both happen, again or the
end. So whatever ends a flow, even a reset, comes after its bytes have arrived and sums can be equal.

Arguments: one JSON object (mixed.py). Prints one JSON line when ready; a line on standard input ends
it: clients finish what they do, then totals are printed.
"""

import asyncio
import json
import random
import socket
import struct
import sys

HEAD = struct.Struct("!II")
CHUNK = 128 * 1024
PATIENCE_S = 30
DATAGRAM = struct.Struct("!I")
_block = random.Random(11).randbytes(CHUNK)


class Sums:
    """Payload bytes each way: `up` from clients, `down` to them."""

    def __init__(self):
        self.up = self.down = 0

    def as_dict(self):
        return {"up": self.up, "down": self.down}


async def send_block(writer, size):
    while size > 0:
        part = min(size, CHUNK)
        writer.write(_block[:part])
        await writer.drain()
        size -= part


async def read_block(reader, size):
    """Exactly `size` bytes of the block, over and over."""
    while size > 0:
        part = min(size, CHUNK)
        if await reader.readexactly(part) != _block[:part]:
            raise ValueError("other bytes than were sent")
        size -= part


class Server:
    """TCP conversations and UDP echo on one port."""

    def __init__(self):
        self.tcp, self.udp = Sums(), Sums()

    async def start(self):
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=2 * CHUNK)
        self.port = server.sockets[0].getsockname()[1]
        loop = asyncio.get_running_loop()
        await loop.create_datagram_endpoint(lambda: _Echo(self.udp), ("127.0.0.1", self.port))

    async def _serve(self, reader, writer):
        try:
            while True:
                up, down = HEAD.unpack(await reader.readexactly(HEAD.size))
                self.tcp.up += HEAD.size
                await read_block(reader, up)
                self.tcp.up += up
                await send_block(writer, down)
                self.tcp.down += down
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has ended or reset a conversation that was over
        finally:
            writer.close()


class _Echo(asyncio.DatagramProtocol):
    def __init__(self, sums):
        self._sums = sums

    def connection_made(self, transport):
        self._transport = transport

    def datagram_received(self, data, peer):
        self._sums.up += len(data)
        self._transport.sendto(data, peer)
        self._sums.down += len(data)


class Conversation:
    """A client's connection to `port` through the proxy, by way "socks5" or "http"."""

    def __init__(self, load, way, port):
        self._load, self._way, self._port = load, way, port

    async def __aenter__(self):
        self._reader, self._writer = await asyncio.open_connection(
            "127.0.0.1", self._load.proxy, limit=2 * CHUNK)
        await (self._socks5() if self._way == "socks5" else self._http())
        return self

    async def __aexit__(self, *_):
        self._writer.close()

    async def exchange(self, up, down):
        self._writer.write(HEAD.pack(up, down))
        self._load.tcp.up += HEAD.size + up
        await send_block(self._writer, up)
        await read_block(self._reader, down)
        self._load.tcp.down += down

    def reset(self):
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    async def _socks5(self):
        self._writer.write(b"\x05\x01\x00")
        await self._reader.readexactly(2)
        self._writer.write(b"\x05\x01\x00\x01\x7f\x00\x00\x01" + struct.pack("!H", self._port))
        reply = await self._reader.readexactly(10)
        if reply[1] != 0:
            raise ConnectionError(f"SOCKS reply {reply[1]}")

    async def _http(self):
        target = f"127.0.0.1:{self._port}"
        self._writer.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head.split(b"\r\n")[0]:
            raise ConnectionError(head.decode(errors="replace"))


class Load:
    """The clients. `failures` holds what went wrong, and should stay empty."""

    def __init__(self, options, ports):
        self.proxy, self.options, self.ports = options["proxy"], options, ports
        self.tcp, self.udp, self.failures = Sums(), Sums(), []
        self.done = {"bulk": 0, "short": 0, "reset": 0, "idle": 0, "datagrams": 0, "lost": 0}
        self.stopping = asyncio.Event()
        self._turn = 0

    def next_way(self):
        """Every combination of proxy protocol and server in turn."""
        self._turn += 1
        return ("socks5", "http")[self._turn % 2], self.ports[self._turn // 2 % len(self.ports)]

    async def run(self):
        each = self.options
        kinds = [
            self._paced("bulk", each["bulk_per_s"], self._bulk),
            self._paced("short", each["short_per_s"], self._short),
            self._paced("reset", each["resets_per_s"], self._reset),
            *(self._idle() for _ in range(each["idle"])),
            *(self._datagrams(i) for i in range(each["associations"])),
        ]
        await asyncio.gather(*kinds)

    async def rest(self, seconds):
        """False when it is time to end."""
        try:
            await asyncio.wait_for(self.stopping.wait(), seconds)
        except asyncio.TimeoutError:
            return True
        return False

    async def guarded(self, name, work):
        try:
            await asyncio.wait_for(work, PATIENCE_S)
            self.done[name] += 1
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, ValueError) as error:
            self.failures.append(f"{name}: {error!r}")

    async def _paced(self, name, per_second, work):
        """Starts one after the other, whether earlier ones have ended or not."""
        running = set()
        while await self.rest(1 / per_second):
            task = asyncio.create_task(self.guarded(name, work()))
            running.add(task)
            task.add_done_callback(running.discard)
        await asyncio.gather(*running)

    async def _bulk(self):
        size = self.options["bulk_size"]
        async with Conversation(self, *self.next_way()) as talk:
            await talk.exchange(size // 4, size)

    async def _short(self):
        async with Conversation(self, *self.next_way()) as talk:
            await talk.exchange(700, 3000)

    async def _reset(self):
        async with Conversation(self, *self.next_way()) as talk:
            await talk.exchange(100, 100)
            talk.reset()

    async def _idle(self):
        """Says something when it begins, is silent, says something again."""
        async def one():
            async with Conversation(self, *self.next_way()) as talk:
                await talk.exchange(10, 10)
                await self.rest(random.uniform(5, PATIENCE_S - 5))
                await talk.exchange(10, 10)

        while not self.stopping.is_set():
            await self.guarded("idle", one())

    async def _datagrams(self, index):
        while not self.stopping.is_set():
            await self.guarded("datagrams", self._association(index))

    async def _association(self, index):
        """One UDP association for a while: datagrams of three sizes to every server."""
        loop = asyncio.get_running_loop()
        reader, writer = await asyncio.open_connection("127.0.0.1", self.proxy)
        client = _Datagrams(self.udp)
        transport, _ = await loop.create_datagram_endpoint(lambda: client, ("127.0.0.1", 0))
        try:
            writer.write(b"\x05\x01\x00\x05\x03\x00\x01" + bytes(6))
            reply = await reader.readexactly(12)
            relay = ("127.0.0.1", struct.unpack("!H", reply[10:])[0])
            for number in range(200):
                size = (64, 512, 1200)[number % 3]
                port = self.ports[(number + index) % len(self.ports)]
                client.send(relay, port, number, size)
                if not await self.rest(0.05):
                    break
            await asyncio.sleep(0.5)  # for the last answers
            self.done["lost"] += client.missing()
        finally:
            writer.close()
            transport.close()


class _Datagrams(asyncio.DatagramProtocol):
    HEAD = 10  # RFC 1928 section 7, IPv4

    def __init__(self, sums):
        self._sums, self._waiting = sums, set()

    def connection_made(self, transport):
        self._transport = transport

    def send(self, relay, port, number, size):
        data = DATAGRAM.pack(number) + _block[: size - DATAGRAM.size]
        head = b"\x00\x00\x00\x01\x7f\x00\x00\x01" + struct.pack("!H", port)
        self._transport.sendto(head + data, relay)
        self._waiting.add(number)
        self._sums.up += size

    def datagram_received(self, data, _peer):
        self._waiting.discard(DATAGRAM.unpack_from(data, self.HEAD)[0])
        self._sums.down += len(data) - self.HEAD

    def missing(self):
        return len(self._waiting)


async def main(options):
    servers = [Server() for _ in range(options["servers"])]
    for server in servers:
        await server.start()
    ports = [server.port for server in servers]
    print(json.dumps({"ports": ports}), flush=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.readline)  # the proxy has its rules now
    load = Load(options, ports)
    clients = asyncio.create_task(load.run())
    await loop.run_in_executor(None, sys.stdin.readline)
    load.stopping.set()
    await clients
    await asyncio.sleep(0.5)

    def total(network):
        return {key: sum(getattr(getattr(s, network), key) for s in servers) for key in ("up", "down")}

    print(json.dumps({
        "clients": {"tcp": load.tcp.as_dict(), "udp": load.udp.as_dict()},
        "servers": {"tcp": total("tcp"), "udp": total("udp")},
        "done": load.done, "failures": load.failures[:20], "failed": len(load.failures),
    }), flush=True)


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
