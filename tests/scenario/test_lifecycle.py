"""Cases B134, B137, B139, B140: starts, second starts, damaged state, missing kernel parts, links."""

import os
import signal
import time

import pytest

from support import config as cfg
from support import lab as net
from support import proc
from support.mock_dns import DnsUpstream, addresses, ask, resolve
from support.paths import CASES, NFT_HELPER, ROOT
from support.router import Router
from support.servers import TcpEcho
from support.traffic import assert_echoes
from support.wait import wait_until
from support.ways import open_tcp


def choice_config():
    nodes = [{"name": name, "type": "direct"} for name in ("one", "two")]
    return cfg.base(["MATCH,G"], proxies=nodes,
                    proxy_groups=[cfg.select_group("G", "one", "two")])


def state_file(router):
    return next(router.home.rglob("state.db"))


def stop_and_keep(router):
    """Ends the processes but keeps the folder for another start."""
    os.kill(router.process.pid, signal.SIGTERM)
    router.process.wait(10)


def replace_random(path):
    path.write_bytes((CASES / "B134.bin").read_bytes())


def replace_empty(path):
    path.write_bytes(b"")


def replace_truncated(path):
    path.write_bytes(path.read_bytes()[:1000])


def replace_folder(path):
    path.unlink()
    path.mkdir()
    (path / "occupant").write_text("x")


DAMAGES = [replace_random, replace_empty, replace_truncated, replace_folder]


@pytest.mark.parametrize("damage", DAMAGES)
def test_b134_a_damaged_state_file_is_set_aside_and_start_goes_on(box, start, damage):
    router = start(box.ns, choice_config())
    router.select("G", "two")
    assert router.selected("G") == "two"
    stop_and_keep(router)
    damage(state_file(router))
    router.start()
    assert router.selected("G") == "one", "back to the default"
    if damage is not replace_empty:  # an empty file is a fresh database
        assert "state.db" in router.log()
    router.select("G", "two")
    stop_and_keep(router)
    router.start()
    assert router.selected("G") == "two", "saved again"


def test_b134_a_read_only_file_is_set_aside_or_ignored_with_one_warning(box, start):
    router = start(box.ns, choice_config())
    router.select("G", "two")
    stop_and_keep(router)
    database = state_file(router)
    os.chown(database, 0, 0)
    database.chmod(0o444)
    before = len(router.log())
    router.start()
    said = [line for line in router.log()[before:].splitlines() if "state.db" in line]
    assert len(said) == 1, said
    for name in ("one", "two"):
        router.select("G", name)
        assert router.selected("G") == name


def test_b137_twenty_reloads_in_ten_seconds_leave_one_router(lab, start):
    with DnsUpstream(lab.wan, net.UPSTREAM4):
        router = start(lab.router, cfg.gateway(net.UPSTREAM4))
        pids, rules = router.pids(), lab.router.ip("-4", "rule")
        for _ in range(20):
            router.signal("supervisor", signal.SIGHUP)
            time.sleep(0.4)
        assert router.pids() == pids
        assert lab.router.ip("-4", "rule") == rules
        with TcpEcho(lab.wan.listen(net.WAN4)) as echo:
            with lab.lan.connect(net.WAN4, echo.port) as sock:
                assert_echoes(sock)


def test_b137_a_second_start_with_the_same_home_ends_with_a_message(lab, start):
    with DnsUpstream(lab.wan, net.UPSTREAM4):
        router = start(lab.router, cfg.gateway(net.UPSTREAM4))
        pids, rules = router.pids(), lab.router.ip("-4", "rule")
        second = Router(lab.router, cfg.gateway(net.UPSTREAM4), name="second")
        try:
            second.home, second.run_dir = router.home, router.run_dir
            second.start(wait=False)
            second.process.wait(10)
            assert second.process.returncode != 0
            assert f"another sluice (pid {pids['supervisor']})" in second.log()
        finally:
            second.stop(clean=False)
        assert router.pids() == pids
        assert lab.router.ip("-4", "rule") == rules
        assert router.try_status()


def fails_to_start(router, words):
    """Asserts that the start ended and said what is missing."""
    router.start(wait=False)
    router.process.wait(15)
    assert router.process.returncode != 0
    said = router.log().lower()
    assert any(word in said for word in words), router.log_tail()


