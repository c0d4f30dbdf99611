"""Tests with real peers from the packages."""
