"""`sluice rules`: what lines decided, lines that are switched off, and files in other formats."""

import signal

import pytest

from support import config as cfg
from support.servers import TcpEcho
from support.traffic import assert_echoes
from support.wait import wait_until
from support.ways import open_tcp

NODES = [{"name": name, "type": "direct"} for name in ("one", "two", "inner")]


def config(*extra):
    """Echo connections take line 1 (`one`), then line 2 (`two`), then the sub-rule list."""
    return cfg.base(
        [
            "DOMAIN,nobody.test,REJECT",
            "IP-CIDR,127.0.0.1/32,one",
            "IP-CIDR,127.0.0.0/8,two",
            "SUB-RULE,(NETWORK,tcp),late",
            *extra,
            "MATCH,REJECT",
        ],
        proxies=NODES,
        **{"sub-rules": {"late": ["DST-PORT,1,REJECT", "DST-PORT,1-65535,inner"]}},
    )


def flow_takes(router, box, echo):
    """The outbound of one new flow."""
    with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port) as sock:
        assert_echoes(sock)
        flows = router.flows(sourcePort=sock.getsockname()[1])
        assert len(flows) == 1
        return flows[0]["chains"][0]


def lines(router, *words):
    """(list, number) -> line, as programs see it."""
    rules = router.json("rules", "list", *words)["rules"]
    return {(rule["list"], rule["index"]): rule for rule in rules}


def hits(router):
    return {name: rule["extra"]["hitCount"] for name, rule in lines(router).items()}


def disabled(router):
    return {name for name, rule in lines(router).items() if rule["extra"]["disabled"]}


def test_the_list_says_where_each_line_stands_and_what_it_decided(box, start):
    router = start(box.ns, config())
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        for _ in range(3):
            assert flow_takes(router, box, echo) == "one"
    found = lines(router)
    assert list(found) == [("", n) for n in range(5)] + [("late", 0), ("late", 1)]
    assert found["", 1]["type"] == "IPCIDR"
    assert found["", 1]["payload"] == "127.0.0.1/32"
    assert found["", 1]["proxy"] == "one"
    assert found["", 3]["proxy"] == "late"
    text = router.config_file.read_text().splitlines()
    for (_, _), rule in found.items():
        file, line, column = rule["place"].rsplit(":", 2)
        assert file == str(router.config_file)
        assert rule["payload"] in text[int(line) - 1][int(column) - 1:]
    assert hits(router) == {name: 3 if name == ("", 1) else 0 for name in found}
    misses = {name: rule["extra"]["missCount"] for name, rule in found.items()}
    assert misses["", 0] == 3 and misses["", 1] == 0 and misses["", 2] == 0
    assert found["", 1]["extra"]["hitAt"] and not found["", 2]["extra"]["hitAt"]

    assert [r["index"] for r in router.json("rules", "top", "-n", "5")["rules"]] == [1]
    unused = router.json("rules", "unused")["rules"]
    assert [(r["list"], r["index"]) for r in unused] == [n for n in found if n != ("", 1)]
    assert list(lines(router, "--list", "late")) == [("late", 0), ("late", 1)]
    table = router.cli("rules", "list", "--hits").stdout
    assert "late/1" in table and "7 lines" in table


def test_a_disabled_line_is_passed_over_until_it_is_enabled(box, start):
    router = start(box.ns, config())
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        assert flow_takes(router, box, echo) == "one"
        assert router.cli("rules", "disable", "1").stdout.startswith("1 is disabled")
        assert flow_takes(router, box, echo) == "two"
        router.cli("rules", "disable", "2")
        assert flow_takes(router, box, echo) == "inner"
        explained = router.explain(f"127.0.0.1:{echo.port}")
        assert (explained["list"], explained["index"]) == ("late", 1)
        shown = router.cli("explain", f"127.0.0.1:{echo.port}").stdout
        assert shown.startswith("sub-rule late, line 1 (")
        router.cli("rules", "disable", "late/1")
        assert router.explain(f"127.0.0.1:{echo.port}")["index"] == 4
        assert disabled(router) == {("", 1), ("", 2), ("late", 1)}
        router.cli("rules", "enable", "1", "2", "late/1")
        assert flow_takes(router, box, echo) == "one"
        assert disabled(router) == set()


