"""Fixtures and the time limit that every whole-box test shares."""

import os
import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # support and interop are packages below it

from support.lab import Box, Lab  # noqa: E402
from support.router import Router  # noqa: E402

DEFAULT_LIMIT_S = 90


def pytest_configure(config):
    config.addinivalue_line("markers", "limit(seconds): longest time this test may take")
    if os.geteuid() != 0:
        raise pytest.UsageError("these tests build network namespaces: run them as root")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    """Ends a test that hangs, with the line it hangs in."""
    marker = item.get_closest_marker("limit")
    seconds = marker.args[0] if marker else DEFAULT_LIMIT_S

    def expired(_signal, _frame):
        raise TimeoutError(f"the test took longer than {seconds} s")

    previous = signal.signal(signal.SIGALRM, expired)
    signal.alarm(seconds)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, previous)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds what the routers of a failed test logged."""
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        for router in getattr(item, "routers", []):
            report.sections.append((f"log of {router.name}", router.log_tail()))


@pytest.fixture
def box():
    """One namespace with a loopback device only: a machine of its own."""
    with Box() as machine:
        yield machine


@pytest.fixture
def lab():
    """LAN, router and WAN, joined by links (support/lab.py draws it)."""
    with Lab() as network:
        yield network


@pytest.fixture
def start(request):
    """start(namespace, config, ...) -> Router; every router is stopped and checked at the end."""
    routers = []
    request.node.routers = routers

    def run(namespace, config, **options):
        router = Router(namespace, config, **options)
        routers.append(router)
        router.start()
        return router

    yield run
    problems = []
    for router in reversed(routers):
        try:
            router.stop()
        except AssertionError as problem:
            problems.append(str(problem))
    assert not problems, "\n".join(problems)
