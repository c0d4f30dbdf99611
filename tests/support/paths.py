"""Where the tree and the built programs are."""

import atexit
import functools
import os
import shutil
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("SLUICE_BUILD", ROOT / "build")).resolve()

SLUICE = BUILD / "ui/cli/sluice"
SUPERVISOR = BUILD / "ui/supervisor/sluice-supervisor"
DATAPLANE = BUILD / "dataplane/app/sluice-dataplane"
CONTROLPLANE = BUILD / "controlplane/app/sluice-controlplane"
NFT_HELPER = BUILD / "dataplane/helper/sluice-nft"
PROC_HELPER = BUILD / "dataplane/helper/sluice-proc"
MALLOC_COUNT = BUILD / "perf/system/libmalloc_count.so"
TURN_METER = BUILD / "perf/system/libturn_meter.so"

CASES = ROOT / "tests/golden/cases"


@functools.cache
def public_sluice():
    """`sluice` in a copy of all programs that every user can run; the tree may be closed to others."""
    copy = Path(tempfile.mkdtemp(prefix="sluice-programs-"))
    atexit.register(shutil.rmtree, copy)
    for program in (SLUICE, SUPERVISOR, DATAPLANE, CONTROLPLANE, NFT_HELPER, PROC_HELPER):
        target = copy / program.relative_to(BUILD)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(program, target)
    for path in (copy, *copy.rglob("*")):
        path.chmod(0o755)
    return copy / SLUICE.relative_to(BUILD)


def read_hex(name):
    """The writes of a `.hex` case: one bytes object for each line that is not a note."""
    lines = (CASES / name).read_text().splitlines()
    return [bytes.fromhex(line) for line in lines if line.strip() and not line.startswith("#")]
