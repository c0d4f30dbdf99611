"""Where the tree and the built programs are."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("SLUICE_BUILD", ROOT / "build")).resolve()

SLUICE = BUILD / "ui/cli/sluice"
DATAPLANE = BUILD / "dataplane/app/sluice-dataplane"
CONTROLPLANE = BUILD / "controlplane/app/sluice-controlplane"
NFT_HELPER = BUILD / "dataplane/helper/sluice-nft"
MALLOC_COUNT = BUILD / "perf/system/libmalloc_count.so"

CASES = ROOT / "tests/golden/cases"


def read_hex(name):
    """The writes of a `.hex` case: one bytes object for each line that is not a note."""
    lines = (CASES / name).read_text().splitlines()
    return [bytes.fromhex(line) for line in lines if line.strip() and not line.startswith("#")]
