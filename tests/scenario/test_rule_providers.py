"""Rule providers of all kinds: first content, newer content, faults, restarts. Case B136.

    box:  client -- SOCKS of the router -- echo;  a server of lists on 127.0.0.1
"""

import shutil

import pytest

from support import config as cfg
from support.list_server import ListServer
from support.paths import ROOT
from support.router import Router
from support.servers import TcpEcho
from support.socks import Refused
from support.traffic import assert_echoes
from support.wait import stays_true, wait_until
from support.ways import open_tcp

FIRST, SECOND = b"+.first.test\n", b"+.first.test\n+.second.test\n"


def provider(kind="http", **keys):
    return {"type": kind, "behavior": "domain", "format": "text", **keys}


def config(*rules, **providers):
    return cfg.base([*rules, "MATCH,DIRECT"], **{"rule-providers": providers})


def rule_of(router, name):
    return router.explain(f"{name}:80")["rule"]


def in_set(router, name):
    return rule_of(router, name) == "RuleSet"


def becomes_part(router, name):
    wait_until(lambda: in_set(router, name), 10, f"{name} is in the set")


@pytest.fixture
def lists(box):
    with ListServer(box.ns.listen("127.0.0.1"), {"/ads.txt": FIRST}) as server:
        yield server


def test_a_downloaded_list_decides_without_a_restart(box, start, lists):
    router = start(box.ns, config("RULE-SET,ads,REJECT",
                                  ads=provider(url=lists.url("/ads.txt"), path="ads.txt")))
    becomes_part(router, "a.first.test")
    assert (router.home / "ads.txt").read_bytes() == FIRST


def test_update_brings_newer_content_and_asks_conditionally(box, start, lists):
    router = start(box.ns, config("RULE-SET,ads,REJECT",
                                  ads=provider(url=lists.url("/ads.txt"), path="ads.txt")))
    becomes_part(router, "a.first.test")
    said = router.cli("rules", "update", "ads").stdout
    assert "ads" in said
    assert lists.requests[-1][1] is not None, "no If-None-Match was sent"
    lists.files["/ads.txt"] = SECOND
    router.cli("rules", "update")
    becomes_part(router, "a.second.test")


def test_a_directory_of_roots_costs_the_next_start_only(box, start, lists):
    router = Router(box.ns, config("RULE-SET,ads,REJECT", ads=provider(url=lists.url("/ads.txt"))),
                    files={"rules/mine": b""})
    try:
        folder = router.home / "rules"
        router.start()
        user = router.home.owner()
        assert user != "root"
        becomes_part(router, "a.first.test")
        fault = router.json("rules", "providers")["providers"]["ads"]["fault"]
        assert "from memory" in fault and f"user {user} may not write to {folder}" in fault
        assert f"`chown {user} {folder}`" in fault
        assert [path.name for path in folder.iterdir()] == ["mine"]
        shutil.chown(folder, user)
        assert "updated" in router.cli("rules", "update", "ads").stdout
        assert len(list(folder.iterdir())) == 3, "the list and its origin"
        assert router.json("rules", "providers")["providers"]["ads"]["fault"] == ""
    finally:
        router.stop()


def test_a_list_that_becomes_empty_is_said(box, start, lists):
    router = start(box.ns, config("RULE-SET,ads,REJECT",
                                  ads=provider(url=lists.url("/ads.txt"), path="ads.txt")))
    becomes_part(router, "a.first.test")
    lists.files["/ads.txt"] = b"# nothing any more\n"
    router.cli("rules", "update", "ads")
    wait_until(lambda: not in_set(router, "a.first.test"), 10, "the list is empty")
    assert "ads: the new content has no entries, the former had 1" in router.log()


def test_a_geo_file_that_no_rule_needs_is_said(box, start, lists):
    router = start(box.ns, config())
    said = router.cli("rules", "update", "geosite", check=False)
    assert "no rule needs the geosite file" in said.stderr


def test_a_failed_update_is_told_and_keeps_the_set(box, start, lists):
    router = start(box.ns, config("RULE-SET,ads,REJECT",
                                  ads=provider(url=lists.url("/ads.txt"), path="ads.txt")))
    becomes_part(router, "a.first.test")
    lists.files["/ads.txt"] = 503
    failed = router.cli("rules", "update", "ads", check=False)
    assert failed.returncode == 1
    assert "503" in failed.stdout + failed.stderr
    lists.files["/ads.txt"] = b"\x28\xb5\x2f\xfd broken"
    router.cli("rules", "update", "ads", check=False)
    assert in_set(router, "a.first.test")
    assert (router.home / "ads.txt").read_bytes() == FIRST


