"""Routers with sets of rules of every kind, for runner/names.py.

A case is (configuration, files of its home, host that the last entry of the set refuses).
"""

import subprocess
import tempfile
from pathlib import Path

from runner.rule_files import dotted, geoip, geosite, networks, sites
from support import config as cfg
from support.paths import SLUICE

COUNT = 100_000
PROBE_NAME, PROBE_ADDRESS = "a.probe.test", "127.9.9.9"

# The same sets elsewhere: row of the list of known figures, and the working set of the whole process there.
ELSEWHERE = {
    "/32 addresses, text": "16, 17: 25.8 MiB of one process (5900X)",
    "names, mrs": "18: 30.7 MiB of one process (5900X)",
    "names, geosite.dat": "19: 70.3 MiB of one process (5900X)",
}


def _as_mrs(lines):
    """Names of a text list as Mihomo's binary set."""
    with tempfile.TemporaryDirectory() as folder:
        text, binary = Path(folder, "names.txt"), Path(folder, "names.mrs")
        text.write_text(lines)
        subprocess.run([SLUICE, "rules", "convert", text, binary, "--behavior", "domain"], check=True,
                       capture_output=True)
        return binary.read_bytes()


def _networks():
    lines = [f"{dotted(base)}/{length}" for base, length in networks(COUNT - 1)]
    return "\n".join([*lines, f"{PROBE_ADDRESS}/32", ""])


def _addresses():
    """Every other address of 10/8: none merges with its neighbour."""
    lines = [f"{dotted(0x0A000000 + 2 * i)}/32" for i in range(COUNT - 1)]
    return "\n".join([*lines, f"{PROBE_ADDRESS}/32", ""])


def collections():
    """What people load at once: a geosite.dat of 1,500 categories, an ad list, a country."""
    categories = {f"list-{i}": sites(60_000 if i == 0 else 160, 10 + i, ["probe.test"] if i == 0 else ())
                  for i in range(1_500)}
    countries = {"cn" if i == 0 else f"c{i}": list(networks(20_000 if i == 0 else 500, 0x01000000 + (i << 8)))
                 for i in range(250)}
    rules = ["RULE-SET,set,REJECT", *(f"GEOSITE,list-{i},REJECT" for i in range(13)), "GEOIP,CN,DIRECT,no-resolve"]
    config = cfg.base([*rules, "MATCH,DIRECT"], **{"geodata-mode": True, **_provider("domain", "text")})
    files = {"set.txt": "".join(f"+.{name}\n" for name in sites(300_000, 2)),
             "GeoSite.dat": geosite(categories), "GeoIP.dat": geoip(countries)}
    return config, files, PROBE_NAME


def by_kind():
    """Cases by name; the first one has no set."""
    names = sites(COUNT, 7, ["probe.test"])
    text = "".join(f"+.{name}\n" for name in names)
    return {
        "no set": (_without("DOMAIN-SUFFIX,probe.test,REJECT"), {}, PROBE_NAME),
        "names, text": (_with_set("domain", "text"), {"set.txt": text}, PROBE_NAME),
        "names, mrs": (_with_set("domain", "mrs"), {"set.mrs": _as_mrs(text)}, PROBE_NAME),
        "names, geosite.dat": (_without("GEOSITE,all,REJECT"), {"GeoSite.dat": geosite({"all": names})},
                               PROBE_NAME),
        "networks, text": (_with_set("ipcidr", "text"), {"set.txt": _networks()}, PROBE_ADDRESS),
        "/32 addresses, text": (_with_set("ipcidr", "text"), {"set.txt": _addresses()}, PROBE_ADDRESS),
    }


def _provider(behavior, kind):
    suffix = {"text": "txt"}.get(kind, kind)
    return {"rule-providers": {
        "set": {"type": "file", "behavior": behavior, "format": kind, "path": f"set.{suffix}"},
    }}


def _with_set(behavior, kind):
    return cfg.base(["RULE-SET,set,REJECT,no-resolve", "MATCH,DIRECT"], **_provider(behavior, kind))


def _without(line):
    return cfg.base([line, "MATCH,DIRECT"])
