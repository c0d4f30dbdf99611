"""Nobody reads what the router says: traffic goes on, and who is killed comes back."""

import fcntl
import os
import threading

from support import config as cfg
from support.router import Router
from support.servers import TcpEcho
from support.traffic import assert_echoes
from support.ways import open_tcp

PIPE_BYTES = 4096  # some forty lines
RELOADS = 40  # each says several in both planes


class UnreadRouter(Router):
    """Its standard error is a small pipe that nobody reads before read_on()."""

    def start(self, wait=True):
        reading, writing = os.pipe()
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self.said = os.fdopen(reading, "rb", buffering=0)
        self.process = self.ns.popen(
            *self.wrap, self._program, "run", "-f", self.config_file, "--home", self.home,
            "--run-dir", self.run_dir, stdout=writing, stderr=writing,
        )
        os.close(writing)
        if wait:
            self.wait_ready()

    def read_on(self):
        """From now on somebody reads."""
        self.text = b""

        def read():
            while part := self.said.read(65536):
                self.text += part

        threading.Thread(target=read, daemon=True).start()


def test_a_reader_of_the_log_that_stalls_stops_no_flow(box):
    router = UnreadRouter(box.ns, cfg.base())
    try:
        router.start()
        with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
            held = open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port)
            for turn in range(RELOADS):
                router.apply(cfg.base(["MATCH,DIRECT"] * (1 + turn % 2)))
                with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port) as sock:
                    assert_echoes(sock, b"x")
            assert_echoes(held)
            held.close()
        status = router.status()
        assert status["dataplane"] == "running" and status["generation"] >= RELOADS
        for role in ("controlplane", "dataplane"):
            router.wait_restarted(role, router.kill(role))
            router.wait_ready()
        with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
            with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port) as sock:
                assert_echoes(sock, b"x")
    finally:
        router.read_on()
        router.stop()