def test_lines_that_are_not_there_change_nothing(box, start):
    router = start(box.ns, config())
    for words in (["9"], ["1", "late/7"], ["1", "lat/0"]):
        refused = router.cli("rules", "disable", *words, check=False)
        assert refused.returncode == 4, refused.stderr
    assert "did you mean `late`?" in refused.stderr
    assert disabled(router) == set()
    assert router.cli("rules", "list", "--list", "lat", check=False).returncode == 4


def test_disabled_lines_stay_off_over_a_reload_and_a_data_plane_that_dies(box, start):
    router = start(box.ns, config())
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        router.cli("rules", "disable", "1")
        moved = config("DST-PORT,2,REJECT")
        moved["rules"].insert(0, "DOMAIN,new.test,REJECT")
        router.apply(moved)
        assert disabled(router) == {("", 2)}
        assert flow_takes(router, box, echo) == "two"

        old = router.kill("dataplane")
        router.wait_restarted("dataplane", old)
        router.wait_ready()
        wait_until(lambda: disabled(router) == {("", 2)}, 5, "the line is off again")
        assert flow_takes(router, box, echo) == "two"
        assert hits(router)["", 3] == 1, "counted since this data plane started"


def test_a_control_plane_that_dies_leaves_lines_as_they_are(box, start):
    router = start(box.ns, config())
    router.cli("rules", "disable", "1")
    old = router.kill("controlplane")
    router.wait_restarted("controlplane", old)
    router.wait_ready()
    assert disabled(router) == {("", 1)}


def test_an_unknown_provider_is_named_and_without_any_there_is_nothing_to_do(box, start):
    router = start(box.ns, config())
    assert router.json("rules", "providers") == {"providers": {}}
    assert router.cli("rules", "update").stdout == "the configuration has no rule providers\n"
    refused = router.cli("rules", "update", "ads", check=False)
    assert refused.returncode == 4
    assert "no rule provider" in refused.stderr and "ads" in refused.stderr


@pytest.mark.parametrize("middle", ["ads.mrs", "ads.yaml"])
def test_a_list_goes_into_another_format_and_back(box, start, middle):
    router = start(box.ns, config())
    names = {"a.test", "+.b.test", ".c.test"}
    source = router.write("ads.txt", "# names\n" + "\n".join(sorted(names)) + "\n")
    made, back = router.folder / middle, router.folder / "back.txt"
    said = router.cli("rules", "convert", source, made).stdout
    assert said.startswith(f"{made} (") and "3 entries" in said
    router.cli("rules", "convert", made, back)
    assert set(back.read_text().split()) == names


def test_a_conversion_needs_no_router_and_says_what_it_left_out(box, start):
    router = start(box.ns, config())
    router.signal("supervisor", signal.SIGTERM)
    router.process.wait(10)
    source = router.write("mixed.txt", "a.test\nbad..name\n")
    target = router.folder / "mixed.yaml"
    result = router.cli("rules", "convert", source, target)
    assert f"{source}:2:1: `bad..name`" in result.stderr
    assert target.read_text() == "payload:\n  - 'a.test'\n"
    broken = router.write("broken.mrs", "no such thing")
    assert router.cli("rules", "convert", broken, target, check=False).returncode == 1
    assert target.read_text() == "payload:\n  - 'a.test'\n", "a failure leaves it alone"


def test_debug_tells_what_becomes_of_each_flow(box, start):
    router = start(box.ns, cfg.base(["MATCH,DIRECT"], **{"log-level": "debug"}))
    with TcpEcho(box.ns.listen("127.0.0.1")) as echo:
        with open_tcp("socks5", box.ns, cfg.MIXED, "127.0.0.1", echo.port) as sock:
            assert_echoes(sock)
    told = f"-> 127.0.0.1:{echo.port} rule=0 (MATCH) via=DIRECT"
    wait_until(lambda: told in router.log(), 5, "the flow is told")
    # The control plane has the lines of the data plane when their stream has brought them.
    wait_until(lambda: told in router.cli("log", "--level", "debug").stdout, 5, "the log has it")


def test_a_line_that_just_came_is_not_said_to_be_unused_for_long(box, start):
    router = start(box.ns, config())
    assert "came with the last change" not in router.cli("rules", "unused").stdout
    router.apply(config("DST-PORT,7,REJECT"))
    assert "came with the last change have been there for" in router.cli("rules", "unused").stdout
