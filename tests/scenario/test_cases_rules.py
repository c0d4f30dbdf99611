"""Cases of rules: B010, B019, B023, B025, B026, B028, B029, B031, B032, B034, B035, B037, B038.

    box:  client -- SOCKS of the router (17890) -- echo on 127.0.0.1

The files of the cases are used as they are; a name below .test is 127.0.0.1.
"""

import re

import pytest

from support import config as cfg
from support.mock_dns import DnsUpstream
from support.paths import ROOT
from support.servers import TcpEcho
from support.socks import Refused
from support.traffic import assert_echoes
from support.ways import open_tcp

CASES = ROOT / "tests/golden/cases"
NOT_VALID = 1


def case(name):
    return (CASES / name).read_bytes()


def text(name):
    """A case's configuration without what is not built yet and says so."""
    return case(name).decode("utf-8-sig").replace("external-controller: 127.0.0.1:19090\n", "")


@pytest.fixture
def echo(box):
    with TcpEcho(box.ns.listen("127.0.0.1")) as server:
        yield server


@pytest.fixture
def refused(box, echo):
    """refused(host, port) -> whether a rule rejects it; else the echo must have answered."""

    def ask(host, port=None):
        try:
            with open_tcp("socks5", box.ns, cfg.MIXED, host, port or echo.port) as sock:
                assert_echoes(sock)
            return False
        except Refused:
            return True

    return ask


def test_b010_byte_order_mark_and_crlf(box, start, refused):
    start(box.ns, case("B010.yaml").decode(), files={"B010.list": case("B010.list")})
    assert refused("first.bom.test")
    assert refused("x.second.bom.test")
    assert not refused("third.bom.test")


def test_b010_utf16_is_a_clear_error(box, start):
    router = start(box.ns, cfg.base())
    path = router.folder / "utf16.yaml"
    path.write_bytes("mixed-port: 7890\n".encode("utf-16"))
    checked = router.cli("config", "check", path, check=False)
    assert checked.returncode == NOT_VALID
    assert "UTF-16" in checked.stdout + checked.stderr


@pytest.mark.parametrize("content, count", [
    (case("B019.list").decode(), 1), ("", 0), ("# nothing\n// but comments\n", 0),
], ids=["no newline at its end", "empty", "comments only"])
def test_b019_a_list_of_one_and_of_none(box, start, refused, content, count):
    router = start(
        box.ns,
        cfg.base(
            ["RULE-SET,L,REJECT", "MATCH,DIRECT"], hosts={"+.test": "127.0.0.1"},
            **{"rule-providers": {"L": {"type": "file", "behavior": "domain", "format": "text",
                                        "path": "L.txt"}}}),
        files={"L.txt": content})
    assert refused("only.one.test") == (count == 1)
    assert not refused("two.test")
    assert "L.txt" not in router.log()


def test_b023_commas_of_a_pattern_belong_to_it(box, start, refused):
    start(box.ns, text("B023.yaml"))
    assert refused("a1.rx.test")
    assert not refused("-bad.rx.test")


ZONE = {
    "nolookup.test": {"A": ["127.0.0.1"]},
    "looked.test": {"A": ["127.0.0.1"]},
    "blocked.test": {"A": ["192.0.2.9"]},
    "early.test": {"A": ["127.0.0.1"]},
}


def test_b025_a_guard_that_fails_asks_nothing(box, start, refused):
    with DnsUpstream(box.ns, "127.0.0.1", 15353, zone=ZONE) as upstream:
        start(box.ns, text("B025.yaml"))
        assert refused("nolookup.test")
        assert upstream.count("nolookup.test") == 0
        assert refused("blocked.test", 9)
        assert upstream.count("blocked.test", "A") == 1


def test_b026_an_earlier_name_of_a_classical_set_asks_nothing(box, start, refused):
    with DnsUpstream(box.ns, "127.0.0.1", 15353, zone=ZONE) as upstream:
        start(box.ns, text("B026.yaml"), files={"B026.list": case("B026.list")})
        assert refused("early.test")
        assert upstream.count("early.test") == 0
        assert refused("blocked.test")
        assert upstream.count("blocked.test", "A") == 1
        assert not refused("looked.test")


def test_b026_no_resolve_asks_nothing_at_all(box, start, refused):
    with DnsUpstream(box.ns, "127.0.0.1", 15353, zone=ZONE) as upstream:
        config = text("B026.yaml").replace("RULE-SET,C,REJECT", "RULE-SET,C,REJECT,no-resolve")
        start(box.ns, config.replace("MATCH,DIRECT", "MATCH,REJECT"),
              files={"B026.list": case("B026.list")})
        assert refused("early.test") and refused("blocked.test")
        assert upstream.queries == []


