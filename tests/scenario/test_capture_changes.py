"""What capture does when its configuration changes, when a change fails, and after a kill.

    lan client -- lan0 router (capture, fake-IP DNS) wan0 -- wan: echo, DNS upstream
"""

import os
import signal
import subprocess
import threading
import time

import pytest

from support import config as cfg
from support import lab as net
from support.mock_dns import DnsUpstream, addresses, ask, resolve
from support.netns import kill
from support.servers import TcpEcho
from support.traffic import assert_echoes
from support.wait import wait_until

ZONE = {f"{name}.test": {"A": [net.WAN4]} for name in ("page", "other")}
NUMBERS = {"route_table": 7000, "rule_priority": 900}


@pytest.fixture
def world(lab):
    with DnsUpstream(lab.wan, net.UPSTREAM4, zone=ZONE):
        with TcpEcho(lab.wan.listen(net.WAN4)) as echo:
            lab.echo = echo
            yield lab


def kernel(lab):
    """Everything of ours that the router's kernel shows."""
    shown = [lab.router.run("nft", "list", "tables").stdout]
    for family in ("-4", "-6"):
        shown.append(lab.router.ip(family, "rule"))
        routes = lab.router.ip(family, "route", "show", "table", "all").splitlines()
        shown.append([line for line in routes if line.startswith("local default")])
    return shown


def wildcard_ports(lab):
    """Ports of the capture's own sockets: nothing else of ours listens on every address."""
    lines = lab.router.run("ss", "-Hlntu").stdout.splitlines()
    places = [line.split()[4] for line in lines]
    return {place for place in places if place.startswith(("*:", "[::]:", "0.0.0.0:"))}


def source_of_a_flow(lab):
    with lab.lan.connect(net.WAN4, lab.echo.port) as sock:
        assert_echoes(sock)
    return lab.echo.peers[-1]


def test_capture_turned_off_by_a_reload_leaves_nothing_and_can_come_back(world, start):
    before, ports = kernel(world), wildcard_ports(world)
    router = start(world.router, cfg.gateway(net.UPSTREAM4, capture_keys=NUMBERS))
    assert source_of_a_flow(world) == net.ROUTER4
    router.apply(cfg.base())
    assert kernel(world) == before
    wait_until(lambda: wildcard_ports(world) == ports, 2, "the sockets are closed")
    assert router.status()["capture"] == "off"
    assert source_of_a_flow(world) == net.CLIENT4
    router.apply(cfg.gateway(net.UPSTREAM4))
    assert source_of_a_flow(world) == net.ROUTER4


class Stranger:
    """Another process that owns `table inet sluice`: ours is refused while it lives."""

    def __init__(self, lab):
        self._nft = subprocess.Popen(
            lab.router.wrap(["nft", "-i"]), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            text=True,
        )
        self._nft.stdin.write("add table inet sluice { flags owner; }\n")
        self._nft.stdin.flush()
        wait_until(lambda: "sluice" in kernel(lab)[0], 3, "the stranger's table")

    def end(self):
        self._nft.stdin.close()
        self._nft.wait(5)


def test_a_first_capture_that_is_refused_is_rolled_back_completely(world, start):
    router = start(world.router, cfg.base(["MATCH,REJECT"]))
    ports = wildcard_ports(world)
    stranger = Stranger(world)
    try:
        before = kernel(world)
        refused = router.apply(cfg.gateway(net.UPSTREAM4, capture_keys=NUMBERS), check=False)
        assert refused.returncode != 0
        assert "another process owns table inet sluice" in refused.stderr + refused.stdout
        assert kernel(world) == before
        assert wildcard_ports(world) == ports
        assert router.status()["capture"] != "on"
        assert "nft" not in router.pids()
    finally:
        stranger.end()
    router.apply(cfg.gateway(net.UPSTREAM4))
    assert source_of_a_flow(world) == net.ROUTER4


def test_other_modes_and_numbers_lose_no_connection_of_the_lan(world, start):
    router = start(world.router, cfg.gateway(net.UPSTREAM4))
    sources, failures, end = [], [], threading.Event()

    def connect():
        while not end.wait(0.005):
            try:
                sources.append(source_of_a_flow(world))
            except OSError as problem:
                failures.append(repr(problem))

    thread = threading.Thread(target=connect, daemon=True)
    thread.start()
    try:
        for mode, keys in (("redirect", {}), ("tproxy", {}), ("tproxy", NUMBERS),
                           ("redirect", {}), ("tproxy", NUMBERS), ("tproxy", {})):
            router.apply(cfg.gateway(net.UPSTREAM4, mode=mode, capture_keys=keys))
            seen = len(sources)
            wait_until(lambda: len(sources) > seen + 20 or failures, 10, "connections go on")
    finally:
        end.set()
        thread.join(10)
    assert not failures, failures[:3]
    assert set(sources) == {net.ROUTER4}, "none passed by"


def test_names_are_answered_while_the_helper_stalls(world, start):
    router = start(world.router, cfg.gateway(net.UPSTREAM4))
    resolve(world.lan, net.GATEWAY4, "page.test")
    helper = router.signal("nft", signal.SIGSTOP)
    applying = threading.Thread(
        target=router.apply, daemon=True, kwargs={"check": False},
        args=(cfg.gateway(net.UPSTREAM4, capture_keys=NUMBERS),),
    )
    applying.start()
    time.sleep(0.5)  # the command is under way: it waits two seconds for its verdict
    began = time.monotonic()
    answer = addresses(ask(world.lan, net.GATEWAY4, "other.test", limit=3))
    took = time.monotonic() - began
    kill(helper)
    applying.join(20)
    assert answer[0].startswith("198.18."), "a new fake address, so a new binding"
    assert took < 0.8


def test_a_helper_that_stalls_and_lives_on_leaves_the_former_capture(world, start):
    router = start(world.router, cfg.gateway(net.UPSTREAM4))
    before, ports = kernel(world), wildcard_ports(world)
    stalled = router.signal("nft", signal.SIGSTOP)
    refused = router.apply(cfg.gateway(net.UPSTREAM4, mode="redirect", capture_keys=NUMBERS),
                           check=False)
    assert refused.returncode != 0
    try:
        os.kill(stalled, signal.SIGCONT)
    except ProcessLookupError:
        pass  # as it should be
    wait_until(lambda: router.try_status(), 5, "capture is on")
    assert router.pid("nft") != stalled
    assert (kernel(world), wildcard_ports(world)) == (before, ports)
    assert source_of_a_flow(world) == net.ROUTER4
    # Nothing that is still under way takes the new helper down.
    router.apply(cfg.gateway(net.UPSTREAM4, mode="redirect", capture_keys=NUMBERS))
    helper = router.pid("nft")
    time.sleep(0.5)
    assert router.pid("nft") == helper
    assert source_of_a_flow(world) == net.ROUTER4


def test_rules_of_a_killed_run_go_though_the_next_one_captures_nothing(world, start):
    before = kernel(world)
    router = start(world.router, cfg.gateway(net.UPSTREAM4, capture_keys=NUMBERS))
    router.signal("supervisor", signal.SIGSTOP)  # nobody drains, nobody restarts
    for role in ("dataplane", "controlplane", "supervisor"):
        router.kill(role)
    router.process.wait(5)
    wait_until(lambda: "sluice" not in kernel(world)[0], 3, "the table goes with its owner")
    assert kernel(world) != before, "rules and routes outlive us"
    # The snapshot is lost as well: what was noted must be enough.
    (router.run_dir / "dp" / "snapshot").unlink()
    router.write("config.yaml", cfg.base())
    router._captures = False
    router.start()
    assert kernel(world) == before
