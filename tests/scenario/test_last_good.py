"""A configuration file that is broken when the control plane comes back, or from the start.

    box:  client -- mixed port of the router -- echo
"""

import signal

import pytest

from support import config as cfg
from support.servers import TcpEcho
from support.traffic import assert_echoes
from support.wait import stays_true, wait_until
from support.ways import open_tcp

BROKEN = 'mixed-port: 17890\nrules: ["MATCH,Nobody"]\n'
BAD_CONFIG = 4


def config(target):
    nodes = [{"name": name, "type": "direct"} for name in ("one", "two")]
    return cfg.base([f"MATCH,{target}"], proxies=nodes)


def chain_of_a_new_flow(router, box, port):
    with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", port) as sock:
        assert_echoes(sock)
        return router.flows(sourcePort=sock.getsockname()[1])[0]["chains"][0]


def kill_over_a_broken_file(router):
    """The status once the last good configuration runs."""
    dead = router.kill("controlplane")
    router.wait_restarted("controlplane", dead)

    def fallen_back():
        status = router.try_status()
        return status if status and status["fileFault"] else None

    return wait_until(fallen_back, 10, "status says that the last good configuration runs")


@pytest.fixture
def echo(box):
    with TcpEcho(box.ns.listen("127.0.0.1")) as server:
        yield server


def break_by_text(path):
    path.write_text(BROKEN)


def break_by_removal(path):
    path.unlink()


@pytest.mark.parametrize("damage", [break_by_text, break_by_removal])
def test_a_restart_over_a_broken_file_goes_on_by_the_last_good_one(box, echo, start, damage):
    router = start(box.ns, config("one"))
    held = open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port)
    damage(router.config_file)
    for _ in range(2):  # what stands in is itself the last good one
        status = kill_over_a_broken_file(router)
        assert "config.yaml" in status["fileFault"]
        assert not status["unsaved"]
        assert chain_of_a_new_flow(router, box, echo.port) == "one"
    assert "last good one runs" in router.cli("status").stdout
    said = [line for line in router.log().splitlines() if "the last good configuration runs" in line]
    assert len(said) == 2, "one line for each start"
    if damage is break_by_text:
        assert "config.yaml:2:" in said[0]
    router.write("config.yaml", config("two"))
    router.signal("supervisor", signal.SIGHUP)
    wait_until(lambda: not router.status()["fileFault"], 5, "the repaired file is loaded")
    assert chain_of_a_new_flow(router, box, echo.port) == "two"
    assert_echoes(held)


def test_what_nobody_confirmed_is_not_the_last_good_one(box, echo, start):
    router = start(box.ns, config("one"))
    router.apply(config("two"), "--confirm", "600s")
    assert chain_of_a_new_flow(router, box, echo.port) == "two"
    router.config_file.write_text(BROKEN)
    kill_over_a_broken_file(router)
    assert chain_of_a_new_flow(router, box, echo.port) == "one"


def test_an_apply_replaces_the_broken_file(box, echo, start):
    router = start(box.ns, config("one"))
    router.config_file.write_text(BROKEN)
    kill_over_a_broken_file(router)
    router.apply(config("two"))
    assert not router.status()["fileFault"]
    assert chain_of_a_new_flow(router, box, echo.port) == "two"
    assert "Nobody" not in router.config_file.read_text()
    dead = router.kill("controlplane")
    router.wait_restarted("controlplane", dead)
    wait_until(lambda: router.log().count("in force, generation") == 3, 10, "the file runs")
    assert not router.status()["fileFault"]
    assert chain_of_a_new_flow(router, box, echo.port) == "two"


def test_a_fresh_start_over_a_broken_file_ends_with_the_fault(box, start):
    router = start(box.ns, config("one"))
    assert (router.home / "last-good.yaml").stat().st_mode & 0o777 == 0o600
    router.process.send_signal(signal.SIGTERM)
    router.process.wait(10)
    router.config_file.write_text(BROKEN)
    router.start(wait=False)
    assert router.process.wait(10) == BAD_CONFIG
    assert "config.yaml:2:" in router.log()


def test_a_reload_of_a_broken_file_changes_nothing(box, echo, start):
    router = start(box.ns, config("one"))
    router.config_file.write_text(BROKEN)
    router.signal("supervisor", signal.SIGHUP)
    wait_until(lambda: "the running configuration stays" in router.log(), 5, "the refusal is said")
    stays_true(lambda: not router.status()["fileFault"], 0.3, "the file is not what started us")
    assert chain_of_a_new_flow(router, box, echo.port) == "one"
