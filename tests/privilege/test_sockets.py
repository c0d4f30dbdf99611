"""Who may reach which Unix socket: a third user, with and without the group `sluice`."""

import grp
import os
import pwd
import socket
import stat
import subprocess

import pytest

from support import config as cfg
from support.paths import public_sluice

THIRD_UID, THIRD_GID = 64321, 64321  # no entry in the password file, no group of ours


@pytest.fixture
def router(box, start):
    return start(box.ns, cfg.base())


def connect_as(path, uid, groups):
    """What a process of this user meets at the socket: 'refused', or what it could read.

    gRPC peers are checked after accept: a refused peer is closed at once, before a byte is sent.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        verdict = "refused"
        try:
            os.setgroups(groups)
            os.setresgid(THIRD_GID, THIRD_GID, THIRD_GID)
            os.setresuid(uid, uid, uid)
            with socket.socket(socket.AF_UNIX) as sock:
                sock.settimeout(3)
                sock.connect(str(path))
                sock.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04" + bytes(5))
                verdict = "served" if sock.recv(1) else "refused"
        except OSError:
            verdict = "refused"
        finally:
            os.write(writer, verdict.encode())
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as pipe:
        return pipe.read()


def sluice_group():
    return grp.getgrnam("sluice").gr_gid


def test_manage_socket_serves_root_and_the_group_only(router):
    path = router.run_dir / "cp/manage.sock"
    assert connect_as(path, 0, []) == "served"
    assert connect_as(path, THIRD_UID, [sluice_group()]) == "served"
    assert connect_as(path, THIRD_UID, []) == "refused"


@pytest.mark.parametrize("in_group", [False, True])
@pytest.mark.parametrize("name", ["contract.sock", "dial.sock"])
def test_data_plane_sockets_refuse_a_third_user(router, name, in_group):
    groups = [sluice_group()] if in_group else []
    assert connect_as(router.run_dir / "dp" / name, THIRD_UID, groups) == "refused"


def test_the_command_line_works_for_a_member_of_the_group_and_says_why_not_for_others(router):
    def status_as(*groups):
        given = ["--groups", *map(str, groups)] if groups else ["--clear-groups"]
        words = ["setpriv", "--reuid", str(THIRD_UID), "--regid", str(THIRD_GID), *given, "--",
                 str(public_sluice()), "--run-dir", str(router.run_dir), "status"]
        return subprocess.run(words, capture_output=True, text=True, timeout=20)

    served = status_as(sluice_group())
    assert served.returncode == 0, served.stderr
    refused = status_as()
    assert refused.returncode != 0
    assert "permission" in refused.stderr.lower() or "group" in refused.stderr.lower()


def test_modes_and_owners_of_the_run_directory(router):
    dataplane, control = pwd.getpwnam("sluice-dp"), pwd.getpwnam("sluice")
    expected = {
        "dp": (dataplane.pw_uid, None),
        "cp": (control.pw_uid, None),
        "cp/manage.sock": (control.pw_uid, 0o660),
    }
    for name, (owner, mode) in expected.items():
        found = os.stat(router.run_dir / name)
        assert found.st_uid == owner, name
        assert mode is None or stat.S_IMODE(found.st_mode) == mode, name
    assert os.stat(router.run_dir / "cp/manage.sock").st_gid == sluice_group()
    for path in (router.run_dir / "dp").iterdir():
        assert not stat.S_IMODE(path.stat().st_mode) & 0o006, path


def test_secrets_at_rest_are_closed_to_others(router):
    for folder in (router.home, router.run_dir):
        for path in folder.rglob("*"):
            if path.is_file():
                assert not stat.S_IMODE(path.stat().st_mode) & 0o007, path
