"""Users, capabilities, no_new_privs and seccomp of every process, while traffic flows.

The expected sets are those of the design's first table.
"""

import os
import pwd
import signal

import pytest

from support import config as cfg
from support import lab as net
from support import proc
from support.mock_dns import DnsUpstream
from support.servers import TcpEcho
from support.trace import Tracee
from support.traffic import assert_echoes
from support.wait import wait_until

DAC_READ_SEARCH, SETPCAP, NET_BIND_SERVICE, NET_ADMIN, NET_RAW, SYS_PTRACE = 2, 8, 10, 12, 13, 19
DATAPLANE_CAPS = {NET_BIND_SERVICE, NET_ADMIN, NET_RAW}
EXPECTED = {  # role: (user, effective capabilities)
    "dataplane": ("sluice-dp", DATAPLANE_CAPS),
    "spawner": ("sluice-dp", {NET_ADMIN, DAC_READ_SEARCH, SYS_PTRACE, SETPCAP}),
    "nft": ("sluice-dp", {NET_ADMIN}),
    "controlplane": ("sluice", {NET_BIND_SERVICE}),
}


def capabilities(status, name):
    mask = int(status[name], 16)
    return {bit for bit in range(64) if mask >> bit & 1}


@pytest.fixture
def router(lab, start):
    with DnsUpstream(lab.wan, net.UPSTREAM4):
        with TcpEcho(lab.wan.listen(net.WAN4)) as echo:
            router = start(lab.router, cfg.gateway(net.UPSTREAM4))
            with lab.lan.connect(net.WAN4, echo.port) as sock:
                assert_echoes(sock)
                yield router


def test_all_processes_are_there(router):
    assert set(router.pids()) == {"supervisor", *EXPECTED}


@pytest.mark.parametrize("role", list(EXPECTED))
def test_user_capabilities_and_filters(router, role):
    user, wanted = EXPECTED[role]
    status = proc.status(router.pid(role))
    entry = pwd.getpwnam(user)
    assert status["Uid"].split() == [str(entry.pw_uid)] * 4
    assert status["Gid"].split() == [str(entry.pw_gid)] * 4
    assert capabilities(status, "CapEff") == wanted
    assert capabilities(status, "CapBnd") == wanted
    assert capabilities(status, "CapPrm") == wanted
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"


@pytest.mark.parametrize("role", ["dataplane", "nft", "controlplane"])
def test_every_thread_is_under_the_filter(router, role):
    for thread in os.listdir(f"/proc/{router.pid(role)}/task"):
        status = proc.status(thread)
        assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2"), thread


@pytest.mark.parametrize("role", list(EXPECTED))
def test_no_descriptor_of_the_supervisor_is_inherited(router, role):
    """What a process holds is what it opened or was handed: no log file, no terminal, no folder."""
    for target in proc.open_files(router.pid(role)):
        assert not target.startswith(("/dev/pts", "/dev/tty")), target
        assert not target.endswith("config.yaml"), target


@pytest.mark.parametrize("role", ["dataplane", "controlplane"])
def test_a_forbidden_system_call_ends_the_process(router, role):
    """A debugger makes the process call execve, which no filter of ours lets pass."""
    pid = router.pid(role)
    with Tracee(pid) as tracee:
        assert tracee.run_execve() == signal.SIGSYS
    router.wait_restarted(role, pid)
    router.wait_ready()


def test_the_planes_cannot_gain_anything_by_a_setuid_program(router):
    for role in EXPECTED:
        status = proc.status(router.pid(role))
        assert capabilities(status, "CapInh") <= EXPECTED[role][1]
        assert capabilities(status, "CapAmb") <= EXPECTED[role][1]


def test_the_helper_ends_with_the_data_plane(router):
    helper, spawner = router.pid("nft"), router.pid("spawner")
    dead = router.kill("dataplane")
    wait_until(lambda: not proc.alive(helper) and not proc.alive(spawner), 2, "helpers end")
    router.wait_restarted("dataplane", dead)
