"""Case B133: a reload under load."""

import hashlib
import json
import signal
import threading
import time

import pytest

from support import config as cfg
from support.servers import Scripted, TcpEcho, TcpSource
from support.traffic import (
    Trickle, assert_echoes, pattern_digest, receive_all, receive_exactly,
)
from support.wait import wait_until
from support.ways import open_tcp

FLOWS = 200
SIZE = 20_000_000


def config(target):
    nodes = [{"name": name, "type": "direct"} for name in ("one", "two")]
    return cfg.base([f"IP-CIDR,127.0.0.1/32,{target}", "MATCH,REJECT"], proxies=nodes)


def chain_of_a_new_flow(router, box, port):
    with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", port) as sock:
        assert_echoes(sock)
        source = str(sock.getsockname()[1])
        flows = router.flows(sourcePort=source)
        assert len(flows) == 1
        return flows[0]["chains"][0]


def test_200_flows_live_through_new_rules_and_the_next_flow_follows_them(box, start):
    router = start(box.ns, config("one"))
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        with TcpSource(box.ns.listen("127.0.0.1"), SIZE) as source:
            flows = [open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port)
                     for _ in range(FLOWS)]
            trickle = Trickle(flows)
            bulk = open_tcp("http", box.ns, cfg.MIXED, "127.0.0.1", source.port)
            first = receive_exactly(bulk, 1)  # under way
            assert chain_of_a_new_flow(router, box, echo.port) == "one"
            generation = router.status()["generation"]
            router.apply(config("two"))
            assert router.status()["generation"] > generation
            assert chain_of_a_new_flow(router, box, echo.port) == "two"
            whole = first + receive_all(bulk)
            assert hashlib.sha256(whole).hexdigest() == pattern_digest(SIZE)
            trickle.finish()


def test_b133_a_reload_refuses_no_connection(box, start):
    """B133: 100 connections a second while only rules change, ten times."""
    router = start(box.ns, config("one"))
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        ssh_like = open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port)
        before = ssh_like.getsockname()
        loop = _ConnectLoop(box.ns, echo.port)
        for turn in range(10):
            router.apply(config(("two", "one")[turn % 2]))
            assert_echoes(ssh_like)
            already = loop.done
            wait_until(lambda: loop.done >= already + 10 or loop.failures, 10, "connections go on")
        loop.stop()
        assert loop.done >= 100
        assert ssh_like.getsockname() == before


