"""Either process dies or hangs, under traffic.

    lan clients -- lan0 router (capture, fake-IP; dnsmasq for plain times) wan0 -- wan echo, DNS
"""

import signal
import time

import pytest

from support import config as cfg
from support import lab as net
from support.mock_dns import DnsUpstream, addresses, ask, resolve
from support.netns import kill
from support.servers import TcpEcho
from support.traffic import Trickle, assert_echoes
from support.wait import stays_true, wait_until

ZONE = {"page.test": {"A": [net.WAN4], "AAAA": [net.WAN6]}}
FLOWS = 200
SERVICE_BACK_S = 2.0
NAMES_BACK_S = 1.5
TABLE = "sluice"


@pytest.fixture
def world(lab):
    """Upstream DNS and echo in the WAN; a plain resolver on the router for when we are away."""
    lab.router.popen(
        "dnsmasq", "-k", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--pid-file=",
        "--cache-size=0", f"--server={net.UPSTREAM4}",
    )
    with DnsUpstream(lab.wan, net.UPSTREAM4, zone=ZONE) as upstream:
        with TcpEcho(lab.wan.listen(net.WAN4)) as echo:
            lab.upstream, lab.echo = upstream, echo
            wait_until(lambda: try_resolve(lab), 5, "the plain resolver answers")
            yield lab


def try_resolve(lab, sock=None, limit=0.3):
    try:
        found = addresses(ask(lab.lan, net.GATEWAY4, "page.test", sock=sock, limit=limit))
        return found[0] if found else None
    except (TimeoutError, OSError):
        return None


def try_echo(lab, address, limit=0.5):
    """The source that the WAN saw, or None."""
    try:
        with lab.lan.connect(address, lab.echo.port, limit) as sock:
            assert_echoes(sock)
        return lab.echo.peers[-1]
    except OSError:
        return None


def owned_tables(lab):
    lines = lab.router.run("nft", "list", "tables").stdout.splitlines()
    return [line for line in lines if TABLE in line]


def open_flows(lab, count=FLOWS):
    socks = [lab.lan.connect(net.WAN4, lab.echo.port) for _ in range(count)]
    for sock in socks:
        assert_echoes(sock)
    return socks


def test_control_plane_killed_under_200_flows(world, start):
    router = start(world.router, cfg.gateway(net.UPSTREAM4))
    keeper = world.lan.udp()  # a client that keeps its socket, and so its conntrack entry
    fake = resolve(world.lan, net.GATEWAY4, "page.test", sock=keeper)
    trickle = Trickle(open_flows(world))
    dead = router.kill("controlplane")
    killed = time.monotonic()
    assert try_echo(world, net.WAN4), "a new DIRECT flow by address connects meanwhile"
    wait_until(lambda: try_resolve(world, keeper), NAMES_BACK_S, "names by the kept socket")
    assert time.monotonic() - killed <= NAMES_BACK_S
    router.wait_restarted("controlplane", dead)
    again = wait_until(lambda: fake_of(world), 5, "fake addresses are given again")
    assert again == fake, "the binding survived"
    assert try_echo(world, fake) == net.ROUTER4
    trickle.finish()


def fake_of(lab):
    found = try_resolve(lab)
    return found if found and found.startswith("198.18.") else None


def test_a_stopped_control_plane_counts_as_dead(world, start):
    """Stopped, not killed: its sockets stay open and nobody answers on them."""
    router = start(world.router, cfg.gateway(net.UPSTREAM4))
    keeper = world.lan.udp()
    resolve(world.lan, net.GATEWAY4, "page.test", sock=keeper)
    trickle = Trickle(open_flows(world, 20))
    stopped = router.signal("controlplane", signal.SIGSTOP)
    try:
        wait_until(lambda: try_resolve(world, keeper), NAMES_BACK_S, "names while it hangs")
        assert try_echo(world, net.WAN4), "a new DIRECT flow by address"
    finally:
        kill(stopped, signal.SIGCONT)  # a supervisor may have replaced it meanwhile
    wait_until(lambda: fake_of(world), 5, "fake addresses are given again")
    router.remember_pids()
    trickle.finish()