def test_b028_mapped_prefix_does_not_hold_plain_addresses(box, start, refused):
    start(box.ns, text("B028.yaml"))
    assert not refused("127.0.0.1")


def test_b029_mapped_addresses_are_plain_ones(box, start, echo):
    config = text("B029.yaml").replace("18081", str(echo.port))
    router = start(box.ns, config)
    assert router.explain("[::ffff:192.0.2.1]:80")["rulePayload"] == "192.0.2.0/24"
    with pytest.raises(Refused):
        open_tcp("socks5", box.ns, cfg.MIXED, "::ffff:192.0.2.1", 80)
    with pytest.raises(Refused):  # the client came to a socket of both families
        open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port)


@pytest.mark.parametrize("host", [
    "xn--bcher-kva.test", "XN--BCHER-KVA.test", "a.xn--bcher-kva.test.", "www.plain.test",
    "WWW.plain.TEST.",
])
def test_b031_spellings_of_one_name(box, start, refused, host):
    start(box.ns, text("B031.yaml"))
    assert refused(host)
    assert not refused("plain.test")


def wildcard_rows():
    rows = [line.split("\t") for line in case("B032.tsv").decode().splitlines()[1:]]
    assert {kind for kind, *_ in rows} <= {"set", "wildcard"}, "a kind that nobody tests"
    return rows


def test_b032_stars_of_sets_and_of_wildcards(box, start):
    patterns = sorted({row[1] for row in wildcard_rows() if row[0] == "wildcard"})
    config = cfg.base(
        ["RULE-SET,S,REJECT"] + [f"DOMAIN-WILDCARD,{p},REJECT" for p in patterns] +
        ["MATCH,DIRECT"],
        **{"rule-providers": {"S": {"type": "file", "behavior": "domain", "format": "text",
                                    "path": "S.txt"}}})
    router = start(box.ns, config, files={"S.txt": case("B032.list")})
    for kind, pattern, host, matches in wildcard_rows():
        found = router.explain(f"{host}:80")
        by_kind = {"set": "RuleSet", "wildcard": "DomainWildcard"}[kind]
        assert (found["rule"] == by_kind) == (matches == "yes"), (kind, pattern, host, found)


def test_b034_geosite_attributes_and_marks_in_names(box, start, refused):
    router = start(box.ns, text("B034.yaml"), files={"GeoSite.dat": case("B034.dat")})
    assert refused("cn.sample.test")
    assert not refused("plain.sample.test")
    unknown = text("B034.yaml").replace("GEOSITE,sample@cn", "GEOSITE,smaple@cn")
    applied = router.apply(unknown, check=False)
    assert applied.returncode != 0
    assert re.search(r":\d+:\d+: rules\[0\]: .*smaple", applied.stdout + applied.stderr)
    assert refused("cn.sample.test"), "the running configuration went"


def test_b035_an_unknown_type_is_an_error_with_its_place(box, start):
    router = start(box.ns, cfg.base())
    checked = router.cli("config", "check", CASES / "B035.yaml", check=False)
    said = checked.stdout + checked.stderr
    assert checked.returncode == NOT_VALID
    assert "rules[2]" in said and "GEOSITE:sample" in said and "unsupported rule type" in said


def test_b037_every_type_inside_logic(box, start, refused):
    start(box.ns, text("B037.yaml"))
    assert refused("s.test")
    assert not refused("s6.test")  # the client is 127.0.0.1
    assert refused("o.test")
    assert not refused("p.test")


def test_b038_prefixes_in_any_spelling(box, start):
    router = start(box.ns, text("B038.yaml"), files={"B038.list": case("B038.list")})
    rejected = ["10.10.15.9", "172.16.0.1", "172.31.255.1", "192.0.2.7", "[2001:db8::1]",
                "198.51.100.200"]
    passed = ["10.10.16.1", "172.32.0.1", "192.0.2.8", "198.51.101.1"]
    for host in rejected:
        assert router.explain(f"{host}:80")["chains"] == ["REJECT"], host
    for host in passed:
        assert router.explain(f"{host}:80")["chains"] == ["DIRECT"], host
    with pytest.raises(Refused):
        open_tcp("socks5", box.ns, cfg.MIXED, "10.10.15.9", 80)
    bad = text("B038.yaml").replace("10.10.1.0/20", "10.10.1.0/33")
    checked = router.cli("config", "check", router.write("bad.yaml", bad), check=False)
    assert checked.returncode == NOT_VALID
    assert "rules[0]" in checked.stdout + checked.stderr