def long_list(turn):
    """5,000 lines of every weight. What decides stands in the middle and moves with `turn`."""
    kinds = (
        "DOMAIN-SUFFIX,site{0}.test,one", "DOMAIN,host{0}.example,two", "IP-CIDR,10.{1}.{2}.0/24,one,no-resolve",
        "DOMAIN-KEYWORD,word{0}x,REJECT", "DOMAIN-REGEX,^r{0}[0-9]+\\.test$,two", "DST-PORT,{0},REJECT",
        "AND,((NETWORK,udp),(DOMAIN-SUFFIX,udp{0}.test)),REJECT", "SRC-IP-CIDR,10.9.{2}.{1}/32,REJECT",
    )
    lines = [kinds[i % len(kinds)].format(i + 1, i // 250, i % 250) for i in range(4_998)]
    lines.insert(2_000 + turn * 100, f"IP-CIDR,127.0.0.1/32,{('one', 'two')[turn % 2]}")
    lines[turn * 7] = f"DOMAIN-SUFFIX,edited{turn}.test,REJECT"
    return {**config("one"), "rules": [*lines, "MATCH,REJECT"]}


def test_a_list_of_5000_lines_is_edited_under_traffic(box, start):
    router = start(box.ns, long_list(0))
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        with TcpSource(box.ns.listen("127.0.0.1"), SIZE) as source:
            flows = [open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port)
                     for _ in range(FLOWS)]
            trickle = Trickle(flows)
            loop = _ConnectLoop(box.ns, echo.port)
            bulk = open_tcp("http", box.ns, cfg.MIXED, "127.0.0.1", source.port)
            first = receive_exactly(bulk, 1)  # under way
            for turn in range(1, 7):
                router.apply(long_list(turn))
                assert chain_of_a_new_flow(router, box, echo.port) == ("one", "two")[turn % 2]
                told = router.explain(f"edited{turn}.test:443")
                assert (told["rulePayload"], told["index"]) == (f"edited{turn}.test", turn * 7)
                assert router.explain("127.0.0.1:443")["index"] == 2_000 + turn * 100
            loop.stop()
            assert loop.done >= 20
            whole = first + receive_all(bulk)
            assert hashlib.sha256(whole).hexdigest() == pattern_digest(SIZE)
            trickle.finish()


def test_b133_a_bad_file_changes_nothing(box, start):
    router = start(box.ns, config("one"))
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        generation = router.status()["generation"]
        broken = router.apply("mixed-port: 17890\nrules:\n  - NOT-A-RULE,x,DIRECT\n", check=False)
        assert broken.returncode != 0
        assert ":3:" in broken.stderr + broken.stdout, "the place is named"
        assert router.status()["generation"] == generation
        assert chain_of_a_new_flow(router, box, echo.port) == "one"


def test_a_port_that_is_taken_is_said_at_the_users_key_and_changes_nothing(box, start):
    router = start(box.ns, config("one"))
    taken = box.ns.listen("127.0.0.1")
    port = taken.getsockname()[1]
    generation = router.status()["generation"]
    text = f"mode: rule\nmixed-port: {port}\nrules:\n  - MATCH,DIRECT\n"
    refused = router.apply(text, check=False)
    assert refused.returncode == 1
    first, *_, last = refused.stderr.splitlines()
    assert "next.yaml:2:13: mixed-port: " in first
    assert f"127.0.0.1:{port} is in use by another program; choose another port" in first
    assert last == "sluice: the running configuration is as it was"
    told = json.loads(router.apply(text, "--json", check=False).stdout)
    assert told["applied"] is False and told["generation"] == generation
    assert [(d["line"], d["path"]) for d in told["diagnostics"]] == [(2, "mixed-port")]
    assert router.status()["generation"] == generation
    taken.close()
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        assert chain_of_a_new_flow(router, box, echo.port) == "one"


def test_sighup_reads_the_file_again(box, start):
    router = start(box.ns, config("one"))
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        generation = router.status()["generation"]
        router.write("config.yaml", config("two"))
        router.signal("supervisor", signal.SIGHUP)
        deadline = time.monotonic() + 5
        while router.status()["generation"] == generation and time.monotonic() < deadline:
            time.sleep(0.05)
        assert chain_of_a_new_flow(router, box, echo.port) == "two"


def test_rollback_and_diff_follow_apply(box, start):
    router = start(box.ns, config("one"))
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        difference = router.cli("config", "diff", router.write("next.yaml", config("two")),
                                check=False)
        assert "two" in difference.stdout
        router.apply(config("two"))
        assert chain_of_a_new_flow(router, box, echo.port) == "two"
        router.cli("config", "rollback")
        assert chain_of_a_new_flow(router, box, echo.port) == "one"


def test_an_unconfirmed_apply_is_taken_back(box, start):
    router = start(box.ns, config("one"))
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        router.apply(config("two"), "--confirm", "2s", check=False)
        time.sleep(3)
        assert chain_of_a_new_flow(router, box, echo.port) == "one"


@pytest.mark.parametrize("signal_name", ["SIGTERM", "SIGINT"])
def test_a_stop_drains_what_runs(box, start, signal_name):
    """A transfer that is nearly done ends whole; new connections are refused meanwhile."""
    router = start(box.ns, config("one"))
    def slow(sock):
        sock.recv(1)
        time.sleep(1)
        sock.sendall(b"x" * 100_000)

    with Scripted(box.ns.listen("127.0.0.1"), slow) as server:
        sock = open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", server.port)
        sock.sendall(b"?")
        router.signal("supervisor", getattr(signal, signal_name))
        assert len(receive_exactly(sock, 100_000)) == 100_000
        sock.close()
        router.process.wait(15)


class _ConnectLoop:
    """Opens, echoes and closes 100 connections a second; stop() fails if any was refused."""

    def __init__(self, namespace, port):
        self.namespace, self.port, self.done, self.failures = namespace, port, 0, []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stop.wait(0.01):
            try:
                with open_tcp("socks5", self.namespace, cfg.MIXED, "127.0.0.1", self.port) as sock:
                    assert_echoes(sock)
                self.done += 1
            except Exception as error:
                self.failures.append(repr(error))

    def stop(self):
        self._stop.set()
        self._thread.join(15)
        assert not self.failures, self.failures[:3]