def test_data_plane_killed_falls_back_to_plain_routing_and_comes_back(world, start):
    router = start(world.router, cfg.gateway(net.UPSTREAM4))
    fake = resolve(world.lan, net.GATEWAY4, "page.test")
    assert try_echo(world, fake) == net.ROUTER4
    assert owned_tables(world)
    dead = router.kill("dataplane")
    killed = time.monotonic()
    wait_until(lambda: try_echo(world, fake) == net.ROUTER4, SERVICE_BACK_S,
               "the old fake address works again")
    again = wait_until(lambda: fake_of(world), killed + SERVICE_BACK_S - time.monotonic(),
                       "fake addresses are given again")
    assert again == fake, "the binding survived"
    router.wait_restarted("dataplane", dead)


def test_while_the_data_plane_is_away_lan_works_plainly_by_address_and_name(world, start):
    """The supervisor is stopped, so that nothing comes back while we look."""
    router = start(world.router, cfg.gateway(net.UPSTREAM4))
    resolve(world.lan, net.GATEWAY4, "page.test")
    router.signal("supervisor", signal.SIGSTOP)
    try:
        router.kill("dataplane")
        wait_until(lambda: not owned_tables(world), 1, "the table is gone at once")
        wait_until(lambda: try_echo(world, net.WAN4) == net.CLIENT4, 1, "plain by address")
        wait_until(lambda: try_resolve(world) == net.WAN4, 2, "plain by name")
        assert "nft" not in router.pids()
    finally:
        router.signal("supervisor", signal.SIGCONT)
    wait_until(lambda: fake_of(world), 5, "service is back")


def test_helper_killed_the_table_goes_and_comes_back(world, start):
    router = start(world.router, cfg.gateway(net.UPSTREAM4))
    fake = resolve(world.lan, net.GATEWAY4, "page.test")
    trickle = Trickle(open_flows(world, 20))
    dataplane = router.pid("dataplane")
    dead = router.kill("nft")
    router.wait_restarted("nft", dead, SERVICE_BACK_S)
    wait_until(lambda: try_echo(world, fake) == net.ROUTER4, SERVICE_BACK_S, "service is back")
    assert owned_tables(world)
    assert router.pid("dataplane") == dataplane, "only the helper was replaced"
    trickle.finish()


def test_capture_open_on_a_stalled_helper_does_not_leave_it_the_table(world, start):
    """Nobody but a new helper can withdraw the redirect of names afterwards."""
    router = start(world.router, cfg.gateway(net.UPSTREAM4))
    keeper = world.lan.udp()
    resolve(world.lan, net.GATEWAY4, "page.test", sock=keeper)
    stalled = router.signal("nft", signal.SIGSTOP)
    assert router.cli("capture", "open", check=False).returncode != 0
    stopped = router.signal("controlplane", signal.SIGSTOP)
    try:
        wait_until(lambda: try_resolve(world, keeper), NAMES_BACK_S, "names while it hangs")
    finally:
        kill(stopped, signal.SIGCONT)  # a supervisor may have replaced it meanwhile
    router.wait_ready()
    assert router.pid("nft") != stalled


def test_choices_and_counters_survive_both_deaths(world, start):
    nodes = [{"name": "one", "type": "direct"}, {"name": "two", "type": "direct"}]
    config = cfg.gateway(net.UPSTREAM4, ["MATCH,G"], proxies=nodes,
                         proxy_groups=[cfg.select_group("G", "one", "two")])
    router = start(world.router, config)
    router.select("G", "two")
    for role in ("controlplane", "dataplane"):
        dead = router.kill(role)
        router.wait_restarted(role, dead)
        router.wait_ready()
        assert router.selected("G") == "two"
        with world.lan.connect(net.WAN4, world.echo.port) as sock:
            assert_echoes(sock)
            flow = wait_until(lambda: router.flows(destinationIP=net.WAN4), 3, "the flow")[-1]
            assert flow["chains"] == ["two", "G"]


def test_clean_stop_leaves_a_working_plain_network(world, start):
    router = start(world.router, cfg.gateway(net.UPSTREAM4))
    keeper = world.lan.udp()
    resolve(world.lan, net.GATEWAY4, "page.test", sock=keeper)
    router.stop()
    wait_until(lambda: try_resolve(world, keeper) == net.WAN4, 2, "names by the kept socket")
    assert try_echo(world, net.WAN4) == net.CLIENT4
    stays_true(lambda: not owned_tables(world), 0.3, "no table")
