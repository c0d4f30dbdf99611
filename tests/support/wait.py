"""Waiting with an end."""

import time


def wait_until(condition, seconds=5.0, what="the condition", every=0.02):
    """Returns the first true value of condition(); fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= deadline:
            raise AssertionError(f"{what} did not come true within {seconds} s")
        time.sleep(every)


def stays_true(condition, seconds, what="the condition", every=0.05):
    """Fails as soon as condition() is false within `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert condition(), f"{what} did not hold for {seconds} s"
        time.sleep(every)
