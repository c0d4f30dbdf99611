"""`sluice config check` says what `config apply` would say: by the router, or with a home directory.

   FILE ─┬─ a router runs ─────────> it judges
         └─ none, or --home given ─> sluice-controlplane --check, which touches nothing
"""

import json

from support import config as cfg
from support.netns import end_process
from support.paths import SLUICE
from support.router import STOP_LIMIT_S

NOT_VALID = 1

TWICE = {
    "a": {"type": "http", "behavior": "domain", "url": "http://lists.test/a", "path": "same.yaml"},
    "b": {"type": "http", "behavior": "domain", "url": "http://lists.test/b", "path": "same.yaml"},
}


def twice():
    return cfg.base(["RULE-SET,a,REJECT", "RULE-SET,b,REJECT"], **{"rule-providers": TWICE})


def files_below(folder):
    return sorted(str(path) for path in folder.rglob("*"))


def verdict(router, path, *words):
    said = router.cli("config", "check", path, *words, "--json", check=False)
    return said.returncode, json.loads(said.stdout)


def test_a_running_router_judges_as_at_an_apply(box, start):
    router = start(box.ns, cfg.base())
    path = router.write("twice.yaml", twice())
    code, said = verdict(router, path)
    assert code == NOT_VALID
    assert said["checkedBy"] == "router" and said["runDir"] == str(router.run_dir)
    applied = router.cli("config", "apply", path, "--json", check=False)
    assert said["diagnostics"] == json.loads(applied.stdout)["diagnostics"]
    assert "same.yaml" in said["diagnostics"][0]["problem"]


def test_without_a_router_the_home_directory_is_looked_at_and_left_alone(box, start):
    router = start(box.ns, cfg.base(), files={"lan.txt": "+.lan.test\n"})
    end_process(router.process, STOP_LIMIT_S)
    before = files_below(router.home)
    path = router.write("list.yaml", cfg.base(["RULE-SET,lan,REJECT"], **{"rule-providers": {
        "lan": {"type": "file", "behavior": "domain", "format": "text", "path": "lan.txt"}}}))
    code, said = verdict(router, path, "--home", router.home)
    assert (code, said["checkedBy"], said["home"]) == (0, "home", str(router.home))
    assert said["diagnostics"] == []
    (router.home / "lan.txt").unlink()
    code, said = verdict(router, path, "--home", router.home)
    assert code == 0, "what is not there yet may come"
    assert "lan.txt" in said["diagnostics"][0]["problem"]
    before.remove(str(router.home / "lan.txt"))
    assert files_below(router.home) == before


def test_nobody_runs_there(box, start):
    router = start(box.ns, cfg.base())
    path = router.write("twice.yaml", twice())
    said = box.ns.run(SLUICE, "--run-dir", router.folder / "nowhere", "config", "check", path,
                      check=False)
    assert said.returncode == NOT_VALID
    assert "twice.yaml:" in said.stdout and "rule-providers.b" in said.stdout
    assert "checked without a router, with the home directory" in said.stdout