def test_without_a_proxy_the_rules_decide_a_download(box, start, lists):
    rules = ["IN-TYPE,INNER,REJECT", "RULE-SET,ads,REJECT"]
    ads = provider(url=lists.url("/ads.txt"), path="ads.txt")
    router = start(box.ns, config(*rules, ads=ads), files={"ads.txt": FIRST})
    failed = router.cli("rules", "update", "ads", check=False)
    assert failed.returncode == 1
    assert "the outbound of the rules refuses it" in failed.stdout + failed.stderr
    assert lists.requests == []
    lists.files["/ads.txt"] = SECOND
    router.apply(config(*rules[1:], ads=ads))
    router.cli("rules", "update", "ads")
    becomes_part(router, "a.second.test")


def test_the_next_mirror_is_asked(box, start, lists):
    lists.files["/gone.txt"] = 404
    router = start(box.ns, config(
        "RULE-SET,ads,REJECT",
        ads=provider(url=[lists.url("/gone.txt"), lists.url("/ads.txt")], path="ads.txt")))
    becomes_part(router, "a.first.test")
    assert [path for path, _ in lists.requests[:2]] == ["/gone.txt", "/ads.txt"]


def test_an_unknown_name_is_said(box, start, lists):
    router = start(box.ns, config("RULE-SET,ads,REJECT",
                                  ads=provider(url=lists.url("/ads.txt"), path="ads.txt")))
    failed = router.cli("rules", "update", "adz", check=False)
    assert failed.returncode != 0
    assert "adz" in failed.stderr and "ads" in failed.stderr


def test_a_start_without_the_server_uses_the_copy(box, start, lists):
    keys = dict(url="http://127.0.0.1:1/ads.txt", path="ads.txt")
    router = start(box.ns, config("RULE-SET,ads,REJECT", ads=provider(**keys)),
                   files={"ads.txt": FIRST})
    assert in_set(router, "a.first.test"), "the first decision was not right"


def test_a_users_file_is_watched(box, start):
    router = start(box.ns, config("RULE-SET,own,REJECT", own=provider("file", path="own.txt")),
                   files={"own.txt": FIRST})
    assert in_set(router, "a.first.test")
    router.put("own.txt", SECOND)
    becomes_part(router, "a.second.test")


def test_a_broken_file_keeps_the_former_set_also_over_a_restart(box, start):
    own = provider("file", path="own.yaml", format="yaml")
    router = start(box.ns, config("RULE-SET,own,REJECT", own=own),
                   files={"own.yaml": "payload: ['+.first.test']\n"})
    router.put("own.yaml", "<html>not here</html>\n")
    wait_until(lambda: "own.yaml" in router.log(), 5, "the fault is said")
    stays_true(lambda: in_set(router, "a.first.test"), 0.5, "the former set")
    dead = router.kill("controlplane")
    router.wait_restarted("controlplane", dead)
    router.wait_ready()
    assert in_set(router, "a.first.test")


def test_inline_lists_and_sets_inside_logic(box, start):
    router = start(box.ns, config(
        "AND,((RULE-SET,few),(DST-PORT,80)),REJECT",
        few={"type": "inline", "behavior": "classical",
             "payload": ["DOMAIN-SUFFIX,first.test", "DOMAIN-REGEX,^x[0-9]+[.]second[.]test$"]}))
    assert rule_of(router, "a.first.test") == "AND"
    assert rule_of(router, "x12.second.test") == "AND"
    assert rule_of(router, "y.second.test") == "Match"
    assert router.explain("a.first.test:81")["rule"] == "Match"


def test_no_flow_is_lost_while_sets_change(box, start, lists):
    router = start(box.ns, config("RULE-SET,ads,REJECT",
                                  ads=provider(url=lists.url("/ads.txt"), path="ads.txt")))
    becomes_part(router, "a.first.test")
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        flows = [open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port) for _ in range(50)]
        for content in (SECOND, FIRST, SECOND):
            lists.files["/ads.txt"] = content
            router.cli("rules", "update", "ads")
            for sock in flows:
                assert_echoes(sock)
        for sock in flows:
            sock.close()
    becomes_part(router, "a.second.test")


@pytest.mark.parametrize("content", [
    b"0123456789", (ROOT / "tests/golden/cases/B136.mmdb").read_bytes(),
], ids=["ten bytes", "an HTML page"])
def test_b136_a_broken_geo_file_holds_nothing_up(box, start, content):
    geo = {"geox-url": {"mmdb": "http://127.0.0.1:1/country.mmdb"}}
    router = start(box.ns, cfg.base(
        ["GEOIP,CN,REJECT,no-resolve", "DOMAIN,other.test,REJECT", "MATCH,DIRECT"], **geo),
        files={"Country.mmdb": content})
    assert router.explain("1.2.3.4:80")["rule"] == "Match"
    assert rule_of(router, "other.test") == "Domain"
    wait_until(lambda: "Country.mmdb" in router.log(), 10, "the message names the file")
    with pytest.raises(Refused):
        open_tcp("socks5", box.ns, cfg.MIXED, "other.test", 80)