@pytest.mark.parametrize("port", [cfg.MIXED, cfg.DNS])
def test_a_port_in_use_at_the_start_ends_it_with_one_sentence(box, port):
    """A restart cures nothing here, so there is none."""
    taken = box.ns.listen("127.0.0.1", port)
    router = Router(box.ns, cfg.base(dns=cfg.dns("127.0.0.1:15353")))
    try:
        fails_to_start(router, [f"127.0.0.1:{port} is in use"])
        errors = [line for line in router.log().splitlines()
                  if " error " in line and "/supervisor" not in line]
        assert len(errors) == 1, errors
        assert router.log().count("sluice-controlplane started") == 1
    finally:
        router.stop()
        taken.close()


def assert_plain_network(lab):
    """No table, rule or route of ours; LAN reaches the WAN by itself."""
    assert lab.router.run("nft", "list", "tables").stdout == ""
    assert "fwmark" not in lab.router.ip("-4", "rule") + lab.router.ip("-6", "rule")
    with TcpEcho(lab.wan.listen(net.WAN4)) as echo:
        with lab.lan.connect(net.WAN4, echo.port) as sock:
            assert_echoes(sock)
        assert echo.peers == [net.CLIENT4]


def test_b139_without_nf_tables_the_start_fails_and_leaves_nothing(lab):
    """nf_tables is taken away by refusing netfilter netlink sockets to everything in the router."""
    router = Router(lab.router, cfg.gateway(net.UPSTREAM4),
                    wrap=["/usr/bin/python3", str(ROOT / "tests/support/without_nftables.py")])
    try:
        fails_to_start(router, ["nf_tables", "nftables"])
        assert_plain_network(lab)
    finally:
        router.stop()


def test_b139_without_nft_tproxy_the_start_fails_and_leaves_nothing(lab, tmp_path):
    """A double in the helper's place answers as a kernel without the expression would."""
    double = tmp_path / "sluice-nft"
    source = ROOT / "tests/support/doubles/nft_without_tproxy.cc"
    lab.router.run("c++", "-std=c++20", "-O1", source, "-o", double)
    # The mount is seen by this start only: each command has a mount namespace of its own.
    covered = ["sh", "-c", f'mount --bind {double} {NFT_HELPER} && exec "$@"', "sh"]
    router = Router(lab.router, cfg.gateway(net.UPSTREAM4), wrap=covered)
    try:
        fails_to_start(router, ["nft_tproxy"])
        assert_plain_network(lab)
    finally:
        router.stop()


@pytest.mark.limit(120)
def test_b140_a_link_that_comes_back_with_another_address(lab, start):
    """B140, three rounds; the pause is short because nothing here waits for a time."""
    zone = {"page.test": {"A": [net.WAN4]}}
    with DnsUpstream(lab.wan, net.UPSTREAM4, zone=zone):
        with TcpEcho(lab.wan.listen(net.WAN4)) as echo:
            router = start(lab.router, cfg.gateway(net.UPSTREAM4))
            pids = router.pids()
            for turn in range(3):
                fake = resolve(lab.lan, net.GATEWAY4, "page.test")
                held = lab.lan.connect(fake, echo.port)
                assert_echoes(held)
                lab.router.ip("link", "set", "wan0", "down")
                time.sleep(3)
                new = f"203.0.113.{11 + turn}/24"
                lab.router.ip("address", "flush", "dev", "wan0")
                lab.router.ip("address", "add", new, "dev", "wan0")
                lab.router.ip("link", "set", "wan0", "up")
                lab.router.ip("route", "replace", "192.0.2.0/24", "via", net.WAN4)
                wait_until(lambda: works(lab, echo.port), 5, "works after link-up")
                assert echo.peers[-1] == new.split("/")[0]
            assert router.pids() == pids, "the same processes"
            wait_until(lambda: not old_sockets(lab, pids["dataplane"]), 30,
                       "sockets of the old address are dropped", every=0.5)


def works(lab, port):
    """A LAN client resolves and connects."""
    try:
        found = addresses(ask(lab.lan, net.GATEWAY4, "page.test", limit=0.5))
        with lab.lan.connect(found[0], port, limit=0.5) as sock:
            assert_echoes(sock)
        return True
    except (OSError, IndexError):
        return False


def old_sockets(lab, pid):
    assert proc.alive(pid)
    here = {entry["local"] for link in lab.router.ip_json("address", "show", "dev", "wan0")
            for entry in link["addr_info"]}
    lines = lab.router.run("ss", "-Htn", "state", "established").stdout.splitlines()
    local = {line.split()[2].rsplit(":", 1)[0] for line in lines}
    return {address for address in local if address.startswith("203.0.113.")} - here


def test_started_twice_in_a_row_the_second_start_is_quick(box, start):
    router = start(box.ns, cfg.base())
    stop_and_keep(router)
    began = time.monotonic()
    router.start()
    assert time.monotonic() - began < 2
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port) as sock:
            assert_echoes(sock)
