"""A configuration of the field, most of whose nodes are of types not built yet.

tests/golden/field.yaml: 20 such proxies, 3 groups, 40 rules, as people have them.
"""

import re

import pytest

from support import config as cfg
from support.mock_dns import DnsUpstream
from support.paths import ROOT
from support.servers import TcpEcho
from support.socks import MockSocks5, Refused
from support.traffic import assert_echoes
from support.ways import open_tcp

TEXT = (ROOT / "tests/golden/field.yaml").read_text()
NODES = re.findall(r"- \{name: \"?([^,\"]+)\"?, type: (?!socks5)", TEXT)


@pytest.fixture
def world(box, start):
    zone = {"one.direct.test": {"A": ["127.0.0.1"]}, "built.test": {"A": ["127.0.0.1"]}}
    with DnsUpstream(box.ns, "127.0.0.1", 15353, zone=zone):
        with MockSocks5(box.ns, "127.0.0.2", 18080, routes={"built.test": "127.0.0.1"}) as node:
            with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
                box.node, box.echo = node, echo
                box.router = start(box.ns, TEXT)
                yield box


def test_the_file_is_what_it_says():
    assert len(NODES) == 20
    assert TEXT.count("type: select") + TEXT.count("type: url-test") + TEXT.count(
        "type: fallback") == 3
    assert len(re.findall(r"^ +- [A-Z0-9-]+,", TEXT, re.MULTILINE)) == 40


def test_each_unsupported_thing_is_warned_about_once_with_its_line(world):
    checked = world.router.cli("config", "check", world.router.config_file)
    said = checked.stdout + checked.stderr
    for name in NODES:
        lines = [line for line in said.splitlines() if f"{name}" in line]
        assert len(lines) == 1, (name, lines)
        assert re.search(r"config\.yaml:\d+:\d+: ", lines[0])
    assert "rule type" not in said


def test_what_is_built_works(world):
    with open_tcp("socks5", world.ns, 17890, "one.direct.test", world.echo.port) as sock:
        assert_echoes(sock)
    with open_tcp("socks5", world.ns, 17890, "built.test", world.echo.port) as sock:
        assert_echoes(sock)
        flow = world.router.flows(host="built.test")[0]
        assert flow["chains"][0] == "built"
    assert world.node.requests == [(1, "built.test", world.echo.port)]


def test_a_flow_to_a_node_not_built_is_refused_never_direct(world):
    with pytest.raises((Refused, OSError)):
        sock = open_tcp("socks5", world.ns, 17890, "127.0.0.1", world.echo.port)
        assert_echoes(sock)
    assert world.echo.peers == []
    told = world.router.explain(f"127.0.0.1:{world.echo.port}")
    assert told["chains"][-1] == "Proxy"


def test_a_group_not_built_stands_on_its_first_built_member(world):
    groups = {group["name"]: group for group in world.router.status()["groups"]}
    assert groups["Auto"]["now"] == "built"
    world.router.select("Proxy", "built")
    with open_tcp("socks5", world.ns, cfg.MIXED, "127.0.0.1", world.echo.port) as sock:
        assert_echoes(sock)
